/* SPDX-License-Identifier: MIT
 *
 * tile-queue.cuh: the tiles that are to be visited, in a queue on the device: tickets into a ring of slots, and a word
 * of state for each tile. First visits go by four colours, so that neighbours start from each other's answers. */
#pragma once

#include "../common.cuh"

/* Work is thin with fewer tiles than this: a lone value walks a corridor. */
enum { VT_TILE_THIN = 32, VT_TILE_PLENTY = 8192 };
/* TAIL and LEFT are one number of 64 bits, so that one operation serves both. What warps wait for lies in different sectors
 * of 32 bytes. */
enum { VT_TILE_WRONG, VT_TILE_HEAD = 8, VT_TILE_TAIL = 16, VT_TILE_LEFT, VT_TILE_STOP = 24, VT_TILE_THIN_TIME };
enum { VT_TILE_QUEUED = 1, VT_TILE_RUNNING = 2, VT_TILE_RESTLESS = 4, VT_TILE_VISITED = 8 };
static const uint32_t vt_tile_empty = ~0u, vt_tile_no_tile = ~0u, vt_tile_no_ticket = ~0u;

/* words: indexes of the enumeration above. LEFT: tiles queued or being visited. THIN_TIME: visits, in 64ths, made one
 * after another. */
struct VtTileQueue {
  uint32_t *slots, *state;
  uint32_t *words;
  uint32_t n_slots, n_columns, n_rows, max_thin_time, max_visits;
};

static __device__ __forceinline__ uint32_t
vt_tile_read(const uint32_t *word)
{
  return *static_cast<const volatile uint32_t *>(word);
}

/* Orders what this thread did before against what it does after, for all of the device. */
static __device__ __forceinline__ void
vt_tile_fence(void)
{
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* The whole warp: the state of a tile before it is visited. What others wrote before they queued the tile is seen from here
 * on, by all lanes; pairs with the fence before vt_tile_leave. A fence here would wait for all that is under way, too. */
static __device__ __forceinline__ uint32_t
vt_tile_enter(const VtTileQueue &queue, uint32_t tile, int lane)
{
  uint32_t before = 0;
  if (lane == 0)
    asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(&queue.state[tile]), "n"(VT_TILE_RUNNING | VT_TILE_VISITED)
                 : "memory");
  __syncwarp();
  return __shfl_sync(~0u, before, 0);
}

/* Tiles of even columns and even rows come first, then odd and odd, so that the others have all four sides from tiles that
 * were visited. */
static __device__ uint32_t
vt_tile_first_place(const VtTileQueue &queue, uint32_t column, uint32_t row)
{
  const uint32_t even_columns = (queue.n_columns + 1) / 2, odd_columns = queue.n_columns / 2;
  const uint32_t even_rows = (queue.n_rows + 1) / 2, odd_rows = queue.n_rows / 2;
  const bool is_odd_column = column & 1, is_odd_row = row & 1;
  uint32_t start = 0;
  if (is_odd_column || is_odd_row)
    start += even_columns * even_rows;
  if (is_odd_column != is_odd_row)
    start += odd_columns * odd_rows;
  if (!is_odd_column && is_odd_row)
    start += odd_columns * even_rows;
  return start + row / 2 * (is_odd_column ? odd_columns : even_columns) + column / 2;
}

static __global__ void
vt_tile_fill_queue(VtTileQueue queue)
{
  const uint32_t n = queue.n_columns * queue.n_rows, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t i = first; i < queue.n_slots; i += gridDim.x * blockDim.x) {
    if (i >= n) {
      queue.slots[i] = vt_tile_empty;
      continue;
    }
    const uint32_t column = i % queue.n_columns, row = i / queue.n_columns;
    queue.slots[vt_tile_first_place(queue, column, row)] = i;
    queue.state[i] = VT_TILE_QUEUED;
  }
  if (first == 0) {
    queue.words[VT_TILE_HEAD] = queue.words[VT_TILE_STOP] = queue.words[VT_TILE_THIN_TIME] = 0;
    queue.words[VT_TILE_TAIL] = queue.words[VT_TILE_LEFT] = n;
  }
}

/* Lane 0. In assembler, because the compiler's own way for a warp's atomics waits for the answer. */
static __device__ __forceinline__ uint32_t
vt_tile_ticket(const VtTileQueue &queue)
{
  uint32_t ticket;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(&queue.words[VT_TILE_HEAD]) : "memory");
  return ticket;
}

/* Lane 0: the next ticket, taken ahead when there is plenty of work (tail: tiles queued so far): who waits with a ticket
 * in hand keeps a tile back. */
static __device__ __forceinline__ uint32_t
vt_tile_ticket_ahead(const VtTileQueue &queue, uint32_t ticket, uint32_t tail)
{
  return tail > ticket + VT_TILE_PLENTY ? vt_tile_ticket(queue) : vt_tile_no_ticket;
}

/* Lane 0: the next tile, or none when there is none left or the launch is to end. */
static __device__ __forceinline__ uint32_t
vt_tile_take(const VtTileQueue &queue, uint32_t *ticket)
{
  if (*ticket == vt_tile_no_ticket)
    *ticket = vt_tile_ticket(queue);
  if (*ticket >= queue.max_visits) {
    atomicExch(&queue.words[VT_TILE_STOP], 1u);
    return vt_tile_no_tile;
  }
  uint32_t *slot = &queue.slots[*ticket % queue.n_slots];
  for (;;) {
    const uint32_t tile = vt_tile_read(slot);
    if (tile != vt_tile_empty) {
      atomicExch(slot, vt_tile_empty); /* the slot is this ticket's alone until it is empty */
      return tile;
    }
    const uint32_t left = vt_tile_read(&queue.words[VT_TILE_LEFT]), stop = vt_tile_read(&queue.words[VT_TILE_STOP]);
    if (left == 0 || stop)
      return vt_tile_no_tile;
    __nanosleep(64);
  }
}

/* The whole warp: the neighbours in `wake`, and the tile itself if it was woken or is not finished, go to the queue. The
 * answer of lane 0: how many tiles have been queued so far. */
static __device__ __forceinline__ uint32_t
vt_tile_leave(const VtTileQueue &queue, uint32_t tile, uint32_t tile_column, uint32_t tile_row, uint32_t wake,
              bool restless, int lane)
{
  const uint32_t column = tile_column + static_cast<uint32_t>(lane % 3 - 1);
  const uint32_t row = tile_row + static_cast<uint32_t>(lane / 3 - 1);
  uint32_t was = VT_TILE_QUEUED, self = restless ? +VT_TILE_QUEUED : 0;
  if (lane < 9 && wake >> lane & 1u)
    was = atomicOr(&queue.state[row * queue.n_columns + column], VT_TILE_QUEUED);
  if (lane == 4 && restless)
    atomicExch(&queue.state[tile], VT_TILE_QUEUED | VT_TILE_RESTLESS | VT_TILE_VISITED);
  else if (lane == 4)
    self = atomicAnd(&queue.state[tile], ~static_cast<uint32_t>(VT_TILE_RUNNING));
  const bool push = lane == 4 ? (self & VT_TILE_QUEUED) != 0 : (was & (VT_TILE_QUEUED | VT_TILE_RUNNING)) == 0;
  const uint32_t pushes = __ballot_sync(~0u, push), n = static_cast<uint32_t>(__popc(pushes));
  unsigned long long before = 0;
  if (lane == 0) {
    const unsigned long long more = static_cast<unsigned long long>(n - 1) << 32 | n;
    before = atomicAdd(reinterpret_cast<unsigned long long *>(&queue.words[VT_TILE_TAIL]), more);
    const uint32_t left = static_cast<uint32_t>(before >> 32) + n - 1;
    if (left > 0 && left <= VT_TILE_THIN && atomicAdd(&queue.words[VT_TILE_THIN_TIME], 64 / left) > queue.max_thin_time)
      atomicExch(&queue.words[VT_TILE_STOP], 1u);
  }
  const uint32_t base = __shfl_sync(~0u, static_cast<uint32_t>(before), 0);
  if (push) {
    const uint32_t at = base + static_cast<uint32_t>(__popc(pushes & ((1u << lane) - 1u)));
    uint32_t *slot = &queue.slots[at % queue.n_slots];
    while (atomicCAS(slot, vt_tile_empty, row * queue.n_columns + column) != vt_tile_empty)
      __nanosleep(32); /* who has the ticket for what is there is about to take it */
  }
  return base + n;
}
