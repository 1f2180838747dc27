/* SPDX-License-Identifier: MIT
 *
 * The choice of cpu/regions/choice.c, from the smallest candidates up: the last one to arrive at a candidate goes on. Whether
 * one is chosen follows from those that hold it. Then pixels: a score is the most of all, and one that was chosen beats any. */
#include "mask.cuh"
#include "../pixels.cuh"

enum { THREADS = 256, CHOSEN = 0x10000 };

struct Join {
  VtRgWindow w;
  VtRgCandidates all;
  int32_t n;
};

static __device__ unsigned long long
key_of(const VtRgCandidate &c, int32_t at)
{
  return (static_cast<unsigned long long>(c.area) << 7 | (VT_RG_N_LEVELS - 1 - c.level)) << 32
         | static_cast<uint32_t>(at);
}

/* A node's candidate is held by that of the nearest node above it, or by a smaller one in whose hole it lies. */
static __global__ void
__launch_bounds__(THREADS) join(Join f)
{
  const int32_t k = static_cast<int32_t>(blockIdx.x * THREADS + threadIdx.x);
  if (k >= f.n || f.all.at[k].area == 0)
    return;
  VtRgCandidate *c = f.all.at + k;
  int32_t parent = c->parent;
  if (k < f.all.n_nodes) {
    unsigned long long holder = f.all.adopted[k];
    if (parent >= 0) {
      const int32_t above = f.w.candidate[parent];
      const unsigned long long key = key_of(f.all.at[above], above);
      holder = key < holder ? key : holder;
    }
    parent = holder == VT_RG_NOBODY ? -1 : static_cast<int32_t>(holder & UINT32_MAX);
    c->parent = parent;
  }
  if (parent >= 0)
    atomicAdd(&f.all.at[parent].n_children, 1);
}

VitrailStatus
vt_rg_join(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, int32_t n)
{
  return vt_gpu_launch(device, "join", join, vt_gpu_blocks(n, THREADS), THREADS, Join{ w, all, n });
}

struct Choose {
  VtRgWindow w;
  VtRgCandidates all;
  uint32_t *words;
  int32_t n;
  int32_t cutoff;
  VtGpuView<int32_t> code;
  VtGpuView<uint16_t> score;
  int64_t grid_x, grid_y;
};

static __device__ unsigned long long
value_of(const Choose &f, const volatile VtRgCandidate *c)
{
  return c->score > f.cutoff ? c->score - f.cutoff : 0;
}

static __global__ void
__launch_bounds__(THREADS) rise(Choose f)
{
  int32_t k = static_cast<int32_t>(blockIdx.x * THREADS + threadIdx.x);
  if (k >= f.n || f.all.at[k].area == 0 || f.all.at[k].n_children != 0)
    return;
  for (;;) {
    const volatile VtRgCandidate *c = f.all.at + k;
    const unsigned long long value = value_of(f, c), children = c->children, parts = c->parts;
    const unsigned long long below = children >= parts ? children : parts;
    if (c->parent < 0)
      return;
    VtRgCandidate *up = f.all.at + c->parent;
    atomicAdd(c->is_part ? &up->parts : &up->children, value >= below ? value : below);
    __threadfence();
    if (atomicAdd(&up->n_arrived, 1) + 1 != up->n_children)
      return;
    __threadfence();
    k = c->parent;
  }
}

/* Would be chosen if nothing that holds it were. */
static __device__ bool
is_best(const Choose &f, const VtRgCandidate &c)
{
  const unsigned long long value = value_of(f, &c);
  return value > 0 && value >= c.children && value >= c.parts;
}

static __device__ bool
is_chosen(const Choose &f, int32_t k)
{
  const VtRgCandidate *c = f.all.at + k;
  if (!is_best(f, *c))
    return false;
  for (; c->parent >= 0; c = f.all.at + c->parent) {
    const VtRgCandidate *up = f.all.at + c->parent;
    if (is_best(f, *up) || c->is_part != (up->children < up->parts))
      return false;
  }
  return true;
}

static __device__ void
paint_one(const Choose &f, int32_t k)
{
  const VtRgCandidate c = f.all.at[k];
  const VtRgBox tile = f.w.tile;
  if (c.area == 0 || c.box.x0 > tile.x1 || c.box.x1 < tile.x0 || c.box.y0 > tile.y1 || c.box.y1 < tile.y0)
    return;
  const bool chosen = is_chosen(f, k);
  const int32_t across = vt_rg_words(vt_rg_width(c.box)), tile_width = vt_rg_width(tile);
  const uint32_t *bits = f.all.masks + c.bits;
  int32_t first = 0;
  while (bits[first] == 0)
    first++;
  first = c.box.x0 + 32 * first + __ffs(static_cast<int>(bits[first])) - 1;
  const int32_t code =
    1 + static_cast<int32_t>((c.box.y0 + f.grid_y) & 4095) * 4096 + static_cast<int32_t>((first + f.grid_x) & 4095);
  const uint32_t score = (chosen ? CHOSEN : 0) | c.score;
  for (int32_t y = max(c.box.y0, tile.y0); y <= min(c.box.y1, tile.y1); y++)
    for (int32_t j = 0; j < across; j++) {
      const int32_t x = c.box.x0 + 32 * j + vt_rg_lane();
      if (!(bits[(y - c.box.y0) * across + j] >> vt_rg_lane() & 1) || x < tile.x0 || x > tile.x1)
        continue;
      uint32_t *at = f.w.scores + static_cast<int64_t>(y - tile.y0) * tile_width + x - tile.x0;
      if (chosen)
        f.code.row(y - tile.y0)[x - tile.x0] = code;
      if (*static_cast<volatile uint32_t *>(at) < score)
        atomicMax(at, score);
    }
}

static __global__ void
__launch_bounds__(VT_RG_WARPS *VT_RG_LANES) paint(Choose f)
{
  for (int32_t k = vt_rg_next(f.words); k < f.n; k = vt_rg_next(f.words))
    paint_one(f, k);
}

struct Write {
  Choose f;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint32_t score = f.w.scores[y * f.code.width + x];
    f.score.row(y)[x] = static_cast<uint16_t>(score);
    if (score < CHOSEN)
      f.code.row(y)[x] = 0;
  }
};

VitrailStatus
vt_rg_choose(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, int32_t n, const VtRegions *args)
{
  const Choose f = { w,
                     all,
                     device->words,
                     n,
                     args->cutoff,
                     VtGpuView<int32_t>(args->code),
                     VtGpuView<uint16_t>(args->score),
                     args->grid_x,
                     args->grid_y };
  const int64_t width = args->code.width, height = args->code.height;
  VT_GPU_TRY(device,
             cudaMemsetAsync(w.scores, 0, static_cast<size_t>(width * height) * sizeof *w.scores, device->stream));
  if (n > 0) {
    VT_TRY(vt_gpu_launch(device, "rise", rise, vt_gpu_blocks(n, THREADS), THREADS, f));
    VT_TRY(vt_rg_launch(device, "paint", paint, n, 0, f));
  }
  return vt_gpu_pixels(device, "write", width, height, Write{ f });
}
