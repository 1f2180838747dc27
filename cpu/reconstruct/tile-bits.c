/* SPDX-License-Identifier: MIT
 *
 * Active tiles (tile.c) of bits: a row of a tile is a word of 64 pixels. A row takes from the row before it with shifts, and
 * spreads along its mask: to the higher bits by the carry of one addition, to the lower ones by doubling steps. */
#include "tile.h"
#include "tile-work.h"
#include "../big-alloc.h"

#include <string.h>

enum { SIDE = 64, TOP = 0, BOTTOM, LEFT, RIGHT };

typedef struct Tile {
  uint64_t marker[SIDE], mask[SIDE]; /* row y: bit x */
} Tile;

/* What neighbours see; bit y of LEFT and RIGHT is row y. Read and written as in tile-impl.h, a word is an edge. */
typedef struct Edges {
  uint64_t marker[4], mask[4];
} Edges;

typedef struct Grid {
  VtCpuTileWork work;
  const VtReconstruct *args;
  Tile *tiles;
  Edges *edges; /* with a frame of one tile that gives nothing; no marker, mask everywhere until the first visit */
  uint64_t turn;
  bool eight;
} Grid;

static inline uint64_t
shown(const uint64_t *edge)
{
  return __atomic_load_n(edge, __ATOMIC_RELAXED);
}

/* All of the runs of mask that hold a bit of v; v lies inside mask. */
static inline uint64_t
spread(uint64_t v, uint64_t mask)
{
  v |= ((v + mask) ^ mask) & mask; /* the carry of the lowest bit of v in a run goes through to the run's end */
  if ((v >> 1 & mask & ~v) == 0)
    return v;
  for (int step = 1; step < 64; step *= 2) {
    v |= v >> step & mask;
    mask &= mask >> step;
  }
  return v;
}

/* A line and its diagonals. */
static inline uint64_t
widen(uint64_t line, bool eight)
{
  return eight ? line | line << 1 | line >> 1 : line;
}

static bool
load(Tile *tile, const Grid *grid, int64_t i_x, int64_t i_y)
{
  const VtReconstruct *args = grid->args;
  const int64_t n = args->mask.width - i_x * SIDE, n_rows = args->mask.height - i_y * SIDE;
  const uint64_t inside = n >= SIDE ? UINT64_MAX : ((uint64_t)1 << n) - 1;
  uint64_t bad = 0;
  memset(tile, 0, sizeof *tile);
  for (int64_t y = 0; y < SIDE && y < n_rows; y++) {
    const uint64_t *marker = vt_cpu_slice_row(&args->marker, 0, 0, i_y * SIDE + y);
    const uint64_t *mask = vt_cpu_slice_row(&args->mask, 0, 0, i_y * SIDE + y);
    tile->marker[y] = (marker[i_x] ^ grid->turn) & inside;
    tile->mask[y] = (mask[i_x] ^ grid->turn) & inside;
    bad |= tile->marker[y] & ~tile->mask[y];
  }
  return bad == 0;
}

static void
store(void *user, uint32_t i_row)
{
  Grid *grid = user;
  const VtImage *image = &grid->args->marker;
  if (vt_cpu_tile_work_stops(&grid->work))
    return;
  for (int64_t y = (int64_t)i_row * SIDE; y < image->height && y < ((int64_t)i_row + 1) * SIDE; y++) {
    uint64_t *to = vt_cpu_slice_row(image, 0, 0, y);
    for (int64_t x = 0; x < grid->work.n_x; x++) {
      const int64_t n = image->width - x * SIDE;
      const uint64_t inside = n >= SIDE ? UINT64_MAX : ((uint64_t)1 << n) - 1;
      to[x] = (grid->tiles[i_row * grid->work.n_x + x].marker[y % SIDE] ^ grid->turn) & inside;
    }
  }
}

/* Lets in what the neighbours show; a bit for each row that rises. */
static uint64_t
pull(const Grid *grid, int64_t at, Tile *tile)
{
  const int64_t pitch = grid->work.pitch;
  const Edges *above = &grid->edges[at - pitch], *below = &grid->edges[at + pitch], *here = &grid->edges[at];
  uint64_t top = widen(shown(&above->marker[BOTTOM]), grid->eight);
  uint64_t bottom = widen(shown(&below->marker[TOP]), grid->eight);
  if (grid->eight) {
    top |= shown(&above[-1].marker[BOTTOM]) >> 63 | shown(&above[1].marker[BOTTOM]) << 63;
    bottom |= shown(&below[-1].marker[TOP]) >> 63 | shown(&below[1].marker[TOP]) << 63;
  }
  const uint64_t left = widen(shown(&here[-1].marker[RIGHT]), grid->eight);
  const uint64_t right = widen(shown(&here[1].marker[LEFT]), grid->eight);
  uint64_t risen = 0;
  for (uint64_t rest = left | right | 1 | (uint64_t)1 << 63; rest; rest &= rest - 1) {
    const int y = __builtin_ctzll(rest);
    uint64_t offer = (left >> y & 1) | (right >> y & 1) << 63;
    offer |= y == 0 ? top : y == SIDE - 1 ? bottom : 0;
    const uint64_t v = tile->marker[y] | (offer & tile->mask[y]);
    risen |= (uint64_t)(v != tile->marker[y]) << y;
    tile->marker[y] = v;
  }
  return risen;
}

/* From row `from` on by `step`; at least through `sure`, then as long as rows change. The last row that may have. */
static inline int
sweep(Tile *tile, int from, int step, int sure, bool eight, bool *changed)
{
  const int end = step > 0 ? SIDE - 1 : 0;
  int y = from;
  while (y != end) {
    const uint64_t old = tile->marker[y + step], mask = tile->mask[y + step];
    const uint64_t v = spread(old | (widen(tile->marker[y], eight) & mask), mask);
    if (v == old && (y + step - sure) * step > 0)
      break;
    y += step;
    *changed |= v != old;
    tile->marker[y] = v;
  }
  return y;
}

static uint64_t
column(const uint64_t *rows, int x)
{
  uint64_t bits = 0;
  for (int y = 0; y < SIDE; y++)
    bits |= (rows[y] >> x & 1) << y;
  return bits;
}

static void
show(uint64_t edges[4], const uint64_t *rows)
{
  __atomic_store_n(&edges[TOP], rows[0], __ATOMIC_RELAXED);
  __atomic_store_n(&edges[BOTTOM], rows[SIDE - 1], __ATOMIC_RELAXED);
  __atomic_store_n(&edges[LEFT], column(rows, 0), __ATOMIC_RELAXED);
  __atomic_store_n(&edges[RIGHT], column(rows, SIDE - 1), __ATOMIC_RELAXED);
}

static VitrailStatus
visit_tile(void *user, const VtCpuTileVisit *visit)
{
  const Grid *grid = user;
  Tile *tile = &grid->tiles[visit->y * grid->work.n_x + visit->x];
  if (visit->first && !load(tile, grid, visit->x, visit->y))
    return VITRAIL_BAD_ARGUMENT;
  const uint64_t risen = visit->first ? UINT64_MAX : 0, rows = pull(grid, visit->at, tile) | risen;
  if (rows) {
    int top = __builtin_ctzll(rows), bottom = 63 - __builtin_clzll(rows);
    for (int y = top; y <= bottom; y++)
      tile->marker[y] = spread(tile->marker[y], tile->mask[y]);
    for (bool changed = true; changed;) { /* rows top..bottom may give; a pair of sweeps that changes nothing ends it */
      changed = false;
      bottom = sweep(tile, top, 1, bottom, grid->eight, &changed);
      top = sweep(tile, bottom, -1, top, grid->eight, &changed);
    }
  }
  show(grid->edges[visit->at].marker, tile->marker);
  if (visit->first)
    show(grid->edges[visit->at].mask, tile->mask);
  return VITRAIL_OK;
}

static bool
wakes(void *user, int64_t at, int64_t next, int dx, int dy)
{
  const Grid *grid = user;
  const Edges *edges = &grid->edges[at], *other = &grid->edges[next];
  const int side = dy < 0 ? TOP : dy > 0 ? BOTTOM : dx < 0 ? LEFT : RIGHT;
  const uint64_t open = shown(&other->mask[side ^ 1]) & ~shown(&other->marker[side ^ 1]);
  const uint64_t line = shown(&edges->marker[side]);
  if (dx && dy)
    return dx < 0 ? line & open >> 63 & 1 : line >> 63 & open & 1;
  return (widen(line, grid->eight) & open) != 0;
}

static VitrailStatus
grid_init(Grid *grid, VtDevice *device)
{
  size_t n, bytes;
  if (__builtin_mul_overflow((size_t)grid->work.n_x + 2, (size_t)grid->work.n_y + 2, &n)
      || __builtin_mul_overflow(n, sizeof *grid->tiles, &bytes))
    return VITRAIL_OUT_OF_MEMORY;
  grid->tiles = vt_cpu_big_alloc((size_t)(grid->work.n_x * grid->work.n_y) * sizeof *grid->tiles);
  grid->edges = vt_cpu_big_alloc(n * sizeof *grid->edges);
  if (!grid->tiles || !grid->edges)
    return VITRAIL_OUT_OF_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (int side = 0; side < 4; side++) {
      grid->edges[i].marker[side] = 0;
      grid->edges[i].mask[side] = UINT64_MAX;
    }
  return vt_cpu_tile_work_init(&grid->work, device);
}

VitrailStatus
vt_cpu_reconstruct_tile_bits(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  Grid grid = { .args = args, .turn = args->by_erosion ? UINT64_MAX : 0, .eight = args->connectivity == 8 };
  grid.work = (VtCpuTileWork){ .visit = visit_tile,
                               .wakes = wakes,
                               .user = &grid,
                               .n_x = (args->mask.width - 1) / SIDE + 1,
                               .n_y = (args->mask.height - 1) / SIDE + 1,
                               .most_visits = INT64_MAX,
                               .diagonal = grid.eight,
                               .cancel = cancel };
  bool left = false;
  if (grid.work.n_y > UINT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = grid_init(&grid, device);
  if (status == VITRAIL_OK)
    status = vt_cpu_tile_work_run(&grid.work, device, &left);
  if (status == VITRAIL_OK)
    status = vt_cpu_tile_work_store(&grid.work, device, store);
  vt_cpu_tile_work_clear(&grid.work);
  free(grid.tiles);
  free(grid.edges);
  return status;
}
