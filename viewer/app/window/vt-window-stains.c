/* SPDX-License-Identifier: MIT
 *
 * The stain vectors and strengths that the slide's own colours tell of become parameters of the analysis: only when somebody asks, said, and taken back by one
 * click. */
#include "window/vt-window-private.h"

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-task.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-stains.h"

#define STRENGTH "-strength"
static const char *const keys[] = { "hematoxylin", "eosin", "dab", "white" };

/* Strengths are told where the analysis has a parameter for them. */
static char *
dup_sentence(const VtStains *stains, gboolean has_strengths)
{
  g_autofree char *place =
    stains->pixel_size > 0 ? g_strdup_printf(_(" at %.3g µm a pixel"), stains->pixel_size) : g_strdup("");
  g_autofree char *vectors =
    g_strdup_printf(_("Stains estimated from %.0f %% of the colours%s; they are %.0f° apart"),
                    100.0 * (double)stains->n_stained / (double)MAX(stains->n, 1), place, stains->degrees);
  return has_strengths ? g_strdup_printf(_("%s, of strengths %.3f and %.3f OD"), vectors, stains->strengths[0],
                                         stains->strengths[1])
                       : g_steal_pointer(&vectors);
}

static gboolean
set(VtParams *params, const char *key, const double *values)
{
  const int index = vt_op_find_param(params->op, key);
  return index >= 0 && vt_params_set(params, (guint)index, values, NULL);
}

/* TRUE: strengths, too. */
static gboolean
take(VtParams *params, const VtStains *stains)
{
  gboolean has_strengths = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    const double *v = i == 0 ? stains->hematoxylin : i < 3 ? stains->other : stains->white;
    g_autofree char *strength = g_strconcat(keys[i], STRENGTH, NULL);
    set(params, keys[i], (const double[4]){ v[0], v[1], v[2] });
    if (i < 3)
      has_strengths |= set(params, strength, (const double[4]){ stains->strengths[i > 0] });
  }
  return has_strengths;
}

typedef struct {
  VtSlide *slide;
  VtStains stains;
} Job;

VT_DEFINE_FREE(job_free, Job, VT_FREES(vt_slide_unref, slide))

static void
estimate_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  vt_task_return_done(task, vt_stains_estimate(job->slide, cancellable, &job->stains, &error), &error);
}

/* Another slide or analysis may be there by now: then nobody waits for this. */
static void
on_estimated(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(VtPane) pane = data;
  g_autoptr(GError) error = NULL;
  const Job *job = g_task_get_task_data(G_TASK(result));
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  const VtParams *params = vt_analysis_get_params(analysis);
  const gboolean is_done = g_task_propagate_boolean(G_TASK(result), &error);
  if (vt_pane_get_slide(pane) != job->slide || !params || vt_op_find_param(params->op, keys[0]) < 0)
    return;
  if (!is_done) {
    vt_pane_show_error(pane, vt_translate(error->message), VT_MESSAGE_ANSWER);
    return;
  }
  g_autoptr(VtParams) found = vt_params_copy(params);
  const gboolean has_strengths = take(found, &job->stains);
  g_autofree char *sentence = dup_sentence(&job->stains, has_strengths);
  vt_window_adopt(VT_WINDOW(source), pane, found, sentence);
  vt_test_log("stains %s", sentence);
}

void
vt_window_estimate_stains(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtParams *params = vt_analysis_get_params(vt_pane_get_analysis(pane));
  if (!params || !vt_pane_get_slide(pane))
    return;
  if (vt_op_find_param(params->op, keys[0]) < 0) {
    vt_pane_show_error(pane, _("This analysis knows no stains."), VT_MESSAGE_ANSWER);
    return;
  }
  Job *job = g_new0(Job, 1);
  job->slide = vt_slide_ref(vt_pane_get_slide(pane));
  vt_task_run(self, NULL, on_estimated, g_object_ref(pane), estimate_in_thread, job, (GDestroyNotify)job_free);
}
