/* SPDX-License-Identifier: MIT */
#include "vt-window-private.h"

#include <glib/gi18n.h>

#include "vt-scale.h"
#include "vt-test-log.h"

G_DEFINE_FINAL_TYPE(VtWindow, vt_window, ADW_TYPE_APPLICATION_WINDOW)

static void
place_view(VtWindow *self)
{
  double mpp = 0, mpp_y = 0;
  vt_slide_get_mpp(self->slide, &mpp, &mpp_y);
  if (self->magnification > 0)
    vt_canvas_set_downsample(
      self->canvas, vt_scale_get_downsample(mpp, vt_slide_get_objective_power(self->slide), self->magnification));
  if (self->has_centre)
    vt_canvas_centre_on(self->canvas, self->centre_x_l0, self->centre_y_l0);
  vt_canvas_finish(self->canvas);
  self->magnification = 0;
  self->has_centre = FALSE;
}

static void
show_slide(VtWindow *self, VtSlide *slide)
{
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
  self->n_rois_drawn = 0;
  vt_roi_table_set_slide(self->roi_table, slide);
  vt_analysis_set_slide(self->analysis, slide);
  vt_canvas_set_slide(self->canvas, slide);
  place_view(self);
  vt_window_follow_store(self);
  vt_window_update_view(self);
  gtk_stack_set_visible_child_name(self->stack, "slide");
  gtk_widget_grab_focus(GTK_WIDGET(self->canvas));
  vt_window_show_title(self);
  vt_window_hide_error(self);
  vt_window_update_actions(self);
  g_autofree char *uri = g_filename_to_uri(vt_slide_get_path(slide), NULL, NULL);
  if (uri)
    gtk_recent_manager_add_item(gtk_recent_manager_get_default(), uri);
  vt_test_log("slide-open %s", vt_slide_get_path(slide));
}

static void
open_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  VtSlide *slide = vt_slide_open(data, &error);
  if (slide)
    g_task_return_pointer(task, slide, (GDestroyNotify)vt_slide_unref);
  else
    g_task_return_error(task, error);
}

static void
opened(GObject *source, GAsyncResult *result, gpointer user_data)
{
  VtWindow *self = VT_WINDOW(source);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSlide) slide = g_task_propagate_pointer(G_TASK(result), &error);
  if (GPOINTER_TO_SIZE(user_data) != self->open_generation || !self->analysis)
    return;
  self->opening = FALSE;
  vt_window_show_title(self);
  if (slide)
    show_slide(self, slide);
  else
    vt_window_show_error(self, error->message, FALSE);
}

void
vt_window_open(VtWindow *self, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);
  if (!path) {
    g_autofree char *uri = g_file_get_uri(file);
    g_autofree char *sentence =
      g_strdup_printf(_("%s is not a file on this computer; slides are read from disk."), uri);
    vt_window_show_error(self, sentence, FALSE);
    return;
  }
  self->opening = TRUE;
  vt_window_show_title(self);
  g_autoptr(GTask) task = g_task_new(self, NULL, opened, GSIZE_TO_POINTER(++self->open_generation));
  g_task_set_task_data(task, g_steal_pointer(&path), g_free);
  g_task_run_in_thread(task, open_in_thread);
}

gboolean
vt_window_has_slide(VtWindow *self)
{
  return self->slide != NULL || self->opening;
}

void
vt_window_apply_options(VtWindow *self, const VtWindowOptions *options)
{
  g_autoptr(GError) error = NULL;
  if (options->op_id && !vt_run_panel_select_op(self->run_panel, options->op_id, &error)) {
    vt_window_show_error(self, error->message, FALSE);
    g_clear_error(&error);
  }
  for (guint i = 0; options->params && options->params[i] && vt_analysis_get_op(self->analysis); i++) {
    if (!vt_analysis_set_param_text(self->analysis, options->params[i], &error)) {
      vt_window_show_error(self, error->message, FALSE);
      g_clear_error(&error);
    }
  }
  if (options->live)
    vt_analysis_set_live(self->analysis, TRUE);
  self->magnification = options->magnification;
  self->has_centre = options->has_centre;
  self->centre_x_l0 = options->centre_x_l0;
  self->centre_y_l0 = options->centre_y_l0;
}

static void
on_view_changed(VtWindow *self)
{
  if (self->slide)
    vt_analysis_set_view(self->analysis, vt_canvas_get_view(self->canvas), vt_canvas_get_moving(self->canvas));
}

static void
on_roi_drawn(VtWindow *self, double x_l0, double y_l0, double width_l0, double height_l0)
{
  g_autofree char *name = g_strdup_printf(_("ROI %u"), ++self->n_rois_drawn);
  g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_new_rectangle(name, x_l0, y_l0, width_l0, height_l0));
  g_list_store_append(self->rois, item);
  vt_test_log("roi-added %u", self->n_rois_drawn);
  gtk_widget_set_visible(GTK_WIDGET(self->roi_table), TRUE);
}

static void
on_roi_selected(VtWindow *self, VtRoiItem *item)
{
  vt_canvas_set_selected_roi(self->canvas, item);
  vt_window_update_actions(self);
}

static void
on_roi_activated(VtWindow *self, VtRoiItem *item)
{
  double x, y, width, height;
  vt_roi_get_bounds(vt_roi_item_get_roi(item), &x, &y, &width, &height);
  vt_canvas_centre_on(self->canvas, x + width / 2, y + height / 2);
}

static void
on_failed(VtWindow *self, const char *sentence)
{
  vt_window_show_error(self, sentence, FALSE);
}

/* The table follows the run panel when both mean the same op. */
static void
share_params(VtWindow *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  gboolean same = op && g_str_equal(op->id, VT_ROI_OP);
  vt_roi_table_set_params(self->roi_table, same ? vt_analysis_get_params(self->analysis) : NULL);
}

static void
on_finished(VtWindow *self)
{
  VtResult *result = vt_analysis_get_result(self->analysis);
  if (g_str_equal(result->op->id, VT_ROI_OP)) {
    gtk_widget_set_visible(GTK_WIDGET(self->roi_table), TRUE);
    if (g_list_model_get_n_items(G_LIST_MODEL(self->rois)) > 0)
      share_params(self);
    else
      vt_roi_table_show_result(self->roi_table, result);
  }
  vt_window_update_actions(self);
}

static void
vt_window_dispose(GObject *object)
{
  VtWindow *self = VT_WINDOW(object);
  g_clear_weak_pointer(&self->properties);
  g_clear_object(&self->analysis);
  g_clear_object(&self->rois);
  g_clear_pointer(&self->slide, vt_slide_unref);
  G_OBJECT_CLASS(vt_window_parent_class)->dispose(object);
}

static void
vt_window_class_init(VtWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  static const struct {
    const char *name;
    gssize offset;
  } children[] = {
#define CHILD(name) { #name, G_STRUCT_OFFSET(VtWindow, name) }
    CHILD(title),          CHILD(open_button),
    CHILD(hand_button),    CHILD(rectangle_button),
    CHILD(toasts),         CHILD(message_revealer),
    CHILD(message_label),  CHILD(retry_button),
    CHILD(flap),           CHILD(stack),
    CHILD(empty_page),     CHILD(canvas),
    CHILD(run_panel),      CHILD(layer_list),
    CHILD(param_panel),    CHILD(roi_table),
    CHILD(position_label), CHILD(value_label),
    CHILD(zoom_label),     CHILD(sharp_label),
    CHILD(run_label),      CHILD(spinner),
    CHILD(status_bar),     CHILD(zoom_button),
    CHILD(view_section),   CHILD(minimap),
#undef CHILD
  };
  g_type_ensure(VT_TYPE_CANVAS);
  g_type_ensure(VT_TYPE_MINIMAP);
  g_type_ensure(VT_TYPE_RUN_PANEL);
  g_type_ensure(VT_TYPE_LAYER_LIST);
  g_type_ensure(VT_TYPE_PARAM_PANEL);
  g_type_ensure(VT_TYPE_ROI_TABLE);
  G_OBJECT_CLASS(klass)->dispose = vt_window_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-window.ui");
  for (guint i = 0; i < G_N_ELEMENTS(children); i++)
    gtk_widget_class_bind_template_child_full(widget_class, children[i].name, FALSE, children[i].offset);
}

static void
vt_window_init(VtWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  self->analysis = vt_analysis_new(G_LIST_MODEL(self->rois));
  vt_canvas_set_layers(self->canvas, vt_analysis_get_layers(self->analysis));
  vt_canvas_set_rois(self->canvas, G_LIST_MODEL(self->rois));
  vt_roi_table_set_rois(self->roi_table, self->rois);
  vt_run_panel_set_analysis(self->run_panel, self->analysis);
  vt_param_panel_set_analysis(self->param_panel, self->analysis);
  g_signal_connect_object(self->canvas, "view-changed", G_CALLBACK(on_view_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->canvas, "roi-drawn", G_CALLBACK(on_roi_drawn), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->roi_table, "selected", G_CALLBACK(on_roi_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->roi_table, "activated", G_CALLBACK(on_roi_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->roi_table, "failed", G_CALLBACK(on_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "op-changed", G_CALLBACK(share_params), self, G_CONNECT_SWAPPED);
  vt_window_init_files(self);
  vt_window_init_status(self);
  vt_window_init_actions(self);
  vt_window_init_view(self);
  vt_window_init_layers(self);
  vt_window_update_actions(self);
}

VtWindow *
vt_window_new(GtkApplication *application)
{
  return g_object_new(VT_TYPE_WINDOW, "application", application, NULL);
}
