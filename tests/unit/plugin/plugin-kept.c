/* SPDX-License-Identifier: MIT
 *
 * What a session keeps from run to run: any sequence of changes of parameters, regions, grids and wanted stages, with runs
 * cancelled in between, gives the bytes of a session that keeps nothing; and what does not depend on a change is not made
 * again. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { N_IMAGES = 2, N_PARAMS = 12, N_ROUNDS = 1500 };
static const struct {
  const char *key;
  double values[3];
} params[N_PARAMS] = {
  { "threshold", { 0.1, 0.14, 0.3 } },  { "sigma", { 1.5, 0, 2.2 } },
  { "background-radius", { 8, 3, 0 } }, { "background-by-reconstruction", { 1, 0, 1 } },
  { "seed-depth", { 0.5, 0, 1.5 } },    { "split", { 1, 0, 1 } },
  { "min-area", { 10, 0, 40 } },        { "max-background", { 2, 0.2, 0.05 } },
  { "detection-image", { 0, 1, 0 } },   { "hole-radius", { 20, 0, 4 } },
  { "context", { 0, 1, 0 } },           { "context-limit", { 64, 0, 300 } },
};

static VtImage images[N_IMAGES];

typedef struct {
  uint32_t choice[N_PARAMS], image;
  int64_t x, y, width, height;
  double min_downsample, mpp;
  uint64_t stages;
} Scene;

static VitrailStatus
run_scene(const Scene *scene, VitrailSession *session, bool keep, int64_t cancel_after, MiniResult *result)
{
  VitrailParamValue list[N_PARAMS];
  const VitrailParamValue *pointers[N_PARAMS];
  for (int i = 0; i < N_PARAMS; i++) {
    list[i] =
      (VitrailParamValue){ .size = sizeof list[i], .key = params[i].key, .v = { params[i].values[scene->choice[i]] } };
    pointers[i] = &list[i];
  }
  const VtImage *image = &images[scene->image];
  VitrailInput input = { .size = sizeof input,
                         .id = "image",
                         .type = image->type,
                         .width_l0 = image->width,
                         .height_l0 = image->height,
                         .mpp_x = scene->mpp,
                         .mpp_y = scene->mpp };
  const VitrailInput *inputs[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .op_id = "nuclei",
                                   .backend = "cpu",
                                   .tile_px = pick(2) ? 0 : 32 + pick(90),
                                   .x_l0 = scene->x,
                                   .y_l0 = scene->y,
                                   .width_l0 = scene->width,
                                   .height_l0 = scene->height,
                                   .min_downsample = scene->min_downsample,
                                   .stages_wanted = scene->stages,
                                   .flags = keep ? VITRAIL_RUN_KEEP_STAGES : 0,
                                   .n_params = N_PARAMS,
                                   .params = pointers,
                                   .n_inputs = 1,
                                   .inputs = inputs };
  MiniHost mini = { .images = { image }, .n_threads = 2, .cancel_after = cancel_after };
  return mini_run(&mini, session, &request, result);
}

/* One change, as a hand makes it, or a few. */
static void
change(Scene *scene)
{
  for (uint32_t n = 1 + pick(2); n > 0; n--) {
    const uint32_t which = pick(N_PARAMS + 5);
    if (which < N_PARAMS)
      scene->choice[which] = pick(3);
    else if (which == N_PARAMS)
      scene->image = pick(N_IMAGES);
    else if (which == N_PARAMS + 1)
      scene->x = 20 * pick(3);
    else if (which == N_PARAMS + 2)
      scene->min_downsample = 1 + pick(2);
    else if (which == N_PARAMS + 3)
      scene->mpp = pick(2) ? 0.5 : 0.25;
    else
      scene->stages = pick(2) ? 0 : 1u << pick(10);
  }
}

static void
check_sequences(void)
{
  VitrailSession *keeping = NULL, *fresh = NULL;
  Scene scene = { .width = 150, .height = 110, .min_downsample = 1, .mpp = 0.5 };
  char where[64] = "";
  int n_cancelled = 0, n_equal = 0;
  mini_plugin()->session_open(&keeping);
  mini_plugin()->session_open(&fresh);
  for (int i = 0; i < N_ROUNDS; i++) {
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
    const bool done = run_scene(&scene, keeping, pick(10) > 0, -1, &a) == VITRAIL_OK
                      && run_scene(&scene, fresh, false, -1, &b) == VITRAIL_OK;
    n_equal += done && mini_result_equal(&a, &b, where, sizeof where);
    mini_result_clear(&a);
    mini_result_clear(&b);
  }
  vt_ok(n_equal == N_ROUNDS, "%d of %d runs after changes have the bytes of a fresh one (%s)", n_equal, N_ROUNDS,
        where);
  vt_ok(n_cancelled > N_ROUNDS / 20, "%d runs were cancelled in between", n_cancelled);
  mini_plugin()->session_close(keeping);
  mini_plugin()->session_close(fresh);
}

static void
check_one_change(VitrailSession *session, const char *key, const char *kept)
{
  Scene scene = { .width = 150, .height = 110, .min_downsample = 1, .mpp = 0.5 };
  MiniResult result;
  run_scene(&scene, session, true, -1, &result);
  mini_result_clear(&result);
  for (int i = 0; i < N_PARAMS; i++)
    scene.choice[i] = strcmp(params[i].key, key) == 0;
  run_scene(&scene, session, true, -1, &result);
  vt_ok(strcmp(result.kept, kept) == 0, "after a change of %s these are kept: %s", key, result.kept);
  mini_result_clear(&result);
}

static void
check_what_is_kept(void)
{
  static const char *const kept[][2] = {
    { "", "hematoxylin,background,residue,mask,filled,distance,seeds,labels" },
    { "detection-image", "" },
    { "background-radius", "hematoxylin" },
    { "sigma", "hematoxylin,background,residue" },
    { "threshold", "hematoxylin,background,residue" },
    { "hole-radius", "hematoxylin,background,residue,mask" },
    { "seed-depth", "hematoxylin,background,residue,mask,filled,distance" },
    { "split", "hematoxylin,background,residue,mask,filled,distance,seeds" },
    { "min-area", "hematoxylin,background,residue,mask,filled,distance,seeds,labels" },
  };
  VitrailSession *session = NULL;
  mini_plugin()->session_open(&session);
  for (uint32_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
    check_one_change(session, kept[i][0], kept[i][1]);
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
    Scene scene = { .x = i % 7, .width = 60 + i % 3, .height = 50, .min_downsample = 1, .mpp = 0.5 };
    MiniResult a, b;
    scene.choice[0] = i % 2;
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
  check_sequences();
  check_what_is_kept();
  check_many_regions();
  for (int i = 0; i < N_IMAGES; i++)
    free(images[i].data);
  return vt_test_done();
}
