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

/* Pixels that neighbours see, in lines whatever the side. */
enum { TYPED(TOP), TYPED(BOTTOM), TYPED(LEFT), TYPED(RIGHT) };
typedef struct TYPED(Edges) {
  TYPED(Row) marker[4], mask[4];
} TYPED(Edges);

typedef struct TYPED(Tile) {
  TYPED(Row) marker[SIDE], mask[SIDE];
} TYPED(Tile);

typedef struct TYPED(Grid) {
  TYPED(Tile) * tiles;  /* n_x * n_y */
  TYPED(Edges) * edges; /* with a frame of one tile that gives nothing; LOWEST until the first visit */
  uint8_t *state;       /* WAITS, VISITED; the frame always waits, so that nothing wakes it */
  int64_t n_x, n_y, pitch;
  VtCpuQueue queue; /* of indexes into edges and state */
  bool eight;
} TYPED(Grid);

static void
TYPED(grid_clear)(TYPED(Grid) * grid)
{
  vt_cpu_queue_clear(&grid->queue);
  free(grid->tiles);
  free(grid->edges);
  free(grid->state);
  *grid = (TYPED(Grid)){ 0 };
}

static VitrailStatus
TYPED(grid_init)(TYPED(Grid) * grid, const VtReconstruct *args)
{
  *grid = (TYPED(Grid)){ .n_x = (args->mask.width - 1) / SIDE + 1,
                         .n_y = (args->mask.height - 1) / SIDE + 1,
                         .eight = args->connectivity == 8 };
  grid->pitch = grid->n_x + 2;
  size_t n, bytes;
  if (__builtin_mul_overflow((size_t)grid->pitch, (size_t)grid->n_y + 2, &n)
      || __builtin_mul_overflow(n, sizeof(TYPED(Tile)), &bytes))
    return VITRAIL_OUT_OF_MEMORY;
  grid->tiles = vt_cpu_big_alloc((size_t)(grid->n_x * grid->n_y) * sizeof *grid->tiles);
  grid->edges = vt_cpu_big_alloc(n * sizeof *grid->edges);
  grid->state = malloc(n);
  if (!grid->tiles || !grid->edges || !grid->state)
    return VITRAIL_OUT_OF_MEMORY;
  memset(grid->state, WAITS, n);
  for (size_t i = 0; i < n; i++)
    for (int x = 0; x < 4 * SIDE; x++)
      grid->edges[i].marker[x / SIDE][x % SIDE] = LOWEST;
  for (int64_t y = 0; y < grid->n_y; y++)
    for (int64_t x = 0; x < grid->n_x; x++)
      if (!vt_cpu_queue_push(&grid->queue, (y + 1) * grid->pitch + x + 1))
        return VITRAIL_OUT_OF_MEMORY;
  return VITRAIL_OK;
}

static inline bool
TYPED(load_row)(PIXEL *restrict marker, PIXEL *restrict mask, const PIXEL *restrict from_marker,
                const PIXEL *restrict from_mask, int64_t n)
{
  PIXEL bad = 0;
  for (int64_t x = 0; x < n; x++) {
    bad = TYPED(max)(bad, from_marker[x] <= from_mask[x] ? 0 : 1); /* also a NaN in either */
    marker[x] = NORMAL(from_marker[x]);
    mask[x] = NORMAL(from_mask[x]);
  }
  return bad == 0;
}

/* What lies beyond the image stays at LOWEST. False: marker > mask, or a NaN. */
static bool
TYPED(load)(TYPED(Tile) * tile, const VtReconstruct *args, int64_t x0, int64_t y0)
{
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
    ok &= n == SIDE ? TYPED(load_row)(tile->marker[y], tile->mask[y], marker, mask, SIDE)
                    : TYPED(load_row)(tile->marker[y], tile->mask[y], marker, mask, n);
  }
  return ok;
}

static void
TYPED(store)(const TYPED(Grid) * grid, const VtImage *image)
{
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x += SIDE) {
      const TYPED(Tile) *tile = &grid->tiles[y / SIDE * grid->n_x + x / SIDE];
      const int64_t n = image->width - x;
      if (n >= SIDE)
        memcpy(vt_image_at(image, x, y), tile->marker[y % SIDE], sizeof(TYPED(Row)));
      else
        memcpy(vt_image_at(image, x, y), tile->marker[y % SIDE], (size_t)n * sizeof(PIXEL));
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
  const int64_t step = rows ? grid->pitch : 1;
  const bool corners = rows && grid->eight;
  for (int end = 0; end < 2; end++) {
    const int line = end ? SIDE - 1 : 0, facing = (rows ? TYPED(TOP) : TYPED(LEFT)) + 1 - end;
    const TYPED(Edges) *other = &grid->edges[end ? at + step : at - step];
    PIXEL offer[SIDE];
    TYPED(offer)
    (offer, other->marker[facing], corners ? other[-1].marker[facing][SIDE - 1] : (PIXEL)LOWEST,
     corners ? other[1].marker[facing][0] : (PIXEL)LOWEST, grid->eight);
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
TYPED(visit)(TYPED(Grid) * grid, int64_t at, TYPED(Tile) * tile, bool first)
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
  memcpy(edges->marker[TYPED(TOP)], tile->marker[0], sizeof(TYPED(Row)));
  memcpy(edges->marker[TYPED(BOTTOM)], tile->marker[SIDE - 1], sizeof(TYPED(Row)));
  memcpy(edges->marker[TYPED(LEFT)], marker[0], sizeof(TYPED(Row)));
  memcpy(edges->marker[TYPED(RIGHT)], marker[SIDE - 1], sizeof(TYPED(Row)));
  if (first) {
    memcpy(edges->mask[TYPED(TOP)], tile->mask[0], sizeof(TYPED(Row)));
    memcpy(edges->mask[TYPED(BOTTOM)], tile->mask[SIDE - 1], sizeof(TYPED(Row)));
    memcpy(edges->mask[TYPED(LEFT)], mask[0], sizeof(TYPED(Row)));
    memcpy(edges->mask[TYPED(RIGHT)], mask[SIDE - 1], sizeof(TYPED(Row)));
  }
}

/* Queues the neighbours of which a pixel can rise. One that waits, or was never visited, needs no look. */
static bool
TYPED(wake)(TYPED(Grid) * grid, int64_t at)
{
  const int64_t beside[4] = { -grid->pitch, grid->pitch, -1, 1 };
  const TYPED(Edges) *edges = &grid->edges[at];
  for (int side = 0; side < 4; side++) {
    const int64_t next = at + beside[side];
    PIXEL offer[SIDE];
    if (grid->state[next] == WAITS)
      continue;
    TYPED(offer)(offer, edges->marker[side], LOWEST, LOWEST, grid->eight);
    if (!TYPED(can_rise)(grid->edges[next].marker[side ^ 1], grid->edges[next].mask[side ^ 1], offer))
      continue;
    grid->state[next] = WAITS;
    if (!vt_cpu_queue_push(&grid->queue, next))
      return false;
  }
  for (int corner = 0; grid->eight && corner < 4; corner++) {
    const int vertical = corner / 2, x = corner % 2 ? SIDE - 1 : 0;
    const int64_t next = at + beside[vertical] + beside[2 + corner % 2];
    const TYPED(Edges) *other = &grid->edges[next];
    const PIXEL mask = other->mask[vertical ^ 1][SIDE - 1 - x];
    if (grid->state[next] == WAITS
        || other->marker[vertical ^ 1][SIDE - 1 - x] >= TYPED(min)(edges->marker[vertical][x], mask))
      continue;
    grid->state[next] = WAITS;
    if (!vt_cpu_queue_push(&grid->queue, next))
      return false;
  }
  return true;
}

/* Works the list until it is empty, or too long for tiles: *left says which. */
static VitrailStatus
TYPED(work)(TYPED(Grid) * grid, const VtReconstruct *args, bool *left, const VtCancel *cancel)
{
  const int64_t n_tiles = grid->n_x * grid->n_y;
  int64_t visits = 0;
  for (; grid->queue.count > 0 && visits < MOST_VISITS * n_tiles; visits++) {
    const int64_t at = vt_cpu_queue_pop(&grid->queue), x = at % grid->pitch - 1, y = at / grid->pitch - 1;
    const bool first = visits < n_tiles; /* the list began with all of them */
    TYPED(Tile) *tile = &grid->tiles[y * grid->n_x + x];
    grid->state[at] = VISITED;
    if (first && !TYPED(load)(tile, args, x * SIDE, y * SIDE))
      return VITRAIL_BAD_ARGUMENT;
    TYPED(visit)(grid, at, tile, first);
    if (!TYPED(wake)(grid, at))
      return VITRAIL_OUT_OF_MEMORY;
    if (vt_cpu_cancelled_at(cancel, visits))
      return VITRAIL_CANCELLED;
  }
  *left = grid->queue.count > 0;
  return VITRAIL_OK;
}

/* Goes on from what the tiles have reached; their memory is given back as soon as it is copied. */
static VitrailStatus
TYPED(hand_over)(TYPED(Grid) * grid, const VtReconstruct *args, const VtCancel *cancel)
{
  const size_t row = (size_t)args->mask.width * sizeof(PIXEL);
  VtReconstruct rest = *args;
  rest.marker.stride = (int64_t)row;
  rest.marker.data = malloc(row * (size_t)args->mask.height);
  if (!rest.marker.data)
    return VITRAIL_OUT_OF_MEMORY;
  TYPED(store)(grid, &rest.marker);
  TYPED(grid_clear)(grid);
  const VitrailStatus status = vt_cpu_reconstruct_fh(NULL, &rest, cancel);
  for (int64_t y = 0; y < args->mask.height && status == VITRAIL_OK; y++)
    memcpy(vt_image_at(&args->marker, 0, y), vt_image_at(&rest.marker, 0, y), row);
  free(rest.marker.data);
  return status;
}

static VitrailStatus
TYPED(tile)(const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Grid) grid;
  bool left = false;
  VitrailStatus status = TYPED(grid_init)(&grid, args);
  if (status == VITRAIL_OK)
    status = TYPED(work)(&grid, args, &left, cancel);
  if (status == VITRAIL_OK && left)
    status = TYPED(hand_over)(&grid, args, cancel);
  else if (status == VITRAIL_OK)
    TYPED(store)(&grid, &args->marker);
  TYPED(grid_clear)(&grid);
  return status;
}
#undef SIDE
