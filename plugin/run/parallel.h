/* SPDX-License-Identifier: MIT
 *
 * parallel.h: loops over parts on the host's threads. */
#pragma once

#include "run/run.h"

/* Runs body(0..n-1) through parallel_for and returns the first failure. */
typedef VitrailStatus (*VtBody)(VtRun *run, uint32_t index, void *user);
VitrailStatus vt_parallel(VtRun *run, uint32_t n, VtBody body, void *user);

/* Calls body for every tile of a width x height image, at the same time on several threads; stops at the first failure. */
typedef VitrailStatus (*VtTileBody)(VtRun *run, VtRect tile, void *user);
VitrailStatus vt_local(VtRun *run, int64_t width, int64_t height, VtTileBody body, void *user);
/* The same in tiles of that size; a request may ask for another. */
VitrailStatus vt_local_of(VtRun *run, int64_t width, int64_t height, int64_t tile_width, int64_t tile_height,
                          VtTileBody body, void *user);
