/* SPDX-License-Identifier: MIT
 *
 * The planes and the map of cpu/regions/planes.c and map.c. Means of several planes are made by one launch: a thread goes
 * down a piece of a column with a sum that moves, a block adds up a piece of a row. */
#include "regions.cuh"
#include "../pixels.cuh"

enum {
  COLUMN_THREADS = 128,
  COLUMN_ROWS = 32, /* of a thread */
  ROW_THREADS = 256,
  ROW_OWN = 5, /* of a thread, with what is around the piece */
  MOST_RADIUS = 40,
  ROW_PIECE = ROW_THREADS * ROW_OWN - 2 * MOST_RADIUS
};

enum { OF_SQUARES = 1, OF_ROUGHNESS = 2 };
struct Mean {
  const int16_t *src, *other; /* other: of roughness */
  int16_t *between, *dst;
  int32_t radius, kind;
};

struct Means {
  Mean of[VT_RG_MEANS_AT_ONCE];
  int64_t width, height, pitch;
};

static __device__ __forceinline__ uint32_t
reciprocal_at(int64_t at, int64_t n, int32_t radius)
{
  const int64_t from = at < radius ? 0 : at - radius, to = at + radius >= n ? n - 1 : at + radius;
  const uint32_t count = static_cast<uint32_t>(to - from + 1);
  return (65536 + count / 2) / count;
}

static __device__ __forceinline__ int16_t
mean_of(uint32_t sum, uint32_t reciprocal)
{
  return static_cast<int16_t>((sum * reciprocal + 32768) >> 16);
}

static __device__ __forceinline__ uint32_t
source_at(const Mean &m, int64_t i)
{
  const int32_t v = m.src[i];
  if (m.kind == OF_SQUARES)
    return static_cast<uint32_t>(v * v >> 4);
  return static_cast<uint32_t>(m.kind == OF_ROUGHNESS ? 4 * abs(v - m.other[i]) : v);
}

static __global__ void
__launch_bounds__(COLUMN_THREADS) mean_columns(Means means)
{
  const int64_t across = (means.width + COLUMN_THREADS - 1) / COLUMN_THREADS;
  const int64_t n = across * ((means.height + COLUMN_ROWS - 1) / COLUMN_ROWS);
  const Mean m = means.of[blockIdx.x / n];
  const int64_t block = blockIdx.x % n, x = block % across * COLUMN_THREADS + threadIdx.x;
  const int64_t y0 = block / across * COLUMN_ROWS, h = means.height, pitch = means.pitch;
  if (x >= means.width)
    return;
  const int32_t r = m.radius;
  uint32_t sum = 0;
  for (int64_t y = y0 - r > 0 ? y0 - r : 0; y < y0 + r && y < h; y++)
    sum += source_at(m, y * pitch + x);
  for (int64_t y = y0; y < y0 + COLUMN_ROWS && y < h; y++) {
    if (y + r < h)
      sum += source_at(m, (y + r) * pitch + x);
    m.between[y * pitch + x] = mean_of(sum, reciprocal_at(y, h, r));
    if (y - r >= 0)
      sum -= source_at(m, (y - r) * pitch + x);
  }
}

/* Sums from the beginning of the piece on; so many of a row of `between` as the block can hold. */
static __global__ void
__launch_bounds__(ROW_THREADS) mean_rows(Means means)
{
  __shared__ uint32_t sums[ROW_THREADS * ROW_OWN + 1], of_warp[ROW_THREADS / VT_RG_LANES];
  const int64_t across = (means.width + ROW_PIECE - 1) / ROW_PIECE, n = across * means.height;
  const Mean m = means.of[blockIdx.x / n];
  const int64_t block = blockIdx.x % n, y = block / across, x0 = block % across * ROW_PIECE, w = means.width;
  const int16_t *row = m.between + y * means.pitch;
  const int t = static_cast<int>(threadIdx.x), lane = vt_rg_lane();
  uint32_t own[ROW_OWN], sum = 0;
  for (int k = t; k < ROW_THREADS * ROW_OWN; k += ROW_THREADS) {
    const int64_t x = x0 - MOST_RADIUS + k;
    sums[k] = x >= 0 && x < w ? static_cast<uint32_t>(row[x]) : 0;
  }
  __syncthreads();
  for (int k = 0; k < ROW_OWN; k++)
    own[k] = sum += sums[t * ROW_OWN + k];
  uint32_t before = sum;
  for (int k = 1; k < VT_RG_LANES; k *= 2) {
    const uint32_t other = __shfl_up_sync(~0u, before, k);
    before += lane >= k ? other : 0;
  }
  if (lane == VT_RG_LANES - 1)
    of_warp[t / VT_RG_LANES] = before;
  __syncthreads();
  before -= sum;
  for (int k = 0; k < t / VT_RG_LANES; k++)
    before += of_warp[k];
  for (int k = 0; k < ROW_OWN; k++)
    sums[t * ROW_OWN + k + 1] = before + own[k];
  if (t == 0)
    sums[0] = 0;
  __syncthreads();
  for (int k = t; k < ROW_PIECE && x0 + k < w; k += ROW_THREADS) {
    const int at = k + MOST_RADIUS;
    m.dst[y * means.pitch + x0 + k] =
      mean_of(sums[at + m.radius + 1] - sums[at - m.radius], reciprocal_at(x0 + k, w, m.radius));
  }
}

static VitrailStatus
make_means(VtDevice *device, const Means &means, int n)
{
  const int64_t pieces = vt_gpu_blocks(means.width, COLUMN_THREADS) * vt_gpu_blocks(means.height, COLUMN_ROWS);
  const int64_t rows = vt_gpu_blocks(means.width, ROW_PIECE) * means.height;
  VT_TRY(vt_gpu_launch(device, "mean_columns", mean_columns, n * pieces, COLUMN_THREADS, means));
  return vt_gpu_launch(device, "mean_rows", mean_rows, n * rows, ROW_THREADS, means);
}

/* Density, smoothed by 1-2-1; the edge is repeated. */
struct Density {
  VtGpuView<uint8_t> red, green, blue;
  const int16_t *density;
  int16_t *dst[3];
  int64_t pitch;
  bool inverse;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    int sum[3] = { 0, 0, 0 };
#pragma unroll
    for (int k = 0; k < 9; k++) {
      const int64_t v = min(max(y + k / 3 - 1, static_cast<int64_t>(0)), red.height - 1);
      const int64_t u = min(max(x + k % 3 - 1, static_cast<int64_t>(0)), red.width - 1);
      const int weight = (k / 3 == 1 ? 2 : 1) * (k % 3 == 1 ? 2 : 1);
      const int r = red.row(v)[u], g = green.row(v)[u], b = blue.row(v)[u];
      if (inverse)
        sum[0] += weight * (RG_MOST_DENSITY - density[max(r, max(g, b))]);
      else {
        sum[0] += weight * density[r];
        sum[1] += weight * density[g];
        sum[2] += weight * density[b];
      }
    }
    for (int c = 0; c < 3; c++)
      dst[c][y * pitch + x] = static_cast<int16_t>((sum[inverse ? 0 : c] + 8) >> 4);
  }
};

struct Gradient {
  const int16_t *src;
  int16_t *dst;
  int64_t width, height, pitch;
  int scale;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int16_t *here = src + y * pitch;
    const int dx = abs(here[x + 1 < width ? x + 1 : x] - here[x ? x - 1 : x]);
    const int dy = abs(here[x + (y + 1 < height ? pitch : 0)] - here[x - (y ? pitch : 0)]);
    const int length = (dx > dy ? dx + dy / 2 : dy + dx / 2) * scale;
    dst[y * pitch + x] = static_cast<int16_t>(length < RG_MOST_DENSITY ? length : RG_MOST_DENSITY);
  }
};

/* The deviation, the map, and what the tree and the features look at. */
struct Map {
  VtRgWindow w;
  VtRgMap map;
  int16_t middle[RG_N_INPUTS];

  __device__ int32_t value(const int16_t inputs[RG_N_INPUTS]) const
  {
    uint32_t sum = static_cast<uint32_t>(map.constant);
    int at = 0;
#pragma unroll
    for (int i = 0; i < RG_N_INPUTS; i++) {
      int32_t inner = 0;
#pragma unroll
      for (int j = 0; j <= i; j++)
        inner += static_cast<int16_t>(map.square[at++]) * inputs[j];
      sum += static_cast<uint32_t>(((inner >> 10) + map.linear[i]) * inputs[i]);
    }
    const int32_t form = min(max(static_cast<int32_t>(sum) >> 10, 0), 255);
    return 24 + ((form + 3 * inputs[RG_RED_1] - 2 * inputs[RG_RED_8] - inputs[RG_RED_16]) >> 2);
  }
  static __device__ uint32_t pair(int low, int high)
  {
    return static_cast<uint32_t>(low) & 0xffff | static_cast<uint32_t>(high) << 16;
  }
  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int64_t i = y * w.pitch + x;
    int16_t own[RG_N_INPUTS], inputs[RG_N_INPUTS];
#pragma unroll
    for (int k = 0; k < RG_N_INPUTS; k++)
      own[k] = w.plane[k][i];
    const int32_t variance = own[RG_RED_DEV] * 16 - own[RG_RED_MEAN] * own[RG_RED_MEAN];
    uint32_t root = 0;
    for (uint32_t bit = 1u << 10; bit; bit >>= 1)
      if (variance > 0 && (root + bit) * (root + bit) <= static_cast<uint32_t>(variance))
        root += bit;
    own[RG_RED_DEV] = static_cast<int16_t>(root);
    w.plane[RG_RED_DEV][i] = own[RG_RED_DEV];
#pragma unroll
    for (int k = 0; k < RG_N_INPUTS; k++)
      inputs[k] = static_cast<int16_t>(min(max(own[k] - middle[k], -RG_INPUT_MAX), +RG_INPUT_MAX));
    const int v = min(max(value(inputs), 0), 255);
    w.summed[i] = make_uint4(pair(own[RG_RED_1], own[RG_GREEN_1]), pair(own[RG_BLUE_1], own[RG_GRADIENT_1]),
                             pair(v, own[RG_ROUGH]), pair(own[RG_GRADIENT_4], own[RG_RED_4]));
    if (x >= w.inner.x0 && x <= w.inner.x1 && y >= w.inner.y0 && y <= w.inner.y1)
      w.level[(y - w.inner.y0) * w.inner_width + x - w.inner.x0] = static_cast<uint8_t>(v >> RG_LEVEL_SHIFT);
  }
};

static VitrailStatus
first_means(VtDevice *device, const VtRgWindow &w)
{
  int16_t *const *p = w.plane;
  Means means = { {}, w.width, w.height, w.pitch };
  const Mean of[VT_RG_MEANS_AT_ONCE] = {
    { p[RG_RED_1], NULL, NULL, p[RG_RED_2], 1, 0 },       { p[RG_RED_1], NULL, NULL, p[RG_RED_4], 3, 0 },
    { p[RG_RED_1], NULL, NULL, p[RG_RED_8], 6, 0 },       { p[RG_RED_1], NULL, NULL, p[RG_RED_16], 14, 0 },
    { p[RG_GREEN_1], NULL, NULL, p[RG_GREEN_16], 14, 0 }, { p[RG_GREEN_1], NULL, NULL, p[RG_GREEN_4], 4, 0 },
    { p[RG_BLUE_1], NULL, NULL, p[RG_BLUE_4], 4, 0 },     { p[RG_GRADIENT_1], NULL, NULL, p[RG_EDGE_8], 6, 0 },
    { p[RG_RED_1], NULL, NULL, p[RG_RED_MEAN], 40, 0 },   { p[RG_RED_1], NULL, NULL, p[RG_RED_DEV], 40, OF_SQUARES },
  };
  for (int k = 0; k < VT_RG_MEANS_AT_ONCE; k++) {
    means.of[k] = of[k];
    means.of[k].between = w.spare[k];
  }
  VT_TRY(make_means(device, means, VT_RG_MEANS_AT_ONCE));
  enum { AGAIN = 5 }; /* those that are smoothed twice stand first */
  for (int k = 0; k < AGAIN; k++)
    means.of[k].src = means.of[k].dst;
  return make_means(device, means, AGAIN);
}

VitrailStatus
vt_rg_planes(VtDevice *device, const VtRgWindow &w, const VtRegions *args, const VtRgMap &map, const int16_t *density,
             const VtCancel *cancel)
{
  int16_t *const *p = w.plane;
  const Density densities = { VtGpuView<uint8_t>(args->red),
                              VtGpuView<uint8_t>(args->green),
                              VtGpuView<uint8_t>(args->blue),
                              density,
                              { p[RG_RED_1], p[RG_GREEN_1], p[RG_BLUE_1] },
                              w.pitch,
                              args->preset == VT_REGIONS_FLUORESCENCE };
  VT_TRY(vt_gpu_pixels(device, "density", w.width, w.height, densities));
  VT_TRY(vt_gpu_pixels(device, "gradient", w.width, w.height,
                       Gradient{ p[RG_RED_1], p[RG_GRADIENT_1], w.width, w.height, w.pitch, 2 }));
  VT_TRY(first_means(device, w));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  VT_TRY(vt_gpu_pixels(device, "gradient", w.width, w.height,
                       Gradient{ p[RG_RED_4], p[RG_GRADIENT_4], w.width, w.height, w.pitch, 4 }));
  Means rough = { {}, w.width, w.height, w.pitch };
  rough.of[0] = Mean{ p[RG_RED_1], p[RG_RED_4], w.spare[0], p[RG_ROUGH], 6, OF_ROUGHNESS };
  VT_TRY(make_means(device, rough, 1));
  Map last = { w, map, {} };
  for (int k = 0; k < RG_N_INPUTS; k++)
    last.middle[k] = vt_rg_map_middle[k];
  return vt_gpu_pixels(device, "map", w.width, w.height, last);
}
