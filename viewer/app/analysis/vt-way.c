/* SPDX-License-Identifier: MIT */
#include "analysis/vt-way.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"

VT_DEFINE_TYPE_FREE(vt_way_free, VtWay, VT_FREES(g_array_unref, points))

static double
get_value(const VtWave *wave, const VtRaster *raster, guint32 pixel)
{
  return vt_raster_get_raw(raster, pixel % wave->width, pixel / wave->width) * raster->scale + raster->offset;
}

VtWay *
vt_way_new(const VtWave *wave, double x_l0, double y_l0)
{
  const gint64 pixel = vt_wave_find_pixel(wave, x_l0, y_l0);
  g_autoptr(GArray) pixels = pixel >= 0 ? vt_wave_find_way(wave, (guint32)pixel) : NULL;
  if (!pixels)
    return NULL;
  VtWay *way = g_new0(VtWay, 1);
  *way = (VtWay){ .stage = wave->stage,
                  .kind = wave->kind,
                  .points = g_array_new(FALSE, FALSE, sizeof(double)),
                  .n_steps = pixels->len - 1,
                  .is_mask = wave->end->type == VITRAIL_U8,
                  .unit = wave->unit };
  for (guint i = 0; i < pixels->len; i++) {
    double place[2];
    vt_wave_get_place(wave, g_array_index(pixels, guint32, i), &place[0], &place[1]);
    g_array_append_vals(way->points, place, 2);
  }
  if (wave->kind == VITRAIL_WAVE_RECONSTRUCTION)
    way->value = get_value(wave, wave->begin, g_array_index(pixels, guint32, pixels->len - 1));
  else if (wave->kind == VITRAIL_WAVE_DISTANCE)
    way->value = get_value(wave, wave->end, (guint32)pixel);
  return way;
}

static char *
dup_marker_words(const VtWay *way)
{
  const guint n = way->n_steps;
  g_autofree char *words = n == 0
                             ? g_strdup(_("Its own marker is as high"))
                             : g_strdup_printf(g_dngettext(NULL, "%u step to the nearest pixel whose marker is as high",
                                                           "%u steps to the nearest pixel whose marker is as high", n),
                                               n);
  return way->is_mask ? g_steal_pointer(&words)
                      : g_strdup_printf("%s: %.4g%s%s", words, way->value, *way->unit ? " " : "", way->unit);
}

char *
vt_way_dup_words(const VtWay *way)
{
  const guint n = way->n_steps;
  switch (way->kind) {
  case VITRAIL_WAVE_RECONSTRUCTION: return dup_marker_words(way);
  case VITRAIL_WAVE_DISTANCE:
    return way->value == 0 ? g_strdup(_("It lies outside itself"))
                           : g_strdup_printf(_("%.4g %s to the nearest pixel outside"), way->value, way->unit);
  default:
    return n == 0 ? g_strdup(_("It is of a seed itself"))
                  : g_strdup_printf(g_dngettext(NULL, "%u step to its seed", "%u steps to its seed", n), n);
  }
}

void
vt_way_get_end(const VtWay *way, double *x_l0, double *y_l0)
{
  *x_l0 = g_array_index(way->points, double, way->points->len - 2);
  *y_l0 = g_array_index(way->points, double, way->points->len - 1);
}
