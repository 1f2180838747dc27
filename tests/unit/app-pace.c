/* SPDX-License-Identifier: MIT */
#include "analysis/vt-pace.h"
#include "run/vt-run-private.h"

#define WIDTH 1920
#define HEIGHT 1080
#define PX ((double)WIDTH * HEIGHT)

static const VitrailParam threshold = { .key = "threshold" }, radius = { .key = "radius" };
static const VitrailParam *const params[] = { &threshold, &radius };
static const VitrailOp op = { .id = "op", .n_params = 2, .params = params };

static VtRunRequest *
request_new(double x_l0, double first, double second)
{
  VtRunRequest *request = vt_run_request_new(NULL, &op);
  request->params = vt_params_new(&op, TRUE);
  request->params->values[0][0] = first;
  request->params->values[1][0] = second;
  request->x_l0 = (gint64)x_l0;
  request->width_l0 = WIDTH;
  request->height_l0 = HEIGHT;
  return request;
}

static double
choose(const VtPace *pace, double min_downsample, double times)
{
  g_autoptr(VtRunRequest) request = request_new(0, 0, 0);
  request->min_downsample = min_downsample;
  request->width_l0 = (gint64)(request->width_l0 * times);
  request->height_l0 = (gint64)(request->height_l0 * times);
  return vt_pace_choose(pace, request);
}

static void
test_choose(void)
{
  /* Quick runs need no first look: 30 ms, and 15 until they are drawn. */
  const VtPace quick = { .speed[VT_PACE_PARAMS] = 29 / PX, .downsample = 1 };
  g_assert_cmpfloat(choose(&quick, 1, 1), ==, 0);
  /* 120 ms: a quarter of the pixels take 30. */
  const VtPace usual = { .speed[VT_PACE_PARAMS] = 119 / PX, .downsample = 1 };
  g_assert_cmpfloat(choose(&usual, 1, 1), ==, 2);
  const VtPace slow = { .speed[VT_PACE_PARAMS] = 250 / PX, .downsample = 1 };
  g_assert_cmpfloat(choose(&slow, 1, 1), ==, 3);
  const VtPace slowest = { .speed[VT_PACE_PARAMS] = 9000 / PX, .downsample = 1 };
  g_assert_cmpfloat(choose(&slowest, 1, 1), ==, 4);
  /* Coarser than the op's own grid, or it would be the same run twice; coarser than what the screen shows. */
  const VtPace fine = { .speed[VT_PACE_PARAMS] = 250 / PX * 4, .downsample = 2 };
  g_assert_cmpfloat(choose(&fine, 1, 1), ==, 6);
  g_assert_cmpfloat(choose(&slow, 4, 4), ==, 12);
  /* Frames take their part: 30 ms leave 15, 60 leave none, and then it is 10. */
  const VtPace drawn_late = { .speed[VT_PACE_PARAMS] = 119 / PX, .downsample = 1, .follows_ms = 30 };
  g_assert_cmpfloat(choose(&drawn_late, 1, 1), ==, 3);
  const VtPace drawn_too_late = { .speed[VT_PACE_PARAMS] = 9.9 / PX, .downsample = 1, .follows_ms = 60 };
  g_assert_cmpfloat(choose(&drawn_too_late, 1, 1), ==, 0);
  /* Nothing is known: a guess. */
  const VtPace unknown = { 0 };
  g_assert_cmpfloat(choose(&unknown, 1, 1), >, 1);
  g_assert_cmpfloat(choose(&unknown, 1, 0.02), ==, 0);
}

/* The grid of a first look at that request; then it runs and takes so long. */
static double
run(VtPace *pace, double x_l0, double first, double second, double ms)
{
  g_autoptr(VtRunRequest) request = request_new(x_l0, first, second);
  g_autoptr(VtResult) result = vt_result_new(&op);
  const double chosen = vt_pace_choose(pace, request);
  vt_pace_start(pace, request, FALSE);
  result->record = json_from_string("{\"resolved\": {\"downsample\": 1}}", NULL);
  result->total_ms = ms;
  result->width_l0 = WIDTH;
  result->height_l0 = HEIGHT;
  vt_pace_learn(pace, result, FALSE);
  return chosen;
}

static void
test_changes(void)
{
  VtPace pace = { 0 };
  run(&pace, 0, 1, 1, 250);
  /* What a change of a parameter costs is not known before the first one, and then is. */
  g_assert_cmpfloat(run(&pace, 0, 2, 1, 25), ==, 3);
  g_assert_cmpfloat(run(&pace, 0, 3, 1, 25), ==, 0);
  /* Another one costs something else, and so does another view, or two of them at once. */
  g_assert_cmpfloat(run(&pace, 0, 3, 2, 110), ==, 3);
  g_assert_cmpfloat(run(&pace, 0, 3, 3, 110), ==, 2);
  g_assert_cmpfloat(run(&pace, 0, 4, 3, 25), ==, 0);
  g_assert_cmpfloat(run(&pace, 500, 4, 3, 250), ==, 3);
  g_assert_cmpfloat(run(&pace, 500, 5, 4, 250), ==, 3);
  g_assert_cmpfloat(run(&pace, 500, 6, 4, 25), ==, 0);
  vt_pace_clear(&pace);
}

/* A first look at a change of the first parameter, of a quarter of the pixels. */
static void
look(VtPace *pace, double first, double ms)
{
  g_autoptr(VtRunRequest) request = request_new(0, first, 1);
  g_autoptr(VtResult) result = vt_result_new(&op);
  vt_pace_start(pace, request, TRUE);
  result->record = json_from_string("{\"resolved\": {\"downsample\": 2}}", NULL);
  result->total_ms = ms;
  result->width_l0 = WIDTH;
  result->height_l0 = HEIGHT;
  vt_pace_learn(pace, result, TRUE);
}

/* 100 ms are 25 for a quarter of the pixels. A first look that took 45 has 20 that do not go with them, then half of that twice. */
static void
test_looks(void)
{
  VtPace pace = { 0 };
  run(&pace, 0, 1, 1, 100);
  run(&pace, 0, 2, 1, 100);
  g_assert_cmpfloat(run(&pace, 0, 3, 1, 100), ==, 2);
  look(&pace, 4, 45);
  g_assert_cmpfloat_with_epsilon(pace.extra_ms[0], 20, 1e-9);
  g_assert_cmpfloat(run(&pace, 0, 4, 1, 100), ==, 4);
  look(&pace, 5, 25);
  g_assert_cmpfloat_with_epsilon(pace.extra_ms[0], 10, 1e-9);
  g_assert_cmpfloat(run(&pace, 0, 5, 1, 100), ==, 3);
  look(&pace, 6, 20);
  g_assert_cmpfloat_with_epsilon(pace.extra_ms[0], 5, 1e-9);
  g_assert_cmpfloat(run(&pace, 0, 6, 1, 100), ==, 2);
  /* Of the other parameter nothing is known by that. */
  g_assert_cmpfloat(pace.extra_ms[1], ==, 0);
  vt_pace_learn_frame(&pace, 30);
  g_assert_cmpfloat(run(&pace, 0, 7, 1, 100), ==, 4);
  vt_pace_learn_frame(&pace, 0);
  g_assert_cmpfloat_with_epsilon(pace.follows_ms, 15, 1e-9);
  g_assert_cmpfloat(run(&pace, 0, 8, 1, 100), ==, 2);
  vt_pace_clear(&pace);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/pace/choose", test_choose);
  g_test_add_func("/app/pace/changes", test_changes);
  g_test_add_func("/app/pace/looks", test_looks);
  return g_test_run();
}
