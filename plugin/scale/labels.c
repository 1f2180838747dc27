/* SPDX-License-Identifier: MIT
 *
 * Labels over stores. What stands in memory grows with the number of pieces and objects, never with that of pixels. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scale/labels.h"
#include "scale/journal.h"
#include "scale/ranks.h"

/* --- connected pieces: those of every tile, joined along the seams; then those of every rank, along the cuts --- */

typedef struct {
  int64_t first; /* index of the piece's first pixel */
  int32_t parent, number;
} Piece;

typedef struct {
  VtStreamed *s;
  int32_t connectivity;
  pthread_mutex_t lock; /* guards what follows */
  Piece *pieces;        /* from 1 */
  int64_t n, capacity;
} Pieces;

/* Numbers for n new pieces, `first` of each; 0: too many. */
static VitrailStatus
add_pieces(Pieces *p, const int64_t *first, int64_t n, int32_t *base)
{
  VitrailStatus status = VITRAIL_OK;
  pthread_mutex_lock(&p->lock);
  if (p->n + n >= INT32_MAX)
    status = vt_fail(p->s->run, VITRAIL_UNSUPPORTED, "There are more than two thousand million pieces.");
  else if (p->n + n >= p->capacity) {
    const int64_t capacity = 2 * (p->n + n) + 1024;
    Piece *pieces = realloc(p->pieces, (size_t)capacity * sizeof *pieces);
    status = pieces ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
    p->pieces = pieces ? pieces : p->pieces;
    p->capacity = pieces ? capacity : p->capacity;
  }
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

static VitrailStatus
find_pieces(VtRun *run, const VtLocalTile *t, void *user)
{
  Pieces *p = user;
  const VtComponents args = { t->in[0], t->out[0], p->connectivity };
  const size_t n_px = (size_t)(t->tile.width * t->tile.height);
  int32_t *number = malloc((n_px + 1) * sizeof *number), base = 0;
  int64_t *first = malloc(n_px * sizeof *first);
  VitrailStatus status = number && first ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = run->cpu->components(run->cpu_device, &args, &run->cancel);
  if (status == VITRAIL_OK)
    status = add_pieces(p, first, compact(t, run->grid.width, number, first), &base);
  for (int64_t y = 0; y < t->tile.height && status == VITRAIL_OK; y++) {
    int32_t *row = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++)
      row[x] = row[x] ? row[x] + base : 0;
  }
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

/* Joins the tile with the row above and the column to its left, in whose corners the diagonals are. */
static VitrailStatus
join_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  Pieces *p = user;
  const VtImage *labels = &t->in[0];
  const int64_t left = t->tile.x - t->window.x, top = t->tile.y - t->window.y;
  const bool eight = p->connectivity == 8;
  pthread_mutex_lock(&p->lock);
  for (int64_t y = top; y < top + t->tile.height; y++) {
    const int32_t *row = vt_image_at(labels, 0, y);
    const int32_t *above = y > 0 ? vt_image_at(labels, 0, y - 1) : NULL;
    const bool is_first = y == top && above;
    const int64_t end = is_first ? left + t->tile.width : left + 1; /* further down only the first column has a seam */
    for (int64_t x = left; x < end; x++) {
      if (!row[x])
        continue;
      if (x == left && left > 0 && row[x - 1])
        unite(p, row[x], row[x - 1]);
      if (is_first && above[x])
        unite(p, row[x], above[x]);
      if (eight && above && x > 0 && (is_first || x == left) && above[x - 1])
        unite(p, row[x], above[x - 1]);
      if (eight && is_first && x + 1 < labels->width && above[x + 1])
        unite(p, row[x], above[x + 1]);
    }
    /* The diagonal that goes up from the column to the left, seen from its lower end. */
    if (eight && left > 0 && above && y > top && row[left - 1] && above[left])
      unite(p, row[left - 1], above[left]);
  }
  pthread_mutex_unlock(&p->lock);
  return VITRAIL_OK;
}

static int
by_first(const void *a, const void *b)
{
  const int64_t x = ((const int64_t *)a)[0], y = ((const int64_t *)b)[0];
  return (x > y) - (x < y);
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
  qsort(roots, (size_t)n, sizeof *roots, by_first);
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
  if (status == VITRAIL_OK)
    status = count_over_ranks(&c, *n);
  if (status == VITRAIL_OK)
    status = find_pairs(&c, rows);
  if (status == VITRAIL_OK)
    status = vt_ranks_gather(run, c.pairs, (size_t)c.n_pairs * sizeof *c.pairs, &all);
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
components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, int64_t *n)
{
  Pieces p = { .s = s, .connectivity = connectivity };
  int32_t *table = NULL;
  VtStreamLocal pieces = { .in = { src }, .out = { dst }, .body_bytes = 16, .body = find_pieces, .user = &p };
  VtStreamLocal seams = { .in = { dst }, .halo = 1, .stays_inside = true, .body = join_tile, .user = &p };
  pieces.tile = seams.tile = vt_streamed_tile(s, &pieces);
  pthread_mutex_init(&p.lock, NULL);
  VitrailStatus status = vt_streamed_local(s, &pieces);
  if (status == VITRAIL_OK)
    status = vt_streamed_local(s, &seams);
  if (status == VITRAIL_OK)
    status = vt_ranks_agree(s->run, number_pieces(&p, &table, n));
  if (status == VITRAIL_OK && s->run->host.n_ranks > 1)
    status = join_ranks(&p, dst, table, n);
  if (status == VITRAIL_OK)
    status = vt_streamed_relabel(s, dst, table, p.n + 1);
  pthread_mutex_destroy(&p.lock);
  free(p.pieces);
  free(table);
  return status;
}

VitrailStatus
vt_streamed_components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, int64_t *n)
{
  void *known;
  size_t bytes;
  TRY(vt_streamed_settle(s));
  if (vt_journal_enter(s))
    return vt_journal_leave(s, components(s, src, dst, connectivity, n), n, sizeof *n);
  TRY(vt_journal_result(s, &known, &bytes));
  if (bytes == sizeof *n)
    memcpy(n, known, sizeof *n);
  free(known);
  return bytes == sizeof *n ? VITRAIL_OK : VITRAIL_READ_FAILED;
}

/* --- objects --- */

typedef struct {
  VtObjectStats stats;
  int64_t first; /* index of the first pixel */
  int64_t label; /* of one on its way to other ranks */
} Object;

typedef struct {
  VtStreamed *s;
  pthread_mutex_t lock;
  Object *objects; /* by label; area 0: not met yet */
  int64_t n_entries;
} Census;

/* Room for a label. Called with the lock. */
static bool
make_room(Census *c, int32_t label)
{
  if (label < c->n_entries)
    return true;
  const int64_t n = 2 * (int64_t)label + 1024;
  Object *objects = realloc(c->objects, (size_t)n * sizeof *objects);
  if (!objects)
    return false;
  memset(objects + c->n_entries, 0, (size_t)(n - c->n_entries) * sizeof *objects);
  c->objects = objects;
  c->n_entries = n;
  return true;
}

/* A run of one label, x0 to x1 - 1 of row y of the image. */
static void
add_run(Object *object, int64_t x0, int64_t x1, int64_t y, int64_t image_width, int64_t sum_a, int64_t sum_b)
{
  VtObjectStats *stats = &object->stats;
  const int64_t n = x1 - x0, first = y * image_width + x0;
  const bool is_new = stats->area_px == 0;
  object->first = is_new || first < object->first ? first : object->first;
  stats->left = is_new || x0 < stats->left ? x0 : stats->left;
  stats->top = is_new || y < stats->top ? y : stats->top;
  stats->right = x1 > stats->right ? x1 : stats->right;
  stats->bottom = y + 1 > stats->bottom ? y + 1 : stats->bottom;
  stats->area_px += n;
  stats->sum_x += (x0 + x1 - 1) * n / 2; /* even: one of the factors is */
  stats->sum_y += y * n;
  stats->sum_a += sum_a;
  stats->sum_b += sum_b;
}

static bool
count_row(Census *c, const VtLocalTile *t, int64_t y, int64_t image_width)
{
  const int32_t *label = vt_image_at(&t->in[0], 0, y);
  const uint16_t *a = t->in[1].data ? vt_image_at(&t->in[1], 0, y) : NULL;
  const uint16_t *b = t->in[2].data ? vt_image_at(&t->in[2], 0, y) : NULL;
  for (int64_t x = 0, end; x < t->tile.width; x = end) {
    int64_t sum_a = 0, sum_b = 0;
    for (end = x; end < t->tile.width && label[end] == label[x]; end++) {
      sum_a += a ? a[end] : 0;
      sum_b += b ? b[end] : 0;
    }
    if (label[x] == 0)
      continue;
    if (!make_room(c, label[x]))
      return false;
    add_run(&c->objects[label[x]], t->tile.x + x, t->tile.x + end, t->tile.y + y, image_width, sum_a, sum_b);
  }
  return true;
}

static VitrailStatus
count_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  Census *c = user;
  bool ok = true;
  for (int64_t y = 0; y < t->tile.height && ok; y++) {
    pthread_mutex_lock(&c->lock);
    ok = count_row(c, t, y, run->grid.width);
    pthread_mutex_unlock(&c->lock);
  }
  return ok ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static void
add_part(Object *object, const Object *part)
{
  VtObjectStats *to = &object->stats;
  const VtObjectStats *from = &part->stats;
  if (to->area_px == 0) {
    *object = *part;
    return;
  }
  object->first = part->first < object->first ? part->first : object->first;
  to->left = from->left < to->left ? from->left : to->left;
  to->top = from->top < to->top ? from->top : to->top;
  to->right = from->right > to->right ? from->right : to->right;
  to->bottom = from->bottom > to->bottom ? from->bottom : to->bottom;
  to->area_px += from->area_px;
  to->sum_x += from->sum_x;
  to->sum_y += from->sum_y;
  to->sum_a += from->sum_a;
  to->sum_b += from->sum_b;
}

/* All ranks come to know what all of them have counted. */
static VitrailStatus
merge_ranks(Census *c)
{
  VtRun *run = c->s->run;
  VtGathered all;
  int64_t n = 0;
  for (int64_t i = 1; i < c->n_entries; i++)
    n += c->objects[i].stats.area_px > 0;
  Object *mine = malloc((size_t)(n + 1) * sizeof *mine);
  TRY(vt_ranks_agree(run, mine ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY));
  n = 0;
  for (int64_t i = 1; i < c->n_entries; i++)
    if (c->objects[i].stats.area_px > 0) {
      mine[n] = c->objects[i];
      mine[n++].label = i;
    }
  VitrailStatus status = vt_ranks_gather(run, mine, (size_t)n * sizeof *mine, &all);
  free(mine);
  if (status != VITRAIL_OK)
    return status;
  const Object *parts = all.data;
  const int64_t own = (int64_t)(all.begin / sizeof *parts), n_parts = (int64_t)(all.bytes / sizeof *parts);
  for (int64_t i = 0; i < n_parts && status == VITRAIL_OK; i++) {
    if (i >= own && i < own + n)
      continue;
    status = make_room(c, (int32_t)parts[i].label) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
    if (status == VITRAIL_OK)
      add_part(&c->objects[parts[i].label], &parts[i]);
  }
  vt_run_hold(c->s->run, (double)c->n_entries * (sizeof(Object) + sizeof(int32_t)) + (double)all.bytes);
  free(all.data);
  return vt_ranks_agree(run, status);
}

/* Objects in the order of their first pixels; table[label] is an object's number. */
static VitrailStatus
number_objects(Census *c, int32_t **table, VtObjectStats **stats, int64_t *n_objects)
{
  int64_t n = 0, (*order)[2] = malloc((size_t)(c->n_entries + 1) * sizeof *order);
  *table = calloc((size_t)c->n_entries + 1, sizeof **table);
  VitrailStatus status = order && *table ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t i = 1; i < c->n_entries && status == VITRAIL_OK; i++)
    if (c->objects[i].stats.area_px > 0) {
      order[n][0] = c->objects[i].first;
      order[n++][1] = i;
    }
  *stats = NULL;
  if (status == VITRAIL_OK && n > 0) {
    *stats = malloc((size_t)n * sizeof **stats);
    status = *stats ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  }
  if (status == VITRAIL_OK) {
    qsort(order, (size_t)n, sizeof *order, by_first);
    for (int64_t k = 0; k < n; k++) {
      (*stats)[k] = c->objects[order[k][1]].stats;
      (*table)[order[k][1]] = (int32_t)k + 1;
    }
  }
  vt_run_hold(c->s->run, (double)c->n_entries * (sizeof(Object) + sizeof(int32_t)) + (double)n * (16 + sizeof **stats));
  free(order);
  *n_objects = n;
  return status;
}

static VitrailStatus
number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtObjectStats **stats, int64_t *n_objects)
{
  Census c = { .s = s };
  int32_t *table = NULL;
  const VtStreamLocal count = { .in = { labels, a, b }, .body = count_tile, .user = &c };
  pthread_mutex_init(&c.lock, NULL);
  VitrailStatus status = vt_streamed_local(s, &count);
  if (status == VITRAIL_OK && s->run->host.n_ranks > 1)
    status = merge_ranks(&c);
  if (status == VITRAIL_OK)
    status = vt_ranks_agree(s->run, number_objects(&c, &table, stats, n_objects));
  if (status == VITRAIL_OK && *n_objects > 0)
    status = vt_streamed_relabel(s, labels, table, c.n_entries);
  pthread_mutex_destroy(&c.lock);
  free(c.objects);
  free(table);
  return status;
}

/* Objects that a file of scratch holds: their boxes are where pixels are looked up. */
static bool
are_objects(const VtStreamed *s, const VtObjectStats *stats, size_t bytes)
{
  const VtGrid *grid = &s->run->grid;
  bool fine = bytes % sizeof *stats == 0;
  for (size_t i = 0; fine && i < bytes / sizeof *stats; i++) {
    const VtObjectStats *o = &stats[i];
    fine = o->left >= 0 && o->left < o->right && o->right <= grid->width && o->top >= 0 && o->top < o->bottom
           && o->bottom <= grid->height && o->area_px > 0 && o->area_px <= (o->right - o->left) * (o->bottom - o->top);
  }
  return fine;
}

VitrailStatus
vt_streamed_number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtObjectStats **stats, int64_t *n_objects)
{
  void *known;
  size_t bytes;
  TRY(vt_streamed_settle(s));
  if (vt_journal_enter(s)) {
    const VitrailStatus status = number(s, labels, a, b, stats, n_objects);
    bytes = status == VITRAIL_OK ? (size_t)*n_objects * sizeof **stats : 0;
    return vt_journal_leave(s, status, bytes > 0 ? (void *)*stats : "", bytes);
  }
  TRY(vt_journal_result(s, &known, &bytes));
  const bool fine = are_objects(s, known, bytes);
  *stats = fine ? known : NULL;
  *n_objects = 0;
  if (!fine)
    free(known);
  TRY(vt_ranks_agree(s->run, fine ? VITRAIL_OK : VITRAIL_READ_FAILED));
  *n_objects = (int64_t)(bytes / sizeof **stats);
  return VITRAIL_OK;
}

static VitrailStatus
relabel_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtRelabel *args = user;
  const VtRelabel one = { t->out[0], args->table, args->n_entries };
  for (int64_t y = 0; y < t->tile.height; y++)
    memcpy(vt_image_at(&t->out[0], 0, y), vt_image_at(&t->in[0], 0, y), (size_t)t->tile.width * sizeof(int32_t));
  return run->cpu->relabel(run->cpu_device, &one, &run->cancel);
}

VitrailStatus
vt_streamed_relabel(VtStreamed *s, VtStore *labels, const int32_t *table, int64_t n_entries)
{
  VtRelabel args = { .table = table, .n_entries = n_entries };
  const VtStreamLocal relabel = { .in = { labels }, .out = { labels }, .body = relabel_tile, .user = &args };
  return vt_streamed_local(s, &relabel);
}
