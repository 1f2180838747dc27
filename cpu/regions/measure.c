/* SPDX-License-Identifier: MIT
 *
 * The features of a candidate: shape, levels inside, on the outline and in a ring around it, and its place in the tree; all
 * in integers. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

typedef struct Sum {
  int64_t n, of[8], square; /* of: the planes of `summed` that were wanted; square: of the first */
  int32_t least, most;      /* of the first */
} Sum;

static const RgPlane summed[8] = { RG_RED_1, RG_GREEN_1, RG_BLUE_1,     RG_GRADIENT_1,
                                   RG_MAP,   RG_ROUGH,   RG_GRADIENT_4, RG_RED_4 };
/* Which of them a feature needs. */
enum { OF_INSIDE = 0xff, OF_EDGE = 0x59, OF_RING = 0x9f };
enum { LANES = 8, MOST_SPAN = (VT_REGIONS_MOST + 2 * RG_PAD + LANES - 1) / LANES * LANES };

/* edge: pixels of the mask with one of the 4 neighbours outside; ring: RG_RING pixels around it. */
static void
edge_and_ring(RgMask *m)
{
  const size_t bytes = (size_t)m->stride * (size_t)m->height;
  memset(m->spare, 0, bytes);
  memset(m->ring, 0, bytes);
  memset(m->edge, 0, bytes);
  const int32_t n = vt_rg_mask_blocks(m);
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint8_t *here = m->pixels + (ptrdiff_t)y * m->stride, *above = here - m->stride, *below = here + m->stride;
    uint8_t *restrict edge = m->edge + (ptrdiff_t)y * m->stride;
    for (int32_t x = 0; x < n; x++)
      edge[x] = here[x] & (1 ^ (here[x - 1] & here[x + 1] & above[x] & below[x]));
  }
  vt_rg_mask_grow(m->ring, m->pixels, m, false);
  vt_rg_mask_grow(m->spare, m->ring, m, true);
  vt_rg_mask_grow(m->ring, m->spare, m, false);
  for (size_t i = 0; i < bytes; i++)
    m->ring[i] = m->ring[i] & (1 ^ m->pixels[i]);
}

/* The sum of what is in, of n_blocks * LANES pixels: whole blocks, so that no rest is done one by one. */
static int32_t
sum_in(const int16_t *restrict in, const int16_t *restrict v, int32_t n_blocks)
{
  int32_t sum = 0;
  for (int32_t x = 0; x < n_blocks * LANES; x++)
    sum += in[x] * v[x];
  return sum;
}

static void
add_spread(Sum *s, const int16_t *restrict in, const int16_t *restrict v, int32_t n_blocks)
{
  int32_t square = 0;
  int16_t least = INT16_MAX, most = 0;
  for (int32_t x = 0; x < n_blocks * LANES; x++) {
    const int16_t value = (int16_t)(v[x] & -in[x]), low = (int16_t)(value | ((in[x] - 1) & INT16_MAX));
    square += value * value;
    most = value > most ? value : most;
    least = low < least ? low : least;
  }
  s->square += square;
  s->least = least < s->least ? least : s->least;
  s->most = most > s->most ? most : s->most;
}

/* A block may go on past the row, or the plane: that is memory of the planes, too, and is not in. */
static void
add_span(Sum *s, uint32_t wanted, const uint8_t *mask, const RgPlanes *planes, int64_t at, int32_t n)
{
  int16_t in[MOST_SPAN];
  const int32_t n_blocks = (n + LANES - 1) / LANES;
  for (int32_t x = 0; x < n; x++)
    in[x] = mask[x];
  for (int32_t x = n; x < n_blocks * LANES; x++)
    in[x] = 0;
  for (int32_t x = 0; x < n_blocks * LANES; x++)
    s->n += in[x];
  for (int k = 0; k < 8; k++)
    if (wanted >> k & 1)
      s->of[k] += sum_in(in, planes->plane[summed[k]] + at, n_blocks);
  if (wanted != OF_EDGE)
    add_spread(s, in, planes->plane[summed[0]] + at, n_blocks);
}

/* margin: how many pixels around the box the mask may have. */
static Sum
sum_of(const RgMask *m, const uint8_t *mask, const RgPlanes *planes, uint32_t wanted, int32_t margin)
{
  Sum s = { .least = INT16_MAX };
  const int32_t x0 = m->box.x0 - RG_PAD, y0 = m->box.y0 - RG_PAD, skip = RG_PAD - margin;
  const int32_t from = x0 + skip < 0 ? -x0 : skip, right = (int32_t)planes->width - x0;
  const int32_t to = right < m->width - skip ? right : m->width - skip;
  for (int32_t y = skip; y < m->height - skip; y++)
    if (y + y0 >= 0 && y + y0 < planes->height)
      add_span(&s, wanted, mask + (ptrdiff_t)y * m->stride + from, planes, (y + y0) * planes->width + x0 + from,
               to - from);
  return s;
}

static int32_t
root_of(uint64_t v)
{
  uint64_t root = 0;
  for (uint64_t bit = 1ULL << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= v)
      root += bit;
  return (int32_t)root;
}

typedef struct Shape {
  int64_t area, xx, yy, xy, x, y; /* moments about the box's corner */
  int64_t hull;                   /* twice the area of the hull of the pixels' corners */
  int32_t across, slanted;        /* changes along rows and columns; along both diagonals */
} Shape;

typedef struct Point {
  int32_t x, y;
} Point;

static int64_t
turn(Point a, Point b, Point c)
{
  return (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
}

/* Points come by rising y. One side of the hull; sign: 1 the left, -1 the right. */
static int32_t
hull_side(Point *hull, const Point *points, int32_t n, int sign)
{
  int32_t size = 0;
  for (int32_t i = 0; i < n; i++) {
    while (size > 1 && turn(hull[size - 2], hull[size - 1], points[i]) * sign >= 0)
      size--;
    hull[size++] = points[i];
  }
  return size;
}

/* Twice the area between the sides. */
static int64_t
hull_area(const RgMask *m)
{
  Point left[2 * 256], right[2 * 256], side[2 * 256];
  int32_t n = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint8_t *row = m->pixels + (ptrdiff_t)y * m->stride;
    int32_t from = RG_PAD, to = m->width - RG_PAD;
    while (from < to && !row[from])
      from++;
    while (to > from && !row[to - 1])
      to--;
    left[n] = (Point){ from, y };
    left[n + 1] = (Point){ from, y + 1 };
    right[n] = (Point){ to, y };
    right[n + 1] = (Point){ to, y + 1 };
    n += 2;
  }
  int64_t area = 0;
  int32_t size = hull_side(side, left, n, -1);
  for (int32_t i = 1; i < size; i++)
    area -= (int64_t)(side[i].x + side[i - 1].x) * (side[i].y - side[i - 1].y);
  size = hull_side(side, right, n, 1);
  for (int32_t i = 1; i < size; i++)
    area += (int64_t)(side[i].x + side[i - 1].x) * (side[i].y - side[i - 1].y);
  return area;
}

static Shape
shape_of(const RgMask *m)
{
  Shape s = { 0 };
  for (int32_t y = RG_PAD - 1; y + RG_PAD < m->height; y++) {
    const uint8_t *a = m->pixels + (ptrdiff_t)y * m->stride, *b = a + m->stride;
    int32_t n = 0, x1 = 0, x2 = 0, across = 0, slanted = 0;
    for (int32_t x = RG_PAD - 1; x + RG_PAD < m->width; x++) {
      n += a[x];
      x1 += a[x] * x;
      x2 += a[x] * x * x;
      across += (a[x] ^ a[x + 1]) + (a[x] ^ b[x]);
      slanted += (a[x] ^ b[x + 1]) + (a[x + 1] ^ b[x]);
    }
    s.area += n;
    s.x += x1;
    s.y += (int64_t)n * y;
    s.xx += x2;
    s.yy += (int64_t)n * y * y;
    s.xy += (int64_t)x1 * y;
    s.across += across;
    s.slanted += slanted;
  }
  s.hull = hull_area(m);
  return s;
}

static inline int32_t
ratio(int64_t a, int64_t b)
{
  return b > 0 ? (int32_t)(a * 1024 / b) : 0;
}

static int32_t *
measure_shape(int32_t *f, const RgMask *m)
{
  const Shape s = shape_of(m);
  const int64_t n = s.area;
  /* Variances, times 16, of the pixels as squares. */
  const int64_t xx = (16 * (s.xx * n - s.x * s.x)) / (n * n) + 1, yy = (16 * (s.yy * n - s.y * s.y)) / (n * n) + 1;
  const int64_t xy = (16 * (s.xy * n - s.x * s.y)) / (n * n),
                r = root_of((uint64_t)((xx - yy) * (xx - yy) + 4 * xy * xy));
  const int64_t perimeter = s.across * 724 + s.slanted * 512; /* Crofton's, times 1844 or so */
  *f++ = (int32_t)n;
  *f++ = ratio(2 * n, s.hull);
  *f++ = ratio(n * 36000000, perimeter * perimeter / 1000);
  *f++ = ratio(xx + yy - r, xx + yy + r);
  *f++ = ratio(n * n * 2, xx * yy - xy * xy); /* an ellipse has the most area for its spread */
  *f++ = ratio(n, (int64_t)(m->box.x1 - m->box.x0 + 1) * (m->box.y1 - m->box.y0 + 1));
  *f++ = root_of((uint64_t)(xx + yy + r));
  return f;
}

static inline int32_t
mean_of(const Sum *s, int k)
{
  return s->n ? (int32_t)(s->of[k] * 8 / s->n) : 0;
}

static int32_t
deviation_of(const Sum *s)
{
  return s->n ? root_of((uint64_t)((s->square * s->n - s->of[0] * s->of[0]) * 64 / (s->n * s->n))) : 0;
}

static int32_t *
measure_levels(int32_t *f, const RgMask *m, const RgPlanes *planes)
{
  const Sum in = sum_of(m, m->pixels, planes, OF_INSIDE, 0), edge = sum_of(m, m->edge, planes, OF_EDGE, 0);
  const Sum ring = sum_of(m, m->ring, planes, OF_RING, RG_RING);
  for (int k = 0; k < 8; k++)
    *f++ = mean_of(&in, k);
  for (int k = 0; k < 5; k++)
    *f++ = mean_of(&in, k) - mean_of(&ring, k);
  *f++ = mean_of(&in, 7) - mean_of(&ring, 7);
  *f++ = mean_of(&edge, 3);
  *f++ = mean_of(&edge, 6);
  *f++ = ratio(mean_of(&edge, 3), mean_of(&in, 3) + 8);
  *f++ = mean_of(&in, 0) - mean_of(&edge, 0);
  *f++ = mean_of(&edge, 4);
  *f++ = mean_of(&ring, 4);
  *f++ = mean_of(&ring, 0);
  *f++ = mean_of(&ring, 3);
  *f++ = deviation_of(&in);
  *f++ = deviation_of(&ring);
  *f++ = in.least * 8 - mean_of(&ring, 0);
  *f++ = in.most;
  *f++ = ring.most * 8 - mean_of(&in, 0);
  const int64_t x = (m->box.x0 + m->box.x1) / 2, y = (m->box.y0 + m->box.y1) / 2, at = y * planes->width + x;
  const int32_t mean = planes->plane[RG_RED_MEAN][at], dev = planes->plane[RG_RED_DEV][at];
  *f++ = mean;
  *f++ = dev;
  *f++ = ratio(mean_of(&in, 0) / 8 - mean, dev + 4);
  *f++ = ratio((mean_of(&in, 0) - mean_of(&ring, 0)) / 8, dev + 4);
  return f;
}

static bool
is_whole(const RgNode *node, int32_t largest)
{
  return !node->cut && node->box.x1 - node->box.x0 < largest && node->box.y1 - node->box.y0 < largest;
}

static void
measure(RgCandidates *all, RgCandidate *c, const RgTree *tree, const RgPlanes *planes, RgMask *mask, int32_t largest)
{
  vt_rg_mask_load(mask, all, c);
  edge_and_ring(mask);
  int32_t *f = measure_levels(measure_shape(c->feature, mask), mask, planes);
  const RgNode *node = &tree->nodes[c->node];
  /* A parent that is too large says nothing: a window may not hold all of it. */
  const RgNode *up =
    node->parent >= 0 && is_whole(&tree->nodes[node->parent], largest) ? &tree->nodes[node->parent] : NULL;
  const RgCandidate *above = c->parent >= 0 ? &all->at[c->parent] : NULL;
  *f++ = c->level;
  *f++ = above ? ratio(c->area, above->area) : 0;
  *f++ = above ? c->level - above->level : -1;
  *f++ = c->part ? c->neck : -1;
  *f++ = up ? ratio(node->area, up->area) : 0;
  *f++ = ratio(node->area, c->area);
  while (f < c->feature + RG_N_FEATURES)
    *f++ = 0;
}

/* Candidates of one block of the window after each other, so that its planes are at hand. */
VitrailStatus
vt_rg_measure(RgCandidates *all, const RgTree *tree, const RgPlanes *planes, RgMask *mask, int32_t largest)
{
  enum { BLOCK = 64 };
  RgOrder *order = malloc((size_t)all->n * sizeof *order + 1);
  if (!order)
    return VITRAIL_OUT_OF_MEMORY;
  const int32_t across = (int32_t)planes->width / BLOCK + 1;
  for (int32_t i = 0; i < all->n; i++)
    order[i] = (RgOrder){ i, all->at[i].box.y0 / BLOCK * across + all->at[i].box.x0 / BLOCK };
  qsort(order, (size_t)all->n, sizeof *order, vt_rg_compare_order);
  int32_t n = 0;
  for (; n < all->n && !((n & 15) == 0 && vt_cancelled(all->cancel)); n++)
    measure(all, &all->at[order[n].index], tree, planes, mask, largest);
  free(order);
  return n < all->n ? VITRAIL_CANCELLED : VITRAIL_OK;
}
