/* SPDX-License-Identifier: MIT
 *
 * vitrail-batch why: what the tests of a run say of one pixel. */
#include <math.h>
#include <stdio.h>

#include "batch.h"
#include "base/vt-define.h"
#include "plugins/vt-recipe-lengths.h"
#include "plugins/vt-recipe-trail.h"
#include "slide/vt-reader.h"
#include "run/vt-why.h"

#define EDGE_L0 2048 /* of the region round the pixel, unless one is given */

typedef struct {
  char **set, *region, *at;
  gboolean steps, json;
} Options;

VT_DEFINE_CLEAR(options_clear, Options, VT_FREES(g_strfreev, set) VT_FREES(g_free, region, at))
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
parse_options(Options *options, int *argc, char ***argv, int *status)
{
  const GOptionEntry entries[] = {
    { "at", 0, 0, G_OPTION_ARG_STRING, &options->at, "The level-0 pixel", "X,Y" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->set, "A parameter; may be repeated", "KEY=VALUE" },
    { "region", 0, 0, G_OPTION_ARG_STRING, &options->region,
      "What is run, in level-0 pixels (2048 x 2048 round the pixel)", "X,Y,W,H" },
    { "steps", 0, 0, G_OPTION_ARG_NONE, &options->steps, "Also the value of every step of a recipe there", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "For programs, with all digits", NULL },
    { NULL },
  };
  return batch_parse(argc, argv, "OP INPUT... --at X,Y",
                     "Says which tests an op makes at a pixel, in order, how they come out, by how much, and which "
                     "value of the one parameter that decides it would turn each round.",
                     entries, status);
}

static int
set_pixel(VtRunRequest *request, const char *at)
{
  g_auto(GStrv) parts = g_strsplit(at ? at : "", ",", 3);
  gint64 *values[] = { &request->why_x_l0, &request->why_y_l0 };
  gboolean is_sound = g_strv_length(parts) == 2;
  for (int i = 0; i < 2 && is_sound; i++)
    is_sound = g_ascii_string_to_signed(g_strstrip(parts[i]), 10, 0, G_MAXINT32, values[i], NULL);
  request->asks_why = TRUE;
  return is_sound ? BATCH_DONE : batch_fail(BATCH_USAGE, "why needs --at X,Y: a pixel in whole level-0 pixels.");
}

/* The pixel stands in the middle of it, but at the image's edge. */
static void
set_region_round(VtRunRequest *request)
{
  request->whole = FALSE;
  request->x_l0 = MAX(request->why_x_l0 - EDGE_L0 / 2, 0);
  request->y_l0 = MAX(request->why_y_l0 - EDGE_L0 / 2, 0);
  request->width_l0 = request->why_x_l0 + EDGE_L0 / 2 - request->x_l0;
  request->height_l0 = request->why_y_l0 + EDGE_L0 / 2 - request->y_l0;
}

/* --- what would come of another value --- */

/* Of each verdict: the number of the object that the pixel is of with its critical value, 0: of none; -1: not known. NULL: it
 * failed, or the op makes no objects. Owned. */
static gint64 *
try_changes(const VtRunRequest *request, const VtResult *result, GError **error)
{
  if (vt_why_find_outcome(result->op) < 0)
    return NULL;
  g_autofree gint64 *objects = g_new(gint64, result->verdicts->len);
  for (guint i = 0; i < result->verdicts->len; i++) {
    const VitrailVerdict *v = &g_array_index(result->verdicts, VitrailVerdict, i);
    objects[i] = -1;
    if (!(v->flags & VITRAIL_VERDICT_FLIPS))
      continue;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *change =
      g_strdup_printf("%s=%s", result->op->params[v->param]->key, g_ascii_dtostr(number, sizeof number, v->critical));
    g_autoptr(VtRunRequest) trial = vt_why_new_trial(request, change);
    g_autoptr(VtResult) other = vt_run(trial, NULL, NULL, batch_get_cancellable(), error);
    if (!other)
      return NULL;
    objects[i] = vt_why_get_object(other, request->why_x_l0, request->why_y_l0);
  }
  return g_steal_pointer(&objects);
}

/* --- steps --- */

/* NULL and a sentence. */
static VtResult *
trace(const VtRunRequest *request, GError **error)
{
  const VitrailOp *op = vt_recipe_open_trail(vt_plugin_host_get(), request->op, error);
  g_autoptr(VtRunRequest) trail = op ? vt_why_new_trail(request, op) : NULL;
  return trail ? vt_run(trail, NULL, NULL, batch_get_cancellable(), error) : NULL;
}

static void
print_steps(const VtRunRequest *request, const VtResult *trail)
{
  double value;
  for (guint i = 0; i < trail->op->n_stages; i++) {
    const VitrailStage *stage = trail->op->stages[i];
    const char *unit = vt_why_get_unit(trail, i);
    g_autofree char *colour = vt_why_dup_colour(trail, i, request->why_x_l0, request->why_y_l0);
    const gboolean has_value = vt_why_get_value(trail, i, request->why_x_l0, request->why_y_l0, &value);
    if (colour)
      printf("     %s: %s\n", stage->title, colour);
    if (!has_value)
      continue;
    if (stage->kind == VITRAIL_STAGE_MASK)
      printf("     %s: %s\n", stage->title, value > 0 ? "yes" : "no");
    else
      printf("     %s: %.6g%s%s\n", stage->title, value, *unit ? " " : "", unit);
  }
}

/* --- runs of a texture map --- */

static const char *const directions[VT_RUN_DIRECTIONS] = { "dir-1-0", "dir-1-1", "dir-0-1", "dir-m1-1" };

typedef struct {
  const char *stage;     /* of the map; borrowed of the op */
  VtRunLengths *lengths; /* of the window round the map's pixel; NULL: not known */
  gboolean has_places;   /* FALSE: the pixel is masked */
  guint level;
  VtRunPlace places[VT_RUN_DIRECTIONS];
} Runs;

VT_DEFINE_FREE(runs_free, Runs, VT_FREES(vt_run_lengths_unref, lengths))

static gboolean
get_image_size(const VtRunRequest *request, gint64 size[2])
{
  const VtRaster *raster = g_hash_table_lookup(request->rasters, "image");
  if (request->slide) {
    vt_slide_get_level_size(request->slide, 0, &size[0], &size[1]);
  } else if (raster) {
    size[0] = raster->width;
    size[1] = raster->height;
  }
  return request->slide || raster;
}

/* A run that says what the windows of a map are: the answer, where the recipe has no other map. Owned; NULL: it failed. */
static VtResult *
run_map(const VtRunRequest *request, VtResult *answer, guint stage, GError **error)
{
  const VitrailOp *op = vt_recipe_open_map(vt_plugin_host_get(), answer->op, stage, error);
  if (op == answer->op)
    return vt_result_ref(answer);
  g_autoptr(VtRunRequest) asked = op ? vt_why_new_map(request, answer, op, answer->op->stages[stage]->id) : NULL;
  return asked ? vt_run(asked, NULL, NULL, batch_get_cancellable(), error) : NULL;
}

/* FALSE: a run failed. */
static gboolean
find_runs(const VtRunRequest *request, VtResult *answer, guint stage, Runs *runs, GError **error)
{
  gint64 size[2], window[4];
  runs->stage = answer->op->stages[stage]->id;
  g_autoptr(VtResult) map = run_map(request, answer, stage, error);
  const VitrailOp *op = map ? vt_recipe_open_lengths(vt_plugin_host_get(), answer->op, stage, error) : NULL;
  if (!op)
    return FALSE;
  if (!get_image_size(request, size) || !vt_why_find_window(map, size, request->why_x_l0, request->why_y_l0, window))
    return TRUE;
  g_autoptr(VtRunRequest) asked = vt_why_new_lengths(request, answer, op, runs->stage, window);
  g_autoptr(VtResult) told = vt_run(asked, NULL, NULL, batch_get_cancellable(), error);
  const VtRow *row = told && told->rows && told->rows->len > 0 ? told->rows->pdata[0] : NULL;
  if (!row || !row->lengths)
    return told != NULL;
  VtRunLengths *lengths = runs->lengths = vt_run_lengths_ref(row->lengths);
  const gint64 x = request->why_x_l0 / lengths->downsample - lengths->x,
               y = request->why_y_l0 / lengths->downsample - lengths->y;
  runs->has_places = vt_run_lengths_find_through(lengths, (guint)x, (guint)y, runs->places);
  runs->level = runs->has_places ? lengths->levels[y * lengths->width + x] : 0;
  return TRUE;
}

/* Runs of each map. Owned; NULL: a run failed. */
static GPtrArray *
find_all_runs(const VtRunRequest *request, VtResult *answer, GError **error)
{
  g_autoptr(GArray) maps = vt_recipe_list_maps(vt_plugin_host_get(), answer->op);
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(runs_free);
  for (guint i = 0; i < maps->len; i++) {
    Runs *runs = g_new0(Runs, 1);
    g_ptr_array_add(all, runs);
    if (!find_runs(request, answer, g_array_index(maps, guint, i), runs, error))
      return NULL;
  }
  return g_steal_pointer(&all);
}

/* `names`: the map, too. */
static void
print_runs(const Runs *runs, gboolean names)
{
  const VtRunLengths *l = runs->lengths;
  if (names)
    printf("     %s:\n", runs->stage);
  if (!runs->has_places) {
    printf("     no run passes here: the pixel is masked\n");
    return;
  }
  const VtRunCell cell = { VT_RUN_ALL_DIRECTIONS, runs->level, runs->level, 1, l->longest };
  g_autofree char *level = vt_run_lengths_dup_levels(l, &cell);
  printf("     runs through the pixel: %s, in the window of %u x %u pixels whose feature the map has here\n", level,
         l->width, l->height);
  for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
    printf("     %s: length %u, from %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "\n", directions[d],
           runs->places[d].length, (l->x + runs->places[d].x) * l->downsample,
           (l->y + runs->places[d].y) * l->downsample);
}

static JsonObject *
new_runs(const Runs *runs, gboolean names)
{
  const VtRunLengths *l = runs->lengths;
  JsonObject *object = json_object_new();
  JsonArray *places = json_array_new();
  if (names)
    json_object_set_string_member(object, "stage", runs->stage);
  json_object_set_int_member(object, "level", runs->level);
  json_object_set_int_member(object, "window-width", l->width);
  json_object_set_int_member(object, "window-height", l->height);
  for (guint d = 0; runs->has_places && d < VT_RUN_DIRECTIONS; d++) {
    JsonObject *place = json_object_new();
    json_object_set_string_member(place, "direction", directions[d]);
    json_object_set_int_member(place, "length", runs->places[d].length);
    json_object_set_int_member(place, "x", (l->x + runs->places[d].x) * l->downsample);
    json_object_set_int_member(place, "y", (l->y + runs->places[d].y) * l->downsample);
    json_array_add_object_element(places, place);
  }
  json_object_set_array_member(object, "runs", places);
  return object;
}

/* Of one map an object, of several a list. */
static void
add_runs(JsonObject *object, const GPtrArray *all)
{
  const gboolean is_one = all->len == 1;
  JsonArray *list = is_one ? NULL : json_array_new();
  VT_EACH_OF (const Runs, runs, all)
    if (runs->lengths && is_one)
      json_object_set_object_member(object, "runs-through", new_runs(runs, FALSE));
    else if (runs->lengths)
      json_array_add_object_element(list, new_runs(runs, TRUE));
  if (list && json_array_get_length(list) > 0)
    json_object_set_array_member(object, "runs-through-maps", list);
  else if (list)
    json_array_unref(list);
}

/* --- for people --- */

/* Four digits. */
static char *
dup_critical(const VtResult *result, const VitrailVerdict *v)
{
  return vt_why_dup_critical(result, v, "%.4g", v->critical != 0 ? pow(10, floor(log10(fabs(v->critical))) - 3) : 0);
}

static void
print_tested(const VitrailVerdict *v)
{
  static const char *const words[] = { "above", "at least", "at most" };
  if (v->test == VITRAIL_TEST_ALL || v->test == VITRAIL_TEST_CHOSEN) {
    printf("%s", v->test == VITRAIL_TEST_ALL ? "both of the tests that it is made of"
                                             : "of regions that overlap, those worth the most together");
    return;
  }
  if (v->flags & VITRAIL_VERDICT_NONE) {
    printf("no candidate region has a score here, asked above %g", v->limit);
    return;
  }
  const char *blank = *v->unit ? " " : "";
  if (v->tested == VITRAIL_TESTED_AREA)
    printf("area%s", v->flags & VITRAIL_VERDICT_CUT ? " (cut off by the region's edge)" : "");
  else if (v->tested == VITRAIL_TESTED_DEPTH)
    printf("depth of its hill, down to the saddle at %.0f,%.0f,", floor(v->saddle_x_l0), floor(v->saddle_y_l0));
  else
    printf("%s%s", v->tested == VITRAIL_TESTED_MEAN ? "mean of " : "", v->of);
  printf(" %.6g%s%s, asked %s %.6g%s%s: ", v->value, blank, v->unit, words[v->test], v->limit, blank, v->unit);
  if (v->value == v->limit)
    printf("just %s", v->flags & VITRAIL_VERDICT_HOLDS ? "met" : "missed");
  else
    printf("%s by %.3g%s%s", v->flags & VITRAIL_VERDICT_HOLDS ? "met" : "missed", fabs(v->value - v->limit), blank,
           v->unit);
}

static void
print_object(gint64 number)
{
  if (number > 0)
    printf("in object %" G_GINT64_FORMAT, number);
  else
    printf("in no object");
}

/* `object`: what the change makes of the pixel, or -1. */
static void
print_verdict(const VtResult *result, const VitrailVerdict *v, gint64 object)
{
  const char *title = v->stage >= 0 ? result->op->stages[v->stage]->title : v->node;
  printf("%-4s %s: ", v->flags & VITRAIL_VERDICT_HOLDS ? "yes" : "no", title);
  print_tested(v);
  if (v->flags & VITRAIL_VERDICT_FLIPS) {
    const double now = result->params->values[v->param][0];
    g_autofree char *critical = dup_critical(result, v);
    printf("; --set %s=%s turns it round (now %g)", result->op->params[v->param]->key, critical, now);
  } else if (v->param >= 0) {
    printf("; the limit is set by %s", result->op->params[v->param]->key);
  }
  if (object >= 0) {
    printf(", the pixel is then ");
    print_object(object);
  }
  printf("\n");
}

static void
print_answer(const VtRunRequest *request, const VtResult *result, const gint64 *objects)
{
  printf("%s at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT " of %s, in the region %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
         ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
         request->op->id, request->why_x_l0, request->why_y_l0, result->source_name ? result->source_name : "the image",
         result->x_l0, result->y_l0, result->width_l0, result->height_l0);
  if (result->used_pixel_size > 0)
    printf(", %g %s per pixel", result->used_pixel_size, result->calibrated ? "µm" : "level-0 pixels");
  if (objects) {
    printf(": ");
    print_object(vt_why_get_object(result, request->why_x_l0, request->why_y_l0));
  }
  printf("\n");
  for (guint i = 0; i < result->warnings->len; i++)
    g_printerr("vitrail-batch: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
  if (result->verdicts->len == 0)
    printf("Nothing is tested at this pixel.\n");
  for (guint i = 0; i < result->verdicts->len; i++)
    print_verdict(result, &g_array_index(result->verdicts, VitrailVerdict, i), objects ? objects[i] : -1);
}

/* --- for programs --- */

static void
add_number(JsonObject *object, const char *key, double value)
{
  if (isfinite(value))
    json_object_set_double_member(object, key, value);
  else
    json_object_set_null_member(object, key);
}

static JsonObject *
new_verdict(const VtResult *result, const VitrailVerdict *v)
{
  static const char *const tests[] = { "above", "at-least", "at-most", "all", "chosen" };
  static const char *const tested[] = { "pixel", "area", "mean", "depth" };
  JsonObject *object = json_object_new();
  json_object_set_string_member(object, "node", v->node);
  if (v->stage >= 0)
    json_object_set_string_member(object, "stage", result->op->stages[v->stage]->id);
  json_object_set_string_member(object, "test", tests[v->test]);
  json_object_set_boolean_member(object, "holds", (v->flags & VITRAIL_VERDICT_HOLDS) != 0);
  if (v->test == VITRAIL_TEST_ALL || v->test == VITRAIL_TEST_CHOSEN)
    return object;
  json_object_set_string_member(object, "tested", tested[v->tested]);
  json_object_set_string_member(object, "of", v->of);
  add_number(object, "value", v->value);
  add_number(object, "limit", v->limit);
  json_object_set_string_member(object, "unit", v->unit);
  if (v->tested == VITRAIL_TESTED_DEPTH) {
    add_number(object, "saddle-x", floor(v->saddle_x_l0));
    add_number(object, "saddle-y", floor(v->saddle_y_l0));
  }
  json_object_set_boolean_member(object, "none", (v->flags & VITRAIL_VERDICT_NONE) != 0);
  json_object_set_boolean_member(object, "cut", (v->flags & VITRAIL_VERDICT_CUT) != 0);
  if (v->param >= 0)
    json_object_set_string_member(object, "parameter", result->op->params[v->param]->key);
  if (v->flags & VITRAIL_VERDICT_FLIPS)
    add_number(object, "critical", v->critical);
  return object;
}

static JsonArray *
new_steps(const VtRunRequest *request, const VtResult *trail)
{
  JsonArray *steps = json_array_new();
  double value;
  for (guint i = 0; i < trail->op->n_stages; i++) {
    if (!vt_why_get_value(trail, i, request->why_x_l0, request->why_y_l0, &value))
      continue;
    JsonObject *step = json_object_new();
    json_object_set_string_member(step, "step", trail->op->stages[i]->id);
    add_number(step, "value", value);
    json_object_set_string_member(step, "unit", vt_why_get_unit(trail, i));
    json_array_add_object_element(steps, step);
  }
  return steps;
}

static void
print_json(const VtRunRequest *request, const VtResult *result, const gint64 *objects, const VtResult *trail,
           const GPtrArray *runs)
{
  JsonObject *object = json_object_new();
  JsonArray *verdicts = json_array_new();
  g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
  json_object_set_string_member(object, "op", request->op->id);
  json_object_set_int_member(object, "x", request->why_x_l0);
  json_object_set_int_member(object, "y", request->why_y_l0);
  if (objects)
    json_object_set_int_member(object, "object", vt_why_get_object(result, request->why_x_l0, request->why_y_l0));
  for (guint i = 0; i < result->verdicts->len; i++) {
    JsonObject *verdict = new_verdict(result, &g_array_index(result->verdicts, VitrailVerdict, i));
    if (objects && objects[i] >= 0)
      json_object_set_int_member(verdict, "object-then", objects[i]);
    json_array_add_object_element(verdicts, verdict);
  }
  json_object_set_array_member(object, "verdicts", verdicts);
  if (trail)
    json_object_set_array_member(object, "steps", new_steps(request, trail));
  add_runs(object, runs);
  json_object_set_object_member(object, "record", json_object_ref(json_node_get_object(result->record)));
  json_node_take_object(root, object);
  batch_print_json(root);
}

int
batch_why(int argc, char **argv)
{
  g_auto(Options) options = { 0 };
  g_autoptr(GError) error = NULL;
  int status = BATCH_DONE;
  const VitrailPlugin *plugin = NULL;
  if (!parse_options(&options, &argc, &argv, &status))
    return status;
  if (argc < 3)
    return batch_fail(BATCH_USAGE, "why takes an op, its inputs and --at X,Y; see vitrail-batch why --help.");
  batch_signals_init();
  vt_reader_prepare(); /* while plugins are loaded; its threads leave signals to the one that waits for them */
  const VitrailOp *op = batch_find_op(argv[1], &plugin, &options.set, &status);
  if (!op)
    return status;
  g_autoptr(VtRunRequest) request = vt_run_request_new(plugin, op);
  if ((status = set_pixel(request, options.at)) != BATCH_DONE)
    return status;
  if (options.region)
    status = batch_set_region(request, options.region);
  else
    set_region_round(request);
  if (status != BATCH_DONE || (status = batch_add_inputs(request, argv + 2, NULL, FALSE)) != BATCH_DONE
      || (status = batch_set_params(request, options.set)) != BATCH_DONE)
    return status;
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, batch_get_cancellable(), &error);
  if (!result)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  g_autofree gint64 *objects = try_changes(request, result, &error);
  if (error)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  g_autoptr(VtResult) trail = options.steps ? trace(request, &error) : NULL;
  if (error)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  g_autoptr(GPtrArray) runs = find_all_runs(request, result, &error);
  if (!runs)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (options.json)
    print_json(request, result, objects, trail, runs);
  else
    print_answer(request, result, objects);
  if (trail && !options.json)
    print_steps(request, trail);
  for (guint i = 0; i < runs->len && !options.json; i++)
    if (((const Runs *)runs->pdata[i])->lengths)
      print_runs(runs->pdata[i], runs->len > 1);
  return BATCH_DONE;
}
