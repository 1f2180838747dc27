/* SPDX-License-Identifier: MIT */
#include "analysis/vt-region-edits.h"

#include <glib/gi18n.h>

#include "common/vt-translate.h"

/* Classes get these one after the other (Okabe and Ito), apart from the colour of what is selected. */
static const gint32 colors[] = { 0xD55E00, 0x009E73, 0x0072B2, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x9467BD, 0x8C564B };

typedef void (*Change)(VtRoi *roi, gconstpointer value);

static void
change(VtRegions *regions, GPtrArray *items, Change how, gconstpointer value)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new();
  for (guint i = 0; i < items->len; i++) {
    VtRoi *roi = vt_roi_copy(vt_roi_item_get_roi(items->pdata[i]));
    how(roi, value);
    g_ptr_array_add(rois, roi);
  }
  vt_regions_change(regions, items, rois);
}

static char *
dup_word(const char *text)
{
  char *word = g_strstrip(g_strdup(text ? text : ""));
  if (!*word)
    g_clear_pointer(&word, g_free);
  return word;
}

static void
set_name(VtRoi *roi, gconstpointer name)
{
  g_free(roi->name);
  roi->name = g_strdup(name);
}

void
vt_region_edits_set_name(VtRegions *regions, GPtrArray *items, const char *name)
{
  g_autofree char *word = dup_word(name);
  if (word)
    change(regions, items, set_name, word);
}

GPtrArray *
vt_region_edits_list_classes(VtRegions *regions)
{
  GListModel *list = vt_regions_get_list(regions);
  GPtrArray *classes = g_ptr_array_new();
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const char *name = vt_roi_item_get_roi(item)->class_name;
    if (name && !g_ptr_array_find_with_equal_func(classes, name, g_str_equal, NULL))
      g_ptr_array_add(classes, (gpointer)name);
  }
  return classes;
}

/* That of the class, or the next one for a new class. */
static gint32
choose_color(VtRegions *regions, const char *class_name)
{
  GListModel *list = vt_regions_get_list(regions);
  g_autoptr(GPtrArray) classes = vt_region_edits_list_classes(regions);
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    if (g_strcmp0(roi->class_name, class_name) == 0 && roi->color != VT_ROI_NO_COLOR)
      return roi->color;
  }
  return colors[classes->len % G_N_ELEMENTS(colors)];
}

static void
set_class(VtRoi *roi, gconstpointer from)
{
  const VtRoi *look = from;
  if (g_strcmp0(roi->class_name, look->class_name) == 0)
    return;
  g_free(roi->class_name);
  roi->class_name = g_strdup(look->class_name);
  roi->color = look->color;
}

void
vt_region_edits_set_class(VtRegions *regions, GPtrArray *items, const char *class_name)
{
  g_autofree char *word = dup_word(class_name);
  const VtRoi look = { .class_name = word, .color = word ? choose_color(regions, word) : VT_ROI_NO_COLOR };
  change(regions, items, set_class, &look);
}

static void
set_color(VtRoi *roi, gconstpointer color)
{
  roi->color = *(const gint32 *)color;
}

void
vt_region_edits_set_color(VtRegions *regions, GPtrArray *items, gint32 color)
{
  GListModel *list = vt_regions_get_list(regions);
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const char *name = vt_roi_item_get_roi(item)->class_name;
    gboolean is_one = g_ptr_array_find(items, item, NULL);
    for (guint k = 0; name && k < items->len && !is_one; k++)
      is_one = g_strcmp0(name, vt_roi_item_get_roi(items->pdata[k])->class_name) == 0;
    if (is_one)
      g_ptr_array_add(all, g_steal_pointer(&item));
  }
  change(regions, all, set_color, &color);
}

static void
set_locked(VtRoi *roi, gconstpointer is_locked)
{
  roi->is_locked = *(const gboolean *)is_locked;
}

void
vt_region_edits_set_locked(VtRegions *regions, GPtrArray *items, gboolean is_locked)
{
  change(regions, items, set_locked, &is_locked);
}

static void
set_hidden(VtRoi *roi, gconstpointer is_hidden)
{
  roi->is_hidden = *(const gboolean *)is_hidden;
}

void
vt_region_edits_set_hidden(VtRegions *regions, GPtrArray *items, gboolean is_hidden)
{
  change(regions, items, set_hidden, &is_hidden);
}

gboolean
vt_region_edits_reshape(VtRegions *regions, VtRoiItem *item, VtRoi *shape, GError **error)
{
  const VtRoi *old = vt_roi_item_get_roi(item);
  g_autoptr(GPtrArray) items = g_ptr_array_new(), rois = g_ptr_array_new();
  if (old->is_locked) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("“%s” is locked: F2 unlocks it."), old->name);
    vt_roi_free(shape);
    return FALSE;
  }
  vt_roi_take_looks(shape, old);
  g_ptr_array_add(items, item);
  g_ptr_array_add(rois, shape);
  vt_regions_change(regions, items, rois);
  return TRUE;
}

gboolean
vt_region_edits_combine(VtRegions *regions, VtRoiItem *item, const VtRoi *shape, VtRoiSet how, GError **error)
{
  g_autoptr(GError) local = NULL;
  const VtRoi *old = vt_roi_item_get_roi(item);
  if (old->kind != VT_SHAPE_AREA || shape->kind != VT_SHAPE_AREA) {
    g_set_error_literal(
      error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
      _("Lines and points have no area: Shift and Alt add to areas, and take away from them, by areas."));
    return FALSE;
  }
  g_autoptr(VtRoi) both = vt_roi_combine(old, shape, how, &local);
  if (local)
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, vt_translate(local->message));
  else if (!both)
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("Nothing of “%s” would be left: Delete removes it."),
                old->name);
  else if (vt_roi_get_area(both) == vt_roi_get_area(old))
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                how == VT_ROI_UNION ? _("This lies inside of “%s” already: nothing was added.")
                                    : _("This lies outside of “%s”: nothing was taken away."),
                old->name);
  else
    return vt_region_edits_reshape(regions, item, g_steal_pointer(&both), error);
  return FALSE;
}

VtRoiItem *
vt_region_edits_add_point(VtRegions *regions, VtRoiItem *item, const VtRoi *point, GError **error)
{
  if (!item)
    return vt_regions_draw(regions, point);
  VtRoi *points = vt_roi_copy(vt_roi_item_get_roi(item));
  g_array_append_vals(points->points, point->points->data, point->points->len);
  g_array_index(points->ring_sizes, guint32, points->ring_sizes->len - 1)++;
  return vt_region_edits_reshape(regions, item, points, error) ? item : NULL;
}

guint
vt_region_edits_remove(VtRegions *regions, GPtrArray *items, guint *n_locked)
{
  g_autoptr(GPtrArray) free_ones = g_ptr_array_new();
  for (guint i = 0; i < items->len; i++)
    if (!vt_roi_item_get_roi(items->pdata[i])->is_locked)
      g_ptr_array_add(free_ones, items->pdata[i]);
  *n_locked = items->len - free_ones->len;
  return vt_regions_remove(regions, free_ones);
}
