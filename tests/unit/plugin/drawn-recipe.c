/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "drawn-recipe.h"
#include "mini-host.h"
#include "test-draw.h"

enum { N_STEPS = 10 };

/* Those of the ops nuclei and normalize that a drawn recipe has, too. */
enum { N_PARAMS = 8 };
static const VitrailParam *const *
find_params(void)
{
  static const char *const keys[N_PARAMS] = {
    "pixel-size",     "white", "context", "context-limit", "hematoxylin", "eosin", "reference-hematoxylin",
    "reference-eosin"
  };
  static const VitrailParam *params[N_PARAMS];
  for (int k = 0; k < N_PARAMS; k++) {
    const VitrailOp *op = mini_op(k < 4 ? "nuclei-threshold" : "normalize");
    for (uint32_t i = 0; i < op->n_params; i++)
      if (strcmp(op->params[i]->key, keys[k]) == 0)
        params[k] = op->params[i];
  }
  return params;
}

/* --- drawing --- */

static uint32_t
add(Drawn *d, DrawnKind kind, const char *step, const char *a, const char *b)
{
  const uint32_t i = d->n++;
  snprintf(d->ids[i], sizeof d->ids[i], "n%u", i);
  d->inputs[i][0] = a;
  d->inputs[i][1] = b;
  d->kinds[i] = kind;
  for (int k = 0; k < 4; k++)
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

VitrailRecipeSetting
drawn_setting(const char *key, const char *value)
{
  return (VitrailRecipeSetting){ .size = sizeof(VitrailRecipeSetting), .key = key, .value = value };
}

static void
set(Drawn *d, uint32_t node, const char *key, double value)
{
  VitrailRecipeNode *n = &d->nodes[node];
  char *text = d->values[node][n->n_settings];
  snprintf(text, sizeof d->values[node][0], "%g", value);
  d->params[node][n->n_settings++] = drawn_setting(key, text);
}

/* A node of a kind, or NULL; the later ones more often. */
static const char *
one(const Drawn *d, DrawnKind kind)
{
  const char *found = NULL;
  for (uint32_t i = 1; i < d->n; i++)
    if (d->kinds[i] == kind && (!found || pick(2)))
      found = d->ids[i];
  return found;
}

static void
add_of_images(Drawn *d, DrawnKind kind, const char *a, const char *b)
{
  uint32_t i;
  switch (pick(kind == FLOAT ? 3 : 9)) {
  case 0: add(d, kind, "complement", a, NULL); break;
  case 1: set(d, add(d, MASK, "above", a, NULL), "threshold", kind == GRAY16 ? pick(9000) : pick(200)); break;
  case 2: set(d, add(d, MASK, "extrema", a, NULL), "connectivity", pick(2) ? 4 : 8); break;
  case 3: set(d, add(d, kind, "erode", a, NULL), "radius", pick(5)); break;
  case 4: add(d, kind, "subtract", a, b); break;
  case 5: add(d, kind, "border", a, b); break;
  case 6: add(d, FLOAT, "float", a, NULL); break;
  case 7: add(d, GRAY16, "widen", a, NULL); break;
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

static uint32_t
add_select(Drawn *d, const char *image, const char *mask)
{
  const uint32_t i = add(d, FLOAT, "select", image, mask);
  d->params[i][d->nodes[i].n_settings++] = drawn_setting("elsewhere", "-infinity");
  return i;
}

/* Flooded from seeds that lie inside the mask: of a relief below everything outside it. */
static void
add_watershed(Drawn *d, const char *relief, const char *mask, const char *somewhere)
{
  const char *height = d->ids[add_select(d, relief, mask)], *peaks = d->ids[add(d, MASK, "and", somewhere, mask)];
  const uint32_t seeds = add(d, RAW, "components", peaks, NULL), at_seeds = add_select(d, height, peaks);
  const uint32_t level = add(d, FLOAT, "reconstruct", d->ids[at_seeds], height);
  set(d, seeds, "connectivity", 8);
  set(d, level, "connectivity", 8);
  const uint32_t i = add(d, RAW, "watershed", d->ids[level], d->ids[seeds]);
  d->inputs[i][2] = mask;
  d->nodes[i].n_inputs = 3;
}

static void
draw_step(Drawn *d)
{
  const DrawnKind kind = (DrawnKind)pick(N_KINDS);
  const char *a = one(d, kind), *b = one(d, kind), *mask = one(d, MASK);
  if (!a)
    return;
  if (kind == RAW && pick(2))
    add(d, LABELS, "number", a, NULL);
  else if (kind == LABELS && mask && pick(2))
    set(d, add(d, LABELS, "zones", a, mask), "connectivity", pick(2) ? 4 : 8);
  else if (kind == FLOAT && mask && pick(3) == 0)
    add_watershed(d, a, mask, one(d, MASK));
  else if (kind == LABELS || kind == RAW)
    add(d, MASK, "where", a, NULL);
  else if (kind == MASK)
    add_of_masks(d, a, b);
  else if (kind == GRAY16 && pick(4) == 0)
    set(d, add(d, GRAY16, "smooth", a, NULL), "sigma", 0.5 + 0.25 * pick(8));
  else
    add_of_images(d, kind, a, b);
}

/* One channel of what was read, or of that with other stains. */
static void
add_channel(Drawn *d)
{
  static const char *const channels[] = { "'luminance'", "'od-sum'", "'hematoxylin'", "'eosin'" };
  const uint32_t pixels = add(d, COLOURS, "read", "image", NULL), chosen = pick(4);
  const bool is_normalised = pick(3) == 0;
  if (is_normalised) {
    const uint32_t i = add(d, COLOURS, "normalize", d->ids[pixels], NULL);
    set(d, i, "hematoxylin", 0.2 + 0.1 * pick(10));
    set(d, i, "other", 0.2 + 0.1 * pick(10));
    set(d, i, "reference-hematoxylin", 0.856);
    set(d, i, "reference-other", 0.448);
  }
  const uint32_t image = add(d, chosen > 0 ? GRAY16 : GRAY8, "channel", d->ids[d->n - 1], NULL);
  d->params[image][0] = drawn_setting("channel", channels[chosen]);
  d->nodes[image].n_settings = 1;
}

static bool
is_of_colours(const Drawn *d, uint32_t i)
{
  return strcmp(d->nodes[i].step, "normalize") == 0;
}

/* The later nodes are shown, or colours that were made; the last one is what the stage "certain" tells of. */
static void
add_stages(Drawn *d)
{
  static const char *const ids[DRAWN_N_STAGES] = { "c", "b", "a", "certain" };
  enum { CERTAIN = DRAWN_N_STAGES - 1 };
  for (uint32_t k = 0; k < CERTAIN; k++) {
    uint32_t i = d->n - 1 - 3 * k;
    while (d->kinds[i] == RAW || d->nodes[i].stage)
      i--;
    i = k == 1 && is_of_colours(d, 1) && pick(2) ? 1 : i;
    d->nodes[i].stage = ids[k];
    d->certain = k == 0 ? d->ids[i] : d->certain;
    d->stages[k] = (VitrailStage){ .kind = d->kinds[i] == LABELS    ? VITRAIL_STAGE_LABELS
                                           : d->kinds[i] == COLOURS ? VITRAIL_STAGE_COLOUR
                                                                    : VITRAIL_STAGE_SCALAR,
                                   .id = ids[k] };
  }
  d->stages[CERTAIN] = (VitrailStage){ .kind = VITRAIL_STAGE_MASK, .id = ids[CERTAIN] };
  for (uint32_t k = 0; k < DRAWN_N_STAGES; k++) {
    d->stages[k].size = sizeof(VitrailStage);
    d->stages[k].title = ids[k];
    d->stage_list[k] = &d->stages[k];
  }
}

void
drawn_new(Drawn *d)
{
  static uint32_t n_drawn;
  *d = (Drawn){ .n = 0 };
  add_channel(d);
  while (d->n < 2 + N_STEPS)
    draw_step(d);
  add_stages(d);
  snprintf(d->id, sizeof d->id, "drawn-%u", ++n_drawn);
  d->recipe = (VitrailRecipe){ .size = sizeof d->recipe,
                               .id = d->id,
                               .version = "1",
                               .title = "Drawn",
                               .help = "",
                               .n_inputs = 1,
                               .inputs = mini_op("nuclei-threshold")->inputs,
                               .n_params = N_PARAMS,
                               .params = find_params(),
                               .n_stages = DRAWN_N_STAGES,
                               .stages = d->stage_list,
                               .n_nodes = d->n,
                               .nodes = d->pointers,
                               .n_certain = 1,
                               .certain = &d->certain };
}

void
drawn_print(const VitrailRecipe *recipe)
{
  for (uint32_t i = 0; i < recipe->n_nodes; i++) {
    const VitrailRecipeNode *node = recipe->nodes[i];
    printf("# %s = %s(%s", node->id, node->step, node->inputs[0]);
    for (uint32_t k = 1; k < node->n_inputs; k++)
      printf(", %s", node->inputs[k]);
    for (uint32_t k = 0; k < node->n_settings; k++)
      printf("; %s=%s", node->settings[k]->key, node->settings[k]->value);
    printf(") %s\n", node->stage ? node->stage : "");
  }
}
