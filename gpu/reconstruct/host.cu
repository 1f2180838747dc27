/* SPDX-License-Identifier: MIT
 *
 * host.cu: the rest of a reconstruction on the host, for work that is one long chain: each pixel of it waits for the
 * one before, and a processor core takes such steps sooner than any number of GPU threads. First in, first out
 * (Vincent 1993) from all pixels that have a neighbour which can rise. */
#include "reconstruct.cuh"

#include <limits>
#include <stdlib.h>
#include <string.h>

/* Pixels waiting that are few; pixels between two looks at the queue. */
enum { MAX_WAITING = 8, MAX_CHAIN = 1 << 14 };

/* Indexes of pixels, in a ring that grows; capacity is a power of two. */
struct Fifo {
  int64_t *at;
  uint64_t capacity, head, tail;
};

/* Images with a border of one pixel that never rises. */
template <typename T> struct Padded {
  T *marker, *mask;
  int64_t width, height;
};

static bool
grow(Fifo *fifo)
{
  const uint64_t capacity = fifo->capacity ? 2 * fifo->capacity : 1 << 16;
  int64_t *at = static_cast<int64_t *>(malloc(capacity * sizeof *at));
  if (!at)
    return false;
  for (uint64_t k = fifo->head; k < fifo->tail; k++)
    at[k & (capacity - 1)] = fifo->at[k & (fifo->capacity - 1)];
  free(fifo->at);
  fifo->at = at;
  fifo->capacity = capacity;
  return true;
}

static bool
push(Fifo *fifo, int64_t index)
{
  if (fifo->tail - fifo->head == fifo->capacity && !grow(fifo))
    return false;
  fifo->at[fifo->tail++ & (fifo->capacity - 1)] = index;
  return true;
}

/* Offsets of the neighbours; the first four are those of 4-connectivity. */
static void
set_offsets(int64_t offsets[8], int64_t width)
{
  const int64_t all[8] = { -width, -1, 1, width, -width - 1, -width + 1, width - 1, width + 1 };
  for (int k = 0; k < 8; k++)
    offsets[k] = all[k];
}

/* Marks the pixels of a row that can raise a neighbour. Nothing overlaps `can`: many pixels go at once. */
template <typename T, int N>
static void
mark_sources(const T *marker, const T *mask, int64_t n, const int64_t *offsets, uint8_t *__restrict__ can)
{
  int64_t from[N];
  for (int k = 0; k < N; k++)
    from[k] = offsets[k];
  for (int64_t x = 0; x < n; x++) {
    uint8_t any = 0;
    for (int k = 0; k < N; k++) {
      const T best = marker[x] < mask[x + from[k]] ? marker[x] : mask[x + from[k]];
      any |= marker[x + from[k]] < best ? 1 : 0;
    }
    can[x] = any;
  }
}

/* `can` has room for a row. */
template <typename T>
static bool
find_sources(const Padded<T> *images, const int64_t *offsets, int n_offsets, uint8_t *can, Fifo *fifo)
{
  const int64_t n = images->width - 2;
  for (int64_t y = 1; y < images->height - 1; y++) {
    const int64_t start = y * images->width + 1;
    if (n_offsets == 8)
      mark_sources<T, 8>(images->marker + start, images->mask + start, n, offsets, can);
    else
      mark_sources<T, 4>(images->marker + start, images->mask + start, n, offsets, can);
    for (const uint8_t *next = can;; next++) {
      next = static_cast<const uint8_t *>(memchr(next, 1, static_cast<size_t>(can + n - next)));
      if (!next)
        break;
      if (!push(fifo, start + (next - can)))
        return false;
    }
  }
  return true;
}

/* Raises the pixels from p on, in one direction of the row, as long as they rise; the answer is the last of them. */
template <typename T>
static int64_t
run_on(T *marker, const T *mask, int64_t p, int64_t step)
{
  for (T value = marker[p];; p += step) {
    value = value < mask[p + step] ? value : mask[p + step];
    if (!(marker[p + step] < value))
      return p;
    marker[p + step] = value;
  }
}

/* What pixel p can be raised to by the row `from` pixels away. */
template <typename T>
static T
best_of_row(const T *marker, const T *mask, int64_t p, int64_t from, bool diagonals)
{
  const T *row = marker + p + from;
  T best = row[0];
  if (diagonals) {
    best = row[-1] > best ? row[-1] : best;
    best = row[1] > best ? row[1] : best;
  }
  return best < mask[p] ? best : mask[p];
}

/* Raises pixels first..last of a row by those of the row `from` pixels away: mostly none, so that many are looked at in
 * one go. */
template <typename T>
static bool
raise_row(const Padded<T> *images, int64_t first, int64_t last, int64_t from, bool diagonals, Fifo *fifo)
{
  enum { STRETCH = 64 };
  T *marker = images->marker;
  for (int64_t start = first; start <= last; start += STRETCH) {
    const int64_t n = last - start + 1 < STRETCH ? last - start + 1 : +STRETCH;
    uint8_t any = 0;
    for (int64_t k = start; k < start + n; k++)
      any |= static_cast<uint8_t>(marker[k] < best_of_row(marker, images->mask, k, from, diagonals));
    for (int64_t k = start; any && k < start + n; k++) {
      const T best = best_of_row(marker, images->mask, k, from, diagonals);
      if (!(marker[k] < best))
        continue;
      marker[k] = best;
      if (!push(fifo, k))
        return false;
    }
  }
  return true;
}

/* Raises the neighbours of p; while that is a single one, above or below, and `alone`, goes on with it. */
template <typename T, int N>
static bool
raise_neighbours(const Padded<T> *images, int64_t p, const int64_t *offsets, bool alone, Fifo *fifo)
{
  T *const marker = images->marker;
  const T *const mask = images->mask;
  int64_t from[N], risen[N];
  for (int k = 0; k < N; k++)
    from[k] = offsets[k];
  for (int n_left = MAX_CHAIN;; p = risen[0], n_left--) {
    const T value = marker[p];
    int n = 0;
    for (int k = 0; k < N; k++) {
      const int64_t q = p + from[k];
      const T best = value < mask[q] ? value : mask[q];
      if (!(marker[q] < best))
        continue;
      marker[q] = best;
      risen[n++] = q;
    }
    if (n == 1 && alone && n_left > 0 && risen[0] != p - 1 && risen[0] != p + 1)
      continue;
    for (int k = 0; k < n; k++)
      if (!push(fifo, risen[k]))
        return false;
    return true;
  }
}

/* With few pixels waiting, one raises those beside it as far as that goes, and the run looks at the rows above and below
 * together. With many, that would carry values too far that better ones replace. */
template <typename T>
static VitrailStatus
spread(const Padded<T> *images, const int64_t *offsets, int n_offsets, Fifo *fifo, const VtCancel *cancel)
{
  const int64_t width = images->width;
  const bool diagonals = n_offsets == 8;
  while (fifo->head < fifo->tail) {
    if (fifo->head % 256 == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    const int64_t p = fifo->at[fifo->head++ & (fifo->capacity - 1)];
    const bool alone = fifo->tail - fifo->head < MAX_WAITING;
    int64_t first = p, last = p;
    bool kept;
    if (alone) {
      first = run_on(images->marker, images->mask, p, -1);
      last = run_on(images->marker, images->mask, p, 1);
    }
    if (first == last)
      kept = diagonals ? raise_neighbours<T, 8>(images, p, offsets, alone, fifo)
                       : raise_neighbours<T, 4>(images, p, offsets, alone, fifo);
    else
      kept = raise_row(images, first - width - diagonals, last - width + diagonals, width, diagonals, fifo)
             && raise_row(images, first + width - diagonals, last + width + diagonals, -width, diagonals, fifo);
    if (!kept)
      return VITRAIL_OUT_OF_MEMORY;
  }
  return VITRAIL_OK;
}

template <typename T>
static void
set_border(T *pixels, int64_t width, int64_t height)
{
  const T low =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  for (int64_t x = 0; x < width; x++)
    pixels[x] = pixels[(height - 1) * width + x] = low;
  for (int64_t y = 0; y < height; y++)
    pixels[y * width] = pixels[y * width + width - 1] = low;
}

/* Between an image on the device and the inside of a padded one. */
template <typename T>
static VitrailStatus
copy(VtDevice *device, const VtImage *image, T *pixels, bool to_device)
{
  const size_t pitch = static_cast<size_t>(image->width + 2) * sizeof(T), row = pitch - 2 * sizeof(T);
  const size_t stride = static_cast<size_t>(image->stride), height = static_cast<size_t>(image->height);
  T *inside = pixels + image->width + 3;
  if (to_device)
    VT_GPU_TRY(device, cudaMemcpy2DAsync(image->data, stride, inside, pitch, row, height, cudaMemcpyHostToDevice,
                                         device->stream));
  else
    VT_GPU_TRY(device, cudaMemcpy2DAsync(inside, pitch, image->data, stride, row, height, cudaMemcpyDeviceToHost,
                                         device->stream));
  return vt_gpu_sync(device);
}

template <typename T>
static VitrailStatus
work(VtDevice *device, const VtReconstruct *args, const Padded<T> *images, Fifo *fifo, const VtCancel *cancel)
{
  int64_t offsets[8];
  const int n_offsets = args->connectivity == 8 ? 8 : 4;
  set_offsets(offsets, images->width);
  set_border(images->marker, images->width, images->height);
  set_border(images->mask, images->width, images->height);
  VT_TRY(copy(device, &args->marker, images->marker, false));
  VT_TRY(copy(device, &args->mask, images->mask, false));
  uint8_t *can = static_cast<uint8_t *>(malloc(static_cast<size_t>(images->width)));
  const bool found = can && find_sources(images, offsets, n_offsets, can, fifo);
  free(can);
  if (!found)
    return VITRAIL_OUT_OF_MEMORY;
  VT_TRY(spread(images, offsets, n_offsets, fifo, cancel));
  return copy(device, &args->marker, images->marker, true);
}

template <typename T>
static VitrailStatus
run(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  Fifo fifo = {};
  Padded<T> images = { NULL, NULL, args->marker.width + 2, args->marker.height + 2 };
  const size_t bytes = static_cast<size_t>(images.width * images.height) * sizeof(T);
  images.marker = static_cast<T *>(malloc(bytes));
  images.mask = static_cast<T *>(malloc(bytes));
  VitrailStatus status = VITRAIL_OUT_OF_MEMORY;
  if (images.marker && images.mask)
    status = work(device, args, &images, &fifo, cancel);
  free(images.marker);
  free(images.mask);
  free(fifo.at);
  /* Without the memory the device does it after all, slowly. */
  return status == VITRAIL_OUT_OF_MEMORY ? vt_gpu_reconstruct_sweep(device, args, cancel) : status;
}

VitrailStatus
vt_gpu_reconstruct_on_host(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  return VT_GPU_BY_TYPE(args->marker.type, run, device, args, cancel);
}
