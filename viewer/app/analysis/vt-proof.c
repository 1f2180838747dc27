/* SPDX-License-Identifier: MIT */
#include "analysis/vt-proof.h"

#include "analysis/vt-analysis-private.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-compare.h"

typedef struct {
  char *title;
  guint tile_px, n_threads;
  const char *backend; /* NULL: that of the first */
} Way;

struct _VtProof {
  VtProofCallbacks callbacks;
  gpointer user;
  VtRunRequest *request;
  VtRunner *runner;
  VtResult *shown; /* of the same parameters and rectangle; or NULL */
  VtResult *first;
  GArray *ways; /* Way; the first is what the others are compared with */
  guint next, n_compared, n_different, n_elsewhere;
};

static void
add_way(VtProof *proof, char *title, guint tile_px, guint n_threads, const char *backend)
{
  const Way way = { title, tile_px, n_threads, backend };
  g_array_append_val(proof->ways, way);
}

static void
list_ways(VtProof *proof)
{
  static const guint tiles[] = { 64, 100, 333 };
  add_way(proof, g_strdup(_("as it is shown")), 0, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(tiles); i++)
    add_way(proof, g_strdup_printf(_("tiles of %u px"), tiles[i]), tiles[i], 0, NULL);
  for (guint n = 1; n <= 2; n++)
    add_way(proof, g_strdup_printf(g_dngettext(NULL, "%u thread", "%u threads", n), n), 0, n, NULL);
}

/* After the first run: the session is open, and its devices are known. */
static void
list_backends(VtProof *proof)
{
  GMutex *lock = NULL;
  const VitrailPlugin *plugin = proof->request->plugin;
  const VitrailBackendInfo *const *infos = NULL;
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, NULL);
  const guint n = session ? plugin->session_backends(session, &infos) : 0;
  for (guint i = 0; i < n; i++)
    if (infos[i]->available)
      add_way(proof, g_strdup(infos[i]->title), 0, 0, g_intern_string(infos[i]->id));
}

static void
start_next(VtProof *proof)
{
  const Way *way = &g_array_index(proof->ways, Way, proof->next);
  VtRunRequest *request = vt_run_request_copy(proof->request);
  request->tile_px = way->tile_px;
  request->n_threads = way->n_threads;
  if (way->backend) {
    g_free(request->backend);
    request->backend = g_strdup(way->backend);
  }
  vt_runner_start(proof->runner, request);
}

static void
finish(VtProof *proof)
{
  const guint n = proof->n_compared;
  g_autoptr(GString) sentence = g_string_new(NULL);
  if (proof->n_different == 0)
    g_string_append_printf(sentence, _("The same bytes in every stage, %u ways."), n);
  else
    g_string_append_printf(sentence, _("%u of %u ways gave other bytes. Please report this."), proof->n_different, n);
  if (proof->n_elsewhere > 0)
    g_string_append_printf(sentence,
                           g_dngettext(NULL, " %u way could not be gone: of it nothing is shown.",
                                       " %u ways could not be gone: of them nothing is shown.", proof->n_elsewhere),
                           proof->n_elsewhere);
  vt_test_log("proof %u %u", proof->n_different, n);
  proof->callbacks.end(proof->n_different == 0, sentence->str, proof->user);
}

/* What the layers have, which may have come about in pieces and with images that were kept. */
static const char *
compare_shown(VtProof *proof, const VtResult *first, gboolean *is_there)
{
  const VtResult *shown = proof->shown;
  const gboolean is_as_run = shown && !shown->corrected && !shown->classified;
  guint64 stages = 0;
  for (guint i = 0; shown && i < shown->op->n_stages; i++)
    if (shown->rasters[i] || (shown->objects && is_as_run && shown->op->stages[i]->kind == VITRAIL_STAGE_OBJECTS))
      stages |= (guint64)1 << i;
  *is_there = stages && shown->used_pixel_size == first->used_pixel_size && shown->x_l0 == first->x_l0
              && shown->y_l0 == first->y_l0 && shown->width_l0 == first->width_l0
              && shown->height_l0 == first->height_l0;
  return *is_there ? vt_result_find_difference(shown, first, stages) : NULL;
}

/* A sentence of the run that the first had not to say: a device that another took the place of. */
static const char *
find_caution(const VtProof *proof, const VtResult *result)
{
  for (guint i = 0; i < result->warnings->len; i++)
    if (!g_ptr_array_find_with_equal_func(proof->first->warnings, result->warnings->pdata[i], g_str_equal, NULL))
      return result->warnings->pdata[i];
  return NULL;
}

static char *
judge(VtProof *proof, const VtResult *result)
{
  gboolean is_compared = TRUE;
  const char *caution =
    proof->first && g_array_index(proof->ways, Way, proof->next).backend ? find_caution(proof, result) : NULL;
  const char *other = proof->first ? vt_result_find_difference(proof->first, result, G_MAXUINT64)
                                   : compare_shown(proof, result, &is_compared);
  proof->n_different += other != NULL;
  proof->n_elsewhere += caution && !other;
  proof->n_compared += is_compared && (other || !caution);
  return !is_compared ? NULL
         : other      ? g_strdup_printf(_("OTHER BYTES in %s"), vt_translate(other))
         : caution    ? g_strdup(vt_translate(caution))
                      : g_strdup(_("the same"));
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtProof *proof = user;
  const Way *way = &g_array_index(proof->ways, Way, proof->next);
  if (error) {
    proof->callbacks.end(FALSE, vt_translate(error->message), proof->user);
    return;
  }
  g_autofree char *verdict = judge(proof, result);
  g_autofree char *line =
    g_strdup_printf("%s%s%s · %.2f s · %s", way->title, verdict ? ": " : "", verdict ? verdict : "",
                    result->total_ms / 1000, result->device ? result->device : result->backend);
  if (!proof->first) {
    proof->first = vt_result_ref(result);
    list_backends(proof);
  }
  vt_test_log("proof-way %s", line);
  proof->callbacks.line(line, proof->user);
  if (++proof->next < proof->ways->len)
    start_next(proof);
  else
    finish(proof);
}

static void
way_clear(gpointer way)
{
  g_free(((Way *)way)->title);
}

VtProof *
vt_proof_start(VtAnalysis *analysis, const VtProofCallbacks *callbacks, gpointer user, GError **error)
{
  static const VtRunnerCallbacks of_runner = { .done = on_done };
  double x, y;
  vt_viewport_to_l0(&analysis->view, analysis->view.width_px / 2.0, analysis->view.height_px / 2.0, &x, &y);
  VtRunRequest *request = vt_analysis_new_request(analysis, (gint64)x, (gint64)y, error);
  if (!request)
    return NULL;
  VtProof *proof = g_new0(VtProof, 1);
  proof->callbacks = *callbacks;
  proof->user = user;
  proof->request = request;
  if (analysis->result && vt_params_equal(analysis->result_params, request->params))
    proof->shown = vt_result_ref(analysis->result);
  proof->ways = g_array_new(FALSE, FALSE, sizeof(Way));
  g_array_set_clear_func(proof->ways, way_clear);
  list_ways(proof);
  proof->runner = vt_runner_new(&of_runner, proof);
  start_next(proof);
  return proof;
}

VT_DEFINE_TYPE_FREE(vt_proof_free, VtProof,
                    VT_FREES(vt_runner_free, runner) VT_FREES(vt_run_request_free, request)
                      VT_FREES(vt_result_unref, shown, first) VT_FREES(g_array_unref, ways))
