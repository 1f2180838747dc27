/* SPDX-License-Identifier: MIT
 *
 * What the features of regions are worked out from, for those who look at a texture run by run: levels, and how often each run occurs. The
 * numbers of the rows are those that they have without it. */
#include <math.h>
#include <stdlib.h>

#include "drivers/reduce.h"
#include "run/grid.h"
#include "run/raster.h"
#include "run/roi-mask.h"
#include "steps/texture.h"

enum { BYTES_PER_PX = 32 };

/* The longest run that there is, in any direction. */
static int32_t
find_longest(const uint64_t *matrix, int32_t n_levels, int32_t room)
{
  for (int32_t length = room; length > 1; length--)
    for (int64_t row = 0; row < VT_GLRLM_N_DIRECTIONS * n_levels; row++)
      if (matrix[row * room + length - 1] > 0)
        return length;
  return 1;
}

/* Counts without the columns that nothing has, and levels without gaps between rows; one block: free(). */
static uint32_t *
pack(const VtImage *levels, const uint64_t *matrix, int32_t room, VitrailRunLengths *told)
{
  const int64_t n_rows = VT_GLRLM_N_DIRECTIONS * (int64_t)told->n_levels;
  uint32_t *block = malloc(((size_t)told->n_pixels + told->n_counts) * sizeof *block), *to = block;
  if (!block)
    return NULL;
  for (int64_t y = 0; y < levels->height; y++) {
    const uint16_t *row = vt_image_at(levels, 0, y);
    for (int64_t x = 0; x < levels->width; x++)
      *to++ = row[x];
  }
  for (int64_t row = 0; row < n_rows; row++)
    for (uint32_t j = 0; j < told->longest; j++)
      *to++ = (uint32_t)matrix[row * room + j]; /* no region has more runs than pixels */
  told->levels = block;
  told->counts = block + told->n_pixels;
  return block;
}

static void
describe_levels(const VtLevels *made, VitrailRunLengths *told)
{
  told->unit = made->scale < 1 ? "OD" : "";
  told->level_from = made->kind == VT_BIN_AS_IS ? 1 : made->min;
  told->level_step = made->kind == VT_BIN_AS_IS ? 1 : made->kind == VT_BIN_WIDTH ? made->width : made->width / made->n;
}

static VitrailStatus
no_memory(VtRun *run)
{
  return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for a run length matrix."));
}

/* The matrix is used up. */
static VitrailStatus
tell(VtRun *run, const VtTexture *of, const VitrailRoi *roi, const VtImage *levels, VitrailRunLengths *told,
     uint64_t *matrix)
{
  const int32_t n = (int32_t)told->n_levels,
                room = (int32_t)(levels->width > levels->height ? levels->width : levels->height);
  const uint64_t n_inside = vt_reduce_count(levels);
  double values[VT_TEXTURE_VALUES] = { (double)n_inside };
  told->longest = (uint32_t)find_longest(matrix, n, room);
  told->n_counts = VT_GLRLM_N_DIRECTIONS * told->n_levels * told->longest;
  uint32_t *block = pack(levels, matrix, room, told);
  VitrailStatus status = block ? VITRAIL_OK : no_memory(run);
  THEN(status, vt_reduce_matrix(run, matrix, n, room, n_inside, of->aggregate, values + 1));
  THEN(status, vt_texture_emit_row(run, of, roi, values));
  if (status == VITRAIL_OK && n_inside > 0)
    status = run->host.emit_run_lengths(run->host.user, told);
  free(block);
  return status;
}

static VitrailStatus
tell_region(VtRun *run, const VtTexture *of, bool own_range, const VitrailRoi *roi, VtRect rect)
{
  VtImage levels;
  VtLevels made;
  uint64_t *matrix = NULL;
  if (rect.width > VITRAIL_LENGTHS_MOST_PX / rect.height)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The region %s has too many pixels to be looked at run by run: its rectangle is %lld x %lld pixels "
                   "of the analysis, and %d are the most. Take a smaller one, or larger pixels.",
                   roi->name, (long long)rect.width, (long long)rect.height, VITRAIL_LENGTHS_MOST_PX);
  TRY(vt_raster_check_budget(run, rect, BYTES_PER_PX));
  TRY(vt_texture_levels(run, of, own_range, roi, rect, &levels, &made));
  VitrailRunLengths told = { .size = sizeof told,
                             .downsample = run->grid.downsample,
                             .x = rect.x,
                             .y = rect.y,
                             .width = (uint32_t)rect.width,
                             .height = (uint32_t)rect.height,
                             .n_pixels = (uint32_t)(rect.width * rect.height),
                             .n_levels = (uint32_t)made.n };
  describe_levels(&made, &told);
  VitrailStatus status = vt_reduce_runs(run, &levels, made.n, &matrix);
  THEN(status, tell(run, of, roi, &levels, &told, matrix));
  free(matrix);
  return status;
}

/* A region beside the image has no pixels, which is no error. */
static VitrailStatus
tell_nothing(VtRun *run, const VtTexture *of, const VitrailRoi *roi)
{
  double values[VT_TEXTURE_VALUES] = { 0 };
  for (int v = 1; v < VT_TEXTURE_VALUES; v++)
    values[v] = NAN;
  return vt_texture_emit_row(run, of, roi, values);
}

VitrailStatus
vt_texture_tell(VtRun *run, const VtTexture *of, bool own_range, const VitrailRoi *const *rois, uint32_t n_rois)
{
  for (uint32_t i = 0; i < n_rois; i++) {
    const VtRect rect = vt_roi_rect(run, rois[i]);
    const uint32_t mark = run->n_rasters;
    if (vt_cancelled(&run->cancel))
      return VITRAIL_CANCELLED;
    TRY(rect.width < 1 ? tell_nothing(run, of, rois[i]) : tell_region(run, of, own_range, rois[i], rect));
    vt_raster_release(run, mark);
    vt_progress(run, (i + 1.0) / n_rois);
  }
  return VITRAIL_OK;
}
