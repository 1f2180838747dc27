/* SPDX-License-Identifier: MIT
 *
 * Colours as they are shown: the scanner's profile to sRGB, then brightness, contrast and gamma. Made once, applied to tiles
 * by any thread; the slide's own pixels, and with them every analysis, stay as they are. */
#pragma once
#include "slide/vt-slide.h"

typedef struct {
  double brightness; /* -1 black .. 0 .. 1 white */
  double contrast;   /* -1 grey .. 0 .. 1 black and white */
  double gamma;      /* 0.2 .. 1 .. 5, above 1 is lighter */
  gboolean managed;  /* use the profile, if there is one */
} VtColourSettings;

#define VT_COLOUR_SETTINGS_DEFAULT ((VtColourSettings){ 0, 0, 1, TRUE })

typedef struct _VtColour VtColour;

/* NULL if nothing changes. `table`: vt_slide_get_colour_table(). */
VtColour *vt_colour_new(const VtColourSettings *settings, GBytes *table);
VtColour *vt_colour_ref(VtColour *colour);
void vt_colour_unref(VtColour *colour);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtColour, vt_colour_unref)
/* Other pixels of the same size; opaque as all tiles are. */
VtTilePixels *vt_colour_apply(VtColour *colour, const VtTilePixels *pixels);
/* One value through brightness, contrast and gamma; all from 0 to 1. */
double vt_colour_map(const VtColourSettings *settings, double value);
