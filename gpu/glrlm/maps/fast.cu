/* SPDX-License-Identifier: MIT
 *
 * fast.cu: sliding windows (sliding.cuh): lengths of runs for every pixel, then a warp for each strip, direction and kind of
 * sums. Bands of rows keep the lengths within a fixed room. What small.cu can make it makes. */
#include "../../gpu.h"
#include "../../warp.cuh"
#include "sliding-counts.cuh"

enum { THREADS = 256, ROWS_PER_TASK = 64, LIST_SIZE = 1 << 20 };
static const int64_t max_width = INT64_C(1) << 19;
/* Between two looks at the cancel: 6 ms of one map on an H200. 16 bytes each. */
static const int64_t pixels_at_once = INT64_C(1) << 22;

/* Pixels from `at` on that have its level, at most `most` of them. */
template <typename T>
static __device__ __forceinline__ uint32_t
length_along(const T *at, int64_t step, int32_t most)
{
  const T level = *at;
  int32_t n = 1;
  for (at += step; n < most && *at == level; at += step)
    n++;
  return static_cast<uint32_t>(n);
}

/* Each pixel looks along its run, at most `side` pixels. */
template <typename T>
static __global__ void
find_lengths(VtGpuGlrlmArgs args, int64_t x0, int64_t y0, uint32_t width, uint32_t height, uint32_t *planes,
             uint32_t wanted)
{
  const VtImage src = args.src;
  const uint32_t n = width * height; /* of a band */
  const int64_t pitch = src.stride / static_cast<int64_t>(sizeof(T)), side = args.side;
  for (uint32_t at = blockIdx.x * THREADS + threadIdx.x; at < n; at += gridDim.x * THREADS) {
    const int64_t x = x0 + at % width, y = y0 + at / width;
    const bool inside = x >= 0 && x < src.width && y >= 0 && y < src.height;
    const T *pixel = static_cast<const T *>(src.data) + y * pitch + x;
    const uint32_t level = inside ? *pixel : 0;
    const int32_t west = static_cast<int32_t>(min(side, x + 1)), east = static_cast<int32_t>(min(side, src.width - x)),
                  north = static_cast<int32_t>(min(side, y + 1)),
                  south = static_cast<int32_t>(min(side, src.height - y));
#pragma unroll
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      const int dx = vt_gpu_glrlm_dx(d), dy = vt_gpu_glrlm_dy(d);
      const int64_t step = dy * pitch + dx;
      uint32_t back = 0, ahead = 0;
      if (!(wanted >> d & 1))
        continue;
      if (level) {
        back = length_along(pixel, -step, min(dx > 0 ? west : dx < 0 ? east : 256, dy ? north : 256));
        ahead = length_along(pixel, step, min(dx > 0 ? east : dx < 0 ? west : 256, dy ? south : 256));
      }
      planes[static_cast<int64_t>(d) * n + at] = level | back << 16 | ahead << 24;
    }
  }
}

/* --- rows that come in and go out --- */

/* A row of a strip, in the order of its direction. */
struct Place {
  const uint32_t *row; /* of the plane, at the strip's first pixel in its order */
  int by;              /* 1, or -1: mirrored */
};

/* A lane's pixels of a row: columns lane, lane + 32... All of a row are counted at once, since each waits long for its
 * table and its column. */
template <int PARTS> struct Row {
  uint32_t pixel[PARTS * VT_SLIDE_GROUPS];
};

template <int PARTS>
static __device__ __forceinline__ Row<PARTS>
row_at(const VtSlide &s, const VtSlideStrip &strip, const Place &place, bool any)
{
  Row<PARTS> row;
#pragma unroll
  for (int i = 0; i < PARTS * VT_SLIDE_GROUPS; i++) {
    const int x = VT_SLIDE_WARP * i + strip.lane - s.lead;
    row.pixel[i] = any && x >= 0 && x < strip.span ? __ldg(place.row + x * place.by) : 0;
  }
  return row;
}

/* What a lane does to four columns; level 0: nothing. */
struct Four {
  int column[VT_SLIDE_GROUPS], level[VT_SLIDE_GROUPS], length[VT_SLIDE_GROUPS];
};

/* Columns beyond the strip take nothing. The remainder keeps every lane at a column of its own. */
template <typename Kind>
static __device__ __forceinline__ void
point(Four *four, int i, int column, int level, int length)
{
  four->column[i] = column & (Kind::columns - 1);
  four->level[i] = column < Kind::columns ? level : 0;
  four->length[i] = max(length, 1);
}

/* Bends of the pixels `at`, of levels and lengths, at columns that go back (in) or on from theirs with every step. */
template <typename Kind>
static __device__ __forceinline__ void
bend_all(const VtSlide &s, const Kind &kind, const Four &at, bool in)
{
  int mine[VT_SLIDE_GROUPS], most = 0;
#pragma unroll
  for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
    mine[i] = at.level[i] ? min(at.length[i], kind.reach(s)) : 0;
    most = max(most, mine[i]);
  }
  most = vt_gpu_warp_max(most);
  for (int k = 1; k <= most; k++) {
    Four four;
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      point<Kind>(&four, i, in ? at.column[i] + s.args.side - k + 1 : at.column[i] + k - 1,
                  k <= mine[i] ? at.level[i] : 0, k);
    kind.bend(s, four.column, four.level, k, false);
    __syncwarp();
  }
}

/* Lanes are at different columns at every step, so that none meets another. */
template <typename Kind>
static __device__ __forceinline__ void
pass_row(const VtSlide &s, const VtSlideStrip &strip, const Kind &kind, int direction, const Row<Kind::parts> &row,
         int64_t age, bool in)
{
  const bool along = direction == VT_GLRLM_DIR_1_0, diagonal = !along && direction != VT_GLRLM_DIR_0_1;
#pragma unroll
  for (int part = 0; part < Kind::parts; part++) {
    Four at, own, beyond;
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
      const uint32_t pixel = row.pixel[part * VT_SLIDE_GROUPS + i];
      const int c = part * VT_SLIDE_SPAN + i * VT_SLIDE_WARP + strip.lane, after = c - s.lead + 1;
      const int g = static_cast<int>(pixel & 0xffffu), ahead = static_cast<int>(pixel >> 24);
      int back = static_cast<int>(pixel >> 16 & 0xffu);
      back = along ? back : static_cast<int>(min(static_cast<int64_t>(back), age));
      back = along || diagonal ? min(back, after) : back;
      const int length = along || in ? back : ahead;
      at.column[i] = c;
      at.level[i] = g;
      at.length[i] = length;
      point<Kind>(&own, i, diagonal && !in ? c + s.args.side : c, g, length);
      point<Kind>(&beyond, i, c + s.args.side, g, along ? ahead : length);
    }
    kind.gain(s, own.column, own.level, own.length, diagonal || in);
    __syncwarp();
    if (diagonal) {
      bend_all(s, kind, at, in);
    } else {
      kind.gain(s, beyond.column, beyond.level, beyond.length, !in);
      __syncwarp();
    }
  }
}

template <typename Kind, bool TOGETHER>
static __device__ void
slide_down(const VtSlide &s, const VtSlideStrip &strip, int64_t chunk, const int *directions, char *memory)
{
  constexpr int most = TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1;
  const int side = s.args.side, step = s.args.step;
  const int64_t first = chunk * s.rows_per_task, n_rows = min(static_cast<int64_t>(s.rows_per_task), s.n_rows - first);
  const int64_t top = first * step, bottom = top + (n_rows - 1) * step + side;
  Kind kinds[most];
  for (int d = 0; d < most; d++) {
    kinds[d].delta = reinterpret_cast<decltype(kinds[d].delta)>(memory + d * Kind::bytes(s.args));
    kinds[d].clear(s, strip.lane);
  }
  uint64_t *room = reinterpret_cast<uint64_t *>(memory + most * Kind::bytes(s.args));
  __syncwarp();
  Row<Kind::parts> next_in = {}, next_out = {};
  for (int64_t y = TOGETHER ? top : top - 1; y < bottom; y++) {
    for (int d = 0; d < most; d++) {
      const bool mirrored = directions[d] == VT_GLRLM_DIR_M1_1;
      const uint32_t *plane = s.planes[directions[d]] + strip.x0 + (mirrored ? strip.span - 1 : 0);
      const Row<Kind::parts> before_in = next_in, before_out = next_out;
      const int64_t wanted = TOGETHER ? y : y + 1; /* a task of one direction has the next row on its way */
      const Place in = { plane + wanted * s.region_width, mirrored ? -1 : 1 };
      const Place out = { plane + (wanted - side) * s.region_width, in.by };
      next_in = row_at<Kind::parts>(s, strip, in, wanted < bottom);
      next_out = row_at<Kind::parts>(s, strip, out, wanted - side >= top && wanted < bottom);
      if (y >= top)
        pass_row(s, strip, kinds[d], directions[d], TOGETHER ? next_in : before_in, y - top + 1, true);
      if (y - side >= top)
        pass_row(s, strip, kinds[d], directions[d], TOGETHER ? next_out : before_out, side, false);
    }
    const int64_t at = y - top - side + 1;
    if (at >= 0 && at % step == 0)
      Kind::template finish<TOGETHER>(s, strip, s.first_row + first + at / step, kinds, room, directions);
  }
}

template <typename Kind, bool TOGETHER>
static __global__ void
__launch_bounds__(VT_SLIDE_WARP) slide(const __grid_constant__ VtSlide s)
{
  extern __shared__ __align__(16) char memory[];
  int64_t task = blockIdx.x;
  VtSlideStrip strip;
  const int64_t at = task % s.n_strips;
  task /= s.n_strips;
  const int64_t chunk = task % s.n_chunks;
  task /= s.n_chunks;
  const int *directions = s.directions + task;
  strip.first_window = at * s.n_across;
  strip.x0 = strip.first_window * s.args.step;
  strip.n_windows = static_cast<int32_t>(min(static_cast<int64_t>(s.n_across), s.args.width - strip.first_window));
  strip.span = (strip.n_windows - 1) * s.args.step + s.args.side;
  strip.lane = threadIdx.x;
  slide_down<Kind, TOGETHER>(s, strip, chunk, directions, memory);
}

/* --- tables --- */

/* What a run adds to a word. */
static __device__ uint64_t
run_adds(const VtSlide &s, int words, int word, uint64_t i, uint64_t j)
{
  const uint64_t field[VT_N_FIELDS] = { 1, i * i, i * i * j * j, i };
  uint64_t sum = 0;
  const int fixed = word - (words - VT_N_FIXED < 2 ? 1 : 2);
  if (i == 0 || j == 0)
    return 0;
  for (int f = 0; f < VT_N_FIELDS && fixed < 0; f++)
    sum += s.fields[f].word == word ? field[f] << s.fields[f].shift : 0;
  if (fixed < 0 || fixed >= VT_N_FIXED)
    return sum;
  const uint64_t one = UINT64_C(1) << s.fixed_bits[fixed];
  switch (fixed) {
  case VT_FIXED_SRE: return (one + j * j / 2) / (j * j);
  case VT_FIXED_LGRE: return (one + i * i / 2) / (i * i);
  case VT_FIXED_SRHGE: return (one * i * i + j * j / 2) / (j * j);
  case VT_FIXED_LRLGE: return (one * j * j + i * i / 2) / (i * i);
  default: return vt_gpu_glrlm_short_low(i, j);
  }
}

static __global__ void
fill_tables(const __grid_constant__ VtSlide s, int words, uint64_t *gain, uint64_t *bend)
{
  const int side = s.args.side, n = (s.args.n_levels + 1) * (side + 1) * words;
  for (int at = static_cast<int>(blockIdx.x * THREADS + threadIdx.x); at < n;
       at += static_cast<int>(gridDim.x * THREADS)) {
    const int word = at % words, k = at / words % (side + 1);
    const uint64_t g = static_cast<uint64_t>(at / words / (side + 1)), j = static_cast<uint64_t>(k);
    const uint64_t here = run_adds(s, words, word, g, j), one = k > 0 ? run_adds(s, words, word, g, j - 1) : 0;
    const uint64_t two = k > 1 ? run_adds(s, words, word, g, j - 2) : 0;
    gain[at] = here - one;
    bend[at] = here - one - (one - two);
  }
}

/* --- the host's part --- */

/* Streams for kinds that run side by side. */
class Lanes {
public:
  cudaStream_t stream[VT_SLIDE_N_KINDS] = {};
  cudaEvent_t ready = NULL, done = NULL;

  Lanes() = default;
  Lanes(const Lanes &) = delete;
  Lanes &operator=(const Lanes &) = delete;
  VitrailStatus open(VtDevice *device)
  {
    for (int k = 0; k < VT_SLIDE_N_KINDS; k++)
      VT_GPU_TRY(device, cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
    VT_GPU_TRY(device, cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    VT_GPU_TRY(device, cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    return VITRAIL_OK;
  }
  ~Lanes() /* what they hold goes when its work is done */
  {
    for (int k = 0; k < VT_SLIDE_N_KINDS; k++)
      if (stream[k])
        cudaStreamDestroy(stream[k]);
    if (ready)
      cudaEventDestroy(ready);
    if (done)
      cudaEventDestroy(done);
  }
};

typedef struct Shape {
  int words, bits, parts;
  bool together;
} Shape;

static int
bits_for(int64_t most)
{
  int bits = 1;
  while (most >> bits)
    bits++;
  return bits;
}

/* Fields in one word if they fit, else in two; scales so that no sum passes 63 bits. */
static int
plan_words(VtSlide *s)
{
  const int64_t side = s->args.side, area = side * side, level = s->args.n_levels;
  const int n = bits_for(area), level2 = bits_for(area * level * level), both2 = bits_for(area * side * level * level),
            sum = bits_for(area * level), long2 = bits_for(area * side);
  const bool fits = n + level2 + both2 + sum <= 64;
  s->fields[VT_FIELD_N] = VtSlideField{ 0, 0, n };
  s->fields[VT_FIELD_LEVEL2] = VtSlideField{ 0, n, level2 };
  s->fields[VT_FIELD_BOTH2] = VtSlideField{ fits ? 0 : 1, fits ? n + level2 : 0, both2 };
  s->fields[VT_FIELD_LEVEL] = VtSlideField{ fits ? 0 : 1, both2 + (fits ? n + level2 : 0), sum };
  s->fixed_bits[VT_FIXED_SRE] = s->fixed_bits[VT_FIXED_LGRE] = 60 - n;
  s->fixed_bits[VT_FIXED_SRHGE] = 60 - level2;
  s->fixed_bits[VT_FIXED_LRLGE] = 60 - long2;
  s->fixed_bits[VT_FIXED_SRLGE] = VT_GLRLM_FIXED_BITS;
  return fits ? 6 : 8;
}

static Shape
plan_shape(VtSlide *s, uint32_t features, uint32_t aggregates)
{
  const uint32_t by_level = 1u << VT_GLRLM_GLN | 1u << VT_GLRLM_GLNN;
  const uint32_t by_length =
    1u << VT_GLRLM_LRE | 1u << VT_GLRLM_RLN | 1u << VT_GLRLM_RP | 1u << VT_GLRLM_RLNN | 1u << VT_GLRLM_RV;
  const int side = s->args.side;
  Shape shape = { plan_words(s), 16, side <= 65 ? 1 : 2, aggregates >> VT_GLRLM_MEAN != 0 };
  if (shape.words == 6 && side <= 15 && !shape.together)
    shape.bits = 8;
  else
    shape.words = 8;
  if (shape.words == 8 && s->fields[VT_FIELD_BOTH2].word == 0)
    shape.words = 8; /* a word stays empty */
  s->n_kinds = 0;
  if (features & ~by_level & ~by_length & ~(1u << VT_GLRLM_RE))
    s->kinds[s->n_kinds++] = VT_SLIDE_SUMS;
  if (features & by_length)
    s->kinds[s->n_kinds++] = VT_SLIDE_LENGTHS;
  if (features & by_level)
    s->kinds[s->n_kinds++] = VT_SLIDE_LEVELS;
  s->n_directions = 0;
  static const int order[] = { VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_M1_1, VT_GLRLM_DIR_1_0, VT_GLRLM_DIR_0_1 };
  for (int k = 0; k < VT_GLRLM_N_DIRECTIONS; k++) { /* longest tasks first; together, in the order of their mean */
    const int d = shape.together ? k : order[k];
    if (shape.together || aggregates >> d & 1)
      s->directions[s->n_directions++] = d;
  }
  s->lead = (4 - (side - 1) % 4) % 4;
  s->n_across = (shape.parts * VT_SLIDE_SPAN - s->lead - side) / s->args.step + 1;
  if (s->args.step == 1)
    s->n_across -= s->n_across % 4;
  s->n_strips = vt_gpu_blocks(s->args.width, s->n_across);
  return shape;
}

template <typename Kind, bool TOGETHER>
static VitrailStatus
launch(VtDevice *device, const VtSlide *s, cudaStream_t stream)
{
  const size_t bytes = Kind::bytes(s->args) * (TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1) + Kind::room(TOGETHER);
  int most = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  if (bytes > static_cast<size_t>(most))
    return VITRAIL_UNSUPPORTED;
  const auto kernel = slide<Kind, TOGETHER>;
  VT_GPU_TRY(device,
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((TOGETHER ? 1 : s->n_directions) * s->n_chunks * s->n_strips));
  config.blockDim = dim3(VT_SLIDE_WARP);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, kernel, *s));
  return VITRAIL_OK;
}

/* A launch for each kind, so that its instructions fit the cache; side by side, so that all multiprocessors have work. */
template <int WORDS, int BITS, int PARTS, bool TOGETHER>
static VitrailStatus
launch_kinds(VtDevice *device, const VtSlide *s, const Lanes *lanes)
{
  VT_GPU_TRY(device, cudaEventRecord(lanes->ready, device->stream));
  for (int k = 0; k < s->n_kinds; k++) {
    const cudaStream_t stream = lanes->stream[k];
    VT_GPU_TRY(device, cudaStreamWaitEvent(stream, lanes->ready, 0));
    if (s->kinds[k] == VT_SLIDE_SUMS)
      VT_TRY((launch<VtSlideSums<WORDS, PARTS>, TOGETHER>(device, s, stream)));
    else if (s->kinds[k] == VT_SLIDE_LEVELS)
      VT_TRY((launch<VtSlideLevels<BITS, PARTS>, TOGETHER>(device, s, stream)));
    else
      VT_TRY((launch<VtSlideLengths<BITS, PARTS>, TOGETHER>(device, s, stream)));
    VT_GPU_TRY(device, cudaEventRecord(lanes->done, stream));
    VT_GPU_TRY(device, cudaStreamWaitEvent(device->stream, lanes->done, 0));
  }
  return VITRAIL_OK;
}

static VitrailStatus
launch_shape(VtDevice *device, const VtSlide *s, const Shape *shape, const Lanes *lanes)
{
  if (shape->bits == 8)
    return launch_kinds<6, 8, 1, false>(device, s, lanes);
  if (shape->parts == 1)
    return shape->together ? launch_kinds<8, 16, 1, true>(device, s, lanes)
                           : launch_kinds<8, 16, 1, false>(device, s, lanes);
  return shape->together ? launch_kinds<8, 16, 2, true>(device, s, lanes)
                         : launch_kinds<8, 16, 2, false>(device, s, lanes);
}

/* Chunks of rows: few enough that a window's first rows weigh little, enough of them for all multiprocessors. */
static int32_t
rows_of_task(const VtDevice *device, const VtSlide *s, const Shape *shape)
{
  const int64_t sets = (shape->together ? 1 : s->n_directions) * s->n_strips;
  int32_t rows = 4 * ROWS_PER_TASK;
  while (rows > 48 && sets * vt_gpu_blocks(s->n_rows, rows) < 24 * device->n_multiprocessors)
    rows /= 2;
  return rows;
}

static VitrailStatus
run_band(VtDevice *device, VtSlide *s, const Shape *shape, uint32_t *planes, const Lanes *lanes)
{
  uint32_t wanted = 0;
  s->region_height = (s->n_rows - 1) * s->args.step + s->args.side;
  const int64_t n = s->region_width * s->region_height, room = 64 * device->n_multiprocessors;
  for (int k = 0; k < s->n_directions; k++)
    wanted |= 1u << s->directions[k];
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    s->planes[d] = planes + d * n;
  const int64_t y0 = s->args.y0 + s->first_row * s->args.step - s->args.half;
  VT_TRY(vt_gpu_launch(
    device, "find_lengths", s->args.src.type == VITRAIL_U16 ? find_lengths<uint16_t> : find_lengths<uint8_t>,
    vt_gpu_blocks(n, THREADS) < room ? vt_gpu_blocks(n, THREADS) : room, THREADS, s->args, s->args.x0 - s->args.half,
    y0, static_cast<uint32_t>(s->region_width), static_cast<uint32_t>(s->region_height), planes, wanted));
  s->rows_per_task = rows_of_task(device, s, shape);
  s->n_chunks = vt_gpu_blocks(s->n_rows, s->rows_per_task);
  return launch_shape(device, s, shape, lanes);
}

static VitrailStatus
run_bands(VtDevice *device, VtSlide *s, const Shape *shape, int64_t rows_per_band, uint32_t *planes, const Lanes *lanes,
          const VtCancel *cancel)
{
  for (s->first_row = 0; s->first_row < s->args.height; s->first_row += rows_per_band) {
    s->n_rows = s->args.height - s->first_row < rows_per_band ? s->args.height - s->first_row : rows_per_band;
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VT_TRY(run_band(device, s, shape, planes, lanes));
    if (rows_per_band < s->args.height)
      VT_TRY(vt_gpu_sync(device));
  }
  return VITRAIL_OK;
}

static VitrailStatus
slide_all(VtDevice *device, VtSlide *s, uint32_t features, uint32_t aggregates, const VtCancel *cancel)
{
  Lanes lanes;
  const Shape shape = plan_shape(s, features, aggregates);
  s->region_width = (s->args.width - 1) * s->args.step + s->args.side;
  if (s->region_width > max_width)
    return VITRAIL_UNSUPPORTED;
  const int64_t few = pixels_at_once / s->region_width, least = 4 * static_cast<int64_t>(s->args.side);
  int64_t rows_per_band = ((few > least ? few : least) - s->args.side) / s->args.step + 1;
  rows_per_band = rows_per_band < s->args.height ? rows_per_band : s->args.height;
  const int64_t n_pixels = s->region_width * ((rows_per_band - 1) * s->args.step + s->args.side);
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &s->args);
  const size_t table =
    static_cast<size_t>((s->args.n_levels + 1) * (s->args.side + 1) * shape.words) * sizeof(uint64_t);
  const size_t list = LIST_SIZE * sizeof(VtGpuGlrlmItem);
  uint32_t *n_listed = device->words + VT_GPU_GLRLM_LISTED;
  void *scratch = NULL;
  VT_TRY(lanes.open(device));
  VT_TRY(vt_gpu_scratch(device, exact + list + 2 * table + 16 * static_cast<size_t>(n_pixels), &scratch));
  char *at = static_cast<char *>(scratch) + exact;
  s->list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(at), n_listed, LIST_SIZE, false };
  uint64_t *gain = reinterpret_cast<uint64_t *>(at + list), *bend = gain + table / sizeof *gain;
  s->gain = gain;
  s->bend = bend;
  VT_GPU_TRY(device, cudaMemsetAsync(n_listed, 0, sizeof *n_listed, device->stream));
  VT_TRY(vt_gpu_launch(device, "fill_tables", fill_tables, 64, THREADS, *s, shape.words, gain, bend));
  VT_TRY(run_bands(device, s, &shape, rows_per_band, reinterpret_cast<uint32_t *>(bend + table / sizeof *bend), &lanes,
                   cancel));
  VT_TRY(vt_gpu_glrlm_exact_list(device, &s->args, &s->maps, &s->list, scratch));
  VT_TRY(vt_gpu_sync(device));
  return device->words_host[VT_GPU_GLRLM_LISTED] <= LIST_SIZE
           ? VITRAIL_OK
           : vt_gpu_glrlm_exact_all(device, &s->args, &s->maps, features, scratch, cancel);
}

VitrailStatus
vt_gpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VtSlide s = {};
  void *scratch = NULL;
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_glrlm_check(args));
  uint32_t exact = 1u << VT_GLRLM_RE;
  uint32_t small = vt_gpu_glrlm_small_features(args);
  if (args->features & ~small) /* small.cu looks by itself, and waits only once */
    VT_TRY(vt_gpu_glrlm_check_levels(device, &args->src, args->n_levels));
  vt_gpu_glrlm_unpack(args, &s.args, &s.maps);
  VitrailStatus status = small ? vt_gpu_glrlm_small(device, args, cancel) : VITRAIL_OK;
  if (status == VITRAIL_UNSUPPORTED) {
    small = 0;
    status = VITRAIL_OK;
  }
  for (int k = 0; k < VT_GLRLM_MAX_MAPS; k++)
    if (small >> k % VT_GLRLM_N_FEATURES & 1)
      s.maps.map[k / VT_GLRLM_N_FEATURES][k % VT_GLRLM_N_FEATURES].data = NULL;
  if (3 * static_cast<int64_t>(args->step) > s.args.side) /* windows share too little */
    exact = ~0u;
  else if (status == VITRAIL_OK && (args->features & ~small & ~exact))
    status = slide_all(device, &s, args->features & ~small & ~exact, args->aggregates, cancel);
  if (status == VITRAIL_UNSUPPORTED) { /* too little room on a multiprocessor: nothing has been written */
    exact = ~0u;
    status = VITRAIL_OK;
  }
  if (status == VITRAIL_OK && (args->features & ~small & exact)) {
    VT_TRY(vt_gpu_scratch(device, vt_gpu_glrlm_exact_bytes(device, &s.args), &scratch));
    status = vt_gpu_glrlm_exact_all(device, &s.args, &s.maps, args->features & ~small & exact, scratch, cancel);
  }
  if (status != VITRAIL_OK)
    cudaDeviceSynchronize();
  return status;
}
