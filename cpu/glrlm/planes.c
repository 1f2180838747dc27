/* SPDX-License-Identifier: MIT */
#include "planes.h"

#include <string.h>

void
vt_cpu_blocks_cut(VtCpuBlocks *blocks, const VtGlrlmWindows *a, int64_t across, int64_t down, uint32_t n_threads)
{
  const int64_t side = 2 * a->half + 1, width = a->dst[0].width, height = a->dst[0].height;
  blocks->width = width;
  blocks->height = height;
  blocks->max_windows = width < across ? width : across;
  blocks->max_rows = height < down ? height : down;
  blocks->n_across = (width - 1) / blocks->max_windows + 1;
  while (n_threads > 1 && blocks->max_rows > 2 * side / a->step + 1
         && blocks->n_across * ((height - 1) / blocks->max_rows + 1) < 4 * (int64_t)n_threads)
    blocks->max_rows = (blocks->max_rows + 1) / 2;
  blocks->n_down = (height - 1) / blocks->max_rows + 1;
}

bool
vt_cpu_blocks_take(VtCpuBlocks *blocks, VtCpuPart *part)
{
  if (atomic_load(&blocks->status) != VITRAIL_OK)
    return false;
  const int64_t block = atomic_fetch_add(&blocks->next, 1);
  if (block >= blocks->n_across * blocks->n_down)
    return false;
  part->i = block % blocks->n_across * blocks->max_windows;
  part->j = block / blocks->n_across * blocks->max_rows;
  part->n = blocks->width - part->i < blocks->max_windows ? blocks->width - part->i : blocks->max_windows;
  part->rows = blocks->height - part->j < blocks->max_rows ? blocks->height - part->j : blocks->max_rows;
  return true;
}

void
vt_cpu_blocks_end(VtCpuBlocks *blocks, VitrailStatus status)
{
  int before = VITRAIL_OK;
  if (status != VITRAIL_OK)
    atomic_compare_exchange_strong(&blocks->status, &before, status);
}

/* Widens the block's range of levels by n of them. */
static void
note_levels(VtCpuBlock *block, const uint16_t *level, int64_t n)
{
  uint16_t lowest = UINT16_MAX, highest = 0;
  for (int64_t x = 0; x < n; x++) {
    const uint16_t above = (uint16_t)(level[x] - 1); /* level 0 is no level: the highest of all */
    lowest = above < lowest ? above : lowest;
    highest = level[x] > highest ? level[x] : highest;
  }
  if (highest == 0)
    return;
  block->first_level = block->last_level && block->first_level < lowest + 1 ? block->first_level : lowest + 1;
  block->last_level = block->last_level > highest ? block->last_level : highest;
}

static void
fill_row(uint16_t *restrict level, uint16_t *restrict mirror, int64_t width, const void *row, int64_t from, int64_t to,
         int64_t shift, bool wide)
{
  for (int64_t x = from; x < to; x++)
    level[x] = (uint16_t)vt_cpu_glrlm_level(row, x + shift, wide);
  for (int64_t x = from; x < to; x++)
    mirror[width - 1 - x] = level[x];
}

void
vt_cpu_block_fill(VtCpuBlock *block, const VtImage *src, int64_t x, int64_t y)
{
  const int64_t first = x < 0 ? -x : 0, last = src->width - x < block->width ? src->width - x : block->width;
  memset(block->level, 0, (size_t)(block->stride * block->height) * sizeof *block->level);
  memset(block->mirror, 0, (size_t)(block->stride * block->height) * sizeof *block->mirror);
  block->first_level = 1;
  block->last_level = 0;
  for (int64_t r = 0; r < block->height; r++) {
    uint16_t *row = block->level + r * block->stride;
    if (y + r < 0 || y + r >= src->height || first >= last)
      continue;
    fill_row(row, block->mirror + r * block->stride, block->width, vt_image_at(src, 0, y + r), first, last, x,
             src->type == VITRAIL_U16);
    note_levels(block, row + first, last - first);
  }
}

/* One row of lengths from the row that the runs come from. In 16 bits and not inlined: else the compiler finds no vectors. */
__attribute__((noinline)) static void
grow_row(uint8_t *restrict to, const uint16_t *restrict level, const uint8_t *restrict from,
         const uint16_t *restrict from_level, int64_t n, uint8_t side)
{
  for (int64_t x = 0; x < n; x++) {
    const uint16_t last = from[x], same = level[x] == from_level[x] ? last : 0, length = same < side ? same + 1 : same;
    to[x] = (uint8_t)(level[x] ? length : 0);
  }
}

static void
grow_along(uint8_t *to, const uint16_t *level, int64_t n, uint8_t side)
{
  uint8_t length = 0;
  for (int64_t x = 0; x < n; x++) {
    length = x > 0 && level[x] == level[x - 1] ? length + (length < side) : 1;
    to[x] = level[x] ? length : 0;
  }
}

/* Runs come along (dx,dy): dx 0 or 1, dy 1 (from above), -1 (from below) or 0. */
static void
grow(const VtCpuBlock *b, const uint16_t *level, uint8_t *length, int dx, int dy)
{
  const uint8_t side = (uint8_t)b->side;
  for (int64_t r = 0; r < b->height; r++) {
    const int64_t y = dy < 0 ? b->height - 1 - r : r;
    const uint16_t *here = level + y * b->stride;
    uint8_t *to = length + y * b->stride;
    const int64_t back = dy * b->stride;
    if (dy == 0) {
      grow_along(to, here, b->width, side);
    } else if (r == 0) {
      for (int64_t x = 0; x < b->width; x++)
        to[x] = here[x] != 0;
    } else {
      to[0] = here[0] != 0;
      grow_row(to + dx, here + dx, to - back, here - back, b->width - dx, side);
    }
    memset(to + b->width, 0, (size_t)(b->stride - b->width));
  }
}

void
vt_cpu_runs_fill(const VtCpuRuns *runs)
{
  const int dx = runs->along != VT_CPU_ALONG_COLUMN, dy = runs->along != VT_CPU_ALONG_ROW;
  grow(runs->block, runs->level, runs->back, dx, dy);
  grow(runs->block, runs->mirror, runs->ahead, dx, -dy);
}
