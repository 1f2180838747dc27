/* SPDX-License-Identifier: MIT */
#include "layers/vt-run-picture.h"

#define TILE 256
#define ALPHA 225 /* of 255: what lies below is felt, and the colour is seen */

static guint32
get_color(guint number)
{
  guint8 rgb[3];
  guint32 color = ALPHA;
  vt_colormap_get_label_color((gint64)number + 1, rgb);
  for (guint i = 0; i < 3; i++)
    color = color << 8 | (guint32)rgb[i] * ALPHA / 255;
  return color;
}

static void
put_run(guint32 *pixels, guint width, const VtRunPlace *place, guint32 color)
{
  int dx, dy;
  vt_run_direction_get_step(place->direction, &dx, &dy);
  for (guint i = 0; i < place->length; i++)
    pixels[(gsize)((int)place->y + (int)i * dy) * width + (gsize)((int)place->x + (int)i * dx)] = color;
}

/* NULL: nothing is there. */
static GBytes *
cut_tile(const guint32 *pixels, guint whole, guint x, guint y, guint width, guint height)
{
  guint32 *tile = g_new(guint32, (gsize)width * height), any = 0;
  for (guint row = 0; row < height; row++)
    for (guint column = 0; column < width; column++)
      any |= tile[(gsize)row * width + column] = pixels[(gsize)(y + row) * whole + x + column];
  if (any)
    return g_bytes_new_take(tile, (gsize)width * height * sizeof *tile);
  g_free(tile);
  return NULL;
}

VtPainted *
vt_run_picture_new(const VtRunLengths *lengths, const VtRunCell *cell, guint *n)
{
  const double d = lengths->downsample;
  const guint width = lengths->width, height = lengths->height;
  g_autoptr(GArray) places = vt_run_lengths_find(lengths, cell);
  g_autofree guint32 *pixels = g_new0(guint32, (gsize)width * height);
  VtPainted *painted = vt_painted_new((double)lengths->x * d, (double)lengths->y * d, d);
  for (guint i = 0; i < places->len; i++)
    put_run(pixels, width, &g_array_index(places, VtRunPlace, i), get_color(i));
  for (guint y = 0; y < height; y += TILE)
    for (guint x = 0; x < width; x += TILE) {
      const guint w = MIN(TILE, width - x), h = MIN(TILE, height - y);
      GBytes *bytes = cut_tile(pixels, width, x, y, w, h);
      if (bytes)
        vt_painted_add(painted, x, y, w, h, bytes);
    }
  *n = places->len;
  return painted;
}
