/* SPDX-License-Identifier: MIT
 *
 * A scanner's colour profile as a table, so that only a reader process looks into the profile, which comes with the slide. Its numbers are
 * float, B G R of sRGB in linear light, 1 is full; colours that sRGB has not got go below 0 and above 1. */
#pragma once
#include <glib.h>

/* [channel: blue, green, red][256 values][3]: what each channel adds. Profiles of three curves and a matrix. */
#define VT_COLOUR_SUMS_BYTES ((gsize)3 * 256 * 3 * sizeof(float))

#define VT_COLOUR_NODES 33 /* of a cube, on each axis */
/* [blue][green][red][3], at the nodes: any other profile. */
#define VT_COLOUR_CUBE_BYTES ((gsize)VT_COLOUR_NODES * VT_COLOUR_NODES * VT_COLOUR_NODES * 3 * sizeof(float))

/* The 8-bit value at which a node lies: twice as close to each other in the dark, where profiles bend most, as on average. */
static inline guint
vt_colour_get_node(guint i)
{
  const guint last = VT_COLOUR_NODES - 1;
  return (255 * (last * i + i * i) / 2 + last * last / 2) / (last * last);
}

/* By lcms2, perceptual intent. NULL: it does not take the profile, or that is none of RGB. */
GBytes *vt_colour_table_new(GBytes *profile);
