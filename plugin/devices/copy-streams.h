/* SPDX-License-Identifier: MIT
 *
 * lanes.h: large copies between a device and host memory that it does not reach fast (a caller's image, the blocks of a store).
 * They go in slabs of rows through memory that it does reach fast. What is slow is the processor's part, into that memory
 * or out of it: so several lanes do it at once, each with two slabs, one of which travels while the other is filled. */
#pragma once

#include "run/run.h"

enum { VT_MAX_LANES = 12, VT_SLABS_PER_LANE = 2 };

/* Lanes of several users (devices, or workers on them), each with as many as the host has threads for it. */
typedef struct {
  VtDevice *keeper; /* the slabs' memory is its own, for the next run to have it at once; NULL: there is none */
  const VtBackend *backend;
  char *memory;
  size_t bytes, slab_bytes;
  uint32_t n_users, n_each; /* lanes of a user */
} VtLanes;

/* (Re)makes the slabs: room for slab_bytes, and for a row at least. Where there is no such memory, or the backend has no
 * queues, lanes are none, and copies are plain ones. */
void vt_lanes_prepare(VtRun *run, VtLanes *lanes, VtDevice *keeper, uint32_t n_users, size_t slab_bytes,
                      size_t row_bytes);
void vt_lanes_clear(VtLanes *lanes);

/* Rows y.. of the copy: into the slab when they go up, out of it when they come down. Called from several threads, each row
 * once. */
typedef VitrailStatus (*VtLaneBody)(void *user, int64_t y, const VtImage *slab);

/* grain, phase: slabs end where rows counted from `phase` are a multiple of grain, as long as they have so many; 0: anywhere.
 * One copy, of user `which` of the lanes, between a device's image and what the body fills or takes. Without lanes the body
 * gets rows in memory from malloc(). A copy that fails or is cancelled has done some rows. */
VitrailStatus vt_lanes_copy(VtRun *run, const VtLanes *lanes, uint32_t which, VtDevice *device, const VtImage *image,
                            bool up, int64_t grain, int64_t phase, VtLaneBody body, void *user);

/* The same between two images, in any memory of the host. Without lanes in the way of `backend`, some rows at a time, so that a
 * cancel is heard. */
VitrailStatus vt_lanes_copy_image(VtRun *run, const VtLanes *lanes, uint32_t which, const VtBackend *backend,
                                  VtDevice *device, const VtImage *image, const VtImage *host, bool up);

/* Memory of the host that is to go to the run's device or come from it: fast memory takes so long to make that a large image
 * does better in any other. */
bool vt_is_large(const VtImage *image);
/* One image between any memory of the host and the run's device. What fails leaves pixels of the host as they were, or new. */
VitrailStatus vt_device_copy(VtRun *run, const VtImage *image, const VtImage *host, bool up);
