/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-private.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"

/* Whether it is drawn, and how it covers what is below. */
typedef struct {
  gboolean shown, solo, muted;
  double opacity;
  VtLayerBlend blend;
} Switches;

/* FALSE: it has them already. */
static gboolean
take_switches(VtLayer *self, const Switches *s)
{
  if (self->shown == s->shown && self->solo == s->solo && self->muted == s->muted && self->opacity == s->opacity
      && self->blend == s->blend)
    return FALSE;
  self->shown = s->shown;
  self->solo = s->solo;
  self->muted = s->muted;
  self->opacity = s->opacity;
  self->blend = s->blend;
  return TRUE;
}

/* `own_range`: the range is the other one's; else it is found in the data. */
static gboolean
take_colours(VtLayer *self, const VtLayer *other, gboolean own_range)
{
  VtColoring coloring = other->coloring;
  if (!own_range && !self->own_range) {
    coloring.min = self->coloring.min;
    coloring.max = self->coloring.max;
  }
  if (vt_coloring_equal(&self->coloring, &coloring) && self->measure == other->measure && self->filter == other->filter
      && self->own_range == own_range)
    return FALSE;
  self->coloring = coloring;
  self->own_range = own_range;
  self->measure = other->measure;
  self->filter_changed |= self->filter != other->filter || self->measure != other->measure;
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = other->filter ? vt_object_filter_ref(other->filter) : NULL;
  return TRUE;
}

static void
look_like(VtLayer *self, const VtLayer *other, const Switches *switches, gboolean own_range)
{
  const gboolean was_seen = vt_layer_get_seen(self);
  const gboolean switched = take_switches(self, switches), coloured = take_colours(self, other, own_range);
  if (coloured || (!was_seen && (self->dirty || !self->painted)))
    vt_layer_paint(self);
  if (switched || coloured)
    g_signal_emit_by_name(self, "redraw");
}

VtLayerLook
vt_layer_get_look(VtLayer *self)
{
  const VtColoring *coloring = &self->coloring;
  VtLayerLook look = { .is_shown = self->shown,
                       .is_locked = self->locked,
                       .is_outlined = coloring->outline,
                       .has_own_range = self->own_range,
                       .opacity = self->opacity,
                       .blend = self->blend,
                       .map = coloring->map,
                       .threshold = { coloring->shown_min, coloring->shown_max },
                       .measure = self->measure };
  if (self->own_range) {
    look.range[0] = coloring->min;
    look.range[1] = coloring->max;
  }
  return look;
}

void
vt_layer_set_look(VtLayer *self, const VtLayerLook *look)
{
  if (self->kind == VT_LAYER_OBJECTS)
    vt_layer_set_measure(self, look->measure); /* first: it sets the others anew */
  g_object_set(self, "shown", look->is_shown, "opacity", look->opacity, "blend", (guint)look->blend, "colormap",
               (guint)look->map, "outline", look->is_outlined, "locked", look->is_locked, NULL);
  vt_layer_set_threshold(self, look->threshold[0], look->threshold[1]);
  if (look->has_own_range)
    vt_layer_set_range(self, look->range[0], look->range[1]);
  else
    vt_layer_reset_range(self);
}

void
vt_layer_look_like(VtLayer *self, VtLayer *other)
{
  const Switches switches = { other->shown, other->solo, other->muted, other->opacity, other->blend };
  look_like(self, other, &switches, TRUE); /* the same colour is the same value on both */
}

void
vt_layer_look_alone(VtLayer *self, VtLayer *other)
{
  const Switches switches = { TRUE, FALSE, FALSE, other->opacity, other->blend };
  look_like(self, other, &switches, other->own_range); /* one that is not seen has no range of its data */
}

gboolean
vt_layer_is_colour(VtLayer *self)
{
  return self->stage && self->stage->kind == VITRAIL_STAGE_COLOUR;
}

/* --- what is said of a place --- */

static char *
dup_object_value(VtLayer *self, double x_l0, double y_l0)
{
  if (!self->index)
    return NULL;
  if (self->density) {
    double density = vt_density_lookup(self->density, x_l0, y_l0) * vt_layer_get_density_factor(self->result);
    const char *unit = vt_layer_get_density_unit(self);
    if (!(density > 0))
      return NULL;
    g_autofree char *number = g_strdup_printf(density < 100 ? "%.3g" : "%.0f", density);
    return vt_layer_get_preview(self) ? g_strdup_printf(_("≈ %s per %s, preview"), number, unit)
                                      : g_strdup_printf(_("%s per %s"), number, unit);
  }
  gint64 number = vt_outline_index_pick(self->index, x_l0, y_l0);
  if (number < 0)
    return NULL;
  const VtObject *object = g_ptr_array_index(self->result->objects, (guint)number);
  return g_strdup_printf("#%" G_GINT64_FORMAT, object->id);
}

char *
vt_layer_dup_value(VtLayer *self, double x_l0, double y_l0)
{
  double raw = 0;
  if (self->kind == VT_LAYER_OBJECTS)
    return dup_object_value(self, x_l0, y_l0);
  const VtRaster *raster = vt_layer_find_raster(self, x_l0, y_l0, &raw);
  if (!raster)
    return NULL;
  guint8 rgb[3];
  if (vt_layer_is_colour(self) && vt_raster_lookup_rgb_l0(raster, x_l0, y_l0, rgb))
    return g_strdup_printf("RGB %u %u %u", rgb[0], rgb[1], rgb[2]);
  if (!vt_layer_is_scalar(self))
    return g_strdup_printf("%.0f", raw);
  const char *unit = vt_layer_get_unit(self);
  return g_strdup_printf("%.4g%s%s", raw * raster->scale + raster->offset, *unit ? " " : "", unit);
}

void
vt_layer_log_look(VtLayer *self)
{
  if (self->stage)
    vt_test_log("look %s %.3f %u %s %.9g %.9g %.9g %.9g %d", self->stage->id, self->opacity, self->blend,
                vt_colormap_get_id(self->coloring.map), self->coloring.min, self->coloring.max,
                self->coloring.shown_min, self->coloring.shown_max, self->coloring.outline);
}
