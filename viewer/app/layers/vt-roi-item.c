/* SPDX-License-Identifier: MIT */
#include "layers/vt-roi-item.h"

#include <math.h>
#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"

struct _VtRoiItem {
  GObject parent;
  VtRoi *roi;
  GArray *values;    /* double */
  GArray *measures;  /* double */
  VtParams *params;  /* of the values; NULL: there are none */
  double difference; /* NaN: none */
  gboolean stale, saved;
};

G_DEFINE_FINAL_TYPE(VtRoiItem, vt_roi_item, G_TYPE_OBJECT)

VT_GETTER(const VtRoi *, vt_roi_item_get_roi, VtRoiItem, roi)

void
vt_roi_item_swap_roi(VtRoiItem *self, VtRoi **roi)
{
  VtRoi *old = self->roi;
  self->roi = *roi;
  *roi = old;
  if (!vt_roi_has_same_outline(self->roi, old)) {
    g_array_set_size(self->values, 0);
    g_array_set_size(self->measures, 0);
    g_clear_pointer(&self->params, vt_params_free);
    self->stale = FALSE;
  }
  g_signal_emit_by_name(self, "changed");
}

double
vt_roi_item_get_value(VtRoiItem *self, guint index)
{
  return index < self->values->len ? g_array_index(self->values, double, index) : NAN;
}

char *
vt_roi_item_dup_value(VtRoiItem *self, guint index)
{
  if (index >= self->values->len)
    return g_strdup("");
  double value = vt_roi_item_get_value(self, index);
  return isfinite(value) ? g_strdup_printf("%.6g", value) : g_strdup("–");
}

void
vt_roi_item_set_row(VtRoiItem *self, const VtRow *row, const VtParams *params)
{
  g_array_set_size(self->values, 0);
  g_array_append_vals(self->values, row->values, row->n_values);
  g_clear_pointer(&self->params, vt_params_free);
  self->params = vt_params_copy(params);
  self->stale = FALSE;
  g_signal_emit_by_name(self, "changed");
}

void
vt_roi_item_set_measures(VtRoiItem *self, const double *values, guint n)
{
  g_array_set_size(self->measures, 0);
  g_array_append_vals(self->measures, values, n);
  g_signal_emit_by_name(self, "changed");
}

double
vt_roi_item_get_measure(VtRoiItem *self, guint index)
{
  return index < self->measures->len ? g_array_index(self->measures, double, index) : NAN;
}

void
vt_roi_item_set_difference(VtRoiItem *self, double difference)
{
  if (difference == self->difference || (isnan(difference) && isnan(self->difference)))
    return;
  self->difference = difference;
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(double, vt_roi_item_get_difference, VtRoiItem, difference)

VT_GETTER(const VtParams *, vt_roi_item_get_params, VtRoiItem, params)

void
vt_roi_item_compare(VtRoiItem *self, const VtParams *present)
{
  gboolean stale = self->params && !vt_params_equal(self->params, present);
  if (stale == self->stale)
    return;
  self->stale = stale;
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(gboolean, vt_roi_item_get_stale, VtRoiItem, stale)

void
vt_roi_item_set_saved(VtRoiItem *self, gboolean saved)
{
  self->saved = saved;
}

VT_GETTER(gboolean, vt_roi_item_get_saved, VtRoiItem, saved)

static void
vt_roi_item_class_init(VtRoiItemClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtRoiItem, vt_roi_free, roi);
  VT_OWNS_TO_THE_END(klass, VtRoiItem, g_array_unref, values, measures);
  VT_OWNS_TO_THE_END(klass, VtRoiItem, vt_params_free, params);
  vt_signals_new(VT_TYPE_ROI_ITEM, "changed", NULL);
}

static void
vt_roi_item_init(VtRoiItem *self)
{
  self->difference = NAN;
  self->values = g_array_new(FALSE, FALSE, sizeof(double));
  self->measures = g_array_new(FALSE, FALSE, sizeof(double));
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
    if (roi->kind != VT_SHAPE_AREA)
      continue;
    vt_roi_get_bounds(roi, &x, &y, &width, &height);
    x0 = MIN(x0, x);
    y0 = MIN(y0, y);
    x1 = MAX(x1, x + width);
    y1 = MAX(y1, y + height);
    g_ptr_array_add(request->rois, vt_roi_copy_plain(roi));
  }
  if (request->rois->len == 0) {
    g_clear_pointer(&request->rois, g_ptr_array_unref);
    return FALSE;
  }
  vt_slide_get_level_size(slide, 0, &slide_width, &slide_height);
  request->x_l0 = (gint64)CLAMP(floor(x0), 0, (double)slide_width - 1);
  request->y_l0 = (gint64)CLAMP(floor(y0), 0, (double)slide_height - 1);
  request->width_l0 = (gint64)MIN(ceil(x1), (double)slide_width) - request->x_l0;
  request->height_l0 = (gint64)MIN(ceil(y1), (double)slide_height) - request->y_l0;
  return request->width_l0 > 0 && request->height_l0 > 0;
}
