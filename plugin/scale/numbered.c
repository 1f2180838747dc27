/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "scale/numbered.h"
#include "scale/journal.h"

VitrailStatus
vt_numbered_leave(VtStreamed *s, VitrailStatus status, const VtNumbered *made)
{
  const int64_t head[2] = { made->n, made->n_entries };
  const size_t n_stats = made->stats ? (size_t)made->n * sizeof *made->stats : 0,
               n_table = (size_t)made->n_entries * sizeof *made->table;
  const size_t bytes = sizeof head + n_stats + n_table;
  char *result = s->keeps && status == VITRAIL_OK ? malloc(bytes) : NULL;
  if (result) {
    memcpy(result, head, sizeof head);
    if (n_stats > 0)
      memcpy(result + sizeof head, made->stats, n_stats);
    if (n_table > 0)
      memcpy(result + sizeof head + n_stats, made->table, n_table);
  }
  if (s->keeps)
    status = vt_ranks_agree(s->run, status != VITRAIL_OK || result ? status : VITRAIL_OUT_OF_MEMORY);
  status = vt_journal_leave(s, status, result, bytes);
  free(result);
  return status;
}

/* Objects that a file of scratch holds: their boxes are where pixels are looked up. */
static bool
are_objects(const VtStreamed *s, const VtObjectStats *stats, int64_t n)
{
  const VtGrid *grid = &s->run->grid;
  bool fine = true;
  for (int64_t i = 0; fine && i < n; i++) {
    const VtObjectStats *o = &stats[i];
    fine = o->left >= 0 && o->left < o->right && o->right <= grid->width && o->top >= 0 && o->top < o->bottom
           && o->bottom <= grid->height && o->area_px > 0 && o->area_px <= (o->right - o->left) * (o->bottom - o->top);
  }
  return fine;
}

/* *made: what fits of the bytes. False: they are of something else. */
static bool
read_numbered(const VtStreamed *s, const char *result, size_t bytes, bool has_stats, VtNumbered *made)
{
  int64_t head[2];
  if (bytes < sizeof head)
    return false;
  memcpy(head, result, sizeof head);
  const int64_t most = (int64_t)(bytes / sizeof(int32_t));
  if (head[0] < 0 || head[0] > (has_stats ? most : INT32_MAX) || head[1] < 0 || head[1] > most)
    return false;
  const size_t n_stats = has_stats ? (size_t)head[0] * sizeof *made->stats : 0,
               n_table = (size_t)head[1] * sizeof *made->table;
  if (bytes != sizeof head + n_stats + n_table)
    return false;
  *made = (VtNumbered){ .n = head[0], .n_entries = head[1], .table = malloc(n_table + 1) };
  made->stats = n_stats > 0 ? malloc(n_stats) : NULL;
  if (!made->table || (n_stats > 0 && !made->stats))
    return false;
  memcpy(made->table, result + sizeof head + n_stats, n_table);
  if (n_stats > 0)
    memcpy(made->stats, result + sizeof head, n_stats);
  bool fine = !has_stats || are_objects(s, made->stats, made->n);
  for (int64_t i = 0; i < made->n_entries && fine; i++)
    fine = made->table[i] >= 0 && made->table[i] <= made->n;
  return fine;
}

/* Of a step that an interrupted run has done. */
VitrailStatus
vt_numbered_take(VtStreamed *s, VtStore *labels, bool has_stats, VtNumbered *made)
{
  void *known;
  size_t bytes;
  TRY(vt_journal_result(s, &known, &bytes));
  const bool fine = read_numbered(s, known, bytes, has_stats, made);
  free(known);
  VitrailStatus status = vt_ranks_agree(s->run, fine ? VITRAIL_OK : VITRAIL_READ_FAILED);
  if (status == VITRAIL_OK && made->n_entries > 0 && s->run->host.n_ranks < 2)
    status = vt_store_relabel(labels, made->table, made->n_entries);
  if (status != VITRAIL_OK) {
    free(made->stats);
    made->stats = NULL;
  }
  return status;
}

int
vt_by_first(const void *a, const void *b)
{
  const int64_t x = ((const int64_t *)a)[0], y = ((const int64_t *)b)[0];
  return (x > y) - (x < y);
}
