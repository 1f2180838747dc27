/* SPDX-License-Identifier: MIT
 *
 * Exact Euclidean distance transform (A. Meijster, J. Roerdink, W. Hesselink, A general algorithm for computing
 * distance transforms in linear time, 2000). Columns: one sweep down, one up. Rows: the parabolas (x - i)² + g(i)² of a
 * row's columns; a stack keeps those on the lower envelope with the first x at which each is lowest; then it is read
 * from the right. Sides are below 2^31 and so are the distances g: every value below is under 2^63. */
#include "../vt-cpu.h"

#include <math.h>
#include <stdlib.h>

static void
sweep_down(int32_t *restrict dst, const uint8_t *restrict src, const int32_t *restrict above, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t next = above[x] + (above[x] != VT_EDT_NONE);
    dst[x] = src[x] ? next : 0;
  }
}

static void
sweep_up(int32_t *restrict dst, const int32_t *restrict below, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t next = below[x] + (below[x] != VT_EDT_NONE);
    dst[x] = dst[x] < next ? dst[x] : next;
  }
}

VitrailStatus
vt_cpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  const int64_t width = src->width, height = src->height;
  if (!vt_cpu_image_ok(src, VITRAIL_U8) || !vt_cpu_image_ok(dst, VITRAIL_I32) || !vt_cpu_same_size(src, dst)
      || height >= INT32_MAX)
    return VITRAIL_BAD_ARGUMENT;
  const uint8_t *top = vt_image_at(src, 0, 0);
  int32_t *first = vt_image_at(dst, 0, 0);
  for (int64_t x = 0; x < width; x++)
    first[x] = top[x] ? VT_EDT_NONE : 0;
  for (int64_t y = 1; y < height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    sweep_down(vt_image_at(dst, 0, y), vt_image_at(src, 0, y), vt_image_at(dst, 0, y - 1), width);
  }
  for (int64_t y = height - 1; y-- > 0;) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    sweep_up(vt_image_at(dst, 0, y), vt_image_at(dst, 0, y + 1), width);
  }
  return VITRAIL_OK;
}

typedef struct Parabola {
  int64_t site;  /* its column */
  int64_t g2;    /* squared column distance there */
  int64_t start; /* first x at which it is the lowest */
} Parabola;

static inline int64_t
height_at(const Parabola *p, int64_t x)
{
  return (x - p->site) * (x - p->site) + p->g2;
}

/* Returns the size of the stack; 0 if no column has a background pixel. */
static int64_t
lower_envelope(const int32_t *g, int64_t width, Parabola *stack)
{
  int64_t n = 0;
  for (int64_t u = 0; u < width; u++) {
    if (g[u] == VT_EDT_NONE)
      continue;
    Parabola p = { u, (int64_t)g[u] * g[u], 0 };
    while (n > 0 && height_at(&stack[n - 1], stack[n - 1].start) > height_at(&p, stack[n - 1].start))
      n--;
    if (n > 0) {
      /* The top is not above p where it starts, so they cross at or after it and the numerator is not negative. */
      const Parabola *top = &stack[n - 1];
      p.start = 1 + (u * u + p.g2 - (top->site * top->site + top->g2)) / (2 * (u - top->site));
    }
    if (p.start < width)
      stack[n++] = p;
  }
  return n;
}

static void
write_row(const VtEdt *args, int64_t y, const Parabola *stack, int64_t n)
{
  int64_t *out64 = vt_image_at(&args->dst, 0, y);
  float *out32 = vt_image_at(&args->dst, 0, y);
  const bool squared = args->dst.type == VT_I64;
  for (int64_t x = args->dst.width; x-- > 0;) {
    while (n > 0 && stack[n - 1].start > x)
      n--;
    if (squared)
      out64[x] = n > 0 ? height_at(&stack[n - 1], x) : VT_EDT_NONE64;
    else
      out32[x] = n > 0 ? (float)sqrt((double)height_at(&stack[n - 1], x)) * args->scale : INFINITY;
  }
}

static bool
rows_ok(const VtEdt *args)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_cpu_image_ok(src, VITRAIL_I32) || !vt_cpu_same_size(src, dst) || src->width >= INT32_MAX
      || !(vt_cpu_image_ok(dst, VT_I64) || (vt_cpu_image_ok(dst, VITRAIL_F32) && isfinite(args->scale))))
    return false;
  for (int64_t y = 0; y < src->height; y++) {
    const int32_t *g = vt_image_at(src, 0, y);
    int32_t sign = 0;
    for (int64_t x = 0; x < src->width; x++)
      sign |= g[x];
    if (sign < 0)
      return false;
  }
  return true;
}

VitrailStatus
vt_cpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  if (!rows_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t width = args->src.width;
  Parabola *stack = malloc((size_t)width * sizeof *stack);
  if (!stack)
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    write_row(args, y, stack, lower_envelope(vt_image_at(&args->src, 0, y), width, stack));
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  free(stack);
  return status;
}
