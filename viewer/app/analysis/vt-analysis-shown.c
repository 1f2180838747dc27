/* SPDX-License-Identifier: MIT
 *
 * What is shown of the last run, with what a person corrected of its objects by hand. */
#include <glib/gi18n.h>

#include "analysis/vt-analysis-private.h"
#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "results/vt-corrections.h"

static gboolean
get_visible(VtAnalysis *self, gint64 *x, gint64 *y, gint64 *width, gint64 *height)
{
  gint64 slide_width, slide_height;
  vt_slide_get_level_size(self->slide, 0, &slide_width, &slide_height);
  return vt_viewport_get_visible_l0(&self->view, slide_width, slide_height, x, y, width, height);
}

gboolean
vt_analysis_is_seen(VtAnalysis *self, const VtResult *result)
{
  gint64 x, y, width, height;
  return get_visible(self, &x, &y, &width, &height) && x < result->x_l0 + result->width_l0 && x + width > result->x_l0
         && y < result->y_l0 + result->height_l0 && y + height > result->y_l0;
}

gboolean
vt_analysis_is_visible_inside(VtAnalysis *self, const VtResult *result)
{
  gint64 x, y, width, height;
  return !get_visible(self, &x, &y, &width, &height)
         || (x >= result->x_l0 && y >= result->y_l0 && x + width <= result->x_l0 + result->width_l0
             && y + height <= result->y_l0 + result->height_l0);
}

/* Of a view that was left nothing is seen beyond its edges, which looks like tissue in which nothing was found. */
static gboolean
is_partial(VtAnalysis *self)
{
  return self->shown && self->has_view && self->shown_on == VT_RUN_ON_VIEW && !vt_analysis_takes_rois(self)
         && !vt_analysis_is_visible_inside(self, self->shown);
}

static gboolean
is_analysed(const GPtrArray *parts, const VtRoi *roi)
{
  for (guint i = 0; i < parts->len; i++)
    if (vt_roi_equal(((const VtResult *)parts->pdata[i])->region, roi))
      return TRUE;
  return FALSE;
}

/* How many of the regions that were analysed are gone, and how many others there are now. */
static void
compare_regions(VtAnalysis *self, guint *n_gone, guint *n_new)
{
  const GPtrArray *parts = self->shown ? self->shown->parts : NULL;
  const guint n = g_list_model_get_n_items(self->rois);
  guint n_found = 0;
  for (guint i = 0; parts && i < n; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(self->rois, i);
    n_found += is_analysed(parts, vt_roi_item_get_roi(item));
  }
  *n_gone = parts ? parts->len - MIN(n_found, parts->len) : 0;
  *n_new = parts ? n - n_found : 0;
}

void
vt_analysis_check_shown(VtAnalysis *self)
{
  /* A live run is on its way: what is shown is replaced before anybody could read a word about it. */
  const gboolean awaited = self->live && (self->settle_id != 0 || vt_runner_is_running(self->runner));
  guint n_gone, n_new;
  compare_regions(self, &n_gone, &n_new);
  const gboolean stale = self->shown && !awaited && (n_gone > 0 || !vt_params_equal(self->shown_params, self->params));
  const gboolean partial = !awaited && (n_new > 0 || is_partial(self));
  if (stale == self->stale && partial == self->partial)
    return;
  self->stale = stale;
  self->partial = partial;
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    vt_layer_set_stale(layer, stale);
  vt_test_log("stale %d %d", stale, partial);
  g_signal_emit_by_name(self, "shown");
}

static void
log_shown(const VtResult *result)
{
  vt_test_log("shown %s %.6g %.6g %d",
              !result              ? "nothing"
              : result->is_preview ? "preview"
                                   : "final",
              result ? result->used_pixel_size : 0, result ? result->asked_pixel_size : 0,
              result && result->objects ? (int)result->objects->len : -1);
}

/* --- corrections --- */

typedef struct {
  VtResult *run, *corrected;
  GPtrArray *corrections; /* NULL: none */
} Correcting;

static void correct(VtAnalysis *self);

VT_DEFINE_FREE(correcting_free, Correcting,
               VT_FREES(vt_result_unref, run, corrected) VT_FREES(g_ptr_array_unref, corrections))

/* What is shown has the corrections of now. */
static gboolean
is_corrected(VtAnalysis *self)
{
  const VtResult *shown = self->shown;
  return !shown || !shown->objects || (shown->corrected ? shown->corrected->corrections : NULL) == self->corrections;
}

/* The same run: parameters, pictures and times stay as they are. */
static void
show_corrected(VtAnalysis *self, VtResult *corrected)
{
  if (vt_analysis_is_result_shown(self)) {
    vt_drop(self->corrected, (GDestroyNotify)vt_result_unref);
    self->corrected = vt_result_ref(corrected);
  }
  vt_drop(self->shown, (GDestroyNotify)vt_result_unref);
  self->shown = vt_result_ref(corrected);
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS)
      vt_layer_set_result(layer, corrected);
  log_shown(corrected);
  g_signal_emit_by_name(self, "shown");
  g_signal_emit_by_name(self, "corrected");
}

static void
correct_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Correcting *c = data;
  c->corrected = vt_result_correct(c->run, c->corrections, cancellable);
  g_task_return_boolean(task, TRUE);
}

static void
on_corrected(GObject *source, GAsyncResult *answer, gpointer user)
{
  VtAnalysis *self = VT_ANALYSIS(source);
  const Correcting *c = g_task_get_task_data(G_TASK(answer));
  self->is_correcting = FALSE;
  if (self->shown && c->run == vt_result_get_run(self->shown) && c->corrections == self->corrections)
    show_corrected(self, c->corrected);
  else
    correct(self);
}

/* By a worker: a result may have a million objects. */
static void
correct(VtAnalysis *self)
{
  if (self->is_correcting || is_corrected(self))
    return;
  Correcting *c = g_new0(Correcting, 1);
  c->run = vt_result_ref(vt_result_get_run(self->shown));
  c->corrections = self->corrections ? g_ptr_array_ref(self->corrections) : NULL;
  self->is_correcting = TRUE;
  vt_task_run(self, NULL, on_corrected, NULL, correct_in_thread, c, correcting_free);
}

void
vt_analysis_set_corrections(VtAnalysis *self, GPtrArray *corrections)
{
  GPtrArray *former = self->corrections;
  self->corrections = corrections && corrections->len > 0 ? g_ptr_array_ref(corrections) : NULL;
  g_clear_pointer(&former, g_ptr_array_unref);
  vt_runner_set_corrections(self->runner, self->corrections);
  correct(self);
}

/* --- results --- */

/* A result, or a first look, and the parameters that it was made with; NULL: nothing. */
void
vt_analysis_show(VtAnalysis *self, VtResult *result, const VtParams *params)
{
  VtResult *former = self->shown;
  self->shown = result ? vt_result_ref(result) : NULL;
  vt_drop(former, (GDestroyNotify)vt_result_unref);
  VtParams *made_with = result ? vt_params_copy(params) : NULL;
  g_clear_pointer(&self->shown_params, vt_params_free);
  self->shown_params = made_with;
  self->shown_on = result && result == self->corrected ? self->result_on : VT_RUN_ON_VIEW;
  self->stale = self->partial = FALSE;
  if (!self->busy)
    g_clear_handle_id(&self->busy_id, g_source_remove);
  /* The uppermost first: workers paint in this order. */
  for (guint i = g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    vt_layer_set_stale(layer, FALSE);
    vt_layer_set_result(layer, result);
  }
  log_shown(result);
  g_signal_emit_by_name(self, "shown");
  vt_analysis_check_shown(self);
  correct(self);
}

void
vt_analysis_take_result(VtAnalysis *self, VtResult *result)
{
  vt_drop(self->corrected, (GDestroyNotify)vt_result_unref);
  vt_drop(self->result, (GDestroyNotify)vt_result_unref);
  self->corrected = result ? vt_result_ref(result) : NULL;
  self->result = result ? vt_result_ref(vt_result_get_run(result)) : NULL;
  g_clear_pointer(&self->result_params, vt_params_free);
  self->result_params = result ? vt_params_copy(self->running_params) : NULL;
  self->stays = result && self->is_asked;
  self->result_on = self->running_on;
  vt_analysis_show(self, result, self->running_params);
}

VT_GETTER(VtResult *, vt_analysis_get_result, VtAnalysis, result)
VT_GETTER(VtResult *, vt_analysis_get_shown, VtAnalysis, shown)
VT_GETTER(VtResult *, vt_analysis_get_corrected, VtAnalysis, corrected)

char *
vt_analysis_dup_preview_words(const VtResult *result)
{
  g_autofree char *used = g_strdup_printf("%.3g", result->used_pixel_size);
  g_autofree char *asked = g_strdup_printf("%.3g", result->asked_pixel_size);
  return result->calibrated ? g_strdup_printf(_("Preview at %s µm/px, asked for %s"), used, asked)
                            : g_strdup_printf(_("Preview at 1:%s, asked for 1:%s"), used, asked);
}

gboolean
vt_analysis_is_waiting(VtAnalysis *self)
{
  return self->held && self->live && self->partial;
}

const char *
vt_analysis_get_pause_words(VtAnalysis *self, const VtResult *kept)
{
  return kept && vt_analysis_is_visible_inside(self, kept) ? _("paused") : _("paused, hatched where it has no pixels");
}

char *
vt_analysis_dup_caution(VtAnalysis *self)
{
  g_autofree char *preview = self->shown && self->shown->is_preview ? vt_analysis_dup_preview_words(self->shown) : NULL;
  const char *words[4] = { NULL };
  guint n = 0;
  if (self->stale)
    words[n++] = self->shown->parts ? _("Out of date: the parameters or the regions have changed")
                                    : _("Out of date: the parameters have changed");
  if (preview)
    words[n++] = preview;
  if (self->partial)
    words[n++] = self->shown->parts ? _("Not all regions were analysed") : _("Part of this view was not analysed");
  return n > 0 ? g_strjoinv(" · ", (char **)words) : NULL;
}
