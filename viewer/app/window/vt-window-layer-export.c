/* SPDX-License-Identifier: MIT
 *
 * One layer as an OME-TIFF: its raw values, in a pyramid, with the size of a pixel and the place on the slide. */
#include "window/vt-window-private.h"

#include <string.h>

#include "base/vt-define.h"
#include "base/vt-error.h"
#include "common/vt-file-dialog.h"
#include "common/vt-translate.h"
#include "dialogs/vt-wait-dialog.h"

#define CHOSEN "vitrail-exported-stage" /* id of the stage whose file is asked for; of the window */
#define PARTS 1000

typedef struct {
  VtResult *result; /* keeps the raster */
  const VtRaster *raster;
  const VitrailStage *stage; /* resident */
  char *path;
  int n_done; /* atomic; of PARTS */
} Job;

VT_DEFINE_FREE(job_free, Job, VT_FREES(vt_result_unref, result) VT_FREES(g_free, path))

static void
on_progress(double fraction, gpointer job)
{
  g_atomic_int_set(&((Job *)job)->n_done, (int)(PARTS * fraction));
}

/* The same file as of vitrail-batch --format ome-tiff. */
static gboolean
work(gpointer data, GCancellable *cancellable, GError **error)
{
  Job *job = data;
  const VtTiffOptions options = { .channel = job->stage->title,
                                  .is_on_disk = job->raster->arena != NULL,
                                  .cancellable = cancellable,
                                  .progress = on_progress,
                                  .user = job };
  return vt_raster_write_tiff(job->raster, &options, job->path, error);
}

static char *
tell(gpointer data, double *part)
{
  Job *job = data;
  *part = (double)g_atomic_int_get(&job->n_done) / PARTS;
  return g_strdup(vt_translate(job->stage->title));
}

static void
end(GtkWindow *window, gpointer data, const GError *error)
{
  Job *job = data;
  g_autofree char *name = vt_error_dup_name(job->path);
  g_autofree char *sentence =
    job->result->is_preview
      ? g_strdup_printf(_("“%s” is in %s. It is a preview: F5 runs at the pixel size that is asked for."),
                        vt_translate(job->stage->title), name)
      : g_strdup_printf(_("“%s” is in %s"), vt_translate(job->stage->title), name);
  vt_window_tell_saved(VT_WINDOW(window), sentence, "layer", job->path, error);
  job_free(job);
}

/* That of the id; "": the one that is seen alone, else the uppermost that is seen and has pixels. Borrowed; NULL: there is none. */
static VtLayer *
find_layer(VtPane *pane, const char *id)
{
  VtLayer *found = NULL;
  VT_EACH_ITEM (VtLayer, layer, vt_analysis_get_layers(vt_pane_get_analysis(pane))) {
    const VitrailStage *stage = vt_layer_get_stage(layer);
    const gboolean has_pixels = vt_layer_get_kind(layer) == VT_LAYER_RASTER && vt_layer_has_data(layer);
    if (stage && (*id ? g_str_equal(stage->id, id) : has_pixels && vt_layer_get_seen(layer)))
      found = layer; /* the list holds it */
  }
  return found;
}

/* NULL, and a sentence: why there is nothing to export. Owned. */
static Job *
job_new(VtPane *pane, const char *id)
{
  VtLayer *layer = find_layer(pane, id);
  VtResult *shown = vt_analysis_get_shown(vt_pane_get_analysis(pane));
  const guint stage = layer ? vt_layer_get_stage_index(layer) : 0;
  if (!layer || !shown) {
    vt_pane_show_error(pane,
                       _("No layer with pixels is shown. Show one, such as a stage that ] walks to; objects are "
                         "exported with the results (Ctrl+E)."),
                       VT_MESSAGE_ANSWER);
    return NULL;
  }
  if (shown->parts && shown->parts->len > 1) {
    vt_pane_show_error(pane, _("The layer is of several regions, each an image of its own: Ctrl+E exports them all."),
                       VT_MESSAGE_ANSWER);
    return NULL;
  }
  VtResult *part = shown->parts ? shown->parts->pdata[0] : shown;
  if (!part->rasters[stage]) {
    vt_pane_show_error(pane, _("This layer has no pixels that could be exported."), VT_MESSAGE_ANSWER);
    return NULL;
  }
  Job *job = g_new0(Job, 1);
  job->result = vt_result_ref(shown);
  job->raster = part->rasters[stage];
  job->stage = vt_layer_get_stage(layer);
  return job;
}

static void
act_export(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  Job *job = job_new(pane, g_variant_get_string(parameter, NULL));
  if (!job)
    return;
  const char *slide = vt_slide_get_name(vt_pane_get_slide(pane)), *dot = strrchr(slide, '.');
  g_autofree char *stem = g_strndup(slide, dot ? (gsize)(dot - slide) : strlen(slide));
  g_autofree char *name = g_strdup_printf("%s-%s.ome.tif", stem, job->stage->id);
  g_autofree char *title = g_strdup_printf(_("Export “%s” as an OME-TIFF"), vt_translate(job->stage->title));
  g_object_set_data(window, CHOSEN, (gpointer)job->stage->id);
  vt_file_dialog_ask(window, title, name, "win.export-layer-to");
  job_free(job);
}

static void
act_export_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  static const VtWaitKind kind = { N_("Exporting a Layer"), work, tell, end };
  const char *path = g_variant_get_string(parameter, NULL), *id = g_object_get_data(window, CHOSEN);
  Job *job = job_new(vt_window_get_pane(window), id ? id : "");
  g_object_set_data(window, CHOSEN, NULL);
  if (!job)
    return;
  const gboolean has_ending = g_str_has_suffix(path, ".tif") || g_str_has_suffix(path, ".tiff");
  job->path = has_ending ? g_strdup(path) : g_strconcat(path, ".ome.tif", NULL);
  vt_wait_dialog_run(window, &kind, job);
}

const GActionEntry vt_window_layer_export_actions[] = {
  { .name = "export-layer", .parameter_type = "s", .activate = act_export },
  { .name = "export-layer-to", .parameter_type = "s", .activate = act_export_to },
  { NULL },
};
