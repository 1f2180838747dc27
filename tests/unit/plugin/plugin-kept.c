/* SPDX-License-Identifier: MIT
 *
 * What a session keeps from run to run: any sequence of changes of parameters, regions, grids and wanted stages, with runs
 * cancelled in between, gives the bytes of a session that keeps nothing; and what does not depend on a change is not made
 * again. */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

enum { N_IMAGES = 2 };

static VtImage images[N_IMAGES];

typedef struct {
  const VitrailOp *op;
  double values[MINI_MOST_PARAMS]; /* of the op's parameters */
  uint32_t image;
  int64_t x, y, width, height;
  double min_downsample, mpp;
  uint64_t stages;
} Scene;

static Scene
scene_of(const VitrailOp *op)
{
  Scene scene = { .op = op, .width = 150, .height = 110, .min_downsample = 1, .mpp = 0.5 };
  for (uint32_t i = 0; i < op->n_params; i++)
    scene.values[i] = op->params[i]->initial[0];
  return scene;
}

/* Vectors keep their defaults, and the grid is drawn in another way. */
static bool
is_drawn(const VitrailParam *param)
{
  return param->type != VITRAIL_PARAM_VECTOR && strcmp(param->key, "pixel-size") != 0;
}

static VitrailStatus
run_scene(const Scene *scene, VitrailSession *session, bool keep, int64_t cancel_after, MiniResult *result)
{
  const VitrailOp *op = scene->op;
  MiniJob job = mini_job(op, &images[scene->image]);
  job.mpp_x = job.mpp_y = scene->mpp;
  mini_job_set_region(&job, scene->x, scene->y, scene->width, scene->height);
  job.request.tile_px = pick(2) ? 0 : 32 + pick(90);
  job.request.min_downsample = scene->min_downsample;
  job.request.stages_wanted = scene->stages;
  job.request.flags = keep ? VITRAIL_RUN_KEEP_STAGES : 0;
  for (uint32_t i = 0; i < op->n_params; i++)
    if (is_drawn(op->params[i]))
      mini_job_set(&job, op->params[i]->key, scene->values[i]);
  MiniHost mini = { .n_threads = 2, .cancel_after = cancel_after };
  return mini_job_run(&job, &mini, session, result);
}

/* One change, as a hand makes it, or a few. */
static void
change(Scene *scene)
{
  for (uint32_t n = 1 + pick(2); n > 0; n--) {
    const uint32_t n_params = scene->op->n_params, which = pick(n_params + 5);
    if (which < n_params)
      scene->values[which] = pick(2) ? scene->op->params[which]->initial[0] : ways_draw_value(scene->op->params[which]);
    else if (which == n_params)
      scene->image = pick(N_IMAGES);
    else if (which == n_params + 1)
      scene->x = 20 * pick(3);
    else if (which == n_params + 2)
      scene->min_downsample = 1 + pick(2);
    else if (which == n_params + 3)
      scene->mpp = pick(2) ? 0.5 : 0.25;
    else
      scene->stages = pick(2) ? 0 : 1u << pick(scene->op->n_stages);
  }
}

static void
check_sequences(const VitrailOp *op)
{
  VitrailSession *keeping = NULL, *fresh = NULL;
  Scene scene = scene_of(op);
  char where[64] = "";
  const int n = vt_rounds(200);
  int n_cancelled = 0, n_equal = 0, n_done = 0;
  mini_plugin()->session_open(&keeping);
  mini_plugin()->session_open(&fresh);
  for (int i = 0; i < n; i++) {
    MiniResult a, b;
    change(&scene);
    if (pick(40) == 0)
      mini_plugin()->session_forget(keeping);
    /* Like a hand that goes on before the answer is there. */
    while (pick(3) == 0) {
      n_cancelled += run_scene(&scene, keeping, true, pick(60), &a) == VITRAIL_CANCELLED;
      mini_result_clear(&a);
      change(&scene);
    }
    const VitrailStatus status = run_scene(&scene, keeping, pick(10) > 0, -1, &a);
    const bool same = run_scene(&scene, fresh, false, -1, &b) == status;
    n_done += status == VITRAIL_OK;
    n_equal += same && (status != VITRAIL_OK || mini_result_equal(&a, &b, where, sizeof where));
    mini_result_clear(&a);
    mini_result_clear(&b);
  }
  /* A quarter of an op's runs must get somewhere; a short round draws too few to tell. */
  vt_ok(
    n_equal == n && (n < 200 ? n_done > 0 : 4 * n_done > n),
    "%s: %d of %d runs after changes have the bytes of a fresh one (%s); %d are not refused, %d were cancelled before",
    op->id, n_equal, n, where, n_done, n_cancelled);
  mini_plugin()->session_close(keeping);
  mini_plugin()->session_close(fresh);
}

static void
check_one_change(VitrailSession *session, const char *key, double value, const char *kept)
{
  Scene scene = scene_of(mini_op("nuclei-threshold"));
  MiniResult result;
  run_scene(&scene, session, true, -1, &result);
  mini_result_clear(&result);
  for (uint32_t i = 0; i < scene.op->n_params; i++)
    if (strcmp(scene.op->params[i]->key, key) == 0)
      scene.values[i] = value;
  run_scene(&scene, session, true, -1, &result);
  vt_ok(strcmp(result.kept, kept) == 0, "after a change of %s these are kept: %s", key, result.kept);
  mini_result_clear(&result);
}

static void
check_what_is_kept(void)
{
  static const struct {
    const char *key;
    double value;
    const char *kept;
  } changes[] = {
    { "", 0, "hematoxylin,background,residue,mask,filled,distance,seeds,labels" },
    { "detection-image", 1, "" },
    { "background-radius", 3, "hematoxylin" },
    { "sigma", 0, "hematoxylin,background,residue" },
    { "threshold", 0.14, "hematoxylin,background,residue" },
    { "hole-radius", 4, "hematoxylin,background,residue,mask" },
    { "seed-depth", 1.5, "hematoxylin,background,residue,mask,filled,distance" },
    { "split", 0, "hematoxylin,background,residue,mask,filled,distance,seeds" },
    { "min-area", 40, "hematoxylin,background,residue,mask,filled,distance,seeds,labels" },
  };
  VitrailSession *session = NULL;
  mini_plugin()->session_open(&session);
  for (uint32_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
    check_one_change(session, changes[i].key, changes[i].value, changes[i].kept);
  mini_plugin()->session_close(session);
}

/* A recipe that was changed, or only copied, takes what another one has made of the same pixels, and gives it back. */
static void
check_copies(void)
{
  static const char all[] = "hematoxylin,background,residue,mask,filled,distance,seeds,labels";
  VitrailSession *session = NULL;
  VitrailRecipe copy = { .size = 0 };
  VitrailRecipeProblem problem = { .size = sizeof problem };
  Scene scenes[2] = { scene_of(mini_op("nuclei-threshold")) };
  MiniResult results[2];
  char where[64] = "";
  bool equal = true;
  for (uint32_t i = 0; i < mini_plugin()->n_recipes; i++)
    if (strcmp(mini_plugin()->recipes[i]->id, "nuclei-threshold") == 0)
      copy = *mini_plugin()->recipes[i];
  copy.id = "mine";
  mini_plugin()->session_open(&session);
  mini_plugin()->session_add_recipe(session, &copy, &scenes[1].op, &problem);
  const VitrailOp *mine = scenes[1].op;
  scenes[1] = scene_of(mine);
  for (uint32_t i = 0; i < 5; i++) {
    scenes[i % 2].values[0] = scenes[(i + 1) % 2].values[0]; /* the threshold, the first parameter of both */
    equal &= run_scene(&scenes[i % 2], session, true, -1, &results[0]) == VITRAIL_OK;
    equal &= run_scene(&scenes[i % 2], session, false, -1, &results[1]) == VITRAIL_OK
             && mini_result_equal(&results[0], &results[1], where, sizeof where);
    vt_ok(i == 0 || strcmp(results[0].kept, i == 3 ? "hematoxylin,background,residue" : all) == 0,
          "run %u of a recipe and its copy in turns: %s", i, results[0].kept);
    mini_result_clear(&results[0]);
    mini_result_clear(&results[1]);
    if (i == 2)
      scenes[0].values[0] = scenes[1].values[0] = 0.14;
  }
  vt_ok(equal, "with the bytes of runs that keep nothing (%s)", where);
  mini_plugin()->session_close(session);
}

/* Freed memory stays with the session after runs that keep, however they end, until one that does not, or until it is told to forget. */
static void
check_memory(void)
{
  VitrailSession *session = NULL;
  Scene scene = scene_of(mini_op("nuclei-threshold"));
  MiniResult result;
  mini_plugin()->session_open(&session);
  run_scene(&scene, session, true, -1, &result);
  const VtDevice *team = session->memory.team;
  mini_result_clear(&result);
  vt_ok(team && session->memory.device, "memory is kept for the next run");
  scene.values[0] = 0.14;
  run_scene(&scene, session, true, 3, &result);
  mini_result_clear(&result);
  vt_ok(session->memory.team == team, "also after one that was cancelled");
  scene.stages = UINT64_C(1) << 60;
  run_scene(&scene, session, true, -1, &result);
  mini_result_clear(&result);
  vt_ok(session->memory.team == team, "or refused");
  scene.stages = 0;
  run_scene(&scene, session, false, -1, &result);
  mini_result_clear(&result);
  vt_ok(!session->memory.team && !session->memory.device, "one that keeps nothing gives it back");
  run_scene(&scene, session, true, -1, &result);
  mini_result_clear(&result);
  vt_ok(session->memory.team, "it is kept again");
  mini_plugin()->session_forget(session);
  vt_ok(!session->memory.team && !session->memory.device, "until the session forgets");
  mini_plugin()->session_close(session);
}

/* An image of which some more regions are run than are kept: all right, and the memory is bounded by the program's end. */
static void
check_many_regions(void)
{
  VitrailSession *session = NULL;
  bool equal = true;
  char where[64];
  mini_plugin()->session_open(&session);
  for (uint32_t i = 0; i < 60; i++) {
    Scene scene = scene_of(mini_op("nuclei-threshold"));
    MiniResult a, b;
    scene.x = i % 7;
    scene.width = 60 + i % 3;
    scene.height = 50;
    scene.values[0] = i % 2 ? 0.14 : 0.1;
    equal &= run_scene(&scene, session, true, -1, &a) == VITRAIL_OK;
    equal &= run_scene(&scene, session, false, -1, &b) == VITRAIL_OK && mini_result_equal(&a, &b, where, sizeof where);
    mini_result_clear(&a);
    mini_result_clear(&b);
  }
  vt_ok(equal, "more regions than are kept");
  mini_plugin()->session_forget(session);
  mini_plugin()->session_forget(session);
  mini_plugin()->session_close(session);
}

int
main(void)
{
  for (int i = 0; i < N_IMAGES; i++)
    images[i] = mini_tissue_new(200, 140, 5 + (uint64_t)i);
  for (uint32_t i = 0; i < mini_plugin()->n_ops; i++)
    check_sequences(mini_plugin()->ops[i]);
  check_what_is_kept();
  check_copies();
  check_memory();
  check_many_regions();
  for (int i = 0; i < N_IMAGES; i++)
    free(images[i].data);
  return vt_test_done();
}
