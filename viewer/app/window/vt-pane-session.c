/* SPDX-License-Identifier: MIT */
#include "window/vt-pane-session.h"

#include <glib/gi18n.h>
#include <math.h>
#include <openslide/openslide.h>

#include "base/vt-define.h"
#include "layers/vt-roi-item.h"
#include "layers/vt-shared-map.h"
#include "panels/vt-tables.h"
#include "plugins/vt-plugin-host.h"
#include "window/vt-pane-labels.h"
#include "window/vt-pane-objects.h"
#include "window/vt-tuning.h"
#include "window/vt-window-private.h"

static const char *const blends[] = { [VT_LAYER_BLEND_NORMAL] = "normal",
                                      [VT_LAYER_BLEND_MULTIPLY] = "multiply",
                                      [VT_LAYER_BLEND_SCREEN] = "screen",
                                      [VT_LAYER_BLEND_DIFFERENCE] = "difference" };

const char *
vt_pane_get_slide_hash(VtSlide *slide)
{
  return vt_slide_get_property(slide, OPENSLIDE_PROPERTY_NAME_QUICKHASH1);
}

/* --- storing --- */

/* Those that a person set. */
static void
store_settings(GPtrArray *settings, const VtParams *params)
{
  for (guint i = 0; i < params->op->n_params; i++) {
    g_autofree char *value = params->is_set[i] ? vt_params_dup_text(params, i) : NULL;
    if (value)
      g_ptr_array_add(settings, g_strdup_printf("%s=%s", params->op->params[i]->key, value));
  }
}

/* Of a recipe that is in no file. Owned; NULL: of others. */
static char *
dup_draft(const VitrailOp *op)
{
  return vt_op_is_draft(op) ? g_strdup(vt_recipe_get_text(vt_op_get_recipe(op))) : NULL;
}

static void
store_labels(VtSessionAnalysis *analysis, const VtPlacedLabels *labels)
{
  VtSessionLabels *stored = vt_session_analysis_add_labels(analysis);
  stored->file = g_strdup(labels->path);
  stored->file_path = g_strdup(labels->path);
  stored->x = labels->place.x_l0;
  stored->y = labels->place.y_l0;
  stored->pixel = labels->place.downsample;
  stored->is_by_piece = labels->labels == NULL;
}

static void
store_objects(VtSessionAnalysis *analysis, const VtFileObjects *objects)
{
  VtSessionObjects *stored = vt_session_analysis_add_objects(analysis);
  stored->file = g_strdup(objects->path);
  stored->file_path = g_strdup(objects->path);
}

static void
store_analysis(VtSessionView *view, VtAnalysis *analysis, const VitrailOp *op)
{
  const VtParams *params = vt_analysis_get_params_of(analysis, op->id);
  const char *recipe = vt_window_get_recipe_path(op);
  g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
  if (params)
    store_settings(settings, params);
  if (settings->len == 0 && !recipe && !vt_op_is_draft(op) && !(params && (params->labels || params->objects)))
    return;
  VtSessionAnalysis *stored = vt_session_view_add_analysis(view);
  g_ptr_array_extend_and_steal(stored->settings, g_steal_pointer(&settings));
  stored->op = g_strdup(op->id);
  stored->recipe = g_strdup(recipe);
  stored->recipe_text = dup_draft(op);
  if (params && params->labels)
    store_labels(stored, params->labels);
  if (params && params->objects)
    store_objects(stored, params->objects);
}

static void
store_snapshot(VtSessionView *view, const VtSnapshot *snapshot)
{
  const VtParams *params = snapshot->params;
  VtSessionSnapshot *stored = vt_session_view_add_snapshot(view);
  stored->name = g_strdup(snapshot->name);
  stored->op = g_strdup(params->op->id);
  stored->recipe = g_strdup(vt_window_get_recipe_path(params->op));
  stored->recipe_text = dup_draft(params->op);
  stored->is_in_px = !params->calibrated;
  store_settings(stored->settings, params);
}

static void
store_gate(VtSessionView *view, const VtGate *gate)
{
  VtSessionGate *stored = vt_session_view_add_gate(view);
  stored->name = g_strdup(gate->name);
  stored->parent = g_strdup(gate->parent);
  stored->color = g_strdup_printf("#%06x", (guint)gate->color);
  stored->text = g_strdup(gate->text);
}

static void
add_pair(GArray *numbers, double a, double b)
{
  g_array_append_val(numbers, a);
  g_array_append_val(numbers, b);
}

static void
store_layer(VtSessionView *view, VtLayer *layer)
{
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  const VitrailStage *stage = vt_layer_get_stage(layer);
  VtSessionLayer *stored = vt_session_view_add_layer(view);
  stored->stage = stage ? g_strdup(stage->id) : NULL;
  stored->is_shown = vt_layer_get_shown(layer);
  stored->is_outlined = coloring->outline;
  stored->is_locked = vt_layer_get_locked(layer);
  stored->is_shared = stage && vt_shared_map_get(layer);
  stored->is_alone = vt_layer_get_solo(layer);
  stored->opacity = vt_layer_get_opacity(layer);
  stored->blend = g_strdup(blends[vt_layer_get_blend(layer)]);
  stored->colormap = g_strdup(vt_colormap_get_id(coloring->map));
  stored->measure = g_strdup(vt_layer_get_measure(layer));
  if (vt_layer_has_own_range(layer) && isfinite(coloring->min) && isfinite(coloring->max))
    add_pair(stored->range, coloring->min, coloring->max);
  if (isfinite(coloring->shown_min) || isfinite(coloring->shown_max)) /* no limit is a number that no value reaches */
    add_pair(stored->threshold, fmax(coloring->shown_min, -1e300), fmin(coloring->shown_max, 1e300));
}

static void
store_look(VtPane *self, VtSessionView *view)
{
  VtCanvas *canvas = vt_pane_get_canvas(self);
  const VtViewport *seen = vt_canvas_get_view(canvas);
  const VtColourSettings *colour = vt_canvas_get_colour(canvas);
  view->downsample = vt_canvas_get_fitted(canvas) ? 0 : seen->downsample;
  view->x = seen->centre_x_l0;
  view->y = seen->centre_y_l0;
  view->angle = seen->angle;
  view->is_mirrored = seen->mirrored;
  view->brightness = colour->brightness;
  view->contrast = colour->contrast;
  view->gamma = colour->gamma;
  view->uses_profile = colour->managed;
}

static void
store_pins(VtPane *self, VtSessionView *view)
{
  VtStagePins *pins = vt_pane_get_stage_pins(self);
  VtCanvas *canvas = vt_pane_get_canvas(self);
  if (!vt_stage_pins_get(pins, VT_STAGE_PIN_A))
    return;
  const gboolean has_both = vt_stage_pins_get(pins, VT_STAGE_PIN_B) != NULL;
  const VtWipePlace line = vt_canvas_get_wipe_place(canvas);
  VtSessionPins *stored = vt_session_view_add_pins(view);
  for (guint i = 0; i < VT_N_STAGE_PINS; i++)
    if (vt_stage_pins_get(pins, i))
      g_ptr_array_add(stored->stages, g_strdup(vt_stage_pins_get(pins, i)));
  stored->is_shown = has_both && line.is_on; /* with one alone it is that of a pinned result, which is not kept */
  stored->is_difference = stored->is_shown && line.is_difference;
  stored->was_paused = stored->is_shown && vt_canvas_get_wipe_paused(canvas);
  stored->is_swapped = line.is_swapped;
  stored->x = line.x;
  stored->y = line.y;
  stored->angle = line.angle;
  stored->share = line.share;
}

static void
store_correction(const char *op, const VtCorrection *correction, gpointer view)
{
  VtSessionCorrection *stored = vt_session_view_add_correction(view);
  stored->op = g_strdup(op);
  stored->kind = g_strdup(vt_correction_kind_get_id(correction->kind));
  g_autoptr(GPtrArray) before = vt_correction_dup_before(correction), after = vt_correction_dup_after(correction);
  for (guint i = 0; i < before->len; i++)
    vt_session_outlines_add(stored->before, before->pdata[i]);
  for (guint i = 0; i < after->len; i++)
    vt_session_outlines_add(stored->after, after->pdata[i]);
}

void
vt_pane_store(VtPane *self, VtSessionView *view)
{
  VtSlide *slide = vt_pane_get_slide(self);
  VtAnalysis *analysis = vt_pane_get_analysis(self);
  const VitrailOp *op = vt_analysis_get_op(analysis);
  GPtrArray *ops = vt_plugin_host_get_ops(vt_plugin_host_get());
  GListModel *layers = vt_analysis_get_layers(analysis), *regions = vt_regions_get_list(vt_pane_get_regions(self));
  view->slide = g_canonicalize_filename(vt_slide_get_path(slide), NULL);
  view->slide_path = g_strdup(view->slide);
  view->hash = g_strdup(vt_pane_get_slide_hash(slide));
  store_look(self, view);
  view->op = op ? g_strdup(op->id) : NULL;
  view->is_live = vt_analysis_get_live(analysis);
  for (guint i = 0; i < ops->len; i++)
    store_analysis(view, analysis, ops->pdata[i]);
  const GPtrArray *listed = vt_pane_get_ops(self);
  for (guint i = 0; listed && i < listed->len; i++)
    if (vt_op_is_draft(listed->pdata[i]) || vt_op_is_own(listed->pdata[i]))
      store_analysis(view, analysis, listed->pdata[i]);
  VT_EACH_ITEM (VtLayer, layer, layers)
    store_layer(view, layer);
  VT_EACH_ITEM (VtRoiItem, item, regions)
    vt_session_view_add_region(view, vt_roi_item_get_roi(item), vt_roi_item_get_saved(item));
  const GArray *verdicts = vt_review_get_verdicts(vt_tuning_get(self)->review);
  VT_EACH_IN (const VtReviewVerdict, verdict, verdicts) {
    *vt_session_view_add_verdict(view) =
      (VtSessionVerdict){ verdict->x, verdict->y, verdict->verdict == VT_VERDICT_ACCEPTED,
                          verdict->verdict == VT_VERDICT_CORRECTED };
  }
  vt_corrector_foreach(vt_tuning_get(self)->corrector, store_correction, view);
  g_autoptr(GPtrArray) unsaved = vt_corrector_dup_unsaved(vt_tuning_get(self)->corrector);
  view->has_saved_corrections = unsaved->len == 0;
  const GPtrArray *gates = vt_gates_get(vt_tables_get_gates(vt_pane_get_tables(self)));
  for (guint i = 0; i < gates->len; i++)
    store_gate(view, gates->pdata[i]);
  view->is_by_gates = vt_gates_get_coloured(vt_tables_get_gates(vt_pane_get_tables(self)));
  view->is_classed_by_gates = vt_gates_get_classes(vt_tables_get_gates(vt_pane_get_tables(self)));
  g_autoptr(GPtrArray) models = vt_teacher_dup_texts(vt_tables_get_teacher(vt_pane_get_tables(self)));
  g_ptr_array_extend_and_steal(view->models, g_steal_pointer(&models));
  g_ptr_array_extend_and_steal(view->models, vt_lessons_dup_texts(vt_tuning_get(self)->lessons));
  VtGrader *grader = vt_tables_get_grader(vt_pane_get_tables(self));
  view->intensity =
    vt_grader_get_intensity(grader)->measurement ? vt_intensity_to_text(vt_grader_get_intensity(grader)) : NULL;
  view->is_by_thresholds = vt_grader_get_on(grader);
  vt_tables_store(vt_pane_get_tables(self), vt_session_view_add_table(view));
  store_pins(self, view);
  VtSnapshots *snapshots = vt_tuning_get(self)->snapshots;
  for (guint i = 0; i < vt_snapshots_get_n(snapshots); i++)
    store_snapshot(view, vt_snapshots_get(snapshots, i));
}

/* --- restoring --- */

/* A draft has its id again, unless another one has it by now. Nothing: it is broken, which is told in the view. */
static const char *
open_stored(VtPane *self, const char *recipe, const char *text, const char *op_id)
{
  g_autoptr(GError) error = NULL;
  if (recipe)
    vt_window_open_recipe_in(self, recipe); /* which tells what is wrong with it */
  const VitrailOp *draft = text ? vt_plugin_host_open_draft(vt_plugin_host_get(), text, op_id, &error) : NULL;
  if (error)
    vt_pane_show_error(self, error->message, VT_MESSAGE_LOSS);
  return draft ? draft->id : op_id;
}

static void
restore_analyses(VtPane *self, const VtSessionView *view)
{
  const char *chosen = view->op;
  VT_EACH_OF (const VtSessionAnalysis, stored, view->analyses) {
    const char *op_id = open_stored(self, stored->recipe, stored->recipe_text, stored->op);
    if (g_strcmp0(view->op, stored->op) == 0)
      chosen = op_id;
    g_autoptr(GPtrArray) settings = g_ptr_array_new();
    for (guint k = 0; k < stored->settings->len; k++)
      g_ptr_array_add(settings, stored->settings->pdata[k]);
    g_ptr_array_add(settings, NULL);
    vt_pane_apply_options(self, &(VtPaneOptions){ .op_id = op_id, .params = (const char *const *)settings->pdata });
    if (stored->labels->len > 0)
      vt_pane_restore_labels(self, op_id, stored->labels->pdata[0]);
    if (stored->objects->len > 0)
      vt_pane_restore_file_objects(self, stored->objects->pdata[0]);
  }
  if (chosen)
    vt_pane_apply_options(self, &(VtPaneOptions){ .op_id = chosen });
}

static gboolean
restore_snapshot(VtPane *self, const VtSessionSnapshot *stored, GError **error)
{
  const VitrailPlugin *plugin = NULL;
  const char *op_id = open_stored(self, stored->recipe, stored->recipe_text, stored->op);
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, &plugin);
  if (!op) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("There is no analysis “%s” here."), stored->op);
    return FALSE;
  }
  g_autoptr(VtParams) params = vt_params_new(op, !stored->is_in_px);
  for (guint i = 0; i < stored->settings->len; i++)
    if (!vt_params_set_from_string(params, stored->settings->pdata[i], error))
      return FALSE;
  return vt_snapshots_keep(vt_tuning_get(self)->snapshots, stored->name, plugin, params, NULL, error);
}

static void
restore_snapshots(VtPane *self, const VtSessionView *view)
{
  VT_EACH_OF (const VtSessionSnapshot, stored, view->snapshots) {
    g_autoptr(GError) error = NULL;
    if (restore_snapshot(self, stored, &error))
      continue;
    g_autofree char *sentence = g_strdup_printf(_("The snapshot “%s” is not there: %s"), stored->name, error->message);
    vt_pane_show_error(self, sentence, VT_MESSAGE_LOSS);
  }
}

static gboolean
restore_model(VtPane *self, const char *text, GError **error)
{
  g_autoptr(VtModel) model = vt_model_parse(text, _("Model"), NULL); /* what is wrong with it is told by the teacher */
  if (!model || !model->score)
    return vt_teacher_restore(vt_tables_get_teacher(vt_pane_get_tables(self)), text, error);
  g_autoptr(VtTaught) taught = vt_model_new_taught(model, error);
  if (taught)
    vt_lessons_restore(vt_tuning_get(self)->lessons, taught, model->op);
  return taught != NULL;
}

static void
restore_models(VtPane *self, const VtSessionView *view)
{
  for (guint i = 0; i < view->models->len; i++) {
    g_autoptr(GError) error = NULL;
    if (restore_model(self, view->models->pdata[i], &error))
      continue;
    g_autofree char *sentence = g_strdup_printf(_("A model is not there: %s"), error->message);
    vt_pane_show_error(self, sentence, VT_MESSAGE_LOSS);
  }
}

static void
restore_intensity(VtPane *self, const VtSessionView *view)
{
  VtGrader *grader = vt_tables_get_grader(vt_pane_get_tables(self));
  VtIntensity intensity = *vt_grader_get_intensity(grader);
  g_autoptr(GError) error = NULL;
  if (!view->intensity || vt_intensity_parse(view->intensity, &intensity, &error)) {
    vt_grader_restore(grader, &intensity, view->is_by_thresholds);
    return;
  }
  g_autofree char *sentence = g_strdup_printf(_("The thresholds of the classes are not there: %s"), error->message);
  vt_pane_show_error(self, sentence, VT_MESSAGE_LOSS);
}

/* What a person has written into the file by hand may make no sense. */
static void
restore_corrections(VtPane *self, const VtSessionView *view)
{
  VtCorrector *corrector = vt_tuning_get(self)->corrector;
  guint n_wrong = 0;
  VT_EACH_OF (const VtSessionCorrection, stored, view->corrections) {
    g_autoptr(VtCorrection) correction =
      vt_correction_new(vt_correction_kind_from_id(stored->kind), vt_session_outlines_dup_rois(stored->before),
                        vt_session_outlines_dup_rois(stored->after));
    if (vt_correction_is_sound(correction))
      vt_corrector_restore(corrector, stored->op, g_steal_pointer(&correction));
    else
      n_wrong++;
  }
  g_autoptr(GPtrArray) restored = vt_corrector_dup_unsaved(corrector);
  if (view->has_saved_corrections)
    vt_corrector_set_saved(corrector, restored);
  if (n_wrong == 0)
    return;
  g_autofree char *sentence =
    g_strdup_printf(g_dngettext(NULL,
                                "%u correction of the session makes no sense and was left out: a kind that is not "
                                "known, or outlines that do not fit it.",
                                "%u corrections of the session make no sense and were left out: a kind that is not "
                                "known, or outlines that do not fit it.",
                                n_wrong),
                    n_wrong);
  vt_pane_show_error(self, sentence, VT_MESSAGE_LOSS);
}

static void
restore_gates(VtPane *self, const VtSessionView *view)
{
  g_autoptr(GPtrArray) gates = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  g_autoptr(GError) error = NULL;
  VT_EACH_OF (const VtSessionGate, stored, view->gates) {
    const gint32 color = vt_roi_parse_color(stored->color);
    g_ptr_array_add(gates, vt_gate_new(stored->name, stored->parent, stored->text, MAX(color, 0)));
  }
  if (vt_gates_restore(vt_tables_get_gates(vt_pane_get_tables(self)), gates, &error)) {
    if (view->is_by_gates)
      vt_gates_set_coloured(vt_tables_get_gates(vt_pane_get_tables(self)), TRUE);
    vt_gates_restore_classes(vt_tables_get_gates(vt_pane_get_tables(self)), view->is_classed_by_gates);
    return;
  }
  g_autofree char *sentence = g_strdup_printf(_("The gates are not there: %s"), error->message);
  vt_pane_show_error(self, sentence, VT_MESSAGE_LOSS);
}

static VtLayer *
find_layer(GListModel *layers, const char *stage_id, guint *place)
{
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    const VitrailStage *stage = vt_layer_get_stage(layer);
    *place = i;
    if (g_strcmp0(stage ? stage->id : NULL, stage_id) == 0)
      return layer; /* the list holds it */
  }
  return NULL;
}

static guint
find_word(const char *word, const char *const *words, guint n, guint otherwise)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0(word, words[i]) == 0)
      return i;
  return otherwise;
}

static void
restore_layer(VtLayer *layer, const VtSessionLayer *stored)
{
  const GArray *range = stored->range, *threshold = stored->threshold;
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  const guint blend = find_word(stored->blend, blends, G_N_ELEMENTS(blends), vt_layer_get_blend(layer));
  VtColormap map = coloring->map;
  for (int i = 0; i < VT_N_COLORMAPS; i++)
    if (g_strcmp0(stored->colormap, vt_colormap_get_id((VtColormap)i)) == 0)
      map = (VtColormap)i;
  if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS)
    vt_layer_set_measure(layer, stored->measure);
  g_object_set(layer, "shown", stored->is_shown, "opacity", stored->opacity, "blend", blend, "colormap", (guint)map,
               "outline", stored->is_outlined, NULL);
  if (range->len == 2)
    vt_layer_set_range(layer, g_array_index(range, double, 0), g_array_index(range, double, 1));
  if (threshold->len == 2) {
    const double low = g_array_index(threshold, double, 0), high = g_array_index(threshold, double, 1);
    vt_layer_set_threshold(layer, low <= -1e300 ? -INFINITY : low, high >= 1e300 ? INFINITY : high);
  }
  if (stored->is_shared)
    vt_shared_map_set(layer, TRUE);
}

static void
restore_layers(VtPane *self, const VtSessionView *view)
{
  VtAnalysis *analysis = vt_pane_get_analysis(self);
  GListModel *layers = vt_analysis_get_layers(analysis);
  guint place = 0;
  for (guint i = 0, next = 0; i < view->layers->len; i++) {
    const VtSessionLayer *stored = view->layers->pdata[i];
    VtLayer *layer = find_layer(layers, stored->stage, &place);
    if (!layer)
      continue;
    if (stored->stage)
      vt_analysis_move_layer(analysis, layer, (int)next - (int)place);
    restore_layer(layer, stored);
    next++;
  }
  VT_EACH_OF (const VtSessionLayer, stored, view->layers) { /* those that are locked do not move */
    VtLayer *layer = find_layer(layers, stored->stage, &place);
    if (layer)
      g_object_set(layer, "locked", stored->is_locked, "solo", stored->is_alone, NULL);
  }
}

static void
restore_pins(VtPane *self, const VtSessionPins *stored)
{
  const guint n = stored->stages->len;
  const char *a = n > 0 ? stored->stages->pdata[0] : NULL, *b = n > 1 ? stored->stages->pdata[1] : NULL;
  if (!a || n > VT_N_STAGE_PINS || !vt_stage_pins_set(vt_pane_get_stage_pins(self), a, b)) {
    vt_pane_show_error(self, _("The pinned stages of the session are not there: its analysis has no such stages."),
                       VT_MESSAGE_LOSS);
    return;
  }
  const VtWipePlace line = { stored->is_shown, stored->is_difference, stored->is_swapped, stored->x,
                             stored->y,        stored->angle,         stored->share };
  vt_canvas_set_wipe_place(vt_pane_get_canvas(self), &line);
  if (stored->was_paused)
    vt_pane_show_error(
      self,
      _("Stage A was paused. Sessions keep no results: it shows the present analysis now, and P pauses "
        "it again."),
      VT_MESSAGE_STATE);
}

static void
restore_regions(VtPane *self, const VtSessionView *view)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  VT_EACH_OF (const VtSessionRegion, region, view->regions) {
    VtRoiItem *item = vt_roi_item_new(vt_session_region_dup_roi(region));
    vt_roi_item_set_saved(item, region->is_saved);
    g_ptr_array_add(items, item);
  }
  vt_regions_restore(vt_pane_get_regions(self), items);
}

void
vt_pane_restore(VtPane *self, const VtSessionView *view)
{
  VtCanvas *canvas = vt_pane_get_canvas(self);
  const VtColourSettings colour = { view->brightness, view->contrast, view->gamma, view->uses_profile };
  const VtViewport seen = { .centre_x_l0 = view->x,
                            .centre_y_l0 = view->y,
                            .downsample = view->downsample,
                            .angle = fmod(view->angle, 360),
                            .mirrored = view->is_mirrored };
  vt_canvas_set_colour(canvas, &colour);
  vt_canvas_set_view(canvas, &seen);
  restore_regions(self, view);
  restore_snapshots(self, view); /* recipes of theirs are chosen on the way */
  restore_models(self, view);
  restore_intensity(self, view);
  restore_corrections(self, view);
  restore_gates(self, view);
  if (view->table->len > 0)
    vt_tables_restore(vt_pane_get_tables(self), view->table->pdata[0]);
  restore_analyses(self, view);
  VT_EACH_OF (const VtSessionVerdict, verdict, view->verdicts) {
    vt_review_judge(vt_tuning_get(self)->review, verdict->x, verdict->y,
                    verdict->is_corrected  ? VT_VERDICT_CORRECTED
                    : verdict->is_accepted ? VT_VERDICT_ACCEPTED
                                           : VT_VERDICT_REJECTED);
  }
  restore_layers(self, view);
  if (view->pins->len > 0)
    restore_pins(self, view->pins->pdata[0]);
  if (view->is_live)
    vt_analysis_set_live(vt_pane_get_analysis(self), TRUE);
  vt_undo_clear(vt_regions_get_undo(vt_pane_get_regions(self))); /* how it opens is no step of a person */
}
