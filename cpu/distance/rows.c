/* SPDX-License-Identifier: MIT
 *
 * Rows of the exact distance transform. Where the background is near, the columns around a pixel are tried outwards
 * (near.c); where it is far, the lower envelope of the parabolas is taken (envelope.c). */
#include "distance.h"
#include "../simd.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool
vt_cpu_edt_scratch_init(VtEdtScratch *scratch, int64_t width, bool with_nearest)
{
  const size_t n = (size_t)width + VT_EDT_GROUP + 2 * VT_EDT_PAD;
  *scratch = (VtEdtScratch){ .stack = malloc((size_t)width * sizeof *scratch->stack),
                             .squared = malloc((size_t)width * sizeof *scratch->squared),
                             .nearest = with_nearest ? malloc((size_t)width * sizeof *scratch->nearest) : NULL,
                             .lines = malloc(((size_t)width + 5) * 2 * sizeof *scratch->lines),
                             .keep = malloc((size_t)width + sizeof(uint64_t)),
                             .memory = malloc(n * sizeof *scratch->memory),
                             .near = VT_CPU_BEST(vt_cpu_edt_near) };
  if (!scratch->stack || !scratch->squared || !scratch->lines || !scratch->keep || !scratch->memory
      || (with_nearest && !scratch->nearest))
    return false;
  for (size_t k = 0; k < n; k++)
    scratch->memory[k] = (int16_t)(scratch->near->limit * scratch->near->limit);
  scratch->sites = scratch->lines + width + 2;
  scratch->squares = scratch->memory + VT_EDT_PAD;
  return true;
}

void
vt_cpu_edt_scratch_clear(VtEdtScratch *scratch)
{
  free(scratch->stack);
  free(scratch->squared);
  free(scratch->nearest);
  free(scratch->memory);
  free(scratch->lines);
  free(scratch->keep);
}

void
vt_cpu_distance_write(const VtDistance *args, int64_t first, int64_t end, int64_t y, VtEdtScratch *scratch)
{
  int64_t *squared = scratch->squared, *nearest = scratch->nearest;
  for (int64_t x = first; x < end && args->cap > 0; x++) {
    if (nearest && squared[x] > args->cap)
      nearest[x] = -1;
    squared[x] = squared[x] < args->cap ? squared[x] : args->cap;
  }
  const size_t bytes = (size_t)(end - first) * sizeof *squared;
  if (args->root.data)
    scratch->near->root(squared + first, end - first, args->scale, vt_image_at(&args->root, first, y));
  if (args->squared.data)
    memcpy(vt_image_at(&args->squared, first, y), squared + first, bytes);
  if (args->nearest.data)
    memcpy(vt_image_at(&args->nearest, first, y), nearest + first, bytes);
}

static void
write_far(const VtEdtRow *row, int64_t first, int64_t end, int64_t limit, VtEdtScratch *scratch)
{
  vt_cpu_edt_envelope(row, first, end, limit, scratch);
  vt_cpu_distance_write(row->args, first, end, row->y, scratch);
}

static void
write_near(const VtEdtRow *row, int64_t x, int16_t *best, const VtEdtNear *near)
{
  const VtDistance *args = row->args;
  const int64_t width = args->src.width, n = width - x < VT_EDT_GROUP ? width - x : VT_EDT_GROUP;
  for (int k = 0; k < VT_EDT_GROUP && args->cap > 0 && args->cap < INT16_MAX; k++)
    best[k] = best[k] < args->cap ? best[k] : (int16_t)args->cap;
  if (args->root.data)
    near->near_root(best, n, args->scale, vt_image_at(&args->root, x, row->y));
  int64_t *squared = args->squared.data ? vt_image_at(&args->squared, x, row->y) : NULL;
  for (int64_t k = 0; k < n && squared; k++)
    squared[k] = best[k];
}

/* Returns the number of pixels that were far. */
static int64_t
fill_row(const VtEdtRow *row, VtEdtScratch *scratch)
{
  const VtEdtNear *near = scratch->near;
  const int64_t width = row->args->src.width;
  int64_t n_far = 0, far = 0; /* pixels: of the row, and just before x */
  int wait = 0, skip = 0;     /* groups to leave out after one that was far, doubled each time; left of them */
  int16_t best[VT_EDT_GROUP];
  near->square(row->g, width, near->limit, scratch->squares);
  for (int64_t x = 0; x < width; x += VT_EDT_GROUP) {
    /* Nothing outside is waited for. */
    const int64_t first = x + VT_EDT_GROUP <= width || width < VT_EDT_GROUP ? x : width - VT_EDT_GROUP;
    const bool found = skip == 0 && near->search(scratch->squares + first, near->limit, best);
    if (found) {
      wait = 0;
    } else if (skip > 0) {
      skip--;
    } else {
      skip = wait;
      wait = wait < 7 ? 2 * wait + 1 : 7;
    }
    if (found && far > 0)
      write_far(row, x - far, x, near->limit, scratch);
    if (found)
      write_near(row, first, best, near);
    far = found ? 0 : far + VT_EDT_GROUP;
    n_far += found ? 0 : VT_EDT_GROUP;
  }
  if (far > 0)
    write_far(row, (width + VT_EDT_GROUP - 1) / VT_EDT_GROUP * VT_EDT_GROUP - far, width, near->limit, scratch);
  return n_far;
}

void
vt_cpu_edt_row(const VtEdtRow *row, VtEdtScratch *scratch)
{
  const VtDistance *args = row->args;
  const bool plain = args->weight_x == 1 && args->weight_y == 1 && !args->nearest.data;
  /* After a row that was mostly far the next one is, too: near places are only now and then tried. */
  if (plain && scratch->n_far % 32 == 0 && fill_row(row, scratch) < args->src.width / 2) {
    scratch->n_far = 0;
    return;
  }
  if (!plain || scratch->n_far % 32 != 0)
    write_far(row, 0, args->src.width, INT_MAX, scratch);
  scratch->n_far++;
}

static bool
no_negative(const VtImage *src)
{
  for (int64_t y = 0; y < src->height; y++) {
    const int32_t *g = vt_image_at(src, 0, y);
    int32_t sign = 0;
    for (int64_t x = 0; x < src->width; x++)
      sign |= g[x];
    if (sign < 0)
      return false;
  }
  return true;
}

VitrailStatus
vt_cpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  if (!vt_edt_rows_ok(args) || !no_negative(&args->src))
    return VITRAIL_BAD_ARGUMENT;
  const VtImage none = { 0 };
  const bool squared = args->dst.type == VT_I64 && !args->above.data;
  const VtDistance distance = { .src = args->src,
                                .squared = squared ? args->dst : none,
                                .root = args->dst.type == VT_I64 ? none : args->dst,
                                .nearest = args->above.data ? args->dst : none,
                                .weight_x = args->weight_x > 0 ? args->weight_x : 1,
                                .weight_y = args->weight_y > 0 ? args->weight_y : 1,
                                .scale = args->scale,
                                .cap = args->cap };
  VtEdtScratch scratch;
  VitrailStatus status =
    vt_cpu_edt_scratch_init(&scratch, args->src.width, args->above.data) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    const VtEdtRow row = { .args = &distance,
                           .y = y,
                           .g = vt_image_at(&args->src, 0, y),
                           .above = args->above.data ? vt_image_at(&args->above, 0, y) : NULL,
                           .y0 = args->y };
    vt_cpu_edt_row(&row, &scratch);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  vt_cpu_edt_scratch_clear(&scratch);
  return status;
}
