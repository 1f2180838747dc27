/* SPDX-License-Identifier: MIT
 *
 * whole.h: the slots of these names on whole rasters in host memory, on the run's device or the host. */
#pragma once

#include "run/tile.h"

VitrailStatus vt_whole_regional(VtRun *run, const VtRegional *args);
VitrailStatus vt_whole_components(VtRun *run, const VtComponents *args);
VitrailStatus vt_whole_watershed(VtRun *run, const VtWatershed *args);
VitrailStatus vt_whole_geodesic(VtRun *run, const VtGeodesic *args);
/* Images by a body of slots, on the run's device, which is not the CPU. What it returns is not the run's failure. */
VitrailStatus vt_whole_local(VtRun *run, const VtImage *const in[VT_LOCAL_IN], const VtImage *const out[VT_LOCAL_OUT],
                             const char *what, VtLocalBody body, void *user);
/* One map, on the run's device, which is not the CPU. VITRAIL_UNSUPPORTED: the host has to make it. */
VitrailStatus vt_whole_windows(VtRun *run, const VtGlrlmAlgorithm *algorithm, const VtGlrlmWindows *args);
