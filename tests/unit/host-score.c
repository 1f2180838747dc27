/* SPDX-License-Identifier: MIT
 *
 * Objects against true ones: drawn cases with known answers, random ones against slow definitions; outlines as pixels. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "results/vt-labels.h"
#include "raster/vt-raster-private.h"
#include "results/vt-score.h"

#define WIDTH 16
#define HEIGHT 12
#define N_LABELS 8 /* 0 is background */
#define N_PIXELS (WIDTH * HEIGHT)

static const double thresholds[] = { 0, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9 };
static const double bounds[] = { 6, 12 };

typedef struct {
  gint32 result[N_PIXELS], truth[N_PIXELS], regions[N_PIXELS];
} Images;

static void
fill_rectangle(gint32 *image, int x, int y, int width, int height, gint32 label)
{
  for (int j = y; j < y + height; j++)
    for (int i = x; i < x + width; i++)
      image[j * WIDTH + i] = label;
}

static VtScore *
add_rows(const Images *images, gboolean with_regions)
{
  VtScore *score = vt_score_new();
  for (int y = 0; y < HEIGHT; y++)
    vt_score_add_row(score, images->result + y * WIDTH, images->truth + y * WIDTH,
                     with_regions ? images->regions + y * WIDTH : NULL, WIDTH);
  return score;
}

static VtScoreFigures
compare(const Images *images, gboolean with_regions)
{
  VtScoreFigures figures = { 0 };
  g_autoptr(VtScore) score = add_rows(images, with_regions);
  vt_score_compare(score, thresholds, G_N_ELEMENTS(thresholds), bounds, G_N_ELEMENTS(bounds), &figures);
  return figures;
}

/* --- known answers --- */

static void
test_half_right(void)
{
  Images images = { 0 };
  fill_rectangle(images.truth, 0, 0, 4, 2, 7); /* 8 pixels, of which 6 are found, and 2 more: IoU 6/10 */
  fill_rectangle(images.result, 1, 0, 4, 2, 300000);
  fill_rectangle(images.truth, 10, 8, 2, 2, 9); /* missed */
  fill_rectangle(images.result, 0, 8, 5, 1, 1); /* extra */
  VtScoreFigures figures = compare(&images, FALSE);
  g_assert_cmpuint(figures.n_result, ==, 2);
  g_assert_cmpuint(figures.n_truth, ==, 2);
  g_assert_cmpuint(figures.matches[3].n_matched, ==, 1);
  g_assert_cmpuint(figures.matches[4].n_matched, ==, 0); /* above 0.6, not at it */
  g_assert_cmpfloat(figures.matches[3].f1, ==, 0.5);
  g_assert_cmpfloat(figures.matches[3].precision, ==, 0.5);
  g_assert_cmpfloat(figures.matches[3].recall, ==, 0.5);
  g_assert_cmpfloat(figures.sq, ==, 0.6);
  g_assert_cmpfloat(figures.rq, ==, 0.5);
  g_assert_cmpfloat_with_epsilon(figures.pq, 0.3, 1e-15);
  g_assert_cmpfloat_with_epsilon(figures.aji, 6. / (10 + 4 + 5), 1e-15);
  g_assert_cmpfloat_with_epsilon(figures.dice, 12. / (12 + 13), 1e-15);
  g_assert_cmpuint(figures.sizes[0].n_truth, ==, 1);
  g_assert_cmpuint(figures.sizes[0].missed, ==, 1);
  g_assert_cmpuint(figures.sizes[1].n_truth, ==, 1);
  g_assert_cmpuint(figures.sizes[1].missed, ==, 0);
  g_assert_cmpuint(figures.sizes[0].extra, ==, 1);
  g_assert_cmpuint(figures.sizes[1].extra, ==, 0);
  g_assert_cmpfloat(figures.sizes[2].from, ==, 12);
  g_assert_true(isinf(figures.sizes[2].to));
  vt_score_figures_clear(&figures);
}

static void
test_split_and_merged(void)
{
  Images images = { 0 };
  fill_rectangle(images.truth, 0, 0, 8, 2, 1); /* split into two halves, neither above an IoU of 0.5 */
  fill_rectangle(images.result, 0, 0, 4, 2, 1);
  fill_rectangle(images.result, 4, 0, 4, 2, 2);
  fill_rectangle(images.truth, 0, 6, 2, 3, 2); /* three merged by one */
  fill_rectangle(images.truth, 3, 6, 2, 3, 3);
  fill_rectangle(images.truth, 6, 6, 2, 3, 4);
  fill_rectangle(images.result, 0, 6, 8, 3, 3);
  VtScoreFigures figures = compare(&images, FALSE);
  g_assert_cmpuint(figures.matches[3].n_matched, ==, 0);
  g_assert_cmpuint(figures.sizes[2].split, ==, 1);
  g_assert_cmpuint(figures.sizes[0].split + figures.sizes[1].split, ==, 0);
  g_assert_cmpuint(figures.sizes[2].merging, ==, 1);
  g_assert_cmpuint(figures.sizes[0].merging + figures.sizes[1].merging, ==, 0);
  g_assert_cmpuint(figures.matches[2].n_matched, ==, 1); /* above 0.3 one of the halves is a partner */
  vt_score_figures_clear(&figures);
}

/* A greedy choice of the first partner finds one pair; a largest matching finds two. */
static void
test_largest_matching(void)
{
  Images images = { 0 };
  fill_rectangle(images.truth, 0, 0, 5, 2, 1);
  fill_rectangle(images.truth, 5, 0, 5, 2, 2);
  fill_rectangle(images.result, 2, 0, 6, 2, 1); /* IoU 6/16 with each */
  fill_rectangle(images.result, 0, 0, 2, 2, 2); /* IoU 4/10 with the first */
  VtScoreFigures figures = compare(&images, FALSE);
  g_assert_cmpuint(figures.matches[2].n_matched, ==, 2);
  vt_score_figures_clear(&figures);
}

static void
test_regions(void)
{
  Images images = { 0 };
  fill_rectangle(images.regions, 0, 0, 8, HEIGHT, 1);
  fill_rectangle(images.truth, 1, 1, 3, 3, 1); /* inside: counts, found */
  fill_rectangle(images.result, 1, 1, 3, 3, 1);
  fill_rectangle(images.truth, 6, 1, 4, 3, 2); /* cut: ignored, with the object that found a part of it */
  fill_rectangle(images.result, 6, 1, 2, 3, 2);
  fill_rectangle(images.result, 6, 6, 4, 3, 3); /* cut, and what it covers more than half of */
  fill_rectangle(images.truth, 5, 6, 3, 3, 3);
  fill_rectangle(images.truth, 12, 1, 3, 3, 4); /* outside on both sides: not there */
  fill_rectangle(images.result, 12, 6, 3, 3, 4);
  fill_rectangle(images.result, 1, 9, 2, 2, 5); /* inside: extra */
  VtScoreFigures figures = compare(&images, TRUE);
  g_assert_cmpuint(figures.n_result, ==, 2);
  g_assert_cmpuint(figures.n_truth, ==, 1);
  g_assert_cmpuint(figures.ignored_result, ==, 2);
  g_assert_cmpuint(figures.ignored_truth, ==, 2);
  g_assert_cmpuint(figures.matches[7].n_matched, ==, 1);
  g_assert_cmpfloat(figures.matches[7].precision, ==, 0.5);
  g_assert_cmpfloat(figures.matches[7].recall, ==, 1);
  g_assert_cmpfloat_with_epsilon(figures.aji, 9. / 13, 1e-15);
  vt_score_figures_clear(&figures);
}

static void
test_nothing_found(void)
{
  Images images = { 0 };
  fill_rectangle(images.truth, 0, 0, 4, 2, 1);
  VtScoreFigures figures = compare(&images, FALSE);
  g_assert_cmpuint(figures.n_result, ==, 0);
  g_assert_cmpfloat(figures.matches[3].f1 + figures.matches[3].precision + figures.aji + figures.pq + figures.dice, ==,
                    0);
  vt_score_figures_clear(&figures);
}

static void
test_dots(void)
{
  Images images = { 0 };
  VtScoreDots dots = { 0 };
  fill_rectangle(images.result, 0, 0, 3, 3, 1);
  fill_rectangle(images.result, 4, 0, 3, 3, 2);
  fill_rectangle(images.result, 8, 0, 3, 3, 3);
  fill_rectangle(images.result, 12, 0, 3, 3, 4);
  memset(images.truth, 0, sizeof images.truth);
  g_autoptr(VtScore) score = add_rows(&images, FALSE);
  const gint32 holders[] = { 1, 0, 2, 2, 2, 0, 4 };
  for (gsize i = 0; i < G_N_ELEMENTS(holders); i++)
    vt_score_add_dot(score, holders[i]);
  vt_score_set_cut(score, VT_SCORE_RESULT, 4);
  vt_score_compare_dots(score, &dots);
  g_assert_cmpuint(dots.found, ==, 1);
  g_assert_cmpuint(dots.missed, ==, 2);
  g_assert_cmpuint(dots.merged_dots, ==, 3);
  g_assert_cmpuint(dots.merging, ==, 1);
  g_assert_cmpuint(dots.extra, ==, 1);
  g_assert_cmpuint(dots.n_dots, ==, 6);
  g_assert_cmpuint(dots.n_result, ==, 3);
  g_assert_cmpuint(dots.ignored_result, ==, 1);
  g_assert_cmpuint(dots.ignored_dots, ==, 1);
  g_assert_cmpfloat(dots.f1, ==, 2. / 9);
}

/* --- the definitions, word for word, on small images --- */

typedef struct {
  guint64 area[2][N_LABELS], known[2][N_LABELS], shared[N_LABELS][N_LABELS]; /* shared: truth, result */
  gboolean counts[2][N_LABELS], ignored[2][N_LABELS];
} Oracle;

static void
oracle_count(Oracle *o, const Images *images)
{
  for (int i = 0; i < N_PIXELS; i++) {
    o->area[0][images->result[i]]++;
    o->area[1][images->truth[i]]++;
    o->known[0][images->result[i]] += images->regions[i] != 0;
    o->known[1][images->truth[i]] += images->regions[i] != 0;
    o->shared[images->truth[i]][images->result[i]]++;
  }
  gboolean cut[2][N_LABELS] = { 0 };
  for (int side = 0; side < 2; side++)
    for (int i = 1; i < N_LABELS; i++)
      cut[side][i] = o->known[side][i] > 0 && o->known[side][i] < o->area[side][i];
  for (int side = 0; side < 2; side++)
    for (int i = 1; i < N_LABELS; i++) {
      guint64 on_cut = 0;
      for (int k = 1; k < N_LABELS; k++)
        on_cut += cut[1 - side][k] ? o->shared[side == 1 ? i : k][side == 1 ? k : i] : 0;
      const gboolean inside = o->area[side][i] > 0 && o->known[side][i] == o->area[side][i];
      o->ignored[side][i] = cut[side][i] || (inside && 2 * on_cut > o->area[side][i]);
      o->counts[side][i] = inside && !o->ignored[side][i];
    }
}

static double
oracle_iou(const Oracle *o, int t, int r)
{
  return o->counts[1][t] && o->counts[0][r]
           ? (double)o->shared[t][r] / (double)(o->area[1][t] + o->area[0][r] - o->shared[t][r])
           : 0;
}

/* Every way to give each true object from t on a partner, or none. */
static guint
oracle_match(const Oracle *o, double threshold, int t, guint taken)
{
  if (t == N_LABELS)
    return 0;
  guint best = oracle_match(o, threshold, t + 1, taken);
  for (int r = 1; r < N_LABELS; r++)
    if (!(taken >> r & 1) && oracle_iou(o, t, r) > threshold)
      best = MAX(best, 1 + oracle_match(o, threshold, t + 1, taken | 1u << r));
  return best;
}

static double
oracle_aji(const Oracle *o)
{
  double shared = 0, all = 0;
  gboolean used[N_LABELS] = { 0 };
  for (int t = 1; t < N_LABELS; t++) {
    int best = 0;
    for (int r = 1; r < N_LABELS; r++)
      if (oracle_iou(o, t, r) > (best ? oracle_iou(o, t, best) : 0))
        best = r;
    all += o->counts[1][t] ? (double)o->area[1][t] : 0;
    if (best) {
      shared += (double)o->shared[t][best];
      all += (double)(o->area[0][best] - o->shared[t][best]);
      used[best] = TRUE;
    }
  }
  for (int r = 1; r < N_LABELS; r++)
    all += o->counts[0][r] && !used[r] ? (double)o->area[0][r] : 0;
  return all > 0 ? shared / all : 0;
}

static void
check_sums(const Oracle *o, const VtScoreFigures *figures)
{
  double sum = 0, shared = 0, pixels = 0;
  guint n[2] = { 0 }, ignored[2] = { 0 }, several[2] = { 0 };
  for (int side = 0; side < 2; side++)
    for (int i = 1; i < N_LABELS; i++) {
      guint held = 0;
      for (int k = 1; k < N_LABELS; k++) {
        const int t = side == 1 ? i : k, r = side == 1 ? k : i;
        held += oracle_iou(o, t, r) > 0 && 2 * o->shared[t][r] > o->area[1 - side][k];
        sum += side == 1 && oracle_iou(o, t, r) > 0.5 ? oracle_iou(o, t, r) : 0;
        shared += side == 1 && oracle_iou(o, t, r) > 0 ? (double)o->shared[t][r] : 0;
      }
      n[side] += o->counts[side][i];
      ignored[side] += o->ignored[side][i];
      several[side] += held > 1;
      pixels += o->counts[side][i] ? (double)o->area[side][i] : 0;
    }
  guint64 split = 0, merging = 0, missed = 0, extra = 0;
  for (guint i = 0; i < figures->n_sizes; i++) {
    split += figures->sizes[i].split;
    merging += figures->sizes[i].merging;
    missed += figures->sizes[i].missed;
    extra += figures->sizes[i].extra;
  }
  const guint matched = oracle_match(o, 0.5, 1, 0);
  g_assert_cmpuint(figures->n_result, ==, n[0]);
  g_assert_cmpuint(figures->n_truth, ==, n[1]);
  g_assert_cmpuint(figures->ignored_result, ==, ignored[0]);
  g_assert_cmpuint(figures->ignored_truth, ==, ignored[1]);
  g_assert_cmpuint(merging, ==, several[0]);
  g_assert_cmpuint(split, ==, several[1]);
  g_assert_cmpuint(missed, ==, n[1] - matched);
  g_assert_cmpuint(extra, ==, n[0] - matched);
  g_assert_cmpfloat_with_epsilon(figures->pq, n[0] + n[1] > 0 ? 2 * sum / (n[0] + n[1]) : 0, 1e-12);
  g_assert_cmpfloat_with_epsilon(figures->dice, pixels > 0 ? 2 * shared / pixels : 0, 1e-12);
}

static void
make_random(Images *images)
{
  memset(images, 0, sizeof *images);
  fill_rectangle(images->regions, 0, 0, WIDTH, HEIGHT, 1);
  for (int i = 0; i < 10; i++) {
    const int x = g_test_rand_int_range(0, WIDTH), y = g_test_rand_int_range(0, HEIGHT);
    const int width = MIN(g_test_rand_int_range(1, 8), WIDTH - x),
              height = MIN(g_test_rand_int_range(1, 6), HEIGHT - y);
    fill_rectangle(images->truth, x, y, width, height, g_test_rand_int_range(0, N_LABELS));
    fill_rectangle(images->result, MAX(x - g_test_rand_int_range(0, 2), 0), y, width, height,
                   g_test_rand_int_range(0, N_LABELS));
  }
  for (int i = g_test_rand_int_range(0, 3); i > 0; i--) {
    const int x = g_test_rand_int_range(0, WIDTH), y = g_test_rand_int_range(0, HEIGHT);
    fill_rectangle(images->regions, x, y, MIN(5, WIDTH - x), MIN(4, HEIGHT - y), 0);
  }
}

static void
test_random(void)
{
  for (int round = 0; round < 3000; round++) {
    Images images;
    Oracle oracle = { 0 };
    make_random(&images);
    oracle_count(&oracle, &images);
    VtScoreFigures figures = compare(&images, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS(thresholds); i++)
      g_assert_cmpuint(figures.matches[i].n_matched, ==, oracle_match(&oracle, thresholds[i], 1, 0));
    g_assert_cmpfloat_with_epsilon(figures.aji, oracle_aji(&oracle), 1e-12);
    check_sums(&oracle, &figures);
    vt_score_figures_clear(&figures);
  }
}

/* --- outlines as pixels --- */

static gboolean
holds(const double *p, guint n, double x, double y)
{
  gboolean inside = FALSE;
  for (guint i = 0, j = n - 1; i < n; j = i++)
    if ((p[2 * i + 1] > y) != (p[2 * j + 1] > y)
        && x < (p[2 * j] - p[2 * i]) * (y - p[2 * i + 1]) / (p[2 * j + 1] - p[2 * i + 1]) + p[2 * i])
      inside = !inside;
  return inside;
}

static VtLabels *
read_text(const char *folder, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename(folder, "t.geojson", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return vt_labels_read(path, NULL, error);
}

/* Random polygons that cross themselves and each other, against a test of every centre; the first in the file has a shared pixel. */
static void
check_polygons(const char *folder)
{
  enum { N = 5, POINTS = 7 };
  double points[N][2 * POINTS];
  g_autoptr(GString) text = g_string_new("[");
  g_autoptr(GError) error = NULL;
  for (int i = 0; i < N; i++) {
    g_string_append(text,
                    i > 0 ? ",{\"type\":\"Polygon\",\"coordinates\":[[" : "{\"type\":\"Polygon\",\"coordinates\":[[");
    for (int k = 0; k < POINTS; k++) {
      points[i][2 * k] = g_test_rand_int_range(-40, 10 * WIDTH) / 8.;
      points[i][2 * k + 1] = g_test_rand_int_range(-40, 10 * HEIGHT) / 8.;
      g_string_append_printf(text, "%s[%.17g,%.17g]", k > 0 ? "," : "", points[i][2 * k], points[i][2 * k + 1]);
    }
    g_string_append(text, "]]}");
  }
  g_string_append(text, "]");
  g_autoptr(VtLabels) labels = read_text(folder, text->str, &error);
  g_assert_no_error(error);
  const VtFrame frame = { 1, 2, WIDTH, HEIGHT, 0.5, -1.5, 0.25 }; /* exact, so that both break ties alike */
  g_assert_true(vt_labels_begin(labels, &frame, &error));
  guint64 n_shared = 0;
  for (int y = 0; y < HEIGHT; y++) {
    gint32 row[WIDTH];
    g_assert_true(vt_labels_next_row(labels, row, &error));
    for (int x = 0; x < WIDTH; x++) {
      const double cx = -1.5 + 0.5 * (1 + x + 0.5), cy = 0.25 + 0.5 * (2 + y + 0.5);
      int first = 0, n = 0;
      for (int i = N; i > 0; i--)
        if (holds(points[i - 1], POINTS, cx, cy)) {
          first = i;
          n++;
        }
      g_assert_cmpint(row[x], ==, first);
      n_shared += (guint64)MAX(n - 1, 0);
    }
  }
  g_assert_cmpuint(vt_labels_get_n_shared(labels), ==, n_shared);
}

static void
test_polygons(void)
{
  g_autofree char *folder = make_folder();
  for (int round = 0; round < 300; round++)
    check_polygons(folder);
  remove_folder(folder);
}

static void
test_frames(void)
{
  static const char square[] = "{\"type\":\"Polygon\",\"coordinates\":[[[10,20],[14,20],[14,23],[10,23]]]}";
  static const char dots[] = "{\"type\":\"MultiPoint\",\"coordinates\":[[30.5,19.5],[2,40]]}";
  g_autofree char *folder = make_folder();
  g_autoptr(GError) error = NULL;
  g_autoptr(VtLabels) areas = read_text(folder, square, &error), points = read_text(folder, dots, &error);
  VtFrame frame = { 0 };
  g_assert_no_error(error);
  g_assert_cmpuint(vt_labels_get_n_outlines(points), ==, 0);
  g_assert_cmpuint(vt_labels_get_dots(points)->len, ==, 4);
  g_assert_true(vt_labels_find_frame(areas, points, &frame, &error));
  g_assert_cmpint(frame.x, ==, 2);
  g_assert_cmpint(frame.y, ==, 19);
  g_assert_cmpint(frame.width, ==, 29);
  g_assert_cmpint(frame.height, ==, 22);
  gint64 x = 0, y = 0;
  g_assert_true(vt_frame_find_pixel(&frame, 30.5, 19.5, &x, &y));
  g_assert_cmpint(x, ==, 28);
  g_assert_cmpint(y, ==, 0);
  g_assert_false(vt_frame_find_pixel(&frame, 31, 19.5, &x, &y));
  const VtFrame small = { 11, 20, 2, 8, 1, 0, 0 };
  g_assert_true(vt_labels_begin(areas, &small, &error));
  g_assert_true(vt_labels_leaves_frame(areas, 1));
  g_assert_cmpuint(vt_labels_get_n_outside(areas), ==, 0);
  g_autoptr(VtLabels) huge =
    read_text(folder, "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1e11,0],[0,1e11]]]}", &error);
  g_assert_no_error(error);
  g_assert_false(vt_labels_find_frame(areas, huge, &frame, &error));
  assert_sentence(error);
  remove_folder(folder);
}

/* A TIFF of tiles that do not divide it, with its place, is read row by row as it was written. */
static void
test_tiles(void)
{
  enum { TILE = 256, PART = 512, W = 1100, H = 600 };
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "labels.tif", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRaster) labels = vt_raster_new(VITRAIL_I32, W, H, &error);
  gint32 *pixels = (gint32 *)(gpointer)labels->data;
  for (int i = 0; i < W * H; i++)
    pixels[i] = g_test_rand_int_range(0, G_MAXINT32);
  labels->x = 30;
  labels->y = 7;
  labels->downsample = 2;
  labels->origin_x_l0 = 0.5;
  const VtTiffOptions options = { .n_threads = 2, .is_on_disk = TRUE };
  VtTiffWriter *writer = vt_tiff_writer_new(path, labels, &options, &error);
  for (int y = 0; y < H; y += PART)
    for (int x = 0; x < W; x += PART)
      g_assert_true(vt_tiff_writer_put(writer, (const guint8 *)(pixels + y * W + x), labels->stride, x, y,
                                       MIN(PART, W - x), MIN(PART, H - y), &error));
  g_assert_true(vt_tiff_writer_finish(writer, &error));
  vt_tiff_writer_free(writer);
  const VtRasterRoom rooms[] = { { 2 << 20, folder },
                                 { W * TILE * 4 - 1, folder } }; /* the second holds no row of tiles */
  for (gsize i = 0; i < G_N_ELEMENTS(rooms); i++) {
    g_autoptr(VtLabels) read = vt_labels_read(path, &rooms[i], &error);
    VtFrame frame = { 0 };
    g_assert_no_error(error);
    g_assert_true(vt_labels_find_frame(read, read, &frame, &error));
    g_assert_true(frame.x == 30 && frame.y == 7 && frame.width == W && frame.height == H && frame.downsample == 2
                  && frame.origin_x_l0 == 0.5 && frame.origin_y_l0 == 0);
    g_assert_true(vt_labels_begin(read, &frame, &error));
    for (int y = 0; y < H; y++) {
      gint32 row[W];
      g_assert_true(vt_labels_next_row(read, row, &error));
      g_assert_cmpmem(row, sizeof row, pixels + y * W, sizeof row);
    }
  }
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/score/half-right", test_half_right);
  g_test_add_func("/score/split-and-merged", test_split_and_merged);
  g_test_add_func("/score/largest-matching", test_largest_matching);
  g_test_add_func("/score/regions", test_regions);
  g_test_add_func("/score/nothing-found", test_nothing_found);
  g_test_add_func("/score/dots", test_dots);
  g_test_add_func("/score/random", test_random);
  g_test_add_func("/labels/polygons", test_polygons);
  g_test_add_func("/labels/frames", test_frames);
  g_test_add_func("/labels/tiles", test_tiles);
  return g_test_run();
}
