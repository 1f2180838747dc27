/* SPDX-License-Identifier: MIT */
#include "panels/vt-gate-classes.h"

#include <glib/gi18n.h>

#include "common/vt-widgets.h"

enum { SWATCH, NAME, OBJECTS, SHARE };

static void
attach(GtkGrid *grid, GtkWidget *child, int column, int row)
{
  gtk_grid_attach(grid, child, column, row, 1, 1);
}

static void
add_row(GtkGrid *grid, int row, gint32 color, const char *name, guint n, guint of)
{
  g_autofree char *swatch = g_strdup_printf("<span foreground=\"#%06x\">■</span>", (guint)color);
  g_autofree char *count = g_strdup_printf("%'u", n);
  g_autofree char *share = of > 0 ? g_strdup_printf("%.1f %%", 100.0 * n / of) : g_strdup("–");
  GtkWidget *sample = gtk_label_new(NULL);
  if (color >= 0)
    gtk_label_set_markup(GTK_LABEL(sample), swatch);
  attach(grid, sample, SWATCH, row);
  attach(grid, vt_label_new(name, 0, ""), NAME, row);
  attach(grid, vt_label_new(count, 1, "numeric"), OBJECTS, row);
  attach(grid, vt_label_new(share, 1, "numeric"), SHARE, row);
}

static void
add_rows(GtkGrid *grid, const VtGateTally *tally, const VtClassified *classified)
{
  guint n = 0;
  attach(grid, vt_label_new(_("Class"), 0, "caption dim-label"), NAME, 0);
  attach(grid, vt_label_new(_("Objects"), 1, "caption dim-label"), OBJECTS, 0);
  attach(grid, vt_label_new(_("of all"), 1, "caption dim-label"), SHARE, 0);
  for (guint i = 0; i < tally->gates->len; i++) {
    const VtGate *gate = tally->gates->pdata[i];
    add_row(grid, (int)i + 1, gate->color, gate->name, classified->counts[i], classified->n);
    n += classified->counts[i];
    if (tally->reasons[i])
      attach(grid, vt_label_new(tally->reasons[i], 0, "caption warning"), SHARE + 1, (int)i + 1);
  }
  add_row(grid, (int)tally->gates->len + 1, -1, _("In no gate"), classified->n - n, classified->n);
}

static void
fill(GtkGrid *grid, VtGates *gates)
{
  const VtClassified *classified = vt_gates_get_classified(gates);
  vt_widget_remove_all(GTK_WIDGET(grid));
  if (vt_gates_get(gates)->len == 0) {
    attach(grid, vt_label_new(_("There are no gates: Ctrl+G shows how one is made."), 0, "dim-label"), NAME, 0);
  } else if (classified) {
    add_rows(grid, vt_gates_get_tally(gates), classified);
  } else {
    attach(grid, vt_label_new(_("No objects yet, or they are being counted."), 0, "dim-label"), NAME, 0);
  }
}

static void
on_changed(GtkGrid *grid, VtGates *gates)
{
  fill(grid, gates);
}

GtkWidget *
vt_gate_classes_new(VtGates *gates)
{
  GtkWidget *grid = gtk_grid_new(), *scrolled = gtk_scrolled_window_new();
  GtkWidget *help = vt_label_new(_("Each object has the innermost gate that it is in as its class, of equally deep "
                                   "ones the first of the list. Classes follow the "
                                   "gates (Ctrl+G): another gate, another class."),
                                 0, "caption");
  g_object_set(help, "wrap", TRUE, NULL);
  g_object_set(grid, "column-spacing", 12, "row-spacing", 4, NULL);
  GtkWidget *box = vt_box_new(GTK_ORIENTATION_VERTICAL, 8, help, grid, NULL);
  g_object_set(box, "margin-start", 12, "margin-end", 12, "margin-top", 8, "margin-bottom", 8, NULL);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), box);
  g_signal_connect_object(gates, "changed", G_CALLBACK(on_changed), grid, G_CONNECT_SWAPPED);
  g_signal_connect_object(gates, "counted", G_CALLBACK(on_changed), grid, G_CONNECT_SWAPPED);
  fill(GTK_GRID(grid), gates);
  return scrolled;
}
