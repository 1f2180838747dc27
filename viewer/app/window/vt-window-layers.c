/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-hand.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "layers/vt-shared-map.h"
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

static void
step_object(VtWindow *self, int step)
{
  VtPane *pane = vt_window_get_pane(self);
  if (vt_object_hand_step(vt_pane_get_canvas(pane), vt_pane_get_analysis(pane), step))
    return;
  g_autofree char *sentence =
    g_strdup_printf("%s %s", _("No objects here."),
                    _("Either none were found, or no analysis that makes objects, such as Nuclei, has run yet (F5)."));
  vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
}

VT_ACT(next, step_object(VT_WINDOW(window), 1))
VT_ACT(previous, step_object(VT_WINDOW(window), -1))
VT_ACT(unselect, vt_object_hand_unselect(vt_pane_get_analysis(vt_window_get_pane(VT_WINDOW(window)))))

/* Layers of the present analysis in which objects stand out. Owned. */
static GPtrArray *
dup_layers(VtWindow *self, gboolean objects_only)
{
  GListModel *all = vt_analysis_get_layers(vt_pane_get_analysis(vt_window_get_pane(self)));
  GPtrArray *layers = g_ptr_array_new_with_free_func(g_object_unref);
  VT_EACH_ITEM (VtLayer, layer, all) {
    const VitrailStage *stage = vt_layer_get_stage(layer);
    const gboolean has_edges = !vt_layer_is_scalar(layer) && !vt_layer_is_colour(layer);
    if (stage && (objects_only ? stage->kind == VITRAIL_STAGE_OBJECTS : has_edges))
      g_ptr_array_add(layers, g_steal_pointer(&layer));
  }
  return layers;
}

static void
act_show_regions(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtCanvas *canvas = vt_pane_get_canvas(pane);
  const gboolean shown = !vt_canvas_get_rois_shown(canvas);
  vt_canvas_set_rois_shown(canvas, shown);
  vt_test_log("regions-shown %d", shown);
  if (!shown)
    vt_window_toast(window, _("Regions are hidden. A shows them again."));
}

static void
act_show_objects(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) layers = dup_layers(window, TRUE);
  gboolean shown = FALSE;
  for (guint i = 0; i < layers->len; i++)
    shown |= vt_layer_get_shown(g_ptr_array_index(layers, i));
  for (guint i = 0; i < layers->len; i++)
    vt_layer_set_shown(g_ptr_array_index(layers, i), !shown);
}

static void
act_fill_objects(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) layers = dup_layers(window, FALSE);
  gboolean outlined = FALSE;
  for (guint i = 0; i < layers->len; i++)
    outlined |= vt_layer_get_seen(layers->pdata[i]) && vt_layer_get_coloring(layers->pdata[i])->outline;
  for (guint i = 0; i < layers->len; i++)
    g_object_set(layers->pdata[i], "outline", !outlined, NULL);
}

/* Of the uppermost layer that is seen and has a range. */
static void
act_same_map(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtLayer *found = NULL;
  VT_EACH_ITEM (VtLayer, layer, vt_analysis_get_layers(vt_pane_get_analysis(pane)))
    found = vt_layer_get_seen(layer) && vt_layer_has_range(layer) ? layer : found; /* the list holds it */
  if (found)
    vt_shared_map_set(found, !vt_shared_map_get(found));
  else
    vt_pane_show_error(pane,
                       _("No layer with a range is shown: a quantity, or objects in the colours of a measurement (“By” "
                         "in the layer's settings)."),
                       VT_MESSAGE_ANSWER);
}

static void
act_stages(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  self->stages = !self->stages;
  g_simple_action_set_state(action, g_variant_new_boolean(self->stages));
  vt_window_show_panels(self);
}

VT_ACT(next_stage, vt_stage_rail_walk(VT_WINDOW(window)->stage_rail, 1))
VT_ACT(previous_stage, vt_stage_rail_walk(VT_WINDOW(window)->stage_rail, -1))

static void
act_up_to_stage(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (!vt_stage_rail_show_up_to(VT_WINDOW(window)->stage_rail))
    vt_window_toast(window, _("Look at one stage alone first: ] and [ walk through them."));
}

const GActionEntry vt_window_layers_actions[] = {
  { .name = "stages", .activate = act_stages, .state = "false" },
  { .name = "next-stage", .activate = act_next_stage },
  { .name = "previous-stage", .activate = act_previous_stage },
  { .name = "up-to-stage", .activate = act_up_to_stage },
  { .name = "next-object", .activate = act_next },
  { .name = "previous-object", .activate = act_previous },
  { .name = "unselect-object", .activate = act_unselect },
  { .name = "show-regions", .activate = act_show_regions },
  { .name = "show-objects", .activate = act_show_objects },
  { .name = "same-map", .activate = act_same_map },
  { .name = "fill-objects", .activate = act_fill_objects },
  { NULL },
};
