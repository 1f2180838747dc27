/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-signals.h"
#include "common/vt-drop.h"
#include "plugins/vt-plugin-host.h"
#include "common/vt-translate.h"

G_DEFINE_FINAL_TYPE(VtLayer, vt_layer, G_TYPE_OBJECT)

enum {
  PROP_SHOWN = 1,
  PROP_OPACITY,
  PROP_BLEND,
  PROP_COLORMAP,
  PROP_OUTLINE,
  PROP_SOLO,
  PROP_LOCKED,
  PROP_MUTED,
  PROP_SEEN,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

const char *
vt_layer_blend_get_title(VtLayerBlend blend)
{
  switch (blend) {
  case VT_LAYER_BLEND_MULTIPLY: return _("Multiply");
  case VT_LAYER_BLEND_SCREEN: return _("Screen");
  case VT_LAYER_BLEND_DIFFERENCE: return _("Difference");
  default: return _("Normal");
  }
}

VT_GETTER(VtLayerKind, vt_layer_get_kind, VtLayer, kind)

/* What the values are where an analysis offers several: "Short run emphasis (SRE)", not "Texture". */
static const char *
get_feature_title(VtLayer *self)
{
  const VtParams *params = self->result ? self->result->params : NULL;
  int index = params ? vt_op_find_param(params->op, "feature") : -1;
  const char *const *titles = index >= 0 ? params->op->params[index]->choice_titles : NULL;
  return titles ? titles[(guint)params->values[index][0]] : NULL;
}

const char *
vt_layer_get_title(VtLayer *self)
{
  const char *feature = get_feature_title(self);
  if (feature && vt_layer_is_scalar(self))
    return vt_translate(feature);
  return self->stage ? vt_translate(self->stage->title) : _("Slide");
}

const char *
vt_layer_get_help(VtLayer *self)
{
  return self->stage ? vt_translate(self->stage->help) : NULL;
}

const char *
vt_layer_get_empty_reason(VtLayer *self)
{
  return self->empty ? vt_translate(self->stage->empty_reason) : NULL;
}

void
vt_layer_set_params(VtLayer *self, const VtParams *params)
{
  int index = self->stage && self->stage->empty_param ? vt_op_find_param(params->op, self->stage->empty_param) : -1;
  gboolean empty = index >= 0 && params->values[index][0] == 0;
  if (self->empty == empty)
    return;
  self->empty = empty;
  g_signal_emit_by_name(self, "data");
}

VT_GETTER(const VitrailStage *, vt_layer_get_stage, VtLayer, stage)
VT_GETTER(guint, vt_layer_get_stage_index, VtLayer, stage_index)

gboolean
vt_layer_is_scalar(VtLayer *self)
{
  return self->stage && self->stage->kind == VITRAIL_STAGE_SCALAR;
}

gboolean
vt_layer_has_range(VtLayer *self)
{
  return vt_layer_is_scalar(self) || vt_layer_find_measure(self) >= 0;
}

VT_GETTER(gboolean, vt_layer_get_shown, VtLayer, shown)

void
vt_layer_set_shown(VtLayer *self, gboolean shown)
{
  g_object_set(self, "shown", shown, NULL);
}

gboolean
vt_layer_get_seen(VtLayer *self)
{
  return self->solo || (self->shown && !self->muted);
}

VT_GETTER(gboolean, vt_layer_get_solo, VtLayer, solo)
VT_GETTER(gboolean, vt_layer_get_locked, VtLayer, locked)
VT_GETTER(double, vt_layer_get_opacity, VtLayer, opacity)
VT_GETTER(VtLayerBlend, vt_layer_get_blend, VtLayer, blend)

const VtColoring *
vt_layer_get_coloring(VtLayer *self)
{
  return &self->coloring;
}

VT_GETTER(gboolean, vt_layer_has_own_range, VtLayer, own_range)

static void
recolor(VtLayer *self)
{
  vt_layer_log_look(self);
  vt_layer_paint(self);
  g_signal_emit_by_name(self, "data");
}

void
vt_layer_set_range(VtLayer *self, double min, double max)
{
  if (self->own_range && self->coloring.min == min && self->coloring.max == max)
    return;
  self->own_range = TRUE;
  self->coloring.min = min;
  self->coloring.max = max;
  recolor(self);
}

static void
set_first_range(VtLayer *self)
{
  /* Where the stage says nothing the worker finds that of the data; until then the last one stands. */
  if (self->stage->display_min < self->stage->display_max) {
    self->coloring.min = self->stage->display_min;
    self->coloring.max = self->stage->display_max;
  }
  self->range_known = FALSE;
}

void
vt_layer_reset_range(VtLayer *self)
{
  if (!self->own_range)
    return;
  self->own_range = FALSE;
  set_first_range(self);
  recolor(self);
}

void
vt_layer_set_threshold(VtLayer *self, double min, double max)
{
  if (self->coloring.shown_min == min && self->coloring.shown_max == max)
    return;
  self->coloring.shown_min = min;
  self->coloring.shown_max = max;
  recolor(self);
}

gboolean
vt_layer_has_data(VtLayer *self)
{
  return self->rasters || (self->kind == VT_LAYER_OBJECTS && self->result && self->result->objects);
}

const char *
vt_layer_get_unit(VtLayer *self)
{
  if (!self->stage)
    return "";
  gboolean in_px = self->result && !self->result->calibrated && self->stage->unit_px;
  const char *unit = in_px ? self->stage->unit_px : self->stage->unit;
  return unit ? unit : "";
}

double
vt_layer_get_stage_ms(VtLayer *self)
{
  return self->stage && self->result ? self->result->stage_ms[self->stage_index] : NAN;
}

VT_GETTER(gint64, vt_layer_get_n_objects, VtLayer, n_objects)

const VtRaster *
vt_layer_find_raster(VtLayer *self, double x_l0, double y_l0, double *raw)
{
  for (guint i = self->rasters ? self->rasters->len : 0; i > 0; i--)
    if (vt_raster_lookup_l0(self->rasters->pdata[i - 1], x_l0, y_l0, raw))
      return self->rasters->pdata[i - 1];
  return NULL;
}

void
vt_layer_set_wants_stats(VtLayer *self, gboolean wants)
{
  self->wants_stats = wants;
  if (wants && !self->has_stats)
    vt_layer_measure(self);
}

const VtStats *
vt_layer_get_stats(VtLayer *self)
{
  return self->has_stats ? &self->stats : NULL;
}

void
vt_layer_view_settled(VtLayer *self, const VtViewport *view)
{
  if (vt_viewport_equal(view, &self->settled_view))
    return;
  self->settled_view = *view;
  self->has_stats = FALSE;
  vt_layer_measure(self);
}

gboolean
vt_layer_get_preview(VtLayer *self)
{
  return self->result && self->result->is_preview;
}

void
vt_layer_set_stale(VtLayer *self, gboolean stale)
{
  if (self->stale == stale)
    return;
  self->stale = stale;
  g_signal_emit_by_name(self, "redraw");
}

VT_GETTER(gboolean, vt_layer_get_stale, VtLayer, stale)

void
vt_layer_set_result(VtLayer *self, VtResult *result)
{
  if (!self->stage)
    return;
  vt_drop(g_steal_pointer(&self->index), (GDestroyNotify)vt_outline_index_unref);
  vt_drop(self->result, (GDestroyNotify)vt_result_unref);
  vt_layer_forget_columns(self);
  self->result = result ? vt_result_ref(result) : NULL;
  g_clear_pointer(&self->rasters, g_ptr_array_unref);
  self->rasters = result ? vt_layer_list_rasters(self, result) : NULL;
  self->data_serial++;
  self->has_stats = FALSE;
  self->selected_number = -1;
  g_ptr_array_set_size(self->held, 0);
  self->n_objects = -1;
  if (self->kind == VT_LAYER_OBJECTS && result && result->objects)
    self->n_objects = result->objects->len;
  if (!self->own_range)
    set_first_range(self);
  self->range_known = FALSE;
  /* The old picture stays at its place on the slide until the new one is painted. */
  if (vt_layer_has_data(self)) {
    if (!vt_layer_take_ahead(self))
      vt_layer_paint(self);
    vt_layer_measure(self);
  } else {
    vt_layer_forget_ahead(self);
    vt_layer_forget_former(self);
    g_clear_pointer(&self->fine, vt_painted_unref);
    g_clear_pointer(&self->painted, vt_painted_unref);
    g_clear_pointer(&self->density, vt_density_unref);
    if (!result)
      vt_layer_unselect(self);
    g_signal_emit_by_name(self, "redraw");
  }
  g_signal_emit_by_name(self, "data");
}

void
vt_layer_draw(VtLayer *self, const VtPainted *picture, GtkSnapshot *snapshot, const VtViewport *view, double scale,
              const graphene_rect_t *seen)
{
  const double opacity = self->opacity * (self->stale ? VT_LAYER_STALE_OPACITY : 1);
  if (self->opacity <= 0)
    return;
  vt_paint_push_opacity(snapshot, opacity);
  if (picture)
    vt_painted_snapshot(picture, snapshot, view, scale, seen);
  vt_paint_pop_opacity(snapshot);
  if (!self->selected && self->held->len == 0)
    return;
  vt_paint_flush(snapshot);
  gtk_snapshot_push_opacity(snapshot, opacity);
  vt_layer_draw_selected(self, snapshot, view, scale);
  gtk_snapshot_pop(snapshot);
}

void
vt_layer_snapshot(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                  const graphene_rect_t *seen)
{
  if (!vt_layer_get_seen(self) || !self->stage)
    return;
  self->wanted_view = *view;
  self->line_px = vt_layer_get_line(view->downsample) * scale;
  const gboolean was_hidden = self->hidden;
  self->hidden = self->undrawn = FALSE;
  if (was_hidden && (self->thinned || self->dirty))
    vt_layer_paint(self);
  else if ((self->kind == VT_LAYER_OBJECTS || vt_layer_is_large(self)) && vt_layer_has_data(self)
           && !vt_viewport_equal(view, &self->painted_view))
    vt_layer_paint(self);
  vt_layer_draw(self, self->former ? self->former : self->painted, snapshot, view, scale, seen);
}

/* What one property means. FALSE: nothing changes. */
static gboolean
take_property(VtLayer *self, guint id, const GValue *value)
{
  gboolean *flag = id == PROP_SHOWN    ? &self->shown
                   : id == PROP_SOLO   ? &self->solo
                   : id == PROP_LOCKED ? &self->locked
                   : id == PROP_MUTED  ? &self->muted
                                       : NULL;
  if (flag) {
    gboolean same = *flag == g_value_get_boolean(value);
    *flag = g_value_get_boolean(value);
    return !same;
  }
  switch (id) {
  case PROP_OPACITY:
    self->opacity = g_value_get_double(value);
    vt_layer_log_look(self);
    break;
  case PROP_BLEND:
    self->blend = g_value_get_uint(value);
    vt_layer_log_look(self);
    break;
  case PROP_OUTLINE:
    if (self->coloring.outline == g_value_get_boolean(value))
      return FALSE;
    self->coloring.outline = g_value_get_boolean(value);
    recolor(self);
    break;
  default:
    if (self->coloring.map == (VtColormap)g_value_get_uint(value))
      return FALSE;
    self->coloring.map = g_value_get_uint(value);
    recolor(self);
  }
  return TRUE;
}

static void
vt_layer_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtLayer *self = VT_LAYER(object);
  gboolean was_seen = vt_layer_get_seen(self);
  if (!take_property(self, id, value))
    return;
  g_object_notify_by_pspec(object, pspec);
  if (was_seen != vt_layer_get_seen(self)) {
    if (!was_seen && (self->dirty || !self->painted))
      vt_layer_paint(self);
    g_object_notify_by_pspec(object, properties[PROP_SEEN]);
  }
  g_signal_emit_by_name(self, "redraw");
}

static void
vt_layer_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtLayer *self = VT_LAYER(object);
  switch (id) {
  case PROP_SHOWN: g_value_set_boolean(value, self->shown); break;
  case PROP_OPACITY: g_value_set_double(value, self->opacity); break;
  case PROP_BLEND: g_value_set_uint(value, self->blend); break;
  case PROP_COLORMAP: g_value_set_uint(value, self->coloring.map); break;
  case PROP_OUTLINE: g_value_set_boolean(value, self->coloring.outline); break;
  case PROP_SOLO: g_value_set_boolean(value, self->solo); break;
  case PROP_LOCKED: g_value_set_boolean(value, self->locked); break;
  case PROP_MUTED: g_value_set_boolean(value, self->muted); break;
  case PROP_SEEN: g_value_set_boolean(value, vt_layer_get_seen(self)); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
vt_layer_dispose(GObject *object)
{
  VtLayer *self = VT_LAYER(object);
  vt_layer_forget_ahead(self);
  vt_layer_forget_former(self);
  g_clear_pointer(&self->rasters, g_ptr_array_unref);
  g_clear_pointer(&self->columns, vt_columns_unref);
  g_clear_pointer(&self->added, g_ptr_array_unref);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->fine, vt_painted_unref);
  g_clear_pointer(&self->painted, vt_painted_unref);
  g_clear_pointer(&self->index, vt_outline_index_unref);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  g_clear_pointer(&self->taught, vt_classified_unref);
  g_clear_pointer(&self->graded, vt_classified_unref);
  g_clear_pointer(&self->read, vt_classified_unref);
  g_clear_pointer(&self->gated, vt_classified_unref);
  g_clear_pointer(&self->density, vt_density_unref);
  vt_layer_forget_bins(self);
  vt_layer_unselect(self);
  g_clear_pointer(&self->held, g_ptr_array_unref);
  G_OBJECT_CLASS(vt_layer_parent_class)->dispose(object);
}

static void
vt_layer_class_init(VtLayerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->dispose = vt_layer_dispose;
  object_class->set_property = vt_layer_set_property;
  object_class->get_property = vt_layer_get_property;
  properties[PROP_SHOWN] = g_param_spec_boolean("shown", NULL, NULL, TRUE, flags);
  properties[PROP_OPACITY] = g_param_spec_double("opacity", NULL, NULL, 0, 1, 1, flags);
  properties[PROP_BLEND] = g_param_spec_uint("blend", NULL, NULL, 0, VT_N_LAYER_BLENDS - 1, 0, flags);
  properties[PROP_COLORMAP] = g_param_spec_uint("colormap", NULL, NULL, 0, VT_N_COLORMAPS - 1, 0, flags);
  properties[PROP_OUTLINE] = g_param_spec_boolean("outline", NULL, NULL, FALSE, flags);
  properties[PROP_SOLO] = g_param_spec_boolean("solo", NULL, NULL, FALSE, flags);
  properties[PROP_LOCKED] = g_param_spec_boolean("locked", NULL, NULL, FALSE, flags);
  properties[PROP_MUTED] = g_param_spec_boolean("muted", NULL, NULL, FALSE, flags);
  properties[PROP_SEEN] = g_param_spec_boolean("seen", NULL, NULL, TRUE, flags & ~G_PARAM_WRITABLE);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  vt_signals_new(VT_TYPE_LAYER, "redraw", "data", "columns", "selection", "prepared", NULL);
}

static void
vt_layer_init(VtLayer *self)
{
  self->shown = TRUE;
  self->opacity = 1;
  self->n_objects = -1;
  self->line_px = 1.5;
  self->coloring = vt_coloring_make(VT_COLORMAP_GRAY, 0, 0);
  self->selected_number = -1;
  self->added = g_ptr_array_new_with_free_func((GDestroyNotify)vt_column_unref);
  self->held = g_ptr_array_new_with_free_func(g_free);
}

VtLayer *
vt_layer_new_slide(void)
{
  VtLayer *self = g_object_new(VT_TYPE_LAYER, NULL);
  self->kind = VT_LAYER_SLIDE;
  return self;
}

VtLayer *
vt_layer_new_stage(const VitrailOp *op, guint stage)
{
  const VitrailStage *declared = op->stages[stage];
  if (declared->kind == VITRAIL_STAGE_ROWS)
    return NULL;
  VtLayer *self = g_object_new(VT_TYPE_LAYER, NULL);
  self->kind = declared->kind == VITRAIL_STAGE_OBJECTS ? VT_LAYER_OBJECTS : VT_LAYER_RASTER;
  self->stage = declared;
  self->stage_index = stage;
  self->shown = (declared->flags & VITRAIL_STAGE_SHOWN) != 0;
  self->coloring.map = vt_colormap_from_id(declared->colormap);
  self->coloring.outline = self->kind == VT_LAYER_OBJECTS;
  self->coloring.fades = (declared->flags & VITRAIL_STAGE_ZERO_EMPTY) != 0;
  self->opacity = self->kind == VT_LAYER_OBJECTS || vt_layer_is_colour(self) ? 1
                  : declared->kind == VITRAIL_STAGE_SCALAR                   ? 0.75
                                                                             : 0.55;
  set_first_range(self);
  return self;
}
