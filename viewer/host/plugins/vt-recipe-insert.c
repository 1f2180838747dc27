/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-insert.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "plugins/vt-recipe-inputs.h"
#include "plugins/vt-recipe-trail.h"

#define TR(text) text /* of the recipe: to be translated by whoever shows it */

enum { UM_PER_PX_HALF = 2 }; /* a length of 1 µm is 2 px on a grid of 0.5 µm, that of most recipes */

typedef struct {
  VtRecipeDraft *d;
  const VitrailStep *step;
  const char *stage, *from; /* the stage, and the id of what it shows */
  VtRecipeSource first;     /* of the inputs */
  char *id;                 /* of the new node and stage */
  char *title;
} Insertion;

/* --- names --- */

static gboolean
is_taken(const VtRecipeDraft *d, const char *id)
{
  g_autofree char *prefix = g_strconcat(id, "-", NULL);
  for (guint i = 0; i < d->params->len; i++)
    if (g_str_has_prefix(vt_draft_text(d->params->pdata[i], "key"), prefix))
      return TRUE;
  return vt_draft_has_id(d, id);
}

static void
find_name(Insertion *in)
{
  guint n = 1;
  in->id = g_strdup(in->step->id);
  in->title = g_strdup(in->step->title);
  while (is_taken(in->d, in->id) || vt_draft_find(in->d->stages, "title", in->title) >= 0) {
    n++;
    g_free(in->id);
    g_free(in->title);
    in->id = g_strdup_printf("%s-%u", in->step->id, n);
    in->title = g_strdup_printf("%s %u", in->step->title, n);
  }
}

/* --- parameters of its settings --- */

/* The range that people see of the first input; without one, that of the type. */
static double
get_range(const Insertion *in)
{
  JsonObject *like = in->first.like;
  if (json_object_has_member(like, "range"))
    return json_array_get_double_element(json_object_get_array_member(like, "range"), 1);
  return in->first.type == VITRAIL_U8 ? 255 : in->first.type == VITRAIL_U16 ? 65535 : 100;
}

static double
round_up(double value)
{
  const double unit = pow(10, floor(log10(value)));
  return ceil(value / unit) * unit;
}

static void
add_number(const Insertion *in, JsonObject *param, const VitrailStepSetting *s)
{
  const double begin = g_ascii_strtod(s->begin, NULL), range = get_range(in);
  const gboolean is_area = g_str_equal(s->unit, "px2"), is_length = g_str_equal(s->unit, "px");
  const double of_um = is_area ? UM_PER_PX_HALF * UM_PER_PX_HALF : UM_PER_PX_HALF;
  const char *unit = vt_draft_text(in->first.like, "unit");
  double min = s->min, max = s->max, first = begin, step = s->step;
  if (is_area || is_length) {
    max = isfinite(s->max) ? s->max / of_um : round_up(fmax(begin, 1) * 100);
    first = begin / of_um;
    step = is_area ? 1 : 0.1;
    json_object_set_string_member(param, "unit", is_area ? "µm²" : "µm");
    json_object_set_string_member(param, "unit-uncalibrated", is_area ? "px²" : "px");
    json_object_set_double_member(param, "default-uncalibrated", begin);
  } else if (g_str_equal(s->unit, "raw")) {
    min = 0;
    max = range;
    first = begin * range;
    step = range > 10 ? 1 : range / 200;
    if (unit)
      json_object_set_string_member(param, "unit", unit);
  }
  json_object_set_string_member(param, "type", "float");
  json_object_set_double_member(param, "min", min);
  json_object_set_double_member(param, "max", max);
  json_object_set_double_member(param, "default", first);
  json_object_set_double_member(param, "step", step);
}

/* Two values, or the ends of a range. */
static void
add_choice(JsonObject *param, const VitrailStepSetting *s)
{
  const gboolean is_flag = s->min == 0 && s->max == 1;
  JsonArray *choices = json_array_new();
  json_object_set_string_member(param, "type", is_flag ? "bool" : "choice");
  if (is_flag) {
    json_object_set_boolean_member(param, "default", !g_str_equal(s->begin, "0"));
    json_array_unref(choices);
    return;
  }
  for (double value = s->min; value <= s->max; value += s->step) {
    char key[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(key, sizeof key, "%g", value);
    JsonObject *choice = json_object_new();
    json_object_set_string_member(choice, "key", key);
    json_array_add_object_element(choices, choice);
  }
  json_object_set_array_member(param, "choices", choices);
  json_object_set_string_member(param, "default", s->begin);
}

static char *
dup_expression(const Insertion *in, const VitrailStepSetting *s, const char *key, gboolean is_choice)
{
  if (is_choice)
    return s->min == 0 && s->max == 1 ? g_strdup(key) : g_strdup_printf("number(%s)", key);
  if (g_str_equal(s->unit, "px"))
    return g_strdup_printf(s->step == 1 ? "round(%s / um-per-px)" : "%s / um-per-px", key);
  if (g_str_equal(s->unit, "px2"))
    return g_strdup_printf("%s / (um-per-px * um-per-px)", key);
  if (g_str_equal(s->unit, "raw"))
    return g_strdup_printf("whole-if(type(%s) != 'f32', %s / scale(%s))", in->first.id, key, in->first.id);
  return g_strdup(key);
}

/* "Minimum area" of "min-area"; "Fill holes" of "fill-holes". */
static char *
dup_title(const char *key)
{
  static const char *const known[][2] = {
    { "connectivity", TR("Connectivity") },
    { "threshold", TR("Threshold") },
    { "by", TR("By how much") },
    { "negative", TR("Negative") },
    { "radius", TR("Radius") },
    { "sigma", TR("Sigma") },
    { "minima", TR("Minima") },
    { "min-area", TR("Minimum area") },
    { "max-area", TR("Maximum area") },
    { "expansion", TR("Cell expansion") },
    { "cells", TR("Cells") },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
    if (g_str_equal(known[i][0], key))
      return g_strdup(known[i][1]);
  return vt_recipe_dup_step_title(key);
}

static void
add_param(const Insertion *in, const VitrailStepSetting *s, JsonObject *settings, int place)
{
  JsonObject *param = json_object_new();
  const gboolean is_choice = s->step > 0 && (s->max - s->min) / s->step == 1;
  g_autofree char *key = g_strdup_printf("%s-%s", in->id, s->key), *title = dup_title(s->key);
  g_autofree char *expression = dup_expression(in, s, key, is_choice);
  json_object_set_string_member(param, "key", key);
  json_object_set_string_member(param, "title", title);
  json_object_set_string_member(param, "help", in->step->help);
  json_object_set_string_member(param, "group", in->title);
  if (is_choice)
    add_choice(param, s);
  else
    add_number(in, param, s);
  g_ptr_array_insert(in->d->params, place, param);
  json_object_set_string_member(settings, s->key, expression);
}

/* Whether a setting, of whatever plugin, can be a parameter: it begins as a number, and has a range. */
static gboolean
is_param(const VitrailStepSetting *s)
{
  char *end = NULL;
  const double begin = s->unit && s->begin ? g_ascii_strtod(s->begin, &end) : NAN;
  const gboolean has_own_range = s->unit && (g_str_has_prefix(s->unit, "px") || g_str_equal(s->unit, "raw"));
  return s->n_words == 0 && isfinite(begin) && !*end && (has_own_range || (isfinite(s->min) && isfinite(s->max)));
}

static JsonObject *
new_settings(const Insertion *in)
{
  JsonObject *settings = json_object_new();
  int place = 0; /* the first in the panel: a hand is at them */
  for (guint k = 0; k < in->step->n_settings; k++) {
    const VitrailStepSetting *s = in->step->settings[k];
    if (is_param(s))
      add_param(in, s, settings, place++);
    else if (s->begin)
      json_object_set_string_member(settings, s->key, s->begin);
  }
  return settings;
}

/* --- the stage --- */

/* Floats and numbers of all kinds are shown as they come. */
static const char *
get_kind(const Insertion *in, int type)
{
  if (in->step->makes == VITRAIL_MAKES_LIKE_FIRST)
    return vt_draft_text(in->first.like, "kind");
  switch (type) {
  case VITRAIL_U8: return "mask";
  case VITRAIL_MAKES_LABELS: return "labels";
  case VITRAIL_MAKES_NOTHING: return "objects";
  case VITRAIL_MAKES_ROWS: return "rows";
  default: return "scalar";
  }
}

static JsonObject *
new_stage(const Insertion *in, int type)
{
  static const char *const same[] = { "unit", "unit-uncalibrated", "colormap", "range", "zero-is-empty" };
  JsonObject *stage = json_object_new(), *from = in->first.like;
  json_object_set_string_member(stage, "id", in->id);
  json_object_set_string_member(stage, "kind", get_kind(in, type));
  json_object_set_string_member(stage, "title", in->title);
  json_object_set_string_member(stage, "help", in->step->help);
  for (gsize i = 0; i < G_N_ELEMENTS(same) && type == in->first.type; i++)
    if (json_object_has_member(from, same[i]))
      json_object_set_member(stage, same[i], json_node_copy(json_object_get_member(from, same[i])));
  if (type == VITRAIL_MAKES_NOTHING)
    json_object_set_boolean_member(stage, "shown", TRUE);
  return stage;
}

/* --- all of it --- */

static JsonObject *
new_node(const char *id, const char *step, JsonArray *inputs, JsonObject *settings, const char *stage)
{
  JsonObject *node = json_object_new();
  json_object_set_string_member(node, "id", id);
  json_object_set_string_member(node, "step", step);
  json_object_set_array_member(node, "inputs", inputs);
  if (settings)
    json_object_set_object_member(node, "settings", settings);
  if (stage)
    json_object_set_string_member(node, "stage", stage);
  return node;
}

static void
put(const Insertion *in, JsonArray *inputs, int type, guint flags)
{
  VtRecipeDraft *d = in->d;
  const int end = (int)vt_draft_find_end(d, in->from);
  const gboolean in_the_way = (flags & VT_INSERT_IN_THE_WAY) != 0, is_numbered = (flags & VT_INSERT_NUMBERED) != 0;
  g_autofree char *from = g_strdup(in->from), *bare = g_strconcat(in->id, "-bare", NULL);
  JsonObject *node =
    new_node(is_numbered ? bare : in->id, in->step->id, inputs, new_settings(in), is_numbered ? NULL : in->id);
  for (guint i = 0; in_the_way && i < d->nodes->len; i++)
    if (!g_str_equal(vt_draft_text(d->nodes->pdata[i], "id"), from))
      vt_draft_rename(d->nodes->pdata[i], from, in->id);
  for (guint i = 0; in_the_way && i < d->items->len; i++)
    vt_draft_rename(d->items->pdata[i], from, in->id);
  g_ptr_array_insert(d->stages, vt_draft_find(d->stages, "id", in->stage) + 1, new_stage(in, type));
  g_ptr_array_insert(d->nodes, end, node);
  if (!is_numbered)
    return;
  JsonArray *of_number = json_array_new();
  json_array_add_string_element(of_number, bare);
  g_ptr_array_insert(d->nodes, end + 1, new_node(in->id, "number", of_number, NULL, in->id));
}

/* "STEP" or "STEP:INPUT,INPUT". */
static const VitrailStep *
find_step(const VtRecipeDraft *d, const char *what, char ***chosen, GError **error)
{
  const char *colon = strchr(what, ':');
  g_autofree char *id = g_strndup(what, colon ? (gsize)(colon - what) : strlen(what));
  const VitrailStep *step = vt_draft_find_step(d->plugin, id);
  *chosen = g_strsplit(colon ? colon + 1 : "", ",", -1);
  if (!step)
    vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no step “%s”."), id);
  return step;
}

static gboolean
insert(Insertion *in, char **chosen, guint flags, GError **error)
{
  g_autoptr(JsonArray) inputs = vt_recipe_find_inputs(in->d, in->stage, in->step, chosen, &in->first, error);
  if (!inputs)
    return FALSE;
  const int type = in->step->makes == VITRAIL_MAKES_LIKE_FIRST ? in->first.type : in->step->makes;
  const int from_type = vt_draft_type(in->d, in->from);
  if ((flags & VT_INSERT_IN_THE_WAY && (type != from_type || !vt_draft_has_text(inputs, in->from)))
      || (flags & VT_INSERT_NUMBERED && type != VITRAIL_MAKES_LABELS))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("It makes %s of %s."), vt_draft_type_words(type),
                        vt_draft_type_words(from_type));
  find_name(in);
  put(in, g_steal_pointer(&inputs), type, flags);
  return TRUE;
}

gboolean
vt_recipe_insert(VtRecipeDraft *draft, const char *stage, const char *what, guint flags, GError **error)
{
  g_auto(GStrv) chosen = NULL;
  Insertion in = { .d = draft,
                   .step = find_step(draft, what, &chosen, error),
                   .stage = stage,
                   .from = vt_draft_get_stage_id(draft, stage) };
  if (!in.step)
    return FALSE;
  if (!in.from)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("No step takes “%s”: it is not made by one step."),
                        vt_draft_get_shown_title(draft, stage));
  const gboolean fine = insert(&in, chosen, flags, error);
  vt_recipe_source_clear(&in.first);
  g_free(in.id);
  g_free(in.title);
  return fine;
}
