/* SPDX-License-Identifier: MIT
 *
 * downhill-impl.h: template (each-type.h) of the downhill algorithm; its text is in downhill.c. */
#include "../reconstruct/planes-impl.h"
#include "../reconstruct/propagate-impl.h"

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
  const int64_t capacity = 2 * waiting->capacity;
  TYPED(Entry) *entries = vt_cpu_big_alloc((size_t)capacity * sizeof *entries);
  if (!entries)
    return false;
  if (waiting->entries)
    memcpy(entries, waiting->entries, (size_t)waiting->capacity * sizeof *entries);
  free(waiting->entries);
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
TYPED(wait_sources)(const TYPED(Planes) * p, TYPED(Waiting) * waiting, const VtCancel *cancel)
{
  for (int64_t i = 0; i < p->depth * p->height; i++) {
    const int64_t row = TYPED(row_at)(p, i);
    for (int64_t at = row; at < row + p->width; at++) {
      const PIXEL value = p->marker[at];
      bool gives = false;
      for (int k = 0; k < p->n_around; k++) {
        const PIXEL old = p->marker[at + p->around[k]];
        gives |= old < value && old < p->mask[at + p->around[k]];
      }
      if (gives && !TYPED(waiting_push)(waiting, at, value))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if (vt_cpu_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(go_down)(const TYPED(Planes) * p, TYPED(Waiting) * waiting, const VtCancel *cancel)
{
  int64_t at;
  PIXEL value;
  for (uint64_t pops = 1; TYPED(waiting_pop)(waiting, &at, &value); pops++) {
    for (int k = 0; k < p->n_around && p->marker[at] == value; k++) {
      const int64_t next = at + p->around[k];
      const PIXEL old = p->marker[next], mask = p->mask[next];
      if (old < value && old < mask) {
        p->marker[next] = TYPED(min)(value, mask);
        if (!TYPED(waiting_push)(waiting, next, p->marker[next]))
          return VITRAIL_OUT_OF_MEMORY;
      }
    }
    if ((pops & 0x3fff) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(solve)(TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  TYPED(Waiting) *waiting = calloc(1, sizeof *waiting);
  if (!waiting)
    return VITRAIL_OUT_OF_MEMORY;
  waiting->capacity = p->n_pixels / 2 + 1; /* twice that to begin with: to grow takes long, and room is not touched */
  VitrailStatus status = TYPED(waiting_grow)(waiting) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = TYPED(wait_sources)(p, waiting, cancel);
  if (status == VITRAIL_OK)
    status = TYPED(go_down)(p, waiting, cancel);
  free(waiting->entries);
  free(waiting);
  return status;
}

#include "../reconstruct/stripes-impl.h"
