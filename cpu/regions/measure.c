/* SPDX-License-Identifier: MIT
 *
 * The features of a candidate: shape, levels inside, on the outline and in a ring around it, and its place in the tree; all
 * in integers. */
#include "filters.h"
#include "mask.h"

/* edge: pixels of the mask with one of the 4 neighbours outside; ring: RG_RING pixels around it; spare: those of the mask
 * that are not on its edge. */
static void
edge_and_ring(RgMask *m)
{
  const int32_t n = m->words;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint64_t *here = m->rows + (ptrdiff_t)y * n, *above = here - n, *below = here + n;
    uint64_t *restrict edge = m->edge + (ptrdiff_t)y * n;
    for (int32_t w = 0; w < n; w++)
      edge[w] = here[w] & ~(vt_rg_from_left(here, w) & vt_rg_from_right(here, w, n) & above[w] & below[w]);
  }
  vt_rg_mask_grow(m->ring, m->rows, m, false);
  vt_rg_mask_grow(m->spare, m->ring, m, true);
  vt_rg_mask_grow(m->ring, m->spare, m, false);
  for (int32_t i = 0; i < n * m->height; i++)
    m->ring[i] &= ~m->rows[i];
  for (int32_t i = RG_PAD * n; i < (m->height - RG_PAD) * n; i++)
    m->spare[i] = m->rows[i] & ~m->edge[i];
}

/* Bits of the ring beyond the window go. */
static void
clip_ring(RgMask *m, const RgPlanes *planes)
{
  const int64_t x0 = m->box.x0 - RG_PAD, y0 = m->box.y0 - RG_PAD;
  const int64_t right = planes->width - x0, bottom = planes->height - y0;
  if (x0 >= 0 && y0 >= 0 && right >= m->width && bottom >= m->height)
    return;
  for (int64_t y = 0; y < m->height; y++) {
    uint64_t *row = m->ring + y * m->words;
    const bool is_in = y >= -y0 && y < bottom;
    row[0] = x0 < 0 ? row[0] >> -x0 << -x0 : row[0];
    for (int64_t w = 0; w < m->words; w++)
      if (!is_in || right <= 64 * w)
        row[w] = 0;
      else if (right < 64 * w + 64)
        row[w] &= ~(UINT64_MAX << (right - 64 * w));
  }
}

/* Of the pixels of rows, which are a plane of the mask; margin: how many pixels around the box they may have. */
static inline RgSum
sum_of(const RgMask *m, const uint64_t *rows, const RgPlanes *planes, int32_t margin)
{
  RgSum sum;
  const int32_t skip = RG_PAD - margin;
  const int64_t x = m->box.x0 - RG_PAD, y = m->box.y0 - margin;
  vt_rg_filters()->sum(&sum, rows + (ptrdiff_t)skip * m->words, m->height - 2 * skip, m->words,
                       planes->mixed + (y * planes->width + x) * RG_N_MIXED, planes->width * RG_N_MIXED);
  return sum;
}

static RgSum
both(RgSum a, const RgSum *b)
{
  for (int k = 0; k < RG_N_MIXED; k++)
    a.of[k] += b->of[k];
  a.n += b->n;
  a.square += b->square;
  a.least = b->least < a.least ? b->least : a.least;
  a.most = b->most > a.most ? b->most : a.most;
  return a;
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

static inline int32_t
turn(Point a, Point b, Point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Points come by rising y. One side of the hull; sign: 1 the left, -1 the right. */
static inline int32_t
hull_side(Point *hull, const Point *points, int32_t n, const int sign)
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
  enum { MOST = VT_REGIONS_MOST + 1 };
  Point left[MOST], right[MOST], side[MOST];
  int32_t n = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++, n++) {
    const uint64_t *row = m->rows + (ptrdiff_t)y * m->words;
    int32_t last = m->words - 1;
    while (row[last] == 0)
      last--; /* a candidate has pixels in every row of its box */
    const int32_t from = vt_rg_next(row, m->words, 0, 0), to = 64 * last + 64 - __builtin_clzll(row[last]);
    /* Where two rows meet, the corner farther out. */
    left[n] = (Point){ n > 0 && left[n].x < from ? left[n].x : from, y };
    right[n] = (Point){ n > 0 && right[n].x > to ? right[n].x : to, y };
    left[n + 1] = (Point){ from, y + 1 };
    right[n + 1] = (Point){ to, y + 1 };
  }
  n++;
  int64_t area = 0;
  int32_t size = hull_side(side, left, n, 1);
  for (int32_t i = 1; i < size; i++)
    area -= (int64_t)(side[i].x + side[i - 1].x) * (side[i].y - side[i - 1].y);
  size = hull_side(side, right, n, -1);
  for (int32_t i = 1; i < size; i++)
    area += (int64_t)(side[i].x + side[i - 1].x) * (side[i].y - side[i - 1].y);
  return area;
}

/* Sums of x and of x² below n. */
static inline int32_t
sum_below(int32_t n)
{
  return n * (n - 1) / 2;
}

static inline int32_t
squares_below(int32_t n)
{
  return (n - 1) * n * (2 * n - 1) / 6;
}

static Shape
shape_of(const RgMask *m)
{
  Shape s = { 0 };
  const int32_t words = m->words;
  for (int32_t y = RG_PAD - 1; y + RG_PAD < m->height; y++) {
    const uint64_t *a = m->rows + (ptrdiff_t)y * words, *b = a + words;
    int32_t n = 0, x1 = 0, x2 = 0;
    for (int32_t from = 0, to; vt_rg_next_run(a, words, &from, &to); from = to) {
      n += to - from;
      x1 += sum_below(to) - sum_below(from);
      x2 += squares_below(to) - squares_below(from);
      s.across += 2;
    }
    for (int32_t w = 0; w < words; w++) {
      s.across += vt_rg_count(a[w] ^ b[w]);
      s.slanted +=
        vt_rg_count(a[w] ^ vt_rg_from_right(b, w, words)) + vt_rg_count(b[w] ^ vt_rg_from_right(a, w, words));
    }
    s.area += n;
    s.x += x1;
    s.y += (int64_t)n * y;
    s.xx += x2;
    s.yy += (int64_t)n * y * y;
    s.xy += (int64_t)x1 * y;
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
  *f++ = ratio(n, xx + yy + r);
  return f;
}

/* Means times 8: of a region, its outline and its ring. */
typedef struct Means {
  int32_t in[RG_N_MIXED], edge[RG_N_MIXED], ring[RG_N_MIXED];
} Means;

/* Sums are less than 2^28: of a largest region and its ring, of values of 12 bits. */
static void
find_means(int32_t means[RG_N_MIXED], const RgSum *s)
{
  for (int k = 0; k < RG_N_MIXED; k++)
    means[k] = s->n ? (int32_t)((uint32_t)s->of[k] * 8 / (uint32_t)s->n) : 0;
}

static int32_t
deviation_of(const RgSum *s)
{
  return s->n ? root_of((uint64_t)((s->square * s->n - s->of[0] * s->of[0]) * 64 / (s->n * s->n))) : 0;
}

/* What a tree cannot ask of one value: colours against red, and the steps from inside over the outline to the ring. */
static int32_t *
measure_steps(int32_t *f, const Means *m)
{
  const int32_t red = m->in[0], red_edge = m->edge[0], red_ring = m->ring[0];
  const int32_t step = red - red_ring, size = (step < 0 ? -step : step) + 8;
  for (int k = 1; k <= 2; k++) {
    *f++ = m->in[k] - red;
    *f++ = m->ring[k] - red_ring;
    *f++ = ratio(m->in[k], red + 8);
    *f++ = ratio(m->ring[k], red_ring + 8);
  }
  *f++ = red_edge - red_ring;
  *f++ = ratio(red_edge - red_ring, size);
  *f++ = ratio(step, red + 8);
  *f++ = m->in[3] - m->edge[3];
  *f++ = m->edge[3] - m->ring[3];
  *f++ = ratio(m->edge[3], size);
  *f++ = m->in[4] - m->edge[4];
  *f++ = m->edge[4] - m->ring[4];
  return f;
}

static int32_t *
measure_levels(int32_t *f, RgMask *m, const RgPlanes *planes)
{
  clip_ring(m, planes);
  const RgSum edge = sum_of(m, m->edge, planes, 0), ring = sum_of(m, m->ring, planes, RG_RING);
  const RgSum in = both(sum_of(m, m->spare, planes, 0), &edge);
  Means mean_of;
  find_means(mean_of.in, &in);
  find_means(mean_of.edge, &edge);
  find_means(mean_of.ring, &ring);
  for (int k = 0; k < 8; k++)
    *f++ = mean_of.in[k];
  for (int k = 0; k < 5; k++)
    *f++ = mean_of.in[k] - mean_of.ring[k];
  *f++ = mean_of.in[7] - mean_of.ring[7];
  *f++ = mean_of.edge[3];
  *f++ = mean_of.edge[6];
  *f++ = ratio(mean_of.edge[3], mean_of.in[3] + 8);
  *f++ = mean_of.in[0] - mean_of.edge[0];
  *f++ = mean_of.edge[4];
  *f++ = mean_of.ring[4];
  *f++ = mean_of.ring[0];
  *f++ = mean_of.ring[3];
  *f++ = deviation_of(&in);
  *f++ = deviation_of(&ring);
  *f++ = in.least * 8 - mean_of.ring[0];
  *f++ = in.most;
  *f++ = ring.most * 8 - mean_of.in[0];
  const int64_t x = (m->box.x0 + m->box.x1) / 2, y = (m->box.y0 + m->box.y1) / 2, at = y * planes->width + x;
  const int32_t mean = planes->red_mean[at], dev = planes->red_dev[at];
  *f++ = mean;
  *f++ = dev;
  *f++ = ratio(mean_of.in[0] / 8 - mean, dev + 4);
  *f++ = ratio((mean_of.in[0] - mean_of.ring[0]) / 8, dev + 4);
  return measure_steps(f, &mean_of);
}

static bool
is_whole(const RgNode *node, int32_t largest)
{
  return !node->cut && node->box.x1 - node->box.x0 < largest && node->box.y1 - node->box.y0 < largest;
}

void
vt_rg_window_measure(RgWindow *window, int32_t candidate, int32_t features[RG_N_FEATURES])
{
  const RgCandidates *all = &window->all;
  const RgCandidate *c = &all->at[candidate];
  const RgNode *nodes = window->tree.nodes, *node = &nodes[c->node];
  vt_rg_mask_load(&window->mask, all, c);
  edge_and_ring(&window->mask);
  int32_t *f = measure_levels(measure_shape(features, &window->mask), &window->mask, &window->planes);
  /* A parent that is too large says nothing: a window may not hold all of it. */
  const RgNode *up = node->parent >= 0 && is_whole(&nodes[node->parent], window->largest) ? &nodes[node->parent] : NULL;
  const RgCandidate *above = c->parent >= 0 ? &all->at[c->parent] : NULL;
  *f++ = c->level;
  *f++ = above ? ratio(c->area, above->area) : 0;
  *f++ = above ? c->level - above->level : -1;
  *f++ = c->part ? c->neck : -1;
  *f++ = up ? ratio(node->area, up->area) : 0;
  *f = ratio(node->area, c->area);
}
