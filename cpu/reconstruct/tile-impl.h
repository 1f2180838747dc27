/* SPDX-License-Identifier: MIT
 *
 * tile-impl.h: template (each-type.h) of reconstruction by active tiles; its text is in tile.c. SWEEPS names the file
 * with the sweeps of a variant. */
#include "pixel-impl.h"

#if LEVELS > 0
#define SIDE 64
#else
#define SIDE 32 /* of 4 bytes each: a tile, its mask and both transposes fit 16 KiB as the bytes of 64 do */
#endif
typedef PIXEL TYPED(Row)[SIDE];

#include "tile-transpose-impl.h"
#include SWEEPS

/* Pixels that neighbours see, in lines whatever the side. A neighbour may read while they are written: a word at a time, old or
 * new. Pixels only rise, and it is woken when something is left to take. */
enum { TYPED(TOP), TYPED(BOTTOM), TYPED(LEFT), TYPED(RIGHT) };
enum { TYPED(N_WORDS) = sizeof(TYPED(Row)) / 8 };
typedef struct TYPED(Tile) {
  TYPED(Row) marker[SIDE], mask[SIDE];
} TYPED(Tile);

typedef struct TYPED(Edges) {
  uint64_t marker[4][TYPED(N_WORDS)], mask[4][TYPED(N_WORDS)];
  TYPED(Tile) * tile; /* NULL: nothing in it can rise, and the image has its pixels */
} TYPED(Edges);

typedef struct TYPED(Grid) {
  VtCpuTileWork work;
  const VtReconstruct *args;
  /* tiles: room for n_x * n_y, of which n_tiles are taken. edges: with a frame of one tile that gives nothing; marker LOWEST, mask
   * HIGHEST until the first visit */
  TYPED(Tile) * tiles;
  int64_t n_tiles; /* atomic */
  TYPED(Edges) * edges;
  PIXEL turn;
  bool eight;
} TYPED(Grid);

static inline void
TYPED(edge_read)(PIXEL line[SIDE], const uint64_t words[TYPED(N_WORDS)])
{
  for (int k = 0; k < TYPED(N_WORDS); k++) {
    const uint64_t word = __atomic_load_n(&words[k], __ATOMIC_RELAXED);
    memcpy((char *)line + 8 * k, &word, 8);
  }
}

static inline PIXEL
TYPED(edge_end)(const uint64_t words[TYPED(N_WORDS)], bool last)
{
  const uint64_t word = __atomic_load_n(&words[last ? TYPED(N_WORDS) - 1 : 0], __ATOMIC_RELAXED);
  PIXEL pixel;
  memcpy(&pixel, (const char *)&word + (last ? 8 - sizeof pixel : 0), sizeof pixel);
  return pixel;
}

static inline void
TYPED(edge_write)(uint64_t words[TYPED(N_WORDS)], const PIXEL line[SIDE])
{
  for (int k = 0; k < TYPED(N_WORDS); k++) {
    uint64_t word;
    memcpy(&word, (const char *)line + 8 * k, 8);
    __atomic_store_n(&words[k], word, __ATOMIC_RELAXED);
  }
}

static void
TYPED(grid_clear)(TYPED(Grid) * grid, VtDevice *device)
{
  vt_cpu_tile_work_clear(&grid->work);
  vt_cpu_scratch_give(device, grid->tiles);
  vt_cpu_scratch_give(device, grid->edges);
  grid->tiles = NULL;
  grid->edges = NULL;
}

static VitrailStatus
TYPED(grid_init)(TYPED(Grid) * grid, VtDevice *device)
{
  size_t n, bytes;
  if (__builtin_mul_overflow((size_t)grid->work.n_x + 2, (size_t)grid->work.n_y + 2, &n)
      || __builtin_mul_overflow(n, sizeof(TYPED(Tile)), &bytes))
    return VITRAIL_OUT_OF_MEMORY;
  grid->tiles = vt_cpu_scratch_take(device, (size_t)(grid->work.n_x * grid->work.n_y) * sizeof *grid->tiles);
  grid->edges = vt_cpu_scratch_take(device, n * sizeof *grid->edges);
  if (!grid->tiles || !grid->edges)
    return VITRAIL_OUT_OF_MEMORY;
  TYPED(Row) lowest, highest;
  for (int x = 0; x < SIDE; x++) {
    lowest[x] = LOWEST;
    highest[x] = HIGHEST;
  }
  for (size_t i = 0; i < n; i++) {
    for (int side = 0; side < 4; side++) {
      memcpy(grid->edges[i].marker[side], lowest, sizeof lowest);
      memcpy(grid->edges[i].mask[side], highest, sizeof highest);
    }
    grid->edges[i].tile = NULL;
    if (i % 1024 == 0 && vt_cancelled(grid->work.cancel))
      return VITRAIL_CANCELLED;
  }
  return vt_cpu_tile_work_init(&grid->work, device);
}

static inline bool
TYPED(load_row)(PIXEL *restrict marker, PIXEL *restrict mask, const PIXEL *restrict from_marker,
                const PIXEL *restrict from_mask, int64_t n, PIXEL turn)
{
  PIXEL bad = 0;
  for (int64_t x = 0; x < n; x++) {
    const PIXEL v = TURNED(from_marker[x], turn), most = TURNED(from_mask[x], turn);
    bad = TYPED(max)(bad, v <= most ? 0 : 1); /* also a NaN in either */
    marker[x] = v;
    mask[x] = most;
  }
  return bad == 0;
}

/* marker is mask, and is what a tile would store of it. */
static inline bool
TYPED(is_settled_row)(const PIXEL *restrict marker, const PIXEL *restrict mask)
{
  PIXEL differs = 0;
  for (int x = 0; x < SIDE; x++) {
    const PIXEL v = marker[x];
    differs = TYPED(max)(differs, v == mask[x] && !IS_MINUS_ZERO(v) ? 0 : 1); /* also a NaN in either */
  }
  return differs == 0;
}

/* A whole tile whose marker is its mask: only its edges matter. */
static bool
TYPED(settle)(const TYPED(Grid) * grid, TYPED(Edges) * edges, int64_t x0, int64_t y0)
{
  const VtImage *marker = &grid->args->marker, *mask = &grid->args->mask;
  if (mask->width - x0 < SIDE || mask->height - y0 < SIDE)
    return false;
  for (int y = 0; y < SIDE; y++)
    if (!TYPED(is_settled_row)(vt_image_at(marker, x0, y0 + y), vt_image_at(mask, x0, y0 + y)))
      return false;
  PIXEL lines[4][SIDE];
  for (int k = 0; k < SIDE; k++) {
    lines[TYPED(TOP)][k] = TURNED(*(const PIXEL *)vt_image_at(mask, x0 + k, y0), grid->turn);
    lines[TYPED(BOTTOM)][k] = TURNED(*(const PIXEL *)vt_image_at(mask, x0 + k, y0 + SIDE - 1), grid->turn);
    lines[TYPED(LEFT)][k] = TURNED(*(const PIXEL *)vt_image_at(mask, x0, y0 + k), grid->turn);
    lines[TYPED(RIGHT)][k] = TURNED(*(const PIXEL *)vt_image_at(mask, x0 + SIDE - 1, y0 + k), grid->turn);
  }
  for (int side = 0; side < 4; side++) {
    TYPED(edge_write)(edges->marker[side], lines[side]);
    TYPED(edge_write)(edges->mask[side], lines[side]);
  }
  return true;
}

/* What lies beyond the image stays at LOWEST. False: marker > mask, or a NaN. */
static bool
TYPED(load)(TYPED(Tile) * tile, const TYPED(Grid) * grid, int64_t x0, int64_t y0)
{
  const VtReconstruct *args = grid->args;
  const int64_t n = args->mask.width - x0 < SIDE ? args->mask.width - x0 : SIDE;
  const int64_t n_rows = args->mask.height - y0 < SIDE ? args->mask.height - y0 : SIDE;
  bool ok = true;
  if (n < SIDE || n_rows < SIDE)
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++)
        tile->marker[y][x] = tile->mask[y][x] = LOWEST;
  for (int64_t y = 0; y < n_rows; y++) {
    const PIXEL *marker = vt_image_at(&args->marker, x0, y0 + y), *mask = vt_image_at(&args->mask, x0, y0 + y);
    __builtin_prefetch(marker + n); /* of the next tile: as many places at once are too many to be foreseen */
    __builtin_prefetch(mask + n);
    ok &= n == SIDE ? TYPED(load_row)(tile->marker[y], tile->mask[y], marker, mask, SIDE, grid->turn)
                    : TYPED(load_row)(tile->marker[y], tile->mask[y], marker, mask, n, grid->turn);
  }
  return ok;
}

static inline void
TYPED(store_row)(PIXEL *restrict to, const PIXEL *restrict from, int64_t n, PIXEL turn)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = TURNED(from[x], turn);
}

/* One row of tiles, into the caller's marker. */
static void
TYPED(store)(void *user, uint32_t i_row)
{
  TYPED(Grid) *grid = user;
  if (vt_cpu_tile_work_stops(&grid->work))
    return;
  const VtImage *image = &grid->args->marker;
  const int64_t y0 = (int64_t)i_row * SIDE, end = image->height - y0 < SIDE ? image->height : y0 + SIDE;
  for (int64_t y = y0; y < end; y++)
    for (int64_t x = 0; x < image->width; x += SIDE) {
      const TYPED(Tile) *tile = grid->edges[(i_row + 1) * grid->work.pitch + x / SIDE + 1].tile;
      const int64_t n = image->width - x;
      if (!tile)
        continue;
      if (n >= SIDE)
        TYPED(store_row)(vt_image_at(image, x, y), tile->marker[y % SIDE], SIDE, grid->turn);
      else
        TYPED(store_row)(vt_image_at(image, x, y), tile->marker[y % SIDE], n, grid->turn);
    }
}

/* What a line beside `line` is offered: its highest neighbour; before and after continue the line. */
static inline void
TYPED(offer)(PIXEL *restrict offer, const PIXEL *restrict line, PIXEL before, PIXEL after, bool eight)
{
  if (eight) {
    PIXEL wide[SIDE + 2];
    wide[0] = before;
    memcpy(wide + 1, line, sizeof(TYPED(Row)));
    wide[SIDE + 1] = after;
    for (int x = 0; x < SIDE; x++)
      offer[x] = TYPED(max)(wide[x + 1], TYPED(max)(wide[x], wide[x + 2]));
  } else
    memcpy(offer, line, sizeof(TYPED(Row)));
}

/* The pixels that rise. */
static inline Span
TYPED(take)(PIXEL *restrict marker, const PIXEL *restrict mask, const PIXEL *restrict offer)
{
  PIXEL rises[SIDE], any = 0;
  for (int x = 0; x < SIDE; x++) {
    const PIXEL old = marker[x];
    marker[x] = TYPED(max)(old, TYPED(min)(offer[x], mask[x]));
    rises[x] = marker[x] > old ? 1 : 0;
    any = marker[x] > old ? 1 : any;
  }
  if (any == 0)
    return NO_SPAN;
  Span span = { 0, SIDE - 1 };
  while (rises[span.first] == 0)
    span.first++;
  while (rises[span.last] == 0)
    span.last--;
  return span;
}

static inline bool
TYPED(can_rise)(const PIXEL *restrict marker, const PIXEL *restrict mask, const PIXEL *restrict offer)
{
  PIXEL rises = 0;
  for (int x = 0; x < SIDE; x++)
    rises = marker[x] < TYPED(min)(offer[x], mask[x]) ? 1 : rises;
  return rises != 0;
}

/* Lets in what the neighbours' edges offer to two opposite edges of the tile: rows of the tile, or of its transpose.
 * Corners come with the rows of the tile. Adds to the lines that have risen, and to the places in them. */
static void
TYPED(pull)(const TYPED(Grid) * grid, int64_t at, TYPED(Row) * marker, const TYPED(Row) * mask, bool rows, Span *lines,
            Span *places)
{
  const int64_t step = rows ? grid->work.pitch : 1;
  const bool corners = rows && grid->eight;
  for (int end = 0; end < 2; end++) {
    const int line = end ? SIDE - 1 : 0, facing = (rows ? TYPED(TOP) : TYPED(LEFT)) + 1 - end;
    const TYPED(Edges) *other = &grid->edges[end ? at + step : at - step];
    PIXEL line_beside[SIDE], offer[SIDE];
    TYPED(edge_read)(line_beside, other->marker[facing]);
    TYPED(offer)
    (offer, line_beside, corners ? TYPED(edge_end)(other[-1].marker[facing], true) : (PIXEL)LOWEST,
     corners ? TYPED(edge_end)(other[1].marker[facing], false) : (PIXEL)LOWEST, grid->eight);
    const Span rises = TYPED(take)(marker[line], mask[line], offer);
    if (!is_empty(rises))
      *lines = join(*lines, (Span){ line, line });
    *places = join(*places, rises);
  }
}

/* Brings one tile to its fixpoint. `rows` and `columns` may still give to the next of their kind. A pair of sweeps that
 * changes nothing after one of the other kind ends it: down-up is exact on the columns but for what it raises on a
 * diagonal, and that the row of the giver has passed on. Tile and transpose agree then. */
static void
TYPED(visit)(const TYPED(Grid) * grid, int64_t at, TYPED(Tile) * tile, bool first)
{
  _Alignas(64) TYPED(Row) marker[SIDE], mask[SIDE]; /* transposes */
  TYPED(Edges) *edges = &grid->edges[at];
  const Span all = { 0, SIDE - 1 };
  Span rows = first ? all : NO_SPAN, columns = rows, risen = NO_SPAN;
  TYPED(pull)(grid, at, tile->marker, (const TYPED(Row) *)tile->mask, true, &rows, &columns);
  columns = join(columns, TYPED(sweep)(tile->marker, (const TYPED(Row) *)tile->mask, &rows, grid->eight));
  TYPED(transpose)(mask, (const TYPED(Row) *)tile->mask, all);
  TYPED(transpose)(marker, (const TYPED(Row) *)tile->marker, all);
  TYPED(pull)(grid, at, marker, (const TYPED(Row) *)mask, false, &columns, &risen);
  for (;;) {
    risen = join(risen, TYPED(sweep)(marker, (const TYPED(Row) *)mask, &columns, grid->eight));
    if (is_empty(risen))
      break;
    TYPED(transpose)(tile->marker, (const TYPED(Row) *)marker, risen);
    rows = join(rows, risen);
    risen = TYPED(sweep)(tile->marker, (const TYPED(Row) *)tile->mask, &rows, grid->eight);
    if (is_empty(risen))
      break;
    TYPED(transpose)(marker, (const TYPED(Row) *)tile->marker, risen);
    columns = join(columns, risen);
    risen = NO_SPAN;
  }
  TYPED(edge_write)(edges->marker[TYPED(TOP)], tile->marker[0]);
  TYPED(edge_write)(edges->marker[TYPED(BOTTOM)], tile->marker[SIDE - 1]);
  TYPED(edge_write)(edges->marker[TYPED(LEFT)], marker[0]);
  TYPED(edge_write)(edges->marker[TYPED(RIGHT)], marker[SIDE - 1]);
  if (first) {
    TYPED(edge_write)(edges->mask[TYPED(TOP)], tile->mask[0]);
    TYPED(edge_write)(edges->mask[TYPED(BOTTOM)], tile->mask[SIDE - 1]);
    TYPED(edge_write)(edges->mask[TYPED(LEFT)], mask[0]);
    TYPED(edge_write)(edges->mask[TYPED(RIGHT)], mask[SIDE - 1]);
  }
}

static VitrailStatus
TYPED(visit_tile)(void *user, const VtCpuTileVisit *visit)
{
  TYPED(Grid) *grid = user;
  TYPED(Edges) *edges = &grid->edges[visit->at];
  if (visit->first) {
    if (TYPED(settle)(grid, edges, visit->x * SIDE, visit->y * SIDE))
      return VITRAIL_OK;
    edges->tile = &grid->tiles[__atomic_fetch_add(&grid->n_tiles, 1, __ATOMIC_RELAXED)];
    if (!TYPED(load)(edges->tile, grid, visit->x * SIDE, visit->y * SIDE))
      return VITRAIL_BAD_ARGUMENT;
  }
  if (edges->tile) /* else it was woken while it settled */
    TYPED(visit)(grid, visit->at, edges->tile, visit->first);
  return VITRAIL_OK;
}

/* A pixel of tile `next` can rise by what tile `at` shows. */
static bool
TYPED(wakes)(void *user, int64_t at, int64_t next, int dx, int dy)
{
  const TYPED(Grid) *grid = user;
  const TYPED(Edges) *edges = &grid->edges[at], *other = &grid->edges[next];
  const int side = dy < 0 ? TYPED(TOP) : dy > 0 ? TYPED(BOTTOM) : dx < 0 ? TYPED(LEFT) : TYPED(RIGHT);
  if (dx && dy) {
    const PIXEL mask = TYPED(edge_end)(other->mask[side ^ 1], dx < 0);
    return TYPED(edge_end)(other->marker[side ^ 1], dx < 0)
           < TYPED(min)(TYPED(edge_end)(edges->marker[side], dx > 0), mask);
  }
  PIXEL line[SIDE], offer[SIDE], marker[SIDE], mask[SIDE];
  TYPED(edge_read)(line, edges->marker[side]);
  TYPED(edge_read)(marker, other->marker[side ^ 1]);
  TYPED(edge_read)(mask, other->mask[side ^ 1]);
  TYPED(offer)(offer, line, LOWEST, LOWEST, grid->eight);
  return TYPED(can_rise)(marker, mask, offer);
}

/* What the tiles have reached when they take too long is stored all the same, and their memory given back: the fast hybrid
 * algorithm goes on from it. */
static VitrailStatus
TYPED(tile)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Grid)
  grid = { .args = args, .turn = args->by_erosion ? TURN : NO_TURN, .eight = args->connectivity == 8 };
  grid.work = (VtCpuTileWork){ .visit = TYPED(visit_tile),
                               .wakes = TYPED(wakes),
                               .user = &grid,
                               .n_x = (args->mask.width - 1) / SIDE + 1,
                               .n_y = (args->mask.height - 1) / SIDE + 1,
                               .diagonal = grid.eight,
                               .cancel = cancel };
  grid.work.most_visits = VT_CPU_TILE_MOST_VISITS * grid.work.n_x * grid.work.n_y;
  bool left = false;
  if (grid.work.n_y > UINT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = TYPED(grid_init)(&grid, device);
  if (status == VITRAIL_OK)
    status = vt_cpu_tile_work_run(&grid.work, device, &left);
  if (status == VITRAIL_OK)
    status = vt_cpu_tile_work_store(&grid.work, device, TYPED(store));
  TYPED(grid_clear)(&grid, device);
  return status == VITRAIL_OK && left ? vt_cpu_reconstruct_fh(device, args, cancel) : status;
}
#undef SIDE
