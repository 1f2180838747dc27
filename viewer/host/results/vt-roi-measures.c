/* SPDX-License-Identifier: MIT */
#include "results/vt-roi-measures.h"

#include <math.h>

#include "base/vt-define.h"
#include "run/vt-roi-sets.h"

#define PER_PX 1000.0 /* square pixels, where there are no mm² */
#define NO_CLASS G_MAXUINT8

/* The objects of a result, or of its part of one region. */
typedef struct {
  const VtResult *result;
  const GPtrArray *objects;
  guint first;    /* the place of the first of them in the whole list */
  guint32 *order; /* of their places, by x of the centroid */
} Field;

static void
field_clear(gpointer field)
{
  g_free(((Field *)field)->order);
}

static const VtObject *
get_object(const Field *field, guint i)
{
  return field->objects->pdata[field->order[i]];
}

static int
compare_x(gconstpointer a, gconstpointer b, gpointer objects)
{
  const VtObject *one = ((GPtrArray *)objects)->pdata[*(const guint32 *)a];
  const VtObject *other = ((GPtrArray *)objects)->pdata[*(const guint32 *)b];
  return (one->centroid_x_l0 > other->centroid_x_l0) - (one->centroid_x_l0 < other->centroid_x_l0);
}

static void
add_field(GArray *fields, const VtResult *result, guint first)
{
  Field field = { result, result->objects, first, g_new(guint32, MAX(result->objects->len, 1)) };
  for (guint i = 0; i < result->objects->len; i++)
    field.order[i] = i;
  g_qsort_with_data(field.order, (int)result->objects->len, sizeof *field.order, compare_x, result->objects);
  g_array_append_val(fields, field);
}

static GArray *
make_fields(const VtResult *objects)
{
  GArray *fields = g_array_new(FALSE, FALSE, sizeof(Field));
  guint first = 0;
  g_array_set_clear_func(fields, field_clear);
  for (guint i = 0; objects && objects->parts && i < objects->parts->len; i++) {
    const VtResult *part = objects->parts->pdata[i];
    if (part->objects)
      add_field(fields, part, first);
    first += part->objects ? part->objects->len : 0;
  }
  if (objects && objects->objects && !objects->parts)
    add_field(fields, objects, 0);
  return fields;
}

/* Whether all of the region was looked at. */
static gboolean
is_covered(const VtResult *result, const VtRoi *roi)
{
  double x, y, width, height;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  if (x < (double)result->x_l0 || y < (double)result->y_l0 || x + width > (double)(result->x_l0 + result->width_l0)
      || y + height > (double)(result->y_l0 + result->height_l0))
    return FALSE;
  return !result->region || vt_roi_has_same_outline(result->region, roi) || vt_roi_covers(result->region, roi);
}

static const Field *
find_field(const GArray *fields, const VtRoi *roi)
{
  for (guint i = 0; i < fields->len; i++)
    if (is_covered(g_array_index(fields, Field, i).result, roi))
      return &g_array_index(fields, Field, i);
  return NULL;
}

/* The first place, in the order of x, of an object that is not left of x. */
static guint
find_first(const Field *field, double x)
{
  guint low = 0, high = field->objects->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (get_object(field, middle)->centroid_x_l0 < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* counts: all of them, then those of each class; an object of a class that is left out is none. */
static void
count(const Field *field, const VtRoi *roi, const VtClassified *classified, const guint8 *pair_of, guint64 *counts,
      VtIntensityScore *score)
{
  double x, y, width, height;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  for (guint i = find_first(field, x); i < field->objects->len; i++) {
    const VtObject *object = get_object(field, i);
    if (object->centroid_x_l0 > x + width)
      break;
    if (!vt_roi_contains(roi, object->centroid_x_l0, object->centroid_y_l0))
      continue;
    const guint place = field->first + field->order[i];
    const gboolean has_class = classified && classified->classes[place] != VT_NO_CLASS;
    const guint8 pair = has_class ? pair_of[classified->classes[place]] : 0;
    if (classified && classified->intensity.n > 0)
      vt_intensity_score_add(score, classified, place);
    if (pair == NO_CLASS)
      continue;
    counts[0]++;
    counts[1 + pair] += has_class;
  }
}

static void
measure(VtRoiMeasures *self, guint index, const VtRoi *roi, const double mpp[2], const GArray *fields,
        const VtClassified *classified, const guint8 *pair_of)
{
  double *values = self->values + (gsize)index * self->names->len;
  const gboolean is_area = roi->kind == VT_SHAPE_AREA;
  const Field *field = is_area ? find_field(fields, roi) : NULL;
  guint64 counts[VT_CLASSIFIED_MOST + 1] = { 0 };
  VtIntensityScore score = { 0 };
  values[VT_ROI_AREA] = is_area ? vt_roi_get_area(roi) * mpp[0] * mpp[1] : NAN;
  values[VT_ROI_PERIMETER] = roi->kind == VT_SHAPE_POINTS ? NAN : vt_roi_get_perimeter(roi, mpp[0], mpp[1]);
  if (field)
    count(field, roi, classified, pair_of, counts, &score);
  const double per = self->calibrated ? 1e6 : PER_PX;
  for (guint i = 0; i <= self->classes->len; i++) {
    double *pair = values + (i == 0 ? VT_ROI_OBJECTS : VT_ROI_OBJECTS + vt_roi_measures_get_n_score(self) + 2 * i);
    pair[0] = field ? (double)counts[i] : NAN;
    pair[1] = field ? (double)counts[i] / values[VT_ROI_AREA] * per : NAN;
  }
  if (self->intensity.n > 0) {
    values[VT_ROI_SCORED] = field ? (double)score.n : NAN;
    values[VT_ROI_PERCENT] = vt_intensity_score_get_percent(&score);
  }
  if (self->intensity.n == VT_INTENSITY_MOST)
    values[VT_ROI_H] = vt_intensity_score_get_h(&score);
}

static void
name_columns(VtRoiMeasures *self)
{
  const char *per = self->calibrated ? "mm^2" : "1000 px^2";
  g_ptr_array_add(self->names, g_strdup(self->calibrated ? "Area µm^2" : "Area px^2"));
  g_ptr_array_add(self->names, g_strdup(self->calibrated ? "Perimeter µm" : "Perimeter px"));
  g_ptr_array_add(self->names, g_strdup("Objects"));
  g_ptr_array_add(self->names, g_strdup_printf("Objects / %s", per));
  if (self->intensity.n > 0) {
    g_ptr_array_add(self->names, g_strdup("Objects scored"));
    g_ptr_array_add(self->names, g_strdup(VT_INTENSITY_PERCENT));
  }
  if (self->intensity.n == VT_INTENSITY_MOST)
    g_ptr_array_add(self->names, g_strdup(VT_INTENSITY_H));
  VT_EACH_OF (const char, name, self->classes) {
    g_ptr_array_add(self->names, g_strdup_printf("Objects: %s", name));
    g_ptr_array_add(self->names, g_strdup_printf("Objects: %s / %s", name, per));
  }
}

VtRoiMeasures *
vt_roi_measures_new(GPtrArray *rois, double mpp_x, double mpp_y, const VtResult *objects,
                    const VtClassified *classified)
{
  VtRoiMeasures *self = g_new0(VtRoiMeasures, 1);
  const GPtrArray *list = classified ? classified->list : NULL;
  g_autoptr(GArray) fields = make_fields(objects);
  guint8 pair_of[VT_CLASSIFIED_MOST];
  self->calibrated = mpp_x > 0 && mpp_y > 0;
  const double mpp[2] = { self->calibrated ? mpp_x : 1, self->calibrated ? mpp_y : 1 };
  self->is_preview = fields->len > 0 && (objects->is_preview || objects->is_coarse);
  self->objects_of = fields->len > 0 ? g_strconcat(objects->op->id, self->is_preview ? " (preview)" : "", NULL) : NULL;
  self->names = g_ptr_array_new_with_free_func(g_free);
  self->classes = g_ptr_array_new_with_free_func(g_free);
  if (classified)
    self->intensity = classified->intensity;
  for (guint i = 0; list && i < list->len; i++) {
    const VtModelClass *cls = list->pdata[i];
    pair_of[i] = cls->is_left_out ? NO_CLASS : (guint8)self->classes->len;
    if (!cls->is_left_out)
      g_ptr_array_add(self->classes, g_strdup(cls->name));
  }
  name_columns(self);
  self->n_rois = rois->len;
  self->values = g_new(double, (gsize)rois->len * self->names->len + 1);
  for (guint i = 0; i < rois->len; i++)
    measure(self, i, rois->pdata[i], mpp, fields, classified, pair_of);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_roi_measures_free, VtRoiMeasures,
                    VT_FREES(g_ptr_array_unref, names, classes) VT_FREES(g_free, objects_of, values))

const char *
vt_roi_measures_get_length_name(const VtRoiMeasures *self)
{
  return self->calibrated ? "Length µm" : "Length px";
}

guint
vt_roi_measures_get_n_score(const VtRoiMeasures *self)
{
  return self->intensity.n == 0 ? 0 : self->intensity.n == VT_INTENSITY_MOST ? 3 : 2;
}

const double *
vt_roi_measures_get(const VtRoiMeasures *self, guint roi)
{
  return self->values + (gsize)roi * self->names->len;
}
