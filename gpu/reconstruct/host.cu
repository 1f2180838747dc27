/* SPDX-License-Identifier: MIT
 *
 * host.cu: the rest of a reconstruction on the host, for work that is one long chain: each pixel of it waits for the
 * one before, and a processor core takes such steps sooner than any number of GPU threads. First in, first out
 * (Vincent 1993) from all pixels that have a neighbour which can rise. */
#include "reconstruct.cuh"

#include <limits>
#include <stdlib.h>

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

/* Row by row, so that the compiler can take many pixels at once. `can` has room for a row. */
template <typename T>
static bool
find_sources(const Padded<T> *images, const int64_t *offsets, int n_offsets, uint8_t *can, Fifo *fifo)
{
  for (int64_t y = 1; y < images->height - 1; y++) {
    const T *j = images->marker + y * images->width, *i = images->mask + y * images->width;
    uint8_t any = 0;
    for (int64_t x = 0; x < images->width; x++)
      can[x] = 0;
    for (int k = 0; k < n_offsets; k++) {
      const T *other = j + offsets[k], *limit = i + offsets[k];
      for (int64_t x = 1; x < images->width - 1; x++)
        can[x] |= static_cast<uint8_t>((other[x] < j[x]) & (other[x] < limit[x]));
    }
    for (int64_t x = 1; x < images->width - 1; x++)
      any |= can[x];
    for (int64_t x = 1; any && x < images->width - 1; x++)
      if (can[x] && !push(fifo, y * images->width + x))
        return false;
  }
  return true;
}

template <typename T>
static VitrailStatus
spread(const Padded<T> *images, const int64_t *offsets, int n_offsets, Fifo *fifo, const VtCancel *cancel)
{
  T *marker = images->marker;
  const T *mask = images->mask;
  while (fifo->head < fifo->tail) {
    if (fifo->head % 65536 == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    const int64_t p = fifo->at[fifo->head++ & (fifo->capacity - 1)];
    for (int k = 0; k < n_offsets; k++) {
      const int64_t q = p + offsets[k];
      const T best = marker[p] < mask[q] ? marker[p] : mask[q];
      if (!(marker[q] < best))
        continue;
      marker[q] = best;
      if (!push(fifo, q))
        return VITRAIL_OUT_OF_MEMORY;
    }
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
  switch (args->marker.type) {
  case VITRAIL_U8: return run<uint8_t>(device, args, cancel);
  case VITRAIL_U16: return run<uint16_t>(device, args, cancel);
  case VITRAIL_I32: return run<int32_t>(device, args, cancel);
  case VITRAIL_F32: return run<float>(device, args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
