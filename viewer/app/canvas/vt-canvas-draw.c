/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-wipe.h"

#include <glib/gi18n.h>
#include <math.h>

#include "layers/vt-layer-stack.h"
#include "layers/vt-roi-item.h"
#include "base/vt-define.h"
#include "common/vt-scale.h"
#include "common/vt-test-log.h"

#define BAR_MAX_PX 160 /* logical pixels */
#define OVERLAY_MARGIN 12
#define MANY_REGIONS 50  /* names of small ones would hide the tissue */
#define SMALL_REGION 60. /* logical pixels: about half a name */

static const GdkRGBA panel_color = { 0, 0, 0, 0.62f };
static const GdkRGBA ink_color = { 1, 1, 1, 1 };
static const GdkRGBA dark_color = { 0, 0, 0, 1 };
static const GdkRGBA selected_color = { 1, 0.87f, 0.2f, 1 };

/* Device pixels per logical pixel, of what is being drawn. */
static double
get_scale(VtCanvas *self)
{
  return self->recording ? self->recording->scale : gtk_widget_get_scale_factor(GTK_WIDGET(self));
}

graphene_size_t
vt_canvas_get_size(VtCanvas *self)
{
  const double scale = get_scale(self);
  return GRAPHENE_SIZE_INIT((float)(self->view.width_px / scale), (float)(self->view.height_px / scale));
}

/* A tile that cannot be read looks like nothing else: neither tissue nor glass nor "still loading". */
static void
draw_hatched(GtkSnapshot *snapshot, const graphene_rect_t *place, const graphene_rect_t *clip)
{
  graphene_rect_t seen;
  if (!graphene_rect_intersection(place, clip, &seen))
    return;
  vt_paint_flush(snapshot);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &seen);
  cairo_rectangle(cr, seen.origin.x, seen.origin.y, seen.size.width, seen.size.height);
  cairo_clip(cr);
  cairo_set_source_rgb(cr, 0.85, 0.85, 0.85);
  cairo_paint(cr);
  cairo_set_source_rgb(cr, 0.75, 0.1, 0.1);
  cairo_set_line_width(cr, 1.5);
  double x0 = place->origin.x, y0 = place->origin.y, height = place->size.height;
  for (double x = x0 - height; x < x0 + place->size.width; x += 14) {
    cairo_move_to(cr, x, y0 + height);
    cairo_line_to(cr, x + height, y0);
  }
  cairo_rectangle(cr, x0 + 1, y0 + 1, place->size.width - 2, height - 2);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

typedef struct {
  VtCanvas *canvas;
  GtkSnapshot *snapshot;
  const VtViewport *view; /* the sheet: upright */
  double scale;
  graphene_rect_t clip;
  float bleed; /* how far a tile is drawn beyond its edges */
} Sheet;

static void
draw_tile(const Sheet *sheet, const VtTile *tile, double x0, double y0)
{
  VtCanvas *self = sheet->canvas;
  double ds = vt_slide_get_level_downsample(self->slide, tile->place.level);
  double width = tile->pixels ? tile->pixels->width : VT_TILE_PX;
  double height = tile->pixels ? tile->pixels->height : VT_TILE_PX;
  graphene_rect_t place;
  vt_paint_place(sheet->view, sheet->scale, x0 * ds, y0 * ds, MIN((x0 + width) * ds, (double)self->width_l0),
                 MIN((y0 + height) * ds, (double)self->height_l0), &place);
  graphene_rect_inset(&place, -sheet->bleed, -sheet->bleed);
  if (tile->pixels)
    vt_paint_pixels(sheet->snapshot, tile->texture, tile->pixels->bytes, (gsize)tile->pixels->stride, &place,
                    &sheet->clip, tile->place.level == 0 && sheet->view->downsample < 1);
  else
    draw_hatched(sheet->snapshot, &place, &sheet->clip);
}

/* NULL: it has not come, or the graphics card does not have it yet. */
static const VtTile *
find_tile(const Sheet *sheet, int level, gint64 col, gint64 row)
{
  const VtTile *tile = vt_tile_store_lookup(sheet->canvas->store, level, col, row);
  return tile && (!tile->pixels || vt_paint_is_sent(tile->texture)) ? tile : NULL;
}

static void
draw_tiles(const Sheet *sheet, int level, VtTileRange range)
{
  VtTileStore *store = sheet->canvas->store;
  for (gint64 row = range.first_row; row <= range.last_row; row++) {
    for (gint64 col = range.first_col; col <= range.last_col; col++) {
      const VtTile *tile = find_tile(sheet, level, col, row);
      if (!tile)
        continue;
      VtTileRange parts = vt_tile_store_get_parts(store, tile);
      if (parts.last_col < parts.first_col)
        draw_tile(sheet, tile, (double)(col * VT_TILE_PX), (double)(row * VT_TILE_PX));
      else
        draw_tiles(sheet, level - 1, parts);
    }
  }
}

static void
draw_level(const Sheet *sheet, int level)
{
  draw_tiles(sheet, level, vt_tile_store_get_range(sheet->canvas->store, sheet->view, level));
}

/* The seen tiles of level `to` that lie under a tile of level `from`. */
static VtTileRange
get_seen_under(const Sheet *sheet, int from, gint64 col, gint64 row, int to)
{
  VtSlide *slide = sheet->canvas->slide;
  VtTileRange seen = vt_tile_store_get_range(sheet->canvas->store, sheet->view, to);
  double side = vt_slide_get_level_downsample(slide, from) / vt_slide_get_level_downsample(slide, to);
  seen.first_col = MAX(seen.first_col, (gint64)((double)col * side));
  seen.first_row = MAX(seen.first_row, (gint64)((double)row * side));
  seen.last_col = MIN(seen.last_col, (gint64)ceil((double)(col + 1) * side) - 1);
  seen.last_row = MIN(seen.last_row, (gint64)ceil((double)(row + 1) * side) - 1);
  return seen;
}

/* Whether all that is seen of a tile's place is there in levels finer than its own, down to `best`. */
static gboolean
is_covered(const Sheet *sheet, int level, gint64 col, gint64 row, int best)
{
  int finer = level < best ? best : level - 1;
  VtTileRange range = get_seen_under(sheet, level, col, row, finer);
  for (row = range.first_row; row <= range.last_row; row++)
    for (col = range.first_col; col <= range.last_col; col++)
      if (!find_tile(sheet, finer, col, row) && (finer <= best || !is_covered(sheet, finer, col, row, best)))
        return FALSE;
  return TRUE;
}

/* Blurred or crowded pixels of other levels, only where those of the view's own level are still missing: drawn everywhere,
 * they would cost more than all that is seen. */
static void
draw_stand_ins(const Sheet *sheet, int best)
{
  for (int level = vt_slide_get_n_levels(sheet->canvas->slide) - 1; level >= MAX(best - 1, 0); level--) {
    VtTileRange range = vt_tile_store_get_range(sheet->canvas->store, sheet->view, level);
    for (gint64 row = range.first_row; level != best && row <= range.last_row; row++)
      for (gint64 col = range.first_col; col <= range.last_col; col++)
        if (!is_covered(sheet, level, col, row, best))
          draw_tiles(sheet, level, (VtTileRange){ col, row, col, row });
  }
}

static void
draw_slide(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *view, double scale)
{
  int best = vt_tile_store_get_level(self->store);
  Sheet sheet = { self, snapshot, view, scale, .bleed = 0 };
  graphene_rect_init(&sheet.clip, 0, 0, (float)(view->width_px / scale), (float)(view->height_px / scale));
  if (!vt_tile_store_get_sharp(self->store) || self->lacks_tiles)
    draw_stand_ins(&sheet, best);
  /* Edges that are neither level nor plumb are smoothed, and two half covered pixels let what is below shine through: so
   * there is the same tissue below. */
  if (fmod(self->view.angle, 90) != 0) {
    sheet.bleed = (float)(1 / scale);
    draw_level(&sheet, best);
    sheet.bleed = 0;
  }
  draw_level(&sheet, best);
}

typedef struct {
  VtCanvas *canvas;
  const VtViewport *view; /* the sheet: upright */
  double scale;
  VtStackPart part;
  graphene_rect_t seen; /* of the sheet */
} LayerPlace;

static void
draw_layer(VtLayer *layer, GtkSnapshot *snapshot, gpointer user)
{
  const LayerPlace *place = user;
  const gboolean is_slide = vt_layer_get_kind(layer) == VT_LAYER_SLIDE;
  if (place->part == (is_slide ? VT_STACK_WITHOUT_SLIDE : VT_STACK_SLIDE))
    return;
  const VtCanvasRecording *recording = place->canvas->recording;
  if (!is_slide && recording) {
    vt_layer_draw(layer, g_hash_table_lookup(recording->pictures, layer), snapshot, place->view, place->scale,
                  &place->seen);
    return;
  }
  if (!is_slide) {
    vt_layer_snapshot(layer, snapshot, place->view, place->scale, &place->seen);
    return;
  }
  gboolean solid = vt_layer_get_opacity(layer) >= 1;
  if (!solid) { /* its tiles may overlap */
    vt_paint_flush(snapshot);
    gtk_snapshot_push_opacity(snapshot, vt_layer_get_opacity(layer));
  }
  draw_slide(place->canvas, snapshot, place->view, place->scale);
  if (!solid) {
    vt_paint_flush(snapshot);
    gtk_snapshot_pop(snapshot);
  }
}

/* The part of the sheet that holds a part of the canvas. */
static graphene_rect_t
get_seen(VtCanvas *self, const VtViewport *sheet, double scale, const graphene_rect_t *part)
{
  graphene_rect_t seen;
  if (!part)
    return GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  for (int i = 0; i < 4; i++) {
    double x = part->origin.x + (i & 1 ? part->size.width : 0), y = part->origin.y + (i & 2 ? part->size.height : 0);
    vt_viewport_to_l0(&self->view, x * scale, y * scale, &x, &y);
    vt_viewport_from_l0(sheet, x, y, &x, &y);
    const graphene_point_t corner = GRAPHENE_POINT_INIT((float)(x / scale), (float)(y / scale));
    if (i == 0)
      graphene_rect_init(&seen, corner.x, corner.y, 0, 0);
    else
      graphene_rect_expand(&seen, &corner, &seen);
  }
  return seen;
}

void
vt_canvas_draw_stack(VtCanvas *self, GtkSnapshot *snapshot, GListModel *layers, VtStackPart part,
                     const graphene_rect_t *seen)
{
  const double scale = get_scale(self);
  VtViewport sheet;
  vt_viewport_get_sheet(&self->view, &sheet);
  gtk_snapshot_save(snapshot);
  if (!vt_viewport_is_upright(&self->view))
    vt_paint_turn(&self->view, &sheet, snapshot, scale);
  LayerPlace place = { self, &sheet, scale, part, get_seen(self, &sheet, scale, seen) };
  vt_layer_stack_snapshot(layers, snapshot, draw_layer, &place);
  vt_paint_flush(snapshot);
  gtk_snapshot_restore(snapshot);
}

static void
draw_text(VtCanvas *self, GtkSnapshot *snapshot, const char *text, float x, float y, const GdkRGBA *color)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
  gtk_snapshot_append_layout(snapshot, layout, color);
  gtk_snapshot_restore(snapshot);
}

static void
draw_panel(GtkSnapshot *snapshot, float x, float y, float width, float height)
{
  GskRoundedRect rounded;
  graphene_rect_t rect = GRAPHENE_RECT_INIT(x, y, width, height);
  gsk_rounded_rect_init_from_rect(&rounded, &rect, 6);
  gtk_snapshot_push_rounded_clip(snapshot, &rounded);
  gtk_snapshot_append_color(snapshot, &panel_color, &rect);
  gtk_snapshot_pop(snapshot);
}

void
vt_canvas_draw_label(GtkSnapshot *snapshot, PangoLayout *layout, float x, float y)
{
  int width, height;
  pango_layout_get_pixel_size(layout, &width, &height);
  draw_panel(snapshot, x, y, (float)width + 12, (float)height + 4);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x + 6, y + 2));
  gtk_snapshot_append_layout(snapshot, layout, &ink_color);
  gtk_snapshot_restore(snapshot);
}

/* The corner that is the topmost on the screen, physical pixels. */
static void
find_top(VtCanvas *self, const VtRoi *roi, double *x, double *y)
{
  double box[4];
  vt_roi_get_bounds(roi, &box[0], &box[1], &box[2], &box[3]);
  *x = 0;
  *y = INFINITY;
  for (int i = 0; i < 4; i++) {
    double corner_x, corner_y;
    vt_viewport_from_l0(&self->view, box[0] + (i & 1 ? box[2] : 0), box[1] + (i & 2 ? box[3] : 0), &corner_x,
                        &corner_y);
    if (corner_y < *y - 0.5 || (corner_y < *y + 0.5 && corner_x < *x)) {
      *x = corner_x;
      *y = corner_y;
    }
  }
}

/* Upright, above that corner. Where another name is it has no room: nothing would be read of either. */
static void
draw_name(VtCanvas *self, GtkSnapshot *snapshot, double scale, VtRoiItem *item, const GdkRGBA *color, GArray *taken)
{
  const VtRoi *roi = vt_roi_item_get_roi(item);
  double x, y;
  int text_width, text_height;
  find_top(self, roi, &x, &y);
  const graphene_point_t corner = { (float)floor(x / scale), (float)floor(y / scale) - 6 };
  for (guint i = 0; i < taken->len; i++) /* before anything is laid out, of which there may be thousands */
    if (graphene_rect_contains_point(&g_array_index(taken, graphene_rect_t, i), &corner))
      return;
  g_autofree char *words = vt_canvas_dup_roi_words(self, roi);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), words);
  pango_layout_get_pixel_size(layout, &text_width, &text_height);
  const float left = corner.x, top = corner.y - (float)text_height;
  const graphene_rect_t panel = GRAPHENE_RECT_INIT(left - 2, top, (float)text_width + 10, (float)text_height + 2);
  for (guint i = 0; i < taken->len; i++)
    if (graphene_rect_intersection(&g_array_index(taken, graphene_rect_t, i), &panel, NULL))
      return;
  g_array_append_val(taken, panel);
  draw_panel(snapshot, panel.origin.x, panel.origin.y, panel.size.width, panel.size.height);
  draw_text(self, snapshot, words, left + 3, top + 1, color);
}

static gboolean
is_small(VtCanvas *self, const VtRoi *roi, double scale)
{
  double box[4];
  vt_roi_get_bounds(roi, &box[0], &box[1], &box[2], &box[3]);
  return MAX(box[2], box[3]) / (self->view.downsample * scale) < SMALL_REGION;
}

/* Those of what is selected have room first, and are always there. */
static void
draw_names(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  g_autoptr(GArray) taken = g_array_new(FALSE, FALSE, sizeof(graphene_rect_t));
  const gboolean are_many = g_list_model_get_n_items(self->rois) > MANY_REGIONS;
  for (int others = 0; !self->rois_hidden && others < 2; others++)
    VT_EACH_ITEM (VtRoiItem, item, self->rois) {
      const gboolean is_selected = self->selected_rois && g_ptr_array_find(self->selected_rois, item, NULL);
      const VtRoi *roi = vt_roi_item_get_roi(item);
      const GdkRGBA color = vt_canvas_get_roi_color(self, item);
      if (roi->name && !roi->is_hidden && is_selected == !others
          && (is_selected || !are_many || !is_small(self, roi, scale)))
        draw_name(self, snapshot, scale, item, &color, taken);
    }
}

/* The place itself stays free: it is what is looked at. */
static void
draw_mark(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  static const struct {
    float x, y, width, height;
  } arms[] = { { -14, -1, 9, 2 }, { 5, -1, 9, 2 }, { -1, -14, 2, 9 }, { -1, 5, 2, 9 } };
  double x, y;
  if (!self->has_mark)
    return;
  vt_viewport_from_l0(&self->view, self->mark_x_l0, self->mark_y_l0, &x, &y);
  for (guint i = 0; i < 2 * G_N_ELEMENTS(arms); i++) {
    const guint arm = i % G_N_ELEMENTS(arms);
    graphene_rect_t place = GRAPHENE_RECT_INIT((float)(x / scale) + arms[arm].x, (float)(y / scale) + arms[arm].y,
                                               arms[arm].width, arms[arm].height);
    if (i < G_N_ELEMENTS(arms))
      graphene_rect_inset(&place, -1, -1);
    gtk_snapshot_append_color(snapshot, i < G_N_ELEMENTS(arms) ? &dark_color : &selected_color, &place);
  }
}

static gboolean
compares(VtCanvas *self)
{
  return !self->bare && vt_canvas_get_comparing(self);
}

/* Of what is seen; a replay has colours of its own. */
static GPtrArray *
list_layers_legend(VtCanvas *self)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)vt_legend_line_free);
  if (self->bare || vt_canvas_has_film(self) || !self->layers)
    return lines;
  if (!self->wipe.key)
    vt_layer_stack_add_legend(compares(self) ? vt_canvas_get_others(self) : self->layers, lines);
  if (self->wipe.key || (compares(self) && self->wipe.others))
    vt_layer_stack_add_legend(self->wipe.layers, lines);
  return lines;
}

int
vt_canvas_get_corner_height(VtCanvas *self)
{
  return self->corner_height;
}

static void
emit_corner(gpointer data)
{
  VtCanvas *self = data;
  self->corner_id = 0;
  g_signal_emit_by_name(self, "corner");
}

/* Who makes room for it is not laid out anew while a frame is drawn. */
static void
take_corner(VtCanvas *self, float top)
{
  const int height = gtk_widget_get_height(GTK_WIDGET(self)) - (int)floorf(top);
  if (height == self->corner_height)
    return;
  self->corner_height = height;
  if (self->corner_id == 0)
    self->corner_id = g_idle_add_once(emit_corner, self);
}

static void
draw_scale(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  double per_px = self->view.downsample * scale * (self->mpp > 0 ? self->mpp : 1);
  double length = vt_scale_choose_bar(per_px, BAR_MAX_PX);
  g_autofree char *length_text =
    self->mpp > 0 ? vt_scale_dup_length(length) : g_strdup_printf(_("%.4g px · uncalibrated"), length);
  g_autofree char *zoom = vt_scale_dup_magnification(self->mpp, self->objective_power, self->view.downsample);
  g_autofree char *turn = vt_scale_dup_turn(self->view.angle, self->view.mirrored);
  g_autofree char *text = g_strdup_printf("%s  ·  %s%s", length_text, zoom, turn);
  int text_width, text_height;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  pango_layout_get_pixel_size(layout, &text_width, &text_height);
  float bar = (float)(length / per_px);
  float width = MAX(bar, (float)text_width) + 20, height = (float)text_height + 20;
  float x = OVERLAY_MARGIN, y = (float)gtk_widget_get_height(GTK_WIDGET(self)) - height - OVERLAY_MARGIN;
  draw_panel(snapshot, x, y, width, height);
  draw_text(self, snapshot, text, x + 10, y + 4, &ink_color);
  float bar_y = y + height - 10;
  gtk_snapshot_append_color(snapshot, &ink_color, &GRAPHENE_RECT_INIT(x + 10, bar_y, bar, 3));
  gtk_snapshot_append_color(snapshot, &ink_color, &GRAPHENE_RECT_INIT(x + 10, bar_y - 3, 1, 6));
  gtk_snapshot_append_color(snapshot, &ink_color, &GRAPHENE_RECT_INIT(x + 10 + bar - 1, bar_y - 3, 1, 6));
  g_autoptr(GPtrArray) lines = list_layers_legend(self);
  take_corner(self, vt_layer_stack_draw_legends(lines, GTK_WIDGET(self), snapshot, x, y - 6));
}

GPtrArray *
vt_canvas_list_legend(VtCanvas *self)
{
  GPtrArray *lines = list_layers_legend(self);
  vt_canvas_add_differences_legend(self, lines);
  return lines;
}

/* What is drawn until it is restored lies on the sheet, which it gives back. */
static VtViewport
turn(VtCanvas *self, GtkSnapshot *snapshot)
{
  VtViewport sheet;
  vt_viewport_get_sheet(&self->view, &sheet);
  gtk_snapshot_save(snapshot);
  if (!vt_viewport_is_upright(&self->view))
    vt_paint_turn(&self->view, &sheet, snapshot, get_scale(self));
  return sheet;
}

/* FALSE: the frame has no room for more of them. */
static gboolean
send_tiles(VtTileStore *store, int level, VtTileRange range)
{
  for (gint64 row = range.first_row; row <= range.last_row; row++) {
    for (gint64 col = range.first_col; col <= range.last_col; col++) {
      const VtTile *tile = vt_tile_store_lookup(store, level, col, row);
      if (tile && tile->pixels && !vt_paint_send(NULL, tile->texture, tile->pixels->bytes, (gsize)tile->pixels->stride))
        return FALSE;
      if (tile && !send_tiles(store, level - 1, vt_tile_store_get_parts(store, tile)))
        return FALSE;
    }
  }
  return TRUE;
}

/* The coarsest level first, which stands in for all that the card does not have yet. FALSE: another frame is needed for the rest. */
static gboolean
send_slide(VtCanvas *self)
{
  VtViewport sheet;
  const int best = vt_tile_store_get_level(self->store), coarsest = vt_slide_get_n_levels(self->slide) - 1;
  vt_viewport_get_sheet(&self->view, &sheet);
  return (coarsest == best || send_tiles(self->store, coarsest, vt_tile_store_get_range(self->store, &sheet, coarsest)))
         && send_tiles(self->store, best, vt_tile_store_get_range(self->store, &sheet, best));
}

/* FALSE: another frame is needed for it. */
static gboolean
upload_layers(VtCanvas *self, GtkSnapshot *snapshot)
{
  GListModel *const all[] = { self->layers, self->wipe.layers, self->wipe.others };
  gboolean is_done = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    is_done = (!all[i] || vt_layers_upload(all[i], snapshot)) && is_done;
  return is_done;
}

void
vt_canvas_draw_picture(VtCanvas *self, GtkSnapshot *snapshot)
{
  const double scale = get_scale(self);
  if (!self->recording) {
    self->lacks_tiles = !send_slide(self);
    self->uploads = !upload_layers(self, snapshot) || self->lacks_tiles;
  }
  if (compares(self)) {
    vt_canvas_draw_compared(self, snapshot);
    return;
  }
  if (!self->bare)
    vt_canvas_draw_stack(self, snapshot, self->layers, VT_STACK_WHOLE, NULL);
  const VtViewport sheet = turn(self, snapshot);
  if (self->bare)
    draw_slide(self, snapshot, &sheet, scale);
  else
    vt_canvas_draw_film(self, snapshot, &sheet, scale);
  vt_paint_flush(snapshot);
  gtk_snapshot_restore(snapshot);
}

void
vt_canvas_draw_overlay(VtCanvas *self, GtkSnapshot *snapshot)
{
  const double scale = get_scale(self);
  const VtViewport sheet = turn(self, snapshot);
  if (!self->bare && !compares(self)) { /* else they would lie over what is compared */
    vt_canvas_draw_way(self, snapshot, &sheet, scale);
    vt_canvas_draw_runs(self, snapshot, &sheet, scale);
    vt_canvas_draw_differences(self, snapshot, &sheet, scale);
  }
  vt_canvas_draw_rois(self, snapshot, &sheet, scale);
  gtk_snapshot_restore(snapshot);
  draw_names(self, snapshot, scale);
  if (!self->recording) {
    if (!self->bare)
      vt_canvas_draw_frames(self, snapshot, scale);
    vt_canvas_draw_vertices(self, snapshot);
    vt_canvas_draw_brush(self, snapshot, scale);
    vt_canvas_draw_wand(self, snapshot);
    vt_canvas_draw_pen(self, snapshot);
  }
  draw_mark(self, snapshot, scale);
  if (!self->bare)
    vt_canvas_draw_wipe(self, snapshot);
}

void
vt_canvas_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtCanvas *self = VT_CANVAS(widget);
  if (!self->slide || self->view.width_px <= 0)
    return;
  vt_canvas_painting(self);
  gtk_snapshot_push_clip(
    snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget)));
  const gboolean by_card = vt_paint_begin(widget, vt_viewport_is_upright(&self->view), fmod(self->view.angle, 90) == 0);
  if (by_card != self->by_card)
    vt_test_log("magnified-by-card %d", by_card);
  self->by_card = by_card;
  vt_canvas_draw_picture(self, snapshot);
  vt_canvas_draw_overlay(self, snapshot);
  vt_paint_end(snapshot);
  gtk_snapshot_pop(snapshot);
  draw_scale(self, snapshot, gtk_widget_get_scale_factor(widget));
}
