/* SPDX-License-Identifier: MIT */
#include "filters.h"
#include "mask.h"

#include <stdlib.h>
#include <string.h>

static RgBox
inner_of(const VtRegions *a)
{
  const int64_t w = a->red.width, h = a->red.height, far = a->largest + RG_PAD;
  const int64_t x0 = a->edges & VT_EDGE_LEFT && a->x0 <= far ? 0 : a->x0 - far;
  const int64_t y0 = a->edges & VT_EDGE_TOP && a->y0 <= far ? 0 : a->y0 - far;
  const int64_t x1 = a->x0 + a->code.width - 1 + far, y1 = a->y0 + a->code.height - 1 + far;
  return (RgBox){ (int32_t)(x0 > 0 ? x0 : 0), (int32_t)(y0 > 0 ? y0 : 0), (int32_t)(x1 < w ? x1 : w - 1),
                  (int32_t)(y1 < h ? y1 : h - 1) };
}

static RgBox
with_ring(const VtRegions *a, RgBox box)
{
  const int32_t right = (int32_t)a->red.width - 1, bottom = (int32_t)a->red.height - 1;
  return (RgBox){ box.x0 > RG_RING ? box.x0 - RG_RING : 0, box.y0 > RG_RING ? box.y0 - RG_RING : 0,
                  box.x1 + RG_RING < right ? box.x1 + RG_RING : right,
                  box.y1 + RG_RING < bottom ? box.y1 + RG_RING : bottom };
}

static RgBox
tile_of(const VtRegions *a)
{
  return (RgBox){ (int32_t)a->x0, (int32_t)a->y0, (int32_t)(a->x0 + a->code.width - 1),
                  (int32_t)(a->y0 + a->code.height - 1) };
}

/* Sides of the inner window where the image ends. */
static uint32_t
inner_edges(const VtRegions *a, RgBox inner)
{
  return (inner.x0 == 0 ? a->edges & VT_EDGE_LEFT : 0) | (inner.y0 == 0 ? a->edges & VT_EDGE_TOP : 0)
         | (inner.x1 == a->red.width - 1 ? a->edges & VT_EDGE_RIGHT : 0)
         | (inner.y1 == a->red.height - 1 ? a->edges & VT_EDGE_BOTTOM : 0);
}

VitrailStatus
vt_rg_window_init(RgWindow *window, const VtRegions *args, const RgMap *map, VtDevice *device, const VtCancel *cancel)
{
  *window = (RgWindow){ .largest = args->largest };
  VitrailStatus status = vt_rg_planes_init(&window->planes, args->red.width, args->red.height, device);
  window->planes.cancel = window->all.cancel = cancel;
  const RgBox inner = inner_of(args);
  if (status == VITRAIL_OK)
    status = vt_rg_planes_fill(&window->planes, args, map, with_ring(args, inner));
  if (status == VITRAIL_OK)
    status = vt_rg_tree_init(&window->tree, &window->planes, inner, inner_edges(args, inner));
  if (status == VITRAIL_OK)
    status = vt_cancelled(cancel) ? VITRAIL_CANCELLED : vt_rg_mask_init(&window->mask, args->largest);
  if (status == VITRAIL_OK)
    status = vt_rg_candidates_find(&window->all, &window->tree, &window->mask, args->largest, tile_of(args));
  if (status != VITRAIL_OK)
    vt_rg_window_clear(window);
  return status;
}

void
vt_rg_window_clear(RgWindow *window)
{
  vt_rg_candidates_clear(&window->all);
  vt_rg_mask_clear(&window->mask);
  vt_rg_tree_clear(&window->tree);
  vt_rg_planes_clear(&window->planes);
}

/* Candidates of one block of the window after each other, so that its planes are at hand. */
static void
order_blocks(const RgWindow *window, RgOrder *order)
{
  enum { BLOCK = 64 };
  const int32_t across = (int32_t)window->planes.width / BLOCK + 1, n = window->all.n;
  for (int32_t i = 0; i < n; i++) {
    const RgBox *box = &window->all.at[i].box;
    order[i] = (RgOrder){ i, box->y0 / BLOCK * across + box->x0 / BLOCK };
  }
  qsort(order, (size_t)n, sizeof *order, vt_rg_compare_order);
}

/* n at most VT_FOREST_AT_ONCE, at least 1. */
static void
score_some(RgWindow *window, const RgModel *model, const RgOrder *order, int32_t n)
{
  int32_t features[VT_FOREST_AT_ONCE][RG_N_FEATURES];
  const int32_t *rows[VT_FOREST_AT_ONCE];
  uint16_t scores[VT_FOREST_AT_ONCE];
  for (int32_t k = 0; k < VT_FOREST_AT_ONCE; k++)
    rows[k] = features[k < n ? k : 0];
  for (int32_t k = 0; k < n; k++)
    vt_rg_window_measure(window, order[k].index, features[k]);
  vt_rg_filters()->predict(model->forest, rows, scores);
  for (int32_t k = 0; k < n; k++)
    window->all.at[order[k].index].score = scores[k];
}

static VitrailStatus
score_all(RgWindow *window, const RgModel *model)
{
  const int32_t n = window->all.n;
  RgOrder *order = malloc((size_t)n * sizeof *order + 1);
  if (!order)
    return VITRAIL_OUT_OF_MEMORY;
  order_blocks(window, order);
  int32_t i = 0;
  for (; i < n && !vt_cancelled(window->all.cancel); i += VT_FOREST_AT_ONCE)
    score_some(window, model, order + i, n - i < VT_FOREST_AT_ONCE ? n - i : VT_FOREST_AT_ONCE);
  free(order);
  return i < n ? VITRAIL_CANCELLED : VITRAIL_OK;
}

VitrailStatus
vt_rg_window_choose(RgWindow *window, const RgModel *model, uint16_t cutoff)
{
  const VitrailStatus status = score_all(window, model);
  return status == VITRAIL_OK ? vt_rg_choose(&window->all, cutoff) : status;
}

/* Remainder of 4096, never negative. */
static inline int32_t
wrapped(int64_t v)
{
  return (int32_t)(v & 4095);
}

static void
paint_run(int32_t *restrict codes, uint16_t *restrict scores, int64_t n, int32_t code, uint16_t score)
{
  for (int64_t i = 0; i < n; i++) {
    codes[i] = code;
    scores[i] = score;
  }
}

static void
raise_run(uint16_t *scores, int64_t n, uint16_t score)
{
  for (int64_t i = 0; i < n; i++)
    scores[i] = score > scores[i] ? score : scores[i];
}

/* Code and score of a region that was chosen; of one that was not, its score if it is the most. */
static void
paint_one(const RgCandidates *all, const RgCandidate *c, const VtRegions *a)
{
  const int64_t x0 = a->x0 - c->box.x0, x1 = x0 + a->code.width;
  const int64_t y0 = c->box.y0 > a->y0 ? c->box.y0 : a->y0,
                y1 = c->box.y1 < a->y0 + a->code.height ? c->box.y1 + 1 : a->y0 + a->code.height;
  const int32_t words = vt_rg_row_words(c), first = c->box.x0 + vt_rg_next(all->bits + c->bits, words, 0, 0);
  const int32_t code = 1 + wrapped(c->box.y0 + a->grid_y) * 4096 + wrapped(first + a->grid_x);
  for (int64_t y = y0; y < y1; y++) {
    const uint64_t *row = vt_rg_row(all, c, (int32_t)y);
    int32_t *codes = vt_image_at(&a->code, 0, y - a->y0);
    uint16_t *scores = vt_image_at(&a->score, 0, y - a->y0);
    for (int32_t from = 0, to; vt_rg_next_run(row, words, &from, &to); from = to) {
      const int64_t begin = from > x0 ? from : x0, end = to < x1 ? to : x1;
      if (begin < end && c->chosen)
        paint_run(codes + begin - x0, scores + begin - x0, end - begin, code, c->score);
      else if (begin < end)
        raise_run(scores + begin - x0, end - begin, c->score);
    }
  }
}

/* Codes and scores of the tile, of candidates among which was chosen. */
static void
paint(const RgCandidates *all, const VtRegions *a)
{
  for (int64_t y = 0; y < a->code.height; y++) {
    memset(vt_image_at(&a->code, 0, y), 0, (size_t)a->code.width * sizeof(int32_t));
    memset(vt_image_at(&a->score, 0, y), 0, (size_t)a->code.width * sizeof(uint16_t));
  }
  for (int chosen = 0; chosen <= 1; chosen++) /* what was chosen covers the rest */
    for (int32_t i = 0; i < all->n && !((i & 255) == 0 && vt_cancelled(all->cancel)); i++)
      if (all->at[i].chosen == chosen)
        paint_one(all, &all->at[i], a);
}

/* --- what a later cutoff needs --- */

struct VtRegionsScored {
  RgCandidates all;
};

void
vt_cpu_regions_drop(VtRegionsScored *scored)
{
  if (scored)
    vt_rg_candidates_clear(&scored->all);
  free(scored);
}

size_t
vt_cpu_regions_bytes(const VtRegionsScored *scored)
{
  return sizeof *scored + (size_t)scored->all.room * sizeof *scored->all.at
         + scored->all.bits_room * sizeof *scored->all.bits;
}

/* The candidates of the window, which it then no longer has. Without memory it keeps them. */
static void
take_scored(RgWindow *window, VtRegionsScored **scored)
{
  *scored = malloc(sizeof **scored);
  if (!*scored)
    return;
  RgCandidates *all = &(*scored)->all;
  *all = window->all;
  window->all = (RgCandidates){ .n = 0 };
  all->cancel = NULL;
  RgCandidate *at = realloc(all->at, (size_t)all->n * sizeof *at + 1); /* it has grown by doubling */
  if (at) {
    all->at = at;
    all->room = all->n;
  }
  uint64_t *bits = realloc(all->bits, all->n_bits * sizeof *bits + 1);
  if (bits) {
    all->bits = bits;
    all->bits_room = all->n_bits;
  }
}

static VitrailStatus
choose_again(VtRegionsScored *scored, const VtRegions *args, const VtCancel *cancel)
{
  scored->all.cancel = cancel;
  VitrailStatus status = vt_rg_choose(&scored->all, args->cutoff);
  if (status == VITRAIL_OK)
    paint(&scored->all, args);
  scored->all.cancel = NULL;
  return status == VITRAIL_OK && vt_cancelled(cancel) ? VITRAIL_CANCELLED : status;
}

VitrailStatus
vt_cpu_regions(VtDevice *device, const VtRegions *args, const VtCancel *cancel)
{
  if (!vt_regions_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (args->scored && *args->scored)
    return choose_again(*args->scored, args, cancel);
  const RgModel *model = vt_rg_shipped_model(args->preset);
  if (!model)
    return VITRAIL_OUT_OF_MEMORY;
  RgWindow window;
  VitrailStatus status = vt_rg_window_init(&window, args, model->map, device, cancel);
  if (status != VITRAIL_OK)
    return status;
  const RgModel used = { model->map, args->taught ? args->taught->forest : model->forest };
  status = vt_rg_window_choose(&window, &used, args->cutoff);
  if (status == VITRAIL_OK)
    paint(&window.all, args);
  if (status == VITRAIL_OK && args->found)
    status = vt_rg_window_find(&window, args);
  if (status == VITRAIL_OK && args->scored && !args->found)
    take_scored(&window, args->scored);
  vt_rg_window_clear(&window);
  return status == VITRAIL_OK && vt_cancelled(cancel) ? VITRAIL_CANCELLED : status;
}
