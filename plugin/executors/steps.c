/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "executors/steps.h"
#include "devices/copy-streams.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "executors/bounds-labels.h"
#include "executors/bounds.h"
#include "executors/streamed.h"
#include "run/backends.h"
#include "run/grid.h"
#include "run/raster.h"
#include "scale/distance.h"
#include "scale/labels.h"
#include "scale/waves.h"

static bool
can_measure_distances(const VtBackend *backend)
{
  return backend->distance || (backend->edt_columns && backend->edt_rows);
}

/* Layers, what a step needs beside them, and the kernels' own memory, at the worst of the steps. */
enum { BYTES_PER_PX = 64 };

static bool
is_in_budget(const VtRun *run)
{
  const double need = (double)run->grid.width * (double)run->grid.height * BYTES_PER_PX;
  return run->request->device_budget == 0 || need <= (double)run->request->device_budget;
}

void
vt_steps_begin(VtSteps *steps, VtRun *run, const char *algorithm)
{
  const VtBackend *b = run->backend;
  *steps = (VtSteps){ .run = run, .backend = b, .device = run->device, .algorithm = algorithm };
  steps->on_device = b != run->cpu && vt_find_reconstruct(b, algorithm) && can_measure_distances(b) && b->lut3
                     && b->erode_disc && b->smooth && b->pointwise && b->components && b->watershed && b->regional
                     && b->number && b->relabel && is_in_budget(run);
}

/* --- memory --- */

/* Where the device has no memory of its own kind to offer, or that takes too long, the run has some, and frees it. */
static VitrailStatus
host_alloc(VtSteps *steps, VtImage *image, VtType type)
{
  VtRun *run = steps->run;
  const int64_t width = run->grid.width, height = run->grid.height, stride = width * (int64_t)vt_type_size(type);
  *image = (VtImage){ NULL, width, height, stride, type };
  if (!steps->backend->alloc_host || vt_is_large(image))
    return vt_raster_alloc(run, image, type, width, height);
  return steps->backend->alloc_host(steps->device, (size_t)(height * stride), &image->data);
}

static void
host_free(VtSteps *steps, VtImage *image)
{
  if (image->data && steps->backend->alloc_host && !vt_is_large(image))
    steps->backend->free_host(steps->device, image->data);
  *image = (VtImage){ 0 };
}

static VitrailStatus
copy(VtSteps *steps, const VtImage *image, const VtImage *host, bool up)
{
  const VtBackend *b = steps->backend;
  if (vt_is_large(host))
    return vt_device_copy(steps->run, image, host, up);
  return up ? b->upload(steps->device, image, host) : b->download(steps->device, host, image);
}

static void
free_buffers(VtSteps *steps)
{
  while (steps->n_buffers > 0)
    steps->backend->free(steps->device, steps->buffers[--steps->n_buffers]);
}

void
vt_steps_clear(VtSteps *steps)
{
  free_buffers(steps);
  host_free(steps, &steps->input);
  host_free(steps, &steps->fetched);
}

void
vt_steps_take_over(VtSteps *steps, const char *what)
{
  vt_say_fallback(steps->run, what, steps->lost);
  free_buffers(steps);
  steps->run->backend = steps->run->cpu;
  steps->on_device = false;
  steps->lost = VITRAIL_OK;
}

/* What a device answered. Its failures are no failures of the run. */
static VitrailStatus
noted(VtSteps *steps, VitrailStatus status)
{
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    steps->lost = status;
  return status;
}

VitrailStatus
vt_steps_alloc(VtSteps *steps, VtImage *image, VtType type)
{
  if (steps->streamed)
    return vt_streamed_alloc(steps, image, type);
  if (steps->bounds)
    return vt_bounds_alloc(steps, image, type);
  VtRun *run = steps->run;
  const int64_t width = run->grid.width, height = run->grid.height, stride = width * (int64_t)vt_type_size(type);
  if (!steps->on_device)
    return vt_raster_alloc(run, image, type, width, height);
  if (steps->n_buffers == VT_MAX_RASTERS)
    return vt_fail(run, VITRAIL_INTERNAL, TR("The run holds too many rasters."));
  *image = (VtImage){ NULL, width, height, stride, type };
  const VitrailStatus status = steps->backend->alloc(steps->device, (size_t)(height * stride), &image->data);
  if (status == VITRAIL_OK)
    steps->buffers[steps->n_buffers++] = image->data;
  return noted(steps, status);
}

void
vt_steps_free(VtSteps *steps, VtImage *image)
{
  if (steps->streamed) {
    vt_streamed_free(steps, image);
    return;
  }
  VtRun *run = steps->run;
  void **list = steps->on_device ? steps->buffers : run->rasters;
  uint32_t *n = steps->on_device ? &steps->n_buffers : &run->n_rasters;
  VtImage high = *image;
  if (steps->bounds)
    vt_bounds_forget(steps, image, &high);
  for (uint32_t i = 0; i < *n; i++) {
    if (list[i] != image->data)
      continue;
    if (!steps->on_device && vt_cancelled(&run->cancel))
      break; /* the end of the run gives it back without waiting */
    if (steps->on_device)
      steps->backend->free(steps->device, image->data);
    else
      free(image->data);
    list[i] = list[--*n];
    break;
  }
  if (steps->fetched_from == image->data)
    steps->fetched_from = NULL;
  if (high.data != image->data)
    vt_steps_free(steps, &high);
  *image = (VtImage){ 0 };
}

VitrailStatus
vt_steps_read(VtSteps *steps, const VitrailInput *input, VtImage *image)
{
  VtRun *run = steps->run;
  VitrailStatus status = VITRAIL_OK;
  *image = (VtImage){ 0 };
  steps->read = input;
  if (steps->streamed)
    return VITRAIL_OK;
  if (!steps->on_device) {
    *image = steps->input;
    return image->data ? VITRAIL_OK : vt_read_input(run, input, vt_grid_rect(run), image);
  }
  VtImage host;
  status = noted(steps, host_alloc(steps, &host, input->type));
  if (status != VITRAIL_OK)
    return status;
  status = vt_read_input_into(run, input, vt_grid_rect(run), &host);
  if (status != VITRAIL_OK) {
    host_free(steps, &host);
    return status;
  }
  steps->input = host;
  status = vt_steps_alloc(steps, image, input->type);
  return status == VITRAIL_OK ? noted(steps, copy(steps, image, &host, true)) : status;
}

VitrailStatus
vt_steps_fetch(VtSteps *steps, const VtImage *image, VtImage *host)
{
  VitrailStatus status = VITRAIL_OK;
  *host = *image;
  if (!steps->on_device)
    return VITRAIL_OK;
  if (!steps->fetched.data) /* of the largest type */
    status = noted(steps, host_alloc(steps, &steps->fetched, VITRAIL_F32));
  host->data = steps->fetched.data;
  if (status != VITRAIL_OK || steps->fetched_from == image->data)
    return status;
  status = noted(steps, copy(steps, image, host, false));
  steps->fetched_from = status == VITRAIL_OK ? image->data : NULL;
  return status;
}

VitrailStatus
vt_steps_emit(VtSteps *steps, uint32_t stage, const VtImage *image, double scale)
{
  const uint64_t bit = UINT64_C(1) << stage;
  VtImage host;
  if (!(steps->run->wanted & bit) || steps->emitted & bit || steps->bounds)
    return VITRAIL_OK;
  if (steps->streamed)
    return vt_streamed_emit(steps->streamed, stage, image->data, scale, NULL);
  VitrailStatus status = vt_steps_fetch(steps, image, &host);
  if (status == VITRAIL_OK)
    status = vt_emit_raster(steps->run, stage, &host, scale);
  if (status == VITRAIL_OK)
    steps->emitted |= bit;
  return status;
}

/* --- steps --- */

/* A slot of the device, or of the CPU on the whole image. */
#define SLOT(steps, slot, args) \
  ((steps)->on_device ? noted(steps, (steps)->backend->slot((steps)->device, args, &(steps)->run->cancel)) \
                      : (steps)->run->cpu->slot((steps)->run->cpu_team, args, &(steps)->run->cancel))

VitrailStatus
vt_steps_lut3(VtSteps *steps, const int32_t *table, const VtImage *src, const VtImage *dst)
{
  if (steps->streamed)
    return vt_streamed_lut3(steps, table, dst);
  const VtLut3 args = { *src, *dst, table };
  TRY(steps->on_device ? SLOT(steps, lut3, &args) : vt_local_lut3(steps->run, table, src, dst));
  if (steps->bounds)
    vt_bounds_settle(steps, dst);
  return VITRAIL_OK;
}

VitrailStatus
vt_steps_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst, double s)
{
  if (steps->streamed)
    return vt_streamed_pointwise(steps, op, a, b, dst, s);
  const VtPointwise args = { op, *a, b ? *b : (VtImage){ 0 }, *dst, s };
  if (steps->bounds)
    return vt_bounds_pointwise(steps, op, a, b, dst, s);
  return steps->on_device ? SLOT(steps, pointwise, &args) : vt_local_pointwise(steps->run, op, a, b, dst, s);
}

VitrailStatus
vt_steps_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius)
{
  if (steps->streamed)
    return vt_streamed_erode(steps, src, dst, radius);
  const VtErodeDisc args = { *src, *dst, 0, 0, radius };
  if (steps->bounds)
    return vt_bounds_erode(steps, src, dst, radius);
  return steps->on_device ? SLOT(steps, erode_disc, &args) : vt_local_erode(steps->run, src, dst, radius);
}

VitrailStatus
vt_steps_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px)
{
  if (steps->streamed)
    return vt_streamed_smooth(steps, src, dst, sigma_px);
  uint32_t weights[513];
  if (steps->bounds)
    return vt_bounds_smooth(steps, src, dst, sigma_px);
  if (!steps->on_device)
    return vt_local_smooth(steps->run, src, dst, sigma_px);
  const VtSmooth args = { *src, *dst, 0, 0, vt_gaussian_weights(sigma_px, weights), weights };
  return SLOT(steps, smooth, &args);
}

VitrailStatus
vt_steps_keep_border(VtSteps *steps, const VtImage *from, const VtImage *to)
{
  const int64_t w = to->width, h = to->height;
  if (steps->streamed)
    return vt_streamed_keep_border(steps, from, to);
  if (steps->bounds) {
    vt_bounds_border(steps, from, to);
    return VITRAIL_OK;
  }
  const VtRect borders[] = { { 0, 0, w, 1 }, { 0, h - 1, w, 1 }, { 0, 0, 1, h }, { w - 1, 0, 1, h } };
  for (size_t i = 0; i < VT_COUNT(borders); i++) {
    const VtRect b = borders[i];
    const VtImage a = vt_image_window(from, b.x, b.y, b.width, b.height);
    const VtImage dst = vt_image_window(to, b.x, b.y, b.width, b.height);
    TRY(vt_steps_pointwise(steps, VT_PW_AND, &a, &a, &dst, 0));
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_steps_reconstruct(VtSteps *steps, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  if (steps->streamed)
    return vt_streamed_reconstruct(steps->streamed, marker->data, mask->data, connectivity);
  const VtReconstruct args = { .marker = *marker, .mask = *mask, .connectivity = connectivity };
  if (steps->bounds)
    return vt_bounds_reconstruct(steps, marker, mask, connectivity);
  if (!steps->on_device)
    return vt_reconstruct(steps->run, marker, mask, connectivity, steps->algorithm);
  return noted(steps,
               vt_find_reconstruct(steps->backend, steps->algorithm)->run(steps->device, &args, &steps->run->cancel));
}

VitrailStatus
vt_steps_distance(VtSteps *steps, const VtImage *foreground, const VtImage *dst, float scale)
{
  if (steps->streamed)
    return vt_streamed_distance(steps->streamed, foreground->data, dst->data, scale);
  const VtEdt args = { *foreground, *dst, scale };
  if (steps->bounds)
    return vt_bounds_distance(steps, foreground, dst, scale);
  if (!steps->on_device)
    return vt_distance(steps->run, foreground, dst, scale);
  return noted(steps, vt_distance_in_device_memory(steps->run, &args));
}

/* On the host a maximum is what stands above the reconstruction of the next smaller values: that runs in tiles. */
VitrailStatus
vt_steps_maxima(VtSteps *steps, const VtImage *src, const VtImage *dst)
{
  if (steps->streamed)
    return vt_streamed_regional(steps->streamed, src->data, NULL, dst->data, 8, false);
  const VtRegional args = { .src = *src, .dst = *dst, .connectivity = 8 };
  VtImage below;
  if (steps->bounds)
    return vt_bounds_maxima(steps, &args);
  if (steps->on_device)
    return SLOT(steps, regional, &args);
  VitrailStatus status = vt_steps_alloc(steps, &below, src->type);
  if (status == VITRAIL_OK)
    status = vt_steps_pointwise(steps, VT_PW_NEXT_BELOW, src, NULL, &below, 0);
  if (status == VITRAIL_OK)
    status = vt_steps_reconstruct(steps, &below, src, 8);
  if (status == VITRAIL_OK)
    status = vt_steps_pointwise(steps, VT_PW_ABOVE_IMAGE, src, &below, dst, 0);
  if (status == VITRAIL_OK)
    vt_steps_free(steps, &below);
  return status;
}

VitrailStatus
vt_steps_components(VtSteps *steps, const VtImage *src, const VtImage *dst)
{
  int64_t n;
  if (steps->streamed)
    return vt_streamed_components(steps->streamed, src->data, dst->data, 8, &n);
  const VtComponents args = { *src, *dst, 8 };
  return steps->bounds ? vt_bounds_components(steps, &args) : SLOT(steps, components, &args);
}

VitrailStatus
vt_steps_watershed(VtSteps *steps, const VtWatershed *args)
{
  if (steps->streamed)
    return vt_streamed_watershed(steps->streamed, args->level.data, args->seeds.data, args->mask.data,
                                 args->labels.data);
  return steps->bounds ? vt_bounds_watershed(steps, args) : SLOT(steps, watershed, args);
}

VitrailStatus
vt_steps_number(VtSteps *steps, const VtNumber *args)
{
  if (steps->streamed)
    return vt_streamed_number(steps->streamed, args->labels.data, args->a.data, args->b.data, args->stats,
                              args->n_objects);
  return SLOT(steps, number, args);
}

VitrailStatus
vt_steps_relabel(VtSteps *steps, const VtRelabel *args)
{
  if (steps->streamed)
    return vt_streamed_relabel(steps->streamed, args->labels.data, args->table, args->n_entries);
  return SLOT(steps, relabel, args);
}
