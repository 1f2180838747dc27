/* SPDX-License-Identifier: MIT
 *
 * streams.h: large copies between a device and host memory that it does not reach fast (a caller's image, the blocks of a store).
 * They go in slabs of rows through memory that it does reach fast. What is slow is the processor's part, into that memory
 * or out of it: so several streams do it at once, each with two slabs, one of which travels while the other is filled. */
#pragma once

#include "run/run.h"

enum { VT_MAX_COPY_STREAMS = 12, VT_SLABS_PER_STREAM = 2 };

/* Lanes of several users (devices, or workers on them), each with as many as the host has threads for it. */
typedef struct {
  VtDevice *keeper; /* the slabs' memory is its own, for the next run to have it at once; NULL: there is none */
  const VtBackend *backend;
  char *memory;
  size_t bytes, slab_bytes;
  uint32_t n_users, n_each; /* streams of a user */
} VtCopyStreams;

/* (Re)makes the slabs: room for slab_bytes, and for a row at least. Where there is no such memory, or the backend has no
 * queues, streams are none, and copies are plain ones. */
void vt_copy_streams_prepare(VtRun *run, VtCopyStreams *streams, VtDevice *keeper, uint32_t n_users, size_t slab_bytes,
                             size_t row_bytes);
void vt_copy_streams_clear(VtCopyStreams *streams);

/* Rows y.. of the copy: into the slab when they go up, out of it when they come down. Called from several threads, each row
 * once. */
typedef VitrailStatus (*VtCopyBody)(void *user, int64_t y, const VtImage *slab);

/* grain, phase: slabs end where rows counted from `phase` are a multiple of grain, as long as they have so many; 0: anywhere.
 * One copy, of user `which` of the streams, between a device's image and what the body fills or takes. Without streams the body
 * gets rows in memory from malloc(). A copy that fails or is cancelled has done some rows. */
VitrailStatus vt_copy_streams_copy(VtRun *run, const VtCopyStreams *streams, uint32_t which, VtDevice *device,
                                   const VtImage *image, bool up, int64_t grain, int64_t phase, VtCopyBody body,
                                   void *user);

/* The same between two images, in any memory of the host. Without streams in the way of `backend`, some rows at a time, so that a
 * cancel is heard. */
VitrailStatus vt_copy_streams_copy_image(VtRun *run, const VtCopyStreams *streams, uint32_t which,
                                         const VtBackend *backend, VtDevice *device, const VtImage *image,
                                         const VtImage *host, bool up);

/* Memory of the host that is to go to the run's device or come from it: fast memory takes so long to make that a large image
 * does better in any other. */
bool vt_is_large(const VtImage *image);
/* One image between any memory of the host and the run's device. What fails leaves pixels of the host as they were, or new. */
VitrailStatus vt_device_copy(VtRun *run, const VtImage *image, const VtImage *host, bool up);
