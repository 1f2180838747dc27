/* SPDX-License-Identifier: MIT
 *
 * The one exported symbol, the session (devices) and the way of a run: check, resolve, dispatch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/user-recipe.h"
#include "recipes/algorithms.h"
#include "recipes/export.h"
#include "recipes/recipes.h"
#include "run/cache.h"
#include "run/params.h"
#include "run/release.h"
#include "steps/info.h"

#ifndef VT_VERSION
#define VT_VERSION "0"
#endif

/* --- session --- */

static void
open_backend(VtBackendState *state)
{
  const VtBackend *backend = state->backend;
  int32_t n_devices = backend->probe(state->reason, sizeof state->reason);
  state->n_devices = n_devices < VT_MAX_DEVICES ? n_devices : VT_MAX_DEVICES;
  if (n_devices > 0 && backend->open(0, NULL, &state->device, state->reason, sizeof state->reason) != VITRAIL_OK)
    state->device = NULL;
  state->info = (VitrailBackendInfo){
    .size = sizeof state->info,
    .available = state->device != NULL,
    .id = backend->id,
    .title = backend->title,
    .device = state->device ? backend->device_name(state->device) : NULL,
    .reason = state->device ? NULL : state->reason,
  };
}

static void
session_forget(VitrailSession *session)
{
  if (!session)
    return;
  vt_release_memory(session);
  if (session->cache)
    vt_cache_clear(session->cache);
  free(session->cache);
  session->cache = NULL;
}

static void
session_close(VitrailSession *session)
{
  if (!session)
    return;
  session_forget(session);
  for (VtUserRecipe *recipe = session->recipes, *next; recipe; recipe = next) {
    next = recipe->next;
    vt_user_recipe_free(recipe);
  }
  for (uint32_t i = 0; i < session->n_backends; i++)
    if (session->backends[i].device)
      session->backends[i].backend->close(session->backends[i].device);
  free(session);
}

static VitrailStatus
session_open(VitrailSession **out)
{
  if (!out)
    return VITRAIL_BAD_ARGUMENT;
  VitrailSession *session = calloc(1, sizeof *session);
  if (!session)
    return VITRAIL_OUT_OF_MEMORY;
  session->n_backends = VT_MAX_BACKENDS;
  session->backends[0].backend = vt_cpu_backend();
  open_backend(&session->backends[0]);
#ifdef VT_HAVE_CUDA
  session->backends[1].backend = vt_gpu_backend();
  open_backend(&session->backends[1]);
#else
  session->backends[1].info = (VitrailBackendInfo){
    .size = sizeof(VitrailBackendInfo),
    .id = "cuda",
    .title = "NVIDIA CUDA",
    .reason = TR("This program was built without CUDA."),
  };
#endif
  for (uint32_t i = 0; i < session->n_backends; i++)
    session->infos[i] = &session->backends[i].info;
  if (!session->backends[0].device) {
    session_close(session);
    return VITRAIL_OUT_OF_MEMORY;
  }
  *out = session;
  return VITRAIL_OK;
}

static uint32_t
session_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  if (!session || !infos)
    return 0;
  *infos = session->infos;
  return session->n_backends;
}

/* --- recipes --- */

static VitrailStatus
recipe_check(const VitrailRecipe *theirs, VitrailRecipeProblem *problem)
{
  VtUserRecipe *recipe;
  const VitrailStatus status = vt_user_recipe_new(theirs, &recipe, problem);
  vt_user_recipe_free(recipe);
  return status;
}

static const VitrailOp *
find_op(const VitrailSession *session, const char *id)
{
  for (uint32_t i = 0; i < vt_n_recipes; i++)
    if (strcmp(vt_ops[i]->id, id) == 0)
      return vt_ops[i];
  for (const VtUserRecipe *recipe = session->recipes; recipe; recipe = recipe->next)
    if (strcmp(recipe->op.id, id) == 0)
      return &recipe->op;
  return NULL;
}

static VitrailStatus
session_add_recipe(VitrailSession *session, const VitrailRecipe *theirs, const VitrailOp **op,
                   VitrailRecipeProblem *problem)
{
  VtUserRecipe *recipe;
  if (!session || !op)
    return VITRAIL_BAD_ARGUMENT;
  TRY(vt_user_recipe_new(theirs, &recipe, problem));
  if (find_op(session, recipe->op.id)) {
    if (problem) {
      snprintf(problem->path, sizeof problem->path, "/id");
      snprintf(problem->sentence, sizeof problem->sentence, "There is an operation \"%s\" already.", recipe->op.id);
    }
    vt_user_recipe_free(recipe);
    return VITRAIL_BAD_ARGUMENT;
  }
  recipe->next = session->recipes;
  session->recipes = recipe;
  *op = &recipe->op;
  return VITRAIL_OK;
}

/* --- run --- */

#define LOST "It stopped working in an earlier run. It is used again when the program is started again."

/* Whether a device can still do anything. After some errors it can't, for as long as the program runs: CUDA calls them sticky. */
static bool
is_at_work(const VtBackendState *state)
{
  uint8_t pixels[16] = { 0 };
  VtImage here = { pixels, sizeof pixels, 1, sizeof pixels, VITRAIL_U8 }, there = here;
  VitrailStatus status = state->backend->alloc(state->device, sizeof pixels, &there.data);
  if (status == VITRAIL_OK) {
    status = state->backend->upload(state->device, &there, &here);
    state->backend->free(state->device, there.data);
  }
  return status == VITRAIL_OK || status == VITRAIL_OUT_OF_MEMORY;
}

/* After a run in which the CPU took the place of a device: said now, and never again. */
static void
check_devices(VtRun *run)
{
  for (uint32_t i = 1; i < run->session->n_backends && run->device_failed; i++) {
    VtBackendState *state = &run->session->backends[i];
    if (!state->device || is_at_work(state) || atomic_exchange(&state->is_lost, true))
      continue;
    vt_log(run, VITRAIL_LOG_WARNING, "%s stopped working; the CPU takes its place until the program is started again.",
           state->info.title);
  }
}

static VitrailStatus
choose_backend(VtRun *run)
{
  VitrailSession *session = run->session;
  const char *wanted = run->request->backend ? run->request->backend : "auto";
  run->cpu = session->backends[0].backend;
  run->cpu_device = session->backends[0].device;
  VtBackendState *chosen = NULL;
  if (strcmp(wanted, "auto") == 0) {
    const bool is_lost = session->backends[1].is_lost;
    const char *reason = is_lost ? LOST : session->backends[1].info.reason;
    chosen = session->backends[1].device && !is_lost ? &session->backends[1] : &session->backends[0];
    if (reason)
      vt_record_text(run, "cuda-absent", reason);
  } else {
    for (uint32_t i = 0; i < session->n_backends; i++)
      if (strcmp(session->backends[i].info.id, wanted) == 0)
        chosen = &session->backends[i];
    if (!chosen)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "There is no backend \"%s\"; there are auto, cpu and cuda.", wanted);
    if (!chosen->device || chosen->is_lost)
      return vt_fail(run, VITRAIL_NO_DEVICE, "The backend \"%s\" is not available: %s", wanted,
                     chosen->is_lost ? LOST : chosen->info.reason);
  }
  run->backend = chosen->backend;
  run->device = chosen->device;
  vt_record_text(run, "backend", chosen->info.id);
  vt_record_text(run, "device", chosen->info.device);
  return VITRAIL_OK;
}

/* It is none of the op's inputs. */
static VitrailStatus
check_truth(VtRun *run, const VitrailInput *input)
{
  const VitrailInput *primary = NULL;
  for (uint32_t k = 0; k < run->op->n_inputs; k++)
    if (run->op->inputs[k]->flags & VITRAIL_INPUT_PRIMARY)
      primary = vt_input(run, run->op->inputs[k]->id);
  if (input != vt_input_truth(run) || input->type != VITRAIL_I32 || !(input->flags & VITRAIL_INPUT_SAMPLED))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "A run takes one truth, of sampled labels of 32 bits.");
  if (!primary || input->width_l0 != primary->width_l0 || input->height_l0 != primary->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The truth must be as large as the image.");
  return VITRAIL_OK;
}

static VitrailStatus
check_inputs(VtRun *run)
{
  const VitrailRequest *request = run->request;
  for (uint32_t i = 0; i < request->n_inputs; i++) {
    const VitrailInput *input = request->inputs[i];
    bool known = false;
    if (input->flags & VITRAIL_INPUT_TRUTH) {
      TRY(check_truth(run, input));
      continue;
    }
    for (uint32_t k = 0; k < run->op->n_inputs; k++)
      known |= strcmp(run->op->inputs[k]->id, input->id) == 0;
    if (!known)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The operation %s has no input \"%s\".", run->op->id, input->id);
    if (input->width_l0 < 1 || input->height_l0 < 1)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The input \"%s\" is empty.", input->id);
    if (input->type < VITRAIL_U8 || input->type > VITRAIL_RGBA8)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The input \"%s\" has an unknown pixel type.", input->id);
  }
  for (uint32_t k = 0; k < run->op->n_inputs; k++) {
    const VitrailInputSpec *spec = run->op->inputs[k];
    const VitrailInput *input = vt_input(run, spec->id);
    if (!vt_input_is_given(run, spec->id) && !(spec->flags & VITRAIL_INPUT_OPTIONAL))
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The operation %s needs the input \"%s\".", run->op->id, spec->id);
    if (input && spec->kind == VITRAIL_INPUT_SCALAR && input->type == VITRAIL_RGBA8)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The input \"%s\" must have one channel, not colours.", spec->id);
  }
  return VITRAIL_OK;
}

/* The most that was in use on one of the backend's devices since the last call. */
static double
take_device_peak(const VtRun *run, const VtBackend *backend)
{
  uint64_t most = 0;
  int32_t n_devices = 0;
  for (uint32_t i = 0; i < run->session->n_backends; i++)
    if (run->session->backends[i].backend == backend)
      n_devices = run->session->backends[i].n_devices;
  for (int32_t k = 0; k < n_devices && backend->take_memory_peak; k++) {
    const uint64_t peak = backend->take_memory_peak(k);
    most = peak > most ? peak : most;
  }
  return (double)most;
}

static bool
keeps_memory(const VtRun *run)
{
  enum { MOST_PX = 16 << 20 }; /* of more, images are too large to be kept */
  return run->request->flags & VITRAIL_RUN_KEEP_STAGES && run->grid.width * run->grid.height <= MOST_PX;
}

/* The session's, or new ones. Without memory for them the backend's does. */
static void
open_cpu(VtRun *run)
{
  if (!(run->request->flags & VITRAIL_RUN_KEEP_STAGES))
    vt_release_memory(run->session);
  const VtParallel parallel = { run->host.n_threads, run->host.user, run->host.parallel_for };
  char reason[256];
  run->memory = run->session->memory;
  run->session->memory = (VtRunMemory){ NULL, NULL };
  if (run->memory.team)
    run->cpu->use_threads(run->memory.team, &parallel);
  else if (run->cpu->open(0, &parallel, &run->memory.team, reason, sizeof reason) != VITRAIL_OK)
    run->memory.team = NULL;
  if (!run->memory.device && run->cpu->open(0, NULL, &run->memory.device, reason, sizeof reason) != VITRAIL_OK)
    run->memory.device = NULL;
  if (run->memory.device)
    run->cpu_device = run->memory.device;
  run->cpu_team = run->memory.team ? run->memory.team : run->cpu_device;
}

static VitrailStatus
dispatch(VtRun *run)
{
  for (uint32_t i = 0; i < vt_n_recipes; i++)
    if (vt_recipes[i]->op == run->op)
      return vt_recipe_run(run, vt_recipes[i]);
  for (const VtUserRecipe *recipe = run->session->recipes; recipe; recipe = recipe->next)
    if (&recipe->op == run->op)
      return vt_recipe_run(run, &recipe->recipe);
  return vt_fail(run, VITRAIL_INTERNAL, "The operation %s has no recipe.", run->op->id);
}

static VitrailStatus
run_op(VtRun *run)
{
  const VitrailRequest *request = run->request;
  run->op = request->op_id ? find_op(run->session, request->op_id) : NULL;
  if (!run->op)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "There is no operation \"%s\".", request->op_id ? request->op_id : "");
  uint64_t all = run->op->n_stages >= 64 ? UINT64_MAX : (UINT64_C(1) << run->op->n_stages) - 1;
  run->wanted = request->stages_wanted ? request->stages_wanted & all : all;
  if (!run->wanted)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "None of the stages asked for belongs to %s.", run->op->id);
  VitrailStatus status = check_inputs(run);
  THEN(status, choose_backend(run));
  if (status == VITRAIL_OK) {
    const VtBackend *chosen = run->backend; /* the CPU takes its place when it fails */
    open_cpu(run);
    take_device_peak(run, chosen);
    status = dispatch(run);
    check_devices(run);
    if (chosen->take_memory_peak)
      vt_record(run, "device-memory-peak-bytes", take_device_peak(run, chosen));
  }
  return status;
}

/* Other ranks may have failed after the last talk. */
static VitrailStatus
end_run(VtRun *run, VitrailStatus status)
{
  if (status == VITRAIL_OK && vt_cancelled(&run->cancel))
    status = VITRAIL_CANCELLED;
  const VitrailStatus all = vt_ranks_agree(run, status);
  if (status != VITRAIL_OK || all == VITRAIL_OK || all == VITRAIL_CANCELLED)
    return status == VITRAIL_OK ? all : status;
  return vt_fail(run, all, "Another process that shares the operation %s has failed.", run->op->id);
}

/* No memory to begin with; the other ranks wait to hear it. */
static VitrailStatus
refuse_run(const VitrailHost *host)
{
  int32_t worst = VITRAIL_RANK_FAILED + VITRAIL_OUT_OF_MEMORY;
  if (host->size >= offsetof(VitrailHost, emit_verdict) && host->n_ranks > 1)
    host->agree(host->user, worst, &worst);
  return VITRAIL_OUT_OF_MEMORY;
}

static VitrailStatus
plugin_run(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message,
           size_t message_size)
{
  if (message && message_size > 0)
    message[0] = '\0';
  if (!session || !request || !host || host->size < offsetof(VitrailHost, log) || !host->read_region || !host->emit_tile
      || !host->emit_object || !host->emit_row || !host->parallel_for || !host->is_cancelled)
    return VITRAIL_BAD_ARGUMENT;
  VtRun *run = calloc(1, sizeof *run);
  VitrailRequest *full_request = calloc(1, sizeof *full_request);
  if (!run || !full_request) {
    free(run);
    free(full_request);
    return refuse_run(host);
  }
  memcpy(full_request, request, request->size < sizeof *request ? request->size : sizeof *request);
  memcpy(&run->host, host, host->size < sizeof run->host ? host->size : sizeof run->host);
  run->session = session;
  run->request = full_request;
  run->cancel = (VtCancel){ host->is_cancelled, host->user };
  run->message = message;
  run->message_size = message_size;
  atomic_flag_clear(&run->message_taken);
  vt_release_wait(session);
  const VitrailStatus status = end_run(run, run_op(run));
  vt_release_run(run, keeps_memory(run));
  free(full_request);
  free(run);
  return status;
}

/* Ops that a host without stages of colours knows: those with one stand last. */
static uint32_t
count_plain_ops(void)
{
  uint32_t n = vt_n_recipes;
  for (; n > 0; n--) {
    bool has_colours = false;
    for (uint32_t i = 0; i < vt_ops[n - 1]->n_stages; i++)
      has_colours |= vt_ops[n - 1]->stages[i]->kind == VITRAIL_STAGE_COLOUR;
    if (!has_colours)
      break;
  }
  return n;
}

/* The linker map keeps this one symbol visible. */
__attribute__((visibility("default"))) const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major,
                                                                                 uint32_t host_minor);

const VitrailPlugin *
vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor)
{
  enum { MINOR_OF_COLOURS = 10 };
  static VitrailPlugin older, plugin = {
    .size = sizeof plugin,
    .abi_major = VITRAIL_ABI_MAJOR,
    .abi_minor = VITRAIL_ABI_MINOR,
    .id = "vitrail-analysis",
    .title = "Vitrail analysis",
    .version = VT_VERSION,
    .licence = "MIT",
    .ops = vt_ops,
    .algorithms = vt_algorithms,
    .session_open = session_open,
    .session_close = session_close,
    .session_backends = session_backends,
    .run = plugin_run,
    .session_forget = session_forget,
    .recipe_check = recipe_check,
    .session_add_recipe = session_add_recipe,
  };
  plugin.n_ops = vt_n_recipes;
  plugin.steps = vt_step_infos(&plugin.n_steps);
  plugin.recipes = vt_recipes_export(&plugin.n_recipes);
#ifdef VT_HAVE_CUDA
  plugin.n_algorithms = vt_n_algorithms;
#else
  plugin.n_algorithms = vt_n_cpu_algorithms;
#endif
  older = plugin;
  older.n_ops = count_plain_ops();
  older.n_recipes = older.n_recipes < older.n_ops ? older.n_recipes : older.n_ops;
  if (host_major != VITRAIL_ABI_MAJOR)
    return NULL;
  return host_minor < MINOR_OF_COLOURS ? &older : &plugin;
}
