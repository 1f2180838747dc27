/* SPDX-License-Identifier: MIT */
#include "engine/saddle.h"

#include <stdlib.h>

#include "run/raster.h"

/* A pixel that waits, by its place in the image. */
typedef struct {
  float value;
  int64_t place;
} Waiting;

typedef struct {
  const VtRun *run;
  const VtImage *image;
  uint8_t *is_seen; /* by place */
  Waiting *list;    /* a heap, the highest first; or a stack */
  size_t n, room;
  VtSaddle *found;
} Walk;

static float
value_at(const Walk *w, int64_t place)
{
  return *(const float *)vt_image_at(w->image, place % w->image->width, place / w->image->width);
}

static void
put(Walk *w, size_t i, Waiting item)
{
  while (i > 0 && w->list[(i - 1) / 2].value < item.value) {
    w->list[i] = w->list[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  w->list[i] = item;
}

static VitrailStatus
push(Walk *w, int64_t place, bool as_heap)
{
  const Waiting item = { value_at(w, place), place };
  if (w->n == w->room) {
    const size_t room = w->room ? 2 * w->room : 1024;
    Waiting *list = realloc(w->list, room * sizeof *list);
    if (!list)
      return VITRAIL_OUT_OF_MEMORY;
    w->list = list;
    w->room = room;
  }
  w->is_seen[place] = 1;
  w->list[w->n++] = item;
  if (as_heap)
    put(w, w->n - 1, item);
  return VITRAIL_OK;
}

static Waiting
pop_highest(Walk *w)
{
  const Waiting top = w->list[0], last = w->list[--w->n];
  size_t i = 0;
  for (size_t child = 1; child < w->n; child = 2 * i + 1) {
    if (child + 1 < w->n && w->list[child + 1].value > w->list[child].value)
      child++;
    if (w->list[child].value <= last.value)
      break;
    w->list[i] = w->list[child];
    i = child;
  }
  if (w->n > 0)
    w->list[i] = last;
  return top;
}

/* To `places`; returns how many. */
static int
list_neighbours(Walk *w, int64_t place, int64_t places[8])
{
  const VtGrid *grid = &w->run->grid;
  const int64_t width = w->image->width, height = w->image->height, x = place % width, y = place / width;
  int n = 0;
  w->found->is_cut |= (x == 0 && grid->x > 0) || (y == 0 && grid->y > 0)
                      || (x == width - 1 && grid->x + grid->width < grid->image_width)
                      || (y == height - 1 && grid->y + grid->height < grid->image_height);
  for (int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < height; v++)
    for (int64_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < width; u++)
      if (u != x || v != y)
        places[n++] = v * width + u;
  return n;
}

/* Goes over the plateau of `start`. *top: its highest neighbour, the first of them row by row, or `start` where none is higher. */
static VitrailStatus
cross_plateau(Walk *w, int64_t start, int64_t *top)
{
  const float value = value_at(w, start);
  float highest = value;
  int64_t near[8];
  *top = start;
  w->n = 0;
  TRY(push(w, start, false));
  for (uint64_t turn = 0; w->n > 0; turn++) {
    const int n = list_neighbours(w, w->list[--w->n].place, near);
    for (int i = 0; i < n; i++) {
      const float other = value_at(w, near[i]);
      if (other == value && !w->is_seen[near[i]])
        TRY(push(w, near[i], false));
      if (other > highest || (other == highest && other > value && near[i] < *top)) {
        highest = other;
        *top = near[i];
      }
    }
    if (turn % 65536 == 0 && vt_cancelled_at(w->run, 0))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static bool
is_outside(float value, float peak)
{
  return value < 0 && (float)(value + peak) == value;
}

/* From the peak, always on from the highest pixel that was got to. */
static VitrailStatus
go_down(Walk *w, int64_t peak)
{
  VtSaddle *found = w->found;
  const float height = value_at(w, peak);
  int64_t near[8];
  found->peak = found->saddle = height;
  w->n = 0;
  TRY(push(w, peak, true));
  for (uint64_t turn = 0; w->n > 0; turn++) {
    const Waiting at = pop_highest(w);
    if (is_outside(at.value, height))
      return VITRAIL_OK;
    if (at.value < found->saddle) {
      found->saddle = at.value;
      found->saddle_x = at.place % w->image->width;
      found->saddle_y = at.place / w->image->width;
    } else if (at.value >= height && found->saddle < height) {
      found->is_found = true;
      return VITRAIL_OK;
    }
    const int n = list_neighbours(w, at.place, near);
    for (int i = 0; i < n; i++)
      if (w->is_seen[near[i]] != 1)
        TRY(push(w, near[i], true));
    if (turn % 65536 == 0 && vt_cancelled_at(w->run, 0))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_saddle_find(const VtRun *run, const VtImage *image, int64_t x, int64_t y, VtSaddle *found)
{
  Walk w = { .run = run, .image = image, .found = found };
  int64_t place = y * image->width + x, top = -1;
  VitrailStatus status = VITRAIL_OK;
  *found = (VtSaddle){ 0 };
  w.is_seen = calloc((size_t)(image->width * image->height), 1);
  if (!w.is_seen)
    return VITRAIL_OUT_OF_MEMORY;
  while (status == VITRAIL_OK && top != place) {
    place = top >= 0 ? top : place;
    status = cross_plateau(&w, place, &top);
  }
  found->is_cut = false;
  if (status == VITRAIL_OK && !is_outside(value_at(&w, place), 1)) {
    free(w.is_seen);
    w.is_seen = calloc((size_t)(image->width * image->height), 1);
    status = w.is_seen ? go_down(&w, place) : VITRAIL_OUT_OF_MEMORY;
  }
  free(w.is_seen);
  free(w.list);
  return status;
}
