/* SPDX-License-Identifier: MIT
 *
 * cpu/regions against slow, obvious ways to the same: the tree's nodes by flooding every level, the opening by every square,
 * the choice by trying every set, a tile by the whole image, and a forest by another order of its examples. */
#include "../support/test-draw.h"
#include "../support/test-parallel.h"
#include "../support/vt-test.h"
#include "regions/regions.h"

#include <string.h>

enum { SIDE = 24, PIXELS = SIDE * SIDE };

/* Hills of random height and noise, so that there are branches, holes and plateaus. */
static void
draw_map(int16_t *map, int noise)
{
  memset(map, 0, PIXELS * sizeof *map);
  for (uint32_t k = 0, n = 3 + pick(8); k < n; k++) {
    const int cx = (int)pick(SIDE), cy = (int)pick(SIDE), r = 2 + (int)pick(7), top = 60 + (int)pick(190),
              is_ring = pick(4) == 0;
    for (int i = 0; i < PIXELS; i++) {
      const int d = (i % SIDE - cx) * (i % SIDE - cx) + (i / SIDE - cy) * (i / SIDE - cy);
      const int v = is_ring && d * 4 < r * r ? 0 : top - d * 60 / (r * r);
      if (d <= r * r && v > map[i])
        map[i] = (int16_t)v;
    }
  }
  for (int i = 0; i < PIXELS; i++) {
    const int v = map[i] + (int)pick((uint32_t)noise);
    map[i] = (int16_t)(v < 255 ? v : 255);
  }
}

static void
flood(const int16_t *map, int level, int p, uint8_t *set)
{
  if (set[p] || map[p] >> RG_LEVEL_SHIFT < level)
    return;
  set[p] = 1;
  if (p % SIDE > 0)
    flood(map, level, p - 1, set);
  if (p % SIDE + 1 < SIDE)
    flood(map, level, p + 1, set);
  if (p >= SIDE)
    flood(map, level, p - SIDE, set);
  if (p + SIDE < PIXELS)
    flood(map, level, p + SIDE, set);
}

/* Pixels of map >= level that a 3 x 3 square of such pixels covers. */
static void
open_slowly(const int16_t *map, int level, int16_t *opened)
{
  memset(opened, 0, PIXELS * sizeof *opened);
  for (int y = 1; y + 1 < SIDE; y++)
    for (int x = 1; x + 1 < SIDE; x++) {
      int n = 0;
      for (int k = 0; k < 9; k++)
        n += map[(y + k / 3 - 1) * SIDE + x + k % 3 - 1] >= level;
      for (int k = 0; k < 9 && n == 9; k++)
        opened[(y + k / 3 - 1) * SIDE + x + k % 3 - 1] = 255;
    }
}

/* The first of the largest pieces. */
static int32_t
largest_piece(const int16_t *opened, uint8_t *largest)
{
  uint8_t seen[PIXELS] = { 0 };
  int32_t most = 0;
  for (int p = 0; p < PIXELS; p++) {
    uint8_t piece[PIXELS] = { 0 };
    int32_t area = 0;
    if (!seen[p] && opened[p])
      flood(opened, RG_LOWEST_LEVEL, p, piece);
    for (int i = 0; i < PIXELS; i++) {
      seen[i] |= piece[i];
      area += piece[i];
    }
    if (area > most)
      memcpy(largest, piece, PIXELS);
    most = area > most ? area : most;
  }
  return most;
}

static void
check_opening(void)
{
  RgMask mask;
  bool is_right = vt_rg_mask_init(&mask, SIDE) == VITRAIL_OK;
  int n_changed = 0;
  for (int round = 0; is_right && round < 600; round++) {
    int16_t map[PIXELS], opened[PIXELS];
    uint8_t largest[PIXELS] = { 0 };
    const int level = 40 + (int)pick(120);
    int32_t area = 0;
    draw_map(map, round % 2 ? 80 : 3);
    vt_rg_mask_empty(&mask, (RgBox){ 0, 0, SIDE - 1, SIDE - 1 });
    for (int i = 0; i < PIXELS; i++)
      if (map[i] >= level) {
        vt_rg_mask_put(&mask, i % SIDE, i / SIDE);
        area++;
      }
    open_slowly(map, level, opened);
    const int32_t left = largest_piece(opened, largest);
    is_right = vt_rg_mask_open(&mask) == left;
    for (int i = 0; is_right && i < PIXELS; i++)
      is_right = vt_rg_mask_has(&mask, i % SIDE, i / SIDE) == largest[i];
    n_changed += left < area;
  }
  vt_rg_mask_clear(&mask);
  vt_ok(is_right && n_changed > 100, "an opened mask is the largest piece of what squares in it cover (%d changed)",
        n_changed);
}

static bool
has_node(const RgTree *tree, const uint8_t *set, int32_t area)
{
  for (int32_t k = 0; k < tree->n_nodes; k++) {
    const RgNode *node = &tree->nodes[k];
    int32_t common = 0;
    for (int32_t i = 0; node->area == area && i < area; i++)
      common += set[tree->list[node->start + i]];
    if (common == area)
      return true;
  }
  return false;
}

/* Every component of every level is a node, and there are no others. */
static bool
is_tree_right(const RgTree *tree, const int16_t *map)
{
  int32_t n = 0;
  for (int level = RG_LOWEST_LEVEL; level <= 255 >> RG_LEVEL_SHIFT; level++) {
    uint8_t seen[PIXELS] = { 0 };
    for (int p = 0; p < PIXELS; p++) {
      if (seen[p] || map[p] >> RG_LEVEL_SHIFT < level)
        continue;
      uint8_t set[PIXELS] = { 0 };
      int32_t area = 0, here = 0;
      flood(map, level, p, set);
      for (int i = 0; i < PIXELS; i++) {
        seen[i] |= set[i];
        area += set[i];
        here += set[i] && map[i] >> RG_LEVEL_SHIFT == level;
      }
      if (here == 0)
        continue; /* the same pixels are a component of the next level */
      n++;
      if (!has_node(tree, set, area))
        return false;
    }
  }
  return n == tree->n_nodes;
}

static bool
is_above(const RgCandidates *all, int32_t above, int32_t c)
{
  while (c >= 0 && c != above)
    c = all->at[c].parent;
  return c == above;
}

/* Whether one set may hold both: neither holds the other, and the smallest that holds both gives them in one way. */
static bool
may_join(const RgCandidates *all, int32_t a, int32_t b)
{
  if (is_above(all, a, b) || is_above(all, b, a))
    return false;
  int32_t u = a, v = b;
  while (all->at[u].parent >= 0 && !is_above(all, all->at[u].parent, b))
    u = all->at[u].parent;
  while (all->at[v].parent >= 0 && !is_above(all, all->at[v].parent, a))
    v = all->at[v].parent;
  return all->at[u].parent < 0 || all->at[v].parent < 0 || all->at[u].part == all->at[v].part;
}

static bool
overlap(const RgCandidates *all, const RgCandidate *a, const RgCandidate *b)
{
  for (int32_t y = a->box.y0; y <= a->box.y1; y++)
    for (int32_t x = a->box.x0; x <= a->box.x1; x++)
      if (x >= b->box.x0 && x <= b->box.x1 && y >= b->box.y0 && y <= b->box.y1 && vt_rg_bit(all, a, x, y)
          && vt_rg_bit(all, b, x, y))
        return true;
  return false;
}

/* The greatest sum over all sets: with or without candidate i, of those that may join the ones taken. */
static int64_t
best_set(const RgCandidates *all, uint16_t cutoff, int32_t i, const int32_t *taken, int32_t n_taken)
{
  if (i == all->n)
    return 0;
  int32_t more[64];
  int64_t best = best_set(all, cutoff, i + 1, taken, n_taken);
  bool fits = all->at[i].score > cutoff;
  for (int32_t k = 0; k < n_taken; k++)
    fits = fits && may_join(all, taken[k], i);
  if (!fits)
    return best;
  memcpy(more, taken, (size_t)n_taken * sizeof *more);
  more[n_taken] = i;
  const int64_t with = all->at[i].score - cutoff + best_set(all, cutoff, i + 1, more, n_taken + 1);
  return with > best ? with : best;
}

typedef struct Seen {
  int trees, choices, holes, parts;
  bool trees_right, disjoint, best, allowed;
} Seen;

static void
check_choice(RgCandidates *all, Seen *seen)
{
  const uint16_t cutoff = 20000;
  int64_t sum = 0;
  for (int32_t i = 0; i < all->n; i++) {
    all->at[i].score = (uint16_t)(20000 + (pick(4) ? pick(8) * 1000 : 0));
    seen->parts += all->at[i].part;
  }
  seen->allowed = seen->allowed && vt_rg_choose(all, cutoff) == VITRAIL_OK;
  for (int32_t i = 0; i < all->n; i++) {
    sum += all->at[i].chosen ? all->at[i].score - cutoff : 0;
    for (int32_t j = 0; j < i; j++) {
      if (may_join(all, i, j) && overlap(all, &all->at[i], &all->at[j]))
        seen->disjoint = false;
      if (all->at[i].chosen && all->at[j].chosen && !may_join(all, i, j))
        seen->allowed = false;
    }
  }
  const int32_t none[1] = { 0 };
  if (all->n <= 18) {
    seen->choices++;
    seen->best = seen->best && sum == best_set(all, cutoff, 0, none, 0);
  }
}

static void
check_small_maps(void)
{
  Seen seen = { .trees_right = true, .disjoint = true, .best = true, .allowed = true };
  for (int round = 0; round < 600; round++) {
    int16_t map[PIXELS];
    RgPlanes planes = { .width = SIDE, .height = SIDE };
    RgTree tree;
    RgMask mask;
    RgCandidates all = { 0 };
    draw_map(map, round % 3 == 0 ? 30 : 3);
    planes.map = map;
    const bool is_made =
      vt_rg_tree_init(&tree, &planes, (RgBox){ 0, 0, SIDE - 1, SIDE - 1 }, 15) == VITRAIL_OK
      && vt_rg_mask_init(&mask, SIDE) == VITRAIL_OK
      && vt_rg_candidates_find(&all, &tree, &mask, round % 2 ? SIDE : 16, (RgBox){ 0, 0, SIDE - 1, SIDE - 1 })
           == VITRAIL_OK;
    if (!is_made) {
      vt_ok(false, "small map %d has candidates", round);
      return;
    }
    seen.trees++;
    seen.trees_right = seen.trees_right && is_tree_right(&tree, map);
    check_choice(&all, &seen);
    vt_rg_candidates_clear(&all);
    vt_rg_mask_clear(&mask);
    vt_rg_tree_clear(&tree);
  }
  vt_ok(seen.trees_right, "every component of every level is a node, and nothing else (%d maps)", seen.trees);
  vt_ok(seen.disjoint, "candidates that may be chosen together do not overlap (%d parts)", seen.parts);
  vt_ok(seen.allowed, "what is chosen may be chosen together");
  vt_ok(seen.best && seen.choices > 50, "the choice is worth as much as the best of all sets (%d maps)", seen.choices);
}

enum { WIDTH = 330, HEIGHT = 290, LARGEST = 40 };
typedef struct Picture {
  uint8_t rgb[3][WIDTH * HEIGHT];
  int32_t code[WIDTH * HEIGHT];
  uint16_t score[WIDTH * HEIGHT];
} Picture;

static void
draw_picture(Picture *p)
{
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < 3; c++)
      p->rgb[c][i] = (uint8_t)(215 + pick(25));
  for (int k = 0; k < 260; k++) {
    const int cx = (int)pick(WIDTH), cy = (int)pick(HEIGHT), a = 3 + (int)pick(14), b = 3 + (int)pick(9),
              dark = 40 + (int)pick(120), hollow = pick(4) ? 0 : 2; /* a ring, in which others may lie */
    for (int y = cy - a > 0 ? cy - a : 0; y <= cy + a && y < HEIGHT; y++)
      for (int x = cx - b > 0 ? cx - b : 0; x <= cx + b && x < WIDTH; x++) {
        const int out = (x - cx) * (x - cx) * a * a + (y - cy) * (y - cy) * b * b, all = a * a * b * b;
        if (out > all || out * hollow > all)
          continue;
        p->rgb[0][y * WIDTH + x] = (uint8_t)(dark + (int)pick(30));
        p->rgb[1][y * WIDTH + x] = (uint8_t)(dark / 2 + (int)pick(30));
        p->rgb[2][y * WIDTH + x] = (uint8_t)(dark + 30 + (int)pick(30));
      }
  }
}

static VtRegions
whole(Picture *p, VtRegionsPreset preset)
{
  return (VtRegions){ .red = { p->rgb[0], WIDTH, HEIGHT, WIDTH, VITRAIL_U8 },
                      .green = { p->rgb[1], WIDTH, HEIGHT, WIDTH, VITRAIL_U8 },
                      .blue = { p->rgb[2], WIDTH, HEIGHT, WIDTH, VITRAIL_U8 },
                      .code = { p->code, WIDTH, HEIGHT, 4 * WIDTH, VITRAIL_I32 },
                      .score = { p->score, WIDTH, HEIGHT, 2 * WIDTH, VITRAIL_U16 },
                      .grid_x = 4000,
                      .grid_y = 8100,
                      .edges = 15,
                      .largest = LARGEST,
                      .preset = preset,
                      .cutoff = 26214 };
}

/* By another cutoff first. What that leaves is enough for the one that is asked for: the window is another image then. */
static VitrailStatus
run_scored(VtDevice *device, VtRegions a)
{
  static uint8_t nothing[WIDTH * HEIGHT];
  VtRegionsScored *scored = NULL;
  VtRegions other = a;
  a.scored = other.scored = &scored;
  other.cutoff = (uint16_t)pick(65536);
  VitrailStatus status = vt_cpu_regions(device, &other, NULL);
  a.red.data = a.green.data = a.blue.data = nothing;
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++)
    status = scored ? vt_cpu_regions(device, &a, NULL) : VITRAIL_INTERNAL;
  vt_cpu_regions_drop(scored);
  return status;
}

/* The tile of width w and height h at (x, y), from a window with no more halo than is asked for. */
static bool
is_tile_same(VtDevice *device, const Picture *p, VtRegions a, int64_t x, int64_t y, int64_t w, int64_t h)
{
  const int64_t reach = vt_regions_reach(LARGEST);
  const int64_t x0 = x > reach ? x - reach : 0, y0 = y > reach ? y - reach : 0;
  const int64_t x1 = x + w + reach < WIDTH ? x + w + reach : WIDTH,
                y1 = y + h + reach < HEIGHT ? y + h + reach : HEIGHT;
  int32_t *code = malloc((size_t)(w * h) * sizeof *code);
  uint16_t *score = malloc((size_t)(w * h) * sizeof *score);
  a.red = vt_image_window(&a.red, x0, y0, x1 - x0, y1 - y0);
  a.green = vt_image_window(&a.green, x0, y0, x1 - x0, y1 - y0);
  a.blue = vt_image_window(&a.blue, x0, y0, x1 - x0, y1 - y0);
  a.code = (VtImage){ code, w, h, 4 * w, VITRAIL_I32 };
  a.score = (VtImage){ score, w, h, 2 * w, VITRAIL_U16 };
  a.x0 = x - x0;
  a.y0 = y - y0;
  a.grid_x += x0;
  a.grid_y += y0;
  a.edges = (x0 == 0 ? VT_EDGE_LEFT : 0) | (y0 == 0 ? VT_EDGE_TOP : 0) | (x1 == WIDTH ? VT_EDGE_RIGHT : 0)
            | (y1 == HEIGHT ? VT_EDGE_BOTTOM : 0);
  bool is_same = (pick(2) ? vt_cpu_regions(device, &a, NULL) : run_scored(device, a)) == VITRAIL_OK;
  for (int64_t v = 0; is_same && v < h; v++)
    is_same = memcmp(code + v * w, p->code + (y + v) * WIDTH + x, (size_t)w * sizeof *code) == 0
              && memcmp(score + v * w, p->score + (y + v) * WIDTH + x, (size_t)w * sizeof *score) == 0;
  free(code);
  free(score);
  return is_same;
}

static void
check_tiles(VtRegionsPreset preset)
{
  VtDevice *device = NULL;
  Picture *p = malloc(sizeof *p);
  draw_picture(p);
  const VtRegions a = whole(p, preset);
  bool is_same = p && vt_cpu_backend()->open(0, NULL, &device, NULL, 0) == VITRAIL_OK;
  is_same = is_same && vt_cpu_regions(device, &a, NULL) == VITRAIL_OK;
  int n = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    n += p->code[i] != 0;
  for (int k = 0; is_same && k < 24; k++) {
    const int64_t x = pick(WIDTH), y = pick(HEIGHT), w = 1 + pick((uint32_t)(WIDTH - x)),
                  h = 1 + pick((uint32_t)(HEIGHT - y));
    is_same = is_tile_same(device, p, a, x, y, w > 90 ? 90 : w, h > 90 ? 90 : h);
  }
  vt_ok(is_same, "preset %d: tiles with their halo have the codes and scores of the whole image (%d pixels in regions)",
        (int)preset, n);
  vt_cpu_backend()->close(device);
  free(p);
}

/* Twice the area of the hull of the corners of a candidate's pixels, gone around: the next corner is the one that has no other on its left. */
static int64_t
hull_slowly(const RgCandidates *all, const RgCandidate *c)
{
  static int32_t x[4 * 256], y[4 * 256];
  int32_t n = 0, at = 0;
  for (int32_t v = c->box.y0; v <= c->box.y1; v++) {
    int32_t from = c->box.x0, to = c->box.x1;
    while (!vt_rg_bit(all, c, from, v))
      from++;
    while (!vt_rg_bit(all, c, to, v))
      to--;
    for (int k = 0; k < 4; k++, n++) {
      x[n] = k & 1 ? to + 1 : from;
      y[n] = v + (k >> 1);
    }
  }
  int64_t area = 0;
  do { /* corner 0, the first of the first row, is on the hull */
    int32_t next = at == 0 ? 1 : 0;
    for (int32_t i = 0; i < n; i++) {
      const int64_t dx = x[next] - x[at], dy = y[next] - y[at], ex = x[i] - x[at], ey = y[i] - y[at];
      const int64_t turn = dx * ey - dy * ex;
      if (turn < 0 || (turn == 0 && ex * ex + ey * ey > dx * dx + dy * dy))
        next = i;
    }
    area += (int64_t)x[at] * y[next] - (int64_t)x[next] * y[at];
    at = next;
  } while (x[at] != x[0] || y[at] != y[0]);
  return area;
}

static void
check_solidity(void)
{
  Picture *p = malloc(sizeof *p);
  RgWindow window;
  draw_picture(p);
  const VtRegions a = whole(p, VT_REGIONS_TISSUE);
  if (vt_rg_window_init(&window, &a, vt_rg_shipped_model(VT_REGIONS_TISSUE)->map, NULL, NULL) != VITRAIL_OK) {
    vt_ok(false, "a window has candidates");
    free(p);
    return;
  }
  int32_t n_wrong = 0, n_hollow = 0;
  for (int32_t i = 0; i < window.all.n; i++) {
    const RgCandidate *c = &window.all.at[i];
    int32_t feature[RG_N_FEATURES];
    vt_rg_window_measure(&window, i, feature);
    n_wrong += feature[1] != 2 * (int64_t)feature[0] * 1024 / hull_slowly(&window.all, c);
    n_hollow += feature[1] < 900;
  }
  vt_ok(n_wrong == 0 && n_hollow > 0, "solidity is the area over that of the hull: %d of %d are not (%d below 0.88)",
        n_wrong, window.all.n, n_hollow);
  vt_rg_window_clear(&window);
  free(p);
}

static bool
is_same_forest(const VtForest *a, const VtForest *b)
{
  return a->n_features == b->n_features && a->n_trees == b->n_trees && a->tree_nodes == b->tree_nodes
         && memcmp(a->limits, b->limits, (size_t)a->n_features * (VT_FOREST_BINS - 1) * sizeof *a->limits) == 0
         && memcmp(a->nodes, b->nodes, (size_t)a->n_trees * a->tree_nodes * sizeof *a->nodes) == 0;
}

/* A bin counted limit by limit, and one walk down each tree. */
static uint16_t
predict_slowly(const VtForest *forest, const int32_t *values)
{
  int64_t sum = forest->base;
  for (uint32_t t = 0; t < forest->n_trees; t++) {
    const VtForestNode *tree = forest->nodes + (size_t)t * forest->tree_nodes, *node = tree;
    while (node->feature != VT_FOREST_LEAF) {
      int bin = 0;
      for (int k = 0; k < VT_FOREST_BINS - 1; k++)
        bin += forest->limits[node->feature * (VT_FOREST_BINS - 1) + k] < values[node->feature];
      node = tree + node->value + (bin > node->bin);
    }
    sum += node->value - VT_FOREST_ZERO;
  }
  return (uint16_t)(sum < 0 ? 0 : sum > 65535 ? 65535 : sum);
}

static void
run_threads(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  const VtParallel parallel = vt_test_parallel(user);
  parallel.run(parallel.user, n, job, job_user);
}

enum { EXAMPLES = 900, FEATURES = 7 };

static void
check_forest(void)
{
  static int32_t values[EXAMPLES][FEATURES], shuffled[EXAMPLES][FEATURES];
  static uint16_t targets[EXAMPLES], mixed[EXAMPLES];
  const VtForestSettings settings = { .n_trees = 60, .max_leaves = 16, .min_leaf = 3, .seed = 5, .rate = 150 };
  for (int i = 0; i < EXAMPLES; i++) {
    for (int k = 0; k < FEATURES; k++)
      values[i][k] = (int32_t)pick(i % 3 ? 2000 : 4) - 500;
    targets[i] = (uint16_t)((values[i][2] > 300 ? 40000 : 5000) + (values[i][5] > 0 ? 9000 : 0) + (int)pick(500));
  }
  VtForest first, again;
  bool is_same = vt_forest_train(&first, values[0], targets, EXAMPLES, FEATURES, &settings, NULL, NULL);
  for (uint32_t threads = 1; is_same && threads <= 5; threads += threads == 1 ? 1 : 3) {
    memcpy(shuffled, values, sizeof values);
    memcpy(mixed, targets, sizeof targets);
    for (uint32_t i = EXAMPLES - 1; i > 0; i--) {
      const uint32_t j = pick(i + 1);
      const uint16_t target = mixed[i];
      int32_t row[FEATURES];
      memcpy(row, shuffled[i], sizeof row);
      memcpy(shuffled[i], shuffled[j], sizeof row);
      memcpy(shuffled[j], row, sizeof row);
      mixed[i] = mixed[j];
      mixed[j] = target;
    }
    is_same = vt_forest_train(&again, shuffled[0], mixed, EXAMPLES, FEATURES, &settings, run_threads, &threads);
    is_same = is_same && is_same_forest(&first, &again);
    vt_forest_clear(&again);
  }
  vt_ok(is_same, "shuffled examples on 1, 2 and 5 threads give the same forest");
  int64_t off = 0;
  for (int i = 0; i < EXAMPLES; i += VT_FOREST_AT_ONCE / 4) {
    const int32_t *rows[VT_FOREST_AT_ONCE];
    uint16_t answers[VT_FOREST_AT_ONCE];
    for (int k = 0; k < VT_FOREST_AT_ONCE; k++)
      rows[k] = values[(i + k) % EXAMPLES];
    vt_forest_predict(&first, rows, answers);
    for (int k = 0; k < VT_FOREST_AT_ONCE; k++)
      is_same = is_same && answers[k] == predict_slowly(&first, rows[k]);
    off += llabs((int64_t)answers[0] - targets[i]) * (VT_FOREST_AT_ONCE / 4);
  }
  vt_ok(is_same, "and rows side by side have the answer of one that walks down alone");
  vt_ok(off / EXAMPLES < 4000, "it has learned its examples: off by %d on average", (int)(off / EXAMPLES));
  vt_forest_clear(&first);
  vt_ok(!vt_forest_train(&again, values[0], targets, 0, FEATURES, &settings, NULL, NULL),
        "of no examples nothing is learned");
}

/* user: what is to be learned in place of targets that are all alike, user[EXAMPLES]. */
static void
pull_from_mean(void *user, const int32_t *answers, int32_t *pulls)
{
  const int32_t *wanted = user;
  (void)answers;
  for (int i = 0; i < EXAMPLES; i++)
    pulls[i] = wanted[i] - wanted[EXAMPLES];
}

static void
check_pull(void)
{
  static int32_t values[EXAMPLES][FEATURES], wanted[EXAMPLES + 1];
  static uint16_t targets[EXAMPLES], mean[EXAMPLES];
  int64_t sum = 0;
  for (int i = 0; i < EXAMPLES; i++) {
    values[i][0] = i; /* no two examples are alike: their order could not be told */
    for (int k = 1; k < FEATURES; k++)
      values[i][k] = (int32_t)pick(300);
    targets[i] = (uint16_t)((i > 300 ? 40000 : 5000) + values[i][3] * 20);
    wanted[i] = targets[i];
    sum += targets[i];
  }
  wanted[EXAMPLES] = (int32_t)(sum / EXAMPLES);
  for (int i = 0; i < EXAMPLES; i++)
    mean[i] = (uint16_t)wanted[EXAMPLES];
  VtForestSettings settings = { .n_trees = 20, .max_leaves = 8, .min_leaf = 5, .seed = 2, .rate = 200 };
  VtForest plain, pulled;
  bool is_same = vt_forest_train(&plain, values[0], targets, EXAMPLES, FEATURES, &settings, NULL, NULL);
  settings.pull = pull_from_mean;
  settings.pull_user = wanted;
  is_same = is_same && vt_forest_train(&pulled, values[0], mean, EXAMPLES, FEATURES, &settings, NULL, NULL);
  vt_ok(is_same && is_same_forest(&plain, &pulled), "what answers are pulled by is learned as a target is");
  vt_forest_clear(&plain);
  vt_forest_clear(&pulled);
}

int
main(void)
{
  check_small_maps();
  check_opening();
  for (int preset = 0; preset < VT_REGIONS_N_PRESETS; preset++)
    check_tiles((VtRegionsPreset)preset);
  check_solidity();
  check_forest();
  check_pull();
  return vt_test_done();
}
