/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-search-window.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-params-words.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"

struct _VtSearchWindow {
  AdwWindow parent;

  /* template */
  GtkSpinButton *seed_spin;
  GtkButton *start_button, *compare_button;
  GtkSpinner *spinner;
  GtkLabel *info_label;
  GtkListBox *list;

  VtSearch *search;
  const VtSearchCallbacks *callbacks;
  gpointer user;
  guint n_rows;
  gboolean was_running;
};

G_DEFINE_FINAL_TYPE(VtSearchWindow, vt_search_window, ADW_TYPE_WINDOW)

static guint
get_place(gpointer row)
{
  return GPOINTER_TO_UINT(g_object_get_data(row, "place"));
}

static const VtTry *
get_try(VtSearchWindow *self, gint place)
{
  return place < 0 ? NULL : vt_search_get(self->search, (guint)place);
}

/* --- rows --- */

static const char *
get_kind(VtSearchWindow *self, guint place)
{
  if ((gint)place == vt_search_get_best(self->search))
    return _("Best");
  if ((gint)place == vt_search_get_runner_up(self->search))
    return _("Runner-up");
  switch (vt_search_get(self->search, place)->kind) {
  case VT_TRY_START: return _("As it was set");
  case VT_TRY_DESCENT: return _("Step by step");
  default: return _("By chance");
  }
}

static GtkWidget *
label_new(const char *text, float xalign, int chars)
{
  GtkWidget *label = vt_label_new(text, xalign, "numeric");
  gtk_label_set_width_chars(GTK_LABEL(label), chars);
  return label;
}

static char *
dup_scores(const VtTry *try)
{
  g_autofree char *count = g_strdup_printf("%'u", try->n_objects);
  g_autofree char *objects = g_strdup_printf(g_dngettext(NULL, "%s object", "%s objects", try->n_objects), count);
  return try->failed ? g_strdup(_("This could not be run."))
                     : g_strdup_printf(_("F1 %.3f at an IoU of 0.5 · %.3f at 0.7 · AJI %.3f · %s"), try->f1_50,
                                       try->f1_70, try->aji, objects);
}

static void
add_row(VtSearchWindow *self, guint place)
{
  const VtTry *try = vt_search_get(self->search, place);
  GtkWidget *row = gtk_list_box_row_new(), *kind = label_new("", 0, 13);
  g_autofree char *number = g_strdup_printf("%u", place + 1), *scores = dup_scores(try);
  g_autofree char *side = vt_params_dup_side(try->params, vt_search_get(self->search, 0)->params);
  g_autofree char *name = g_strdup_printf(_("Try %s: %s"), number, scores);
  GtkWidget *words = label_new(*side ? side : "–", 0, -1);
  gtk_label_set_ellipsize(GTK_LABEL(words), PANGO_ELLIPSIZE_END);
  vt_widget_add_classes(words, "caption dim-label");
  GtkWidget *texts = vt_box_new(GTK_ORIENTATION_VERTICAL, 0, label_new(scores, 0, -1), words, NULL);
  gtk_widget_set_hexpand(texts, TRUE);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row),
                             vt_box_new(GTK_ORIENTATION_HORIZONTAL, 12, label_new(number, 1, 3), kind, texts, NULL));
  gtk_widget_set_tooltip_text(row, _("Click, or Enter: take these parameters over"));
  vt_widget_set_accessible_label(row, name);
  g_object_set_data(G_OBJECT(row), "place", GUINT_TO_POINTER(place));
  g_object_set_data(G_OBJECT(row), "kind", kind);
  gtk_list_box_append(self->list, row);
}

static int
compare_rows(GtkListBoxRow *a, GtkListBoxRow *b, gpointer user)
{
  VtSearchWindow *self = user;
  const VtTry *one = vt_search_get(self->search, get_place(a)), *other = vt_search_get(self->search, get_place(b));
  if (vt_try_is_better(one, other))
    return -1;
  return vt_try_is_better(other, one) ? 1 : (int)get_place(a) - (int)get_place(b);
}

static void
show_kinds(VtSearchWindow *self)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index(self->list, i)); i++)
    gtk_label_set_text(g_object_get_data(G_OBJECT(row), "kind"), get_kind(self, get_place(row)));
}

/* --- the rest --- */

static void
show(VtSearchWindow *self)
{
  const gboolean is_running = vt_search_is_running(self->search);
  const guint n = vt_search_get_n(self->search);
  g_autofree char *words = vt_search_dup_words(self->search);
  GtkListBoxRow *row;
  while (self->n_rows > n && (row = gtk_list_box_get_row_at_index(self->list, 0))) {
    gtk_list_box_remove(self->list, GTK_WIDGET(row));
    self->n_rows--;
  }
  for (; self->n_rows < n; self->n_rows++)
    add_row(self, self->n_rows);
  show_kinds(self);
  gtk_label_set_text(
    self->info_label,
    words ? words
          : _("Tries other parameters on what is shown, and keeps those whose objects agree best with the outlines "
              "that are open as the truth. Nothing is changed before you click on one."));
  gtk_button_set_label(self->start_button, is_running ? _("Stop") : _("Search"));
  gtk_spinner_set_spinning(self->spinner, is_running);
  gtk_widget_set_sensitive(GTK_WIDGET(self->seed_spin), !is_running);
  gtk_widget_set_sensitive(GTK_WIDGET(self->compare_button), !is_running && vt_search_get_runner_up(self->search) >= 0);
  if (self->was_running && !is_running && n > 0)
    self->callbacks->keep(get_try(self, vt_search_get_best(self->search)),
                          get_try(self, vt_search_get_runner_up(self->search)), self->user);
  self->was_running = is_running;
}

static void
on_start(VtSearchWindow *self)
{
  g_autoptr(GError) error = NULL;
  if (vt_search_is_running(self->search)) {
    vt_search_stop(self->search);
    return;
  }
  while (self->n_rows > 0) { /* before the tries that they are of go */
    gtk_list_box_remove(self->list, GTK_WIDGET(gtk_list_box_get_row_at_index(self->list, 0)));
    self->n_rows--;
  }
  if (!vt_search_start(self->search, (guint32)gtk_spin_button_get_value_as_int(self->seed_spin), &error))
    gtk_label_set_text(self->info_label, error->message);
}

static void
on_row(GtkListBox *list, GtkListBoxRow *row, VtSearchWindow *self)
{
  self->callbacks->adopt(vt_search_get(self->search, get_place(row))->params, self->user);
}

static void
on_compare(VtSearchWindow *self)
{
  self->callbacks->compare(get_try(self, vt_search_get_best(self->search)),
                           get_try(self, vt_search_get_runner_up(self->search)), self->user);
  gtk_window_close(GTK_WINDOW(self));
}

/* What was tried is kept. */
static gboolean
on_close(VtSearchWindow *self)
{
  vt_search_stop(self->search);
  return FALSE;
}

static void
leave(VtSearchWindow *self)
{
  g_signal_handlers_disconnect_by_data(self->search, self);
  vt_search_stop(self->search);
}

static void
vt_search_window_class_init(VtSearchWindowClass *klass)
{
  VT_ENDS(klass, VtSearchWindow, leave);
  VT_OWNS(klass, VtSearchWindow, g_object_unref, search);
  VT_TEMPLATE(klass, VtSearchWindow, "vt-search-window", seed_spin, start_button, compare_button, spinner, info_label,
              list);
  VT_TEMPLATE_CALLBACKS(klass, on_start, on_compare, on_row, on_close);
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

VT_TEMPLATE_INIT(VtSearchWindow, vt_search_window)

GtkWidget *
vt_search_window_new(GtkWindow *parent, VtSearch *search, const VtSearchCallbacks *callbacks, gpointer user)
{
  VtSearchWindow *self = g_object_new(VT_TYPE_SEARCH_WINDOW, "transient-for", parent, "modal", TRUE, NULL);
  self->search = g_object_ref(search);
  self->callbacks = callbacks;
  self->user = user;
  gtk_list_box_set_sort_func(self->list, compare_rows, self, NULL);
  g_signal_connect_object(search, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  show(self);
  return GTK_WIDGET(self);
}
