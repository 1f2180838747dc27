/* SPDX-License-Identifier: MIT */
#include "window/vt-pane-regions.h"

#include <glib/gi18n.h>

#include "analysis/vt-region-edits.h"
#include "common/vt-test-log.h"
#include "panels/vt-correction-card.h"
#include "window/vt-tuning.h"

void
vt_pane_say_of_drawing(VtPane *pane, const char *sentence)
{
  vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
}

/* A sentence, and NULL, where it is not one region that is selected. */
static VtRoiItem *
get_selected(VtPane *pane, GPtrArray *selected)
{
  if (selected->len == 1)
    return selected->pdata[0];
  vt_pane_show_error(pane,
                     selected->len == 0
                       ? _("Select the region in the table first that Shift adds to and Alt takes from.")
                       : _("Select one region alone: Shift adds to it, Alt takes from it."),
                     VT_MESSAGE_ANSWER);
  return NULL;
}

static void
combine(VtPane *pane, const VtRoi *shape, VtRoiSet how)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(vt_pane_get_roi_table(pane));
  VtRoiItem *item = get_selected(pane, selected);
  g_autoptr(GError) error = NULL;
  if (!item)
    return;
  if (!vt_region_edits_combine(vt_pane_get_regions(pane), item, shape, how, &error))
    vt_pane_say_of_drawing(pane, error->message);
  else
    vt_test_log("roi-combined %d", how);
}

static void
correct(VtPane *pane, const VtRoi *shape, VtShapeUse use)
{
  VtCorrector *corrector = vt_tuning_get(pane)->corrector;
  g_autoptr(GError) error = NULL;
  const gboolean is_done = use == VT_SHAPE_SPLITS
                             ? vt_corrector_split(corrector, shape->points, &error)
                             : vt_corrector_draw(corrector, shape, use == VT_SHAPE_REDRAWS, &error);
  if (!is_done)
    vt_pane_say_of_drawing(pane, error->message);
  else if (use == VT_SHAPE_REDRAWS) /* of one object */
    vt_canvas_set_tool(vt_pane_get_canvas(pane), VT_TOOL_MOVE);
}

/* To the points that are selected alone, else to new ones, which are selected then. */
static void
add_point(VtPane *pane, const VtRoi *point)
{
  VtRoiTable *table = vt_pane_get_roi_table(pane);
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(table);
  g_autoptr(GError) error = NULL;
  VtRoiItem *former =
    selected->len == 1 && vt_roi_item_get_roi(selected->pdata[0])->kind == VT_SHAPE_POINTS ? selected->pdata[0] : NULL;
  VtRoiItem *item = vt_region_edits_add_point(vt_pane_get_regions(pane), former, point, &error);
  if (!item) {
    vt_pane_say_of_drawing(pane, error->message);
    return;
  }
  vt_test_log("point-added %u", vt_roi_item_get_roi(item)->points->len / 2);
  if (former)
    return;
  g_signal_emit_by_name(pane, "regions-wanted");
  vt_roi_table_select(table, item);
}

static void
on_roi_drawn(VtPane *pane, const VtRoi *shape, VtShapeUse use)
{
  VtRegions *regions = vt_pane_get_regions(pane);
  if (use >= VT_SHAPE_IS_OBJECT) {
    correct(pane, shape, use);
    return;
  }
  vt_canvas_set_rois_shown(vt_pane_get_canvas(pane), TRUE);
  if (use == VT_SHAPE_IS_NEW && shape->kind == VT_SHAPE_POINTS) {
    add_point(pane, shape);
    return;
  }
  if (use != VT_SHAPE_IS_NEW) {
    combine(pane, shape, use == VT_SHAPE_ADDS ? VT_ROI_UNION : VT_ROI_DIFFERENCE);
    return;
  }
  vt_regions_draw(regions, shape);
  vt_test_log("roi-added %u", g_list_model_get_n_items(vt_regions_get_list(regions)));
  g_signal_emit_by_name(pane, "regions-wanted");
}

static void
on_roi_reshaped(VtPane *pane, VtRoiItem *item, const VtRoi *shape)
{
  g_autoptr(GError) error = NULL;
  if (!vt_region_edits_reshape(vt_pane_get_regions(pane), item, vt_roi_copy(shape), &error))
    vt_pane_say_of_drawing(pane, error->message);
  else
    vt_test_log("roi-reshaped %u", shape->points->len / 2);
}

static void
show_selected(VtPane *pane)
{
  if (!vt_pane_get_roi_table(pane))
    return;
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(vt_pane_get_roi_table(pane));
  vt_canvas_set_selected_rois(vt_pane_get_canvas(pane), selected);
  g_autoptr(GPtrArray) areas = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(pane));
  vt_texture_set_region(vt_tuning_get(pane)->texture, areas->len > 0 ? vt_roi_item_get_roi(areas->pdata[0]) : NULL);
}

static void
on_changed(VtPane *pane, gboolean outlines)
{
  vt_pane_move_on(pane);
  show_selected(pane);
  if (outlines)
    vt_analysis_rois_changed(vt_pane_get_analysis(pane));
}

/* Once for all of a step; nothing that is seen is of the former outlines. */
static void
on_measurements_gone(VtPane *pane, guint n)
{
  g_autofree char *sentence =
    g_strdup_printf(g_dngettext(NULL,
                                "The measurements that were read from a file were of the former outline of %u "
                                "region, and went with it. Undo brings both back.",
                                "The measurements that were read from a file were of the former outlines of %u "
                                "regions, and went with them. Undo brings both back.",
                                n),
                    n);
  vt_test_log("measurements-gone %u", n);
  vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
}

static void
on_activated(VtPane *pane, VtRoiItem *item)
{
  double x, y, width, height;
  vt_roi_get_bounds(vt_roi_item_get_roi(item), &x, &y, &width, &height);
  vt_canvas_centre_on(vt_pane_get_canvas(pane), x + width / 2, y + height / 2);
}

void
vt_pane_regions_attach(VtPane *pane)
{
  VtRoiTable *table = vt_pane_get_roi_table(pane);
  VtRegions *regions = vt_pane_get_regions(pane);
  g_signal_connect_object(vt_pane_get_canvas(pane), "roi-drawn", G_CALLBACK(on_roi_drawn), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_pane_get_canvas(pane), "failed", G_CALLBACK(vt_pane_say_of_drawing), pane,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_pane_get_canvas(pane), "roi-reshaped", G_CALLBACK(on_roi_reshaped), pane,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(table, "selected", G_CALLBACK(show_selected), pane, G_CONNECT_SWAPPED);
  GtkWidget *objects = gtk_stack_get_child_by_name(vt_pane_get_tables(pane), "objects");
  gtk_box_append(GTK_BOX(objects), vt_correction_label_new(vt_tuning_get(pane)->corrector));
  g_signal_connect_object(vt_tuning_get(pane)->corrector, "made", G_CALLBACK(vt_pane_move_on), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_tuning_get(pane)->lessons, "failed", G_CALLBACK(vt_pane_say_of_drawing), pane,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(table, "activated", G_CALLBACK(on_activated), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions, "changed", G_CALLBACK(on_changed), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions, "measurements-gone", G_CALLBACK(on_measurements_gone), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_regions_get_list(regions), "items-changed", G_CALLBACK(show_selected), pane,
                          G_CONNECT_SWAPPED);
}
