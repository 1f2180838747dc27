/* SPDX-License-Identifier: MIT
 *
 * planes-impl.h: template (each-type.h). A part of marker and mask (rows of an image, or slices of a stack) copied into
 * planes with a frame of one LOWEST pixel, so that no neighbour needs a bounds test. A frame pixel is at its mask and is
 * never asked to give. Bits become bytes, 0 and 255. */
#include "pixel-impl.h"

typedef struct TYPED(Planes) {
  PIXEL *marker, *mask;                /* pixel (0,0,0); the frame lies around it */
  int64_t width, height, depth, first; /* first: row of the image, or slice of the stack, that is row or slice 0 here */
  int64_t pitch, slice;     /* pixels from row to row and from slice to slice; slice 0 of an image, of depth 1 */
  int64_t n_pixels, origin; /* of a plane with its frame; where in it pixel (0,0,0) is */
  int64_t around[26];       /* neighbours in raster order: half of them before, half after the pixel */
  int64_t rows[4];          /* how far before a row the rows are that it takes from */
  int n_around, n_rows;
  bool wide; /* diagonal neighbours too */
  PIXEL *memory;
} TYPED(Planes);

/* One row of the caller's; bits are of type u8 here. */
static inline void
TYPED(read_row)(PIXEL *restrict to, const void *from, int64_t n, bool bits, PIXEL turn)
{
  const PIXEL *pixels = from;
#if LEVELS == 256
  const uint64_t *words = from;
  for (int64_t x = 0; bits && x < n; x++)
    to[x] = TURNED(words[x / 64] >> x % 64 & 1 ? 255 : 0, turn);
#endif
  for (int64_t x = 0; !bits && x < n; x++)
    to[x] = TURNED(pixels[x], turn);
}

static inline void
TYPED(write_row)(void *to, const PIXEL *restrict from, int64_t n, bool bits, PIXEL turn)
{
  PIXEL *restrict pixels = to;
#if LEVELS == 256
  uint64_t *words = to;
  for (int64_t x = 0; bits && x < n; x++) {
    words[x / 64] = x % 64 ? words[x / 64] : 0;
    words[x / 64] |= (uint64_t)(TURNED(from[x], turn) & 1) << x % 64;
  }
#endif
  for (int64_t x = 0; !bits && x < n; x++)
    pixels[x] = TURNED(from[x], turn);
}

/* False for a NaN in either, too. */
static inline bool
TYPED(in_order)(const PIXEL *restrict marker, const PIXEL *restrict mask, int64_t n)
{
  PIXEL bad = 0;
  for (int64_t x = 0; x < n; x++)
    bad = TYPED(max)(bad, marker[x] <= mask[x] ? 0 : 1);
  return bad == 0;
}

static void
TYPED(planes_shape)(TYPED(Planes) * p, int32_t connectivity)
{
  const int reach = p->slice > 0;
  p->wide = connectivity == 8 || connectivity == 26;
  for (int dz = -reach; dz <= reach; dz++)
    for (int dy = -1; dy <= 1; dy++) {
      const int64_t row = dz * p->slice + dy * p->pitch;
      for (int dx = -1; dx <= 1; dx++)
        if ((dz || dy || dx) && (p->wide || abs(dz) + abs(dy) + abs(dx) == 1))
          p->around[p->n_around++] = row + dx;
      if (row < 0 && (p->wide || dz == 0 || dy == 0))
        p->rows[p->n_rows++] = row;
    }
}

/* The rows of an image, or the slices of a stack, from `first` on. Memory is freed by the caller, whatever is returned. */
static VitrailStatus
TYPED(planes_init)(TYPED(Planes) * p, const VtReconstruct *args, int64_t first, int64_t n_layers,
                   const VtCancel *cancel)
{
  const bool stack = args->depth > 0, bits = args->mask.type == VT_BIT;
  const int64_t width = args->mask.width, pitch = width + 2, height = stack ? args->mask.height : n_layers;
  const bool wide = width >= 4096; /* a large page of each plane may come with any row, and take milliseconds */
  const PIXEL turn = args->by_erosion ? TURN : NO_TURN;
  *p =
    (TYPED(Planes)){ .width = width, .height = height, .depth = stack ? n_layers : 1, .first = first, .pitch = pitch };
  size_t layer = (size_t)pitch, n, bytes;
  if ((stack && __builtin_mul_overflow(layer, (size_t)height + 2, &layer))
      || __builtin_mul_overflow(layer, (size_t)n_layers + 2, &n) || __builtin_mul_overflow(n, 2 * sizeof(PIXEL), &bytes)
      || !(p->memory = vt_cpu_big_alloc(bytes)))
    return VITRAIL_OUT_OF_MEMORY;
  p->slice = stack ? (int64_t)layer : 0;
  p->n_pixels = (int64_t)n;
  p->origin = p->slice + pitch + 1;
  p->marker = p->memory + p->origin;
  p->mask = p->marker + n;
  TYPED(planes_shape)(p, args->connectivity);
  for (int64_t z = stack ? -1 : 0; z < p->depth + stack; z++)
    for (int64_t y = -1; y <= height; y++) {
      PIXEL *marker = p->marker + z * p->slice + y * pitch, *mask = marker + n;
      marker[-1] = mask[-1] = marker[width] = mask[width] = LOWEST;
      if (y < 0 || y == height || z < 0 || z == p->depth) {
        for (int64_t x = 0; x < width; x++)
          marker[x] = mask[x] = LOWEST;
        continue;
      }
      const int64_t from_z = stack ? first + z : 0, from_y = stack ? y : first + y;
      TYPED(read_row)(marker, vt_cpu_slice_row(&args->marker, args->marker_slice, from_z, from_y), width, bits, turn);
      TYPED(read_row)(mask, vt_cpu_slice_row(&args->mask, args->mask_slice, from_z, from_y), width, bits, turn);
      if (!TYPED(in_order)(marker, mask, width))
        return VITRAIL_BAD_ARGUMENT;
      if (wide ? vt_cancelled(cancel) : vt_cpu_cancelled_at(cancel, y))
        return VITRAIL_CANCELLED;
    }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(planes_store)(const TYPED(Planes) * p, const VtReconstruct *args, const VtCancel *cancel)
{
  const bool stack = args->depth > 0, bits = args->mask.type == VT_BIT;
  const PIXEL turn = args->by_erosion ? TURN : NO_TURN;
  for (int64_t z = 0; z < p->depth; z++)
    for (int64_t y = 0; y < p->height; y++) {
      void *row =
        vt_cpu_slice_row(&args->marker, args->marker_slice, stack ? p->first + z : 0, stack ? y : p->first + y);
      TYPED(write_row)(row, p->marker + z * p->slice + y * p->pitch, p->width, bits, turn);
      if (vt_cpu_cancelled_at(cancel, y))
        return VITRAIL_CANCELLED;
    }
  return VITRAIL_OK;
}

/* One row of a scan takes from the rows before it (vector work) and then from its own pixel before (a chain). */
static inline void
TYPED(take_row)(PIXEL *restrict marker, const PIXEL *restrict mask, const PIXEL *restrict before, int64_t n, bool wide)
{
  for (int64_t x = 0; x < n; x++) {
    PIXEL v = before[x];
    if (wide)
      v = TYPED(max)(v, TYPED(max)(before[x - 1], before[x + 1]));
    marker[x] = TYPED(min)(TYPED(max)(marker[x], v), mask[x]);
  }
}

/* way 1: from the rows before, -1: from the rows after. */
static inline void
TYPED(take_rows)(const TYPED(Planes) * p, int64_t row, int way)
{
  for (int k = 0; k < p->n_rows; k++)
    if (p->wide)
      TYPED(take_row)(p->marker + row, p->mask + row, p->marker + row + way * p->rows[k], p->width, true);
    else
      TYPED(take_row)(p->marker + row, p->mask + row, p->marker + row + way * p->rows[k], p->width, false);
}

static inline void
TYPED(forward_row)(const TYPED(Planes) * p, int64_t row)
{
  PIXEL *marker = p->marker + row, *mask = p->mask + row, last = LOWEST;
  TYPED(take_rows)(p, row, 1);
  for (int64_t x = 0; x < p->width; x++)
    marker[x] = last = TYPED(max)(marker[x], TYPED(min)(last, mask[x]));
}

static inline void
TYPED(backward_row)(const TYPED(Planes) * p, int64_t row)
{
  PIXEL *marker = p->marker + row, *mask = p->mask + row, last = LOWEST;
  TYPED(take_rows)(p, row, -1);
  for (int64_t x = p->width; x-- > 0;)
    marker[x] = last = TYPED(max)(marker[x], TYPED(min)(last, mask[x]));
}

/* Where the i-th row in raster order begins. */
static inline int64_t
TYPED(row_at)(const TYPED(Planes) * p, int64_t i)
{
  return i / p->height * p->slice + i % p->height * p->pitch;
}
