/* SPDX-License-Identifier: MIT
 *
 * Cells and neighbours, against slow definitions. */
#include <math.h>

#include "engine/neighbours.h"
#include "steps/cell.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MOST = 40, MOST_OBJECTS = 120 };

static int32_t labels[MOST][MOST], cell[MOST][MOST];
static int64_t width, height;

/* Of a pixel of no object: the label of the nearest pixel of one, of equals the lowest, if it is near enough. */
static int32_t
slow_cell(int64_t x, int64_t y, int64_t limit)
{
  int64_t least = INT64_MAX;
  int32_t best = labels[y][x];
  for (int64_t v = 0; v < height && labels[y][x] == 0; v++)
    for (int64_t u = 0; u < width; u++) {
      const int64_t d = (u - x) * (u - x) + (v - y) * (v - y);
      if (labels[v][u] != 0 && d <= limit && (d < least || (d == least && labels[v][u] < best))) {
        least = d;
        best = labels[v][u];
      }
    }
  return best;
}

static VtRect
grow(VtRect box, int64_t by)
{
  const int64_t x = box.x > by ? box.x - by : 0, y = box.y > by ? box.y - by : 0;
  const int64_t right = box.x + box.width + by, bottom = box.y + box.height + by;
  return (VtRect){ x, y, (right < width ? right : width) - x, (bottom < height ? bottom : height) - y };
}

static VtRect
box_of(int32_t label)
{
  int64_t left = width, top = height, right = 0, bottom = 0;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      if (labels[y][x] != label)
        continue;
      left = x < left ? x : left;
      top = y < top ? y : top;
      right = x + 1 > right ? x + 1 : right;
      bottom = y + 1 > bottom ? y + 1 : bottom;
    }
  return (VtRect){ left, top, right - left, bottom - top };
}

/* Found in the window that the engine would cut. */
static int64_t
count_wrong(int32_t label, int64_t limit)
{
  const VtRect box = box_of(label);
  if (box.width <= 0)
    return 0;
  const int64_t reach = vt_cell_reach(limit);
  const VtRect wide = grow(box, 2 * reach), place = grow(box, reach);
  const VtImage all = { labels, width, height, sizeof labels[0], VITRAIL_I32 },
                window = vt_image_window(&all, wide.x, wide.y, wide.width, wide.height),
                to = { cell, place.width, place.height, sizeof cell[0], VITRAIL_I32 };
  const VtRect inner = { place.x - wide.x, place.y - wide.y, place.width, place.height };
  if (!vt_cell_find(&window, label, inner, limit, &to))
    return 1;
  int64_t wrong = 0;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const bool there = x >= place.x && y >= place.y && x < place.x + place.width && y < place.y + place.height;
      const int32_t found = there ? cell[y - place.y][x - place.x] : 0;
      wrong += (found == label) != (slow_cell(x, y, limit) == label);
    }
  return wrong;
}

static void
check_cells(void)
{
  int64_t wrong = 0;
  for (int round = 0; round < 300; round++) {
    width = 1 + pick(MOST);
    height = 1 + pick(MOST);
    const uint32_t sparse = 1 + pick(60);
    for (int64_t y = 0; y < height; y++)
      for (int64_t x = 0; x < width; x++)
        labels[y][x] = pick(sparse) == 0 ? 1 + (int32_t)pick(5) : 0;
    const int64_t limit = pick(4) ? pick(90) : pick(2000);
    for (int32_t label = 1; label <= 5; label++)
      wrong += count_wrong(label, limit);
  }
  vt_ok(wrong == 0, "300 drawn images: %lld pixels of cells are not as defined", (long long)wrong);
  vt_ok(vt_cell_reach(0) == 0 && vt_cell_reach(24) == 4 && vt_cell_reach(25) == 5, "the reach of a limit");
}

static void
check_neighbours(void)
{
  static VtObjectStats stats[MOST_OBJECTS];
  int wrong = 0;
  for (int round = 0; round < 200; round++) {
    const int64_t n = pick(MOST_OBJECTS), spread = 1 + pick(round % 2 ? 50 : 100000), radius = pick((uint32_t)spread);
    for (int64_t i = 0; i < n; i++)
      stats[i] =
        (VtObjectStats){ .area_px = 1 + pick(9), .sum_x = pick((uint32_t)spread), .sum_y = pick((uint32_t)spread) };
    VtNeighbours *g = vt_neighbours_new(stats, n);
    for (int64_t i = 0; g && i < n; i++) {
      double least = INFINITY;
      int64_t count = 0;
      for (int64_t k = 0; k < n; k++) {
        const double dx = (double)stats[i].sum_x / (double)stats[i].area_px
                          - (double)stats[k].sum_x / (double)stats[k].area_px,
                     dy = (double)stats[i].sum_y / (double)stats[i].area_px
                          - (double)stats[k].sum_y / (double)stats[k].area_px;
        least = k != i ? fmin(least, dx * dx + dy * dy) : least;
        count += k != i && dx * dx + dy * dy <= (double)(radius * radius);
      }
      const double nearest = vt_neighbours_nearest(g, i);
      wrong += n > 1 ? nearest != sqrt(least) : !isnan(nearest);
      wrong += vt_neighbours_within(g, i, (double)radius) != count;
    }
    wrong += !g;
    vt_neighbours_free(g);
  }
  vt_ok(wrong == 0, "200 drawn crowds: %d neighbours are not as defined", wrong);
}

int
main(void)
{
  check_cells();
  check_neighbours();
  return vt_test_done();
}
