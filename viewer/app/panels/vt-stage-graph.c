/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-graph.h"

#include "common/vt-owned.h"
#include "common/vt-test-log.h"
#include "panels/vt-plot-draw.h"
#include "panels/vt-stage-origins.h"
#include "plugins/vt-recipe-readers.h"

/* Logical pixels. */
#define LANE 9
#define EDGE 7 /* above the first lane and below the last one */
#define BEND 30
#define DOT 3.5
#define LINE 1.5
#define BRIGHT_LINE 2.5
#define PALE 0.45f

struct _VtStageGraph {
  GtkWidget parent;
  GtkWidget *strip;
  GPtrArray *tiles; /* VtStageTile; or NULL */
  VtStageOrigins origins;
  guint lanes[VT_STAGES], n_lanes;
  int marked; /* the number of a tile; -1: none */
};

G_DEFINE_FINAL_TYPE(VtStageGraph, vt_stage_graph, GTK_TYPE_WIDGET)

static int
get_height(VtStageGraph *self)
{
  return self->n_lanes > 0 ? (int)(self->n_lanes - 1) * LANE + 2 * EDGE : 0;
}

/* --- drawing --- */

static double
get_x(VtStageGraph *self, guint i)
{
  graphene_rect_t box;
  return gtk_widget_compute_bounds(self->tiles->pdata[i], GTK_WIDGET(self), &box) ? box.origin.x + box.size.width / 2.0
                                                                                  : 0;
}

static double
get_y(VtStageGraph *self, guint i)
{
  return EDGE + (double)self->lanes[i] * LANE;
}

static gboolean
is_known(VtStageGraph *self, guint i)
{
  return (self->origins.known >> i & 1) != 0;
}

/* Along the lane of the one, and at the end over to the other. */
static void
add_line(VtStageGraph *self, cairo_t *cr, guint from, guint to)
{
  const double x0 = get_x(self, from), y0 = get_y(self, from), x1 = get_x(self, to), y1 = get_y(self, to);
  const double bend = y0 == y1 ? x1 : x1 + (x0 < x1 ? -BEND : BEND);
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, bend, y0);
  cairo_curve_to(cr, (bend + x1) / 2, y0, (bend + x1) / 2, y1, x1, y1);
}

static gboolean
is_marked(VtStageGraph *self, guint from, guint to)
{
  return self->marked >= 0 && ((guint)self->marked == from || (guint)self->marked == to);
}

static void
draw_lines(VtStageGraph *self, cairo_t *cr, gboolean marked)
{
  cairo_set_line_width(cr, marked ? BRIGHT_LINE : LINE);
  for (guint to = 0; to < self->tiles->len; to++)
    for (guint from = 0; from < self->tiles->len; from++)
      if ((self->origins.sources[to] >> from & 1) && is_marked(self, from, to) == marked)
        add_line(self, cr, from, to);
  cairo_stroke(cr);
}

/* The one that is marked is larger; those that it has to do with have its colour. */
static void
draw_dots(VtStageGraph *self, cairo_t *cr, const GdkRGBA *ink, const GdkRGBA *accent)
{
  for (guint i = 0; i < self->tiles->len; i++) {
    const guint of = self->marked >= 0 ? (guint)self->marked : i;
    const gboolean is_own = self->marked >= 0 && i == of;
    const gboolean is_related = (self->origins.sources[of] >> i & 1) || (self->origins.sources[i] >> of & 1) || is_own;
    if (!is_known(self, i))
      continue;
    gdk_cairo_set_source_rgba(cr, is_related ? accent : ink);
    cairo_arc(cr, get_x(self, i), get_y(self, i), is_own ? DOT + LINE : DOT, 0, 2 * G_PI);
    cairo_fill(cr);
  }
}

static void
vt_stage_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtStageGraph *self = VT_STAGE_GRAPH(widget);
  GdkRGBA ink, pale, accent;
  const float height = (float)get_height(self);
  if (height > 0) {
    vt_plot_get_inks(widget, &ink, &pale, &accent);
    cairo_t *cr =
      gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), height));
    GdkRGBA line = ink;
    line.alpha *= PALE;
    gdk_cairo_set_source_rgba(cr, &line);
    draw_lines(self, cr, FALSE); /* in one stroke: where they cross they are no darker */
    gdk_cairo_set_source_rgba(cr, &accent);
    draw_lines(self, cr, TRUE);
    draw_dots(self, cr, &ink, &accent);
    cairo_destroy(cr);
  }
  gtk_widget_snapshot_child(widget, self->strip, snapshot);
}

/* --- its place --- */

static void
vt_stage_graph_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  VtStageGraph *self = VT_STAGE_GRAPH(widget);
  const int height = get_height(self);
  const gboolean is_height = orientation == GTK_ORIENTATION_VERTICAL;
  gtk_widget_measure(self->strip, orientation, !is_height && for_size >= 0 ? MAX(for_size - height, 0) : for_size,
                     minimum, natural, NULL, NULL);
  *minimum += is_height ? height : 0;
  *natural += is_height ? height : 0;
}

static void
vt_stage_graph_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  VtStageGraph *self = VT_STAGE_GRAPH(widget);
  const int above = get_height(self);
  gtk_widget_size_allocate(self->strip, &(GtkAllocation){ 0, above, width, height - above }, -1);
}

/* --- what is drawn --- */

void
vt_stage_graph_set_tiles(VtStageGraph *self, GPtrArray *tiles, const VitrailRecipe *recipe, const VitrailPlugin *plugin)
{
  g_autoptr(GString) lanes = g_string_new(NULL);
  g_clear_pointer(&self->tiles, g_ptr_array_unref);
  self->tiles = g_ptr_array_ref(tiles);
  self->marked = -1;
  vt_stage_origins_find(&self->origins, tiles, recipe, plugin);
  const guint n_lanes = vt_recipe_place_lanes(self->origins.sources, tiles->len, self->lanes);
  self->n_lanes = self->origins.known ? n_lanes : 0;
  for (guint i = 0; i < tiles->len; i++)
    g_string_append_printf(lanes, " %u", self->lanes[i]);
  if (self->n_lanes > 0)
    vt_test_log("stage-lanes%s", lanes->str);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

const char *
vt_stage_graph_mark(VtStageGraph *self, GtkWidget *tile)
{
  guint at = 0;
  const gboolean is_there = tile && self->tiles && g_ptr_array_find(self->tiles, tile, &at) && is_known(self, at);
  const int marked = is_there ? (int)at : -1;
  const char *sentence = is_there ? vt_stage_tile_get_origin(VT_STAGE_TILE(tile)) : NULL;
  if (marked == self->marked)
    return sentence;
  self->marked = marked;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (sentence)
    vt_test_log("stage-origin %s: %s", vt_layer_get_stage(vt_stage_tile_get_layer(VT_STAGE_TILE(tile)))->id, sentence);
  return sentence;
}

static void
vt_stage_graph_class_init(VtStageGraphClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS(klass, VtStageGraph, g_ptr_array_unref, tiles);
  VT_OWNS(klass, VtStageGraph, gtk_widget_unparent, strip);
  widget_class->snapshot = vt_stage_graph_snapshot;
  widget_class->measure = vt_stage_graph_measure;
  widget_class->size_allocate = vt_stage_graph_size_allocate;
}

static void
vt_stage_graph_init(VtStageGraph *self)
{
  self->marked = -1;
}

VtStageGraph *
vt_stage_graph_new(GtkWidget *strip)
{
  VtStageGraph *self = g_object_new(VT_TYPE_STAGE_GRAPH, NULL);
  self->strip = strip;
  gtk_widget_set_parent(strip, GTK_WIDGET(self));
  return self;
}
