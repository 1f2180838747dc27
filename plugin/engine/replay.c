/* SPDX-License-Identifier: MIT
 *
 * Every replay works on planes with a frame, so that no neighbour needs a check of where it is. */
#include "engine/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/raster.h"

#define NEVER VITRAIL_WAVE_NEVER

enum { ASK_EVERY = 0xffff }; /* pixels */

/* Pixel (x,y) stands at (y + 1) * stride + x + 1. */
typedef struct {
  int64_t width, height, stride, n;
  int64_t around[8]; /* the four by edges stand first */
} Frame;

static Frame
frame_of(const VtImage *image)
{
  const int64_t s = image->width + 2;
  return (Frame){ .width = image->width,
                  .height = image->height,
                  .stride = s,
                  .n = s * (image->height + 2),
                  .around = { -s, -1, 1, s, -s - 1, -s + 1, s - 1, s + 1 } };
}

static int64_t
place(const Frame *frame, int64_t x, int64_t y)
{
  return (y + 1) * frame->stride + x + 1;
}

void
vt_replay_clear(VtReplay *replay)
{
  free(replay->ticks);
  free(replay->begin.data);
  free(replay->end.data);
  free(replay->levels);
  *replay = (VtReplay){ 0 };
}

/* Room for what comes out; begin only where it is wanted. */
static VitrailStatus
make_room(VtReplay *replay, const VtImage *like, VtType type, bool has_begin)
{
  *replay = (VtReplay){ .ticks = malloc((size_t)(like->width * like->height) * sizeof *replay->ticks), .n_ticks = 1 };
  vt_image_new(&replay->end, type, like->width, like->height);
  if (has_begin)
    vt_image_new(&replay->begin, type, like->width, like->height);
  return replay->ticks && replay->end.data && (!has_begin || replay->begin.data) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static VitrailStatus
done(VtReplay *replay, VitrailStatus status)
{
  if (status != VITRAIL_OK)
    vt_replay_clear(replay);
  return status;
}

static void
take_ticks(const Frame *frame, const uint32_t *ticks, VtReplay *replay)
{
  for (int64_t y = 0; y < frame->height; y++)
    memcpy(replay->ticks + y * frame->width, ticks + place(frame, 0, y), (size_t)frame->width * sizeof *ticks);
}

/* --- reconstruction --- */

/* Values as unsigned numbers in their order; the two zeros are one. */
static uint32_t
key_of(const void *at, VtType type)
{
  uint32_t bits;
  float number;
  switch (type) {
  case VITRAIL_U8: return *(const uint8_t *)at;
  case VITRAIL_U16: return *(const uint16_t *)at;
  case VITRAIL_I32: return *(const uint32_t *)at ^ UINT32_C(0x80000000);
  default:
    number = *(const float *)at + 0.0f;
    memcpy(&bits, &number, sizeof bits);
    return bits & UINT32_C(0x80000000) ? ~bits : bits | UINT32_C(0x80000000);
  }
}

static void
put_key(uint32_t key, void *at, VtType type)
{
  switch (type) {
  case VITRAIL_U8: *(uint8_t *)at = (uint8_t)key; break;
  case VITRAIL_U16: *(uint16_t *)at = (uint16_t)key; break;
  case VITRAIL_I32: *(uint32_t *)at = key ^ UINT32_C(0x80000000); break;
  default: key = key & UINT32_C(0x80000000) ? key ^ UINT32_C(0x80000000) : ~key; memcpy(at, &key, sizeof key);
  }
}

typedef struct {
  Frame frame;
  uint32_t *mask, *now, *next, *ticks; /* planes with a frame of zeros, which never rise */
  uint32_t *front, *risen;             /* lists of places */
} Growth;

static void
fill_plane(const Frame *frame, const VtImage *image, uint32_t *plane)
{
  for (int64_t y = 0; y < frame->height; y++)
    for (int64_t x = 0; x < frame->width; x++)
      plane[place(frame, x, y)] = key_of(vt_image_at(image, x, y), image->type);
}

static void
take_plane(const Frame *frame, const uint32_t *plane, const VtImage *image)
{
  for (int64_t y = 0; y < frame->height; y++)
    for (int64_t x = 0; x < frame->width; x++)
      put_key(plane[place(frame, x, y)], vt_image_at(image, x, y), image->type);
}

/* One dilation of what rose in the one before; all of it from the values before this one. */
static VitrailStatus
grow_once(Growth *g, int32_t connectivity, int64_t n_front, const VtCancel *cancel, int64_t *n_risen)
{
  *n_risen = 0;
  for (int64_t i = 0; i < n_front; i++) {
    const uint32_t from = g->front[i], value = g->now[from];
    for (int k = 0; k < connectivity; k++) {
      const int64_t to = (int64_t)from + g->frame.around[k];
      const uint32_t offer = value < g->mask[to] ? value : g->mask[to];
      if (offer <= g->next[to])
        continue;
      if (g->next[to] == g->now[to])
        g->risen[(*n_risen)++] = (uint32_t)to;
      g->next[to] = offer;
    }
    if ((i & ASK_EVERY) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
grow(Growth *g, int32_t connectivity, const VtCancel *cancel, uint32_t *n_ticks)
{
  int64_t n = 0, n_risen = 0;
  for (int64_t y = 0; y < g->frame.height; y++)
    for (int64_t x = 0; x < g->frame.width; x++)
      g->front[n++] = (uint32_t)place(&g->frame, x, y);
  for (uint32_t tick = 1; n > 0; tick++) {
    TRY(grow_once(g, connectivity, n, cancel, &n_risen));
    for (int64_t i = 0; i < n_risen; i++) {
      g->now[g->risen[i]] = g->next[g->risen[i]];
      g->ticks[g->risen[i]] = tick;
    }
    uint32_t *const front = g->front;
    g->front = g->risen;
    g->risen = front;
    n = n_risen;
    *n_ticks = n > 0 ? tick + 1 : *n_ticks;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_replay_reconstruct(const VtImage *marker, const VtImage *mask, int32_t connectivity, const VtCancel *cancel,
                      VtReplay *replay)
{
  const Frame frame = frame_of(mask);
  uint32_t *planes = calloc((size_t)frame.n * 6, sizeof *planes);
  Growth g = { .frame = frame };
  VitrailStatus status = make_room(replay, mask, mask->type, true);
  if (status == VITRAIL_OK && planes) {
    uint32_t **const parts[] = { &g.mask, &g.now, &g.next, &g.ticks, &g.front, &g.risen };
    for (size_t i = 0; i < VT_COUNT(parts); i++)
      *parts[i] = planes + (int64_t)i * frame.n;
    fill_plane(&frame, mask, g.mask);
    fill_plane(&frame, marker, g.now);
    memcpy(g.next, g.now, (size_t)frame.n * sizeof *g.now);
    take_plane(&frame, g.now, &replay->begin);
    status = grow(&g, connectivity, cancel, &replay->n_ticks);
  }
  if (status == VITRAIL_OK && planes) {
    take_plane(&frame, g.now, &replay->end);
    take_ticks(&frame, g.ticks, replay);
  }
  free(planes);
  return done(replay, planes ? status : VITRAIL_OUT_OF_MEMORY);
}

/* --- distance --- */

/* The smallest k with k * k * unit >= squared. */
static uint32_t
round_up(int64_t squared, int64_t unit)
{
  int64_t k = (int64_t)ceil(sqrt((double)squared / (double)unit));
  while (k > 0 && (k - 1) * (k - 1) >= (squared + unit - 1) / unit)
    k--;
  while (k * k < (squared + unit - 1) / unit)
    k++;
  return (uint32_t)k;
}

VitrailStatus
vt_replay_distance(const VtDistance *args, const VtImage *nearest, const VtCancel *cancel, VtReplay *replay)
{
  const int64_t width = args->src.width, x_weight = args->weight_x, y_weight = args->weight_y;
  VitrailStatus status = make_room(replay, &args->src, VITRAIL_F32, false);
  for (int64_t y = 0; y < args->src.height && status == VITRAIL_OK; y++) {
    const int64_t *from = vt_image_at(nearest, 0, y);
    float *end = vt_image_at(&replay->end, 0, y);
    for (int64_t x = 0; x < width; x++) {
      const int64_t dx = from[x] % width - x, dy = from[x] / width - y;
      const bool is_capped = from[x] < 0 && args->cap > 0, is_never = from[x] < 0 && !is_capped;
      const bool is_background = from[x] < 0 || *(const uint8_t *)vt_image_at(&args->src, x + dx, y + dy) == 0;
      const int64_t squared = is_capped ? args->cap : is_never ? 0 : x_weight * dx * dx + y_weight * dy * dy;
      const uint32_t tick = is_never ? NEVER : round_up(squared, x_weight < y_weight ? x_weight : y_weight);
      end[x] = is_never ? INFINITY : is_background ? (float)sqrt((double)squared) * args->scale : -1;
      replay->ticks[y * width + x] = tick;
      replay->n_ticks = !is_never && tick >= replay->n_ticks ? tick + 1 : replay->n_ticks;
    }
    if (vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  return done(replay, status);
}

/* --- distance, handed on from neighbour to neighbour --- */

typedef struct {
  const VtDistance *args;
  int64_t width, height;
  int64_t *site;                 /* of each pixel: the number of the background pixel that it has; -1: none */
  int64_t *list, *next, *values; /* pixels that changed in the last round and in this one; what the former had then */
  uint32_t *ticks;
} Rounds;

static int64_t
squared_to(const Rounds *r, int64_t at, int64_t site)
{
  const int64_t dx = at % r->width - site % r->width, dy = at / r->width - site / r->width;
  return r->args->weight_x * (dx * dx) + r->args->weight_y * (dy * dy);
}

/* What pixel `at` has to the eight around it; how many of them change that have not yet in this round. */
static int64_t
offer_site(Rounds *r, int64_t at, int64_t site, uint32_t tick, int64_t *next)
{
  const int64_t x = at % r->width, y = at / r->width;
  int64_t n = 0;
  for (int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < r->height; v++)
    for (int64_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < r->width; u++) {
      const int64_t to = v * r->width + u, old = r->site[to];
      const int64_t had = old < 0 ? INT64_MAX : squared_to(r, to, old), has = squared_to(r, to, site);
      if (old == site || has > had || (has == had && site > old))
        continue;
      r->site[to] = site;
      if (r->ticks[to] == tick)
        continue;
      r->ticks[to] = tick;
      next[n++] = to;
    }
  return n;
}

static VitrailStatus
hand_on(Rounds *r, const VtCancel *cancel, uint32_t *n_ticks)
{
  int64_t n = 0;
  for (int64_t i = 0; i < r->width * r->height; i++) {
    const bool is_background = *(const uint8_t *)vt_image_at(&r->args->src, i % r->width, i / r->width) == 0;
    r->site[i] = is_background ? i : -1;
    r->ticks[i] = is_background ? 0 : NEVER;
    if (is_background)
      r->list[n++] = i;
  }
  for (uint32_t tick = 1; n > 0; tick++) {
    int64_t n_next = 0;
    for (int64_t i = 0; i < n; i++)
      r->values[i] = r->site[r->list[i]];
    for (int64_t i = 0; i < n; i++) {
      n_next += offer_site(r, r->list[i], r->values[i], tick, r->next + n_next);
      if ((i & ASK_EVERY) == 0 && vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
    }
    int64_t *const other = r->list;
    r->list = r->next;
    r->next = other;
    n = n_next;
    *n_ticks = n > 0 ? tick + 1 : *n_ticks;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_replay_distance_rounds(const VtDistance *args, const VtCancel *cancel, VtReplay *replay)
{
  const size_t n = (size_t)(args->src.width * args->src.height);
  VtImage nearest;
  vt_image_new(&nearest, VT_I64, args->src.width, args->src.height);
  int64_t *planes = malloc(n * 3 * sizeof *planes);
  uint32_t *ticks = malloc(n * sizeof *ticks), n_ticks = 1;
  Rounds r = { args, args->src.width, args->src.height, nearest.data, planes, planes + n, planes + 2 * n, ticks };
  VitrailStatus status = nearest.data && planes && ticks ? hand_on(&r, cancel, &n_ticks) : VITRAIL_OUT_OF_MEMORY;
  for (size_t i = 0; i < n && status == VITRAIL_OK && args->cap > 0; i++)
    if (r.site[i] >= 0 && squared_to(&r, (int64_t)i, r.site[i]) > args->cap)
      r.site[i] = -1;
  THEN(status, vt_replay_distance(args, &nearest, cancel, replay));
  if (status == VITRAIL_OK) {
    memcpy(replay->ticks, ticks, n * sizeof *ticks);
    replay->n_ticks = n_ticks;
  }
  free(planes);
  free(ticks);
  free(nearest.data);
  return status;
}

/* --- zones --- */

/* `label`: -1 outside the mask and in the frame, 0 not reached. */
static VitrailStatus
spread_zones(const Frame *frame, int32_t connectivity, int32_t *label, uint32_t *ticks, uint32_t *list, int64_t n,
             const VtCancel *cancel, uint32_t *n_ticks)
{
  uint32_t tick = 1;
  for (int64_t first = 0, end = n; first < end; first = end, end = n, tick++) {
    for (int64_t i = first; i < end; i++) {
      for (int k = 0; k < connectivity; k++) {
        const int64_t to = (int64_t)list[i] + frame->around[k];
        if (label[to] == 0) {
          ticks[to] = tick;
          label[to] = label[list[i]];
          list[n++] = (uint32_t)to;
        } else if (label[to] > label[list[i]] && ticks[to] == tick) {
          label[to] = label[list[i]];
        }
      }
      if ((i & ASK_EVERY) == 0 && vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
    }
    *n_ticks = n > end ? tick + 1 : *n_ticks;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_replay_zones(const VtGeodesic *args, const VtCancel *cancel, VtReplay *replay)
{
  const Frame frame = frame_of(&args->seeds);
  int32_t *label = malloc((size_t)frame.n * sizeof *label);
  uint32_t *ticks = malloc((size_t)frame.n * sizeof *ticks), *list = malloc((size_t)frame.n * sizeof *list);
  VitrailStatus status = make_room(replay, &args->seeds, VITRAIL_I32, false);
  if (status == VITRAIL_OK && label && ticks && list) {
    int64_t n = 0;
    for (int64_t i = 0; i < frame.n; i++) {
      label[i] = -1;
      ticks[i] = NEVER;
    }
    for (int64_t y = 0; y < frame.height; y++)
      for (int64_t x = 0; x < frame.width; x++) {
        const int64_t at = place(&frame, x, y);
        if (*(const uint8_t *)vt_image_at(&args->mask, x, y) == 0)
          continue;
        label[at] = *(const int32_t *)vt_image_at(&args->seeds, x, y);
        if (label[at] != 0) {
          ticks[at] = 0;
          list[n++] = (uint32_t)at;
        }
      }
    status = spread_zones(&frame, args->connectivity, label, ticks, list, n, cancel, &replay->n_ticks);
    take_ticks(&frame, ticks, replay);
    for (int64_t y = 0; y < frame.height; y++)
      for (int64_t x = 0; x < frame.width; x++)
        *(int32_t *)vt_image_at(&replay->end, x, y) = label[place(&frame, x, y)] > 0 ? label[place(&frame, x, y)] : 0;
  } else {
    status = VITRAIL_OUT_OF_MEMORY;
  }
  free(label);
  free(ticks);
  free(list);
  return done(replay, status);
}

/* --- watershed --- */

/* The level's key inverted, the distance: the smaller, the earlier. */
typedef struct {
  uint64_t time;
  uint32_t at;
} Arrival;

typedef struct {
  const VtWatershed *args;
  Frame frame;
  uint32_t *level;    /* keys inverted, smaller is higher; NEVER outside the mask */
  uint32_t *distance; /* NEVER: not reached */
  uint32_t *list;
  int32_t *label;
  Arrival *arrivals, *spare;
} Flood;

static const int32_t *
seed_at(const Flood *f, uint32_t at)
{
  return vt_image_at(&f->args->seeds, (int64_t)at % f->frame.stride - 1, (int64_t)at / f->frame.stride - 1);
}

static void
start_flood(Flood *f)
{
  for (int64_t i = 0; i < f->frame.n; i++)
    f->level[i] = f->distance[i] = NEVER;
  memset(f->label, 0, (size_t)f->frame.n * sizeof *f->label);
  for (int64_t y = 0; y < f->frame.height; y++)
    for (int64_t x = 0; x < f->frame.width; x++)
      if (*(const uint8_t *)vt_image_at(&f->args->mask, x, y) != 0)
        f->level[place(&f->frame, x, y)] = ~key_of(vt_image_at(&f->args->level, x, y), VITRAIL_F32);
}

static int64_t
enter(Flood *f, uint32_t distance, int64_t n)
{
  for (int64_t y = 0; y < f->frame.height; y++)
    for (int64_t x = 0; x < f->frame.width; x++) {
      const int64_t at = place(&f->frame, x, y);
      const bool is_seed = *seed_at(f, (uint32_t)at) != 0;
      bool is_entered = false;
      for (int k = 0; k < 8; k++)
        is_entered |= f->level[at + f->frame.around[k]] < f->level[at];
      if (f->level[at] == NEVER || (distance == 0 ? !is_seed : is_seed || !is_entered))
        continue;
      f->distance[at] = distance;
      f->list[n++] = (uint32_t)at;
    }
  return n;
}

/* Inside each plateau: from its seeds (0), and from where it has a higher neighbour (1). */
static VitrailStatus
measure(Flood *f, const VtCancel *cancel, int64_t *n)
{
  *n = enter(f, 1, enter(f, 0, 0));
  for (int64_t i = 0; i < *n; i++) {
    const uint32_t from = f->list[i];
    for (int k = 0; k < 8; k++) {
      const int64_t to = (int64_t)from + f->frame.around[k];
      if (f->level[to] != f->level[from] || f->distance[to] != NEVER)
        continue;
      f->distance[to] = f->distance[from] + 1;
      f->list[(*n)++] = (uint32_t)to;
    }
    if ((i & ASK_EVERY) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* By time; those of one time stay in their order. 16 bits of the time in each turn. */
static VitrailStatus
sort(Arrival **arrivals, Arrival **spare, int64_t n, const VtCancel *cancel)
{
  int64_t *first = malloc(65537 * sizeof *first);
  VitrailStatus status = first ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int shift = 0; status == VITRAIL_OK && shift < 64; shift += 16) {
    memset(first, 0, 65537 * sizeof *first);
    for (int64_t i = 0; i < n; i++)
      first[((*arrivals)[i].time >> shift & 0xffff) + 1]++;
    for (int i = 0; i < 65536; i++)
      first[i + 1] += first[i];
    for (int64_t i = 0; i < n; i++)
      (*spare)[first[(*arrivals)[i].time >> shift & 0xffff]++] = (*arrivals)[i];
    Arrival *const sorted = *spare;
    *spare = *arrivals;
    *arrivals = sorted;
    if (vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  free(first);
  return status;
}

/* Its seed's; else that of the neighbour which is first by level, distance, place. */
static int32_t
label_of(const Flood *f, uint32_t at)
{
  uint64_t first = UINT64_MAX;
  int64_t parent = at;
  if (f->distance[at] == 0)
    return *seed_at(f, at);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int64_t other = (int64_t)at + dy * f->frame.stride + dx;
      const uint64_t time = (uint64_t)f->level[other] << 32 | f->distance[other];
      if (other == at || f->level[other] == NEVER || time >= first)
        continue;
      first = time;
      parent = other;
    }
  return f->label[parent];
}

static VitrailStatus
order(Flood *f, int64_t n, const VtCancel *cancel, VtReplay *replay)
{
  for (int64_t i = 0; i < n; i++)
    f->arrivals[i] = (Arrival){ (uint64_t)f->level[f->list[i]] << 32 | f->distance[f->list[i]], f->list[i] };
  TRY(sort(&f->arrivals, &f->spare, n, cancel));
  uint32_t n_ticks = n > 0 ? 1 : 0;
  for (int64_t i = 1; i < n; i++)
    n_ticks += f->arrivals[i].time != f->arrivals[i - 1].time;
  replay->levels = calloc(n_ticks + 1, sizeof *replay->levels);
  if (!replay->levels)
    return VITRAIL_OUT_OF_MEMORY;
  replay->n_ticks = n_ticks > 0 ? n_ticks : 1;
  uint32_t tick = 0;
  for (int64_t i = 0; i < n; i++) {
    const uint32_t at = f->arrivals[i].at;
    const int64_t x = (int64_t)at % f->frame.stride - 1, y = (int64_t)at / f->frame.stride - 1;
    tick += i > 0 && f->arrivals[i].time != f->arrivals[i - 1].time;
    f->label[at] = label_of(f, at);
    replay->ticks[y * f->frame.width + x] = tick;
    *(int32_t *)vt_image_at(&replay->end, x, y) = f->label[at];
    put_key(~f->level[at], &replay->levels[tick], VITRAIL_F32);
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_replay_watershed(const VtWatershed *args, const VtCancel *cancel, VtReplay *replay)
{
  Flood f = { .args = args, .frame = frame_of(&args->level) };
  const size_t n = (size_t)f.frame.n, area = (size_t)(args->level.width * args->level.height);
  int64_t n_reached = 0;
  f.level = malloc(n * sizeof *f.level);
  f.distance = malloc(n * sizeof *f.distance);
  f.list = malloc(n * sizeof *f.list);
  f.label = malloc(n * sizeof *f.label);
  f.arrivals = malloc(area * sizeof *f.arrivals);
  f.spare = malloc(area * sizeof *f.spare);
  VitrailStatus status = make_room(replay, &args->level, VITRAIL_I32, false);
  if (!f.level || !f.distance || !f.list || !f.label || !f.arrivals || !f.spare)
    status = VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    memset(replay->ticks, 0xff, area * sizeof *replay->ticks);
    memset(replay->end.data, 0, area * sizeof(int32_t));
    start_flood(&f);
    status = measure(&f, cancel, &n_reached);
  }
  THEN(status, order(&f, n_reached, cancel, replay));
  free(f.level);
  free(f.distance);
  free(f.list);
  free(f.label);
  free(f.arrivals);
  free(f.spare);
  return done(replay, status);
}
