/* SPDX-License-Identifier: MIT
 *
 * What cpu/regions does to every pixel, each variant against its definition. */
#include "../support/test-draw.h"
#include "../support/vt-test.h"
#include "learn/teach.h"
#include "regions/filters.h"
#include "simd.h"

#include <string.h>

enum { PIXELS = 576 };
#define HELD(v, least, most) ((v) < (least) ? (least) : (v) > (most) ? (most) : (v))

/* The map by its definition, of a pixel whose planes are given. */
static int16_t
map_slowly(const RgMap *map, int16_t *const planes[RG_N_INPUTS], int x)
{
  int64_t f[RG_N_INPUTS], sum = map->constant;
  for (int i = 0, k = 0; i < RG_N_INPUTS; i++) {
    int64_t inner = 0;
    f[i] = HELD(planes[i][x] - vt_rg_map_middle[i], -RG_INPUT_MAX, RG_INPUT_MAX);
    for (int j = 0; j <= i; j++)
      inner += map->square[k++] * f[j];
    sum += ((inner >> 10) + map->linear[i]) * f[i];
  }
  const int64_t steps = 2 * (f[RG_RED_1] - f[RG_RED_8]) + f[RG_RED_1] - f[RG_RED_16], form = sum >> 10;
  return (int16_t)HELD(24 + ((HELD(form, 0, 255) + steps) >> 2), 0, 255);
}

static void
check_map(VtCpuSimd simd)
{
  static int16_t values[RG_N_INPUTS][PIXELS], got[PIXELS];
  const RgMap *map = vt_rg_shipped_model(VT_REGIONS_TISSUE)->map;
  int16_t *planes[RG_N_INPUTS];
  int32_t n_wrong = 0;
  for (int i = 0; i < RG_N_INPUTS; i++)
    planes[i] = values[i];
  for (int k = 0; k < RG_N_INPUTS * (PIXELS - 1); k++)
    planes[k % RG_N_INPUTS][k / RG_N_INPUTS] = (int16_t)(k / 16 % 2 ? pick(618) : (uint32_t)k / 16 + pick(40));
  vt_rg_filters()->map(got, (const int16_t *const *)planes, map, PIXELS - 1);
  for (int x = 0; x < PIXELS - 1; x++)
    n_wrong += got[x] != map_slowly(map, planes, x);
  vt_ok(n_wrong == 0, "the map, %s: %d of %d pixels are wrong", vt_cpu_simd_name(simd), n_wrong, PIXELS - 1);
}

enum { ROWS = 256, WORDS = 4, STRIDE = 64 * WORDS };
static int16_t mixed[(ROWS * STRIDE + RG_MIXED_SPARE) * RG_N_MIXED];

static RgSum
sum_slowly(const uint64_t *rows, int32_t n_rows, int32_t words)
{
  RgSum sum = { .least = INT16_MAX };
  for (int32_t y = 0; y < n_rows; y++)
    for (int32_t x = 0; x < 64 * words; x++) {
      const int16_t *pixel = mixed + (y * STRIDE + x) * RG_N_MIXED;
      if (!(rows[y * words + x / 64] >> x % 64 & 1))
        continue;
      sum.n++;
      sum.square += pixel[0] * pixel[0];
      sum.least = pixel[0] < sum.least ? pixel[0] : sum.least;
      sum.most = pixel[0] > sum.most ? pixel[0] : sum.most;
      for (int k = 0; k < RG_N_MIXED; k++)
        sum.of[k] += pixel[k];
    }
  return sum;
}

/* Sparse and dense rows, and once all of the largest region, as dark as can be. */
static void
check_sums(VtCpuSimd simd)
{
  enum { ROUNDS = 60 };
  uint64_t rows[ROWS * WORDS];
  int n_wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    const bool is_full = round == 0;
    const int32_t words = is_full ? WORDS : 1 + (int32_t)pick(WORDS),
                  n_rows = is_full ? VT_REGIONS_MOST : (int32_t)pick(30);
    for (int32_t i = 0; i < n_rows * STRIDE * RG_N_MIXED; i++)
      mixed[i] = (int16_t)(is_full ? RG_MOST_DENSITY : pick(RG_MOST_DENSITY + 1));
    for (int32_t i = 0; i < n_rows * words; i++) {
      rows[i] = is_full ? UINT64_MAX : 0;
      for (uint32_t k = pick(3) * pick(20); k > 0; k--)
        rows[i] |= UINT64_C(1) << pick(64) | (UINT64_C(0xff) << pick(64));
    }
    RgSum sum;
    const RgSum wanted = sum_slowly(rows, n_rows, words);
    vt_rg_filters()->sum(&sum, rows, n_rows, words, mixed, STRIDE * RG_N_MIXED);
    n_wrong += memcmp(&sum, &wanted, sizeof sum) != 0;
  }
  vt_ok(n_wrong == 0, "sums of pixels, %s: %d of %d are wrong", vt_cpu_simd_name(simd), n_wrong, ROUNDS);
}

/* --- planes --- */

enum { MOST_SIDE = 130, MOST_PIXELS = MOST_SIDE * MOST_SIDE };
typedef struct Slow {
  int w, h;
  int32_t plane[RG_N_PLANES][MOST_PIXELS], work[2][MOST_PIXELS];
} Slow;

static int32_t
at(const Slow *s, const int32_t *plane, int x, int y)
{
  return plane[HELD(y, 0, s->h - 1) * s->w + HELD(x, 0, s->w - 1)];
}

/* Of a few values, count of which are there: a mean is a sum times 65536 / count, which is rounded, too. */
static int32_t
mean_of(int64_t sum, int count)
{
  return count == 1 ? (int32_t)sum : (int32_t)((sum * ((65536 + count / 2) / count) + 32768) >> 16);
}

static int
count_near(int at, int n, int radius)
{
  return (at + radius < n ? at + radius : n - 1) - (at > radius ? at - radius : 0) + 1;
}

/* Columns first, then rows. */
static void
mean_slowly(const Slow *s, int32_t *to, const int32_t *from, int radius)
{
  static int32_t columns[MOST_PIXELS];
  for (int i = 0; i < s->w * s->h; i++) {
    const int x = i % s->w, y = i / s->w;
    int64_t sum = 0;
    for (int k = y > radius ? y - radius : 0; k <= y + radius && k < s->h; k++)
      sum += from[k * s->w + x];
    columns[i] = mean_of(sum, count_near(y, s->h, radius));
  }
  for (int i = 0; i < s->w * s->h; i++) {
    const int x = i % s->w, y = i / s->w;
    int64_t sum = 0;
    for (int k = x > radius ? x - radius : 0; k <= x + radius && k < s->w; k++)
      sum += columns[y * s->w + k];
    to[i] = mean_of(sum, count_near(x, s->w, radius));
  }
}

static void
smooth_slowly(const Slow *s, int32_t *to, const int32_t *from)
{
  for (int i = 0; i < s->w * s->h; i++) {
    int32_t sum = 8;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        sum += (dy ? 1 : 2) * (dx ? 1 : 2) * at(s, from, i % s->w + dx, i / s->w + dy);
    to[i] = sum >> 4;
  }
}

static void
gradient_slowly(const Slow *s, int32_t *to, const int32_t *from, int scale)
{
  for (int i = 0; i < s->w * s->h; i++) {
    const int x = i % s->w, y = i / s->w;
    int32_t dx = at(s, from, x + 1, y) - at(s, from, x - 1, y), dy = at(s, from, x, y + 1) - at(s, from, x, y - 1);
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    const int32_t length = scale * (dx > dy ? dx + dy / 2 : dy + dx / 2);
    to[i] = length < RG_MOST_DENSITY ? length : RG_MOST_DENSITY;
  }
}

static void
fill_slowly(Slow *s, uint8_t *const rgb[3], bool is_inverse)
{
  int32_t(*plane)[MOST_PIXELS] = s->plane, *work = s->work[0], *half = s->work[1];
  static const RgPlane first[3] = { RG_RED_1, RG_GREEN_1, RG_BLUE_1 };
  static const struct {
    RgPlane to, from;
    int radius, n_passes;
  } means[] = { { RG_RED_2, RG_RED_1, 1, 2 },   { RG_RED_4, RG_RED_1, 3, 2 },     { RG_RED_8, RG_RED_1, 6, 2 },
                { RG_RED_16, RG_RED_1, 14, 2 }, { RG_GREEN_4, RG_GREEN_1, 4, 1 }, { RG_GREEN_16, RG_GREEN_1, 14, 2 },
                { RG_BLUE_4, RG_BLUE_1, 4, 1 }, { RG_RED_MEAN, RG_RED_1, 40, 1 } };
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < s->w * s->h; i++) {
      const int most = HELD(rgb[0][i], HELD(rgb[1][i], rgb[2][i], 255), 255);
      work[i] = is_inverse ? RG_MOST_DENSITY - vt_rg_density[most] : vt_rg_density[rgb[c][i]];
    }
    smooth_slowly(s, plane[first[c]], work);
  }
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    mean_slowly(s, half, plane[means[i].from], means[i].radius);
    if (means[i].n_passes == 2)
      mean_slowly(s, plane[means[i].to], half, means[i].radius);
    else
      memcpy(plane[means[i].to], half, sizeof s->work[1]);
  }
  gradient_slowly(s, plane[RG_GRADIENT_1], plane[RG_RED_1], 2);
  gradient_slowly(s, plane[RG_GRADIENT_4], plane[RG_RED_4], 4);
  mean_slowly(s, plane[RG_EDGE_8], plane[RG_GRADIENT_1], 6);
  for (int i = 0; i < s->w * s->h; i++) {
    const int32_t d = plane[RG_RED_1][i] - plane[RG_RED_4][i];
    work[i] = 4 * (d < 0 ? -d : d);
  }
  mean_slowly(s, plane[RG_ROUGH], work, 6);
  for (int i = 0; i < s->w * s->h; i++)
    work[i] = plane[RG_RED_1][i] * plane[RG_RED_1][i] >> 4;
  mean_slowly(s, plane[RG_RED_DEV], work, 40);
  for (int i = 0; i < s->w * s->h; i++) {
    const int32_t mean = plane[RG_RED_MEAN][i], variance = plane[RG_RED_DEV][i] * 16 - mean * mean;
    int32_t root = 0;
    while ((root + 1) * (root + 1) <= variance)
      root++;
    plane[RG_RED_DEV][i] = root;
  }
}

/* Values of the wanted box that are not what the slow way has. */
static int
count_wrong(const RgPlanes *p, Slow *s, const RgMap *map, RgBox box)
{
  static const RgPlane mixed_of[RG_N_MIXED] = { RG_RED_1, RG_GREEN_1, RG_BLUE_1,     RG_GRADIENT_1,
                                                RG_MAP,   RG_ROUGH,   RG_GRADIENT_4, RG_RED_4 };
  int n = 0;
  for (int y = box.y0; y <= box.y1; y++)
    for (int x = box.x0; x <= box.x1; x++) {
      const int i = y * s->w + x;
      int16_t value[RG_N_INPUTS], *planes[RG_N_INPUTS];
      for (int k = 0; k < RG_N_INPUTS; k++) {
        value[k] = (int16_t)s->plane[k][i];
        planes[k] = &value[k];
      }
      s->plane[RG_MAP][i] = map_slowly(map, planes, 0);
      n += p->map[i] != s->plane[RG_MAP][i] || p->red_mean[i] != s->plane[RG_RED_MEAN][i]
           || p->red_dev[i] != s->plane[RG_RED_DEV][i];
      for (int k = 0; k < RG_N_MIXED; k++)
        n += p->mixed[i * RG_N_MIXED + k] != s->plane[mixed_of[k]][i];
    }
  return n;
}

/* Windows of any size, boxes anywhere in them. */
static void
check_planes(VtCpuSimd simd)
{
  enum { ROUNDS = 24 };
  static uint8_t values[3][MOST_PIXELS];
  static Slow slow;
  uint8_t *const rgb[3] = { values[0], values[1], values[2] };
  int n_wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    const VtRegionsPreset preset = round % 4 ? VT_REGIONS_TISSUE : VT_REGIONS_FLUORESCENCE;
    slow.w = round % 5 ? 1 + (int)pick(MOST_SIDE) : 1 + (int)pick(3);
    slow.h = round % 7 ? 1 + (int)pick(MOST_SIDE) : 1 + (int)pick(3);
    for (int i = 0; i < 3 * MOST_PIXELS; i++)
      rgb[i % 3][i / 3] = (uint8_t)(round % 3 ? pick(256) : 200 * (i / 40 % 2) + pick(9));
    fill_slowly(&slow, rgb, preset == VT_REGIONS_FLUORESCENCE);
    VtRegions args = { .preset = preset };
    VtImage *const channels[3] = { &args.red, &args.green, &args.blue };
    for (int c = 0; c < 3; c++)
      *channels[c] = (VtImage){ rgb[c], slow.w, slow.h, slow.w, VITRAIL_U8 };
    const int x0 = (int)pick((uint32_t)slow.w), y0 = (int)pick((uint32_t)slow.h);
    const RgBox box = { x0, y0, x0 + (int)pick((uint32_t)(slow.w - x0)), y0 + (int)pick((uint32_t)(slow.h - y0)) };
    const RgMap *map = vt_rg_shipped_model(preset)->map;
    RgPlanes planes;
    n_wrong += vt_rg_planes_init(&planes, slow.w, slow.h, NULL) != VITRAIL_OK
               || vt_rg_planes_fill(&planes, &args, map, box) != VITRAIL_OK
               || count_wrong(&planes, &slow, map, box) > 0;
    vt_rg_planes_clear(&planes);
  }
  vt_ok(n_wrong == 0, "planes, %s: %d of %d windows are wrong", vt_cpu_simd_name(simd), n_wrong, ROUNDS);
}

/* By its definition, of bins that are counted limit by limit. */
static int64_t
form_slowly(const VtForest *forest, const int32_t *values)
{
  int64_t bins[VT_FOREST_MAX_FEATURES] = { 0 }, sum = 8;
  const int32_t *square = forest->form + 1 + forest->n_features;
  for (uint32_t i = 0; i < forest->n_features; i++) {
    int64_t inner = forest->form[1 + i] + 128;
    bins[i] = -128;
    for (int k = 0; k < VT_FOREST_BINS - 1; k++)
      bins[i] += forest->limits[i * (VT_FOREST_BINS - 1) + (uint32_t)k] < values[i];
    for (uint32_t j = 0; j <= i; j++)
      inner += *square++ * bins[j];
    sum += bins[i] * (inner >> 8);
  }
  sum = forest->form[0] + (sum >> 4);
  return sum < 0 ? 0 : sum > 21845 ? 21845 : sum;
}

/* Forms with answers within 0..65535, and such as 32 bits just hold. */
static void
check_form(VtCpuSimd simd)
{
  enum { ROUNDS = 20 };
  VtForest forest = *vt_rg_shipped_model(VT_REGIONS_TISSUE)->forest;
  int32_t form[1 + RG_N_FEATURES * (RG_N_FEATURES + 3) / 2], n_wrong = 0, n_within = 0;
  forest.form = form;
  for (int round = 0; round < ROUNDS; round++) {
    static int32_t values[VT_FOREST_AT_ONCE][RG_N_FEATURES];
    const int32_t *rows[VT_FOREST_AT_ONCE];
    uint16_t answers[VT_FOREST_AT_ONCE];
    const int32_t most = round % 2 ? 16000 : 400;
    for (size_t i = 0; i < vt_forest_form_size(RG_N_FEATURES); i++)
      form[i] = round % 4 == 3 ? most : (int32_t)pick((uint32_t)(2 * most + 1)) - most;
    for (int r = 0; r < VT_FOREST_AT_ONCE; r++) {
      rows[r] = values[r];
      for (int i = 0; i < RG_N_FEATURES; i++)
        values[r][i] = r == 0   ? INT32_MIN
                       : r == 1 ? INT32_MAX
                                : forest.limits[i * 255 + (int)pick(255)] + (int)pick(3) - 1;
    }
    vt_rg_filters()->predict(&forest, rows, answers);
    for (int r = 0; r < VT_FOREST_AT_ONCE; r++) {
      forest.form = NULL;
      const int64_t trees = vt_forest_answer(&forest, values[r]);
      forest.form = form;
      const int64_t sum = trees + form_slowly(&forest, values[r]);
      n_wrong += answers[r] != HELD(sum, 0, 65535) || vt_forest_answer(&forest, values[r]) != sum;
      n_within += sum >= 0 && sum <= 65535;
    }
  }
  vt_ok(n_wrong == 0 && n_within > 100, "a forest with a form, %s: %d answers are wrong (%d within 0..65535)",
        vt_cpu_simd_name(simd), n_wrong, n_within);
}

int
main(void)
{
  for (int simd = VT_CPU_BASELINE, best = (int)vt_cpu_simd(); simd <= best; simd++) {
    const VtCpuSimd limit = vt_cpu_simd_limit((VtCpuSimd)simd);
    check_map(limit);
    check_sums(limit);
    check_planes(limit);
    check_form(limit);
  }
  return vt_test_done();
}
