/* SPDX-License-Identifier: MIT
 *
 * One table in global memory for all threads, by open addressing: a slot belongs to the pair whose thread writes it first, and
 * counts are added by atomic operations, so their order does not matter. A table that becomes more than half full is made anew,
 * four times as large. The host sorts the few pairs that there are. */
#include "../gpu.h"
#include "../pixels.cuh"

#include <stdlib.h>

enum { IS_FULL = 0, N_PAIRS = 1, N_LISTED = 2 /* words */ };
enum { LIST_THREADS = 256 };
#define LEAST_ROOM \
  (INT64_C(1) << 16) /* slots, a power of two: half of them for the pairs of a view with some thousand objects */
#define MORE_ROOM 4

typedef unsigned long long Key; /* a, then b; 0: free */

struct Table {
  Key *keys;
  uint32_t *counts;
  VtOverlap *list; /* room for half as many pairs as there are slots */
  uint64_t room;
  uint32_t *words;
};

static __device__ bool
is_full(const Table &table)
{
  return *static_cast<volatile uint32_t *>(table.words + IS_FULL) != 0;
}

static __device__ void
add(const Table &table, Key key, uint32_t n)
{
  uint64_t at = (key * 0x9e3779b97f4a7c15ull >> 32) & (table.room - 1); /* 2^64 over the golden ratio */
  for (uint64_t k = 0; k < table.room && !is_full(table); k++, at = (at + 1) & (table.room - 1)) {
    Key found = *static_cast<volatile Key *>(table.keys + at);
    if (found == 0) {
      found = atomicCAS(table.keys + at, Key(0), key);
      if (found == 0 && atomicAdd(table.words + N_PAIRS, 1u) >= table.room / 2)
        table.words[IS_FULL] = 1;
    }
    if (found == 0 || found == key) {
      atomicAdd(table.counts + at, n);
      return;
    }
  }
}

/* The first thread of a run of one pair, 32 pixels at most, adds it. */
struct Count {
  VtGpuView<int32_t> a, b;
  Table table;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int lane = static_cast<int>(threadIdx.x) % VT_GPU_PIXELS_WIDE;
    const int32_t label_a = inside ? a.row(y)[x] : -1, label_b = inside ? b.row(y)[x] : -1;
    const Key key = label_a < 0 || label_b < 0
                      ? Key(0)
                      : static_cast<Key>(static_cast<uint32_t>(label_a)) << 32 | static_cast<uint32_t>(label_b);
    const Key before = __shfl_up_sync(~0u, key, 1);
    const bool begins = lane == 0 || key != before;
    const uint32_t beginnings = __ballot_sync(~0u, begins);
    if (!begins || key == 0)
      return;
    const uint32_t later = lane < 31 ? beginnings >> (lane + 1) : 0u;
    add(table, key, static_cast<uint32_t>(later ? __ffs(static_cast<int>(later)) : VT_GPU_PIXELS_WIDE - lane));
  }
};

static __global__ void
list_pairs(Table table)
{
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * LIST_THREADS + threadIdx.x; i < table.room;
       i += static_cast<uint64_t>(gridDim.x) * LIST_THREADS) {
    const Key key = table.keys[i];
    if (key != 0)
      table.list[atomicAdd(table.words + N_LISTED, 1u)] =
        VtOverlap{ static_cast<int32_t>(key >> 32), static_cast<int32_t>(key & 0xffffffffu),
                   static_cast<int32_t>(table.counts[i]) };
  }
}

/* All that is in it lies in the device's scratch memory. The words tell how many pairs there are, or that it was too small. */
static VitrailStatus
fill_table(VtDevice *device, const VtOverlaps *args, uint64_t room, Table *table)
{
  const size_t slots = room * (sizeof(Key) + sizeof(uint32_t)), list = room / 2 * sizeof(VtOverlap);
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, slots + list, &scratch));
  table->keys = static_cast<Key *>(scratch);
  table->counts = reinterpret_cast<uint32_t *>(table->keys + room);
  table->list = reinterpret_cast<VtOverlap *>(table->counts + room);
  table->room = room;
  table->words = device->words;
  VT_GPU_TRY(device, cudaMemsetAsync(scratch, 0, slots, device->stream));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_pixels(device, "overlaps_count", args->a.width, args->a.height,
                       Count{ VtGpuView<int32_t>(args->a), VtGpuView<int32_t>(args->b), *table }));
  return vt_gpu_read_words(device);
}

static int
compare(const void *p, const void *q)
{
  const VtOverlap *s = static_cast<const VtOverlap *>(p), *t = static_cast<const VtOverlap *>(q);
  return s->a != t->a ? (s->a > t->a) - (s->a < t->a) : (s->b > t->b) - (s->b < t->b);
}

static VitrailStatus
download(VtDevice *device, const Table &table, size_t n, VtOverlap *list)
{
  VT_TRY(vt_gpu_launch(device, "list_pairs", list_pairs, vt_gpu_blocks(static_cast<int64_t>(table.room), LIST_THREADS),
                       LIST_THREADS, table));
  VT_GPU_TRY(device, cudaMemcpyAsync(list, table.list, n * sizeof *list, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  qsort(list, n, sizeof *list, compare);
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_overlaps_ok(args));
  Table table = {};
  int64_t room = LEAST_ROOM;
  do {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VT_TRY(fill_table(device, args, static_cast<uint64_t>(room), &table));
    room *= MORE_ROOM;
  } while (device->words_host[IS_FULL]);
  const size_t n = device->words_host[N_PAIRS];
  VtOverlap *list = n > 0 ? static_cast<VtOverlap *>(malloc(n * sizeof *list)) : NULL;
  if (n > 0 && !list)
    return VITRAIL_OUT_OF_MEMORY;
  const VitrailStatus status = n > 0 ? download(device, table, n, list) : VITRAIL_OK;
  if (status != VITRAIL_OK) {
    free(list);
    return status;
  }
  *args->list = list;
  *args->n = static_cast<int64_t>(n);
  return VITRAIL_OK;
}
