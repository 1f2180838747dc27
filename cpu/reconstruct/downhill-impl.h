/* SPDX-License-Identifier: MIT
 *
 * downhill-impl.h: template (each-type.h) of the downhill algorithm; its text is in downhill.c. */
#include "planes-impl.h"

#if LEVELS > 0
/* Lists by value; `next` is 1 + the index of an entry, 0 ends a list. Taken entries are used again. */
typedef struct TYPED(Entry) {
  int64_t pixel, next;
} TYPED(Entry);

typedef struct TYPED(Waiting) {
  TYPED(Entry) * entries;
  int64_t capacity, used, taken; /* `taken`: list of the entries to use again */
  int64_t first[LEVELS];
  int level; /* no list above it holds anything */
} TYPED(Waiting);
#else
/* A binary heap, the highest first. */
typedef struct TYPED(Entry) {
  int64_t pixel;
  PIXEL value;
} TYPED(Entry);

typedef struct TYPED(Waiting) {
  TYPED(Entry) * entries;
  int64_t capacity, used;
} TYPED(Waiting);
#endif

static bool
TYPED(waiting_grow)(TYPED(Waiting) * waiting)
{
  const int64_t capacity = waiting->capacity ? 2 * waiting->capacity : 1024;
  TYPED(Entry) *entries = realloc(waiting->entries, (size_t)capacity * sizeof *entries);
  if (!entries)
    return false;
  waiting->entries = entries;
  waiting->capacity = capacity;
  return true;
}

#if LEVELS > 0
static inline bool
TYPED(waiting_push)(TYPED(Waiting) * waiting, int64_t pixel, PIXEL value)
{
  int64_t at = waiting->taken - 1;
  if (at >= 0)
    waiting->taken = waiting->entries[at].next;
  else if (waiting->used < waiting->capacity || TYPED(waiting_grow)(waiting))
    at = waiting->used++;
  else
    return false;
  waiting->entries[at] = (TYPED(Entry)){ pixel, waiting->first[value] };
  waiting->first[value] = at + 1;
  waiting->level = value > waiting->level ? value : waiting->level;
  return true;
}

/* False: none is left. */
static inline bool
TYPED(waiting_pop)(TYPED(Waiting) * waiting, int64_t *pixel, PIXEL *value)
{
  while (waiting->level >= 0 && waiting->first[waiting->level] == 0)
    waiting->level--;
  if (waiting->level < 0)
    return false;
  const int64_t at = waiting->first[waiting->level] - 1;
  TYPED(Entry) *entry = &waiting->entries[at];
  *pixel = entry->pixel;
  *value = (PIXEL)waiting->level;
  waiting->first[waiting->level] = entry->next;
  entry->next = waiting->taken;
  waiting->taken = at + 1;
  return true;
}
#else
static inline bool
TYPED(waiting_push)(TYPED(Waiting) * waiting, int64_t pixel, PIXEL value)
{
  if (waiting->used == waiting->capacity && !TYPED(waiting_grow)(waiting))
    return false;
  TYPED(Entry) *heap = waiting->entries;
  int64_t at = waiting->used++;
  for (; at > 0 && heap[(at - 1) / 2].value < value; at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = (TYPED(Entry)){ pixel, value };
  return true;
}

static inline bool
TYPED(waiting_pop)(TYPED(Waiting) * waiting, int64_t *pixel, PIXEL *value)
{
  if (waiting->used == 0)
    return false;
  TYPED(Entry) *heap = waiting->entries;
  *pixel = heap[0].pixel;
  *value = heap[0].value;
  const TYPED(Entry) last = heap[--waiting->used];
  const int64_t n = waiting->used;
  int64_t at = 0;
  for (int64_t child = 1; child < n; child = 2 * at + 1) {
    child += child + 1 < n && heap[child + 1].value > heap[child].value;
    if (heap[child].value <= last.value)
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return true;
}
#endif

static VitrailStatus
TYPED(wait_sources)(const TYPED(Planes) * p, int n_neighbours, TYPED(Waiting) * waiting, const VtCancel *cancel)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  for (int64_t y = 0; y < p->height; y++) {
    for (int64_t at = y * w; at < y * w + p->width; at++) {
      const PIXEL value = p->marker[at];
      bool gives = false;
      for (int k = 0; k < n_neighbours; k++) {
        const PIXEL old = p->marker[at + around[k]];
        gives |= old < value && old < p->mask[at + around[k]];
      }
      if (gives && !TYPED(waiting_push)(waiting, at, value))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(go_down)(const TYPED(Planes) * p, int n_neighbours, TYPED(Waiting) * waiting, const VtCancel *cancel)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  int64_t at;
  PIXEL value;
  for (uint64_t pops = 1; TYPED(waiting_pop)(waiting, &at, &value); pops++) {
    for (int k = 0; k < n_neighbours && p->marker[at] == value; k++) {
      const int64_t next = at + around[k];
      const PIXEL old = p->marker[next], mask = p->mask[next];
      if (old < value && old < mask) {
        p->marker[next] = TYPED(min)(value, mask);
        if (!TYPED(waiting_push)(waiting, next, p->marker[next]))
          return VITRAIL_OUT_OF_MEMORY;
      }
    }
    if ((pops & 0xffff) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(downhill)(const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Planes) planes;
  VitrailStatus status = TYPED(planes_init)(&planes, args);
  TYPED(Waiting) *waiting = status == VITRAIL_OK ? calloc(1, sizeof *waiting) : NULL;
  if (status == VITRAIL_OK && !waiting)
    status = VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = TYPED(wait_sources)(&planes, args->connectivity, waiting, cancel);
  if (status == VITRAIL_OK)
    status = TYPED(go_down)(&planes, args->connectivity, waiting, cancel);
  if (status == VITRAIL_OK)
    TYPED(planes_store)(&planes, args);
  if (waiting)
    free(waiting->entries);
  free(waiting);
  free(planes.memory);
  return status;
}
