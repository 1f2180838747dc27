/* SPDX-License-Identifier: MIT
 *
 * Regions of `glrlm-rois` that the budget does not hold, and processes that share them out: random images, masks, polygons,
 * levels, budgets, tile sizes, orders, threads, numbers of ranks and interruptions, and always the rows of the run in one piece. */
#include <string.h>

#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

enum { MAX_ROIS = 8, MAX_RINGS = 3, MAX_POINTS = 12 };

typedef struct {
  char name[16];
  uint32_t sizes[MAX_RINGS];
  double points[MAX_RINGS * MAX_POINTS * 2];
} Region;

/* Points into itself. */
typedef struct {
  MiniJob job;
  Way way;
  Region regions[MAX_ROIS];
  VitrailRoi rois[MAX_ROIS];
  const VitrailRoi *roi_list[MAX_ROIS];
} Draw;

/* Rings of any corners, some of them beside the image, or boxes. */
static void
draw_region(Draw *d, uint32_t i)
{
  Region *r = &d->regions[i];
  const double w = (double)d->job.images[0].width, h = (double)d->job.images[0].height;
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
  d->rois[i] = (VitrailRoi){
    .size = sizeof d->rois[i], .name = r->name, .n_rings = n_rings, .ring_sizes = r->sizes, .points = r->points
  };
  d->roi_list[i] = &d->rois[i];
}

static void
draw_params(MiniJob *job)
{
  const uint32_t binning = pick(3);
  mini_job_set(job, "binning", binning);
  mini_job_set(job, "aggregate", pick(6));
  mini_job_set(job, "levels", pick(4) ? 2 + pick(30) : 2 + pick(255));
  mini_job_set(job, "channel", pick(5));
  mini_job_set(job, "own-range", pick(2));
  mini_job_set(job, "pixel-size", pick(3) ? 1 : 1 + pick(3));
  if (pick(3) == 0) {
    mini_job_set(job, "range-min", pick(40));
    mini_job_set(job, "range-max", pick(200));
  }
  if (binning == 2)
    mini_job_set(job, "bin-width", pick(2) ? 0.02 * (1 + pick(50)) : 1 + pick(300));
}

static void
draw_new(Draw *d)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8 };
  const uint32_t shape = pick(4), w = 1 + pick(shape == 0 ? 5 : 900), h = 1 + pick(shape == 1 ? 1500 : 600);
  const VtImage image = mini_image_new(types[pick(5)], w, h);
  vt_draw_fill(&image, VT_DRAW_N_KINDS);
  for (uint32_t n = image.type == VITRAIL_F32 ? pick(9) : 0; n > 0; n--)
    *(float *)vt_image_at(&image, pick(w), pick(h)) = -__builtin_inff();
  d->job = mini_job(mini_op("glrlm-rois"), &image);
  d->job.mpp_x = d->job.mpp_y = 0;
  if (pick(3) == 0) {
    const VtImage mask = mini_image_new(types[pick(4)], w, h);
    vt_draw_fill(&mask, VT_DRAW_N_KINDS);
    mini_job_add(&d->job, "mask", &mask);
  }
  d->job.request.n_rois = pick(3) ? 1 + pick(MAX_ROIS) : 0;
  d->job.request.rois = d->roi_list;
  for (uint32_t i = 0; i < d->job.request.n_rois; i++)
    draw_region(d, i);
  draw_params(&d->job);
  d->way = (Way){ .tile = pick(2) ? 0 : 1 + pick(200),
                  .n_threads = 1 + pick(4),
                  .n_ranks = pick(2) ? 1 : 2 + pick(4),
                  .order = pick(1000),
                  .n_stops = pick(3) ? 0 : 1 + pick(3),
                  .cancel_after = -1 };
  d->way.no_scratch = d->way.n_stops == 0;
  /* From what may be too little to what holds some of the regions whole. */
  const uint32_t longest = w > h ? w : h, n_levels = d->job.params[0].v[0] > 0 ? 256 : 32;
  d->way.budget = d->way.n_threads * 60000 + (pick(8) ? n_levels * longest * 43 : 0) + pick(w * h);
}

typedef struct {
  int n_streamed, n_refused, n_failed, n_resumed;
} Tally;

static bool
check_draw(const Draw *d, Tally *tally)
{
  const Way plain = { .n_threads = 2, .cancel_after = -1 };
  MiniResult whole, streamed;
  char where[100] = "";
  const VitrailStatus expected = ways_run(&d->job, &plain, &whole), status = ways_run(&d->job, &d->way, &streamed);
  const bool too_little = status == VITRAIL_OUT_OF_MEMORY && strstr(streamed.message, "memory to be allowed") != NULL;
  bool fine = too_little;
  if (!too_little)
    fine = status == expected
           && (d->way.n_stops > 0 /* it goes on with more */ || streamed.memory_peak <= (double)d->way.budget)
           && (status == VITRAIL_OK ? mini_result_equal(&whole, &streamed, where, sizeof where)
                                    : strncmp(whole.message, streamed.message, d->way.n_ranks > 1 ? 5 : 200) == 0);
  tally->n_streamed += status == VITRAIL_OK && streamed.streamed > 0;
  tally->n_refused += too_little;
  tally->n_resumed += streamed.resumed > 0;
  tally->n_failed += expected != VITRAIL_OK;
  if (!fine) {
    printf("# status %d %d \"%s\" \"%s\" %s, %g bytes, rows %lld %lld, %u regions\n", expected, status, whole.message,
           streamed.message, where, streamed.memory_peak, (long long)whole.n_rows, (long long)streamed.n_rows,
           d->job.request.n_rois);
    ways_print(&d->job, &d->way);
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
    Draw d;
    MiniResult result;
    draw_new(&d);
    d.way.n_stops = 0;
    d.way.cancel_after = pick(200);
    const VitrailStatus status = ways_run(&d.job, &d.way, &result);
    n_cancelled += status == VITRAIL_CANCELLED;
    n_bad += status != VITRAIL_CANCELLED && status != VITRAIL_OK && result.message[0] == '\0';
    mini_result_clear(&result);
    mini_job_clear(&d.job);
  }
  vt_ok(n_cancelled > 10 && n_bad == 0, "cancelled: %d of 100", n_cancelled);
}

int
main(void)
{
  const int n = vt_rounds(400);
  int n_bad = 0;
  Tally tally = { 0 };
  if (!ways_begin())
    return 1;
  for (int i = 0; i < n && n_bad < 5; i++) {
    Draw d;
    draw_new(&d);
    n_bad += !check_draw(&d, &tally);
    mini_job_clear(&d.job);
  }
  /* Of a short round nobody can say which part of it must stream. */
  const bool covered = 10 * tally.n_streamed > n && 30 * tally.n_resumed > n && 4 * tally.n_refused < n;
  vt_ok(n_bad == 0 && tally.n_streamed > 0 && (n < 400 || covered),
        "%d draws, %d streamed, %d gone on with rows of a run before, %d refused for want of memory, %d refused both "
        "ways, %d differ from the run in one piece",
        n, tally.n_streamed, tally.n_resumed, tally.n_refused, tally.n_failed, n_bad);
  check_cancel();
  vt_ok(ways_end(), "no scratch file is left");
  return vt_test_done();
}
