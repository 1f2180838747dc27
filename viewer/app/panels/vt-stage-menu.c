/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-menu.h"

#include <string.h>

#include "common/vt-action-list.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-stage-inputs.h"

#define REASON_CHARS 40

struct _VtStageMenu {
  GtkPopover parent;
  const VitrailOp *op;
  const VitrailRecipe *recipe;
  const VitrailPlugin *plugin;
  char *stage;
  GtkStack *stack;
  GtkBox *menu_box, *steps; /* steps: rows, once they were asked for */
  GtkLabel *menu_heading, *steps_heading;
  GtkWidget *none_label;
};

G_DEFINE_FINAL_TYPE(VtStageMenu, vt_stage_menu, GTK_TYPE_POPOVER)

/* Why an edit gives no recipe; NULL: it does. Owned. */
static char *
dup_reason(VtStageMenu *self, VtRecipeEdit edit, const char *step)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = vt_recipe_edit(self->recipe, self->plugin, edit, self->stage, step, NULL, &error);
  return text ? NULL : g_strdup(error->message);
}

static const char *
get_stage_title(VtStageMenu *self)
{
  const int i = vt_op_find_stage(self->op, self->stage);
  return i >= 0 ? vt_translate(self->op->stages[i]->title) : self->stage;
}

static char *
dup_key(VtStageMenu *self, const char *action)
{
  guint n;
  const VtActionInfo *list = vt_action_list_get(&n);
  for (guint i = 0; action && i < n; i++)
    if (g_strcmp0(list[i].action, action) == 0)
      return vt_action_info_dup_key(&list[i], GTK_WIDGET(self));
  return NULL;
}

static GtkWidget *
new_label(const char *text, gboolean is_dim)
{
  GtkWidget *label = is_dim ? vt_label_new_dim(text) : gtk_label_new(text);
  g_object_set(label, "xalign", 0.0, "wrap", is_dim, "max-width-chars", REASON_CHARS, NULL);
  return label;
}

/* A row: a title with its key, and below it what is to be said of it. */
static GtkWidget *
new_row(VtStageMenu *self, const char *title, const char *below, const char *key_of, gboolean is_fine)
{
  GtkWidget *row = gtk_button_new(), *label = new_label(title, FALSE), *reason = below ? new_label(below, TRUE) : NULL;
  g_autofree char *key = dup_key(self, key_of);
  GtkWidget *line = vt_box_new(GTK_ORIENTATION_HORIZONTAL, 12, label, key ? new_label(key, TRUE) : NULL, NULL);
  vt_widget_add_classes(row, "flat stage-edit");
  gtk_widget_add_css_class(label, "stage-edit-title");
  gtk_widget_set_hexpand(label, TRUE);
  if (reason)
    gtk_widget_add_css_class(reason, "stage-edit-reason");
  gtk_button_set_child(GTK_BUTTON(row), vt_box_new(GTK_ORIENTATION_VERTICAL, 0, line, reason, NULL));
  gtk_widget_set_sensitive(row, is_fine);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, below ? below : "", -1);
  return row;
}

static void
set_edit(GtkWidget *row, VtStageMenu *self, VtRecipeEdit edit, const char *step)
{
  gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "(sss)", vt_recipe_edit_get_id(edit), self->stage, step);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(row), "win.stage-edit");
  g_signal_connect_object(row, "clicked", G_CALLBACK(gtk_popover_popdown), self, G_CONNECT_SWAPPED);
}

static void
add_edit(VtStageMenu *self, VtRecipeEdit edit, const char *title, const char *key_of)
{
  g_autofree char *reason = dup_reason(self, edit, NULL);
  GtkWidget *row = new_row(self, title, reason, key_of, !reason);
  if (!reason) /* an action would make it sensitive again */
    set_edit(row, self, edit, "");
  gtk_box_append(self->menu_box, row);
}

/* --- the list of steps --- */

static void
on_search(GtkSearchEntry *entry, VtStageMenu *self)
{
  g_autofree char *asked = g_utf8_casefold(gtk_editable_get_text(GTK_EDITABLE(entry)), -1);
  gboolean is_any = FALSE;
  VT_EACH_CHILD (line, self->steps) {
    const char *words = g_object_get_data(G_OBJECT(gtk_widget_get_first_child(line)), "words");
    gtk_widget_set_visible(line, strstr(words, asked) != NULL);
    is_any |= gtk_widget_get_visible(line);
  }
  gtk_widget_set_visible(self->none_label, !is_any);
}

static GtkWidget *
new_step_row(VtStageMenu *self, const VitrailStep *step, const char *reason)
{
  const char *title = vt_translate(step->title), *help = vt_translate(step->help);
  GtkWidget *row = new_row(self, title, reason ? reason : help, NULL, !reason);
  g_autofree char *words = g_strjoin(" ", title, step->id, help, NULL);
  g_object_set_data_full(G_OBJECT(row), "words", g_utf8_casefold(words, -1), g_free);
  if (!reason)
    set_edit(row, self, VT_RECIPE_ADD, step->id);
  return row;
}

/* The one that is open, of another step, goes. */
static void
on_inputs(GtkButton *button, VtStageMenu *self)
{
  GtkWidget *old = gtk_stack_get_child_by_name(self->stack, "inputs");
  const VitrailStep *step = g_object_get_data(G_OBJECT(button), "step");
  GtkWidget *page = vt_stage_inputs_new(self->recipe, self->plugin, self->stage, step);
  if (old)
    gtk_stack_remove(self->stack, old);
  g_signal_connect_object(page, "done", G_CALLBACK(gtk_popover_popdown), self, G_CONNECT_SWAPPED);
  gtk_stack_add_named(self->stack, page, "inputs");
  gtk_stack_set_visible_child_name(self->stack, "inputs");
  gtk_widget_child_focus(page, GTK_DIR_TAB_FORWARD);
}

/* A step, and beside it the way to choose what goes into it. */
static GtkWidget *
new_step_line(VtStageMenu *self, const VitrailStep *step, const char *reason)
{
  GtkWidget *row = new_step_row(self, step, reason);
  g_autofree char *name = g_strdup_printf(_("Choose what goes into “%s”"), vt_translate(step->title));
  GtkWidget *inputs = vt_button_new_icon("vt-more-symbolic", name, NULL);
  gtk_widget_set_hexpand(row, TRUE);
  gtk_widget_set_valign(inputs, GTK_ALIGN_CENTER);
  g_object_set_data(G_OBJECT(inputs), "step", (gpointer)step);
  g_signal_connect_object(inputs, "clicked", G_CALLBACK(on_inputs), self, 0);
  return vt_box_new(GTK_ORIENTATION_HORIZONTAL, 2, row, inputs, NULL);
}

/* Those that fit come first. */
static void
fill_steps(VtStageMenu *self)
{
  GtkWidget *last_fitting = NULL;
  guint n_fit = 0;
  for (guint i = 0; i < self->plugin->n_steps; i++) {
    const VitrailStep *step = self->plugin->steps[i];
    g_autofree char *reason = dup_reason(self, VT_RECIPE_ADD, step->id);
    GtkWidget *row = new_step_line(self, step, reason);
    gtk_box_append(self->steps, row);
    if (reason)
      continue;
    gtk_box_reorder_child_after(self->steps, row, last_fitting);
    last_fitting = row;
    n_fit++;
  }
  vt_test_log("stage-steps %s %u of %u", self->stage, n_fit, self->plugin->n_steps);
}

void
vt_stage_menu_show_steps(VtStageMenu *self)
{
  g_autofree char *heading = g_strdup_printf(_("Add a step after “%s”"), get_stage_title(self));
  gtk_label_set_text(self->steps_heading, heading);
  if (!gtk_widget_get_first_child(GTK_WIDGET(self->steps)))
    fill_steps(self);
  gtk_stack_set_visible_child_name(self->stack, "steps");
}

/* --- the menu --- */

static void
add_pin(VtStageMenu *self, VtStagePins *pins)
{
  const int which = vt_stage_pins_find(pins, self->stage);
  const char *a = vt_stage_pins_get(pins, VT_STAGE_PIN_A), *b = vt_stage_pins_get(pins, VT_STAGE_PIN_B);
  const char *title = which >= 0 ? _("Unpin") : a ? _("Pin as B") : _("Pin as A");
  const char *below = which >= 0 ? NULL
                      : b        ? _("In the place of the present B")
                      : a        ? _("Then A and B are seen on two sides of a line")
                                 : NULL;
  GtkWidget *row = new_row(self, title, below, "win.stage-pin", TRUE);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "s", self->stage);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(row), "win.stage-pin-of");
  g_signal_connect_object(row, "clicked", G_CALLBACK(gtk_popover_popdown), self, G_CONNECT_SWAPPED);
  gtk_box_append(self->menu_box, row);
  gtk_box_append(self->menu_box, gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
}

static void
add_edits(VtStageMenu *self)
{
  const gboolean is_bypassed = vt_recipe_get_bypass(self->op, self->stage) != NULL;
  GtkWidget *add = new_row(self, _("Add a step after it…"), NULL, "win.stage-add", TRUE);
  GtkWidget *save = new_row(self, _("Save the recipe as…"), NULL, "win.save-recipe", TRUE);
  add_edit(self, VT_RECIPE_BYPASS, is_bypassed ? _("End its bypass") : _("Bypass"), "win.stage-bypass");
  add_edit(self, VT_RECIPE_REMOVE, _("Remove"), "win.stage-remove");
  add_edit(self, VT_RECIPE_EARLIER, _("Move earlier"), "win.stage-earlier");
  add_edit(self, VT_RECIPE_LATER, _("Move later"), "win.stage-later");
  add_edit(self, VT_RECIPE_NORMALIZE, _("Normalise the stains first"), "win.normalize-stains");
  g_signal_connect_object(add, "clicked", G_CALLBACK(vt_stage_menu_show_steps), self, G_CONNECT_SWAPPED);
  gtk_box_append(self->menu_box, add);
  gtk_box_append(self->menu_box, gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(save), "win.save-recipe");
  g_signal_connect_object(save, "clicked", G_CALLBACK(gtk_popover_popdown), self, G_CONNECT_SWAPPED);
  gtk_box_append(self->menu_box, save);
}

static void
add_no_recipe(VtStageMenu *self)
{
  g_autofree char *sentence =
    g_strdup_printf(_("“%s” is no recipe: its stages cannot be changed."), vt_translate(self->op->title));
  gtk_box_append(self->menu_box, new_label(sentence, TRUE));
}

static void
vt_stage_menu_class_init(VtStageMenuClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtStageMenu, g_free, stage);
  VT_TEMPLATE(klass, VtStageMenu, "vt-stage-menu", stack, menu_box, menu_heading, steps, steps_heading, none_label);
  VT_TEMPLATE_CALLBACKS(klass, on_search, gtk_popover_popdown);
}

VT_TEMPLATE_INIT(VtStageMenu, vt_stage_menu)

GtkWidget *
vt_stage_menu_new(const VitrailOp *op, const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *stage,
                  VtStagePins *pins)
{
  VtStageMenu *self = g_object_new(VT_TYPE_STAGE_MENU, NULL);
  self->op = op;
  self->recipe = recipe;
  self->plugin = plugin;
  self->stage = g_strdup(stage);
  gtk_label_set_text(self->menu_heading, get_stage_title(self));
  add_pin(self, pins);
  if (recipe)
    add_edits(self);
  else
    add_no_recipe(self);
  return GTK_WIDGET(self);
}
