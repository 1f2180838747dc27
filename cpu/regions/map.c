/* SPDX-License-Identifier: MIT
 *
 * The pixel map: a quarter of a quadratic form of the planes, trained to be 255 inside nuclei, 128 on their outline and 0 elsewhere, and
 * of how far red is above its surroundings. The form is clipped: it says nothing sound of stains that no field has. */
#include "filters.h"

void
vt_rg_map_inputs(const RgPlanes *planes, int64_t y, int16_t *inputs[RG_N_INPUTS])
{
  for (int i = 0; i < RG_N_INPUTS; i++) {
    const int16_t *restrict row = planes->plane[i] + y * planes->width;
    int16_t *restrict input = inputs[i];
    for (int64_t x = 0; x < planes->width; x++) {
      const int v = row[x] - vt_rg_map_middle[i];
      input[x] = (int16_t)(v < -RG_INPUT_MAX ? -RG_INPUT_MAX : v > RG_INPUT_MAX ? RG_INPUT_MAX : v);
    }
  }
}

VitrailStatus
vt_rg_map_fill(RgPlanes *planes, const RgMap *map)
{
  const RgFilters *filters = vt_rg_filters();
  for (int64_t y = 0; y < planes->height; y++) {
    const int64_t at = y * planes->width;
    const int16_t *inputs[RG_N_INPUTS];
    if (vt_cpu_cancelled_at(planes->cancel, y))
      return VITRAIL_CANCELLED;
    for (int i = 0; i < RG_N_INPUTS; i++)
      inputs[i] = planes->plane[i] + at;
    filters->map(planes->plane[RG_MAP] + at, inputs, map, planes->width);
  }
  return VITRAIL_OK;
}
