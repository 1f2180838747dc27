/* SPDX-License-Identifier: MIT
 *
 * What tests say of a pixel, against runs: a verdict is what the stage shows there; a run with the parameter at the stated
 * critical value has the other verdict, one with it half way there, or at the last number before, has the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { WIDTH = 90, HEIGHT = 70, ROOM = 192, MOST_PARAMS = 9 };
typedef struct {
  const char *key;
  double values[3];
} Setting;
typedef struct {
  const char *id, *mask; /* the stage of a node "mask"; NULL: none */
  int n_params, n_verdicts;
  Setting params[MOST_PARAMS];
} Op;
static const Op nuclei = { "nuclei",
                           "mask",
                           9,
                           1000,
                           {
                             { "threshold", { 0.1, 0.14, 0.3 } },
                             { "sigma", { 1.5, 0, 2.2 } },
                             { "background-radius", { 8, 3, 0 } },
                             { "seed-depth", { 0.5, 0, 1.5 } },
                             { "split", { 1, 0, 1 } },
                             { "min-area", { 10, 0, 40 } },
                             { "max-area", { 400, 30, 90 } },
                             { "max-background", { 2, 0.2, 0.05 } },
                             { "hole-radius", { 20, 0, 4 } },
                           } };
static const Op regions = { "nuclei-regions",
                            NULL,
                            4,
                            300,
                            {
                              { "min-score", { 0.4, 0.2, 0.6 } },
                              { "largest", { 20, 12, 30 } },
                              { "min-area", { 10, 0, 40 } },
                              { "max-area", { 400, 30, 90 } },
                            } };

typedef struct {
  const Op *op;
  VtImage image;
  VitrailSession *session;
  double values[MOST_PARAMS], mpp, min_downsample;
  int64_t x, y, width, height;
} Scene;

typedef struct {
  VitrailVerdict list[ROOM];
  uint32_t n;
  bool is_in_mask, is_in_object;
  char message[512];
} Answer;

static uint32_t
stage_index(const Op *of, const char *id)
{
  const VitrailOp *op = mini_op(of->id);
  uint32_t i = 0;
  while (strcmp(op->stages[i]->id, id) != 0)
    i++;
  return i;
}

static VitrailStatus
ask(const Scene *scene, Answer *answer)
{
  VitrailParamValue list[MOST_PARAMS];
  const VitrailParamValue *pointers[MOST_PARAMS];
  for (int i = 0; i < scene->op->n_params; i++) {
    list[i] = (VitrailParamValue){ .size = sizeof list[i], .key = scene->op->params[i].key, .v = { scene->values[i] } };
    pointers[i] = &list[i];
  }
  VitrailInput input = { .size = sizeof input,
                         .id = "image",
                         .type = VITRAIL_RGBA8,
                         .width_l0 = WIDTH,
                         .height_l0 = HEIGHT,
                         .mpp_x = scene->mpp,
                         .mpp_y = scene->mpp };
  const VitrailInput *inputs[] = { &input };
  const uint32_t labels = stage_index(scene->op, "labels"),
                 mask = scene->op->mask ? stage_index(scene->op, scene->op->mask) : labels;
  const VitrailRequest request = { .size = sizeof request,
                                   .op_id = scene->op->id,
                                   .backend = "cpu",
                                   .width_l0 = scene->width,
                                   .height_l0 = scene->height,
                                   .min_downsample = scene->min_downsample,
                                   .stages_wanted = UINT64_C(1) << mask | UINT64_C(1) << labels,
                                   .flags = VITRAIL_RUN_WHY | VITRAIL_RUN_KEEP_STAGES,
                                   .n_params = (uint32_t)scene->op->n_params,
                                   .params = pointers,
                                   .n_inputs = 1,
                                   .inputs = inputs,
                                   .why_x_l0 = scene->x,
                                   .why_y_l0 = scene->y };
  MiniHost mini = {
    .images = { &scene->image }, .n_threads = 1, .cancel_after = -1, .verdicts = answer->list, .verdict_room = ROOM
  };
  MiniResult result;
  const VitrailStatus status = mini_run(&mini, scene->session, &request, &result);
  answer->n = mini.n_verdicts;
  memcpy(answer->message, result.message, sizeof answer->message);
  const int64_t d = (int64_t)scene->min_downsample;
  if (status == VITRAIL_OK) {
    answer->is_in_mask =
      scene->op->mask && *(const uint8_t *)vt_image_at(&result.stages[mask], scene->x / d, scene->y / d) != 0;
    answer->is_in_object = *(const int32_t *)vt_image_at(&result.stages[labels], scene->x / d, scene->y / d) != 0;
  }
  mini_result_clear(&result);
  return status;
}

static const VitrailVerdict *
find(const Answer *answer, const VitrailVerdict *like)
{
  for (uint32_t i = 0; i < answer->n; i++)
    if (strcmp(answer->list[i].node, like->node) == 0 && answer->list[i].test == like->test
        && answer->list[i].tested == like->tested)
      return &answer->list[i];
  return NULL;
}

/* What the stages show there is what the verdicts say. */
static bool
agrees(const Answer *answer)
{
  bool all = true, has_object = false, fine = true; /* an object: all that is said of labels and regions holds */
  for (uint32_t i = 0; i < answer->n; i++) {
    const VitrailVerdict *v = &answer->list[i];
    const bool holds = v->flags & VITRAIL_VERDICT_HOLDS;
    if (strcmp(v->node, "mask") == 0)
      fine &= holds == answer->is_in_mask;
    has_object |= strcmp(v->node, "labels") == 0;
    if (strcmp(v->node, "labels") == 0 || strcmp(v->node, "pieces") == 0)
      all &= holds;
  }
  return fine && answer->is_in_object == (has_object && all);
}

static void
draw(Scene *scene)
{
  for (int i = 0; i < scene->op->n_params; i++)
    scene->values[i] = scene->op->params[i].values[pick(3)];
  scene->mpp = pick(4) == 0 ? 0 : 0.5;
  scene->min_downsample = 1 + pick(2);
  scene->width = 60 + pick(WIDTH - 60);
  scene->height = 50 + pick(HEIGHT - 50);
  scene->x = pick((uint32_t)scene->width);
  scene->y = pick((uint32_t)scene->height);
}

/* Whether the verdict holds with another value of its parameter; -1: the test is not made. */
static int
holds_at(const Scene *scene, const VitrailVerdict *verdict, double value)
{
  Scene other = *scene;
  Answer answer;
  for (int i = 0; i < scene->op->n_params; i++)
    if (strcmp(scene->op->params[i].key, mini_op(scene->op->id)->params[verdict->param]->key) == 0)
      other.values[i] = value;
  if (ask(&other, &answer) != VITRAIL_OK)
    return -1;
  const VitrailVerdict *same = find(&answer, verdict);
  if (same && strcmp(same->node, "pieces") == 0 && same->value != verdict->value)
    return 2; /* of another region */
  return same ? (same->flags & VITRAIL_VERDICT_HOLDS) != 0 : -1;
}

static double
now_of(const Scene *scene, const VitrailVerdict *verdict)
{
  double now = NAN;
  for (int i = 0; i < scene->op->n_params; i++)
    if (strcmp(scene->op->params[i].key, mini_op(scene->op->id)->params[verdict->param]->key) == 0)
      now = scene->values[i];
  return now;
}

/* Turned round at the critical value; half way there and just before, as it was. A region that is refused leaves its place to the next
 * one, and one that is still let in may have lost it to another. */
static bool
is_right(const Scene *scene, const VitrailVerdict *v)
{
  const int was = (v->flags & VITRAIL_VERDICT_HOLDS) != 0;
  const double now = now_of(scene, v), half = now + (v->critical - now) / 2;
  const int at = holds_at(scene, v, v->critical), before = holds_at(scene, v, nextafter(v->critical, now)),
            half_way = half == v->critical ? was : holds_at(scene, v, half);
  const bool right =
    (at == !was || at == 2) && (before == was || (was && before == 2)) && (half_way == was || (was && half_way == 2));
  if (!right)
    printf("# %s of %s: %g, limit %g %s, at %.17g, critical %.17g\n", v->node, v->of, v->value, v->limit, v->unit, now,
           v->critical);
  return right;
}

static void
check_flips(Scene *scene, const Op *op)
{
  scene->op = op;
  int n = 0, n_right = 0, n_asked = 0, n_agree = 0, n_of[3] = { 0 };
  while (n < op->n_verdicts && n_asked < 20 * op->n_verdicts) {
    Answer answer;
    draw(scene);
    n_asked++;
    if (ask(scene, &answer) != VITRAIL_OK)
      break;
    n_agree += agrees(&answer);
    /* Tests of objects are rarer: the last that there is more often than not. */
    const VitrailVerdict *v = NULL;
    for (uint32_t i = 0; i < answer.n; i++)
      if (answer.list[i].flags & VITRAIL_VERDICT_FLIPS && (!v || pick(3) > 0))
        v = &answer.list[i];
    if (!v)
      continue;
    n_right += is_right(scene, v);
    n_of[v->tested]++;
    n++;
  }
  vt_ok(n_agree == n_asked, "%s: at %d of %d pixels the stages show what the verdicts say", op->id, n_agree, n_asked);
  vt_ok(n == op->n_verdicts && n_right == n, "%d of %d verdicts flip at the critical value and not before", n_right, n);
  vt_ok(n_of[0] > 20 && n_of[1] > 20 && (n_of[2] > 20 || op == &regions),
        "%d of them are of pixels, %d of areas, %d of means", n_of[0], n_of[1], n_of[2]);
}

static void
check_refusals(Scene *scene)
{
  Answer answer;
  draw(scene);
  scene->x = scene->width + 20;
  vt_ok(ask(scene, &answer) == VITRAIL_BAD_ARGUMENT && strstr(answer.message, "outside"), "outside: %s",
        answer.message);
  scene->x = INT64_MIN;
  vt_ok(ask(scene, &answer) == VITRAIL_BAD_ARGUMENT && strstr(answer.message, "outside"), "far outside: %s",
        answer.message);
}

int
main(void)
{
  Scene scene = { .image = mini_tissue_new(WIDTH, HEIGHT, 5) };
  mini_plugin()->session_open(&scene.session);
  check_flips(&scene, &regions);
  check_flips(&scene, &nuclei);
  check_refusals(&scene);
  mini_plugin()->session_close(scene.session);
  free(scene.image.data);
  return vt_test_done();
}
