/* SPDX-License-Identifier: MIT
 *
 * A region's first pixel is found by its own code, in one tile alone. So a list of first pixels has each region once, whatever the seams.
 * A region's number is its place in the list of all processes. */
#include "scale/regions.h"

#include <pthread.h>
#include <stdlib.h>

#include "drivers/regions.h"
#include "scale/journal.h"
#include "scale/ranks.h"

typedef struct {
  VtStreamed *s;
  pthread_mutex_t lock; /* guards what follows, while it grows */
  int64_t *firsts;      /* at the end in rising order, those of all ranks */
  int64_t n;
  size_t room;
} Regions;

static bool
add_first(Regions *r, int64_t first)
{
  if (!vt_make_room(&r->firsts, &r->room, (size_t)r->n + 1, sizeof *r->firsts))
    return false;
  r->firsts[r->n++] = first;
  return true;
}

static VitrailStatus
find_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  Regions *r = user;
  bool ok = true;
  for (int64_t y = 0; y < t->tile.height && ok; y++) {
    const int32_t *code = vt_image_at(&t->in[0], 0, y);
    pthread_mutex_lock(&r->lock);
    for (int64_t x = 0; x < t->tile.width && ok; x++) {
      const int64_t u = t->tile.x + x, v = t->tile.y + y, own = v * run->grid.width + u;
      if (code[x] != 0 && vt_region_first(&run->grid, code[x], u, v) == own)
        ok = add_first(r, own);
    }
    pthread_mutex_unlock(&r->lock);
  }
  return ok ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static int
by_place(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* A rank's rows are all above the next one's, so that the lists follow each other. */
static VitrailStatus
gather(Regions *r)
{
  VtRun *run = r->s->run;
  VtGathered all;
  if (r->n > 1)
    qsort(r->firsts, (size_t)r->n, sizeof *r->firsts, by_place);
  if (run->host.n_ranks > 1) {
    TRY(vt_ranks_gather(run, r->firsts, (size_t)r->n * sizeof *r->firsts, &all));
    free(r->firsts);
    r->firsts = all.data;
    r->room = all.bytes / sizeof *r->firsts;
    r->n = (int64_t)r->room;
  }
  vt_run_hold(r->s->run, (double)r->room * sizeof *r->firsts);
  if (r->n >= INT32_MAX)
    return vt_fail(run, VITRAIL_UNSUPPORTED, "There are more than two thousand million regions.");
  return VITRAIL_OK;
}

static VitrailStatus
number_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const Regions *r = user;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *code = vt_image_at(&t->in[0], 0, y);
    int32_t *number = vt_image_at(&t->out[0], 0, y), last_code = 0, last = 0;
    int64_t last_first = -1;
    for (int64_t x = 0; x < t->tile.width; x++) {
      const int64_t first = code[x] == 0 ? -1 : vt_region_first(&run->grid, code[x], t->tile.x + x, t->tile.y + y);
      if (code[x] != last_code || first != last_first) {
        const int64_t *found =
          code[x] && r->n > 0 ? bsearch(&first, r->firsts, (size_t)r->n, sizeof first, by_place) : NULL;
        if (code[x] && !found)
          return vt_fail(run, VITRAIL_INTERNAL, "A region has no first pixel.");
        last_code = code[x];
        last_first = first;
        last = found ? (int32_t)(found - r->firsts) + 1 : 0;
      }
      number[x] = last;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
label(VtStreamed *s, VtStore *codes)
{
  Regions r = { .s = s };
  const VtStreamLocal find = { .in = { codes }, .body = find_tile, .user = &r };
  const VtStreamLocal number = { .in = { codes }, .out = { codes }, .body = number_tile, .user = &r };
  pthread_mutex_init(&r.lock, NULL);
  VitrailStatus status = vt_streamed_local(s, &find);
  THEN(status, vt_ranks_agree(s->run, gather(&r)));
  THEN(status, vt_streamed_local(s, &number));
  pthread_mutex_destroy(&r.lock);
  free(r.firsts);
  return status;
}

VitrailStatus
vt_streamed_region_labels(VtStreamed *s, VtStore *codes)
{
  TRY(vt_streamed_settle(s));
  return vt_journal_enter(s) ? vt_journal_leave(s, label(s, codes), NULL, 0) : VITRAIL_OK;
}
