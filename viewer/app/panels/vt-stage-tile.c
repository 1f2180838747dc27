/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-tile.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-thumbnail.h"

struct _VtStageTile {
  GtkToggleButton parent;
  VtLayer *layer;
  guint number;
  GtkBox *box;
  GtkWidget *thumbnail, *title_label, *info_label; /* the last one is a GtkInscription */
  GtkWidget *pin_label;                            /* over the thumbnail */
  gint64 clicked_us;                               /* when it was clicked last */
  gboolean bypassed;
  char *origin; /* NULL: not known */
};

G_DEFINE_FINAL_TYPE(VtStageTile, vt_stage_tile, GTK_TYPE_TOGGLE_BUTTON)

static const char *
get_reach_word(VtLayer *layer)
{
  switch (vt_layer_get_stage(layer)->reach) {
  case VITRAIL_REACH_LOCAL: return _("local");
  case VITRAIL_REACH_PROPAGATE: return _("spreads");
  case VITRAIL_REACH_REDUCE: return _("sums up");
  default: return "";
  }
}

static const char *
get_reach_sentence(VtLayer *layer)
{
  switch (vt_layer_get_stage(layer)->reach) {
  case VITRAIL_REACH_LOCAL: return _("Local: each pixel depends on its surroundings alone.");
  case VITRAIL_REACH_PROPAGATE: return _("Spreads: a pixel may depend on others far away.");
  case VITRAIL_REACH_REDUCE: return _("Sums up: depends on all that was analysed.");
  default: return "";
  }
}

/* What is not the final answer says so, in the place of its time. */
static char *
dup_info(VtStageTile *self, gboolean kept)
{
  const double ms = vt_layer_get_stage_ms(self->layer);
  if (!vt_layer_has_data(self->layer))
    return g_strdup(_("not made"));
  if (vt_layer_get_stale(self->layer))
    return g_strdup(_("out of date"));
  if (self->bypassed)
    return g_strdup(_("bypassed"));
  g_autofree char *time = kept || isnan(ms) ? g_strdup(kept ? _("kept") : "") : vt_dup_duration(ms);
  const char *second = vt_layer_get_preview(self->layer) ? _("preview") : get_reach_word(self->layer);
  return g_strdup_printf("%s%s%s", time, *time && *second ? " · " : "", second);
}

static char *
dup_tooltip(VtStageTile *self)
{
  const char *lines[7] = { vt_layer_get_title(self->layer) }, *reason = vt_layer_get_empty_reason(self->layer);
  guint n = 1;
  if (vt_layer_get_help(self->layer))
    lines[n++] = vt_layer_get_help(self->layer);
  if (reason)
    lines[n++] = reason;
  lines[n++] = get_reach_sentence(self->layer);
  if (self->origin)
    lines[n++] = self->origin;
  lines[n++] =
    _("Click: this stage alone. Double click: all stages up to this one. Right click: pin it, or change the recipe.");
  return g_strjoinv("\n", (char **)lines);
}

void
vt_stage_tile_update(VtStageTile *self, gboolean kept)
{
  g_autofree char *info = dup_info(self, kept), *tooltip = dup_tooltip(self);
  g_autofree char *title = g_strdup_printf("%u %s", self->number, vt_layer_get_title(self->layer));
  g_autofree char *name = g_strdup_printf(_("Stage %s"), title);
  const char *letter = gtk_label_get_text(GTK_LABEL(self->pin_label));
  g_autofree char *pin = *letter ? g_strdup_printf(_("Pinned as %s"), letter) : NULL;
  const char *lines[4] = { info };
  guint n = 1;
  if (pin)
    lines[n++] = pin;
  if (self->origin)
    lines[n++] = self->origin;
  g_autofree char *description = g_strjoinv(" · ", (char **)lines);
  const gboolean cautious =
    vt_layer_has_data(self->layer) && (vt_layer_get_stale(self->layer) || vt_layer_get_preview(self->layer));
  if (g_strcmp0(info, gtk_inscription_get_text(GTK_INSCRIPTION(self->info_label))) != 0)
    vt_test_log("stage-info %s %s", vt_layer_get_stage(self->layer)->id, info);
  gtk_label_set_text(GTK_LABEL(self->title_label), title);
  gtk_inscription_set_text(GTK_INSCRIPTION(self->info_label), info);
  if (cautious)
    gtk_widget_add_css_class(self->info_label, "caution");
  else
    gtk_widget_remove_css_class(self->info_label, "caution");
  gtk_widget_set_opacity(self->info_label, cautious ? 1 : 0.75);
  vt_widget_set_tooltip(GTK_WIDGET(self), tooltip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self), vt_layer_get_solo(self->layer));
  gtk_widget_queue_draw(self->thumbnail);
}

void
vt_stage_tile_set_origin(VtStageTile *self, const char *sentence)
{
  g_free(self->origin);
  self->origin = g_strdup(sentence);
}

VT_GETTER(const char *, vt_stage_tile_get_origin, VtStageTile, origin)

void
vt_stage_tile_set_pin(VtStageTile *self, int which)
{
  static const char *const letters[] = { "A", "B" };
  gtk_label_set_text(GTK_LABEL(self->pin_label), which >= 0 ? letters[which] : "");
  gtk_widget_set_visible(self->pin_label, which >= 0);
}

void
vt_stage_tile_set_bypassed(VtStageTile *self, gboolean bypassed)
{
  self->bypassed = bypassed;
  gtk_widget_set_opacity(self->thumbnail, bypassed ? 0.4 : 1);
}

void
vt_stage_tile_set_view(VtStageTile *self, const VtViewport *view)
{
  vt_thumbnail_set_view(VT_THUMBNAIL(self->thumbnail), view);
}

VT_GETTER(VtLayer *, vt_stage_tile_get_layer, VtStageTile, layer)

/* The first of two clicks has done what one does. */
static void
on_clicked(VtStageTile *self)
{
  const gint64 now = g_get_monotonic_time();
  int double_click_ms = 0;
  g_object_get(gtk_widget_get_settings(GTK_WIDGET(self)), "gtk-double-click-time", &double_click_ms, NULL);
  const gboolean twice = self->clicked_us > 0 && now - self->clicked_us <= (gint64)double_click_ms * 1000;
  self->clicked_us = twice ? 0 : now;
  if (twice)
    g_signal_emit_by_name(self, "up-to");
  else
    g_signal_emit_by_name(self, "alone", !vt_layer_get_solo(self->layer));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self), vt_layer_get_solo(self->layer));
}

/* --- what else a hand does --- */

static void
ask_menu(VtStageTile *self)
{
  g_signal_emit_by_name(self, "menu");
}

static gboolean
ask_menu_by_key(GtkWidget *widget, GVariant *args, gpointer user_data)
{
  ask_menu(VT_STAGE_TILE(widget));
  return TRUE;
}

static GdkContentProvider *
on_drag_prepare(GtkDragSource *source, double x, double y, VtStageTile *self)
{
  return gdk_content_provider_new_typed(VT_TYPE_STAGE_TILE, self);
}

static void
on_drag_begin(GtkDragSource *source, GdkDrag *drag, VtStageTile *self)
{
  g_autoptr(GdkPaintable) picture = gtk_widget_paintable_new(self->thumbnail);
  gtk_drag_source_set_icon(source, picture, 0, 0);
  g_signal_emit_by_name(self, "dragged", TRUE);
}

static void
on_drag_end(GtkDragSource *source, GdkDrag *drag, gboolean is_delete, VtStageTile *self)
{
  g_signal_emit_by_name(self, "dragged", FALSE);
}

static GdkDragAction
on_enter(GtkDropTarget *target, double x, double y, VtStageTile *self)
{
  g_signal_emit_by_name(self, "over", TRUE);
  return GDK_ACTION_MOVE;
}

static void
on_leave(GtkDropTarget *target, VtStageTile *self)
{
  g_signal_emit_by_name(self, "over", FALSE);
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, VtStageTile *self)
{
  g_signal_emit_by_name(self, "dropped", g_value_get_object(value));
  return TRUE;
}

static void
vt_stage_tile_class_init(VtStageTileClass *klass)
{
  VT_OWNS(klass, VtStageTile, g_object_unref, layer);
  VT_OWNS(klass, VtStageTile, g_free, origin);
  VT_TEMPLATE(klass, VtStageTile, "vt-stage-tile", box, title_label, info_label);
  VT_TEMPLATE_CALLBACKS(klass, on_clicked, ask_menu, on_drag_prepare, on_drag_begin, on_drag_end);
  vt_signals_new(VT_TYPE_STAGE_TILE, "up-to", "menu", NULL);
  vt_signal_new(VT_TYPE_STAGE_TILE, "alone", G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_STAGE_TILE, "dragged", G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_STAGE_TILE, "over", G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_STAGE_TILE, "dropped", VT_TYPE_STAGE_TILE, G_TYPE_NONE);
  gtk_widget_class_add_binding(GTK_WIDGET_CLASS(klass), GDK_KEY_F10, GDK_SHIFT_MASK, ask_menu_by_key, NULL);
  gtk_widget_class_add_binding(GTK_WIDGET_CLASS(klass), GDK_KEY_Menu, 0, ask_menu_by_key, NULL);
}

static void
vt_stage_tile_init(VtStageTile *self)
{
  GtkDropTarget *target = gtk_drop_target_new(VT_TYPE_STAGE_TILE, GDK_ACTION_MOVE);
  gtk_widget_init_template(GTK_WIDGET(self));
  self->pin_label = vt_label_new("", 0, "stage-pin");
  g_object_set(self->pin_label, "halign", GTK_ALIGN_START, "valign", GTK_ALIGN_START, "visible", FALSE, NULL);
  g_signal_connect(target, "enter", G_CALLBACK(on_enter), self);
  g_signal_connect(target, "leave", G_CALLBACK(on_leave), self);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

GtkWidget *
vt_stage_tile_new(VtLayer *layer, guint number)
{
  VtStageTile *self = g_object_new(VT_TYPE_STAGE_TILE, NULL);
  self->layer = g_object_ref(layer);
  self->number = number;
  self->thumbnail = vt_thumbnail_new(layer);
  GtkWidget *overlay = gtk_overlay_new();
  gtk_overlay_set_child(GTK_OVERLAY(overlay), self->thumbnail);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), self->pin_label);
  gtk_box_prepend(self->box, overlay);
  return GTK_WIDGET(self);
}
