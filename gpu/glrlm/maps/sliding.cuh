/* SPDX-License-Identifier: MIT
 *
 * sliding.cuh: windows at a cost that does not grow with their area. The sums are those of the CPU's planes.h: going from a
 * window to the next, a run F(level, length) changes only where a pixel comes in or goes out, by
 *   D(g,k) = F(g,k) - F(g,k-1)   or   E(g,k) = D(g,k) - D(g,k-1).
 * A warp takes a strip of columns and walks down. Each column keeps, for its direction, what the window's sum gains when
 * its right edge comes to this column: enter[x] - leave[x - side]. A row that comes in or goes out changes a few columns;
 * the windows of a row are the running sums along it. Three kinds of sums go separate ways, so that a warp needs little
 * room: Sums (64 bits, by tables), counts by level, and counts by in-window length. */
#pragma once

#include "../glrlm.cuh"

enum {
  VT_SLIDE_WARP = 32,
  VT_SLIDE_GROUPS = 4,
  VT_SLIDE_SPAN = 128 /* columns that a warp sums up at once, 4 a lane */
};
enum { VT_SLIDE_SUMS, VT_SLIDE_LEVELS, VT_SLIDE_LENGTHS, VT_SLIDE_N_KINDS };
/* Integers of a run, packed into the first words of Sums. */
enum { VT_FIELD_N, VT_FIELD_LEVEL2, VT_FIELD_BOTH2, VT_FIELD_LEVEL, VT_N_FIELDS };
/* Fixed point sums of a run, a word each. */
enum { VT_FIXED_SRE, VT_FIXED_LGRE, VT_FIXED_SRHGE, VT_FIXED_LRLGE, VT_FIXED_SRLGE, VT_N_FIXED };

struct VtSlideField {
  int32_t word, shift, bits;
};

struct VtSlide {
  VtGpuGlrlmArgs args;
  VtGpuGlrlmMaps maps;
  VtGpuGlrlmList list;
  /* The band of windows, and its pixels for each direction: level | back << 16 | ahead << 24, both at most `side`. */
  const uint32_t *planes[VT_GLRLM_N_DIRECTIONS];
  int64_t region_width, region_height;
  int64_t first_row, n_rows; /* of the maps */
  /* Tasks: strips of n_across windows by chunks of rows_per_task. */
  int32_t n_across, rows_per_task,
    lead; /* lead: unused columns on the left, so that lanes have four windows of a row */
  int64_t n_strips, n_chunks;
  int32_t kinds[VT_SLIDE_N_KINDS], n_kinds;
  int32_t directions[VT_GLRLM_N_DIRECTIONS], n_directions; /* together in a task if there is a mean or merged map */
  const uint64_t *gain, *bend;                             /* D and E of Sums: [level][side + 1][words] */
  VtSlideField fields[VT_N_FIELDS];
  int32_t fixed_bits[VT_N_FIXED];
};

/* A warp's strip. */
struct VtSlideStrip {
  int64_t first_window, x0; /* of the map; in the region */
  int32_t n_windows, span;  /* columns */
  int lane;
};

static __device__ __forceinline__ uint64_t
vt_slide_up(uint64_t value, int d)
{
  return __shfl_up_sync(~0u, static_cast<unsigned long long>(value), d);
}

static __device__ __forceinline__ uint32_t
vt_slide_up(uint32_t value, int d)
{
  return __shfl_up_sync(~0u, value, d);
}

static __device__ __forceinline__ void
vt_slide_load4(const uint64_t *at, uint64_t *four)
{
  const ulonglong2 a = reinterpret_cast<const ulonglong2 *>(at)[0], b = reinterpret_cast<const ulonglong2 *>(at)[1];
  four[0] = a.x, four[1] = a.y, four[2] = b.x, four[3] = b.y;
}

static __device__ __forceinline__ void
vt_slide_load4(const uint32_t *at, uint32_t *four)
{
  const uint4 a = *reinterpret_cast<const uint4 *>(at);
  four[0] = a.x, four[1] = a.y, four[2] = a.z, four[3] = a.w;
}

/* Running sums of the columns: those of columns 128 * part + 4 * lane... */
template <typename T>
static __device__ __forceinline__ void
vt_slide_running(const T *columns, int part, int lane, T *four)
{
  T before = 0;
  for (int p = 0; p < part; p++) {
    T all[4];
    vt_slide_load4(columns + p * VT_SLIDE_SPAN + 4 * lane, all);
    T sum = all[0] + all[1] + all[2] + all[3];
    for (int d = 16; d > 0; d /= 2)
      sum += __shfl_xor_sync(~0u, sum, d);
    before += sum;
  }
  vt_slide_load4(columns + part * VT_SLIDE_SPAN + 4 * lane, four);
  four[1] += four[0];
  four[2] += four[1];
  four[3] += four[2];
  T sum = four[3];
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2) {
    const T other = vt_slide_up(sum, d);
    sum += lane >= d ? other : 0;
  }
  before += sum - four[3];
#pragma unroll
  for (int i = 0; i < 4; i++)
    four[i] += before;
}

/* The same in the order of the windows: along (-1,1) columns are mirrored. `room`: a row of columns. */
template <int PARTS, typename T>
static __device__ __forceinline__ void
vt_slide_windows(const VtSlide &s, const VtSlideStrip &strip, int direction, const T *columns, T *room, int part,
                 T *four)
{
  if (direction != VT_GLRLM_DIR_M1_1) {
    vt_slide_running(columns, part, strip.lane, four);
    return;
  }
  for (int p = 0; p < PARTS; p++) {
    vt_slide_running(columns, p, strip.lane, four);
#pragma unroll
    for (int i = 0; i < 4; i++)
      room[p * VT_SLIDE_SPAN + 4 * strip.lane + i] = four[i];
  }
  __syncwarp();
  const int mirror = 2 * (s.lead + s.args.side - 1) + (strip.n_windows - 1) * s.args.step;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int c = mirror - (part * VT_SLIDE_SPAN + 4 * strip.lane + i);
    four[i] = c >= 0 && c < PARTS * VT_SLIDE_SPAN ? room[c] : 0;
  }
  __syncwarp();
}

/* The window whose right edge is column c; -1: none. */
static __device__ __forceinline__ int
vt_slide_window_at(const VtSlide &s, const VtSlideStrip &strip, int c)
{
  const int k = c - (s.lead + s.args.side - 1), step = s.args.step;
  if (k < 0 || (step > 1 && k % step != 0))
    return -1;
  return k / step < strip.n_windows ? k / step : -1;
}

/* Where the sums of that window stand: along (-1,1) columns are mirrored. */
static __device__ __forceinline__ int
vt_slide_column_of(const VtSlide &s, const VtSlideStrip &strip, int direction, int c)
{
  const int mirror = 2 * (s.lead + s.args.side - 1) + (strip.n_windows - 1) * s.args.step;
  return direction == VT_GLRLM_DIR_M1_1 ? mirror - c : c;
}

/* A value that is known to `error`, of window i of the strip in map row j. */
static __device__ __forceinline__ void
vt_slide_put(const VtSlide &s, const VtSlideStrip &strip, int i, int64_t j, int aggregate, int feature, double value,
             double error, bool none)
{
  const VtGpuGlrlmMap map = s.maps.map[aggregate][feature];
  float rounded;
  if (!vt_gpu_glrlm_rounds(value, error, &rounded) && !none)
    vt_gpu_glrlm_defer(s.list, strip.first_window + i, j, aggregate, feature);
  map.data[j * map.stride + strip.first_window + i] = none ? __int_as_float(0x7fc00000) : rounded;
}
