/* SPDX-License-Identifier: MIT
 *
 * A graphics card takes a texture in the first frame that draws it, and all tiles of another result at once make that frame a long one. So some are sent in
 * each frame, and until all of them are there the picture before is drawn as it was: no frame has tiles of two results. */
#include "layers/vt-layer-private.h"

#include "base/vt-define.h"

/* A preview leaves the finer picture before it to the next fine one. */
static void
keep_fine(VtLayer *self, const VtPainted *next)
{
  if (self->fine && next->pixel_l0 <= self->fine->pixel_l0)
    g_clear_pointer(&self->fine, vt_painted_unref);
  if (!self->fine && self->painted && !self->thinned && self->painted->rasters
      && next->pixel_l0 > self->painted->pixel_l0)
    self->fine = vt_painted_ref(self->painted);
}

VtPainted *
vt_layer_ref_previous(VtLayer *self, const GPtrArray *rasters)
{
  const VtRaster *first = rasters ? rasters->pdata[0] : NULL;
  if (self->fine && first && first->downsample == self->fine->pixel_l0)
    return vt_painted_ref(self->fine);
  return self->painted && !self->thinned ? vt_painted_ref(self->painted) : NULL;
}

void
vt_layer_keep_former(VtLayer *self, const VtPainted *next)
{
  keep_fine(self, next);
  if (!self->former && self->painted && !self->thinned && !self->undrawn && vt_paint_sends_textures())
    self->former = vt_painted_ref(self->painted);
}

void
vt_layer_forget_former(VtLayer *self)
{
  g_clear_pointer(&self->former, vt_painted_unref);
}

/* FALSE: the frame has no room for more of them. */
static gboolean
upload(VtLayer *self, GtkSnapshot *snapshot)
{
  VT_EACH_IN (const VtPaintedTile, tile, self->painted->tiles)
    if (!tile->is_empty && !vt_paint_send(snapshot, tile->texture, tile->bytes, (gsize)tile->width * 4))
      return FALSE;
  return TRUE;
}

gboolean
vt_layers_upload(GListModel *layers, GtkSnapshot *snapshot)
{
  gboolean is_done = TRUE;
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (layer->former && vt_layer_get_seen(layer))
      is_done = upload(layer, snapshot) && is_done;
  for (guint i = 0; is_done && i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    vt_layer_forget_former(layer);
  }
  return is_done;
}
