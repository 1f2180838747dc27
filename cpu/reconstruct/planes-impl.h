/* SPDX-License-Identifier: MIT
 *
 * planes-impl.h: template (each-type.h). Marker and mask copied into planes with a frame of one LOWEST pixel, so that
 * no neighbour needs a bounds test: a frame pixel is at its mask and can neither give nor take. The caller's marker is
 * written only when all is done. */
#include "pixel-impl.h"

typedef struct TYPED(Planes) {
  PIXEL *marker, *mask; /* pixel (0,0); the frame lies around it */
  int64_t width, height, pitch;
  PIXEL *memory;
} TYPED(Planes);

static bool
TYPED(marker_ok)(const VtReconstruct *args)
{
  for (int64_t y = 0; y < args->mask.height; y++) {
    const PIXEL *marker = vt_image_at(&args->marker, 0, y), *mask = vt_image_at(&args->mask, 0, y);
    bool bad = false;
    for (int64_t x = 0; x < args->mask.width; x++)
      bad |= !(marker[x] <= mask[x]); /* also a NaN in either */
    if (bad)
      return false;
  }
  return true;
}

static VitrailStatus
TYPED(planes_init)(TYPED(Planes) * p, const VtReconstruct *args)
{
  const int64_t width = args->mask.width, height = args->mask.height, pitch = width + 2;
  size_t n, bytes;
  *p = (TYPED(Planes)){ 0 };
  if (!TYPED(marker_ok)(args))
    return VITRAIL_BAD_ARGUMENT;
  if (__builtin_mul_overflow((size_t)pitch, (size_t)height + 2, &n)
      || __builtin_mul_overflow(n, 2 * sizeof(PIXEL), &bytes) || !(p->memory = malloc(bytes)))
    return VITRAIL_OUT_OF_MEMORY;
  p->width = width, p->height = height, p->pitch = pitch;
  p->marker = p->memory + pitch + 1;
  p->mask = p->marker + n;
  for (int64_t x = -1; x <= width; x++) {
    p->marker[x - pitch] = p->mask[x - pitch] = LOWEST;
    p->marker[x + height * pitch] = p->mask[x + height * pitch] = LOWEST;
  }
  for (int64_t y = 0; y < height; y++) {
    const PIXEL *from_marker = vt_image_at(&args->marker, 0, y), *from_mask = vt_image_at(&args->mask, 0, y);
    PIXEL *marker = p->marker + y * pitch, *mask = p->mask + y * pitch;
    marker[-1] = mask[-1] = marker[width] = mask[width] = LOWEST;
    for (int64_t x = 0; x < width; x++)
      marker[x] = NORMAL(from_marker[x]);
    for (int64_t x = 0; x < width; x++)
      mask[x] = NORMAL(from_mask[x]);
  }
  return VITRAIL_OK;
}

static void
TYPED(planes_store)(const TYPED(Planes) * p, const VtReconstruct *args)
{
  for (int64_t y = 0; y < p->height; y++)
    memcpy(vt_image_at(&args->marker, 0, y), p->marker + y * p->pitch, (size_t)p->width * sizeof(PIXEL));
}

/* One row of a scan takes from the row before it (vector work) and then from its own pixel before (a chain). */
static inline void
TYPED(take_row)(PIXEL *restrict marker, const PIXEL *restrict mask, const PIXEL *restrict before, int64_t n, bool eight)
{
  for (int64_t x = 0; x < n; x++) {
    PIXEL v = before[x];
    if (eight)
      v = TYPED(max)(v, TYPED(max)(before[x - 1], before[x + 1]));
    marker[x] = TYPED(min)(TYPED(max)(marker[x], v), mask[x]);
  }
}

static inline void
TYPED(forward_row)(const TYPED(Planes) * p, int64_t y, bool eight)
{
  PIXEL *marker = p->marker + y * p->pitch, *mask = p->mask + y * p->pitch, last = LOWEST;
  if (eight)
    TYPED(take_row)(marker, mask, marker - p->pitch, p->width, true);
  else
    TYPED(take_row)(marker, mask, marker - p->pitch, p->width, false);
  for (int64_t x = 0; x < p->width; x++)
    marker[x] = last = TYPED(max)(marker[x], TYPED(min)(last, mask[x]));
}

static inline void
TYPED(backward_row)(const TYPED(Planes) * p, int64_t y, bool eight)
{
  PIXEL *marker = p->marker + y * p->pitch, *mask = p->mask + y * p->pitch, last = LOWEST;
  if (eight)
    TYPED(take_row)(marker, mask, marker + p->pitch, p->width, true);
  else
    TYPED(take_row)(marker, mask, marker + p->pitch, p->width, false);
  for (int64_t x = p->width; x-- > 0;)
    marker[x] = last = TYPED(max)(marker[x], TYPED(min)(last, mask[x]));
}
