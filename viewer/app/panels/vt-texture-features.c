/* SPDX-License-Identifier: MIT */
#include "panels/vt-texture-features.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-widgets.h"
#include "panels/vt-roi-columns.h"

enum { NAME, A, B, DIFFERENCE, UNIT, PERCENTILE, N_COLUMNS };

#define LEAST_OTHERS 2 /* among fewer there are no percentiles */
/* One more than the longest, "0.0001234" and "-1.234e-05": characters are counted by their mean width. */
#define NUMBER_CHARS 10
#define DIFFERENCE_CHARS 11

/* In the order of the columns of the op. "": a share, or a count of runs. */
static const char *const units[VT_TEXTURE_FEATURES] = { "px⁻²", "px²",       "",         "",         "",        "lvl⁻²",
                                                        "lvl²", "lvl⁻²px⁻²", "lvl²px⁻²", "lvl⁻²px²", "lvl²px²", "",
                                                        "",     "lvl²",      "px²",      "bit" };

static GtkLabel *
get_label(GtkGrid *grid, int column, int row)
{
  return GTK_LABEL(gtk_grid_get_child_at(grid, column, row));
}

/* Numbers are other ones with each move of the lens: labels would lay out the window anew each time. */
static GtkInscription *
get_number(GtkGrid *grid, int column, int row)
{
  return GTK_INSCRIPTION(gtk_grid_get_child_at(grid, column, row));
}

static void
add_number(GtkGrid *grid, int column, int row)
{
  GtkWidget *number = gtk_inscription_new(NULL);
  gtk_inscription_set_xalign(GTK_INSCRIPTION(number), 1);
  gtk_inscription_set_min_chars(GTK_INSCRIPTION(number), column == DIFFERENCE ? DIFFERENCE_CHARS : NUMBER_CHARS);
  gtk_inscription_set_text_overflow(GTK_INSCRIPTION(number), GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_add_css_class(number, "numeric");
  gtk_grid_attach(grid, number, column, row, 1, 1);
}

static void
add_label(GtkGrid *grid, int column, int row, const char *text)
{
  const char *classes = row == 0 || column == UNIT ? "numeric dim-label" : "numeric";
  gtk_grid_attach(grid, vt_label_new(text, column == NAME || column == UNIT ? 0 : 1, classes), column, row, 1, 1);
}

void
vt_texture_features_init(GtkGrid *grid, const VitrailOp *op)
{
  const char *const heads[N_COLUMNS] = { "", "A", "B", "A − B", "", "" };
  for (int column = 0; column < N_COLUMNS; column++)
    add_label(grid, column, 0, heads[column]);
  for (int i = 0; op && i < VT_TEXTURE_FEATURES && i + 2 < (int)op->n_columns; i++) {
    const char *name = op->columns[i + 2], *colon = strchr(name, ':');
    g_autofree char *help = vt_roi_columns_dup_help(name);
    for (int column = 0; column < N_COLUMNS; column++)
      if (column == NAME || column == UNIT)
        add_label(grid, column, i + 1, column == UNIT ? units[i] : colon ? colon + 2 : name);
      else
        add_number(grid, column, i + 1);
    gtk_widget_set_tooltip_text(GTK_WIDGET(get_label(grid, NAME, i + 1)), help);
  }
}

/* How many of the others have less, and half of those that have as much, in percent; NaN: among none. */
static double
get_percentile(GListModel *others, const VtTextureView *a, guint feature, guint *n)
{
  double below = 0;
  *n = 0;
  VT_EACH_ITEM (VtRoiItem, item, others) {
    const VtParams *params = vt_roi_item_get_params(item);
    const int setting = params ? vt_params_find_setting(params, a->result->params) : -1;
    const guint of_setting = (guint)MAX(setting, 0) * (a->result->op->n_columns - 1);
    const double value = setting >= 0 ? vt_roi_item_get_value(item, of_setting + feature + 1) : NAN;
    if (isnan(value))
      continue;
    (*n)++;
    below += value < a->features[feature] ? 1 : value == a->features[feature] ? 0.5 : 0;
  }
  return *n >= LEAST_OTHERS && !isnan(a->features[feature]) ? 100 * below / *n : NAN;
}

static void
show_number(GtkGrid *grid, int column, int row, double value, const char *format, gboolean is_stale)
{
  GtkInscription *number = get_number(grid, column, row);
  g_autofree char *text = isnan(value) ? g_strdup("–") : g_strdup_printf(format, value);
  gtk_inscription_set_text(number, text);
  if (is_stale)
    gtk_widget_add_css_class(GTK_WIDGET(number), "stale");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(number), "stale");
}

static void
show_row(GtkGrid *grid, int i, const VtTextureView *a, const VtTextureView *b, double percentile)
{
  const double x = a ? a->features[i] : NAN, y = b ? b->features[i] : NAN;
  const gboolean a_stale = a && a->is_stale, b_stale = b && b->is_stale;
  show_number(grid, A, i + 1, x, "%.4g", a_stale);
  show_number(grid, B, i + 1, y, "%.4g", b_stale);
  show_number(grid, DIFFERENCE, i + 1, x - y, "%+.4g", a_stale || b_stale);
  show_number(grid, PERCENTILE, i + 1, percentile, "%.0f", a_stale);
  gtk_widget_set_visible(gtk_grid_get_child_at(grid, B, i + 1), b != NULL);
  gtk_widget_set_visible(gtk_grid_get_child_at(grid, DIFFERENCE, i + 1), b != NULL);
}

void
vt_texture_features_show(GtkGrid *grid, const VtTextureView *a, const VtTextureView *b, GListModel *others)
{
  guint n = 0;
  if (!gtk_grid_get_child_at(grid, A, 1))
    return;
  for (int i = 0; i < VT_TEXTURE_FEATURES; i++) {
    const double percentile = a && a->result ? get_percentile(others, a, (guint)i, &n) : NAN;
    show_row(grid, i, a, b, percentile);
  }
  GtkLabel *head = get_label(grid, PERCENTILE, 0);
  g_autofree char *text = n >= LEAST_OTHERS ? g_strdup_printf(_("Percentile of %u regions"), n) : g_strdup("");
  gtk_label_set_text(head, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(head), _("How many percent of the regions of the table have less, and half of "
                                                  "those that have as much. Only regions that were measured with "
                                                  "these settings count."));
  gtk_widget_set_visible(GTK_WIDGET(get_label(grid, B, 0)), b != NULL);
  gtk_widget_set_visible(GTK_WIDGET(get_label(grid, DIFFERENCE, 0)), b != NULL);
  for (int i = 0; i <= VT_TEXTURE_FEATURES; i++)
    gtk_widget_set_visible(gtk_grid_get_child_at(grid, PERCENTILE, i), n >= LEAST_OTHERS);
}
