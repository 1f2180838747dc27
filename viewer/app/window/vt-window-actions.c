/* SPDX-License-Identifier: MIT */
#include "window/vt-autosave.h"
#include "window/vt-window-private.h"

#include "analysis/vt-region-edits.h"
#include "common/vt-action-list.h"
#include "common/vt-settings.h"
#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "common/vt-translate.h"
#include "dialogs/vt-palette.h"
#include "dialogs/vt-shortcuts-window.h"
#include "panels/vt-object-table.h"
#include "panels/vt-tables.h"

static VtAnalysis *
get_analysis(gpointer window)
{
  return vt_pane_get_analysis(vt_window_get_pane(window));
}

VT_ACT(open, vt_window_choose_slide(VT_WINDOW(window)))

static void
act_open_uri(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));
  vt_window_open(VT_WINDOW(window), file, NULL);
}

static void
act_run(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtRegions *regions = vt_pane_get_regions(pane);
  const guint n_areas = g_list_model_get_n_items(vt_regions_get_areas(regions));
  vt_pane_run(pane);
  if (VT_WINDOW(window)->run_on == VT_RUN_ON_REGIONS && n_areas > 0
      && g_list_model_get_n_items(vt_regions_get_list(regions)) > n_areas) {
    AdwToast *toast = adw_toast_new(_("Lines and points have no area: the analysis is of the other regions."));
    adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH); /* it is of this run, and does not wait for others */
    vt_toast_show(VT_WINDOW(window)->toasts, toast);
  }
}

static void
act_run_on(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  g_simple_action_set_state(action, parameter);
  self->run_on = vt_run_on_from_id(g_variant_get_string(parameter, NULL));
  g_object_set(vt_settings_get(), "run-on", vt_run_on_get_id(self->run_on), NULL);
  for (guint i = 0; i < panes->len; i++)
    vt_analysis_set_run_on(vt_pane_get_analysis(panes->pdata[i]), self->run_on);
}

VT_ACT(cancel, vt_analysis_cancel(get_analysis(window)))

static void
act_live(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtAnalysis *analysis = get_analysis(window);
  vt_analysis_set_live(analysis, !vt_analysis_get_live(analysis));
}

static void
act_set_parameter(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (!vt_analysis_set_param_text(get_analysis(window), g_variant_get_string(parameter, NULL), &error)) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return;
  }
  vt_pane_move_on(pane);
  vt_analysis_run(get_analysis(window));
}

VT_ACT(retry, vt_pane_retry(vt_window_get_pane(window)))
VT_ACT(close_message, vt_pane_hide_error(vt_window_get_pane(window)))

static void
act_delete_roi(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(vt_pane_get_roi_table(pane));
  guint n_locked;
  const guint n = vt_region_edits_remove(vt_pane_get_regions(pane), selected, &n_locked);
  if (n > 0) {
    g_autofree char *text = g_strdup_printf(g_dngettext(NULL, "%u region deleted", "%u regions deleted", n), n);
    vt_window_toast_step(window, vt_regions_get_undo(vt_pane_get_regions(pane)), text);
    vt_test_log("roi-deleted %u", n);
  }
  if (n_locked > 0) {
    g_autofree char *sentence =
      g_strdup_printf(g_dngettext(NULL, "%u region is locked and was not deleted: F2 unlocks it.",
                                  "%u regions are locked and were not deleted: F2 unlocks them.", n_locked),
                      n_locked);
    vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
  }
}

/* What the key deletes: the regions that are selected, else the objects. */
static void
act_delete(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(vt_pane_get_roi_table(vt_window_get_pane(window)));
  if (selected->len > 0)
    act_delete_roi(action, parameter, window);
  else
    vt_window_correct_delete(window);
}

static void
act_edit_regions(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  gtk_stack_set_visible_child_name(vt_pane_get_tables(pane), "regions");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
  vt_roi_table_edit(vt_pane_get_roi_table(pane));
}

VT_ACT(undo, vt_undo_undo(vt_regions_get_undo(vt_pane_get_regions(vt_window_get_pane(window)))))
VT_ACT(redo, vt_undo_redo(vt_regions_get_undo(vt_pane_get_regions(vt_window_get_pane(window)))))

/* Where they are changed: in the panel of the analysis that makes the table. */
static void
act_texture_settings(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const VtPaneOptions options = { .op_id = VT_ROI_OP };
  vt_window_apply_options(window, &options);
  adw_flap_set_reveal_flap(VT_WINDOW(window)->flap, TRUE);
}

VT_ACT(estimate_stains, vt_window_estimate_stains(window))
VT_ACT(export_results,
       vt_window_export_asking(VT_WINDOW(window), parameter ? g_variant_get_string(parameter, NULL) : NULL,
                               vt_window_export_results))
VT_ACT(export_rois, vt_window_save_regions_async(VT_WINDOW(window), vt_window_get_pane(window),
                                                 parameter ? g_variant_get_string(parameter, NULL) : NULL, NULL, NULL))

/* The rows of the table of objects, as they are filtered and sorted, into a file. */
static void
act_export_objects(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  gtk_widget_activate_action_variant(gtk_stack_get_child_by_name(tables, "objects"), "table.save-to", parameter);
}

static void
act_sidebar(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  AdwFlap *flap = VT_WINDOW(window)->flap;
  adw_flap_set_reveal_flap(flap, !adw_flap_get_reveal_flap(flap));
}

VT_ACT(tissue, vt_window_find_tissue(window))

/* What the panel of classes does, whether it is seen or not. */
static void
act_classes(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  static const char *const names[][2] = { { "teach", "classes.teach" },
                                          { "next-unsure", "classes.next" },
                                          { "open-model", "classes.open" },
                                          { "save-model", "classes.save" },
                                          { "save-model-to", "classes.save-to" } };
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_str_equal(names[i][0], g_action_get_name(G_ACTION(action))))
      gtk_widget_activate_action_variant(vt_tables_get_classes(tables), names[i][1], parameter);
}

/* The classes by thresholds, which are shown. */
static void
act_intensity(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  GtkStack *tables = vt_pane_get_tables(pane);
  VtGrader *grader = vt_tables_get_grader(tables);
  VtIntensity intensity;
  g_autoptr(GError) error = NULL;
  gtk_stack_set_visible_child_name(tables, "classes");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
  vt_grader_set_on(grader, TRUE);
  if (parameter
      && (!vt_intensity_parse(g_variant_get_string(parameter, NULL), &intensity, &error)
          || !vt_grader_set_intensity(grader, &intensity, &error)))
    vt_pane_show_error(pane, vt_translate(error->message), VT_MESSAGE_ANSWER);
}

VT_ACT(intensity_undo, vt_grader_undo(vt_tables_get_grader(vt_pane_get_tables(vt_window_get_pane(window)))))

/* In the table of objects, which is shown: what the action is called after the window's. */
static void
act_of_objects(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autofree char *name = g_strconcat("table.", g_action_get_name(G_ACTION(action)), NULL);
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  gtk_stack_set_visible_child_name(tables, "objects");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
  gtk_widget_activate_action_variant(gtk_stack_get_child_by_name(tables, "objects"), name, NULL);
}

/* Of the regions that are selected; shows the table of objects, in which the answer is. */
static void
act_similar_to_region(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  GtkStack *tables = vt_pane_get_tables(pane);
  g_autoptr(GPtrArray) items = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(pane));
  g_autoptr(GPtrArray) rois = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add(rois, (gpointer)vt_roi_item_get_roi(items->pdata[i]));
  if (!vt_object_table_find_like(VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects")), rois, &error)) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return;
  }
  gtk_stack_set_visible_child_name(tables, "objects");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
}

/* In the table of regions, which is shown. */
static void
act_similar_regions(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (!vt_roi_table_find_similar(vt_pane_get_roi_table(pane), &error)) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return;
  }
  gtk_stack_set_visible_child_name(vt_pane_get_tables(pane), "regions");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
}

/* Shows a table, or hides it if it is the one that is shown. */
static void
act_table(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *place = GTK_WIDGET(VT_WINDOW(window)->roi_stack);
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  const char *name = g_action_get_name(G_ACTION(action));
  const gboolean is_shown =
    gtk_widget_get_visible(place) && g_str_equal(gtk_stack_get_visible_child_name(tables), name);
  gtk_stack_set_visible_child_name(tables, name);
  gtk_widget_set_visible(place, !is_shown);
}

VT_ACT(new_tab, vt_window_select_empty(window))

static void
act_close_tab(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  adw_tab_view_close_page(self->tab_view, adw_tab_view_get_selected_page(self->tab_view));
}

VT_ACT(properties, vt_pane_show_properties(vt_window_get_pane(window)))

VT_ACT(shortcuts, gtk_window_present(GTK_WINDOW(vt_shortcuts_window_new(window))))
VT_ACT(palette, gtk_window_present(GTK_WINDOW(vt_palette_new(window))))

static const GActionEntry actions[] = {
  { .name = "open", .activate = act_open },
  { .name = "open-uri", .parameter_type = "s", .activate = act_open_uri },
  { .name = "new-tab", .activate = act_new_tab },
  { .name = "close-tab", .activate = act_close_tab },
  { .name = "properties", .activate = act_properties },
  { .name = "run", .activate = act_run },
  { .name = "run-on", .activate = act_run_on, .parameter_type = "s", .state = "'view'" },
  { .name = "cancel", .activate = act_cancel },
  { .name = "live", .activate = act_live, .state = "false" },
  { .name = "set-parameter", .parameter_type = "s", .activate = act_set_parameter },
  { .name = "retry", .activate = act_retry },
  { .name = "close-message", .activate = act_close_message },
  { .name = "delete", .activate = act_delete },
  { .name = "delete-roi", .activate = act_delete_roi },
  { .name = "edit-regions", .activate = act_edit_regions },
  { .name = "undo", .activate = act_undo, .state = "''" },
  { .name = "redo", .activate = act_redo, .state = "''" },
  { .name = "texture-settings", .activate = act_texture_settings },
  { .name = "estimate-stains", .activate = act_estimate_stains },
  { .name = "regions-from-tissue", .activate = act_tissue },
  { .name = "export-results", .activate = act_export_results },
  { .name = "export-results-to", .parameter_type = "s", .activate = act_export_results },
  { .name = "export-rois-csv", .activate = act_export_rois },
  { .name = "export-rois-to", .parameter_type = "s", .activate = act_export_rois },
  { .name = "export-objects-to", .parameter_type = "s", .activate = act_export_objects },
  { .name = "teach", .parameter_type = "i", .activate = act_classes },
  { .name = "next-unsure", .activate = act_classes },
  { .name = "open-model", .activate = act_classes },
  { .name = "save-model", .activate = act_classes },
  { .name = "save-model-to", .parameter_type = "s", .activate = act_classes },
  { .name = "intensity", .activate = act_intensity },
  { .name = "set-intensity", .parameter_type = "s", .activate = act_intensity },
  { .name = "intensity-undo", .activate = act_intensity_undo },
  { .name = "sidebar", .activate = act_sidebar },
  { .name = "regions", .activate = act_table },
  { .name = "objects", .activate = act_table },
  { .name = "classes", .activate = act_table },
  { .name = "similar", .activate = act_of_objects },
  { .name = "surroundings", .activate = act_of_objects },
  { .name = "similar-to-region", .activate = act_similar_to_region },
  { .name = "similar-regions", .activate = act_similar_regions },
  { .name = "shortcuts", .activate = act_shortcuts },
  { .name = "palette", .activate = act_palette },
};

void
vt_window_enable(VtWindow *self, const char *names, gboolean enabled)
{
  g_auto(GStrv) list = g_strsplit(names, " ", -1);
  for (guint i = 0; list[i]; i++)
    g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), list[i])), enabled);
}

/* The state of the action is what it would take back or make again, which the palette says. */
static void
update_step(VtWindow *self, const char *action, const char *title)
{
  GAction *step = g_action_map_lookup_action(G_ACTION_MAP(self), action);
  vt_window_enable(self, action, title != NULL);
  g_simple_action_set_state(G_SIMPLE_ACTION(step), g_variant_new_string(title ? title : ""));
}

static void
update_regions(VtWindow *self, VtPane *pane)
{
  VtRegions *regions = vt_pane_get_regions(pane);
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected(vt_pane_get_roi_table(pane));
  vt_window_enable(self, "export-rois-csv regions-split", g_list_model_get_n_items(vt_regions_get_list(regions)) > 0);
  vt_window_enable(self, "delete", selected->len > 0 || vt_analysis_get_op(vt_pane_get_analysis(pane)));
  vt_window_enable(self, "delete-roi edit-regions regions-part regions-simplify regions-tile", selected->len > 0);
  vt_window_enable(self, "regions-join", selected->len > 1);
  update_step(self, "undo", vt_undo_get_title(vt_regions_get_undo(regions)));
  update_step(self, "redo", vt_undo_get_redo_title(vt_regions_get_undo(regions)));
}

/* What needs a slide, and what needs an analysis, too. */
static const char of_slide[] =
  "properties sidebar regions objects classes compare-with import-regions import-objects regions-from-tissue "
  "save-picture "
  "save-picture-to save-figure save-figure-to save-report save-report-to export-bundle export-bundle-to "
  "export-bundle-slides-to gates";
static const char of_op[] =
  "run stage-edit stage-bypass stage-remove stage-earlier stage-later stage-add normalize-stains stage-params "
  "save-recipe save-recipe-to prove snapshot-keep snapshot-next curve several-values grid search "
  "review refused "
  "lessons lesson lesson-here lessons-corrections lessons-forget lessons-open lessons-save lessons-colour why "
  "why-at why-object why-steps set-parameter teach next-unsure open-model save-model estimate-stains similar "
  "intensity set-intensity intensity-undo correct-delete correct-join correct-hold corrections "
  "corrections-forget-lost review-fix gate gate-quadrants gate-regions gate-edit gate-delete gate-classes "
  "export-gates same-map surroundings similar-to-region similar-regions";

void
vt_window_update_actions(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  VtSlide *slide = vt_pane_get_slide(pane);
  VtTileStore *store = vt_canvas_get_store(vt_pane_get_canvas(pane));
  GAction *live = g_action_map_lookup_action(G_ACTION_MAP(self), "live");
  vt_window_enable(self, of_slide, slide != NULL);
  vt_window_enable(self, of_op, slide && vt_analysis_get_op(analysis));
  vt_window_enable(self, "restore-last", vt_autosave_has_last());
  vt_window_enable(self, "pin export-results export-layer", vt_analysis_get_result(analysis) != NULL);
  vt_window_update_compare(self);
  vt_window_enable(self, "cancel", vt_analysis_get_busy(analysis));
  vt_window_enable(self, "retry", store && vt_tile_store_get_n_failed(store) > 0);
  update_regions(self, pane);
  g_simple_action_set_state(G_SIMPLE_ACTION(live), g_variant_new_boolean(vt_analysis_get_live(analysis)));
}

void
vt_window_init_actions(VtWindow *self)
{
  const char *run_on = vt_settings_get_run_on(vt_settings_get());
  g_action_map_add_action_entries(G_ACTION_MAP(self), actions, G_N_ELEMENTS(actions), self);
  self->run_on = vt_run_on_from_id(run_on);
  g_simple_action_set_state(G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), "run-on")),
                            g_variant_new_string(vt_run_on_get_id(self->run_on)));
  gtk_widget_add_controller(GTK_WIDGET(self), vt_action_list_new_shortcuts());
}
