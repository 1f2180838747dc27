/* SPDX-License-Identifier: MIT */
#include "panels/vt-histogram.h"

#include <math.h>

#include "base/vt-define.h"

struct _VtHistogram {
  GtkWidget parent;
  VtStats stats;
  VtColoring coloring;
};

G_DEFINE_FINAL_TYPE(VtHistogram, vt_histogram, GTK_TYPE_WIDGET)

static void
get_bar_color(const VtHistogram *self, double value, GdkRGBA *color)
{
  guint8 rgb[3];
  double span = self->coloring.max - self->coloring.min;
  if (vt_colormap_is_solid(self->coloring.map))
    vt_colormap_get_solid_color(self->coloring.map, rgb);
  else
    vt_colormap_get_color(self->coloring.map, span > 0 ? (value - self->coloring.min) / span : 0, rgb);
  gboolean shown = value >= self->coloring.shown_min && value <= self->coloring.shown_max;
  *color = (GdkRGBA){ rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, shown ? 1 : 0.25f };
}

static void
draw_bars(const VtHistogram *self, GtkSnapshot *snapshot, float width, float height)
{
  guint64 most = 1;
  for (int i = 0; i < VT_STATS_N_BINS; i++)
    most = MAX(most, self->stats.bins[i]);
  for (int i = 0; i < VT_STATS_N_BINS; i++) {
    double span = self->stats.max - self->stats.min;
    GdkRGBA color;
    /* Roots, so that a rare value beside a peak is still seen. */
    float bar = height * (float)sqrt((double)self->stats.bins[i] / (double)most);
    float x0 = width * (float)i / VT_STATS_N_BINS, x1 = width * (float)(i + 1) / VT_STATS_N_BINS;
    if (self->stats.bins[i] == 0)
      continue;
    get_bar_color(self, self->stats.min + span * (i + 0.5) / VT_STATS_N_BINS, &color);
    bar = MAX(bar, 1);
    gtk_snapshot_append_color(snapshot, &color, &GRAPHENE_RECT_INIT(x0, height - bar, x1 - x0, bar));
  }
}

static void
draw_mark(const VtHistogram *self, GtkSnapshot *snapshot, double value, float width, float height, const GdkRGBA *ink)
{
  double t = (value - self->stats.min) / (self->stats.max - self->stats.min);
  if (t >= 0 && t <= 1)
    gtk_snapshot_append_color(snapshot, ink, &GRAPHENE_RECT_INIT((float)t * (width - 1), 0, 1, height));
}

static void
vt_histogram_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtHistogram *self = VT_HISTOGRAM(widget);
  float width = (float)gtk_widget_get_width(widget), height = (float)gtk_widget_get_height(widget);
  GdkRGBA ink, ground;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  ground = ink;
  ground.alpha = 0.08f;
  ink.alpha *= 0.6f;
  gtk_snapshot_append_color(snapshot, &ground, &GRAPHENE_RECT_INIT(0, 0, width, height));
  if (self->stats.n == 0)
    return;
  draw_bars(self, snapshot, width, height);
  if (self->stats.max > self->stats.min && self->coloring.max > self->coloring.min) {
    draw_mark(self, snapshot, self->coloring.min, width, height, &ink);
    draw_mark(self, snapshot, self->coloring.max, width, height, &ink);
  }
}

static void
vt_histogram_class_init(VtHistogramClass *klass)
{
  GTK_WIDGET_CLASS(klass)->snapshot = vt_histogram_snapshot;
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_IMG);
}

VT_EMPTY_INIT(VtHistogram, vt_histogram)

void
vt_histogram_set(VtHistogram *self, const VtStats *stats, const VtColoring *coloring)
{
  if (stats)
    self->stats = *stats;
  self->coloring = *coloring;
  gtk_widget_set_opacity(GTK_WIDGET(self), stats ? 1 : 0.4);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
