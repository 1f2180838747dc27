/* SPDX-License-Identifier: MIT
 *
 * What tests say of a pixel, against runs: a verdict is what the stage shows there; a run with the parameter at the stated
 * critical value has the other verdict, one with it half way there, or at the last number before, has the same. Of every op; and of
 * a thousand objects all that is told of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { WIDTH = 90, HEIGHT = 70, ROOM = 192, MOST_STAGES = 16 };

typedef struct {
  const VitrailOp *op;
  VtImage image;
  VitrailSession *session;
  double values[MINI_MOST_PARAMS][4], mpp, min_downsample;
  int64_t x, y, width, height;
} Scene;

typedef struct {
  VitrailVerdict list[ROOM];
  uint32_t n;
  bool is_there[MOST_STAGES]; /* the pixel is not 0 in the stage */
  char message[512];
} Answer;

/* The step of a node, or of the node that shows a stage; "": there is none of that id. */
static const char *
step_of(const VitrailOp *op, const char *node, const char *stage)
{
  const VitrailPlugin *plugin = mini_plugin();
  for (uint32_t i = 0; i < plugin->n_recipes; i++)
    for (uint32_t k = 0; k < plugin->recipes[i]->n_nodes && strcmp(plugin->recipes[i]->id, op->id) == 0; k++)
      if (node ? strcmp(plugin->recipes[i]->nodes[k]->id, node) == 0
               : plugin->recipes[i]->nodes[k]->stage && strcmp(plugin->recipes[i]->nodes[k]->stage, stage) == 0)
        return plugin->recipes[i]->nodes[k]->step;
  return "";
}

static MiniJob
new_job(const Scene *scene)
{
  const VitrailOp *op = scene->op;
  MiniJob job = mini_job(op, &scene->image);
  job.mpp_x = job.mpp_y = scene->mpp;
  mini_job_set_region(&job, 0, 0, scene->width, scene->height);
  job.request.min_downsample = scene->min_downsample;
  for (uint32_t i = 0; i < op->n_params; i++)
    memcpy(mini_job_set(&job, op->params[i]->key, 0)->v, scene->values[i], sizeof scene->values[i]);
  return job;
}

static VitrailStatus
ask(const Scene *scene, Answer *answer)
{
  const VitrailOp *op = scene->op;
  MiniJob job = new_job(scene);
  job.request.flags = VITRAIL_RUN_WHY | VITRAIL_RUN_KEEP_STAGES;
  job.request.why_x_l0 = scene->x;
  job.request.why_y_l0 = scene->y;
  MiniHost mini = { .n_threads = 1, .cancel_after = -1, .verdicts = answer->list, .verdict_room = ROOM };
  MiniResult result;
  const VitrailStatus status = mini_job_run(&job, &mini, scene->session, &result);
  answer->n = mini.n_verdicts;
  memcpy(answer->message, result.message, sizeof answer->message);
  for (uint32_t i = 0; i < op->n_stages && status == VITRAIL_OK; i++) {
    const VtImage *stage = &result.stages[i];
    const int64_t x = scene->x / (int64_t)scene->min_downsample, y = scene->y / (int64_t)scene->min_downsample;
    answer->is_there[i] = false;
    if (stage->data && stage->type == VITRAIL_U8)
      answer->is_there[i] = *(const uint8_t *)vt_image_at(stage, x, y) != 0;
    else if (stage->data && stage->type == VITRAIL_I32)
      answer->is_there[i] = *(const int32_t *)vt_image_at(stage, x, y) != 0;
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

/* What the stages show there is what the verdicts say: a mask that all tests of its node hold; labels that all tests of objects hold, and
 * the pixel is in a piece that is tested. */
static bool
agrees(const VitrailOp *op, const Answer *answer)
{
  bool fine = true;
  for (uint32_t stage = 0; stage < op->n_stages; stage++) {
    const VitrailStageKind kind = op->stages[stage]->kind;
    bool is_shown = false, all = true;
    if (kind != VITRAIL_STAGE_MASK && kind != VITRAIL_STAGE_LABELS)
      continue;
    for (uint32_t i = 0; i < answer->n; i++) {
      const VitrailVerdict *v = &answer->list[i];
      const bool is_of_regions = kind == VITRAIL_STAGE_LABELS && strcmp(step_of(op, v->node, NULL), "regions") == 0;
      if ((v->stage != (int32_t)stage && !is_of_regions) || v->tested == VITRAIL_TESTED_DEPTH)
        continue; /* a depth is of a hill, not of a pixel of the mask */
      is_shown |= v->stage == (int32_t)stage;
      all &= (v->flags & VITRAIL_VERDICT_HOLDS) != 0;
    }
    const bool is_tested = is_shown || strcmp(step_of(op, NULL, op->stages[stage]->id), "objects") == 0;
    fine &= !is_tested || answer->is_there[stage] == (is_shown && all);
  }
  return fine;
}

static double
draw_value(const VitrailParam *p)
{
  static const double parts[] = { 0, 0.25, 0.5, 1.5, 2, 4 };
  if (p->type == VITRAIL_PARAM_CHOICE || p->type == VITRAIL_PARAM_BOOL)
    return pick(p->type == VITRAIL_PARAM_BOOL ? 2 : p->n_choices);
  const double value = p->initial[0] != 0 ? p->initial[0] * parts[pick(6)] : pick(200);
  const double inside = fmin(p->max, fmax(p->min, value));
  return p->type == VITRAIL_PARAM_INT ? floor(inside) : inside;
}

/* The grid and what is beyond the region stay. */
static void
draw(Scene *scene)
{
  for (uint32_t i = 0; i < scene->op->n_params; i++) {
    const VitrailParam *p = scene->op->params[i];
    memcpy(scene->values[i], p->initial, sizeof scene->values[i]);
    if (p->type != VITRAIL_PARAM_VECTOR && strcmp(p->key, "pixel-size") != 0 && strncmp(p->key, "context", 7) != 0
        && pick(3) == 0)
      scene->values[i][0] = draw_value(p);
  }
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
  other.values[verdict->param][0] = value;
  if (ask(&other, &answer) != VITRAIL_OK)
    return -1;
  const VitrailVerdict *same = find(&answer, verdict);
  if (same && strcmp(step_of(scene->op, same->node, NULL), "regions") == 0 && same->value != verdict->value)
    return 2; /* of another region */
  return same ? (same->flags & VITRAIL_VERDICT_HOLDS) != 0 : -1;
}

/* Turned round at the critical value; half way there and just before, as it was. A region that is refused leaves its place to the next
 * one, and one that is still let in may have lost it to another. */
static bool
is_right(const Scene *scene, const VitrailVerdict *v)
{
  const int was = (v->flags & VITRAIL_VERDICT_HOLDS) != 0;
  const double now = scene->values[v->param][0], half = now + (v->critical - now) / 2;
  const int at = holds_at(scene, v, v->critical), before = holds_at(scene, v, nextafter(v->critical, now)),
            half_way = half == v->critical ? was : holds_at(scene, v, half);
  const bool right =
    (at == !was || at == 2) && (before == was || (was && before == 2)) && (half_way == was || (was && half_way == 2));
  if (!right)
    printf("# %s of %s: %g, limit %g %s, at %.17g, critical %.17g\n", v->node, v->of, v->value, v->limit, v->unit, now,
           v->critical);
  return right;
}

/* Returns how many verdicts flip. */
static int
check_flips(Scene *scene, const VitrailOp *op, int n_wanted)
{
  int n = 0, n_right = 0, n_asked = 0, n_agree = 0, n_refused = 0, n_none = 0, n_of[4] = { 0 };
  scene->op = op;
  while (n < n_wanted && n_asked < (n > 0 ? 6 : 1) * n_wanted) {
    Answer answer;
    draw(scene);
    n_asked++;
    const VitrailStatus status = ask(scene, &answer);
    n_none += status == VITRAIL_OK && answer.n == 0;
    n_refused += status == VITRAIL_BAD_ARGUMENT && answer.message[0] != '\0';
    if (status != VITRAIL_OK)
      continue;
    n_agree += agrees(op, &answer);
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
  vt_ok(n_agree + n_refused == n_asked, "%s: at %d of %d pixels the stages show what the verdicts say; %d are refused",
        op->id, n_agree, n_asked, n_refused);
  vt_ok(n_right == n, "%s: %d of %d verdicts flip at the critical value and not before", op->id, n_right, n);
  printf("# %d of them are of pixels, %d of areas, %d of means, %d of depths; at %d pixels nothing is tested\n",
         n_of[0], n_of[1], n_of[2], n_of[3], n_none);
  return n;
}

/* --- objects, one by one --- */

/* What a run of the scene finds; FALSE: it is refused. Asks nothing. */
static bool
run_plainly(const Scene *scene, MiniResult *result)
{
  MiniJob job = new_job(scene);
  MiniHost mini = { .n_threads = 1, .cancel_after = -1 };
  job.request.flags = VITRAIL_RUN_KEEP_STAGES;
  return mini_job_run(&job, &mini, scene->session, result) == VITRAIL_OK;
}

static const VtImage *
stage_of(const Scene *scene, const MiniResult *result, const char *id)
{
  uint32_t i = 0;
  while (strcmp(scene->op->stages[i]->id, id) != 0)
    i++;
  return &result->stages[i];
}

/* Puts the question to a pixel of the result's object, any of them; returns how many it has. *sum: of the background under it. */
static int64_t
aim(Scene *scene, const MiniResult *result, int32_t label, double *sum)
{
  const VtImage *labels = stage_of(scene, result, "labels"), *background = stage_of(scene, result, "background");
  const int64_t d = (int64_t)scene->min_downsample;
  int64_t n = 0;
  *sum = 0;
  for (int64_t y = 0; y < labels->height; y++)
    for (int64_t x = 0; x < labels->width; x++) {
      if (*(const int32_t *)vt_image_at(labels, x, y) != label)
        continue;
      n++;
      *sum += *(const uint16_t *)vt_image_at(background, x, y);
      if (pick((uint32_t)n) > 0)
        continue;
      scene->x = x * d < scene->width ? x * d : scene->width - 1;
      scene->y = y * d < scene->height ? y * d : scene->height - 1;
    }
  return n;
}

/* Its area and the mean under it as counted here. */
static bool
has_facts(const Scene *scene, const Answer *answer, int64_t n, double sum)
{
  enum { OD_RAW = 10000 };
  const double edge = (scene->mpp > 0 ? scene->mpp : 1) * scene->min_downsample;
  const double area = (double)n * edge * edge, mean = sum / (double)n / OD_RAW;
  int n_told = 0;
  for (uint32_t i = 0; i < answer->n; i++) {
    const VitrailVerdict *v = &answer->list[i];
    const double fact = v->tested == VITRAIL_TESTED_AREA ? area : mean;
    if (v->tested == VITRAIL_TESTED_PIXEL || v->tested == VITRAIL_TESTED_DEPTH)
      continue;
    n_told++;
    if (fabs(v->value - fact) > 1e-12 * fabs(fact)) {
      printf("# %s: %.17g, and counted %.17g\n", v->node, v->value, fact);
      return false;
    }
  }
  return n_told == 3;
}

/* --- hills --- */

typedef struct {
  const VtImage *image;
  uint8_t in[WIDTH * HEIGHT]; /* the pixels of a flood */
  int64_t peak;               /* by place */
} Hill;

static float
height_at(const Hill *hill, int64_t place)
{
  const float v = *(const float *)vt_image_at(hill->image, place % hill->image->width, place / hill->image->width);
  return v > 0 ? v : -1e30f; /* outside of the mask */
}

/* Adds what hangs together with the flood and is at least as high as `level`, slowly. Returns the highest value round it; *top: one pixel that has it. */
static float
flood(Hill *hill, float level, int64_t *top)
{
  const int64_t width = hill->image->width, height = hill->image->height;
  bool grows = true;
  float highest = -INFINITY;
  for (; grows;) {
    grows = false;
    highest = -INFINITY;
    for (int64_t p = 0; p < width * height; p++) {
      const int64_t x = p % width, y = p / width;
      bool touches = false;
      for (int64_t v = y - 1; v <= y + 1 && !hill->in[p]; v++)
        for (int64_t u = x - 1; u <= x + 1; u++)
          touches |= u >= 0 && v >= 0 && u < width && v < height && hill->in[v * width + u];
      if (!touches)
        continue;
      if (height_at(hill, p) >= level) {
        hill->in[p] = 1;
        grows = true;
      } else if (height_at(hill, p) > highest) {
        highest = height_at(hill, p);
        *top = p;
      }
    }
  }
  return highest;
}

/* The depth of the hill on whose slope the place is, counted here; INFINITY: there is no other peak as high. */
static double
count_depth(Hill *hill, int64_t place)
{
  const int64_t n = hill->image->width * hill->image->height;
  for (int64_t top = place, last = -1; top != last;) { /* the plateau, then its highest neighbour */
    last = top;
    float best = height_at(hill, last);
    memset(hill->in, 0, sizeof hill->in);
    hill->in[last] = 1;
    for (bool grows = true; grows;) {
      grows = false;
      for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < 9 && hill->in[p]; k++) {
          const int64_t x = p % hill->image->width + k % 3 - 1, y = p / hill->image->width + k / 3 - 1,
                        q = y * hill->image->width + x;
          if (x < 0 || y < 0 || x >= hill->image->width || y >= hill->image->height)
            continue;
          if (height_at(hill, q) > best || (height_at(hill, q) == best && best > height_at(hill, last) && q < top)) {
            best = height_at(hill, q);
            top = q;
          } else if (height_at(hill, q) == height_at(hill, last) && !hill->in[q]) {
            hill->in[q] = 1;
            grows = true;
          }
        }
    }
    hill->peak = last;
  }
  const float peak = height_at(hill, hill->peak);
  for (float level = peak;;) { /* `in` is the peak's plateau */
    int64_t top;
    const float next = flood(hill, level, &top);
    for (int64_t p = 0; p < n && level < peak; p++)
      if (hill->in[p] && height_at(hill, p) >= peak && p != hill->peak) {
        Hill own = { .image = hill->image, .in = { 0 }, .peak = hill->peak };
        own.in[hill->peak] = 1;
        flood(&own, peak, &top);
        if (!own.in[p])
          return (double)peak - (double)level;
      }
    if (next <= -1e30f)
      return INFINITY;
    level = next;
  }
}

/* Whether the seeds that a run makes are a maximum of the hill's own: its peak is one, and the saddle is none. */
static bool
has_own_seed(const Scene *scene, const Hill *hill, const VitrailVerdict *v)
{
  MiniResult result;
  if (!run_plainly(scene, &result))
    return false;
  const VtImage *seeds = stage_of(scene, &result, "seeds");
  const double d = scene->min_downsample;
  const int64_t width = seeds->width;
  const bool at_peak = *(const uint8_t *)vt_image_at(seeds, hill->peak % width, hill->peak / width) != 0;
  const bool at_saddle =
    *(const uint8_t *)vt_image_at(seeds, (int64_t)(v->saddle_x_l0 / d), (int64_t)(v->saddle_y_l0 / d)) != 0;
  mini_result_clear(&result);
  return at_peak && !at_saddle;
}

/* A depth is as counted, and what it says of seeds is true now, at the critical value, and half way there. */
static bool
is_true_depth(const Scene *scene, const MiniResult *result, const VitrailVerdict *v)
{
  static Hill hill;
  const int64_t d = (int64_t)scene->min_downsample;
  Scene other = *scene;
  const bool holds = v->flags & VITRAIL_VERDICT_HOLDS;
  hill.image = stage_of(scene, result, "distance");
  const double depth = count_depth(&hill, scene->y / d * hill.image->width + scene->x / d);
  bool fine = fabs(depth - v->value) <= 1e-12 * depth && has_own_seed(scene, &hill, v) == holds;
  if (v->flags & VITRAIL_VERDICT_FLIPS) {
    const double now = scene->values[v->param][0];
    other.values[v->param][0] = v->critical;
    fine &= has_own_seed(&other, &hill, v) != holds;
    other.values[v->param][0] = now + (v->critical - now) / 2;
    fine &= other.values[v->param][0] == v->critical || has_own_seed(&other, &hill, v) == holds;
  }
  if (!fine)
    printf("# depth %.9g, counted %.9g, limit %g, at %g, critical %g, %s\n", v->value, depth, v->limit,
           scene->values[v->param][0], v->critical, holds ? "holds" : "does not hold");
  return fine;
}

/* All that can be turned round at the object is tried, not only one of it. */
static void
check_objects(Scene *scene, int n_wanted)
{
  enum { PER_SCENE = 12 };
  int n = 0, n_facts = 0, n_flips = 0, n_right = 0, n_depths = 0, n_true = 0, n_of[4] = { 0 };
  scene->op = mini_op("nuclei-threshold");
  while (n < n_wanted) {
    MiniResult result;
    draw(scene);
    const bool is_run = run_plainly(scene, &result);
    for (int k = 0; is_run && result.n_objects > 0 && k < PER_SCENE && n < n_wanted; k++) {
      Answer answer;
      double sum;
      const int64_t n_pixels = aim(scene, &result, 1 + (int32_t)pick((uint32_t)result.n_objects), &sum);
      n++;
      if (ask(scene, &answer) != VITRAIL_OK)
        continue;
      n_facts += has_facts(scene, &answer, n_pixels, sum);
      for (uint32_t i = 0; i < answer.n; i++) {
        if (answer.list[i].tested == VITRAIL_TESTED_DEPTH) {
          n_depths++;
          n_true += is_true_depth(scene, &result, &answer.list[i]);
        }
        if (!(answer.list[i].flags & VITRAIL_VERDICT_FLIPS))
          continue;
        n_flips++;
        n_right += is_right(scene, &answer.list[i]);
        n_of[answer.list[i].tested]++;
      }
    }
    mini_result_clear(&result);
  }
  vt_ok(n_facts == n, "nuclei: of %d of %d objects the area and the mean are those that are counted", n_facts, n);
  vt_ok(n_right == n_flips, "nuclei: of these objects %d of %d verdicts flip at the critical value and not before",
        n_right, n_flips);
  vt_ok(n_true == n_depths && n_depths > 0,
        "nuclei: %d of %d depths of hills are as counted, and the seeds of runs are as they say, also at the critical "
        "value and half way there",
        n_true, n_depths);
  printf("# %d of them are of pixels, %d of areas, %d of means, %d of depths\n", n_of[0], n_of[1], n_of[2], n_of[3]);
}

static void
check_refusals(Scene *scene)
{
  Answer answer;
  scene->op = mini_op("nuclei-threshold");
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
  const int n_wanted = vt_rounds(300);
  int n = 0;
  for (uint32_t i = 0; i < mini_plugin()->n_ops; i++)
    n += check_flips(&scene, mini_plugin()->ops[i], n_wanted);
  vt_ok(n >= 2 * n_wanted, "%d verdicts flip, of all ops", n);
  check_objects(&scene, vt_rounds(1000));
  check_refusals(&scene);
  mini_plugin()->session_close(scene.session);
  free(scene.image.data);
  return vt_test_done();
}
