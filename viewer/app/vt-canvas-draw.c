/* SPDX-License-Identifier: MIT */
#include "vt-canvas-private.h"

#include <glib/gi18n.h>

#include "vt-layer-stack.h"
#include "vt-roi-item.h"
#include "vt-scale.h"

#define BAR_MAX_PX 160 /* logical pixels */
#define OVERLAY_MARGIN 12

static const GdkRGBA panel_color = { 0, 0, 0, 0.62f };
static const GdkRGBA ink_color = { 1, 1, 1, 1 };
static const GdkRGBA halo_color = { 0, 0, 0, 0.55f };
static const GdkRGBA roi_color = { 0, 0.82f, 1, 1 };
static const GdkRGBA selected_color = { 1, 0.87f, 0.2f, 1 };

/* A tile that cannot be read looks like nothing else: neither tissue nor glass nor "still loading". */
static void
draw_hatched(GtkSnapshot *snapshot, const graphene_rect_t *place, const graphene_rect_t *clip)
{
  graphene_rect_t seen;
  if (!graphene_rect_intersection(place, clip, &seen))
    return;
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

static void
draw_tiles(VtCanvas *self, GtkSnapshot *snapshot, int level, VtTileRange range, double scale)
{
  graphene_rect_t clip =
    GRAPHENE_RECT_INIT(0, 0, (float)(self->view.width_px / scale), (float)(self->view.height_px / scale));
  double ds = vt_slide_get_level_downsample(self->slide, level);
  gboolean squares = level == 0 && self->view.downsample < 1;
  for (gint64 row = range.first_row; row <= range.last_row; row++) {
    for (gint64 col = range.first_col; col <= range.last_col; col++) {
      const VtTile *tile = vt_tile_store_lookup(self->store, level, col, row);
      graphene_rect_t place;
      if (!tile)
        continue;
      gint64 x0 = col * VT_TILE_PX, y0 = row * VT_TILE_PX;
      gint64 width = tile->pixels ? tile->pixels->width : VT_TILE_PX;
      gint64 height = tile->pixels ? tile->pixels->height : VT_TILE_PX;
      VtTileRange parts = vt_tile_store_get_parts(self->store, tile);
      vt_paint_place(&self->view, scale, x0 * ds, y0 * ds, MIN((x0 + width) * ds, (double)self->width_l0),
                     MIN((y0 + height) * ds, (double)self->height_l0), &place);
      if (tile->pixels)
        vt_paint_pixels(snapshot, tile->texture, tile->pixels->bytes, (gsize)tile->pixels->stride, &place, &clip,
                        squares);
      else if (parts.last_col < parts.first_col)
        draw_hatched(snapshot, &place, &clip);
      else
        draw_tiles(self, snapshot, level - 1, parts, scale);
    }
  }
}

static void
draw_level(VtCanvas *self, GtkSnapshot *snapshot, int level, double scale)
{
  draw_tiles(self, snapshot, level, vt_tile_store_get_range(self->store, &self->view, level), scale);
}

static void
draw_slide(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  int best = vt_tile_store_get_level(self->store);
  if (!vt_tile_store_get_sharp(self->store)) {
    for (int level = vt_slide_get_n_levels(self->slide) - 1; level > best; level--)
      draw_level(self, snapshot, level, scale);
    if (best > 0)
      draw_level(self, snapshot, best - 1, scale);
  }
  draw_level(self, snapshot, best, scale);
}

static void
draw_layer(VtLayer *layer, GtkSnapshot *snapshot, gpointer user)
{
  VtCanvas *self = user;
  double scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (vt_layer_get_kind(layer) != VT_LAYER_SLIDE) {
    vt_layer_snapshot(layer, snapshot, &self->view, scale);
    return;
  }
  gboolean solid = vt_layer_get_opacity(layer) >= 1;
  if (!solid)
    gtk_snapshot_push_opacity(snapshot, vt_layer_get_opacity(layer));
  draw_slide(self, snapshot, scale);
  if (!solid)
    gtk_snapshot_pop(snapshot);
}

static void
draw_frame(GtkSnapshot *snapshot, const graphene_rect_t *place, float width, const GdkRGBA *color)
{
  GskRoundedRect outline;
  float widths[4] = { width, width, width, width };
  GdkRGBA colors[4] = { *color, *color, *color, *color };
  gsk_rounded_rect_init_from_rect(&outline, place, 0);
  gtk_snapshot_append_border(snapshot, &outline, widths, colors);
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

static void
draw_region(VtCanvas *self, GtkSnapshot *snapshot, double scale, double x, double y, double width, double height,
            const char *name, const GdkRGBA *color)
{
  graphene_rect_t place, outer;
  vt_paint_place(&self->view, scale, x, y, x + width, y + height, &place);
  graphene_rect_inset_r(&place, -2, -2, &outer);
  draw_frame(snapshot, &outer, 4, &halo_color);
  graphene_rect_inset_r(&place, -1, -1, &outer);
  draw_frame(snapshot, &outer, 2, color);
  if (!name)
    return;
  int text_width, text_height;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), name);
  pango_layout_get_pixel_size(layout, &text_width, &text_height);
  float top = place.origin.y - (float)text_height - 6;
  draw_panel(snapshot, place.origin.x - 2, top, (float)text_width + 10, (float)text_height + 2);
  draw_text(self, snapshot, name, place.origin.x + 3, top + 1, color);
}

static void
draw_regions(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  double x, y, width, height;
  for (guint i = 0; i < g_list_model_get_n_items(self->rois); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(self->rois, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    vt_roi_get_bounds(roi, &x, &y, &width, &height);
    draw_region(self, snapshot, scale, x, y, width, height, roi->name,
                (gpointer)item == self->selected_roi ? &selected_color : &roi_color);
  }
  if (self->drag != VT_DRAG_RECTANGLE)
    return;
  x = MIN(self->draft_x0_l0, self->draft_x1_l0);
  y = MIN(self->draft_y0_l0, self->draft_y1_l0);
  width = MAX(self->draft_x0_l0, self->draft_x1_l0) - x;
  height = MAX(self->draft_y0_l0, self->draft_y1_l0) - y;
  draw_region(self, snapshot, scale, x, y, width, height, NULL, &selected_color);
}

static void
draw_scale(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  double per_px = self->view.downsample * scale * (self->mpp > 0 ? self->mpp : 1);
  double length = vt_scale_choose_bar(per_px, BAR_MAX_PX);
  g_autofree char *length_text =
    self->mpp > 0 ? vt_scale_dup_length(length) : g_strdup_printf(_("%.4g px · uncalibrated"), length);
  g_autofree char *zoom = vt_scale_dup_magnification(self->mpp, self->objective_power, self->view.downsample);
  g_autofree char *text = g_strdup_printf("%s  ·  %s", length_text, zoom);
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
  vt_layer_stack_draw_legends(self->layers, GTK_WIDGET(self), snapshot, x, y - 6);
}

void
vt_canvas_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtCanvas *self = VT_CANVAS(widget);
  double scale = gtk_widget_get_scale_factor(widget);
  if (!self->slide || self->view.width_px <= 0)
    return;
  gtk_snapshot_push_clip(
    snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget)));
  vt_layer_stack_snapshot(self->layers, snapshot, draw_layer, self);
  draw_regions(self, snapshot, scale);
  gtk_snapshot_pop(snapshot);
  draw_scale(self, snapshot, scale);
}
