/* SPDX-License-Identifier: MIT
 *
 * View-exact results (view-exact.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/view-exact.h"
#include "drivers/local.h"
#include "drivers/sides.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"
#include "run/release.h"

/* The region and a margin, inside the image; the sides at which the image goes on beyond it. */
static VtRect
with_margin(const VtGrid *grid, int64_t margin, bool open[4])
{
  const int64_t x0 = grid->x > margin ? grid->x - margin : 0, y0 = grid->y > margin ? grid->y - margin : 0;
  const int64_t right = grid->image_width - grid->x - grid->width, bottom = grid->image_height - grid->y - grid->height;
  const int64_t x1 = grid->x + grid->width + (right < margin ? right : margin);
  const int64_t y1 = grid->y + grid->height + (bottom < margin ? bottom : margin);
  open[VT_SIDE_LEFT] = x0 > 0;
  open[VT_SIDE_TOP] = y0 > 0;
  open[VT_SIDE_RIGHT] = x1 < grid->image_width;
  open[VT_SIDE_BOTTOM] = y1 < grid->image_height;
  return (VtRect){ x0, y0, x1 - x0, y1 - y0 };
}

static bool
is_open(const bool open[4])
{
  return open[0] || open[1] || open[2] || open[3];
}

/* If the image ends at all four sides, everything is certain. */
static VitrailStatus
count_uncertain(VtRun *run, const bool open[4], const VtImage *certain, int64_t *n)
{
  *n = 0;
  return is_open(open) ? vt_local_count_zeros(run, certain, n) : VITRAIL_OK;
}

static bool
wants_context(const VtRun *run)
{
  return strcmp(vt_param_choice(run, "context"), "exact") == 0;
}

static int64_t
wider(int64_t margin, int64_t limit)
{
  margin = margin < 64 ? 64 : 2 * margin;
  return margin < limit ? margin : limit;
}

/* The pixels of all margins that may follow. The search can end at any margin, so the progress counts on the most that can be left. */
static double
most_pixels(const VtRun *run, int64_t limit, double bytes_per_px, bool with_body)
{
  double sum = 0, last = 0;
  for (int64_t margin = 0;; margin = wider(margin, limit)) {
    bool open[4];
    const VtRect rect = with_margin(&run->grid, margin, open);
    if (margin > 0 && !vt_raster_fits(run, rect, bytes_per_px))
      break;
    last = (double)rect.width * (double)rect.height;
    sum += last;
    if (margin == limit || !is_open(open))
      break;
  }
  return sum + (with_body ? last : 0);
}

/* The next `pixels` of the search are the next part of the progress between `from` and 1. */
static void
share_progress(VtRun *run, double from, double done, double pixels, double most)
{
  run->progress_from = from + (1 - from) * fmin(done / most, 1);
  run->progress_to = from + (1 - from) * fmin((done + pixels) / most, 1);
}

static void
set_grid(VtRun *run, VtRect rect)
{
  run->grid.x = rect.x;
  run->grid.y = rect.y;
  run->grid.width = rect.width;
  run->grid.height = rect.height;
}

/* The grid becomes the region and the context that makes all of it certain, or as much as is allowed. */
static VitrailStatus
find_context(VtRun *run, const VtGridView *view, void *user, int64_t limit, VtImage *certain)
{
  const VtGrid region = run->grid;
  const uint32_t mark = run->n_rasters;
  const double from = run->progress_to, most = most_pixels(run, limit, view->bytes_per_px, from == 0);
  double done = 0;
  int64_t n_uncertain;
  for (int64_t margin = 0;; margin = wider(margin, limit)) {
    bool open[4], next_open[4];
    run->grid = region;
    const VtRect rect = with_margin(&run->grid, margin, open),
                 next = with_margin(&run->grid, wider(margin, limit), next_open);
    const double pixels = (double)rect.width * (double)rect.height;
    set_grid(run, rect);
    share_progress(run, from, done, pixels, most);
    done += pixels;
    vt_raster_release(run, mark);
    TRY(vt_raster_alloc(run, certain, VITRAIL_U8, rect.width, rect.height));
    TRY(vt_local_fill(run, certain, 255));
    const uint32_t kept = run->n_rasters;
    if (is_open(open)) {
      vt_release_wait(run->session);
      TRY(view->find_certain(run, open, user, certain));
    }
    vt_raster_release(run, kept);
    vt_progress(run, 1);
    const VtImage shown = vt_run_shown(run, certain);
    TRY(count_uncertain(run, open, &shown, &n_uncertain));
    if (n_uncertain == 0 || margin == limit || !is_open(open) || !vt_raster_fits(run, next, view->bytes_per_px)) {
      vt_record(run, "uncertain-px", (double)n_uncertain);
      vt_record(run, "context-px", (double)margin);
      run->progress_from = run->progress_to;
      run->progress_to = 1;
      return VITRAIL_OK;
    }
  }
}

/* All of a whole image is certain. */
static VitrailStatus
emit_all_certain(VtRun *run, uint32_t stage)
{
  enum { WIDTH = 4 * VT_EMIT_GRID };
  const VtRect share = vt_run_share(run);
  VtImage part;
  vt_image_new(&part, VITRAIL_U8, WIDTH, VT_EMIT_GRID);
  if (!part.data)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to say what is certain.");
  memset(part.data, 255, (size_t)(part.height * part.stride));
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < share.height; y += VT_EMIT_GRID)
    for (int64_t x = 0; x < share.width && status == VITRAIL_OK; x += WIDTH) {
      const VtRect r = vt_rect_common((VtRect){ share.x + x, share.y + y, WIDTH, VT_EMIT_GRID }, share);
      status = vt_emit_tile(run, stage, r, &part, 1);
    }
  free(part.data);
  vt_record(run, "uncertain-px", 0);
  vt_record(run, "context-px", 0);
  return status;
}

/* Without context the answer comes first, since somebody may wait for it. */
VitrailStatus
vt_view_exact_grid(VtRun *run, const VtGridView *view, void *user)
{
  const bool exact = wants_context(run);
  const uint32_t mark = run->n_rasters;
  const bool wants_mask = exact || run->wanted >> view->certain_stage & 1;
  VtImage certain;
  run->progress_to = wants_mask ? 0.5 : 1;
  if (!exact)
    TRY(view->body(run, user));
  if (!wants_mask)
    return VITRAIL_OK;
  if (exact)
    run->progress_to = 0;
  const bool shared = run->host.n_ranks > 1,
             fits = !shared && vt_raster_fits(run, vt_grid_rect(run), view->bytes_per_px);
  if (vt_run_is_whole(run) && !fits) {
    if (exact)
      TRY(view->body(run, user));
    return emit_all_certain(run, view->certain_stage);
  }
  if (!fits) {
    vt_record_text(run, "certain",
                   shared ? "none: several processes share the region" : "none: not enough memory to say");
    return exact ? view->body(run, user) : VITRAIL_OK;
  }
  vt_stage_begin(run);
  if (!exact)
    vt_release_rasters(run, mark);
  run->progress_stage = view->certain_stage + 1;
  TRY(find_context(run, view, user, exact ? (int64_t)vt_param(run, "context-limit") : 0, &certain));
  run->progress_stage = run->stage = 0;
  const double ms = vt_stage_ms(run);
  if (exact)
    TRY(view->body(run, user));
  vt_stage_begin(run);
  run->stage_start_ms -= ms;
  TRY(vt_emit_raster(run, view->certain_stage, &certain, 1));
  return vt_stage_end(run, view->certain_stage);
}
