/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>

static VtObjectStats
measure(const VtNumber *args, int32_t label)
{
  VtObjectStats s = { .left = INT64_MAX, .top = INT64_MAX };
  for (int64_t y = 0; y < args->labels.height; y++)
    for (int64_t x = 0; x < args->labels.width; x++) {
      if (*(int32_t *)vt_image_at(&args->labels, x, y) != label)
        continue;
      s.area_px++;
      s.sum_x += x;
      s.sum_y += y;
      s.sum_a += (int64_t)vt_oracle_get(&args->a, x, y);
      s.sum_b += (int64_t)vt_oracle_get(&args->b, x, y);
      s.left = x < s.left ? x : s.left;
      s.top = y < s.top ? y : s.top;
      s.right = x + 1 > s.right ? x + 1 : s.right;
      s.bottom = y + 1 > s.bottom ? y + 1 : s.bottom;
    }
  return s;
}

/* A label that is met is made negative, all over the image, until all have been met. */
VitrailStatus
vt_oracle_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  const VtImage *labels = &args->labels;
  *args->stats = calloc((size_t)(labels->width * labels->height), sizeof **args->stats);
  *args->n_objects = 0;
  for (int64_t y = 0; y < labels->height; y++)
    for (int64_t x = 0; x < labels->width; x++) {
      const int32_t label = *(int32_t *)vt_image_at(labels, x, y);
      if (label <= 0)
        continue;
      (*args->stats)[(*args->n_objects)++] = measure(args, label);
      for (int64_t v = 0; v < labels->height; v++)
        for (int64_t u = 0; u < labels->width; u++)
          if (*(int32_t *)vt_image_at(labels, u, v) == label)
            *(int32_t *)vt_image_at(labels, u, v) = (int32_t) - *args->n_objects;
    }
  for (int64_t y = 0; y < labels->height; y++)
    for (int64_t x = 0; x < labels->width; x++)
      *(int32_t *)vt_image_at(labels, x, y) *= -1;
  return VITRAIL_OK;
}

VitrailStatus
vt_oracle_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel)
{
  for (int64_t y = 0; y < args->labels.height; y++)
    for (int64_t x = 0; x < args->labels.width; x++) {
      int32_t *label = vt_image_at(&args->labels, x, y);
      *label = args->table[*label];
    }
  return VITRAIL_OK;
}
