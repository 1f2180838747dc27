/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "engine/neighbours.h"

typedef struct {
  double x, y;
} Place;

struct VtNeighbours {
  int64_t n, columns, rows;
  double left, top, side;    /* of the squares: about as many as there are objects */
  Place *places;             /* of each object */
  int64_t *begins, *members; /* the objects of a square are members[begins[s]] .. members[begins[s + 1] - 1] */
};

static int64_t
square_along(double at, double from, double side, int64_t n)
{
  const double k = floor((at - from) / side);
  return k < 0 ? 0 : k >= (double)n ? n - 1 : (int64_t)k;
}

static int64_t
square_of(const VtNeighbours *g, Place p)
{
  return square_along(p.y, g->top, g->side, g->rows) * g->columns + square_along(p.x, g->left, g->side, g->columns);
}

static void
lay_out(VtNeighbours *g)
{
  double right = -INFINITY, bottom = -INFINITY;
  g->left = g->top = INFINITY;
  for (int64_t i = 0; i < g->n; i++) {
    g->left = fmin(g->left, g->places[i].x);
    g->top = fmin(g->top, g->places[i].y);
    right = fmax(right, g->places[i].x);
    bottom = fmax(bottom, g->places[i].y);
  }
  const double width = right - g->left + 1, height = bottom - g->top + 1;
  g->side = fmax(1, sqrt(width * height / (double)g->n));
  g->columns = (int64_t)(width / g->side) + 1;
  g->rows = (int64_t)(height / g->side) + 1;
}

/* Counts, then places: members of a square are in the order of their numbers. */
static bool
deal(VtNeighbours *g)
{
  const int64_t n_squares = g->columns * g->rows;
  g->begins = calloc((size_t)n_squares + 2, sizeof *g->begins);
  g->members = malloc((size_t)g->n * sizeof *g->members);
  if (!g->begins || !g->members)
    return false;
  for (int64_t i = 0; i < g->n; i++)
    g->begins[square_of(g, g->places[i]) + 2]++;
  for (int64_t s = 0; s < n_squares; s++)
    g->begins[s + 2] += g->begins[s + 1];
  for (int64_t i = 0; i < g->n; i++)
    g->members[g->begins[square_of(g, g->places[i]) + 1]++] = i;
  return true;
}

VtNeighbours *
vt_neighbours_new(const VtObjectStats *stats, int64_t n)
{
  VtNeighbours *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->n = n;
  g->places = malloc((size_t)(n + 1) * sizeof *g->places);
  for (int64_t i = 0; g->places && i < n; i++)
    g->places[i] =
      (Place){ (double)stats[i].sum_x / (double)stats[i].area_px, (double)stats[i].sum_y / (double)stats[i].area_px };
  if (g->places && n > 0)
    lay_out(g);
  if (g->places && (n == 0 || deal(g)))
    return g;
  vt_neighbours_free(g);
  return NULL;
}

void
vt_neighbours_free(VtNeighbours *g)
{
  if (!g)
    return;
  free(g->places);
  free(g->begins);
  free(g->members);
  free(g);
}

static double
square_distance(Place a, Place b)
{
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/* Looks at the squares up to `reach` away; *least becomes the least square of a distance. How many are at most `limit` away. */
static int64_t
look_round(const VtNeighbours *g, int64_t index, int64_t reach, double limit, double *least)
{
  const Place at = g->places[index];
  const int64_t column = square_along(at.x, g->left, g->side, g->columns),
                row = square_along(at.y, g->top, g->side, g->rows);
  int64_t count = 0;
  for (int64_t y = row > reach ? row - reach : 0; y <= row + reach && y < g->rows; y++)
    for (int64_t x = column > reach ? column - reach : 0; x <= column + reach && x < g->columns; x++) {
      const int64_t s = y * g->columns + x;
      for (int64_t k = g->begins[s]; k < g->begins[s + 1]; k++) {
        const double d = square_distance(at, g->places[g->members[k]]);
        if (g->members[k] == index)
          continue;
        count += d <= limit;
        *least = fmin(*least, d);
      }
    }
  return count;
}

double
vt_neighbours_nearest(const VtNeighbours *g, int64_t index)
{
  double least = INFINITY;
  if (g->n < 2)
    return NAN;
  /* What lies in no square up to `reach` away is farther than reach sides. */
  for (int64_t reach = 1; sqrt(least) > (double)(reach / 2) * g->side; reach *= 2)
    look_round(g, index, reach, 0, &least);
  return sqrt(least);
}

int64_t
vt_neighbours_within(const VtNeighbours *g, int64_t index, double radius)
{
  double least = INFINITY;
  const double reach = floor(radius / g->side) + 1, most = (double)(g->columns > g->rows ? g->columns : g->rows);
  return radius < 0 ? 0 : look_round(g, index, (int64_t)fmin(reach, most), radius * radius, &least);
}
