/* SPDX-License-Identifier: MIT */
#include "run/vt-intensity.h"

#include <math.h>
#include <string.h>

#include "base/vt-error.h"
#include "base/vt-file-private.h"
#include "run/vt-model.h"

#define TR(text) text

static const char *const two[] = { TR("Negative"), TR("Positive") };
static const char *const four[] = { TR("Negative"), "1+", "2+", "3+" };
static const guint8 two_colours[][3] = { { 90, 90, 180 }, { 200, 50, 50 } };
static const guint8 four_colours[][3] = { { 90, 90, 180 }, { 255, 215, 0 }, { 225, 150, 50 }, { 200, 50, 50 } };

VtIntensity
vt_intensity_make(guint n)
{
  return (VtIntensity){ .n = n, .thresholds = { 0.2, 0.4, 0.6 } };
}

/* --- as text --- */

gboolean
vt_intensity_check(const VtIntensity *self, GError **error)
{
  if (self->n != 1 && self->n != VT_INTENSITY_MOST)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        "Intensity takes one threshold (Negative, Positive) or three (Negative, 1+, 2+, 3+), not %u.",
                        self->n);
  for (guint i = 0; i < self->n; i++) {
    if (!isfinite(self->thresholds[i]))
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s", TR("A threshold of intensity must be a number."));
    if (i > 0 && !(self->thresholds[i] > self->thresholds[i - 1]))
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                          TR("The thresholds must rise: each class begins above the one before it."));
  }
  return TRUE;
}

/* Names of measurements have colons of their own; the last one ends them. */
gboolean
vt_intensity_parse(const char *text, VtIntensity *self, GError **error)
{
  const char *colon = strrchr(text, ':');
  g_autofree char *name = colon ? g_strstrip(g_strndup(text, (gsize)(colon - text))) : g_strdup("");
  g_auto(GStrv) numbers = g_strsplit(colon ? colon + 1 : "", ",", -1);
  gboolean is_sound = *name != '\0' && *numbers;
  *self = (VtIntensity){ .n = g_strv_length(numbers) };
  for (guint i = 0; i < self->n && is_sound; i++) {
    const char *number = g_strstrip(numbers[i]);
    char *end = NULL;
    const double value = g_ascii_strtod(number, &end);
    is_sound = end != number && *end == '\0';
    if (i < VT_INTENSITY_MOST)
      self->thresholds[i] = value;
  }
  if (!is_sound)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        "Intensity is a measurement and its thresholds, such as “DAB OD mean:0.2,0.4,0.6”, not “%s”.",
                        text);
  self->measurement = g_intern_string(name);
  return vt_intensity_check(self, error);
}

char *
vt_intensity_to_text(const VtIntensity *self)
{
  GString *text = g_string_new(self->measurement);
  g_string_append(text, self->n > 0 ? ":" : "");
  vt_text_append_doubles(text, ",", self->n, self->thresholds);
  return g_string_free(text, FALSE);
}

char *
vt_intensity_dup_thresholds(const VtIntensity *self)
{
  GString *text = g_string_new(NULL);
  vt_text_append_doubles(text, " / ", self->n, self->thresholds);
  return g_string_free(text, FALSE);
}

char *
vt_intensity_dup_settings(const VtIntensity *self)
{
  g_autofree char *thresholds = vt_intensity_dup_thresholds(self);
  return g_strdup_printf("%s ≥ %s", self->measurement, thresholds);
}

gboolean
vt_intensity_equal(const VtIntensity *a, const VtIntensity *b)
{
  gboolean is_equal = a->measurement == b->measurement && a->n == b->n;
  for (guint i = 0; i < a->n && is_equal; i++)
    is_equal = a->thresholds[i] == b->thresholds[i];
  return is_equal;
}

/* --- classes --- */

gint
vt_intensity_find(const char *measurement, const VtObject *object, GError **error)
{
  g_autofree char *ending = g_strconcat(": ", measurement, NULL), *of_nucleus = g_strconcat("Nucleus", ending, NULL);
  gint found = -1;
  guint n = 0;
  for (guint i = 0; i < object->n_measurements; i++) {
    const char *name = object->measurement_names[i];
    if (g_str_equal(name, measurement))
      return (gint)i;
    if (!g_str_has_suffix(name, ending))
      continue;
    found = n++ == 0 || g_str_equal(name, of_nucleus) ? (gint)i : found;
  }
  if (n == 0)
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "The objects have no measurement “%s”.", measurement);
  if (n < 2 || g_str_equal(object->measurement_names[found], of_nucleus))
    return found;
  g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
              "The objects have %u measurements that end in “%s”: give the whole name.", n, measurement);
  return -1;
}

/* From 0 (Negative) on; -1: it is no number. */
static gint
get_class(const VtIntensity *self, double value)
{
  gint cls = 0;
  if (isnan(value))
    return -1;
  for (guint i = 0; i < self->n; i++)
    cls += value >= self->thresholds[i];
  return cls;
}

const char *
vt_intensity_get_name(const VtIntensity *self, guint cls)
{
  return self->n == 1 ? two[cls] : four[cls];
}

const guint8 *
vt_intensity_get_colour(const VtIntensity *self, guint cls)
{
  return self->n == 1 ? two_colours[cls] : four_colours[cls];
}

/* Those of the thresholds, then what the taught ones leave out, whose places among these are `left_out`. */
static GPtrArray *
list_classes(const VtIntensity *self, const VtClassified *taught, guint8 *left_out)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(vt_model_class_free);
  for (guint k = 0; k <= self->n; k++)
    g_ptr_array_add(list, vt_model_class_new(vt_intensity_get_name(self, k), vt_intensity_get_colour(self, k), FALSE));
  for (guint k = 0; taught && k < taught->list->len; k++) {
    const VtModelClass *cls = taught->list->pdata[k];
    left_out[k] = (guint8)list->len;
    if (cls->is_left_out)
      g_ptr_array_add(list, vt_model_class_new(cls->name, cls->rgb, TRUE));
  }
  return list;
}

VtClassified *
vt_intensity_classify(const VtIntensity *self, const GPtrArray *objects, VtClassified *taught, GError **error)
{
  guint8 left_out[VT_CLASSES_MOST] = { 0 };
  gint place = 0;
  if (!vt_intensity_check(self, error)
      || (objects->len > 0 && (place = vt_intensity_find(self->measurement, objects->pdata[0], error)) < 0))
    return NULL;
  if (taught && taught->of != objects)
    taught = NULL;
  g_autoptr(GPtrArray) list = list_classes(self, taught, left_out);
  VtClassified *c = vt_classified_new_empty(list, objects);
  c->intensity = *self;
  if (objects->len > 0)
    c->intensity.measurement = ((const VtObject *)objects->pdata[0])->measurement_names[place];
  c->taught = taught ? vt_classified_ref(taught) : NULL;
  for (guint i = 0; i < c->n; i++) {
    const VtObject *object = objects->pdata[i];
    const VtModelClass *cls = taught ? vt_classified_get(taught, i) : NULL;
    const gint found = (guint)place < object->n_measurements ? get_class(self, object->measurements[place]) : -1;
    c->classes[i] = cls && cls->is_left_out ? left_out[taught->classes[i]] : found < 0 ? VT_NO_CLASS : (guint8)found;
  }
  vt_classified_count(c);
  return c;
}

/* --- what is made of them --- */

void
vt_intensity_score_add(VtIntensityScore *score, const VtClassified *classified, guint index)
{
  const guint8 cls = classified->classes[index];
  if (cls == VT_NO_CLASS) {
    score->n_without++;
  } else if (cls > classified->intensity.n) {
    score->n_left_out++;
  } else {
    score->counts[cls]++;
    score->n++;
  }
}

VtIntensityScore
vt_intensity_score(const VtClassified *classified, guint first, guint n)
{
  VtIntensityScore score = { 0 };
  for (guint i = first; i < first + n; i++)
    vt_intensity_score_add(&score, classified, i);
  return score;
}

VtIntensityScore
vt_intensity_score_all(const VtClassified *classified)
{
  VtIntensityScore score = { .n_left_out = classified->n_left_out };
  for (guint k = 0; k <= classified->intensity.n; k++) {
    score.counts[k] = classified->counts[k];
    score.n += score.counts[k];
  }
  score.n_without = classified->n - score.n - score.n_left_out;
  return score;
}

/* Whole numbers up to the one division. */
double
vt_intensity_score_get_percent(const VtIntensityScore *score)
{
  return score->n > 0 ? 100.0 * (double)(score->n - score->counts[0]) / (double)score->n : NAN;
}

double
vt_intensity_score_get_h(const VtIntensityScore *score)
{
  const guint64 sum = score->counts[1] + 2 * score->counts[2] + 3 * score->counts[3];
  return score->n > 0 ? 100.0 * (double)sum / (double)score->n : NAN;
}

char *
vt_intensity_score_dup_text(const VtIntensityScore *score, const VtIntensity *intensity)
{
  g_autofree char *settings = vt_intensity_dup_settings(intensity);
  GString *text = g_string_new(NULL);
  if (score->n > 0)
    g_string_append_printf(text, "%.1f %% positive (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ")",
                           vt_intensity_score_get_percent(score), score->n - score->counts[0], score->n);
  else
    g_string_append(text, "– (no objects to score)");
  if (score->n > 0 && intensity->n == VT_INTENSITY_MOST)
    g_string_append_printf(text, ", H-score %.1f", vt_intensity_score_get_h(score));
  g_string_append_printf(text, "; %s", settings);
  if (score->n_without > 0)
    g_string_append_printf(text, "; %" G_GUINT64_FORMAT " without a value", score->n_without);
  if (score->n_left_out > 0)
    g_string_append_printf(text, "; %" G_GUINT64_FORMAT " left out", score->n_left_out);
  return g_string_free(text, FALSE);
}

JsonObject *
vt_intensity_make_facts(const VtClassified *classified, guint first, guint n)
{
  const VtIntensity *intensity = &classified->intensity;
  const VtIntensityScore score = vt_intensity_score(classified, first, n);
  JsonObject *facts = json_object_new(), *counts = json_object_new();
  JsonArray *thresholds = json_array_new();
  for (guint i = 0; i < intensity->n; i++)
    json_array_add_double_element(thresholds, intensity->thresholds[i]);
  for (guint k = 0; k <= intensity->n; k++)
    json_object_set_int_member(counts, vt_intensity_get_name(intensity, k), (gint64)score.counts[k]);
  json_object_set_string_member(facts, "measurement", intensity->measurement);
  json_object_set_array_member(facts, "thresholds", thresholds);
  json_object_set_int_member(facts, "n", (gint64)score.n);
  json_object_set_object_member(facts, "counts", counts);
  if (score.n > 0) {
    json_object_set_double_member(facts, "positive-percent", vt_intensity_score_get_percent(&score));
    if (intensity->n == VT_INTENSITY_MOST)
      json_object_set_double_member(facts, "h-score", vt_intensity_score_get_h(&score));
  }
  json_object_set_int_member(facts, "without-value", (gint64)score.n_without);
  json_object_set_int_member(facts, "left-out", (gint64)score.n_left_out);
  return facts;
}
