/* SPDX-License-Identifier: MIT
 *
 * What an image looks like to an analysis of stained tissue on a light background: usual, or why it finds nothing there.
 * Worked out from 8-bit luminance and colour differences of a sample that depends on the image alone. */
#pragma once
#include "plugins/vt-params.h"
#include "slide/vt-slide.h"

typedef enum {
  VT_LOOK_USUAL,
  VT_LOOK_DARK,       /* dark background, as of fluorescence */
  VT_LOOK_COLOURLESS, /* grey on a light background: no stain can be told from another */
  VT_LOOK_BLANK,      /* one colour */
  VT_LOOK_TINY,       /* a side of fewer than 32 pixels */
} VtLook;

/* Of a colour image, or of one channel of 8 bits, which is never colourless; others are usual. Takes milliseconds. */
VtLook vt_look_at_raster(const VtRaster *raster);
/* Reads at most 25 tiles of a coarse level, once in the life of the slide: call it in a worker. Tiles that cannot be read do
 * not count. */
VtLook vt_look_at_slide(VtSlide *slide);
/* A parameter, and its value with which an analysis needs no colour. */
#define VT_LOOK_PARAM "detection-image"
#define VT_LOOK_DENSITY "od-sum"
/* Whether it spoils an analysis: one that measures optical density does, with these parameters. */
gboolean vt_look_matters(VtLook look, const VtParams *params);
/* The parameter whose choice "auto" the host replaces. TRUE: the op has it, that choice is made, and `index` and `choice` are the parameter's
 * number and the choice for an image that looks so: fluorescence, cytology or tissue, and, if nuclei are small, tissue-small where the op has that. */
#define VT_LOOK_PRESET "preset"
gboolean vt_look_choose(VtLook look, gboolean is_small, const VtParams *params, guint *index, guint *choice);
/* Whether nuclei are less than some 15 pixels wide: by the size of a pixel or, where that is 0, not known, by how wide what is dark is (0: nothing is). */
gboolean vt_look_is_small(double um_per_px, double dark_px);
/* Whether what is dark is so wide that nuclei may be larger than those that scores were trained on. */
gboolean vt_look_is_wide(double dark_px);
/* Whether four sides of an image of 8 bits are of one colour, of its first pixel, and the rest is not. inside: x, y, width and height of the rest, or of all
 * of it. */
gboolean vt_look_find_frame(const VtRaster *raster, gint64 inside[4]);
/* How wide what is darker than its surroundings is, in level-0 pixels; 0: nothing is. Looks at 9 pieces of VT_TILE_PX at most; of a slide, once in its
 * life: call it in a worker. */
double vt_look_measure_raster(const VtRaster *raster);
double vt_look_measure_slide(VtSlide *slide);
/* For a record or a person, English; NULL for VT_LOOK_USUAL. */
const char *vt_look_get_sentence(VtLook look);
