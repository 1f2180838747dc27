/* SPDX-License-Identifier: MIT
 *
 * The disc is a stack of horizontal segments. One source row gives H_k(x) = min f(x-k..x+k) for k = 0..radius, each
 * from the last by two more pixels. Every H_k is folded into those output rows whose segment at that height has half
 * width k. All inner loops are minima of whole rows. */
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

/* Source row sy with a margin of radius on both sides; what lies outside src can never be a minimum. */
static void
load_row(const VtErodeDisc *a, int64_t sy, uint16_t *row)
{
  const int64_t first = a->x0 - a->radius, n = a->dst.width + 2 * (int64_t)a->radius;
  const int64_t from = first < 0 ? -first : 0, to = a->src.width - first < n ? a->src.width - first : n;
  memset(row, 0xff, (size_t)n * sizeof *row);
  memcpy(row + from, vt_image_at(&a->src, first + from, sy), (size_t)(to - from) * sizeof *row);
}

static void
add_row(const VtErodeDisc *a, const VtCpuRows *rows, int64_t sy, const uint16_t *row, uint16_t *h)
{
  const int64_t n = a->dst.width, r = a->radius;
  int64_t dy = r;
  memcpy(h, row + r, (size_t)n * sizeof *h);
  for (int64_t k = 0; k <= r; k++) {
    if (k > 0)
      rows->widen(h, row + r - k, row + r + k, n);
    /* The heights whose half width is k: k² <= r² - dy² < (k+1)². */
    for (; dy >= 0 && r * r - dy * dy < (k + 1) * (k + 1); dy--) {
      const int64_t up = sy - a->y0 - dy, down = sy - a->y0 + dy;
      if (up >= 0 && up < a->dst.height)
        rows->fold(vt_image_at(&a->dst, 0, up), h, n);
      if (dy > 0 && down >= 0 && down < a->dst.height)
        rows->fold(vt_image_at(&a->dst, 0, down), h, n);
    }
  }
}

VitrailStatus
vt_cpu_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  const int64_t r = args->radius;
  if (!vt_erode_disc_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  uint16_t *row = malloc((size_t)(2 * dst->width + 2 * r) * sizeof *row);
  if (!row)
    return VITRAIL_OUT_OF_MEMORY;
  uint16_t *h = row + dst->width + 2 * r;
  for (int64_t y = 0; y < dst->height; y++)
    memset(vt_image_at(dst, 0, y), 0xff, (size_t)dst->width * sizeof *row);
  const int64_t from = args->y0 > r ? args->y0 - r : 0;
  const int64_t end = args->y0 + dst->height + r < src->height ? args->y0 + dst->height + r : src->height;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t sy = from; sy < end && status == VITRAIL_OK; sy++) {
    load_row(args, sy, row);
    add_row(args, vt_cpu_rows(), sy, row, h);
    if (vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  free(row);
  return status;
}
