/* SPDX-License-Identifier: MIT */
#include "window/vt-pane-objects.h"

#include "base/vt-define.h"
#include "common/vt-task.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "run/vt-file-objects-op.h"
#include "run/vt-shapes.h"

/* All of them, this once. */
static void
show_all(VtAnalysis *analysis)
{
  const VtRunOn before = vt_analysis_get_run_on(analysis);
  vt_analysis_set_run_on(analysis, VT_RUN_ON_SLIDE);
  vt_analysis_run(analysis);
  vt_analysis_set_run_on(analysis, before);
}

static gboolean
is_of_file(const VitrailOp *op)
{
  return op && g_str_equal(op->id, VT_FILE_OBJECTS_OP);
}

/* It also says so where the slide has another unit. */
static void
on_op_changed(VtAnalysis *analysis, const VitrailOp **last)
{
  const VitrailOp *before = *last, *op = vt_analysis_get_op(analysis);
  *last = op;
  if (op != before && is_of_file(op) && vt_analysis_get_slide(analysis) && vt_analysis_get_params(analysis)->objects)
    show_all(analysis);
}

void
vt_pane_objects_attach(VtPane *self)
{
  VtAnalysis *analysis = vt_pane_get_analysis(self);
  const VitrailOp **last = g_new0(const VitrailOp *, 1);
  *last = vt_analysis_get_op(analysis);
  g_signal_connect_data(analysis, "op-changed", G_CALLBACK(on_op_changed), last, (GClosureNotify)(GCallback)g_free, 0);
}

void
vt_pane_show_file_objects(VtPane *self, VtFileObjects *objects)
{
  VtAnalysis *analysis = vt_pane_get_analysis(self);
  vt_pane_apply_options(self, &(VtPaneOptions){ .op_id = VT_FILE_OBJECTS_OP });
  if (!vt_analysis_set_objects(analysis, VT_FILE_OBJECTS_OP, objects))
    return; /* there is no such analysis, which was said */
  vt_test_log("objects-read %u %u", objects->objects->len, objects->names->len);
  show_all(analysis);
}

/* --- of a session --- */

typedef struct {
  char *path;
  VtSlide *slide;
} Stored;

VT_DEFINE_FREE(stored_free, Stored, VT_FREES(g_free, path) VT_FREES(vt_slide_unref, slide))

static void
read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Stored *stored = data;
  GError *error = NULL;
  const VtShapesContext context = { .slide = stored->slide, .measures = TRUE };
  g_autoptr(VtShapes) shapes = vt_shapes_read(stored->path, &context, &error);
  VtFileObjects *objects = shapes ? vt_shapes_steal_objects(shapes, stored->path, &error) : NULL;
  vt_task_return(task, objects, (GDestroyNotify)vt_file_objects_unref, &error);
}

static void
on_read(GObject *pane, GAsyncResult *result, gpointer user)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtFileObjects) objects = g_task_propagate_pointer(G_TASK(result), &error);
  if (objects) {
    VtAnalysis *analysis = vt_pane_get_analysis(VT_PANE(pane));
    vt_analysis_set_objects(analysis, VT_FILE_OBJECTS_OP, objects);
    vt_test_log("objects-restored %u", objects->objects->len);
    if (is_of_file(vt_analysis_get_op(analysis)) && !vt_analysis_get_live(analysis))
      show_all(
        analysis); /* they need no working out: without them classes, gates and plots would be of nothing until Run, and then of the view's alone */
    return;
  }
  g_autofree char *sentence =
    g_strdup_printf(_("The objects of the session are not there: %s"), vt_translate(error->message));
  vt_pane_show_error(VT_PANE(pane), sentence, VT_MESSAGE_LOSS);
}

void
vt_pane_restore_file_objects(VtPane *self, const VtSessionObjects *stored)
{
  Stored *data = g_new0(Stored, 1);
  *data = (Stored){ g_strdup(stored->file), vt_slide_ref(vt_pane_get_slide(self)) };
  vt_task_run(self, NULL, on_read, NULL, read_in_thread, data, stored_free);
}
