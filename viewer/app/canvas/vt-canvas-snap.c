/* SPDX-License-Identifier: MIT
 *
 * Corners that are drawn or dragged snap to outlines nearby, if a person wants that: of other regions, and of the objects that are seen. A corner
 * goes before an edge, on which the nearest point counts. */
#include "canvas/vt-canvas-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "layers/vt-layer.h"

#define SNAP_PX 10 /* logical */

typedef struct {
  double x, y;  /* what is to snap, level 0 */
  double reach; /* how far it looks */
  double corner[2], edge[2];
  double corner_reach, edge_reach; /* of the nearest so far */
} Search;

static void
look_at_edge(Search *search, const double *a, const double *b)
{
  const double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
  const double part = length2 > 0 ? CLAMP(((search->x - a[0]) * dx + (search->y - a[1]) * dy) / length2, 0, 1) : 0;
  const double x = a[0] + part * dx, y = a[1] + part * dy;
  const double to_corner = hypot(a[0] - search->x, a[1] - search->y), to_edge = hypot(x - search->x, y - search->y);
  if (to_corner < search->corner_reach) {
    search->corner_reach = to_corner;
    search->corner[0] = a[0];
    search->corner[1] = a[1];
  }
  if (to_edge < search->edge_reach) {
    search->edge_reach = to_edge;
    search->edge[0] = x;
    search->edge[1] = y;
  }
}

static void
look_at_rings(Search *search, VtShapeKind kind, const double *points, const guint32 *sizes, guint n_rings)
{
  for (guint ring = 0; ring < n_rings; ring++) {
    for (guint i = 0; i < sizes[ring]; i++) {
      const gboolean has_edge = kind == VT_SHAPE_AREA || (kind == VT_SHAPE_LINE && i + 1 < sizes[ring]);
      look_at_edge(search, points + 2 * (gsize)i, points + 2 * (gsize)(has_edge ? (i + 1) % sizes[ring] : i));
    }
    points += 2 * (gsize)sizes[ring];
  }
}

static void
look_at_regions(VtCanvas *self, Search *search, const VtRoiItem *except)
{
  for (guint i = 0; self->rois && !self->rois_hidden && i < g_list_model_get_n_items(self->rois); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(self->rois, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    double left, top, width, height;
    vt_roi_get_bounds(roi, &left, &top, &width, &height);
    if (item != except && !roi->is_hidden && search->x >= left - search->reach
        && search->x <= left + width + search->reach && search->y >= top - search->reach
        && search->y <= top + height + search->reach)
      look_at_rings(search, roi->kind, (const double *)(gpointer)roi->points->data,
                    (const guint32 *)(gpointer)roi->ring_sizes->data, roi->ring_sizes->len);
  }
}

static void
look_at_objects(VtCanvas *self, Search *search)
{
  g_autoptr(VtLayer) layer = self->layers ? vt_layers_dup_objects(self->layers) : NULL;
  const GPtrArray *objects = layer && vt_layer_get_seen(layer) ? vt_layer_get_objects(layer) : NULL;
  if (!objects || vt_layer_get_density_top(layer) > 0) /* no outlines are seen */
    return;
  const double rect[4] = { search->x - search->reach, search->y - search->reach, search->x + search->reach,
                           search->y + search->reach };
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  vt_layer_list_near(layer, rect, numbers);
  for (guint i = 0; i < numbers->len; i++) {
    const VtObject *object = objects->pdata[g_array_index(numbers, guint32, i)];
    look_at_rings(search, VT_SHAPE_AREA, object->points, object->ring_sizes, object->n_rings);
  }
}

void
vt_canvas_snap(VtCanvas *self, const VtRoiItem *except, double *x_l0, double *y_l0)
{
  const double reach = SNAP_PX * gtk_widget_get_scale_factor(GTK_WIDGET(self)) * self->view.downsample;
  Search search = { .x = *x_l0, .y = *y_l0, .reach = reach, .corner_reach = reach, .edge_reach = reach };
  if (!self->snaps)
    return;
  look_at_regions(self, &search, except);
  look_at_objects(self, &search);
  const double *found = search.corner_reach < reach ? search.corner : search.edge_reach < reach ? search.edge : NULL;
  if (!found)
    return;
  *x_l0 = found[0];
  *y_l0 = found[1];
}

VT_GETTER(gboolean, vt_canvas_get_snaps, VtCanvas, snaps)

void
vt_canvas_set_snaps(VtCanvas *self, gboolean snaps)
{
  self->snaps = snaps;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
