/* SPDX-License-Identifier: MIT
 *
 * Regions from tissue: the recipe "tissue" runs on the whole slide at low power, and its pieces become regions of the view, in one step that can be undone. */
#include "window/vt-window-private.h"

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "common/vt-translate.h"
#include "common/vt-task.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-roi-sets.h"

#define OP "tissue"
#define MOST_REGIONS 5000

typedef struct {
  VtPane *pane;
  VtRunRequest *request;
  AdwToast *toast;
} Job;

VT_DEFINE_FREE(job_free, Job, VT_FREES(g_object_unref, toast, pane) VT_FREES(vt_run_request_free, request))

static void
look_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  GError *error = NULL;
  VtResult *result = vt_run(job->request, NULL, NULL, cancellable, &error);
  vt_task_return(task, result, (GDestroyNotify)vt_result_unref, &error);
}

/* Named by their size, the largest first: the others are crumbs more often. */
static int
compare_areas(gconstpointer a, gconstpointer b)
{
  const double one = vt_roi_get_area(*(VtRoi *const *)a), other = vt_roi_get_area(*(VtRoi *const *)b);
  return (one < other) - (one > other);
}

static GPtrArray *
make_regions(const VtResult *result, double *area)
{
  GPtrArray *regions = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  *area = 0;
  VT_EACH_OF (const VtObject, object, result->objects) {
    VtRoi *roi = vt_roi_new("");
    roi->class_name = g_strdup(_("Tissue"));
    g_array_append_vals(roi->ring_sizes, object->ring_sizes, object->n_rings);
    g_array_append_vals(roi->points, object->points, (guint)(2 * object->n_points));
    *area += vt_roi_get_area(roi);
    g_ptr_array_add(regions, roi);
  }
  g_ptr_array_sort(regions, compare_areas);
  for (guint i = 0; i < regions->len; i++) {
    VtRoi *roi = regions->pdata[i];
    g_free(roi->name);
    roi->name = g_strdup_printf(_("Tissue %u"), i + 1);
  }
  return regions;
}

static char *
dup_sentence(const VtResult *result, guint n, double area_l0)
{
  const double mm2 = area_l0 * result->mpp * result->mpp_y * 1e-6;
  g_autofree char *area = result->calibrated ? g_strdup_printf(_(", %.3g mm² in all"), mm2) : g_strdup("");
  return g_strdup_printf(g_dngettext(NULL, "%u region of tissue%s. To analyse it alone, choose Run on: Regions.",
                                     "%u regions of tissue%s. To analyse them alone, choose Run on: Regions.", n),
                         n, area);
}

static void
take(VtWindow *self, VtPane *pane, const VtResult *result)
{
  double area = 0;
  g_autoptr(GPtrArray) regions = make_regions(result, &area);
  const guint n = regions->len;
  vt_test_log("tissue %u", n);
  if (result->look != VT_LOOK_USUAL && result->look != VT_LOOK_COLOURLESS) {
    vt_pane_show_error(pane, vt_translate(vt_look_get_sentence(result->look)), VT_MESSAGE_ANSWER);
    return;
  }
  if (n == 0 || n > MOST_REGIONS) {
    vt_pane_show_error(
      pane,
      n == 0
        ? _("No tissue was found: nothing on the slide is dense enough, or large enough. The analysis “Tissue mask” "
            "has the thresholds.")
        : _("There are too many pieces of tissue for a view. The analysis “Tissue mask” has the thresholds."),
      VT_MESSAGE_ANSWER);
    return;
  }
  g_autofree char *sentence = dup_sentence(result, n, area);
  vt_regions_add(vt_pane_get_regions(pane), regions, FALSE);
  vt_window_toast(self, sentence);
}

static void
on_done(GObject *source, GAsyncResult *task, gpointer user)
{
  VtWindow *self = VT_WINDOW(source);
  const Job *job = g_task_get_task_data(G_TASK(task));
  g_autoptr(GError) error = NULL;
  g_autoptr(VtResult) result = g_task_propagate_pointer(G_TASK(task), &error);
  vt_toast_dismiss(job->toast);
  if (self->page && vt_pane_get_slide(job->pane) == job->request->slide) {
    if (result)
      take(self, job->pane, result);
    else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      vt_pane_show_error(job->pane, vt_translate(error->message), VT_MESSAGE_ANSWER);
  }
}

/* With the parameters that a person set, if the analysis was chosen before. */
static VtParams *
dup_params(VtPane *pane, const VitrailOp *op, VtSlide *slide)
{
  const VtParams *set = vt_analysis_get_params_of(vt_pane_get_analysis(pane), op->id);
  double mpp_x = 0, mpp_y = 0;
  return set ? vt_params_copy(set) : vt_params_new(op, vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
}

void
vt_window_find_tissue(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtSlide *slide = vt_pane_get_slide(pane);
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), OP, &plugin);
  if (!slide)
    return;
  if (!op) {
    vt_pane_show_error(pane, _("The recipe “tissue”, which looks for tissue, is not there."), VT_MESSAGE_ANSWER);
    return;
  }
  Job *job = g_new0(Job, 1);
  job->pane = g_object_ref(pane);
  job->request = vt_run_request_new(plugin, op);
  job->request->slide = vt_slide_ref(slide);
  job->request->whole = TRUE;
  g_clear_pointer(&job->request->params, vt_params_free);
  job->request->params = dup_params(pane, op, slide);
  job->toast = g_object_ref_sink(adw_toast_new(_("Looking for tissue on the whole slide…")));
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  adw_toast_set_timeout(job->toast, 0);
  adw_toast_set_button_label(job->toast, _("Cancel"));
  g_signal_connect_object(job->toast, "button-clicked", G_CALLBACK(g_cancellable_cancel), cancellable,
                          G_CONNECT_SWAPPED);
  vt_toast_show(self->toasts, g_object_ref(job->toast));
  vt_task_run(self, cancellable, on_done, NULL, look_in_thread, job, job_free);
}
