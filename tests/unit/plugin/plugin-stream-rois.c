/* SPDX-License-Identifier: MIT
 *
 * Regions of `glrlm-rois` that the budget does not hold, and processes that share them out: random images, masks, polygons,
 * levels, budgets, tile sizes, orders, threads, numbers of ranks and interruptions, and always the rows of the run in one piece. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MAX_PARAMS = 16, MAX_ROIS = 8, MAX_RINGS = 3, MAX_POINTS = 12 };

typedef struct {
  char name[16];
  uint32_t n_rings;
  uint32_t sizes[MAX_RINGS];
  double points[MAX_RINGS * MAX_POINTS * 2];
} Region;

typedef struct {
  VtImage image, mask;
  bool has_mask;
  Region regions[MAX_ROIS];
  uint32_t n_rois;
  VitrailParamValue params[MAX_PARAMS];
  uint32_t n_params, tile, n_threads, n_ranks;
  uint64_t order, budget;
  uint32_t n_stops; /* how often it is interrupted, and goes on */
} Draw;

static char scratch[] = "/tmp/vitrail-test-XXXXXX";

static void
set(Draw *d, const char *key, double value)
{
  d->params[d->n_params++] = (VitrailParamValue){ .size = sizeof(VitrailParamValue), .key = key, .v = { value } };
}

/* Rings of any corners, some of them beside the image, or boxes. */
static void
draw_region(Draw *d, uint32_t i)
{
  Region *r = &d->regions[i];
  const double w = (double)d->image.width, h = (double)d->image.height;
  double *p = r->points;
  uint32_t n_rings = 1 + pick(MAX_RINGS);
  for (uint32_t k = 0; k < n_rings; k++) {
    r->sizes[k] = pick(2) ? 4 : 1 + pick(MAX_POINTS);
    for (uint32_t j = 0; j < r->sizes[k]; j++) {
      *p++ = (pick(1400) / 1000.0 - 0.2) * w;
      *p++ = (pick(1400) / 1000.0 - 0.2) * h;
    }
  }
  if (pick(3) == 0) {
    const double x0 = pick(100) / 200.0 * w, y0 = pick(100) / 200.0 * h, x1 = x0 + pick(200) / 100.0 * w,
                 y1 = y0 + pick(200) / 100.0 * h, box[] = { x0, y0, x1, y0, x1, y1, x0, y1 };
    memcpy(r->points, box, sizeof box);
    n_rings = 1;
    r->sizes[0] = 4;
  }
  snprintf(r->name, sizeof r->name, "%u", i);
  r->n_rings = n_rings;
}

static void
draw_params(Draw *d)
{
  const uint32_t binning = pick(3);
  set(d, "binning", binning);
  set(d, "aggregate", pick(6));
  set(d, "levels", pick(4) ? 2 + pick(30) : 2 + pick(255));
  set(d, "channel", pick(5));
  set(d, "own-range", pick(2));
  set(d, "pixel-size", pick(3) ? 1 : 1 + pick(3));
  if (pick(3) == 0) {
    set(d, "range-min", pick(40));
    set(d, "range-max", pick(200));
  }
  if (binning == 2)
    set(d, "bin-width", pick(2) ? 0.02 * (1 + pick(50)) : 1 + pick(300));
}

static Draw
draw_new(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8 };
  const uint32_t shape = pick(4);
  const int64_t w = 1 + pick(shape == 0 ? 5 : 900), h = 1 + pick(shape == 1 ? 1500 : 600);
  Draw d = { .tile = pick(2) ? 0 : 1 + pick(200),
             .n_threads = 1 + pick(4),
             .n_ranks = pick(2) ? 1 : 2 + pick(4),
             .order = pick(1000),
             .has_mask = pick(3) == 0,
             .n_rois = pick(3) ? 1 + pick(MAX_ROIS) : 0,
             .n_stops = pick(3) ? 0 : 1 + pick(3) };
  d.image = mini_image_new(types[pick(5)], w, h);
  vt_draw_fill(&d.image, VT_DRAW_N_KINDS);
  for (uint32_t n = d.image.type == VITRAIL_F32 ? pick(9) : 0; n > 0; n--)
    *(float *)vt_image_at(&d.image, pick((uint32_t)w), pick((uint32_t)h)) = -__builtin_inff();
  d.mask = mini_image_new(types[pick(4)], w, h);
  vt_draw_fill(&d.mask, VT_DRAW_N_KINDS);
  for (uint32_t i = 0; i < d.n_rois; i++)
    draw_region(&d, i);
  draw_params(&d);
  /* From what may be too little to what holds some of the regions whole. */
  const uint32_t longest = (uint32_t)(w > h ? w : h), n_levels = d.params[0].v[0] > 0 ? 256 : 32;
  d.budget = d.n_threads * 60000 + (pick(8) ? n_levels * longest * 43 : 0) + pick((uint32_t)(w * h));
  return d;
}

static void
draw_free(Draw *d)
{
  free(d->image.data);
  free(d->mask.data);
}

static VitrailStatus
run(const Draw *d, bool streams, int64_t cancel_after, MiniRanks *ranks, uint32_t rank, MiniResult *result)
{
  const VitrailParamValue *values[MAX_PARAMS];
  VitrailRoi regions[MAX_ROIS];
  const VitrailRoi *rois[MAX_ROIS];
  for (uint32_t i = 0; i < d->n_params; i++)
    values[i] = &d->params[i];
  for (uint32_t i = 0; i < d->n_rois; i++) {
    const Region *r = &d->regions[i];
    rois[i] = &regions[i];
    regions[i] = (VitrailRoi){
      .size = sizeof regions[i], .name = r->name, .n_rings = r->n_rings, .ring_sizes = r->sizes, .points = r->points
    };
  }
  VitrailInput inputs[2];
  const VitrailInput *input_list[2];
  for (uint32_t i = 0; i < 2; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof inputs[i],
                                .handle = i,
                                .id = i ? "mask" : "image",
                                .type = i ? d->mask.type : d->image.type,
                                .width_l0 = d->image.width,
                                .height_l0 = d->image.height };
    input_list[i] = &inputs[i];
  }
  VitrailRequest request = { .size = sizeof request,
                             .tile_px = streams ? d->tile : 0,
                             .op_id = "glrlm-rois",
                             .backend = "cpu",
                             .width_l0 = d->image.width,
                             .height_l0 = d->image.height,
                             .n_params = d->n_params,
                             .params = values,
                             .n_inputs = d->has_mask ? 2 : 1,
                             .inputs = input_list,
                             .n_rois = d->n_rois,
                             .rois = rois,
                             .memory_budget = streams ? d->budget : 0 };
  char folder[sizeof scratch + 16];
  snprintf(folder, sizeof folder, "%s/%u", scratch, rank);
  if (streams && d->n_stops > 0) {
    request.scratch_dir = folder;
    request.flags = VITRAIL_RUN_KEEP_SCRATCH;
  }
  MiniHost mini = { .images = { &d->image, &d->mask },
                    .n_threads = streams ? d->n_threads : 2,
                    .shuffle_seed = streams ? d->order : 0,
                    .ranks = ranks,
                    .rank = rank,
                    .cancel_after = cancel_after };
  VitrailSession *session = NULL;
  VitrailStatus status = mini_plugin()->session_open(&session);
  if (status == VITRAIL_OK)
    status = mini_run(&mini, session, &request, result);
  mini_plugin()->session_close(session);
  return status;
}

/* --- ranks, each a thread --- */

typedef struct {
  const Draw *draw;
  MiniRanks *talk;
  uint32_t rank;
  int64_t cancel_after;
  VitrailStatus status;
  MiniResult result;
} Rank;

static void *
run_rank(void *user)
{
  Rank *rank = user;
  rank->status = run(rank->draw, true, rank->cancel_after, rank->talk, rank->rank, &rank->result);
  return NULL;
}

/* The result of rank 0, which has all rows, and the status that the ranks agree on; INTERNAL when they don't. A cancelled rank
 * may be the only one that knows. */
static VitrailStatus
run_ranks(const Draw *d, int64_t cancel_after, uint32_t cancel_rank, MiniResult *first)
{
  MiniRanks talk = { .n = d->n_ranks };
  Rank ranks[MINI_MAX_RANKS];
  if (d->n_ranks == 1)
    return run(d, true, cancel_after, NULL, 0, first);
  for (uint32_t i = 0; i < d->n_ranks; i++)
    ranks[i] = (Rank){ .draw = d, .talk = &talk, .rank = i, .cancel_after = i == cancel_rank ? cancel_after : -1 };
  mini_ranks_run(&talk, run_rank, ranks, sizeof *ranks);
  VitrailStatus status = ranks[0].status;
  *first = ranks[0].result;
  for (uint32_t i = 1; i < d->n_ranks; i++) {
    status = mini_ranks_agree(status, ranks[i].status);
    status = ranks[i].result.n_rows > 0 || ranks[i].result.memory_peak > (double)d->budget ? VITRAIL_INTERNAL : status;
    first->resumed += ranks[i].result.resumed;
    if (strstr(ranks[i].result.message, "Another process") == NULL && ranks[i].result.message[0])
      memcpy(first->message, ranks[i].result.message, sizeof first->message);
    mini_result_clear(&ranks[i].result);
  }
  return status;
}

/* Stopped some times, each time taken up with other threads and tiles, at last to its end. */
static VitrailStatus
run_with_stops(const Draw *d, MiniResult *result)
{
  Draw again = *d;
  char path[sizeof scratch + 32];
  for (uint32_t i = 0; i < d->n_ranks && d->n_stops > 0; i++) {
    snprintf(path, sizeof path, "%s/%u", scratch, i);
    mkdir(path, 0700);
  }
  for (uint32_t k = 0; k < d->n_stops; k++) {
    run_ranks(&again, 1 + pick(1u << (2 + pick(8))), pick(d->n_ranks), result);
    mini_result_clear(result);
    again.tile = pick(2) ? 0 : 1 + pick(200);
    again.n_threads = 1 + pick(d->n_threads);
    again.order = pick(1000);
  }
  const VitrailStatus status = run_ranks(&again, -1, 0, result);
  for (uint32_t i = 0; i < d->n_ranks && d->n_stops > 0; i++) {
    snprintf(path, sizeof path, "%s/%u/rows-0", scratch, i);
    unlink(path);
    snprintf(path, sizeof path, "%s/%u", scratch, i);
    rmdir(path);
  }
  return status;
}

/* --- draws --- */

typedef struct {
  int n_streamed, n_refused, n_failed, n_resumed;
} Tally;

static bool
check_draw(const Draw *d, int round, Tally *tally)
{
  MiniResult whole, streamed;
  char where[100] = "";
  const VitrailStatus expected = run(d, false, -1, NULL, 0, &whole), status = run_with_stops(d, &streamed);
  const bool too_little = status == VITRAIL_OUT_OF_MEMORY && strstr(streamed.message, "memory to be allowed") != NULL;
  bool fine = too_little;
  if (!too_little)
    fine = status == expected && streamed.memory_peak <= (double)d->budget
           && (status == VITRAIL_OK ? mini_result_equal(&whole, &streamed, where, sizeof where)
                                    : strncmp(whole.message, streamed.message, d->n_ranks > 1 ? 5 : 200) == 0);
  tally->n_streamed += status == VITRAIL_OK && streamed.streamed > 0;
  tally->n_refused += too_little;
  tally->n_resumed += streamed.resumed > 0;
  tally->n_failed += expected != VITRAIL_OK;
  if (!fine) {
    printf("# draw %d: %lld x %lld, type %d, mask %d, %u regions, tile %u, %u threads, %u ranks, budget %llu: "
           "status %d %d \"%s\" \"%s\" %s, %g bytes, rows %lld %lld\n",
           round, (long long)d->image.width, (long long)d->image.height, d->image.type, d->has_mask, d->n_rois, d->tile,
           d->n_threads, d->n_ranks, (unsigned long long)d->budget, expected, status, whole.message, streamed.message,
           where, streamed.memory_peak, (long long)whole.n_rows, (long long)streamed.n_rows);
    for (uint32_t i = 0; i < d->n_params; i++)
      printf("#   %s=%g\n", d->params[i].key, d->params[i].v[0]);
  }
  mini_result_clear(&whole);
  mini_result_clear(&streamed);
  return fine;
}

/* Some of many questions is answered with yes: the run ends. */
static void
check_cancel(void)
{
  int n_cancelled = 0, n_bad = 0;
  for (int i = 0; i < 100; i++) {
    Draw d = draw_new();
    MiniResult result;
    d.n_stops = 0;
    const VitrailStatus status = run_ranks(&d, pick(200), pick(d.n_ranks), &result);
    n_cancelled += status == VITRAIL_CANCELLED;
    n_bad += status != VITRAIL_CANCELLED && status != VITRAIL_OK && result.message[0] == '\0';
    mini_result_clear(&result);
    draw_free(&d);
  }
  vt_ok(n_cancelled > 10 && n_bad == 0, "cancelled: %d of 100", n_cancelled);
}

int
main(void)
{
  const int n = vt_rounds(400);
  int n_bad = 0;
  Tally tally = { 0 };
  if (!mkdtemp(scratch))
    return 1;
  for (int i = 0; i < n && n_bad < 5; i++) {
    Draw d = draw_new();
    n_bad += !check_draw(&d, i, &tally);
    draw_free(&d);
  }
  vt_ok(n_bad == 0 && 10 * tally.n_streamed > n && 30 * tally.n_resumed > n && 4 * tally.n_refused < n,
        "%d draws, %d streamed, %d gone on with rows of a run before, %d refused for want of memory, %d refused both "
        "ways, %d differ from the run in one piece",
        n, tally.n_streamed, tally.n_resumed, tally.n_refused, tally.n_failed, n_bad);
  check_cancel();
  vt_ok(rmdir(scratch) == 0, "no scratch file is left");
  return vt_test_done();
}
