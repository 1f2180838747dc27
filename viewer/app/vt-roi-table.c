/* SPDX-License-Identifier: MIT */
#include "vt-roi-table.h"

#include <glib/gi18n.h>

#include "vt-analysis.h"
#include "vt-plugin-host.h"
#include "vt-runner.h"
#include "vt-test-log.h"
#include "vt-translate.h"

#define SETTLE_MS 50

struct _VtRoiTable {
  GtkBox parent;
  GListStore *rois;
  GListStore *others; /* VtRoiItem: rows of regions that are not in `rois` */
  GtkSingleSelection *selection;
  VtSlide *slide;
  const VitrailPlugin *plugin;
  const VitrailOp *op;
  VtParams *params; /* NULL: the defaults */
  VtRunner *runner;
  VtResult *result;
  guint settle_id;

  /* template */
  GtkColumnView *column_view;
  GtkStack *stack;
  GtkLabel *status_label;
};

G_DEFINE_FINAL_TYPE(VtRoiTable, vt_roi_table, GTK_TYPE_BOX)

enum { SIGNAL_SELECTED, SIGNAL_ACTIVATED, SIGNAL_FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtRoiTable *self = user;
  GListModel *rois = G_LIST_MODEL(self->rois);
  gtk_label_set_text(self->status_label, error ? vt_translate(error->message) : "");
  if (error) {
    g_signal_emit(self, signals[SIGNAL_FAILED], 0, vt_translate(error->message));
    return;
  }
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
  guint n = result->rows ? MIN(result->rows->len, g_list_model_get_n_items(rois)) : 0;
  for (guint i = 0; i < n; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(rois, i);
    vt_roi_item_set_row(item, g_ptr_array_index(result->rows, i));
  }
  vt_test_log("table %u-rows", n);
}

static gboolean
work_out(gpointer data)
{
  VtRoiTable *self = data;
  double mpp_x, mpp_y;
  self->settle_id = 0;
  if (!self->slide || !self->op)
    return G_SOURCE_REMOVE;
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  if (!vt_roi_items_fill(request, self->slide, G_LIST_MODEL(self->rois)))
    return G_SOURCE_REMOVE;
  g_clear_pointer(&request->params, vt_params_free);
  request->params = self->params ? vt_params_copy(self->params)
                                 : vt_params_new(self->op, vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y));
  request->slide = vt_slide_ref(self->slide);
  gtk_label_set_text(self->status_label, _("Measuring…"));
  vt_runner_start(self->runner, g_steal_pointer(&request));
  return G_SOURCE_REMOVE;
}

static void
schedule(VtRoiTable *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_runner_cancel(self->runner);
  g_clear_pointer(&self->result, vt_result_unref);
  gtk_label_set_text(self->status_label, "");
  if (g_list_model_get_n_items(G_LIST_MODEL(self->rois)) > 0)
    self->settle_id = g_timeout_add(SETTLE_MS, work_out, self);
  else
    vt_test_log("table 0-rows");
}

static void
show_or_hide(VtRoiTable *self)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->selection));
  gtk_stack_set_visible_child_name(self->stack, n > 0 ? "table" : "empty");
}

static void
on_rois_changed(VtRoiTable *self)
{
  g_list_store_remove_all(self->others);
  schedule(self);
}

static void
on_selected(VtRoiTable *self)
{
  g_signal_emit(self, signals[SIGNAL_SELECTED], 0, gtk_single_selection_get_selected_item(self->selection));
}

static void
on_activated(VtRoiTable *self, guint position)
{
  g_autoptr(VtRoiItem) item = g_list_model_get_item(G_LIST_MODEL(self->selection), position);
  if (item)
    g_signal_emit(self, signals[SIGNAL_ACTIVATED], 0, item);
}

void
vt_roi_table_set_rois(VtRoiTable *self, GListStore *rois)
{
  self->rois = g_object_ref(rois);
  self->others = g_list_store_new(VT_TYPE_ROI_ITEM);
  GListStore *parts = g_list_store_new(G_TYPE_LIST_MODEL);
  g_list_store_append(parts, self->rois);
  g_list_store_append(parts, self->others);
  GtkFlattenListModel *all = gtk_flatten_list_model_new(G_LIST_MODEL(parts));
  self->selection = gtk_single_selection_new(G_LIST_MODEL(all));
  gtk_single_selection_set_autoselect(self->selection, FALSE);
  gtk_single_selection_set_can_unselect(self->selection, TRUE);
  gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model(self->column_view, GTK_SELECTION_MODEL(self->selection));
  g_signal_connect_object(rois, "items-changed", G_CALLBACK(on_rois_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(all, "items-changed", G_CALLBACK(show_or_hide), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(on_selected), self, G_CONNECT_SWAPPED);
}

void
vt_roi_table_set_slide(VtRoiTable *self, VtSlide *slide)
{
  g_list_store_remove_all(self->rois);
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
}

void
vt_roi_table_set_params(VtRoiTable *self, const VtParams *params)
{
  if (!params && !self->params)
    return;
  g_clear_pointer(&self->params, vt_params_free);
  self->params = params ? vt_params_copy(params) : NULL;
  schedule(self);
}

void
vt_roi_table_show_result(VtRoiTable *self, VtResult *result)
{
  g_list_store_remove_all(self->others);
  if (!result->rows || !result->rois || g_list_model_get_n_items(G_LIST_MODEL(self->rois)) > 0)
    return;
  for (guint i = 0; i < MIN(result->rows->len, result->rois->len); i++) {
    g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_copy(g_ptr_array_index(result->rois, i)));
    vt_roi_item_set_row(item, g_ptr_array_index(result->rows, i));
    g_list_store_append(self->others, item);
  }
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
}

void
vt_roi_table_delete_selected(VtRoiTable *self)
{
  guint selected = gtk_single_selection_get_selected(self->selection);
  if (selected < g_list_model_get_n_items(G_LIST_MODEL(self->rois)))
    g_list_store_remove(self->rois, selected);
}

gboolean
vt_roi_table_export(VtRoiTable *self, const char *path, GError **error)
{
  if (self->result)
    return vt_result_write_csv(self->result, path, error);
  g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                      self->settle_id || vt_runner_is_running(self->runner)
                        ? _("The regions are still being measured; try again in a moment.")
                        : _("There are no regions to export. Draw one with the rectangle tool."));
  return FALSE;
}

static void
setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), column ? 1 : 0);
  gtk_widget_add_css_class(label, "numeric");
  gtk_list_item_set_child(item, label);
}

static void
update_cell(GtkListItem *item)
{
  VtRoiItem *roi_item = gtk_list_item_get_item(item);
  GtkWidget *label = gtk_list_item_get_child(item);
  guint column = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(item), "column"));
  if (!roi_item || !label)
    return;
  g_autofree char *text =
    column ? vt_roi_item_dup_value(roi_item, column - 1) : g_strdup(vt_roi_item_get_roi(roi_item)->name);
  gtk_label_set_text(GTK_LABEL(label), text);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  g_object_set_data(G_OBJECT(item), "column", column);
  g_signal_connect_object(gtk_list_item_get_item(item), "changed", G_CALLBACK(update_cell), item, G_CONNECT_SWAPPED);
  update_cell(item);
}

static void
unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(item), update_cell, item);
}

static void
add_columns(VtRoiTable *self)
{
  for (guint i = 0; i < self->op->n_columns; i++) {
    const char *title = vt_translate(self->op->columns[i]);
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), GUINT_TO_POINTER(i));
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), GUINT_TO_POINTER(i));
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), GUINT_TO_POINTER(i));
    /* "GLRLM: SRE" is the name in files; the family is in the table's heading. */
    const char *colon = strstr(title, ": ");
    GtkColumnViewColumn *column = gtk_column_view_column_new(colon ? colon + 2 : title, factory);
    gtk_column_view_column_set_resizable(column, TRUE);
    gtk_column_view_append_column(self->column_view, column);
    g_object_unref(column);
  }
}

static void
vt_roi_table_dispose(GObject *object)
{
  VtRoiTable *self = VT_ROI_TABLE(object);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_clear_pointer(&self->runner, vt_runner_free);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->params, vt_params_free);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_object(&self->selection);
  g_clear_object(&self->rois);
  g_clear_object(&self->others);
  G_OBJECT_CLASS(vt_roi_table_parent_class)->dispose(object);
}

static void
vt_roi_table_class_init(VtRoiTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  GType type = VT_TYPE_ROI_TABLE;
  G_OBJECT_CLASS(klass)->dispose = vt_roi_table_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-roi-table.ui");
  gtk_widget_class_bind_template_child(widget_class, VtRoiTable, column_view);
  gtk_widget_class_bind_template_child(widget_class, VtRoiTable, stack);
  gtk_widget_class_bind_template_child(widget_class, VtRoiTable, status_label);
  signals[SIGNAL_SELECTED] =
    g_signal_new("selected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, VT_TYPE_ROI_ITEM);
  signals[SIGNAL_ACTIVATED] =
    g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, VT_TYPE_ROI_ITEM);
  signals[SIGNAL_FAILED] =
    g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
vt_roi_table_init(VtRoiTable *self)
{
  VtRunnerCallbacks callbacks = { .done = on_done };
  gtk_widget_init_template(GTK_WIDGET(self));
  self->runner = vt_runner_new(&callbacks, self);
  self->op = vt_plugin_host_find_op(vt_plugin_host_get(), VT_ROI_OP, &self->plugin);
  if (self->op)
    add_columns(self);
  g_signal_connect_object(self->column_view, "activate", G_CALLBACK(on_activated), self, G_CONNECT_SWAPPED);
}
