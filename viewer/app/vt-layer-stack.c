/* SPDX-License-Identifier: MIT */
#include "vt-layer-stack.h"

#include <glib/gi18n.h>

#define LEGEND_WIDTH 150
#define LEGEND_PAD 8
#define LEGEND_GAP 6
#define BAR_HEIGHT 8
#define N_STEPS 50

static int
find(GListModel *layers, VtLayer *layer)
{
  guint position = 0;
  return g_list_store_find(G_LIST_STORE(layers), layer, &position) ? (int)position : -1;
}

static gboolean
is_fixed(GListModel *layers, int position)
{
  if (position < 0 || position >= (int)g_list_model_get_n_items(layers))
    return TRUE;
  g_autoptr(VtLayer) layer = g_list_model_get_item(layers, (guint)position);
  return vt_layer_get_kind(layer) == VT_LAYER_SLIDE || vt_layer_get_locked(layer);
}

/* One change of the list, so that rows are moved and not made anew. */
static gboolean
move(GListStore *layers, int from, int to)
{
  GListModel *model = G_LIST_MODEL(layers);
  int step = to > from ? 1 : -1;
  if (from < 0 || to == from || is_fixed(model, from))
    return FALSE;
  for (int i = from + step; i != to + step; i += step)
    if (is_fixed(model, i))
      return FALSE;
  int first = MIN(from, to), n = ABS(to - from) + 1;
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  for (int i = 0; i < n; i++)
    g_ptr_array_add(items, g_list_model_get_item(model, (guint)(first + i)));
  gpointer moved = g_ptr_array_steal_index(items, (guint)(from - first));
  g_ptr_array_insert(items, to - first, moved);
  g_list_store_splice(layers, (guint)first, (guint)n, items->pdata, (guint)n);
  return TRUE;
}

gboolean
vt_layer_stack_move(GListStore *layers, VtLayer *layer, int steps)
{
  int from = find(G_LIST_MODEL(layers), layer);
  return move(layers, from, from + steps);
}

gboolean
vt_layer_stack_move_to(GListStore *layers, VtLayer *layer, VtLayer *other)
{
  return move(layers, find(G_LIST_MODEL(layers), layer), find(G_LIST_MODEL(layers), other));
}

GPtrArray *
vt_layer_stack_take(GListStore *layers)
{
  GPtrArray *taken = g_ptr_array_new_with_free_func(g_object_unref);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(layers));
  for (guint i = 1; i < n; i++)
    g_ptr_array_add(taken, g_list_model_get_item(G_LIST_MODEL(layers), i));
  g_list_store_splice(layers, 1, n - 1, NULL, 0);
  return taken;
}

void
vt_layer_stack_put(GListStore *layers, GPtrArray *taken)
{
  g_list_store_splice(layers, g_list_model_get_n_items(G_LIST_MODEL(layers)), 0, taken->pdata, taken->len);
}

void
vt_layer_stack_apply_solo(GListModel *layers)
{
  gboolean any = FALSE;
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    any = any || vt_layer_get_solo(layer);
  }
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    gboolean muted = any && !vt_layer_get_solo(layer) && vt_layer_get_kind(layer) != VT_LAYER_SLIDE;
    g_object_set(layer, "muted", muted, NULL);
  }
}

static GskBlendMode
get_mode(VtLayerBlend blend)
{
  switch (blend) {
  case VT_LAYER_BLEND_MULTIPLY: return GSK_BLEND_MODE_MULTIPLY;
  case VT_LAYER_BLEND_SCREEN: return GSK_BLEND_MODE_SCREEN;
  case VT_LAYER_BLEND_DIFFERENCE: return GSK_BLEND_MODE_DIFFERENCE;
  default: return GSK_BLEND_MODE_DEFAULT;
  }
}

/* A blend node holds everything below it as its bottom. */
static void
snapshot_up_to(GListModel *layers, int top, GtkSnapshot *snapshot, VtLayerDraw draw, gpointer user)
{
  if (top < 0)
    return;
  g_autoptr(VtLayer) layer = g_list_model_get_item(layers, (guint)top);
  if (!vt_layer_get_seen(layer) || vt_layer_get_opacity(layer) <= 0) {
    snapshot_up_to(layers, top - 1, snapshot, draw, user);
    return;
  }
  gboolean blends = vt_layer_get_blend(layer) != VT_LAYER_BLEND_NORMAL;
  if (blends) {
    gtk_snapshot_push_blend(snapshot, get_mode(vt_layer_get_blend(layer)));
    /* GTK stops the program at a blend node with nothing in it, and there may be nothing yet. */
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1));
  }
  snapshot_up_to(layers, top - 1, snapshot, draw, user);
  if (blends)
    gtk_snapshot_pop(snapshot);
  draw(layer, snapshot, user);
  if (blends)
    gtk_snapshot_pop(snapshot);
}

void
vt_layer_stack_snapshot(GListModel *layers, GtkSnapshot *snapshot, VtLayerDraw draw, gpointer user)
{
  snapshot_up_to(layers, (int)g_list_model_get_n_items(layers) - 1, snapshot, draw, user);
}

typedef struct {
  VtColormap map;
  double min, max, shown_min, shown_max;
  char *title, *min_text, *max_text;
} Legend;

static char *
dup_number(double value, const char *unit)
{
  return g_strdup_printf("%.3g%s%s", value, *unit ? " " : "", unit);
}

static gboolean
get_legend(VtLayer *layer, Legend *legend)
{
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  guint32 most = vt_layer_get_density_max(layer);
  if (!vt_layer_get_seen(layer) || !vt_layer_has_data(layer))
    return FALSE;
  if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS && most > 0) {
    *legend = (Legend){ .map = vt_colormap_is_continuous(coloring->map) ? coloring->map : VT_COLORMAP_VIRIDIS,
                        .max = most,
                        .shown_max = most };
    legend->title = g_strdup_printf(_("%s per cell"), vt_layer_get_title(layer));
    legend->min_text = g_strdup("0");
    legend->max_text = g_strdup_printf("%u", most);
    return TRUE;
  }
  if (!vt_layer_is_scalar(layer) || coloring->max <= coloring->min || !vt_colormap_is_continuous(coloring->map))
    return FALSE;
  *legend = (Legend){ .map = coloring->map,
                      .min = coloring->min,
                      .max = coloring->max,
                      .shown_min = coloring->shown_min,
                      .shown_max = coloring->shown_max };
  legend->title = g_strdup(vt_layer_get_title(layer));
  legend->min_text = dup_number(coloring->min, "");
  legend->max_text = dup_number(coloring->max, vt_layer_get_unit(layer));
  return TRUE;
}

static float
draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, float x, float y, float align)
{
  static const GdkRGBA ink = { 1, 1, 1, 1 };
  int width, height;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_scale_new(PANGO_SCALE_SMALL));
  pango_layout_set_attributes(layout, attributes);
  pango_layout_get_pixel_size(layout, &width, &height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x - (float)width * align, y));
  gtk_snapshot_append_layout(snapshot, layout, &ink);
  gtk_snapshot_restore(snapshot);
  return (float)height;
}

/* What the threshold hides is cut to a thin line. */
static void
draw_bar(const Legend *legend, GtkSnapshot *snapshot, float x, float y, float width)
{
  for (int i = 0; i < N_STEPS; i++) {
    double t = i / (N_STEPS - 1.0), value = legend->min + (legend->max - legend->min) * t;
    gboolean shown = value >= legend->shown_min && value <= legend->shown_max;
    float x0 = width * (float)i / N_STEPS, x1 = width * (float)(i + 1) / N_STEPS, height = shown ? BAR_HEIGHT : 2;
    guint8 rgb[3];
    vt_colormap_get_color(legend->map, t, rgb);
    GdkRGBA color = { rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, 1 };
    gtk_snapshot_append_color(snapshot, &color,
                              &GRAPHENE_RECT_INIT(x + x0, y + (BAR_HEIGHT - height) / 2, x1 - x0, height));
  }
}

static float
draw_legend(const Legend *legend, GtkWidget *widget, GtkSnapshot *snapshot, float x, float bottom)
{
  static const GdkRGBA panel = { 0, 0, 0, 0.62f };
  int line = 0;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, "0");
  pango_layout_get_pixel_size(layout, NULL, &line);
  float height = 2 * (float)line + BAR_HEIGHT + 10, y = bottom - height;
  graphene_rect_t rect = GRAPHENE_RECT_INIT(x, y, LEGEND_WIDTH, height);
  GskRoundedRect rounded;
  gsk_rounded_rect_init_from_rect(&rounded, &rect, 6);
  gtk_snapshot_push_rounded_clip(snapshot, &rounded);
  gtk_snapshot_append_color(snapshot, &panel, &rect);
  draw_text(widget, snapshot, legend->title, x + LEGEND_PAD, y + 3, 0);
  draw_bar(legend, snapshot, x + LEGEND_PAD, y + 5 + (float)line, LEGEND_WIDTH - 2 * LEGEND_PAD);
  float text_y = y + 6 + (float)line + BAR_HEIGHT;
  draw_text(widget, snapshot, legend->min_text, x + LEGEND_PAD, text_y, 0);
  draw_text(widget, snapshot, legend->max_text, x + LEGEND_WIDTH - LEGEND_PAD, text_y, 1);
  gtk_snapshot_pop(snapshot);
  return height;
}

void
vt_layer_stack_draw_legends(GListModel *layers, GtkWidget *widget, GtkSnapshot *snapshot, float x, float bottom)
{
  for (guint i = 0; i < g_list_model_get_n_items(layers) && bottom > 100; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    Legend legend;
    if (!get_legend(layer, &legend))
      continue;
    bottom -= draw_legend(&legend, widget, snapshot, x, bottom) + LEGEND_GAP;
    g_free(legend.title);
    g_free(legend.min_text);
    g_free(legend.max_text);
  }
}
