/* SPDX-License-Identifier: MIT
 *
 * tile-variant.h: everything of a variant but its sweeps; included once by each of its files. */
#include "tile.h"
#include "tile-work.h"
#include "../big-alloc.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Lines or places first..last of a tile; none when first > last. */
typedef struct Span {
  int first, last;
} Span;
#define NO_SPAN ((Span){ INT_MAX, -1 })

static inline bool
is_empty(Span span)
{
  return span.first > span.last;
}

/* The smallest span that holds both. */
static inline Span
join(Span a, Span b)
{
  return (Span){ a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last };
}

#define IMPL "tile-impl.h"
#include "each-type.h"

const VtCpuReconstructRuns VARIANT = { tile_u8, tile_u16, tile_i32, tile_f32, vt_cpu_reconstruct_tile_bits };
