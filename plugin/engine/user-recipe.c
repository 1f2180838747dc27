/* SPDX-License-Identifier: MIT
 *
 * Checks a recipe of the interface field by field and copies it. At the end its types are tried with inputs of every pixel type. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/user-private.h"
#include "run/params.h"

/* --- what is wrong, and where --- */

VitrailStatus
vt_user_wrong(VtUserCheck *c, const char *path, const char *format, ...)
{
  va_list args;
  if (c->problem && !c->problem->sentence[0]) {
    snprintf(c->problem->path, sizeof c->problem->path, "%s", path);
    va_start(args, format);
    vsnprintf(c->problem->sentence, sizeof c->problem->sentence, format, args);
    va_end(args);
  }
  return VITRAIL_BAD_ARGUMENT;
}

/* --- copies --- */

typedef struct VtChunk {
  struct VtChunk *next;
  max_align_t bytes[];
} Chunk;

void *
vt_user_alloc(VtUserCheck *c, size_t n, size_t size)
{
  Chunk *chunk = calloc(1, sizeof *chunk + (n ? n : 1) * size);
  if (!chunk)
    return NULL;
  chunk->next = c->recipe->memory;
  c->recipe->memory = chunk;
  return chunk->bytes;
}

VitrailStatus
vt_user_text(VtUserCheck *c, const char *path, const char **text, size_t longest)
{
  const char *theirs = *text;
  if (!theirs)
    return VITRAIL_OK;
  const size_t n = strnlen(theirs, longest + 1);
  if (n > longest)
    return vt_user_wrong(c, path, "This text is longer than %zu bytes.", longest);
  char *copy = vt_user_alloc(c, n + 1, 1);
  if (!copy)
    return VITRAIL_OUT_OF_MEMORY;
  memcpy(copy, theirs, n);
  *text = copy;
  return VITRAIL_OK;
}

VitrailStatus
vt_user_id(VtUserCheck *c, const char *path, const char **id)
{
  if (!*id || !**id)
    return vt_user_wrong(c, path, "An id is missing here.");
  TRY(vt_user_text(c, path, id, VT_LONGEST_NAME));
  if (strspn(*id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(*id) || strchr("-0123456789", **id))
    return vt_user_wrong(c, path, "\"%s\" is no id: ids are made of a-z, 0-9 and -, and begin with a letter.", *id);
  return VITRAIL_OK;
}

VitrailStatus
vt_user_struct(VtUserCheck *c, const char *path, void *ours, const void *theirs, size_t size, size_t least)
{
  uint32_t n = 0;
  if (theirs)
    memcpy(&n, theirs, sizeof n);
  if (n < least)
    return vt_user_wrong(c, path, "Something is missing here.");
  memset(ours, 0, size);
  memcpy(ours, theirs, n < size ? n : size);
  n = (uint32_t)size;
  memcpy(ours, &n, sizeof n);
  return VITRAIL_OK;
}

VitrailStatus
vt_user_list(VtUserCheck *c, const char *path, uint32_t n, const void *list, uint32_t most, const char *what)
{
  if (n > most)
    return vt_user_wrong(c, path, "There are %u %s; a recipe has %u at most.", n, what, most);
  return n > 0 && !list ? vt_user_wrong(c, path, "The list of %s is missing.", what) : VITRAIL_OK;
}

/* --- stages, measurements --- */

static VitrailStatus
copy_stage(VtUserCheck *c, const VitrailOp *op, uint32_t i, VitrailStage *stage)
{
  char path[64];
  snprintf(path, sizeof path, "/stages/%u", i);
  TRY(vt_user_struct(c, path, stage, op->stages[i], sizeof *stage, offsetof(VitrailStage, title)));
  snprintf(path, sizeof path, "/stages/%u/id", i);
  TRY(vt_user_id(c, path, &stage->id));
  for (uint32_t k = 0; k < i; k++)
    if (strcmp(c->stages[k]->id, stage->id) == 0)
      return vt_user_wrong(c, path, "The stage \"%s\" is there twice.", stage->id);
  snprintf(path, sizeof path, "/stages/%u/kind", i);
  if (stage->kind < VITRAIL_STAGE_SCALAR || stage->kind > VITRAIL_STAGE_COLOUR)
    return vt_user_wrong(c, path, "A recipe's stage is of the kind scalar, mask, labels, objects, rows or colour.");
  snprintf(path, sizeof path, "/stages/%u/range", i);
  if (!isfinite(stage->display_min) || !isfinite(stage->display_max) || stage->display_min > stage->display_max)
    return vt_user_wrong(c, path, "This is no range.");
  snprintf(path, sizeof path, "/stages/%u", i);
  const char **texts[] = { &stage->title,    &stage->help,        &stage->unit,        &stage->unit_px,
                           &stage->colormap, &stage->empty_param, &stage->empty_reason };
  for (size_t k = 0; k < VT_COUNT(texts); k++)
    TRY(vt_user_text(c, path, texts[k], LONGEST_TEXT));
  if (!stage->empty_param != !stage->empty_reason)
    return vt_user_wrong(c, path, "empty-param and empty-reason come together.");
  if (stage->empty_param && vt_params_find(op, stage->empty_param) < 0)
    return vt_user_wrong(c, path, "There is no parameter \"%s\".", stage->empty_param);
  stage->title = stage->title ? stage->title : stage->id;
  stage->help = stage->help ? stage->help : "";
  stage->unit = stage->unit ? stage->unit : "";
  return VITRAIL_OK;
}

static VitrailStatus
copy_stages(VtUserCheck *c, VitrailOp *op)
{
  VitrailStage *stages = vt_user_alloc(c, op->n_stages, sizeof *stages);
  const VitrailStage **list = vt_user_alloc(c, op->n_stages, sizeof *list);
  if (!stages || !list)
    return VITRAIL_OUT_OF_MEMORY;
  c->stages = list;
  for (uint32_t i = 0; i < op->n_stages; i++) {
    list[i] = &stages[i];
    TRY(copy_stage(c, op, i, &stages[i]));
    op->reach = stages[i].reach > op->reach ? stages[i].reach : op->reach;
  }
  op->stages = list;
  return VITRAIL_OK;
}

/* The rules for parts of objects and for neighbours. */
static VitrailStatus
check_part(VtUserCheck *c, char path[64], uint32_t i, VitrailMeasurement *m)
{
  const bool of_objects = m->quantity == VITRAIL_QUANTITY_MEAN_A || m->quantity == VITRAIL_QUANTITY_MEAN_B
                          || m->quantity >= VITRAIL_QUANTITY_AREA_RATIO,
             of_shapes = m->quantity >= VITRAIL_QUANTITY_PERIMETER && m->quantity <= VITRAIL_QUANTITY_TOUCHES_BORDER;
  snprintf(path, 64, "/measurements/%u/part", i);
  if (m->part < 0 || m->part >= VT_N_PARTS || (m->part != VITRAIL_PART_OBJECT && of_objects)
      || (m->part == VITRAIL_PART_CYTOPLASM && of_shapes))
    return vt_user_wrong(c, path, "There is no such quantity of that part of an object.");
  snprintf(path, 64, "/measurements/%u/within", i);
  if ((m->quantity == VITRAIL_QUANTITY_NEIGHBOURS) != (m->within != NULL))
    return vt_user_wrong(c, path, "Neighbours, and nothing else, are counted within a distance: an expression.");
  return m->within ? vt_user_expression(c, path, &m->within) : VITRAIL_OK;
}

static VitrailStatus
copy_measurements(VtUserCheck *c, const VitrailRecipe *theirs, VtRecipe *recipe)
{
  VtMeasurement *list = vt_user_alloc(c, theirs->n_measurements, sizeof *list);
  if (!list)
    return VITRAIL_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < theirs->n_measurements; i++) {
    VitrailMeasurement m;
    char path[64];
    snprintf(path, sizeof path, "/measurements/%u", i);
    TRY(vt_user_struct(c, path, &m, theirs->measurements[i], sizeof m, offsetof(VitrailMeasurement, part)));
    if (!m.name || !*m.name || m.quantity < VITRAIL_QUANTITY_AREA || m.quantity >= VT_N_QUANTITIES)
      return vt_user_wrong(c, path, "A measurement has a name and a quantity, such as area or mean-a.");
    TRY(vt_user_text(c, path, &m.name, LONGEST_TEXT));
    snprintf(path, sizeof path, "/measurements/%u/unit", i);
    if (!m.unit)
      return vt_user_wrong(c, path, "A measurement has a unit: an expression.");
    TRY(vt_user_expression(c, path, &m.unit));
    snprintf(path, sizeof path, "/measurements/%u/when", i);
    if (m.when)
      TRY(vt_user_expression(c, path, &m.when));
    TRY(check_part(c, path, i, &m));
    list[i] = (VtMeasurement){ m.name, m.when, m.quantity, m.unit, m.part, m.within };
  }
  recipe->measurements = list;
  recipe->n_measurements = theirs->n_measurements;
  return VITRAIL_OK;
}

/* --- certainty --- */

static const VitrailParam *
param_of(const VitrailOp *op, const char *key)
{
  const int i = vt_params_find(op, key);
  return i < 0 ? NULL : op->params[i];
}

static VitrailStatus
check_certain(VtUserCheck *c, const VitrailRecipe *theirs, VtRecipe *recipe)
{
  const VitrailOp *op = recipe->op;
  const VitrailParam *context = param_of(op, "context"), *limit = param_of(op, "context-limit");
  bool has_stage = false;
  for (uint32_t i = 0; i < op->n_stages; i++)
    has_stage |= strcmp(op->stages[i]->id, "certain") == 0 && op->stages[i]->kind == VITRAIL_STAGE_MASK;
  if (theirs->n_certain == 0)
    return VITRAIL_OK;
  if (!has_stage || !context || context->type != VITRAIL_PARAM_CHOICE || context->n_choices != 2
      || strcmp(context->choices[0], "region") != 0 || strcmp(context->choices[1], "exact") != 0 || !limit
      || limit->type != VITRAIL_PARAM_INT || limit->min < 0 || limit->max > 65536)
    return vt_user_wrong(
      c, "/certain",
      "Certainty needs a stage \"certain\" of the kind mask, and the parameters \"context\" (region, "
      "exact) and \"context-limit\" (int, 0 to 65536), as in an exported recipe.");
  for (uint32_t i = 0; i < theirs->n_certain; i++) {
    char path[64];
    bool is_there = false;
    snprintf(path, sizeof path, "/certain/%u", i);
    recipe->certain[i] = theirs->certain[i];
    TRY(vt_user_id(c, path, &recipe->certain[i]));
    for (uint32_t k = 0; k < recipe->n_nodes; k++)
      is_there |= strcmp(recipe->nodes[k].id, recipe->certain[i]) == 0;
    if (!is_there)
      return vt_user_wrong(c, path, "There is no step \"%s\".", recipe->certain[i]);
  }
  return VITRAIL_OK;
}

static VitrailStatus
check_shown(VtUserCheck *c, const VtRecipe *recipe, bool has_certain)
{
  for (uint32_t i = 0; i < recipe->op->n_stages; i++) {
    const char *id = recipe->op->stages[i]->id;
    bool is_shown = has_certain && strcmp(id, "certain") == 0;
    for (uint32_t k = 0; k < recipe->n_nodes; k++)
      is_shown |= recipe->nodes[k].stage && strcmp(recipe->nodes[k].stage, id) == 0;
    char path[64];
    snprintf(path, sizeof path, "/stages/%u/id", i);
    if (!is_shown)
      return vt_user_wrong(c, path, "No step shows the stage \"%s\".", id);
  }
  return VITRAIL_OK;
}

/* --- types --- */

/* Resolves the graph with inputs of a pixel type. all: with the optional inputs too. */
static VitrailStatus
try_types(VtUserCheck *c, VtGraph *graph, VitrailPixelType type, bool all, VitrailRecipeProblem *problem)
{
  const VitrailOp *op = &c->recipe->op;
  VitrailInput inputs[MOST_INPUTS];
  const VitrailInput *list[MOST_INPUTS];
  VitrailRequest request = { .size = sizeof request, .inputs = list };
  VtRun *run = c->run;
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    const bool is_scalar = op->inputs[i]->kind == VITRAIL_INPUT_SCALAR;
    if ((!all && op->inputs[i]->flags & VITRAIL_INPUT_OPTIONAL) || op->inputs[i]->kind == VITRAIL_INPUT_ROIS)
      continue;
    inputs[i] = (VitrailInput){ .size = sizeof *inputs,
                                .id = op->inputs[i]->id,
                                .type = is_scalar && type == VITRAIL_RGBA8 ? VITRAIL_U8 : type,
                                .width_l0 = 256,
                                .height_l0 = 256,
                                .mpp_x = 0.5,
                                .mpp_y = 0.5 };
    list[request.n_inputs++] = &inputs[i];
  }
  run->request = &request;
  run->message = problem->sentence;
  run->message_size = sizeof problem->sentence;
  problem->sentence[0] = '\0';
  atomic_flag_clear(&run->message_taken);
  const VitrailStatus status = vt_graph_resolve(graph, run, &c->recipe->recipe);
  snprintf(problem->path, sizeof problem->path, "/nodes/%u", graph->n);
  run->request = NULL;
  return status;
}

static VitrailStatus
check_types(VtUserCheck *c)
{
  static const VitrailPixelType types[] = { VITRAIL_RGBA8, VITRAIL_U8, VITRAIL_U16, VITRAIL_F32, VITRAIL_I32 };
  bool takes_colours = false;
  for (uint32_t i = 0; i < c->recipe->op.n_inputs; i++)
    takes_colours |=
      c->recipe->op.inputs[i]->flags & VITRAIL_INPUT_PRIMARY && c->recipe->op.inputs[i]->kind == VITRAIL_INPUT_IMAGE;
  const size_t begin = takes_colours ? 0 : 1, end = takes_colours ? 1 : VT_COUNT(types);
  VtGraph *graph = calloc(1, sizeof *graph);
  VitrailStatus status = graph ? VITRAIL_BAD_ARGUMENT : VITRAIL_OUT_OF_MEMORY;
  VitrailRecipeProblem first = { .size = sizeof first }, other = first;
  for (size_t i = begin; i < end && status == VITRAIL_BAD_ARGUMENT; i++)
    for (int all = 0; all < 2 && status == VITRAIL_BAD_ARGUMENT; all++)
      status = try_types(c, graph, types[i], all != 0, first.sentence[0] ? &other : &first);
  free(graph);
  return status == VITRAIL_BAD_ARGUMENT ? vt_user_wrong(c, first.path, "%s", first.sentence) : status;
}

/* --- all of it --- */

static VitrailStatus
copy_head(VtUserCheck *c, const VitrailRecipe *theirs, VitrailOp *op)
{
  const char *version = theirs->version;
  *op = (VitrailOp){ .size = sizeof *op,
                     .id = theirs->id,
                     .title = theirs->title,
                     .help = theirs->help,
                     .n_inputs = theirs->n_inputs,
                     .n_params = theirs->n_params,
                     .n_stages = theirs->n_stages,
                     .inputs = theirs->inputs,
                     .params = theirs->params,
                     .stages = theirs->stages };
  TRY(vt_user_id(c, "/id", &op->id));
  TRY(vt_user_text(c, "/title", &op->title, LONGEST_TEXT));
  TRY(vt_user_text(c, "/help", &op->help, LONGEST_TEXT));
  TRY(vt_user_text(c, "/version", &version, LONGEST_TEXT));
  op->title = op->title && *op->title ? op->title : op->id;
  op->help = op->help ? op->help : "";
  TRY(vt_user_list(c, "/inputs", op->n_inputs, op->inputs, MOST_INPUTS, "inputs"));
  TRY(vt_user_list(c, "/params", op->n_params, op->params, MOST_PARAMS, "parameters"));
  TRY(vt_user_list(c, "/stages", op->n_stages, op->stages, MOST_STAGES, "stages"));
  TRY(vt_user_list(c, "/nodes", theirs->n_nodes, theirs->nodes, VT_MAX_NODES, "nodes"));
  TRY(vt_user_list(c, "/measurements", theirs->n_measurements, theirs->measurements, VT_MAX_MEASUREMENTS,
                   "measurements"));
  TRY(vt_user_list(c, "/certain", theirs->n_certain, theirs->certain, 3, "nodes of certainty"));
  return theirs->n_nodes > 0 && op->n_stages > 0
           ? VITRAIL_OK
           : vt_user_wrong(c, theirs->n_nodes > 0 ? "/stages" : "/nodes", "A recipe has nodes and stages.");
}

static VitrailStatus
check_all(VtUserCheck *c, const VitrailRecipe *theirs)
{
  VitrailOp *op = &c->recipe->op;
  VtRecipe *recipe = &c->recipe->recipe;
  TRY(copy_head(c, theirs, op));
  TRY(vt_user_copy_inputs(c, op));
  TRY(vt_user_copy_params(c, op));
  TRY(copy_stages(c, op));
  *recipe = (VtRecipe){ .op = op, .title = op->title, .is_users = true };
  TRY(vt_user_values(c, op));
  TRY(vt_user_copy_nodes(c, theirs, recipe));
  TRY(copy_measurements(c, theirs, recipe));
  TRY(check_certain(c, theirs, recipe));
  TRY(check_shown(c, recipe, theirs->n_certain > 0));
  return check_types(c);
}

VitrailStatus
vt_user_recipe_new(const VitrailRecipe *theirs, VtUserRecipe **recipe, VitrailRecipeProblem *problem)
{
  VitrailRecipe all;
  VtUserCheck c = { .recipe = calloc(1, sizeof **recipe), .run = calloc(1, sizeof *c.run), .problem = problem };
  VitrailStatus status = c.recipe && c.run ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  *recipe = NULL;
  if (problem)
    *problem = (VitrailRecipeProblem){ .size = sizeof *problem };
  THEN(status, vt_user_struct(&c, "", &all, theirs, sizeof all, offsetof(VitrailRecipe, reserved)));
  THEN(status, check_all(&c, &all));
  free(c.run);
  if (status == VITRAIL_OK) {
    *recipe = c.recipe;
    return VITRAIL_OK;
  }
  vt_user_recipe_free(c.recipe);
  if (status == VITRAIL_OUT_OF_MEMORY)
    vt_user_wrong(&c, "", "There is not enough memory for the recipe.");
  return status;
}

void
vt_user_recipe_free(VtUserRecipe *recipe)
{
  for (Chunk *chunk = recipe ? recipe->memory : NULL, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  free(recipe);
}
