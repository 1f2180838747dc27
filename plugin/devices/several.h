/* SPDX-License-Identifier: MIT
 *
 * several.h: one image on several devices at once. The image is cut into stripes of rows. A stripe is uploaded once and downloaded
 * once; in between only the rows at the cuts are copied (Teodoro 2012, section 5.3, where more of the image passes through the
 * host). The result has the same bytes for any number of stripes.
 *
 * When a device fails, its stripe starts again from the host's image on another device, in the end on the CPU. The user is told
 * once. */
#pragma once

#include "run/run.h"

typedef struct VtResident VtResident;

/* How many devices of the chosen backend should share an image of `height` rows. row_bytes: bytes of device memory that a row
 * takes, with what the kernels need. 0: one device is as good, the caller asked for a tile size, or a share is larger than the
 * device budget. */
int32_t vt_devices_wanted(const VtRun *run, int64_t height, double row_bytes);

/* Upload, work and download, for vt_reconstruct() and vt_distance_by(). 1 <= n_devices <= the number of devices. Returns the statuses
 * of a backend's slot; a failing device is not one of them. On failure the marker is unchanged. If the run is cancelled during the
 * download, the marker holds values between itself and the answer, from which a reconstruction gives the same answer. */
VitrailStatus vt_devices_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                     const char *algorithm, int32_t n_devices);
VitrailStatus vt_devices_distance(VtRun *run, const VtImage *foreground, const VtImage *dst, float scale,
                                  int32_t n_devices);

typedef struct {
  int32_t n_devices;
  int64_t depth;      /* rows of each neighbour that a stripe also holds; more rows mean fewer rounds. 0: the default */
  int64_t slab_bytes; /* bytes that one thread copies at once. 0: the default */
} VtResidentPlan;

/* The same in steps, so that each can be timed. The caller owns the images, and keeps them until vt_resident_free(). */
VitrailStatus vt_resident_new(VtRun *run, const VtResidentPlan *plan, VtResident **resident);
void vt_resident_free(VtResident *resident);
VitrailStatus vt_resident_take_reconstruct(VtResident *resident, const VtImage *marker, const VtImage *mask,
                                           int32_t connectivity, const char *algorithm);
VitrailStatus vt_resident_take_distance(VtResident *resident, const VtImage *foreground, const VtImage *dst,
                                        float scale);
VitrailStatus vt_resident_upload(VtResident *resident);
VitrailStatus vt_resident_work(VtResident *resident); /* uploads first what is not uploaded yet */
VitrailStatus vt_resident_download(VtResident *resident);
/* Upload, work and download with one set of threads, as vt_devices_*() do. */
VitrailStatus vt_resident_run(VtResident *resident);

typedef struct {
  int64_t rounds;     /* of all devices at once */
  int64_t rows_again; /* rows worked on after the first round */
  int64_t n_moved;    /* stripes that lost their device */
  bool is_near;       /* distance: nothing had to be carried from stripe to stripe */
  double ms[3];       /* of vt_resident_run(): upload, work, download */
} VtResidentCounts;
VtResidentCounts vt_resident_counts(const VtResident *resident);
