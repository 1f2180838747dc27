/* SPDX-License-Identifier: MIT */
#include "common/vt-colour.h"

#include <lcms2.h>
#include <math.h>
#include <string.h>

#include "slide/vt-tile-memory.h"

struct _VtColour {
  gatomicrefcount ref_count;
  cmsHTRANSFORM transform; /* NULL: none */
  gboolean mapped;         /* `map` is not the identity */
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

static cmsHTRANSFORM
transform_new(GBytes *profile)
{
  cmsHTRANSFORM transform = NULL;
  cmsHPROFILE from = cmsOpenProfileFromMem(g_bytes_get_data(profile, NULL), (cmsUInt32Number)g_bytes_get_size(profile));
  cmsHPROFILE to = cmsCreate_sRGBProfile();
  /* Without its one-pixel cache a transform may be used by many threads at once. */
  if (from && to && cmsGetColorSpace(from) == cmsSigRgbData)
    transform =
      cmsCreateTransform(from, TYPE_BGRA_8, to, TYPE_BGRA_8, INTENT_PERCEPTUAL, cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA);
  if (from)
    cmsCloseProfile(from);
  if (to)
    cmsCloseProfile(to);
  return transform;
}

VtColour *
vt_colour_new(const VtColourSettings *settings, GBytes *profile)
{
  VtColour *self = g_new0(VtColour, 1);
  g_atomic_ref_count_init(&self->ref_count);
  for (int i = 0; i < 256; i++) {
    self->map[i] = (guint8)lrint(255 * vt_colour_map(settings, i / 255.0));
    self->mapped = self->mapped || self->map[i] != i;
  }
  if (settings->managed && profile)
    self->transform = transform_new(profile);
  if (!self->mapped && !self->transform)
    g_clear_pointer(&self, vt_colour_unref);
  return self;
}

VtColour *
vt_colour_ref(VtColour *colour)
{
  g_atomic_ref_count_inc(&colour->ref_count);
  return colour;
}

void
vt_colour_unref(VtColour *colour)
{
  if (!g_atomic_ref_count_dec(&colour->ref_count))
    return;
  if (colour->transform)
    cmsDeleteTransform(colour->transform);
  g_free(colour);
}

static void
map_row(const guint8 map[256], guint8 *pixels, int width)
{
  for (int x = 0; x < width; x++, pixels += 4) {
    pixels[0] = map[pixels[0]];
    pixels[1] = map[pixels[1]];
    pixels[2] = map[pixels[2]];
  }
}

VtTilePixels *
vt_colour_apply(VtColour *colour, const VtTilePixels *pixels)
{
  const guint8 *in = g_bytes_get_data(pixels->bytes, NULL);
  gsize stride = (gsize)pixels->width * 4, size = stride * (gsize)pixels->height;
  guint8 *out = NULL;
  GBytes *bytes = vt_tile_memory_new(size, &out);
  for (int y = 0; y < pixels->height; y++) {
    const guint8 *from = in + (gsize)y * (gsize)pixels->stride;
    guint8 *to = out + (gsize)y * stride;
    if (colour->transform)
      cmsDoTransform(colour->transform, from, to, (cmsUInt32Number)pixels->width);
    else
      memcpy(to, from, stride);
    if (colour->mapped)
      map_row(colour->map, to, pixels->width);
  }
  return vt_tile_pixels_new(bytes, pixels->width, pixels->height, (int)stride);
}
