/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>

static int64_t
count(const VtOverlaps *args, int32_t a, int32_t b)
{
  int64_t n = 0;
  for (int64_t y = 0; y < args->a.height; y++)
    for (int64_t x = 0; x < args->a.width; x++)
      n += *(int32_t *)vt_image_at(&args->a, x, y) == a && *(int32_t *)vt_image_at(&args->b, x, y) == b;
  return n;
}

/* Keeps the list sorted. */
static int64_t
insert(VtOverlap *list, int64_t n, int32_t a, int32_t b)
{
  int64_t at = 0;
  while (at < n && (list[at].a < a || (list[at].a == a && list[at].b < b)))
    at++;
  if (at < n && list[at].a == a && list[at].b == b)
    return n;
  for (int64_t i = n; i > at; i--)
    list[i] = list[i - 1];
  list[at] = (VtOverlap){ a, b, 0 };
  return n + 1;
}

VitrailStatus
vt_oracle_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel)
{
  VtOverlap *list = malloc((size_t)(args->a.width * args->a.height) * sizeof *list);
  int64_t n = 0;
  if (!list)
    return VITRAIL_OUT_OF_MEMORY;
  for (int64_t y = 0; y < args->a.height; y++)
    for (int64_t x = 0; x < args->a.width; x++) {
      const int32_t a = *(int32_t *)vt_image_at(&args->a, x, y), b = *(int32_t *)vt_image_at(&args->b, x, y);
      if (a >= 0 && b >= 0 && (a != 0 || b != 0))
        n = insert(list, n, a, b);
    }
  for (int64_t i = 0; i < n; i++)
    list[i].n_px = (int32_t)count(args, list[i].a, list[i].b);
  *args->n = n;
  *args->list = n > 0 ? list : NULL;
  if (n == 0)
    free(list);
  return VITRAIL_OK;
}
