/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-numbers.h"

#include <glib/gi18n.h>

#include "common/vt-widgets.h"

static const char parallel[] = ""; /* no column is called so */

static GtkDropDown *
list_new(const char *label, GCallback changed, gpointer user)
{
  GtkWidget *list = gtk_drop_down_new(NULL, gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string"));
  vt_widget_set_accessible_label(list, label);
  gtk_widget_set_hexpand(list, TRUE);
  gtk_drop_down_set_enable_search(GTK_DROP_DOWN(list), TRUE);
  g_signal_connect_object(list, "notify::selected", changed, user, G_CONNECT_SWAPPED);
  return GTK_DROP_DOWN(list);
}

/* A person chooses: what a session told is over. */
static void
on_chosen(VtPlotNumbers *self)
{
  if (!self->is_filling)
    self->told_x = self->told_y = NULL;
}

void
vt_plot_numbers_init(VtPlotNumbers *self, GCallback changed, gpointer user)
{
  self->names_x = g_ptr_array_new();
  self->names_y = g_ptr_array_new();
  self->x = list_new(_("Plot of"), changed, user);
  self->y = list_new(_("Plotted against"), changed, user);
  g_signal_connect_swapped(self->x, "notify::selected", G_CALLBACK(on_chosen), self);
  g_signal_connect_swapped(self->y, "notify::selected", G_CALLBACK(on_chosen), self);
}

void
vt_plot_numbers_clear(VtPlotNumbers *self)
{
  g_clear_pointer(&self->names_x, g_ptr_array_unref);
  g_clear_pointer(&self->names_y, g_ptr_array_unref);
}

const char *
vt_plot_numbers_get_title(GtkDropDown *list)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item(list);
  return item ? gtk_string_object_get_string(item) : "";
}

static const char *
get_chosen(GtkDropDown *list, const GPtrArray *names)
{
  const guint place = gtk_drop_down_get_selected(list);
  return names && place < names->len ? names->pdata[place] : NULL;
}

gint
vt_plot_numbers_get_x(const VtPlotNumbers *self, const VtColumns *columns)
{
  const char *name = get_chosen(self->x, self->names_x);
  return columns && name ? vt_columns_find(columns, name) : -1;
}

gint
vt_plot_numbers_get_y(const VtPlotNumbers *self, const VtColumns *columns)
{
  const char *name = get_chosen(self->y, self->names_y);
  return columns && name ? vt_columns_find(columns, name) : -1;
}

VtPlotKind
vt_plot_numbers_get_kind(const VtPlotNumbers *self)
{
  if (!get_chosen(self->y, self->names_y))
    return VT_PLOT_HISTOGRAM;
  if (get_chosen(self->y, self->names_y) == parallel)
    return VT_PLOT_PARALLEL;
  return gtk_drop_down_get_selected(self->y) <= self->n_words + 1 ? VT_PLOT_BOXES : VT_PLOT_SCATTER;
}

static gboolean
are_same(const GPtrArray *a, const GPtrArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; same && i < a->len; i++)
    same = a->pdata[i] == b->pdata[i];
  return same;
}

/* What was chosen before stays chosen. Takes the names. */
static void
set_list(GtkDropDown *list, GPtrArray **names, GPtrArray *new_names, GListModel *titles, guint otherwise)
{
  const char *chosen = get_chosen(list, *names);
  guint place = otherwise;
  if (chosen)
    g_ptr_array_find(new_names, chosen, &place);
  g_ptr_array_unref(*names);
  *names = new_names;
  gtk_drop_down_set_model(list, titles);
  gtk_drop_down_set_selected(list, place);
}

/* What a session told comes first, as soon as it is there. */
static void
choose_told(GtkDropDown *list, const GPtrArray *names, const char **told)
{
  guint place;
  if (!*told || !g_ptr_array_find((GPtrArray *)names, *told, &place))
    return;
  gtk_drop_down_set_selected(list, place);
  *told = NULL;
}

static void
add_words(GPtrArray *names, GtkStringList *titles, const VtColumns *columns)
{
  for (guint i = columns->n_own; i < columns->n; i++) {
    g_autofree char *title = vt_columns_dup_title(columns, i), *boxes = g_strdup_printf(_("Boxes by %s"), title);
    if (vt_columns_is_number(columns, i))
      continue;
    g_ptr_array_add(names, (gpointer)g_intern_string(vt_columns_get_name(columns, i)));
    gtk_string_list_append(titles, boxes);
  }
}

gboolean
vt_plot_numbers_fill(VtPlotNumbers *self, const VtColumns *columns)
{
  g_autoptr(GPtrArray) names_x = g_ptr_array_new(), names_y = g_ptr_array_new();
  g_autoptr(GtkStringList) titles_x = gtk_string_list_new(NULL), titles_y = gtk_string_list_new(NULL);
  g_ptr_array_add(names_y, NULL);
  gtk_string_list_append(titles_y, _("Histogram"));
  g_ptr_array_add(names_y, (gpointer)parallel);
  gtk_string_list_append(titles_y, _("Parallel axes"));
  add_words(names_y, titles_y, columns);
  const guint n_words = names_y->len - 2;
  for (guint i = 0; i < columns->n; i++) {
    g_autofree char *title = vt_columns_dup_title(columns, i);
    if (!vt_columns_is_number(columns, i))
      continue;
    g_ptr_array_add(names_x, (gpointer)g_intern_string(vt_columns_get_name(columns, i)));
    g_ptr_array_add(names_y, (gpointer)g_intern_string(vt_columns_get_name(columns, i)));
    gtk_string_list_append(titles_x, title);
    gtk_string_list_append(titles_y, title);
  }
  if (are_same(names_x, self->names_x) && are_same(names_y, self->names_y))
    return FALSE;
  const char *x = get_chosen(self->x, self->names_x), *y = get_chosen(self->y, self->names_y);
  /* To begin with not the objects' running number. */
  const guint first = names_x->len > VT_OBJECT_MEASUREMENTS ? VT_OBJECT_MEASUREMENTS : 0;
  self->is_filling = TRUE;
  self->n_words = n_words;
  set_list(self->x, &self->names_x, g_steal_pointer(&names_x), G_LIST_MODEL(titles_x), first);
  set_list(self->y, &self->names_y, g_steal_pointer(&names_y), G_LIST_MODEL(titles_y), 0);
  choose_told(self->x, self->names_x, &self->told_x);
  choose_told(self->y, self->names_y, &self->told_y);
  self->is_filling = FALSE;
  return get_chosen(self->x, self->names_x) != x || get_chosen(self->y, self->names_y) != y;
}

void
vt_plot_numbers_store(const VtPlotNumbers *self, VtSessionTable *stored)
{
  const char *y = self->told_y ? self->told_y : get_chosen(self->y, self->names_y);
  stored->plot_of = g_strdup(self->told_x ? self->told_x : get_chosen(self->x, self->names_x));
  stored->is_parallel = y == parallel;
  stored->plot_against = stored->is_parallel ? NULL : g_strdup(y);
}

void
vt_plot_numbers_restore(VtPlotNumbers *self, const VtSessionTable *stored)
{
  self->told_x = g_intern_string(stored->plot_of);
  self->told_y = stored->is_parallel ? parallel : g_intern_string(stored->plot_against);
}
