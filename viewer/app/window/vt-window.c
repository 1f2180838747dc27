/* SPDX-License-Identifier: MIT */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "base/vt-file-private.h"
#include "common/vt-owned.h"
#include "common/vt-reading.h"
#include "common/vt-settings.h"
#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"

#define SAY_OPENING_MS 200
#define SAY_WAITING_MS 10000
#define MAX_FRAME_MS 100 /* a window that is not seen paints nothing */

G_DEFINE_FINAL_TYPE(VtWindow, vt_window, ADW_TYPE_APPLICATION_WINDOW)

typedef struct {
  char *path;
  guint asked; /* together with others of that number */
  char *op_id;
  char **params;
  VtPaneOptions options; /* points into the above */
  VtReading *shown;      /* NULL: it is over */
  VtWindow *window;      /* borrowed: the task holds it */
} Opening;

VT_DEFINE_FREE(opening_free, Opening,
               VT_FREES(vt_reading_free, shown) VT_FREES(g_free, path, op_id) VT_FREES(g_strfreev, params))

static Opening *
opening_new(char *path, const VtPaneOptions *options)
{
  Opening *opening = g_new0(Opening, 1);
  opening->path = path;
  if (options) {
    opening->options = *options;
    opening->op_id = g_strdup(options->op_id);
    opening->params = g_strdupv((char **)options->params);
  }
  opening->options.op_id = opening->op_id;
  opening->options.params = (const char *const *)opening->params;
  return opening;
}

VtPane *
vt_window_get_pane(VtWindow *self)
{
  return self->page ? vt_page_get_active(self->page) : NULL;
}

void
vt_window_toast(VtWindow *self, const char *sentence)
{
  g_autofree char *markup = g_markup_escape_text(sentence, -1);
  vt_toast_show(self->toasts, adw_toast_new(markup));
}

void
vt_window_tell_saved(VtWindow *self, const char *sentence, const char *kind, const char *what, const GError *error)
{
  const gboolean is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (is_cancelled)
    vt_test_log("%s-cancelled", kind);
  else if (!error)
    vt_test_log("%s-saved %s", kind, what);
  if (self->page && !error)
    vt_window_toast(self, sentence);
  else if (self->page && !is_cancelled)
    vt_pane_show_error(vt_window_get_pane(self), error->message, VT_MESSAGE_ANSWER);
}

/* An open slide on its way into a tab. */
typedef struct {
  VtSlide *slide;
  GdkTexture *picture; /* or NULL */
  GTask *task;         /* of which it came; or NULL */
} Arrived;

VT_DEFINE_FREE(arrived_free, Arrived, VT_FREES(vt_slide_unref, slide) VT_FREES(g_object_unref, picture, task))

/* Of several views the active one takes the slide, unless it would lose regions. */
static VtPage *
bring_to_front(VtWindow *self)
{
  guint n_unsaved = vt_regions_get_n_unsaved(vt_pane_get_regions(vt_window_get_pane(self)));
  if (vt_pane_get_slide(vt_window_get_pane(self)) && (vt_page_get_n_panes(self->page) == 1 || n_unsaved > 0))
    vt_window_select_empty(self);
  g_signal_connect_object(vt_pane_get_canvas(vt_window_get_pane(self)), "painted", G_CALLBACK(vt_placeholder_drop),
                          self->placeholder, G_CONNECT_SWAPPED);
  return self->page;
}

/* A slide that comes to the front takes the place of what was said there, which nobody would have seen. */
static void
say_unopened(VtWindow *self, guint asked)
{
  if (self->unopened && self->unopened_of == asked)
    vt_pane_show_error(vt_window_get_pane(self), self->unopened->str, VT_MESSAGE_ANSWER);
}

/* With the others of the same go. */
static void
add_unopened(VtWindow *self, guint asked, const char *sentence)
{
  if (!self->unopened)
    self->unopened = g_string_new(NULL);
  if (self->unopened_of != asked)
    g_string_truncate(self->unopened, 0);
  self->unopened_of = asked;
  g_string_append_printf(self->unopened, "%s%s", self->unopened->len > 0 ? "\n" : "", sentence);
  say_unopened(self, asked);
}

/* Of slides that were asked for together the first one comes to the front and stays there: who looks at it isn't taken away from it
 * by the others, and tabs that nobody sees are neither laid out nor read. */
static void
show_slide(VtWindow *self, VtSlide *slide, const Opening *opening)
{
  const gboolean is_first = opening->asked != self->n_shown;
  VtPage *page = is_first ? bring_to_front(self) : vt_window_add_page_behind(self, vt_slide_get_name(slide));
  VtPane *pane = vt_page_get_active(page);
  self->n_shown = opening->asked;
  vt_pane_show_slide(pane, slide);
  vt_pane_apply_options(pane, &opening->options);
  vt_undo_clear(vt_regions_get_undo(vt_pane_get_regions(pane))); /* how it opens is no step of a person */
  vt_page_link_anew(page);
  if (is_first) {
    say_unopened(self, opening->asked);
    gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
  } else {
    vt_window_show_title(self); /* how many are still on their way */
  }
  g_autofree char *uri = g_filename_to_uri(vt_slide_get_path(slide), NULL, NULL);
  if (uri)
    gtk_recent_manager_add_item(gtk_recent_manager_get_default(), uri);
  vt_test_log("slide-open %s", vt_slide_get_path(slide));
}

static void
make_tabs(VtWindow *self)
{
  g_clear_handle_id(&self->arrived_id, g_source_remove);
  for (Arrived *arrived; (arrived = g_queue_pop_head(&self->arrived));) {
    if (self->page) /* NULL: closed in the meantime */
      show_slide(self, arrived->slide, g_task_get_task_data(arrived->task));
    arrived_free(arrived);
  }
}

static gboolean
make_tabs_now(gpointer data)
{
  VtWindow *self = data;
  self->arrived_id = 0;
  make_tabs(self);
  return G_SOURCE_REMOVE;
}

/* Not in the middle of the frame clock's work. */
static void
on_placeholder_painted(VtWindow *self)
{
  g_clear_handle_id(&self->arrived_id, g_source_remove);
  self->arrived_id = g_idle_add(make_tabs_now, self);
}

/* The first frame has the picture and nothing else that is new; the tab comes after it. */
static void
take(VtWindow *self, Arrived *arrived, const Opening *opening)
{
  const gboolean whole = opening->options.magnification <= 0 && !opening->options.has_centre
                         && vt_page_get_n_panes(self->page) == 1 && opening->asked != self->n_shown;
  g_queue_push_tail(&self->arrived, arrived);
  if (self->arrived_id) /* it comes with the one before */
    return;
  if (!arrived->picture || !whole || !gtk_widget_get_mapped(GTK_WIDGET(self->placeholder))) {
    make_tabs(self);
    return;
  }
  vt_placeholder_show(self->placeholder, arrived->picture, arrived->slide);
  self->arrived_id = g_timeout_add(MAX_FRAME_MS, make_tabs_now, self);
}

void
vt_window_count_opening(VtWindow *self, gboolean begins)
{
  self->n_opening += begins ? 1 : -1;
  if (self->n_opening == 0) {
    g_clear_object(&self->opening);
    g_clear_handle_id(&self->title_id, g_source_remove);
    self->opens_late = FALSE;
  } else if (!self->opening) {
    self->opening = g_cancellable_new();
  }
  if (self->page)
    vt_window_enable_cancel_reading(self);
}

/* A plain image, which is decoded whole. */
static void
tell_opening(double part, gpointer data)
{
  Opening *opening = data;
  if (!vt_reading_is_told(opening->shown))
    g_atomic_int_inc(&opening->window->n_told);
  vt_reading_tell(part, opening->shown);
}

static void
open_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  const VtReadContext context = { cancellable, tell_opening, data };
  g_autoptr(VtSlide) slide = vt_slide_open_image_with(((Opening *)data)->path, &context, &error);
  if (!slide) {
    g_task_return_error(task, error);
    return;
  }
  Arrived *arrived = g_new0(Arrived, 1);
  arrived->slide = g_steal_pointer(&slide);
  arrived->picture = vt_placeholder_read_picture(arrived->slide);
  g_task_return_pointer(task, arrived, arrived_free);
}

static void
opened(GObject *source, GAsyncResult *result, gpointer user_data)
{
  VtWindow *self = VT_WINDOW(source);
  Opening *opening = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  Arrived *arrived = g_task_propagate_pointer(G_TASK(result), &error);
  if (vt_reading_is_told(opening->shown))
    g_atomic_int_add(&self->n_told, -1);
  g_clear_pointer(&opening->shown, vt_reading_free);
  vt_window_count_opening(self, FALSE);
  if (!self->page) { /* closed in the meantime */
    g_clear_pointer(&arrived, arrived_free);
    return;
  }
  if (arrived) {
    arrived->task = g_object_ref(G_TASK(result));
    take(self, arrived, opening);
    return;
  }
  vt_window_show_title(self);
  vt_window_show_panels(self);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vt_test_log("slide-cancelled %s", opening->path);
  else
    add_unopened(self, opening->asked, error->message);
}

static gboolean
end_asking(gpointer data)
{
  VT_WINDOW(data)->asked_id = 0;
  return G_SOURCE_REMOVE;
}

static gboolean
say_waiting(gpointer data)
{
  VtWindow *self = data;
  self->title_id = 0;
  self->opens_late = TRUE;
  vt_window_show_title(self);
  return G_SOURCE_REMOVE;
}

/* Only of what takes a while: a new title costs a frame, which the slide's first picture would wait for. */
static gboolean
say_opening(gpointer data)
{
  VT_WINDOW(data)->title_id = g_timeout_add(SAY_WAITING_MS, say_waiting, data);
  vt_window_show_title(data);
  return G_SOURCE_REMOVE;
}

void
vt_window_open(VtWindow *self, GFile *file, const VtPaneOptions *options)
{
  char *path = g_file_get_path(file);
  if (!path) {
    g_autofree char *uri = g_file_get_uri(file);
    g_autofree char *sentence =
      g_strdup_printf(_("%s is not a file on this computer; slides are read from disk."), uri);
    vt_pane_show_error(vt_window_get_pane(self), sentence, VT_MESSAGE_ANSWER);
    return;
  }
  const gboolean is_session = g_str_has_suffix(path, VT_SESSION_SUFFIX);
  if (is_session)
    vt_window_restore(self, path, NULL);
  if (is_session || vt_window_open_packed(self, path) || vt_window_open_recipe(self, path)
      || vt_window_open_shapes(self, path)) {
    g_free(path);
    return;
  }
  vt_window_count_opening(self, TRUE);
  vt_window_show_panels(self);
  vt_test_log("slide-asked %s", path);
  if (self->title_id == 0)
    self->title_id = g_timeout_add(SAY_OPENING_MS, say_opening, self);
  if (self->asked_id == 0) {
    self->asked_id = g_idle_add_full(G_PRIORITY_HIGH, end_asking, self, NULL); /* before anything else is asked for */
    self->n_asked++;
  }
  Opening *opening = opening_new(path, options);
  g_autofree char *name = vt_error_dup_name(path);
  opening->asked = self->n_asked;
  opening->shown = vt_reading_new(self->toasts, name);
  opening->window = self;
  vt_task_run(self, self->opening, opened, NULL, open_in_thread, opening, opening_free);
}

void
vt_window_apply_options(VtWindow *self, const VtPaneOptions *options)
{
  vt_pane_apply_options(vt_window_get_pane(self), options);
}

static void
vt_window_dispose(GObject *object)
{
  VtWindow *self = VT_WINDOW(object);
  self->page = NULL;
  /* Its tabs go with it, maybe later: somebody may hold the window still. */
  g_signal_handlers_disconnect_by_data(self->tab_view, self);
  g_clear_handle_id(&self->title_id, g_source_remove);
  g_clear_handle_id(&self->arrived_id, g_source_remove);
  g_clear_handle_id(&self->tab_id, g_source_remove);
  g_clear_handle_id(&self->asked_id, g_source_remove);
  g_queue_clear_full(&self->arrived, arrived_free);
  g_clear_pointer(&self->session_path, g_free);
  if (self->unopened)
    g_string_free(g_steal_pointer(&self->unopened), TRUE);
  g_clear_pointer(&self->session_state, g_free);
  G_OBJECT_CLASS(vt_window_parent_class)->dispose(object);
}

static void
vt_window_class_init(VtWindowClass *klass)
{
  g_type_ensure(VT_TYPE_COLOUR_POPOVER);
  g_type_ensure(VT_TYPE_PLACEHOLDER);
  g_type_ensure(VT_TYPE_STAGE_RAIL);
  G_OBJECT_CLASS(klass)->dispose = vt_window_dispose;
  VT_TEMPLATE(klass, VtWindow, "vt-window", title, open_button, toasts, flap, tab_bar, tab_view, placeholder,
              stage_rail, sidebar_stack, roi_stack, status_stack, view_section, sidebar_button, regions_button,
              colour_button, colour_popover);
}

static void
vt_window_init(VtWindow *self)
{
  static const GActionEntry *const actions[] = {
    vt_window_bundle_actions,   vt_window_compare_actions,      vt_window_correct_actions, vt_window_documents_actions,
    vt_window_gates_actions,    vt_window_layer_export_actions, vt_window_layers_actions,  vt_window_lessons_actions,
    vt_window_outlines_actions, vt_window_player_actions,       vt_window_review_actions,  vt_window_sequence_actions,
    vt_window_session_actions,  vt_window_snapshots_actions,    vt_window_stages_actions,  vt_window_texture_actions,
    vt_window_why_actions
  };
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_mend_mnemonics(GTK_WIDGET(self));
  self->minimap = TRUE;
  vt_settings_add_window(vt_settings_get(), GTK_WINDOW(self));
  g_queue_init(&self->arrived);
  g_signal_connect_object(self->placeholder, "painted", G_CALLBACK(on_placeholder_painted), self, G_CONNECT_SWAPPED);
  vt_window_init_files(self);
  vt_window_init_actions(self);
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
    g_action_map_add_action_entries(G_ACTION_MAP(self), actions[i], -1, self);
  vt_window_init_view(self);
  vt_window_init_import(self);
  vt_window_init_tabs(self);
  vt_window_init_closing(self);
}

VtWindow *
vt_window_new(GtkApplication *application)
{
  VtWindow *self = g_object_new(VT_TYPE_WINDOW, "application", application, NULL);
  vt_window_add_page(self);
  return self;
}
