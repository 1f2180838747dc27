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
