/* SPDX-License-Identifier: MIT
 *
 * Distances along the columns first; then each pixel takes the least along its row (Saito and Toriwaki, 1994). Neither looks farther
 * than the cell may reach. */
#include <stdlib.h>

#include "steps/cell.h"

/* Rows to the nearest pixel of the column that is the object's, a lower label's, a higher one's; FAR: none is near enough. */
enum { FAR = VT_CELL_MOST + 1 };
typedef enum { OWN, LOWER, HIGHER, N_KINDS } Kind;

int64_t
vt_cell_reach(int64_t limit)
{
  int64_t reach = 0;
  while ((reach + 1) * (reach + 1) <= limit)
    reach++;
  return reach;
}

static bool
is_kind(int32_t found, int32_t label, Kind kind)
{
  return found != 0 && (kind == OWN ? found == label : kind == LOWER ? found < label : found > label);
}

/* to[x] of row y: one more than above, or than below, in turns. */
static void
measure_columns(const VtImage *labels, int32_t label, Kind kind, int16_t *rows)
{
  const int64_t width = labels->width, height = labels->height;
  for (int64_t y = 0; y < height; y++) {
    const int32_t *found = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < width; x++) {
      const int16_t above = y > 0 ? rows[(y - 1) * width + x] : FAR;
      rows[y * width + x] = is_kind(found[x], label, kind) ? 0 : above < FAR ? (int16_t)(above + 1) : FAR;
    }
  }
  for (int64_t y = height - 2; y >= 0; y--)
    for (int64_t x = 0; x < width; x++) {
      const int16_t below = rows[(y + 1) * width + x];
      if (below + 1 < rows[y * width + x])
        rows[y * width + x] = (int16_t)(below + 1);
    }
}

static int64_t
nearest(const int16_t *row, int64_t width, int64_t x, int64_t reach)
{
  const int64_t from = x > reach ? x - reach : 0, end = x + reach + 1 < width ? x + reach + 1 : width;
  int64_t least = INT64_MAX;
  for (int64_t k = from; k < end; k++) {
    const int64_t square = (k - x) * (k - x) + (int64_t)row[k] * row[k];
    if (row[k] < FAR && square < least)
      least = square;
  }
  return least;
}

bool
vt_cell_find(const VtImage *labels, int32_t label, VtRect inner, int64_t limit, const VtImage *cell)
{
  const int64_t width = labels->width, n = width * labels->height, reach = vt_cell_reach(limit);
  int16_t *rows = malloc((size_t)n * N_KINDS * sizeof *rows);
  if (!rows)
    return false;
  for (int kind = 0; kind < N_KINDS; kind++)
    measure_columns(labels, label, (Kind)kind, rows + kind * n);
  for (int64_t y = 0; y < inner.height; y++) {
    const int32_t *found = vt_image_at(labels, inner.x, inner.y + y);
    const int16_t *row = rows + (inner.y + y) * width;
    int32_t *to = vt_image_at(cell, 0, y);
    for (int64_t x = 0; x < inner.width; x++) {
      const int64_t own = found[x] == 0 ? nearest(row, width, inner.x + x, reach) : INT64_MAX;
      bool in = found[x] == label;
      if (own <= limit)
        in =
          own < nearest(row + n, width, inner.x + x, reach) && own <= nearest(row + 2 * n, width, inner.x + x, reach);
      to[x] = in ? label : 0;
    }
  }
  free(rows);
  return true;
}
