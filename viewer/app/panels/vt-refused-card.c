/* SPDX-License-Identifier: MIT */
#include "panels/vt-refused-card.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"
#include "run/vt-why.h"

#define TEXT_CHARS 34

struct _VtRefusedCard {
  AdwBin parent;

  /* template */
  GtkLabel *note_label;
  GtkSpinner *spinner;
  GtkBox *rows_box;
  GtkWidget *all_button;

  VtRefused *refused;
  VtAnalysis *analysis;
  VtCanvas *canvas;  /* borrowed: it outlives what lies over it */
  guint reason;      /* that is walked through */
  gboolean is_alone; /* no other one is drawn */
};

G_DEFINE_FINAL_TYPE(VtRefusedCard, vt_refused_card, ADW_TYPE_BIN)

static void show_drawn(VtRefusedCard *self);

static gboolean
walk(VtRefusedCard *self, guint reason)
{
  double x, y;
  self->reason = reason;
  if (!vt_refused_step(self->refused, reason, &x, &y))
    return FALSE;
  vt_canvas_centre_on(self->canvas, x, y);
  return TRUE;
}

gboolean
vt_refused_card_step(VtRefusedCard *self)
{
  const GPtrArray *list = vt_refused_get_list(self->refused);
  if (walk(self, self->reason))
    return TRUE;
  for (guint i = 0; !self->is_alone && i < list->len; i++)
    if (walk(self, i))
      return TRUE;
  return FALSE;
}

static void
on_row_clicked(GtkButton *button, VtRefusedCard *self)
{
  self->is_alone = TRUE;
  walk(self, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "reason")));
  show_drawn(self);
}

static void
on_all_clicked(VtRefusedCard *self)
{
  self->is_alone = FALSE;
  show_drawn(self);
}

static void
draw_swatch(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer reason)
{
  cairo_move_to(cr, 2, height / 2.0);
  cairo_line_to(cr, width - 2, height / 2.0);
  vt_canvas_stroke_refused(cr, GPOINTER_TO_UINT(reason));
}

GtkWidget *
vt_refused_card_new_swatch(guint reason)
{
  return vt_swatch_new(draw_swatch, reason);
}

static char *
dup_words(const VtRefusal *refusal)
{
  return refusal->param == G_MAXUINT || refusal->is_whole ? g_strdup(refusal->words)
                                                          : g_strdup_printf(_("%s (nearer ones only)"), refusal->words);
}

static void
add_row(VtRefusedCard *self, guint reason, const VtRefusal *refusal)
{
  GtkLabel *name, *number;
  g_autofree char *words = dup_words(refusal), *count = g_strdup_printf("%'u", refusal->outlines->len);
  g_autofree char *label = g_strdup_printf("%s: %s", words, count);
  GtkWidget *row = vt_button_new_swatch(draw_swatch, reason, &name, &number);
  gtk_label_set_text(name, words);
  gtk_label_set_text(number, count);
  gtk_label_set_wrap(name, TRUE);
  gtk_label_set_width_chars(name, TEXT_CHARS);
  gtk_label_set_max_width_chars(name, TEXT_CHARS);
  gtk_widget_set_sensitive(row, refusal->outlines->len > 0);
  gtk_widget_set_tooltip_text(row, _("This reason alone, and the next one of it, the largest first"));
  vt_widget_set_accessible_label(row, label);
  g_object_set_data(G_OBJECT(row), "reason", GUINT_TO_POINTER(reason));
  g_signal_connect_object(row, "clicked", G_CALLBACK(on_row_clicked), self, 0);
  gtk_box_append(self->rows_box, row);
}

static void
show_note(VtRefusedCard *self, guint n)
{
  const char *obstacle = vt_refused_get_obstacle(self->refused);
  const VtResult *result = vt_analysis_get_result(self->analysis);
  g_autoptr(GString) text = g_string_new(
    obstacle                               ? obstacle
    : vt_refused_is_working(self->refused) ? _("Looking for them…")
    : n == 0
      ? _("Out of date: the parameters have changed.")
      : _("What would be an object without the limit that a line names, or with the other value there: a click on one "
          "tells why. Pixels that were part of no candidate are not told here: Y asks."));
  if (result && result->is_preview) {
    g_autofree char *preview = vt_analysis_dup_preview_words(result);
    g_string_append_printf(text, "\n%s", preview);
  }
  gtk_label_set_text(self->note_label, text->str);
}

/* All of them, or those of the reason that is alone. */
static void
show_drawn(VtRefusedCard *self)
{
  const GPtrArray *list = vt_refused_get_list(self->refused);
  const gboolean has_any = vt_refused_is_on(self->refused) && !vt_refused_is_working(self->refused);
  g_autoptr(GPtrArray) drawn = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  guint at = 0;
  for (guint i = 0; has_any && i < list->len; i++) {
    const VtRefusal *refusal = list->pdata[i];
    const gboolean is_out = self->is_alone && i != self->reason;
    g_ptr_array_add(drawn, is_out ? g_ptr_array_new() : g_ptr_array_ref(refusal->outlines));
    g_ptr_array_add(words, g_strdup_printf(_("Refused: %s"), refusal->words));
  }
  VT_EACH_CHILD (row, self->rows_box) {
    gtk_widget_set_opacity(row, self->is_alone && at != self->reason ? 0.5 : 1);
    at++;
  }
  gtk_widget_set_visible(self->all_button, self->is_alone);
  vt_canvas_set_refused(self->canvas, drawn->len > 0 ? drawn : NULL, words);
}

static void
show(VtRefusedCard *self)
{
  const gboolean is_on = vt_refused_is_on(self->refused), is_working = vt_refused_is_working(self->refused);
  const GPtrArray *list = vt_refused_get_list(self->refused);
  self->is_alone &= is_on && (is_working || self->reason < list->len);
  gtk_widget_set_visible(GTK_WIDGET(self), is_on);
  vt_widget_remove_all(GTK_WIDGET(self->rows_box));
  for (guint i = 0; is_on && !is_working && i < list->len; i++)
    add_row(self, i, list->pdata[i]);
  show_drawn(self);
  gtk_spinner_set_spinning(self->spinner, is_working);
  show_note(self, list->len);
}

/* --- a click on one of them --- */

static gboolean
has_any_at(const GPtrArray *outlines, double x, double y)
{
  VT_EACH_OF (const VtDifference, outline, outlines) {
    const double *box = outline->box;
    const VtObject rings = { .n_rings = outline->n_rings,
                             .ring_sizes = outline->ring_sizes,
                             .points = outline->points };
    if (x >= box[0] && y >= box[1] && x < box[2] && y < box[3] && vt_object_has_point(&rings, x, y))
      return TRUE;
  }
  return FALSE;
}

/* A drag takes the gesture away, so this is a click that stayed where it was. */
static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, VtRefusedCard *self)
{
  const GPtrArray *list = vt_refused_get_list(self->refused);
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self->canvas));
  double x_l0, y_l0;
  if (n_press != 1 || vt_canvas_get_tool(self->canvas) != VT_TOOL_MOVE || !vt_refused_is_on(self->refused)
      || vt_refused_is_working(self->refused))
    return;
  vt_viewport_to_l0(vt_canvas_get_view(self->canvas), x * scale, y * scale, &x_l0, &y_l0);
  for (guint i = 0; i < list->len; i++)
    if ((!self->is_alone || i == self->reason)
        && has_any_at(((const VtRefusal *)list->pdata[i])->outlines, floor(x_l0) + 0.5, floor(y_l0) + 0.5)) {
      gtk_widget_activate_action(GTK_WIDGET(self), "win.why-at", "(dd)", x_l0, y_l0);
      return;
    }
}

static void
vt_refused_card_class_init(VtRefusedCardClass *klass)
{
  VT_OWNS(klass, VtRefusedCard, g_object_unref, refused, analysis);
  VT_TEMPLATE(klass, VtRefusedCard, "vt-refused-card", note_label, spinner, rows_box, all_button);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), on_all_clicked);
}

VT_TEMPLATE_INIT(VtRefusedCard, vt_refused_card)

GtkWidget *
vt_refused_card_new(VtRefused *refused, VtCanvas *canvas, VtAnalysis *analysis)
{
  VtRefusedCard *self = g_object_new(VT_TYPE_REFUSED_CARD, NULL);
  self->refused = g_object_ref(refused);
  self->analysis = g_object_ref(analysis);
  self->canvas = canvas;
  g_signal_connect_object(refused, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  GtkGesture *click = gtk_gesture_click_new();
  g_signal_connect_object(click, "released", G_CALLBACK(on_clicked), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(canvas), GTK_EVENT_CONTROLLER(click));
  return GTK_WIDGET(self);
}
