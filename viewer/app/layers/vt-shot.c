/* SPDX-License-Identifier: MIT */
#include "layers/vt-shot.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "base/vt-error.h"

#define BAND_PX 1024 /* between two looks at whether it is still wanted */

VT_DEFINE_TYPE_FREE(vt_shot_free, VtShot, VT_FREES(gsk_render_node_unref, picture, overlay))

cairo_surface_t *
vt_shot_render(const VtShot *shot, GCancellable *cancellable, GError **error)
{
  const int width = (int)shot->view.width_px, height = (int)shot->view.height_px;
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  for (int y = 0; y < height && !g_cancellable_is_cancelled(cancellable); y += BAND_PX) {
    cairo_t *cr = cairo_create(surface);
    cairo_rectangle(cr, 0, y, width, MIN(BAND_PX, height - y));
    cairo_clip(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_scale(cr, shot->scale, shot->scale);
    if (shot->picture)
      gsk_render_node_draw(shot->picture, cr);
    cairo_destroy(cr);
  }
  const cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS && !g_cancellable_set_error_if_cancelled(cancellable, error))
    return surface;
  if (status != CAIRO_STATUS_SUCCESS)
    g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY, _("A picture of %d × %d pixels cannot be drawn: %s."), width,
                height, cairo_status_to_string(status));
  cairo_surface_destroy(surface);
  return NULL;
}
