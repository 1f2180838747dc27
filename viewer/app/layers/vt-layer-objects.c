/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

#define HALO_PX 5.0
#define LINE_PX 2.5

GPtrArray *
vt_layer_get_objects(VtLayer *self)
{
  return self->kind == VT_LAYER_OBJECTS && self->result ? self->result->objects : NULL;
}

/* --- columns --- */

VtColumns *
vt_layer_get_columns(VtLayer *self)
{
  GPtrArray *objects = vt_layer_get_objects(self);
  if (!self->columns && objects)
    self->columns = vt_columns_new(objects, self->result, (VtColumn **)self->added->pdata, self->added->len);
  return self->columns;
}

void
vt_layer_forget_columns(VtLayer *self)
{
  vt_drop(g_steal_pointer(&self->columns), (GDestroyNotify)vt_columns_unref);
}

static gint
find_added(VtLayer *self, const char *name)
{
  for (guint i = 0; i < self->added->len; i++)
    if (g_str_equal(((const VtColumn *)self->added->pdata[i])->name, name))
      return (gint)i;
  return -1;
}

static void
columns_changed(VtLayer *self, const char *name)
{
  vt_layer_forget_columns(self);
  if (g_strcmp0(self->measure, name) == 0) {
    self->range_known = self->has_stats = FALSE;
    vt_layer_forget_bins(self);
    self->filter_changed = TRUE;
    vt_layer_paint(self);
    vt_layer_measure(self);
  }
  g_signal_emit_by_name(self, "columns");
}

void
vt_layer_add_column(VtLayer *self, VtColumn *column)
{
  const gint before = find_added(self, column->name);
  if (before >= 0)
    vt_drop(self->added->pdata[before], (GDestroyNotify)vt_column_unref);
  else
    g_ptr_array_set_size(self->added, (gint)self->added->len + 1);
  self->added->pdata[before >= 0 ? (guint)before : self->added->len - 1] = vt_column_ref(column);
  vt_test_log("column %s %u", column->name, column->n);
  columns_changed(self, column->name);
}

void
vt_layer_remove_column(VtLayer *self, const char *name)
{
  const gint before = find_added(self, name);
  if (before < 0)
    return;
  g_ptr_array_remove_index(self->added, (guint)before);
  columns_changed(self, name);
}

gint
vt_layer_find_measure(VtLayer *self)
{
  const VtColumns *columns = self->measure ? vt_layer_get_columns(self) : NULL;
  const gint column = columns ? vt_columns_find(columns, self->measure) : -1;
  return column >= 0 && vt_columns_is_number(columns, (guint)column) ? column : -1;
}

char *
vt_layer_dup_measure_title(VtLayer *self)
{
  const gint column = vt_layer_find_measure(self);
  return column >= 0 ? vt_columns_dup_title(self->columns, (guint)column) : vt_dup_shown_name(self->measure);
}

char *
vt_layer_dup_stats_title(VtLayer *self)
{
  const VtColumns *columns = vt_layer_get_columns(self);
  const guint column = (guint)MAX(vt_layer_find_measure(self), VT_OBJECT_MEASUREMENTS);
  return columns && column < columns->n ? vt_columns_dup_title(columns, column) : NULL;
}

VT_GETTER(const char *, vt_layer_get_measure, VtLayer, measure)

void
vt_layer_set_measure(VtLayer *self, const char *name)
{
  if (g_strcmp0(name, self->measure) == 0)
    return;
  if (!self->measure)
    self->plain_map = self->coloring.map;
  self->measure = g_intern_string(name);
  self->own_range = FALSE;
  self->range_known = FALSE;
  self->coloring.min = self->coloring.max = 0;
  self->coloring.shown_min = -INFINITY;
  self->coloring.shown_max = INFINITY;
  self->has_stats = FALSE;
  vt_layer_forget_former(self);
  g_clear_pointer(&self->painted, vt_painted_unref); /* none of its squares is of use */
  self->filter_changed = TRUE;                       /* nor what is being painted, nor its counts */
  const VtColormap map = !name                                           ? self->plain_map
                         : vt_colormap_is_continuous(self->coloring.map) ? self->coloring.map
                                                                         : VT_COLORMAP_VIRIDIS;
  vt_test_log("measure %s %s", self->stage->id, name ? name : "none");
  if (map != self->coloring.map)
    g_object_set(self, "colormap", map, NULL);
  g_object_set(self, "outline", name == NULL, NULL); /* thin lines show no scale */
  vt_layer_paint(self);
  vt_layer_measure(self);
  g_signal_emit_by_name(self, "data");
}

void
vt_layer_set_filter(VtLayer *self, VtObjectFilter *filter)
{
  if (filter == self->filter)
    return;
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = filter ? vt_object_filter_ref(filter) : NULL;
  self->filter_changed = TRUE;
  vt_layer_paint(self);
}

static void
set_classified(VtLayer *self, VtClassified **place, VtClassified *classified)
{
  if (classified == *place)
    return;
  g_clear_pointer(place, vt_classified_unref);
  *place = classified ? vt_classified_ref(classified) : NULL;
  self->filter_changed = TRUE;
  vt_layer_paint(self);
}

void
vt_layer_set_taught(VtLayer *self, VtClassified *taught)
{
  set_classified(self, &self->taught, taught);
}

void
vt_layer_set_graded(VtLayer *self, VtClassified *graded)
{
  set_classified(self, &self->graded, graded);
}

void
vt_layer_set_read(VtLayer *self, VtClassified *read)
{
  set_classified(self, &self->read, read);
}

void
vt_layer_set_gated(VtLayer *self, VtClassified *gated)
{
  set_classified(self, &self->gated, gated);
}

void
vt_layer_set_classed_by_gates(VtLayer *self, gboolean is_by_gates)
{
  if (self->is_classed_by_gates == is_by_gates)
    return;
  self->is_classed_by_gates = is_by_gates;
  self->filter_changed = TRUE;
  vt_layer_paint(self);
}

gboolean
vt_layer_is_filtered(VtLayer *self)
{
  return self->filter != NULL;
}

static VtClassified *
get_present(VtLayer *self, VtClassified *classified)
{
  return classified && classified->of == vt_layer_get_objects(self) ? classified : NULL;
}

VtClassified *
vt_layer_get_taught(VtLayer *self)
{
  return get_present(self, self->taught);
}

/* Those that were taught do not show while others by thresholds or gates are on their way. */
VtClassified *
vt_layer_get_classified(VtLayer *self)
{
  if (self->is_classed_by_gates)
    return get_present(self, self->gated);
  return get_present(self, self->graded ? self->graded : self->taught ? self->taught : self->read);
}

VtClassified *
vt_layer_get_gated(VtLayer *self)
{
  return get_present(self, self->gated);
}

/* Classes do not show while gates are being counted. */
VtClassified *
vt_layer_get_coloured_by(VtLayer *self)
{
  return self->gated ? vt_layer_get_gated(self) : vt_layer_get_classified(self);
}

VT_GETTER(const VtObject *, vt_layer_get_selected, VtLayer, selected)

gint64
vt_layer_get_selected_index(VtLayer *self)
{
  return self->selected ? self->selected_number : -1;
}

double
vt_layer_get_density_factor(const VtResult *result)
{
  return result->calibrated ? 1e6 / (result->mpp * result->mpp_y) : 1000;
}

double
vt_layer_get_density_top(VtLayer *self)
{
  return self->density ? self->density_top : 0;
}

const char *
vt_layer_get_density_unit(VtLayer *self)
{
  return !self->result || self->result->calibrated ? "mm²" : "1000 px²";
}

static void
set_selected(VtLayer *self, gint64 number)
{
  g_clear_pointer(&self->selected, g_free);
  self->selected_number = number;
  if (number >= 0)
    self->selected = vt_object_copy(g_ptr_array_index(self->result->objects, (guint)number));
  g_signal_emit_by_name(self, "selection");
  g_signal_emit_by_name(self, "redraw");
}

void
vt_layer_list_near(VtLayer *self, const double rect[4], GArray *numbers)
{
  const GPtrArray *objects = vt_layer_get_objects(self);
  if (self->index) {
    vt_outline_index_query(self->index, rect[0], rect[1], rect[2], rect[3], numbers);
    return;
  }
  for (guint32 i = 0; objects && i < objects->len; i++) /* a worker still makes it */
    g_array_append_val(numbers, i);
}

static void
let_go(VtLayer *self)
{
  if (self->held) /* until it is disposed of */
    g_ptr_array_set_size(self->held, 0);
}

static gint
find_held(VtLayer *self, gint64 id)
{
  for (guint i = 0; i < self->held->len; i++)
    if (((const VtObject *)self->held->pdata[i])->id == id)
      return (gint)i;
  return -1;
}

void
vt_layer_hold_selected(VtLayer *self)
{
  const gint at = self->selected ? find_held(self, self->selected->id) : -1;
  if (at >= 0)
    g_ptr_array_remove_index(self->held, (guint)at);
  else if (self->selected && self->selected_number >= 0)
    g_ptr_array_add(self->held, vt_object_copy(self->selected));
  vt_test_log("held %u", self->held->len);
  g_signal_emit_by_name(self, "redraw");
}

VT_GETTER(const GPtrArray *, vt_layer_get_held, VtLayer, held)

gboolean
vt_layer_select_more_at(VtLayer *self, double x_l0, double y_l0)
{
  const gint64 number = self->index ? vt_outline_index_pick(self->index, x_l0, y_l0) : -1;
  if (number < 0)
    return FALSE;
  const VtObject *object = self->result->objects->pdata[number];
  const gint at = find_held(self, object->id);
  if (self->selected && self->selected->id != object->id && find_held(self, self->selected->id) < 0)
    vt_layer_hold_selected(self);
  if (at >= 0) /* it is the selected one now */
    g_ptr_array_remove_index(self->held, (guint)at);
  set_selected(self, number);
  vt_test_log("held %u", self->held->len);
  return TRUE;
}

void
vt_layer_select(VtLayer *self, guint index)
{
  set_selected(self, index);
}

void
vt_layer_unselect(VtLayer *self)
{
  let_go(self);
  if (self->selected)
    set_selected(self, -1);
}

void
vt_layer_select_at(VtLayer *self, double x_l0, double y_l0)
{
  gint64 number = self->index ? vt_outline_index_pick(self->index, x_l0, y_l0) : -1;
  let_go(self);
  if (number < 0)
    vt_layer_unselect(self);
  else
    set_selected(self, number);
}

gboolean
vt_layer_select_next(VtLayer *self, int step)
{
  gint64 n = self->result && self->result->objects ? self->result->objects->len : 0;
  if (n == 0)
    return FALSE;
  gint64 from = self->selected_number >= 0 ? self->selected_number : step > 0 ? -1 : 0;
  set_selected(self, (from + step + n) % n);
  return TRUE;
}

/* The same nucleus has another number and a slightly other outline after another run: it is the one whose middle is
 * nearest, within a quarter of its size. If it was not looked at it is kept as it was. */
void
vt_layer_find_selected(VtLayer *self)
{
  if (!self->selected || !self->index)
    return;
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  double box[4], x = self->selected->centroid_x_l0, y = self->selected->centroid_y_l0;
  vt_object_get_box(self->selected, box);
  double nearest = MIN(box[2] - box[0], box[3] - box[1]) / 4;
  gint64 found = -1;
  vt_outline_index_query(self->index, x - nearest, y - nearest, x + nearest, y + nearest, numbers);
  for (guint i = 0; i < numbers->len; i++) {
    guint32 number = g_array_index(numbers, guint32, i);
    const VtObject *object = g_ptr_array_index(self->result->objects, number);
    double distance = hypot(object->centroid_x_l0 - x, object->centroid_y_l0 - y);
    if (distance <= nearest) {
      nearest = distance;
      found = number;
    }
  }
  if (found >= 0)
    set_selected(self, found);
}

static void
add_outline(cairo_t *cr, const VtObject *object, const VtViewport *view, double scale)
{
  const double *points = object->points;
  gsize at = 0;
  for (guint ring = 0; ring < object->n_rings; ring++) {
    guint n = object->ring_sizes[ring];
    for (guint i = 0; i < n; i++, at += 2) {
      double x, y;
      vt_viewport_from_l0(view, points[at], points[at + 1], &x, &y);
      cairo_line_to(cr, x / scale, y / scale);
    }
    cairo_close_path(cr);
    cairo_new_sub_path(cr);
  }
}

void
vt_layer_draw_selected(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale)
{
  static const double colors[2][4] = { { 0, 0, 0, 0.7 }, { 1, 0.87, 0.2, 1 } };
  graphene_rect_t seen = GRAPHENE_RECT_INIT(0, 0, (float)(view->width_px / scale), (float)(view->height_px / scale));
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &seen);
  if (self->selected)
    add_outline(cr, self->selected, view, scale);
  for (guint i = 0; i < self->held->len; i++)
    add_outline(cr, self->held->pdata[i], view, scale);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (int i = 0; i < 2; i++) {
    cairo_set_source_rgba(cr, colors[i][0], colors[i][1], colors[i][2], colors[i][3]);
    cairo_set_line_width(cr, i == 0 ? HALO_PX : LINE_PX);
    cairo_stroke_preserve(cr);
  }
  cairo_destroy(cr);
}

VtLayer *
vt_layers_dup_objects(GListModel *layers)
{
  VtLayer *found = NULL;
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (layer->kind == VT_LAYER_OBJECTS)
      g_set_object(&found, layer);
  return found;
}

gboolean
vt_layers_take_objects(GListModel *layers, gpointer follower, VtLayer **layer)
{
  g_autoptr(VtLayer) found = vt_layers_dup_objects(layers);
  if (found == *layer)
    return FALSE;
  if (*layer)
    g_signal_handlers_disconnect_by_data(*layer, follower);
  g_set_object(layer, found);
  return TRUE;
}

VtRoi *
vt_layer_dup_outline(VtLayer *self, double x_l0, double y_l0)
{
  const gint64 number = self->index && !self->density ? vt_outline_index_pick(self->index, x_l0, y_l0) : -1;
  return number < 0 ? NULL : vt_object_dup_roi(self->result->objects->pdata[number]);
}
