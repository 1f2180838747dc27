/* SPDX-License-Identifier: MIT
 *
 * A million made-up nuclei: time and memory of the index, time to paint a view at three powers, to move it a little, to pick
 * one, to count them all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view-bench.h"
#include "layers/vt-outline-paint.h"

#define SPACING 26 /* level-0 pixels between neighbours */
#define N_POINTS 24
#define VIEW_WIDTH 1920
#define VIEW_HEIGHT 1080
#define ROUNDS 7

static double
now_ms(void)
{
  return (double)g_get_monotonic_time() / 1000;
}

static VtObject *
object_new(GRand *rand, gint64 id, double x, double y)
{
  const guint32 n = N_POINTS;
  double points[2 * N_POINTS];
  const double radius = g_rand_double_range(rand, 7, 13), flat = g_rand_double_range(rand, 0.6, 1);
  for (guint i = 0; i < n; i++) {
    const double angle = 2 * G_PI * i / n;
    points[2 * i] = x + radius * cos(angle);
    points[2 * i + 1] = y + radius * flat * sin(angle);
  }
  const VtObject object = {
    .id = id, .centroid_x_l0 = x, .centroid_y_l0 = y, .n_rings = 1, .n_points = n, .ring_sizes = &n, .points = points
  };
  return vt_object_copy(&object);
}

static GPtrArray *
objects_new(guint n)
{
  GRand *rand = g_rand_new_with_seed(7);
  GPtrArray *objects = g_ptr_array_new_full(n, g_free);
  const guint side = (guint)ceil(sqrt(n));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(objects, object_new(rand, i + 1, SPACING * (i % side + g_rand_double(rand)),
                                        SPACING * (i / side + g_rand_double(rand))));
  g_rand_free(rand);
  return objects;
}

static double
best_paint(const VtOutlineIndex *index, double pixel_l0, double middle, double shift, guint *n_seen)
{
  double best = INFINITY;
  const double width = VIEW_WIDTH * pixel_l0, height = VIEW_HEIGHT * pixel_l0;
  const double x0 = middle - width / 2, y0 = middle - height / 2;
  const VtOutlineLook look = { .map = VT_COLORMAP_LABELS, .line_px = pixel_l0 > 2 ? 0.8 : 1.5, .pixel_l0 = pixel_l0 };
  g_autoptr(VtDensity) density =
    vt_outline_wants_density(index, pixel_l0) ? vt_density_new(index, vt_outline_get_cell(pixel_l0), NULL) : NULL;
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(VtPainted) before = vt_outline_paint(index, density, &look, x0, y0, x0 + width, y0 + height, NULL, FALSE);
  vt_outline_index_query(index, x0, y0, x0 + width, y0 + height, numbers);
  *n_seen = numbers->len;
  for (int i = 0; i < ROUNDS; i++) {
    const double start = now_ms(), step = shift * pixel_l0;
    g_autoptr(VtPainted) painted = vt_outline_paint(index, density, &look, x0 + step, y0, x0 + step + width,
                                                    y0 + height, shift > 0 ? before : NULL, TRUE);
    best = MIN(best, now_ms() - start);
  }
  return best;
}

static void
measure_powers(const VtOutlineIndex *index, double middle)
{
  static const struct {
    const char *name;
    double pixel_l0;
  } powers[] = { { "40x", 1 }, { "10x", 4 }, { "2.5x", 16 } };
  printf("\n| power | objects seen | drawn as | whole view, ms of a worker | view moved by 400 px, ms of a worker |\n"
         "| --- | --- | --- | --- | --- |\n");
  for (guint i = 0; i < G_N_ELEMENTS(powers); i++) {
    guint n_seen = 0;
    const double whole = best_paint(index, powers[i].pixel_l0, middle, 0, &n_seen);
    const double moved = best_paint(index, powers[i].pixel_l0, middle, 400, &n_seen);
    printf("| %s | %u | %s | %.1f | %.1f |\n", powers[i].name, n_seen,
           vt_outline_wants_density(index, powers[i].pixel_l0) ? "counts" : "outlines", whole, moved);
  }
}

int
view_objects(const char *slide, guint n)
{
  g_autoptr(GPtrArray) objects = objects_new(n);
  double start = now_ms();
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  const double index_ms = now_ms() - start, middle = SPACING * ceil(sqrt(n)) / 2;
  printf("%u objects of %d points. Index: %.0f ms, %.1f MiB (%.0f bytes an object; their own points: %.0f).\n", n,
         N_POINTS, index_ms, (double)vt_outline_index_get_bytes(index) / 1048576,
         (double)vt_outline_index_get_bytes(index) / n, N_POINTS * 16.0);
  measure_powers(index, middle);
  start = now_ms();
  g_autoptr(VtDensity) density = vt_density_new(index, 256, NULL);
  const double density_ms = now_ms() - start;
  guint64 total = 0;
  for (gint64 i = 0; i < density->n_cols * density->n_rows; i++)
    total += density->weights[i];
  start = now_ms();
  guint n_picked = 0;
  for (int i = 0; i < 100000; i++)
    n_picked += vt_outline_index_pick(index, middle + i % 317 * 31, middle + i / 317 * 29) >= 0;
  printf("\nThe density of all of them: %.1f ms; it sums to %" G_GUINT64_FORMAT " objects"
         ". Picking at a point: %.2f µs (%u of 100000 points lie in an object).\n",
         density_ms, total / VT_DENSITY_WEIGHT, (now_ms() - start) / 100, n_picked);
  return total == (guint64)n * VT_DENSITY_WEIGHT ? 0 : 1;
}
