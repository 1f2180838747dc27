/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "steps/found.h"

VtFoundList *
vt_found_new(void)
{
  VtFoundList *list = calloc(1, sizeof *list);
  if (list && pthread_mutex_init(&list->lock, NULL) != 0) {
    free(list);
    return NULL;
  }
  return list;
}

void
vt_found_clear(VtFoundList *list)
{
  free(list->all.at);
  free(list->all.bytes);
  list->all = (VtRegionsFound){ 0 };
}

void
vt_found_free(VtFoundList *list)
{
  if (!list)
    return;
  vt_found_clear(list);
  pthread_mutex_destroy(&list->lock);
  free(list);
}

static bool
append(VtRegionsFound *all, const VtRegionsFound *found)
{
  if (found->n == 0)
    return true;
  if (!vt_make_room(&all->at, &all->room, all->n + found->n, sizeof *all->at)
      || !vt_make_room(&all->bytes, &all->bytes_room, all->n_bytes + found->n_bytes, 1))
    return false;
  memcpy(all->at + all->n, found->at, found->n * sizeof *all->at);
  memcpy(all->bytes + all->n_bytes, found->bytes, found->n_bytes);
  for (size_t i = all->n; i < all->n + found->n; i++)
    all->at[i].pixels += all->n_bytes;
  all->n += found->n;
  all->n_bytes += found->n_bytes;
  return true;
}

VitrailStatus
vt_found_add(VtRun *run, const VtRegionsFound *found)
{
  VtFoundList *list = run->found;
  pthread_mutex_lock(&list->lock);
  const bool is_ok = append(&list->all, found);
  pthread_mutex_unlock(&list->lock);
  return is_ok ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the candidates."));
}

static int
compare_first(const void *one, const void *two)
{
  const VtRegionFound *a = one, *b = two;
  return a->y != b->y ? (a->y > b->y) - (a->y < b->y) : (a->first_x > b->first_x) - (a->first_x < b->first_x);
}

void
vt_found_sort(VtFoundList *list)
{
  if (list->all.n > 0)
    qsort(list->all.at, list->all.n, sizeof *list->all.at, compare_first);
}
