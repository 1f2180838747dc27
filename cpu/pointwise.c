/* SPDX-License-Identifier: MIT */
#include "vt-cpu.h"

#include <string.h>

static inline float
next_below(float v)
{
  /* nextafterf(v, -inf) on the bits, so that the loop over it becomes vector code. */
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t down = bits == 0 ? 0x80000001u : bits >> 31 ? bits + 1 : bits - 1;
  const bool stays = magnitude > 0x7f800000u || bits == 0xff800000u; /* NaN, -inf */
  bits = stays ? bits : down;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* As bits, since a choice between an image and a number is a branch for each pixel. */
static inline float
value_where(float v, bool is_in, float outside)
{
  uint32_t bits, others;
  const uint32_t mask = 0u - is_in;
  memcpy(&bits, &v, sizeof bits);
  memcpy(&others, &outside, sizeof others);
  bits = (bits & mask) | (others & ~mask);
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* The destination is an input, or apart from it: no pixel waits for another, so that the loop becomes vector code in place, too. */
#define EACH(A, B, D, expression) \
  do { \
    const A *a = va; \
    const B *b = vb; \
    D *d = vd; \
    (void)b; \
    _Pragma("GCC ivdep") for (int64_t x = 0; x < n; x++) d[x] = (D)(expression); \
  } while (0)

/* Of whole numbers: `level` is s without its fraction, the highest value of the type for what is none of its values. */
#define ABOVE(T, s, level) \
  do { \
    if (s < 0) \
      memset(vd, 255, (size_t)n); \
    else \
      EACH(T, T, uint8_t, a[x] > level ? 255 : 0); \
  } while (0)

static void
row_u8(VtPointwiseOp op, const void *va, const void *vb, void *vd, double s, int64_t n)
{
  const uint8_t level = s >= 0 && s < UINT8_MAX ? (uint8_t)s : UINT8_MAX;
  switch (op) {
  case VT_PW_ABOVE: ABOVE(uint8_t, s, level); break;
  case VT_PW_NOT: EACH(uint8_t, uint8_t, uint8_t, a[x] ? 0 : 255); break;
  case VT_PW_AND: EACH(uint8_t, uint8_t, uint8_t, (a[x] != 0) & (b[x] != 0) ? 255 : 0); break;
  case VT_PW_COMPLEMENT: EACH(uint8_t, uint8_t, uint8_t, UINT8_MAX - a[x]); break;
  case VT_PW_WIDEN: EACH(uint8_t, uint8_t, uint16_t, a[x]); break;
  default: EACH(uint8_t, uint8_t, uint8_t, a[x] > level ? a[x] - level : 0); break;
  }
}

static void
row_u16(VtPointwiseOp op, const void *va, const void *vb, void *vd, double s, int64_t n)
{
  const uint16_t level = s >= 0 && s < UINT16_MAX ? (uint16_t)s : UINT16_MAX;
  switch (op) {
  case VT_PW_ABOVE: ABOVE(uint16_t, s, level); break;
  case VT_PW_SUBTRACT_CLAMP: EACH(uint16_t, uint16_t, uint16_t, a[x] > b[x] ? a[x] - b[x] : 0); break;
  case VT_PW_COMPLEMENT: EACH(uint16_t, uint16_t, uint16_t, UINT16_MAX - a[x]); break;
  case VT_PW_WIDEN: EACH(uint16_t, uint16_t, uint16_t, a[x]); break;
  default: EACH(uint16_t, uint16_t, uint16_t, a[x] > level ? a[x] - level : 0); break;
  }
}

static void
row_f32(VtPointwiseOp op, const void *va, const void *vb, void *vd, double s, int64_t n)
{
  const float f = (float)s, not_above = f > s ? next_below(f) : f;
  switch (op) {
  case VT_PW_ABOVE: EACH(float, float, uint8_t, a[x] > not_above ? 255 : 0); break;
  case VT_PW_ABOVE_IMAGE: EACH(float, float, uint8_t, a[x] > b[x] ? 255 : 0); break;
  case VT_PW_SHIFT_DOWN: EACH(float, float, float, a[x] - f); break;
  case VT_PW_NEXT_BELOW: EACH(float, float, float, next_below(a[x])); break;
  default: EACH(float, uint8_t, float, value_where(a[x], b[x] != 0, f)); break;
  }
}

VitrailStatus
vt_cpu_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel)
{
  if (!vt_pointwise_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t y = 0; y < args->a.height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    const void *a = vt_image_at(&args->a, 0, y), *b = args->b.data ? vt_image_at(&args->b, 0, y) : NULL;
    void *d = vt_image_at(&args->dst, 0, y);
    if (args->a.type == VITRAIL_U8)
      row_u8(args->op, a, b, d, args->s, args->a.width);
    else if (args->a.type == VITRAIL_U16)
      row_u16(args->op, a, b, d, args->s, args->a.width);
    else
      row_f32(args->op, a, b, d, args->s, args->a.width);
  }
  return VITRAIL_OK;
}
