/* SPDX-License-Identifier: MIT
 *
 * The pixel map: a quadratic form of the planes, trained to be 255 inside nuclei, 128 on their outline and 0 elsewhere; then
 * 5/8 of it, that little reaches 255, and a quarter of the difference of red to its surroundings, which keeps outlines sharp. */
#include "regions.h"

#include <stdlib.h>

/* What is subtracted, so that inputs have both signs. */
static const int16_t middle[RG_N_INPUTS] = {
  128, 128, 128, 128, 128, 128, 64, 128, 128, 128, 128, 128, 64, 64, 64, 64
};

void
vt_rg_map_inputs(const RgPlanes *planes, int64_t y, int16_t *inputs[RG_N_INPUTS])
{
  for (int i = 0; i < RG_N_INPUTS; i++) {
    const int16_t *restrict row = planes->plane[i] + y * planes->width;
    int16_t *restrict input = inputs[i];
    for (int64_t x = 0; x < planes->width; x++) {
      const int v = row[x] - middle[i];
      input[x] = (int16_t)(v < -RG_INPUT_MAX ? -RG_INPUT_MAX : v > RG_INPUT_MAX ? RG_INPUT_MAX : v);
    }
  }
}

static void
map_row(int16_t *restrict dst, const RgMap *map, int16_t *inputs[RG_N_INPUTS], int32_t *restrict sum,
        int32_t *restrict inner, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    sum[x] = map->constant;
  const int32_t *square = map->square;
  for (int i = 0; i < RG_N_INPUTS; i++) {
    for (int64_t x = 0; x < n; x++)
      inner[x] = 0;
    for (int j = 0; j <= i; j++, square++) {
      const int16_t *restrict f = inputs[j];
      const int16_t weight = (int16_t)*square;
      for (int64_t x = 0; x < n; x++)
        inner[x] += weight * f[x];
    }
    const int16_t *restrict f = inputs[i];
    for (int64_t x = 0; x < n; x++)
      sum[x] += ((inner[x] >> 10) + map->linear[i]) * f[x];
  }
  for (int64_t x = 0; x < n; x++) {
    const int32_t v = (sum[x] >> 10) * 5 / 8 + 24 + (inputs[RG_RED_1][x] - inputs[RG_RED_16][x]) / 4;
    dst[x] = (int16_t)(v < 0 ? 0 : v > 255 ? 255 : v);
  }
}

VitrailStatus
vt_rg_map_fill(RgPlanes *planes, const RgMap *map)
{
  const size_t w = (size_t)planes->width;
  int16_t *rows = malloc(w * (RG_N_INPUTS * sizeof(int16_t) + 2 * sizeof(int32_t)) + 64), *inputs[RG_N_INPUTS];
  if (!rows)
    return VITRAIL_OUT_OF_MEMORY;
  int32_t *sum = (int32_t *)rows;
  for (size_t i = 0; i < RG_N_INPUTS; i++)
    inputs[i] = rows + 4 * w + i * w;
  bool is_cancelled = false;
  for (int64_t y = 0; y < planes->height && !is_cancelled; y++) {
    is_cancelled = vt_cpu_cancelled_at(planes->cancel, y);
    vt_rg_map_inputs(planes, y, inputs);
    map_row(planes->plane[RG_MAP] + y * planes->width, map, inputs, sum, sum + w, planes->width);
  }
  free(rows);
  return is_cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}
