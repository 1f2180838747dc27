/* SPDX-License-Identifier: MIT
 *
 * Active tiles, the variant for every machine. */
#define VARIANT vt_cpu_tile_baseline
#define SWEEPS "tile-sweep-loops-impl.h"
#include "tile-variant.h"
