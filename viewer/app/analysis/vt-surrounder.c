/* SPDX-License-Identifier: MIT */
#include "analysis/vt-surrounder.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-owned.h"
#include "common/vt-task.h"
#include "common/vt-test-log.h"
#include "results/vt-surroundings.h"

struct _VtSurrounder {
  GObject parent;
  VtRegions *regions;
  VtLayer *layer;       /* of the objects; NULL: none */
  GPtrArray *rois;      /* VtRoi, copies of the areas; never changed, but replaced */
  VtColumn *neighbours; /* of the last objects; or NULL */
  GPtrArray *of;        /* the objects that were last asked about; or NULL */
  gboolean is_on, is_working, is_dirty;
};

G_DEFINE_FINAL_TYPE(VtSurrounder, vt_surrounder, G_TYPE_OBJECT)

typedef struct {
  VtColumns *columns; /* keeps the objects */
  GPtrArray *rois;
  gboolean counts_neighbours;
  VtColumn *made[VT_SURROUNDINGS_MOST];
  double ms;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  vt_drop(job->columns, (GDestroyNotify)vt_columns_unref);
  g_ptr_array_unref(job->rois);
  for (guint k = 0; k < VT_SURROUNDINGS_MOST; k++)
    g_clear_pointer(&job->made[k], vt_column_unref);
  g_free(job);
}

static VtColumn *
make_column(const char *name, const GPtrArray *objects, double *values)
{
  const char *title = g_str_equal(name, VT_DELAUNAY_COLUMN)    ? _("Delaunay neighbours")
                      : g_str_equal(name, VT_BORDER_COLUMN_UM) ? _("Signed distance to region border, µm")
                                                               : _("Signed distance to region border, px");
  return vt_column_new(name, title, objects, values, NULL);
}

static void
work_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  const gint64 began = g_get_monotonic_time();
  g_autoptr(VtSurroundings) made = vt_surroundings_new(job->columns->result, job->counts_neighbours, job->rois, &error);
  for (guint k = 0; made && k < made->n; k++)
    job->made[k] = make_column(made->names[k], made->of, g_steal_pointer(&made->values[k]));
  job->ms = 1e-3 * (double)(g_get_monotonic_time() - began);
  vt_task_return_done(task, made != NULL, &error);
}

/* Of the layer, which loses what is not made. */
static void
show(VtSurrounder *self, VtColumn *const *made)
{
  static const char *const names[] = { VT_DELAUNAY_COLUMN, VT_BORDER_COLUMN_UM, VT_BORDER_COLUMN_PX };
  for (guint i = 0; self->layer && i < G_N_ELEMENTS(names); i++) {
    VtColumn *column = made && self->neighbours && i == 0 ? self->neighbours : NULL;
    for (guint k = 0; made && k < VT_SURROUNDINGS_MOST; k++)
      column = made[k] && g_str_equal(made[k]->name, names[i]) ? made[k] : column;
    if (column)
      vt_layer_add_column(self->layer, column);
    else
      vt_layer_remove_column(self->layer, names[i]);
  }
}

static void work(VtSurrounder *self);

static void
worked(GObject *source, GAsyncResult *result, gpointer user)
{
  VtSurrounder *self = VT_SURROUNDER(source);
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  const gboolean done = g_task_propagate_boolean(G_TASK(result), &error);
  self->is_working = FALSE;
  if (self->is_dirty || !self->layer || !self->is_on) { /* it is of what was */
    work(self);
    return;
  }
  if (job->made[0] && g_str_equal(job->made[0]->name, VT_DELAUNAY_COLUMN)) {
    g_clear_pointer(&self->neighbours, vt_column_unref);
    self->neighbours = vt_column_ref(job->made[0]);
  }
  show(self, job->made);
  vt_test_log("surroundings %d %u %.0f", done, job->columns->objects->len, job->ms);
  if (error)
    g_signal_emit_by_name(self, "failed", error->message);
}

static void
work(VtSurrounder *self)
{
  VtColumns *columns = self->layer ? vt_layer_get_columns(self->layer) : NULL;
  self->is_dirty = self->is_working;
  if (self->is_working)
    return;
  g_clear_pointer(&self->of, g_ptr_array_unref);
  if (!self->is_on || !columns || !columns->result || !self->regions) {
    g_clear_pointer(&self->neighbours, vt_column_unref);
    show(self, NULL);
    return;
  }
  if (self->neighbours && self->neighbours->of != columns->objects)
    g_clear_pointer(&self->neighbours, vt_column_unref);
  self->of = g_ptr_array_ref(columns->objects);
  Job *job = g_new0(Job, 1);
  job->columns = vt_columns_ref(columns);
  job->rois = g_ptr_array_ref(self->rois);
  job->counts_neighbours = !self->neighbours;
  self->is_working = TRUE;
  vt_task_run(self, NULL, worked, NULL, work_in_thread, job, job_free);
}

void
vt_surrounder_set_on(VtSurrounder *self, gboolean is_on)
{
  if (self->is_on == is_on)
    return;
  self->is_on = is_on;
  work(self);
}

/* --- following --- */

/* A layer has other data in many ways; here other objects count. */
static void
on_data(VtSurrounder *self)
{
  if (self->is_on && vt_layer_get_objects(self->layer) != self->of)
    work(self);
}

/* Names, colours and locks are none of our concern. */
static void
on_regions(VtSurrounder *self)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_areas(self->regions))
    g_ptr_array_add(rois, vt_roi_copy_plain(vt_roi_item_get_roi(item)));
  gboolean same = rois->len == self->rois->len;
  for (guint i = 0; same && i < rois->len; i++)
    same = vt_roi_has_same_outline(rois->pdata[i], self->rois->pdata[i]);
  if (same)
    return;
  g_ptr_array_unref(self->rois);
  self->rois = g_steal_pointer(&rois);
  if (self->is_on)
    work(self);
}

static void
on_layers_changed(VtSurrounder *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (self->layer)
    g_signal_connect_object(self->layer, "data", G_CALLBACK(on_data), self, G_CONNECT_SWAPPED);
  work(self);
}

static void
vt_surrounder_class_init(VtSurrounderClass *klass)
{
  VT_OWNS(klass, VtSurrounder, g_object_unref, layer, regions);
  VT_OWNS(klass, VtSurrounder, vt_column_unref, neighbours);
  VT_OWNS_TO_THE_END(klass, VtSurrounder, g_ptr_array_unref, rois, of);
  g_signal_new("failed", VT_TYPE_SURROUNDER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
vt_surrounder_init(VtSurrounder *self)
{
  self->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
}

VtSurrounder *
vt_surrounder_new(VtAnalysis *analysis, VtRegions *regions)
{
  VtSurrounder *self = g_object_new(VT_TYPE_SURROUNDER, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->regions = g_object_ref(regions);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions, "changed", G_CALLBACK(on_regions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_regions_get_areas(regions), "items-changed", G_CALLBACK(on_regions), self,
                          G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  return self;
}
