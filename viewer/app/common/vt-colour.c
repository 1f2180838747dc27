/* SPDX-License-Identifier: MIT */
#include "common/vt-colour.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "slide/vt-colour-table.h"
#include "slide/vt-tile-memory.h"

struct _VtColour {
  GBytes *table;   /* vt-colour-table.h; NULL: none */
  gboolean mapped; /* `map` is not the identity */
  guint8 map[256];
};

double
vt_colour_map(const VtColourSettings *settings, double value)
{
  /* Contrast turns the line about the middle: flat at -1, upright at 1. */
  double slope = tan((CLAMP(settings->contrast, -1, 1) * 0.999 + 1) * G_PI / 4);
  double lit = (CLAMP(value, 0, 1) - 0.5) * slope + 0.5 + settings->brightness;
  return pow(CLAMP(lit, 0, 1), 1 / CLAMP(settings->gamma, 0.2, 5));
}

VtColour *
vt_colour_new(const VtColourSettings *settings, GBytes *table)
{
  VtColour *self = g_atomic_rc_box_new0(VtColour);
  for (int i = 0; i < 256; i++) {
    self->map[i] = (guint8)lrint(255 * vt_colour_map(settings, i / 255.0));
    self->mapped = self->mapped || self->map[i] != i;
  }
  if (settings->managed && table)
    self->table = g_bytes_ref(table);
  if (!self->mapped && !self->table)
    g_clear_pointer(&self, vt_colour_unref);
  return self;
}

static void
colour_clear(gpointer colour)
{
  g_clear_pointer(&((VtColour *)colour)->table, g_bytes_unref);
}

VT_DEFINE_REF(VtColour, vt_colour, colour_clear)

static void
map_row(const guint8 map[256], guint8 *pixels, int width)
{
  for (int x = 0; x < width; x++, pixels += 4) {
    pixels[0] = map[pixels[0]];
    pixels[1] = map[pixels[1]];
    pixels[2] = map[pixels[2]];
  }
}

/* --- the profile --- */

#define LIGHTS 4096

/* From linear light to 8 bits of sRGB (IEC 61966-2-1). */
static const guint8 *
get_encoding(void)
{
  static guint8 encoding[LIGHTS];
  static gsize done;
  if (g_once_init_enter(&done)) {
    for (int i = 0; i < LIGHTS; i++) {
      const double light = (double)i / (LIGHTS - 1);
      encoding[i] = (guint8)lrint(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055));
    }
    g_once_init_leave(&done, 1);
  }
  return encoding;
}

static guint8
encode(const guint8 *encoding, float light)
{
  return encoding[!(light > 0) ? 0 : light >= 1 ? LIGHTS - 1 : (guint)(light * (LIGHTS - 1) + 0.5f)];
}

static void
add_row(const float (*sums)[256][3], const guint8 *encoding, const guint8 *from, guint8 *to, int width)
{
  for (int x = 0; x < width; x++, from += 4, to += 4) {
    const float *b = sums[0][from[0]], *g = sums[1][from[1]], *r = sums[2][from[2]];
    for (int i = 0; i < 3; i++)
      to[i] = encode(encoding, b[i] + g[i] + r[i]);
    to[3] = from[3];
  }
}

/* An axis of the cube for one value: how far the node below it is from the cube's start, and its distance from there in cells. */
typedef struct {
  guint at, step;
  float rest;
} Place;

static void
find_places(Place places[3][256])
{
  const guint steps[3] = { 3 * VT_COLOUR_NODES * VT_COLOUR_NODES, 3 * VT_COLOUR_NODES, 3 };
  guint cell = 0;
  for (guint value = 0; value < 256; value++) {
    cell += cell + 2 < VT_COLOUR_NODES && value >= vt_colour_get_node(cell + 1);
    const guint from = vt_colour_get_node(cell), width = vt_colour_get_node(cell + 1) - from;
    for (int c = 0; c < 3; c++)
      places[c][value] = (Place){ cell * steps[c], steps[c], (float)(value - from) / (float)width };
  }
}

static void
swap_if_less(Place *a, Place *b)
{
  if (a->rest < b->rest) {
    const Place former = *a;
    *a = *b;
    *b = former;
  }
}

/* Between the nodes of a tetrahedron, as ICC engines do: greys stay on the cube's diagonal. */
static void
interpolate_row(const float *cube, Place places[3][256], const guint8 *encoding, const guint8 *from, guint8 *to,
                int width)
{
  for (int x = 0; x < width; x++, from += 4, to += 4) {
    Place a = places[0][from[0]], b = places[1][from[1]], c = places[2][from[2]];
    const float *n0 = cube + a.at + b.at + c.at;
    swap_if_less(&a, &b);
    swap_if_less(&b, &c);
    swap_if_less(&a, &b);
    const float *n1 = n0 + a.step, *n2 = n1 + b.step, *n3 = n2 + c.step;
    for (int i = 0; i < 3; i++)
      to[i] =
        encode(encoding, (1 - a.rest) * n0[i] + (a.rest - b.rest) * n1[i] + (b.rest - c.rest) * n2[i] + c.rest * n3[i]);
    to[3] = from[3];
  }
}

VtTilePixels *
vt_colour_apply(VtColour *colour, const VtTilePixels *pixels)
{
  const guint8 *in = g_bytes_get_data(pixels->bytes, NULL), *encoding = get_encoding();
  gsize stride = (gsize)pixels->width * 4, size = stride * (gsize)pixels->height, n_table = 0;
  const void *table = colour->table ? g_bytes_get_data(colour->table, &n_table) : NULL;
  Place places[3][256];
  guint8 *out = NULL;
  GBytes *bytes = vt_tile_memory_new(size, &out);
  if (n_table == VT_COLOUR_CUBE_BYTES)
    find_places(places);
  for (int y = 0; y < pixels->height; y++) {
    const guint8 *from = in + (gsize)y * (gsize)pixels->stride;
    guint8 *to = out + (gsize)y * stride;
    if (n_table == VT_COLOUR_SUMS_BYTES)
      add_row(table, encoding, from, to, pixels->width);
    else if (n_table == VT_COLOUR_CUBE_BYTES)
      interpolate_row(table, places, encoding, from, to, pixels->width);
    else
      memcpy(to, from, stride);
    if (colour->mapped)
      map_row(colour->map, to, pixels->width);
  }
  return vt_tile_pixels_new(bytes, pixels->width, pixels->height, (int)stride);
}
