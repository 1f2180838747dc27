/* SPDX-License-Identifier: MIT
 *
 * Values of parameters: text in, text out, and sentences that say what would be right. */
#include <string.h>

#include "host-support.h"
#include "plugins/vt-plugin-host.h"

static const VitrailOp *op;

static void
test_defaults(void)
{
  const int radius = vt_op_find_param(op, "radius");
  g_autoptr(VtParams) calibrated = vt_params_new(op, TRUE);
  g_autoptr(VtParams) flat = vt_params_new(op, FALSE);
  g_assert_cmpfloat(calibrated->values[radius][0], ==, 2.5);
  g_assert_cmpfloat(flat->values[radius][0], ==, 5);
  g_assert_cmpstr(vt_params_get_unit(calibrated, (guint)radius), ==, "µm");
  g_assert_cmpstr(vt_params_get_unit(flat, (guint)radius), ==, "px");
}

static void
test_good(void)
{
  static const char *const good[][2] = {
    { "radius=7.25", "7.25" },
    { "radius=0.1", "0.1" },
    { "count=9", "9" },
    { "flag=off", "false" },
    { "flag=TRUE", "true" },
    { "mode=fail", "fail" },
    { "stain=0.1, -0.2,1", "0.1,-0.2,1" },
    { " radius = 3 ", "3" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtParams) params = vt_params_new(op, TRUE);
    g_assert_true(vt_params_set_from_string(params, good[i][0], &error));
    g_assert_no_error(error);
    g_autofree char *key = g_strstrip(g_strndup(good[i][0], (gsize)(strchr(good[i][0], '=') - good[i][0])));
    const int index = vt_op_find_param(op, key);
    g_autofree char *text = vt_params_dup_text(params, (guint)index);
    g_assert_cmpstr(text, ==, good[i][1]);
    g_assert_true(params->is_set[index]);
    g_autoptr(VtParams) copy = vt_params_copy(params);
    vt_params_reset(params, (guint)index);
    g_assert_false(params->is_set[index]);
    g_assert_true(copy->is_set[index]);
  }
}

static void
test_take_over(void)
{
  const guint radius = (guint)vt_op_find_param(op, "radius"), count = (guint)vt_op_find_param(op, "count");
  g_autoptr(VtParams) from = vt_params_new(op, TRUE);
  g_autoptr(VtParams) same = vt_params_new(op, TRUE);
  g_autoptr(VtParams) flat = vt_params_new(op, FALSE);
  g_assert_true(vt_params_set_from_string(from, "radius=7.25", NULL));
  g_assert_true(vt_params_set_from_string(from, "flag=true", NULL));
  vt_params_take_over(same, from);
  g_assert_cmpfloat(same->values[radius][0], ==, 7.25);
  g_assert_true(same->is_set[radius]);
  g_assert_false(same->is_set[count]);
  /* 7.25 µm are not 7.25 pixels. */
  vt_params_take_over(flat, from);
  g_assert_cmpfloat(flat->values[radius][0], ==, 5);
  g_assert_false(flat->is_set[radius]);
  g_assert_true(flat->is_set[vt_op_find_param(op, "flag")]);
}

static void
test_equal(void)
{
  g_autoptr(VtParams) a = vt_params_new(op, TRUE);
  g_autoptr(VtParams) b = vt_params_copy(a);
  g_autoptr(VtParams) flat = vt_params_new(op, FALSE);
  g_assert_true(vt_params_equal(a, b));
  g_assert_false(vt_params_equal(a, flat));
  g_assert_true(vt_params_set_from_string(b, "stain=0.5,0.25,0.125", NULL));
  g_assert_false(vt_params_equal(a, b));
  g_assert_true(vt_params_set_from_string(a, "stain=0.5,0.25,0.125", NULL));
  g_assert_true(vt_params_equal(a, b));
}

static void
test_wrong(void)
{
  static const char *const wrong[][2] = {
    { "nothing=1", "radius" },
    { "radius", "0 to 100" },
    { "radius=", "µm" },
    { "radius=1x", "µm" },
    { "radius=nan", "100" },
    { "radius=101", "100 µm" },
    { "radius=-1e-9", "0 to" },
    { "count=1.5", "whole" },
    { "count=0", "1 to 9" },
    { "flag=maybe", "true or false" },
    { "mode=", "work, fail" },
    { "mode=0", "work, fail" },
    { "stain=1,2,3", "-1 to 1" },
    { "stain=0,0", "three" },
    { "stain=0,0,0,0", "three" },
    { "radius=1,5", "no such table" },
    { "=", "radius" },
    { "", "radius" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtParams) params = vt_params_new(op, TRUE);
    g_assert_false(vt_params_set_from_string(params, wrong[i][0], &error));
    assert_says(error, wrong[i][1]);
  }
}

/* Of an op that makes a table alone one parameter can have several values; they go where its value goes. */
static void
test_list(void)
{
  const VitrailStage *const rows[] = { op->stages[op->n_stages - 1] };
  VitrailOp table = *op;
  table.stages = rows;
  table.n_stages = 1;
  const guint radius = (guint)vt_op_find_param(op, "radius"), count = (guint)vt_op_find_param(op, "count");
  g_autoptr(VtParams) params = vt_params_new(&table, TRUE);
  g_autoptr(VtParams) plain = vt_params_new(&table, TRUE);
  g_autoptr(VtParams) flat = vt_params_new(&table, FALSE);
  g_assert_true(vt_params_set_from_string(params, "radius=8, 7.5,16", NULL));
  g_assert_true(vt_params_has_list(params, radius) && !vt_params_has_list(params, count) && params->is_set[radius]);
  g_autofree char *text = vt_params_dup_text(params, radius), *shown = vt_params_dup_shown(params, radius);
  g_assert_cmpstr(text, ==, "8,7.5,16");
  g_assert_cmpstr(shown, ==, "8, 7.5, 16 µm");
  g_assert_true(vt_params_differ(params, plain, radius) && !vt_params_differ(params, plain, count));
  g_autoptr(VtParams) copy = vt_params_copy(params);
  g_autoptr(VtParams) second = vt_params_copy_setting(params, 1);
  g_assert_true(vt_params_equal(copy, params) && second->values[radius][0] == 7.5 && second->n_listed == 0);
  g_assert_true(vt_params_find_setting(params, second) == 1 && vt_params_find_setting(params, plain) == -1);
  vt_params_take_over(plain, params);
  vt_params_take_over(flat, params); /* lengths in another unit */
  g_assert_true(vt_params_equal(plain, params) && flat->n_listed == 0);
  static const char *const wrong[][2] = { { "radius=8,8", "there twice" },
                                          { "radius=8,101", "0 to 100 µm" },
                                          { "radius=8,", "0 to 100 µm" },
                                          { "count=1,2", "not both radius and count" },
                                          { "radius=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "16 are the most" },
                                          { "stain=1,1", "three" } };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(vt_params_set_from_string(params, wrong[i][0], &error));
    assert_says(error, wrong[i][1]);
    g_assert_true(vt_params_equal(params, copy));
  }
  g_assert_true(vt_params_set(params, radius, (const double[4]){ 8 }, NULL) && params->n_listed == 0);
  g_assert_false(vt_params_equal(params, copy));
  vt_params_reset(copy, radius);
  g_assert_cmpuint(copy->n_listed, ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  op = vt_plugin_host_find_op(vt_plugin_host_get(), "fake", NULL);
  g_assert_nonnull(op);
  g_test_add_func("/params/defaults", test_defaults);
  g_test_add_func("/params/good", test_good);
  g_test_add_func("/params/take-over", test_take_over);
  g_test_add_func("/params/equal", test_equal);
  g_test_add_func("/params/wrong", test_wrong);
  g_test_add_func("/params/list", test_list);
  return g_test_run();
}
