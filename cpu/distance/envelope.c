/* SPDX-License-Identifier: MIT
 *
 * The parabolas weight_x (x - i)² + weight_y g(i)² of a row's columns i. A stack keeps those on the lower envelope, with
 * the first x at which each is the lowest. Then it is read from the right (Meijster 2000). Of equally low ones the one
 * whose background pixel has the smaller number is taken for the lower. Between any two parabolas there is still one place from which
 * on the right one wins, so the stack is right for that order too. Sides are below 2^31 and the weighted square of the
 * diagonal is below 2^63: so is every value there. */
#include "distance.h"

typedef struct Envelope {
  const VtEdtRow *row;
  int64_t weight_x, weight_y;
  bool by_number; /* of equally low ones the smaller number: only `nearest` shows it */
} Envelope;

static inline int64_t
height_at(const Envelope *e, const VtEdtParabola *p, int64_t x)
{
  return e->weight_x * ((x - p->site) * (x - p->site)) + p->g2;
}

/* The background pixel that is nearest to the row's pixel in column x of that column's; of two the upper one. */
static inline int64_t
number(const Envelope *e, int64_t x)
{
  const VtEdtRow *row = e->row;
  const int64_t y = row->y0 + row->y + (row->above[x] == row->g[x] ? -row->g[x] : row->g[x]);
  return y * row->args->src.width + x;
}

static inline bool
is_lower(const Envelope *e, const VtEdtParabola *p, const VtEdtParabola *than, int64_t x)
{
  const int64_t a = height_at(e, p, x), b = height_at(e, than, x);
  return a < b || (e->by_number && a == b && number(e, p->site) < number(e, than->site));
}

/* The first x at which p, of a column farther right, is lower than `top`, which is not above p where it starts: so they
 * cross at or after that and the numerator is not negative. */
static inline int64_t
crossing(const Envelope *e, const VtEdtParabola *p, const VtEdtParabola *top)
{
  const int64_t u = p->site, v = top->site;
  const int64_t rise = e->weight_x * (u * u) + p->g2 - (e->weight_x * (v * v) + top->g2);
  const int64_t run = 2 * e->weight_x * (u - v), x = rise / run;
  return e->by_number && x * run == rise && number(e, u) < number(e, v) ? x : x + 1;
}

/* Of the columns in `sites`. Returns the size of the stack. */
static inline __attribute__((always_inline)) int64_t
build(const Envelope *e, const int32_t *sites, int64_t n_sites, int64_t first, int64_t end, VtEdtParabola *stack)
{
  const int32_t *g = e->row->g;
  int64_t n = 0;
  for (int64_t k = 0; k < n_sites; k++) {
    const int64_t u = sites[k];
    VtEdtParabola p = { u, e->weight_y * ((int64_t)g[u] * g[u]), first };
    while (n > 0 && is_lower(e, &p, &stack[n - 1], stack[n - 1].start))
      n--;
    if (n > 0)
      p.start = crossing(e, &p, &stack[n - 1]);
    if (p.start < end)
      stack[n++] = p;
  }
  return n;
}

static int64_t
all_sites(const int32_t *g, int64_t first, int64_t end, int32_t *sites)
{
  int64_t n = 0;
  for (int64_t x = first; x < end; x++) {
    sites[n] = (int32_t)x;
    n += g[x] != VT_EDT_NONE;
  }
  return n;
}

static inline __attribute__((always_inline)) void
find(const Envelope *e, int64_t first, int64_t end, int64_t n_sites, VtEdtScratch *scratch)
{
  VtEdtParabola *stack = scratch->stack;
  int64_t n = build(e, scratch->sites, n_sites, first, end, stack), behind = end;
  while (n > 0 && behind > first) {
    const VtEdtParabola p = stack[--n];
    const int64_t start = p.start > first ? p.start : first, nearest = e->by_number ? number(e, p.site) : -1;
    for (int64_t x = start; x < behind; x++)
      scratch->squared[x] = height_at(e, &p, x);
    for (int64_t x = start; x < behind && e->by_number; x++)
      scratch->nearest[x] = nearest;
    behind = start < behind ? start : behind;
  }
  for (int64_t x = first; x < behind; x++)
    scratch->squared[x] = VT_EDT_NONE64;
  for (int64_t x = first; x < behind && e->by_number; x++)
    scratch->nearest[x] = -1;
}

/* No pixel can be much farther than the one beside them and the way to it, and columns beyond do not matter. */
void
vt_cpu_edt_envelope(const VtEdtRow *row, int64_t first, int64_t end, int64_t limit, VtEdtScratch *scratch)
{
  const VtDistance *args = row->args;
  const int64_t width = args->src.width;
  const int64_t radius = limit + (first > 0 && end < width ? (end - first) / 2 + 1 : end - first);
  const int64_t from = first > radius ? first - radius : 0, to = end < width - radius ? end + radius : width;
  if (!args->nearest.data && args->weight_x == 1 && args->weight_y == 1) {
    const int64_t n = scratch->near->candidates(row->g, from, to, scratch->lines, scratch->keep, scratch->sites);
    find(&(Envelope){ row, 1, 1, false }, first, end, n, scratch);
  } else {
    const int64_t n = all_sites(row->g, from, to, scratch->sites);
    find(&(Envelope){ row, args->weight_x, args->weight_y, args->nearest.data != NULL }, first, end, n, scratch);
  }
}
