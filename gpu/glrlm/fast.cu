/* SPDX-License-Identifier: MIT
 *
 * fast.cu: sliding windows (slide.cuh): lengths of runs for every pixel, then a warp for each strip, direction and kind of
 * sums. Bands of rows keep the lengths within a fixed room. */
#include "../gpu.h"
#include "slide-counts.cuh"

enum { THREADS = 256, ROWS_PER_TASK = 64, LIST_SIZE = 1 << 20 };
static const int64_t max_pixels = INT64_C(1) << 27; /* of a band: 16 bytes each */

/* Each pixel looks along its run, at most `side` pixels. */
static __global__ void
find_lengths(VtGpuGlrlmArgs args, int64_t x0, int64_t y0, int64_t width, int64_t height, uint32_t *planes,
             uint32_t wanted)
{
  const VtImage src = args.src;
  const int64_t n = width * height;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = x0 + at % width, y = y0 + at / width;
    uint32_t level = 0;
    if (x >= 0 && x < src.width && y >= 0 && y < src.height)
      level = vt_gpu_glrlm_level(src, x, y);
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      if (!(wanted >> d & 1))
        continue;
      uint32_t length[2] = { 0, 0 };
      for (int way = 0; level && way < 2; way++) {
        const int dx = way ? vt_gpu_glrlm_dx(d) : -vt_gpu_glrlm_dx(d),
                  dy = way ? vt_gpu_glrlm_dy(d) : -vt_gpu_glrlm_dy(d);
        int64_t nx = x, ny = y;
        do {
          length[way]++;
          nx += dx;
          ny += dy;
        } while (length[way] < static_cast<uint32_t>(args.side) && nx >= 0 && nx < src.width && ny >= 0
                 && ny < src.height && vt_gpu_glrlm_level(src, nx, ny) == level);
      }
      planes[d * n + at] = level | length[0] << 16 | length[1] << 24;
    }
  }
}

/* --- rows that come in and go out --- */

/* Where the sums of a warp stand: its columns, the first row of its windows. */
struct Place {
  const uint32_t *row; /* of the plane, at the strip's first pixel in its order */
  int by;              /* 1, or -1: mirrored */
  int64_t age;         /* rows since the first one, with this one */
};

template <typename Kind>
static __device__ __forceinline__ void
along_row(const VtSlide &s, const Kind &kind, int c, int g, int back, int ahead, bool in)
{
  if (g)
    kind.gain(s, c, g, min(back, c - s.lead + 1), in);
  __syncwarp();
  if (g && c + s.args.side < Kind::columns)
    kind.gain(s, c + s.args.side, g, ahead, !in);
  __syncwarp();
}

template <typename Kind>
static __device__ __forceinline__ void
along_column(const VtSlide &s, const Kind &kind, int c, int g, int length, bool in)
{
  if (g)
    kind.gain(s, c, g, length, in);
  __syncwarp();
  if (g && c + s.args.side < Kind::columns)
    kind.gain(s, c + s.args.side, g, length, !in);
  __syncwarp();
}

/* Lanes are at different columns at every step, so that none meets another. */
template <typename Kind>
static __device__ __forceinline__ void
along_diagonal(const VtSlide &s, const Kind &kind, int c, int g, int length, bool in)
{
  const int beyond = c + s.args.side, reach = kind.reach(s);
  const int own = in ? c : beyond;
  if (g && own < Kind::columns)
    kind.gain(s, own, g, length, true);
  __syncwarp();
  int most = g ? min(length, reach) : 0;
  const int mine = most;
  for (int d = 16; d > 0; d /= 2)
    most = max(most, __shfl_xor_sync(~0u, most, d));
  for (int k = 1; k <= most; k++) {
    const int to = in ? beyond - k + 1 : c + k - 1;
    if (k <= mine && to < Kind::columns)
      kind.bend(s, to, g, k, false);
    __syncwarp();
  }
}

static __device__ __forceinline__ uint32_t
pixel_at(const VtSlide &s, const VtSlideStrip &strip, const Place &place, int c)
{
  const int x = c - s.lead;
  return x >= 0 && x < strip.span ? __ldg(place.row + x * place.by) : 0;
}

template <typename Kind>
static __device__ void
pass_row(const VtSlide &s, const VtSlideStrip &strip, const Kind &kind, int direction, const Place &place, bool in)
{
  uint32_t next = pixel_at(s, strip, place, strip.lane);
  for (int c = strip.lane; c < Kind::columns; c += VT_SLIDE_WARP) {
    const int x = c - s.lead;
    const uint32_t pixel = next;
    next = pixel_at(s, strip, place, c + VT_SLIDE_WARP); /* on its way while this one is counted */
    const int g = static_cast<int>(pixel & 0xffffu), ahead = static_cast<int>(pixel >> 24);
    int back = static_cast<int>(pixel >> 16 & 0xffu);
    if (direction != VT_GLRLM_DIR_1_0)
      back = static_cast<int>(min(static_cast<int64_t>(back), place.age));
    if (direction == VT_GLRLM_DIR_1_0)
      along_row(s, kind, c, g, back, ahead, in);
    else if (direction == VT_GLRLM_DIR_0_1)
      along_column(s, kind, c, g, in ? back : ahead, in);
    else
      along_diagonal(s, kind, c, g, in ? min(back, x + 1) : ahead, in);
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
  for (int64_t y = top; y < bottom; y++) {
    for (int d = 0; d < most; d++) {
      const bool mirrored = directions[d] == VT_GLRLM_DIR_M1_1;
      const uint32_t *plane = s.planes[directions[d]] + strip.x0 + (mirrored ? strip.span - 1 : 0);
      const Place in = { plane + y * s.region_width, mirrored ? -1 : 1, y - top + 1 };
      const Place out = { plane + (y - side) * s.region_width, in.by, side };
      pass_row(s, strip, kinds[d], directions[d], in, true);
      if (y - side >= top)
        pass_row(s, strip, kinds[d], directions[d], out, false);
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
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (shape.together || aggregates >> d & 1)
      s->directions[s->n_directions++] = d;
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
  VT_TRY(vt_gpu_launch(device, "find_lengths", find_lengths,
                       vt_gpu_blocks(n, THREADS) < room ? vt_gpu_blocks(n, THREADS) : room, THREADS, s->args,
                       s->args.x0 - s->args.half, y0, s->region_width, s->region_height, planes, wanted));
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
  if (s->region_width > max_pixels / 256)
    return VITRAIL_UNSUPPORTED;
  int64_t rows_per_band = (max_pixels / s->region_width - s->args.side) / s->args.step + 1;
  rows_per_band = rows_per_band < s->args.height ? rows_per_band : s->args.height;
  const int64_t n_pixels = s->region_width * ((rows_per_band - 1) * s->args.step + s->args.side);
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &s->args);
  const size_t table =
    static_cast<size_t>((s->args.n_levels + 1) * (s->args.side + 1) * shape.words) * sizeof(uint64_t);
  const size_t list = 256 + LIST_SIZE * sizeof(VtGpuGlrlmItem);
  void *scratch = NULL;
  VT_TRY(lanes.open(device));
  VT_TRY(vt_gpu_scratch(device, exact + list + 2 * table + 16 * static_cast<size_t>(n_pixels), &scratch));
  char *at = static_cast<char *>(scratch) + exact;
  s->list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(at + 256), reinterpret_cast<uint32_t *>(at), LIST_SIZE };
  uint64_t *gain = reinterpret_cast<uint64_t *>(at + list), *bend = gain + table / sizeof *gain;
  s->gain = gain;
  s->bend = bend;
  VT_GPU_TRY(device, cudaMemsetAsync(s->list.count, 0, sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_launch(device, "fill_tables", fill_tables, 64, THREADS, *s, shape.words, gain, bend));
  VT_TRY(run_bands(device, s, &shape, rows_per_band, reinterpret_cast<uint32_t *>(bend + table / sizeof *bend), &lanes,
                   cancel));
  VT_TRY(vt_gpu_glrlm_exact_list(device, &s->args, &s->maps, &s->list, scratch));
  uint32_t n_listed = 0;
  VT_GPU_TRY(device,
             cudaMemcpyAsync(&n_listed, s->list.count, sizeof n_listed, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  return n_listed <= LIST_SIZE ? VITRAIL_OK
                               : vt_gpu_glrlm_exact_all(device, &s->args, &s->maps, features, scratch, cancel);
}

VitrailStatus
vt_gpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VtSlide s = {};
  bool empty = false;
  void *scratch = NULL;
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_glrlm_check(device, args, &empty));
  if (empty)
    return VITRAIL_OK;
  vt_gpu_glrlm_unpack(args, &s.args, &s.maps);
  uint32_t exact = 1u << VT_GLRLM_RE;
  VitrailStatus status = VITRAIL_OK;
  if (3 * static_cast<int64_t>(args->step) > s.args.side) /* windows share too little */
    exact = ~0u;
  else if (args->features & ~exact)
    status = slide_all(device, &s, args->features & ~exact, args->aggregates, cancel);
  if (status == VITRAIL_UNSUPPORTED) { /* too little room on a multiprocessor: nothing has been written */
    exact = ~0u;
    status = VITRAIL_OK;
  }
  if (status == VITRAIL_OK && (args->features & exact)) {
    VT_TRY(vt_gpu_scratch(device, vt_gpu_glrlm_exact_bytes(device, &s.args), &scratch));
    status = vt_gpu_glrlm_exact_all(device, &s.args, &s.maps, args->features & exact, scratch, cancel);
  }
  if (status != VITRAIL_OK)
    cudaDeviceSynchronize();
  return status;
}
