/* SPDX-License-Identifier: MIT */
#include "vt-pace.h"

#define VIEW (1920.0 * 1080)

static void
test_choose(void)
{
  /* Quick runs need no first look. */
  const VtPace quick = { .ms_per_pixel = 80 / VIEW, .downsample = 1 };
  g_assert_cmpfloat(vt_pace_choose(&quick, VIEW, 1), ==, 0);
  /* 120 ms: a quarter of the pixels take 30. */
  const VtPace usual = { .ms_per_pixel = 120 / VIEW, .downsample = 1 };
  g_assert_cmpfloat(vt_pace_choose(&usual, VIEW, 1), ==, 2);
  const VtPace slow = { .ms_per_pixel = 300 / VIEW, .downsample = 1 };
  g_assert_cmpfloat(vt_pace_choose(&slow, VIEW, 1), ==, 3);
  const VtPace slowest = { .ms_per_pixel = 9000 / VIEW, .downsample = 1 };
  g_assert_cmpfloat(vt_pace_choose(&slowest, VIEW, 1), ==, 4);
  /* Coarser than the op's own grid, or it would be the same run twice; coarser than what the screen shows. */
  const VtPace fine = { .ms_per_pixel = 300 / VIEW * 4, .downsample = 2 };
  g_assert_cmpfloat(vt_pace_choose(&fine, VIEW, 1), ==, 6);
  g_assert_cmpfloat(vt_pace_choose(&slow, 16 * VIEW, 4), ==, 12);
  /* Nothing is known: a guess. */
  const VtPace unknown = { 0 };
  g_assert_cmpfloat(vt_pace_choose(&unknown, VIEW, 1), >, 1);
  g_assert_cmpfloat(vt_pace_choose(&unknown, 1000, 1), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/pace/choose", test_choose);
  return g_test_run();
}
