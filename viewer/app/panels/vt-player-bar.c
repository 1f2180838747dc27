/* SPDX-License-Identifier: MIT */
#include "panels/vt-player-bar.h"

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-player-strip.h"

static const double durations[] = { 2, 4, 8, 16, 32, 64, 128 }; /* seconds */

struct _VtPlayerBar {
  AdwBin parent;

  /* template */
  GtkLabel *words_label, *count_label, *caution_label, *proof_label;
  GtkDropDown *stage_dropdown, *speed_dropdown;
  GtkSpinner *spinner;
  GtkWidget *again_button, *controls;
  GtkButton *play_button;
  GtkScale *slider;
  VtPlayerStrip *strip;

  VtPlayer *player;
  VtCanvas *canvas; /* borrowed: it outlives the bar */
  VtWave *wave;     /* that the widgets are of; only compared */
  GArray *stages;   /* guint, of the rows */
  gboolean is_filling;
  guint tick_id;
  gint64 frame_us;
  char *way; /* what the line on the picture is; or NULL */
};

G_DEFINE_FINAL_TYPE(VtPlayerBar, vt_player_bar, ADW_TYPE_BIN)

/* --- what is seen --- */

static void
show_tick(VtPlayerBar *self)
{
  g_autofree char *words = vt_player_dup_words(self->player, vt_player_get_tick(self->player)),
                  *count = vt_player_dup_count(self->player);
  g_autofree char *events = vt_player_dup_events(self->player);
  const char *region = vt_player_get_region(self->player);
  g_autoptr(GString) text = g_string_new(count);
  if (region)
    g_string_append_printf(text, " · %s", region);
  if (events)
    g_string_append_printf(text, " · %s", events);
  if (self->way)
    g_string_append_printf(text, " · %s", self->way);
  gtk_label_set_text(self->words_label, words);
  gtk_label_set_text(self->count_label, text->str);
  self->is_filling = TRUE;
  gtk_range_set_value(GTK_RANGE(self->slider), vt_player_get_tick(self->player));
  self->is_filling = FALSE;
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words, -1);
  vt_player_strip_set_tick(self->strip, vt_player_get_tick(self->player));
}

static void
drop_way(VtPlayerBar *self)
{
  g_clear_pointer(&self->way, g_free);
  vt_canvas_set_way(self->canvas, NULL);
}

/* The stages that have a wave, this one chosen. */
static void
fill_stages(VtPlayerBar *self, const VtWave *wave)
{
  const VitrailOp *op = vt_player_get_op(self->player);
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  guint chosen = 0;
  g_array_set_size(self->stages, 0);
  for (guint i = 0; i < op->n_stages; i++) {
    if (!(wave->stages >> i & 1))
      continue;
    if (i == wave->stage)
      chosen = self->stages->len;
    gtk_string_list_append(titles, vt_translate(op->stages[i]->title));
    g_array_append_val(self->stages, i);
  }
  gtk_drop_down_set_model(self->stage_dropdown, G_LIST_MODEL(titles));
  gtk_drop_down_set_selected(self->stage_dropdown, chosen);
}

static void
show_proof(VtPlayerBar *self, const VtWave *wave)
{
  g_autofree char *text =
    wave->n_different == 0
      ? g_strdup(_("The end equals the result: yes"))
      : g_strdup_printf(_("The end equals the result: no, %.0f pixels differ"), (double)wave->n_different);
  gtk_label_set_text(self->proof_label, text);
  if (wave->n_different > 0)
    gtk_widget_add_css_class(GTK_WIDGET(self->proof_label), "error");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->proof_label), "error");
}

static void
show_wave(VtPlayerBar *self)
{
  VtWave *wave = vt_player_get_wave(self->player);
  if (wave == self->wave)
    return;
  self->wave = wave;
  drop_way(self);
  vt_player_strip_set_wave(self->strip, wave, GTK_RANGE(self->slider));
  if (!wave)
    return;
  self->is_filling = TRUE;
  fill_stages(self, wave);
  gtk_range_set_range(GTK_RANGE(self->slider), 0, MAX(wave->n_ticks - 1, 1));
  gtk_range_set_increments(GTK_RANGE(self->slider), 1, MAX(wave->n_ticks / 20, 1));
  self->is_filling = FALSE;
  show_proof(self, wave);
}

static gboolean
advance(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  VtPlayerBar *self = VT_PLAYER_BAR(widget);
  const gint64 now = gdk_frame_clock_get_frame_time(clock);
  if (!vt_player_get_playing(self->player)) {
    self->tick_id = 0;
    return G_SOURCE_REMOVE;
  }
  vt_player_advance(self->player, (double)(now - self->frame_us) / 1e6);
  self->frame_us = now;
  return G_SOURCE_CONTINUE;
}

static void
show_playing(VtPlayerBar *self)
{
  const gboolean playing = vt_player_get_playing(self->player);
  const char *words = playing ? _("Pause") : _("Play");
  g_autofree char *tip = g_strdup_printf("%s (Alt+P)", words);
  gtk_button_set_icon_name(self->play_button, playing ? "vt-pause-symbolic" : "vt-play-symbolic");
  vt_widget_set_tooltip(GTK_WIDGET(self->play_button), tip);
  vt_widget_set_accessible_label(GTK_WIDGET(self->play_button), words);
  if (!playing || self->tick_id != 0)
    return;
  self->frame_us = gdk_frame_clock_get_frame_time(gtk_widget_get_frame_clock(GTK_WIDGET(self)));
  self->tick_id = gtk_widget_add_tick_callback(GTK_WIDGET(self), advance, NULL, NULL);
}

static void
show_picture(VtPlayerBar *self)
{
  g_autofree char *caution = vt_player_dup_caution(self->player);
  vt_canvas_set_film(self->canvas, vt_player_get_painted(self->player), caution != NULL);
}

static void
on_changed(VtPlayerBar *self)
{
  g_autofree char *caution = vt_player_dup_caution(self->player);
  const char *failure = vt_player_get_failure(self->player);
  const gboolean is_making = vt_player_is_making(self->player), has_wave = vt_player_get_wave(self->player) != NULL;
  gtk_widget_set_visible(GTK_WIDGET(self), vt_player_is_open(self->player));
  show_wave(self);
  show_picture(self);
  gtk_spinner_set_spinning(self->spinner, is_making);
  gtk_label_set_text(self->caution_label, failure ? failure : caution ? caution : "");
  gtk_widget_set_visible(GTK_WIDGET(self->caution_label), failure || caution);
  gtk_widget_set_visible(self->again_button, (failure || caution) && !is_making);
  gtk_widget_set_visible(GTK_WIDGET(self->proof_label), has_wave && !caution);
  gtk_widget_set_visible(GTK_WIDGET(self->stage_dropdown), has_wave);
  gtk_widget_set_visible(self->controls, has_wave);
  if (has_wave)
    show_playing(self);
  show_tick(self);
  if (is_making)
    gtk_label_set_text(self->count_label, _("Making it, moment by moment…"));
}

/* --- hands --- */

static void
on_slider(VtPlayerBar *self)
{
  if (self->is_filling)
    return;
  vt_player_set_playing(self->player, FALSE);
  vt_player_seek(self->player, (gint64)(gtk_range_get_value(GTK_RANGE(self->slider)) + 0.5));
}

static void
on_sought(VtPlayerBar *self, guint tick)
{
  vt_player_set_playing(self->player, FALSE);
  vt_player_seek(self->player, tick);
}

static void
on_stage(VtPlayerBar *self)
{
  const guint row = gtk_drop_down_get_selected(self->stage_dropdown);
  g_autoptr(GError) error = NULL;
  if (self->is_filling || row >= self->stages->len)
    return;
  if (!vt_player_play_stage(self->player, g_array_index(self->stages, guint, row), vt_canvas_get_view(self->canvas),
                            &error))
    gtk_label_set_text(self->count_label, error->message);
}

static void
on_speed(VtPlayerBar *self)
{
  const guint row = gtk_drop_down_get_selected(self->speed_dropdown);
  if (!self->is_filling && row < G_N_ELEMENTS(durations))
    vt_player_set_duration(self->player, durations[row]);
}

static void
on_view(VtPlayerBar *self)
{
  if (vt_player_is_open(self->player))
    vt_player_set_view(self->player, vt_canvas_get_view(self->canvas));
}

/* A drag takes the gesture away: this is a click that stayed where it was. */
static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, VtPlayerBar *self)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self->canvas));
  double x_l0, y_l0;
  if (!self->wave || n_press != 1 || vt_canvas_get_tool(self->canvas) != VT_TOOL_MOVE)
    return;
  vt_viewport_to_l0(vt_canvas_get_view(self->canvas), x * scale, y * scale, &x_l0, &y_l0);
  drop_way(self);
  g_autoptr(VtWay) way = vt_player_find_way(self->player, x_l0, y_l0);
  self->way = way ? vt_way_dup_words(way) : g_strdup(_("Nothing came to this pixel."));
  vt_canvas_set_way(self->canvas, way ? way->points : NULL);
  show_tick(self);
}

/* --- life --- */

static void
vt_player_bar_class_init(VtPlayerBarClass *klass)
{
  g_type_ensure(VT_TYPE_PLAYER_STRIP);
  VT_OWNS(klass, VtPlayerBar, g_object_unref, player);
  VT_OWNS(klass, VtPlayerBar, g_array_unref, stages);
  VT_OWNS(klass, VtPlayerBar, g_free, way);
  VT_TEMPLATE(klass, VtPlayerBar, "vt-player-bar", words_label, count_label, caution_label, proof_label, stage_dropdown,
              speed_dropdown, spinner, again_button, controls, play_button, slider, strip);
  VT_TEMPLATE_CALLBACKS(klass, on_slider, on_sought, on_stage, on_speed);
}

static void
fill_speeds(VtPlayerBar *self)
{
  g_autoptr(GtkStringList) words = gtk_string_list_new(NULL);
  guint chosen = 0;
  for (guint i = 0; i < G_N_ELEMENTS(durations); i++) {
    g_autofree char *text = g_strdup_printf(_("in %.0f s"), durations[i]);
    gtk_string_list_append(words, text);
    chosen = durations[i] == vt_player_get_duration(self->player) ? i : chosen;
  }
  self->is_filling = TRUE;
  gtk_drop_down_set_model(self->speed_dropdown, G_LIST_MODEL(words));
  gtk_drop_down_set_selected(self->speed_dropdown, chosen);
  self->is_filling = FALSE;
}

static void
vt_player_bar_init(VtPlayerBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->stage_dropdown), _("The stage that is played"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->speed_dropdown),
                                 _("How long it takes from the beginning to the end"));
  self->stages = g_array_new(FALSE, FALSE, sizeof(guint));
}

GtkWidget *
vt_player_bar_new(VtPlayer *player, VtCanvas *canvas)
{
  VtPlayerBar *self = g_object_new(VT_TYPE_PLAYER_BAR, NULL);
  GtkGesture *click = gtk_gesture_click_new();
  self->player = g_object_ref(player);
  self->canvas = canvas;
  fill_speeds(self);
  vt_widget_lead_keys_to(GTK_WIDGET(self), GTK_WIDGET(canvas));
  g_signal_connect_object(player, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(player, "ticked", G_CALLBACK(show_tick), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(player, "pictured", G_CALLBACK(show_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "view-changed", G_CALLBACK(on_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(click, "released", G_CALLBACK(on_clicked), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(canvas), GTK_EVENT_CONTROLLER(click));
  on_changed(self);
  return GTK_WIDGET(self);
}
