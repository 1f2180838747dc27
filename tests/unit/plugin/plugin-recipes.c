/* SPDX-License-Identifier: MIT
 *
 * Every recipe, built in or drawn at random, with parameters and inputs drawn from what it declares: the same bytes with any
 * tiles, threads, memory, ranks, devices, faults, after interruptions, cancelled runs and runs that kept stages. Drawn ones
 * give what a slow interpreter does, and their certain pixels are those of the whole image. What is wrong with a recipe is
 * said in a sentence. */
#include <stdlib.h>
#include <string.h>

#include "slow-recipe.h"
#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

static const Way plain = { .n_threads = 1, .cancel_after = -1 };

/* --- jobs --- */

static VtImage
draw_image(VtType type, int64_t width, int64_t height)
{
  if (type == VITRAIL_RGBA8 && pick(2))
    return mini_tissue_new(width, height, pick(1000));
  VtImage image = mini_image_new(type, width, height);
  vt_draw_fill(&image, VT_DRAW_N_KINDS);
  return image;
}

/* Some labels, or a part of the first image. */
static VtImage
draw_second(const VtImage *first)
{
  const bool is_like = pick(2) && first->type != VITRAIL_RGBA8;
  VtImage image = mini_image_new(is_like ? first->type : VITRAIL_I32, first->width, first->height);
  const uint32_t sparse = 1 + pick(200);
  const size_t px = vt_type_size(image.type);
  for (int64_t i = 0; i < first->width * first->height; i++) {
    if (pick(sparse))
      continue;
    if (is_like)
      memcpy((uint8_t *)image.data + (size_t)i * px, (uint8_t *)first->data + (size_t)i * px, px);
    else
      ((int32_t *)image.data)[i] = 1 + (int32_t)pick(1u << 30);
  }
  return image;
}

static void
draw_others(MiniJob *job, const VitrailOp *op)
{
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (!(op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY) && op->inputs[i]->kind != VITRAIL_INPUT_ROIS && pick(2)) {
      const VtImage image = draw_second(&job->images[0]);
      mini_job_add(job, op->inputs[i]->id, &image);
    }
}

/* Colours of stains stay; of context there is check_certain(). */
static void
draw_params(MiniJob *job, const VitrailOp *op)
{
  for (uint32_t i = 0; i < op->n_params; i++) {
    const VitrailParam *p = op->params[i];
    if (p->type == VITRAIL_PARAM_VECTOR || strncmp(p->key, "context", 7) == 0 || pick(2))
      continue;
    if (strcmp(p->key, "pixel-size") != 0 || pick(4) == 0)
      mini_job_set(job, p->key, ways_draw_value(p));
  }
}

static MiniJob
drawn_job(const Drawn *d, const VtImage *image)
{
  const VitrailOp op = { .id = d->id, .n_inputs = d->recipe.n_inputs, .inputs = d->recipe.inputs };
  MiniJob job = mini_job(&op, image);
  job.recipe = &d->recipe;
  return job;
}

static void
draw_region(MiniJob *job)
{
  const uint32_t w = (uint32_t)job->images[0].width, h = (uint32_t)job->images[0].height, x = pick(w), y = pick(h);
  mini_job_set_region(job, x, y, 1 + pick(w - x), 1 + pick(h - y));
}

/* A part of the image; what is certain of one that memory does not hold can't be said, so nobody asks for that. */
static void
draw_part(MiniJob *job, const VitrailOp *op)
{
  uint64_t certain = 0, *stages = &job->request.stages_wanted;
  *stages = pick(2) ? (UINT64_C(1) << op->n_stages) - 1 : 1 + pick((1u << op->n_stages) - 1);
  if (pick(3))
    return;
  draw_region(job);
  for (uint32_t i = 0; i < op->n_stages; i++)
    if (strcmp(op->stages[i]->id, "certain") == 0)
      certain = UINT64_C(1) << i;
  *stages = *stages & ~certain ? *stages & ~certain : 1;
}

/* Of a drawn recipe, if one is given. Some images are tall, as ranks have stripes of whole blocks of 512 rows. */
static MiniJob
draw_job(const Drawn *drawn)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8 };
  const bool is_tall = pick(4) == 0;
  const int64_t w = 1 + pick(is_tall ? 60 : 300), h = 1 + pick(is_tall ? 2500 : 300);
  const VitrailOp *op = mini_plugin()->ops[pick(mini_plugin()->n_ops)];
  const VtImage image = draw_image(drawn || pick(2) ? VITRAIL_RGBA8 : types[pick(5)], w, h);
  MiniJob job = drawn ? drawn_job(drawn, &image) : mini_job(op, &image);
  job.mpp_x = pick(3) ? 0.5 : 0;
  job.mpp_y = job.mpp_x > 0 && pick(3) == 0 ? 0.2 * (1 + pick(5)) : job.mpp_x;
  if (!drawn) {
    draw_others(&job, op);
    draw_params(&job, op);
  }
  draw_part(&job, drawn ? &(VitrailOp){ .n_stages = DRAWN_N_STAGES, .stages = drawn->stage_list } : op);
  return job;
}

static Way
draw_way(void)
{
  static const char *const devices[] = { NULL, "works", "two", "lost", "later=3", "memory", "missing", "roomy" };
  Way way = { .tile = pick(3) ? 1 + pick(200) : 0, .n_threads = 1 + pick(4), .order = pick(1000), .cancel_after = -1 };
  way.n_ranks = pick(3) ? 1 : 2 + pick(4);
  way.budget = way.n_ranks > 1 || pick(2) ? 100000 + pick(500000) : 0;
  way.device = devices[pick(8)];
  way.fault = pick(2) ? 0 : 1 + pick(60);
  way.n_stops = way.budget == 0 || pick(3) ? 0 : 1 + pick(3);
  return way;
}

/* --- ways --- */

typedef struct {
  int n_runs, n_streamed, n_resumed, n_cancelled, n_refused, n_not_in_pieces;
  int n_compared, n_certain_views, n_bad;
  int64_t n_px, n_certain_px;
} Tally;

static Tally tally;

static bool
is_same(const MiniResult *whole, VitrailStatus expected, const MiniResult *other, VitrailStatus status, char *where,
        size_t where_size)
{
  if (status != expected)
    return false;
  return status == VITRAIL_OK ? mini_result_equal(whole, other, where, where_size) : other->message[0] != '\0';
}

/* Some steps don't run in pieces, and say so; others need more memory. */
static bool
check_way(const MiniJob *job, const MiniResult *whole, VitrailStatus expected, Way way)
{
  MiniResult other;
  char where[64] = "";
  VitrailStatus status = ways_run(job, &way, &other);
  for (; status == VITRAIL_OUT_OF_MEMORY && way.budget > 0 && way.budget < 1 << 26;) {
    mini_result_clear(&other);
    way.budget *= 4;
    status = ways_run(job, &way, &other);
  }
  const bool is_refused =
    way.budget > 0 && status == VITRAIL_BAD_ARGUMENT && expected == VITRAIL_OK && strstr(other.message, "in pieces");
  const bool right = is_refused || is_same(whole, expected, &other, status, where, sizeof where);
  if (!right) {
    printf("# status %d, not %d, \"%s\" \"%s\", %s\n", status, expected, whole->message, other.message, where);
    ways_print(job, &way);
  }
  tally.n_runs++;
  tally.n_not_in_pieces += is_refused;
  tally.n_streamed += other.streamed > 0;
  tally.n_resumed += other.resumed > 0;
  mini_result_clear(&other);
  return right;
}

/* Some of many questions is answered with yes: of one rank, if there are several. */
static bool
check_cancelled(const MiniJob *job, const MiniResult *whole, VitrailStatus expected)
{
  Way way = draw_way();
  way.n_stops = 0;
  way.cancel_after = pick(400);
  MiniResult other;
  const VitrailStatus status = ways_run(job, &way, &other);
  if (status != VITRAIL_CANCELLED) {
    mini_result_clear(&other);
    way.cancel_after = -1;
    return check_way(job, whole, expected, way);
  }
  tally.n_cancelled++;
  mini_result_clear(&other);
  return true;
}

/* Runs of one session: some stages, kept; cancelled at some look; then all. */
static bool
check_session(const MiniJob *job, const MiniResult *whole, VitrailStatus expected)
{
  MiniResult other;
  char where[64] = "";
  VitrailSession *session = mini_job_session(job);
  MiniJob some = *job;
  bool right = session != NULL;
  const uint64_t fewer = job->request.stages_wanted & vt_random(&vt_draws);
  some.request.stages_wanted = fewer ? fewer : job->request.stages_wanted;
  for (uint32_t i = 0; i < 4 && right; i++) {
    const bool is_last = i == 3;
    Way way = { .tile = 16 + pick(100), .n_threads = 1 + pick(3) };
    way.cancel_after = is_last || pick(2) ? -1 : (int64_t)pick(200);
    const VitrailStatus status =
      ways_run_in(session, is_last ? job : &some, &way, is_last && pick(2) ? 0 : VITRAIL_RUN_KEEP_STAGES, &other);
    tally.n_cancelled += status == VITRAIL_CANCELLED;
    const bool is_cancelled = status == VITRAIL_CANCELLED && way.cancel_after >= 0;
    /* What is wrong with the inputs may not matter to some stages. */
    right = is_last ? is_same(whole, expected, &other, status, where, sizeof where)
                    : status == expected || is_cancelled || expected != VITRAIL_OK;
    if (!right) {
      printf("# run %u of a session: status %d, not %d, \"%s\" %s\n", i, status, expected, other.message, where);
      ways_print(job, &way);
    }
    mini_result_clear(&other);
  }
  mini_plugin()->session_close(session);
  return right;
}

/* --- the slow interpreter --- */

static bool
check_slowly(const Drawn *d)
{
  VtImage nodes[DRAWN_MOST_NODES];
  MiniResult fast = { 0 };
  const VtImage image = draw_image(VITRAIL_RGBA8, 1 + pick(40), 1 + pick(40));
  const MiniJob job = drawn_job(d, &image);
  bool right = slow_recipe(d, &image, nodes) && ways_run(&job, &plain, &fast) == VITRAIL_OK;
  for (uint32_t i = 0; i < d->n && right; i++)
    for (uint32_t k = 0; k < DRAWN_N_STAGES && right && d->nodes[i].stage; k++) {
      const VtImage *stage = &fast.stages[k];
      if (strcmp(d->stages[k].id, d->nodes[i].stage) != 0)
        continue;
      right = stage->data && stage->type == nodes[i].type;
      for (int64_t y = 0; y < image.height && right; y++)
        right = memcmp(vt_image_at(stage, 2, y + 2), vt_image_at(&nodes[i], 0, y),
                       (size_t)image.width * vt_type_size(nodes[i].type))
                == 0;
      if (!right)
        printf("# %s is not what it is by definition\n", d->ids[i]);
    }
  if (!right)
    ways_print(&job, &plain);
  tally.n_compared++;
  mini_result_clear(&fast);
  for (uint32_t i = 1; i < d->n; i++)
    free(nodes[i].data);
  free(image.data);
  return right;
}

/* --- certainty --- */

/* The first stage where the last one says so. */
static bool
is_certain_right(const MiniJob *part, const MiniResult *here, const MiniResult *there, bool is_labels)
{
  const VtImage *certain = &here->stages[DRAWN_N_STAGES - 1], *a = &here->stages[0], *b = &there->stages[0];
  const size_t n = (size_t)(part->images[0].width * part->images[0].height) + 1;
  int32_t *there_of = calloc(2 * n, sizeof *there_of);
  bool right = a->type == b->type;
  const VitrailRequest *r = &part->request;
  for (int64_t y = r->y_l0 + 2; y < r->y_l0 + r->height_l0 + 2; y++)
    for (int64_t x = r->x_l0 + 2; x < r->x_l0 + r->width_l0 + 2 && right; x++) {
      const void *p = vt_image_at(a, x, y), *q = vt_image_at(b, x, y);
      tally.n_px++;
      if (*(uint8_t *)vt_image_at(certain, x, y) == 0)
        continue;
      tally.n_certain_px++;
      right = is_labels ? ways_pairs(there_of, there_of + n, *(const int32_t *)p, *(const int32_t *)q)
                        : memcmp(p, q, vt_type_size(a->type)) == 0;
    }
  free(there_of);
  return right;
}

static bool
check_certain(const MiniJob *job, const Drawn *d)
{
  MiniResult whole = { 0 }, part = { 0 };
  MiniJob all = *job;
  mini_job_set_region(&all, 0, 0, job->images[0].width, job->images[0].height);
  all.request.stages_wanted = 0;
  MiniJob view = all;
  draw_region(&view);
  mini_job_set(&view, "context", pick(3) == 0);
  mini_job_set(&view, "context-limit", pick(2) ? 4096 : pick(60));
  bool right = ways_run(&all, &plain, &whole) == VITRAIL_OK && ways_run(&view, &plain, &part) == VITRAIL_OK;
  if (right && part.stages[DRAWN_N_STAGES - 1].data) {
    right = is_certain_right(&view, &part, &whole, d->stages[0].kind == VITRAIL_STAGE_LABELS);
    tally.n_certain_views++;
  }
  if (!right) {
    printf("# a view: \"%s\" \"%s\"\n", whole.message, part.message);
    ways_print(&view, &plain);
  }
  mini_result_clear(&whole);
  mini_result_clear(&part);
  return right;
}

/* --- */

static bool
check_job(const MiniJob *job, const Drawn *drawn)
{
  MiniResult whole;
  const VitrailStatus expected = ways_run(job, &plain, &whole);
  bool right = !drawn || expected == VITRAIL_OK;
  for (int k = 0; k < 4 && right; k++)
    right = check_way(job, &whole, expected, draw_way());
  right = right && check_cancelled(job, &whole, expected) && check_session(job, &whole, expected);
  if (drawn)
    right = right && check_slowly(drawn) && check_certain(job, drawn);
  tally.n_refused += expected != VITRAIL_OK;
  mini_result_clear(&whole);
  return right;
}

static void
check_draws(int n)
{
  for (int i = 0; i < n && tally.n_bad < 5; i++) {
    static Drawn room;
    const Drawn *drawn = pick(2) ? &room : NULL;
    if (drawn)
      drawn_new(&room);
    MiniJob job = draw_job(drawn);
    if (!check_job(&job, drawn)) {
      printf("# draw %d\n", i);
      tally.n_bad++;
    }
    mini_job_clear(&job);
  }
  vt_ok(
    tally.n_bad == 0,
    "%d recipes, %d refused by what they were given: %d runs in other ways, %d streamed, %d gone on after some step, "
    "%d with a step that does not run in pieces, %d cancelled; %d have other bytes",
    n, tally.n_refused, tally.n_runs, tally.n_streamed, tally.n_resumed, tally.n_not_in_pieces, tally.n_cancelled,
    tally.n_bad);
  vt_ok(tally.n_bad == 0 && tally.n_compared > 0, "%d drawn recipes are what they are by definition", tally.n_compared);
  vt_ok(tally.n_bad == 0 && 50 * tally.n_certain_px > tally.n_px,
        "%d views of drawn recipes: every certain pixel, %.0f %% of all, is the whole image's", tally.n_certain_views,
        100.0 * (double)tally.n_certain_px / (double)tally.n_px);
}

/* --- sentences --- */

static bool
add_to(VitrailSession *session, const Drawn *d, const VitrailOp **op, VitrailRecipeProblem *problem)
{
  return mini_plugin()->session_add_recipe(session, &d->recipe, op, problem) == VITRAIL_OK;
}

static void
expect(VitrailSession *session, const Drawn *d, const char *path, const char *part)
{
  VitrailRecipeProblem problem = { .size = sizeof problem };
  const VitrailOp *op = NULL;
  vt_ok(!add_to(session, d, &op, &problem) && !op && strstr(problem.sentence, part) && strstr(problem.path, path),
        "at %s: \"%s\"", problem.path, problem.sentence);
}

static void
check_sentences(VitrailSession *session)
{
  Drawn d;
  drawn_new(&d);
  d.nodes[2].step = "sharpen";
  expect(session, &d, "/nodes/2", "sharpen");
  drawn_new(&d);
  d.inputs[2][0] = "nowhere";
  expect(session, &d, "/nodes/2", "nowhere");
  drawn_new(&d);
  d.params[1][0] = drawn_setting("colour", "1");
  expect(session, &d, "/nodes/1", "colour");
  drawn_new(&d);
  d.nodes[2].when = "pixel-size > (2 ";
  expect(session, &d, "/nodes/2", "");
  do
    drawn_new(&d);
  while (strcmp(d.nodes[1].step, "normalize") != 0);
  d.recipe.n_params--; /* the last is reference-eosin */
  expect(session, &d, "/nodes/1", "needs the parameters");
  d.recipe.n_params++;
  d.inputs[2][0] = d.ids[1];
  d.nodes[2].step = "normalize";
  d.nodes[2].n_settings = 0;
  expect(session, &d, "/nodes/2", "what a step read gives");
  drawn_new(&d);
  d.nodes[2].stage = "z";
  expect(session, &d, "/nodes/2", "z");
}

/* As an exported file has it: under an id of its own. */
static void
check_exported(void)
{
  const VitrailPlugin *plugin = mini_plugin();
  for (uint32_t i = 0; i < plugin->n_recipes; i++) {
    VitrailRecipe recipe = *plugin->recipes[i];
    VitrailRecipeProblem problem = { .size = sizeof problem };
    recipe.id = "my-own";
    const VitrailStatus status = plugin->recipe_check(&recipe, &problem);
    vt_ok(status == VITRAIL_OK, "%s can be brought by a host %s %s", plugin->recipes[i]->id, problem.path,
          problem.sentence);
  }
  vt_ok(plugin->n_recipes == plugin->n_ops, "every op can be exported");
}

int
main(void)
{
  VitrailSession *session = NULL;
  if (!ways_begin() || mini_plugin()->session_open(&session) != VITRAIL_OK)
    return 1;
  vt_draws.state = 11;
  check_draws(vt_rounds(400));
  check_sentences(session);
  check_exported();
  mini_plugin()->session_close(session);
  vt_ok(ways_end(), "no scratch file is left");
  return vt_test_done();
}
