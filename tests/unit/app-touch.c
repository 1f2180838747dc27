/* SPDX-License-Identifier: MIT
 *
 * A canvas in a window: two fingers on the slide and the system's inertia, by the signals of its gestures; which tiles stay
 * when it is out of sight; toasts that follow each other while frames come late.
 * usage: app-touch SLIDE (with a display) */
#include <adwaita.h>
#include <math.h>

#include "canvas/vt-canvas.h"
#include "layers/vt-layer.h"
#include "common/vt-motion.h"
#include "common/vt-settings.h"
#include "common/vt-toast.h"

#define WIDTH 800
#define HEIGHT 600
#define NOTCH_PX 64.0 /* without an event, speeds are in notches of a wheel */

typedef struct {
  VtCanvas *canvas;
  GtkEventController *zoom, *turn, *scroll, *motion;
} Touch;

static Touch touch;
static VtSlide *slide;

static void
spin(double ms)
{
  gint64 end_us = g_get_monotonic_time() + (gint64)(ms * 1000);
  while (g_get_monotonic_time() < end_us)
    if (!g_main_context_iteration(NULL, FALSE))
      g_usleep(1000);
}

static void
wait_for_rest(void)
{
  gint64 end_us = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;
  while (vt_canvas_get_moving(touch.canvas) && g_get_monotonic_time() < end_us)
    spin(10);
  g_assert_false(vt_canvas_get_moving(touch.canvas));
}

static GtkEventController *
find(GType type)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(GTK_WIDGET(touch.canvas));
  for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);
    if (G_TYPE_CHECK_INSTANCE_TYPE(controller, type))
      return controller;
  }
  g_assert_not_reached();
}

static void
fingers_at(double x, double y)
{
  g_signal_emit_by_name(touch.motion, "motion", x, y);
}

static void
fingers(double factor, double degrees)
{
  g_signal_emit_by_name(touch.turn, "angle-changed", 0.0, degrees * G_PI / 180);
  g_signal_emit_by_name(touch.zoom, "scale-changed", factor);
}

static void
take_hold(double x, double y)
{
  vt_canvas_set_upright(touch.canvas);
  vt_canvas_fit(touch.canvas);
  wait_for_rest();
  fingers_at(x, y);
  g_signal_emit_by_name(touch.zoom, "begin", NULL);
}

static void
let_go(void)
{
  g_signal_emit_by_name(touch.zoom, "end", NULL);
  spin(30);
}

/* How far (device pixels) a point of the slide is from where the fingers are. */
static double
get_drift(double x_l0, double y_l0, double x, double y)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(touch.canvas));
  double x_px, y_px;
  vt_viewport_from_l0(vt_canvas_get_view(touch.canvas), x_l0, y_l0, &x_px, &y_px);
  return hypot(x_px - x * scale, y_px - y * scale);
}

static void
get_point(double x, double y, double *x_l0, double *y_l0)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(touch.canvas));
  vt_viewport_to_l0(vt_canvas_get_view(touch.canvas), x * scale, y * scale, x_l0, y_l0);
}

static void
test_pinch(void)
{
  double x_l0, y_l0;
  take_hold(500, 250);
  double before = vt_canvas_get_view(touch.canvas)->downsample;
  get_point(500, 250, &x_l0, &y_l0);
  for (int step = 1; step <= 40; step++) {
    /* A hand turns a little as it spreads, and drifts. */
    double x = 500 - step, y = 250 + 2 * step;
    fingers_at(x, y);
    fingers(1 + step / 20.0, 0.6 * step);
    g_assert_cmpfloat(get_drift(x_l0, y_l0, x, y), <, 0.01);
  }
  g_assert_cmpfloat_with_epsilon(vt_canvas_get_view(touch.canvas)->downsample, before / 3, 1e-9);
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->angle, ==, 0);
  let_go();
  g_assert_cmpfloat(get_drift(x_l0, y_l0, 460, 330), <, 0.01);
}

static void
test_turn(void)
{
  double x_l0, y_l0;
  take_hold(360, 320);
  double before = vt_canvas_get_view(touch.canvas)->downsample, last = 0;
  get_point(360, 320, &x_l0, &y_l0);
  for (int step = 1; step <= 105; step++) {
    fingers(1 + step / 1000.0, step);
    double angle = vt_canvas_get_view(touch.canvas)->angle;
    g_assert_cmpfloat(fabs(angle - last), <, 1.001); /* it does not jump when it begins to turn */
    g_assert_cmpfloat(get_drift(x_l0, y_l0, 360, 320), <, 0.01);
    last = angle;
  }
  g_assert_cmpfloat_with_epsilon(last, 90, 1e-6);
  /* Once it turns it zooms too, and goes on beyond half a turn. */
  for (int step = 106; step <= 285; step++)
    fingers(1 + (step - 105) / 180.0, step);
  g_assert_cmpfloat_with_epsilon(vt_canvas_get_view(touch.canvas)->angle, 270, 1e-6);
  g_assert_cmpfloat_with_epsilon(vt_canvas_get_view(touch.canvas)->downsample, before / 2, 1e-9);
  g_assert_cmpfloat(get_drift(x_l0, y_l0, 360, 320), <, 0.01);
  let_go();
  vt_canvas_fit(touch.canvas);
  take_hold(360, 320);
  fingers(1, -14);
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->angle, ==, 0);
  fingers(1, -45);
  g_assert_cmpfloat_with_epsilon(vt_canvas_get_view(touch.canvas)->angle, 330, 1e-6);
  let_go();
}

/* At the end of the range nothing creeps, and only what is between the fingers moves with them. */
static void
test_limit(void)
{
  double x_l0, y_l0;
  take_hold(420, 310);
  get_point(420, 310, &x_l0, &y_l0);
  for (int step = 0; step < 200; step++)
    fingers(exp(step / 10.0), 0);
  g_assert_cmpfloat_with_epsilon(vt_canvas_get_view(touch.canvas)->downsample, VT_VIEWPORT_MIN_DOWNSAMPLE, 1e-12);
  g_assert_cmpfloat(get_drift(x_l0, y_l0, 420, 310), <, 0.01);
  let_go();
  g_assert_cmpfloat(get_drift(x_l0, y_l0, 420, 310), <, 1);
}

/* The system says how fast two fingers on a touchpad let go; the view goes the way that the glide's law says. */
static void
test_inertia(void)
{
  const double speed = 900;
  double scale = gtk_widget_get_scale_factor(GTK_WIDGET(touch.canvas));
  take_hold(400, 300);
  fingers(3, 0);
  let_go();
  VtViewport before = *vt_canvas_get_view(touch.canvas);
  g_signal_emit_by_name(touch.scroll, "decelerate", speed / NOTCH_PX, 0.0);
  g_assert_false(vt_canvas_get_moving(touch.canvas)); /* the wheel zooms: nothing glides */
  g_object_set(vt_settings_get(), "wheel-pans", TRUE, NULL);
  g_signal_emit_by_name(touch.scroll, "decelerate", 100 / NOTCH_PX, 0.0);
  g_assert_false(vt_canvas_get_moving(touch.canvas)); /* so slow a hand means to stop */
  g_signal_emit_by_name(touch.scroll, "decelerate", speed / NOTCH_PX, 0.0);
  g_assert_true(vt_canvas_get_moving(touch.canvas));
  wait_for_rest();
  double way = (vt_canvas_get_view(touch.canvas)->centre_x_l0 - before.centre_x_l0) / before.downsample / scale;
  g_assert_cmpfloat_with_epsilon(way, (speed - VT_MOTION_REST_PX_S) * VT_MOTION_GLIDE_MS / 1000, 1);
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->centre_y_l0, ==, before.centre_y_l0);
  /* Fingers that come back stop it. */
  g_signal_emit_by_name(touch.scroll, "decelerate", -speed / NOTCH_PX, 0.0);
  spin(40);
  g_signal_emit_by_name(touch.zoom, "begin", NULL);
  double x_l0 = vt_canvas_get_view(touch.canvas)->centre_x_l0;
  spin(60);
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->centre_x_l0, ==, x_l0);
  let_go();
  g_object_set(vt_settings_get(), "wheel-pans", FALSE, NULL);
}

/* What comes while the view still turns lets it turn to its end. */
static void
test_interrupted(void)
{
  vt_canvas_turn(touch.canvas, 90);
  spin(40);
  vt_canvas_fit(touch.canvas);
  wait_for_rest();
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->angle, ==, 90);
  vt_canvas_turn(touch.canvas, 90);
  spin(40);
  fingers_at(300, 300);
  gboolean taken = FALSE;
  g_signal_emit_by_name(touch.scroll, "scroll", 0.0, -1.0, &taken);
  wait_for_rest();
  g_assert_true(taken);
  g_assert_cmpfloat(vt_canvas_get_view(touch.canvas)->angle, ==, 180);
}

/* Tiles of the canvas's view that a store has, and how many there should be. */
static guint
count_tiles(VtTileStore *store, guint *n)
{
  const VtViewport *view = vt_canvas_get_view(touch.canvas);
  int level = vt_tile_store_get_level(store);
  VtTileRange range = vt_tile_store_get_range(store, view, level);
  guint found = 0;
  *n = 0;
  for (gint64 row = range.first_row; row <= range.last_row; row++)
    for (gint64 col = range.first_col; col <= range.last_col; col++, (*n)++)
      found += vt_tile_store_lookup(store, level, col, row) != NULL;
  return found;
}

/* Another slide is looked at: what it shows stays, and what is out of sight makes room until it is looked at again. */
static void
test_hidden(void)
{
  guint n = 0;
  VtTileStore *own = vt_canvas_get_store(touch.canvas);
  g_autoptr(VtTileStore) other = vt_tile_store_new(slide);
  vt_canvas_set_upright(touch.canvas);
  vt_canvas_set_downsample(touch.canvas, 1);
  wait_for_rest();
  vt_tile_store_set_view(other, vt_canvas_get_view(touch.canvas));
  for (int i = 0; i < 500 && !(vt_canvas_get_sharp(touch.canvas) && vt_tile_store_get_sharp(other)); i++)
    spin(20);
  vt_tile_store_set_budget(1);
  g_assert_cmpuint(count_tiles(own, &n), ==, n);
  g_assert_cmpuint(n, >, 2);
  gtk_widget_set_visible(GTK_WIDGET(touch.canvas), FALSE);
  spin(40);
  vt_tile_store_set_budget(1);
  g_assert_cmpuint(count_tiles(own, &n), ==, 0);
  g_assert_cmpuint(count_tiles(other, &n), ==, n);
  gtk_widget_set_visible(GTK_WIDGET(touch.canvas), TRUE);
  vt_tile_store_set_budget((gsize)512 << 20);
  g_assert_false(vt_canvas_get_sharp(touch.canvas));
  for (int i = 0; i < 500 && !vt_canvas_get_sharp(touch.canvas); i++)
    spin(20);
  g_assert_cmpuint(count_tiles(own, &n), ==, n);
}

/* The next toast is due before a frame has shown that the first one is gone, and its button is pressed at once. */
static void
test_toasts(void)
{
  GtkWidget *window = gtk_window_new(), *overlay = adw_toast_overlay_new(), *child = gtk_label_new("");
  adw_toast_overlay_set_child(ADW_TOAST_OVERLAY(overlay), child);
  gtk_window_set_child(GTK_WINDOW(window), overlay);
  gtk_window_present(GTK_WINDOW(window));
  spin(300);
  g_autoptr(AdwToast) first = adw_toast_new("first"), next = adw_toast_new("next");
  vt_toast_show(ADW_TOAST_OVERLAY(overlay), g_object_ref(first));
  vt_toast_show(ADW_TOAST_OVERLAY(overlay), g_object_ref(next));
  spin(700);
  vt_toast_dismiss(first);
  g_usleep(600 * 1000);
  for (int i = 0; i < 5000 && !adw_toast_get_button_label(next); i++) {
    GtkWidget *last = gtk_widget_get_last_child(overlay);
    if (last != child && g_strrstr(G_OBJECT_TYPE_NAME(last), "Toast") && gtk_widget_get_can_focus(last))
      adw_toast_set_button_label(next, "Undo");
    spin(1);
  }
  g_assert_nonnull(adw_toast_get_button_label(next));
  adw_toast_dismiss(next);
  spin(1500);
  g_assert_true(gtk_widget_get_last_child(overlay) == child);
  gtk_window_destroy(GTK_WINDOW(window));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc < 2)
    g_error("usage: app-touch SLIDE");
  adw_init();
  g_autoptr(GError) error = NULL;
  slide = vt_slide_open(argv[1], &error);
  g_assert_no_error(error);
  GtkWidget *window = gtk_window_new();
  touch.canvas = g_object_new(VT_TYPE_CANVAS, NULL);
  g_autoptr(GListStore) layers = g_list_store_new(VT_TYPE_LAYER);
  g_autoptr(VtLayer) lowest = vt_layer_new_slide();
  g_list_store_append(layers, lowest);
  vt_canvas_set_layers(touch.canvas, G_LIST_MODEL(layers));
  g_autoptr(GListStore) rois = g_list_store_new(G_TYPE_OBJECT);
  vt_canvas_set_rois(touch.canvas, G_LIST_MODEL(rois));
  gtk_window_set_default_size(GTK_WINDOW(window), WIDTH, HEIGHT);
  gtk_window_set_child(GTK_WINDOW(window), GTK_WIDGET(touch.canvas));
  gtk_window_present(GTK_WINDOW(window));
  vt_canvas_set_slide(touch.canvas, slide);
  for (int i = 0; i < 200 && vt_canvas_get_view(touch.canvas)->width_px <= 0; i++)
    spin(20);
  touch.zoom = find(GTK_TYPE_GESTURE_ZOOM);
  touch.turn = find(GTK_TYPE_GESTURE_ROTATE);
  touch.scroll = find(GTK_TYPE_EVENT_CONTROLLER_SCROLL);
  touch.motion = find(GTK_TYPE_EVENT_CONTROLLER_MOTION);
  g_assert_true(gtk_gesture_is_grouped_with(GTK_GESTURE(touch.zoom), GTK_GESTURE(touch.turn)));
  g_test_add_func("/touch/interrupted", test_interrupted);
  g_test_add_func("/touch/hidden", test_hidden);
  g_test_add_func("/touch/pinch", test_pinch);
  g_test_add_func("/touch/turn", test_turn);
  g_test_add_func("/touch/limit", test_limit);
  g_test_add_func("/touch/inertia", test_inertia);
  g_test_add_func("/touch/toasts", test_toasts);
  int failed = g_test_run();
  gtk_window_destroy(GTK_WINDOW(window));
  vt_slide_unref(slide);
  return failed;
}
