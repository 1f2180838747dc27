/* SPDX-License-Identifier: MIT
 *
 * Grey levels: what an image gives after discretisation must be, to the byte, what its levels written by hand give as they
 * are (IBSI reference manual, "Intensity discretisation"). And regions that overlap are each worked out alone. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

enum { WIDTH = 6, HEIGHT = 3, FIXED_NUMBER = 0, AS_IS = 1, FIXED_WIDTH = 2 };

static const float picture[HEIGHT][WIDTH] = {
  { 0, 1, 2, 3, 4, 5 },
  { 9.5f, 10, 10.5f, 19, 20, 20 },
  { -3, 0, 0, 100, 7, 7.5f },
};

typedef struct {
  const char *what;
  double binning, levels, width, from, to, own;
  double region[4]; /* x, y, x, y; all 0: the whole image */
  uint8_t expected[HEIGHT][WIDTH];
} Case;

static const Case cases[] = {
  { "fixed number, 4 levels of 0 to 20",
    FIXED_NUMBER,
    4,
    1,
    0,
    20,
    0,
    { 0 },
    { { 1, 1, 1, 1, 1, 2 }, { 2, 3, 3, 4, 4, 4 }, { 1, 1, 1, 4, 2, 2 } } },
  { "fixed number, 5 levels of a region's own -3 to 20",
    FIXED_NUMBER,
    5,
    1,
    50,
    60,
    1,
    { 0, 0, 3, 3 },
    /* width 13.5 / 5 = 2.7 from -3 on */
    { { 2, 2, 2, 0, 0, 0 }, { 5, 5, 5, 0, 0, 0 }, { 1, 2, 2, 0, 0, 0 } } },
  { "fixed width 10 from 0",
    FIXED_WIDTH,
    32,
    10,
    0,
    0,
    0,
    { 0 },
    { { 1, 1, 1, 1, 1, 1 }, { 1, 2, 2, 2, 3, 3 }, { 1, 1, 1, 11, 1, 1 } } },
  { "fixed width 2.5 from -5",
    FIXED_WIDTH,
    32,
    2.5,
    -5,
    0,
    0,
    { 0 },
    { { 3, 3, 3, 4, 4, 5 }, { 6, 7, 7, 10, 11, 11 }, { 1, 3, 3, 43, 5, 6 } } },
  { "fixed width 2 from a region's own 3",
    FIXED_WIDTH,
    32,
    2,
    0,
    0,
    1,
    { 3, 0, 6, 1 },
    { { 0, 0, 0, 1, 1, 2 }, { 0 }, { 0 } } },
  { "fixed number, a flat region",
    FIXED_NUMBER,
    8,
    1,
    0,
    0,
    1,
    { 4, 1, 6, 2 },
    { { 0 }, { 0, 0, 0, 0, 1, 1 }, { 0 } } },
};

static VitrailStatus
run(const VtImage *image, const Case *c, double binning, const VitrailRoi *const *rois, uint32_t n_rois,
    MiniResult *result)
{
  const char *const keys[] = { "binning", "levels", "bin-width", "range-min", "range-max", "own-range" };
  const double values[] = { binning, c->levels, c->width, c->from, c->to, c->own };
  MiniJob job = mini_job(mini_op("glrlm-rois"), image);
  MiniHost mini = { .n_threads = 2, .shuffle_seed = 5, .cancel_after = -1 };
  job.mpp_x = job.mpp_y = 0;
  job.request.n_rois = n_rois;
  job.request.rois = rois;
  for (int k = 0; k < 6; k++)
    mini_job_set(&job, keys[k], values[k]);
  return mini_job_run(&job, &mini, NULL, result);
}

static VtImage
picture_new(void)
{
  VtImage image = mini_image_new(VITRAIL_F32, WIDTH, HEIGHT);
  memcpy(image.data, picture, sizeof picture);
  return image;
}

static void
check_case(const Case *c)
{
  VtImage values = picture_new(), levels = mini_image_new(VITRAIL_U8, WIDTH, HEIGHT);
  const double *r = c->region, corners[] = { r[0], r[1], r[2], r[1], r[2], r[3], r[0], r[3] };
  const uint32_t four = 4;
  const VitrailRoi roi = { .size = sizeof roi, .name = "Region", .n_rings = 1, .ring_sizes = &four, .points = corners };
  const VitrailRoi *const rois[] = { &roi };
  const uint32_t n_rois = r[2] > 0;
  MiniResult got, wanted;
  char where[64];
  memcpy(levels.data, c->expected, sizeof c->expected);
  vt_ok(run(&values, c, c->binning, rois, n_rois, &got) == VITRAIL_OK, "%s runs: %s", c->what, got.message);
  vt_ok(run(&levels, c, AS_IS, rois, n_rois, &wanted) == VITRAIL_OK, "%s as it is: %s", c->what, wanted.message);
  vt_ok(got.n_rows == 1 && mini_result_equal(&got, &wanted, where, sizeof where), "%s", c->what);
  mini_result_clear(&got);
  mini_result_clear(&wanted);
  free(values.data);
  free(levels.data);
}

static void
check_refusal(void)
{
  const Case narrow = { "", FIXED_WIDTH, 32, 0.1, 0, 0, 0, { 0 }, { { 0 } } };
  VtImage values = picture_new();
  MiniResult result;
  vt_ok(run(&values, &narrow, FIXED_WIDTH, NULL, 0, &result) == VITRAIL_BAD_ARGUMENT
          && strstr(result.message, "256 grey levels"),
        "too many levels: %s", result.message);
  mini_result_clear(&result);
  free(values.data);
}

/* Rows of regions together are the rows of each alone: a triangle with a hole over a square, and the square once more. */
static void
check_overlap(void)
{
  const double square[] = { 0, 0, 4, 0, 4, 3, 0, 3 }, shape[] = { 1, 0, 6, 0, 6, 3, 3, 1, 4, 1, 4, 2 };
  const uint32_t four = 4, threes[] = { 3, 3 };
  const VitrailRoi a = { .size = sizeof a, .name = "a", .n_rings = 1, .ring_sizes = &four, .points = square };
  const VitrailRoi b = { .size = sizeof b, .name = "b", .n_rings = 2, .ring_sizes = threes, .points = shape };
  const VitrailRoi *const orders[][3] = { { &a, &b, &a }, { &a }, { &b } };
  const Case c = { "", FIXED_NUMBER, 6, 1, 0, 20, 1, { 0 }, { { 0 } } };
  VtImage values = picture_new();
  MiniResult together = { 0 }, alone[2] = { 0 };
  bool ok = run(&values, &c, FIXED_NUMBER, orders[0], 3, &together) == VITRAIL_OK;
  for (int k = 0; k < 2; k++)
    ok = run(&values, &c, FIXED_NUMBER, orders[1 + k], 1, &alone[k]) == VITRAIL_OK && ok;
  vt_ok(ok && together.n_rows == 3 && memcmp(together.rows[0], alone[0].rows[0], sizeof alone[0].rows[0]) == 0
          && memcmp(together.rows[1], alone[1].rows[0], sizeof alone[1].rows[0]) == 0
          && memcmp(together.rows[2], alone[0].rows[0], sizeof alone[0].rows[0]) == 0,
        "overlapping regions, each as if alone");
  mini_result_clear(&together);
  mini_result_clear(&alone[0]);
  mini_result_clear(&alone[1]);
  free(values.data);
}

int
main(void)
{
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    check_case(&cases[k]);
  check_refusal();
  check_overlap();
  return vt_test_done();
}
