/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-grid-window.h"

#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

#define MARGIN_PX 140 /* of the window that is not pictures */

static const double spreads[] = { 0.04, 0.1, 0.2 };

typedef struct {
  GtkWidget *button, *picture, *label; /* borrowed */
} Cell;

struct _VtGridWindow {
  AdwWindow parent;

  /* template */
  GtkDropDown *across, *down, *size, *spread;
  GtkToggleButton *whole_button;
  GtkGrid *cells_grid;
  GtkLabel *info_label;

  VtGrid *grid;
  VtAnalysis *analysis;
  GArray *choices; /* guint: the parameters of the lists */
  GPtrArray *cells;
  VtGridAdopt adopt;
  gpointer user;
};

G_DEFINE_FINAL_TYPE(VtGridWindow, vt_grid_window, ADW_TYPE_WINDOW)

static guint
get_param(VtGridWindow *self, GtkDropDown *list)
{
  return g_array_index(self->choices, guint, gtk_drop_down_get_selected(list));
}

/* --- cells --- */

static char *
dup_words(VtGridWindow *self, const VtGridCell *cell)
{
  g_autofree char *one = vt_params_dup_shown(cell->params, get_param(self, self->across));
  g_autofree char *other = vt_params_dup_shown(cell->params, get_param(self, self->down));
  g_autofree char *values =
    g_strdup_printf("%s · %s%s%s", one, other, cell->is_now ? " · " : "", cell->is_now ? _("now") : "");
  if (cell->failed)
    return g_strdup_printf("%s\n%s", values, _("This could not be run."));
  if (!cell->done)
    return g_strdup_printf("%s\n…", values);
  g_autofree char *count = g_strdup_printf("%'u", cell->n_objects);
  g_autofree char *objects = g_strdup_printf(g_dngettext(NULL, "%s object", "%s objects", cell->n_objects), count);
  g_autofree char *score = isfinite(cell->f1) ? g_strdup_printf(" · F1 %.3f", cell->f1) : g_strdup("");
  return g_strdup_printf("%s\n%s%s", values, objects, score);
}

static void
on_clicked(GtkButton *button, VtGridWindow *self)
{
  const guint place = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "place"));
  const guint n = vt_grid_get_size(self->grid, 0);
  g_autoptr(VtParams) params = vt_params_copy(vt_grid_get_cell(self->grid, place % n, place / n)->params);
  vt_grid_stop(self->grid);
  self->adopt(params, self->user);
  gtk_window_close(GTK_WINDOW(self));
}

static void
add_cell(VtGridWindow *self, guint column, guint row)
{
  Cell *cell = g_new0(Cell, 1);
  cell->button = gtk_button_new();
  cell->picture = g_object_new(GTK_TYPE_PICTURE, "can-shrink", TRUE, "vexpand", TRUE, "hexpand", TRUE, NULL);
  cell->label = vt_label_new(NULL, 0.5f, "caption numeric");
  g_object_set(cell->label, "justify", GTK_JUSTIFY_CENTER, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_button_set_child(GTK_BUTTON(cell->button),
                       vt_box_new(GTK_ORIENTATION_VERTICAL, 2, cell->picture, cell->label, NULL));
  gtk_widget_add_css_class(cell->button, "grid-cell");
  g_object_set_data(G_OBJECT(cell->button), "place", GUINT_TO_POINTER(row * vt_grid_get_size(self->grid, 0) + column));
  g_signal_connect_object(cell->button, "clicked", G_CALLBACK(on_clicked), self, 0);
  gtk_grid_attach(self->cells_grid, cell->button, (int)column, (int)row, 1, 1);
  g_ptr_array_add(self->cells, cell);
}

static void
make_cells(VtGridWindow *self)
{
  vt_widget_remove_all(GTK_WIDGET(self->cells_grid));
  g_ptr_array_set_size(self->cells, 0);
  for (guint row = 0; row < vt_grid_get_size(self->grid, 1); row++)
    for (guint column = 0; column < vt_grid_get_size(self->grid, 0); column++)
      add_cell(self, column, row);
}

static void
show_info(VtGridWindow *self, guint n_done)
{
  const double ms = vt_grid_get_ms(self->grid);
  g_autofree char *time = ms > 0 ? vt_dup_duration(ms) : NULL;
  g_autofree char *state = time ? g_strdup_printf(_("%u results in %s"), self->cells->len, time)
                                : g_strdup_printf(_("%u of %u"), n_done, self->cells->len);
  g_autofree char *text = g_strdup_printf(
    "%s%s", state,
    vt_grid_is_preview(self->grid) ? _(" · preview: at the resolution of the screen, coarser than asked for") : "");
  gtk_label_set_text(self->info_label, text);
}

static void
show(VtGridWindow *self)
{
  const guint across = vt_grid_get_size(self->grid, 0);
  guint n_done = 0;
  if (self->cells->len != across * vt_grid_get_size(self->grid, 1))
    return;
  for (guint i = 0; i < self->cells->len; i++) {
    const VtGridCell *of = vt_grid_get_cell(self->grid, i % across, i / across);
    const Cell *cell = self->cells->pdata[i];
    g_autofree char *words = dup_words(self, of);
    g_autofree char *name = g_strdelimit(g_strdup(words), "\n", ' ');
    n_done += of->done;
    gtk_label_set_text(GTK_LABEL(cell->label), words);
    gtk_picture_set_paintable(GTK_PICTURE(cell->picture), GDK_PAINTABLE(of->picture));
    vt_widget_set_accessible_label(cell->button, name);
    if (of->is_now)
      gtk_widget_add_css_class(cell->button, "now");
  }
  show_info(self, n_done);
}

/* --- what it is of --- */

static void
set_pictures(VtGridWindow *self)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  int width, height;
  gtk_window_get_default_size(GTK_WINDOW(self), &width, &height);
  const int across = (int)MAX(vt_grid_get_size(self->grid, 0), 1), down = (int)MAX(vt_grid_get_size(self->grid, 1), 1);
  vt_grid_set_pictures(self->grid, !gtk_toggle_button_get_active(self->whole_button),
                       MAX(width / across - 24, 60) * scale, MAX((height - MARGIN_PX) / down - 40, 40) * scale);
}

static void
start(VtGridWindow *self)
{
  guint params[2] = { get_param(self, self->across), get_param(self, self->down) };
  g_autoptr(GError) error = NULL;
  if (params[0] == params[1]) {
    gtk_label_set_text(self->info_label, _("Choose two different parameters."));
    vt_grid_stop(self->grid);
    make_cells(self);
    return;
  }
  if (!vt_grid_start(self->grid, params, gtk_drop_down_get_selected(self->size) == 0 ? 3 : VT_GRID_MOST,
                     spreads[gtk_drop_down_get_selected(self->spread)], &error)) {
    gtk_label_set_text(self->info_label, error->message);
    return;
  }
  make_cells(self);
  set_pictures(self);
  show(self);
}

/* All numbers that have a slider; first those that are no advanced ones. */
static gboolean
list_choices(VtGridWindow *self)
{
  const VtParams *now = vt_analysis_get_params(self->analysis);
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; i < now->op->n_params; i++) {
      const VitrailParam *param = now->op->params[i];
      if (((param->flags & VITRAIL_PARAM_ADVANCED) != 0) != (turn == 1) || !vt_grid_can_vary(now, i))
        continue;
      g_array_append_val(self->choices, i);
      gtk_string_list_append(titles, vt_translate(param->title));
    }
  gtk_drop_down_set_model(self->across, G_LIST_MODEL(titles));
  gtk_drop_down_set_model(self->down, G_LIST_MODEL(titles));
  return self->choices->len > 1;
}

/* The first one, and the first of another group: they do not do the same. The pixel size is of neither. */
static void
choose_first(VtGridWindow *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  guint first = 0, second = G_MAXUINT;
  for (guint i = 0; i < self->choices->len && second == G_MAXUINT; i++) {
    const VitrailParam *one = op->params[g_array_index(self->choices, guint, first)];
    const VitrailParam *other = op->params[g_array_index(self->choices, guint, i)];
    if (i > first && g_strcmp0(one->group, other->group) != 0 && !g_str_equal(other->key, "pixel-size"))
      second = i;
  }
  gtk_drop_down_set_selected(self->across, first);
  gtk_drop_down_set_selected(self->down, second == G_MAXUINT ? 1 : second);
}

static void
leave(VtGridWindow *self)
{
  g_signal_handlers_disconnect_by_data(self->grid, self);
  vt_grid_stop(self->grid);
}

static void
vt_grid_window_class_init(VtGridWindowClass *klass)
{
  VT_ENDS(klass, VtGridWindow, leave);
  VT_OWNS(klass, VtGridWindow, g_object_unref, grid, analysis);
  VT_OWNS(klass, VtGridWindow, g_array_unref, choices);
  VT_OWNS(klass, VtGridWindow, g_ptr_array_unref, cells);
  VT_TEMPLATE(klass, VtGridWindow, "vt-grid-window", across, down, size, spread, whole_button, cells_grid, info_label);
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
vt_grid_window_init(VtGridWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->across), _("Parameter across"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->down), _("Parameter down"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->spread), _("How far the values are from each other"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->size), _("How many values"));
  self->choices = g_array_new(FALSE, FALSE, sizeof(guint));
  self->cells = g_ptr_array_new_with_free_func(g_free);
  gtk_drop_down_set_selected(self->spread, 1);
}

static void
set_first_size(VtGridWindow *self, GtkWindow *parent)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(parent)), height = gtk_widget_get_height(GTK_WIDGET(parent));
  gtk_window_set_default_size(GTK_WINDOW(self), MAX(width * 9 / 10, 600), MAX(height * 9 / 10, 480));
}

GtkWidget *
vt_grid_window_new(GtkWindow *parent, VtAnalysis *analysis, VtReference *reference, VtGridAdopt adopt, gpointer user,
                   GError **error)
{
  VtGridWindow *self = g_object_new(VT_TYPE_GRID_WINDOW, "transient-for", parent, "modal", TRUE, NULL);
  GtkDropDown *const lists[] = { self->across, self->down, self->size, self->spread };
  self->analysis = g_object_ref(analysis);
  self->grid = vt_grid_new(analysis, reference);
  self->adopt = adopt;
  self->user = user;
  if (!vt_trials_is_possible(analysis) || !list_choices(self)) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        _("This analysis has no two numbers to vary that objects could depend on."));
    gtk_window_destroy(GTK_WINDOW(self));
    return NULL;
  }
  choose_first(self);
  set_first_size(self, parent);
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    g_signal_connect_object(lists[i], "notify::selected", G_CALLBACK(start), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->whole_button, "toggled", G_CALLBACK(set_pictures), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->grid, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  start(self);
  return GTK_WIDGET(self);
}
