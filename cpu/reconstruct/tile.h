/* SPDX-License-Identifier: MIT
 *
 * tile.h: the variants of reconstruction by active tiles (tile.c). All give the same bytes. */
#pragma once

#include "reconstruct.h"

extern const VtCpuReconstructRuns vt_cpu_tile_baseline;
#ifdef VT_CPU_X86
extern const VtCpuReconstructRuns vt_cpu_tile_avx2, vt_cpu_tile_avx512;
#endif
