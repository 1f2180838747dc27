/* SPDX-License-Identifier: MIT
 *
 * Nothing that a person drew goes without a word. */
#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "window/vt-tuning.h"
#include "window/vt-window-private.h"

typedef struct {
  VtWindow *window;
  GPtrArray *panes;
  guint next; /* of two questions each: its regions, its corrections */
  VtClosingDone done;
  gpointer user;
} Asking;

static void ask_next(Asking *asking);

static void
finish(Asking *asking, gboolean go_on)
{
  g_ptr_array_unref(asking->panes);
  asking->done(asking->window, go_on, asking->user);
  g_object_unref(asking->window);
  g_free(asking);
}

static void
on_saved(GObject *source, GAsyncResult *result, gpointer user)
{
  Asking *asking = user;
  if (vt_window_save_regions_finish(asking->window, result))
    ask_next(asking);
  else
    finish(asking, FALSE);
}

static gboolean
ask_next_later(gpointer asking)
{
  ask_next(asking);
  return G_SOURCE_REMOVE;
}

/* The window stays open while a session is saved, which has the corrections. */
static void
on_response(AdwMessageDialog *dialog, const char *response, Asking *asking)
{
  const gboolean is_of_corrections = (asking->next - 1) % 2, saves = g_str_equal(response, "save");
  vt_test_log("answered %s", response);
  if (g_str_equal(response, "discard")) {
    g_idle_add(ask_next_later, asking); /* the window may go, but not before its dialog */
    return;
  }
  if (saves && !is_of_corrections) {
    vt_window_save_regions_async(asking->window, asking->panes->pdata[(asking->next - 1) / 2], NULL, on_saved, asking);
    return;
  }
  if (saves)
    g_action_group_activate_action(G_ACTION_GROUP(asking->window), "save-session", NULL);
  finish(asking, FALSE);
}

static guint
count_corrections(VtPane *pane)
{
  g_autoptr(GPtrArray) unsaved = vt_corrector_dup_unsaved(vt_tuning_get(pane)->corrector);
  return unsaved->len;
}

/* The person sees what the question is about. */
static void
show_pane(VtWindow *self, VtPane *pane)
{
  GtkWidget *page = gtk_widget_get_ancestor(GTK_WIDGET(pane), VT_TYPE_PAGE);
  if (page)
    adw_tab_view_set_selected_page(self->tab_view, adw_tab_view_get_page(self->tab_view, page));
}

static void
ask(Asking *asking, VtPane *pane, guint n, gboolean is_of_corrections)
{
  const char *name = vt_slide_get_name(vt_pane_get_slide(pane));
  g_autofree char *heading = g_strdup_printf(
    is_of_corrections ? _("Keep the corrections of the objects of “%s”?") : _("Save the regions of “%s”?"), name);
  show_pane(asking->window, pane);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(GTK_WINDOW(asking->window), heading, NULL));
  adw_message_dialog_format_body(
    dialog,
    is_of_corrections
      ? g_dngettext(NULL, "%u correction is in no session that was saved. Unless one is saved it will be lost.",
                    "%u corrections are in no session that was saved. Unless one is saved they will be lost.", n)
      : g_dngettext(NULL, "%u region is in no file. Unless it is saved it will be lost.",
                    "%u regions are in no file. Unless they are saved they will be lost.", n),
    n);
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "discard", _("_Discard"), "save",
                                   is_of_corrections ? _("_Save a Session…") : _("_Save…"), NULL);
  adw_message_dialog_set_response_appearance(dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance(dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(dialog, "save");
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_signal_connect(dialog, "response", G_CALLBACK(on_response), asking);
  gtk_window_present(GTK_WINDOW(dialog));
  vt_test_log(is_of_corrections ? "asks-corrections %u" : "asks-unsaved %u", n);
}

static void
ask_next(Asking *asking)
{
  while (asking->next < 2 * asking->panes->len) {
    const gboolean is_of_corrections = asking->next % 2;
    VtPane *pane = asking->panes->pdata[asking->next++ / 2];
    const guint n = is_of_corrections ? count_corrections(pane) : vt_regions_get_n_unsaved(vt_pane_get_regions(pane));
    if (n == 0)
      continue;
    ask(asking, pane, n, is_of_corrections);
    return;
  }
  finish(asking, TRUE);
}

void
vt_window_ask_unsaved(VtWindow *self, GPtrArray *panes, VtClosingDone done, gpointer user)
{
  Asking *asking = g_new0(Asking, 1);
  asking->window = g_object_ref(self);
  asking->panes = panes;
  asking->done = done;
  asking->user = user;
  ask_next(asking);
}

/* --- the window --- */

static void
close_window(VtWindow *self, gboolean go_on, gpointer user)
{
  if (go_on)
    gtk_window_destroy(GTK_WINDOW(self));
}

static gboolean
on_close_request(VtWindow *self)
{
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  guint n_unsaved = 0;
  for (guint i = 0; i < panes->len; i++)
    n_unsaved += vt_regions_get_n_unsaved(vt_pane_get_regions(panes->pdata[i])) + count_corrections(panes->pdata[i]);
  if (n_unsaved == 0)
    return GDK_EVENT_PROPAGATE;
  vt_window_ask_unsaved(self, g_steal_pointer(&panes), close_window, NULL);
  return GDK_EVENT_STOP;
}

void
vt_window_init_closing(VtWindow *self)
{
  g_signal_connect(self, "close-request", G_CALLBACK(on_close_request), NULL);
}

/* --- deletion --- */

void
vt_window_toast_step(VtWindow *self, VtUndo *undo, const char *text)
{
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("Undo"));
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH); /* it would wait behind others */
  /* The button undoes this step and no other: the toast goes with the next one. */
  g_signal_connect_object(toast, "button-clicked", G_CALLBACK(vt_undo_undo), undo, G_CONNECT_SWAPPED);
  g_signal_connect_object(undo, "changed", G_CALLBACK(vt_toast_dismiss), toast, G_CONNECT_SWAPPED);
  vt_toast_show(self->toasts, toast);
}
