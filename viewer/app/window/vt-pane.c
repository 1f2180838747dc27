/* SPDX-License-Identifier: MIT */
#include "window/vt-pane.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "analysis/vt-caution.h"
#include "panels/vt-magnification.h"
#include "window/vt-message-bar.h"
#include "window/vt-pane-objects.h"
#include "window/vt-pane-regions.h"
#include "panels/vt-object-hand.h"
#include "panels/vt-reference-card.h"
#include "panels/vt-tables.h"
#include "panels/vt-why-card.h"
#include "panels/vt-wipe-hand.h"
#include "dialogs/vt-properties-window.h"
#include "window/vt-start-page.h"
#include "window/vt-tuning.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"

#define EMPTY_MS 50
#define LEAST_OF_CARDS 140  /* logical pixels that they have in any window */
#define LEAST_OF_CORNER 160 /* logical pixels that scale and legend are wide */

struct _VtPane {
  AdwBin parent;

  /* template */
  VtMessageBar *message_bar;
  GtkLabel *name_label, *drop_label, *caution_label;
  GtkStack *stack;
  VtCanvas *canvas;
  VtMinimap *minimap;
  GtkBox *cards, *under;

  /* owned */
  VtSlide *slide;
  char *failure; /* of the analysis: what was said of it last; or NULL */
  guint n_losses;
  VtAnalysis *analysis;
  VtWhy *why;
  VtReference *reference;
  VtStagePins *stage_pins;
  VtSweep *sweep;
  VtRegions *regions;
  GtkWidget *sidebar_place; /* holds the sidebar */
  VtSidebar *sidebar;       /* borrowed from there; NULL until it is needed */
  VtSidebar *new_sidebar;   /* half made, or NULL */
  guint sidebar_id;
  GtkStack *tables;
  VtRoiTable *roi_table; /* borrowed: in it */
  VtStatusBar *status_bar;
  GtkWidget *properties; /* weak: the window about the slide */
};

G_DEFINE_FINAL_TYPE(VtPane, vt_pane, ADW_TYPE_BIN)

static void
emit_changed(VtPane *self)
{
  g_signal_emit_by_name(self, "changed");
}

void
vt_pane_show_error(VtPane *self, const char *sentence, VtMessageKind kind)
{
  vt_message_bar_show(self->message_bar, sentence, kind);
  self->n_losses += kind == VT_MESSAGE_LOSS;
  vt_test_log("error %s", sentence);
}

guint
vt_pane_get_n_losses(VtPane *self)
{
  return self->n_losses;
}

void
vt_pane_move_on(VtPane *self)
{
  vt_message_bar_move_on(self->message_bar, TRUE);
}

void
vt_pane_hide_error(VtPane *self)
{
  vt_message_bar_hide(self->message_bar);
}

void
vt_pane_retry(VtPane *self)
{
  vt_pane_hide_error(self);
  if (self->slide)
    vt_tile_store_retry(vt_canvas_get_store(self->canvas));
  emit_changed(self);
}

static void
on_tile_failed(VtPane *self, const char *sentence)
{
  vt_pane_show_error(self, sentence, VT_MESSAGE_TILES);
  emit_changed(self);
}

static void
on_analysis_failed(VtPane *self, const char *sentence)
{
  /* The analysis has written it to the log; the run panel shows it, too, but may be hidden. */
  VtTileStore *store = vt_canvas_get_store(self->canvas);
  g_free(self->failure);
  self->failure = g_strdup(sentence);
  vt_message_bar_show(self->message_bar, sentence,
                      store && vt_tile_store_get_n_failed(store) > 0 ? VT_MESSAGE_TILES : VT_MESSAGE_STATE);
}

/* What could not be run is no longer what would be. */
static void
take_failure_back(VtPane *self)
{
  vt_message_bar_take_back(self->message_bar, self->failure);
}

static void
on_regions_changed(VtPane *self)
{
  if (vt_analysis_get_run_on(self->analysis) == VT_RUN_ON_REGIONS)
    take_failure_back(self);
}

/* The table goes by the settings of its own analysis, whichever is chosen. */
static void
share_params(VtPane *self)
{
  vt_roi_table_set_params(self->roi_table, vt_analysis_get_params_of(self->analysis, VT_ROI_OP));
  if (vt_analysis_get_live(self->analysis))
    vt_roi_table_measure(self->roi_table);
}

void
vt_pane_show_slide(VtPane *self, VtSlide *slide)
{
  vt_slide_ref(slide);
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = slide;
  if (self->properties)
    gtk_window_destroy(GTK_WINDOW(self->properties));
  vt_roi_table_set_slide(self->roi_table, slide);
  vt_why_forget(self->why);
  vt_reference_clear(self->reference);
  vt_stage_pins_clear(self->stage_pins);
  vt_sweep_stop(self->sweep);
  vt_tuning_set_slide(self, slide);
  vt_analysis_set_slide(self->analysis, slide);
  share_params(self);
  vt_canvas_set_slide(self->canvas, slide);
  vt_minimap_set_slide(self->minimap, slide);
  vt_status_bar_set_slide(self->status_bar, slide);
  g_signal_connect_object(vt_canvas_get_store(self->canvas), "failed", G_CALLBACK(on_tile_failed), self,
                          G_CONNECT_SWAPPED);
  gtk_label_set_text(self->name_label, vt_slide_get_name(slide));
  gtk_stack_set_visible_child_name(self->stack, "slide");
  vt_message_bar_set_slide(self->message_bar, slide);
  emit_changed(self);
}

/* It is made of a hundred widgets, and pixels are wanted first; step by step, for hands are quick. False: it was the last. */
static gboolean
make_part_of_sidebar(VtPane *self)
{
  if (self->sidebar)
    return FALSE;
  if (!self->new_sidebar) {
    self->new_sidebar = g_object_ref_sink(g_object_new(VT_TYPE_SIDEBAR, NULL));
    return TRUE;
  }
  self->sidebar = self->new_sidebar;
  vt_sidebar_set_analysis(self->sidebar, self->analysis, self->sweep);
  adw_bin_set_child(ADW_BIN(self->sidebar_place), GTK_WIDGET(self->sidebar));
  vt_sidebar_probe(self->sidebar, self->canvas);
  g_clear_object(&self->new_sidebar);
  emit_changed(self);
  return FALSE;
}

static void
make_sidebar(VtPane *self)
{
  g_clear_handle_id(&self->sidebar_id, g_source_remove);
  while (make_part_of_sidebar(self)) {
  }
}

static gboolean
make_sidebar_later(gpointer data)
{
  VtPane *self = data;
  if (make_part_of_sidebar(self))
    return G_SOURCE_CONTINUE;
  self->sidebar_id = 0;
  if (self->slide)
    vt_start_page_leave(self->stack);
  emit_changed(self);
  return G_SOURCE_REMOVE;
}

static void
apply_analysis(VtPane *self, const VtPaneOptions *options)
{
  g_autoptr(GError) error = NULL;
  if (options->op_id || options->params)
    make_sidebar(self);
  if (options->op_id && !vt_run_panel_select_op(vt_sidebar_get_run_panel(self->sidebar), options->op_id, &error)) {
    vt_pane_show_error(self, error->message, VT_MESSAGE_LOSS);
    g_clear_error(&error);
  }
  for (guint i = 0; options->params && options->params[i] && vt_analysis_get_op(self->analysis); i++) {
    if (!vt_analysis_set_param_text(self->analysis, options->params[i], &error)) {
      vt_pane_show_error(self, error->message, VT_MESSAGE_LOSS);
      g_clear_error(&error);
    }
  }
  if (options->live)
    vt_analysis_set_live(self->analysis, TRUE);
}

void
vt_pane_apply_options(VtPane *self, const VtPaneOptions *options)
{
  apply_analysis(self, options);
  if (!self->slide)
    return;
  const double downsample = vt_magnification_get_downsample(self->slide, options->magnification);
  if (options->magnification > 0 && downsample > 0)
    vt_canvas_set_downsample(self->canvas, downsample);
  else if (options->magnification > 0)
    vt_pane_show_error(self, _("This slide has no pixel size, and so no magnification: --zoom is left out."),
                       VT_MESSAGE_LOSS);
  if (options->has_centre)
    vt_canvas_centre_on(self->canvas, options->centre_x_l0, options->centre_y_l0);
  vt_canvas_finish(self->canvas);
}

GPtrArray *
vt_pane_get_ops(VtPane *self)
{
  return self->sidebar ? vt_run_panel_get_ops(vt_sidebar_get_run_panel(self->sidebar)) : NULL;
}

void
vt_pane_copy(VtPane *self, VtPane *other)
{
  const VitrailOp *op = vt_analysis_get_op(other->analysis);
  const VtParams *params = vt_analysis_get_params(other->analysis);
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; op && i < op->n_params; i++) {
    g_autofree char *value = params->is_set[i] ? vt_params_dup_text(params, i) : NULL;
    if (value)
      g_ptr_array_add(texts, g_strdup_printf("%s=%s", op->params[i]->key, value));
  }
  g_ptr_array_add(texts, NULL);
  VtPaneOptions options = { .op_id = op ? op->id : NULL,
                            .params = (const char *const *)texts->pdata,
                            .live = vt_analysis_get_live(other->analysis) };
  if (other->slide)
    vt_pane_show_slide(self, other->slide);
  vt_pane_apply_options(self, &options);
  if (op && params->labels)
    vt_analysis_set_labels(self->analysis, op->id, params->labels);
  if (other->slide)
    vt_canvas_copy_view(self->canvas, other->canvas);
  vt_undo_clear(vt_regions_get_undo(self->regions)); /* how a view begins is no step of a person */
}

VT_GETTER(VtSlide *, vt_pane_get_slide, VtPane, slide)
VT_GETTER(VtCanvas *, vt_pane_get_canvas, VtPane, canvas)
VT_GETTER(VtMinimap *, vt_pane_get_minimap, VtPane, minimap)
VT_GETTER(VtAnalysis *, vt_pane_get_analysis, VtPane, analysis)
VT_GETTER(VtWhy *, vt_pane_get_why, VtPane, why)
VT_GETTER(VtReference *, vt_pane_get_reference, VtPane, reference)
VT_GETTER(VtStagePins *, vt_pane_get_stage_pins, VtPane, stage_pins)
VT_GETTER(VtRegions *, vt_pane_get_regions, VtPane, regions)

void
vt_pane_run(VtPane *self)
{
  vt_analysis_run(self->analysis);
  vt_roi_table_measure(self->roi_table);
}

VT_GETTER(GtkStack *, vt_pane_get_tables, VtPane, tables)
VT_GETTER(VtRoiTable *, vt_pane_get_roi_table, VtPane, roi_table)
VT_GETTER(GtkWidget *, vt_pane_get_sidebar, VtPane, sidebar_place)

VtParamPanel *
vt_pane_get_param_panel(VtPane *self)
{
  return self->sidebar ? vt_sidebar_get_param_panel(self->sidebar) : NULL;
}

VT_GETTER(VtStatusBar *, vt_pane_get_status_bar, VtPane, status_bar)

void
vt_pane_set_frame(VtPane *self, gboolean framed, gboolean active)
{
  const char *classes[] = { framed ? "framed" : NULL, "active", NULL };
  if (!active)
    classes[framed ? 1 : 0] = NULL;
  gtk_widget_set_css_classes(GTK_WIDGET(self), classes);
  gtk_widget_set_visible(GTK_WIDGET(self->name_label), framed && self->slide);
}

void
vt_pane_show_properties(VtPane *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  if (!self->slide)
    return;
  if (!self->properties)
    g_set_weak_pointer(&self->properties, vt_properties_window_new(GTK_WINDOW(root), self->slide));
  gtk_window_present(GTK_WINDOW(self->properties));
}

static void
look_in_thread(GTask *task, gpointer source, gpointer slide, GCancellable *cancellable)
{
  vt_look_at_slide(slide);
}

/* Pixels first; and the first run need not wait for this. */
static void
on_painted(VtPane *self)
{
  vt_task_run(NULL, NULL, NULL, NULL, look_in_thread, vt_slide_ref(self->slide), (GDestroyNotify)vt_slide_unref);
  g_clear_handle_id(&self->sidebar_id, g_source_remove);
  self->sidebar_id = g_idle_add_full(G_PRIORITY_LOW, make_sidebar_later, self, NULL);
}

/* An empty view has no pixels to wait for, unless a slide is on its way into it. */
static void
on_map(VtPane *self)
{
  if (!self->sidebar && self->sidebar_id == 0)
    self->sidebar_id = g_timeout_add_full(G_PRIORITY_LOW, EMPTY_MS, make_sidebar_later, self, NULL);
}

static void
on_view_changed(VtPane *self)
{
  if (self->slide) {
    vt_analysis_set_view(self->analysis, vt_canvas_get_view(self->canvas), vt_canvas_get_moving(self->canvas));
    vt_reference_view_changed(self->reference);
  }
  g_signal_emit_by_name(self, "moved");
}

static void
on_finished(VtPane *self)
{
  VtResult *result = vt_analysis_get_result(self->analysis);
  vt_message_bar_move_on(self->message_bar, FALSE);
  take_failure_back(self);
  vt_message_bar_tell_look(self->message_bar, result->look);
  if (g_str_equal(result->op->id, VT_ROI_OP)) {
    g_signal_emit_by_name(self, "regions-wanted");
    vt_roi_table_show_result(self->roi_table, result);
  }
  emit_changed(self);
}

/* Where a file would go that is held over the view. */
static void
show_drop(VtPane *self, gboolean lit)
{
  gtk_widget_set_visible(GTK_WIDGET(self->drop_label), lit);
  vt_test_log("drop-target %s", lit ? "lit" : "dark");
}

static GdkDragAction
on_drop_enter(GtkDropTarget *target, double x, double y, VtPane *self)
{
  show_drop(self, TRUE);
  return GDK_ACTION_COPY;
}

static void
on_drop_leave(GtkDropTarget *target, VtPane *self)
{
  show_drop(self, FALSE);
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, VtPane *self)
{
  GSList *files = g_value_get_boxed(value);
  show_drop(self, FALSE);
  if (files)
    g_signal_emit_by_name(self, "touched");
  for (GSList *l = files; l; l = l->next)
    g_signal_emit_by_name(self, "file", l->data);
  return files != NULL;
}

static void
on_touched(VtPane *self)
{
  g_signal_emit_by_name(self, "touched");
}

static void
vt_pane_dispose(GObject *object)
{
  VtPane *self = VT_PANE(object);
  if (self->properties)
    gtk_window_destroy(GTK_WINDOW(self->properties));
  g_clear_weak_pointer(&self->properties);
  g_clear_handle_id(&self->sidebar_id, g_source_remove);
  self->sidebar = NULL;
  g_clear_object(&self->new_sidebar);
  vt_sidebar_let_go_later((GtkWidget *)g_steal_pointer(&self->sidebar_place));
  self->roi_table = NULL;
  if (self->tables)
    vt_tables_take_down(self->tables);
  vt_sidebar_let_go_later((GtkWidget *)g_steal_pointer(&self->tables));
  g_clear_object(&self->status_bar);
  g_clear_object(&self->why);
  g_clear_object(&self->reference);
  g_clear_object(&self->stage_pins);
  g_clear_object(&self->sweep);
  g_clear_object(&self->analysis);
  g_clear_object(&self->regions);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_pointer(&self->failure, g_free);
  G_OBJECT_CLASS(vt_pane_parent_class)->dispose(object);
}

static void
vt_pane_class_init(VtPaneClass *klass)
{
  g_type_ensure(VT_TYPE_CANVAS);
  g_type_ensure(VT_TYPE_MESSAGE_BAR);
  g_type_ensure(VT_TYPE_MINIMAP);
  g_type_ensure(VT_TYPE_START_PAGE);
  G_OBJECT_CLASS(klass)->dispose = vt_pane_dispose;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "vt-pane");
  VT_TEMPLATE(klass, VtPane, "vt-pane", message_bar, name_label, drop_label, caution_label, stack, canvas, minimap,
              cards, under);
  vt_signals_new(VT_TYPE_PANE, "changed", "moved", "touched", "regions-wanted", NULL);
  vt_signal_new(VT_TYPE_PANE, "file", G_TYPE_FILE, G_TYPE_NONE);
}

static void
init_input(VtPane *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(on_touched), self);
  gtk_widget_add_controller(GTK_WIDGET(self), focus);
  GtkGesture *press = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(press), 0);
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(press), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(press, "pressed", G_CALLBACK(on_touched), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(press));
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect(target, "enter", G_CALLBACK(on_drop_enter), self);
  g_signal_connect(target, "leave", G_CALLBACK(on_drop_leave), self);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

static void
init_analysis(VtPane *self)
{
  static guint n_panes = 0;
  self->regions = vt_regions_new();
  self->analysis = vt_analysis_new(vt_regions_get_areas(self->regions));
  self->sidebar_place = g_object_ref_sink(adw_bin_new());
  self->status_bar = g_object_ref_sink(vt_status_bar_new(self->canvas, self->analysis, ++n_panes));
  vt_canvas_set_layers(self->canvas, vt_analysis_get_layers(self->analysis));
  vt_canvas_set_rois(self->canvas, vt_regions_get_list(self->regions));
  self->tables = g_object_ref_sink(vt_tables_new(self->canvas, self->analysis, self->regions, &self->roi_table));
  vt_object_hand_attach(self->canvas, self->analysis, self->cards);
  self->why = vt_why_new(self->analysis);
  self->reference = vt_reference_new(self->analysis);
  vt_reference_set_regions(self->reference, self->regions);
  self->sweep = vt_sweep_new(self->analysis, self->reference);
  vt_reference_card_attach(self->canvas, self->reference, self->analysis, self->cards);
  vt_why_card_attach(self->canvas, self->why, self->analysis, GTK_WIDGET(self->minimap));
  self->stage_pins = vt_stage_pins_new(self->analysis);
  vt_wipe_hand_attach(self->canvas, self->reference, self->stage_pins, self->analysis);
  vt_tuning_attach(GTK_WIDGET(self), self->canvas, self->analysis, self->reference, vt_regions_get_undo(self->regions),
                   self->cards, self->under);
  vt_box_hide_empty_scroll(self->cards);
  /* No other view's sidebar keeps the width of the window's drawer yet. */
  if (n_panes == 1)
    make_sidebar(self);
}

/* In a narrow view the badge would lie over the scale and the minimap: it goes above them. */
static void
place_caution(VtPane *self, int most)
{
  GtkWidget *badge = GTK_WIDGET(self->caution_label), *minimap = GTK_WIDGET(self->minimap);
  int width;
  gtk_widget_measure(badge, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  const int beside = MAX(gtk_widget_get_width(minimap), LEAST_OF_CORNER);
  const gboolean is_narrow = width + 2 * beside > gtk_widget_get_width(GTK_WIDGET(self->canvas));
  const int corners = MAX(vt_canvas_get_corner_height(self->canvas), gtk_widget_get_height(minimap));
  const int room = is_narrow ? MIN(corners, most) : 0;
  if (gtk_widget_get_margin_bottom(badge) != room)
    gtk_widget_set_margin_bottom(badge, room);
}

/* In a low window cards would lie over the scale and the legend, without which colours say nothing: what is in them scrolls. */
static void
leave_room(VtPane *self)
{
  GtkWidget *scroll = gtk_widget_get_ancestor(GTK_WIDGET(self->cards), GTK_TYPE_SCROLLED_WINDOW);
  const int most = MAX(gtk_widget_get_height(GTK_WIDGET(self->canvas)) - LEAST_OF_CARDS, 0);
  const int room = MIN(vt_canvas_get_corner_height(self->canvas), most);
  place_caution(self, most);
  if (gtk_widget_get_margin_bottom(scroll) == room)
    return;
  gtk_widget_set_margin_bottom(scroll, room);
  vt_test_log("cards-end %d above %d", gtk_widget_get_height(GTK_WIDGET(self->canvas)) - room,
              vt_canvas_get_corner_height(self->canvas));
}

static void
vt_pane_init(VtPane *self)
{
  static const struct {
    const char *signal;
    GCallback callback;
  } of_analysis[] = { { "finished", G_CALLBACK(on_finished) },
                      { "op-changed", G_CALLBACK(share_params) },
                      { "params-changed", G_CALLBACK(share_params) },
                      { "notify::live", G_CALLBACK(share_params) },
                      { "failed", G_CALLBACK(on_analysis_failed) },
                      { "notify::busy", G_CALLBACK(emit_changed) },
                      { "notify::run-on", G_CALLBACK(take_failure_back) } },
    of_table[] = { { "selected", G_CALLBACK(emit_changed) }, { "failed", G_CALLBACK(vt_pane_say_of_drawing) } },
    of_canvas[] = { { "view-changed", G_CALLBACK(on_view_changed) },
                    { "painted", G_CALLBACK(on_painted) },
                    { "corner", G_CALLBACK(leave_room) },
                    { "view-shown", G_CALLBACK(leave_room) },
                    { "notify::tool", G_CALLBACK(emit_changed) },
                    { "notify::comparing", G_CALLBACK(emit_changed) } };
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_message_bar_push_others(self->message_bar, GTK_WIDGET(self->name_label));
  init_analysis(self);
  vt_caution_attach(self->caution_label, self->analysis,
                    FALSE); /* on the picture itself: what looks final is taken for it */
  g_signal_connect_object(self->caution_label, "notify::visible", G_CALLBACK(leave_room), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->caution_label, "notify::label", G_CALLBACK(leave_room), self, G_CONNECT_SWAPPED);
  vt_minimap_set_canvas(self->minimap, self->canvas);
  for (guint i = 0; i < G_N_ELEMENTS(of_analysis); i++)
    g_signal_connect_object(self->analysis, of_analysis[i].signal, of_analysis[i].callback, self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "shown", G_CALLBACK(vt_canvas_hurry), self->canvas,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(vt_analysis_get_regions(self->analysis), "items-changed", G_CALLBACK(on_regions_changed),
                          self, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(of_table); i++)
    g_signal_connect_object(self->roi_table, of_table[i].signal, of_table[i].callback, self, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(of_canvas); i++)
    g_signal_connect_object(self->canvas, of_canvas[i].signal, of_canvas[i].callback, self, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_regions_get_undo(self->regions), "changed", G_CALLBACK(emit_changed), self,
                          G_CONNECT_SWAPPED);
  vt_pane_regions_attach(self);
  vt_pane_objects_attach(self);
  g_signal_connect_object(vt_tables_get_teacher(self->tables), "failed", G_CALLBACK(vt_pane_say_of_drawing), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect(self, "map", G_CALLBACK(on_map), NULL);
  init_input(self);
}
