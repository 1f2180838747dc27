/* SPDX-License-Identifier: MIT */
#include "layers/vt-legend.h"

#include <math.h>

#include "base/vt-define.h"

#define N_STEPS 64
#define N_LABELS 12
#define HIDDEN_HEIGHT 2

struct _VtLegend {
  GtkWidget parent;
  VtColoring coloring;
};

G_DEFINE_FINAL_TYPE(VtLegend, vt_legend, GTK_TYPE_WIDGET)

static guint
count_steps(const VtColoring *coloring)
{
  if (coloring->map == VT_COLORMAP_LABELS)
    return N_LABELS;
  return vt_colormap_is_solid(coloring->map) && !coloring->fades ? 1 : N_STEPS;
}

static void
get_color(const VtColoring *coloring, guint step, GdkRGBA *color)
{
  guint8 rgb[3];
  const double t = step / (N_STEPS - 1.0);
  if (coloring->map == VT_COLORMAP_LABELS)
    vt_colormap_get_label_color(step + 1, rgb);
  else
    vt_coloring_get_color(coloring, t, rgb);
  *color = (GdkRGBA){ rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, (float)vt_coloring_get_alpha(coloring, t) };
}

static gboolean
is_shown(const VtColoring *coloring, guint step)
{
  double value = coloring->min + (coloring->max - coloring->min) * step / (N_STEPS - 1.0);
  return !vt_colormap_is_continuous(coloring->map) || (value >= coloring->shown_min && value <= coloring->shown_max);
}

static graphene_rect_t
get_part(const VtColoring *coloring, const graphene_rect_t *place, guint i, guint n)
{
  const float x0 = place->size.width * (float)i / (float)n, x1 = place->size.width * (float)(i + 1) / (float)n;
  const float height = is_shown(coloring, i) ? place->size.height : HIDDEN_HEIGHT;
  return GRAPHENE_RECT_INIT(place->origin.x + x0, place->origin.y + (place->size.height - height) / 2, x1 - x0, height);
}

void
vt_legend_draw_cairo(const VtColoring *coloring, cairo_t *cr, const graphene_rect_t *place)
{
  const guint n = count_steps(coloring);
  for (guint i = 0; i < n; i++) {
    const graphene_rect_t part = get_part(coloring, place, i, n);
    GdkRGBA color;
    get_color(coloring, i, &color);
    /* Over white: paper is what there is below. */
    cairo_set_source_rgb(cr, 1 - color.alpha * (1 - color.red), 1 - color.alpha * (1 - color.green),
                         1 - color.alpha * (1 - color.blue));
    cairo_rectangle(cr, part.origin.x, part.origin.y, part.size.width + (i + 1 < n ? 0.5f : 0), part.size.height);
    cairo_fill(cr); /* a little below the next one: where they meet there is no seam */
  }
}

void
vt_legend_draw(const VtColoring *coloring, GtkSnapshot *snapshot, const graphene_rect_t *place)
{
  guint n = count_steps(coloring);
  GskRoundedRect rounded;
  gsk_rounded_rect_init_from_rect(&rounded, place, 3);
  gtk_snapshot_push_rounded_clip(snapshot, &rounded);
  for (guint i = 0; i < n; i++) {
    GdkRGBA color;
    const graphene_rect_t part = get_part(coloring, place, i, n);
    get_color(coloring, i, &color);
    if (color.alpha < 1)
      gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 1, 1, 1, 1 }, &part);
    gtk_snapshot_append_color(snapshot, &color, &part);
  }
  gtk_snapshot_pop(snapshot);
}

static graphene_rect_t
get_bar(const guint *bins, const graphene_rect_t *place, guint i)
{
  guint most = 1;
  for (guint k = 0; k < VT_LEGEND_BINS; k++)
    most = MAX(most, bins[k]);
  const float width = place->size.width / VT_LEGEND_BINS;
  const float height = bins[i] > 0 ? MAX(1, place->size.height * sqrtf((float)bins[i] / (float)most)) : 0;
  return GRAPHENE_RECT_INIT(place->origin.x + width * (float)i, place->origin.y + place->size.height - height, width,
                            height);
}

void
vt_legend_draw_bins(const guint *bins, GtkSnapshot *snapshot, const graphene_rect_t *place)
{
  for (guint i = 0; i < VT_LEGEND_BINS; i++) {
    const graphene_rect_t bar = get_bar(bins, place, i);
    if (bar.size.height > 0)
      gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 1, 1, 1, 0.75f }, &bar);
  }
}

void
vt_legend_draw_bins_cairo(const guint *bins, cairo_t *cr, const graphene_rect_t *place)
{
  cairo_set_source_rgb(cr, 0.45, 0.45, 0.45);
  for (guint i = 0; i < VT_LEGEND_BINS; i++) {
    const graphene_rect_t bar = get_bar(bins, place, i);
    cairo_rectangle(cr, bar.origin.x, bar.origin.y, bar.size.width, bar.size.height);
  }
  cairo_fill(cr);
}

/* With a rim in the colour of the text, so that black is seen on dark and white on light. */
static void
vt_legend_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  graphene_rect_t all =
    GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget));
  GskRoundedRect rim;
  GdkRGBA ink;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  ink.alpha *= 0.45f;
  gsk_rounded_rect_init_from_rect(&rim, &all, 3);
  vt_legend_draw(&VT_LEGEND(widget)->coloring, snapshot, &all);
  gtk_snapshot_append_border(snapshot, &rim, (float[4]){ 1, 1, 1, 1 }, (GdkRGBA[4]){ ink, ink, ink, ink });
}

static void
vt_legend_class_init(VtLegendClass *klass)
{
  GTK_WIDGET_CLASS(klass)->snapshot = vt_legend_snapshot;
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
vt_legend_init(VtLegend *self)
{
  self->coloring = vt_coloring_make(VT_COLORMAP_GRAY, 0, 1);
}

void
vt_legend_set_colormap(VtLegend *self, VtColormap map)
{
  VtColoring coloring = vt_coloring_make(map, 0, 1);
  vt_legend_set_coloring(self, &coloring);
}

void
vt_legend_set_coloring(VtLegend *self, const VtColoring *coloring)
{
  if (vt_coloring_equal(&self->coloring, coloring))
    return;
  self->coloring = *coloring;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

VT_DEFINE_TYPE_FREE(vt_legend_line_free, VtLegendLine, VT_FREES(g_free, title, min_text, max_text))
