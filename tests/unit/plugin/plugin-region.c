/* SPDX-License-Identifier: MIT
 *
 * Which pixels of the grid a region is, and which a polygon has, against the definition, level-0 pixel by level-0 pixel: regions that begin before
 * the image, end after it, touch it, or have numbers near the ends of 64 bits; polygons with holes, of which some lie beyond the image or cross themselves. */
#include <stdlib.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MOST_EDGE = 23, MOST_DOWNSAMPLE = 7, MOST_POINTS = 9 };

static VitrailSession *session; /* one for all: opening one looks for devices */

static VtImage
image_new(int64_t width, int64_t height)
{
  VtImage image = mini_image_new(VITRAIL_U8, width, height);
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++)
      vt_draw_set(&image, x, y, pick(251));
  return image;
}

/* --- regions --- */

static int64_t
draw_start(int64_t edge)
{
  static const int64_t nasty[] = { INT64_MIN,        INT64_MIN + 1, -(INT64_C(1) << 53),
                                   INT64_C(1) << 53, INT64_MAX - 1, INT64_MAX };
  return pick(6) == 0 ? nasty[pick(6)] : vt_random_between(&vt_draws, -edge - 3, edge + 3);
}

static int64_t
draw_length(int64_t edge)
{
  static const int64_t nasty[] = { 0, -1, INT64_MIN, INT64_C(1) << 62, INT64_MAX - 1, INT64_MAX };
  return pick(6) == 0 ? nasty[pick(6)] : vt_random_between(&vt_draws, 1, 2 * edge + 3);
}

/* The pixels of the grid along one side that hold a pixel of the image inside [start, start + length): the first one, and how many there are up to the last one. */
static int64_t
slow_range(int64_t start, int64_t length, int64_t edge, int64_t downsample, int64_t *first)
{
  int64_t last = -1;
  *first = -1;
  for (int64_t x = 0; x < edge; x++)
    if ((__int128)x >= start && (__int128)x < (__int128)start + length) {
      last = x / downsample;
      if (*first < 0)
        *first = x / downsample;
    }
  return last < 0 ? 0 : last - *first + 1;
}

static bool
is_region_right(char *what, size_t size)
{
  const int64_t w = 1 + pick(MOST_EDGE), h = 1 + pick(MOST_EDGE), most = w > h ? w : h;
  int64_t d = 1 + pick(MOST_DOWNSAMPLE);
  const int64_t x = draw_start(w), y = draw_start(h), width = draw_length(w), height = draw_length(h);
  VtImage image = image_new(w, h);
  MiniJob job = mini_job(mini_op("distance"), &image);
  MiniHost mini = { .n_threads = 1, .cancel_after = -1 };
  MiniResult result;
  int64_t first_x, first_y;
  job.request.stages_wanted = 1;
  job.request.min_downsample = (double)d;
  mini_job_set(&job, "pixel-size", 0.5);
  mini_job_set_region(&job, x, y, width, height);
  d = d < most ? d : most; /* a pixel of the grid is no larger than the image */
  const int64_t columns = slow_range(x, width, w, d, &first_x), rows = slow_range(y, height, h, d, &first_y);
  const VitrailStatus status = mini_job_run(&job, &mini, session, &result);
  const VtImage *got = &result.stages[0];
  const bool is_right = columns > 0 && rows > 0
                          ? status == VITRAIL_OK && result.stage_x[0] == first_x && result.stage_y[0] == first_y
                              && got->width == columns && got->height == rows
                          : status == VITRAIL_BAD_ARGUMENT && result.message[0];
  if (!is_right)
    snprintf(what, size,
             "%lld,%lld,%lld,%lld of %lldx%lld by %lld: status %d, %lld,%lld,%lld,%lld, wanted %lld,%lld,%lld,%lld %s",
             (long long)x, (long long)y, (long long)width, (long long)height, (long long)w, (long long)h, (long long)d,
             (int)status, (long long)result.stage_x[0], (long long)result.stage_y[0], (long long)got->width,
             (long long)got->height, (long long)first_x, (long long)first_y, (long long)columns, (long long)rows,
             result.message);
  mini_result_clear(&result);
  free(image.data);
  return is_right;
}

/* --- polygons --- */

/* Even-odd: how many edges lie to the right of the point, at its height. */
static bool
is_inside(const VitrailRoi *roi, double x, double y)
{
  bool inside = false;
  const double *ring = roi->points;
  for (uint32_t r = 0; r < roi->n_rings; ring += 2 * roi->ring_sizes[r++])
    for (uint32_t i = 0; i < roi->ring_sizes[r]; i++) {
      const double *a = ring + 2 * i, *b = ring + 2 * ((i + 1) % roi->ring_sizes[r]);
      if ((a[1] > y) != (b[1] > y) && a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) > x)
        inside = !inside;
    }
  return inside;
}

static bool
is_polygon_right(char *what, size_t size)
{
  const int64_t w = 1 + pick(MOST_EDGE), h = 1 + pick(MOST_EDGE), most = w > h ? w : h;
  int64_t d = 1 + pick(3);
  double points[4 * MOST_POINTS];
  uint32_t sizes[2], n_points = 0;
  const uint32_t n_rings = 1 + pick(2);
  for (uint32_t r = 0; r < n_rings; n_points += sizes[r++])
    sizes[r] = 3 + pick(MOST_POINTS - 2);
  for (uint32_t i = 0; i < n_points; i++) { /* quarters, so that edges go through middles of pixels, too */
    points[2 * i] = (double)vt_random_between(&vt_draws, -4 * 4, 4 * (w + 4)) / 4;
    points[2 * i + 1] = (double)vt_random_between(&vt_draws, -4 * 4, 4 * (h + 4)) / 4;
  }
  const VitrailRoi roi = {
    .size = sizeof roi, .name = "drawn", .n_rings = n_rings, .ring_sizes = sizes, .points = points
  };
  const VitrailRoi *const rois[] = { &roi };
  VtImage image = image_new(w, h);
  MiniJob job = mini_job(mini_op("glrlm-rois"), &image);
  MiniHost mini = { .n_threads = 1, .cancel_after = -1 };
  MiniResult result;
  job.request.n_rois = 1;
  job.request.rois = rois;
  job.request.min_downsample = (double)d;
  mini_job_set(&job, "pixel-size", 0.5);
  d = d < most ? d : most;
  int64_t n = 0;
  for (int64_t y = 0; y < (h + d - 1) / d; y++)
    for (int64_t x = 0; x < (w + d - 1) / d; x++)
      n += is_inside(&roi, ((double)x + 0.5) * (double)d, ((double)y + 0.5) * (double)d);
  const VitrailStatus status = mini_job_run(&job, &mini, session, &result);
  const bool is_right = status == VITRAIL_OK && result.n_rows == 1 && result.rows[0][0] == (double)n;
  if (!is_right)
    snprintf(what, size, "%lldx%lld by %lld, %u points: status %d, %g pixels, wanted %lld %s", (long long)w,
             (long long)h, (long long)d, n_points, (int)status, result.n_rows ? result.rows[0][0] : -1, (long long)n,
             result.message);
  mini_result_clear(&result);
  free(image.data);
  return is_right;
}

static void
check(const char *name, bool (*is_right)(char *what, size_t size), int n)
{
  char what[400] = "";
  int done = 0;
  while (done < n && is_right(what, sizeof what))
    done++;
  vt_ok(done == n, "%d %s: %s", n, name, done == n ? "as by their pixels" : what);
}

int
main(void)
{
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return EXIT_FAILURE;
  check("regions", is_region_right, vt_rounds(8000));
  check("polygons", is_polygon_right, vt_rounds(8000));
  mini_plugin()->session_close(session);
  return vt_test_done();
}
