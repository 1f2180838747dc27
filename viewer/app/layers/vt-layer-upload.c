/* SPDX-License-Identifier: MIT
 *
 * A graphics card takes a texture in the first frame that draws it, and all tiles of another result at once make that frame a long one. So some are sent in
 * each frame, and until all of them are there the picture before is drawn as it was: no frame has tiles of two results. */
#include "layers/vt-layer-private.h"

void
vt_layer_keep_former(VtLayer *self)
{
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
  for (guint i = 0; i < self->painted->tiles->len; i++)
    if (!vt_paint_send(snapshot, g_array_index(self->painted->tiles, VtPaintedTile, i).texture))
      return FALSE;
  return TRUE;
}

gboolean
vt_layers_upload(GListModel *layers, GtkSnapshot *snapshot)
{
  gboolean is_done = TRUE;
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    if (layer->former && vt_layer_get_seen(layer))
      is_done = upload(layer, snapshot) && is_done;
  }
  for (guint i = 0; is_done && i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    vt_layer_forget_former(layer);
  }
  return is_done;
}
