/* SPDX-License-Identifier: MIT
 *
 * Propagations over stores other than reconstruction. Each is the one fixpoint of a rule between two neighbouring pixels
 * that changes them in one direction only; so it may be worked out tile by tile, with what the neighbours were a moment ago, in
 * any order (propagate.c). What a pixel begins with is found first, tile by tile with a halo of one pixel. */
#include <math.h>
#include <stdlib.h>

#include "scale/waves.h"
#include "scale/journal.h"
#include "scale/propagate.h"
#include "scale/ranks.h"
#include "scale/spread-impl.h"

static VitrailStatus
propagate(VtStreamed *s, VtWorkers *workers, VtStream *stream)
{
  double held = 0;
  const VtStreamLocal plain = { .in = { stream->marker },
                                .out = { stream->marker },
                                .body = vt_tile_copy }; /* it is written to */
  TRY(vt_store_is_relabelled(stream->marker) ? vt_streamed_local(s, &plain) : vt_streamed_settle(s));
  if (!vt_journal_enter(s))
    return VITRAIL_OK;
  stream->held = &held;
  stream->memories = &s->memories;
  vt_streamed_step(s, &stream->progress[0], &stream->progress[1]);
  VitrailStatus status = vt_streamed_halo(s, stream->marker, 1);
  THEN(status, vt_streamed_halo(s, stream->mask, 1));
  for (int k = 0; k < VT_LOCAL_IN && stream->guide && status == VITRAIL_OK; k++)
    status = vt_streamed_halo(s, stream->guide->in[k], stream->guide->halo + 1);
  THEN(status, vt_stream_reconstruct(s->run, workers, stream));
  vt_run_hold(s->run, held);
  return vt_journal_leave(s, status, NULL, 0);
}

/* Over all tiles, until no pixel of the state changes. Several processes tell each other their rows before the first visit, so there the
 * state must be in its store. */
static VitrailStatus
settle(VtStreamed *s, VtStream *stream)
{
  stream->own = s->own;
  if (s->run->host.n_ranks > 1) {
    VtStreamLocal begin = *stream->begin;
    begin.out[0] = stream->marker;
    stream->begin = NULL;
    TRY(vt_streamed_local(s, &begin));
  }
  return propagate(s, &s->cpu, stream);
}

VitrailStatus
vt_streamed_reconstruct(VtStreamed *s, VtStore *marker, VtStore *mask, int32_t connectivity)
{
  VtStream stream = {
    .marker = marker, .mask = mask, .own = s->own, .connectivity = connectivity, .algorithm = s->algorithm
  };
  if (s->workers.n_devices == 0 && s->run->host.n_ranks < 2)
    stream.begin = vt_chain_take(s, marker); /* no store has to hold the marker before */
  const VitrailStatus status = propagate(s, &s->workers, &stream);
  if (status == VITRAIL_OK)
    vt_chain_give_up(s);
  return status;
}

/* --- regional maxima: a plateau is none as soon as one pixel of it has a higher neighbour --- */

enum { OUTSIDE = 0, NO_MAXIMUM = 1, MAXIMUM = 255 };

typedef struct {
  int32_t connectivity;
  bool minima;
} Extrema;

/* Whether x can see a higher value (a lower one), with a mask or at the border. */
#define BEGIN_PIXEL(T) \
  { \
    const int64_t u = x + left, v = y + top; \
    const T own = *(const T *)vt_image_at(src, u, v); \
    to[x] = MAXIMUM; \
    for (int k = 0; k < N_NEIGHBOURS; k++) { \
      if ((e->connectivity == 4 && dx[k] != 0 && dy[k] != 0) || !inside(src, u + dx[k], v + dy[k]) \
          || (in->data && !*(const uint8_t *)vt_image_at(in, u + dx[k], v + dy[k]))) \
        continue; \
      const T other = *(const T *)vt_image_at(src, u + dx[k], v + dy[k]); \
      if (e->minima ? other < own : other > own) \
        to[x] = NO_MAXIMUM; \
    } \
    if (in->data && !*(const uint8_t *)vt_image_at(in, u, v)) \
      to[x] = OUTSIDE; \
    else if (own != own) \
      return VITRAIL_BAD_ARGUMENT; \
  }
/* The same of pixels that have all neighbours, in a loop of which the compiler makes vectors. */
#define BEGIN_ROW(T, IS_BEYOND, WITH_DIAGONALS) \
  for (int64_t x = first; x < end; x++) { \
    const T own = here[x]; \
    int beyond = \
      (above[x] IS_BEYOND own) | (below[x] IS_BEYOND own) | (here[x - 1] IS_BEYOND own) | (here[x + 1] IS_BEYOND own); \
    if (WITH_DIAGONALS) \
      beyond |= (above[x - 1] IS_BEYOND own) | (above[x + 1] IS_BEYOND own) | (below[x - 1] IS_BEYOND own) \
                | (below[x + 1] IS_BEYOND own); \
    to[x] = beyond ? NO_MAXIMUM : MAXIMUM; \
    bad |= own != own; \
  }
#define BEGIN(T) \
  for (int64_t y = 0; y < out->height; y++) { \
    uint8_t *to = vt_image_at(out, 0, y); \
    const bool inner = !in->data && y + top > 0 && y + top + 1 < src->height; \
    const int64_t first = inner ? (left == 0) : 0, end = inner ? out->width - (left + out->width == src->width) : 0; \
    const T *above = vt_image_at(src, left, inner ? y + top - 1 : 0), *here = vt_image_at(src, left, y + top), \
            *below = vt_image_at(src, left, inner ? y + top + 1 : 0); \
    int bad = 0; \
    if (e->connectivity == 4 && e->minima) \
      BEGIN_ROW(T, <, false) \
    else if (e->connectivity == 4) \
      BEGIN_ROW(T, >, false) \
    else if (e->minima) \
      BEGIN_ROW(T, <, true) \
    else \
      BEGIN_ROW(T, >, true) \
    if (bad) \
      return VITRAIL_BAD_ARGUMENT; \
    for (int64_t x = 0; x < first && x < out->width; x++) \
      BEGIN_PIXEL(T) \
    for (int64_t x = end > first ? end : first; x < out->width; x++) \
      BEGIN_PIXEL(T) \
  }

static VitrailStatus
begin_extrema(VtRun *run, const VtLocalTile *t, void *user)
{
  const Extrema *e = user;
  const VtImage *src = &t->in[0], *in = &t->in[1], *out = &t->out[0];
  const int64_t left = t->tile.x - t->window.x, top = t->tile.y - t->window.y;
  switch (src->type) {
  case VITRAIL_U8: BEGIN(uint8_t); break;
  case VITRAIL_U16: BEGIN(uint16_t); break;
  case VITRAIL_I32: BEGIN(int32_t); break;
  case VITRAIL_F32: BEGIN(float); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
}

static bool
is_no_maximum(const void *state, int64_t from)
{
  return ((const uint8_t *)state)[from] == NO_MAXIMUM;
}

static bool
may_be_maximum(const void *state, const void *guide, int64_t to)
{
  return ((const uint8_t *)state)[to] == MAXIMUM;
}

#define SPREAD_EQUAL(T) \
  static bool offer_##T(void *state, const void *guide, int64_t from, int64_t to) \
  { \
    uint8_t *s = state; \
    const T *g = guide; \
    if (s[to] != MAXIMUM || g[from] != g[to]) \
      return false; \
    s[to] = NO_MAXIMUM; \
    return true; \
  }
SPREAD_EQUAL(uint8_t)
SPREAD_EQUAL(uint16_t)
SPREAD_EQUAL(int32_t)
SPREAD_EQUAL(float)

static VitrailStatus
extrema_kernel(const VtImage *state, const VtImage *guide, int32_t connectivity, const VtCancel *cancel)
{
  switch (guide->type) {
  case VITRAIL_U8: return spread(state, guide, connectivity, cancel, is_no_maximum, may_be_maximum, offer_uint8_t);
  case VITRAIL_U16: return spread(state, guide, connectivity, cancel, is_no_maximum, may_be_maximum, offer_uint16_t);
  case VITRAIL_I32: return spread(state, guide, connectivity, cancel, is_no_maximum, may_be_maximum, offer_int32_t);
  default: return spread(state, guide, connectivity, cancel, is_no_maximum, may_be_maximum, offer_float);
  }
}

static VitrailStatus
end_extrema(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtPointwise args = { .op = VT_PW_ABOVE, .a = t->in[0], .dst = t->out[0], .s = MAXIMUM - 1 };
  return run->cpu->pointwise(run->cpu_device, &args, &run->cancel);
}

VitrailStatus
vt_streamed_regional(VtStreamed *s, VtStore *src, VtStore *in, VtStore *dst, int32_t connectivity, bool minima)
{
  Extrema e = { connectivity, minima };
  const VtStreamLocal begin = { .in = { src, in }, .halo = 1, .body = begin_extrema, .user = &e };
  const VtStreamLocal end = { .in = { dst }, .out = { dst }, .body = end_extrema };
  VtStream stream = {
    .marker = dst, .mask = src, .begin = &begin, .connectivity = connectivity, .kernel = extrema_kernel
  };
  TRY(settle(s, &stream));
  return vt_streamed_later(s, &end, 0);
}

/* --- influence zones: the least (steps, label), as one number --- */

static VitrailStatus
begin_zones(VtRun *run, const VtLocalTile *t, void *user)
{
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *seed = vt_image_at(&t->in[0], 0, y);
    const uint8_t *mask = vt_image_at(&t->in[1], 0, y);
    int64_t *to = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++)
      to[x] = seed[x] > 0 && mask[x] ? seed[x] : VT_EDT_NONE64;
  }
  return VITRAIL_OK;
}

static bool
is_in_zone(const void *state, int64_t from)
{
  return ((const int64_t *)state)[from] < VT_EDT_NONE64 - (INT64_C(1) << 32);
}

static bool
can_be_in_zone(const void *state, const void *guide, int64_t to)
{
  return ((const uint8_t *)guide)[to] != 0;
}

static bool
offer_zone(void *state, const void *guide, int64_t from, int64_t to)
{
  int64_t *s = state;
  const int64_t step = INT64_C(1) << 32;
  if (s[to] <= s[from] + step || !((const uint8_t *)guide)[to])
    return false;
  s[to] = s[from] + step;
  return true;
}

static VitrailStatus
zones_kernel(const VtImage *state, const VtImage *guide, int32_t connectivity, const VtCancel *cancel)
{
  return spread(state, guide, connectivity, cancel, is_in_zone, can_be_in_zone, offer_zone);
}

VitrailStatus
vt_streamed_geodesic(VtStreamed *s, VtStore *seeds, VtStore *mask, VtStore *found, int32_t connectivity)
{
  const VtStreamLocal begin = { .in = { seeds, mask }, .body = begin_zones };
  VtStream stream = {
    .marker = found, .mask = mask, .begin = &begin, .connectivity = connectivity, .kernel = zones_kernel
  };
  return settle(s, &stream);
}

/* --- watershed --- */

/* Distances in plateaus; a path of more steps than these numbers hold is noticed. */
enum { NOT_IN_MASK = -1, FARTHEST = INT32_MAX - 1, UNREACHED = INT32_MAX };
/* Parents: 0..7 a neighbour; */
enum { ROOT = 8, NOBODY = 9, UNKNOWN = -1 };

/* Row y of a window with a frame of one pixel; what is not in the mask is lowest. */
static void
masked_row(const VtLocalTile *t, int64_t y, float *row)
{
  const VtImage *level = &t->in[0], *mask = &t->in[1];
  const bool is_there = y >= 0 && y < level->height;
  const float *from = is_there ? vt_image_at(level, 0, y) : NULL;
  const uint8_t *in = is_there ? vt_image_at(mask, 0, y) : NULL;
  for (int64_t x = 0; x < level->width; x++)
    row[x + 1] = is_there && in[x] ? from[x] : -INFINITY;
  row[0] = row[level->width + 1] = -INFINITY;
}

static void
begin_row(int32_t *restrict to, const float *restrict above, const float *restrict here, const float *restrict below,
          const uint8_t *restrict mask, const int32_t *restrict seed, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const float own = here[x];
    const int higher = (above[x - 1] > own) | (above[x] > own) | (above[x + 1] > own) | (here[x - 1] > own)
                       | (here[x + 1] > own) | (below[x - 1] > own) | (below[x] > own) | (below[x + 1] > own);
    const int32_t steps = seed[x] > 0 ? 0 : higher ? 1 : UNREACHED;
    to[x] = mask[x] ? steps : NOT_IN_MASK;
  }
}

/* A seed has 0, a pixel with a higher neighbour 1. */
static VitrailStatus
begin_plateaus(VtRun *run, const VtLocalTile *t, void *user)
{
  const int64_t left = t->tile.x - t->window.x, top = t->tile.y - t->window.y, n = t->window.width + 2;
  float *rows = malloc((size_t)(3 * n) * sizeof *rows);
  if (!rows)
    return VITRAIL_OUT_OF_MEMORY;
  masked_row(t, top - 1, rows + (top + 2) % 3 * n);
  masked_row(t, top, rows + top % 3 * n);
  for (int64_t y = 0; y < t->tile.height; y++) {
    const float *row[3];
    masked_row(t, y + top + 1, rows + (y + top + 1) % 3 * n);
    for (int k = 0; k < 3; k++)
      row[k] = rows + (y + top + 2 + k) % 3 * n + left + 1;
    begin_row(vt_image_at(&t->out[0], 0, y), row[0], row[1], row[2], vt_image_at(&t->in[1], left, y + top),
              vt_image_at(&t->in[2], left, y + top), t->tile.width);
  }
  free(rows);
  return VITRAIL_OK;
}

static bool
is_near(const void *state, int64_t from)
{
  const int32_t steps = ((const int32_t *)state)[from];
  return steps >= 0 && steps < FARTHEST;
}

static bool
is_not_entered(const void *state, const void *guide, int64_t to)
{
  return ((const int32_t *)state)[to] > 1;
}

static bool
offer_step(void *state, const void *guide, int64_t from, int64_t to)
{
  int32_t *s = state;
  const float *level = guide;
  if (s[to] <= s[from] + 1 || level[from] != level[to])
    return false;
  s[to] = s[from] + 1;
  return true;
}

static VitrailStatus
plateau_kernel(const VtImage *state, const VtImage *guide, int32_t connectivity, const VtCancel *cancel)
{
  return spread(state, guide, connectivity, cancel, is_near, is_not_entered, offer_step);
}

/* The first neighbour by (level descending, distance ascending, index ascending). */
static inline uint8_t
parent_of(const VtImage *level, const VtImage *steps, int64_t x, int64_t y)
{
  const bool inner = is_inner(level, x, y);
  const char *level_here = vt_image_at(level, x, y), *steps_here = vt_image_at(steps, x, y);
  float best_level = 0;
  int32_t best_steps = 0;
  uint8_t best = NOBODY;
  for (uint8_t k = 0; k < N_NEIGHBOURS; k++) {
    if (!inner && !inside(level, x + dx[k], y + dy[k]))
      continue;
    const float l = ((const float *)(level_here + dy[k] * level->stride))[dx[k]];
    const int32_t d = ((const int32_t *)(steps_here + dy[k] * steps->stride))[dx[k]];
    if (d < 0 || (best != NOBODY && (l < best_level || (l == best_level && d >= best_steps))))
      continue;
    best = k;
    best_level = l;
    best_steps = d;
  }
  return best;
}

static VitrailStatus
find_parents(VtRun *run, const VtLocalTile *t, void *user)
{
  const int64_t left = t->tile.x - t->window.x, top = t->tile.y - t->window.y;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *steps = vt_image_at(&t->in[1], left, y + top);
    uint8_t *parent = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++) {
      parent[x] = steps[x] == 0                           ? ROOT
                  : steps[x] < 0 || steps[x] == UNREACHED ? NOBODY
                                                          : parent_of(&t->in[0], &t->in[1], x + left, y + top);
      if (steps[x] == FARTHEST)
        return vt_fail(run, VITRAIL_UNSUPPORTED, "A plateau is more than two thousand million steps long.");
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
begin_labels(VtRun *run, const VtLocalTile *t, void *user)
{
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *steps = vt_image_at(&t->in[0], 0, y), *seed = vt_image_at(&t->in[1], 0, y);
    int32_t *label = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++)
      label[x] = steps[x] == 0 ? seed[x] : 0;
  }
  return VITRAIL_OK;
}

/* The label at the end of the path of parents from i, for all of the path; a path that leaves the window, or ends at nobody,
 * has none. UNKNOWN keeps it from being followed again. */
static void
follow(int32_t *labels, const uint8_t *parents, const VtImage *image, int64_t i)
{
  const int64_t width = image->width;
  int64_t end = i, x = i % width, y = i / width;
  while (labels[end] == 0 && parents[end] < ROOT) {
    x += dx[parents[end]];
    y += dy[parents[end]];
    if (!inside(image, x, y))
      break;
    end = y * width + x;
  }
  const int32_t label = labels[end] ? labels[end] : UNKNOWN;
  while (i != end) {
    labels[i] = label;
    i += dy[parents[i]] * width + dx[parents[i]];
  }
  labels[end] = label;
}

static VitrailStatus
label_kernel(const VtImage *state, const VtImage *guide, int32_t connectivity, const VtCancel *cancel)
{
  const int64_t n_px = state->width * state->height;
  int32_t *labels = state->data;
  const uint8_t *parents = guide->data;
  for (int64_t i = 0; i < n_px; i++) {
    if (labels[i] == 0 && parents[i] < ROOT)
      follow(labels, parents, state, i);
    if (i % CANCEL_EVERY == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  for (int64_t i = 0; i < n_px; i++)
    labels[i] = labels[i] == UNKNOWN ? 0 : labels[i];
  return VITRAIL_OK;
}

VitrailStatus
vt_streamed_watershed(VtStreamed *s, VtStore *level, VtStore *seeds, VtStore *mask, VtStore *labels)
{
  VtStore *steps;
  TRY(vt_streamed_store(s, VITRAIL_I32, &steps));
  const VtStreamLocal plateaus = { .in = { level, mask, seeds }, .halo = 1, .body = begin_plateaus };
  VtStream entry = { .marker = steps, .mask = level, .begin = &plateaus, .connectivity = 8, .kernel = plateau_kernel };
  TRY(settle(s, &entry));
  const VtStreamLocal roots = { .in = { steps, seeds }, .body = begin_labels },
                      parents = { .in = { level, steps }, .halo = 1, .body = find_parents };
  VtStream paths = { .marker = labels,
                     .begin = &roots,
                     .guide = &parents,
                     .guide_type = VITRAIL_U8,
                     .connectivity = 8,
                     .kernel = label_kernel };
  TRY(settle(s, &paths));
  vt_streamed_drop(s, steps);
  return VITRAIL_OK;
}
