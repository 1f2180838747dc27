/* SPDX-License-Identifier: MIT */
#include "window/vt-pane-labels.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-task.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-label-image.h"

static const char *
choose_op(const VitrailOp *present)
{
  if (present && vt_op_get_labels(present))
    return present->id;
  return present && vt_op_find_param(present, "dab") >= 0 ? "label-objects-dab" : "label-objects";
}

/* Whole pixels of the slide, as grids are. Owned. */
static char *
dup_pixel_size(VtSlide *slide, double downsample)
{
  double mpp_x = 0, mpp_y = 0;
  const double pixel = vt_slide_get_mpp(slide, &mpp_x, &mpp_y) ? sqrt(mpp_x * mpp_y) : 1;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr(number, sizeof number, fmax(round(downsample), 1) * pixel);
  return g_strconcat("pixel-size=", number, NULL);
}

void
vt_pane_measure_labels(VtPane *self, VtPlacedLabels *labels)
{
  VtAnalysis *analysis = vt_pane_get_analysis(self);
  const char *op_id = choose_op(vt_analysis_get_op(analysis));
  g_autofree char *size = dup_pixel_size(vt_pane_get_slide(self), labels->place.downsample);
  const char *const params[] = { size, NULL };
  vt_pane_apply_options(self, &(VtPaneOptions){ .op_id = op_id });
  if (!vt_analysis_set_labels(analysis, op_id, labels))
    return; /* there is no such analysis, which was said */
  vt_pane_apply_options(self, &(VtPaneOptions){ .params = params });
  vt_test_log("labels-measured %s %u", op_id, labels->labels ? labels->labels->len - 1 : 0);
  if (!vt_analysis_get_live(analysis))
    vt_analysis_run(analysis);
}

/* --- of a session --- */

typedef struct {
  char *op_id, *path;
  VtLabelPlace place;
  gboolean by_piece;
} Stored;

VT_DEFINE_FREE(stored_free, Stored, VT_FREES(g_free, op_id, path))

static void
read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Stored *stored = data;
  GError *error = NULL;
  g_autoptr(VtLabelImage) image = vt_label_image_read(stored->path, NULL, &error);
  VtPlacedLabels *labels = image ? vt_label_image_place(image, &stored->place, stored->by_piece, &error) : NULL;
  vt_task_return(task, labels, (GDestroyNotify)vt_placed_labels_unref, &error);
}

static void
on_read(GObject *pane, GAsyncResult *result, gpointer user)
{
  const Stored *stored = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  g_autoptr(VtPlacedLabels) labels = g_task_propagate_pointer(G_TASK(result), &error);
  if (labels) {
    vt_analysis_set_labels(vt_pane_get_analysis(VT_PANE(pane)), stored->op_id, labels);
    vt_test_log("labels-restored %s", stored->op_id);
    return;
  }
  g_autofree char *sentence =
    g_strdup_printf(_("The labels of the session are not there: %s"), vt_translate(error->message));
  vt_pane_show_error(VT_PANE(pane), sentence, VT_MESSAGE_LOSS);
}

void
vt_pane_restore_labels(VtPane *self, const char *op_id, const VtSessionLabels *stored)
{
  Stored *data = g_new0(Stored, 1);
  *data =
    (Stored){ g_strdup(op_id), g_strdup(stored->file), { stored->x, stored->y, stored->pixel }, stored->is_by_piece };
  vt_task_run(self, NULL, on_read, NULL, read_in_thread, data, stored_free);
}
