/* SPDX-License-Identifier: MIT
 *
 * The score of a view against a truth: the first from outlines, those after it from pairs that the runs have counted, all with the figures of the outlines.
 * usage: app-truth DEMO-SLIDE-GENERATOR */
#include <glib/gstdio.h>

#include "app-support.h"
#include "analysis/vt-reference.h"
#include "layers/vt-roi-item.h"
#include "plugins/vt-plugin-host.h"

static VtAnalysis *analysis;
static VtReference *reference;

static gboolean
is_at_rest(gpointer unused)
{
  return vt_analysis_get_result(analysis) && !vt_analysis_get_running(analysis);
}

static gboolean
is_compared(gpointer unused)
{
  return is_at_rest(NULL) && vt_reference_is_current(reference) && vt_reference_get_comparison(reference);
}

static void
run_with(const char *setting)
{
  g_assert_true(vt_analysis_set_param_text(analysis, setting, NULL));
  vt_analysis_run(analysis);
  spin_until(is_at_rest, NULL);
}

/* What is shown is what the outlines give. */
static void
check_figures(void)
{
  const VtResult *result = vt_analysis_get_result(analysis);
  const VtComparison *shown = vt_reference_get_comparison(reference);
  const double box[4] = { (double)shown->x_l0, (double)shown->y_l0, (double)(shown->x_l0 + shown->width_l0),
                          (double)(shown->y_l0 + shown->height_l0) };
  g_autoptr(GPtrArray) present = vt_result_collect_outlines(result, box, NULL);
  g_autoptr(VtTrueObjects) truth = vt_true_objects_new((GPtrArray *)vt_reference_get_outlines(reference), NULL, box);
  g_autoptr(VtComparison) anew = vt_compare_truth(truth, present, shown->downsample, NULL, NULL, 0, NULL);
  g_assert_cmpmem(shown->counts, sizeof shown->counts, anew->counts, sizeof anew->counts);
  g_assert_true(shown->n_present == anew->n_present && shown->n_reference == anew->n_reference
                && shown->n_cut == anew->n_cut);
  g_assert_true(shown->f1_50 == anew->f1_50 && shown->f1_70 == anew->f1_70 && shown->aji == anew->aji
                && shown->pq == anew->pq);
  g_assert_cmpuint(shown->n_present, >, 20);
}

static void
take_truth(void)
{
  g_autofree char *path = g_build_filename(folder, "truth.geojson", NULL);
  g_assert_true(vt_result_write_geojson(vt_analysis_get_result(analysis), path, NULL));
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, NULL, NULL);
  g_assert_true(shapes && vt_reference_take(reference, shapes, NULL));
  g_unlink(path);
}

static void
test_counted(void)
{
  static const char *const settings[] = { "threshold=0.1", "threshold=0.2", "threshold=0.15" };
  run_with("threshold=0.3");
  take_truth();
  spin_until(is_compared, NULL);
  g_assert_null(vt_analysis_get_result(analysis)->overlaps);
  check_figures();
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    run_with(settings[i]);
    g_assert_nonnull(vt_analysis_get_result(analysis)->overlaps);
    spin_until(is_compared, NULL);
    check_figures();
  }
  vt_reference_clear(reference);
  run_with("threshold=0.25");
  g_assert_null(vt_analysis_get_result(analysis)->overlaps);
}

int
main(int argc, char **argv)
{
  const VitrailPlugin *plugin = NULL;
  const VtViewport view = {
    .width_px = 500, .height_px = 400, .centre_x_l0 = 1024, .centre_y_l0 = 1000, .downsample = 1
  };
  begin_with_slide(&argc, &argv, "2048");
  g_autoptr(GListStore) rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  analysis = vt_analysis_new(G_LIST_MODEL(rois));
  reference = vt_reference_new(analysis);
  vt_analysis_set_slide(analysis, slide);
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  vt_analysis_set_op(analysis, plugin, op);
  vt_analysis_set_view(analysis, &view, FALSE);
  g_test_add_func("/truth/counted", test_counted);
  const int status = g_test_run();
  g_object_unref(reference);
  g_object_unref(analysis);
  return end_with_slide(status);
}
