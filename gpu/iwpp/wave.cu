/* SPDX-License-Identifier: MIT
 *
 * wave.cu: words and lists of an irregular wavefront, and its launches. Between two launches the active pixels are one
 * list again, so the next one starts balanced. */
#include "wave.cuh"

enum { THREADS = 256, WARP = 32, STRIP = 16, QUEUE_SHARE = 8, BLOCKS_PER_MULTIPROCESSOR = 8, MIN_SHARE = 32 };
static const int64_t min_list = 1 << 16, min_far = 1 << 12;
static const int32_t usual_rounds = 64;
/* After so many rounds with hardly a pixel in each, sweeps are faster. */
static const uint32_t max_thin_rounds = 1 << 13;

static int64_t
largest(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

template <typename T> struct WordOf {
  typedef uint32_t Type;
  static constexpr uint32_t bias = 0;
};
template <> struct WordOf<int32_t> {
  typedef unsigned long long Type;
  static constexpr uint32_t bias = 1u << 31;
};
template <> struct WordOf<float> {
  typedef unsigned long long Type;
  static constexpr uint32_t bias = 1u << 31;
};

template <typename T>
static __global__ void
pack(VtGpuView<T> marker, VtGpuView<T> mask, typename WordOf<T>::Type *words, uint32_t pitch)
{
  typedef typename WordOf<T>::Type Word;
  for (int64_t r = blockIdx.x; r < marker.height + 2; r += gridDim.x)
    for (int64_t c = threadIdx.x; c < pitch; c += THREADS) {
      const int64_t x = c - 1, y = r - 1;
      Word word = 0;
      if (x >= 0 && x < marker.width && y >= 0 && y < marker.height) {
        const uint32_t low = static_cast<uint32_t>(VtGpuPixel<T>::load(marker.row(y)[x])) ^ WordOf<T>::bias;
        const uint32_t high = static_cast<uint32_t>(VtGpuPixel<T>::load(mask.row(y)[x])) ^ WordOf<T>::bias;
        word = static_cast<Word>(high) << VtGpuRise<Word>::half | low;
      }
      words[r * pitch + c] = word;
    }
}

template <typename T>
static __global__ void
unpack(VtGpuView<T> marker, const typename WordOf<T>::Type *words, uint32_t pitch)
{
  typedef typename WordOf<T>::Type Word;
  for (int64_t y = blockIdx.x; y < marker.height; y += gridDim.x)
    for (int64_t x = threadIdx.x; x < marker.width; x += THREADS) {
      const Word word = words[(y + 1) * pitch + x + 1] & VtGpuRise<Word>::low_half;
      marker.row(y)[x] = VtGpuPixel<T>::store(static_cast<int32_t>(static_cast<uint32_t>(word) ^ WordOf<T>::bias));
    }
}

/* A warp lists the pixels of 32 columns and STRIP rows that can raise a neighbour: one atomic for all of them. */
template <typename Word>
static __global__ void
list_active(VtGpuRise<Word> step, uint32_t width, uint32_t height, uint32_t *list, uint32_t list_size,
            uint32_t *counters)
{
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t n_columns = (width + WARP - 1) / WARP, n_rows = (height + STRIP - 1) / STRIP;
  const int64_t n_warps = static_cast<int64_t>(gridDim.x) * (THREADS / WARP);
  for (int64_t strip = (static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x) / WARP;
       strip < static_cast<int64_t>(n_columns) * n_rows; strip += n_warps) {
    const uint32_t x = static_cast<uint32_t>(strip % n_columns) * WARP + lane;
    const uint32_t y0 = static_cast<uint32_t>(strip / n_columns) * STRIP, p0 = (y0 + 1) * step.pitch + x + 1;
    uint32_t active = 0;
    for (uint32_t r = 0; x < width && r < STRIP && y0 + r < height; r++)
      active |= step.can_spread(p0 + r * step.pitch) ? 1u << r : 0u;
    uint32_t at = __popc(active), n = at;
    for (int d = 1; d < WARP; d *= 2) {
      const uint32_t before = __shfl_up_sync(~0u, at, d);
      at += lane >= static_cast<uint32_t>(d) ? before : 0;
    }
    uint32_t base = 0;
    if (lane == WARP - 1 && at > 0)
      base = atomicAdd(&counters[VT_WAVE_COUNT], at);
    base = __shfl_sync(~0u, base, WARP - 1) + at - n;
    for (; active; active &= active - 1, base++)
      if (base < list_size)
        list[base] = p0 + (__ffs(active) - 1) * step.pitch;
  }
}

static bool
is_wide(const VtGpuWave *wave)
{
  return wave->marker.type == VITRAIL_I32 || wave->marker.type == VITRAIL_F32;
}

/* Scratch for a wave over checked arguments. VITRAIL_UNSUPPORTED: more pixels than a queue can name (2^32). */
static VitrailStatus
wave_new(VtDevice *device, const VtReconstruct *args, const VtGpuWaveOptions *options, VtGpuWave *wave)
{
  const int64_t width = args->marker.width, height = args->marker.height;
  if (width > UINT32_MAX - 2 || height > UINT32_MAX / (width + 2) - 2)
    return VITRAIL_UNSUPPORTED;
  const int64_t n_words = (width + 2) * (height + 2), n_pixels = width * height;
  const int64_t room = BLOCKS_PER_MULTIPROCESSOR * device->n_multiprocessors, wanted = vt_gpu_blocks(n_pixels, THREADS);
  *wave = VtGpuWave{};
  wave->marker = args->marker;
  wave->mask = args->mask;
  wave->counters = device->words + VT_WAVE_FIRST;
  wave->n_neighbours = args->connectivity;
  wave->pitch = static_cast<uint32_t>(width + 2);
  wave->n_blocks = static_cast<uint32_t>(options->n_blocks > 0 ? options->n_blocks : wanted < room ? wanted : room);
  int64_t list_size = largest(n_pixels / QUEUE_SHARE, min_list),
          far_size = largest(list_size / wave->n_blocks, min_far);
  if (options->queue_limit > 0)
    list_size = far_size = options->queue_limit;
  wave->list_size = static_cast<uint32_t>(list_size);
  wave->far_size = static_cast<uint32_t>(far_size);

  const int64_t word_bytes = (n_words * (is_wide(wave) ? 8 : 4) + 7) / 8 * 8;
  void *scratch = NULL;
  VT_TRY(
    vt_gpu_scratch(device, static_cast<size_t>(word_bytes + 8 * (list_size + wave->n_blocks * far_size)), &scratch));
  wave->words = scratch;
  wave->lists[0] = reinterpret_cast<uint32_t *>(static_cast<char *>(scratch) + word_bytes);
  wave->lists[1] = wave->lists[0] + list_size;
  wave->far = wave->lists[1] + list_size;
  return VITRAIL_OK;
}

static int64_t
row_blocks(const VtDevice *device, int64_t n_rows)
{
  const int64_t room = 16 * device->n_multiprocessors;
  return n_rows < room ? n_rows : room;
}

/* Marker and mask to words; words to marker. */
template <typename T>
static VitrailStatus
convert(VtDevice *device, const VtGpuWave *wave, bool packs)
{
  typedef typename WordOf<T>::Type Word;
  const VtGpuView<T> marker(wave->marker), mask(wave->mask);
  Word *words = static_cast<Word *>(wave->words);
  const int64_t n_blocks = row_blocks(device, wave->marker.height + 2);
  if (packs)
    return vt_gpu_launch(device, "pack", pack<T>, n_blocks, THREADS, marker, mask, words, wave->pitch);
  return vt_gpu_launch(device, "unpack", unpack<T>, n_blocks, THREADS, marker, words, wave->pitch);
}

template <typename Word>
static VitrailStatus
launch_list(VtDevice *device, const VtGpuWave *wave)
{
  const uint32_t width = static_cast<uint32_t>(wave->marker.width), height = static_cast<uint32_t>(wave->marker.height);
  const VtGpuRise<Word> step = { static_cast<Word *>(wave->words), wave->pitch, wave->n_neighbours };
  const int64_t n_strips = vt_gpu_blocks(width, WARP) * vt_gpu_blocks(height, STRIP);
  return vt_gpu_launch(device, "list_active", list_active<Word>, vt_gpu_blocks(n_strips, THREADS / WARP), THREADS, step,
                       width, height, wave->lists[0], wave->list_size, wave->counters);
}

/* Pixels in the list just written; a full list has dropped the rest. */
static VitrailStatus
read_count(VtDevice *device, const VtGpuWave *wave, uint32_t *n, bool *dropped)
{
  VT_TRY(vt_gpu_read_words(device));
  const uint32_t *counters = device->words_host + VT_WAVE_FIRST;
  *n = counters[VT_WAVE_COUNT] < wave->list_size ? counters[VT_WAVE_COUNT] : wave->list_size;
  *dropped |= counters[VT_WAVE_COUNT] > wave->list_size || counters[VT_WAVE_DROPPED] != 0;
  VT_GPU_TRY(device, cudaMemsetAsync(wave->counters, 0, 2 * sizeof(uint32_t), device->stream));
  return VITRAIL_OK;
}

static VitrailStatus
drain(VtDevice *device, const VtGpuWave *wave, VtGpuWaveLaunch launch, const VtGpuWaveOptions *options,
      const VtCancel *cancel, VtGpuWaveCounts *counts, uint32_t n, bool *dropped, bool *thin)
{
  const uint32_t max_rounds = static_cast<uint32_t>(options->n_rounds > 0 ? options->n_rounds : usual_rounds);
  uint32_t n_thin_rounds = 0;
  for (int from = 0; n > 0; from = 1 - from) {
    const uint32_t share = n / MIN_SHARE + 1, n_blocks = share < wave->n_blocks ? share : wave->n_blocks;
    const VtGpuQueues queues = { wave->lists[from], wave->lists[1 - from], wave->far,  n,
                                 wave->list_size,   wave->far_size,        max_rounds, wave->counters };
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    n_thin_rounds = n < MIN_SHARE ? n_thin_rounds + max_rounds : 0;
    *thin = n_thin_rounds > max_thin_rounds;
    if (*thin)
      return VITRAIL_OK;
    VT_TRY(launch(device, wave, &queues, n_blocks));
    VT_TRY(read_count(device, wave, &n, dropped));
    counts->n_launches++;
  }
  return VITRAIL_OK;
}

/* Lists the active pixels and launches until there are none; what was dropped is found by listing again. *thin is set
 * when the work has become one long chain and the words are left where they were. */
static VitrailStatus
wave_run(VtDevice *device, const VtGpuWave *wave, VtGpuWaveLaunch launch, const VtGpuWaveOptions *options,
         const VtCancel *cancel, VtGpuWaveCounts *counts, bool *thin)
{
  VT_GPU_TRY(device, cudaMemsetAsync(wave->counters, 0, VT_WAVE_N_WORDS * sizeof(uint32_t), device->stream));
  bool dropped = true;
  *thin = false;
  while (dropped && !*thin) {
    /* A listed pixel raises at least one other, so that there can be no more passes than raises. */
    uint32_t n = 0;
    dropped = false;
    VT_TRY(is_wide(wave) ? launch_list<unsigned long long>(device, wave) : launch_list<uint32_t>(device, wave));
    VT_TRY(read_count(device, wave, &n, &dropped));
    counts->n_passes++;
    counts->n_listed += n;
    VT_TRY(drain(device, wave, launch, options, cancel, counts, n, &dropped, thin));
  }
  const uint32_t *risen = device->words_host + VT_WAVE_FIRST + VT_WAVE_RISEN;
  counts->n_risen += risen[0] | static_cast<uint64_t>(risen[1]) << 32;
  return VITRAIL_OK;
}

static VitrailStatus
reconstruct(VtDevice *device, const VtReconstruct *args, VtGpuWaveLaunch launch, const VtCancel *cancel,
            const VtGpuWaveOptions *options, VtGpuWaveCounts *counts)
{
  VtGpuWave wave;
  bool thin = false;
  VT_TRY(wave_new(device, args, options, &wave));
  VT_TRY(vt_gpu_reconstruct_scan(device, args, options, cancel));
  VT_TRY(VT_GPU_BY_TYPE(wave.marker.type, convert, device, &wave, true));
  VT_TRY(wave_run(device, &wave, launch, options, cancel, counts, &thin));
  VT_TRY(VT_GPU_BY_TYPE(wave.marker.type, convert, device, &wave, false));
  VT_TRY(vt_gpu_sync(device));
  return thin ? vt_gpu_reconstruct_sweep(device, args, cancel) : VITRAIL_OK;
}

VitrailStatus
vt_gpu_wave_reconstruct(VtDevice *device, const VtReconstruct *args, VtGpuWaveLaunch launch, const VtCancel *cancel,
                        const VtGpuWaveOptions *options, VtGpuWaveCounts *counts)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_reconstruct_check(device, args));
  const VitrailStatus status = reconstruct(device, args, launch, cancel, options, counts);
  if (status != VITRAIL_OK)
    vt_gpu_sync(device);
  return status;
}
