/* SPDX-License-Identifier: MIT */
#include "panels/vt-lesson-card.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-digits.h"
#include "common/vt-owned.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"
#include "layers/vt-ground.h"
#include "panels/vt-refused-card.h"
#include "results/vt-compare.h"

enum { N_SHOWN = 5, PICTURE_PX = 72, SHARP_PX = 2 * PICTURE_PX };
#define AROUND 2.2 /* a picture is so many times as wide as the candidate */

struct _VtLessonCard {
  AdwBin parent;

  /* template */
  GtkLabel *state_label, *words_label;
  GtkSpinner *spinner;
  GtkBox *gallery_box, *legend_box;
  GtkWidget *buttons_box;

  GtkWidget *pictures[N_SHOWN];
  VtLessons *lessons;
  VtAnalysis *analysis;
  VtCanvas *canvas;          /* borrowed: it outlives what lies over it */
  GCancellable *cancellable; /* of the pictures that are made; or NULL */
};

G_DEFINE_FINAL_TYPE(VtLessonCard, vt_lesson_card, ADW_TYPE_BIN)

/* --- small pictures --- */

typedef struct {
  VtSlide *slide;
  guint n;
  GPtrArray *candidates; /* VtObject, owned */
  GdkTexture *textures[N_SHOWN];
} Painting;

static void
painting_free(gpointer data)
{
  Painting *painting = data;
  for (guint i = 0; i < painting->n; i++)
    g_clear_object(&painting->textures[i]);
  g_ptr_array_unref(painting->candidates);
  vt_slide_unref(painting->slide);
  g_free(painting);
}

/* The part of a square round the candidate that lies on the slide. */
static GdkTexture *
paint_one(VtSlide *slide, VtObject *candidate, GCancellable *cancellable)
{
  gint64 width, height;
  double box[4];
  vt_object_get_box(candidate, box);
  vt_slide_get_level_size(slide, 0, &width, &height);
  const double half = AROUND * MAX(box[2] - box[0], box[3] - box[1]) / 2;
  const gint64 x0 = (gint64)MAX((box[0] + box[2]) / 2 - half, 0), y0 = (gint64)MAX((box[1] + box[3]) / 2 - half, 0);
  const gint64 x1 = MIN((gint64)((box[0] + box[2]) / 2 + half), width),
               y1 = MIN((gint64)((box[1] + box[3]) / 2 + half), height);
  g_autoptr(VtGround) ground =
    x1 > x0 && y1 > y0 ? vt_ground_read(slide, x0, y0, x1 - x0, y1 - y0, SHARP_PX, SHARP_PX, cancellable, NULL) : NULL;
  g_autoptr(GPtrArray) only = g_ptr_array_new();
  g_ptr_array_add(only, candidate);
  return ground ? vt_ground_draw(ground, only) : NULL;
}

static void
paint_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Painting *painting = data;
  for (guint i = 0; i < painting->n && !g_cancellable_is_cancelled(cancellable); i++)
    painting->textures[i] = paint_one(painting->slide, painting->candidates->pdata[i], cancellable);
  g_task_return_boolean(task, TRUE);
}

static void
on_painted(GObject *source, GAsyncResult *result, gpointer user)
{
  VtLessonCard *self = VT_LESSON_CARD(source);
  Painting *painting = g_task_get_task_data(G_TASK(result));
  if (!g_task_propagate_boolean(G_TASK(result), NULL)) /* others are made */
    return;
  for (guint i = 0; i < N_SHOWN; i++) {
    GtkWidget *picture = gtk_button_get_child(GTK_BUTTON(self->pictures[i]));
    gtk_picture_set_paintable(GTK_PICTURE(picture), i < painting->n ? GDK_PAINTABLE(painting->textures[i]) : NULL);
  }
  vt_test_log("gallery %u", painting->n);
}

static void
paint(VtLessonCard *self, VtSlide *slide)
{
  const GPtrArray *candidates = vt_lessons_get_candidates(self->lessons);
  const GArray *queue = vt_lessons_get_queue(self->lessons);
  Painting *painting = g_new0(Painting, 1);
  painting->slide = vt_slide_ref(slide);
  painting->candidates = g_ptr_array_new_with_free_func(g_free);
  painting->n = MIN(queue->len, N_SHOWN);
  for (guint i = 0; i < painting->n; i++)
    g_ptr_array_add(painting->candidates, vt_object_copy(candidates->pdata[g_array_index(queue, guint, i)]));
  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  self->cancellable = g_cancellable_new();
  vt_task_run(self, self->cancellable, on_painted, NULL, paint_in_thread, painting, painting_free);
}

static const VtObject *
get_shown(VtLessonCard *self, guint at)
{
  const GPtrArray *candidates = vt_lessons_get_candidates(self->lessons);
  const GArray *queue = vt_lessons_get_queue(self->lessons);
  return candidates && at < queue->len ? candidates->pdata[g_array_index(queue, guint, at)] : NULL;
}

static void
on_picture_clicked(GtkButton *button, VtLessonCard *self)
{
  const VtObject *candidate = get_shown(self, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "place")));
  if (candidate)
    vt_canvas_centre_on(self->canvas, candidate->centroid_x_l0, candidate->centroid_y_l0);
}

/* --- what is drawn over the picture --- */

static void
draw(VtLessonCard *self, gboolean is_on)
{
  static const char *const titles[] = { N_("Not chosen, and the next best"), N_("Taught: nucleus"),
                                        N_("Taught: not a nucleus") };
  const GPtrArray *candidates = is_on ? vt_lessons_get_candidates(self->lessons) : NULL;
  g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < G_N_ELEMENTS(titles); k++) {
    g_ptr_array_add(lists, g_ptr_array_new_with_free_func((GDestroyNotify)vt_difference_free));
    g_ptr_array_add(words, g_strdup(_(titles[k])));
  }
  for (guint i = 0; candidates && i < candidates->len; i++) {
    const VtObject *candidate = candidates->pdata[i];
    const gint taught = vt_lessons_get_taught(self->lessons, i);
    if (taught < 0 && vt_candidate_is_chosen(candidate))
      continue;
    VtRoi *roi = vt_object_dup_roi(candidate);
    g_ptr_array_add(lists->pdata[1 + taught], vt_difference_new(VT_FATE_NEW, roi, 0));
    vt_roi_free(roi);
  }
  vt_canvas_set_refused(self->canvas, candidates ? lists : NULL, words);
}

/* --- words --- */

static char *
dup_state(VtLessonCard *self)
{
  const VtResult *result = vt_analysis_get_result(self->analysis);
  const guint n_right = vt_lessons_count(self->lessons, VT_LESSON_RIGHT),
              n_wrong = vt_lessons_count(self->lessons, VT_LESSON_WRONG);
  g_autoptr(GString) text = g_string_new(NULL);
  if (n_right + n_wrong == 0)
    g_string_append(text, _("Nothing was taught yet. Call the first picture by 1 or 2, or what is under the pointer by "
                            "Shift+N or Alt+N."));
  else
    g_string_append_printf(text, _("Examples: nucleus %u · not a nucleus %u"), n_right, n_wrong);
  if (n_right + n_wrong > 0 && !vt_analysis_get_live(self->analysis))
    g_string_append_printf(text, "\n%s", _("Live (Alt+V) makes the view follow; else Run (F5) shows what it changes."));
  if (result && result->is_preview) {
    g_autofree char *preview = vt_analysis_dup_preview_words(result);
    g_string_append_printf(text, "\n%s", preview);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
dup_words(VtLessonCard *self)
{
  const VtObject *first = get_shown(self, 0);
  if (first)
    return g_strdup_printf(
      vt_candidate_is_chosen(first)
        ? _("The first was chosen with a score of %.2f; with %.2g less another outline, or none, would be")
        : _("The first was not chosen: its score of %.2f lacks %.2g"),
      vt_candidate_get_score(first), vt_candidate_get_margin(first));
  return g_strdup(vt_lessons_is_working(self->lessons)       ? _("Looking for candidates…")
                  : vt_lessons_get_candidates(self->lessons) ? _("No candidate is left that was not taught.")
                                                             : _("Out of date: the parameters have changed."));
}

static void
show(VtLessonCard *self)
{
  const gboolean is_on = vt_lessons_is_on(self->lessons), is_working = vt_lessons_is_working(self->lessons);
  VtSlide *slide = vt_lessons_get_slide(self->lessons);
  if (is_on || gtk_widget_get_visible(GTK_WIDGET(self)))
    draw(self, is_on);
  gtk_widget_set_visible(GTK_WIDGET(self), is_on);
  gtk_spinner_set_spinning(self->spinner, is_on && is_working);
  if (!is_on)
    return;
  g_autofree char *state = dup_state(self), *words = dup_words(self);
  gtk_label_set_text(self->state_label, state);
  gtk_label_set_text(self->words_label, words);
  gtk_widget_set_sensitive(self->buttons_box, get_shown(self, 0) != NULL);
  for (guint i = 0; i < N_SHOWN; i++)
    gtk_widget_set_sensitive(self->pictures[i], get_shown(self, i) != NULL);
  if (slide && vt_lessons_get_candidates(self->lessons)) /* while others are looked for, these stay */
    paint(self, slide);
}

/* --- the widget --- */

static gboolean
take_digit(GtkWidget *widget, guint number)
{
  if (number > 3)
    return FALSE;
  gtk_widget_activate_action(widget, "win.lesson", "i", (gint32)number);
  return TRUE;
}

static void
stop_drawing(VtLessonCard *self)
{
  g_cancellable_cancel(self->cancellable);
}

static void
vt_lesson_card_class_init(VtLessonCardClass *klass)
{
  VT_ENDS(klass, VtLessonCard, stop_drawing);
  VT_OWNS(klass, VtLessonCard, g_object_unref, cancellable, lessons, analysis);
  VT_TEMPLATE(klass, VtLessonCard, "vt-lesson-card", state_label, words_label, spinner, gallery_box, buttons_box,
              legend_box);
}

static void
add_picture(VtLessonCard *self, guint at)
{
  GtkWidget *button = gtk_button_new(), *picture = gtk_picture_new();
  g_autofree char *label = g_strdup_printf(_("Candidate %u: go there"), at + 1);
  gtk_widget_set_size_request(picture, PICTURE_PX, PICTURE_PX);
  gtk_picture_set_can_shrink(GTK_PICTURE(picture), TRUE);
  gtk_button_set_child(GTK_BUTTON(button), picture);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_add_css_class(button, "lesson-picture");
  if (at == 0)
    gtk_widget_add_css_class(button, "first");
  gtk_widget_set_tooltip_text(button, _("Go there"));
  vt_widget_set_accessible_label(button, label);
  g_object_set_data(G_OBJECT(button), "place", GUINT_TO_POINTER(at));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_picture_clicked), self, 0);
  gtk_box_append(self->gallery_box, button);
  self->pictures[at] = button;
}

/* In the order in which they are drawn. */
static void
add_legend(VtLessonCard *self)
{
  static const char *const words[] = { N_("Next best"), N_("Nucleus"), N_("Not a nucleus") };
  for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
    GtkWidget *label = gtk_label_new(_(words[i]));
    gtk_widget_add_css_class(label, "caption");
    gtk_box_append(self->legend_box, vt_refused_card_new_swatch(i));
    gtk_box_append(self->legend_box, label);
  }
}

static void
vt_lesson_card_init(VtLessonCard *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  add_legend(self);
  for (guint i = 0; i < N_SHOWN; i++)
    add_picture(self, i);
  vt_digits_attach(GTK_WIDGET(self), take_digit);
}

GtkWidget *
vt_lesson_card_new(VtLessons *lessons, VtCanvas *canvas, VtAnalysis *analysis)
{
  VtLessonCard *self = g_object_new(VT_TYPE_LESSON_CARD, NULL);
  self->lessons = g_object_ref(lessons);
  self->analysis = g_object_ref(analysis);
  self->canvas = canvas;
  g_signal_connect_object(lessons, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "notify::live", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
