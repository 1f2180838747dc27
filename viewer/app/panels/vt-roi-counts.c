/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-counts.h"

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"

#define SETTLE_MS 100

struct _VtRoiCounts {
  VtAnalysis *analysis;
  VtRegions *regions;
  VtSlide *slide; /* or NULL */
  VtRoiCountsDone done;
  gpointer user;
  GCancellable *cancellable; /* of the task that is wanted; NULL: none */
  guint settle_id;
};

typedef struct {
  VtRoiCounts *owner; /* looked at only if the task was not cancelled */
  GPtrArray *items, *rois;
  VtSlide *slide;
  VtResult *result;
  VtClassified *classified;
  gboolean is_stale;
} Job;

VT_DEFINE_FREE(job_free, Job,
               VT_FREES(g_ptr_array_unref, items, rois) VT_FREES(vt_slide_unref, slide)
                 VT_FREES(vt_result_unref, result) VT_FREES(vt_classified_unref, classified))

/* The layer of objects of what is shown; owned, or NULL. */
static VtLayer *
find_layer(VtRoiCounts *self)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  for (guint i = g_list_model_get_n_items(layers); shown && i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS && vt_layer_get_objects(layer) == shown->objects)
      return g_steal_pointer(&layer);
  }
  return NULL;
}

void
vt_roi_counts_dup_objects(VtRoiCounts *self, VtResult **result, VtClassified **classified)
{
  g_autoptr(VtLayer) layer = find_layer(self);
  VtClassified *classes = layer ? vt_layer_get_classified(layer) : NULL;
  *result = layer ? vt_result_ref(vt_analysis_get_shown(self->analysis)) : NULL;
  *classified = classes ? vt_classified_ref(classes) : NULL;
}

static void
count_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  double mpp_x, mpp_y;
  vt_slide_get_mpp(job->slide, &mpp_x, &mpp_y);
  g_task_return_pointer(task, vt_roi_measures_new(job->rois, mpp_x, mpp_y, job->result, job->classified),
                        (GDestroyNotify)vt_roi_measures_free);
}

static void
on_counted(GObject *object, GAsyncResult *result, gpointer user)
{
  const Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(VtRoiMeasures) measures = g_task_propagate_pointer(G_TASK(result), NULL);
  if (!measures) /* others are on their way, or nobody waits any more */
    return;
  g_clear_object(&job->owner->cancellable);
  for (guint i = 0; i < job->items->len; i++)
    vt_roi_item_set_measures(job->items->pdata[i], vt_roi_measures_get(measures, i), measures->names->len);
  for (guint i = 0; i < measures->n_rois; i++) {
    const double *values = vt_roi_measures_get(measures, i);
    vt_test_log("measures %s %.2f %.2f %.0f %.2f", ((const VtRoi *)job->rois->pdata[i])->name, values[VT_ROI_AREA],
                values[VT_ROI_PERIMETER], values[VT_ROI_OBJECTS], values[VT_ROI_DENSITY]);
  }
  job->owner->done(measures, job->is_stale, job->owner->user);
}

static void
cancel(VtRoiCounts *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
}

static gboolean
count(gpointer data)
{
  VtRoiCounts *self = data;
  GListModel *list = vt_regions_get_list(self->regions);
  g_autoptr(VtLayer) layer = find_layer(self);
  const guint n = g_list_model_get_n_items(list);
  self->settle_id = 0;
  if (!self->slide || n == 0)
    return G_SOURCE_REMOVE;
  Job *job = g_new0(Job, 1);
  job->owner = self;
  job->slide = vt_slide_ref(self->slide);
  job->items = g_ptr_array_new_with_free_func(g_object_unref);
  job->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  job->is_stale = layer && vt_layer_get_stale(layer);
  vt_roi_counts_dup_objects(self, &job->result, &job->classified);
  for (guint i = 0; i < n; i++) {
    VtRoiItem *item = g_list_model_get_item(list, i);
    g_ptr_array_add(job->items, item);
    g_ptr_array_add(job->rois, vt_roi_copy(vt_roi_item_get_roi(item)));
  }
  self->cancellable = g_cancellable_new();
  vt_task_run(NULL, self->cancellable, on_counted, NULL, count_in_thread, job, job_free);
  return G_SOURCE_REMOVE;
}

void
vt_roi_counts_update(VtRoiCounts *self)
{
  cancel(self);
  if (!self->settle_id)
    self->settle_id = g_timeout_add(SETTLE_MS, count, self);
}

void
vt_roi_counts_set_slide(VtRoiCounts *self, VtSlide *slide)
{
  cancel(self);
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
}

VtRoiCounts *
vt_roi_counts_new(VtAnalysis *analysis, VtRegions *regions, VtRoiCountsDone done, gpointer user)
{
  VtRoiCounts *self = g_new0(VtRoiCounts, 1);
  self->analysis = g_object_ref(analysis);
  self->regions = g_object_ref(regions);
  self->done = done;
  self->user = user;
  g_signal_connect_swapped(analysis, "shown", G_CALLBACK(vt_roi_counts_update), self);
  g_signal_connect_swapped(vt_regions_get_list(regions), "items-changed", G_CALLBACK(vt_roi_counts_update), self);
  return self;
}

void
vt_roi_counts_free(VtRoiCounts *self)
{
  cancel(self);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_signal_handlers_disconnect_by_data(self->analysis, self);
  g_signal_handlers_disconnect_by_data(vt_regions_get_list(self->regions), self);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_object_unref(self->analysis);
  g_object_unref(self->regions);
  g_free(self);
}
