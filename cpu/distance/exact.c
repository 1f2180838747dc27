/* SPDX-License-Identifier: MIT
 *
 * Exact Euclidean distance transform (A. Meijster, J. Roerdink, W. Hesselink, A general algorithm for computing
 * distance transforms in linear time, 2000).
 *
 * Columns: one sweep down, one up.
 *
 * Rows, near: where the background is near, the columns around a pixel are tried outwards until their distance alone is
 * too large, for 32 pixels at once and in 16 bits. Rows, far: the parabolas (x - i)² + g(i)² of a row's columns; a stack
 * keeps those on the lower envelope with the first x at which each is lowest; then it is read from the right. Sides are
 * below 2^31 and so are the distances g: every value there is under 2^63. */
#include "../vt-cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column distance counts as at most FAR: its square and that of a step below it fit 16 bits together. Answers below FAR²
 * are right. Squares are kept less 2^15, because vectors of 16 bits are compared as signed ones. */
enum { GROUP = 32, FAR = 181 };

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

/* Of the columns first..end - 1. Returns the size of the stack; 0 if none of them has a background pixel. */
static int64_t
lower_envelope(const int32_t *g, int64_t first, int64_t end, Parabola *stack)
{
  int64_t n = 0;
  for (int64_t u = first; u < end; u++) {
    if (g[u] == VT_EDT_NONE)
      continue;
    Parabola p = { u, (int64_t)g[u] * g[u], first };
    while (n > 0 && height_at(&stack[n - 1], stack[n - 1].start) > height_at(&p, stack[n - 1].start))
      n--;
    if (n > 0) {
      /* The top is not above p where it starts, so they cross at or after it and the numerator is not negative. */
      const Parabola *top = &stack[n - 1];
      p.start = 1 + (u * u + p.g2 - (top->site * top->site + top->g2)) / (2 * (u - top->site));
    }
    if (p.start < end)
      stack[n++] = p;
  }
  return n;
}

/* The pixels first..end - 1 of row y. A pixel beside them is nearer to the background than FAR: no pixel of them can be
 * much farther than that and the way to it, and columns beyond do not matter. */
static void
write_far(const VtEdt *args, int64_t y, int64_t first, int64_t end, Parabola *stack)
{
  const int64_t width = args->dst.width;
  const int64_t radius = FAR + (first > 0 && end < width ? (end - first) / 2 + 1 : end - first);
  int64_t n = lower_envelope(vt_image_at(&args->src, 0, y), first > radius ? first - radius : 0,
                             end < width - radius ? end + radius : width, stack);
  int64_t *out64 = vt_image_at(&args->dst, 0, y);
  float *out32 = vt_image_at(&args->dst, 0, y);
  const bool squared = args->dst.type == VT_I64;
  for (int64_t x = end; x-- > first;) {
    while (n > 0 && stack[n - 1].start > x)
      n--;
    if (squared)
      out64[x] = n > 0 ? height_at(&stack[n - 1], x) : VT_EDT_NONE64;
    else
      out32[x] = n > 0 ? (float)sqrt((double)height_at(&stack[n - 1], x)) * args->scale : INFINITY;
  }
}

/* Squares of a row's distances, at most FAR². */
static void
square_row(const int32_t *restrict g, int64_t width, int16_t *restrict squares)
{
  for (int64_t x = 0; x < width; x++) {
    const int32_t near = g[x] < FAR ? g[x] : FAR;
    squares[x] = (int16_t)(near * near + INT16_MIN);
  }
}

static inline int
highest(const int16_t *best)
{
  int16_t worst = INT16_MIN;
  for (int k = 0; k < GROUP; k++)
    worst = worst > best[k] ? worst : best[k];
  return worst - INT16_MIN;
}

/* Squared distances of GROUP neighbours, the columns around them tried outwards until the way to them alone is too long.
 * False: a pixel is FAR or more away. */
static bool
search(const int16_t *squares, int16_t best[GROUP])
{
  int16_t least[GROUP]; /* here, the compiler keeps it in registers */
  for (int k = 0; k < GROUP; k++)
    least[k] = squares[k];
  for (int step = 1; step < FAR && step * step < highest(least);)
    for (int end = step + 4 < FAR ? step + 4 : FAR; step < end; step++) {
      const int16_t add = (int16_t)(step * step);
      for (int k = 0; k < GROUP; k++) {
        const int16_t left = squares[k - step], right = squares[k + step];
        const int16_t side = (int16_t)((left < right ? left : right) + add);
        least[k] = least[k] < side ? least[k] : side;
      }
    }
  for (int k = 0; k < GROUP; k++)
    best[k] = least[k];
  return highest(least) < FAR * FAR;
}

/* The root of a number below 2^24 is the same float from floats as from doubles. */
static void
write_near(const VtEdt *args, int64_t x, int64_t y, const int16_t *best)
{
  const int64_t n = args->dst.width - x < GROUP ? args->dst.width - x : GROUP;
  int64_t *out64 = vt_image_at(&args->dst, x, y);
  float *out32 = vt_image_at(&args->dst, x, y), roots[GROUP];
  if (args->dst.type == VT_I64) {
    for (int64_t k = 0; k < n; k++)
      out64[k] = best[k] - INT16_MIN;
    return;
  }
  for (int k = 0; k < GROUP; k++)
    roots[k] = sqrtf((float)(best[k] - INT16_MIN)) * args->scale;
  memcpy(out32, roots, (size_t)n * sizeof *roots);
}

/* Returns the number of pixels that were far. */
static int64_t
fill_row(const VtEdt *args, int64_t y, int16_t *squares, Parabola *stack)
{
  const int64_t width = args->dst.width;
  int64_t n_far = 0, far = 0; /* pixels: of the row, and just before x */
  int wait = 0, skip = 0;     /* groups to leave out after one that was far, doubled each time; left of them */
  int16_t best[GROUP];
  square_row(vt_image_at(&args->src, 0, y), width, squares);
  for (int64_t x = 0; x < width; x += GROUP) {
    const int64_t first = x + GROUP <= width || width < GROUP ? x : width - GROUP; /* nothing outside is waited for */
    const bool near = skip == 0 && search(squares + first, best);
    if (near) {
      wait = 0;
    } else if (skip > 0) {
      skip--;
    } else {
      skip = wait;
      wait = wait < 7 ? 2 * wait + 1 : 7;
    }
    if (near && far > 0)
      write_far(args, y, x - far, x, stack);
    if (near)
      write_near(args, first, y, best);
    far = near ? 0 : far + GROUP;
    n_far += near ? 0 : GROUP;
  }
  if (far > 0)
    write_far(args, y, (width + GROUP - 1) / GROUP * GROUP - far, width, stack);
  return n_far;
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
  const size_t width = (size_t)args->src.width, padded = width + GROUP + 2 * FAR;
  Parabola *stack = malloc(width * sizeof *stack);
  int16_t *squares = malloc(padded * sizeof *squares);
  VitrailStatus status = stack && squares ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (size_t k = 0; k < padded && status == VITRAIL_OK; k++)
    squares[k] = FAR * FAR + INT16_MIN;
  int n_far = 0; /* rows that were mostly far, one after the other: the next one is, too, and only now and then tried */
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    if (n_far % 32 == 0 && fill_row(args, y, squares + FAR, stack) < args->src.width / 2) {
      n_far = 0;
    } else {
      if (n_far % 32 != 0)
        write_far(args, y, 0, args->src.width, stack);
      n_far++;
    }
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  free(squares);
  free(stack);
  return status;
}
