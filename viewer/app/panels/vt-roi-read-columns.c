/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-read-columns.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "layers/vt-roi-item.h"
#include "panels/vt-roi-rows.h"
#include "results/vt-measured-names.h"

#define LONGEST_TITLE 60 /* characters */

/* --- cells --- */

/* Empty: the file has none of that name for the region. */
static char *
dup_text(VtRoiItem *item, const char *name)
{
  const double *value = vt_measured_find(vt_roi_item_get_roi(item)->measured, name);
  if (!value)
    return g_strdup("");
  if (!isfinite(*value))
    return g_strdup(isnan(*value) ? "–" : *value > 0 ? "∞" : "−∞");
  return fabs(*value) < 1e15 && *value == floor(*value) ? g_strdup_printf("%'.0f", *value)
                                                        : g_strdup_printf("%.7g", *value);
}

static void
update_cell(GtkListItem *list_item)
{
  VtRoiItem *item = g_object_get_data(G_OBJECT(list_item), "item");
  g_autofree char *text = item ? dup_text(item, g_object_get_data(G_OBJECT(list_item), "name")) : NULL;
  if (text)
    gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(list_item)), text);
}

static void
setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer name)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), 1);
  gtk_widget_add_css_class(label, "numeric");
  gtk_list_item_set_child(item, label);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer name)
{
  VtRoiItem *of = vt_roi_row_dup_item(gtk_list_item_get_item(item));
  g_object_set_data(G_OBJECT(item), "name", name);
  g_object_set_data_full(G_OBJECT(item), "item", of, g_object_unref);
  g_signal_connect_object(of, "changed", G_CALLBACK(update_cell), item, G_CONNECT_SWAPPED);
  update_cell(item);
}

static void
unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer name)
{
  g_signal_handlers_disconnect_by_func(g_object_get_data(G_OBJECT(item), "item"), update_cell, item);
  g_object_set_data(G_OBJECT(item), "item", NULL);
}

/* What is not there, or is undefined, comes after every number. */
static int
compare_items(gconstpointer a, gconstpointer b, gpointer name)
{
  const double *x = vt_measured_find(vt_roi_item_get_roi((VtRoiItem *)a)->measured, name);
  const double *y = vt_measured_find(vt_roi_item_get_roi((VtRoiItem *)b)->measured, name);
  const gboolean has_x = x && !isnan(*x), has_y = y && !isnan(*y);
  if (!has_x || !has_y)
    return has_y - has_x;
  return (*x > *y) - (*x < *y);
}

/* --- columns --- */

static void
release_name(gpointer name, GClosure *closure)
{
  g_ref_string_release(name);
}

static GtkColumnViewColumn *
column_new(char *name)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect_data(factory, "setup", G_CALLBACK(setup_cell), g_ref_string_acquire(name), release_name, 0);
  g_signal_connect_data(factory, "bind", G_CALLBACK(bind_cell), g_ref_string_acquire(name), release_name, 0);
  g_signal_connect_data(factory, "unbind", G_CALLBACK(unbind_cell), g_ref_string_acquire(name), release_name, 0);
  GtkColumnViewColumn *column = gtk_column_view_column_new(NULL, factory);
  g_autoptr(GtkSorter) sorter =
    GTK_SORTER(gtk_custom_sorter_new(compare_items, g_ref_string_acquire(name), (GDestroyNotify)g_ref_string_release));
  gtk_column_view_column_set_sorter(column, sorter);
  gtk_column_view_column_set_resizable(column, TRUE);
  g_object_set_data(G_OBJECT(column), "column", GUINT_TO_POINTER(VT_ROI_READ_COLUMN));
  g_object_set_data_full(G_OBJECT(column), "name", g_ref_string_acquire(name), (GDestroyNotify)g_ref_string_release);
  return column;
}

static gboolean
is_read(GtkColumnViewColumn *column)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(column), "column")) == VT_ROI_READ_COLUMN;
}

/* One line of a length that a header has room for; the tooltip has all of it. */
static void
set_title(GtkColumnViewColumn *column, const char *title)
{
  g_autofree char *line = vt_error_dup_line(title);
  g_autofree char *start = g_utf8_substring(line, 0, MIN(g_utf8_strlen(line, -1), LONGEST_TITLE));
  g_autofree char *shown = g_str_equal(start, line) ? g_strdup(line) : g_strconcat(start, "…", NULL);
  if (g_strcmp0(gtk_column_view_column_get_title(column), shown) != 0)
    gtk_column_view_column_set_title(column, shown);
}

/* GTK 4.8 has no tooltips of columns (vt-roi-columns.c). */
static void
explain_headers(GtkColumnView *view)
{
  GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(view));
  GtkWidget *title = header ? gtk_widget_get_first_child(header) : NULL;
  VT_EACH_ITEM (GtkColumnViewColumn, column, gtk_column_view_get_columns(view)) {
    if (title && is_read(column)) {
      g_autofree char *help = g_strdup_printf(
        _("“%s”, as it was read from a file; not worked out here. It goes when the outline is changed."),
        (const char *)g_object_get_data(G_OBJECT(column), "name"));
      gtk_widget_set_tooltip_text(title, help);
    }
    title = title ? gtk_widget_get_next_sibling(title) : NULL;
  }
}

/* Titles of ours, and what is in files instead of them. */
static GHashTable *
list_taken(GtkColumnView *view, const GPtrArray *own)
{
  GHashTable *taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  VT_EACH_ITEM (GtkColumnViewColumn, column, gtk_column_view_get_columns(view))
    if (!is_read(column))
      g_hash_table_add(taken, g_strdup(gtk_column_view_column_get_title(column)));
  VT_EACH_OF (const char, name, own)
    g_hash_table_add(taken, g_strdup(name));
  return taken;
}

/* Those that stay get their titles; the others go. `there` gets the names of those. The place behind the last column that is no texture's. */
static guint
keep_some(GtkColumnView *view, const VtMeasuredNames *names, GHashTable *there)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  guint place = 0;
  for (guint i = g_list_model_get_n_items(columns); i-- > 0;) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    const guint which = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(column), "column"));
    char *name = g_object_get_data(G_OBJECT(column), "name");
    const char *title = is_read(column) ? vt_measured_names_get(names, name) : NULL;
    if (is_read(column) && !title) {
      gtk_column_view_remove_column(view, column);
      place -= place > 0;
      continue;
    }
    if (title) {
      set_title(column, title);
      g_hash_table_add(there, name);
    }
    if (place == 0 && (which == 0 || which >= VT_ROI_READ_COLUMN - 2))
      place = i + 1;
  }
  return place;
}

guint
vt_roi_read_columns_update(GtkColumnView *view, GListModel *items, const GPtrArray *own)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new();
  g_autoptr(GHashTable) there = g_hash_table_new(NULL, NULL), taken = list_taken(view, own);
  guint n_all = 0, n_new = 0;
  VT_EACH_ITEM (VtRoiItem, item, items)
    g_ptr_array_add(rois, (gpointer)vt_roi_item_get_roi(item));
  g_autoptr(VtMeasuredNames) names = vt_measured_names_new(rois, taken, VT_ROI_READ_MOST, &n_all);
  const guint place = keep_some(view, names, there);
  VT_EACH_OF (char, name, names->names) {
    if (g_hash_table_contains(there, name))
      continue;
    g_autoptr(GtkColumnViewColumn) column = column_new(name);
    set_title(column, vt_measured_names_get(names, name));
    gtk_column_view_insert_column(view, place + n_new++, column);
  }
  if (n_new > 0) {
    explain_headers(view);
    vt_test_log("read-columns %u %u", names->names->len, n_all);
  }
  return n_all - names->names->len;
}
