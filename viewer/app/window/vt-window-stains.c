/* SPDX-License-Identifier: MIT
 *
 * The stain vectors that the slide's own colours tell of become parameters of the analysis: only when somebody asks, said, and taken back by one click. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "common/vt-translate.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-stains.h"

static const char *const keys[] = { "hematoxylin", "eosin", "dab", "white" };

/* What the button of the toast takes back. */
typedef struct {
  VtPane *pane; /* owned */
  VtParams *before;
} Undo;

static void
undo_free(gpointer data, GClosure *closure)
{
  Undo *undo = data;
  g_object_unref(undo->pane);
  vt_params_free(undo->before);
  g_free(undo);
}

static void
on_undo(AdwToast *toast, Undo *undo)
{
  VtAnalysis *analysis = vt_pane_get_analysis(undo->pane);
  VtParams *params = vt_analysis_get_params(analysis);
  if (!params || params->op != undo->before->op)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    const int index = vt_op_find_param(params->op, keys[i]);
    if (index < 0)
      continue;
    memcpy(params->values[index], undo->before->values[index], sizeof *params->values);
    params->is_set[index] = undo->before->is_set[index];
  }
  vt_analysis_params_changed(analysis);
}

static void
say(VtWindow *self, VtPane *pane, VtParams *before, const VtStains *stains)
{
  g_autofree char *place =
    stains->pixel_size > 0 ? g_strdup_printf(_(" at %.3g µm a pixel"), stains->pixel_size) : g_strdup("");
  g_autofree char *sentence =
    g_strdup_printf(_("Stains estimated from %.0f %% of the colours%s; they are %.0f° apart"),
                    100.0 * (double)stains->n_stained / (double)MAX(stains->n, 1), place, stains->degrees);
  Undo *undo = g_new(Undo, 1);
  *undo = (Undo){ g_object_ref(pane), before };
  AdwToast *toast = adw_toast_new(sentence);
  adw_toast_set_button_label(toast, _("Undo"));
  g_signal_connect_data(toast, "button-clicked", G_CALLBACK(on_undo), undo, undo_free, 0);
  vt_toast_show(self->toasts, toast);
  vt_test_log("stains %s", sentence);
}

static void
take(VtAnalysis *analysis, const VtStains *stains)
{
  VtParams *params = vt_analysis_get_params(analysis);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    const int index = vt_op_find_param(params->op, keys[i]);
    const double *v = i == 0 ? stains->hematoxylin : i < 3 ? stains->other : stains->white;
    double values[4] = { v[0], v[1], v[2] };
    if (index >= 0)
      vt_params_set(params, (guint)index, values, NULL);
  }
  vt_analysis_params_changed(analysis);
}

typedef struct {
  VtSlide *slide;
  VtStains stains;
} Job;

static void
job_free(Job *job)
{
  vt_slide_unref(job->slide);
  g_free(job);
}

static void
estimate_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  if (vt_stains_estimate(job->slide, cancellable, &job->stains, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
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
    vt_pane_show_error(pane, vt_translate(error->message), FALSE);
    return;
  }
  VtParams *before = vt_params_copy(params);
  take(analysis, &job->stains);
  say(VT_WINDOW(source), pane, before, &job->stains);
}

void
vt_window_estimate_stains(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtParams *params = vt_analysis_get_params(vt_pane_get_analysis(pane));
  if (!params || !vt_pane_get_slide(pane))
    return;
  if (vt_op_find_param(params->op, keys[0]) < 0) {
    vt_pane_show_error(pane, _("This analysis knows no stains."), FALSE);
    return;
  }
  Job *job = g_new0(Job, 1);
  job->slide = vt_slide_ref(vt_pane_get_slide(pane));
  g_autoptr(GTask) task = g_task_new(self, NULL, on_estimated, g_object_ref(pane));
  g_task_set_task_data(task, job, (GDestroyNotify)job_free);
  g_task_run_in_thread(task, estimate_in_thread);
}
