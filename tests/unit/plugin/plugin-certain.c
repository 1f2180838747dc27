/* SPDX-License-Identifier: MIT
 *
 * View-exact results: random images, views and parameters, thousands of them, of every op of the catalogue that has a stage
 * `certain`. Every pixel that a view calls certain is the whole image's; labels are the same up to their numbers. Nuclei have
 * suites of their own beside, with parameters that fit small images. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

typedef struct {
  int64_t x, y, width, height;
} View;

typedef struct {
  const VitrailOp *op;
  uint32_t n_rounds;  /* fewer where they take longer than MOST_SECONDS */
  double least_share; /* of certain pixels, of all rounds without context */
  void (*choose)(const VitrailOp *op, MiniJob *job);
  VtImage (*image)(int64_t width, int64_t height);
  uint32_t least, most; /* pixels of a side of a view, and of the image; 0: 1 and 220 */
} Suite;

enum { MOST_SECONDS = 4, LEAST_ROUNDS = 8 };

static VitrailSession *session;

/* The one channel that may be given beside the image, or NULL. */
static const VitrailInputSpec *
find_beside(const VitrailOp *op)
{
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (!(op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY) && op->inputs[i]->kind == VITRAIL_INPUT_SCALAR)
      return op->inputs[i];
  return NULL;
}

static VitrailStatus
run_view(MiniJob *job, View view, MiniResult *result)
{
  MiniHost mini = { .n_threads = 2, .cancel_after = -1 };
  mini_job_set_region(job, view.x, view.y, view.width, view.height);
  job->request.tile_px = pick(2) ? 16 + pick(100) : 0;
  return mini_job_run(job, &mini, session, result);
}

/* --- comparing --- */

/* -1: the op does not say what is certain. */
static int
certain_stage(const VitrailOp *op)
{
  for (uint32_t i = 0; i < op->n_stages; i++)
    if (strcmp(op->stages[i]->id, "certain") == 0)
      return (int)i;
  return -1;
}

static bool
same_labels(const VtImage *part, const VtImage *whole, const VtImage *certain, View view)
{
  const size_t n = (size_t)(whole->width * whole->height) + 4096;
  int32_t *there_of = calloc(n, sizeof *there_of), *here_of = calloc(n, sizeof *here_of);
  bool ok = part->data != NULL && whole->data != NULL;
  for (int64_t y = 0; y < view.height && ok; y++)
    for (int64_t x = 0; x < view.width && ok; x++)
      if (*(uint8_t *)vt_image_at(certain, x, y))
        ok = ways_pairs(there_of, here_of, *(int32_t *)vt_image_at(part, x, y),
                        *(int32_t *)vt_image_at(whole, view.x + x, view.y + y));
  free(there_of);
  free(here_of);
  return ok;
}

static bool
same_bytes(const VtImage *part, const VtImage *whole, const VtImage *certain, View view)
{
  const size_t px = vt_type_size(part->type);
  bool ok = part->data != NULL && whole->data != NULL;
  for (int64_t y = 0; y < view.height && ok; y++)
    for (int64_t x = 0; x < view.width && ok; x++)
      if (*(uint8_t *)vt_image_at(certain, x, y))
        ok = memcmp(vt_image_at(part, x, y), vt_image_at(whole, view.x + x, view.y + y), px) == 0;
  return ok;
}

static int64_t
count_certain(const VtImage *certain)
{
  int64_t n = 0;
  for (int64_t y = 0; y < certain->height; y++)
    for (int64_t x = 0; x < certain->width; x++)
      n += *(uint8_t *)vt_image_at(certain, x, y) != 0;
  return n;
}

/* What is certain is the answer: labels, and the images that people see first. Labels that were given have their numbers. */
static bool
is_right(const Suite *suite, const MiniResult *part, const MiniResult *whole, View view, bool with_seeds)
{
  const VtImage *certain = &part->stages[certain_stage(suite->op)];
  bool ok = certain->width == view.width && certain->height == view.height;
  for (uint32_t i = 0; i < suite->op->n_stages && ok; i++) {
    const VitrailStage *stage = suite->op->stages[i];
    const bool is_seen = stage->flags & VITRAIL_STAGE_SHOWN && stage->kind <= VITRAIL_STAGE_MASK;
    if (stage->kind == VITRAIL_STAGE_LABELS && !with_seeds)
      ok = same_labels(&part->stages[i], &whole->stages[i], certain, view);
    else if ((is_seen && part->stages[i].data) || stage->kind == VITRAIL_STAGE_LABELS)
      ok = same_bytes(&part->stages[i], &whole->stages[i], certain, view);
  }
  return ok;
}

/* Every object that has a pixel in the view, once, with all of its area: 1/4 µm² a pixel. */
static bool
same_objects(const MiniResult *part, const VtImage *whole, View view)
{
  const int64_t n_px = whole->width * whole->height;
  int64_t *areas = calloc((size_t)n_px + 1, sizeof *areas), n = 0, sum = 0;
  for (int64_t i = 0; i < n_px; i++)
    areas[((int32_t *)whole->data)[i]]++;
  areas[0] = 0;
  for (int64_t y = view.y; y < view.y + view.height; y++)
    for (int64_t x = view.x; x < view.x + view.width; x++) {
      int64_t *area = &areas[*(int32_t *)vt_image_at(whole, x, y)];
      n += *area > 0;
      sum += *area;
      *area = 0;
    }
  free(areas);
  return n == part->n_objects && fabs(part->area_sum - (double)sum / 4) < 1e-6
         && fabs(part->outline_area_sum - (double)sum) < 1e-6;
}

/* --- a round --- */

typedef struct {
  int64_t n_px, n_certain; /* without context */
  uint32_t n_rounds, n_ran, n_said;
  bool right, complete, sound, tells;
} Tally;

static View
pick_view(int64_t w, int64_t h, int64_t least)
{
  View view = { pick((uint32_t)(w - least + 1)), pick((uint32_t)(h - least + 1)), 0, 0 };
  view.width = least + pick((uint32_t)(w - view.x - least + 1));
  view.height = least + pick((uint32_t)(h - view.y - least + 1));
  return view;
}

/* Blots of labels, some cut through by any view. */
static VtImage
seeds_new(int64_t width, int64_t height)
{
  VtImage seeds = mini_image_new(VITRAIL_I32, width, height);
  memset(seeds.data, 0, (size_t)(height * seeds.stride));
  for (uint32_t k = 0; k < 1 + (uint32_t)(width * height) / 300; k++) {
    const int64_t x0 = pick((uint32_t)width), y0 = pick((uint32_t)height), w = 1 + pick(9), h = 1 + pick(9);
    for (int64_t y = y0; y < y0 + h && y < height; y++)
      for (int64_t x = x0; x < x0 + w && x < width; x++)
        *(int32_t *)vt_image_at(&seeds, x, y) = (int32_t)(1 + (k * 37) % 200);
  }
  return seeds;
}

static void
compare(const Suite *suite, Tally *tally, const MiniResult *whole, const MiniResult *part, View all, View view,
        bool exact, bool with_seeds, double limit)
{
  const int stage = certain_stage(suite->op);
  const int64_t n_px = view.width * view.height;
  tally->n_ran++;
  if (!whole->stages[stage].data || !part->stages[stage].data) { /* a choice of which nothing can be said */
    tally->sound &= !whole->stages[stage].data && !part->stages[stage].data;
    return;
  }
  const int64_t n = count_certain(&part->stages[stage]);
  tally->n_said++;
  tally->right &= is_right(suite, part, whole, view, with_seeds) && is_right(suite, whole, whole, all, with_seeds)
                  && count_certain(&whole->stages[stage]) == all.width * all.height;
  if (exact && limit == 4096)
    tally->complete &= n == n_px;
  for (uint32_t i = 1; i < suite->op->n_stages && n == n_px && exact; i++)
    if (suite->op->stages[i]->kind == VITRAIL_STAGE_OBJECTS && suite->op->stages[i - 1]->kind == VITRAIL_STAGE_LABELS)
      tally->right &= same_objects(part, &whole->stages[i - 1], view);
  const bool searched = view.width < all.width || view.height < all.height;
  tally->tells &= !part->went_back && part->furthest <= 1 + 1e-9 && (!exact || !searched || part->told[stage] > 0);
  tally->n_px += exact ? 0 : n_px;
  tally->n_certain += exact ? 0 : n;
}

static void
check_round(const Suite *suite, Tally *tally)
{
  const uint32_t least = suite->least ? suite->least : 1, most = suite->most ? suite->most : 220;
  const int64_t w = least + pick(most - least + 1), h = least + pick(most - least + 1);
  const VtImage image = suite->image(w, h);
  const VitrailInputSpec *beside = find_beside(suite->op);
  const bool with_seeds = beside && pick(3) == 0;
  MiniJob job = mini_job(suite->op, &image);
  MiniResult whole, part;
  if (with_seeds) {
    const VtImage seeds = seeds_new(w, h);
    mini_job_add(&job, beside->id, &seeds);
  }
  suite->choose(suite->op, &job);
  const bool exact = pick(4) == 0;
  const double limit = pick(2) ? 4096 : pick(60);
  const View all = { 0, 0, w, h }, view = pick_view(w, h, least);
  const VitrailStatus status = run_view(&job, all, &whole);
  mini_job_set(&job, "context", exact);
  mini_job_set(&job, "context-limit", limit);
  const VitrailStatus again = run_view(&job, view, &part);
  /* What is refused in a sentence may be so for pixels that only one of them has, or since no context is enough. */
  tally->sound &= status == VITRAIL_OK || (status == VITRAIL_BAD_ARGUMENT && whole.message[0]);
  tally->sound &= again == VITRAIL_OK || (again == VITRAIL_BAD_ARGUMENT && part.message[0]);
  if (!tally->sound)
    printf("# the whole: %d %s; the view: %d %s\n", status, whole.message, again, part.message);
  if (status == VITRAIL_OK && again == VITRAIL_OK)
    compare(suite, tally, &whole, &part, all, view, exact, with_seeds, limit);
  tally->n_rounds++;
  mini_result_clear(&whole);
  mini_result_clear(&part);
  mini_job_clear(&job);
}

static void
check_suite(const Suite *suite)
{
  Tally tally = { .right = true, .complete = true, .sound = true, .tells = true };
  const char *id = suite->op->id;
  const clock_t start = clock();
  vt_draws.state = suite->n_rounds;
  /* However few are wanted, enough of them to find a pixel that is certain. */
  const uint32_t n_rounds = (uint32_t)fmax(vt_rounds((int)suite->n_rounds), LEAST_ROUNDS);
  while (tally.n_rounds < n_rounds && tally.sound && tally.right
         && (tally.n_rounds < (uint32_t)fmax(vt_rounds(LEAST_ROUNDS), LEAST_ROUNDS / 2)
             || clock() - start < (clock_t)vt_rounds(MOST_SECONDS) * CLOCKS_PER_SEC))
    check_round(suite, &tally);
  const double share = tally.n_px > 0 ? (double)tally.n_certain / (double)tally.n_px : 0;
  vt_ok(tally.sound && 3 * tally.n_said >= tally.n_rounds,
        "%s: %u of %u views run, the others are refused in a sentence; %u say what is certain", id, tally.n_ran,
        tally.n_rounds, tally.n_said);
  vt_ok(tally.right, "%s: %u views, every certain pixel is the whole image's", id, tally.n_said);
  vt_ok(tally.complete, "%s: with as much context as it takes all pixels are certain", id);
  vt_ok(tally.tells, "%s: it says how far it is, and that it looks for what is certain", id);
  vt_ok(share > suite->least_share, "%s: %.0f %% of all pixels are certain without context", id, 100 * share);
}

/* --- images --- */

static VtImage
tissue_image(int64_t width, int64_t height)
{
  return mini_tissue_new(width, height, vt_draws.state);
}

/* Nuclei that overlap: pieces of many objects. */
static VtImage
crowd_image(int64_t width, int64_t height)
{
  VtImage image = mini_tissue_new(width, height, vt_draws.state);
  for (int64_t n = width * height / 200; n > 0; n--) {
    const int64_t cx = pick((uint32_t)width), cy = pick((uint32_t)height), radius = 2 + pick(9), tone = pick(60);
    for (int64_t y = cy - radius; y <= cy + radius; y++)
      for (int64_t x = cx - radius; x <= cx + radius; x++) {
        if (x < 0 || y < 0 || x >= width || y >= height || (x - cx) * (x - cx) + (y - cy) * (y - cy) > radius * radius)
          continue;
        uint8_t *px = vt_image_at(&image, x, y);
        px[0] = (uint8_t)(80 + tone);
        px[1] = (uint8_t)(60 + tone);
        px[2] = (uint8_t)(130 + tone / 2);
      }
  }
  return image;
}

/* Noise, cells with soft or hard edges, plateaus; with dark gaps between that many things end at. */
static double
value_at(int64_t x, int64_t y, uint32_t kind, uint32_t period)
{
  const double u = (double)(x % period) / period - 0.5, v = (double)(y % period) / period - 0.5;
  const uint64_t cell = (uint64_t)(x / period * 37 + y / period * 91);
  switch (kind) {
  case 0: return pick(256);
  case 1: return (double)(cell % 256);
  case 2: return cell % 5 == 0 ? 0 : 250 * (1 - 2 * (u * u + v * v)) - pick(8);
  default: return u * u + v * v < 0.16 ? 100 + (double)(cell % 120) + pick(4) : pick(40) == 0 ? 120 : pick(2);
  }
}

static VtImage
image_of(VtType type, int64_t width, int64_t height)
{
  VtImage image = mini_image_new(type, width, height);
  const uint32_t kind = pick(4), period = 4 + pick(25);
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const double value = value_at(x, y, kind, period);
      void *px = vt_image_at(&image, x, y);
      switch (type) {
      case VITRAIL_U8: *(uint8_t *)px = (uint8_t)value; break;
      case VITRAIL_U16: *(uint16_t *)px = (uint16_t)(value * 250); break;
      case VITRAIL_I32: *(int32_t *)px = (int32_t)(value * 300) - 30000; break;
      default: *(float *)px = (float)value / 3 - 20; break;
      }
    }
  return image;
}

static VtImage
grey_image(int64_t width, int64_t height)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  return image_of(types[pick(5)], width, height);
}

static VtImage
any_image(int64_t width, int64_t height)
{
  return pick(2) ? grey_image(width, height) : pick(2) ? tissue_image(width, height) : crowd_image(width, height);
}

/* --- parameters --- */

static void
nuclei_params(const VitrailOp *op, MiniJob *job)
{
  mini_job_set(job, "background-radius", pick(6) == 0 ? 0 : 1 + pick(8));
  mini_job_set(job, "background-by-reconstruction", pick(3) != 0);
  mini_job_set(job, "sigma", pick(4) * 0.5);
  mini_job_set(job, "threshold", 0.02 + 0.02 * pick(10));
  mini_job_set(job, "min-area", pick(20));
  mini_job_set(job, "max-area", 40 + pick(400));
  mini_job_set(job, "split", pick(4) != 0);
  mini_job_set(job, "seed-depth", 0.25 * pick(5));
  mini_job_set(job, "max-background", pick(3) ? 2 : 0.1 * pick(8));
  mini_job_set(job, "hole-radius", 0.5 * pick(4));
}

/* What people have: holes are small, and there is room between the nuclei. */
static void
easy_nuclei_params(const VitrailOp *op, MiniJob *job)
{
  mini_job_set(job, "background-radius", 4);
  mini_job_set(job, "sigma", 0.5);
  mini_job_set(job, "min-area", pick(20));
  mini_job_set(job, "max-area", 40 + pick(400));
  mini_job_set(job, "split", pick(3) != 0);
  mini_job_set(job, "seed-depth", 0.25 * pick(5));
  mini_job_set(job, "max-background", pick(2) ? 2 : 0.05 * pick(12));
  mini_job_set(job, "hole-radius", 1 + pick(3));
}

static void
crowd_params(const VitrailOp *op, MiniJob *job)
{
  mini_job_set(job, "background-radius", 2.5 * pick(3));
  mini_job_set(job, "sigma", pick(2) ? 0 : 0.4);
  mini_job_set(job, "threshold", 0.02 + 0.06 * pick(4));
  mini_job_set(job, "min-area", pick(60));
  mini_job_set(job, "max-area", 20 + pick(120));
  mini_job_set(job, "split", pick(5) != 0);
  mini_job_set(job, "seed-depth", 0.25 * pick(3));
  mini_job_set(job, "max-background", pick(2) ? 2 : 0.02 * pick(30));
  mini_job_set(job, "hole-radius", 0.5 * (1 + pick(4)));
}

static void
regions_params(const VitrailOp *op, MiniJob *job)
{
  mini_job_set(job, "largest", 4 + pick(pick(3) ? 8 : 40));
  mini_job_set(job, "preset", pick(5));
  mini_job_set(job, "min-area", pick(20));
  mini_job_set(job, "max-area", 20 + pick(200));
  mini_job_set(job, "min-score", pick(2) ? 0 : 0.1 * pick(10));
}

/* What a person could set, but for the context, which a round chooses, and outlines of cells: same_objects() knows those of
 * objects. Vectors and the grid keep their defaults. */
static void
any_params(const VitrailOp *op, MiniJob *job)
{
  for (uint32_t i = 0; i < op->n_params; i++)
    if (op->params[i]->type != VITRAIL_PARAM_VECTOR && strcmp(op->params[i]->key, "pixel-size") != 0
        && strncmp(op->params[i]->key, "context", 7) != 0 && strcmp(op->params[i]->key, "outline") != 0)
      mini_job_set(job, op->params[i]->key, pick(4) ? ways_draw_value(op->params[i]) : op->params[i]->initial[0]);
}

int
main(void)
{
  const VitrailPlugin *plugin = mini_plugin();
  const VitrailOp *nuclei = mini_op("nuclei-threshold"), *regions = mini_op("nuclei");
  const Suite suites[] = {
    { nuclei, 700, 0.1, nuclei_params, tissue_image },
    { nuclei, 701, 0.3, easy_nuclei_params, tissue_image },
    { nuclei, 800, 0.2, crowd_params, crowd_image },
    { regions, 8, 0.03, regions_params, tissue_image, 220, 320 },
    { regions, 9, 0.03, regions_params, crowd_image, 220, 320 },
  };
  if (plugin->session_open(&session) != VITRAIL_OK)
    return 1;
  for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
    check_suite(&suites[i]);
  for (uint32_t i = 0; i < plugin->n_ops; i++)
    if (certain_stage(plugin->ops[i]) >= 0)
      check_suite(&(Suite){ plugin->ops[i], 500, -1, any_params, any_image });
  plugin->session_close(session);
  return vt_test_done();
}
