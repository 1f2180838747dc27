/* SPDX-License-Identifier: MIT */
#include "layers/vt-similar.h"

#include <math.h>

#include "base/vt-define.h"

enum { BLOCK = 256 }; /* objects whose sums are made side by side, each in the order of the features */

/* Sums of what lies above the first number, which is near to all others: squares of large numbers would leave no digits for their spread. */
static void
find_spreads(VtSimilar *self)
{
  const GPtrArray *objects = self->columns->objects;
  const guint n = self->columns->n_own - VT_OBJECT_MEASUREMENTS;
  g_autofree double *first = g_new(double, n + 1), *sums = g_new0(double, n + 1), *squares = g_new0(double, n + 1);
  g_autofree guint *counts = g_new0(guint, n + 1);
  for (guint i = 0; i < objects->len; i++)
    for (guint k = 0; k < n; k++) {
      const double value = vt_object_get_value(objects->pdata[i], VT_OBJECT_MEASUREMENTS + k);
      if (isnan(value))
        continue;
      first[k] = counts[k]++ > 0 ? first[k] : value;
      sums[k] += value - first[k];
      squares[k] += (value - first[k]) * (value - first[k]);
    }
  for (guint k = 0; k < n; k++) {
    const double mean = counts[k] > 0 ? sums[k] / counts[k] : 0;
    const double variance = counts[k] > 0 ? squares[k] / counts[k] - mean * mean : 0;
    const char *name = ((const VtObject *)objects->pdata[0])->measurement_names[k];
    if (!(variance > 1e-12 * mean * mean) || !isfinite(variance) || g_str_equal(name, VT_MEASUREMENT_LABEL))
      continue;
    self->features[self->n_features] = VT_OBJECT_MEASUREMENTS + k;
    self->means[self->n_features] = first[k] + mean;
    self->spreads[self->n_features++] = sqrt(variance);
  }
}

static float
get_z(const VtSimilar *self, guint feature, double value)
{
  return (float)((value - self->means[feature]) / self->spreads[feature]);
}

/* Where a feature of a block's objects begins. */
static float *
get_lane(const VtSimilar *self, guint block, guint feature)
{
  return self->z + ((gsize)block * self->n_features + feature) * BLOCK;
}

VtSimilar *
vt_similar_new(VtColumns *columns)
{
  g_autoptr(VtSimilar) self = g_atomic_rc_box_new0(VtSimilar);
  const guint n_objects = columns->objects->len, most = columns->n_own - VT_OBJECT_MEASUREMENTS;
  self->columns = vt_columns_ref(columns);
  self->n_blocks = n_objects / BLOCK + (n_objects % BLOCK > 0);
  self->features = g_new(guint, most + 1);
  self->means = g_new(double, most + 1);
  self->spreads = g_new(double, most + 1);
  find_spreads(self);
  self->z = g_try_new0(float, (gsize)self->n_blocks * self->n_features * BLOCK + 1);
  if (!self->z)
    return NULL;
  for (guint i = 0; i < n_objects; i++)
    for (guint k = 0; k < self->n_features; k++)
      get_lane(self, i / BLOCK, k)[i % BLOCK] =
        get_z(self, k, vt_object_get_value(columns->objects->pdata[i], self->features[k]));
  return g_steal_pointer(&self);
}

static void
clear(gpointer data)
{
  VtSimilar *self = data;
  vt_columns_unref(self->columns);
  g_free(self->features);
  g_free(self->means);
  g_free(self->spreads);
  g_free(self->z);
}

VT_DEFINE_REF(VtSimilar, vt_similar, clear)

/* As the objects have it: NaN where it has no such number. */
static float *
make_query(const VtSimilar *self, const double *numbers)
{
  float *query = g_new(float, self->n_features + 1);
  for (guint k = 0; k < self->n_features; k++)
    query[k] = get_z(self, k, numbers[self->features[k]]);
  return query;
}

static void
add_squares(float *restrict sums, const float *restrict lane, float number)
{
  for (guint i = 0; i < BLOCK; i++) {
    const float difference = lane[i] - number;
    sums[i] += difference * difference;
  }
}

double *
vt_similar_measure(const VtSimilar *self, const double *numbers)
{
  const guint n_objects = self->columns->objects->len;
  g_autofree float *query = make_query(self, numbers);
  double *differences = g_new(double, n_objects + 1);
  guint n = 0;
  for (guint k = 0; k < self->n_features; k++)
    n += !isnan(query[k]);
  for (guint block = 0; block < self->n_blocks; block++) {
    float sums[BLOCK] = { 0 };
    for (guint k = 0; k < self->n_features; k++)
      if (!isnan(query[k]))
        add_squares(sums, get_lane(self, block, k), query[k]);
    for (guint i = block * BLOCK; i < MIN(n_objects, (block + 1) * BLOCK); i++)
      differences[i] = n > 0 ? sqrt(sums[i % BLOCK] / n) : NAN;
  }
  return differences;
}

double *
vt_similar_dup_means(const VtColumns *columns, const GPtrArray *rois, guint *n_in)
{
  double *means = g_new0(double, columns->n_own + 1);
  g_autofree guint *counts = g_new0(guint, columns->n_own + 1);
  g_autofree double *points = g_new(double, 2 * (gsize)columns->objects->len + 1);
  for (guint i = 0; i < columns->objects->len; i++) {
    points[2 * i] = vt_object_get_value(columns->objects->pdata[i], VT_OBJECT_X);
    points[2 * i + 1] = vt_object_get_value(columns->objects->pdata[i], VT_OBJECT_Y);
  }
  g_autofree guint8 *inside = vt_rois_find_inside(rois, points, columns->objects->len);
  *n_in = 0;
  for (guint i = 0; i < columns->objects->len; i++) {
    const VtObject *object = columns->objects->pdata[i];
    if (!inside[i])
      continue;
    ++*n_in;
    for (guint k = 0; k < columns->n_own; k++) {
      const double value = vt_object_get_value(object, k);
      means[k] += isnan(value) ? 0 : value;
      counts[k] += !isnan(value);
    }
  }
  for (guint k = 0; k < columns->n_own; k++)
    means[k] = counts[k] > 0 ? means[k] / counts[k] : NAN;
  return means;
}

/* More than half of all objects have this very number. */
static gboolean
is_usual(const VtSimilar *self, guint feature, float number)
{
  const guint n = self->columns->objects->len;
  guint n_same = 0;
  for (guint block = 0; block < self->n_blocks; block++) {
    const float *lane = get_lane(self, block, feature);
    for (guint i = 0; i < MIN(BLOCK, n - block * BLOCK); i++)
      n_same += lane[i] == number;
  }
  return n_same > n / 2;
}

guint
vt_similar_explain(const VtSimilar *self, const double *numbers, const double *differences, double most,
                   VtSimilarFeature *best, guint n, guint *n_alike)
{
  g_autofree float *query = make_query(self, numbers);
  g_autofree double *sums = g_new0(double, self->n_features + 1);
  guint n_best = 0;
  *n_alike = 0;
  for (guint i = 0; i < self->columns->objects->len; i++) {
    if (!(differences[i] <= most))
      continue;
    ++*n_alike;
    for (guint k = 0; k < self->n_features; k++) {
      const double difference = get_lane(self, i / BLOCK, k)[i % BLOCK] - query[k];
      sums[k] += difference * difference;
    }
  }
  for (guint k = 0; k<self->n_features && * n_alike> 0; k++) {
    const VtSimilarFeature feature = { self->features[k], sqrt(sums[k] / *n_alike) };
    guint at = MIN(n_best, n);
    if (isnan(query[k]) || is_usual(self, k, query[k]))
      continue;
    while (at > 0 && best[at - 1].difference > feature.difference)
      at--;
    for (guint i = MIN(n_best, n - 1); i > at; i--)
      best[i] = best[i - 1];
    if (at < n)
      best[at] = feature;
    n_best = MIN(n_best + 1, n);
  }
  return n_best;
}
