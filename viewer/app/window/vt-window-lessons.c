/* SPDX-License-Identifier: MIT
 *
 * Teaching the score by which candidates are chosen. */
#include "window/vt-window-private.h"
#include "window/vt-tuning.h"

#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

static VtLessons *
get_lessons(gpointer window)
{
  return vt_tuning_get(vt_window_get_pane(window))->lessons;
}

static void
tell(gpointer window, const GError *error)
{
  if (error)
    vt_pane_show_error(vt_window_get_pane(window), vt_translate(error->message), VT_MESSAGE_ANSWER);
}

static void
act_lessons(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
  vt_refused_stop(vt_tuning_get(pane)->refused); /* both draw candidates */
  if (vt_lessons_is_on(get_lessons(window)))
    vt_lessons_stop(get_lessons(window));
  else
    vt_lessons_start(get_lessons(window), &error);
  tell(window, error);
}

/* Under the pointer; n: 1 nucleus, 2 none. */
static void
act_lesson_here(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  double x, y;
  g_autoptr(GError) error = NULL;
  vt_canvas_get_pointed(vt_pane_get_canvas(pane), &x, &y);
  vt_refused_stop(vt_tuning_get(pane)->refused);
  vt_lessons_teach_at(get_lessons(window), x, y,
                      g_variant_get_int32(parameter) == 1 ? VT_LESSON_RIGHT : VT_LESSON_WRONG, &error);
  tell(window, error);
}

/* Of the first in the gallery; 3: it is passed over. */
static void
act_lesson(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtLessons *lessons = get_lessons(window);
  const GArray *queue = vt_lessons_get_queue(lessons);
  const gint32 number = g_variant_get_int32(parameter);
  g_autoptr(GError) error = NULL;
  if (queue->len == 0)
    return;
  if (number == 3)
    vt_lessons_pass(lessons);
  else
    vt_lessons_teach(lessons, g_array_index(queue, guint, 0), number == 1 ? VT_LESSON_RIGHT : VT_LESSON_WRONG, &error);
  tell(window, error);
}

VT_ACT(forget, vt_lessons_forget(get_lessons(window)))

static void
act_corrections(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTuning *tuning = vt_tuning_get(vt_window_get_pane(window));
  g_autoptr(GError) error = NULL;
  vt_refused_stop(tuning->refused);
  vt_taught_corrections_teach(tuning->taught_corrections, &error);
  tell(window, error);
}

VT_ACT(open, vt_file_dialog_ask(window, _("Open examples of nuclei"), NULL, "win.lessons-open-from"))

static void
act_open_from(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GError) error = NULL;
  if (vt_lessons_load(get_lessons(window), g_variant_get_string(parameter, NULL), &error))
    vt_test_log("lessons-opened");
  tell(window, error);
}

VT_ACT(save, vt_file_dialog_ask(window, _("Save the examples of nuclei"), "nuclei.model.json", "win.lessons-save-to"))

static void
act_save_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const char *path = g_variant_get_string(parameter, NULL);
  g_autoptr(GError) error = NULL;
  if (vt_lessons_save(get_lessons(window), path, &error)) {
    g_autofree char *shown = vt_error_dup_path(path);
    g_autofree char *sentence = g_strdup_printf(_("The examples are in %s."), shown);
    vt_window_toast(window, sentence);
    vt_test_log("lessons-saved %s", path);
  }
  tell(window, error);
}

/* By the margin; a second time: as before. */
static void
act_colour(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(vt_pane_get_analysis(pane)));
  const VtColumns *columns = layer ? vt_layer_get_columns(layer) : NULL;
  const gboolean is_so = layer && g_strcmp0(vt_layer_get_measure(layer), VT_CANDIDATE_MARGIN) == 0;
  if (columns && vt_columns_find(columns, VT_CANDIDATE_MARGIN) >= 0)
    vt_layer_set_measure(layer, is_so ? NULL : VT_CANDIDATE_MARGIN);
  else
    vt_pane_show_error(pane, _("The margins are not known. Shift+L begins the lessons, which look for them."),
                       VT_MESSAGE_ANSWER);
}

const GActionEntry vt_window_lessons_actions[] = {
  { .name = "lessons", .activate = act_lessons },
  { .name = "lesson", .parameter_type = "i", .activate = act_lesson },
  { .name = "lesson-here", .parameter_type = "i", .activate = act_lesson_here },
  { .name = "lessons-corrections", .activate = act_corrections },
  { .name = "lessons-forget", .activate = act_forget },
  { .name = "lessons-open", .activate = act_open },
  { .name = "lessons-open-from", .parameter_type = "s", .activate = act_open_from },
  { .name = "lessons-save", .activate = act_save },
  { .name = "lessons-save-to", .parameter_type = "s", .activate = act_save_to },
  { .name = "lessons-colour", .activate = act_colour },
  { NULL },
};
