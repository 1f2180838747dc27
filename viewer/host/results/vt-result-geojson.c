/* SPDX-License-Identifier: MIT
 *
 * GeoJSON as QuPath's code writes it: full-resolution pixels, two decimals, closed rings; measurements that are no
 * number are strings; no geometry collections, since QuPath's do not read back. */
#include <math.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "results/vt-measured-names.h"
#include "results/vt-regions-save.h"
#include "results/vt-corrections.h"
#include "results/vt-surroundings.h"
#include "run/vt-model.h"
#include "run/vt-roi-sets.h"
#include "run/vt-run-private.h"

#define MOST_ANCESTORS 60 /* each is two brackets more, of 200 that vt-json-scan reads */

/* GeoJSON and WKT nest the same lists with other brackets. */
typedef struct {
  char open, close;
  const char *point_open, *between, *point_close;
  gboolean rounded; /* to two decimals */
} Notation;
static const Notation objects_json = { '[', ']', "[", ",", "]", TRUE };
static const Notation regions_json = { '[', ']', "[", ",", "]", FALSE };
static const Notation regions_wkt = { '(', ')', "", " ", "", FALSE };

static void
append_number(GString *text, const Notation *notation, double value)
{
  vt_text_append_double(text, notation->rounded ? round(value * 100) / 100 + 0.0 : value);
}

static void
append_point(GString *text, const Notation *notation, const double *point)
{
  g_string_append(text, notation->point_open);
  append_number(text, notation, point[0]);
  g_string_append(text, notation->between);
  append_number(text, notation, point[1]);
  g_string_append(text, notation->point_close);
}

static void
append_ring(GString *text, const Notation *notation, const double *points, guint32 n)
{
  g_string_append_c(text, notation->open);
  for (guint32 i = 0; i < n; i++) {
    append_point(text, notation, points + 2 * i);
    g_string_append_c(text, ',');
  }
  append_point(text, notation, points);
  g_string_append_c(text, notation->close);
}

static gboolean
is_multi(const guint32 *ring_sizes, guint n_rings, const double *points)
{
  const double *p = points;
  guint n_outer = 0;
  for (guint i = 0; i < n_rings; p += 2 * ring_sizes[i], i++)
    n_outer += i == 0 || vt_ring_is_outer(p, ring_sizes[i]);
  return n_outer > 1;
}

static void
append_coordinates(GString *text, const Notation *notation, const guint32 *ring_sizes, guint n_rings,
                   const double *points)
{
  const gboolean multi = is_multi(ring_sizes, n_rings, points);
  const double *p = points;
  g_string_append_c(text, notation->open);
  for (guint i = 0; i < n_rings; i++) {
    const guint32 n = ring_sizes[i];
    const gboolean starts_polygon = multi && (i == 0 || vt_ring_is_outer(p, n));
    if (i > 0 && starts_polygon)
      g_string_append_c(text, notation->close);
    g_string_append(text, i > 0 ? "," : "");
    if (starts_polygon)
      g_string_append_c(text, notation->open);
    append_ring(text, notation, p, n);
    p += 2 * n;
  }
  if (multi)
    g_string_append_c(text, notation->close);
  g_string_append_c(text, notation->close);
}

static void
append_geometry(GString *text, const Notation *notation, const guint32 *ring_sizes, guint n_rings, const double *points)
{
  const gboolean multi = is_multi(ring_sizes, n_rings, points);
  g_string_append_printf(text, "{\"type\":\"%s\",\"coordinates\":", multi ? "MultiPolygon" : "Polygon");
  append_coordinates(text, notation, ring_sizes, n_rings, points);
  g_string_append_c(text, '}');
}

static void
append_measurement(GString *text, const char *name, double value, gboolean is_first)
{
  const gboolean is_number = isfinite(value);
  g_string_append(text, is_first ? "" : ",");
  vt_text_append_json_string(text, name);
  g_string_append(text, is_number ? ":" : ":\"");
  vt_text_append_double(text, value);
  g_string_append(text, is_number ? "" : "\"");
}

static void
append_measurements(GString *text, const char *const *names, const double *values, guint n)
{
  g_string_append(text, ",\"measurements\":{");
  for (guint i = 0; i < n; i++)
    append_measurement(text, names[i], values[i], i == 0);
  g_string_append_c(text, '}');
}

/* Ours, of an area. What is not known is left out. */
static gboolean
append_region_measurements(GString *text, const VtResult *measured, const VtRow *row, const VtRoiMeasures *measures,
                           const double *values)
{
  gboolean is_first = TRUE;
  for (guint i = 0; row && i < row->n_values; i++, is_first = FALSE)
    append_measurement(text, vt_result_get_column(measured, i + 1), row->values[i],
                       is_first); /* the first is the name */
  for (guint i = 0; measures && i < measures->names->len; i++)
    if (!isnan(values[i])) {
      append_measurement(text, measures->names->pdata[i], values[i], is_first);
      is_first = FALSE;
    }
  return is_first;
}

static void
append_class(GString *text, const char *name, const VtModelClass *cls)
{
  g_string_append(text, ",\"classification\":{\"name\":");
  vt_text_append_json_string(text, name);
  g_string_append_printf(text, ",\"color\":[%u,%u,%u]}", cls->rgb[0], cls->rgb[1], cls->rgb[2]);
}

/* What QuPath keeps of an object in words. */
static void
append_metadata(GString *text, const VtResult *part, const char *corrected)
{
  if (!part->region && !corrected)
    return;
  g_string_append(text, ",\"metadata\":{");
  if (part->region) {
    g_string_append(text, "\"Region\":");
    vt_text_append_json_string(text, part->region->name);
  }
  if (corrected)
    g_string_append_printf(text, "%s\"" VT_CORRECTED_COLUMN "\":\"%s\"", part->region ? "," : "", corrected);
  g_string_append_c(text, '}');
}

static void
append_object(GString *text, const VtResult *result, guint index, gconstpointer user)
{
  const gboolean is_first = index == 0;
  const VtClassified *classified = result->classified;
  const VtClassified *taught = classified ? vt_classified_get_taught(classified) : NULL;
  const guint number = index;
  const VtResult *part = vt_result_find_part(result, &index);
  const VtObject *object = vt_result_pass_object(part, index);
  g_autofree char *uuid = vt_result_dup_object_uuid(part, object);
  g_string_append_printf(text, "%s\n{\"type\":\"Feature\",\"id\":\"%s\",\"geometry\":", is_first ? "" : ",", uuid);
  append_geometry(text, &objects_json, object->ring_sizes, object->n_rings, object->points);
  g_string_append_printf(text, ",\"properties\":{\"objectType\":\"detection\",\"name\":\"%" G_GINT64_FORMAT "\"",
                         object->id);
  g_autofree char *name = classified ? vt_classified_dup_name(classified, number) : NULL;
  const VtModelClass *cls = name ? vt_classified_get(classified, number) : NULL;
  if (name)
    append_class(text, name, cls ? cls : vt_classified_get(taught, number));
  append_metadata(text, part, vt_result_get_corrected(result, number));
  append_measurements(text, object->measurement_names, object->measurements, object->n_measurements);
  guint n = object->n_measurements;
  g_string_truncate(text, text->len - 1); /* more of them */
  for (guint k = 0; result->surroundings && k < result->surroundings->n; k++)
    append_measurement(text, result->surroundings->names[k], result->surroundings->values[k][number], n++ == 0);
  if (taught)
    append_measurement(text, VT_CLASSIFIED_MARGIN, vt_classified_get_margin(taught, number), n == 0);
  g_string_append_c(text, '}');
  g_string_append(text, "}}");
}

gboolean
vt_result_write_geojson(const VtResult *result, const char *path, GError **error)
{
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  g_string_append(file->text, "{\"type\":\"FeatureCollection\",\"features\":[");
  vt_result_append_objects(result, file, append_object, NULL);
  g_string_append(file->text, "\n]}\n");
  return vt_text_file_close(file, error);
}

static void
append_points(GString *text, const Notation *notation, const double *points, guint32 n)
{
  for (guint32 i = 0; i < n; i++) {
    g_string_append(text, i > 0 ? "," : "");
    append_point(text, notation, points + 2 * i);
  }
}

/* Lines, or points: more than one of them are a list. `name`: of the geometry, without "Multi". */
static void
append_others(GString *text, const Notation *notation, const VtRoi *roi)
{
  const guint n_lines = roi->ring_sizes->len;
  const double *points = vt_roi_get_points(roi);
  const gboolean is_line = roi->kind == VT_SHAPE_LINE, is_list = is_line ? n_lines > 1 : roi->points->len > 2;
  if (!is_line && !is_list && notation->point_open[0]) {
    append_point(text, notation, points);
    return;
  }
  g_string_append_c(text, notation->open);
  for (guint i = 0; i < n_lines; i++) {
    const guint32 n = vt_roi_get_ring_sizes(roi)[i];
    g_string_append(text, i > 0 ? "," : "");
    if (is_line && is_list)
      g_string_append_c(text, notation->open);
    append_points(text, notation, points, n);
    if (is_line && is_list)
      g_string_append_c(text, notation->close);
    points += 2 * (gsize)n;
  }
  g_string_append_c(text, notation->close);
}

/* "LineString", "MultiPoint". */
static const char *
get_type(const VtRoi *roi)
{
  const gboolean is_list = roi->kind == VT_SHAPE_LINE ? roi->ring_sizes->len > 1 : roi->points->len > 2;
  return roi->kind == VT_SHAPE_LINE ? is_list ? "MultiLineString" : "LineString" : is_list ? "MultiPoint" : "Point";
}

char *
vt_roi_dup_wkt(const VtRoi *roi)
{
  if (roi->kind != VT_SHAPE_AREA) {
    g_autofree char *type = g_ascii_strup(get_type(roi), -1);
    GString *others = g_string_new(type);
    g_string_append_c(others, ' ');
    append_others(others, &regions_wkt, roi);
    return g_string_free(others, FALSE);
  }
  const gboolean multi = is_multi(vt_roi_get_ring_sizes(roi), roi->ring_sizes->len, vt_roi_get_points(roi));
  GString *text = g_string_new(multi ? "MULTIPOLYGON " : "POLYGON ");
  append_coordinates(text, &regions_wkt, vt_roi_get_ring_sizes(roi), roi->ring_sizes->len, vt_roi_get_points(roi));
  return g_string_free(text, FALSE);
}

char *
vt_roi_dup_uuid(const VtRoi *roi, const char *source_hash)
{
  g_autofree char *wkt = vt_roi_dup_wkt(roi);
  g_autofree char *text = g_strdup_printf("%s %s %s", source_hash, roi->name ? roi->name : "", wkt);
  return vt_dup_uuid(text);
}

/* QuPath has a colour of its own for an annotation, and one of its class. */
static void
append_looks(GString *text, const VtRoi *roi)
{
  g_autofree char *color = roi->color == VT_ROI_NO_COLOR ? NULL
                                                         : g_strdup_printf("[%d,%d,%d]", roi->color >> 16 & 255,
                                                                           roi->color >> 8 & 255, roi->color & 255);
  if (color)
    g_string_append_printf(text, ",\"color\":%s", color);
  if (roi->class_name) {
    g_string_append(text, ",\"classification\":{\"name\":");
    vt_text_append_json_string(text, roi->class_name);
    g_string_append_printf(text, "%s%s}", color ? ",\"color\":" : "", color ? color : "");
  }
  if (roi->is_locked)
    g_string_append(text, ",\"isLocked\":true");
}

typedef struct {
  GPtrArray *rois;
  const char *source_hash;
  const VtResult *measured; /* or NULL */
  const VtRoiMeasures *measures;
  const VtRow **rows; /* of each; NULL: none */
  const gint *parents;
  const VtMeasuredNames *read; /* what measurements of files are called here */
} Regions;

/* How long a line is, or how many points there are. */
static void
append_other_measurement(GString *text, const VtRoi *roi, const VtRoiMeasures *measures, const double *values)
{
  if (roi->kind == VT_SHAPE_LINE)
    append_measurement(text, vt_roi_measures_get_length_name(measures), values[VT_ROI_PERIMETER], TRUE);
  else
    append_measurement(text, VT_ROI_POINTS_NAME, roi->points->len / 2, TRUE);
}

/* Whether the region has a number of ours of that name. */
static gboolean
find_ours(const Regions *all, guint i, const char *name, double *value)
{
  const VtRoi *roi = all->rois->pdata[i];
  const VtRow *row = all->rows[i];
  const double *values = all->measures ? vt_roi_measures_get(all->measures, i) : NULL;
  const gboolean is_area = roi->kind == VT_SHAPE_AREA;
  for (guint k = 0; row && k < row->n_values; k++)
    if (g_str_equal(vt_result_get_column(all->measured, k + 1), name)) {
      *value = row->values[k];
      return TRUE;
    }
  for (guint k = 0; values && is_area && k < all->measures->names->len; k++)
    if (g_str_equal(all->measures->names->pdata[k], name)) {
      *value = values[k];
      return TRUE;
    }
  if (!values || is_area)
    return FALSE;
  *value = roi->kind == VT_SHAPE_LINE ? values[VT_ROI_PERIMETER] : roi->points->len / 2;
  return g_str_equal(name,
                     roi->kind == VT_SHAPE_LINE ? vt_roi_measures_get_length_name(all->measures) : VT_ROI_POINTS_NAME);
}

/* Those that were read, under names that are not ours. A number that ours has, too, as of a file that was written here, is written once. */
static void
append_read(GString *text, const Regions *all, guint i, gboolean is_first)
{
  const VtMeasured *read = ((const VtRoi *)all->rois->pdata[i])->measured;
  for (guint k = 0; read && k < read->n; k++) {
    const VtMeasuredNumber *number = &read->numbers[k];
    const char *title = vt_measured_names_get(all->read, number->name);
    double ours = NAN;
    const gboolean is_same = !g_str_equal(title, number->name) && find_ours(all, i, number->name, &ours)
                             && (ours == number->value || (isnan(ours) && isnan(number->value)));
    if (is_same)
      continue;
    append_measurement(text, title, number->value, is_first);
    is_first = FALSE;
  }
}

static void
append_all_measurements(GString *text, const Regions *all, guint i)
{
  const VtRoi *roi = all->rois->pdata[i];
  const double *values = all->measures ? vt_roi_measures_get(all->measures, i) : NULL;
  const gboolean is_area = roi->kind == VT_SHAPE_AREA, has_ours = (is_area && all->rows[i]) || all->measures;
  gboolean is_first = TRUE;
  if (!has_ours && !roi->measured)
    return;
  g_string_append(text, ",\"measurements\":{");
  if (has_ours && is_area) {
    is_first = append_region_measurements(text, all->measured, all->rows[i], all->measures, values);
  } else if (has_ours) {
    append_other_measurement(text, roi, all->measures, values);
    is_first = FALSE;
  }
  append_read(text, all, i, is_first);
  g_string_append_c(text, '}');
}

/* Without its end, where the children come. */
static void
append_region(GString *text, const Regions *all, guint i)
{
  const VtRoi *roi = all->rois->pdata[i];
  const VtRoiMeasures *measures = all->measures;
  g_autofree char *uuid = vt_roi_dup_uuid(roi, all->source_hash);
  g_string_append_printf(text, "\n{\"type\":\"Feature\",\"id\":\"%s\",\"geometry\":", uuid);
  if (roi->kind == VT_SHAPE_AREA) {
    append_geometry(text, &regions_json, vt_roi_get_ring_sizes(roi), roi->ring_sizes->len, vt_roi_get_points(roi));
  } else {
    g_string_append_printf(text, "{\"type\":\"%s\",\"coordinates\":", get_type(roi));
    append_others(text, &regions_json, roi);
    g_string_append_c(text, '}');
  }
  g_string_append(text, ",\"properties\":{\"objectType\":\"annotation\",\"name\":");
  vt_text_append_json_string(text, roi->name ? roi->name : "");
  append_looks(text, roi);
  if (measures && measures->intensity.n > 0) { /* what the scores depend on */
    g_autofree char *intensity = vt_intensity_to_text(&measures->intensity);
    g_string_append(text, ",\"metadata\":{\"Intensity\":");
    vt_text_append_json_string(text, intensity);
    g_string_append_c(text, '}');
  }
  append_all_measurements(text, all, i);
  g_string_append_c(text, '}');
}

/* Those that lie in `parent` (-1: in none), each with what lies in it. */
static void
append_children(VtTextFile *file, const Regions *all, gint parent)
{
  gboolean is_first = TRUE;
  for (guint i = 0; i < all->rois->len; i++) {
    if (all->parents[i] != parent)
      continue;
    g_string_append(file->text, !is_first ? "," : parent >= 0 ? ",\"childObjects\":[" : "");
    append_region(file->text, all, i);
    append_children(file, all, (gint)i);
    g_string_append_c(file->text, '}');
    vt_text_file_pass_on(file);
    is_first = FALSE;
  }
  if (parent >= 0 && !is_first)
    g_string_append_c(file->text, ']');
}

static guint
count_ancestors(const gint *parents, gint i)
{
  guint n = 0;
  for (; parents[i] >= 0; i = parents[i])
    n++;
  return n;
}

/* What lies deeper than readers go lies in the last of its ancestors that they reach. */
static gint *
dup_shallow(const gint *parents, guint n)
{
  gint *shallow = g_new(gint, MAX(n, 1));
  for (guint i = 0; i < n; i++) {
    shallow[i] = parents[i];
    for (guint above = count_ancestors(parents, (gint)i); above > MOST_ANCESTORS; above--)
      shallow[i] = parents[shallow[i]];
  }
  return shallow;
}

/* Names of ours that a measurement of a file cannot have here. */
static VtMeasuredNames *
name_read(GPtrArray *rois, const VtResult *measured, const VtRoiMeasures *measures)
{
  g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 1; measured && measured->rows && i < vt_result_get_n_columns(measured); i++)
    g_hash_table_add(taken, g_strdup(vt_result_get_column(measured, i)));
  for (guint i = 0; measures && i < measures->names->len; i++)
    g_hash_table_add(taken, g_strdup(measures->names->pdata[i]));
  VT_EACH_OF (const VtRoi, roi, rois)
    if (measures && roi->kind != VT_SHAPE_AREA)
      g_hash_table_add(
        taken, g_strdup(roi->kind == VT_SHAPE_LINE ? vt_roi_measures_get_length_name(measures) : VT_ROI_POINTS_NAME));
  return vt_measured_names_new(rois, taken, G_MAXUINT, NULL);
}

gboolean
vt_rois_write_geojson(GPtrArray *rois, const char *source_hash, const VtResult *measured, const VtRoiMeasures *measures,
                      const char *path, GError **error)
{
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  g_autofree const VtRow **rows = g_new0(const VtRow *, MAX(rois->len, 1));
  g_autofree gint *parents = g_new(gint, MAX(rois->len, 1));
  vt_rois_find_parents(rois, NULL, parents);
  g_autofree gint *shallow = dup_shallow(parents, rois->len);
  g_autoptr(VtMeasuredNames) read = name_read(rois, measured, measures);
  const Regions all = { rois, source_hash, measured, measures, rows, shallow, read };
  for (guint i = 0, area = 0; i < rois->len && measured && measured->rows; i++) {
    const gboolean is_area = ((const VtRoi *)rois->pdata[i])->kind == VT_SHAPE_AREA;
    rows[i] = is_area && area < measured->rows->len ? measured->rows->pdata[area] : NULL;
    area += is_area;
  }
  g_string_append(file->text, "{\"type\":\"FeatureCollection\",\"features\":[");
  append_children(file, &all, -1);
  g_string_append(file->text, "\n]}\n");
  return vt_text_file_close(file, error);
}
