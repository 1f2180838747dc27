/* SPDX-License-Identifier: MIT
 *
 * The value of every step at a pixel, of every recipe that comes along: nothing is left out, the stages that are shown keep their bytes, values are those of
 * whole rasters, of the tests, and of pointwise steps worked out here. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "plugins/vt-recipe-lengths.h"
#include "plugins/vt-recipe-trail.h"
#include "run/vt-why.h"

enum { EDGE = 96, N_PIXELS = 12 };

static GRand *chance;

/* Discs of different darkness on light ground, as colours or in one channel. */
static VtRaster *
make_image(VitrailPixelType type)
{
  VtRaster *image = vt_raster_new(type, EDGE, EDGE, NULL);
  const gsize size = vt_pixel_size(type);
  memset(image->data, 230, image->stride * EDGE);
  for (int disc = 0; disc < 14; disc++) {
    const int x0 = g_rand_int_range(chance, 0, EDGE), y0 = g_rand_int_range(chance, 0, EDGE), r = 3 + disc % 7;
    for (int y = MAX(y0 - r, 0); y < MIN(y0 + r, EDGE); y++)
      for (int x = MAX(x0 - r, 0); x < MIN(x0 + r, EDGE); x++)
        if ((x - x0) * (x - x0) + (y - y0) * (y - y0) < r * r)
          for (gsize k = 0; k < MIN(size, 3); k++)
            image->data[(gsize)y * image->stride + (gsize)x * size + k] = (guint8)(60 + 8 * disc + 40 * (int)(k == 2));
  }
  return image;
}

static VtRunRequest *
make_request(const VitrailOp *op)
{
  const VitrailPlugin *plugin = NULL;
  vt_plugin_host_find_op(vt_plugin_host_get(), op->id, &plugin);
  VtRunRequest *request = vt_run_request_new(plugin, op);
  request->params = vt_params_new(op, FALSE);
  request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
  request->whole = TRUE;
  request->n_threads = 2;
  for (guint i = 0; i < op->n_inputs; i++)
    if (!(op->inputs[i]->flags & VITRAIL_INPUT_OPTIONAL))
      g_hash_table_insert(request->rasters, (gpointer)op->inputs[i]->id,
                          make_image(op->inputs[i]->kind == VITRAIL_INPUT_IMAGE ? VITRAIL_RGBA8 : VITRAIL_U8));
  return request;
}

static VtResult *
run(const VtRunRequest *request)
{
  g_autoptr(GError) error = NULL;
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  if (!result)
    g_error("%s: %s", request->op->id, error->message);
  return result;
}

/* Every step has a stage, but for those that read, hand over, or have 64 bits; labels by way of the step that numbers them. */
static void
check_names(const VitrailRecipe *recipe, const VitrailRecipe *trail)
{
  for (guint i = 0; i < recipe->n_nodes; i++) {
    const char *id = recipe->nodes[i]->id;
    gboolean is_told = g_str_equal(recipe->nodes[i]->step, "read") || g_str_equal(recipe->nodes[i]->step, "distance");
    for (guint k = 0; k < trail->n_nodes; k++) {
      const VitrailRecipeNode *node = trail->nodes[k];
      is_told |=
        node->stage
        && (g_str_equal(node->id, id) || (g_str_equal(node->step, "number") && g_str_equal(node->inputs[0], id)));
    }
    if (!is_told)
      g_error("%s: the step %s is not told", recipe->id, id);
  }
}

static void
check_bytes(const VtResult *plain, const VtResult *trail)
{
  for (guint i = 0; i < plain->op->n_stages; i++) {
    const int k = vt_op_find_stage(trail->op, plain->op->stages[i]->id);
    const VtRaster *a = plain->rasters[i], *b = trail->rasters[k];
    g_assert_cmpint(k, >=, 0);
    g_assert_cmpstr(plain->op->stages[i]->title, ==, trail->op->stages[k]->title);
    g_assert_true(!a == !b);
    if (!a)
      continue;
    g_assert_true(a->type == b->type && a->width == b->width && a->height == b->height);
    for (gint64 y = 0; y < a->height; y++)
      g_assert_cmpmem(a->data + (gsize)y * a->stride, (gsize)a->width * vt_pixel_size(a->type),
                      b->data + (gsize)y * b->stride, (gsize)b->width * vt_pixel_size(b->type));
  }
}

/* The number of the stage that shows what `id` makes in this run; -1: none does. */
static int
stage_of(const VitrailRecipe *recipe, const VtResult *trail, const char *id)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (recipe->nodes[i]->stage && g_str_equal(recipe->nodes[i]->id, id)) {
      const int stage = vt_op_find_stage(trail->op, recipe->nodes[i]->stage);
      if (trail->rasters[stage])
        return stage;
    }
  return -1;
}

static gboolean
get(const VitrailRecipe *recipe, const VtResult *trail, const VitrailRecipeNode *node, guint input, gint64 x, gint64 y,
    double *value)
{
  const int stage = input < node->n_inputs ? stage_of(recipe, trail, node->inputs[input]) : -1;
  return stage >= 0 && vt_why_get_value(trail, (guint)stage, x, y, value);
}

static gboolean
is_there_twice(const VitrailRecipe *recipe, const char *id)
{
  guint n = 0;
  for (guint i = 0; i < recipe->n_nodes; i++)
    n += g_str_equal(recipe->nodes[i]->id, id);
  return n > 1;
}

/* Returns how many steps it has worked out. */
static guint
check_pointwise(const VitrailRecipe *recipe, const VtResult *trail, gint64 x, gint64 y)
{
  guint n = 0;
  for (guint i = 0; i < recipe->n_nodes; i++) {
    const VitrailRecipeNode *node = recipe->nodes[i];
    const int stage =
      node->stage && !node->when && !is_there_twice(recipe, node->id) ? vt_op_find_stage(trail->op, node->stage) : -1;
    double made, a, b = 0;
    if (stage < 0 || !vt_why_get_value(trail, (guint)stage, x, y, &made) || !get(recipe, trail, node, 0, x, y, &a)
        || (node->n_inputs > 1 && !get(recipe, trail, node, 1, x, y, &b)))
      continue;
    const gboolean is_not = g_str_equal(node->step, "not"), is_and = g_str_equal(node->step, "and"),
                   is_less = g_str_equal(node->step, "subtract"), is_wide = g_str_equal(node->step, "widen");
    if (is_not || is_and)
      g_assert_cmpint(made > 0, ==, is_not ? !(a > 0) : a > 0 && b > 0);
    else if (is_less)
      g_assert_cmpfloat_with_epsilon(made, MAX(a - b, 0), 1e-9);
    else if (is_wide)
      g_assert_cmpfloat(made, ==, a);
    n += is_not || is_and || is_less || is_wide;
  }
  return n;
}

/* What a test of the answer is told to have looked at is what the trail has; returns how many such tests there are. */
static guint
check_verdicts(const VitrailRecipe *recipe, const VtResult *answer, const VtResult *trail, gint64 x, gint64 y)
{
  guint n = 0;
  for (guint i = 0; i < answer->verdicts->len; i++) {
    const VitrailVerdict *v = &g_array_index(answer->verdicts, VitrailVerdict, i);
    const int stage = v->tested == VITRAIL_TESTED_PIXEL && v->test != VITRAIL_TEST_ALL && v->test != VITRAIL_TEST_CHOSEN
                        ? stage_of(recipe, trail, v->of)
                        : -1;
    double value;
    if (stage < 0 || !vt_why_get_value(trail, (guint)stage, x, y, &value))
      continue;
    if (!g_str_equal(v->node, "pieces")) /* regions tests the score of the region, or the best one that was refused */
      g_assert_cmpfloat_with_epsilon(v->value, value, 1e-6);
    n++;
  }
  return n;
}

/* Each step that spreads tells how it came about, under a stage that shows what it makes; the end is that of the fast way. */
static void
check_waves(const VtRunRequest *request, const VitrailRecipe *recipe, const VtResult *full)
{
  static const char *const spreading[] = { "reconstruct", "distance", "zones", "watershed", NULL };
  int n = 0;
  for (guint i = 0; i < request->op->n_stages; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRunRequest) of_stage = vt_why_new_wave(request, i);
    g_autoptr(VtResult) result = vt_run(of_stage, NULL, NULL, NULL, &error);
    if (!result || result->wave->stage != i) {
      if (!result)
        assert_says(error, "Nothing spreads");
      continue;
    }
    g_assert_cmpuint(result->wave->n_different, ==, 0);
    n++;
  }
  for (guint i = 0; i < recipe->n_nodes; i++)
    n -= g_strv_contains(spreading, recipe->nodes[i]->step) && !is_there_twice(recipe, recipe->nodes[i]->id)
         && stage_of(recipe, full, recipe->nodes[i]->id) >= 0;
  g_assert_cmpint(n, >=, 0);
}

static void
test_op(gconstpointer data)
{
  const VitrailOp *op = data;
  g_autoptr(GError) error = NULL;
  const VitrailOp *trail_op = vt_recipe_open_trail(vt_plugin_host_get(), op, &error);
  g_assert_no_error(error);
  g_assert_true(trail_op == vt_recipe_open_trail(vt_plugin_host_get(), op, &error));
  g_assert_false(g_ptr_array_find(vt_plugin_host_get_ops(vt_plugin_host_get()), trail_op, NULL));
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(vt_plugin_host_get(), trail_op, NULL);
  check_names(vt_plugin_host_find_recipe(vt_plugin_host_get(), op, NULL), recipe);
  g_autoptr(VtRunRequest) request = make_request(op);
  g_autoptr(VtRunRequest) full_request = vt_why_new_trail(request, trail_op);
  full_request->keeps_pixel = FALSE;
  g_autoptr(VtResult) plain = run(request);
  g_autoptr(VtResult) full = run(full_request);
  guint n_values = 0, n_pointwise = 0, n_tests = 0;
  check_bytes(plain, full);
  check_waves(full_request, recipe, full);
  request->asks_why = TRUE;
  for (int i = 0; i < N_PIXELS; i++) {
    const gint64 x = g_rand_int_range(chance, 0, EDGE), y = g_rand_int_range(chance, 0, EDGE);
    request->why_x_l0 = x;
    request->why_y_l0 = y;
    g_autoptr(VtResult) answer = run(request);
    g_autoptr(VtRunRequest) of_pixel = vt_why_new_trail(request, trail_op);
    g_autoptr(VtResult) trail = run(of_pixel);
    for (guint s = 0; s < trail_op->n_stages; s++) {
      double value = 0, same = 0;
      const gboolean has_value = vt_why_get_value(trail, s, x, y, &value);
      g_assert_true(has_value == vt_why_get_value(full, s, x, y, &same));
      g_assert_cmpmem(&value, sizeof value, &same, sizeof same);
      g_assert_true(!has_value || (trail->rasters[s]->width == 1 && trail->rasters[s]->height == 1));
      n_values += has_value;
    }
    n_pointwise += check_pointwise(recipe, trail, x, y);
    n_tests += check_verdicts(recipe, answer, trail, x, y);
  }
  g_test_message("%u values, %u of them worked out, %u tests", n_values, n_pointwise, n_tests);
  g_assert_cmpuint(n_values, >, N_PIXELS);
}

/* What the choice of a preset was made by is told where no pixel size is known, and in the record; not where a person has chosen. */
static void
test_estimate(void)
{
  g_autoptr(VtRunRequest) request = make_request(vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei", NULL));
  for (int by_hand = 0; by_hand < 2; by_hand++) {
    g_assert_true(vt_params_set_from_string(request->params, by_hand ? "preset=tissue" : "preset=auto", NULL));
    g_autoptr(VtResult) result = run(request);
    JsonObject *facts = json_object_get_object_member(json_node_get_object(result->record), "resolved");
    g_assert_true((result->chosen != NULL) == !by_hand);
    g_assert_true(by_hand ? result->dark_px == 0 : result->dark_px > 3 && result->dark_px < 20);
    g_assert_true(json_object_has_member(facts, "dark-width-px") == !by_hand);
    if (!by_hand)
      g_assert_cmpfloat_with_epsilon(json_object_get_double_member(facts, "dark-width-px"), result->dark_px, 0.051);
  }
}

static gboolean
is_warned(const VtResult *result, const char *words)
{
  gboolean is = FALSE;
  for (guint i = 0; i < result->warnings->len; i++)
    is |= strstr(result->warnings->pdata[i], words) != NULL;
  return is;
}

/* Discs of `radius` on a ground, in one channel, with a frame of 10 white pixels. */
static VtRaster *
make_framed(int side, int radius, guint8 ground, guint8 ink)
{
  VtRaster *image = vt_raster_new(VITRAIL_U8, side, side, NULL);
  const int middle = side / 2, inner = side - 10;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const int u = x - middle, v = y - middle;
      const gboolean is_frame = x < 10 || y < 10 || x >= inner || y >= inner;
      image->data[(gsize)y * image->stride + (gsize)x] = is_frame                          ? 255
                                                         : u * u + v * v < radius * radius ? ink
                                                                                           : ground;
    }
  return image;
}

/* One channel is cytology where it is light and fluorescence where it is dark; and what makes a score choose badly is said, unless the region leaves
 * it out. */
static void
test_cautions(void)
{
  static const struct {
    int side, radius;
    guint8 ground, ink;
    const char *preset;
    gboolean is_colourless, is_wide;
  } images[] = { { 160, 9, 220, 90, "cytology", TRUE, FALSE },
                 { 160, 9, 3, 60, "fluorescence", FALSE, FALSE },
                 { 400, 40, 220, 90, "cytology", TRUE, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS(images); i++)
    for (int is_inside = 0; is_inside < 2; is_inside++) {
      const int side = images[i].side;
      g_autoptr(VtRunRequest) request = make_request(vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei", NULL));
      g_hash_table_insert(request->rasters, (gpointer) "image",
                          make_framed(side, images[i].radius, images[i].ground, images[i].ink));
      request->whole = !is_inside;
      request->x_l0 = request->y_l0 = 10;
      request->width_l0 = request->height_l0 = side - 20;
      g_autoptr(VtResult) result = run(request);
      JsonObject *facts = json_object_get_object_member(json_node_get_object(result->record), "resolved");
      g_autofree char *inside = g_strdup_printf("10,10,%d,%d", side - 20, side - 20);
      g_test_message("%s, %.1f px", result->chosen->choices[result->choice], result->dark_px);
      g_assert_cmpstr(result->chosen->choices[result->choice], ==, images[i].preset);
      g_assert_true(is_warned(result, "No colour") == images[i].is_colourless);
      g_assert_true(is_warned(result, "is wide") == images[i].is_wide);
      g_assert_true(is_warned(result, "inside-frame") == !is_inside);
      g_assert_cmpstr(json_object_get_string_member_with_default(facts, "inside-frame", NULL), ==,
                      is_inside ? NULL : inside);
    }
}

/* At random pixels: the feature `column` of the run lengths that are told of the window there is the value that the map has there, bit for bit, so these
 * are the runs that it counts. */
static void
check_lengths(VtRunRequest *request, const VtResult *result, guint stage, guint column)
{
  const VitrailOp *op = request->op;
  const char *id = op->stages[stage]->id;
  const gint64 size[2] = { EDGE, EDGE };
  const VitrailOp *alone = vt_recipe_open_map(vt_plugin_host_get(), op, stage, NULL);
  const VitrailOp *of_rectangles = vt_recipe_open_lengths(vt_plugin_host_get(), op, stage, NULL);
  for (guint i = 0; i < 2 * N_PIXELS; i++) {
    const gint64 x = request->why_x_l0 = g_rand_int_range(chance, 0, EDGE);
    const gint64 y = request->why_y_l0 = g_rand_int_range(chance, 0, EDGE);
    gint64 window[4];
    double value;
    g_autoptr(VtRunRequest) of_map = alone == op ? NULL : vt_why_new_map(request, result, alone, id);
    g_autoptr(VtResult) map = alone == op ? vt_result_ref((VtResult *)result) : run(of_map);
    g_assert_true(vt_why_find_window(map, size, x, y, window));
    g_assert_true(vt_raster_lookup_l0(result->rasters[stage], (double)x + 0.5, (double)y + 0.5, &value));
    g_autoptr(VtRunRequest) asked = vt_why_new_lengths(request, result, of_rectangles, id, window);
    g_autoptr(VtResult) told = run(asked);
    const VtRow *row = told->rows->pdata[0];
    g_assert_true(row->lengths->x == window[0] && row->lengths->width == window[2]
                  && row->lengths->height == window[3]);
    g_assert_cmpfloat((float)row->values[column], ==, (float)value);
  }
}

static void
test_lengths(void)
{
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "glrlm-map", NULL);
  static const char *const settings[] = { "window=9", "stride=1", "stride=3", "levels=5" };
  g_autoptr(GArray) maps = vt_recipe_list_maps(vt_plugin_host_get(), op);
  g_assert_true(maps->len == 1 && g_array_index(maps, guint, 0) == 0);
  const VitrailOp *of_rectangles = vt_recipe_open_lengths(vt_plugin_host_get(), op, 0, NULL);
  g_assert_true(vt_recipe_open_lengths(vt_plugin_host_get(), op, 0, NULL) == of_rectangles);
  g_assert_true(vt_recipe_open_map(vt_plugin_host_get(), op, 0, NULL) == op);
  g_autoptr(VtRunRequest) request = make_request(op);
  for (guint turn = 0; turn < G_N_ELEMENTS(settings); turn++) {
    g_assert_true(vt_params_set_from_string(request->params, settings[turn], NULL));
    g_autoptr(VtResult) map = run(request);
    check_lengths(request, map, 0, 1);
  }
}

#define MAP_NODE(id, feature, levels, window, stride) \
  "{\"id\":\"" id "\",\"step\":\"glrlm-map\",\"inputs\":[\"pixels\"],\"stage\":\"" id "\",\"settings\":{" \
  "\"channel\":\"'red'\",\"aggregate\":\"'mean'\",\"binning\":\"'fixed-number'\",\"levels\":" levels \
  ",\"range-min\":0,\"range-max\":0,\"feature\":\"'" feature "'\",\"window\":" window ",\"stride\":" stride "}}"
#define MAP_STAGE(id) "{\"id\":\"" id "\",\"kind\":\"scalar\",\"title\":\"" id "\"}"

/* Of a recipe with two maps each has windows of its own, one by a parameter. */
static void
test_two_maps(void)
{
  static const char text[] =
    "{\"vitrail-recipe\":1,\"id\":\"two-maps\",\"version\":\"1\",\"title\":\"Two maps\",\"help\":\"Two.\","
    "\"inputs\":[{\"id\":\"image\",\"kind\":\"image\",\"title\":\"Image\",\"help\":\"A slide.\",\"primary\":true}],"
    "\"params\":[{\"key\":\"pixel-size\",\"type\":\"float\",\"title\":\"Size\",\"help\":\"Of a "
    "pixel.\",\"min\":1,\"max\":9,"
    "\"default\":1,\"step\":1},{\"key\":\"edge\",\"type\":\"int\",\"title\":\"Edge\",\"help\":\"Of a "
    "window.\",\"min\":3,\"max\":99,"
    "\"default\":21,\"step\":2}],\"nodes\":[{\"id\":\"pixels\",\"step\":\"read\",\"inputs\":[\"image\"]}," MAP_NODE(
      "fine", "sre", "16", "5", "1") "," MAP_NODE("coarse", "lre", "6", "\"edge\"",
                                                  "4") "],\"stages\":[" MAP_STAGE("fine") "," MAP_STAGE("coarse") "]}";
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_open_draft(vt_plugin_host_get(), text, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(GArray) maps = vt_recipe_list_maps(vt_plugin_host_get(), op);
  g_assert_true(maps->len == 2 && g_array_index(maps, guint, 0) == 0 && g_array_index(maps, guint, 1) == 1);
  g_autoptr(VtRunRequest) request = make_request(op);
  g_autoptr(VtResult) result = run(request);
  check_lengths(request, result, 0, 1);
  check_lengths(request, result, 1, 2);
}

/* Recipes without a texture map have no windows. */
static void
test_no_lengths(void)
{
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", NULL);
  g_autoptr(GArray) maps = vt_recipe_list_maps(vt_plugin_host_get(), op);
  g_assert_cmpuint(maps->len, ==, 0);
}

/* Of an op that is no recipe. */
static void
test_none(void)
{
  const VitrailOp op = { .size = sizeof op, .id = "unknown", .title = "Of another plugin" };
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_recipe_open_trail(vt_plugin_host_get(), &op, &error));
  assert_says(error, "is no recipe");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  chance = g_rand_new_with_seed(16);
  GPtrArray *ops = vt_plugin_host_get_ops(vt_plugin_host_get());
  g_assert_cmpuint(ops->len, >=, 17); /* built in, and those that come along */
  g_test_add_func("/trail/none", test_none);
  g_test_add_func("/trail/estimate", test_estimate);
  g_test_add_func("/trail/cautions", test_cautions);
  g_test_add_func("/trail/lengths", test_lengths);
  g_test_add_func("/trail/two-maps", test_two_maps);
  g_test_add_func("/trail/no-lengths", test_no_lengths);
  for (guint i = 0; i < ops->len; i++) {
    g_autofree char *name = g_strconcat("/trail/", ((const VitrailOp *)ops->pdata[i])->id, NULL);
    g_test_add_data_func(name, ops->pdata[i], test_op);
  }
  return g_test_run();
}
