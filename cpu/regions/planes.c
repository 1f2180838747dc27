/* SPDX-License-Identifier: MIT
 *
 * The planes of a window: optical density, smoothed at several scales, gradients, and local mean and deviation. Means are of
 * squares of pixels, cut where the window ends: all in integers.
 *
 * Row by row: of most planes only the rows that a later one still needs are there, so that all of them stay in a processor's cache. */
#include "filters.h"
#include "simd.h"

#include <stdlib.h>
#include <string.h>

/* Planes beside those of RgPlane. A half is the first of two means. */
enum {
  RAW_RED = RG_N_PLANES,
  RAW_GREEN,
  RAW_BLUE,
  SQUARES,
  DIFFERENCE,
  HALF_2,
  HALF_4,
  HALF_8,
  HALF_16,
  HALF_GREEN,
  N_LINES
};

typedef enum { DENSITY, SMOOTH, MEAN, WIDE_MEAN, GRADIENT, FOURFOLD /* four times the difference */, SQUARE } Kind;

/* How a plane is made, and by how many rows it must be ahead of the map. A plane comes after those that it is made of. */
typedef struct Step {
  uint8_t to, from, kind;
  uint8_t number; /* radius of a mean, scale of a gradient */
  uint8_t lead;
  uint8_t rows; /* that are kept, a power of two; 0: all */
} Step;

static const Step steps[] = {
  { RAW_RED, 0, DENSITY, 0, 41, 4 },
  { RAW_GREEN, 1, DENSITY, 0, 29, 4 },
  { RAW_BLUE, 2, DENSITY, 0, 5, 4 },
  { RG_RED_1, RAW_RED, SMOOTH, 0, 40, 128 },
  { RG_GREEN_1, RAW_GREEN, SMOOTH, 0, 28, 64 },
  { RG_BLUE_1, RAW_BLUE, SMOOTH, 0, 4, 16 },
  { HALF_2, RG_RED_1, MEAN, 1, 1, 4 },
  { RG_RED_2, HALF_2, MEAN, 1, 0, 1 },
  { HALF_4, RG_RED_1, MEAN, 3, 9, 8 },
  { RG_RED_4, HALF_4, MEAN, 3, 6, 8 },
  { HALF_8, RG_RED_1, MEAN, 6, 6, 16 },
  { RG_RED_8, HALF_8, MEAN, 6, 0, 1 },
  { HALF_16, RG_RED_1, MEAN, 14, 14, 32 },
  { RG_RED_16, HALF_16, MEAN, 14, 0, 1 },
  { RG_GREEN_4, RG_GREEN_1, MEAN, 4, 0, 1 },
  { HALF_GREEN, RG_GREEN_1, MEAN, 14, 14, 32 },
  { RG_GREEN_16, HALF_GREEN, MEAN, 14, 0, 1 },
  { RG_BLUE_4, RG_BLUE_1, MEAN, 4, 0, 1 },
  { RG_GRADIENT_1, RG_RED_1, GRADIENT, 2, 6, 16 },
  { RG_GRADIENT_4, RG_RED_4, GRADIENT, 4, 0, 1 },
  { DIFFERENCE, RG_RED_1, FOURFOLD, 0, 6, 16 },
  { RG_ROUGH, DIFFERENCE, MEAN, 6, 0, 1 },
  { RG_EDGE_8, RG_GRADIENT_1, MEAN, 6, 0, 1 },
  { RG_RED_MEAN, RG_RED_1, MEAN, 40, 0, 0 },
  { SQUARES, RG_RED_1, SQUARE, 0, 40, 128 },
  { RG_RED_DEV, SQUARES, WIDE_MEAN, 40, 0, 0 },
};
enum { N_STEPS = sizeof steps / sizeof *steps, MOST_LEAD = 41 };

typedef struct Line {
  int16_t *rows;
  int64_t mask; /* row y is rows[(y & mask) * width] */
  int64_t first, last;
} Line;

typedef struct Filling {
  RgPlanes *p;
  const VtRegions *args;
  const RgFilters *filters;
  Line line[N_LINES];
  RgMean mean[N_STEPS];
  int16_t *none, *scratch; /* none: a row of zeros */
} Filling;

static size_t
whole_lines(size_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

/* Of what is not kept of the planes. */
static size_t
passing_bytes(int64_t width)
{
  const size_t row = whole_lines((size_t)width * sizeof(int16_t)), room = vt_rg_mean_room(width) * sizeof(uint32_t);
  size_t bytes = row + whole_lines(4 * room);
  for (int i = 0; i < N_STEPS; i++)
    bytes += steps[i].rows * row + (steps[i].kind == MEAN || steps[i].kind == WIDE_MEAN ? whole_lines(2 * room) : 0);
  return bytes;
}

VitrailStatus
vt_rg_planes_init(RgPlanes *planes, int64_t width, int64_t height, VtDevice *device)
{
  enum { N_KEPT = 3 + RG_N_MIXED, N_SPARE = 7 /* that the tree needs */ };
  const size_t one = whole_lines((size_t)width * (size_t)height * sizeof(int16_t)), passing = passing_bytes(width);
  const size_t kept = one * N_KEPT + whole_lines(RG_MIXED_SPARE * RG_N_MIXED * sizeof(int16_t));
  const size_t spare = passing > one * N_SPARE ? passing : one * N_SPARE;
  char *block = vt_cpu_scratch_take(device, kept + spare);
  *planes = (RgPlanes){ .width = width, .height = height, .device = device, .block = block };
  if (!block)
    return VITRAIL_OUT_OF_MEMORY;
  planes->map = (int16_t *)block;
  planes->red_mean = (int16_t *)(block + one);
  planes->red_dev = (int16_t *)(block + 2 * one);
  planes->mixed = (int16_t *)(block + 3 * one);
  planes->spare = block + kept;
  planes->spare_bytes = spare;
  return VITRAIL_OK;
}

void
vt_rg_planes_clear(RgPlanes *planes)
{
  vt_cpu_scratch_give(planes->device, planes->block);
  *planes = (RgPlanes){ 0 };
}

const RgFilters *
vt_rg_filters(void)
{
  return VT_CPU_BEST(vt_rg_filters);
}

static inline int16_t *
row_of(const Filling *f, int line, int64_t y)
{
  return f->line[line].rows + (y & f->line[line].mask) * f->p->width;
}

/* How far from a row of the plane lie those that it is made of. */
static int64_t
reach_of(const Step *step)
{
  return step->kind == MEAN || step->kind == WIDE_MEAN ? step->number : step->kind == SMOOTH || step->kind == GRADIENT;
}

/* Which rows of each plane are needed. */
static void
find_rows(Filling *f, RgBox wanted)
{
  for (int i = 0; i < N_LINES; i++) {
    f->line[i].first = i < RG_N_PLANES ? wanted.y0 : f->p->height;
    f->line[i].last = i < RG_N_PLANES ? wanted.y1 : -1;
  }
  for (int i = N_STEPS - 1; i >= 0; i--) {
    const Line *to = &f->line[steps[i].to];
    const int64_t reach = reach_of(&steps[i]), first = to->first > reach ? to->first - reach : 0,
                  last = to->last + reach < f->p->height ? to->last + reach : f->p->height - 1;
    for (int k = 0; k < 2 && steps[i].kind != DENSITY; k++) {
      Line *from = &f->line[k == 0 ? steps[i].from : RG_RED_4];
      if (k == 1 && steps[i].kind != FOURFOLD)
        continue;
      from->first = first < from->first ? first : from->first;
      from->last = last > from->last ? last : from->last;
    }
  }
}

static void
begin(Filling *f, RgBox wanted)
{
  RgPlanes *p = f->p;
  const size_t row = whole_lines((size_t)p->width * sizeof(int16_t)),
               room = vt_rg_mean_room(p->width) * sizeof(uint32_t);
  char *at = p->spare;
  f->none = memset(at, 0, row);
  f->scratch = (int16_t *)(at + row);
  at += row + whole_lines(4 * room);
  find_rows(f, wanted);
  for (int i = 0; i < N_STEPS; i++) {
    const Step *step = &steps[i];
    Line *line = &f->line[step->to];
    line->rows = (int16_t *)at;
    line->mask = step->rows - 1;
    at += step->rows * row;
    if (step->kind == MEAN || step->kind == WIDE_MEAN) {
      f->mean[i] = (RgMean){ p->width, p->height, step->number, step->kind == WIDE_MEAN, at, f->scratch };
      at += whole_lines(2 * room);
      f->filters->mean_begin(&f->mean[i]);
    }
  }
  f->line[RG_MAP].rows = p->map;
  f->line[RG_RED_MEAN].rows = p->red_mean;
  f->line[RG_RED_DEV].rows = p->red_dev;
  f->line[RG_MAP].mask = f->line[RG_RED_MEAN].mask = f->line[RG_RED_DEV].mask = INT64_MAX;
}

static void
density_row(const Filling *f, int channel, int64_t y, int16_t *restrict to)
{
  const VtRegions *a = f->args;
  const uint8_t *r = vt_image_at(&a->red, 0, y), *g = vt_image_at(&a->green, 0, y), *b = vt_image_at(&a->blue, 0, y);
  const uint8_t *own = channel == 0 ? r : channel == 1 ? g : b;
  if (a->preset != VT_REGIONS_FLUORESCENCE)
    for (int64_t x = 0; x < f->p->width; x++)
      to[x] = vt_rg_density[own[x]];
  else
    for (int64_t x = 0; x < f->p->width; x++) {
      const uint8_t most = r[x] > g[x] ? (r[x] > b[x] ? r[x] : b[x]) : (g[x] > b[x] ? g[x] : b[x]);
      to[x] = (int16_t)(RG_MOST_DENSITY - vt_rg_density[most]);
    }
}

/* The sums of columns begin with the rows above the first one's last. */
static void
mean_row(const Filling *f, int i, int64_t y, int16_t *to)
{
  const Step *step = &steps[i];
  const int64_t radius = step->number, h = f->p->height, first = f->line[step->to].first;
  const int64_t above = y == first ? y + radius : 0;
  for (int64_t k = y > radius ? y - radius : 0; k < above && k < h; k++)
    f->filters->mean_row(&f->mean[i], NULL, row_of(f, step->from, k), f->none, y);
  f->filters->mean_row(&f->mean[i], to, y + radius < h ? row_of(f, step->from, y + radius) : f->none,
                       y > first && y > radius ? row_of(f, step->from, y - radius - 1) : f->none, y);
}

static void
take_step(const Filling *f, int i, int64_t y)
{
  const Step *step = &steps[i];
  const int64_t w = f->p->width, above = y > 0 ? y - 1 : y, below = y + 1 < f->p->height ? y + 1 : y;
  int16_t *to = row_of(f, step->to, y);
  if (step->kind == DENSITY) {
    density_row(f, step->from, y, to);
    return;
  }
  const int16_t *from[3] = { NULL, row_of(f, step->from, y), NULL };
  if (step->kind == SMOOTH || step->kind == GRADIENT) {
    from[0] = row_of(f, step->from, above);
    from[2] = row_of(f, step->from, below);
  }
  switch ((Kind)step->kind) {
  case SMOOTH: f->filters->smooth_121(to, from, w, f->scratch); break;
  case GRADIENT: f->filters->gradient(to, from, w, step->number); break;
  case FOURFOLD: f->filters->difference(to, from[1], row_of(f, RG_RED_4, y), w); break;
  case SQUARE: f->filters->square(to, from[1], w); break; /* squares are kept / 16, so that they fit 16 bits */
  default: mean_row(f, i, y, to);
  }
  if (step->to == RG_RED_DEV)
    f->filters->deviation(to, row_of(f, RG_RED_MEAN, y), w);
}

static void
finish_row(const Filling *f, const RgMap *map, int64_t y, RgBox wanted)
{
  static const uint8_t mixed[RG_N_MIXED] = { RG_RED_1, RG_GREEN_1, RG_BLUE_1,     RG_GRADIENT_1,
                                             RG_MAP,   RG_ROUGH,   RG_GRADIENT_4, RG_RED_4 };
  const int64_t n = wanted.x1 - wanted.x0 + 1;
  const int16_t *inputs[RG_N_INPUTS], *values[RG_N_MIXED];
  for (int i = 0; i < RG_N_INPUTS; i++)
    inputs[i] = row_of(f, i, y) + wanted.x0;
  if (f->p->tell)
    f->p->tell(f->p->tell_user, y, inputs);
  if (!map)
    return;
  f->filters->map(row_of(f, RG_MAP, y) + wanted.x0, inputs, map, n);
  for (int k = 0; k < RG_N_MIXED; k++)
    values[k] = row_of(f, mixed[k], y) + wanted.x0;
  f->filters->mix(f->p->mixed + (y * f->p->width + wanted.x0) * RG_N_MIXED, values, n);
}

VitrailStatus
vt_rg_planes_fill(RgPlanes *p, const VtRegions *args, const RgMap *map, RgBox wanted)
{
  Filling f = { .p = p, .args = args, .filters = vt_rg_filters() };
  begin(&f, wanted);
  for (int64_t y = f.line[RAW_RED].first - MOST_LEAD; y <= wanted.y1; y++) {
    if (vt_cpu_cancelled_at(p->cancel, y))
      return VITRAIL_CANCELLED;
    for (int i = 0; i < N_STEPS; i++) {
      const int64_t row = y + steps[i].lead;
      if (row >= f.line[steps[i].to].first && row <= f.line[steps[i].to].last)
        take_step(&f, i, row);
    }
    if (y >= wanted.y0)
      finish_row(&f, map, y, wanted);
  }
  return vt_cancelled(p->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
}
