/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-axes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

enum { FIRST_CHOSEN = 5, LIST_PX = 320 };

static void
show_count(VtPlotAxes *self)
{
  g_autofree char *label = g_strdup_printf(_("Axes (%u)"), g_hash_table_size(self->chosen));
  gtk_menu_button_set_label(self->button, label);
}

/* As many as there may be, and no fewer than there must be: what would break that cannot be clicked. */
static void
guard(VtPlotAxes *self)
{
  const guint n = g_hash_table_size(self->chosen);
  for (GtkWidget *check = gtk_widget_get_first_child(GTK_WIDGET(self->list)); check;
       check = gtk_widget_get_next_sibling(check)) {
    const gboolean is_chosen = gtk_check_button_get_active(GTK_CHECK_BUTTON(check));
    gtk_widget_set_sensitive(check, is_chosen ? n > VT_PARALLEL_LEAST : n < VT_PARALLEL_MOST);
  }
}

static void
on_toggled(GtkCheckButton *check, VtPlotAxes *self)
{
  gpointer name = g_object_get_data(G_OBJECT(check), "name");
  if (gtk_check_button_get_active(check))
    g_hash_table_add(self->chosen, name);
  else
    g_hash_table_remove(self->chosen, name);
  guard(self);
  show_count(self);
  vt_test_log("parallel-axes %u", g_hash_table_size(self->chosen));
  ((void (*)(gpointer))self->changed)(self->user);
}

static void
on_opened(VtPlotAxes *self)
{
  GtkWidget *former;
  while ((former = gtk_widget_get_first_child(GTK_WIDGET(self->list))))
    gtk_box_remove(self->list, former);
  for (guint i = 0; i < self->names->len; i++) {
    GtkWidget *check = gtk_check_button_new_with_label(self->titles->pdata[i]);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(check), g_hash_table_contains(self->chosen, self->names->pdata[i]));
    g_object_set_data(G_OBJECT(check), "name", self->names->pdata[i]);
    g_signal_connect(check, "toggled", G_CALLBACK(on_toggled), self);
    gtk_box_append(self->list, check);
  }
  guard(self);
}

void
vt_plot_axes_init(VtPlotAxes *self, GCallback changed, gpointer user)
{
  GtkWidget *popover = gtk_popover_new(), *scrolled = gtk_scrolled_window_new();
  self->names = g_ptr_array_new();
  self->titles = g_ptr_array_new_with_free_func(g_free);
  self->chosen = g_hash_table_new(NULL, NULL);
  self->changed = changed;
  self->user = user;
  self->list = GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 2));
  self->button = GTK_MENU_BUTTON(gtk_menu_button_new());
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scrolled), LIST_PX);
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scrolled), TRUE);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), GTK_WIDGET(self->list));
  gtk_popover_set_child(GTK_POPOVER(popover), scrolled);
  gtk_menu_button_set_popover(self->button, popover);
  g_signal_connect_swapped(popover, "show", G_CALLBACK(on_opened), self);
  vt_widget_set_tooltip(GTK_WIDGET(self->button), _("The measurements that have an axis: 3 to 12"));
}

void
vt_plot_axes_clear(VtPlotAxes *self)
{
  g_clear_pointer(&self->names, g_ptr_array_unref);
  g_clear_pointer(&self->titles, g_ptr_array_unref);
  g_clear_pointer(&self->chosen, g_hash_table_unref);
}

gboolean
vt_plot_axes_fill(VtPlotAxes *self, const VtColumns *columns)
{
  g_autoptr(GHashTable) former = g_steal_pointer(&self->chosen);
  g_ptr_array_set_size(self->names, 0);
  g_ptr_array_set_size(self->titles, 0);
  self->chosen = g_hash_table_new(NULL, NULL);
  for (guint column = 0; column < columns->n; column++) {
    gpointer name = (gpointer)g_intern_string(vt_columns_get_name(columns, column));
    if (!vt_columns_is_number(columns, column))
      continue;
    g_ptr_array_add(self->names, name);
    g_ptr_array_add(self->titles, vt_columns_dup_title(columns, column));
    if (g_hash_table_contains(former, name))
      g_hash_table_add(self->chosen, name);
  }
  const guint n = g_hash_table_size(self->chosen);
  for (guint i = VT_OBJECT_MEASUREMENTS;
       n < VT_PARALLEL_LEAST && i < self->names->len && g_hash_table_size(self->chosen) < FIRST_CHOSEN; i++)
    g_hash_table_add(self->chosen, self->names->pdata[i]);
  show_count(self);
  return n != g_hash_table_size(former) || n < VT_PARALLEL_LEAST;
}

guint
vt_plot_axes_get(const VtPlotAxes *self, const VtColumns *columns, guint axes[VT_PARALLEL_MOST])
{
  guint n = 0;
  for (guint i = 0; columns && i < self->names->len && n < VT_PARALLEL_MOST; i++) {
    const gint column =
      g_hash_table_contains(self->chosen, self->names->pdata[i]) ? vt_columns_find(columns, self->names->pdata[i]) : -1;
    if (column >= 0)
      axes[n++] = (guint)column;
  }
  return n;
}

static int
compare(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void
vt_plot_axes_store(const VtPlotAxes *self, GPtrArray *names)
{
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init(&iter, self->chosen);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare);
}

void
vt_plot_axes_restore(VtPlotAxes *self, const GPtrArray *names)
{
  g_hash_table_remove_all(self->chosen);
  for (guint i = 0; i < MIN(names->len, VT_PARALLEL_MOST); i++)
    g_hash_table_add(self->chosen, (gpointer)g_intern_string(names->pdata[i]));
}
