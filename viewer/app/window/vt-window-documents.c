/* SPDX-License-Identifier: MIT
 *
 * What leaves the program as a document: a picture of the view, a figure of all views, a report. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "canvas/vt-canvas-shot.h"
#include "common/vt-file-dialog.h"
#include "common/vt-settings.h"
#include "common/vt-task.h"
#include "dialogs/vt-picture-dialog.h"
#include "dialogs/vt-wait-dialog.h"
#include "documents/vt-drawing.h"
#include "window/vt-pane-document.h"

typedef enum { VT_PICTURE, VT_FIGURE, VT_REPORT, VT_N_DOCUMENTS } VtDocumentKind;

/* One is made at a time. It belongs to the main thread; the worker that writes it only reads. */
typedef struct {
  VtWindow *window;
  VtDocumentKind kind;
  char *path, *title;
  guint parts;
  double factor;
  GPtrArray *panes;  /* VtPane that are still to be taken, from the second one on */
  GPtrArray *panels; /* VtPanel */
  GPtrArray *rois;   /* of a report */
  VtReport *report;
  gboolean has_other_scale; /* a view is drawn at the scale of the active one, not its own */
  GCancellable *cancellable;
  GtkWindow *wait; /* weak */
} Document;

static void
document_free(Document *document)
{
  vt_wait_dialog_end(&document->wait);
  g_object_unref(document->window);
  g_free(document->path);
  g_free(document->title);
  g_ptr_array_unref(document->panes);
  g_ptr_array_unref(document->panels);
  g_clear_pointer(&document->rois, g_ptr_array_unref);
  g_clear_pointer(&document->report, vt_report_free);
  g_object_unref(document->cancellable);
  g_free(document);
}

static void
end(Document *document, GError *error)
{
  g_autoptr(GError) own = error;
  g_autofree char *name = vt_error_dup_name(document->path);
  g_autofree char *sentence = g_strdup_printf(_("Saved as %s"), name);
  vt_window_tell_saved(document->window, sentence, "document", document->path, error);
  document_free(document);
}

static void
save_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Document *document = data;
  GError *error = NULL;
  const gboolean is_saved =
    document->kind == VT_REPORT
      ? vt_report_save(document->report, document->path, cancellable, &error)
      : vt_picture_save(document->panels, document->parts, document->title, document->path, cancellable, &error);
  vt_task_return_done(task, is_saved, &error);
}

static void
saved(GObject *source, GAsyncResult *result, gpointer document)
{
  GError *error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  end(document, error);
}

static void
save(Document *document)
{
  g_autoptr(GTask) task = g_task_new(document->window, document->cancellable, saved, document);
  vt_wait_dialog_tell(document->wait, _("Drawing and writing the file"), 1);
  g_task_set_task_data(task, document, NULL);
  g_task_set_check_cancellable(task, FALSE); /* a file that is there was not cancelled */
  g_task_run_in_thread(task, save_in_thread);
}

static void take_next(Document *document);

static void
taken(GObject *source, GAsyncResult *result, gpointer user)
{
  Document *document = user;
  GError *error = NULL;
  VtShot *shot = vt_canvas_take_shot_finish(VT_CANVAS(source), result, &error);
  VtPane *pane = document->panes->pdata[document->panels->len];
  if (shot && !document->window->page) { /* it was closed */
    g_clear_pointer(&shot, vt_shot_free);
    error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
  }
  if (!shot) {
    end(document, error);
    return;
  }
  if (document->kind == VT_REPORT) {
    document->report = vt_pane_new_report(pane, shot, g_steal_pointer(&document->rois));
    save(document);
    return;
  }
  VtPanel *panel = vt_pane_new_panel(pane, shot, TRUE);
  if (document->has_other_scale) {
    g_autofree char *former = panel->caution;
    panel->caution =
      g_strdup_printf("%s%s%s", former ? former : "", former ? " · " : "",
                      _("All views are drawn at the scale of the one that was active, not each at its own"));
  }
  g_ptr_array_add(document->panels, panel);
  take_next(document);
}

static void
tell(double part, gpointer user)
{
  const Document *document = user;
  const guint n = document->panes->len;
  g_autofree char *text = n > 1
                            ? g_strdup_printf(_("Reading the slide for view %u of %u"), document->panels->len + 1, n)
                            : g_strdup(_("Reading the slide"));
  vt_wait_dialog_tell(document->wait, text, (document->panels->len + part) / n);
}

/* µm per pixel of the screen; where a slide has no pixel size, its pixels stand for them. */
static double
get_scale(VtPane *pane)
{
  double mpp, mpp_y;
  const gboolean calibrated = vt_slide_get_mpp(vt_pane_get_slide(pane), &mpp, &mpp_y);
  return vt_canvas_get_view(vt_pane_get_canvas(pane))->downsample * (calibrated ? mpp : 1);
}

static void
take_next(Document *document)
{
  if (document->panels->len == document->panes->len) {
    save(document);
    return;
  }
  VtPane *pane = document->panes->pdata[document->panels->len];
  VtCanvas *canvas = vt_pane_get_canvas(pane);
  double scale = 1;
  VtViewport view = document->kind == VT_REPORT ? vt_pane_get_report_view(pane, document->rois, &scale)
                                                : vt_canvas_enlarge_view(canvas, document->factor, &scale);
  if (document->kind == VT_FIGURE)
    view.downsample *= get_scale(vt_window_get_pane(document->window)) / get_scale(pane);
  vt_canvas_take_shot_async(canvas, &view, scale, tell, document, document->cancellable, taken, document);
}

/* Those of the tab that have a slide; of the active view first or alone. */
static void
choose_panes(Document *document)
{
  VtPage *page = document->window->page;
  VtPane *active = vt_window_get_pane(document->window);
  document->panes = g_ptr_array_new_with_free_func(g_object_unref);
  if (document->kind != VT_FIGURE) {
    g_ptr_array_add(document->panes, g_object_ref(active));
    return;
  }
  for (guint i = 0; i < vt_page_get_n_panes(page); i++) {
    VtPane *pane = vt_page_get_pane(page, i);
    if (!vt_pane_get_slide(pane))
      continue;
    g_ptr_array_add(document->panes, g_object_ref(pane));
    const double ratio = get_scale(pane) / get_scale(active);
    document->has_other_scale = document->has_other_scale || ratio > 1.001 || ratio < 0.999;
  }
}

static void
make(VtWindow *self, VtDocumentKind kind, const char *path)
{
  static const char *const headings[VT_N_DOCUMENTS] = { N_("Saving the Picture"), N_("Saving the Figure"),
                                                        N_("Saving the Report") };
  VtPane *pane = vt_window_get_pane(self);
  g_autoptr(GError) error = NULL;
  if (!vt_drawing_check(path, &error)) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return;
  }
  Document *document = g_new0(Document, 1);
  document->window = g_object_ref(self);
  document->kind = kind;
  document->path = g_strdup(path);
  document->title = g_strdup(vt_slide_get_name(vt_pane_get_slide(pane)));
  document->parts = vt_settings_get_picture_parts(vt_settings_get());
  document->factor = vt_settings_get_picture_factor(vt_settings_get());
  document->panels = g_ptr_array_new_with_free_func((GDestroyNotify)vt_panel_free);
  document->rois = kind == VT_REPORT ? vt_pane_dup_report_rois(pane) : NULL;
  document->cancellable = g_cancellable_new();
  choose_panes(document);
  vt_wait_dialog_show(&document->wait, GTK_WINDOW(self), _(headings[kind]), document->cancellable);
  take_next(document);
}

/* --- actions --- */

static char *
dup_name(VtWindow *self, const char *what)
{
  const char *slide = vt_slide_get_name(vt_pane_get_slide(vt_window_get_pane(self))), *dot = strrchr(slide, '.');
  g_autofree char *stem = g_strndup(slide, dot ? (gsize)(dot - slide) : strlen(slide));
  return g_strdup_printf("%s-%s", stem, what);
}

static void
act_picture(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  const gboolean is_figure = g_str_equal(g_action_get_name(G_ACTION(action)), "save-figure");
  const VtViewport *view = vt_canvas_get_view(vt_pane_get_canvas(vt_window_get_pane(self)));
  g_autofree char *name = dup_name(self, is_figure ? "figure.pdf" : "view.png");
  vt_picture_dialog_show(GTK_WINDOW(self),
                         is_figure ? _("Save the Views as a Figure") : _("Save the View as a Picture"), view->width_px,
                         view->height_px, name, is_figure ? "win.save-figure-to" : "win.save-picture-to");
}

VT_ACT(picture_to, make(window, VT_PICTURE, g_variant_get_string(parameter, NULL)))
VT_ACT(figure_to, make(window, VT_FIGURE, g_variant_get_string(parameter, NULL)))

static void
act_report(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autofree char *name = dup_name(window, "report.pdf");
  vt_file_dialog_ask(window, _("Save the Report"), name, "win.save-report-to");
}

VT_ACT(report_to, make(window, VT_REPORT, g_variant_get_string(parameter, NULL)))

const GActionEntry vt_window_documents_actions[] = {
  { .name = "save-picture", .activate = act_picture },
  { .name = "save-picture-to", .parameter_type = "s", .activate = act_picture_to },
  { .name = "save-figure", .activate = act_picture },
  { .name = "save-figure-to", .parameter_type = "s", .activate = act_figure_to },
  { .name = "save-report", .activate = act_report },
  { .name = "save-report-to", .parameter_type = "s", .activate = act_report_to },
  { NULL },
};
