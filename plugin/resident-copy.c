/* SPDX-License-Identifier: MIT
 *
 * Between the host's image and a stripe on its device, through memory that the device copies from and to the fastest. What
 * is slow is the processor's part, into that memory or out of it; so several lanes do it at once, each with some rows and a
 * queue of its own on the same device. A download that fails leaves what the host had or what it was to get, both of them
 * legal for a marker. */
#include "resident.h"

#include <stdlib.h>
#include <string.h>

enum { SLABS_PER_LANE = 16 }; /* fewer are not worth a lane */

typedef struct {
  VtResident *r;
  VtHome *home;
  VtImage host, device;
  bool up;
  int64_t slab; /* rows */
  atomic_llong next;
  atomic_int status;
} Copy;

static bool
lane_open(VtHome *home, uint32_t index, size_t bytes)
{
  VtLane *lane = &home->lanes[index];
  char reason[256];
  if (!lane->device && index == 0)
    lane->device = home->device;
  if (!lane->device && home->backend->open(home->index, NULL, &lane->device, reason, sizeof reason) != VITRAIL_OK)
    lane->device = NULL;
  if (!lane->device || bytes <= lane->bytes)
    return lane->device;
  vt_lane_clear(home, lane);
  if (!home->backend->alloc_host)
    lane->bounce = malloc(bytes);
  else if (home->backend->alloc_host(lane->device, bytes, &lane->bounce) != VITRAIL_OK)
    lane->bounce = NULL;
  lane->bytes = lane->bounce ? bytes : 0;
  return lane->bounce;
}

void
vt_lane_clear(const VtHome *home, VtLane *lane)
{
  if (lane->bounce && home->backend->alloc_host)
    home->backend->free_host(lane->device, lane->bounce);
  else
    free(lane->bounce);
  lane->bounce = NULL;
  lane->bytes = 0;
}

static void
copy_rows(const VtImage *to, const VtImage *from)
{
  const size_t row = (size_t)to->width * vt_type_size(to->type);
  for (int64_t y = 0; y < to->height; y++)
    memcpy(vt_image_at(to, 0, y), vt_image_at(from, 0, y), row);
}

static VitrailStatus
copy_slab(const Copy *copy, const VtLane *lane, int64_t y)
{
  const VtBackend *backend = copy->home->backend;
  const int64_t left = copy->host.height - y, n = left < copy->slab ? left : copy->slab;
  const VtImage host = vt_rows_of(&copy->host, y, n), device = vt_rows_of(&copy->device, y, n);
  const VtImage bounce = vt_rows_compact(lane->bounce, host.width, n, host.type);
  if (vt_cancelled(&copy->r->run->cancel))
    return VITRAIL_CANCELLED;
  if (copy->up)
    copy_rows(&bounce, &host);
  const VitrailStatus status =
    copy->up ? backend->upload(lane->device, &device, &bounce) : backend->download(lane->device, &bounce, &device);
  if (!copy->up && status == VITRAIL_OK)
    copy_rows(&host, &bounce);
  return status;
}

static void
run_lane(void *user, uint32_t index)
{
  Copy *copy = user;
  const size_t bytes = (size_t)copy->slab * (size_t)copy->host.width * vt_type_size(copy->host.type);
  int expected = VITRAIL_OK;
  VitrailStatus status = VITRAIL_OK;
  if (!lane_open(copy->home, index, bytes)) {
    if (index == 0) /* the others can be done without */
      atomic_compare_exchange_strong(&copy->status, &expected, VITRAIL_OUT_OF_MEMORY);
    return;
  }
  while (status == VITRAIL_OK && atomic_load(&copy->status) == VITRAIL_OK) {
    const int64_t y = (int64_t)atomic_fetch_add(&copy->next, 1) * copy->slab;
    if (y >= copy->host.height)
      return;
    status = copy_slab(copy, &copy->home->lanes[index], y);
  }
  if (status != VITRAIL_OK)
    atomic_compare_exchange_strong(&copy->status, &expected, status);
}

VitrailStatus
vt_resident_copy(VtResident *r, int32_t which, const VtImage *host, const VtImage *device, bool up)
{
  const int64_t row = host->width * (int64_t)vt_type_size(host->type);
  const int64_t n_lanes = host->height * row / r->slab_bytes / SLABS_PER_LANE;
  Copy copy = { .r = r, .home = &r->homes[which], .host = *host, .device = *device, .up = up };
  copy.slab = row < r->slab_bytes ? r->slab_bytes / row : 1;
  atomic_init(&copy.next, 0);
  atomic_init(&copy.status, VITRAIL_OK);
  if (n_lanes < 2 || which == r->n_homes - 1)
    run_lane(&copy, 0);
  else
    r->run->host.parallel_for(r->run->host.user, n_lanes < VT_MAX_LANES ? (uint32_t)n_lanes : VT_MAX_LANES, run_lane,
                              &copy);
  return atomic_load(&copy.status);
}
