/* SPDX-License-Identifier: MIT
 *
 * copy-streams.h: large copies between a device and host memory that is slow for it (a caller's image, the blocks of a store).
 * The pixels go in slabs of rows through pinned memory. The slow part is what the processor does: it copies into or out of the
 * pinned memory. So several streams run at once, each with two slabs: one is copied by the device while the other is filled. */
#pragma once

#include "run/run.h"

enum { VT_MAX_COPY_STREAMS = 12, VT_SLABS_PER_STREAM = 2 };

/* Rows y.. of an image, as an image. */
static inline VtImage
vt_rows_of(const VtImage *image, int64_t y, int64_t n)
{
  return vt_image_window(image, 0, y, image->width, n);
}

/* The copy streams of several users (devices, or workers on them). Each user has the same number of streams. */
typedef struct {
  VtDevice *
    keeper; /* the device that the slabs' memory is from, and that caches it for the next run; NULL: there are no slabs */
  const VtBackend *backend;
  char *memory;
  size_t bytes, slab_bytes;
  uint32_t n_users, n_each; /* streams of a user */
} VtCopyStreams;

/* Allocates the slabs, unless those that are there will do. A slab has slab_bytes, or row_bytes if that is more. If there is no pinned
 * memory, or the backend has no queues, there are no streams, and copies work without them. */
void vt_copy_streams_prepare(VtRun *run, VtCopyStreams *streams, VtDevice *keeper, uint32_t n_users, size_t slab_bytes,
                             size_t row_bytes);
void vt_copy_streams_clear(VtCopyStreams *streams);

/* Upload: fills the slab with rows y.. of the source. Download: takes them out of it. Called on several threads, once for each row. */
typedef VitrailStatus (*VtCopyBody)(void *user, int64_t y, const VtImage *slab);

/* One copy between a device's image and what the body fills or takes, with the streams of user `which`. Without streams the body
 * gets rows in memory from malloc(). grain > 0: a slab of at least `grain` rows ends where (row + phase) is a multiple of grain.
 * A copy that fails or is cancelled has copied some of the rows. */
VitrailStatus vt_copy_streams_copy(VtRun *run, const VtCopyStreams *streams, uint32_t which, VtDevice *device,
                                   const VtImage *image, bool up, int64_t grain, int64_t phase, VtCopyBody body,
                                   void *user);

/* The same between a device's image and one in any host memory. Without streams `backend` copies some rows at a time, and looks at the
 * cancel in between. */
VitrailStatus vt_copy_streams_copy_image(VtRun *run, const VtCopyStreams *streams, uint32_t which,
                                         const VtBackend *backend, VtDevice *device, const VtImage *image,
                                         const VtImage *host, bool up);

/* An image so large that it is copied faster from any host memory through slabs: allocating pinned memory for it takes too long. */
bool vt_is_large(const VtImage *image);
/* Copies one image between any host memory and the run's device. After a failed download each pixel of the host has its old value or its
 * new one. */
VitrailStatus vt_device_copy(VtRun *run, const VtImage *image, const VtImage *host, bool up);
