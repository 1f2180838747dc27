/* SPDX-License-Identifier: MIT
 *
 * Changing a recipe by its stages. Each change is another recipe, opened as a draft and chosen in the view with the parameters and layers of the
 * one before; it can be undone like any step of the view. */
#include "window/vt-window-private.h"

#include <string.h>

#include "common/vt-file-dialog.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "layers/vt-layer-stack.h"
#include "plugins/vt-recipe-edit.h"

typedef struct {
  const VitrailOp *before, *after;  /* live as long as the program */
  char *alone_before, *alone_after; /* the stages that are seen alone, if one is at all */
} Step;

VT_DEFINE_FREE(step_free, Step, VT_FREES(g_free, alone_before, alone_after))

static GPtrArray *
dup_layers(VtAnalysis *analysis)
{
  GListModel *all = vt_analysis_get_layers(analysis);
  GPtrArray *layers = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items(all); i++)
    g_ptr_array_add(layers, g_list_model_get_item(all, i));
  return layers;
}

static VtLayer *
find_layer(GPtrArray *layers, const char *stage)
{
  for (guint i = 0; stage && i < layers->len; i++) {
    const VitrailStage *own = vt_layer_get_stage(layers->pdata[i]);
    if (own && g_str_equal(own->id, stage))
      return layers->pdata[i];
  }
  return NULL;
}

/* Layers are on and off as those of the same stages were; alone: the stage that is seen so, if one was. */
static void
take_switches(VtAnalysis *analysis, GPtrArray *before, const char *alone)
{
  g_autoptr(GPtrArray) layers = dup_layers(analysis);
  gboolean was_alone = FALSE;
  for (guint i = 0; i < before->len; i++) {
    const VitrailStage *stage = vt_layer_get_stage(before->pdata[i]);
    VtLayer *layer = stage ? find_layer(layers, stage->id) : NULL;
    if (layer) {
      vt_layer_set_shown(layer, vt_layer_get_shown(before->pdata[i]));
      g_object_set(layer, "opacity", vt_layer_get_opacity(before->pdata[i]), NULL);
    }
    was_alone |= stage && vt_layer_get_solo(before->pdata[i]);
  }
  vt_layer_stack_set_solo(vt_analysis_get_layers(analysis), was_alone ? find_layer(layers, alone) : NULL);
}

/* `from`: the op that it takes the place of; parameters and layers stay if that is the one that is seen. */
static void
show_op(VtPane *pane, const VitrailOp *op, const VitrailOp *from, const char *alone)
{
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  const gboolean follows = vt_analysis_get_op(analysis) == from;
  g_autoptr(VtParams) params = vt_params_copy(vt_analysis_get_params(analysis));
  g_autoptr(GPtrArray) layers = dup_layers(analysis);
  vt_pane_apply_options(pane, &(VtPaneOptions){ .op_id = op->id });
  if (!follows || vt_analysis_get_op(analysis) != op)
    return;
  vt_params_follow(vt_analysis_get_params(analysis), params);
  take_switches(analysis, layers, alone);
  vt_analysis_params_changed(analysis);
}

static void
make_step(gpointer pane, gpointer data, gboolean back)
{
  const Step *step = data;
  show_op(pane, back ? step->before : step->after, back ? step->after : step->before,
          back ? step->alone_before : step->alone_after);
  vt_test_log("recipe-shown %s", back ? step->before->id : step->after->id);
}

/* --- one edit --- */

static const char *
get_title(const VitrailOp *op, const char *stage)
{
  const int i = vt_op_find_stage(op, stage);
  return i >= 0 ? vt_translate(op->stages[i]->title) : stage;
}

static gboolean
is_taken(const VitrailRecipe *recipe, const char *id)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    for (guint k = 0; k < recipe->nodes[i]->n_inputs; k++)
      if (g_str_equal(recipe->nodes[i]->inputs[k], id))
        return TRUE;
  return FALSE;
}

static char *
dup_sentence(VtRecipeEdit edit, const VitrailOp *before, const VitrailOp *after, const char *stage, const char *added)
{
  const char *title = get_title(before, stage), *new_title = added ? get_title(after, added) : "";
  const VitrailRecipe *recipe = vt_recipe_get(vt_op_get_recipe(after));
  switch (edit) {
  case VT_RECIPE_BYPASS:
    return g_strdup_printf(vt_recipe_get_bypass(after, stage) ? _("“%s” is bypassed") : _("“%s” is bypassed no more"),
                           title);
  case VT_RECIPE_REMOVE: return g_strdup_printf(_("“%s” is removed"), title);
  case VT_RECIPE_ADD:
    return g_strdup_printf(added && is_taken(recipe, added)
                             ? _("“%s” is added after “%s”")
                             : _("“%s” is added beside: no stage takes it yet (after “%s”)"),
                           new_title, title);
  case VT_RECIPE_NORMALIZE:
    return g_strdup_printf(_("“%s” is the first stage: Estimate From the Slide sets its strengths"), new_title);
  default: return g_strdup_printf(_("“%s” has another place"), title);
  }
}

/* The stage before one, or after the first. */
static const char *
get_neighbour(const VitrailOp *op, const char *stage)
{
  const int i = vt_op_find_stage(op, stage);
  return i > 0 ? op->stages[i - 1]->id : op->n_stages > 1 ? op->stages[1]->id : NULL;
}

static const VitrailOp *
open_edited(const VitrailOp *op, VtRecipeEdit how, const char *stage, const char *what, GError **error)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(vt_plugin_host_get(), op, &plugin);
  g_autofree char *title = vt_op_is_draft(op) ? NULL : g_strdup_printf(_("%s (edited)"), vt_translate(op->title));
  if (!recipe)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, _("“%s” is no recipe: its stages cannot be changed."),
                             vt_translate(op->title));
  g_autofree char *text = vt_recipe_edit(recipe, plugin, how, stage, what, title, error);
  return text ? vt_plugin_host_open_draft(vt_plugin_host_get(), text, NULL, error) : NULL;
}

static void
edit(VtWindow *self, VtRecipeEdit how, const char *stage, const char *what)
{
  VtPane *pane = vt_window_get_pane(self);
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(pane));
  VtUndo *undo = vt_regions_get_undo(vt_pane_get_regions(pane));
  g_autoptr(GError) error = NULL;
  const VitrailOp *edited = open_edited(op, how, stage, what, &error);
  if (!edited) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return;
  }
  const VitrailRecipe *before = vt_plugin_host_find_recipe(vt_plugin_host_get(), op, NULL);
  const char *added = how == VT_RECIPE_ADD || how == VT_RECIPE_NORMALIZE
                        ? vt_recipe_find_added(before, vt_recipe_get(vt_op_get_recipe(edited)))
                        : NULL;
  const char *alone = added ? added : how == VT_RECIPE_REMOVE ? get_neighbour(op, stage) : stage;
  g_autofree char *sentence = dup_sentence(how, op, edited, stage, added);
  Step *step = g_new0(Step, 1);
  *step = (Step){ op, edited, g_strdup(stage), g_strdup(alone) };
  vt_test_log("recipe-edit %s %s %s", vt_recipe_edit_get_id(how), stage, added ? added : what);
  vt_pane_move_on(pane);
  vt_undo_do(undo, g_strdup(sentence), pane, make_step, step, step_free);
  g_autofree char *note = g_strdup_printf(_("%s. Ctrl+Z takes it back."), sentence);
  if (!vt_stage_rail_say(self->stage_rail, note))
    vt_window_toast_step(self, undo, sentence);
}

/* --- actions --- */

static void
act_edit(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const char *how = NULL, *stage = NULL, *what = NULL;
  g_variant_get(parameter, "(&s&s&s)", &how, &stage, &what);
  const VtRecipeEdit id = vt_recipe_edit_from_id(how);
  g_autofree char *of_stage = g_strdup(stage); /* the menu that has it may go */
  if (id < VT_RECIPE_N_EDITS)
    edit(window, id, of_stage, what);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

/* Of the stage that is seen alone; NULL, and it is said: none is. Owned. */
static char *
dup_chosen(gpointer window)
{
  const char *stage = vt_stage_rail_get_chosen(VT_WINDOW(window)->stage_rail);
  if (!stage)
    vt_window_toast(window, _("Look at one stage alone first: ] and [ walk through them."));
  return g_strdup(stage);
}

static void
act_chosen(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autofree char *stage = dup_chosen(window);
  if (stage)
    edit(window, vt_recipe_edit_from_id(g_action_get_name(G_ACTION(action)) + strlen("stage-")), stage, "");
}

/* Of the whole recipe. */
static void
act_normalize(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(vt_window_get_pane(window)));
  if (op->n_stages > 0)
    edit(window, VT_RECIPE_NORMALIZE, op->stages[0]->id, "");
}

/* --- two stages at once --- */

static void
show_rail(VtWindow *self)
{
  if (!self->stages)
    g_action_activate(g_action_map_lookup_action(G_ACTION_MAP(self), "stages"), NULL);
}

/* Two that are pinned are seen at once; the strip shows which they are. */
static void
toggle_pin(VtWindow *self, const char *stage)
{
  VtPane *pane = vt_window_get_pane(self);
  VtStagePins *pins = vt_pane_get_stage_pins(pane);
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(pane));
  vt_stage_pins_toggle(pins, stage);
  const char *a = vt_stage_pins_get(pins, VT_STAGE_PIN_A), *b = vt_stage_pins_get(pins, VT_STAGE_PIN_B);
  show_rail(self);
  vt_canvas_set_wipe(vt_pane_get_canvas(pane), b != NULL);
  g_autofree char *sentence =
    b ? g_strdup_printf(_("A: “%s”, B: “%s”. Shift+W ends the line, Alt+A unpins the stage that is seen alone."),
                        get_title(op, a), get_title(op, b))
    : a ? g_strdup_printf(_("A: “%s”. Pin another stage to see both."), get_title(op, a))
        : g_strdup(_("No stage is pinned."));
  if (!vt_stage_rail_say(self->stage_rail, sentence))
    vt_window_toast(self, sentence);
}

static void
act_pin(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autofree char *stage = parameter ? g_variant_dup_string(parameter, NULL) : dup_chosen(window);
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(vt_window_get_pane(window)));
  if (stage && vt_op_find_stage(op, stage) >= 0)
    toggle_pin(window, stage);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

static void
act_unpin(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_stage_pins_clear(vt_pane_get_stage_pins(vt_window_get_pane(window)));
}

static void
act_params(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  g_autofree char *stage = dup_chosen(window);
  if (!stage)
    return;
  show_rail(self);
  gtk_window_set_focus_visible(GTK_WINDOW(self), TRUE);
  if (vt_stage_rail_focus_params(self->stage_rail))
    return;
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(vt_window_get_pane(self)));
  g_autofree char *sentence = g_strdup_printf(_("“%s” has no parameters of its own."), get_title(op, stage));
  vt_window_toast(self, sentence);
}

static void
act_add(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  g_autofree char *stage = dup_chosen(window);
  if (!stage)
    return;
  show_rail(self);
  vt_stage_rail_show_steps(self->stage_rail, stage);
}

static void
act_save(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const VitrailOp *op = vt_analysis_get_op(vt_pane_get_analysis(vt_window_get_pane(window)));
  g_autofree char *name = g_strconcat(op->id, VT_RECIPE_SUFFIX, NULL);
  vt_file_dialog_ask(GTK_WIDGET(window), _("Save the recipe"), name, "win.save-recipe-to");
}

/* A built-in one has its id for itself. */
static char *
dup_text(VtPane *pane)
{
  const VtParams *params = vt_analysis_get_params(vt_pane_get_analysis(pane));
  const VitrailOp *op = params->op;
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(vt_plugin_host_get(), op, NULL);
  const gboolean is_built_in = recipe && !vt_op_get_recipe(op);
  g_autofree char *id = is_built_in ? g_strconcat("my-", op->id, NULL) : NULL;
  g_autofree char *title = is_built_in ? g_strdup_printf(_("%s (my own)"), vt_translate(op->title)) : NULL;
  return recipe ? vt_recipe_dup_text_with(recipe, params, id, title) : NULL;
}

static void
act_save_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  const char *asked = g_variant_get_string(parameter, NULL);
  const gboolean is_named = g_str_has_suffix(asked, VT_RECIPE_SUFFIX);
  g_autofree char *path = is_named ? g_strdup(asked) : g_strconcat(asked, VT_RECIPE_SUFFIX, NULL);
  g_autofree char *text = dup_text(pane), *name = vt_error_dup_name(path), *sentence = NULL;
  g_autoptr(GError) error = NULL;
  if (!text)
    sentence = g_strdup(_("This analysis is no recipe and cannot be saved as one."));
  else if (!is_named && g_file_test(path, G_FILE_TEST_EXISTS))
    sentence = g_strdup_printf(_("There is a file “%s” already: nothing was saved."), name);
  else if (!g_file_set_contents(path, text, -1, &error))
    sentence = g_strdup_printf(_("The recipe was not saved: %s"), error->message);
  if (sentence) {
    vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
    return;
  }
  vt_test_log("recipe-saved %s", path);
  g_autofree char *done = g_strdup_printf(_("Saved as “%s”, with the present parameters"), name);
  vt_window_toast(window, done);
}

const GActionEntry vt_window_stages_actions[] = {
  { .name = "stage-edit", .activate = act_edit, .parameter_type = "(sss)" },
  { .name = "stage-bypass", .activate = act_chosen },
  { .name = "stage-remove", .activate = act_chosen },
  { .name = "stage-earlier", .activate = act_chosen },
  { .name = "stage-later", .activate = act_chosen },
  { .name = "stage-pin", .activate = act_pin },
  { .name = "stage-pin-of", .activate = act_pin, .parameter_type = "s" },
  { .name = "stage-unpin", .activate = act_unpin },
  { .name = "normalize-stains", .activate = act_normalize },
  { .name = "stage-params", .activate = act_params },
  { .name = "stage-add", .activate = act_add },
  { .name = "save-recipe", .activate = act_save },
  { .name = "save-recipe-to", .activate = act_save_to, .parameter_type = "s" },
  { NULL },
};
