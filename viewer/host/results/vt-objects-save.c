/* SPDX-License-Identifier: MIT */
#include "results/vt-objects-save.h"

#include <gmodule.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-helper.h"
#include "results/vt-corrections.h"
#include "results/vt-surroundings.h"
#include "run/vt-model.h"
#include "run/vt-run-private.h"

/* With the first of each ring again. GDAL reads no geometry of FlatGeobuf with more, though it writes them (tried with 3.6.2). */
#define MOST_POINTS (((gsize)1 << 26) - 1)

/* --- the module --- */

static const VtObjectsModule *
load(GError **error)
{
  g_autofree char *path = vt_helper_find_module(VT_OBJECTS_MODULE);
  g_autoptr(GError) local = NULL;
  if (!path)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED,
                             "%s, which writes other formats, is not here: it is built where GDAL is.",
                             VT_OBJECTS_MODULE);
  GModule *module = g_module_open_full(path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL, &local);
  if (!module)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "%s cannot be loaded: %s.", VT_OBJECTS_MODULE, local->message);
  g_module_make_resident(module);
  gpointer symbol = NULL;
  VtObjectsEntry entry = NULL;
  if (g_module_symbol(module, VT_OBJECTS_ENTRY, &symbol))
    memcpy(&entry, &symbol, sizeof entry);
  const VtObjectsModule *found = entry ? entry(VT_VERSION) : NULL;
  if (!found)
    vt_error_set(error, VITRAIL_UNSUPPORTED, "%s is of another version of Vitrail.", path);
  return found;
}

const VtObjectsModule *
vt_objects_module_get(GError **error)
{
  static GMutex lock;
  static const VtObjectsModule *module;
  g_mutex_lock(&lock);
  if (!module)
    module = load(error);
  g_mutex_unlock(&lock);
  return module;
}

gboolean
vt_objects_formats_check(guint formats, GError **error)
{
  for (guint i = 0; i < VT_N_OBJECTS_FORMATS; i++) {
    const VtObjectsFormat *format = vt_objects_format_get(i);
    if (!(formats >> i & 1))
      continue;
    g_autoptr(GError) local = NULL;
    const VtObjectsModule *module = vt_objects_module_get(&local);
    if (!module)
      return vt_error_set(error, VITRAIL_UNSUPPORTED, "Objects cannot be written as %s here. %s", format->title,
                          local->message);
    if (!module->has_driver(format->driver))
      return vt_error_set(error, VITRAIL_UNSUPPORTED,
                          "Objects cannot be written as %s here: GDAL %s has no driver %s%s%s.", format->title,
                          module->version, format->driver, module->problem ? ", and could not load one: " : "",
                          module->problem ? module->problem : "");
  }
  return TRUE;
}

/* --- columns --- */

enum { COLUMN_ID, COLUMN_TYPE, COLUMN_NAME, COLUMN_CLASS, COLUMN_REGION, COLUMN_CORRECTED, N_TEXTS };
static const char *const text_names[N_TEXTS] = { "id",     "objectType",       "name", "classification",
                                                 "Region", VT_CORRECTED_COLUMN };

typedef struct {
  const VtResult *result;
  const VtClassified *taught; /* whose margin is a column; or NULL */
  GPtrArray *measurements;    /* interned names */
  GHashTable *places;         /* name -> its index in measurements, + 1 */
  GArray *columns;            /* VtObjectsColumn */
  GStringChunk *names;        /* of columns */
  GHashTable *taken;          /* the same in lower case, by which programs tell them apart */
  VtObjectsValue *values;     /* of an object */
  GArray *points, *sizes, *begins;
} Table;

VT_DEFINE_CLEAR(table_clear, Table,
                VT_FREES(g_ptr_array_unref, measurements) VT_FREES(g_hash_table_unref, places, taken)
                  VT_FREES(g_array_unref, columns, points, sizes, begins) VT_FREES(g_string_chunk_free, names)
                    VT_FREES(g_free, values))
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Table, table_clear)

/* A name that another column has is that of a measurement of a file. */
static void
add_column(Table *self, const char *name, gboolean is_text)
{
  g_autofree char *own = g_strdup(name), *lower = g_utf8_strdown(own, -1);
  while (g_hash_table_contains(self->taken, lower)) {
    char *longer = g_strconcat("measurement ", own, NULL);
    g_free(own);
    own = longer;
    g_free(lower);
    lower = g_utf8_strdown(own, -1);
  }
  g_hash_table_add(self->taken, g_steal_pointer(&lower));
  const VtObjectsColumn column = { g_string_chunk_insert(self->names, own), is_text };
  g_array_append_val(self->columns, column);
}

static gboolean
has_text(const VtResult *result, guint column)
{
  switch (column) {
  case COLUMN_CLASS: return result->classified != NULL;
  case COLUMN_REGION: return result->parts || result->region;
  case COLUMN_CORRECTED: return result->corrected != NULL;
  default: return TRUE;
  }
}

/* One pass over all objects, which may lie on the disk, before anything is written. FALSE and a sentence: one of them is too large. *is_single: each is
 * one polygon. */
static gboolean
look_through(const VtResult *result, gboolean *is_single, GError **error)
{
  *is_single = TRUE;
  for (guint i = 0; i < result->objects->len; i++) {
    const VtObject *object = vt_result_pass_object(result, i);
    const double *p = object->points;
    if (object->n_points > MOST_POINTS - MIN(object->n_rings, MOST_POINTS))
      return vt_error_set(error, VITRAIL_UNSUPPORTED,
                          "The outline of object %" G_GINT64_FORMAT " has %" G_GSIZE_FORMAT
                          " points, which is more than FlatGeobuf and GeoParquet get.",
                          object->id, object->n_points);
    for (guint k = 0; *is_single && k < object->n_rings; p += 2 * (gsize)object->ring_sizes[k], k++)
      *is_single = k == 0 || !vt_ring_is_outer(p, object->ring_sizes[k]);
  }
  return TRUE;
}

static void
table_init(Table *self, const VtResult *result)
{
  self->result = result;
  self->taught = result->classified ? vt_classified_get_taught(result->classified) : NULL;
  self->measurements = vt_result_list_measurements(result);
  self->places = g_hash_table_new(NULL, NULL);
  self->columns = g_array_new(FALSE, FALSE, sizeof(VtObjectsColumn));
  self->names = g_string_chunk_new(4096);
  self->taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->points = g_array_new(FALSE, FALSE, sizeof(double));
  self->sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->begins = g_array_new(FALSE, FALSE, sizeof(gboolean));
  /* Parquet has columns of these names, the second one since GDAL 3.9. */
  g_hash_table_add(self->taken, g_strdup("geometry"));
  g_hash_table_add(self->taken, g_strdup("geometry_bbox"));
  g_hash_table_add(self->taken, g_strdup("fid"));
  for (guint i = 0; i < N_TEXTS; i++)
    if (has_text(result, i))
      add_column(self, text_names[i], TRUE);
  for (guint i = 0; i < self->measurements->len; i++) {
    g_hash_table_insert(self->places, self->measurements->pdata[i], GUINT_TO_POINTER(i + 1));
    add_column(self, self->measurements->pdata[i], FALSE);
  }
  for (guint k = 0; result->surroundings && k < result->surroundings->n; k++)
    add_column(self, result->surroundings->names[k], FALSE);
  if (self->taught)
    add_column(self, VT_CLASSIFIED_MARGIN, FALSE);
  self->values = g_new0(VtObjectsValue, self->columns->len);
}

/* --- an object --- */

static VtObjectsValue *
put_text(VtObjectsValue *to, const char *text)
{
  *to = (VtObjectsValue){ .is_there = text != NULL, .text = text };
  return to + 1;
}

static VtObjectsValue *
put_number(VtObjectsValue *to, double number)
{
  *to = (VtObjectsValue){ .is_there = TRUE, .number = number };
  return to + 1;
}

static VtObjectsValue *
put_measurements(const Table *self, const VtObject *object, VtObjectsValue *to)
{
  for (guint i = 0; i < self->measurements->len; i++)
    to[i].is_there = FALSE;
  for (guint j = object->n_measurements; j-- > 0;) { /* of two of a name the first counts, as in features.csv */
    const char *name = object->measurement_names[j];
    const guint i = j < self->measurements->len && self->measurements->pdata[j] == name
                      ? j
                      : GPOINTER_TO_UINT(g_hash_table_lookup(self->places, name)) - 1;
    put_number(&to[i], object->measurements[j]);
  }
  return to + self->measurements->len;
}

/* As objects.geojson has them: two decimals, closed rings. */
static void
put_outline(Table *self, const VtObject *object)
{
  const double *p = object->points;
  g_array_set_size(self->points, 0);
  g_array_set_size(self->sizes, 0);
  g_array_set_size(self->begins, 0);
  for (guint k = 0; k < object->n_rings; p += 2 * (gsize)object->ring_sizes[k], k++) {
    const guint32 n = object->ring_sizes[k], closed = n + 1;
    const gboolean begins = k == 0 || vt_ring_is_outer(p, n);
    for (guint32 i = 0; i <= n; i++)
      for (guint axis = 0; axis < 2; axis++) {
        const double value = round(p[2 * (gsize)(i % n) + axis] * 100) / 100 + 0.0;
        g_array_append_val(self->points, value);
      }
    g_array_append_val(self->sizes, closed);
    g_array_append_val(self->begins, begins);
  }
}

static gboolean
is_multi(const Table *self)
{
  guint n_polygons = 0;
  for (guint i = 0; i < self->begins->len; i++)
    n_polygons += g_array_index(self->begins, gboolean, i);
  return n_polygons > 1;
}

static void
add_object(Table *self, const VtObjectsModule *module, VtObjectsFile *file, guint number)
{
  const VtResult *result = self->result;
  guint index = number;
  const VtResult *part = vt_result_find_part(result, &index);
  const VtObject *object = vt_result_pass_object(part, index);
  g_autofree char *uuid = vt_result_dup_object_uuid(part, object);
  g_autofree char *name = g_strdup_printf("%" G_GINT64_FORMAT, object->id);
  g_autofree char *class_name = result->classified ? vt_classified_dup_name(result->classified, number) : NULL;
  const char *const texts[N_TEXTS] = { uuid,
                                       "detection",
                                       name,
                                       class_name,
                                       part->region ? part->region->name : NULL,
                                       vt_result_get_corrected(result, number) };
  VtObjectsValue *to = self->values;
  for (guint i = 0; i < N_TEXTS; i++)
    if (has_text(result, i))
      to = put_text(to, texts[i]);
  to = put_measurements(self, object, to);
  for (guint k = 0; result->surroundings && k < result->surroundings->n; k++)
    to = put_number(to, result->surroundings->values[k][number]);
  if (self->taught)
    put_number(to, vt_classified_get_margin(self->taught, number));
  put_outline(self, object);
  const VtObjectsFeature feature = {
    object->n_rings, (const guint32 *)self->sizes->data, (const gboolean *)self->begins->data,
    is_multi(self),  (const double *)self->points->data, self->values
  };
  module->add(file, &feature);
}

gboolean
vt_result_write_objects(const VtResult *result, guint format, const char *path, GError **error)
{
  gboolean is_single = TRUE;
  const VtObjectsModule *module = look_through(result, &is_single, error) ? vt_objects_module_get(error) : NULL;
  if (!module)
    return FALSE;
  g_auto(Table) table = { 0 };
  table_init(&table, result);
  g_autofree char *failure = NULL;
  VtObjectsFile *file = module->create(format, vt_objects_format_get(format)->driver, path, is_single,
                                       (const VtObjectsColumn *)table.columns->data, table.columns->len, &failure);
  for (guint i = 0; file && i < result->objects->len; i++)
    add_object(&table, module, file, i);
  if (file)
    failure = module->close(file);
  g_autofree char *shown = vt_error_dup_path(path);
  return !failure || vt_error_set(error, VITRAIL_INTERNAL, "%s cannot be written: %s.", shown, failure);
}
