/* SPDX-License-Identifier: MIT */
#include "vt-layer.h"

#include <glib/gi18n.h>
#include <math.h>

struct _VtLayer {
  GObject parent;
  VtLayerKind kind;
  const VitrailStage *stage; /* borrowed, resident */
  guint stage_index;
  gboolean shown;
  double opacity;
  VtColormap colormap;
  VtResult *result;
  VtRaster *raster; /* borrowed from `result` */
  double min, max;
  gint64 n_objects;
  VtPainted *painted;
  VtViewport painted_view; /* objects: the view that `painted` was drawn for */
  VtViewport wanted_view;
  guint64 data_serial; /* grows when the values change: older pictures are dropped on arrival */
  gboolean painting, dirty;
  double line_px;
};

G_DEFINE_FINAL_TYPE(VtLayer, vt_layer, G_TYPE_OBJECT)

enum { PROP_SHOWN = 1, PROP_OPACITY, PROP_COLORMAP, N_PROPS };
enum { SIGNAL_REDRAW, SIGNAL_DATA, N_SIGNALS };
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

typedef struct {
  VtLayer *layer;   /* touched by the main thread only */
  VtResult *result; /* keeps raster and objects */
  VtRaster *raster;
  VtColormap colormap;
  double min, max, line_px;
  VtViewport view;
  guint64 data_serial;
  VtPainted *painted;
} PaintJob;

static void start_painting(VtLayer *self);

static gboolean
paint_arrived(gpointer data)
{
  PaintJob *job = data;
  g_autoptr(VtLayer) self = job->layer;
  self->painting = FALSE;
  if (job->data_serial == self->data_serial) {
    g_clear_pointer(&self->painted, vt_painted_unref);
    self->painted = g_steal_pointer(&job->painted);
    self->painted_view = job->view;
    g_signal_emit(self, signals[SIGNAL_REDRAW], 0);
  }
  if (self->dirty)
    start_painting(self);
  g_clear_pointer(&job->painted, vt_painted_unref);
  vt_result_unref(job->result);
  g_free(job);
  return G_SOURCE_REMOVE;
}

static void
paint(gpointer data, gpointer user_data)
{
  PaintJob *job = data;
  if (job->raster)
    job->painted = vt_painted_new_from_raster(job->raster, job->colormap, job->min, job->max);
  else
    job->painted = vt_painted_new_from_objects(job->result->objects, job->colormap, &job->view, job->line_px);
  g_idle_add_full(G_PRIORITY_DEFAULT, paint_arrived, job, NULL);
}

static void
start_painting(VtLayer *self)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(paint, NULL, 2, TRUE, NULL);
  self->dirty = TRUE;
  if (self->painting || !self->shown || !vt_layer_has_data(self))
    return;
  PaintJob *job = g_new0(PaintJob, 1);
  job->layer = g_object_ref(self);
  job->result = vt_result_ref(self->result);
  job->raster = self->raster;
  job->colormap = self->colormap;
  job->min = self->min;
  job->max = self->max;
  job->view = self->wanted_view;
  job->line_px = self->line_px;
  job->data_serial = self->data_serial;
  self->painting = TRUE;
  self->dirty = FALSE;
  g_thread_pool_push(pool, job, NULL);
}

VtLayerKind
vt_layer_get_kind(VtLayer *self)
{
  return self->kind;
}

const char *
vt_layer_get_title(VtLayer *self)
{
  return self->stage ? self->stage->title : _("Slide");
}

const char *
vt_layer_get_help(VtLayer *self)
{
  return self->stage ? self->stage->help : NULL;
}

const VitrailStage *
vt_layer_get_stage(VtLayer *self)
{
  return self->stage;
}

guint
vt_layer_get_stage_index(VtLayer *self)
{
  return self->stage_index;
}

gboolean
vt_layer_get_shown(VtLayer *self)
{
  return self->shown;
}

void
vt_layer_set_shown(VtLayer *self, gboolean shown)
{
  g_object_set(self, "shown", shown, NULL);
}

double
vt_layer_get_opacity(VtLayer *self)
{
  return self->opacity;
}

VtColormap
vt_layer_get_colormap(VtLayer *self)
{
  return self->colormap;
}

gboolean
vt_layer_has_data(VtLayer *self)
{
  return self->raster || (self->kind == VT_LAYER_OBJECTS && self->result && self->result->objects);
}

void
vt_layer_get_range(VtLayer *self, double *min, double *max)
{
  *min = self->min;
  *max = self->max;
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

gint64
vt_layer_get_n_objects(VtLayer *self)
{
  return self->n_objects;
}

char *
vt_layer_dup_value(VtLayer *self, double x_l0, double y_l0)
{
  double raw = 0;
  if (!self->raster || !vt_raster_lookup_l0(self->raster, x_l0, y_l0, &raw))
    return NULL;
  if (self->stage->kind != VITRAIL_STAGE_SCALAR)
    return g_strdup_printf("%.0f", raw);
  const char *unit = vt_layer_get_unit(self);
  return g_strdup_printf("%.4g%s%s", raw * self->raster->scale + self->raster->offset, *unit ? " " : "", unit);
}

static gint64
count_labels(VtRaster *raster)
{
  /* Objects are numbered 1.., so the largest number is how many there are. */
  double min = 0, max = 0;
  return vt_raster_get_range(raster, &min, &max) ? (gint64)max : 0;
}

static void
find_range(VtLayer *self)
{
  const VitrailStage *stage = self->stage;
  self->min = stage->display_min;
  self->max = stage->display_max;
  self->n_objects = -1;
  if (self->kind == VT_LAYER_OBJECTS && self->result && self->result->objects)
    self->n_objects = self->result->objects->len;
  if (!self->raster)
    return;
  if (stage->kind == VITRAIL_STAGE_LABELS)
    self->n_objects = count_labels(self->raster);
  if (self->min == self->max && stage->kind == VITRAIL_STAGE_SCALAR)
    vt_raster_get_range(self->raster, &self->min, &self->max);
}

void
vt_layer_set_result(VtLayer *self, VtResult *result)
{
  if (!self->stage)
    return;
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = result ? vt_result_ref(result) : NULL;
  self->raster = result ? result->rasters[self->stage_index] : NULL;
  self->data_serial++;
  find_range(self);
  /* The old picture stays at its place on the slide until the new one is painted. */
  if (vt_layer_has_data(self)) {
    start_painting(self);
  } else {
    g_clear_pointer(&self->painted, vt_painted_unref);
    g_signal_emit(self, signals[SIGNAL_REDRAW], 0);
  }
  g_signal_emit(self, signals[SIGNAL_DATA], 0);
}

void
vt_layer_snapshot(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale)
{
  if (!self->shown || !self->stage)
    return;
  self->wanted_view = *view;
  /* Far away outlines would cover the nuclei they surround. */
  self->line_px = (view->downsample > 2 ? 0.8 : 1.5) * scale;
  if (self->kind == VT_LAYER_OBJECTS && vt_layer_has_data(self) && !vt_viewport_equal(view, &self->painted_view))
    start_painting(self);
  if (!self->painted || self->opacity <= 0)
    return;
  gtk_snapshot_push_opacity(snapshot, self->opacity);
  vt_painted_snapshot(self->painted, snapshot, view, scale);
  gtk_snapshot_pop(snapshot);
}

static void
vt_layer_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtLayer *self = VT_LAYER(object);
  switch (id) {
  case PROP_SHOWN:
    if (self->shown == g_value_get_boolean(value))
      return;
    self->shown = g_value_get_boolean(value);
    if (self->shown && (self->dirty || !self->painted))
      start_painting(self);
    break;
  case PROP_OPACITY: self->opacity = g_value_get_double(value); break;
  case PROP_COLORMAP:
    if (self->colormap == (VtColormap)g_value_get_uint(value))
      return;
    self->colormap = g_value_get_uint(value);
    start_painting(self);
    break;
  default: return;
  }
  g_object_notify_by_pspec(object, pspec);
  g_signal_emit(self, signals[SIGNAL_REDRAW], 0);
}

static void
vt_layer_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtLayer *self = VT_LAYER(object);
  switch (id) {
  case PROP_SHOWN: g_value_set_boolean(value, self->shown); break;
  case PROP_OPACITY: g_value_set_double(value, self->opacity); break;
  case PROP_COLORMAP: g_value_set_uint(value, self->colormap); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
vt_layer_dispose(GObject *object)
{
  VtLayer *self = VT_LAYER(object);
  self->raster = NULL;
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->painted, vt_painted_unref);
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
  properties[PROP_COLORMAP] = g_param_spec_uint("colormap", NULL, NULL, 0, VT_N_COLORMAPS - 1, 0, flags);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  signals[SIGNAL_REDRAW] =
    g_signal_new("redraw", VT_TYPE_LAYER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_DATA] = g_signal_new("data", VT_TYPE_LAYER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vt_layer_init(VtLayer *self)
{
  self->shown = TRUE;
  self->opacity = 1;
  self->n_objects = -1;
  self->line_px = 1.5;
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
  self->colormap = vt_colormap_from_id(declared->colormap);
  self->opacity = self->kind == VT_LAYER_OBJECTS ? 1 : declared->kind == VITRAIL_STAGE_SCALAR ? 0.75 : 0.55;
  find_range(self);
  return self;
}
