/* SPDX-License-Identifier: MIT */
#include "panels/vt-texture-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-roi-settings.h"
#include "panels/vt-run-map.h"
#include "panels/vt-texture-features.h"
#include "plugins/vt-plugin-host.h"

static const guint sizes[] = { 32, 48, 64, 96, 128, 192, 256, 384, 512 };

enum { MAP_A, MAP_B, MAP_DIFFERENCE, N_MAPS };

struct _VtTexturePanel {
  AdwBin parent;

  /* template */
  GtkToggleButton *lens_button, *pin_button;
  GtkDropDown *size_dropdown, *directions_dropdown;
  GtkWidget *settings_button;
  GtkLabel *settings_label, *caution_label;
  GtkInscription *cell_label;
  GtkSpinner *spinner;
  GtkBox *body;
  GtkGrid *features;

  VtRunMap *maps[N_MAPS];
  VtTexture *texture;
  VtAnalysis *analysis;
  VtCanvas *canvas;                        /* borrowed: it outlives the panel */
  VtRunBins *bins;                         /* of all maps; NULL: there is nothing */
  VtRunLengths *drawn[VT_TEXTURE_N_SIDES]; /* that the maps are of */
  guint drawn_directions;
  int pointed_row, pointed_column; /* -1: none */
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE(VtTexturePanel, vt_texture_panel, ADW_TYPE_BIN)

/* --- words --- */

static char *
dup_lengths(const VtRunCell *cell)
{
  if (cell->length_from == cell->length_to)
    return g_strdup_printf(g_dngettext(NULL, "length %u pixel", "length %u pixels", cell->length_to), cell->length_to);
  return g_strdup_printf(_("lengths %u to %u pixels"), cell->length_from, cell->length_to);
}

static double
count_all(const VtRunLengths *lengths, guint directions)
{
  const VtRunCell all = { directions, 1, lengths->n_levels, 1, lengths->longest };
  return (double)vt_run_lengths_count(lengths, &all);
}

/* "A: 27 runs, 1.4 % of all" */
static void
append_count(GString *text, VtTexturePanel *self, VtTextureSide side, const VtRunCell *cell)
{
  const VtTextureView *view = vt_texture_get_view(self->texture, side);
  const guint directions = vt_texture_get_directions(self->texture);
  VtRunCell there = *cell;
  there.directions = directions;
  if (!view || !view->lengths)
    return;
  const guint64 n = vt_run_lengths_count(view->lengths, &there);
  g_string_append_printf(text, " · %s", side == VT_TEXTURE_NOW ? "A: " : "B: ");
  g_string_append_printf(text, g_dngettext(NULL, "%u run, %.3g %% of all", "%u runs, %.3g %% of all", (gulong)n),
                         (guint)n, 100 * (double)n / MAX(count_all(view->lengths, directions), 1));
}

/* Of the cell under the pointer, else of the chosen one. */
static void
show_cell_words(VtTexturePanel *self)
{
  const VtTextureView *now = vt_texture_get_view(self->texture, VT_TEXTURE_NOW);
  const VtRunCell *chosen = vt_texture_get_cell(self->texture);
  VtRunCell cell = { 0 };
  if (!self->bins || !now || !now->lengths || (self->pointed_row < 0 && !chosen)) {
    gtk_inscription_set_text(self->cell_label, now ? _("Click a cell: the runs that it counts are drawn on the slide.")
                                                   : _("Select a region, or switch the lens on."));
    return;
  }
  if (self->pointed_row >= 0)
    vt_run_bins_get_cell(self->bins, (guint)self->pointed_row, (guint)self->pointed_column, &cell);
  else
    cell = *chosen;
  g_autofree char *levels = vt_run_lengths_dup_levels(now->lengths, &cell), *lengths = dup_lengths(&cell);
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%s, %s", levels, lengths);
  append_count(text, self, VT_TEXTURE_NOW, &cell);
  append_count(text, self, VT_TEXTURE_PINNED, &cell);
  gtk_inscription_set_text(self->cell_label, text->str);
  for (guint i = 0; i < N_MAPS; i++)
    gtk_accessible_update_property(GTK_ACCESSIBLE(self->maps[i]), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
}

/* "A: ROI 3, 128 × 96 px, 5,324 runs" */
static char *
dup_title(const VtTextureView *view, const char *letter, guint directions)
{
  const VtRunLengths *l = view->lengths;
  if (!l)
    return g_strdup_printf("%s: %s", letter, view->name);
  return g_strdup_printf(_("%s: %s, %u × %u px, %'.0f runs"), letter, view->name, l->width, l->height,
                         count_all(l, directions));
}

/* --- maps --- */

static void
draw_side(VtTexturePanel *self, guint which, const VtTextureView *view, guint directions)
{
  const char *const letters[] = { "A", "B" };
  VtRunMap *map = self->maps[which];
  g_autofree char *title = view ? dup_title(view, letters[which], directions) : g_strdup(letters[which]);
  const VtRunLengths *lengths = view ? view->lengths : NULL;
  vt_run_map_set(map, lengths ? self->bins : NULL, lengths ? vt_run_bins_count(self->bins, lengths, directions) : NULL,
                 "");
  vt_run_map_set_title(map, title);
}

/* Shares of all runs, in percent: regions of other sizes can be compared. */
static void
draw_difference(VtTexturePanel *self, const VtRunLengths *a, const VtRunLengths *b, guint directions)
{
  if (!a || !b) {
    vt_run_map_set(self->maps[MAP_DIFFERENCE], NULL, NULL, "");
    return;
  }
  double *values = vt_run_bins_count(self->bins, a, directions);
  g_autofree double *other = vt_run_bins_count(self->bins, b, directions);
  const double all_a = MAX(count_all(a, directions), 1), all_b = MAX(count_all(b, directions), 1);
  for (guint i = 0; i < self->bins->n_rows * self->bins->n_columns; i++)
    values[i] = 100 * (values[i] / all_a - other[i] / all_b);
  vt_run_map_set(self->maps[MAP_DIFFERENCE], self->bins, values, " %");
}

static void
mark_chosen(VtTexturePanel *self)
{
  const VtRunCell *cell = vt_texture_get_cell(self->texture);
  guint row = 0, column = 0;
  const gboolean is_there =
    cell && self->bins && vt_run_bins_find(self->bins, cell->level_from, cell->length_from, &row, &column);
  for (guint i = 0; i < N_MAPS; i++)
    vt_run_map_set_chosen(self->maps[i], is_there ? (int)row : -1, is_there ? (int)column : -1);
}

/* Only if the runs are others: it is asked whenever anything changes. */
static void
draw_maps(VtTexturePanel *self, const VtTextureView *const views[VT_TEXTURE_N_SIDES])
{
  const guint directions = vt_texture_get_directions(self->texture);
  VtRunLengths *lengths[VT_TEXTURE_N_SIDES];
  guint top = 0, longest = 0;
  gboolean same = directions == self->drawn_directions;
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++) {
    lengths[i] = views[i] ? views[i]->lengths : NULL;
    same = same && lengths[i] == self->drawn[i];
    top = lengths[i] ? MAX(top, lengths[i]->top) : top;
    longest = lengths[i] ? MAX(longest, lengths[i]->longest) : longest;
  }
  if (same)
    return;
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++) {
    g_clear_pointer(&self->drawn[i], vt_run_lengths_unref);
    self->drawn[i] = lengths[i] ? vt_run_lengths_ref(lengths[i]) : NULL;
  }
  self->drawn_directions = directions;
  g_clear_pointer(&self->bins, vt_run_bins_free);
  self->bins = top > 0 ? vt_run_bins_new(top, longest) : NULL;
  self->pointed_row = -1;
  draw_side(self, MAP_A, views[VT_TEXTURE_NOW], directions);
  draw_side(self, MAP_B, views[VT_TEXTURE_PINNED], directions);
  const double most = fmax(vt_run_map_get_most(self->maps[MAP_A]), vt_run_map_get_most(self->maps[MAP_B]));
  vt_run_map_set_scale(self->maps[MAP_A], most, !views[VT_TEXTURE_PINNED]);
  vt_run_map_set_scale(self->maps[MAP_B], most, TRUE);
  draw_difference(self, lengths[VT_TEXTURE_NOW], lengths[VT_TEXTURE_PINNED], directions);
}

/* --- what is seen --- */

static char *
dup_caution(const VtTextureView *view)
{
  if (!view)
    return NULL;
  if (view->failure)
    return g_strdup(view->failure);
  if (view->is_stale)
    return g_strdup(_("Of before: the new one is being made…"));
  if (view->result && !view->lengths && !view->is_making)
    return g_strdup(_("There is no pixel in it."));
  if (view->result && view->result->is_coarse)
    return g_strdup_printf(_("Analysed at %.4g µm per pixel: the slide has no finer ones"),
                           view->result->used_pixel_size);
  return NULL;
}

static void
show_frames(VtTexturePanel *self, const VtTextureView *const views[VT_TEXTURE_N_SIDES], gboolean is_open)
{
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++)
    vt_canvas_set_frame(self->canvas, i, is_open && views[i] ? views[i]->box_l0 : NULL);
}

static void
show_picture(VtTexturePanel *self)
{
  const VtTextureView *now = vt_texture_get_view(self->texture, VT_TEXTURE_NOW);
  vt_canvas_set_runs(self->canvas, vt_texture_get_painted(self->texture), now && now->is_stale);
}

static void
show_settings(VtTexturePanel *self)
{
  const VtParams *params = vt_texture_get_params(self->texture);
  g_autofree char *summary = params ? vt_roi_settings_dup_summary(params) : g_strdup("");
  g_autofree char *tooltip = g_strdup_printf(_("%s. Click to change these settings."), summary);
  if (!g_str_equal(gtk_label_get_text(self->settings_label), summary)) {
    gtk_label_set_text(self->settings_label, summary);
    vt_widget_set_tooltip(self->settings_button, tooltip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(self->settings_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _("Settings of the texture"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, summary, -1);
  }
  self->is_filling = TRUE;
  gtk_drop_down_set_selected(self->directions_dropdown, vt_texture_get_aggregate(self->texture));
  gtk_toggle_button_set_active(self->lens_button, vt_texture_get_lens(self->texture));
  gtk_toggle_button_set_active(self->pin_button, vt_texture_get_view(self->texture, VT_TEXTURE_PINNED) != NULL);
  self->is_filling = FALSE;
  gtk_widget_set_sensitive(GTK_WIDGET(self->size_dropdown), vt_texture_get_lens(self->texture));
}

static void
on_changed(VtTexturePanel *self)
{
  const VtTextureView *views[VT_TEXTURE_N_SIDES];
  const gboolean is_open = vt_texture_is_open(self->texture);
  gboolean is_making = FALSE;
  gtk_widget_set_visible(GTK_WIDGET(self), is_open);
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++) {
    views[i] = vt_texture_get_view(self->texture, i);
    is_making |= views[i] && views[i]->is_stale;
  }
  show_frames(self, views, is_open);
  show_picture(self);
  if (!is_open)
    return;
  show_settings(self);
  draw_maps(self, views);
  mark_chosen(self);
  for (guint i = 0; i < N_MAPS; i++) {
    const gboolean a_stale = views[0] && views[0]->is_stale, b_stale = views[1] && views[1]->is_stale;
    vt_run_map_set_stale(self->maps[i], i == MAP_A ? a_stale : i == MAP_B ? b_stale : a_stale || b_stale);
    gtk_widget_set_visible(GTK_WIDGET(self->maps[i]), i == MAP_A || views[VT_TEXTURE_PINNED]);
  }
  g_autofree char *of_a = dup_caution(views[VT_TEXTURE_NOW]), *of_b = dup_caution(views[VT_TEXTURE_PINNED]);
  gtk_label_set_text(self->caution_label, of_a ? of_a : of_b ? of_b : "");
  vt_widget_set_tooltip(GTK_WIDGET(self->caution_label), of_a ? of_a : of_b);
  gtk_widget_set_visible(GTK_WIDGET(self->caution_label), of_a || of_b);
  gtk_spinner_set_spinning(self->spinner, is_making);
  vt_texture_features_show(self->features, views[VT_TEXTURE_NOW], views[VT_TEXTURE_PINNED],
                           vt_analysis_get_regions(self->analysis));
  show_cell_words(self);
}

/* --- hands --- */

static void
on_lens(VtTexturePanel *self)
{
  if (!self->is_filling)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.texture-lens", NULL);
}

static void
on_pin(VtTexturePanel *self)
{
  if (!self->is_filling)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.texture-pin", NULL);
}

static void
on_size(VtTexturePanel *self)
{
  const guint row = gtk_drop_down_get_selected(self->size_dropdown);
  if (!self->is_filling && row < G_N_ELEMENTS(sizes))
    vt_texture_set_lens_px(self->texture, sizes[row]);
}

static void
on_directions(VtTexturePanel *self)
{
  const guint row = gtk_drop_down_get_selected(self->directions_dropdown);
  if (!self->is_filling && row != GTK_INVALID_LIST_POSITION)
    vt_texture_set_aggregate(self->texture, row);
}

/* The one that is chosen already is let go. */
static void
on_picked(VtRunMap *map, guint row, guint column, VtTexturePanel *self)
{
  const VtRunCell *chosen = vt_texture_get_cell(self->texture);
  VtRunCell cell = { 0 };
  if (!self->bins || row >= self->bins->n_rows || column >= self->bins->n_columns)
    return;
  vt_run_bins_get_cell(self->bins, row, column, &cell);
  const gboolean is_same = chosen && chosen->level_from == cell.level_from && chosen->length_from == cell.length_from;
  vt_texture_set_cell(self->texture, is_same ? NULL : &cell);
}

static void
on_pointed(VtRunMap *map, int row, int column, VtTexturePanel *self)
{
  self->pointed_row = row;
  self->pointed_column = column;
  show_cell_words(self);
}

static void
on_hover(VtTexturePanel *self, double x_l0, double y_l0, gboolean inside)
{
  if (inside && vt_texture_is_open(self->texture))
    vt_texture_move_lens(self->texture, x_l0, y_l0);
}

/* A drag takes the gesture away: this is a click that stayed where it was. */
static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, VtTexturePanel *self)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self->canvas));
  double x_l0, y_l0;
  if (!vt_texture_get_lens(self->texture) || n_press != 1 || vt_canvas_get_tool(self->canvas) != VT_TOOL_MOVE)
    return;
  vt_viewport_to_l0(vt_canvas_get_view(self->canvas), x * scale, y * scale, &x_l0, &y_l0);
  vt_texture_hold_lens(self->texture, !vt_texture_get_held(self->texture));
  vt_texture_move_lens(self->texture, x_l0, y_l0);
}

/* --- life --- */

static void
vt_texture_panel_class_init(VtTexturePanelClass *klass)
{
  VT_OWNS(klass, VtTexturePanel, vt_run_lengths_unref, drawn[0], drawn[1]);
  VT_OWNS(klass, VtTexturePanel, vt_run_bins_free, bins);
  VT_OWNS(klass, VtTexturePanel, g_object_unref, texture, analysis);
  VT_TEMPLATE(klass, VtTexturePanel, "vt-texture-panel", lens_button, pin_button, size_dropdown, directions_dropdown,
              settings_button, settings_label, caution_label, cell_label, spinner, body, features);
}

static void
vt_texture_panel_init(VtTexturePanel *self)
{
  const char *const names[N_MAPS] = { _("Run lengths of A"), _("Run lengths of B"), _("Run lengths, A less B") };
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->size_dropdown), _("Edge of the lens in pixels of the analysis"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->directions_dropdown), _("Directions of the runs"));
  self->pointed_row = -1;
  for (guint i = N_MAPS; i-- > 0;) {
    GtkWidget *map = vt_run_map_new(i == MAP_DIFFERENCE ? VT_RUN_MAP_DIFFERENCE : VT_RUN_MAP_COUNTS);
    self->maps[i] = VT_RUN_MAP(map);
    gtk_box_prepend(self->body, map);
    vt_widget_set_accessible_label(map, names[i]);
    g_signal_connect(map, "picked", G_CALLBACK(on_picked), self);
    g_signal_connect(map, "pointed", G_CALLBACK(on_pointed), self);
  }
  vt_run_map_set_title(self->maps[MAP_DIFFERENCE], _("A − B, percent of all runs"));
}

static void
fill_choices(VtTexturePanel *self)
{
  const VtParams *params = vt_texture_get_params(self->texture);
  const int index = params ? vt_op_find_param(params->op, "aggregate") : -1;
  g_autoptr(GtkStringList) lens = gtk_string_list_new(NULL), directions = gtk_string_list_new(NULL);
  guint chosen = 0;
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree char *text = g_strdup_printf(_("%u px"), sizes[i]);
    gtk_string_list_append(lens, text);
    chosen = sizes[i] == vt_texture_get_lens_px(self->texture) ? i : chosen;
  }
  for (guint i = 0; index >= 0 && i < params->op->params[index]->n_choices; i++)
    gtk_string_list_append(directions, vt_translate(params->op->params[index]->choice_titles[i]));
  self->is_filling = TRUE;
  gtk_drop_down_set_model(self->size_dropdown, G_LIST_MODEL(lens));
  gtk_drop_down_set_selected(self->size_dropdown, chosen);
  gtk_drop_down_set_model(self->directions_dropdown, G_LIST_MODEL(directions));
  self->is_filling = FALSE;
  vt_texture_features_init(self->features, params ? params->op : NULL);
}

GtkWidget *
vt_texture_panel_new(VtTexture *texture, VtAnalysis *analysis, VtCanvas *canvas)
{
  VtTexturePanel *self = g_object_new(VT_TYPE_TEXTURE_PANEL, NULL);
  GtkGesture *click = gtk_gesture_click_new();
  self->texture = g_object_ref(texture);
  self->analysis = g_object_ref(analysis);
  self->canvas = canvas;
  fill_choices(self);
  vt_widget_lead_keys_to(GTK_WIDGET(self), GTK_WIDGET(canvas));
  g_signal_connect_swapped(self->lens_button, "toggled", G_CALLBACK(on_lens), self);
  g_signal_connect_swapped(self->pin_button, "toggled", G_CALLBACK(on_pin), self);
  g_signal_connect_swapped(self->size_dropdown, "notify::selected", G_CALLBACK(on_size), self);
  g_signal_connect_swapped(self->directions_dropdown, "notify::selected", G_CALLBACK(on_directions), self);
  g_signal_connect_object(texture, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(texture, "pictured", G_CALLBACK(show_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "hover", G_CALLBACK(on_hover), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(click, "released", G_CALLBACK(on_clicked), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(canvas), GTK_EVENT_CONTROLLER(click));
  on_changed(self);
  return GTK_WIDGET(self);
}
