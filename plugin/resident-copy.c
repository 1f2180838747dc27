/* SPDX-License-Identifier: MIT
 *
 * Between the host's image and a stripe on its device. A download that fails leaves what the host had or what it was to get,
 * both of them legal for a marker. */
#include "resident.h"

#include <string.h>

enum { PLAIN_BYTES = 64 << 20 }; /* at once, where there are no lanes */

static void
copy_rows(const VtImage *to, const VtImage *from)
{
  const size_t row = (size_t)to->width * vt_type_size(to->type);
  if (to->stride == from->stride && (size_t)to->stride == row)
    memcpy(to->data, from->data, row * (size_t)to->height);
  else
    for (int64_t y = 0; y < to->height; y++)
      memcpy(vt_image_at(to, 0, y), vt_image_at(from, 0, y), row);
}

static VitrailStatus
fill_slab(void *user, int64_t y, const VtImage *slab)
{
  const VtImage from = vt_rows_of(user, y, slab->height);
  copy_rows(slab, &from);
  return VITRAIL_OK;
}

static VitrailStatus
take_slab(void *user, int64_t y, const VtImage *slab)
{
  const VtImage to = vt_rows_of(user, y, slab->height);
  copy_rows(&to, slab);
  return VITRAIL_OK;
}

/* Rows at a time, so that a cancel is heard. */
static VitrailStatus
copy_plainly(VtResident *r, const VtHome *home, const VtImage *host, const VtImage *device, bool up)
{
  const int64_t row = host->width * (int64_t)vt_type_size(host->type), most = row < PLAIN_BYTES ? PLAIN_BYTES / row : 1;
  for (int64_t y = 0; y < host->height; y += most) {
    const int64_t n = host->height - y < most ? host->height - y : most;
    const VtImage here = vt_rows_of(host, y, n), there = vt_rows_of(device, y, n);
    if (vt_cancelled(&r->run->cancel))
      return VITRAIL_CANCELLED;
    const VitrailStatus status =
      up ? home->backend->upload(home->device, &there, &here) : home->backend->download(home->device, &here, &there);
    if (status != VITRAIL_OK)
      return status;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_resident_copy(VtResident *r, int32_t which, const VtImage *host, const VtImage *device, bool up)
{
  const VtHome *home = &r->homes[which];
  VtImage image = *host;
  if (!r->lanes.memory || which == r->n_homes - 1)
    return copy_plainly(r, home, host, device, up);
  return vt_lanes_copy(r->run, &r->lanes, (uint32_t)which, home->device, device, up, up ? fill_slab : take_slab,
                       &image);
}
