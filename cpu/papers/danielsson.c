/* SPDX-License-Identifier: MIT
 *
 * Euclidean distance by propagation of the nearest background pixel (P.-E. Danielsson, Euclidean distance mapping, 1980;
 * as a wavefront: Teodoro 2012, algorithm 3). A pixel takes the background pixel that a neighbour has if that is nearer
 * than its own, or as near and of a smaller number. Rounds, so that there is one answer.
 *
 * Not exact: the region of a background pixel need not hang together on the grid, and what lies apart is not reached. */
#include "../distance/distance.h"
#include "../big-alloc.h"
#include "../iwpp/iwpp.h"

#include <stdlib.h>

/* A background pixel as a number, in the order of their numbers in the image. */
#define SITE(x, y) ((int64_t)(y) << 32 | (x))
enum { NO_SITE = -1, FRAME = -2 };

typedef struct Danielsson {
  const VtDistance *args;
  int64_t pitch;
  int64_t *site;
} Danielsson;

static inline int64_t
squared_to(const VtDistance *args, int64_t x, int64_t y, int64_t site)
{
  const int64_t dx = x - (int32_t)site, dy = y - (site >> 32);
  return args->weight_x * (dx * dx) + args->weight_y * (dy * dy);
}

static int64_t
site_of(const void *state, int64_t at)
{
  return ((const Danielsson *)state)->site[at];
}

static bool
offer(void *state, const VtIwppStep *step)
{
  const Danielsson *d = state;
  const int64_t old = d->site[step->to], new = step->value;
  if (old == FRAME || old == new)
    return false;
  if (old != NO_SITE) {
    const int64_t had = squared_to(d->args, step->x, step->y, old), has = squared_to(d->args, step->x, step->y, new);
    if (has > had || (has == had && new > old))
      return false;
  }
  d->site[step->to] = new;
  return true;
}

static VitrailStatus
frame(Danielsson *d, const VtCancel *cancel)
{
  const VtImage *src = &d->args->src;
  for (int64_t i = 0; i < d->pitch; i++)
    d->site[i] = d->site[(src->height + 1) * d->pitch + i] = FRAME;
  d->site[(src->height + 2) * d->pitch] = FRAME;
  for (int64_t y = 0; y < src->height; y++) {
    const uint8_t *row = vt_image_at(src, 0, y);
    int64_t *site = d->site + (y + 1) * d->pitch + 1;
    site[-1] = FRAME;
    for (int64_t x = 0; x < src->width; x++)
      site[x] = row[x] ? NO_SITE : SITE(x, y);
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* Background beside foreground: what lies inside has nothing to offer. */
static VitrailStatus
first_wave(const Danielsson *d, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t p = d->pitch, around[8] = { -p - 1, -p, -p + 1, -1, 1, p - 1, p, p + 1 };
  for (int64_t y = 0; y < d->args->src.height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    for (int64_t x = 0, at = (y + 1) * p + 1; x < d->args->src.width; x++, at++) {
      bool any = false;
      for (int k = 0; k < 8 && d->site[at] >= 0; k++)
        any |= d->site[at + around[k]] == NO_SITE;
      if (any && !vt_cpu_queue_push(queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
write_rows(const Danielsson *d, const VtCancel *cancel)
{
  const VtDistance *args = d->args;
  const int64_t width = args->src.width;
  VtEdtScratch scratch;
  VitrailStatus status = vt_cpu_edt_scratch_init(&scratch, width, true) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    const int64_t *site = d->site + (y + 1) * d->pitch + 1;
    for (int64_t x = 0; x < width; x++) {
      scratch.squared[x] = site[x] == NO_SITE ? VT_EDT_NONE64 : squared_to(args, x, y, site[x]);
      scratch.nearest[x] = site[x] == NO_SITE ? -1 : (site[x] >> 32) * width + (int32_t)site[x];
    }
    vt_cpu_distance_write(args, 0, width, y, &scratch);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  vt_cpu_edt_scratch_clear(&scratch);
  return status;
}

VitrailStatus
vt_cpu_distance_danielsson(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  if (!vt_distance_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (args->above.data)
    return VITRAIL_UNSUPPORTED;
  const int64_t pitch = args->src.width + 1, n = (args->src.height + 2) * pitch + 1;
  Danielsson d = { args, pitch, NULL };
  d.site = (uint64_t)n <= SIZE_MAX / sizeof *d.site ? vt_cpu_big_alloc((size_t)n * sizeof *d.site) : NULL;
  if (!d.site)
    return VITRAIL_OUT_OF_MEMORY;
  VtCpuQueue queue = { .narrow = n <= UINT32_MAX };
  VitrailStatus status = frame(&d, cancel);
  if (status == VITRAIL_OK)
    status = first_wave(&d, &queue, cancel);
  if (status == VITRAIL_OK)
    status = vt_iwpp_rounds(&(VtIwpp){ pitch, 8, cancel }, &queue, n, &d, site_of, offer);
  if (status == VITRAIL_OK)
    status = write_rows(&d, cancel);
  vt_cpu_queue_clear(&queue);
  free(d.site);
  return status;
}
