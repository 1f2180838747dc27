/* SPDX-License-Identifier: MIT
 *
 * Recipes that a host brings along: graphs of steps drawn at random give the same bytes on one thread, in tiles, streamed, on a
 * pretended device, with kept stages, and when only some stages are wanted. What is wrong with one is said in a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { N_DRAWS = 250, MOST_NODES = 24, N_STEPS = 10, N_STAGES = 3 };
typedef enum { GRAY8, GRAY16, FLOAT, MASK, RAW, LABELS, N_KINDS } Kind; /* RAW: labels without numbers */

typedef struct {
  char ids[MOST_NODES][8], values[MOST_NODES][2][16];
  const char *inputs[MOST_NODES][4];
  VitrailRecipeSetting params[MOST_NODES][2];
  const VitrailRecipeSetting *settings[MOST_NODES][2];
  VitrailRecipeNode nodes[MOST_NODES];
  const VitrailRecipeNode *pointers[MOST_NODES];
  Kind kinds[MOST_NODES];
  uint32_t n;
  char id[16];
  VitrailStage stages[N_STAGES];
  const VitrailStage *stage_list[N_STAGES];
  VitrailRecipe recipe;
} Drawn;

static const VitrailParam pixel_size = { .size = sizeof pixel_size,
                                         .type = VITRAIL_PARAM_FLOAT,
                                         .key = "pixel-size",
                                         .title = "Pixel size",
                                         .min = 0.05,
                                         .max = 1000,
                                         .initial = { 0.5 } };
static const char *const channel_keys[] = { "luminance", "od-sum" };
static const VitrailParam channel = { .size = sizeof channel,
                                      .type = VITRAIL_PARAM_CHOICE,
                                      .key = "channel",
                                      .title = "Channel",
                                      .max = 1,
                                      .n_choices = 2,
                                      .choices = channel_keys };
static const VitrailParam white = { .size = sizeof white,
                                    .type = VITRAIL_PARAM_VECTOR,
                                    .key = "white",
                                    .title = "White",
                                    .min = 1,
                                    .max = 255,
                                    .initial = { 255, 255, 255 } };
static const VitrailParam *const params[] = { &pixel_size, &channel, &white };
static const VitrailInputSpec image_in = {
  .size = sizeof image_in, .kind = VITRAIL_INPUT_IMAGE, .id = "image", .title = "Image", .flags = VITRAIL_INPUT_PRIMARY
};
static const VitrailInputSpec *const inputs[] = { &image_in };
/* --- drawing --- */

static uint32_t
add(Drawn *d, Kind kind, const char *step, const char *a, const char *b)
{
  const uint32_t i = d->n++;
  snprintf(d->ids[i], sizeof d->ids[i], "n%u", i);
  d->inputs[i][0] = a;
  d->inputs[i][1] = b;
  d->kinds[i] = kind;
  for (int k = 0; k < 2; k++)
    d->settings[i][k] = &d->params[i][k];
  d->nodes[i] = (VitrailRecipeNode){ .size = sizeof(VitrailRecipeNode),
                                     .n_inputs = b ? 2 : 1,
                                     .id = d->ids[i],
                                     .step = step,
                                     .inputs = d->inputs[i],
                                     .settings = d->settings[i] };
  d->pointers[i] = &d->nodes[i];
  return i;
}

static VitrailRecipeSetting
setting(const char *key, const char *value)
{
  return (VitrailRecipeSetting){ .size = sizeof(VitrailRecipeSetting), .key = key, .value = value };
}

static void
set(Drawn *d, uint32_t node, const char *key, double value)
{
  VitrailRecipeNode *n = &d->nodes[node];
  char *text = d->values[node][n->n_settings];
  snprintf(text, sizeof d->values[node][0], "%g", value);
  d->params[node][n->n_settings++] = setting(key, text);
}

/* A node of a kind, or NULL; the later ones more often. */
static const char *
one(const Drawn *d, Kind kind)
{
  const char *found = NULL;
  for (uint32_t i = 1; i < d->n; i++)
    if (d->kinds[i] == kind && (!found || pick(2)))
      found = d->ids[i];
  return found;
}

static void
add_of_images(Drawn *d, Kind kind, const char *a, const char *b)
{
  uint32_t i;
  switch (pick(kind == FLOAT ? 3 : 7)) {
  case 0: add(d, kind, "complement", a, NULL); break;
  case 1: set(d, add(d, MASK, "above", a, NULL), "threshold", kind == GRAY16 ? pick(9000) : pick(200)); break;
  case 2: set(d, add(d, MASK, "extrema", a, NULL), "connectivity", pick(2) ? 4 : 8); break;
  case 3: set(d, add(d, kind, "erode", a, NULL), "radius", pick(5)); break;
  case 4: add(d, kind, "subtract", a, b); break;
  case 5: add(d, kind, "border", a, b); break;
  default:
    i = add(d, kind, "lower", a, NULL);
    set(d, i, "by", pick(60));
    set(d, add(d, kind, "reconstruct", d->ids[i], a), "connectivity", pick(2) ? 4 : 8);
  }
}

static void
add_of_masks(Drawn *d, const char *a, const char *b)
{
  switch (pick(6)) {
  case 0: add(d, MASK, "not", a, NULL); break;
  case 1: add(d, MASK, "and", a, b); break;
  case 2: set(d, add(d, FLOAT, "distance", a, NULL), "scale", 0.5); break;
  case 3: set(d, add(d, RAW, "components", a, NULL), "connectivity", pick(2) ? 4 : 8); break;
  case 4: add(d, MASK, "border", a, b); break;
  default: {
    const uint32_t i = add(d, MASK, "sized", a, NULL);
    set(d, i, "connectivity", 8);
    set(d, i, "max-area", 5 + pick(300));
  }
  }
}

static void
draw_step(Drawn *d)
{
  const Kind kind = (Kind)pick(N_KINDS);
  const char *a = one(d, kind), *b = one(d, kind), *mask = one(d, MASK);
  if (!a)
    return;
  if (kind == RAW && pick(2))
    add(d, LABELS, "number", a, NULL);
  else if (kind == LABELS && mask && pick(2))
    set(d, add(d, LABELS, "zones", a, mask), "connectivity", pick(2) ? 4 : 8);
  else if (kind == LABELS || kind == RAW)
    add(d, MASK, "where", a, NULL);
  else if (kind == MASK)
    add_of_masks(d, a, b);
  else if (kind == GRAY16 && pick(4) == 0)
    set(d, add(d, GRAY16, "smooth", a, NULL), "sigma", 0.5 + 0.25 * pick(8));
  else
    add_of_images(d, kind, a, b);
}

static void
draw(Drawn *d)
{
  static const char *const ids[N_STAGES] = { "c", "b", "a" };
  static uint32_t n_drawn;
  *d = (Drawn){ .n = 0 };
  const uint32_t pixels = add(d, N_KINDS, "read", "image", NULL);
  const bool is_od = pick(2);
  const uint32_t image = add(d, is_od ? GRAY16 : GRAY8, "channel", d->ids[pixels], NULL);
  d->params[image][0] = setting("channel", is_od ? "'od-sum'" : "'luminance'");
  d->nodes[image].n_settings = 1;
  while (d->n < 2 + N_STEPS)
    draw_step(d);
  for (uint32_t k = 0; k < N_STAGES; k++) {
    uint32_t i = d->n - 1 - 3 * k;
    while (d->kinds[i] == RAW || d->nodes[i].stage)
      i--;
    d->nodes[i].stage = ids[k];
    d->stages[k] = (VitrailStage){ .size = sizeof(VitrailStage),
                                   .kind = d->kinds[i] == LABELS ? VITRAIL_STAGE_LABELS : VITRAIL_STAGE_SCALAR,
                                   .id = ids[k],
                                   .title = ids[k] };
    d->stage_list[k] = &d->stages[k];
  }
  snprintf(d->id, sizeof d->id, "drawn-%u", ++n_drawn);
  d->recipe = (VitrailRecipe){ .size = sizeof d->recipe,
                               .id = d->id,
                               .version = "1",
                               .title = "Drawn",
                               .help = "",
                               .n_inputs = 1,
                               .inputs = inputs,
                               .n_params = 3,
                               .params = params,
                               .n_stages = N_STAGES,
                               .stages = d->stage_list,
                               .n_nodes = d->n,
                               .nodes = d->pointers };
}

/* --- running --- */

typedef struct {
  const char *backend;
  uint32_t n_threads, tile, flags;
  uint64_t budget, stages;
} Way;

static VitrailStatus
run(const VitrailOp *op, const VtImage *image, VitrailSession *session, Way way, MiniResult *result)
{
  const char *folder = getenv("TMPDIR");
  const VitrailInput input = { .size = sizeof input,
                               .id = "image",
                               .type = VITRAIL_RGBA8,
                               .width_l0 = image->width,
                               .height_l0 = image->height,
                               .mpp_x = 0.5,
                               .mpp_y = 0.5 };
  const VitrailInput *list[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .tile_px = way.tile,
                                   .backend = way.backend,
                                   .width_l0 = image->width,
                                   .height_l0 = image->height,
                                   .stages_wanted = way.stages,
                                   .flags = way.flags,
                                   .memory_budget = way.budget,
                                   .scratch_dir = way.budget ? (folder ? folder : "/tmp") : NULL,
                                   .n_inputs = 1,
                                   .inputs = list,
                                   .op_id = op->id };
  MiniHost mini = { .images = { image },
                    .canvas_width = image->width,
                    .canvas_height = image->height,
                    .n_threads = way.n_threads,
                    .shuffle_seed = vt_random(&vt_draws),
                    .cancel_after = -1 };
  return mini_run(&mini, session, &request, result);
}

static void
print(const Drawn *d)
{
  for (uint32_t i = 0; i < d->n; i++)
    printf("# %s = %s(%s, %s) %s=%s %s\n", d->ids[i], d->nodes[i].step, d->inputs[i][0],
           d->inputs[i][1] ? d->inputs[i][1] : "", d->params[i][0].key ? d->params[i][0].key : "",
           d->params[i][0].value ? d->params[i][0].value : "", d->nodes[i].stage ? d->nodes[i].stage : "");
}

static bool
add_to(VitrailSession *session, const Drawn *d, const VitrailOp **op, VitrailRecipeProblem *problem)
{
  return mini_plugin()->session_add_recipe(session, &d->recipe, op, problem) == VITRAIL_OK;
}

static void
check_draws(VitrailSession *session)
{
  static const Way ways[] = { { "cpu", 3, 24, 0, 0, 0 },
                              { "cpu", 2, 0, VITRAIL_RUN_KEEP_STAGES, 0, 0 },
                              { "cpu", 1, 0, VITRAIL_RUN_KEEP_STAGES, 0, 0 },
                              { "cpu", 2, 40, 0, 200000, 0 },
                              { "cuda", 2, 0, 0, 0, 0 },
                              { "cuda", 2, 0, 0, 200000, 0 } };
  uint32_t n_right = 0, n_streamed = 0, n_runs = 0;
  for (uint32_t k = 0; k < N_DRAWS; k++) {
    Drawn d;
    MiniResult whole = { 0 }, other;
    VitrailRecipeProblem problem = { .size = sizeof problem };
    const VitrailOp *op = NULL;
    char where[64] = "";
    const int64_t width = 1 + pick(220), height = 1 + pick(220);
    VtImage image = mini_image_new(VITRAIL_RGBA8, width, height);
    for (int64_t i = 0; i < 4 * width * height; i++)
      ((uint8_t *)image.data)[i] = i % 4 == 3 ? 255 : (uint8_t)(pick(60) + (i / 4 % width / 9 % 2 ? 150 : 40));
    draw(&d);
    bool right = add_to(session, &d, &op, &problem)
                 && run(op, &image, session, (Way){ "cpu", 1, 0, 0, 0, 0 }, &whole) == VITRAIL_OK;
    if (!right)
      printf("# draw %u: \"%s\" %s\n", k, whole.message, problem.sentence);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0] && right; w++) {
      const VitrailStatus status = run(op, &image, session, ways[w], &other);
      right = status == VITRAIL_OK && mini_result_equal(&whole, &other, where, sizeof where);
      n_streamed += other.streamed > 0;
      n_runs++;
      if (!right)
        printf("# draw %u, way %zu: status %d \"%s\" %s\n", k, w, status, other.message, where);
      mini_result_clear(&other);
    }
    if (!right)
      print(&d);
    n_right += right;
    mini_result_clear(&whole);
    free(image.data);
  }
  vt_ok(n_right == N_DRAWS, "%u of %u recipes give the same bytes in every way; %u runs, %u of them streamed", n_right,
        N_DRAWS, n_runs, n_streamed);
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
  draw(&d);
  d.nodes[2].step = "sharpen";
  expect(session, &d, "/nodes/2", "sharpen");
  draw(&d);
  d.inputs[2][0] = "nowhere";
  expect(session, &d, "/nodes/2", "nowhere");
  draw(&d);
  d.params[1][0] = setting("colour", "1");
  expect(session, &d, "/nodes/1", "colour");
  draw(&d);
  d.nodes[2].when = "pixel-size > (2 ";
  expect(session, &d, "/nodes/2", "");
  draw(&d);
  d.nodes[2].stage = "z";
  expect(session, &d, "/nodes/2", "z");
}

int
main(void)
{
  VitrailSession *session = NULL;
  vt_draws.state = 11;
  mini_plugin()->session_open(&session);
  check_draws(session);
  check_sentences(session);
  mini_plugin()->session_close(session);
  return vt_test_done();
}
