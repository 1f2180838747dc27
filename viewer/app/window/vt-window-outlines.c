/* SPDX-License-Identifier: MIT
 *
 * Outlines of the regions that are selected in the table: joined, taken apart, split along a line, simplified, and tiles as large as one of them; each a step that can be undone. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "analysis/vt-region-edits.h"
#include "analysis/vt-region-tiles.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "window/vt-pane-document.h"

static GPtrArray *
dup_selected(gpointer window)
{
  return vt_roi_table_dup_selected(vt_pane_get_roi_table(vt_window_get_pane(window)));
}

/* A toast that can undo it, or the sentence why not. */
static void
tell(gpointer window, const char *done, const GError *error)
{
  VtPane *pane = vt_window_get_pane(window);
  if (error)
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
  else
    vt_window_toast_step(window, vt_regions_get_undo(vt_pane_get_regions(pane)), done);
}

static void
act_join(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) items = dup_selected(window);
  g_autoptr(GError) error = NULL;
  const guint n = items->len;
  if (vt_region_edits_join(vt_pane_get_regions(vt_window_get_pane(window)), items, &error))
    vt_test_log("regions-joined %u", n);
  g_autofree char *text = g_strdup_printf(g_dngettext(NULL, "%u region is one now", "%u regions are one now", n), n);
  tell(window, text, error);
}

static void
act_part(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) items = dup_selected(window);
  g_autoptr(GError) error = NULL;
  const guint n = vt_region_edits_part(vt_pane_get_regions(vt_window_get_pane(window)), items, &error);
  vt_test_log("regions-parted %u", n);
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%u region for its piece", "%u regions, one for each piece", n), n);
  tell(window, text, error);
}

/* The line that is selected; of none the last one. NULL, and a sentence: there is none, or several are selected. */
static VtRoiItem *
find_line(VtPane *pane, GPtrArray *selected)
{
  VtRoiItem *line = NULL;
  guint n = 0;
  for (guint i = 0; i < selected->len; i++)
    if (vt_roi_item_get_roi(selected->pdata[i])->kind == VT_SHAPE_LINE) {
      line = selected->pdata[i];
      n++;
    }
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_list(vt_pane_get_regions(pane)))
    if (n == 0 && vt_roi_item_get_roi(item)->kind == VT_SHAPE_LINE)
      line = item; /* the list holds it */
  if (!line || n > 1)
    vt_pane_show_error(pane,
                       line ? _("Several lines are selected: regions are split along one.")
                            : _("Draw a line over the region first: L."),
                       VT_MESSAGE_ANSWER);
  return n > 1 ? NULL : line;
}

static void
act_split(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GPtrArray) selected = dup_selected(window);
  g_autoptr(GPtrArray) areas = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(pane));
  g_autoptr(GError) error = NULL;
  VtRoiItem *line = find_line(pane, selected);
  if (!line)
    return;
  const guint n = vt_region_edits_split(vt_pane_get_regions(pane), areas, line, &error);
  vt_test_log("regions-split %u", n);
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%u region along the line", "%u regions along the line", n), n);
  tell(window, text, error);
}

/* As far as a pixel of the screen: what is seen now does not change. */
static void
act_simplify(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  const VtViewport *view = vt_canvas_get_view(vt_pane_get_canvas(pane));
  const double tolerance = view->downsample;
  g_autoptr(GPtrArray) items = dup_selected(window);
  g_autoptr(GError) error = NULL;
  const guint n = vt_region_edits_simplify(vt_pane_get_regions(pane), items, tolerance, &error);
  vt_test_log("regions-simplified %u %g", n, tolerance);
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%u corner less; no outline moved by more than %.3g pixels of the slide",
                                "%u corners less; no outline moved by more than %.3g pixels of the slide", n),
                    n, tolerance);
  tell(window, text, error);
}

/* Where tiles are to lie: in the smallest region that has this one in it, or of none in what is seen. NULL and a sentence. */
static VtRoi *
find_place(VtPane *pane, VtRoiItem *like, char **name, GError **error)
{
  VtRoiItem *parent = vt_region_tree_get_parent(vt_regions_get_tree(vt_pane_get_regions(pane)), like);
  gint64 width, height;
  vt_slide_get_level_size(vt_pane_get_slide(pane), 0, &width, &height);
  g_autoptr(VtRoi) slide = vt_roi_new_rectangle(NULL, 0, 0, (double)width, (double)height);
  VtRoi *place = parent ? vt_roi_combine(vt_roi_item_get_roi(parent), slide, VT_ROI_INTERSECTION, error)
                        : vt_pane_new_view_roi(pane);
  *name = parent ? g_strdup_printf("“%s”", vt_roi_item_get_roi(parent)->name) : g_strdup(_("what is seen"));
  if (!place && !*error)
    vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s", _("There is nothing of the slide in it."));
  return place;
}

static void
act_tile(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GPtrArray) areas = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(pane));
  g_autoptr(GError) error = NULL;
  g_autofree char *name = NULL;
  if (areas->len != 1) {
    vt_pane_show_error(pane, _("Select one region: the tiles are as large as it is."), VT_MESSAGE_ANSWER);
    return;
  }
  VtRoiItem *like = areas->pdata[0];
  g_autoptr(VtRoi) place = find_place(pane, like, &name, &error);
  const guint n = place ? vt_region_tiles_add(vt_pane_get_regions(pane), like, place, &error) : 0;
  vt_test_log("regions-tiled %u", n);
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%u tile as large as “%s”, in %s", "%u tiles as large as “%s”, in %s", n), n,
                    vt_roi_item_get_roi(like)->name, name);
  tell(window, text, error);
}

const GActionEntry vt_window_outlines_actions[] = {
  { .name = "regions-join", .activate = act_join },   { .name = "regions-part", .activate = act_part },
  { .name = "regions-split", .activate = act_split }, { .name = "regions-simplify", .activate = act_simplify },
  { .name = "regions-tile", .activate = act_tile },   { NULL },
};
