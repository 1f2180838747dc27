/* SPDX-License-Identifier: MIT
 *
 * Streamed runs: random images, tile sizes, orders, threads, devices, faults, budgets and numbers of ranks, and always the
 * bytes of the run in one piece. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

typedef struct {
  VtImage mask, marker;
  bool is_distance;
  double params[3]; /* height, method, connectivity; or threshold, output, cap */
  double mpp_y;     /* pixels are 1 wide; 0: no size is known */
  bool has_marker;
  int64_t x, y, width, height;
  uint32_t tile, n_threads, n_ranks;
  uint64_t order, budget;
  const char *device;   /* what the pretended one does; NULL: the CPU alone */
  int64_t cancel_after; /* questions; -1: never */
  uint32_t cancel_rank;
} Draw;

typedef struct {
  const Draw *draw;
  MiniRanks *ranks;
  uint32_t rank;
  bool streams;
  VitrailStatus status;
  MiniResult result;
} Rank;

static int n_cancelled;
static char scratch[] = "/tmp/vitrail-test-XXXXXX";

/* A marker of rare bright pixels; of a corridor only the first. */
static void
fill(Draw *d)
{
  const VtDraw draw = vt_draw_new(pick(VT_DRAW_N_KINDS));
  const uint32_t w = (uint32_t)d->mask.width, h = (uint32_t)d->mask.height;
  const bool corridor = draw.kind == VT_DRAW_ROW_CORRIDOR || draw.kind == VT_DRAW_COLUMN_CORRIDOR;
  for (uint32_t y = 0; y < h; y++)
    for (uint32_t x = 0; x < w; x++) {
      const uint32_t value = vt_draw_value(&draw, x, y, w, h);
      vt_draw_set(&d->mask, x, y, value);
      vt_draw_set(&d->marker, x, y, !corridor && pick(60) == 0 ? value : 0);
    }
  if (corridor)
    memcpy(d->marker.data, d->mask.data, vt_type_size(d->mask.type));
}

static Draw
draw_new(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  static const char *const devices[] = { NULL,     "works",   "two",       "lost",     "later=3",
                                         "memory", "missing", "many=4:-1", "many=3:60" };
  const int64_t w = 1 + pick(pick(4) ? 700 : 40), h = 1 + pick(pick(3) ? 600 : 2600);
  Draw d = { .tile = 16 + pick(200), .n_threads = 1 + pick(4), .n_ranks = 1 + pick(5), .order = pick(1000) };
  d.mask = mini_image_new(types[pick(4)], w, h);
  d.marker = mini_image_new(d.mask.type, w, h);
  fill(&d);
  d.is_distance = pick(3) == 0;
  d.params[0] = pick(d.is_distance ? 250 : 60);
  d.params[1] = pick(d.is_distance ? 3 : 2);
  d.params[2] = d.is_distance ? pick(2) * pick(30) : pick(2);
  d.mpp_y = d.is_distance && pick(2) ? 0.5 * (1 + pick(6)) : 0;
  d.has_marker = !d.is_distance && pick(2) && d.params[1] == 0;
  d.x = pick((uint32_t)w);
  d.y = pick((uint32_t)h);
  d.width = pick(2) ? w - d.x : 1 + pick((uint32_t)(w - d.x));
  d.height = pick(2) ? h - d.y : 1 + pick((uint32_t)(h - d.y));
  d.budget = 80000 + pick(400000); /* some dozens of small blocks */
  if (d.is_distance)               /* what its bands need, and a little */
    d.budget = (uint64_t)d.width * (17 * 512 + 8 * 8) * 4 / 3 + 80000 + pick(200000);
  d.device = devices[pick(9)];
  d.cancel_after = pick(6) == 0 ? (int64_t)pick(pick(2) ? 20 : 400) : -1;
  d.cancel_rank = pick(d.n_ranks);
  return d;
}

static void *
run_rank(void *user)
{
  static const char *const keys[] = { "height", "method", "connectivity", "threshold", "output", "cap" };
  Rank *rank = user;
  const Draw *d = rank->draw;
  VitrailParamValue values[3];
  const VitrailParamValue *value_list[3];
  for (int i = 0; i < 3; i++) {
    values[i] =
      (VitrailParamValue){ .size = sizeof values[i], .key = keys[d->is_distance ? 3 + i : i], .v = { d->params[i] } };
    value_list[i] = &values[i];
  }
  VitrailInput inputs[2];
  const VitrailInput *input_list[2];
  for (uint32_t i = 0; i < 2; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof inputs[i],
                                .handle = i,
                                .id = i                ? "marker"
                                      : d->is_distance ? "image"
                                                       : "mask",
                                .type = d->mask.type,
                                .width_l0 = d->mask.width,
                                .height_l0 = d->mask.height,
                                .mpp_x = d->mpp_y > 0,
                                .mpp_y = d->mpp_y };
    input_list[i] = &inputs[i];
  }
  VitrailRequest request = { .size = sizeof request,
                             .tile_px = rank->streams ? d->tile : 0,
                             .op_id = d->is_distance ? "distance" : "reconstruct",
                             .backend = rank->streams && d->device ? "auto" : "cpu",
                             .x_l0 = d->x,
                             .y_l0 = d->y,
                             .width_l0 = d->width,
                             .height_l0 = d->height,
                             .n_params = 3,
                             .params = value_list,
                             .n_inputs = d->has_marker ? 2 : 1,
                             .inputs = input_list };
  if (rank->streams) {
    request.scratch_dir = scratch;
    request.memory_budget = d->budget;
  }
  MiniHost mini = { .images = { &d->mask, &d->marker },
                    .canvas_x = d->x,
                    .canvas_y = d->y,
                    .canvas_width = d->width,
                    .canvas_height = d->height,
                    .ranks = rank->ranks,
                    .rank = rank->rank,
                    .n_threads = d->n_threads,
                    .shuffle_seed = d->order,
                    .cancel_after = rank->streams && rank->rank == d->cancel_rank ? d->cancel_after : -1 };
  VitrailSession *session = NULL;
  rank->status = mini_plugin()->session_open(&session);
  if (rank->status == VITRAIL_OK)
    rank->status = mini_run(&mini, session, &request, &rank->result);
  mini_plugin()->session_close(session);
  return NULL;
}

/* The one of the output; 1 is what is certain. */
static uint32_t
stage_of(const Draw *d)
{
  return d->is_distance && d->params[1] > 0 ? 1 + (uint32_t)d->params[1] : 0;
}

/* Each rank has filled its own rows of a canvas of zeros. */
static bool
add_up(const Draw *d, Rank *ranks, VtImage *sum)
{
  const VtType type = !d->is_distance ? d->mask.type : stage_of(d) == 0 ? VITRAIL_F32 : VITRAIL_I32;
  const size_t bytes = (size_t)(d->height * d->width) * vt_type_size(type);
  *sum = mini_image_new(type, d->width, d->height);
  for (uint32_t i = 0; i < d->n_ranks; i++) {
    const unsigned char *part = ranks[i].result.stages[stage_of(d)].data;
    for (size_t k = 0; part && k < bytes; k++)
      ((unsigned char *)sum->data)[k] |= part[k];
    if (ranks[i].status != VITRAIL_OK)
      return false;
  }
  return true;
}

/* One rank was told to stop, and no rank says anything else. */
static bool
were_cancelled(const Draw *d, const Rank *ranks)
{
  bool fine = d->cancel_after >= 0;
  for (uint32_t i = 0; i < d->n_ranks; i++)
    fine &= (ranks[i].status == VITRAIL_OK && i != d->cancel_rank) || ranks[i].status == VITRAIL_CANCELLED;
  n_cancelled++;
  return fine;
}

static bool
check_draw(const Draw *d, int round)
{
  Rank whole = { .draw = d };
  MiniRanks talk = { .n = d->n_ranks };
  Rank ranks[MINI_MAX_RANKS];
  VtImage sum;
  setenv("FAKE_GPU", d->device ? d->device : "absent", 1);
  run_rank(&whole);
  for (uint32_t i = 0; i < d->n_ranks; i++)
    ranks[i] = (Rank){ .draw = d, .streams = true, .rank = i, .ranks = d->n_ranks > 1 ? &talk : NULL };
  mini_ranks_run(&talk, run_rank, ranks, sizeof *ranks);
  bool fine = whole.status == VITRAIL_OK;
  if (add_up(d, ranks, &sum))
    fine = fine && memcmp(sum.data, whole.result.stages[stage_of(d)].data, (size_t)(sum.height * sum.stride)) == 0;
  else
    fine = fine && were_cancelled(d, ranks);
  if (!fine)
    printf(
      "# draw %d: %s %lld x %lld type %d, tile %u, %u threads, %u ranks, budget %llu, device %s: status %d %d \"%s\" "
      "\"%s\"\n",
      round, d->is_distance ? "distance" : "reconstruct", (long long)d->width, (long long)d->height, d->mask.type,
      d->tile, d->n_threads, d->n_ranks, (unsigned long long)d->budget, d->device ? d->device : "none", whole.status,
      ranks[0].status, whole.result.message, ranks[0].result.message);
  free(sum.data);
  mini_result_clear(&whole.result);
  for (uint32_t i = 0; i < d->n_ranks; i++)
    mini_result_clear(&ranks[i].result);
  return fine;
}

int
main(void)
{
  const int n = vt_rounds(2000);
  int n_bad = 0, n_streamed = 0;
  if (!mkdtemp(scratch))
    return 1;
  for (int i = 0; i < n && n_bad < 5; i++) {
    Draw d = draw_new();
    n_streamed += d.n_ranks > 1 || (uint64_t)(d.width * d.height * (d.is_distance ? 25 : 16)) > d.budget;
    n_bad += !check_draw(&d, i);
    free(d.mask.data);
    free(d.marker.data);
  }
  vt_ok(n_bad == 0, "%d draws, %d streamed, %d cancelled, %d differ from the run in one piece", n, n_streamed,
        n_cancelled, n_bad);
  vt_ok(rmdir(scratch) == 0, "no scratch file is left");
  return vt_test_done();
}
