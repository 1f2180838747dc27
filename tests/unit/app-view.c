/* SPDX-License-Identifier: MIT
 *
 * The arithmetic behind the canvas: what is seen where, how far zoom and pan may go, lengths as people read them. */
#include <math.h>

#include "window/vt-link.h"
#include "common/vt-motion.h"
#include "common/vt-scale.h"
#include "common/vt-trail.h"
#include "common/vt-viewport.h"

#define WIDTH_L0 10000.0
#define HEIGHT_L0 6000.0

static VtViewport
view_new(double x_l0, double y_l0, double downsample)
{
  return (VtViewport){ x_l0, y_l0, downsample, 1200, 800 };
}

static void
test_round_trip(void)
{
  VtViewport view = view_new(1234.5, 987.25, 3.7);
  for (double x = -50; x <= 1300; x += 270) {
    double x_l0, y_l0, x_px, y_px;
    vt_viewport_to_l0(&view, x, x / 2, &x_l0, &y_l0);
    vt_viewport_from_l0(&view, x_l0, y_l0, &x_px, &y_px);
    g_assert_cmpfloat_with_epsilon(x_px, x, 1e-9);
    g_assert_cmpfloat_with_epsilon(y_px, x / 2, 1e-9);
  }
}

static void
test_zoom_keeps_point(void)
{
  VtViewport view = view_new(5000, 3000, 4);
  double x0, y0, x1, y1;
  vt_viewport_to_l0(&view, 100, 700, &x0, &y0);
  for (int i = 0; i < 40; i++)
    vt_viewport_zoom_at(&view, view.downsample / 1.3, 100, 700);
  vt_viewport_to_l0(&view, 100, 700, &x1, &y1);
  g_assert_cmpfloat_with_epsilon(x0, x1, 1e-6);
  g_assert_cmpfloat_with_epsilon(y0, y1, 1e-6);
}

static void
test_fit_shows_everything(void)
{
  VtViewport view = view_new(0, 0, 1);
  gint64 x, y, width, height;
  vt_viewport_fit(&view, WIDTH_L0, HEIGHT_L0);
  g_assert_true(vt_viewport_get_visible_l0(&view, (gint64)WIDTH_L0, (gint64)HEIGHT_L0, &x, &y, &width, &height));
  g_assert_cmpint(x, ==, 0);
  g_assert_cmpint(y, ==, 0);
  g_assert_cmpint(width, ==, (gint64)WIDTH_L0);
  g_assert_cmpint(height, ==, (gint64)HEIGHT_L0);
}

static void
test_slide_cannot_be_lost(void)
{
  static const double far[] = { -1e12, -1, 0, 5000, 1e12 };
  static const double zooms[] = { 1e-9, 0.5, 1, 7, 1e9 };
  gint64 x, y, width, height;
  for (guint i = 0; i < G_N_ELEMENTS(far); i++) {
    for (guint j = 0; j < G_N_ELEMENTS(zooms); j++) {
      VtViewport view = view_new(far[i], -far[i], zooms[j]);
      vt_viewport_clamp(&view, WIDTH_L0, HEIGHT_L0);
      g_assert_true(vt_viewport_get_visible_l0(&view, (gint64)WIDTH_L0, (gint64)HEIGHT_L0, &x, &y, &width, &height));
      g_assert_cmpint(x, >=, 0);
      g_assert_cmpint(x + width, <=, (gint64)WIDTH_L0);
      g_assert_cmpint(y + height, <=, (gint64)HEIGHT_L0);
    }
  }
}

static void
test_smallest_slide(void)
{
  VtViewport view = view_new(0, 0, 1);
  vt_viewport_fit(&view, 1, 1);
  vt_viewport_clamp(&view, 1, 1);
  g_assert_cmpfloat(view.downsample, ==, VT_VIEWPORT_MIN_DOWNSAMPLE);
}

static void
test_small_slide_at_1x(void)
{
  VtViewport view = view_new(2048, 2048, 20);
  vt_viewport_clamp(&view, 4096, 4096);
  g_assert_cmpfloat(view.downsample, ==, 20);
  view.downsample = 100;
  vt_viewport_clamp(&view, 4096, 4096);
  g_assert_cmpfloat(view.downsample, ==, 40);
}

static void
test_bar(void)
{
  for (double per_px = 1e-3; per_px < 1e5; per_px *= 1.37) {
    double length = vt_scale_choose_bar(per_px, 160);
    double mantissa = length / pow(10, floor(log10(length) + 1e-9));
    g_assert_true(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
    g_assert_cmpfloat(length / per_px, <=, 160 * (1 + 1e-6));
    g_assert_cmpfloat(length / per_px, >, 160 / 2.5 * (1 - 1e-6));
  }
}

static void
check_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

static void
test_texts(void)
{
  check_text(vt_scale_dup_length(0.5), "500 nm");
  check_text(vt_scale_dup_length(20), "20 µm");
  check_text(vt_scale_dup_length(2000), "2 mm");
  check_text(vt_scale_dup_magnification(0.25, 0, 1), "40×");
  check_text(vt_scale_dup_magnification(0.5, 40, 4), "5×");
  check_text(vt_scale_dup_magnification(0, 20, 8), "2.5×");
  check_text(vt_scale_dup_magnification(0, 0, 2), "50 %");
}

static void
test_magnification_means_own_pixels(void)
{
  g_assert_cmpfloat(vt_scale_get_downsample(0.499, 20, 20), ==, 1);
  g_assert_cmpfloat(vt_scale_get_downsample(0.2520, 40, 10), ==, 4);
  g_assert_cmpfloat(vt_scale_get_downsample(0.25, 0, 80), ==, 0.5);
  g_assert_cmpfloat_with_epsilon(vt_scale_get_downsample(0.3, 0, 20), 10 / 6.0, 1e-12);
  g_assert_cmpfloat(vt_scale_get_downsample(0, 0, 20), ==, 0);
}

static void
test_magnification_of_a_view(void)
{
  static const double powers[] = { 1, 2.5, 5, 10, 20, 40 };
  for (guint i = 0; i < G_N_ELEMENTS(powers); i++) {
    double downsample = vt_scale_get_downsample(0.25, 40, powers[i]);
    g_assert_cmpfloat_with_epsilon(vt_scale_get_magnification(0.25, 40, downsample), powers[i], 1e-9);
    downsample = vt_scale_get_downsample(0, 40, powers[i]);
    g_assert_cmpfloat_with_epsilon(vt_scale_get_magnification(0, 40, downsample), powers[i], 1e-9);
  }
  g_assert_cmpfloat(vt_scale_get_magnification(0, 0, 4), ==, 0);
}

static void
test_mix(void)
{
  VtViewport from = view_new(5000, 3000, 4), to = from, view, before = from;
  double x0, y0, x1, y1;
  vt_viewport_zoom_at(&to, 1, 100, 700);
  vt_viewport_to_l0(&from, 100, 700, &x0, &y0);
  for (double t = 0; t <= 1; t += 0.125) {
    vt_motion_mix(&from, &to, t, &view);
    vt_viewport_to_l0(&view, 100, 700, &x1, &y1);
    g_assert_cmpfloat_with_epsilon(x0, x1, 1e-6);
    g_assert_cmpfloat_with_epsilon(y0, y1, 1e-6);
    g_assert_cmpfloat(view.downsample, <=, before.downsample);
    before = view;
  }
  g_assert_true(vt_viewport_equal(&view, &to));
  vt_motion_mix(&from, &to, 0, &view);
  g_assert_true(vt_viewport_equal(&view, &from));
  to = view_new(6000, 2000, 4);
  vt_motion_mix(&from, &to, 0.25, &view);
  g_assert_cmpfloat(view.centre_x_l0, ==, 5250);
  g_assert_cmpfloat(view.centre_y_l0, ==, 2750);
}

static void
test_ease_and_glide(void)
{
  g_assert_cmpfloat(vt_motion_ease_out(-1), ==, 0);
  g_assert_cmpfloat(vt_motion_ease_out(2), ==, 1);
  g_assert_cmpfloat(vt_motion_ease_out(0.5), >, 0.5);
  g_assert_cmpfloat(vt_motion_glide_duration_ms(VT_MOTION_REST_PX_S), ==, 0);
  double duration = vt_motion_glide_duration_ms(1000);
  /* The speed at the end is that of rest, and the way is what was lost of it. */
  double speed = (vt_motion_glide_way(duration + 0.01) - vt_motion_glide_way(duration)) * 1000 / 0.01e-3;
  g_assert_cmpfloat_with_epsilon(speed, VT_MOTION_REST_PX_S, 0.01);
  g_assert_cmpfloat_with_epsilon(1000 * vt_motion_glide_way(duration), (1000 - VT_MOTION_REST_PX_S) * 0.25, 1e-6);
}

static void
test_flick(void)
{
  VtFlick flick = { .n = 0 };
  double x, y;
  vt_flick_get_speed(&flick, 0, &x, &y);
  g_assert_cmpfloat(x, ==, 0);
  for (int i = 0; i < 50; i++)
    vt_flick_add(&flick, 10 * i, 5 * i, -2 * i);
  vt_flick_get_speed(&flick, 500, &x, &y);
  g_assert_cmpfloat_with_epsilon(x, 500, 1e-9);
  g_assert_cmpfloat_with_epsilon(y, -200, 1e-9);
  vt_flick_get_speed(&flick, 700, &x, &y);
  g_assert_cmpfloat(x, ==, 0);
  /* Two events in the same millisecond say nothing. */
  flick.n = 0;
  vt_flick_add(&flick, 10, 0, 0);
  vt_flick_add(&flick, 10, 9, 9);
  vt_flick_get_speed(&flick, 10, &x, &y);
  g_assert_cmpfloat(x, ==, 0);
}

static void
test_box(void)
{
  VtViewport view = view_new(5000, 3000, 1);
  double x, y, width, height;
  vt_viewport_get_box(&view, WIDTH_L0, HEIGHT_L0, 200, 120, 6, &x, &y, &width, &height);
  g_assert_cmpfloat_with_epsilon(width, 24, 1e-9);
  g_assert_cmpfloat_with_epsilon(height, 16, 1e-9);
  g_assert_cmpfloat_with_epsilon(x + width / 2, 100, 1e-9);
  g_assert_cmpfloat_with_epsilon(y + height / 2, 60, 1e-9);
  /* Tiny and in a corner: large enough to be seen, and inside. */
  view = view_new(WIDTH_L0, 0, 0.05);
  vt_viewport_get_box(&view, WIDTH_L0, HEIGHT_L0, 200, 120, 6, &x, &y, &width, &height);
  g_assert_cmpfloat(width, ==, 6);
  g_assert_cmpfloat(x, ==, 194);
  g_assert_cmpfloat(y, ==, 0);
  view = view_new(5000, 3000, 1000);
  vt_viewport_get_box(&view, WIDTH_L0, HEIGHT_L0, 200, 120, 6, &x, &y, &width, &height);
  g_assert_cmpfloat(width, ==, 200);
  g_assert_cmpfloat(height, ==, 120);
}

static void
test_trail(void)
{
  g_autofree VtTrail *trail = vt_trail_new(25600, 12850), *dot = vt_trail_new(1, 1);
  g_assert_cmpint(trail->n_cols, ==, 256);
  g_assert_cmpint(trail->n_rows, ==, 128);
  VtViewport all = { 12800, 6400, 100, 1e12, 1e12, 0, FALSE };
  g_assert_false(vt_trail_mark(trail, &all, 51, 51, 90, 90));
  g_assert_false(trail->any);
  g_assert_true(vt_trail_mark(trail, &all, 40, 140, 120, 20));
  g_assert_cmpint(trail->seen[256], ==, 1);
  g_assert_cmpint(trail->seen[257], ==, 1);
  g_assert_cmpint(trail->seen[258], ==, 0);
  g_assert_cmpint(trail->seen[0], ==, 0);
  g_assert_false(vt_trail_mark(trail, &all, 40, 140, 120, 20));
  g_assert_true(vt_trail_mark(trail, &all, -1e9, -1e9, 2e9, 2e9));
  g_assert_cmpint(trail->seen[256 * 128 - 1], ==, 1);
  g_assert_true(vt_trail_mark(dot, &all, 0, 0, 1, 1));
}

/* Turned by 45° a view sees a lozenge, not the rectangle around it. */
static void
test_turned_trail(void)
{
  g_autofree VtTrail *trail = vt_trail_new(25600, 25600);
  VtViewport view = { 12800, 12800, 10, 800, 800, 45, FALSE };
  gint64 x, y, width, height;
  guint n = 0;
  g_assert_true(vt_viewport_get_visible_l0(&view, 25600, 25600, &x, &y, &width, &height));
  g_assert_cmpint(width, >=, 11313);
  g_assert_true(vt_trail_mark(trail, &view, (double)x, (double)y, (double)width, (double)height));
  for (guint i = 0; i < 256 * 256; i++)
    n += trail->seen[i];
  g_assert_cmpuint(n, >, 6400 * 98 / 100);
  g_assert_cmpuint(n, <, 6400 * 102 / 100);
}

static void
test_turned_round_trip(void)
{
  for (double angle = -720; angle <= 720; angle += 37.5) {
    for (int mirrored = 0; mirrored < 2; mirrored++) {
      VtViewport view = view_new(1234.5, 987.25, 3.7), before;
      double x, y, x_l0, y_l0;
      view.mirrored = mirrored;
      vt_viewport_turn(&view, angle);
      g_assert_true(view.angle >= 0 && view.angle < 360);
      vt_viewport_to_l0(&view, 100, 700, &x_l0, &y_l0);
      vt_viewport_from_l0(&view, x_l0, y_l0, &x, &y);
      g_assert_cmpfloat_with_epsilon(x, 100, 1e-9);
      g_assert_cmpfloat_with_epsilon(y, 700, 1e-9);
      /* Pan and zoom mean the screen's directions, whichever way up the slide lies. */
      before = view;
      vt_viewport_zoom_at(&view, 1.25, 100, 700);
      vt_viewport_pan(&view, 30, -20);
      vt_viewport_from_l0(&view, x_l0, y_l0, &x, &y);
      g_assert_cmpfloat_with_epsilon(x, 70, 1e-6);
      g_assert_cmpfloat_with_epsilon(y, 720, 1e-6);
      /* Seen in a mirror, what was on the left is on the right, at the same height. */
      vt_viewport_mirror(&before);
      vt_viewport_from_l0(&before, x_l0, y_l0, &x, &y);
      g_assert_cmpfloat_with_epsilon(x, 1200 - 100, 1e-6);
      g_assert_cmpfloat_with_epsilon(y, 700, 1e-6);
    }
  }
}

/* Level 0's pixel edges fall on whole device pixels also when turned by right angles: no interpolation, no seams. */
static void
test_right_angles_are_exact(void)
{
  for (int quarter = 0; quarter < 8; quarter++) {
    VtViewport view = { 512, 512, 1, 800, 600, 0, quarter >= 4 }, sheet;
    vt_viewport_turn(&view, 90 * quarter);
    vt_viewport_get_sheet(&view, &sheet);
    g_assert_cmpfloat(sheet.width_px, ==, quarter % 2 ? 600 : 800);
    for (int i = 0; i < 3; i++) {
      double x, y, sheet_x, sheet_y;
      vt_viewport_from_l0(&view, 512 * i, 512, &x, &y);
      vt_viewport_from_l0(&sheet, 512 * i, 512, &sheet_x, &sheet_y);
      g_assert_true(x == floor(x) && y == floor(y));
      g_assert_true(sheet_x == floor(sheet_x) && sheet_y == floor(sheet_y));
    }
  }
}

static void
test_turned_fit(void)
{
  for (double angle = 0; angle < 360; angle += 15) {
    VtViewport view = view_new(0, 0, 1);
    vt_viewport_turn(&view, angle);
    vt_viewport_fit(&view, WIDTH_L0, HEIGHT_L0);
    for (int i = 0; i < 4; i++) {
      double x, y;
      vt_viewport_from_l0(&view, i & 1 ? WIDTH_L0 : 0, i & 2 ? HEIGHT_L0 : 0, &x, &y);
      g_assert_true(x > 0 && y > 0 && x < view.width_px && y < view.height_px);
    }
  }
}

static void
test_turning_goes_the_shorter_way(void)
{
  VtViewport from = view_new(5000, 3000, 4), to = from, view;
  vt_viewport_turn(&from, 350);
  vt_viewport_turn(&to, 20);
  vt_motion_mix(&from, &to, 0.5, &view);
  g_assert_cmpfloat(view.angle, ==, 5);
  vt_motion_mix(&to, &from, 0.9, &view);
  g_assert_cmpfloat(view.angle, ==, 353);
}

/* Another slide, at another place, magnification and angle: what is done to one is done to the other, on the screen; and
 * coming back comes back exactly, whatever was in between. */
static void
test_link(void)
{
  VtViewport leader_base = view_new(5000, 3000, 4), base = view_new(700, 900, 2.5), leader, follower = base;
  double x, y, x_l0, y_l0, follower_x_l0, follower_y_l0;
  vt_viewport_turn(&base, 30);
  for (int i = 0; i < 64; i++) {
    leader = leader_base;
    vt_viewport_to_l0(&leader, 300, 500, &x_l0, &y_l0);
    vt_viewport_to_l0(&base, 300, 500, &follower_x_l0, &follower_y_l0);
    vt_viewport_pan(&leader, 13.0 * i, -7.0 * i);
    vt_viewport_zoom_at(&leader, 4.0 / (1 + i % 5), 100, 200);
    vt_viewport_turn(&leader, 15 * i);
    if (i % 2)
      vt_viewport_mirror(&leader);
    vt_link_follow(&leader_base, &leader, &base, &follower);
    g_assert_cmpfloat_with_epsilon(follower.downsample / leader.downsample, 2.5 / 4, 1e-12);
    /* A point that both showed at one place of the screen is at one place again. */
    vt_viewport_from_l0(&leader, x_l0, y_l0, &x, &y);
    vt_viewport_from_l0(&follower, follower_x_l0, follower_y_l0, &x_l0, &y_l0);
    g_assert_cmpfloat_with_epsilon(x, x_l0, 1e-6);
    g_assert_cmpfloat_with_epsilon(y, y_l0, 1e-6);
  }
  vt_link_follow(&leader_base, &leader_base, &base, &follower);
  g_assert_true(vt_viewport_equal(&follower, &base));
}

/* The words lead back to the view: a person who does what they say sees the same. */
static void
test_turn_texts(void)
{
  check_text(vt_scale_dup_turn(0, FALSE), "");
  check_text(vt_scale_dup_turn(270, FALSE), "  ·  270°");
  check_text(vt_scale_dup_turn(0, TRUE), "  ·  mirrored");
  VtViewport view = { .downsample = 1, .width_px = 400, .height_px = 300 }, mirrored_first = view;
  vt_viewport_turn(&view, 90);
  vt_viewport_mirror(&view);
  check_text(vt_scale_dup_turn(view.angle, view.mirrored), "  ·  90°, then mirrored");
  vt_viewport_mirror(&mirrored_first);
  vt_viewport_turn(&mirrored_first, 90);
  check_text(vt_scale_dup_turn(mirrored_first.angle, mirrored_first.mirrored), "  ·  mirrored, then 90°");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/view/round-trip", test_round_trip);
  g_test_add_func("/app/view/zoom-keeps-point", test_zoom_keeps_point);
  g_test_add_func("/app/view/fit", test_fit_shows_everything);
  g_test_add_func("/app/view/clamp", test_slide_cannot_be_lost);
  g_test_add_func("/app/view/smallest-slide", test_smallest_slide);
  g_test_add_func("/app/view/small-slide", test_small_slide_at_1x);
  g_test_add_func("/app/scale/turn", test_turn_texts);
  g_test_add_func("/app/scale/bar", test_bar);
  g_test_add_func("/app/scale/texts", test_texts);
  g_test_add_func("/app/scale/own-pixels", test_magnification_means_own_pixels);
  g_test_add_func("/app/scale/magnification", test_magnification_of_a_view);
  g_test_add_func("/app/motion/mix", test_mix);
  g_test_add_func("/app/motion/glide", test_ease_and_glide);
  g_test_add_func("/app/motion/flick", test_flick);
  g_test_add_func("/app/view/box", test_box);
  g_test_add_func("/app/trail/mark", test_trail);
  g_test_add_func("/app/trail/turned", test_turned_trail);
  g_test_add_func("/app/view/link", test_link);
  g_test_add_func("/app/view/turned-round-trip", test_turned_round_trip);
  g_test_add_func("/app/view/right-angles", test_right_angles_are_exact);
  g_test_add_func("/app/view/turned-fit", test_turned_fit);
  g_test_add_func("/app/motion/turn", test_turning_goes_the_shorter_way);
  return g_test_run();
}
