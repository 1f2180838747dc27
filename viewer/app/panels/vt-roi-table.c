/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-table.h"

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-regions-save.h"
#include "panels/vt-roi-columns.h"
#include "panels/vt-roi-counts.h"
#include "panels/vt-roi-editor.h"
#include "panels/vt-roi-read-columns.h"
#include "panels/vt-roi-rows.h"
#include "panels/vt-roi-settings.h"
#include "panels/vt-roi-similar.h"
#include "analysis/vt-runner.h"
#include "common/vt-signals.h"
#include "common/vt-one-stop.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"

#define SETTLE_MS 50
#define LARGE_UM2 1e5 /* from here on areas are shown in mm² */

struct _VtRoiTable {
  GtkBox parent;
  VtRegions *regions;
  GListStore *others; /* VtRoiItem: rows of regions that are not in the list */
  GtkMultiSelection *selection;
  GPtrArray *chosen; /* VtRoiItem: those that a person selected; rows that are made anew are selected again */
  gboolean is_choosing;
  VtSlide *slide;
  const VitrailPlugin *plugin;
  const VitrailOp *op;
  VtParams *params; /* the present ones; NULL: without the op */
  VtRunner *runner;
  VtRoiCounts *counts;
  VtRoiEditor *editor;
  VtRoiSimilar *similar;
  VtResult *result; /* of the regions, or of the others; NULL: not known */
  GPtrArray *own;   /* char*: what the measures of all regions are called in files; NULL: not known yet */
  guint n_unseen;   /* measurements of files that are no columns */
  GPtrArray *saves; /* GTask: they wait for the measurement */
  guint settle_id;

  /* template */
  GtkColumnView *column_view;
  GtkBox *head;
  GtkStack *stack;
  GtkLabel *status_label, *settings_label;
  GtkWidget *settings_button;
};

G_DEFINE_FINAL_TYPE(VtRoiTable, vt_roi_table, GTK_TYPE_BOX)

static GListModel *
get_list(VtRoiTable *self)
{
  return vt_regions_get_list(self->regions);
}

/* Lines and points are rows, and have no texture. */
static GListModel *
get_areas(VtRoiTable *self)
{
  return vt_regions_get_areas(self->regions);
}

static gboolean
is_measuring(VtRoiTable *self)
{
  return self->settle_id != 0 || vt_runner_is_running(self->runner);
}

static gboolean
is_present(VtRoiTable *self)
{
  return self->result && self->params && vt_params_equal(self->result->params, self->params);
}

/* --- what is seen --- */

static void
show_settings(VtRoiTable *self)
{
  g_autofree char *summary = self->params ? vt_roi_settings_dup_summary(self->params) : g_strdup("");
  g_autofree char *tooltip = g_strdup_printf(_("%s. Click to change these settings."), summary);
  gtk_label_set_text(self->settings_label, summary);
  vt_widget_set_tooltip(self->settings_button, tooltip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->settings_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Settings of the texture"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, summary, -1);
}

static guint
mark_stale(VtRoiTable *self, GListModel *items)
{
  guint n_stale = 0;
  for (guint i = 0; self->params && i < g_list_model_get_n_items(items); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(items, i);
    vt_roi_item_compare(item, self->params);
    n_stale += vt_roi_item_get_stale(item);
  }
  return n_stale;
}

static void
show_status(VtRoiTable *self, const char *failure)
{
  g_autofree char *text = NULL;
  guint n_stale = mark_stale(self, get_list(self)) + mark_stale(self, G_LIST_MODEL(self->others));
  if (is_measuring(self))
    text = g_strdup(_("Measuring…"));
  else if (failure)
    text = g_strdup(failure);
  else if (n_stale > 0)
    text = g_strdup_printf(g_dngettext(NULL, "%u row of other settings: F5 measures anew",
                                       "%u rows of other settings: F5 measures anew", n_stale),
                           n_stale);
  else if (self->n_unseen > 0)
    text = g_strdup_printf(_("%d of %u measurements of files are columns"), VT_ROI_READ_MOST,
                           VT_ROI_READ_MOST + self->n_unseen);
  gtk_label_set_text(self->status_label, text ? text : "");
  if (!is_measuring(self) && text)
    gtk_widget_add_css_class(GTK_WIDGET(self->status_label), "warning");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->status_label), "warning");
  vt_test_log("stale %u", n_stale);
}

static void
show_or_hide(VtRoiTable *self)
{
  if (!self->selection) /* taken down */
    return;
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->selection));
  gtk_stack_set_visible_child_name(self->stack, n > 0 ? "table" : "empty");
}

/* --- saving --- */

typedef struct {
  char *path;
  GPtrArray *items; /* VtRoiItem */
  GPtrArray *rois;  /* VtRoi: their outlines */
  VtResult *result; /* NULL: without features */
  VtResult *objects;
  VtClassified *classified;
  VtSlide *slide;
} Save;

VT_DEFINE_FREE(save_free, Save,
               VT_FREES(g_free, path) VT_FREES(g_ptr_array_unref, items, rois)
                 VT_FREES(vt_result_unref, result, objects) VT_FREES(vt_classified_unref, classified)
                   VT_FREES(vt_slide_unref, slide))

static void
save_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Save *save = data;
  GError *error = NULL;
  gboolean done;
  double mpp_x, mpp_y;
  vt_slide_get_mpp(save->slide, &mpp_x, &mpp_y);
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(save->rois, mpp_x, mpp_y, save->objects, save->classified);
  if (g_str_has_suffix(save->path, ".geojson")) {
    g_autofree char *hash = vt_slide_dup_hash(save->slide);
    done = vt_rois_write_geojson(save->rois, hash, save->result, measures, save->path, &error);
  } else {
    done = vt_regions_save(save->result, save->rois, measures, save->path, &error);
  }
  vt_task_return_done(task, done, &error);
}

static void
start_save(VtRoiTable *self, GTask *task)
{
  Save *save = g_task_get_task_data(task);
  if (is_present(self))
    save->result = vt_result_ref(self->result);
  g_clear_pointer(&save->objects, vt_result_unref);
  g_clear_pointer(&save->classified, vt_classified_unref);
  vt_roi_counts_dup_objects(self->counts, &save->objects, &save->classified);
  g_ptr_array_set_size(save->items, 0);
  g_ptr_array_set_size(save->rois, 0);
  for (guint i = 0; i < g_list_model_get_n_items(get_list(self)); i++) {
    VtRoiItem *item = g_list_model_get_item(get_list(self), i);
    g_ptr_array_add(save->items, item);
    g_ptr_array_add(save->rois, vt_roi_copy(vt_roi_item_get_roi(item)));
  }
  g_task_run_in_thread(task, save_in_thread);
}

static void
end_saves(VtRoiTable *self, const GError *error)
{
  g_autoptr(GPtrArray) saves = g_steal_pointer(&self->saves);
  self->saves = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < saves->len; i++) {
    if (error)
      g_task_return_error(saves->pdata[i], g_error_copy(error));
    else
      start_save(self, saves->pdata[i]);
  }
}

static void
fail_saves(VtRoiTable *self, const char *sentence)
{
  g_autoptr(GError) error = g_error_new_literal(VT_ERROR, VITRAIL_BAD_ARGUMENT, sentence);
  end_saves(self, error);
}

void
vt_roi_table_save_async(VtRoiTable *self, const char *path, GAsyncReadyCallback callback, gpointer user)
{
  g_autoptr(GTask) task = g_task_new(self, NULL, callback, user);
  if (g_list_model_get_n_items(get_list(self)) == 0) {
    g_task_return_new_error(task, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s",
                            _("There are no regions to export. Draw one with the rectangle tool."));
    return;
  }
  Save *save = g_new0(Save, 1);
  save->path = g_strdup(path);
  save->items = g_ptr_array_new_with_free_func(g_object_unref);
  save->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  save->slide = vt_slide_ref(self->slide);
  g_task_set_task_data(task, save, save_free);
  if (g_str_has_suffix(path, ".geojson") || is_present(self)) {
    start_save(self, task);
    return;
  }
  if (g_list_model_get_n_items(get_areas(self)) == 0) {
    g_task_return_new_error(task, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s",
                            _("Lines and points have no area to be measured: choose a name that ends in .geojson."));
    return;
  }
  g_ptr_array_add(self->saves, g_steal_pointer(&task));
  vt_roi_table_measure(self);
}

gboolean
vt_roi_table_save_finish(VtRoiTable *self, GAsyncResult *result, GError **error)
{
  if (!g_task_propagate_boolean(G_TASK(result), error))
    return FALSE;
  Save *save = g_task_get_task_data(G_TASK(result));
  for (guint i = 0; i < save->items->len; i++)
    vt_roi_item_set_saved(save->items->pdata[i], TRUE);
  return TRUE;
}

/* --- measuring --- */

static void
failed(VtRoiTable *self, const char *sentence)
{
  show_status(self, sentence);
  if (self->saves->len > 0) {
    g_autofree char *text =
      g_strdup_printf(_("%s The outlines can be saved without it: choose a name that ends in .geojson."), sentence);
    fail_saves(self, text);
  }
  g_signal_emit_by_name(self, "failed", sentence);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtRoiTable *self = user;
  if (error) {
    failed(self, vt_translate(error->message));
    return;
  }
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
  guint n = result->rows ? MIN(result->rows->len, g_list_model_get_n_items(get_areas(self))) : 0;
  vt_roi_columns_set_features(self->column_view, result);
  for (guint i = 0; i < n; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(get_areas(self), i);
    vt_roi_item_set_row(item, g_ptr_array_index(result->rows, i), result->params);
  }
  vt_roi_columns_resort(self->column_view);
  vt_roi_similar_follow(self->similar, result);
  show_status(self, NULL);
  vt_test_log("table %u-rows", n);
  if (is_present(self))
    end_saves(self, NULL);
  else if (self->saves->len > 0)
    vt_roi_table_measure(self);
}

static void
show_read(VtRoiTable *self)
{
  self->n_unseen = vt_roi_read_columns_update(self->column_view, get_list(self), self->own);
}

static void
on_counted(const VtRoiMeasures *measures, gboolean is_stale, gpointer user)
{
  VtRoiTable *self = user;
  gboolean is_large = FALSE;
  for (guint i = 0; measures->calibrated && i < measures->n_rois; i++)
    is_large |= vt_roi_measures_get(measures, i)[VT_ROI_AREA] >= LARGE_UM2;
  vt_roi_columns_set_measures(self->column_view, measures, is_large, is_stale);
  g_clear_pointer(&self->own, g_ptr_array_unref);
  self->own = g_ptr_array_ref(measures->names);
  show_read(self);
  vt_roi_columns_resort(self->column_view);
}

void
vt_roi_table_count(VtRoiTable *self)
{
  vt_roi_counts_update(self->counts);
}

static gboolean
work_out(gpointer data)
{
  VtRoiTable *self = data;
  self->settle_id = 0;
  if (!self->slide || !self->params) {
    failed(self, _("There is no analysis that measures regions."));
    return G_SOURCE_REMOVE;
  }
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  if (!vt_roi_items_fill(request, self->slide, get_areas(self))) {
    failed(self, _("The regions lie beside the slide."));
    return G_SOURCE_REMOVE;
  }
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  vt_runner_start(self->runner, g_steal_pointer(&request));
  show_status(self, NULL);
  return G_SOURCE_REMOVE;
}

static void
schedule(VtRoiTable *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_runner_cancel(self->runner);
  g_clear_pointer(&self->result, vt_result_unref);
  if (g_list_model_get_n_items(get_areas(self)) > 0) {
    self->settle_id = g_timeout_add(SETTLE_MS, work_out, self);
  } else {
    fail_saves(self, _("There are no regions to export. Draw one with the rectangle tool."));
    vt_test_log("table 0-rows");
  }
  show_status(self, NULL);
}

void
vt_roi_table_measure(VtRoiTable *self)
{
  gboolean any = g_list_model_get_n_items(get_areas(self)) > 0;
  if (any && !self->settle_id && (!is_present(self) || vt_runner_is_running(self->runner)))
    schedule(self);
}

static void
on_rois_changed(VtRoiTable *self)
{
  g_list_store_remove_all(self->others);
  show_read(self);
  schedule(self);
}

/* Rows that stay, with other outlines or other words in them. */
static void
on_changed(VtRoiTable *self, gboolean outlines)
{
  if (outlines) {
    on_rois_changed(self);
    vt_roi_counts_update(self->counts);
  }
  vt_roi_columns_resort(self->column_view);
}

void
vt_roi_table_set_slide(VtRoiTable *self, VtSlide *slide)
{
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
  vt_roi_counts_set_slide(self->counts, slide);
  vt_regions_clear(self->regions);
}

void
vt_roi_table_set_params(VtRoiTable *self, const VtParams *params)
{
  double mpp_x, mpp_y;
  if (!self->op)
    return;
  g_autoptr(VtParams) old = g_steal_pointer(&self->params);
  self->params = vt_params_new(self->op, !self->slide || vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y));
  if (params)
    vt_params_take_over(self->params, params);
  if (old && vt_params_equal(old, self->params))
    return;
  show_settings(self);
  show_status(self, NULL);
}

void
vt_roi_table_show_result(VtRoiTable *self, VtResult *result)
{
  g_list_store_remove_all(self->others);
  if (!result->rows || !result->rois || g_list_model_get_n_items(get_list(self)) > 0)
    return;
  for (guint i = 0; i < MIN(result->rows->len, result->rois->len); i++) {
    g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_copy(g_ptr_array_index(result->rois, i)));
    vt_roi_item_set_row(item, g_ptr_array_index(result->rows, i), result->params);
    g_list_store_append(self->others, item);
  }
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
  vt_roi_columns_set_features(self->column_view, result);
  show_status(self, NULL);
}

/* --- the list --- */

GPtrArray *
vt_roi_table_dup_selected(VtRoiTable *self)
{
  GPtrArray *items = g_ptr_array_new_with_free_func(g_object_unref);
  GListModel *model = G_LIST_MODEL(self->selection);
  for (guint i = 0; i < g_list_model_get_n_items(model); i++) {
    g_autoptr(VtRoiItem) item = vt_roi_rows_dup_item(model, i);
    if (gtk_selection_model_is_selected(GTK_SELECTION_MODEL(self->selection), i)
        && !g_list_store_find(self->others, item, NULL))
      g_ptr_array_add(items, g_steal_pointer(&item));
  }
  return items;
}

GPtrArray *
vt_roi_table_dup_selected_areas(VtRoiTable *self)
{
  GPtrArray *items = vt_roi_table_dup_selected(self);
  for (guint i = items->len; i-- > 0;)
    if (vt_roi_item_get_roi(items->pdata[i])->kind != VT_SHAPE_AREA)
      g_ptr_array_remove_index(items, i);
  return items;
}

void
vt_roi_table_select(VtRoiTable *self, VtRoiItem *item)
{
  vt_roi_rows_select(GTK_SELECTION_MODEL(self->selection), vt_regions_get_tree(self->regions), item, TRUE);
}

static void
on_selected(VtRoiTable *self)
{
  if (!self->selection) /* taken down */
    return;
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(self);
  vt_roi_editor_set_items(self->editor, selected);
  g_signal_emit_by_name(self, "selected");
}

static void
on_chosen(VtRoiTable *self)
{
  if (self->is_choosing)
    return;
  g_clear_pointer(&self->chosen, g_ptr_array_unref);
  self->chosen = vt_roi_table_dup_selected(self);
  on_selected(self);
}

/* Rows that went to another place in the tree, or got a first child, are others now. */
static void
on_tree_changed(VtRoiTable *self)
{
  if (!self->selection || !self->chosen) /* taken down, or nothing was selected yet */
    return;
  self->is_choosing = TRUE;
  for (guint i = self->chosen->len; i-- > 0;) {
    if (!g_list_store_find(G_LIST_STORE(get_list(self)), self->chosen->pdata[i], NULL))
      g_ptr_array_remove_index(self->chosen, i);
    else
      vt_roi_rows_select(GTK_SELECTION_MODEL(self->selection), vt_regions_get_tree(self->regions),
                         self->chosen->pdata[i], FALSE);
  }
  self->is_choosing = FALSE;
  on_selected(self);
}

static void
on_activated(VtRoiTable *self, guint position)
{
  g_autoptr(VtRoiItem) item = vt_roi_rows_dup_item(G_LIST_MODEL(self->selection), position);
  if (item)
    g_signal_emit_by_name(self, "activated", item);
}

gboolean
vt_roi_table_find_similar(VtRoiTable *self, GError **error)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected_areas(self);
  return vt_roi_similar_start(self->similar, selected->len == 1 ? selected->pdata[0] : NULL, error);
}

void
vt_roi_table_edit(VtRoiTable *self)
{
  vt_roi_editor_open(self->editor);
}

VT_GETTER(GtkBox *, vt_roi_table_get_head, VtRoiTable, head)

void
vt_roi_table_set_regions(VtRoiTable *self, VtRegions *regions, VtAnalysis *analysis)
{
  self->regions = g_object_ref(regions);
  self->counts = vt_roi_counts_new(analysis, regions, on_counted, self);
  self->others = g_list_store_new(VT_TYPE_ROI_ITEM);
  self->editor = VT_ROI_EDITOR(vt_roi_editor_new(regions));
  gtk_box_insert_child_after(self->head, GTK_WIDGET(self->editor), GTK_WIDGET(self->status_label));
  g_signal_connect_object(regions, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  VtRegionTree *tree = vt_regions_get_tree(regions);
  GtkTreeListModel *all = vt_roi_rows_new(tree, G_LIST_MODEL(self->others));
  GtkSorter *sorter = gtk_column_view_get_sorter(self->column_view); /* of those of one parent */
  GtkTreeListRowSorter *row_sorter = gtk_tree_list_row_sorter_new(g_object_ref(sorter));
  GtkSortListModel *sorted = gtk_sort_list_model_new(G_LIST_MODEL(all), GTK_SORTER(row_sorter));
  self->selection = gtk_multi_selection_new(G_LIST_MODEL(sorted));
  gtk_column_view_set_model(self->column_view, GTK_SELECTION_MODEL(self->selection));
  VtSimilarBar *bar = g_object_new(VT_TYPE_SIMILAR_BAR, NULL);
  gtk_box_insert_child_after(GTK_BOX(self), GTK_WIDGET(bar), GTK_WIDGET(self->head));
  self->similar =
    vt_roi_similar_new(bar, self->column_view, GTK_SELECTION_MODEL(self->selection), tree, get_areas(self), self->op);
  g_signal_connect_object(get_list(self), "items-changed", G_CALLBACK(on_rois_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(sorted, "items-changed", G_CALLBACK(show_or_hide), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(self->selection, "selection-changed", G_CALLBACK(on_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(tree, "changed", G_CALLBACK(on_tree_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(sorted, "items-changed", G_CALLBACK(on_selected), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  vt_roi_table_set_params(self, NULL);
}

static void
vt_roi_table_class_init(VtRoiTableClass *klass)
{
  VT_SOURCES(klass, VtRoiTable, settle_id);
  VT_OWNS(klass, VtRoiTable, vt_roi_similar_free, similar);
  VT_OWNS(klass, VtRoiTable, vt_runner_free, runner);
  VT_OWNS(klass, VtRoiTable, vt_roi_counts_free, counts);
  VT_OWNS(klass, VtRoiTable, vt_result_unref, result);
  VT_OWNS(klass, VtRoiTable, g_ptr_array_unref, saves, chosen, own);
  VT_OWNS(klass, VtRoiTable, vt_params_free, params);
  VT_OWNS(klass, VtRoiTable, vt_slide_unref, slide);
  VT_OWNS(klass, VtRoiTable, g_object_unref, selection, regions, others);
  g_type_ensure(VT_TYPE_ONE_STOP);
  VT_TEMPLATE(klass, VtRoiTable, "vt-roi-table", column_view, head, stack, status_label, settings_label,
              settings_button);
  vt_signals_new(VT_TYPE_ROI_TABLE, "selected", NULL);
  vt_signal_new(VT_TYPE_ROI_TABLE, "activated", VT_TYPE_ROI_ITEM, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_ROI_TABLE, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_roi_table_init(VtRoiTable *self)
{
  VtRunnerCallbacks callbacks = { .done = on_done };
  gtk_widget_init_template(GTK_WIDGET(self));
  self->saves = g_ptr_array_new_with_free_func(g_object_unref);
  self->runner = vt_runner_new(&callbacks, self);
  self->op = vt_plugin_host_find_op(vt_plugin_host_get(), VT_ROI_OP, &self->plugin);
  vt_roi_columns_add(self->column_view, self->op);
  vt_roi_rows_add_keys(self->column_view);
  g_signal_connect_object(self->column_view, "activate", G_CALLBACK(on_activated), self, G_CONNECT_SWAPPED);
}
