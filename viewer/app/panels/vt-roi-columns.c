/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-columns.h"

#include <math.h>
#include <string.h>

#include "plugins/vt-plugin-host.h"
#include "layers/vt-roi-item.h"
#include "panels/vt-roi-settings.h"
#include "common/vt-translate.h"

/* Definitions of the Image Biomarker Standardisation Initiative (IBSI), 3.7. */
static const struct {
  const char *code, *formula;
} features[] = {
  { "SRE", "1/N · Σ r(i,j) / j²" },
  { "LRE", "1/N · Σ r(i,j) · j²" },
  { "GLN", "1/N · Σᵢ (Σⱼ r(i,j))²" },
  { "RLN", "1/N · Σⱼ (Σᵢ r(i,j))²" },
  { "RP", "N / P" },
  { "LGRE", "1/N · Σ r(i,j) / i²" },
  { "HGRE", "1/N · Σ r(i,j) · i²" },
  { "SRLGE", "1/N · Σ r(i,j) / (i² · j²)" },
  { "SRHGE", "1/N · Σ r(i,j) · i² / j²" },
  { "LRLGE", "1/N · Σ r(i,j) · j² / i²" },
  { "LRHGE", "1/N · Σ r(i,j) · i² · j²" },
  { "GLNN", "1/N² · Σᵢ (Σⱼ r(i,j))²" },
  { "RLNN", "1/N² · Σⱼ (Σᵢ r(i,j))²" },
  { "GLV", "1/N · Σ r(i,j) · (i − μ)²,  μ = 1/N · Σ r(i,j) · i" },
  { "RV", "1/N · Σ r(i,j) · (j − μ)²,  μ = 1/N · Σ r(i,j) · j" },
  { "RE", "−Σ p(i,j) · log₂ p(i,j),  p = r/N" },
};

/* "GLRLM: SRE" is the name in files; the family is in the line above the table. */
static const char *
get_code(const char *column)
{
  const char *colon = strstr(column, ": ");
  return colon ? colon + 2 : column;
}

/* The op of texture maps has a title for each feature: "Short run emphasis (SRE)". */
static const char *
find_title(const char *code)
{
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "glrlm-map", NULL);
  int index = op ? vt_op_find_param(op, "feature") : -1;
  for (guint i = 0; index >= 0 && i < op->params[index]->n_choices; i++)
    if (g_ascii_strcasecmp(op->params[index]->choices[i], code) == 0 && op->params[index]->choice_titles)
      return op->params[index]->choice_titles[i];
  return NULL;
}

char *
vt_roi_columns_dup_help(const char *column)
{
  const char *code = get_code(column);
  for (guint i = 0; i < G_N_ELEMENTS(features); i++) {
    if (!g_str_equal(features[i].code, code))
      continue;
    const char *title = find_title(code);
    return g_strdup_printf("%s\n%s\n%s", title ? vt_translate(title) : code, features[i].formula,
                           _("r(i,j): runs of level i and length j; N: all runs; P: pixels"));
  }
  if (g_str_equal(column, "Pixels"))
    return g_strdup(_("Pixels of the analysis inside the region"));
  return NULL;
}

/* --- cells --- */

static guint
get_column(gpointer item)
{
  return GPOINTER_TO_UINT(g_object_get_data(item, "column"));
}

static char *
dup_text(VtRoiItem *item, guint column)
{
  if (column > 0)
    return vt_roi_item_dup_value(item, column - 1);
  const char *name = vt_roi_item_get_roi(item)->name;
  return vt_roi_item_get_stale(item) ? g_strdup_printf(_("%s · outdated"), name) : g_strdup(name);
}

static void
update_cell(GtkListItem *list_item)
{
  VtRoiItem *item = gtk_list_item_get_item(list_item);
  GtkWidget *label = gtk_list_item_get_child(list_item);
  if (!item || !label)
    return;
  g_autofree char *text = dup_text(item, get_column(list_item));
  g_autofree char *summary = NULL, *tooltip = NULL;
  gtk_label_set_text(GTK_LABEL(label), text);
  if (vt_roi_item_get_stale(item)) {
    summary = vt_roi_settings_dup_summary(vt_roi_item_get_params(item));
    tooltip = g_strdup_printf(_("Measured with other settings: %s. F5 measures anew."), summary);
    gtk_widget_add_css_class(label, "stale");
  } else {
    gtk_widget_remove_css_class(label, "stale");
  }
  gtk_widget_set_tooltip_text(label, tooltip);
}

static void
setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), column ? 1 : 0);
  gtk_widget_add_css_class(label, "numeric");
  gtk_list_item_set_child(item, label);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  g_object_set_data(G_OBJECT(item), "column", column);
  g_signal_connect_object(gtk_list_item_get_item(item), "changed", G_CALLBACK(update_cell), item, G_CONNECT_SWAPPED);
  update_cell(item);
}

static void
unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(item), update_cell, item);
}

/* --- order --- */

/* "ROI 2" before "ROI 10". */
static int
compare_names(const VtRoiItem *a, const VtRoiItem *b)
{
  g_autofree char *key_a = g_utf8_collate_key_for_filename(vt_roi_item_get_roi((VtRoiItem *)a)->name, -1);
  g_autofree char *key_b = g_utf8_collate_key_for_filename(vt_roi_item_get_roi((VtRoiItem *)b)->name, -1);
  return strcmp(key_a, key_b);
}

/* What is unknown or undefined comes after every number. */
static int
compare_items(gconstpointer a, gconstpointer b, gpointer column)
{
  if (GPOINTER_TO_UINT(column) == 0)
    return compare_names(a, b);
  const double x = vt_roi_item_get_value((VtRoiItem *)a, GPOINTER_TO_UINT(column) - 1);
  const double y = vt_roi_item_get_value((VtRoiItem *)b, GPOINTER_TO_UINT(column) - 1);
  if (isnan(x) || isnan(y))
    return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

void
vt_roi_columns_resort(GtkColumnView *view)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(view);
  if (sorter)
    gtk_sorter_changed(sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

/* GTK 4.8 has no tooltips of columns: the headers are the children of the view's first child, in their order. */
static void
explain_headers(GtkColumnView *view, const VitrailOp *op)
{
  GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(view));
  GtkWidget *title = header ? gtk_widget_get_first_child(header) : NULL;
  for (guint i = 0; title && i < op->n_columns; i++, title = gtk_widget_get_next_sibling(title)) {
    g_autofree char *help = vt_roi_columns_dup_help(op->columns[i]);
    gtk_widget_set_tooltip_text(title, help);
  }
}

void
vt_roi_columns_add(GtkColumnView *view, const VitrailOp *op)
{
  for (guint i = 0; i < op->n_columns; i++) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), GUINT_TO_POINTER(i));
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), GUINT_TO_POINTER(i));
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), GUINT_TO_POINTER(i));
    GtkColumnViewColumn *column = gtk_column_view_column_new(get_code(vt_translate(op->columns[i])), factory);
    GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(compare_items, GUINT_TO_POINTER(i), NULL));
    gtk_column_view_column_set_sorter(column, sorter);
    gtk_column_view_column_set_resizable(column, TRUE);
    gtk_column_view_append_column(view, column);
    g_object_unref(sorter);
    g_object_unref(column);
  }
  explain_headers(view, op);
}
