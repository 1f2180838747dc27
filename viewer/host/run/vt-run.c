/* SPDX-License-Identifier: MIT */
#include "run/vt-run.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-sha256.h"
#include "raster/vt-raster-private.h"
#include "raster/vt-stats.h"
#include "run/vt-run-private.h"

VtRunRequest *
vt_run_request_new(const VitrailPlugin *plugin, const VitrailOp *op)
{
  VtRunRequest *request = g_new0(VtRunRequest, 1);
  request->plugin = plugin;
  request->op = op;
  request->min_downsample = 1;
  return request;
}

VT_DEFINE_TYPE_FREE(vt_run_request_free, VtRunRequest,
                    VT_FREES(vt_params_free, params) VT_FREES(vt_slide_unref, slide) VT_FREES(vt_run_truth_unref, truth)
                      VT_FREES(g_hash_table_unref, rasters, files)
                        VT_FREES(g_ptr_array_unref, rois, notes, regions, borders) VT_FREES(g_array_unref, places)
                          VT_FREES(g_free, backend, scratch_dir))

VtRunRequest *
vt_run_request_copy(const VtRunRequest *request)
{
  VtRunRequest *copy = g_memdup2(request, sizeof *request);
  GHashTable **tables[] = { &copy->rasters, &copy->files };
  GPtrArray **lists[] = { &copy->rois, &copy->notes, &copy->regions, &copy->borders };
  copy->params = vt_params_copy(request->params);
  copy->slide = request->slide ? vt_slide_ref(request->slide) : NULL;
  copy->truth = request->truth ? vt_run_truth_ref(request->truth) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    *tables[i] = *tables[i] ? g_hash_table_ref(*tables[i]) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    *lists[i] = *lists[i] ? g_ptr_array_ref(*lists[i]) : NULL;
  copy->backend = g_strdup(request->backend);
  copy->places = request->places ? g_array_ref(request->places) : NULL;
  copy->scratch_dir = g_strdup(request->scratch_dir);
  return copy;
}

VT_DEFINE_FREE(row_free, VtRow, VT_FREES(g_free, label, values) VT_FREES(vt_run_lengths_unref, lengths))

static void
state_clear(VtRunState *state)
{
  for (guint i = 0; state->tiles && i < state->op->n_stages; i++)
    g_clear_pointer(&state->tiles[i], g_ptr_array_unref);
  g_clear_pointer(&state->tiles, g_free);
  for (guint i = 0; state->places && i < state->op->n_stages; i++)
    g_clear_pointer(&state->places[i], vt_run_places_free);
  g_clear_pointer(&state->places, g_free);
  state->n_points = 0;
  for (guint i = 0; state->sinks && i < state->op->n_stages; i++)
    g_clear_pointer(&state->sinks[i], vt_sink_free);
  g_clear_pointer(&state->sinks, g_free);
  g_clear_pointer(&state->spool, vt_spool_free);
  g_clear_pointer(&state->ranges, g_free);
  g_clear_pointer(&state->objects, g_ptr_array_unref);
  g_clear_pointer(&state->arena, vt_arena_free);
  g_clear_pointer(&state->rows, g_ptr_array_unref);
  g_clear_pointer(&state->verdicts, g_array_unref);
  g_clear_pointer(&state->wave, vt_wave_unref);
  g_clear_pointer(&state->overlaps, vt_overlaps_free);
  g_clear_pointer(&state->warnings, g_ptr_array_unref);
  g_clear_pointer(&state->facts, json_object_unref);
  g_clear_pointer(&state->stage_ms, g_free);
  g_clear_pointer(&state->bug, g_free);
  g_clear_error(&state->failure);
}

/* Before each repeat. */
static void
state_reset(VtRunState *state)
{
  state_clear(state);
  state->tiles = g_new0(GPtrArray *, state->op->n_stages + 1);
  state->places = g_new0(VtRunPlaces *, state->op->n_stages + 1);
  state->sinks = g_new0(VtSink *, state->op->n_stages + 1);
  state->stage_ms = g_new0(double, state->op->n_stages + 1);
  state->ranges = g_malloc_n(state->op->n_stages + 1, sizeof *state->ranges);
  for (guint i = 0; i < state->op->n_stages; i++) {
    state->ranges[i][0] = INFINITY;
    state->ranges[i][1] = -INFINITY;
    state->tiles[i] = g_ptr_array_new_with_free_func((GDestroyNotify)vt_raster_unref);
    state->stage_ms[i] = NAN;
  }
  state->objects = g_ptr_array_new_with_free_func(g_free);
  state->rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
  state->verdicts = g_array_new(FALSE, FALSE, sizeof(VitrailVerdict));
  state->warnings = g_ptr_array_new_with_free_func(g_free);
  state->facts = json_object_new();
}

/* The request as the plugin sees it, with the arrays it points to. */
typedef struct {
  VitrailRequest abi;
  VitrailParamValue *values;
  VitrailRoi *rois;
  GPtrArray *pointers[3]; /* params, inputs, rois */
} AbiRequest;

static const char *
get_backend(const VtRunRequest *request)
{
  const char *backend = request->backend ? request->backend : g_getenv("VITRAIL_BACKEND");
  return backend && *backend ? backend : "auto";
}

static void
abi_add_params(AbiRequest *abi, const VtRunState *state)
{
  const VtParams *params = state->request->params;
  guint chosen = 0, choice = 0;
  abi->values = g_new0(VitrailParamValue, state->op->n_params + 1);
  for (guint i = 0; i < state->op->n_params; i++) {
    abi->values[i].size = sizeof(VitrailParamValue);
    abi->values[i].key = state->op->params[i]->key;
    memcpy(abi->values[i].v, params->values[i], sizeof abi->values[i].v);
    g_ptr_array_add(abi->pointers[0], &abi->values[i]);
  }
  if (vt_run_choose_preset(state, &chosen, &choice))
    abi->values[chosen].v[0] = choice;
}

static void
abi_add_rois(AbiRequest *abi, const VtRunState *state)
{
  const GPtrArray *rois = state->request->rois;
  const guint n = rois ? rois->len : 0;
  abi->rois = g_new0(VitrailRoi, n + 1);
  for (guint i = 0; i < n; i++) {
    const VtRoi *roi = g_ptr_array_index(rois, i);
    abi->rois[i] = (VitrailRoi){ .size = sizeof(VitrailRoi),
                                 .n_rings = roi->ring_sizes->len,
                                 .name = roi->name,
                                 .ring_sizes = vt_roi_get_ring_sizes(roi),
                                 .points = vt_roi_get_points(roi) };
    g_ptr_array_add(abi->pointers[2], &abi->rois[i]);
  }
}

static void
abi_init(AbiRequest *abi, const VtRunState *state)
{
  const VtRunRequest *request = state->request;
  const VtTaught *taught = request->params->taught;
  for (int i = 0; i < 3; i++)
    abi->pointers[i] = g_ptr_array_new();
  abi_add_params(abi, state);
  for (guint i = 0; i < state->n_inputs; i++)
    g_ptr_array_add(abi->pointers[1], &state->inputs[i].abi);
  abi_add_rois(abi, state);
  abi->abi = (VitrailRequest){
    .size = sizeof(VitrailRequest),
    .tile_px = request->tile_px,
    .op_id = state->op->id,
    .backend = get_backend(request),
    .x_l0 = state->x_l0,
    .y_l0 = state->y_l0,
    .width_l0 = state->width_l0,
    .height_l0 = state->height_l0,
    .min_downsample = request->min_downsample,
    .stages_wanted = request->stages_wanted,
    .n_params = abi->pointers[0]->len,
    .n_inputs = abi->pointers[1]->len,
    .n_rois = abi->pointers[2]->len,
    .params = (const VitrailParamValue *const *)abi->pointers[0]->pdata,
    .inputs = (const VitrailInput *const *)abi->pointers[1]->pdata,
    .rois = (const VitrailRoi *const *)abi->pointers[2]->pdata,
    .flags = /* a repeated run is timed from its beginning */
    (request->keep_scratch && request->repeat < 2 ? VITRAIL_RUN_KEEP_SCRATCH : 0u)
    | (request->keep_stages && !request->params->labels ? VITRAIL_RUN_KEEP_STAGES
                                                        : 0u) /* kept by pixels and steps alone */
    | (request->asks_why ? VITRAIL_RUN_WHY : 0u) | (request->plays_wave ? VITRAIL_RUN_WAVE : 0u)
    | (request->tells_lengths ? VITRAIL_RUN_LENGTHS : 0u) | (request->tells_candidates ? VITRAIL_RUN_CANDIDATES : 0u)
    | (request->measures ? VITRAIL_RUN_MEASURE : 0u),
    .n_example_numbers = taught ? taught->n_numbers : 0,
    .examples = taught ? taught->numbers : NULL,
    .examples_of = taught ? taught->of : NULL,
    .n_place_numbers = request->places ? request->places->len : 0,
    .places = request->places ? (const double *)(gconstpointer)request->places->data : NULL,
    .wave_stage = request->wave_stage,
    .why_x_l0 = request->why_x_l0,
    .why_y_l0 = request->why_y_l0,
    .scratch_dir = request->scratch_dir,
    .memory_budget = request->memory_budget,
    .device_budget = request->device_budget,
  };
}

static void
abi_clear(AbiRequest *abi)
{
  for (int i = 0; i < 3; i++)
    g_clear_pointer(&abi->pointers[i], g_ptr_array_unref);
  g_free(abi->values);
  g_free(abi->rois);
}

static gboolean
check_backend(const VtRunState *state, VitrailSession *session, GError **error)
{
  const VitrailBackendInfo *const *infos = NULL;
  const char *wanted = get_backend(state->request);
  const guint32 n = state->request->plugin->session_backends(session, &infos);
  g_autoptr(GString) known = g_string_new("auto");
  for (guint32 i = 0; infos && i < n; i++) {
    if (g_strcmp0(infos[i]->id, wanted) == 0) {
      if (infos[i]->available)
        return TRUE;
      return vt_error_set(error, VITRAIL_NO_DEVICE, "The backend “%s” is not available: %s", wanted,
                          infos[i]->reason ? infos[i]->reason : "no reason given.");
    }
    g_string_append_printf(known, ", %s%s", infos[i]->id, infos[i]->available ? "" : " (not available)");
  }
  if (g_str_equal(wanted, "auto"))
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "There is no backend “%s”; there are: %s.", wanted, known->str);
}

/* Turns what the plugin said, and what the host saw, into one outcome. */
static gboolean
judge(const VtRunState *state, VitrailStatus status, const char *message, GError **error)
{
  const char *id = state->request->plugin->id;
  if (status == VITRAIL_CANCELLED || g_cancellable_is_cancelled(state->cancellable)) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The run was cancelled.");
  } else if (state->bug) {
    g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "The plugin “%s” is broken: %s.", id, state->bug);
  } else if (status == VITRAIL_OK && !state->failure) {
    return TRUE;
  } else if (state->failure) {
    /* The plugin knows that reading failed; the host knows where and why. */
    g_propagate_error(error, g_error_copy(state->failure));
  } else if (status < VITRAIL_OK || status > VITRAIL_INTERNAL) {
    g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "The plugin “%s” is broken: it ends with the unknown status %d.", id,
                status);
  } else if (!*message && status == VITRAIL_OUT_OF_MEMORY) { /* a sentence takes memory, too */
    g_set_error(error, VT_ERROR, status, "The plugin “%s” has not enough memory.", id);
  } else if (!*message) {
    g_set_error(error, VT_ERROR, status,
                "The plugin “%s” failed (%s) without saying why, which is a bug of the plugin.", id,
                vt_status_to_string(status));
  } else {
    g_autofree char *valid = g_utf8_make_valid(message, -1);
    g_set_error_literal(error, VT_ERROR, status, valid);
  }
  return FALSE;
}

/* Before results are gathered: every process that shares the run has some. */
static gboolean
agree_to_gather(const VtRunState *state, gboolean fine, GError **error)
{
  const VtRunRanks *ranks = state->request->ranks;
  gint32 worst = fine ? 0 : VITRAIL_RANK_FAILED;
  if (ranks->agree(ranks->user, worst, &worst) && worst == 0)
    return TRUE;
  if (fine)
    vt_error_set(error, VITRAIL_INTERNAL, "Another process that shares the run has failed.");
  return FALSE;
}

static gboolean
check_taught(const VtRunState *state, GError **error)
{
  if (!state->request->params->taught || state->request->plugin->abi_minor >= 8)
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "The plugin “%s” is too old to be taught a score.",
                      state->request->plugin->id);
}

static gboolean
run_once(VtRunState *state, VitrailSession *session, GMutex *session_lock, double *milliseconds, GError **error)
{
  char message[1024] = "";
  AbiRequest abi = { 0 };
  state_reset(state);
  abi_init(&abi, state);
  const VitrailHost host = vt_run_make_host(state);
  g_mutex_lock(session_lock);
  const gint64 start = g_get_monotonic_time();
  VitrailStatus status = VITRAIL_CANCELLED;
  if (!g_cancellable_is_cancelled(state->cancellable))
    status = state->request->plugin->run(session, &abi.abi, &host, message, sizeof message);
  *milliseconds = (double)(g_get_monotonic_time() - start) / 1000;
  g_mutex_unlock(session_lock);
  message[sizeof message - 1] = '\0';
  abi_clear(&abi);
  vt_run_check_end(state);
  const gboolean fine = judge(state, status, message, error);
  if (!state->request->ranks)
    return fine;
  return agree_to_gather(state, fine, error) && vt_run_gather(state, error);
}

/* NaN of nothing. Sorts the array. */
static double
median(GArray *values)
{
  if (values->len == 0)
    return NAN;
  g_array_sort(values, vt_compare_doubles);
  const double *v = (const double *)(gpointer)values->data;
  return values->len % 2 ? v[values->len / 2] : (v[values->len / 2 - 1] + v[values->len / 2]) / 2;
}

static const char *
get_fact(const VtRunState *state, const char *key)
{
  JsonNode *node = json_object_get_member(state->facts, key);
  return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

static double
get_number(const VtRunState *state, const char *key)
{
  JsonNode *node = json_object_get_member(state->facts, key);
  return node && json_node_get_value_type(node) == G_TYPE_DOUBLE ? json_node_get_double(node) : 0;
}

/* Rounding to a whole multiple of the slide's pixel makes the grid at most a third coarser (1.5 pixels become 2). */
static void
note_resolution(VtResult *result, const VtRunState *state)
{
  const double asked_downsample = get_number(state, "asked-downsample"), downsample = get_number(state, "downsample");
  const double asked_um = get_number(state, "asked-um-per-px"), um = get_number(state, "um-per-px");
  const gboolean by_slide = um > asked_um * 1.34, by_request = downsample > asked_downsample;
  const gboolean is_um = asked_um > 0 && um > 0;
  char asked[32], used[32];
  if (!(asked_downsample > 0 && downsample > 0))
    return;
  result->asked_pixel_size = is_um ? asked_um : asked_downsample;
  result->used_pixel_size = is_um ? um : downsample;
  result->is_preview = by_request;
  result->is_coarse = by_request || (is_um && by_slide);
  if (!result->is_coarse)
    return;
  g_ascii_formatd(asked, sizeof asked, "%.4g", result->asked_pixel_size);
  g_ascii_formatd(used, sizeof used, "%.4g", result->used_pixel_size);
  g_ptr_array_add(
    state->warnings,
    g_strdup_printf("Analysed at %s %s per pixel, asked for %s, since %s.", used, is_um ? "µm" : "slide pixels", asked,
                    by_request ? "no finer grid was wanted (min-downsample)" : "the image has no finer pixels"));
}

static char *
dup_hash(const VtRaster *raster)
{
  g_autoptr(VtSha256) hash = vt_sha256_new();
  for (gint64 y = 0; y < raster->height; y++) {
    vt_sha256_update(hash, raster->data + (gsize)y * raster->stride, (gsize)raster->stride);
    vt_raster_wrote(raster, y + 1);
  }
  return vt_sha256_dup_digits(hash);
}

static void
fill_source(VtResultFull *full, const VtRunState *state)
{
  VtResult *result = &full->result;
  const VtRunInput *primary = &state->inputs[state->primary];
  const char *path = state->request->files ? g_hash_table_lookup(state->request->files, primary->abi.id) : NULL;
  full->n_threads = state->n_threads;
  result->ome_tiff = state->request->ome_tiff;
  result->objects_formats = state->request->objects_formats;
  result->compression = state->request->compression;
  full->mpp_x = primary->abi.mpp_x;
  full->mpp_y = primary->abi.mpp_y;
  result->mpp = primary->abi.mpp_x;
  result->mpp_y = primary->abi.mpp_y;
  result->calibrated = primary->abi.mpp_x > 0;
  if (state->request->measures) /* nobody asks for its name */
    return;
  if (!primary->raster) {
    result->source_name = g_strdup(vt_slide_get_name(primary->slide));
    full->source_hash = vt_slide_dup_hash(primary->slide);
  } else {
    const VtRaster *raster = primary->raster;
    g_autofree char *hash = dup_hash(raster);
    const char *name = primary->slide ? vt_slide_get_name(primary->slide) : primary->abi.id;
    result->source_name = path ? vt_error_dup_name(path) : g_strdup(name);
    full->source_hash = g_strconcat("sha256:", hash, NULL);
    full->source = vt_raster_ref(primary->raster);
  }
}

/* Of the rectangle that was run, whatever it was a part of. */
static VtRunRequest *
make_again(const VtRunState *state)
{
  const VtRunRequest *request = state->request;
  if (request->plugin->abi_minor < 9 || request->measures || request->ranks)
    return NULL;
  VtRunRequest *again = vt_run_request_copy(request);
  g_clear_pointer(&again->rois, g_ptr_array_unref);
  g_clear_pointer(&again->truth, vt_run_truth_unref);
  g_clear_pointer(&again->notes, g_ptr_array_unref);
  g_clear_pointer(&again->scratch_dir, g_free);
  g_clear_pointer(&again->places, g_array_unref);
  again->whole = again->keep_scratch = again->map_rasters = again->asks_why = again->plays_wave = FALSE;
  again->tells_candidates = again->tells_lengths = again->keep_stages = FALSE;
  again->stages_wanted = again->repeat = 0;
  again->model_hash = NULL;
  again->intensity = NULL;
  again->counts_neighbours = FALSE;
  g_clear_pointer(&again->borders, g_ptr_array_unref);
  again->measures = TRUE;
  return again;
}

static VtResult *
make_result(VtRunState *state, GArray *runs_ms, GArray *const *stage_runs_ms, GError **error)
{
  g_autoptr(VtResult) result = vt_result_new(state->op);
  fill_source((VtResultFull *)result, state);
  vt_run_fill_files((VtResultFull *)result, state);
  ((VtResultFull *)result)->ranges = g_memdup2(state->ranges, state->op->n_stages * sizeof *state->ranges);
  for (guint i = 0; i < state->op->n_stages; i++) {
    g_autoptr(GError) local = NULL;
    result->stage_ms[i] = median(stage_runs_ms[i]);
    result->rasters[i] = vt_run_assemble(state, i, &local);
    if (local) {
      g_propagate_error(error, g_steal_pointer(&local));
      return NULL;
    }
    g_ptr_array_set_size(state->tiles[i], 0);
    if (state->sinks[i]) {
      if (!vt_sink_finish(state->sinks[i], &result->rasters[i], error))
        return NULL;
      result->files[i] = vt_run_dup_sink_path(state, i);
      g_clear_pointer(&state->sinks[i], vt_sink_free);
    }
    const guint64 wanted = state->request->stages_wanted;
    if (wanted != 0 && !(wanted >> i & 1))
      continue;
    if (state->op->stages[i]->kind == VITRAIL_STAGE_OBJECTS && !result->objects)
      result->objects = g_ptr_array_ref(state->objects);
    if (state->op->stages[i]->kind == VITRAIL_STAGE_ROWS && !result->rows)
      result->rows = g_ptr_array_ref(state->rows);
  }
  ((VtResultFull *)result)->arena = g_steal_pointer(&state->arena);
  result->params = vt_params_copy(state->request->params);
  result->total_ms = median(runs_ms);
  result->verdicts = state->request->asks_why ? g_array_ref(state->verdicts) : NULL;
  result->wave = g_steal_pointer(&state->wave);
  result->overlaps = g_steal_pointer(&state->overlaps);
  result->rois = state->request->rois ? g_ptr_array_ref(state->request->rois) : NULL;
  result->x_l0 = state->x_l0;
  result->y_l0 = state->y_l0;
  result->width_l0 = state->width_l0;
  result->height_l0 = state->height_l0;
  if (result->objects)
    ((VtResultFull *)result)->again = make_again(state);
  result->reach_px = get_number(state, "reach-px");
  const char *backend = get_fact(state, "backend");
  result->backend = g_strdup(backend ? backend : get_backend(state->request));
  result->device = g_strdup(get_fact(state, "device"));
  result->score_model = g_strdup(get_fact(state, "score-model"));
  note_resolution(result, state);
  vt_run_note_look(result, state);
  for (guint i = 0; i < state->notes->len; i++)
    g_ptr_array_add(state->warnings, g_strdup(g_ptr_array_index(state->notes, i)));
  result->warnings = g_ptr_array_ref(state->warnings);
  if (!state->request->measures)
    result->record = vt_record_make(state, result, runs_ms, stage_runs_ms);
  return g_steal_pointer(&result);
}

static VtResult *
run_all(VtRunState *state, VitrailSession *session, GMutex *session_lock, GError **error)
{
  const guint repeat = MAX(state->request->repeat, 1);
  g_autoptr(GArray) runs_ms = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GPtrArray) stage_runs_ms = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < state->op->n_stages; i++)
    g_ptr_array_add(stage_runs_ms, g_array_new(FALSE, FALSE, sizeof(double)));
  for (guint run = 0; run < repeat; run++) {
    double milliseconds = 0;
    if (!run_once(state, session, session_lock, &milliseconds, error))
      return NULL;
    g_array_append_val(runs_ms, milliseconds);
    for (guint i = 0; i < state->op->n_stages; i++)
      if (!isnan(state->stage_ms[i]))
        g_array_append_val((GArray *)g_ptr_array_index(stage_runs_ms, i), state->stage_ms[i]);
  }
  return make_result(state, runs_ms, (GArray *const *)stage_runs_ms->pdata, error);
}

/* --- the session --- */

typedef struct {
  const VtRunState *state;
  gint is_enough; /* atomic */
} Ahead;

static gpointer
read_ahead(gpointer data)
{
  Ahead *ahead = data;
  const VtRunState *state = ahead->state;
  const double downsample = MAX(vt_run_get_downsample(state), floor(state->request->min_downsample));
  if (downsample < G_MAXINT32)
    vt_slide_read_ahead(state->inputs[state->primary].slide, (guint)downsample, state->x_l0, state->y_l0,
                        state->width_l0, state->height_l0, state->n_threads, &ahead->is_enough);
  return NULL;
}

/* A session opens devices, which takes a quarter of a second and one thread; others read the slide meanwhile. */
static VitrailSession *
open_session(const VtRunState *state, GMutex **session_lock, GError **error)
{
  VtPluginHost *host = vt_plugin_host_get();
  const VtRunRequest *request = state->request;
  const VtRunInput *primary = &state->inputs[state->primary];
  const gboolean reads =
    primary->slide && !primary->raster && !request->ranks && !vt_plugin_host_has_session(host, request->plugin);
  Ahead ahead = { .state = state };
  g_autoptr(GThread) thread = reads ? g_thread_try_new("ahead", read_ahead, &ahead, NULL) : NULL;
  VitrailSession *session = vt_plugin_host_get_session(host, request->plugin, session_lock, error);
  g_atomic_int_set(&ahead.is_enough, TRUE);
  if (thread)
    g_thread_join(g_steal_pointer(&thread));
  return session;
}

VtResult *
vt_run(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable, GError **error)
{
  VtRunState state = {
    .request = request, .op = request->op, .cancellable = cancellable, .progress = progress, .user = user
  };
  GMutex *session_lock = NULL;
  VtResult *result = NULL;
  if (request->params->n_listed > 0)
    return vt_run_settings(request, progress, user, cancellable, error);
  if (request->regions)
    return vt_run_regions(request, progress, user, cancellable, error);
  state.n_threads = request->n_threads > 0 ? request->n_threads : g_get_num_processors();
  state.notes = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; request->notes && i < request->notes->len; i++)
    g_ptr_array_add(state.notes, g_strdup(g_ptr_array_index(request->notes, i)));
  g_mutex_init(&state.lock);
  if (vt_run_find_inputs(&state, error)) {
    VitrailSession *session = open_session(&state, &session_lock, error);
    if (session && check_taught(&state, error) && check_backend(&state, session, error)
        && vt_plugin_host_prepare(request->op, session, session_lock, error))
      result = run_all(&state, session, session_lock, error);
  }
  state_clear(&state);
  g_ptr_array_unref(state.notes);
  g_free(state.inputs);
  g_mutex_clear(&state.lock);
  return result;
}
