/* SPDX-License-Identifier: MIT
 *
 * raster.h: rasters in memory, reading and emitting them. */
#pragma once

#include "run/run.h"

/* Lives until the run ends. */
VitrailStatus vt_raster_alloc(VtRun *run, VtImage *image, VtType type, int64_t width, int64_t height);

/* Nobody uses it any more: a later raster takes its place. Nothing, if the run has no such raster. */
void vt_raster_recycle(VtRun *run, const VtImage *image);
/* It is the caller's from now on; free() its data. */
void vt_raster_hand_over(VtRun *run, const VtImage *image);
/* Frees those made since run->n_rasters was `mark`. */
void vt_raster_release(VtRun *run, uint32_t mark);

/* rect in grid pixels, inside the image */
VitrailStatus vt_read_input(VtRun *run, const VitrailInput *input, VtRect rect, VtImage *image);
/* The same into memory that is there. */
VitrailStatus vt_read_input_into(VtRun *run, const VitrailInput *input, VtRect rect, const VtImage *image);

/* The same into memory of the caller's, from any thread. */
VitrailStatus vt_read_rect(VtRun *run, const VitrailInput *input, VtRect rect, const VtImage *dst);
/* Rows without gaps in memory to be freed by the caller; image->data is NULL when there is none. */
void vt_image_new(VtImage *image, VtType type, int64_t width, int64_t height);
/* Of a pixel of 8, 16 or 32 bits or a float. */
static inline double
vt_value_at(const VtImage *image, int64_t x, int64_t y)
{
  const void *p = vt_image_at(image, x, y);
  switch (image->type) {
  case VITRAIL_U8: return *(const uint8_t *)p;
  case VITRAIL_U16: return *(const uint16_t *)p;
  case VITRAIL_I32: return *(const int32_t *)p;
  default: return (double)*(const float *)p;
  }
}

/* Of an image of the grid what is shown. */
VitrailStatus vt_emit_raster(VtRun *run, uint32_t stage, const VtImage *image, double scale);
/* Of a grid without a margin, in parts whose edges are multiples of VT_EMIT_GRID, row by row. */
VitrailStatus vt_emit_blocks(VtRun *run, uint32_t stage, const VtImage *image, double scale);

/* One tile of a streamed raster; rect on the grid. */
VitrailStatus vt_emit_tile(VtRun *run, uint32_t stage, VtRect rect, const VtImage *image, double scale);

void vt_stage_begin(VtRun *run);
double vt_stage_ms(const VtRun *run); /* since then */
VitrailStatus vt_stage_end(VtRun *run, uint32_t stage);
/* Tells the host how much is done of the part of the run that progress_from and progress_to bound, 0..1. What comes late, after
 * a larger share was told, is left out. [any] */
void vt_progress(VtRun *run, double fraction);
