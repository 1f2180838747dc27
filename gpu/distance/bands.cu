/* SPDX-License-Identifier: MIT */
#include "bands.cuh"

enum { BAND = VT_GPU_BAND, THREADS = 128, BATCH = 8, N_PARTS = 32 /* lanes of a warp join them */ };

static __global__ void
pack_columns(VtGpuView<uint8_t> src, VtGpuBands bands)
{
  const int64_t n = bands.n_bands * bands.width;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = at % bands.width, y0 = at / bands.width * BAND;
    const int n_rows = static_cast<int>(min(src.height - y0, static_cast<int64_t>(BAND)));
    uint64_t bits = 0;
#pragma unroll 8
    for (int r = 0; r < n_rows; r++)
      bits |= static_cast<uint64_t>(src.row(y0 + r)[x] == 0) << r;
    bands.bits[at] = bits;
  }
}

/* Byte k of the answer: bit r is set where byte k of row r is 0. Rows from n_rows on have no background. */
static __device__ __forceinline__ uint32_t
pack_8_rows(const char *pixels, int64_t stride, int n_rows)
{
  uint32_t rows[8], packed = 0;
#pragma unroll
  for (int r = 0; r < 8; r++)
    rows[r] = r < n_rows ? __ldg(reinterpret_cast<const uint32_t *>(pixels + r * stride)) : ~0u;
#pragma unroll
  for (int r = 0; r < 8; r++) {
    const uint32_t full = ((rows[r] & 0x7f7f7f7fu) + 0x7f7f7f7fu) | rows[r]; /* bit 7 of a byte: it is not 0 */
    packed = (packed >> 1 & 0x7f7f7f7fu) | (~full & 0x80808080u);
  }
  return packed;
}

/* Four columns a thread; width a multiple of four, rows aligned to words. */
static __global__ void
pack_words(VtGpuView<uint8_t> src, VtGpuBands bands)
{
  const int64_t n_words = bands.width / 4, n = bands.n_bands * n_words;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= n)
    return;
  const int64_t x = at % n_words * 4, band = at / n_words, y0 = band * BAND;
  const int n_rows = static_cast<int>(min(src.height - y0, static_cast<int64_t>(BAND)));
  uint32_t packed[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    packed[k] = pack_8_rows(src.data + (y0 + 8 * k) * src.stride + x, src.stride, n_rows - 8 * k);
  uint64_t *out = bands.bits + band * bands.width + x;
#pragma unroll
  for (int column = 0; column < 4; column++) {
    uint32_t half[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const uint32_t pick = static_cast<uint32_t>(column) | static_cast<uint32_t>(4 + column) << 4;
      const uint32_t low = __byte_perm(packed[4 * h], packed[4 * h + 1], pick);
      half[h] = __byte_perm(low, __byte_perm(packed[4 * h + 2], packed[4 * h + 3], pick), 0x5410);
    }
    out[column] = half[0] | static_cast<uint64_t>(half[1]) << 32;
  }
}

/* Of a column, as many bands at a time as a thread can hold: their first and last background rows. None is after all rows, and
 * before all of them, so that the nearest one is a minimum or a maximum. */
struct Batch {
  int32_t first[BATCH], last[BATCH];
};
static const int32_t NO_FIRST = INT32_MAX, NO_LAST = VT_GPU_NO_ROW;

/* A thread's part of a column: bands first..end - 1. */
struct Part {
  int64_t first, end, x;
};

static __device__ __forceinline__ void
load_batch(Batch *rows, const VtGpuBands &bands, const Part &part, int64_t batch)
{
  const int64_t first = part.first + batch * BATCH, n = part.end - first;
  const uint64_t *at = bands.bits + first * bands.width + part.x;
  uint64_t bits[BATCH];
#pragma unroll
  for (int k = 0; k < BATCH; k++)
    bits[k] = k < n ? at[k * bands.width] : 0;
#pragma unroll
  for (int k = 0; k < BATCH; k++) {
    const int32_t row = static_cast<int32_t>((first + k) * BAND);
    const uint32_t low = static_cast<uint32_t>(bits[k]), high = static_cast<uint32_t>(bits[k] >> 32);
    rows->first[k] = low ? row + __ffs(static_cast<int>(low)) - 1 : high ? row + 31 + __ffs(static_cast<int>(high)) : NO_FIRST;
    rows->last[k] = high ? row + 63 - __clz(static_cast<int>(high)) : low ? row + 31 - __clz(static_cast<int>(low)) : NO_LAST;
  }
}

/* Walks a batch down, writing `above`; returns the last background row before what follows. */
static __device__ __forceinline__ int32_t
write_above(const Batch &rows, const VtGpuBands &bands, const Part &part, int64_t batch, int32_t above)
{
  const int64_t first = part.first + batch * BATCH, n = part.end - first;
  int32_t *at = bands.above + first * bands.width + part.x;
#pragma unroll
  for (int k = 0; k < BATCH; k++) {
    if (k < n)
      at[k * bands.width] = above;
    above = max(above, rows.last[k]);
  }
  return above;
}

/* The same up, writing `below`. */
static __device__ __forceinline__ int32_t
write_below(const Batch &rows, const VtGpuBands &bands, const Part &part, int64_t batch, int32_t below)
{
  const int64_t first = part.first + batch * BATCH, n = part.end - first;
  int32_t *at = bands.below + first * bands.width + part.x;
#pragma unroll
  for (int k = BATCH - 1; k >= 0; k--) {
    if (k < n)
      at[k * bands.width] = below == NO_FIRST ? VT_GPU_NO_ROW : below;
    below = min(below, rows.first[k]);
  }
  return below;
}

/* What a stripe's neighbours have: distances from its first and from its last row. NULL: it has none. */
struct Carried {
  const int32_t *above, *below;
  int64_t height;
};

static __device__ __forceinline__ int32_t
row_above(const Carried &carried, int64_t x)
{
  return carried.above && carried.above[x] != VT_EDT_NONE ? -carried.above[x] : VT_GPU_NO_ROW;
}

static __device__ __forceinline__ int32_t
row_below(const Carried &carried, int64_t x)
{
  return carried.below && carried.below[x] != VT_EDT_NONE ? static_cast<int32_t>(carried.height - 1 + carried.below[x])
                                                          : VT_GPU_NO_ROW;
}

/* Background below the stripe that lies in its last band is a bit there. */
static __global__ void
mark_below(VtGpuBands bands, Carried carried)
{
  const int64_t x = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x, last = bands.n_bands - 1;
  const int64_t row = x < bands.width ? row_below(carried, x) : static_cast<int64_t>(VT_GPU_NO_ROW);
  if (row >= 0 && row < bands.n_bands * BAND)
    bands.bits[last * bands.width + x] |= uint64_t{ 1 } << (row - last * BAND);
}

/* The warp: a column's last rows of all parts before each one, and first rows of all after it, from those of each. */
static __device__ __forceinline__ void
join_parts(int32_t *last, int32_t *first, int lane)
{
  int32_t before = lane > 0 ? last[lane - 1] : NO_LAST, after = lane + 1 < N_PARTS ? first[lane + 1] : NO_FIRST;
#pragma unroll
  for (int d = 1; d < N_PARTS; d *= 2) {
    const int32_t other = __shfl_up_sync(~0u, before, d), next = __shfl_down_sync(~0u, after, d);
    before = lane >= d ? max(before, other) : before;
    after = lane + d < N_PARTS ? min(after, next) : after;
  }
  __syncwarp();
  last[lane] = before;
  first[lane] = after;
}

/* A block takes 32 columns, a warp a part of their bands, then goes on from where its neighbours end. What fits is read
 * once. */
static __global__ void __launch_bounds__(32 * N_PARTS) scan_bands(VtGpuBands bands, Carried carried)
{
  __shared__ int32_t top[N_PARTS][N_PARTS + 1], bottom[N_PARTS][N_PARTS + 1]; /* [column][part] */
  const int lane = threadIdx.x % 32, number = threadIdx.x / 32;
  const int64_t x = static_cast<int64_t>(blockIdx.x) * 32 + lane, per_part = (bands.n_bands + N_PARTS - 1) / N_PARTS;
  const int64_t first = min(number * per_part, bands.n_bands), end = min(first + per_part, bands.n_bands);
  const Part part = { first, x < bands.width ? end : first, x };
  const int64_t n_batches = (per_part + BATCH - 1) / BATCH;
  Batch rows;
  int32_t above = NO_LAST, below = NO_FIRST;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bands.n_cleared;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x)
    bands.cleared[i] = 0;
  load_batch(&rows, bands, part, 0);
  for (int64_t batch = 0; batch < n_batches; batch++) {
    if (n_batches > 1)
      load_batch(&rows, bands, part, batch);
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      above = max(above, rows.last[k]);
      below = min(below, rows.first[k]);
    }
  }
  bottom[lane][number] = above;
  top[lane][number] = below;
  __syncthreads();
  join_parts(bottom[number], top[number], lane);
  __syncthreads();
  above = x < bands.width ? row_above(carried, x) : NO_LAST;
  below = x < bands.width ? row_below(carried, x) : VT_GPU_NO_ROW;
  if (below < bands.n_bands * BAND)
    below = NO_FIRST; /* there is none, or a bit says it */
  above = max(above, bottom[lane][number]);
  below = min(below, top[lane][number]);
  for (int64_t batch = 0; batch < n_batches; batch++) {
    if (n_batches > 1)
      load_batch(&rows, bands, part, batch);
    above = write_above(rows, bands, part, batch, above);
  }
  for (int64_t batch = n_batches - 1; batch >= 0; batch--) {
    if (n_batches > 1)
      load_batch(&rows, bands, part, batch);
    below = write_below(rows, bands, part, batch, below);
  }
}

size_t
vt_gpu_bands_size(const VtImage *src)
{
  const int64_t n = vt_gpu_blocks(src->height, VT_GPU_BAND) * src->width;
  return static_cast<size_t>(n) * (sizeof(uint64_t) + 2 * sizeof(int32_t));
}

VitrailStatus
vt_gpu_bands_make(VtDevice *device, const VtImage *src, const VtImage *above, const VtImage *below, void *scratch,
                  VtGpuBands *bands)
{
  const Carried carried = { static_cast<const int32_t *>(above->data), static_cast<const int32_t *>(below->data),
                            src->height };
  bands->width = src->width;
  bands->n_bands = vt_gpu_blocks(src->height, BAND);
  const int64_t n = bands->n_bands * bands->width;
  bands->bits = static_cast<uint64_t *>(scratch);
  bands->above = reinterpret_cast<int32_t *>(bands->bits + n);
  bands->below = bands->above + n;
  const VtGpuView<uint8_t> view(*src);
  if ((reinterpret_cast<uintptr_t>(view.data) | static_cast<uintptr_t>(view.stride | view.width)) % 4 == 0)
    VT_TRY(vt_gpu_launch(device, "pack_words", pack_words, vt_gpu_blocks(n / 4, THREADS), THREADS, view, *bands));
  else
    VT_TRY(vt_gpu_launch(device, "pack_columns", pack_columns, vt_gpu_blocks(n, THREADS), THREADS, view, *bands));
  if (carried.below)
    VT_TRY(
      vt_gpu_launch(device, "mark_below", mark_below, vt_gpu_blocks(bands->width, THREADS), THREADS, *bands, carried));
  return vt_gpu_launch(device, "scan_bands", scan_bands, vt_gpu_blocks(bands->width, 32), 32 * N_PARTS, *bands,
                       carried);
}
