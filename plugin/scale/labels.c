/* SPDX-License-Identifier: MIT
 *
 * Objects of labels. What stands in memory grows with the number of objects, never with that of pixels. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scale/labels.h"
#include "scale/journal.h"
#include "scale/numbered.h"
#include "scale/ranks.h"

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
number_objects(Census *c, VtNumbered *made)
{
  int64_t n = 0, (*order)[2] = malloc((size_t)(c->n_entries + 1) * sizeof *order);
  made->n_entries = c->n_entries;
  made->table = calloc((size_t)c->n_entries + 1, sizeof *made->table);
  VitrailStatus status = order && made->table ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t i = 1; i < c->n_entries && status == VITRAIL_OK; i++)
    if (c->objects[i].stats.area_px > 0) {
      order[n][0] = c->objects[i].first;
      order[n++][1] = i;
    }
  if (status == VITRAIL_OK && n > 0) {
    made->stats = malloc((size_t)n * sizeof *made->stats);
    status = made->stats ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  }
  if (status == VITRAIL_OK) {
    made->n = n;
    qsort(order, (size_t)n, sizeof *order, vt_by_first);
    for (int64_t k = 0; k < n; k++) {
      made->stats[k] = c->objects[order[k][1]].stats;
      made->table[order[k][1]] = (int32_t)k + 1;
    }
  }
  vt_run_hold(c->s->run,
              (double)c->n_entries * (sizeof(Object) + sizeof(int32_t)) + (double)n * (16 + sizeof *made->stats));
  free(order);
  return status;
}

static VitrailStatus
number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtNumbered *made)
{
  Census c = { .s = s };
  const VtStreamLocal count = { .in = { labels, a, b }, .body = count_tile, .user = &c };
  pthread_mutex_init(&c.lock, NULL);
  VitrailStatus status = vt_streamed_local(s, &count);
  if (status == VITRAIL_OK && s->run->host.n_ranks > 1)
    status = merge_ranks(&c);
  THEN(status, vt_ranks_agree(s->run, number_objects(&c, made)));
  if (status == VITRAIL_OK && made->n > 0)
    status = vt_streamed_relabel(s, labels, made->table, made->n_entries);
  pthread_mutex_destroy(&c.lock);
  free(c.objects);
  return status;
}

VitrailStatus
vt_streamed_number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtObjectStats **stats, int64_t *n_objects)
{
  VtNumbered made = { 0 };
  TRY(vt_streamed_settle(s));
  const VitrailStatus status = vt_journal_enter(s) ? vt_numbered_leave(s, number(s, labels, a, b, &made), &made)
                                                   : vt_numbered_take(s, labels, true, &made);
  *stats = made.stats;
  *n_objects = made.n;
  free(made.table);
  return status;
}

static VitrailStatus
relabel_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtRelabel *args = user;
  const VtRelabel one = { t->out[0], args->table, args->n_entries };
  TRY(vt_tile_copy(run, t, NULL));
  return run->cpu->relabel(run->cpu_device, &one, &run->cancel);
}

VitrailStatus
vt_streamed_relabel(VtStreamed *s, VtStore *labels, const int32_t *table, int64_t n_entries)
{
  VtRelabel args = { .table = table, .n_entries = n_entries };
  const VtStreamLocal relabel = { .in = { labels }, .out = { labels }, .body = relabel_tile, .user = &args };
  TRY(vt_streamed_settle(s));
  return s->run->host.n_ranks < 2 ? vt_store_relabel(labels, table, n_entries) : vt_streamed_local(s, &relabel);
}
