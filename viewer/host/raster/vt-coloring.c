/* SPDX-License-Identifier: MIT */
#include "raster/vt-coloring.h"

#include <math.h>

#include "base/vt-define.h"

struct VtColorizer {
  VtColoring coloring;
  const VtRaster *raster;
  double factor;       /* of a continuous map: table index = (value - min) * factor */
  guint32 colors[256]; /* of a continuous map */
  guint32 solid_color;
  guint32 *by_raw; /* u8 and u16: the colour of every raw value; NULL for wider types */
};

VtColoring
vt_coloring_make(VtColormap map, double min, double max)
{
  return (VtColoring){ .map = map, .min = min, .max = max, .shown_min = -INFINITY, .shown_max = INFINITY };
}

gboolean
vt_coloring_equal(const VtColoring *a, const VtColoring *b)
{
  return a->map == b->map && a->min == b->min && a->max == b->max && a->shown_min == b->shown_min
         && a->shown_max == b->shown_max && a->outline == b->outline && a->fades == b->fades;
}

double
vt_coloring_get_alpha(const VtColoring *coloring, double t)
{
  if (!coloring->fades || coloring->min < 0)
    return 1;
  return CLAMP(vt_colormap_is_solid(coloring->map) ? t : t / VT_COLORING_FADE, 0.0, 1.0);
}

void
vt_coloring_get_color(const VtColoring *coloring, double t, guint8 rgb[3])
{
  if (vt_colormap_is_solid(coloring->map))
    vt_colormap_get_solid_color(coloring->map, rgb);
  else
    vt_colormap_get_color(coloring->map, t, rgb);
}

/* As GDK_MEMORY_DEFAULT has it on machines of either byte order. */
static guint32
pack(const guint8 rgb[3], guint32 alpha)
{
  return alpha << 24 | (rgb[0] * alpha + 127) / 255 << 16 | (rgb[1] * alpha + 127) / 255 << 8
         | (rgb[2] * alpha + 127) / 255;
}

static guint32
get_label_color(gint64 label)
{
  guint8 rgb[3];
  vt_colormap_get_label_color(label, rgb);
  return pack(rgb, 255);
}

guint32
vt_colorizer_get(const VtColorizer *self, double raw)
{
  const VtColoring *coloring = &self->coloring;
  if (!isfinite(raw) || (raw == 0 && self->raster->zero_is_empty))
    return 0;
  const double value = raw * self->raster->scale + self->raster->offset;
  if (value < coloring->shown_min || value > coloring->shown_max)
    return 0;
  if (!vt_colormap_is_continuous(coloring->map))
    return raw == 0 ? 0 : vt_colormap_is_solid(coloring->map) ? self->solid_color : get_label_color((gint64)raw);
  const double position = (value - coloring->min) * self->factor;
  return self->colors[position > 0 ? (int)(MIN(position, 255.0) + 0.5) : 0];
}

VtColorizer *
vt_colorizer_new(const VtColoring *coloring, const VtRaster *raster)
{
  VtColorizer *self = g_new0(VtColorizer, 1);
  const int n_raw = raster->type == VITRAIL_U8 ? 256 : raster->type == VITRAIL_U16 ? 65536 : 0;
  guint8 rgb[3];
  self->coloring = *coloring;
  self->raster = raster;
  self->factor = coloring->max > coloring->min ? 255 / (coloring->max - coloring->min) : 0;
  if (vt_colormap_is_solid(coloring->map)) {
    vt_colormap_get_solid_color(coloring->map, rgb);
    self->solid_color = pack(rgb, 255);
  }
  for (int i = 0; i < 256; i++) {
    vt_coloring_get_color(coloring, i / 255.0, rgb);
    self->colors[i] = pack(rgb, (guint32)(255 * vt_coloring_get_alpha(coloring, i / 255.0) + 0.5));
  }
  if (n_raw > 0)
    self->by_raw = g_new(guint32, n_raw);
  for (int i = 0; i < n_raw; i++)
    self->by_raw[i] = vt_colorizer_get(self, i);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_colorizer_free, VtColorizer, VT_FREES(g_free, by_raw))

static void
color_labels(const VtColorizer *self, const gint32 *in, gint64 n, guint32 *out)
{
  /* Neighbours mostly carry the same number. */
  gint32 last = 0;
  guint32 color = vt_colorizer_get(self, 0);
  for (gint64 i = 0; i < n; i++) {
    if (in[i] != last) {
      last = in[i];
      color = vt_colorizer_get(self, last);
    }
    out[i] = color;
  }
}

static void
color_floats(const VtColorizer *self, const float *in, gint64 n, guint32 *out)
{
  const VtRaster *raster = self->raster;
  const VtColoring *coloring = &self->coloring;
  if (!vt_colormap_is_continuous(coloring->map)) {
    for (gint64 i = 0; i < n; i++)
      out[i] = vt_colorizer_get(self, (double)in[i]);
    return;
  }
  const double empty = raster->zero_is_empty ? 0 : NAN; /* nothing equals NaN */
  for (gint64 i = 0; i < n; i++) {
    const double raw = (double)in[i], value = raw * raster->scale + raster->offset;
    const double position = (value - coloring->min) * self->factor;
    const gboolean shown =
      isfinite(raw) && raw != empty && value >= coloring->shown_min && value <= coloring->shown_max;
    out[i] = shown ? self->colors[position > 0 ? (int)(MIN(position, 255.0) + 0.5) : 0] : 0;
  }
}

static void
color_row(const VtColorizer *self, gint64 x, gint64 y, gint64 n, guint32 *out)
{
  const VtRaster *raster = self->raster;
  const guint8 *in = raster->data + (gsize)y * raster->stride + (gsize)x * vt_pixel_size(raster->type);
  switch (raster->type) {
  case VITRAIL_U8:
    for (gint64 i = 0; i < n; i++)
      out[i] = self->by_raw[in[i]];
    break;
  case VITRAIL_U16:
    for (gint64 i = 0; i < n; i++)
      out[i] = self->by_raw[((const guint16 *)(gconstpointer)in)[i]];
    break;
  case VITRAIL_I32: color_labels(self, (const gint32 *)(gconstpointer)in, n, out); break;
  case VITRAIL_F32: color_floats(self, (const float *)(gconstpointer)in, n, out); break;
  default:
    for (gint64 i = 0; i < n; i++)
      out[i] = pack(in + 4 * i, 255);
  }
}

/* What lies inside an object goes; the raster's own border is not an edge, since the object goes on behind it. */
static void
keep_outline(const VtRaster *raster, gint64 x, gint64 y, gint64 n, guint32 *out)
{
  for (gint64 i = 0; i < n; i++) {
    if (out[i] == 0)
      continue;
    const gint64 col = x + i;
    const double raw = vt_raster_get_raw(raster, col, y);
    const gboolean edge = (col > 0 && vt_raster_get_raw(raster, col - 1, y) != raw)
                          || (col + 1 < raster->width && vt_raster_get_raw(raster, col + 1, y) != raw)
                          || (y > 0 && vt_raster_get_raw(raster, col, y - 1) != raw)
                          || (y + 1 < raster->height && vt_raster_get_raw(raster, col, y + 1) != raw);
    if (!edge)
      out[i] = 0;
  }
}

void
vt_colorizer_apply(const VtColorizer *self, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *out, gsize stride)
{
  const gboolean outline =
    self->coloring.outline && !vt_colormap_is_continuous(self->coloring.map) && self->raster->type != VITRAIL_RGBA8;
  for (gint64 row = 0; row < height; row++) {
    guint32 *line = (guint32 *)(gpointer)(out + (gsize)row * stride);
    color_row(self, x, y + row, width, line);
    if (outline)
      keep_outline(self->raster, x, y + row, width, line);
  }
}
