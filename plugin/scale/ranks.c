/* SPDX-License-Identifier: MIT
 *
 * Several processes on one image. Each has stores of the whole grid's size, of which it fills its own stripe of rows; blocks
 * that nobody touches take no memory. What a step needs from outside the stripe are rows next to it, or tables of all
 * ranks: both go from neighbour to neighbour, since more than that a host does not offer. */
#include <stdlib.h>
#include <string.h>

#include "scale/ranks.h"

/* A stripe that has another below it is at least VT_EMIT_GRID rows high: rows that pass through it are there in time. */
enum { MOST_ROWS = 64, BYTES_AT_ONCE = 4 << 20 };
_Static_assert((int)MOST_ROWS <= (int)VT_EMIT_GRID, "rows that are passed on have arrived");

/* --- rows --- */

typedef struct {
  VtStore *store;
  VtRect own;
  int64_t width, height;
  VtType type;
} Rows;

/* Rows y to y + n - 1 between the store and a buffer, as far as there are such rows. */
static VitrailStatus
move_rows(const Rows *r, char *buffer, int64_t y, int64_t n, bool into_store)
{
  const int64_t stride = r->width * (int64_t)vt_type_size(r->type);
  const int64_t y0 = y > 0 ? y : 0, y1 = y + n < r->height ? y + n : r->height;
  if (y1 <= y0)
    return VITRAIL_OK;
  const VtRect rect = { 0, y0, r->width, y1 - y0 };
  const VtImage image = { buffer + (y0 - y) * stride, r->width, y1 - y0, stride, r->type };
  return into_store ? vt_store_put(r->store, rect, &image) : vt_store_get(r->store, rect, &image);
}

/* The i-th to i+n-1st row of either side, counted from the cut. */
static VitrailStatus
exchange_rows(VtRun *run, const Rows *r, char *buffers, int64_t i, int64_t n)
{
  const bool idle = r->own.height == 0;
  const int64_t end = r->own.y + r->own.height;
  const bool above = !idle && r->own.y > 0, below = !idle && end < r->height;
  const size_t bytes = (size_t)(n * r->width) * vt_type_size(r->type);
  char *to_above = buffers, *from_above = buffers + bytes, *to_below = buffers + 2 * bytes,
       *from_below = buffers + 3 * bytes;
  VitrailStatus status = above ? move_rows(r, to_above, r->own.y + i, n, false) : VITRAIL_OK;
  if (below && status == VITRAIL_OK)
    status = move_rows(r, to_below, end - i - n, n, false);
  status = vt_ranks_exchange(run, status, above ? to_above : NULL, above ? from_above : NULL, below ? to_below : NULL,
                             below ? from_below : NULL, bytes);
  if (above && status == VITRAIL_OK)
    status = move_rows(r, from_above, r->own.y - i - n, n, true);
  if (below && status == VITRAIL_OK)
    status = move_rows(r, from_below, end + i, n, true);
  return status;
}

VitrailStatus
vt_streamed_halo(VtStreamed *s, VtStore *store, int64_t n_rows)
{
  VtRun *run = s->run;
  if (run->host.n_ranks < 2 || !store || n_rows < 1)
    return VITRAIL_OK;
  const Rows r = { store, s->own, run->grid.width, run->grid.height, vt_store_type(store) };
  const int64_t row = r.width * (int64_t)vt_type_size(r.type);
  int64_t at_once = BYTES_AT_ONCE / row < MOST_ROWS ? BYTES_AT_ONCE / row : MOST_ROWS;
  at_once = at_once > 1 ? at_once : 1;
  char *buffers = calloc(4, (size_t)(at_once * row)); /* rows that don't exist travel, too */
  vt_run_hold(s->run, 4 * (double)at_once * (double)row);
  VitrailStatus status = vt_ranks_agree(run, buffers ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY);
  for (int64_t i = 0; i < n_rows && status == VITRAIL_OK; i += at_once) {
    const int64_t n = n_rows - i < at_once ? n_rows - i : at_once;
    status = exchange_rows(run, &r, buffers, i, n);
  }
  free(buffers);
  return vt_ranks_agree(run, status);
}

/* --- tables --- */

/* A block of every rank, this one's own in its place, comes to all: in round k blocks arrive that were k ranks away. Behind
 * them are three that nobody wants, to be sent and received where there is nothing more to tell. */
enum { N_UNWANTED = 3 };
static VitrailStatus
spread_blocks(VtRun *run, char *blocks, size_t bytes)
{
  const uint32_t n = run->host.n_ranks, rank = run->host.rank;
  const bool above = rank > 0, below = rank + 1 < n;
  for (uint32_t k = 1; k < n; k++) {
    char *to_above = blocks + (rank + k - 1 < n ? rank + k - 1 : n) * bytes;
    char *to_below = blocks + (rank + 1 >= k ? rank + 1 - k : n) * bytes;
    char *from_above = blocks + (rank >= k ? rank - k : n + 1) * bytes;
    char *from_below = blocks + (rank + k < n ? rank + k : n + 2) * bytes;
    TRY(vt_ranks_exchange(run, VITRAIL_OK, above ? to_above : NULL, above ? from_above : NULL, below ? to_below : NULL,
                          below ? from_below : NULL, bytes));
  }
  return VITRAIL_OK;
}

typedef struct {
  const char *mine;
  char *all, *blocks;
  uint64_t *sizes; /* of each rank's bytes */
  size_t at_once;
} Gathering;

static VitrailStatus
gather_parts(VtRun *run, const Gathering *g)
{
  const uint32_t n = run->host.n_ranks, rank = run->host.rank;
  uint64_t most = 0;
  for (uint32_t i = 0; i < n; i++)
    most = g->sizes[i] > most ? g->sizes[i] : most;
  for (uint64_t at = 0; at < most; at += g->at_once) {
    const uint64_t left = g->sizes[rank] > at ? g->sizes[rank] - at : 0;
    if (left > 0)
      memcpy(g->blocks + rank * g->at_once, g->mine + at, left < g->at_once ? left : g->at_once);
    TRY(spread_blocks(run, g->blocks, g->at_once));
    uint64_t begin = 0;
    for (uint32_t i = 0; i < n; begin += g->sizes[i++]) {
      const uint64_t theirs = g->sizes[i] > at ? g->sizes[i] - at : 0;
      if (theirs > 0)
        memcpy(g->all + begin + at, g->blocks + i * g->at_once, theirs < g->at_once ? theirs : g->at_once);
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_ranks_gather(VtRun *run, const void *mine, size_t bytes, VtGathered *gathered)
{
  const uint32_t n = run->host.n_ranks > 1 ? run->host.n_ranks : 1, rank = n > 1 ? run->host.rank : 0;
  Gathering g = { .mine = mine, .at_once = BYTES_AT_ONCE / 4, .sizes = calloc(n + N_UNWANTED, sizeof *g.sizes) };
  VitrailStatus status = g.sizes ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  uint64_t total = 0;
  *gathered = (VtGathered){ 0 };
  g.blocks = n > 1 ? calloc(n + N_UNWANTED, g.at_once) : NULL;
  if (n > 1)
    status = vt_ranks_agree(run, status == VITRAIL_OK && g.blocks ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY);
  if (status == VITRAIL_OK) {
    g.sizes[rank] = bytes;
    status = spread_blocks(run, (char *)g.sizes, sizeof *g.sizes);
  }
  for (uint32_t i = 0; i < n && status == VITRAIL_OK; i++) {
    gathered->begin = i == rank ? total : gathered->begin;
    total += g.sizes[i];
  }
  g.all = malloc(total + 1);
  status = vt_ranks_agree(run, status != VITRAIL_OK || g.all ? status : VITRAIL_OUT_OF_MEMORY);
  if (status == VITRAIL_OK && n == 1 && bytes > 0)
    memcpy(g.all, mine, bytes);
  else
    THEN(status, gather_parts(run, &g));
  free(g.blocks);
  free(g.sizes);
  if (status != VITRAIL_OK) {
    free(g.all);
    return status;
  }
  gathered->data = g.all;
  gathered->bytes = total;
  return VITRAIL_OK;
}

void
vt_streamed_own_objects(const VtStreamed *s, const VtObjectStats *stats, int64_t n, int64_t *first, int64_t *end)
{
  for (*first = 0; *first < n && stats[*first].top < s->own.y;)
    ++*first;
  for (*end = *first; *end < n && stats[*end].top < s->own.y + s->own.height;)
    ++*end;
}
