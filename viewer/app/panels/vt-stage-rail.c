/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-rail.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "layers/vt-layer-stack.h"
#include "panels/vt-stage-graph.h"
#include "panels/vt-stage-menu.h"
#include "panels/vt-stage-tile.h"
#include "plugins/vt-recipe-edit.h"

#define NOTE_S 10 /* until what was said of an edit gives way to the hint */

struct _VtStageRail {
  GtkBox parent;
  GtkScrolledWindow *scroller;
  GtkBox *strip;
  VtStageGraph *graph; /* around that */
  GtkWidget *none_label;
  GtkWidget *params_place; /* in the strip, beside the stage that is seen alone: its parameters */
  GtkBox *params_box;      /* in that */
  GtkWidget *no_params_label;
  VtParamPanel *params;      /* of the view, whose rows those are; NULL: not yet there */
  VtLayer *params_of;        /* the stage beside which they stand; borrowed, only compared; NULL: none */
  guint follow_id, n_frames; /* the strip is to show them, once they have their places */
  VtCanvas *canvas;          /* with its signals, as long as it is this view's; or NULL */
  VtAnalysis *analysis;
  VtStagePins *pins;  /* of the view */
  GPtrArray *tiles;   /* VtStageTile in the strip, in the order of their stages */
  GtkWidget *pointed; /* the one that the pointer or the keyboard is at, borrowed, only compared; or NULL */
  guint update_id;
  VtLayer *last_of_shown; /* all up to it are shown; borrowed, only compared; NULL: they are as somebody chose */
  guint64 shown_before;   /* bits of the stages that were, by number */
  GtkWidget *menu;        /* the last one; NULL until it was opened */
  GtkWidget *note_label;  /* below the tiles */
  guint note_id;
  GPtrArray *reasons; /* char*: while a tile is dragged, for each tile why it cannot go there, or NULL; else NULL */
};

G_DEFINE_FINAL_TYPE(VtStageRail, vt_stage_rail, GTK_TYPE_BOX)

static void mark_related(VtStageRail *self);

static GListModel *
get_layers(VtStageRail *self)
{
  return vt_analysis_get_layers(self->analysis);
}

static VtLayer *
get_layer(VtStageRail *self, guint i)
{
  return vt_stage_tile_get_layer(self->tiles->pdata[i]);
}

static const char *
get_stage_id(VtStageTile *tile)
{
  return vt_layer_get_stage(vt_stage_tile_get_layer(tile))->id;
}

static void
show_view(VtStageRail *self)
{
  if (!self->canvas || vt_canvas_get_moving(self->canvas))
    return;
  for (guint i = 0; i < self->tiles->len; i++)
    vt_stage_tile_set_view(self->tiles->pdata[i], vt_canvas_get_view(self->canvas));
}

static gboolean
is_bypassed(VtStageRail *self, VtLayer *layer)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  const VitrailParam *param = params ? vt_recipe_get_bypass(params->op, vt_layer_get_stage(layer)->id) : NULL;
  return param && params->values[vt_op_find_param(params->op, param->key)][0] != 0;
}

/* --- parameters of the stage that is seen alone --- */

static gboolean
is_shown(VtStageRail *self)
{
  return self->analysis && gtk_widget_get_mapped(GTK_WIDGET(self));
}

/* The place of the stage that is seen alone; -1: none is. */
static int
find_alone(VtStageRail *self)
{
  for (guint i = 0; i < self->tiles->len; i++)
    if (vt_layer_get_solo(get_layer(self, i)))
      return (int)i;
  return -1;
}

static gboolean
follow(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  VtStageRail *self = VT_STAGE_RAIL(widget);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment(self->scroller);
  const int alone = find_alone(self);
  graphene_rect_t tile, params;
  if (self->n_frames++ == 0) /* places come with the first frame */
    return G_SOURCE_CONTINUE;
  if (alone >= 0 && gtk_widget_compute_bounds(self->tiles->pdata[alone], GTK_WIDGET(self->strip), &tile)
      && gtk_widget_compute_bounds(self->params_place, GTK_WIDGET(self->strip), &params))
    gtk_adjustment_clamp_page(adjustment, tile.origin.x, params.origin.x + params.size.width);
  self->follow_id = 0;
  return G_SOURCE_REMOVE;
}

static void
show_params(VtStageRail *self)
{
  const int alone = is_shown(self) && self->params && vt_param_panel_is_made(self->params) ? find_alone(self) : -1;
  VtLayer *layer = alone >= 0 ? get_layer(self, (guint)alone) : NULL;
  GtkWidget *rows = layer ? vt_param_panel_lend(self->params, vt_layer_get_stage(layer)->id, self->params_box) : NULL;
  if (!layer && self->params)
    vt_param_panel_lend(self->params, NULL, NULL);
  gtk_widget_set_visible(self->params_place, layer != NULL);
  gtk_widget_set_visible(self->no_params_label, !rows);
  if (layer == self->params_of)
    return;
  self->params_of = layer;
  if (!layer)
    return;
  vt_test_log("stage-params %s %d", vt_layer_get_stage(layer)->id, rows != NULL);
  gtk_box_reorder_child_after(self->strip, self->params_place, self->tiles->pdata[alone]);
  self->n_frames = 0;
  if (self->follow_id == 0)
    self->follow_id = gtk_widget_add_tick_callback(GTK_WIDGET(self), follow, NULL, NULL);
}

gboolean
vt_stage_rail_focus_params(VtStageRail *self)
{
  show_params(self);
  return self->params_of && gtk_widget_grab_focus(gtk_widget_get_last_child(GTK_WIDGET(self->params_box)));
}

void
vt_stage_rail_set_params(VtStageRail *self, VtParamPanel *params)
{
  if (self->params == params)
    return;
  self->params_of = NULL;
  if (self->params) {
    vt_param_panel_lend(self->params, NULL, NULL);
    g_signal_handlers_disconnect_by_data(self->params, self);
  }
  g_set_object(&self->params, params);
  if (params)
    g_signal_connect_object(params, "made", G_CALLBACK(show_params), self, G_CONNECT_SWAPPED);
  show_params(self);
}

/* Several layers change in one go. */
static gboolean
update(gpointer data)
{
  VtStageRail *self = data;
  VtResult *shown = vt_analysis_get_shown(self->analysis);
  self->update_id = 0;
  for (guint i = 0; i < self->tiles->len; i++) {
    const guint stage = vt_layer_get_stage_index(get_layer(self, i));
    vt_stage_tile_set_bypassed(self->tiles->pdata[i], is_bypassed(self, get_layer(self, i)));
    vt_stage_tile_set_pin(self->tiles->pdata[i], vt_stage_pins_find(self->pins, get_stage_id(self->tiles->pdata[i])));
    vt_stage_tile_update(self->tiles->pdata[i], shown && vt_result_has_kept(shown, stage));
  }
  show_params(self);
  mark_related(self);
  return G_SOURCE_REMOVE;
}

static void
queue_update(VtStageRail *self)
{
  if (self->update_id == 0 && self->analysis)
    self->update_id = g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, update, self, NULL);
}

static void
scroll_to(VtStageRail *self, guint i)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment(self->scroller);
  graphene_rect_t box;
  if (gtk_widget_compute_bounds(self->tiles->pdata[i], GTK_WIDGET(self->strip), &box))
    gtk_adjustment_clamp_page(adjustment, box.origin.x, box.origin.x + box.size.width);
}

static void
on_alone(VtStageTile *tile, gboolean alone, VtStageRail *self)
{
  vt_layer_stack_set_solo(get_layers(self), alone ? vt_stage_tile_get_layer(tile) : NULL);
}

static guint64
get_shown(VtStageRail *self)
{
  guint64 shown = 0;
  for (guint i = 0; i < self->tiles->len; i++)
    shown |= (guint64)vt_layer_get_shown(get_layer(self, i)) << i;
  return shown;
}

static void
set_shown(VtStageRail *self, guint64 shown)
{
  vt_layer_stack_set_solo(get_layers(self), NULL);
  for (guint i = 0; i < self->tiles->len; i++)
    vt_layer_set_shown(get_layer(self, i), (shown >> i & 1) != 0);
}

static void
show_up_to(VtStageRail *self, VtLayer *layer)
{
  guint last = 0;
  while (get_layer(self, last) != layer)
    last++;
  const guint64 wanted = ((guint64)2 << last) - 1;
  const gboolean back = self->last_of_shown == layer && get_shown(self) == wanted;
  if (!self->last_of_shown)
    self->shown_before = get_shown(self);
  set_shown(self, back ? self->shown_before : wanted);
  self->last_of_shown = back ? NULL : layer;
  vt_test_log("stages-up-to %s", back ? "none" : vt_layer_get_stage(layer)->id);
}

static void
on_up_to(VtStageTile *tile, VtStageRail *self)
{
  show_up_to(self, vt_stage_tile_get_layer(tile));
}

void
vt_stage_rail_walk(VtStageRail *self, int step)
{
  const int n = (int)self->tiles->len;
  const int next = n > 0 ? (find_alone(self) + 1 + step + n + 1) % (n + 1) - 1 : -1;
  vt_layer_stack_set_solo(get_layers(self), next >= 0 ? get_layer(self, (guint)next) : NULL);
  if (next >= 0)
    scroll_to(self, (guint)next);
}

gboolean
vt_stage_rail_show_up_to(VtStageRail *self)
{
  const int alone = find_alone(self);
  if (alone < 0 && !self->last_of_shown)
    return FALSE;
  show_up_to(self, alone < 0 ? self->last_of_shown : get_layer(self, (guint)alone));
  return TRUE;
}

const char *
vt_stage_rail_get_chosen(VtStageRail *self)
{
  const int alone = self->analysis ? find_alone(self) : -1;
  return alone >= 0 ? vt_layer_get_stage(get_layer(self, (guint)alone))->id : NULL;
}

/* --- changing the recipe --- */

/* NULL: the analysis is none, which the menu would have to say. */
static const VitrailRecipe *
find_recipe(VtStageRail *self, const VitrailPlugin **plugin)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  return op ? vt_plugin_host_find_recipe(vt_plugin_host_get(), op, plugin) : NULL;
}

/* NULL: how a recipe is changed. */
static void
show_note(VtStageRail *self, const char *text)
{
  const gboolean is_recipe = self->analysis && find_recipe(self, NULL);
  const char *hint = is_recipe ? _("Right click a stage, or drag it, to change the recipe.") : "";
  gtk_label_set_text(GTK_LABEL(self->note_label), text ? text : hint);
}

static gboolean
end_note(gpointer data)
{
  VT_STAGE_RAIL(data)->note_id = 0;
  mark_related(data);
  return G_SOURCE_REMOVE;
}

gboolean
vt_stage_rail_say(VtStageRail *self, const char *sentence)
{
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return FALSE;
  g_clear_handle_id(&self->note_id, g_source_remove);
  self->note_id = g_timeout_add_seconds(NOTE_S, end_note, self);
  show_note(self, sentence);
  return TRUE;
}

/* --- where stages come from --- */

/* Of the tile that is pointed at, else of the stage that is seen alone. */
static void
mark_related(VtStageRail *self)
{
  const int alone = self->analysis ? find_alone(self) : -1;
  if (self->reasons) /* a tile is dragged, and the note says whereto it may go */
    return;
  const char *sentence =
    vt_stage_graph_mark(self->graph, self->pointed || alone < 0 ? self->pointed : self->tiles->pdata[alone]);
  if (self->note_id == 0)
    show_note(self, sentence);
}

static void
on_pointed(GtkEventController *controller, double x, double y, VtStageRail *self)
{
  self->pointed = gtk_event_controller_get_widget(controller);
  mark_related(self);
}

static void
on_focused(GtkEventController *controller, VtStageRail *self)
{
  on_pointed(controller, 0, 0, self);
}

static void
on_left(GtkEventController *controller, VtStageRail *self)
{
  self->pointed = NULL;
  mark_related(self);
}

static void
watch_pointer(VtStageRail *self, GtkWidget *tile)
{
  GtkEventController *motion = gtk_event_controller_motion_new(), *focus = gtk_event_controller_focus_new();
  g_signal_connect_object(motion, "enter", G_CALLBACK(on_pointed), self, 0);
  g_signal_connect_object(motion, "leave", G_CALLBACK(on_left), self, 0);
  g_signal_connect_object(focus, "enter", G_CALLBACK(on_focused), self, 0);
  g_signal_connect_object(focus, "leave", G_CALLBACK(on_left), self, 0);
  gtk_widget_add_controller(tile, motion);
  gtk_widget_add_controller(tile, focus);
}

/* It hangs on the strip, not on the tile: what it does may end the tile. */
static void
open_menu(VtStageRail *self, VtStageTile *tile, gboolean steps)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = find_recipe(self, &plugin);
  const VitrailStage *stage = vt_layer_get_stage(vt_stage_tile_get_layer(tile));
  graphene_rect_t box;
  if (!recipe && steps) {
    gtk_widget_activate_action(GTK_WIDGET(self), "win.stage-edit", "(sss)", "add", stage->id, ""); /* says why not */
    return;
  }
  g_clear_pointer(&self->menu, gtk_widget_unparent);
  self->menu = vt_stage_menu_new(vt_analysis_get_op(self->analysis), recipe, plugin, stage->id, self->pins);
  gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  if (gtk_widget_compute_bounds(GTK_WIDGET(tile), GTK_WIDGET(self), &box))
    gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){ (int)box.origin.x, (int)box.origin.y,
                                                                          (int)box.size.width, (int)box.size.height });
  if (steps)
    vt_stage_menu_show_steps(VT_STAGE_MENU(self->menu));
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void
on_menu(VtStageTile *tile, VtStageRail *self)
{
  open_menu(self, tile, FALSE);
}

void
vt_stage_rail_show_steps(VtStageRail *self, const char *stage)
{
  for (guint i = 0; i < self->tiles->len; i++)
    if (g_str_equal(vt_layer_get_stage(get_layer(self, i))->id, stage))
      open_menu(self, self->tiles->pdata[i], TRUE);
}

/* Where the tile cannot go is grey. All tiles are to be in reach. */
static void
on_dragged(VtStageTile *tile, gboolean begins, VtStageRail *self)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = begins ? find_recipe(self, &plugin) : NULL;
  g_clear_pointer(&self->reasons, g_ptr_array_unref);
  gtk_widget_set_visible(self->params_place, !begins && self->params_of);
  show_note(self, NULL);
  if (recipe)
    self->reasons = g_ptr_array_new_with_free_func(g_free);
  VT_EACH_OF (VtStageTile, other, self->tiles) {
    g_autoptr(GError) error = NULL;
    g_autofree char *text =
      recipe && other != tile
        ? vt_recipe_edit(recipe, plugin, VT_RECIPE_PLACE, get_stage_id(tile), get_stage_id(other), NULL, &error)
        : NULL;
    if (recipe)
      g_ptr_array_add(self->reasons, error ? g_strdup(error->message) : NULL);
    gtk_widget_set_opacity(GTK_WIDGET(other), error ? 0.35 : 1);
  }
  vt_test_log("stage-dragged %s %d", get_stage_id(tile), begins);
}

static void
on_over(VtStageTile *tile, gboolean is_over, VtStageRail *self)
{
  guint i = 0;
  const gboolean is_known = self->reasons && g_ptr_array_find(self->tiles, tile, &i);
  const char *reason = is_known && is_over ? self->reasons->pdata[i] : NULL;
  show_note(self, reason);
  if (reason)
    vt_test_log("stage-over %s: %s", get_stage_id(tile), reason);
}

static void
on_dropped(VtStageTile *tile, VtStageTile *dropped, VtStageRail *self)
{
  if (tile != dropped)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.stage-edit", "(sss)", "place", get_stage_id(dropped),
                               get_stage_id(tile));
}

static void
add_tile(VtStageRail *self, VtLayer *layer)
{
  GtkWidget *tile = vt_stage_tile_new(layer, self->tiles->len + 1);
  g_ptr_array_add(self->tiles, tile);
  gtk_box_append(self->strip, tile);
  watch_pointer(self, tile);
  g_signal_connect_object(tile, "alone", G_CALLBACK(on_alone), self, 0);
  g_signal_connect_object(tile, "up-to", G_CALLBACK(on_up_to), self, 0);
  g_signal_connect_object(tile, "menu", G_CALLBACK(on_menu), self, 0);
  g_signal_connect_object(tile, "dragged", G_CALLBACK(on_dragged), self, 0);
  g_signal_connect_object(tile, "over", G_CALLBACK(on_over), self, 0);
  g_signal_connect_object(tile, "dropped", G_CALLBACK(on_dropped), self, 0);
  /* As long as the tile is there. */
  g_signal_connect_object(layer, "data", G_CALLBACK(queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::solo", G_CALLBACK(queue_update), self, G_CONNECT_SWAPPED);
}

static void
remove_tiles(VtStageRail *self)
{
  g_autoptr(GPtrArray) tiles = g_steal_pointer(&self->tiles);
  self->tiles = g_ptr_array_new(); /* the pointer leaves a tile when that goes */
  for (guint i = 0; i < tiles->len; i++) {
    g_signal_handlers_disconnect_by_data(vt_stage_tile_get_layer(tiles->pdata[i]), self);
    gtk_box_remove(self->strip, tiles->pdata[i]);
  }
  self->last_of_shown = NULL;
  self->pointed = NULL;
  vt_stage_graph_set_tiles(self->graph, self->tiles, NULL, NULL);
  show_params(self);
}

/* Also called for another order of the layers, which changes nothing here. */
static void
on_layers_changed(VtStageRail *self)
{
  const VitrailPlugin *plugin = NULL;
  g_autoptr(GPtrArray) stages = vt_layer_stack_dup_stages(get_layers(self));
  gboolean same = stages->len == self->tiles->len;
  for (guint i = 0; same && i < stages->len; i++)
    same = stages->pdata[i] == get_layer(self, i);
  if (same)
    return;
  remove_tiles(self);
  for (guint i = 0; i < stages->len; i++)
    add_tile(self, stages->pdata[i]);
  const VitrailRecipe *recipe = find_recipe(self, &plugin);
  vt_stage_graph_set_tiles(self->graph, self->tiles, recipe, plugin);
  gtk_widget_set_visible(self->none_label, stages->len == 0);
  gtk_widget_set_visible(GTK_WIDGET(self->scroller), stages->len > 0);
  gtk_widget_set_visible(self->note_label, stages->len > 0);
  g_clear_handle_id(&self->note_id,
                    g_source_remove); /* an edit is told after its stages are there: this one is older */
  show_note(self, NULL);
  show_view(self);
  update(self);
}

static void
want_all(VtStageRail *self)
{
  if (self->analysis)
    vt_analysis_set_wants_all(self->analysis, is_shown(self));
  show_params(self);
}

static void
leave_view(VtStageRail *self)
{
  g_clear_handle_id(&self->update_id, g_source_remove);
  if (!self->analysis)
    return;
  vt_analysis_set_wants_all(self->analysis, FALSE);
  remove_tiles(self);
  vt_stage_rail_set_params(self, NULL);
  g_signal_handlers_disconnect_by_data(get_layers(self), self);
  g_signal_handlers_disconnect_by_data(self->analysis, self);
  g_signal_handlers_disconnect_by_data(self->canvas, self);
  g_signal_handlers_disconnect_by_data(self->pins, self);
  g_clear_object(&self->pins);
  g_clear_object(&self->analysis);
  g_clear_object(&self->canvas);
}

void
vt_stage_rail_set_view(VtStageRail *self, VtCanvas *canvas, VtAnalysis *analysis, VtStagePins *pins)
{
  if (self->analysis == analysis)
    return;
  leave_view(self);
  self->analysis = g_object_ref(analysis);
  self->canvas = g_object_ref(canvas);
  self->pins = g_object_ref(pins);
  vt_widget_lead_keys_to(GTK_WIDGET(self->params_box), GTK_WIDGET(canvas));
  g_signal_connect_object(canvas, "view-changed", G_CALLBACK(show_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(pins, "changed", G_CALLBACK(queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_layers(self), "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self);
  want_all(self);
}

static void
vt_stage_rail_class_init(VtStageRailClass *klass)
{
  VT_ENDS(klass, VtStageRail, leave_view);
  VT_SOURCES(klass, VtStageRail, note_id);
  VT_OWNS(klass, VtStageRail, gtk_widget_unparent, menu);
  VT_OWNS(klass, VtStageRail, g_ptr_array_unref, reasons, tiles);
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_GROUP);
  VT_TEMPLATE(klass, VtStageRail, "vt-stage-rail", strip, params_place, params_box, no_params_label, scroller,
              none_label, note_label);
  VT_TEMPLATE_CALLBACKS(klass, want_all);
}

static void
vt_stage_rail_init(VtStageRail *self)
{
  self->tiles = g_ptr_array_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  self->graph = vt_stage_graph_new(GTK_WIDGET(self->strip));
  gtk_scrolled_window_set_child(self->scroller, GTK_WIDGET(self->graph));
}
