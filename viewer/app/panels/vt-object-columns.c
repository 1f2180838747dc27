/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-columns.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-widgets.h"
#include "layers/vt-gate.h"
#include "panels/vt-object-bars.h"
#include "panels/vt-object-lines.h"
#include "panels/vt-object-picture.h"

enum { N_SHOWN = 10 /* columns, until a person chooses */ };

struct _VtObjectColumns {
  GtkColumnView *views[VT_OBJECT_VIEWS];  /* borrowed: the heads of the columns */
  GtkColumnView *bodies[VT_OBJECT_VIEWS]; /* borrowed: the rows */
  VtObjectLines *lines[VT_OBJECT_VIEWS];
  GtkBox *checks;     /* borrowed */
  VtObjectRows *rows; /* borrowed */
  VtObjectBars *bars;
  void (*sorted)(gpointer user);
  gpointer user;
  GPtrArray *names;    /* of the columns of the last objects, in their order: those of the views; interned */
  guint n_own;         /* of these, before the first that was added */
  const char *probed;  /* column that was asked for a comparison; NULL: none */
  gboolean is_sorting; /* by one view: the other one is told */
  GPtrArray *pinned;   /* names in their order; interned: those that are there stay in sight */

  /* As a session tells, until other measurements come. */
  GPtrArray *told;         /* names in their order; interned */
  GHashTable *told_widths; /* int of these, logical pixels; others are as wide as they need */
  GHashTable *told_hidden; /* of these */
  const char *told_sort;   /* until it is done; NULL: nothing is */
  gboolean is_told_falling;
};

/* --- both views --- */

GPtrArray *
vt_object_columns_dup_all(VtObjectColumns *self)
{
  GPtrArray *all = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++) {
    GListModel *columns = gtk_column_view_get_columns(self->views[view]);
    for (guint i = 0; i < g_list_model_get_n_items(columns); i++)
      g_ptr_array_add(all, g_list_model_get_item(columns, i));
  }
  return all;
}

/* Among those of the view; -1: it is not there. */
static gint
find_in_view(VtObjectColumns *self, VtObjectView view, const char *name)
{
  GListModel *columns = gtk_column_view_get_columns(self->views[view]);
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    if (vt_object_columns_get_name(column) == name)
      return (gint)i;
  }
  return -1;
}

static gboolean
is_pinned(VtObjectColumns *self, const char *name)
{
  return g_ptr_array_find(self->pinned, name, NULL);
}

/* The rows go by a header of one view: that of the other one says so no more. */
static void
on_sorter(VtObjectColumns *self, GtkSorterChange change, GtkSorter *sorter)
{
  if (self->is_sorting)
    return;
  self->is_sorting = TRUE;
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++)
    if (gtk_column_view_get_sorter(self->views[view]) != sorter)
      gtk_column_view_sort_by_column(self->views[view], NULL, GTK_SORT_ASCENDING);
  self->is_sorting = FALSE;
  self->sorted(self->user);
}

VtObjectColumns *
vt_object_columns_new(GtkColumnView *const views[VT_OBJECT_VIEWS], GtkColumnView *const bodies[VT_OBJECT_VIEWS],
                      GtkBox *checks, VtObjectRows *rows, void (*sorted)(gpointer user), gpointer user)
{
  VtObjectColumns *self = g_new0(VtObjectColumns, 1);
  self->checks = checks;
  self->rows = rows;
  self->sorted = sorted;
  self->user = user;
  self->bars = vt_object_bars_new();
  self->names = g_ptr_array_new();
  self->pinned = g_ptr_array_new();
  self->told = g_ptr_array_new();
  self->told_widths = g_hash_table_new(NULL, NULL);
  self->told_hidden = g_hash_table_new(NULL, NULL);
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++) {
    self->views[view] = views[view];
    self->bodies[view] = bodies[view];
    self->lines[view] = vt_object_lines_new(views[view], bodies[view], rows, self->bars);
    g_signal_connect_swapped(gtk_column_view_get_sorter(views[view]), "changed", G_CALLBACK(on_sorter), self);
  }
  return self;
}

void
vt_object_columns_free(VtObjectColumns *self)
{
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++)
    vt_object_lines_free(self->lines[view]);
  vt_object_bars_free(self->bars);
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

void
vt_object_columns_show_bars(VtObjectColumns *self, gboolean shown)
{
  vt_object_bars_set_shown(self->bars, shown);
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
  for (guint view = 0; view < VT_OBJECT_VIEWS && !self->probed; view++)
    *falling = gtk_sorter_compare(gtk_column_view_get_sorter(self->views[view]), a, b) == GTK_ORDERING_LARGER;
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
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
  for (guint i = 0; i < all->len; i++) {
    if (!g_str_equal(vt_object_columns_get_name(all->pdata[i]), name))
      continue;
    self->told_sort = NULL;
    gtk_column_view_sort_by_column(gtk_column_view_column_get_column_view(all->pdata[i]), all->pdata[i],
                                   falling ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
    return TRUE;
  }
  return FALSE;
}

void
vt_object_columns_sort_on(VtObjectColumns *self, int step)
{
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self), shown = g_ptr_array_new();
  gboolean falling;
  guint place = 0;
  const char *now = probe_sort(self, &falling);
  for (guint i = 0; i < all->len; i++)
    if (gtk_column_view_column_get_visible(all->pdata[i]) && gtk_column_view_column_get_sorter(all->pdata[i]))
      g_ptr_array_add(shown, (gpointer)vt_object_columns_get_name(all->pdata[i]));
  if (shown->len == 0)
    return;
  const gboolean is_shown = now && g_ptr_array_find(shown, now, &place);
  const guint next = is_shown ? (place + shown->len + (guint)step) % shown->len : step < 0 ? shown->len - 1 : 0;
  vt_object_columns_sort_by(self, shown->pdata[next], step == 0 && is_shown && !falling);
}

/* --- those that stay in sight --- */

/* Rows are of one height in both views; that of the pinned ones is there, and has rows, if it has something to show: GTK makes 200 of them. */
static void
show_views(VtObjectColumns *self)
{
  gboolean has_pinned = FALSE, has_pictures = FALSE;
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
  for (guint i = 0; i < all->len; i++) {
    const char *name = vt_object_columns_get_name(all->pdata[i]);
    const gboolean is_shown = gtk_column_view_column_get_visible(all->pdata[i]);
    has_pinned |= is_shown && is_pinned(self, name);
    has_pictures |= is_shown && g_str_equal(name, VT_OBJECT_PICTURE_COLUMN);
  }
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++)
    (has_pictures ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(GTK_WIDGET(self->bodies[view]), "pictures");
  gtk_column_view_set_model(self->bodies[VT_OBJECT_PINNED],
                            has_pinned ? gtk_column_view_get_model(self->bodies[VT_OBJECT_OTHERS]) : NULL);
  gtk_widget_set_visible(gtk_widget_get_parent(GTK_WIDGET(self->views[VT_OBJECT_PINNED])), has_pinned);
  gtk_widget_set_visible(gtk_widget_get_parent(GTK_WIDGET(self->bodies[VT_OBJECT_PINNED])), has_pinned);
}

/* Where it belongs: into the view of the pinned ones in the order in which they were pinned; else before the others. */
static void
put_by_pin(VtObjectColumns *self, GtkColumnViewColumn *column)
{
  const char *name = vt_object_columns_get_name(column);
  const VtObjectView to = is_pinned(self, name) ? VT_OBJECT_PINNED : VT_OBJECT_OTHERS;
  GtkColumnView *from = gtk_column_view_column_get_column_view(column);
  gboolean falling;
  if (from == self->views[to])
    return;
  const gboolean goes_by_it = probe_sort(self, &falling) == name;
  guint place = 0;
  for (guint i = 0; to == VT_OBJECT_PINNED && self->pinned->pdata[i] != name; i++)
    place += find_in_view(self, VT_OBJECT_PINNED, self->pinned->pdata[i]) >= 0;
  g_object_ref(column);
  if (from)
    gtk_column_view_remove_column(from, column);
  gtk_column_view_insert_column(self->views[to], place, column);
  g_object_unref(column);
  if (goes_by_it)
    vt_object_columns_sort_by(self, name, falling);
}

static void
put_all_by_pins(VtObjectColumns *self)
{
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
  for (guint i = 0; i < all->len; i++)
    put_by_pin(self, all->pdata[i]);
  show_views(self);
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
  put_all_by_pins(self);
}

/* --- their order --- */

/* The nearest column that is shown to the left (by -1) or right of one; `n`: none. */
static guint
find_shown(GListModel *columns, guint place, int by, guint n)
{
  gboolean is_shown = FALSE;
  while (!is_shown && (place += (guint)by) < n) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, place);
    is_shown = gtk_column_view_column_get_visible(column);
  }
  return MIN(place, n);
}

/* Among those of its view. A head can be dragged, too, but by keys it can't, nor with GTK 4.22 and 4.24, which sort instead
 * (gitlab.gnome.org/GNOME/gtk/-/work_items/8027). */
static void
move_column(VtObjectColumns *self, const char *name, int by)
{
  const VtObjectView view = is_pinned(self, name) ? VT_OBJECT_PINNED : VT_OBJECT_OTHERS;
  GListModel *columns = gtk_column_view_get_columns(self->views[view]);
  const guint n = g_list_model_get_n_items(columns);
  const int own = find_in_view(self, view, name);
  const guint place = own < 0 ? n : find_shown(columns, (guint)own, by, n);
  gboolean falling;
  if (place >= n)
    return;
  const gboolean goes_by_it = probe_sort(self, &falling) == name;
  g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, (guint)own);
  g_autoptr(GtkColumnViewColumn) other = g_list_model_get_item(columns, place);
  guint pin;
  gtk_column_view_remove_column(self->views[view], column);
  gtk_column_view_insert_column(self->views[view], place, column);
  if (view == VT_OBJECT_PINNED && g_ptr_array_find(self->pinned, vt_object_columns_get_name(other), &pin)) {
    g_ptr_array_remove(self->pinned, (gpointer)name);
    g_ptr_array_insert(self->pinned, (int)pin, (gpointer)name);
  }
  if (goes_by_it)
    vt_object_columns_sort_by(self, name, falling);
}

static gboolean
on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, VtObjectColumns *self)
{
  GtkWidget *line = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(keys));
  if ((state & gtk_accelerator_get_default_mod_mask()) != GDK_ALT_MASK || (key != GDK_KEY_Left && key != GDK_KEY_Right))
    return FALSE;
  move_column(self, g_object_get_data(G_OBJECT(line), "name"), key == GDK_KEY_Left ? -1 : 1);
  return TRUE;
}

/* --- which there are --- */

static void
add_check(VtObjectColumns *self, GtkColumnViewColumn *column, const char *title)
{
  GtkWidget *check = gtk_check_button_new_with_label(title);
  g_autofree char *help = g_strdup_printf(_("Keep “%s” in sight, left of all columns that scroll"), title);
  GtkToggleButton *pin = vt_toggle_button_new(_("First"), help);
  gpointer name = (gpointer)vt_object_columns_get_name(column);
  GtkWidget *line = vt_box_new(GTK_ORIENTATION_HORIZONTAL, 12, check, pin, NULL);
  GtkEventController *keys = gtk_event_controller_key_new();
  g_object_set_data(G_OBJECT(line), "name", name);
  g_object_set_data(G_OBJECT(pin), "name", name);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(line, keys);
  vt_widget_set_tooltip(check, _("Alt+Left and Alt+Right move this column"));
  gtk_widget_set_hexpand(check, TRUE);
  gtk_widget_add_css_class(GTK_WIDGET(pin), "flat");
  gtk_toggle_button_set_active(pin, is_pinned(self, name));
  g_signal_connect(pin, "toggled", G_CALLBACK(on_pin), self);
  g_object_bind_property(column, "visible", check, "active", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  g_signal_connect_swapped(column, "notify::visible", G_CALLBACK(show_views), self);
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
vt_object_columns_add_pictures(VtObjectColumns *self, VtAnalysis *analysis)
{
  g_autoptr(GtkColumnViewColumn) column = vt_object_picture_column_new();
  gtk_column_view_insert_column(self->views[VT_OBJECT_OTHERS], 0, column);
  add_check(self, column, _("Picture"));
  for (guint view = 0; view < VT_OBJECT_VIEWS; view++)
    vt_object_lines_set_analysis(self->lines[view], analysis);
}

/* Behind the last of those that were told before it; `otherwise`: nothing was. */
static guint
find_place(VtObjectColumns *self, const char *name, guint otherwise)
{
  GListModel *columns = gtk_column_view_get_columns(self->views[VT_OBJECT_OTHERS]);
  guint own, place = 0;
  if (!g_ptr_array_find(self->told, name, &own))
    return MIN(otherwise, g_list_model_get_n_items(columns));
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
  Probe *of = g_new(Probe, 1);
  *of = (Probe){ self, name };
  GtkColumnViewColumn *added = gtk_column_view_column_new(vt_object_cell_get_short(title), NULL);
  GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(probe, of, g_free));
  g_object_set_data(G_OBJECT(added), "name", (gpointer)name); /* they can be put into another order */
  gtk_column_view_column_set_sorter(added, sorter);
  gtk_column_view_column_set_resizable(added, TRUE);
  gtk_column_view_column_set_visible(added, column < N_SHOWN
                                              || (column >= columns->n_own && !g_str_equal(name, VT_REGIONS_COLUMN)));
  show_as_told(self, added);
  if (is_pinned(self, name))
    put_by_pin(self, added);
  else
    gtk_column_view_insert_column(self->views[VT_OBJECT_OTHERS], find_place(self, name, place), added);
  add_check(self, added, title);
  g_object_unref(sorter);
  g_object_unref(added);
}

static void
remove_column(VtObjectColumns *self, const char *name)
{
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
  for (guint i = 0; i < all->len; i++)
    if (vt_object_columns_get_name(all->pdata[i]) == name)
      gtk_column_view_remove_column(gtk_column_view_column_get_column_view(all->pdata[i]), all->pdata[i]);
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
    vt_object_picture_column_put_first(self->views[VT_OBJECT_OTHERS]);
  self->names = names;
  self->n_own = columns->n_own;
  show_views(self);
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
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
  const char *sort = probe_sort(self, &stored->is_falling);
  for (guint i = 0; i < self->pinned->len; i++)
    g_ptr_array_add(stored->pinned, g_strdup(self->pinned->pdata[i]));
  for (guint i = 0; self->n_own > 0 && i < all->len; i++)
    store_column(stored, vt_object_columns_get_name(all->pdata[i]), !gtk_column_view_column_get_visible(all->pdata[i]),
                 gtk_column_view_column_get_fixed_width(all->pdata[i]));
  for (guint i = 0; i < self->told->len; i++) {
    const char *name = self->told->pdata[i];
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
}

void
vt_object_columns_restore(VtObjectColumns *self, const VtSessionTable *stored)
{
  g_autoptr(GPtrArray) all = vt_object_columns_dup_all(self);
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
  for (guint i = 0; i < all->len; i++)
    show_as_told(self, all->pdata[i]);
  put_all_by_pins(self);
}

void
vt_object_columns_restore_sort(VtObjectColumns *self)
{
  if (self->told_sort)
    vt_object_columns_sort_by(self, self->told_sort, self->is_told_falling);
}
