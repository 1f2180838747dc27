/* SPDX-License-Identifier: MIT
 *
 * propagate.h: unbounded reach; the same answer for every tile size and order. */
#pragma once

#include "run/run.h"

VitrailStatus vt_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                             const char *algorithm);
/* Distances in the memory of the run's device: in one go where the backend can, else columns, then rows. */
VitrailStatus vt_distance_in_device_memory(VtRun *run, const char *algorithm, const VtDistance *args);
/* Any outputs, by the algorithm `exact` or `danielsson`; images in host memory. */
VitrailStatus vt_distance_by(VtRun *run, const char *algorithm, const VtDistance *args);
