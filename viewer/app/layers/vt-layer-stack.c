/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-stack.h"

#include <string.h>

#include "base/vt-define.h"
#include "layers/vt-outline-paint.h"
#include "common/vt-translate.h"
#include "layers/vt-shared-map.h"

#define LEGEND_WIDTH 150.f /* at least */
#define LEGEND_PAD 8
#define LEGEND_GAP 6
#define BAR_HEIGHT 8
#define BINS_HEIGHT 22

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

VtLayer *
vt_layer_stack_get_solo(GListModel *layers)
{
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (vt_layer_get_solo(layer))
      return layer;
  return NULL;
}

void
vt_layer_stack_apply_solo(GListModel *layers)
{
  gboolean any = vt_layer_stack_get_solo(layers) != NULL;
  VT_EACH_ITEM (VtLayer, layer, layers) {
    gboolean muted = any && !vt_layer_get_solo(layer) && vt_layer_get_kind(layer) != VT_LAYER_SLIDE;
    g_object_set(layer, "muted", muted, NULL);
  }
}

void
vt_layer_stack_set_solo(GListModel *layers, VtLayer *layer)
{
  VT_EACH_ITEM (VtLayer, other, layers)
    if (other != layer)
      g_object_set(other, "solo", FALSE, NULL);
  if (layer)
    g_object_set(layer, "solo", TRUE, NULL);
}

void
vt_layer_stack_toggle_stage(GListModel *layers, const char *stage)
{
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (vt_layer_get_stage(layer) && g_str_equal(vt_layer_get_stage(layer)->id, stage))
      vt_layer_stack_set_solo(layers, vt_layer_get_solo(layer) ? NULL : layer);
}

static void
on_toggled(GListModel *layers, GObject *button)
{
  vt_layer_stack_toggle_stage(layers, g_object_get_data(button, "stage"));
}

void
vt_layer_stack_make_toggle(GListModel *layers, GtkWidget *button, const char *stage)
{
  gtk_widget_set_tooltip_text(button, _("Show this stage alone, or all again"));
  g_object_set_data(G_OBJECT(button), "stage", (gpointer)g_intern_string(stage));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_toggled), layers, G_CONNECT_SWAPPED);
}

void
vt_layer_stack_set_params(GListModel *layers, const VtParams *params)
{
  VT_EACH_ITEM (VtLayer, layer, layers)
    vt_layer_set_params(layer, params);
}

void
vt_layer_stack_hide(GListModel *layers)
{
  VT_EACH_ITEM (VtLayer, layer, layers)
    vt_layer_hide(layer);
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

static void
pop_blend(GtkSnapshot *snapshot)
{
  vt_paint_flush(snapshot);
  gtk_snapshot_pop(snapshot);
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
    vt_paint_flush(snapshot);
    gtk_snapshot_push_blend(snapshot, get_mode(vt_layer_get_blend(layer)));
    /* GTK stops the program at a blend node with nothing in it, and there may be nothing yet. */
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1));
  }
  snapshot_up_to(layers, top - 1, snapshot, draw, user);
  if (blends)
    pop_blend(snapshot);
  draw(layer, snapshot, user);
  if (blends)
    pop_blend(snapshot);
}

void
vt_layer_stack_snapshot(GListModel *layers, GtkSnapshot *snapshot, VtLayerDraw draw, gpointer user)
{
  snapshot_up_to(layers, (int)g_list_model_get_n_items(layers) - 1, snapshot, draw, user);
}

static char *
dup_number(double value, const char *unit)
{
  return g_strdup_printf("%.3g%s%s", value, *unit ? " " : "", unit);
}

static void
get_density_legend(VtLayer *layer, double top, VtLegendLine *legend)
{
  legend->coloring = vt_outline_get_density_coloring(vt_layer_get_coloring(layer)->map, top);
  const char *title = vt_layer_get_title(layer), *unit = vt_layer_get_density_unit(layer);
  legend->title = vt_layer_is_filtered(layer) ? g_strdup_printf(_("%s that pass per %s"), title, unit)
                                              : g_strdup_printf(_("%s per %s"), title, unit);
  legend->min_text = g_strdup("0");
  legend->max_text = g_strdup_printf("%.6g", top); /* 10000, no power of ten */
}

static void
add_bins(VtLayer *layer, VtLegendLine *legend)
{
  const guint *bins = vt_layer_get_bins(layer);
  legend->has_bins = bins != NULL;
  if (bins)
    memcpy(legend->bins, bins, sizeof legend->bins);
}

/* FALSE: there is nothing to explain. */
static gboolean
get_legend(VtLayer *layer, VtLegendLine *legend)
{
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  double top = vt_layer_get_density_top(layer);
  *legend = (VtLegendLine){ .coloring = *coloring };
  if (!vt_layer_get_seen(layer) || !vt_layer_has_data(layer) || coloring->map == VT_COLORMAP_LABELS)
    return FALSE;
  if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS && top > 0) {
    get_density_legend(layer, top, legend);
    return TRUE;
  }
  legend->is_text = vt_layer_is_colour(layer);
  if (legend->is_text) {
    legend->title = g_strdup(vt_layer_get_title(layer));
    return TRUE;
  }
  if (!vt_colormap_is_solid(coloring->map) && (!vt_layer_has_range(layer) || coloring->max <= coloring->min))
    return FALSE;
  legend->title = g_strdup(vt_layer_get_title(layer));
  if (vt_colormap_is_solid(coloring->map))
    return TRUE;
  legend->min_text = dup_number(coloring->min, "");
  legend->max_text = dup_number(coloring->max, vt_layer_get_measure(layer) ? "" : vt_layer_get_unit(layer));
  if (vt_layer_get_measure(layer)) {
    g_free(legend->title);
    legend->title = vt_layer_dup_measure_title(layer);
    add_bins(layer, legend);
  }
  const guint n_views = vt_shared_map_count(layer);
  if (n_views > 0) {
    g_autofree char *own = g_steal_pointer(&legend->title);
    legend->title = g_strdup_printf(g_dngettext(NULL, "%s · same map in %u view", "%s · same map in %u views", n_views),
                                    own, n_views);
  }
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

/* A line with a patch, or a title over a bar with its ends. */
static float
draw_legend(const VtLegendLine *legend, GtkWidget *widget, GtkSnapshot *snapshot, float x, float bottom)
{
  static const GdkRGBA panel = { 0, 0, 0, 0.62f };
  int line = 0, title = 0;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, legend->title);
  pango_layout_get_pixel_size(layout, &title, &line);
  const float width = MAX(LEGEND_WIDTH, (float)title + 2 * LEGEND_PAD + (legend->max_text ? 0 : (float)line + 4));
  const float bins = legend->has_bins ? BINS_HEIGHT : 0;
  float height = legend->max_text ? 2 * (float)line + bins + BAR_HEIGHT + 10 : (float)line + 6, y = bottom - height;
  graphene_rect_t rect = GRAPHENE_RECT_INIT(x, y, width, height);
  GskRoundedRect rounded;
  gsk_rounded_rect_init_from_rect(&rounded, &rect, 6);
  gtk_snapshot_push_rounded_clip(snapshot, &rounded);
  gtk_snapshot_append_color(snapshot, &panel, &rect);
  if (legend->max_text) {
    float text_y = y + 6 + (float)line + bins + BAR_HEIGHT;
    draw_text(widget, snapshot, legend->title, x + LEGEND_PAD, y + 3, 0);
    if (legend->has_bins)
      vt_legend_draw_bins(legend->bins, snapshot,
                          &GRAPHENE_RECT_INIT(x + LEGEND_PAD, y + 4 + (float)line, width - 2 * LEGEND_PAD, bins));
    vt_legend_draw(&legend->coloring, snapshot,
                   &GRAPHENE_RECT_INIT(x + LEGEND_PAD, y + 5 + (float)line + bins, width - 2 * LEGEND_PAD, BAR_HEIGHT));
    draw_text(widget, snapshot, legend->min_text, x + LEGEND_PAD, text_y, 0);
    draw_text(widget, snapshot, legend->max_text, x + width - LEGEND_PAD, text_y, 1);
  } else if (legend->is_text) {
    draw_text(widget, snapshot, legend->title, x + LEGEND_PAD, y + 3, 0);
  } else {
    float patch = (float)line - 4;
    graphene_rect_t place = GRAPHENE_RECT_INIT(x + LEGEND_PAD, y + (height - patch) / 2, patch, patch), rim;
    graphene_rect_inset_r(&place, -1, -1, &rim);
    /* A rim of white, so that black is seen on black. */
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 1, 1, 1, 0.7f }, &rim);
    if (legend->has_rgb)
      gtk_snapshot_append_color(
        snapshot, &(GdkRGBA){ legend->rgb[0] / 255.0f, legend->rgb[1] / 255.0f, legend->rgb[2] / 255.0f, 1 }, &place);
    else
      vt_legend_draw(&legend->coloring, snapshot, &place);
    draw_text(widget, snapshot, legend->title, x + LEGEND_PAD + (float)line + 4, y + 3, 0);
  }
  gtk_snapshot_pop(snapshot);
  return height;
}

/* With how many there are. Names by thresholds are ours, those that were taught a person's. */
static char *
dup_class_title(const VtClassified *classified, guint cls)
{
  const VtModelClass *its = classified->list->pdata[cls];
  if (its->is_left_out)
    return g_strdup_printf(_("%s: not counted, faint"), its->name);
  return g_strdup_printf("%s  %'u", classified->intensity.n > 0 ? vt_translate(its->name) : its->name,
                         classified->counts[cls]);
}

/* Takes the title. */
static void
add_line(GPtrArray *lines, char *title, const guint8 *rgb)
{
  VtLegendLine *line = g_new0(VtLegendLine, 1);
  line->title = title;
  line->has_rgb = rgb != NULL;
  line->is_text = rgb == NULL;
  if (rgb)
    memcpy(line->rgb, rgb, sizeof line->rgb);
  g_ptr_array_add(lines, line);
}

static guint
count_all(const VtClassified *classified)
{
  guint n = 0;
  for (guint k = 0; k < classified->list->len; k++)
    n += classified->counts[k];
  return n;
}

/* What they depend on, and a line for each class. FALSE: the colours are not those of classes. */
static gboolean
list_classes(VtLayer *layer, GPtrArray *lines)
{
  static const guint8 grey[3] = { 128, 128, 128 };
  const VtClassified *classified =
    vt_layer_get_kind(layer) == VT_LAYER_OBJECTS ? vt_layer_get_coloured_by(layer) : NULL;
  if (!classified || !vt_layer_get_seen(layer) || vt_layer_get_measure(layer) || vt_layer_get_density_top(layer) > 0)
    return FALSE;
  const gboolean is_graded = classified->intensity.n > 0, is_gated = classified == vt_layer_get_gated(layer);
  const VtIntensityScore score = is_graded ? vt_intensity_score_all(classified) : (VtIntensityScore){ 0 };
  if (is_graded)
    add_line(lines, vt_intensity_dup_settings(&classified->intensity), NULL);
  if (is_gated)
    add_line(lines, g_strdup(_("The innermost gate")), NULL);
  for (guint k = 0; k < classified->list->len; k++) {
    const VtModelClass *cls = classified->list->pdata[k];
    add_line(lines, dup_class_title(classified, k), cls->rgb);
  }
  if (score.n_without > 0)
    add_line(lines, g_strdup_printf(_("Without a value  %'u"), (guint)score.n_without), grey);
  if (is_gated)
    add_line(lines, g_strdup_printf(_("In no gate  %'u"), classified->n - count_all(classified)), grey);
  return TRUE;
}

void
vt_layer_stack_add_legend(GListModel *layers, GPtrArray *lines)
{
  for (guint i = g_list_model_get_n_items(layers); i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    VtLegendLine line;
    if (!list_classes(layer, lines) && get_legend(layer, &line))
      g_ptr_array_add(lines, g_memdup2(&line, sizeof line));
  }
}

float
vt_layer_stack_draw_legends(const GPtrArray *lines, GtkWidget *widget, GtkSnapshot *snapshot, float x, float bottom)
{
  for (guint i = lines->len; i-- > 0 && bottom > 100;)
    bottom -= draw_legend(lines->pdata[i], widget, snapshot, x, bottom) + LEGEND_GAP;
  return bottom;
}

static gint
compare_stages(gconstpointer a, gconstpointer b)
{
  return (gint)vt_layer_get_stage_index(*(VtLayer *const *)a) - (gint)vt_layer_get_stage_index(*(VtLayer *const *)b);
}

GPtrArray *
vt_layer_stack_dup_stages(GListModel *layers)
{
  GPtrArray *stages = g_ptr_array_new_with_free_func(g_object_unref);
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (vt_layer_get_stage(layer))
      g_ptr_array_add(stages, g_steal_pointer(&layer));
  g_ptr_array_sort(stages, compare_stages);
  return stages;
}
