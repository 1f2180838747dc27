/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-similar.h"

#include <glib/gi18n.h>

#include "layers/vt-similar.h"

gboolean
vt_object_similar_to_selected(VtSimilarBar *bar, VtLayer *layer, GError **error)
{
  VtColumns *columns = layer ? vt_layer_get_columns(layer) : NULL;
  const VtObject *object = layer ? vt_layer_get_selected(layer) : NULL;
  if (!columns || !object)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s", _("Select the object to which others are to be similar."));
  double *numbers = g_new(double, columns->n_own + 1);
  for (guint i = 0; i < columns->n_own; i++)
    numbers[i] = vt_object_get_value(object, i);
  g_autofree char *id = g_strdup_printf("%'" G_GINT64_FORMAT, object->id);
  g_autofree char *title = g_strdup_printf(_("Like object %s"), id);
  vt_similar_bar_start(bar, columns, numbers, title);
  return TRUE;
}

static char *
dup_title(const GPtrArray *rois, guint n)
{
  if (rois->len > 1)
    return g_strdup_printf(_("Like the %u objects of %u regions"), n, rois->len);
  const char *name = ((const VtRoi *)rois->pdata[0])->name;
  return g_strdup_printf(g_dngettext(NULL, "Like the %u object of “%s”", "Like the mean of the %u objects of “%s”", n),
                         n, name ? name : "");
}

gboolean
vt_object_similar_to_regions(VtSimilarBar *bar, VtLayer *layer, const GPtrArray *rois, GError **error)
{
  VtColumns *columns = layer ? vt_layer_get_columns(layer) : NULL;
  guint n = 0;
  if (rois->len == 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        _("Select a region whose objects others are to be similar to."));
  g_autofree double *numbers = columns ? vt_similar_dup_means(columns, rois, &n) : NULL;
  if (n == 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        _("The selected region has none of the objects that are shown."));
  g_autofree char *title = dup_title(rois, n);
  vt_similar_bar_start(bar, columns, g_steal_pointer(&numbers), title);
  return TRUE;
}

void
vt_object_similar_show(VtSimilarBar *bar, VtLayer *layer)
{
  VtColumn *column = vt_similar_bar_get_column(bar);
  if (layer && column)
    vt_layer_add_column(layer, column);
  else if (layer)
    vt_layer_remove_column(layer, VT_SIMILAR_COLUMN);
}
