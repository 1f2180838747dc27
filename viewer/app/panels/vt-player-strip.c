/* SPDX-License-Identifier: MIT */
#include "panels/vt-player-strip.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-widgets.h"

#define HEIGHT 36
#define MARKS 8 /* above the bars, if there are events */

struct _VtPlayerStrip {
  GtkWidget parent;
  GtkRange *slider;
  VtWave *wave;
  guint32 tick;
  double drag_x;
};

G_DEFINE_FINAL_TYPE(VtPlayerStrip, vt_player_strip, GTK_TYPE_WIDGET)

static double
get_x(VtPlayerStrip *self, guint32 tick)
{
  double left, width;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  return left + width * tick / MAX(self->wave->n_ticks - 1, 1);
}

/* The pixels of the ticks that lie in a column, at most as many as there are ticks. */
static guint32
count_column(VtPlayerStrip *self, int column, int n_columns)
{
  const VtWave *wave = self->wave;
  const guint64 n = wave->n_ticks - 1; /* what is there from the beginning is no front */
  const guint32 from = 1 + (guint32)(n * (guint64)column / (guint64)n_columns);
  const guint32 to = 1 + (guint32)(n * ((guint64)column + 1) / (guint64)n_columns);
  return wave->first[MAX(to, from)] - wave->first[from];
}

static void
draw_bars(VtPlayerStrip *self, cairo_t *cr, double top, double height)
{
  double left, width;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  const int n = (int)MIN(width, (double)self->wave->n_ticks - 1);
  double most = 1;
  for (int i = 0; i < n; i++)
    most = MAX(most, count_column(self, i, n));
  for (int i = 0; i < n; i++) {
    const double part = sqrt(count_column(self, i, n) / most);
    cairo_rectangle(cr, left + width * i / n, top + height * (1 - part), width / n, height * part);
  }
  cairo_fill(cr);
}

/* The share of tiles that are at work, the most in each column. */
static void
draw_tiles(VtPlayerStrip *self, cairo_t *cr, double top, double height)
{
  const VtWave *wave = self->wave;
  double left, width;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  const guint32 n = wave->n_ticks - 1, columns = (guint32)MIN(width, (double)n);
  for (guint32 i = 0; i < columns; i++) {
    guint32 most = 0;
    for (guint32 tick = 1 + (guint32)((guint64)n * i / columns); tick <= MAX((guint64)n * (i + 1) / columns, 1); tick++)
      most = MAX(most, wave->tiles[tick]);
    cairo_line_to(cr, left + width * (i + 0.5) / columns,
                  top + (height - 1.5) * (1 - (double)most / wave->n_tiles) + 0.75);
  }
  cairo_set_line_width(cr, 1.5);
  cairo_stroke(cr);
}

/* Beginnings stand on the line, meetings hang from above: not told apart by hue alone. */
static void
draw_marks(VtPlayerStrip *self, cairo_t *cr)
{
  for (guint kind = VT_WAVE_BIRTH; kind <= VT_WAVE_MEETING; kind++) {
    double last = -10;
    VT_EACH_IN (const VtWaveEvent, event, self->wave->events) {
      const double x = get_x(self, event->tick);
      if (event->kind != kind || x - last < 1)
        continue;
      last = x;
      cairo_move_to(cr, x, kind == VT_WAVE_BIRTH ? 3 : MARKS - 2);
      cairo_line_to(cr, x - 3, kind == VT_WAVE_BIRTH ? MARKS - 1 : 1);
      cairo_line_to(cr, x + 3, kind == VT_WAVE_BIRTH ? MARKS - 1 : 1);
      cairo_close_path(cr);
    }
    if (kind == VT_WAVE_BIRTH)
      cairo_set_source_rgb(cr, 0.1, 0.6, 0.45);
    else
      cairo_set_source_rgb(cr, 0.85, 0.15, 0.4);
    cairo_fill(cr);
  }
}

static void
vt_player_strip_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtPlayerStrip *self = VT_PLAYER_STRIP(widget);
  const int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  GdkRGBA ink;
  if (!self->wave)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
  const double top = self->wave->events->len > 0 ? MARKS : 0;
  cairo_set_source_rgba(cr, ink.red, ink.green, ink.blue, 0.45);
  if (self->wave->n_ticks > 1)
    draw_bars(self, cr, top, height - top);
  cairo_set_source_rgb(cr, 0.9, 0.45, 0.05);
  if (self->wave->n_ticks > 1)
    draw_tiles(self, cr, top, height - top);
  draw_marks(self, cr);
  gdk_cairo_set_source_rgba(cr, &ink);
  cairo_rectangle(cr, get_x(self, self->tick) - 0.75, 0, 1.5, height);
  cairo_fill(cr);
  cairo_destroy(cr);
}

static void
seek(VtPlayerStrip *self, double x)
{
  double left, width;
  if (!self->wave)
    return;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  const double part = CLAMP((x - left) / width, 0, 1);
  g_signal_emit_by_name(self, "sought", (guint)floor(part * (self->wave->n_ticks - 1) + 0.5));
}

static void
on_drag_begin(GtkGestureDrag *drag, double x, double y, VtPlayerStrip *self)
{
  self->drag_x = x;
  seek(self, x);
}

static void
on_drag_update(GtkGestureDrag *drag, double dx, double dy, VtPlayerStrip *self)
{
  seek(self, self->drag_x + dx);
}

static void
vt_player_strip_class_init(VtPlayerStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS(klass, VtPlayerStrip, vt_wave_unref, wave);
  widget_class->snapshot = vt_player_strip_snapshot;
  gtk_widget_class_set_css_name(widget_class, "vt-player-strip");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signal_new(VT_TYPE_PLAYER_STRIP, "sought", G_TYPE_UINT, G_TYPE_NONE);
}

static void
vt_player_strip_init(VtPlayerStrip *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();
  gtk_widget_set_size_request(GTK_WIDGET(self), -1, HEIGHT);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
  vt_widget_set_accessible_label(GTK_WIDGET(self), _("How many pixels get their value at each moment"));
  gtk_widget_set_tooltip_text(
    GTK_WIDGET(self), _("Bars: how long the front is, in pixels, at each moment. Line: in what part of the tiles, "
                        "of 64 × 64 pixels, it is at work."));
}

void
vt_player_strip_set_wave(VtPlayerStrip *self, VtWave *wave, GtkRange *slider)
{
  g_clear_pointer(&self->wave, vt_wave_unref);
  self->wave = wave ? vt_wave_ref(wave) : NULL;
  self->slider = slider;
  self->tick = 0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_player_strip_set_tick(VtPlayerStrip *self, guint32 tick)
{
  self->tick = tick;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
