/* SPDX-License-Identifier: MIT
 *
 * Geodesic distance and influence zones (SKIZ; C. Lantuéjoul and S. Beucher, On the use of the geodesic metric in image
 * analysis, 1981) as one wavefront: steps and label are one number, the steps above, and a pixel takes the least. */
#include "vt-cpu.h"
#include "big-alloc.h"
#include "iwpp/iwpp.h"

#include <stdlib.h>

#define ONE_STEP (INT64_C(1) << 32)
static const int64_t outside = -1, unreached = INT64_MAX;

static int64_t
next_step(const void *state, int64_t at)
{
  return ((const int64_t *)state)[at] + ONE_STEP;
}

/* First in, first out: a pixel that gets a smaller label for the same steps has not had its turn yet. */
static bool
offer(void *state, const VtIwppStep *step)
{
  int64_t *to = (int64_t *)state + step->to;
  const int64_t old = *to;
  *to = step->value < old ? step->value : old;
  return step->value < old && old >> 32 != step->value >> 32;
}

/* VITRAIL_BAD_ARGUMENT: a bad label. */
static VitrailStatus
frame(const VtGeodesic *args, int64_t *plane, int64_t pitch, const VtCancel *cancel)
{
  bool ok = true;
  for (int64_t i = 0; i < pitch; i++)
    plane[i] = plane[(args->seeds.height + 1) * pitch + i] = outside;
  plane[(args->seeds.height + 2) * pitch] = outside;
  for (int64_t y = 0; y < args->seeds.height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    const int32_t *seed = vt_image_at(&args->seeds, 0, y);
    const uint8_t *mask = vt_image_at(&args->mask, 0, y);
    int64_t *row = plane + (y + 1) * pitch + 1;
    row[-1] = outside;
    for (int64_t x = 0; x < args->seeds.width; x++) {
      ok &= !mask[x] || seed[x] >= 0;
      row[x] = !mask[x] ? outside : seed[x] ? seed[x] : unreached;
    }
  }
  return ok ? VITRAIL_OK : VITRAIL_BAD_ARGUMENT;
}

/* Seeds that have something to offer. */
static VitrailStatus
first_wave(const VtGeodesic *args, const int64_t *plane, int64_t pitch, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t around[8] = { -pitch, -1, 1, pitch, -pitch - 1, -pitch + 1, pitch - 1, pitch + 1 };
  for (int64_t y = 0; y < args->seeds.height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    for (int64_t x = 0, at = (y + 1) * pitch + 1; x < args->seeds.width; x++, at++) {
      bool any = false;
      for (int k = 0; k < args->connectivity && plane[at] != outside && plane[at] != unreached; k++)
        any |= plane[at + around[k]] == unreached;
      if (any && !vt_cpu_queue_push(queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
  }
  return VITRAIL_OK;
}

static void
write_row(const VtGeodesic *args, int64_t y, const int64_t *row)
{
  int32_t *steps = args->steps.data ? vt_image_at(&args->steps, 0, y) : NULL;
  int32_t *zones = args->zones.data ? vt_image_at(&args->zones, 0, y) : NULL;
  for (int64_t x = 0; x < args->seeds.width; x++) {
    const bool reached = row[x] != outside && row[x] != unreached;
    if (steps)
      steps[x] = reached ? (int32_t)(row[x] >> 32) : VT_EDT_NONE;
    if (zones)
      zones[x] = reached ? (int32_t)row[x] : 0;
  }
}

VitrailStatus
vt_cpu_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel)
{
  if (!vt_geodesic_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t pitch = args->seeds.width + 1, n = (args->seeds.height + 2) * pitch + 1;
  int64_t *plane = vt_cpu_big_alloc((size_t)n * sizeof *plane);
  if (!plane)
    return VITRAIL_OUT_OF_MEMORY;
  VtCpuQueue queue = { .narrow = n <= UINT32_MAX };
  VitrailStatus status = frame(args, plane, pitch, cancel);
  if (status == VITRAIL_OK)
    status = first_wave(args, plane, pitch, &queue, cancel);
  if (status == VITRAIL_OK)
    status = args->connectivity == 8 ? vt_iwpp_flow(&(VtIwpp){ pitch, 8, cancel }, &queue, plane, next_step, offer)
                                     : vt_iwpp_flow(&(VtIwpp){ pitch, 4, cancel }, &queue, plane, next_step, offer);
  for (int64_t y = 0; y < args->seeds.height && status == VITRAIL_OK; y++) {
    write_row(args, y, plane + (y + 1) * pitch + 1);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  vt_cpu_queue_clear(&queue);
  free(plane);
  return status;
}
