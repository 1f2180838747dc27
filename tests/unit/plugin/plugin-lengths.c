/* SPDX-License-Identifier: MIT
 *
 * What is told of the runs of a region: its levels and counts against their definitions, pixel by pixel; rows that are those of a run that tells
 * nothing, bit for bit; the same with any threads and tiles; and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { N_PARAMS = 8, MOST_REGIONS = 3 };
static const char *const keys[N_PARAMS] = { "channel",   "aggregate", "binning",   "levels",
                                            "bin-width", "range-min", "range-max", "own-range" };

static VitrailSession *session;

/* --- what is told --- */

typedef struct {
  VitrailRunLengths lengths; /* with lists of its own */
  int64_t after;             /* how many rows there were */
} Told;

typedef struct {
  Told list[MOST_REGIONS];
  uint32_t n;
  MiniHost *mini;
} Taken;

static void *
copy(const void *from, size_t n)
{
  void *to = malloc(n + 1);
  memcpy(to, from, n);
  return to;
}

static void
take(void *user, const VitrailRunLengths *lengths)
{
  Taken *taken = user;
  Told *told = &taken->list[taken->n++];
  *told = (Told){ *lengths, taken->mini->result->n_rows };
  told->lengths.levels = copy(lengths->levels, lengths->n_pixels * sizeof *lengths->levels);
  told->lengths.counts = copy(lengths->counts, lengths->n_counts * sizeof *lengths->counts);
}

static void
taken_clear(Taken *taken)
{
  for (uint32_t i = 0; i < taken->n; i++) {
    free((void *)taken->list[i].lengths.levels);
    free((void *)taken->list[i].lengths.counts);
  }
  taken->n = 0;
}

/* --- running --- */

typedef struct {
  const VtImage *image, *mask; /* mask: or NULL */
  double values[N_PARAMS];
  const VitrailRoi *const *rois;
  uint32_t n_rois, tile_px, n_threads;
  int64_t x, y, width, height;
  int64_t fail_at, cancel_after;
} Case;

static VitrailStatus
run(const Case *c, const char *op, uint32_t flags, Taken *taken, MiniResult *result)
{
  VitrailParamValue params[N_PARAMS];
  const VitrailParamValue *set[N_PARAMS];
  for (int k = 0; k < N_PARAMS; k++) {
    params[k] = (VitrailParamValue){ .size = sizeof params[k], .key = keys[k], .v = { c->values[k] } };
    set[k] = &params[k];
  }
  const VitrailInput image = { .size = sizeof image,
                               .id = "image",
                               .type = c->image->type,
                               .width_l0 = c->image->width,
                               .height_l0 = c->image->height };
  VitrailInput mask = image;
  mask.id = "mask";
  mask.handle = 1;
  mask.type = VITRAIL_U8;
  const VitrailInput *inputs[] = { &image, &mask };
  const VitrailRequest request = { .size = sizeof request,
                                   .tile_px = c->tile_px,
                                   .op_id = op,
                                   .backend = "cpu",
                                   .x_l0 = c->x,
                                   .y_l0 = c->y,
                                   .width_l0 = c->width,
                                   .height_l0 = c->height,
                                   .flags = flags,
                                   .n_params = strcmp(op, "glrlm-rois") == 0 ? N_PARAMS : 0,
                                   .params = set,
                                   .n_inputs = c->mask ? 2 : 1,
                                   .inputs = inputs,
                                   .n_rois = c->n_rois,
                                   .rois = c->rois };
  MiniHost mini = { .images = { c->image, c->mask },
                    .n_threads = c->n_threads,
                    .shuffle_seed = 7,
                    .fail_at = c->fail_at,
                    .cancel_after = c->cancel_after,
                    .take_lengths = taken ? take : NULL,
                    .lengths_user = taken };
  if (taken)
    *taken = (Taken){ .mini = &mini };
  return mini_run(&mini, session, &request, result);
}

/* --- definitions --- */

static uint32_t
level_at(const VitrailRunLengths *t, int64_t x, int64_t y)
{
  return x >= 0 && y >= 0 && x < t->width && y < t->height ? t->levels[y * t->width + x] : 0;
}

/* How many pixels of the same level follow one along a way. */
static int64_t
count_along(const VitrailRunLengths *t, int64_t x, int64_t y, int dx, int dy)
{
  const uint32_t level = level_at(t, x, y);
  int64_t n = 0;
  while (level_at(t, x + dx, y + dy) == level) {
    x += dx;
    y += dy;
    n++;
  }
  return n;
}

/* Each pixel tells the length of the run that it is of; a run of n pixels is told n times. */
static bool
counts_hold(const VitrailRunLengths *t)
{
  static const int dxs[] = { 1, 1, 0, -1 }, dys[] = { 0, 1, 1, 1 };
  bool ok = t->n_counts == VITRAIL_LENGTHS_DIRECTIONS * t->n_levels * t->longest, is_longest = false;
  const int64_t room = t->width > t->height ? t->width : t->height;
  uint64_t *seen = calloc((size_t)(t->n_levels * room), sizeof *seen);
  for (int d = 0; ok && d < VITRAIL_LENGTHS_DIRECTIONS; d++) {
    memset(seen, 0, (size_t)(t->n_levels * room) * sizeof *seen);
    for (int64_t i = 0; i < t->n_pixels; i++) {
      const int64_t x = i % t->width, y = i / t->width;
      if (t->levels[i] > 0)
        seen[(t->levels[i] - 1) * room + count_along(t, x, y, dxs[d], dys[d])
             + count_along(t, x, y, -dxs[d], -dys[d])]++;
    }
    for (uint32_t level = 1; level <= t->n_levels; level++)
      for (int64_t n = 1; n <= room; n++) {
        const uint64_t runs = seen[(level - 1) * room + n - 1] / (uint64_t)n;
        const int64_t cell = (int64_t)(d * t->n_levels + level - 1) * t->longest + n - 1;
        ok = ok && (n <= t->longest ? t->counts[cell] == runs : runs == 0);
        is_longest = is_longest || (n == t->longest && runs > 0);
      }
  }
  free(seen);
  return ok && is_longest;
}

static double
value_at(const VtImage *image, int64_t x, int64_t y)
{
  const void *at = vt_image_at(image, x, y);
  return image->type == VITRAIL_U8 ? *(const uint8_t *)at : (double)*(const float *)at;
}

/* Of an image of one channel: a level holds the values that it says, the first and the last one all beyond. */
static bool
levels_hold(const VitrailRunLengths *t, const Case *c)
{
  bool ok = true;
  for (int64_t i = 0; i < t->n_pixels && c->image->type != VITRAIL_RGBA8; i++) {
    const int64_t x = t->x + i % t->width, y = t->y + i / t->width;
    const double value = value_at(c->image, x, y), level = t->levels[i], near = 1e-9 * (1 + fabs(value));
    if (t->levels[i] == 0)
      continue;
    ok = ok && (level == 1 || value >= t->level_from + (level - 1) * t->level_step - near);
    ok = ok && (level == t->n_levels || value < t->level_from + level * t->level_step + near);
    ok = ok && (!c->mask || value_at(c->mask, x, y) != 0);
  }
  return ok;
}

/* --- drawn cases --- */

static const double triangle[] = { 3, 1, 40, 9, 11, 33, 14, 12, 20, 12, 17, 20 };
static const double strip[] = { -9, 5, 90, 5, 90, 8, -9, 8 };
static const double beside[] = { -30, -30, -20, -30, -20, -20 };
static const uint32_t threes[] = { 3, 3 }, four = 4;
static const VitrailRoi rois[] = {
  { .size = sizeof(VitrailRoi), .name = "With a hole", .n_rings = 2, .ring_sizes = threes, .points = triangle },
  { .size = sizeof(VitrailRoi), .name = "Strip", .n_rings = 1, .ring_sizes = &four, .points = strip },
  { .size = sizeof(VitrailRoi), .name = "Beside", .n_rings = 1, .ring_sizes = threes, .points = beside },
};
static const VitrailRoi *const all_rois[] = { &rois[0], &rois[1], &rois[2] };

static void
draw_case(Case *c, VtImage *image, VtImage *mask)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_F32, VITRAIL_RGBA8 };
  const uint32_t width = 20 + pick(60), height = 20 + pick(50), binning = pick(3);
  const bool by_width = binning == 2, has_rois = pick(2);
  *image = mini_image_new(types[pick(3)], width, height);
  *mask = mini_image_new(VITRAIL_U8, width, height);
  vt_draw_fill(image, VT_DRAW_N_KINDS);
  for (uint32_t i = 0; i < width * height; i++)
    ((uint8_t *)mask->data)[i] = pick(12) > 0;
  *c = (Case){ .image = image,
               .mask = pick(3) == 0 ? mask : NULL,
               .values = { pick(7), pick(6), by_width || image->type != VITRAIL_U8 ? (by_width ? 2 : 0) : binning,
                           2 + pick(40), 4 + pick(30), -10, 100, pick(2) },
               .rois = has_rois ? all_rois : NULL,
               .n_rois = has_rois ? MOST_REGIONS : 0,
               .n_threads = 1 + pick(4),
               .cancel_after = -1,
               .x = pick(8),
               .y = pick(8),
               .width = 1 + pick(width),
               .height = 1 + pick(height) };
  if (has_rois) { /* as a program asks: the rectangle holds them */
    c->x = c->y = 0;
    c->width = width;
    c->height = height;
  }
}

static void
check_drawn(void)
{
  const int n = vt_rounds(120);
  int bad_rows = 0, bad_counts = 0, bad_levels = 0, bad_order = 0, bad_again = 0, n_told = 0;
  for (int k = 0; k < n; k++) {
    VtImage image, mask;
    MiniResult plain, result, again;
    Case c;
    Taken taken, other;
    char where[64];
    draw_case(&c, &image, &mask);
    const bool ok = run(&c, "glrlm-rois", 0, NULL, &plain) == VITRAIL_OK
                    && run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, &taken, &result) == VITRAIL_OK;
    bad_rows += !ok || !mini_result_equal(&plain, &result, where, sizeof where) || plain.n_rows != result.n_rows;
    uint32_t with_pixels[MOST_REGIONS], n_with = 0;
    for (uint32_t i = 0; i < result.n_rows && i < MOST_REGIONS; i++)
      if (result.rows[i][0] > 0)
        with_pixels[n_with++] = i;
    bad_order += taken.n != n_with;
    for (uint32_t i = 0; i < taken.n && i < n_with; i++, n_told++) {
      bad_counts += !counts_hold(&taken.list[i].lengths);
      bad_levels += !levels_hold(&taken.list[i].lengths, &c);
      bad_order += taken.list[i].after != with_pixels[i] + 1;
    }
    c.tile_px = 16 + pick(20);
    c.n_threads = 3;
    bad_again += run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, &other, &again) != VITRAIL_OK
                 || !mini_result_equal(&again, &result, where, sizeof where) || other.n != taken.n;
    for (uint32_t i = 0; i < taken.n && i < other.n; i++)
      bad_again += memcmp(taken.list[i].lengths.counts, other.list[i].lengths.counts,
                          taken.list[i].lengths.n_counts * sizeof(uint32_t))
                   != 0;
    taken_clear(&taken);
    taken_clear(&other);
    mini_result_clear(&plain);
    mini_result_clear(&result);
    mini_result_clear(&again);
    free(image.data);
    free(mask.data);
  }
  vt_ok(bad_rows == 0, "rows are those of a run that tells nothing, to the bit (%d of %d are not)", bad_rows, n);
  vt_ok(bad_counts == 0 && n_told > n, "counts are those of the definition (%d of %d are not)", bad_counts, n_told);
  vt_ok(bad_levels == 0, "levels are of the values that they say (%d are not)", bad_levels);
  vt_ok(bad_order == 0, "each comes after its row, and none of a region without pixels (%d do not)", bad_order);
  vt_ok(bad_again == 0, "the same with other threads and tiles (%d are not)", bad_again);
}

/* --- what is refused --- */

static void
check_refusals(void)
{
  VtImage image = mini_tissue_new(64, 48, 3);
  Case c = {
    .image = &image, .values = { 0, 0, 0, 8, 1, 0, 0, 0 }, .n_threads = 2, .cancel_after = -1, .width = 64, .height = 48
  };
  Taken taken;
  MiniResult result;
  vt_ok(run(&c, "nuclei-threshold", VITRAIL_RUN_LENGTHS, &taken, &result) == VITRAIL_BAD_ARGUMENT
          && strstr(result.message, "no table of run lengths"),
        "of an analysis without rows of texture: %s", result.message);
  mini_result_clear(&result);
  vt_ok(run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, NULL, &result) == VITRAIL_BAD_ARGUMENT
          && strstr(result.message, "can't be told"),
        "to an older program: %s", result.message);
  mini_result_clear(&result);
  c.fail_at = 3; /* the pixels, the row, the runs */
  vt_ok(run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, &taken, &result) == VITRAIL_OUT_OF_MEMORY && result.n_rows == 1,
        "what the program answers ends the run");
  mini_result_clear(&result);
  c.fail_at = 0;
  c.cancel_after = 0;
  vt_ok(run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, &taken, &result) == VITRAIL_CANCELLED, "a cancel is heard");
  mini_result_clear(&result);
  taken_clear(&taken);
  c.cancel_after = -1;
  image.width = image.height = c.width = c.height = 4097; /* nobody reads it */
  vt_ok(run(&c, "glrlm-rois", VITRAIL_RUN_LENGTHS, &taken, &result) == VITRAIL_BAD_ARGUMENT
          && strstr(result.message, "4097 x 4097"),
        "a region of too many pixels: %s", result.message);
  mini_result_clear(&result);
  free(image.data);
}

int
main(void)
{
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return 1;
  check_drawn();
  check_refusals();
  mini_plugin()->session_close(session);
  return vt_test_done();
}
