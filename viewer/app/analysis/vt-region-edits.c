/* SPDX-License-Identifier: MIT */
#include "analysis/vt-region-edits.h"

#include "base/vt-define.h"
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
  VT_EACH_ITEM (VtRoiItem, item, list) {
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
  VT_EACH_ITEM (VtRoiItem, item, list) {
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
  VT_EACH_ITEM (VtRoiItem, item, list) {
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
  if (old->kind != VT_SHAPE_AREA || shape->kind != VT_SHAPE_AREA)
    return vt_error_set(
      error, VITRAIL_BAD_ARGUMENT,
      _("Lines and points have no area: Shift and Alt add to areas, and take away from them, by areas."));
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

/* That all of them are areas and none is locked. */
static gboolean
check_areas(GPtrArray *items, GError **error)
{
  for (guint i = 0; i < items->len; i++) {
    const VtRoi *roi = vt_roi_item_get_roi(items->pdata[i]);
    if (roi->kind != VT_SHAPE_AREA)
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                  _("“%s” has no area: only regions are joined, taken apart and simplified."), roi->name);
    else if (roi->is_locked)
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("“%s” is locked: F2 unlocks it."), roi->name);
    else
      continue;
    return FALSE;
  }
  return TRUE;
}

gboolean
vt_region_edits_join(VtRegions *regions, GPtrArray *items, GError **error)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  if (!check_areas(items, error))
    return FALSE;
  if (items->len < 2)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Select two regions or more in the table to join them."));
  g_autoptr(VtRoi) all = vt_roi_copy(vt_roi_item_get_roi(items->pdata[0]));
  for (guint i = 1; i < items->len; i++) {
    g_autoptr(GError) local = NULL;
    VtRoi *both = vt_roi_combine(all, vt_roi_item_get_roi(items->pdata[i]), VT_ROI_UNION, &local);
    if (!both)
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                          local ? vt_translate(local->message) : _("These regions have no area."));
    vt_roi_free(all);
    all = both;
  }
  g_ptr_array_add(rois, g_steal_pointer(&all));
  vt_regions_replace(regions, items, rois);
  return TRUE;
}

/* Names them after what they are parts of, and takes them out of their list. */
static void
take_parts(GPtrArray *rois, GPtrArray *parts, const VtRoi *of)
{
  for (guint k = 0; k < parts->len; k++) {
    VtRoi *part = parts->pdata[k];
    vt_roi_take_looks(part, of);
    g_free(part->name);
    part->name = g_strdup_printf("%s · %u", of->name, k + 1);
    g_ptr_array_add(rois, part);
  }
  g_free(g_ptr_array_steal(parts, NULL));
}

/* The regions of the list that the line divides, with their parts; NULL and a sentence: GEOS could not. `items`: only these; empty: all. */
static GPtrArray *
list_divided(VtRegions *regions, GPtrArray *items, const VtRoi *line, GPtrArray *rois, GError **error)
{
  g_autoptr(GPtrArray) divided = g_ptr_array_new();
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_areas(regions)) {
    const VtRoi *roi = vt_roi_item_get_roi(item);
    g_autoptr(GError) local = NULL;
    if (items->len > 0 && !g_ptr_array_find(items, item, NULL))
      continue;
    g_autoptr(GPtrArray) parts = vt_roi_split(roi, vt_roi_get_points(line), line->points->len / 2, &local);
    if (!parts)
      return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s", vt_translate(local->message));
    if (parts->len < 2)
      continue;
    g_ptr_array_add(divided, item); /* the list holds it */
    take_parts(rois, parts, roi);
  }
  return g_steal_pointer(&divided);
}

guint
vt_region_edits_split(VtRegions *regions, GPtrArray *items, VtRoiItem *line, GError **error)
{
  const VtRoi *cut = vt_roi_item_get_roi(line);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  if (cut->kind != VT_SHAPE_LINE || cut->ring_sizes->len != 1 || cut->is_locked) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                cut->is_locked ? _("“%s” is locked: F2 unlocks it.")
                               : _("“%s” is no line of one piece: regions are split along one."),
                cut->name);
    return 0;
  }
  g_autoptr(GPtrArray) divided = list_divided(regions, items, cut, rois, error);
  if (!divided || !check_areas(divided, error))
    return 0;
  if (divided->len == 0 || divided->len < items->len) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                items->len > 1
                  ? _("“%s” does not divide each of the selected regions: draw it from outside to outside.")
                  : _("“%s” divides no region: draw it from outside to outside, over all of one."),
                cut->name);
    return 0;
  }
  if (items->len == 0 && divided->len > 1) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                _("“%s” divides %u regions: select those in the table that are to be split."), cut->name, divided->len);
    return 0;
  }
  const guint n = rois->len;
  g_ptr_array_add(divided, line);
  vt_regions_replace(regions, divided, rois);
  return n;
}

guint
vt_region_edits_part(VtRegions *regions, GPtrArray *items, GError **error)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free), several = g_ptr_array_new();
  if (!check_areas(items, error))
    return 0;
  for (guint i = 0; i < items->len; i++) {
    g_autoptr(GError) local = NULL;
    g_autoptr(GPtrArray) parts = vt_roi_list_parts(vt_roi_item_get_roi(items->pdata[i]), &local);
    if (!parts) {
      g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, vt_translate(local->message));
      return 0;
    }
    if (parts->len < 2)
      continue;
    g_ptr_array_add(several, items->pdata[i]);
    take_parts(rois, parts, vt_roi_item_get_roi(items->pdata[i]));
  }
  const guint n = rois->len;
  if (n > 0)
    vt_regions_replace(regions, several, rois);
  else
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("Each selected region is one piece already."));
  return n;
}

guint
vt_region_edits_simplify(VtRegions *regions, GPtrArray *items, double tolerance, GError **error)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  guint n_before = 0, n_after = 0;
  if (!check_areas(items, error))
    return 0;
  for (guint i = 0; i < items->len; i++) {
    g_autoptr(GError) local = NULL;
    const VtRoi *old = vt_roi_item_get_roi(items->pdata[i]);
    VtRoi *simple = vt_roi_simplify(old, tolerance, &local);
    if (!simple) {
      g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                          local ? vt_translate(local->message) : _("These regions have no area."));
      return 0;
    }
    if (simple->points->len >= old->points->len) {
      vt_roi_free(simple);
      simple = vt_roi_copy(old);
    }
    n_before += old->points->len / 2;
    n_after += simple->points->len / 2;
    g_ptr_array_add(rois, simple);
  }
  if (n_after < n_before)
    vt_regions_change(regions, items, rois);
  else
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        _("No corner can go without the outline moving by more than a pixel of the screen."));
  return n_before - n_after;
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
