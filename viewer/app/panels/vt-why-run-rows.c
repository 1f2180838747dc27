/* SPDX-License-Identifier: MIT */
#include "panels/vt-why-run-rows.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-why-test.h"

struct _VtWhyRunRows {
  GtkBox parent;
  VtRunLengths *lengths; /* NULL: there are no runs */
  VtRunPlace places[VT_RUN_DIRECTIONS];
  GtkToggleButton *rows[VT_RUN_DIRECTIONS];
  int pointed; /* a direction; -1: none */
};

G_DEFINE_FINAL_TYPE(VtWhyRunRows, vt_why_run_rows, GTK_TYPE_BOX)

static int
find_pressed(VtWhyRunRows *self)
{
  for (int d = 0; self->lengths && d < VT_RUN_DIRECTIONS; d++)
    if (gtk_toggle_button_get_active(self->rows[d]))
      return d;
  return -1;
}

gboolean
vt_why_run_rows_is_pressed(VtWhyRunRows *self)
{
  return find_pressed(self) >= 0;
}

VtRoi *
vt_why_run_rows_dup_lit(VtWhyRunRows *self)
{
  const int lit = self->pointed >= 0 ? self->pointed : find_pressed(self);
  return lit >= 0 ? vt_run_lengths_dup_roi(self->lengths, &self->places[lit]) : NULL;
}

static void
emit_lit(VtWhyRunRows *self)
{
  vt_test_log("why-run-lit %d", self->pointed >= 0 ? self->pointed : find_pressed(self));
  g_signal_emit_by_name(self, "lit");
}

void
vt_why_run_rows_release(VtWhyRunRows *self)
{
  const int pressed = find_pressed(self);
  if (pressed >= 0)
    gtk_toggle_button_set_active(self->rows[pressed], FALSE);
}

/* One at most. */
static void
on_toggled(GtkToggleButton *button, VtWhyRunRows *self)
{
  for (guint d = 0; gtk_toggle_button_get_active(button) && d < VT_RUN_DIRECTIONS; d++)
    if (self->rows[d] != button)
      gtk_toggle_button_set_active(self->rows[d], FALSE);
  emit_lit(self);
}

static void
on_pointed(GtkEventController *controller, double x, double y, VtWhyRunRows *self)
{
  for (int d = 0; d < VT_RUN_DIRECTIONS; d++)
    if (GTK_WIDGET(self->rows[d]) == gtk_event_controller_get_widget(controller))
      self->pointed = d;
  emit_lit(self);
}

static void
on_focused(GtkEventController *controller, VtWhyRunRows *self)
{
  on_pointed(controller, 0, 0, self);
}

static void
on_left(GtkEventController *controller, VtWhyRunRows *self)
{
  self->pointed = -1;
  emit_lit(self);
}

static void
watch(VtWhyRunRows *self, GtkWidget *row)
{
  GtkEventController *motion = gtk_event_controller_motion_new(), *focus = gtk_event_controller_focus_new();
  g_signal_connect_object(motion, "enter", G_CALLBACK(on_pointed), self, 0);
  g_signal_connect_object(motion, "leave", G_CALLBACK(on_left), self, 0);
  g_signal_connect_object(focus, "enter", G_CALLBACK(on_focused), self, 0);
  g_signal_connect_object(focus, "leave", G_CALLBACK(on_left), self, 0);
  gtk_widget_add_controller(row, motion);
  gtk_widget_add_controller(row, focus);
}

static void
add_row(VtWhyRunRows *self, guint d, const char *title)
{
  static const char *const titles[VT_RUN_DIRECTIONS] = { N_("Run along its row"), N_("Run along the falling diagonal"),
                                                         N_("Run along its column"),
                                                         N_("Run along the rising diagonal") };
  const guint n = self->places[d].length;
  GtkWidget *row = gtk_toggle_button_new();
  g_autofree char *length = g_strdup_printf(g_dngettext(NULL, "length %u pixel", "length %u pixels", n), n);
  g_autofree char *name = title ? g_strdup_printf("%s: %s: %s", title, _(titles[d]), length)
                                : g_strdup_printf("%s: %s", _(titles[d]), length);
  GtkWidget *line =
    vt_box_new(GTK_ORIENTATION_HORIZONTAL, 8, vt_why_line_new(_(titles[d])), vt_label_new(length, 1, "numeric"), NULL);
  vt_button_set_up(row, line, _("Outline the pixels of this run on the tissue"), name);
  gtk_widget_add_css_class(row, "why-test");
  self->rows[d] = GTK_TOGGLE_BUTTON(row);
  g_signal_connect_object(row, "toggled", G_CALLBACK(on_toggled), self, 0);
  watch(self, row);
  gtk_box_append(GTK_BOX(self), row);
}

static char *
dup_level(const VtRunLengths *lengths, const VtRunPlace *place)
{
  const guint level = lengths->levels[place->y * lengths->width + place->x];
  const VtRunCell cell = { VT_RUN_ALL_DIRECTIONS, level, level, 1, lengths->longest };
  g_autofree char *words = vt_run_lengths_dup_levels(lengths, &cell);
  return g_strdup_printf(_("%s, in the window of %u × %u pixels whose feature the map has here"), words, lengths->width,
                         lengths->height);
}

static void
vt_why_run_rows_class_init(VtWhyRunRowsClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtWhyRunRows, vt_run_lengths_unref, lengths);
  vt_signals_new(VT_TYPE_WHY_RUN_ROWS, "lit", NULL);
}

static void
vt_why_run_rows_init(VtWhyRunRows *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  self->pointed = -1;
}

GtkWidget *
vt_why_run_rows_new(const VtWhyMap *map, const char *title)
{
  VtWhyRunRows *self = g_object_new(VT_TYPE_WHY_RUN_ROWS, NULL);
  g_autofree char *text = map->has_places ? dup_level(map->lengths, map->places)
                          : map->failure  ? g_strdup(map->failure)
                                          : g_strdup(_("No run passes here: the pixel is masked."));
  GtkWidget *caption = vt_why_caption_new(text);
  g_object_set(caption, "margin-start", 6, "margin-end", 6, NULL); /* as in the lines below */
  gtk_box_append(GTK_BOX(self), caption);
  if (!map->has_places)
    return GTK_WIDGET(self);
  self->lengths = vt_run_lengths_ref(map->lengths);
  for (guint d = 0; d < VT_RUN_DIRECTIONS; d++) {
    self->places[d] = map->places[d];
    add_row(self, d, title);
  }
  return GTK_WIDGET(self);
}
