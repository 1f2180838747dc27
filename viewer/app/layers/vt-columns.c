/* SPDX-License-Identifier: MIT */
#include "layers/vt-columns.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-translate.h"

double
vt_object_get_value(const VtObject *object, guint column)
{
  switch (column) {
  case VT_OBJECT_NUMBER: return (double)object->id;
  case VT_OBJECT_X: return object->centroid_x_l0;
  case VT_OBJECT_Y: return object->centroid_y_l0;
  default:
    column -= VT_OBJECT_MEASUREMENTS;
    return column < object->n_measurements ? object->measurements[column] : NAN;
  }
}

/* --- one that is added --- */

VtColumn *
vt_column_new(const char *name, const char *title, const GPtrArray *objects, double *values, const char *const *words)
{
  VtColumn *self = g_atomic_rc_box_new0(VtColumn);
  *self = (VtColumn){ .name = g_intern_string(name),
                      .title = g_strdup(title),
                      .of = g_ptr_array_ref((GPtrArray *)objects),
                      .n = objects->len,
                      .values = values,
                      .words = g_strdupv((char **)words) };
  return self;
}

VtColumn *
vt_column_new_sets(const char *name, const char *title, const GPtrArray *objects, const char *const *words)
{
  VtColumn *self = vt_column_new(name, title, objects, NULL, words);
  self->n_in_each = (g_strv_length(self->words) + 63) / 64;
  self->sets = g_new0(guint64, (gsize)self->n * self->n_in_each + 1);
  return self;
}

static guint64
get_bit(guint word)
{
  return G_GUINT64_CONSTANT(1) << word % 64;
}

void
vt_column_put(VtColumn *self, guint index, guint word)
{
  self->sets[(gsize)index * self->n_in_each + word / 64] |= get_bit(word);
}

double
vt_column_has(const VtColumn *self, const GPtrArray *objects, guint index, guint word)
{
  if (self->of != objects || index >= self->n)
    return NAN;
  return self->sets ? (self->sets[(gsize)index * self->n_in_each + word / 64] & get_bit(word)) != 0
                    : self->values[index] == word;
}

static void
clear_column(gpointer data)
{
  VtColumn *self = data;
  g_free(self->title);
  g_ptr_array_unref(self->of);
  g_free(self->values);
  g_free(self->sets);
  g_strfreev(self->words);
}

VT_DEFINE_REF(VtColumn, vt_column, clear_column)

/* The first word weighs more than all others together. */
static double
get_rank(const VtColumn *self, guint index)
{
  enum { MOST = 50 };
  const guint64 set = self->n_in_each > 0 ? self->sets[(gsize)index * self->n_in_each] : 0;
  double rank = 0;
  for (guint k = 0; k < MOST; k++)
    rank -= set & get_bit(k) ? (double)get_bit(MOST - 1 - k) : 0;
  return rank;
}

double
vt_column_get_value(const VtColumn *self, const GPtrArray *objects, guint index)
{
  if (self->of != objects || index >= self->n)
    return NAN;
  return self->sets ? get_rank(self, index) : self->values[index];
}

/* --- all of them --- */

VtColumns *
vt_columns_new(GPtrArray *objects, VtResult *result, VtColumn *const *added, guint n_added)
{
  VtColumns *self = g_atomic_rc_box_new0(VtColumns);
  const VtObject *first = objects->len > 0 ? objects->pdata[0] : NULL;
  self->objects = g_ptr_array_ref(objects);
  self->result = result ? vt_result_ref(result) : NULL;
  self->n_own = VT_OBJECT_MEASUREMENTS + (first ? first->n_measurements : 0);
  self->n = self->n_own + n_added;
  self->added = g_new(VtColumn *, n_added + 1);
  for (guint i = 0; i < n_added; i++)
    self->added[i] = vt_column_ref(added[i]);
  return self;
}

static void
clear_columns(gpointer data)
{
  VtColumns *self = data;
  for (guint i = 0; i < self->n - self->n_own; i++)
    vt_column_unref(self->added[i]);
  g_free(self->added);
  g_ptr_array_unref(self->objects); /* before the result, which may hold what they are made of */
  g_clear_pointer(&self->result, vt_result_unref);
}

VT_DEFINE_REF(VtColumns, vt_columns, clear_columns)

VtColumn *
vt_columns_get_added(const VtColumns *self, guint column)
{
  return column >= self->n_own && column < self->n ? self->added[column - self->n_own] : NULL;
}

const char *
vt_columns_get_name(const VtColumns *self, guint column)
{
  static const char *const places[] = { "Object number", "Centroid X px", "Centroid Y px" };
  const VtColumn *added = vt_columns_get_added(self, column);
  if (added)
    return added->name;
  return column < VT_OBJECT_MEASUREMENTS
           ? places[column]
           : ((const VtObject *)self->objects->pdata[0])->measurement_names[column - VT_OBJECT_MEASUREMENTS];
}

gint
vt_columns_find(const VtColumns *self, const char *name)
{
  for (guint i = 0; name && i < self->n; i++)
    if (g_str_equal(vt_columns_get_name(self, i), name))
      return (gint)i;
  return -1;
}

char *
vt_columns_dup_title(const VtColumns *self, guint column)
{
  static const char *const places[] = { N_("Number"), N_("Centroid X, px"), N_("Centroid Y, px") };
  const VtColumn *added = vt_columns_get_added(self, column);
  if (added)
    return g_strdup(added->title);
  return column < VT_OBJECT_MEASUREMENTS ? g_strdup(_(places[column]))
                                         : vt_dup_shown_name(vt_columns_get_name(self, column));
}

gboolean
vt_columns_is_number(const VtColumns *self, guint column)
{
  const VtColumn *added = vt_columns_get_added(self, column);
  return column < self->n && !(added && added->words);
}

double
vt_columns_get_value(const VtColumns *self, guint index, guint column)
{
  const VtColumn *added = vt_columns_get_added(self, column);
  return added                  ? vt_column_get_value(added, self->objects, index)
         : column < self->n_own ? vt_object_get_value(self->objects->pdata[index], column)
                                : NAN;
}

static char *
dup_set(const VtColumn *column, const GPtrArray *objects, guint index)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint k = 0; column->words[k]; k++)
    if (vt_column_has(column, objects, index, k) > 0)
      g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", column->words[k]);
  return text->len > 0 ? g_strdup(text->str) : NULL;
}

char *
vt_columns_dup_word(const VtColumns *self, guint index, guint column)
{
  const VtColumn *added = vt_columns_get_added(self, column);
  const double value = added && added->words ? vt_column_get_value(added, self->objects, index) : NAN;
  return isnan(value)  ? NULL
         : added->sets ? dup_set(added, self->objects, index)
                       : g_strdup(added->words[(guint)value]);
}
