/* SPDX-License-Identifier: MIT
 *
 * tile.h: the variants of reconstruction by active tiles (tile.c). All give the same bytes. */
#pragma once

#include "reconstruct.h"

enum {
  VT_CPU_TILE_MOST_VISITS = 8 /* per tile; the benchmark image takes three */
};

extern const VtCpuReconstructRuns vt_cpu_tile_baseline, vt_cpu_tile_avx2, vt_cpu_tile_avx512;
/* Bits; 64 of them are a vector on every machine. */
VitrailStatus vt_cpu_reconstruct_tile_bits(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
