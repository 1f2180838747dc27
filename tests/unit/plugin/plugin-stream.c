/* SPDX-License-Identifier: MIT
 *
 * Streamed runs of two ops that propagate: random images, tile sizes, orders, threads, devices, budgets, numbers of ranks and
 * cancels, and always the bytes of the run in one piece. Other ops are plugin-recipes' to test. */
#include <stdlib.h>
#include <string.h>

#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

/* A marker of rare bright pixels; of a corridor only the first. */
static void
fill(const VtImage *mask, const VtImage *marker)
{
  const VtDraw draw = vt_draw_new(pick(VT_DRAW_N_KINDS));
  const uint32_t w = (uint32_t)mask->width, h = (uint32_t)mask->height;
  const bool corridor = draw.kind == VT_DRAW_ROW_CORRIDOR || draw.kind == VT_DRAW_COLUMN_CORRIDOR;
  for (uint32_t y = 0; y < h; y++)
    for (uint32_t x = 0; x < w; x++) {
      const uint32_t value = vt_draw_value(&draw, x, y, w, h);
      vt_draw_set(mask, x, y, value);
      vt_draw_set(marker, x, y, !corridor && pick(60) == 0 ? value : 0);
    }
  if (corridor)
    memcpy(marker->data, mask->data, vt_type_size(mask->type));
}

/* Of the stages only the output is wanted: what is certain can't be said of a streamed run. */
static void
set_distance(MiniJob *job)
{
  static const uint32_t stages[] = { 0, 2, 3 };
  const uint32_t output = pick(3);
  mini_job_set(job, "threshold", pick(250));
  mini_job_set(job, "output", output);
  mini_job_set(job, "cap", pick(2) * pick(30));
  job->mpp_y = pick(2) ? 0.5 * (1 + pick(6)) : 0;
  job->mpp_x = job->mpp_y > 0;
  job->request.stages_wanted = UINT64_C(1) << stages[output];
}

static void
set_reconstruct(MiniJob *job, const VtImage *marker)
{
  const uint32_t method = pick(2);
  mini_job_set(job, "height", pick(60));
  mini_job_set(job, "method", method);
  mini_job_set(job, "connectivity", pick(2));
  job->mpp_x = job->mpp_y = 0;
  job->request.stages_wanted = 1;
  if (method == 0 && pick(2))
    mini_job_add(job, "marker", marker);
}

static bool
is_distance(const MiniJob *job)
{
  return strcmp(job->request.op_id, "distance") == 0;
}

static MiniJob
draw_job(const VtImage *mask, const VtImage *marker)
{
  const uint32_t w = (uint32_t)mask->width, h = (uint32_t)mask->height, x = pick(w), y = pick(h);
  MiniJob job = mini_job(mini_op(pick(3) == 0 ? "distance" : "reconstruct"), mask);
  if (is_distance(&job))
    set_distance(&job);
  else
    set_reconstruct(&job, marker);
  mini_job_set_region(&job, x, y, pick(2) ? w - x : 1 + pick(w - x), pick(2) ? h - y : 1 + pick(h - y));
  return job;
}

/* A budget of some dozens of small blocks; of distances, what their bands need, and a little. */
static Way
draw_way(const MiniJob *job)
{
  static const char *const devices[] = { NULL,     "works",   "two",       "lost",     "later=3",
                                         "memory", "missing", "many=4:-1", "many=3:60" };
  Way way = { .tile = 16 + pick(200), .n_threads = 1 + pick(4), .n_ranks = 1 + pick(5), .order = pick(1000) };
  way.budget = 80000 + pick(400000);
  if (is_distance(job))
    way.budget = (uint64_t)job->request.width_l0 * (17 * 512 + 8 * 8) * 4 / 3 + 80000 + pick(200000);
  way.device = devices[pick(9)];
  way.cancel_after = pick(6) == 0 ? (int64_t)pick(pick(2) ? 20 : 400) : -1;
  return way;
}

static bool
check_draw(const MiniJob *job, const Way *way, int *n_cancelled)
{
  const Way plain = { .cancel_after = -1 };
  MiniResult whole, streamed;
  char where[64] = "";
  const VitrailStatus expected = ways_run(job, &plain, &whole), status = ways_run(job, way, &streamed);
  const bool is_cancelled = status == VITRAIL_CANCELLED && way->cancel_after >= 0;
  const bool fine =
    expected == VITRAIL_OK
    && (is_cancelled || (status == VITRAIL_OK && mini_result_equal(&whole, &streamed, where, sizeof where)));
  *n_cancelled += is_cancelled;
  if (!fine) {
    printf("# status %d %d, \"%s\" \"%s\", %s\n", expected, status, whole.message, streamed.message, where);
    ways_print(job, way);
  }
  mini_result_clear(&whole);
  mini_result_clear(&streamed);
  return fine;
}

int
main(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  const int n = vt_rounds(2000);
  int n_bad = 0, n_streamed = 0, n_cancelled = 0;
  if (!ways_begin())
    return 1;
  for (int i = 0; i < n && n_bad < 5; i++) {
    const int64_t w = 1 + pick(pick(4) ? 700 : 40), h = 1 + pick(pick(3) ? 600 : 2600);
    const VtImage mask = mini_image_new(types[pick(4)], w, h), marker = mini_image_new(mask.type, w, h);
    fill(&mask, &marker);
    const MiniJob job = draw_job(&mask, &marker);
    const Way way = draw_way(&job);
    const int64_t n_px = job.request.width_l0 * job.request.height_l0;
    n_streamed += way.n_ranks > 1 || (uint64_t)(n_px * (is_distance(&job) ? 25 : 16)) > way.budget;
    n_bad += !check_draw(&job, &way, &n_cancelled);
    free(mask.data);
    free(marker.data);
  }
  vt_ok(n_bad == 0, "%d draws, %d streamed, %d cancelled, %d differ from the run in one piece", n, n_streamed,
        n_cancelled, n_bad);
  vt_ok(ways_end(), "no scratch file is left");
  return vt_test_done();
}
