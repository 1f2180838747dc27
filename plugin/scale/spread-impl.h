/* SPDX-License-Identifier: MIT
 *
 * spread-impl.h: a rule between two neighbouring pixels, spread over one window until no pixel changes: offers of pixels to their neighbours
 * until nobody takes. The rule's functions become part of the loops. */
#pragma once

#include <stdlib.h>

#include "run/raster.h"

/* AT_ONCE: pixels of a row that one loop for vectors looks at; most have nothing to take. */
enum { N_NEIGHBOURS = 8, CANCEL_EVERY = 1 << 16, ROWS_PER_LOOK = 16, AT_ONCE = 64 };
/* In the order of indexes: the first four are before a pixel. */
static const int8_t dx[N_NEIGHBOURS] = { -1, 0, 1, -1, 1, -1, 0, 1 };
static const int8_t dy[N_NEIGHBOURS] = { -1, -1, -1, 0, 0, 1, 1, 1 };

static bool
inside(const VtImage *image, int64_t x, int64_t y)
{
  return x >= 0 && y >= 0 && x < image->width && y < image->height;
}

/* False if the pixel has nothing to offer; if it can take nothing. */
typedef bool (*Speaks)(const void *state, int64_t from);
typedef bool (*Listens)(const void *state, const void *guide, int64_t to);
/* True if the pixel `to` took what `from` offers. */
typedef bool (*Offer)(void *state, const void *guide, int64_t from, int64_t to);

typedef struct {
  VtImage image;
  int64_t pitch; /* pixels from row to row, of the guide as well */
  const void *guide;
  int32_t connectivity;
  int32_t *queue; /* a ring; a pixel is in it once at most */
  uint8_t *waits;
  int64_t first, n;
} Wave;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE bool
is_inner(const VtImage *image, int64_t x, int64_t y)
{
  return x > 0 && y > 0 && x + 1 < image->width && y + 1 < image->height;
}

static inline void
push(Wave *w, int64_t i)
{
  if (w->waits[i])
    return;
  const int64_t n_px = w->pitch * w->image.height, end = w->first + w->n++;
  w->waits[i] = 1;
  w->queue[end < n_px ? end : end - n_px] = (int32_t)i;
}

ALWAYS_INLINE void
offer_all(Wave *w, int64_t i, Speaks speaks, Offer offer)
{
  if (!speaks(w->image.data, i))
    return;
  const int64_t pitch = w->pitch, x = i % pitch, y = i / pitch;
  const bool inner = is_inner(&w->image, x, y);
  for (int k = 0; k < N_NEIGHBOURS; k++) {
    if ((w->connectivity == 4 && dx[k] != 0 && dy[k] != 0) || (!inner && !inside(&w->image, x + dx[k], y + dy[k])))
      continue;
    const int64_t to = i + dy[k] * pitch + dx[k];
    if (offer(w->image.data, w->guide, i, to))
      push(w, to);
  }
}

/* What the neighbours first..end - 1 of pixel (x,y) offer; true: it took something. */
ALWAYS_INLINE bool
take_offers(Wave *w, int64_t x, int64_t y, int first, int end, Speaks speaks, Offer offer)
{
  const int64_t pitch = w->pitch, i = y * pitch + x;
  const bool inner = is_inner(&w->image, x, y);
  bool took = false;
  for (int k = first; k < end; k++) {
    if ((w->connectivity == 4 && dx[k] != 0 && dy[k] != 0) || (!inner && !inside(&w->image, x + dx[k], y + dy[k])))
      continue;
    const int64_t from = i + dy[k] * pitch + dx[k];
    took |= speaks(w->image.data, from) && offer(w->image.data, w->guide, from, i);
  }
  return took;
}

/* Whether a pixel of a part of a row can take anything. */
ALWAYS_INLINE bool
any_listens(const Wave *w, int64_t from, int64_t n, Listens listens)
{
  int any = 0;
  if (n == AT_ONCE)
    for (int k = 0; k < AT_ONCE; k++)
      any |= listens(w->image.data, w->guide, from + k);
  return n < AT_ONCE || any;
}

/* A row takes from its neighbours first..end - 1, in order, or backwards. queues: what takes something begins the wavefront. */
ALWAYS_INLINE void
sweep_row(Wave *w, int64_t y, bool backwards, int first, int end, bool queues, Speaks speaks, Listens listens,
          Offer offer)
{
  const int64_t width = w->image.width, row = y * w->pitch, n_parts = (width + AT_ONCE - 1) / AT_ONCE;
  for (int64_t part = 0; part < n_parts; part++) {
    const int64_t begin = (backwards ? n_parts - 1 - part : part) * AT_ONCE,
                  n = width - begin < AT_ONCE ? width - begin : AT_ONCE;
    if (!any_listens(w, row + begin, n, listens))
      continue;
    for (int64_t k = 0; k < n; k++) {
      const int64_t x = begin + (backwards ? n - 1 - k : k);
      if (listens(w->image.data, w->guide, row + x) && take_offers(w, x, y, first, end, speaks, offer) && queues)
        push(w, row + x);
    }
  }
}

/* A sweep down, in which pixels take from those before them, and one up; then most have what they will have, and the others begin
 * the wavefront. */
ALWAYS_INLINE VitrailStatus
sweep(Wave *w, Speaks speaks, Listens listens, Offer offer, const VtCancel *cancel)
{
  const int64_t height = w->image.height;
  for (int64_t y = 0; y < height; y++) {
    sweep_row(w, y, false, 0, N_NEIGHBOURS / 2, false, speaks, listens, offer);
    if (y % ROWS_PER_LOOK == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  for (int64_t y = height; y-- > 0;) {
    sweep_row(w, y, true, N_NEIGHBOURS / 2, N_NEIGHBOURS, false, speaks, listens, offer);
    if (y % ROWS_PER_LOOK == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  for (int64_t y = 0; y < height; y++) {
    sweep_row(w, y, false, 0, N_NEIGHBOURS, true, speaks, listens, offer);
    if (y % ROWS_PER_LOOK == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

ALWAYS_INLINE VitrailStatus
spread(const VtImage *state, const VtImage *guide, int32_t connectivity, const VtCancel *cancel, Speaks speaks,
       Listens listens, Offer offer)
{
  const int64_t pitch = state->stride / (int64_t)vt_type_size(state->type), n_px = pitch * state->height;
  Wave w = { .image = *state, .pitch = pitch, .guide = guide->data, .connectivity = connectivity };
  w.queue = malloc((size_t)n_px * sizeof *w.queue);
  w.waits = calloc((size_t)n_px, 1);
  VitrailStatus status = w.queue && w.waits ? sweep(&w, speaks, listens, offer, cancel) : VITRAIL_OUT_OF_MEMORY;
  for (int64_t turn = 1; w.n > 0 && status == VITRAIL_OK; turn++) {
    const int64_t i = w.queue[w.first];
    w.first = w.first + 1 < n_px ? w.first + 1 : 0;
    w.n--;
    w.waits[i] = 0;
    offer_all(&w, i, speaks, offer);
    if (turn % CANCEL_EVERY == 0 && vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  free(w.queue);
  free(w.waits);
  return status;
}
