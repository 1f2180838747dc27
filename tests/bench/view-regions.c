/* SPDX-License-Identifier: MIT
 *
 * Outlines of annotations over a moving view, as cairo draws them: what the main thread does per frame for them alone, 1920 x 1080. Needs a display (xvfb-run). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/vt-region-edits.h"
#include "canvas/vt-canvas-private.h"
#include "view-bench.h"

#define WIDTH 1920
#define HEIGHT 1080
#define N_FRAMES 60
#define FRAME_MS 16.667

/* As a hand or the wand draws it: it trembles by 3 pixels of the slide. No two edges cross. */
static VtRoi *
make_outline(GRand *rand, guint n, double x, double y, double radius)
{
  g_autofree double *points = g_new(double, 2 * (gsize)n);
  for (guint i = 0; i < n; i++) {
    const double angle = 2 * G_PI * i / n, length = radius * (0.9 + 0.05 * sin(7 * angle)) + 3 * g_rand_double(rand);
    points[2 * i] = x + length * cos(angle);
    points[2 * i + 1] = y + length * sin(angle);
  }
  return vt_roi_new_polygon("ROI", points, n);
}

static double
get_work_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double
do_frame(VtCanvas *canvas, cairo_surface_t *surface, guint frame, double downsample)
{
  const VtViewport sheet = { .width_px = WIDTH,
                             .height_px = HEIGHT,
                             .downsample = downsample,
                             .centre_x_l0 = 100 * cos(frame * 0.02),
                             .centre_y_l0 = 100 * sin(frame * 0.026) };
  const double start = get_work_ms();
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_canvas_draw_rois(canvas, snapshot, &sheet, 1);
  GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
  cairo_t *cr = cairo_create(surface);
  if (node)
    gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
  g_clear_pointer(&node, gsk_render_node_unref);
  return get_work_ms() - start;
}

static void
measure(VtCanvas *canvas, GListStore *rois, cairo_surface_t *surface, guint n_regions, guint n_corners,
        double downsample)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  g_list_store_remove_all(rois);
  const guint side = (guint)ceil(sqrt(n_regions));
  for (guint i = 0; i < n_regions; i++) {
    const double step = 1800.0 / side, x = -900 + step * (i % side + 0.5), y = -900 + step * (i / side + 0.5);
    g_autoptr(VtRoiItem) item = vt_roi_item_new(make_outline(rand, n_corners, x, y, step / 2));
    g_list_store_append(rois, item);
  }
  guint n_late = 0;
  for (guint frame = 0; frame < N_FRAMES; frame++) {
    const double ms = do_frame(canvas, surface, frame, downsample);
    g_array_append_val(times, ms);
    n_late += ms > FRAME_MS;
  }
  printf("| %u | %u | 1:%g | %.2f | %.2f | %.2f | %u |\n", n_regions, n_corners, downsample, view_quantile(times, 0.5),
         view_quantile(times, 0.99), view_quantile(times, 1), n_late);
  fflush(stdout); /* the largest take a while */
}

static double
reshape(VtRegions *regions, guint place, const VtRoi *shape)
{
  g_autoptr(VtRoiItem) item = g_list_model_get_item(vt_regions_get_list(regions), place);
  const double start = get_work_ms();
  vt_region_edits_reshape(regions, item, vt_roi_copy(shape), NULL);
  return get_work_ms() - start;
}

/* The tree: n regions in one. */
static void
measure_tree(guint n)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(VtRoi) all = make_outline(rand, 5000, 0, 0, 9000), one = make_outline(rand, 50, 1500, 0, 30);
  g_ptr_array_add(rois, vt_roi_copy(all));
  for (guint i = 1; i < n; i++)
    g_ptr_array_add(rois, make_outline(rand, 50, 80.0 * (i % 70) - 2800, 80.0 * (i / 70) - 2800, 30));
  const double start = get_work_ms();
  vt_regions_add(regions, rois, TRUE);
  const double added = get_work_ms() - start, moved = reshape(regions, 9, one), outer = reshape(regions, 0, one);
  printf("\nTree of %u annotations of 50 corners in one of 5000, processor ms of the main thread: all come at once "
         "%.1f, one "
         "gets another outline %.2f, the outer one %.1f\n",
         n, added, moved, outer);
}

int
view_regions(const char *slide, guint n)
{
  if (!gtk_init_check()) {
    printf("SKIP: there is no display\n");
    return 77;
  }
  VtCanvas *canvas = g_object_ref_sink(g_object_new(VT_TYPE_CANVAS, NULL));
  g_autoptr(GListStore) rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  vt_canvas_set_rois(canvas, G_LIST_MODEL(rois));
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  printf("Outlines over a moving view of %d x %d, drawn by cairo; milliseconds of the main thread's processor time per "
         "frame, %d frames. All corners are seen at 1:2.\n\n"
         "| regions | corners each | zoom | median ms | 99 %% ms | worst ms | over 16.7 ms |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n",
         WIDTH, HEIGHT, N_FRAMES);
  for (double downsample = 1; downsample <= 2; downsample++) {
    for (guint corners = 1000; corners <= n; corners *= 5)
      measure(canvas, rois, surface, 1, corners, downsample);
    measure(canvas, rois, surface, n / 50, 50, downsample);
  }
  measure_tree(n / 5);
  cairo_surface_destroy(surface);
  g_object_unref(canvas);
  return 0;
}
