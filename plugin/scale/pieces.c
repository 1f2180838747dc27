/* SPDX-License-Identifier: MIT
 *
 * Connected pieces: those of every tile, joined along the seams; then those of every rank, along the cuts. What stands in memory grows with
 * the number of pieces and the length of seams, never with the number of pixels. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scale/labels.h"
#include "scale/journal.h"
#include "scale/numbered.h"
#include "scale/ranks.h"

typedef struct {
  int64_t first; /* index of the piece's first pixel */
  int32_t parent, number;
} Piece;

/* The outermost pixels of a tile. */
enum { TOP, BOTTOM, LEFT, RIGHT, N_SIDES };
typedef struct {
  int64_t width, height;
  int32_t *lines[N_SIDES]; /* one block of memory */
} Border;

typedef struct {
  VtStreamed *s;
  int32_t connectivity;
  int64_t tile, columns, n_tiles;
  Border *borders;
  pthread_mutex_t lock; /* guards what follows */
  Piece *pieces;        /* from 1 */
  int64_t n;
  size_t room;
} Pieces;

/* Numbers for n new pieces, `first` of each; 0: too many. */
static VitrailStatus
add_pieces(Pieces *p, const int64_t *first, int64_t n, int32_t *base)
{
  VitrailStatus status = VITRAIL_OK;
  pthread_mutex_lock(&p->lock);
  if (p->n + n >= INT32_MAX)
    status = vt_fail(p->s->run, VITRAIL_UNSUPPORTED, "There are more than two thousand million pieces.");
  else if (!vt_make_room(&p->pieces, &p->room, (size_t)(p->n + n) + 1, sizeof *p->pieces))
    status = VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    *base = (int32_t)p->n;
    for (int64_t i = 0; i < n; i++)
      p->pieces[p->n + 1 + i] = (Piece){ .first = first[i], .parent = (int32_t)(p->n + 1 + i) };
    p->n += n;
  }
  pthread_mutex_unlock(&p->lock);
  return status;
}

/* The kernel's labels, 1 + index in the tile, become 1.. in order; first[] gets each piece's first pixel in the image. */
static int64_t
compact(const VtLocalTile *t, int64_t image_width, int32_t *number, int64_t *first)
{
  const VtImage *labels = &t->out[0];
  int64_t n = 0;
  for (int64_t y = 0; y < labels->height; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++) {
      if (row[x] && row[x] == y * labels->width + x + 1) {
        first[n] = (t->tile.y + y) * image_width + t->tile.x + x;
        number[row[x]] = (int32_t)++n;
      }
      row[x] = row[x] ? number[row[x]] : 0;
    }
  }
  return n;
}

static bool
keep_border(Pieces *p, const VtLocalTile *t)
{
  const VtImage *labels = &t->out[0];
  const int64_t width = labels->width, height = labels->height;
  Border *border = &p->borders[(t->tile.y - p->s->own.y) / p->tile * p->columns + t->tile.x / p->tile];
  int32_t *at = malloc((size_t)(2 * (width + height)) * sizeof *at);
  if (!at)
    return false;
  *border = (Border){ width, height, { at, at + width, at + 2 * width, at + 2 * width + height } };
  memcpy(border->lines[TOP], vt_image_at(labels, 0, 0), (size_t)width * sizeof *at);
  memcpy(border->lines[BOTTOM], vt_image_at(labels, 0, height - 1), (size_t)width * sizeof *at);
  for (int64_t y = 0; y < height; y++) {
    const int32_t *row = vt_image_at(labels, 0, y);
    border->lines[LEFT][y] = row[0];
    border->lines[RIGHT][y] = row[width - 1];
  }
  return true;
}

static VitrailStatus
find_pieces(VtRun *run, const VtLocalTile *t, void *user)
{
  Pieces *p = user;
  const VtComponents args = { t->in[0], t->out[0], p->connectivity };
  const size_t n_px = (size_t)(t->tile.width * t->tile.height);
  int32_t *number = malloc((n_px + 1) * sizeof *number), base = 0;
  int64_t *first = malloc(n_px * sizeof *first);
  VitrailStatus status = number && first ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  THEN(status, run->cpu->components(run->cpu_device, &args, &run->cancel));
  THEN(status, add_pieces(p, first, compact(t, run->grid.width, number, first), &base));
  for (int64_t y = 0; y < t->tile.height && status == VITRAIL_OK; y++) {
    int32_t *row = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++)
      row[x] = row[x] ? row[x] + base : 0;
  }
  if (status == VITRAIL_OK && !keep_border(p, t))
    status = VITRAIL_OUT_OF_MEMORY;
  free(number);
  free(first);
  return status;
}

static int32_t
find(Piece *pieces, int32_t i)
{
  while (pieces[i].parent != i) {
    pieces[i].parent = pieces[pieces[i].parent].parent;
    i = pieces[i].parent;
  }
  return i;
}

static void
unite(Pieces *p, int32_t a, int32_t b)
{
  a = find(p->pieces, a);
  b = find(p->pieces, b);
  if (p->pieces[a].first < p->pieces[b].first)
    p->pieces[b].parent = a;
  else
    p->pieces[a].parent = b;
}

/* Joins the pieces of a line of pixels of one tile with those of the line beside it. */
static void
join_lines(Pieces *p, const int32_t *line, const int32_t *other, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    if (!line[i])
      continue;
    if (other[i])
      unite(p, line[i], other[i]);
    if (p->connectivity == 8 && i > 0 && other[i - 1])
      unite(p, line[i], other[i - 1]);
    if (p->connectivity == 8 && i + 1 < n && other[i + 1])
      unite(p, line[i], other[i + 1]);
  }
}

static void
join_corners(Pieces *p, int32_t a, int32_t b)
{
  if (p->connectivity == 8 && a && b)
    unite(p, a, b);
}

/* Each tile with those above it and the one to its left. */
static void
join_tiles(Pieces *p)
{
  for (int64_t i = 0; i < p->n_tiles; i++) {
    const Border *here = &p->borders[i];
    const int64_t column = i % p->columns, last = here->width - 1;
    const Border *above = i >= p->columns ? here - p->columns : NULL;
    if (above)
      join_lines(p, here->lines[TOP], above->lines[BOTTOM], here->width);
    if (column > 0)
      join_lines(p, here->lines[LEFT], here[-1].lines[RIGHT], here->height);
    if (above && column > 0)
      join_corners(p, here->lines[TOP][0], above[-1].lines[BOTTOM][above[-1].width - 1]);
    if (above && column + 1 < p->columns)
      join_corners(p, here->lines[TOP][last], above[1].lines[BOTTOM][0]);
  }
}

/* Roots in the order of their first pixels; table[i] is the number of piece i. */
static VitrailStatus
number_pieces(Pieces *p, int32_t **table, int64_t *n_roots)
{
  int64_t n = 0, (*roots)[2] = malloc((size_t)(p->n + 1) * sizeof *roots);
  *table = malloc((size_t)(p->n + 1) * sizeof **table);
  if (!roots || !*table) {
    free(roots);
    return VITRAIL_OUT_OF_MEMORY;
  }
  for (int64_t i = 1; i <= p->n; i++)
    if (p->pieces[i].parent == i) {
      roots[n][0] = p->pieces[i].first;
      roots[n++][1] = i;
    }
  qsort(roots, (size_t)n, sizeof *roots, vt_by_first);
  for (int64_t k = 0; k < n; k++)
    p->pieces[roots[k][1]].number = (int32_t)k + 1;
  (*table)[0] = 0;
  for (int64_t i = 1; i <= p->n; i++)
    (*table)[i] = p->pieces[find(p->pieces, (int32_t)i)].number;
  free(roots);
  vt_run_hold(p->s->run, (double)p->n * (sizeof(Piece) + 2 * sizeof(int64_t) + sizeof(int32_t)));
  *n_roots = n;
  return VITRAIL_OK;
}

/* The numbers of all ranks' pieces follow each other, and so do their first pixels: a rank's are all above the next one's. */
typedef struct {
  const Pieces *p;
  VtStore *labels;
  int32_t *table;      /* of the rank's pieces; becomes that of the whole image */
  int64_t n_before, n; /* pieces of the ranks above; of all */
  int32_t (*pairs)[2]; /* of neighbours across the cut above */
  int64_t n_pairs;
} Cut;

/* The rank's number of each of its pieces, counted over all ranks. */
static VitrailStatus
count_over_ranks(Cut *c, int64_t n_mine)
{
  VtRun *run = c->p->s->run;
  VtGathered all;
  TRY(vt_ranks_gather(run, &n_mine, sizeof n_mine, &all));
  const int64_t *n = all.data;
  for (size_t i = 0; i < all.bytes / sizeof *n; i++) {
    c->n_before += i * sizeof *n < all.begin ? n[i] : 0;
    c->n += n[i];
  }
  free(all.data);
  if (c->n >= INT32_MAX)
    return vt_fail(run, VITRAIL_UNSUPPORTED, "There are more than two thousand million pieces.");
  for (int64_t i = 1; i <= c->p->n; i++)
    c->table[i] += (int32_t)c->n_before;
  return VITRAIL_OK;
}

static void
add_pair(Cut *c, int32_t a, int32_t b)
{
  const int32_t *last = c->n_pairs > 0 ? c->pairs[c->n_pairs - 1] : NULL;
  if (a == 0 || b == 0 || (last && last[0] == a && last[1] == b))
    return;
  c->pairs[c->n_pairs][0] = a;
  c->pairs[c->n_pairs++][1] = b;
}

/* The row above the cut comes from there, in the numbers of all ranks. rows: above, mine, and my last. */
static VitrailStatus
find_pairs(Cut *c, int32_t *rows)
{
  VtStreamed *s = c->p->s;
  VtRun *run = s->run;
  const int64_t width = s->own.width, end = s->own.y + s->own.height;
  const bool idle = s->own.height == 0, above = !idle && s->own.y > 0, below = !idle && end < run->grid.height;
  int32_t *theirs = rows, *first = rows + width, *last = rows + 2 * width, *unwanted = rows + 3 * width;
  const int64_t ys[] = { s->own.y, end - 1 };
  VitrailStatus status = VITRAIL_OK;
  for (int k = 0; k < 2 && !idle && status == VITRAIL_OK; k++) {
    int32_t *row = k == 0 ? first : last;
    const VtImage image = { row, width, 1, width * (int64_t)sizeof *row, VITRAIL_I32 };
    status = vt_store_get(c->labels, (VtRect){ 0, ys[k], width, 1 }, &image);
    for (int64_t x = 0; x < width && status == VITRAIL_OK; x++)
      row[x] = c->table[row[x]];
  }
  status = vt_ranks_exchange(run, status, above ? first : NULL, above ? theirs : NULL, below ? last : NULL,
                             below ? unwanted : NULL, (size_t)width * sizeof *rows);
  for (int64_t x = 0; status == VITRAIL_OK && above && x < width; x++) {
    add_pair(c, first[x], theirs[x]);
    if (c->p->connectivity == 8 && x > 0)
      add_pair(c, first[x], theirs[x - 1]);
    if (c->p->connectivity == 8 && x + 1 < width)
      add_pair(c, first[x], theirs[x + 1]);
  }
  return vt_ranks_agree(run, status);
}

/* Joins the pieces of all pairs of all ranks, and numbers what is left. number: of n + 1 pieces, 0 being none. */
static void
unite_pairs(Cut *c, const VtGathered *all, int32_t *number)
{
  const int32_t(*pairs)[2] = all->data;
  for (int64_t i = 0; i <= c->n; i++)
    number[i] = (int32_t)i;
  for (size_t k = 0; k < all->bytes / sizeof *pairs; k++) {
    int32_t a = pairs[k][0], b = pairs[k][1];
    while (number[a] != a)
      a = number[a] = number[number[a]];
    while (number[b] != b)
      b = number[b] = number[number[b]];
    number[a > b ? a : b] = a > b ? b : a;
  }
  /* A parent is smaller than its children: by the time that a piece is looked at its parent has its number. */
  int32_t next = 0;
  for (int64_t i = 1; i <= c->n; i++)
    number[i] = number[i] == i ? ++next : number[number[i]];
  for (int64_t i = 1; i <= c->p->n; i++)
    c->table[i] = number[c->table[i]];
  c->n = next;
}

/* table and *n, which are those of the rank, become those of the whole image. */
static VitrailStatus
join_ranks(Pieces *p, VtStore *labels, int32_t *table, int64_t *n)
{
  VtRun *run = p->s->run;
  const size_t width = (size_t)p->s->own.width;
  Cut c = { .p = p, .labels = labels, .table = table };
  VtGathered all = { 0 };
  int32_t *number = NULL, *rows = malloc(4 * width * sizeof *rows);
  c.pairs = malloc(3 * width * sizeof *c.pairs);
  VitrailStatus status = vt_ranks_agree(run, rows && c.pairs ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY);
  THEN(status, count_over_ranks(&c, *n));
  THEN(status, find_pairs(&c, rows));
  THEN(status, vt_ranks_gather(run, c.pairs, (size_t)c.n_pairs * sizeof *c.pairs, &all));
  if (status == VITRAIL_OK) {
    number = malloc((size_t)(c.n + 1) * sizeof *number);
    status = vt_ranks_agree(run, number ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY);
  }
  if (status == VITRAIL_OK) {
    unite_pairs(&c, &all, number);
    *n = c.n;
  }
  free(all.data);
  free(number);
  free(rows);
  free(c.pairs);
  return status;
}

static VitrailStatus
components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, VtNumbered *made)
{
  Pieces p = { .s = s, .connectivity = connectivity };
  VtStreamLocal pieces = { .in = { src }, .out = { dst }, .body_bytes = 16, .body = find_pieces, .user = &p };
  p.tile = pieces.tile = vt_streamed_tile(s, &pieces);
  p.columns = (s->own.width - 1) / p.tile + 1;
  p.n_tiles = p.columns * ((s->own.height + p.tile - 1) / p.tile);
  p.borders = calloc((size_t)p.n_tiles + 1, sizeof *p.borders);
  pthread_mutex_init(&p.lock, NULL);
  VitrailStatus status = vt_ranks_agree(s->run, p.borders ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY);
  THEN(status, vt_streamed_local(s, &pieces));
  if (status == VITRAIL_OK) {
    vt_run_hold(s->run, (double)p.n * sizeof(Piece) + (double)(p.n_tiles * p.tile) * N_SIDES * sizeof(int32_t));
    join_tiles(&p);
    status = vt_ranks_agree(s->run, number_pieces(&p, &made->table, &made->n));
  }
  if (status == VITRAIL_OK && s->run->host.n_ranks > 1)
    status = join_ranks(&p, dst, made->table, &made->n);
  if (status == VITRAIL_OK) {
    made->n_entries = p.n + 1;
    status = vt_streamed_relabel(s, dst, made->table, made->n_entries);
  }
  pthread_mutex_destroy(&p.lock);
  for (int64_t i = 0; i < p.n_tiles && p.borders; i++)
    free(p.borders[i].lines[TOP]);
  free(p.borders);
  free(p.pieces);
  return status;
}

VitrailStatus
vt_streamed_components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, int64_t *n)
{
  VtNumbered made = { 0 };
  TRY(vt_streamed_settle(s));
  const VitrailStatus status = vt_journal_enter(s)
                                 ? vt_numbered_leave(s, components(s, src, dst, connectivity, &made), &made)
                                 : vt_numbered_take(s, dst, false, &made);
  *n = made.n;
  free(made.table);
  return status;
}
