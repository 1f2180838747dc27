/* SPDX-License-Identifier: MIT
 *
 * driver-devices.h: one image on several devices at once. It is cut into stripes of rows; a stripe lives on its device from
 * one upload to one download, and between them only the rows at the cuts travel (Teodoro 2012, section 5.3; here nothing
 * else of the image passes through the host). The bytes are those of one device, whatever the number of stripes.
 *
 * A device that fails loses its stripe, which begins again from the host's image on another device, at last on the CPU; the
 * user is told once. */
#pragma once

#include "run/run.h"

typedef struct VtResident VtResident;

/* How many of the chosen backend's devices should share an image of so many rows, when a row takes row_bytes on its device
 * with all that the kernels need: 0 where one device does it as well, where the caller asked for a tile size, or where a
 * share would pass the device budget. */
int32_t vt_devices_wanted(const VtRun *run, int64_t height, double row_bytes);

/* The whole way, for vt_reconstruct() and vt_distance(); n_devices >= 1, no more than there are. The same statuses as a
 * backend's slot; what fails on a device is not among them. The marker is untouched unless all went well, or holds legal
 * values between it and the answer (when it is cancelled while it is downloaded). */
VitrailStatus vt_devices_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                     const char *algorithm, int32_t n_devices);
VitrailStatus vt_devices_distance(VtRun *run, const VtImage *foreground, const VtImage *dst, float scale,
                                  int32_t n_devices);

typedef struct {
  int32_t n_devices;
  int64_t depth; /* rows of each neighbour that a stripe also holds: the more, the less is left to be told; 0: usual */
  int64_t slab_bytes; /* copied at once; a large copy is done by several threads; 0: usual */
} VtResidentPlan;

/* The same in steps, so that the time between upload and download can be known. The images stay the caller's and are used
 * until vt_resident_free(). */
VitrailStatus vt_resident_new(VtRun *run, const VtResidentPlan *plan, VtResident **resident);
void vt_resident_free(VtResident *resident);
VitrailStatus vt_resident_take_reconstruct(VtResident *resident, const VtImage *marker, const VtImage *mask,
                                           int32_t connectivity, const char *algorithm);
VitrailStatus vt_resident_take_distance(VtResident *resident, const VtImage *foreground, const VtImage *dst,
                                        float scale);
VitrailStatus vt_resident_upload(VtResident *resident);
VitrailStatus vt_resident_work(VtResident *resident); /* uploads first what is not there */
VitrailStatus vt_resident_download(VtResident *resident);
/* All three, by threads that stand by from the first to the last: as vt_devices_*() do. */
VitrailStatus vt_resident_run(VtResident *resident);

typedef struct {
  int64_t rounds;     /* of all devices at once */
  int64_t rows_again; /* rows worked on after the first round */
  int64_t n_moved;    /* stripes that lost their device */
  bool is_near;       /* distance: no carry was needed */
  double ms[3];       /* of vt_resident_run(): upload, work, download */
} VtResidentCounts;
VtResidentCounts vt_resident_counts(const VtResident *resident);
