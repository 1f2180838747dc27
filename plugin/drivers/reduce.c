/* SPDX-License-Identifier: MIT
 *
 * The reduce driver: tiles add up, then the sum is finished. A run belongs to the tile of its first pixel and is followed
 * to its end, so the sum has no seams (VtGlrlmRuns). */
#include <stdlib.h>
#include <string.h>

#include "drivers/reduce.h"
#include "run/backends.h"

enum { TILE_PX = 512 };

uint64_t
vt_reduce_count(const VtImage *levels)
{
  uint64_t n = 0;
  for (int64_t y = 0; y < levels->height; y++) {
    const uint16_t *row = vt_image_at(levels, 0, y);
    for (int64_t x = 0; x < levels->width; x++)
      n += row[x] != 0;
  }
  return n;
}

static VitrailStatus
accumulate(VtRun *run, VtGlrlmRuns *args)
{
  int64_t tile = run->request->tile_px >= 16 ? run->request->tile_px : TILE_PX;
  for (int64_t y = 0; y < args->src.height; y += tile) {
    for (int64_t x = 0; x < args->src.width; x += tile) {
      args->x = x;
      args->y = y;
      args->width = tile < args->src.width - x ? tile : args->src.width - x;
      args->height = tile < args->src.height - y ? tile : args->src.height - y;
      VitrailStatus status = run->cpu->glrlm_runs(run->cpu_device, args, &run->cancel);
      if (status != VITRAIL_OK)
        return status;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_reduce_matrix(VtRun *run, uint64_t *matrix, int32_t n_levels, int32_t longest, uint64_t n_pixels,
                 VtGlrlmAggregate aggregate, double features[VT_GLRLM_N_FEATURES])
{
  const size_t cells = (size_t)n_levels * (size_t)longest;
  if (aggregate < VT_GLRLM_N_DIRECTIONS) {
    run->cpu->glrlm_features(matrix + (size_t)aggregate * cells, n_levels, longest, n_pixels, features);
  } else if (aggregate == VT_GLRLM_MERGED) {
    for (size_t d = 1; d < VT_GLRLM_N_DIRECTIONS; d++)
      for (size_t i = 0; i < cells; i++)
        matrix[i] += matrix[d * cells + i];
    run->cpu->glrlm_features(matrix, n_levels, longest, 4 * n_pixels, features);
  } else {
    double one[VT_GLRLM_N_FEATURES];
    memset(features, 0, sizeof(double) * VT_GLRLM_N_FEATURES);
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      if (vt_cancelled(&run->cancel))
        return VITRAIL_CANCELLED;
      run->cpu->glrlm_features(matrix + (size_t)d * cells, n_levels, longest, n_pixels, one);
      for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
        features[f] += one[f];
    }
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      features[f] /= VT_GLRLM_N_DIRECTIONS;
  }
  return VITRAIL_OK;
}

static int32_t
longest_of(const VtImage *levels)
{
  return (int32_t)(levels->width > levels->height ? levels->width : levels->height);
}

VitrailStatus
vt_reduce_runs(VtRun *run, const VtImage *levels, int32_t n_levels, uint64_t **matrix)
{
  VtGlrlmRuns args = { .src = *levels, .n_levels = n_levels, .max_length = longest_of(levels) };
  args.matrix = *matrix =
    calloc((size_t)n_levels * (size_t)args.max_length, VT_GLRLM_N_DIRECTIONS * sizeof *args.matrix);
  if (!args.matrix)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for a run length matrix."));
  return accumulate(run, &args);
}

VitrailStatus
vt_reduce_glrlm(VtRun *run, const VtImage *levels, int32_t n_levels, VtGlrlmAggregate aggregate,
                double features[VT_GLRLM_N_FEATURES])
{
  uint64_t *matrix;
  VitrailStatus status = vt_reduce_runs(run, levels, n_levels, &matrix);
  THEN(status,
       vt_reduce_matrix(run, matrix, n_levels, longest_of(levels), vt_reduce_count(levels), aggregate, features));
  free(matrix);
  return status;
}

enum { BYTES_PER_ROI = 8192 /* that a device may take beside the levels: places, lists, values */ };

static bool
rois_in_budget(const VtRun *run, const VtGlrlmRois *args)
{
  const double need = (double)(args->levels.stride * args->levels.height) + (double)args->n_rois * BYTES_PER_ROI;
  return run->request->device_budget == 0 || need <= (double)run->request->device_budget;
}

static VitrailStatus
rois_on_device(VtRun *run, const VtGlrlmRois *args)
{
  const VtBackend *backend = run->backend;
  VtGlrlmRois there = *args;
  there.levels.data = NULL;
  if (!backend->glrlm_rois)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status =
    backend->alloc(run->device, (size_t)(args->levels.stride * args->levels.height), &there.levels.data);
  THEN(status, backend->upload(run->device, &there.levels, &args->levels));
  THEN(status, backend->glrlm_rois(run->device, &there, &run->cancel));
  backend->free(run->device, there.levels.data);
  return status;
}

VitrailStatus
vt_reduce_rois(VtRun *run, const VtGlrlmRois *args)
{
  if (run->backend != run->cpu && rois_in_budget(run, args)) {
    const VitrailStatus status = rois_on_device(run, args);
    if (status == VITRAIL_OK || status == VITRAIL_CANCELLED)
      return status;
    vt_say_fallback(run, "The texture of regions", status);
  }
  const VitrailStatus status = run->cpu->glrlm_rois(run->cpu_team, args, &run->cancel);
  if (status == VITRAIL_OUT_OF_MEMORY)
    return vt_fail(run, status, TR("There is not enough memory for a run length matrix."));
  return status;
}
