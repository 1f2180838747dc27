/* SPDX-License-Identifier: MIT
 *
 * Regional maxima and minima: a pixel beside a higher one is none, and neither is what it can reach on its plateau: a
 * wavefront (L. Vincent, Morphological grayscale reconstruction in image analysis, 1993, section 2.2). Every type is
 * worked on as 32-bit integers in the same order, for minima turned round. */
#include "vt-cpu.h"
#include "big-alloc.h"
#include "iwpp/iwpp.h"

#include <stdlib.h>
#include <string.h>

enum { TOP, NO_TOP, OUTSIDE }; /* what a pixel is, as far as is known */

/* Position of pixel (x,y): (y + 1) * pitch + x + 1. */
typedef struct Regional {
  const VtRegional *args;
  int64_t pitch;
  int32_t *key;
  uint8_t *is;
} Regional;

/* Integers in the order of the floats; the two zeros are one. */
static inline int32_t
key_of_float(float value)
{
  const float no_minus_zero = value + 0.0f;
  int32_t bits;
  memcpy(&bits, &no_minus_zero, sizeof bits);
  return bits < 0 ? bits ^ INT32_MAX : bits;
}

static void
read_keys(const VtImage *src, int64_t y, int32_t *restrict key)
{
  const void *row = vt_image_at(src, 0, y);
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_U8; x++)
    key[x] = ((const uint8_t *)row)[x];
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_U16; x++)
    key[x] = ((const uint16_t *)row)[x];
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_F32; x++)
    key[x] = key_of_float(((const float *)row)[x]);
  if (src->type == VITRAIL_I32)
    memcpy(key, row, (size_t)src->width * sizeof *key);
}

/* False: a pixel inside is no number. */
static bool
frame_row(const Regional *r, int64_t y)
{
  const VtImage *src = &r->args->src;
  const uint8_t *inside = r->args->inside.data ? vt_image_at(&r->args->inside, 0, y) : NULL;
  const float *value = vt_image_at(src, 0, y);
  int32_t *key = r->key + (y + 1) * r->pitch + 1;
  uint8_t *is = r->is + (y + 1) * r->pitch + 1;
  bool ok = true;
  key[-1] = INT32_MIN;
  is[-1] = OUTSIDE;
  read_keys(src, y, key);
  for (int64_t x = 0; x < src->width; x++) {
    is[x] = !inside || inside[x] ? TOP : OUTSIDE;
    key[x] = is[x] == OUTSIDE ? INT32_MIN : r->args->minima ? ~key[x] : key[x];
  }
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_F32; x++)
    ok &= is[x] == OUTSIDE || value[x] == value[x];
  return ok;
}

static VitrailStatus
frame(const Regional *r, const VtCancel *cancel)
{
  const int64_t height = r->args->src.height, last = (height + 1) * r->pitch;
  for (int64_t i = 0; i < r->pitch; i++)
    r->key[i] = r->key[last + i] = INT32_MIN;
  r->key[last + r->pitch] = INT32_MIN;
  memset(r->is, OUTSIDE, (size_t)r->pitch);
  memset(r->is + last, OUTSIDE, (size_t)r->pitch + 1);
  for (int64_t y = 0; y < height; y++) {
    if (!frame_row(r, y))
      return VITRAIL_BAD_ARGUMENT;
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VT_IWPP_INLINE void
mark_row(const Regional *r, int64_t y, int n_around)
{
  const int64_t p = r->pitch, around[8] = { -p, -1, 1, p, -p - 1, -p + 1, p - 1, p + 1 };
  const int32_t *restrict key = r->key + (y + 1) * p + 1;
  uint8_t *restrict is = r->is + (y + 1) * p + 1;
  for (int64_t x = 0; x < r->args->src.width; x++) {
    int32_t highest = INT32_MIN;
    for (int k = 0; k < n_around; k++)
      highest = highest > key[x + around[k]] ? highest : key[x + around[k]];
    is[x] = (uint8_t)(highest > key[x] && is[x] == TOP ? NO_TOP : is[x]);
  }
}

/* Of the pixels that are no tops, those with a neighbour on their plateau that does not know it yet. */
VT_IWPP_INLINE VitrailStatus
queue_row(const Regional *r, int64_t y, int n_around, uint8_t *restrict source, VtCpuQueue *queue)
{
  const int64_t p = r->pitch, first = (y + 1) * p + 1, width = r->args->src.width;
  const int64_t around[8] = { -p, -1, 1, p, -p - 1, -p + 1, p - 1, p + 1 };
  const int32_t *restrict key = r->key + first;
  const uint8_t *restrict is = r->is + first;
  for (int64_t x = 0; x < width; x++) {
    uint8_t any = 0;
    for (int k = 0; k < n_around; k++)
      any |= (key[x + around[k]] == key[x]) & (is[x + around[k]] == TOP);
    source[x] = any & (is[x] == NO_TOP);
  }
  for (const uint8_t *s = source; (s = memchr(s, 1, (size_t)(source + width - s))); s++)
    if (!vt_cpu_queue_push(queue, first + (s - source)))
      return VITRAIL_OUT_OF_MEMORY;
  return VITRAIL_OK;
}

static bool
offer(void *state, const VtIwppStep *step)
{
  const Regional *r = state;
  if (r->is[step->to] != TOP || r->key[step->to] != r->key[step->from])
    return false;
  r->is[step->to] = NO_TOP;
  return true;
}

VT_IWPP_INLINE VitrailStatus
flood(Regional *r, int n_around, uint8_t *source, const VtCancel *cancel)
{
  const int64_t height = r->args->src.height;
  VtCpuQueue queue = { 0 };
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < height && status == VITRAIL_OK; y++) {
    mark_row(r, y, n_around);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  for (int64_t y = 0; y < height && status == VITRAIL_OK; y++) {
    status = queue_row(r, y, n_around, source, &queue);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  if (status == VITRAIL_OK)
    status = vt_iwpp_flow(&(VtIwpp){ r->pitch, n_around, cancel }, &queue, r, NULL, offer);
  vt_cpu_queue_clear(&queue);
  return status;
}

VitrailStatus
vt_cpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel)
{
  if (!vt_regional_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t width = args->src.width, pitch = width + 1, n = (args->src.height + 2) * pitch + 1;
  Regional r = { args, pitch, vt_cpu_big_alloc((size_t)n * (sizeof *r.key + 1) + (size_t)width), NULL };
  if (!r.key)
    return VITRAIL_OUT_OF_MEMORY;
  r.is = (uint8_t *)(r.key + n);
  VitrailStatus status = frame(&r, cancel);
  if (status == VITRAIL_OK)
    status = args->connectivity == 8 ? flood(&r, 8, r.is + n, cancel) : flood(&r, 4, r.is + n, cancel);
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    uint8_t *dst = vt_image_at(&args->dst, 0, y);
    for (int64_t x = 0; x < width; x++)
      dst[x] = r.is[(y + 1) * pitch + 1 + x] == TOP ? 255 : 0;
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  free(r.key);
  return status;
}
