/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-columns.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-widgets.h"
#include "layers/vt-gate.h"
#include "panels/vt-object-cell.h"
#include "panels/vt-object-picture.h"

enum { N_SHOWN = 10 /* columns, until a person chooses: each is a widget a row */ };

struct _VtObjectColumns {
  GtkColumnView *view; /* borrowed */
  GtkBox *checks;      /* borrowed */
  VtObjectRows *rows;  /* borrowed */
  GPtrArray *names;    /* of the columns of the last objects, in their order: those of the view; interned */
  guint n_own;         /* of these, before the first that was added */
  const char *probed;  /* column that was asked for a comparison; NULL: none */
  GPtrArray *pinned;   /* names in their order; interned: those that are there stay before all others */
  guint pin_id;        /* they are to be put there */

  /* As a session tells, until other measurements come. */
  GPtrArray *told;         /* names in their order; interned */
  GHashTable *told_widths; /* int of these, logical pixels; others are as wide as they need */
  GHashTable *told_hidden; /* of these */
  const char *told_sort;   /* until it is done; NULL: nothing is */
  gboolean is_told_falling;
};

/* --- those that stay first --- */

static gint
find_in_view(VtObjectColumns *self, const char *name)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    if (vt_object_columns_get_name(column) == name)
      return (gint)i;
  }
  return -1;
}

static gboolean
put_pinned_first(gpointer data)
{
  VtObjectColumns *self = data;
  guint place = 0;
  for (guint i = 0; i < self->pinned->len; i++) {
    const gint now = find_in_view(self, self->pinned->pdata[i]);
    if (now < 0)
      continue;
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(gtk_column_view_get_columns(self->view), (guint)now);
    if ((guint)now != place)
      gtk_column_view_insert_column(self->view, place, column); /* which takes it from where it is */
    place++;
  }
  self->pin_id = 0;
  return G_SOURCE_REMOVE;
}

/* A header that is dragged is moved step by step. */
static void
put_pinned_first_soon(VtObjectColumns *self)
{
  if (self->pinned->len > 0 && self->pin_id == 0)
    self->pin_id = g_idle_add(put_pinned_first, self);
}

static gboolean
is_pinned(VtObjectColumns *self, const char *name)
{
  return g_ptr_array_find(self->pinned, name, NULL);
}

static void
on_pin(GtkToggleButton *pin, VtObjectColumns *self)
{
  gpointer name = g_object_get_data(G_OBJECT(pin), "name");
  if (gtk_toggle_button_get_active(pin) == is_pinned(self, name))
    return;
  if (is_pinned(self, name))
    g_ptr_array_remove(self->pinned, name);
  else
    g_ptr_array_add(self->pinned, name);
  put_pinned_first_soon(self);
}

VtObjectColumns *
vt_object_columns_new(GtkColumnView *view, GtkBox *checks, VtObjectRows *rows)
{
  VtObjectColumns *self = g_new0(VtObjectColumns, 1);
  self->view = view;
  self->checks = checks;
  self->rows = rows;
  self->names = g_ptr_array_new();
  self->pinned = g_ptr_array_new();
  self->told = g_ptr_array_new();
  self->told_widths = g_hash_table_new(NULL, NULL);
  self->told_hidden = g_hash_table_new(NULL, NULL);
  g_signal_connect_swapped(gtk_column_view_get_columns(view), "items-changed", G_CALLBACK(put_pinned_first_soon), self);
  return self;
}

void
vt_object_columns_free(VtObjectColumns *self)
{
  g_clear_handle_id(&self->pin_id, g_source_remove);
  g_ptr_array_unref(self->names);
  g_ptr_array_unref(self->pinned);
  g_ptr_array_unref(self->told);
  g_hash_table_unref(self->told_widths);
  g_hash_table_unref(self->told_hidden);
  g_free(self);
}

const char *
vt_object_columns_get_name(GtkColumnViewColumn *column)
{
  return g_intern_string(g_object_get_data(G_OBJECT(column), "name"));
}

/* What is known of a column by its name: others come and go, and their numbers change. -1: none now. */
static gint
find_column(VtObjectColumns *self, const char *name)
{
  const VtColumns *columns = vt_object_rows_get_columns(self->rows);
  return columns ? vt_columns_find(columns, name) : -1;
}

/* --- cells --- */

static void
setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused)
{
  gtk_list_item_set_child(item, vt_object_cell_new());
}

/* The first cell of a row that is filled anew names it: GTK calls it by its class. */
static void
call_row(VtObjectColumns *self, GtkWidget *cell, guint index)
{
  const VtColumns *columns = vt_object_rows_get_columns(self->rows);
  GtkWidget *row = gtk_widget_get_parent(gtk_widget_get_parent(cell));
  const VtObject *object = columns && index < columns->objects->len ? columns->objects->pdata[index] : NULL;
  const gpointer called = object ? GSIZE_TO_POINTER((gsize)object->id + 1) : NULL;
  if (!object || g_object_get_data(G_OBJECT(row), "called") == called)
    return;
  g_autofree char *number = g_strdup_printf("%'" G_GINT64_FORMAT, object->id);
  g_autofree char *name = g_strdup_printf(_("Object %s"), number);
  g_object_set_data(G_OBJECT(row), "called", called);
  vt_widget_set_accessible_label(row, name);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user)
{
  VtObjectColumns *self = user;
  call_row(self, gtk_list_item_get_child(item), vt_object_row_get_index(gtk_list_item_get_item(item)));
  const gint column = find_column(self, g_object_get_data(G_OBJECT(factory), "name"));
  vt_object_cell_show(gtk_list_item_get_child(item), column < 0 ? NULL : vt_object_rows_get_columns(self->rows),
                      vt_object_row_get_index(gtk_list_item_get_item(item)), (guint)column);
}

/* --- the order of the rows --- */

typedef struct {
  VtObjectColumns *columns;
  const char *name;
} Probe;

/* The list sorts itself. GTK 4.8 does not tell which header was clicked, but it asks the sorters of columns in the order of clicks. */
static int
probe(gconstpointer a, gconstpointer b, gpointer data)
{
  const Probe *of = data;
  of->columns->probed = of->name;
  return a == b ? 0 : -1;
}

/* NULL: the rows go by none. */
static const char *
probe_sort(VtObjectColumns *self, gboolean *falling)
{
  g_autoptr(VtObjectRow) a = g_object_new(VT_TYPE_OBJECT_ROW, NULL), b = g_object_new(VT_TYPE_OBJECT_ROW, NULL);
  self->probed = NULL;
  *falling = gtk_sorter_compare(gtk_column_view_get_sorter(self->view), a, b) == GTK_ORDERING_LARGER;
  return self->probed;
}

gint
vt_object_columns_sort_rows(VtObjectColumns *self, gboolean *falling)
{
  const char *name = probe_sort(self, falling);
  const gint column = name ? find_column(self, name) : -1;
  vt_object_rows_sort(self->rows, column < 0 ? VT_OBJECT_NUMBER : (guint)column, *falling);
  return column;
}

gboolean
vt_object_columns_sort_by(VtObjectColumns *self, const char *name, gboolean falling)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  VT_EACH_ITEM (GtkColumnViewColumn, column, columns) {
    if (!g_str_equal(vt_object_columns_get_name(column), name))
      continue;
    self->told_sort = NULL;
    gtk_column_view_sort_by_column(self->view, column, falling ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
    return TRUE;
  }
  return FALSE;
}

void
vt_object_columns_sort_on(VtObjectColumns *self, int step)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  g_autoptr(GPtrArray) shown = g_ptr_array_new();
  gboolean falling;
  guint place = 0;
  const char *now = probe_sort(self, &falling);
  VT_EACH_ITEM (GtkColumnViewColumn, column, columns)
    if (gtk_column_view_column_get_visible(column) && gtk_column_view_column_get_sorter(column))
      g_ptr_array_add(shown, (gpointer)vt_object_columns_get_name(column));
  if (shown->len == 0)
    return;
  const gboolean is_shown = now && g_ptr_array_find(shown, now, &place);
  const guint next = is_shown ? (place + shown->len + (guint)step) % shown->len : step < 0 ? shown->len - 1 : 0;
  vt_object_columns_sort_by(self, shown->pdata[next], step == 0 && is_shown && !falling);
}

/* --- which there are --- */

static void
add_check(VtObjectColumns *self, GtkColumnViewColumn *column, const char *title)
{
  GtkWidget *check = gtk_check_button_new_with_label(title);
  g_autofree char *help = g_strdup_printf(_("Keep “%s” before all other columns"), title);
  GtkToggleButton *pin = vt_toggle_button_new(_("First"), help);
  gpointer name = (gpointer)vt_object_columns_get_name(column);
  GtkWidget *line = vt_box_new(GTK_ORIENTATION_HORIZONTAL, 12, check, pin, NULL);
  g_object_set_data(G_OBJECT(line), "name", name);
  g_object_set_data(G_OBJECT(pin), "name", name);
  gtk_widget_set_hexpand(check, TRUE);
  gtk_widget_add_css_class(GTK_WIDGET(pin), "flat");
  gtk_toggle_button_set_active(pin, is_pinned(self, name));
  g_signal_connect(pin, "toggled", G_CALLBACK(on_pin), self);
  g_object_bind_property(column, "visible", check, "active", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  gtk_box_append(self->checks, line);
}

/* As was told of it, else as it is. */
static void
show_as_told(VtObjectColumns *self, GtkColumnViewColumn *column)
{
  const char *name = vt_object_columns_get_name(column);
  const int width = GPOINTER_TO_INT(g_hash_table_lookup(self->told_widths, name));
  if (!g_ptr_array_find(self->told, name, NULL))
    return;
  gtk_column_view_column_set_visible(column, !g_hash_table_contains(self->told_hidden, name));
  gtk_column_view_column_set_fixed_width(column, width > 0 ? width : -1);
}

void
vt_object_columns_add_first(VtObjectColumns *self, GtkColumnViewColumn *column, const char *title)
{
  gtk_column_view_insert_column(self->view, 0, column);
  add_check(self, column, title);
  g_object_unref(column);
}

/* Behind the last of those that were told before it; `otherwise`: nothing was. */
static guint
find_place(VtObjectColumns *self, const char *name, guint otherwise)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  guint own, place = 0;
  if (!g_ptr_array_find(self->told, name, &own))
    return otherwise;
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    guint other;
    if (g_ptr_array_find(self->told, vt_object_columns_get_name(column), &other) && other < own)
      place = i + 1;
  }
  return place;
}

/* At its place among the columns of the view. Those that somebody added, on purpose, are shown; regions are seen on the slide. */
static void
add_column(VtObjectColumns *self, const VtColumns *columns, guint column, guint place)
{
  g_autofree char *title = vt_columns_dup_title(columns, column);
  const char *name = g_intern_string(vt_columns_get_name(columns, column));
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Probe *of = g_new(Probe, 1);
  *of = (Probe){ self, name };
  g_object_set_data(G_OBJECT(factory), "name", (gpointer)name);
  g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), self);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), self);
  GtkColumnViewColumn *added = gtk_column_view_column_new(vt_object_cell_get_short(title), factory);
  GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(probe, of, g_free));
  g_object_set_data(G_OBJECT(added), "name", (gpointer)name); /* they can be put into another order */
  gtk_column_view_column_set_sorter(added, sorter);
  gtk_column_view_column_set_resizable(added, TRUE);
  gtk_column_view_column_set_visible(added, column < N_SHOWN
                                              || (column >= columns->n_own && !g_str_equal(name, VT_REGIONS_COLUMN)));
  show_as_told(self, added);
  gtk_column_view_insert_column(self->view, find_place(self, name, place), added);
  add_check(self, added, title);
  g_object_unref(sorter);
  g_object_unref(added);
}

static void
remove_column(VtObjectColumns *self, const char *name)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  for (guint i = g_list_model_get_n_items(columns); i-- > 0;) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    if (vt_object_columns_get_name(column) == name)
      gtk_column_view_remove_column(self->view, column);
  }
  for (GtkWidget *line = gtk_widget_get_first_child(GTK_WIDGET(self->checks)), *next; line; line = next) {
    next = gtk_widget_get_next_sibling(line);
    if (g_object_get_data(G_OBJECT(line), "name") == name)
      gtk_box_remove(self->checks, line);
  }
}

static void
forget_told(VtObjectColumns *self)
{
  g_ptr_array_set_size(self->told, 0);
  g_hash_table_remove_all(self->told_widths);
  g_hash_table_remove_all(self->told_hidden);
  self->told_sort = NULL;
}

void
vt_object_columns_set(VtObjectColumns *self, const VtColumns *columns)
{
  GPtrArray *names = g_ptr_array_new();
  g_autoptr(GPtrArray) former = self->names;
  gboolean has_own = columns->n_own == self->n_own;
  for (guint i = 0; i < columns->n; i++)
    g_ptr_array_add(names, (gpointer)g_intern_string(vt_columns_get_name(columns, i)));
  for (guint i = 0; i < columns->n_own && has_own; i++)
    has_own = names->pdata[i] == former->pdata[i];
  if (!has_own && self->n_own > 0)
    forget_told(self);
  for (guint i = 0; i < former->len; i++)
    if (!has_own || !g_ptr_array_find(names, former->pdata[i], NULL))
      remove_column(self, former->pdata[i]);
  for (guint i = 0, place = 0; i < columns->n; i++)
    if (!has_own || !g_ptr_array_find(former, names->pdata[i], NULL))
      add_column(self, columns, i, i < columns->n_own ? i : 1 + place++);
  if (!has_own && !g_ptr_array_find(self->told, g_intern_static_string(VT_OBJECT_PICTURE_COLUMN), NULL))
    vt_object_picture_column_put_first(self->view);
  self->names = names;
  self->n_own = columns->n_own;
}

/* --- sessions --- */

static void
store_column(VtSessionTable *stored, const char *name, gboolean is_hidden, int width)
{
  g_ptr_array_add(stored->columns, g_strdup(name));
  if (is_hidden)
    g_ptr_array_add(stored->hidden, g_strdup(name));
  if (width > 0)
    *vt_session_table_add_width(stored) = (VtSessionWidth){ g_strdup(name), width };
}

/* What was told and has not come yet is kept, too. */
void
vt_object_columns_store(VtObjectColumns *self, VtSessionTable *stored)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  const char *sort = probe_sort(self, &stored->is_falling);
  for (guint i = 0; i < self->pinned->len; i++)
    g_ptr_array_add(stored->pinned, g_strdup(self->pinned->pdata[i]));
  for (guint i = 0; self->n_own > 0 && i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    store_column(stored, vt_object_columns_get_name(column), !gtk_column_view_column_get_visible(column),
                 gtk_column_view_column_get_fixed_width(column));
  }
  VT_EACH_OF (const char, name, self->told) {
    if (self->n_own > 0 && (g_str_equal(name, VT_OBJECT_PICTURE_COLUMN) || g_ptr_array_find(self->names, name, NULL)))
      continue;
    store_column(stored, name, g_hash_table_contains(self->told_hidden, name),
                 GPOINTER_TO_INT(g_hash_table_lookup(self->told_widths, name)));
  }
  stored->sort = g_strdup(self->told_sort ? self->told_sort : sort);
  if (self->told_sort)
    stored->is_falling = self->is_told_falling;
}

static void
show_pins(VtObjectColumns *self)
{
  VT_EACH_CHILD (line, self->checks)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(gtk_widget_get_last_child(line)),
                                 is_pinned(self, g_object_get_data(G_OBJECT(line), "name")));
  put_pinned_first_soon(self);
}

void
vt_object_columns_restore(VtObjectColumns *self, const VtSessionTable *stored)
{
  GListModel *columns = gtk_column_view_get_columns(self->view);
  forget_told(self);
  for (guint i = 0; i < stored->columns->len; i++)
    g_ptr_array_add(self->told, (gpointer)g_intern_string(stored->columns->pdata[i]));
  VT_EACH_OF (const VtSessionWidth, told, stored->widths)
    g_hash_table_insert(self->told_widths, (gpointer)g_intern_string(told->column), GINT_TO_POINTER((int)told->width));
  for (guint i = 0; i < stored->hidden->len; i++)
    g_hash_table_add(self->told_hidden, (gpointer)g_intern_string(stored->hidden->pdata[i]));
  g_ptr_array_set_size(self->pinned, 0);
  for (guint i = 0; i < stored->pinned->len; i++)
    g_ptr_array_add(self->pinned, (gpointer)g_intern_string(stored->pinned->pdata[i]));
  show_pins(self);
  self->told_sort = g_intern_string(stored->sort);
  self->is_told_falling = stored->is_falling;
  VT_EACH_ITEM (GtkColumnViewColumn, column, columns)
    show_as_told(self, column);
}

void
vt_object_columns_restore_sort(VtObjectColumns *self)
{
  if (self->told_sort)
    vt_object_columns_sort_by(self, self->told_sort, self->is_told_falling);
}
