/* SPDX-License-Identifier: MIT
 *
 * The wand: a region grows on the layer under the pointer, over values like the one there. How unlike they may be is said by how far the hand is dragged, and
 * stays for the next time. */
#include "canvas/vt-canvas-private.h"

#include <math.h>

#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "layers/vt-layer.h"
#include "run/vt-wand.h"

#define FIRST_SHARE 0.05 /* of the range of the layer's colours */
#define SHARE_PX 400     /* logical pixels of a drag for all of that range */
#define LEAST_DRAG_PX 3

void
vt_canvas_clear_wand(VtCanvas *self)
{
  VtWand *wand = &self->wand;
  g_clear_pointer(&wand->raster, vt_raster_unref);
  g_clear_pointer(&wand->draft, vt_roi_free);
  g_clear_pointer(&wand->failure, g_free);
  g_clear_pointer(&wand->what, g_free);
}

static void
grow(VtCanvas *self)
{
  VtWand *wand = &self->wand;
  g_autoptr(GError) error = NULL;
  if (!wand->raster)
    return;
  const double share = wand->share > 0 ? wand->share : FIRST_SHARE;
  const double tolerance = wand->is_scalar ? share * wand->range / fabs(wand->raster->scale) : 0;
  g_clear_pointer(&wand->draft, vt_roi_free);
  g_clear_pointer(&wand->failure, g_free);
  wand->draft = vt_wand_grow(wand->raster, wand->col, wand->row, tolerance, FALSE, &error);
  if (error)
    wand->failure = g_strdup(vt_translate(error->message));
  wand->tolerance = tolerance * fabs(wand->raster->scale);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* The uppermost layer that is seen and has something at a place: a raster, or an object, whose outline is the region. */
static void
take_layer(VtCanvas *self, VtLayer *layer, double x_l0, double y_l0)
{
  VtWand *wand = &self->wand;
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  const VtRaster *raster = vt_layer_find_raster(layer, x_l0, y_l0, &wand->value);
  if (!raster) {
    wand->draft = vt_layer_dup_outline(layer, x_l0, y_l0);
    if (wand->draft)
      wand->what = g_strdup(vt_layer_get_title(layer));
    return;
  }
  if (vt_layer_is_colour(layer) || (wand->value == 0 && (raster->zero_is_empty || !vt_layer_is_scalar(layer))))
    return; /* it has no value by which a region could grow, or nothing is seen of it */
  wand->raster = vt_raster_ref((VtRaster *)raster);
  wand->what = g_strdup(vt_layer_get_title(layer));
  wand->unit = vt_layer_get_unit(layer);
  wand->is_scalar = vt_layer_is_scalar(layer);
  wand->range = isfinite(coloring->max - coloring->min) ? fabs(coloring->max - coloring->min) : 0;
  wand->col = (gint64)floor((x_l0 - raster->origin_x_l0) / raster->downsample) - raster->x;
  wand->row = (gint64)floor((y_l0 - raster->origin_y_l0) / raster->downsample) - raster->y;
  grow(self);
}

void
vt_canvas_begin_wand(VtCanvas *self, double x, double y)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  double x_l0, y_l0;
  vt_canvas_clear_wand(self);
  self->wand.x = x;
  self->wand.y = y;
  vt_viewport_to_l0(&self->view, x * scale, y * scale, &x_l0, &y_l0);
  for (guint i = self->layers ? g_list_model_get_n_items(self->layers) : 0; i-- > 0 && !self->wand.what;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(self->layers, i);
    if (vt_layer_get_kind(layer) != VT_LAYER_SLIDE && vt_layer_get_seen(layer))
      take_layer(self, layer, x_l0, y_l0);
  }
  if (!self->wand.what)
    self->wand.failure =
      g_strdup(_("The wand grows on a layer of the analysis: there is none with a value here. Switch "
                 "on a stain, a distance or labels."));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_pull_wand(VtCanvas *self, double x, double y)
{
  const double length = hypot(x - self->wand.x, y - self->wand.y);
  if (!self->wand.is_scalar || length < LEAST_DRAG_PX)
    return;
  self->wand.share = MIN(length / SHARE_PX, 1);
  grow(self);
}

void
vt_canvas_end_wand(VtCanvas *self)
{
  VtRoi *roi = g_steal_pointer(&self->wand.draft);
  g_autofree char *failure = g_steal_pointer(&self->wand.failure);
  vt_test_log("wand %s %.6g %.6g", self->wand.what ? self->wand.what : "-", self->wand.value, self->wand.tolerance);
  vt_canvas_clear_wand(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (roi)
    vt_canvas_emit_roi(self, roi);
  else if (failure)
    g_signal_emit_by_name(self, "failed", failure);
}

/* "Hematoxylin 0.31 ± 0.05 OD" beside the place, while the hand is down. */
void
vt_canvas_draw_wand(VtCanvas *self, GtkSnapshot *snapshot)
{
  const VtWand *wand = &self->wand;
  if (!wand->raster || self->recording)
    return;
  const double value = wand->value * wand->raster->scale + wand->raster->offset;
  g_autofree char *text = wand->failure ? g_strdup(wand->failure)
                          : wand->is_scalar
                            ? g_strdup_printf("%s %.3g ± %.2g %s", wand->what, value, wand->tolerance, wand->unit)
                            : g_strdup_printf("%s %.0f", wand->what, value);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  pango_layout_set_width(layout, 320 * PANGO_SCALE);
  vt_canvas_draw_label(snapshot, layout, (float)floor(wand->x) + 12, (float)floor(wand->y) + 12);
}
