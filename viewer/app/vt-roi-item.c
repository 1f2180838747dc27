/* SPDX-License-Identifier: MIT */
#include "vt-roi-item.h"

#include <math.h>

struct _VtRoiItem {
  GObject parent;
  VtRoi *roi;
  GArray *values; /* double */
};

G_DEFINE_FINAL_TYPE(VtRoiItem, vt_roi_item, G_TYPE_OBJECT)

static guint changed_signal;

const VtRoi *
vt_roi_item_get_roi(VtRoiItem *self)
{
  return self->roi;
}

char *
vt_roi_item_dup_value(VtRoiItem *self, guint index)
{
  if (index >= self->values->len)
    return g_strdup("");
  double value = g_array_index(self->values, double, index);
  return isfinite(value) ? g_strdup_printf("%.6g", value) : g_strdup("–");
}

void
vt_roi_item_set_row(VtRoiItem *self, const VtRow *row)
{
  g_array_set_size(self->values, 0);
  if (row)
    g_array_append_vals(self->values, row->values, row->n_values);
  g_signal_emit(self, changed_signal, 0);
}

static void
vt_roi_item_finalize(GObject *object)
{
  VtRoiItem *self = VT_ROI_ITEM(object);
  vt_roi_free(self->roi);
  g_array_unref(self->values);
  G_OBJECT_CLASS(vt_roi_item_parent_class)->finalize(object);
}

static void
vt_roi_item_class_init(VtRoiItemClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = vt_roi_item_finalize;
  changed_signal = g_signal_new("changed", VT_TYPE_ROI_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vt_roi_item_init(VtRoiItem *self)
{
  self->values = g_array_new(FALSE, FALSE, sizeof(double));
}

VtRoiItem *
vt_roi_item_new(VtRoi *roi)
{
  VtRoiItem *self = g_object_new(VT_TYPE_ROI_ITEM, NULL);
  self->roi = roi;
  return self;
}

gboolean
vt_roi_items_fill(VtRunRequest *request, VtSlide *slide, GListModel *rois)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  gint64 slide_width, slide_height;
  guint n = g_list_model_get_n_items(rois);
  if (n == 0)
    return FALSE;
  request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < n; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(rois, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    double x, y, width, height;
    vt_roi_get_bounds(roi, &x, &y, &width, &height);
    x0 = MIN(x0, x);
    y0 = MIN(y0, y);
    x1 = MAX(x1, x + width);
    y1 = MAX(y1, y + height);
    g_ptr_array_add(request->rois, vt_roi_copy(roi));
  }
  vt_slide_get_level_size(slide, 0, &slide_width, &slide_height);
  request->x_l0 = (gint64)CLAMP(floor(x0), 0, (double)slide_width - 1);
  request->y_l0 = (gint64)CLAMP(floor(y0), 0, (double)slide_height - 1);
  request->width_l0 = (gint64)MIN(ceil(x1), (double)slide_width) - request->x_l0;
  request->height_l0 = (gint64)MIN(ceil(y1), (double)slide_height) - request->y_l0;
  return request->width_l0 > 0 && request->height_l0 > 0;
}
