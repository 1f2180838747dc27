/* SPDX-License-Identifier: MIT
 *
 * Session files: what a window shows, kept and shown again. */
#include <glib/gi18n.h>

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "dialogs/vt-overwrite.h"
#include "window/vt-autosave.h"
#include "window/vt-pane-session.h"
#include "window/vt-tuning.h"
#include "window/vt-window-private.h"

/* --- storing --- */

static VtPage *
get_page(VtWindow *self, int i)
{
  return VT_PAGE(adw_tab_page_get_child(adw_tab_view_get_nth_page(self->tab_view, i)));
}

static void
store_page(VtPage *page, VtSessionFile *session)
{
  VtSessionTab *tab = NULL;
  for (guint i = 0; i < vt_page_get_n_panes(page); i++) {
    VtPane *pane = vt_page_get_pane(page, i);
    if (!vt_pane_get_slide(pane))
      continue;
    if (!tab)
      tab = vt_session_file_add_tab(session);
    if (pane == vt_page_get_active(page))
      tab->active = tab->views->len;
    vt_pane_store(pane, vt_session_tab_add_view(tab));
  }
  if (tab)
    tab->is_linked = vt_page_get_linked(page);
}

void
vt_window_store(VtWindow *self, VtSessionFile *session)
{
  if (!self->page)
    return;
  g_free(session->run_on);
  session->run_on = g_strdup(vt_run_on_get_id(self->run_on));
  session->has_sidebar = adw_flap_get_reveal_flap(self->flap);
  session->has_tables = gtk_widget_get_visible(GTK_WIDGET(self->roi_stack));
  session->has_minimap = self->minimap;
  session->has_stages = self->stages;
  for (int i = 0; i < adw_tab_view_get_n_pages(self->tab_view); i++) {
    if (get_page(self, i) == self->page)
      session->selected = session->tabs->len;
    store_page(get_page(self, i), session);
  }
}

/* --- saving --- */

typedef struct {
  char *path;
  char *
    left; /* the state in which this window left the file, if it did; the file's state once it is saved; NULL: it may be replaced */
  GString *text;
  GPtrArray *regions;     /* VtRoiItem that are in it */
  GPtrArray *corrections; /* VtCorrection */
} Saving;

static void
saving_free(gpointer data)
{
  Saving *saving = data;
  g_free(saving->path);
  g_free(saving->left);
  g_string_free(saving->text, TRUE);
  g_ptr_array_unref(saving->regions);
  g_ptr_array_unref(saving->corrections);
  g_free(saving);
}

static void
save_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  GError *error = NULL;
  g_autofree char *now = vt_file_dup_state(saving->path);
  if (saving->left && *now && !g_str_equal(saving->left, now)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_EXISTS, "%s", now);
    return;
  }
  const gboolean is_done = vt_file_write_text(saving->path, saving->text, &error);
  if (is_done) {
    g_free(saving->left);
    saving->left = vt_file_dup_state(saving->path);
  }
  vt_task_return_done(task, is_done, &error);
}

/* Regions that were in no file are in this one. */
static void
mark_stored(VtSessionFile *session)
{
  VT_EACH_OF (const VtSessionTab, tab, session->tabs) {
    for (guint v = 0; v < tab->views->len; v++) {
      VtSessionView *view = tab->views->pdata[v];
      view->has_saved_corrections = TRUE;
      for (guint r = 0; r < view->regions->len; r++)
        ((VtSessionRegion *)view->regions->pdata[r])->is_saved = TRUE;
    }
  }
}

/* VtRoiItem and VtCorrection of all views. */
static void
list_stored(VtWindow *self, Saving *saving)
{
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  saving->regions = g_ptr_array_new_with_free_func(g_object_unref);
  saving->corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  for (guint i = 0; i < panes->len; i++) {
    GListModel *regions = vt_regions_get_list(vt_pane_get_regions(panes->pdata[i]));
    for (guint k = 0; k < g_list_model_get_n_items(regions); k++)
      g_ptr_array_add(saving->regions, g_list_model_get_item(regions, k));
    g_ptr_array_extend_and_steal(saving->corrections,
                                 vt_corrector_dup_unsaved(vt_tuning_get(panes->pdata[i])->corrector));
  }
}

static void
set_corrections_saved(VtWindow *self, const GPtrArray *corrections)
{
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  for (guint i = 0; i < panes->len; i++)
    vt_corrector_set_saved(vt_tuning_get(panes->pdata[i])->corrector, corrections);
}

static void
set_path(VtWindow *self, const char *path, const char *state)
{
  g_free(self->session_path);
  g_free(self->session_state);
  self->session_path = g_strdup(path);
  self->session_state = g_strdup(state);
}

static void save(VtWindow *self, const char *path, const char *left);

static void
changed_answered(VtOverwrite answer, gpointer user)
{
  g_autoptr(VtWindow) self = user;
  g_autofree char *other = answer == VT_OVERWRITE_KEEP_BOTH ? vt_overwrite_number_regions(self->session_path) : NULL;
  if (self->page && answer != VT_OVERWRITE_CANCEL)
    save(self, other ? other : self->session_path, NULL);
}

/* Another window or program has saved into the file since. */
static void
ask_changed(VtWindow *self)
{
  g_autofree char *file = vt_overwrite_describe_regions(self->session_path, NULL);
  g_autofree char *holds = g_strdup_printf(_("%s, which is not as this window left it"), file ? file : "");
  g_autofree char *numbered = vt_overwrite_number_regions(self->session_path);
  vt_overwrite_ask(GTK_WINDOW(self), self->session_path, holds, NULL, numbered, changed_answered, g_object_ref(self));
}

static void
saved(GObject *source, GAsyncResult *result, gpointer user)
{
  VtWindow *self = VT_WINDOW(source);
  const Saving *saving = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  if (!self->page)
    return;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_EXISTS)) {
    ask_changed(self);
    return;
  }
  if (error) {
    vt_pane_show_error(vt_window_get_pane(self), error->message, VT_MESSAGE_ANSWER);
    return;
  }
  g_autofree char *name = vt_error_dup_name(saving->path);
  g_autofree char *sentence = g_strdup_printf(_("Saved as %s"), name);
  for (guint i = 0; i < saving->regions->len; i++)
    vt_roi_item_set_saved(saving->regions->pdata[i], TRUE);
  set_corrections_saved(self, saving->corrections);
  set_path(self, saving->path, saving->left);
  vt_test_log("session-saved %s", saving->path);
  vt_window_toast(self, sentence);
}

static void
save(VtWindow *self, const char *path, const char *left)
{
  Saving *saving = g_new0(Saving, 1);
  g_autoptr(VtSessionFile) session = vt_session_file_new();
  vt_window_store(self, session);
  mark_stored(session);
  list_stored(self, saving);
  saving->path =
    g_str_has_suffix(path, VT_SESSION_SUFFIX) ? g_strdup(path) : g_strconcat(path, VT_SESSION_SUFFIX, NULL);
  saving->left = g_strdup(left);
  g_autofree char *folder = g_path_get_dirname(saving->path);
  g_autofree char *text = vt_session_file_to_text(session, folder);
  saving->text = g_string_new(text);
  vt_task_run(self, NULL, saved, NULL, save_in_thread, saving, saving_free);
}

static void
choose_place(VtWindow *self)
{
  g_autofree char *name = self->session_path ? g_path_get_basename(self->session_path) : NULL;
  vt_file_dialog_ask(GTK_WIDGET(self), _("Save the session"), name ? name : "session" VT_SESSION_SUFFIX,
                     "win.save-session-to");
}

static void
act_save(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  if (self->session_path)
    save(self, self->session_path, self->session_state);
  else
    choose_place(self);
}

VT_ACT(save_as, choose_place(window))
VT_ACT(restore_last, vt_autosave_restore_last(window))
VT_ACT(save_to, save(window, g_variant_get_string(parameter, NULL), NULL))

/* --- restoring --- */

typedef struct {
  char *path, *state;     /* of the session file */
  VtSessionFile *session; /* NULL: read it first */
  GHashTable *slides;     /* path -> VtSlide */
  GHashTable *failures;   /* path -> sentence */
  VtRestored done;
} Restoring;

VT_DEFINE_FREE(restoring_free, Restoring,
               VT_FREES(g_free, path, state) VT_FREES(vt_session_file_free, session)
                 VT_FREES(g_hash_table_unref, slides, failures))

static void
open_slide(Restoring *restoring, const char *path, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  if (g_hash_table_contains(restoring->slides, path) || g_hash_table_contains(restoring->failures, path))
    return;
  const VtReadContext context = { .cancellable = cancellable };
  VtSlide *slide = vt_slide_open_image_with(path, &context, &error);
  if (slide)
    g_hash_table_insert(restoring->slides, g_strdup(path), slide);
  else
    g_hash_table_insert(restoring->failures, g_strdup(path), g_strdup(error->message));
}

static void
open_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Restoring *restoring = data;
  GError *error = NULL;
  restoring->state = vt_file_dup_state(restoring->path);
  if (!restoring->session)
    restoring->session = vt_session_file_read(restoring->path, &error);
  if (!restoring->session) {
    g_task_return_error(task, error);
    return;
  }
  VT_EACH_OF (const VtSessionTab, tab, restoring->session->tabs) {
    for (guint v = 0; v < tab->views->len; v++)
      open_slide(restoring, ((const VtSessionView *)tab->views->pdata[v])->slide, cancellable);
  }
  g_task_return_boolean(task, TRUE);
}

/* FALSE: something of it is missing, which is said in the view. */
static gboolean
fill_pane(VtPane *pane, const VtSessionView *view, const Restoring *restoring)
{
  VtSlide *slide = g_hash_table_lookup(restoring->slides, view->slide);
  if (!slide) {
    vt_pane_show_error(pane, g_hash_table_lookup(restoring->failures, view->slide), VT_MESSAGE_LOSS);
    return FALSE;
  }
  const guint n_losses = vt_pane_get_n_losses(pane);
  vt_pane_show_slide(pane, slide);
  vt_pane_restore(pane, view);
  vt_test_log("slide-open %s", vt_slide_get_path(slide));
  if (!view->hash || g_strcmp0(view->hash, vt_pane_get_slide_hash(slide)) == 0)
    return vt_pane_get_n_losses(pane) == n_losses;
  g_autofree char *sentence = g_strdup_printf(
    _("%s is not the file that it was when the session was saved; its regions may not fit."), vt_slide_get_name(slide));
  vt_pane_show_error(pane, sentence, VT_MESSAGE_LOSS);
  return FALSE;
}

static gboolean
fill_page(VtWindow *self, const VtSessionTab *tab, const Restoring *restoring)
{
  const guint n = tab->views->len;
  gboolean is_whole = TRUE;
  if (n == 0)
    return TRUE;
  VtPage *page = vt_window_select_empty(self);
  vt_page_set_linked(page, FALSE); /* each view goes where it was */
  vt_page_set_n_panes(page, n == 3 ? 4 : n);
  for (guint i = 0; i < n; i++)
    is_whole &= fill_pane(vt_page_get_pane(page, i), tab->views->pdata[i], restoring);
  VtPane *active = vt_page_get_pane(page, MIN((guint)tab->active, n - 1));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(active)));
  vt_page_set_linked(page, tab->is_linked);
  return is_whole;
}

static gboolean
fill_window(VtWindow *self, const Restoring *restoring)
{
  const VtSessionFile *session = restoring->session;
  gboolean is_whole = TRUE;
  int first = -1;
  adw_flap_set_reveal_flap(self->flap, session->has_sidebar);
  gtk_widget_set_visible(GTK_WIDGET(self->roi_stack), session->has_tables);
  if (self->minimap != session->has_minimap)
    g_action_group_activate_action(G_ACTION_GROUP(self), "minimap", NULL);
  if (self->stages != session->has_stages)
    g_action_group_activate_action(G_ACTION_GROUP(self), "stages", NULL);
  if (session->run_on)
    g_action_group_activate_action(G_ACTION_GROUP(self), "run-on",
                                   g_variant_new_string(vt_run_on_get_id(vt_run_on_from_id(session->run_on))));
  for (guint t = 0; t < session->tabs->len; t++) {
    is_whole &= fill_page(self, session->tabs->pdata[t], restoring);
    if (first < 0 && self->page)
      first =
        adw_tab_view_get_page_position(self->tab_view, adw_tab_view_get_page(self->tab_view, GTK_WIDGET(self->page)));
  }
  const int selected = first + (int)session->selected;
  if (first >= 0 && selected < adw_tab_view_get_n_pages(self->tab_view))
    adw_tab_view_set_selected_page(self->tab_view, adw_tab_view_get_nth_page(self->tab_view, selected));
  return is_whole;
}

static void
restored(GObject *source, GAsyncResult *result, gpointer user)
{
  VtWindow *self = VT_WINDOW(source);
  const Restoring *restoring = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  gboolean is_whole = FALSE;
  g_task_propagate_boolean(G_TASK(result), &error);
  vt_window_count_opening(self, FALSE);
  if (!self->page)
    return;
  if (error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vt_pane_show_error(vt_window_get_pane(self), error->message, VT_MESSAGE_ANSWER);
  else if (!error)
    is_whole = fill_window(self, restoring);
  vt_window_show_title(self);
  vt_window_show_panels(self);
  vt_test_log("session-restored %d", is_whole);
  if (restoring->done)
    restoring->done(self, is_whole);
  else if (is_whole) /* else, saved into the same file, what is missing would be gone */
    set_path(self, restoring->path, restoring->state);
}

void
vt_window_restore(VtWindow *self, const char *path, VtRestored done)
{
  Restoring *restoring = g_new0(Restoring, 1);
  restoring->path = g_canonicalize_filename(path, NULL);
  restoring->slides = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)vt_slide_unref);
  restoring->failures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  restoring->done = done;
  vt_window_count_opening(self, TRUE);
  vt_window_show_title(self);
  vt_window_show_panels(self);
  vt_task_run(self, self->opening, restored, NULL, open_in_thread, restoring, restoring_free);
}

const GActionEntry vt_window_session_actions[] = {
  { .name = "save-session", .activate = act_save },
  { .name = "save-session-as", .activate = act_save_as },
  { .name = "restore-last", .activate = act_restore_last },
  { .name = "save-session-to", .parameter_type = "s", .activate = act_save_to },
  { NULL },
};
