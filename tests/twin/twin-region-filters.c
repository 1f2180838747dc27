/* SPDX-License-Identifier: MIT
 *
 * What cpu/regions does to every pixel, each variant against its definition. */
#include "../support/test-draw.h"
#include "../support/vt-test.h"
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

enum { ROWS = 200, WORDS = 4, STRIDE = 64 * WORDS };
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
    const int32_t words = is_full ? 3 : 1 + (int32_t)pick(WORDS), n_rows = is_full ? VT_REGIONS_MOST : (int32_t)pick(30);
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

int
main(void)
{
  for (int simd = VT_CPU_BASELINE, best = (int)vt_cpu_simd(); simd <= best; simd++) {
    const VtCpuSimd limit = vt_cpu_simd_limit((VtCpuSimd)simd);
    check_map(limit);
    check_sums(limit);
  }
  return vt_test_done();
}
