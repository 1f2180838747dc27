/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-inputs.h"

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

enum { REASON_CHARS = 40 };

struct _VtStageInputs {
  GtkBox parent;
  const VitrailRecipe *recipe;
  const VitrailPlugin *plugin;
  const VitrailStep *step;
  char *stage, *what; /* what: the step with its inputs, as vt_recipe_edit() takes it */
  GPtrArray *rows;    /* Row */
  GtkLabel *heading;
  GtkBox *inputs;
  GtkWidget *add_button, *reason_label;
};

G_DEFINE_FINAL_TYPE(VtStageInputs, vt_stage_inputs, GTK_TYPE_BOX)

/* Something that can go into an input. The widgets are borrowed. */
typedef struct {
  VtStageInputs *of;
  guint input;
  char *name; /* "": nothing */
  GtkWidget *check, *reason_label;
} Row;

static void
row_free(gpointer data)
{
  g_free(((Row *)data)->name);
  g_free(data);
}

/* --- what fits --- */

static GPtrArray *
list_choices(VtStageInputs *self, guint input)
{
  return vt_recipe_list_choices(self->recipe, self->plugin, self->stage, self->what, input);
}

static void
set_reason(GtkWidget *label, const char *reason)
{
  gtk_label_set_text(GTK_LABEL(label), reason ? reason : "");
  gtk_widget_set_visible(label, reason != NULL);
}

static void
refresh_input(VtStageInputs *self, guint input)
{
  g_autoptr(GPtrArray) choices = list_choices(self, input);
  VT_EACH_OF (const Row, row, self->rows) {
    for (guint k = 0; row->input == input && k < choices->len; k++) {
      const VtRecipeChoice *choice = choices->pdata[k];
      if (!g_str_equal(choice->name, row->name))
        continue;
      gtk_widget_set_sensitive(row->check, !choice->reason);
      set_reason(row->reason_label, choice->reason);
      gtk_accessible_update_property(GTK_ACCESSIBLE(row->check), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                     choice->reason ? choice->reason : "", -1);
    }
  }
}

static void
refresh(VtStageInputs *self)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
    vt_recipe_edit(self->recipe, self->plugin, VT_RECIPE_ADD, self->stage, self->what, NULL, &error);
  for (guint k = 0; k < self->step->n_inputs; k++)
    refresh_input(self, k);
  set_reason(self->reason_label, error ? error->message : NULL);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(self->add_button), text ? "win.stage-edit" : NULL);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(self->add_button), "(sss)", vt_recipe_edit_get_id(VT_RECIPE_ADD),
                                   self->stage, self->what);
  gtk_widget_set_sensitive(self->add_button, text != NULL);
  vt_test_log("stage-inputs %s %d", self->what, text != NULL);
}

/* What fits of itself: the stage into the first input, into the others the nearest one before it. */
static void
choose_first(VtStageInputs *self)
{
  for (guint k = 0; k < self->step->n_inputs; k++) {
    if (self->step->inputs[k]->flags & VITRAIL_INPUT_OPTIONAL)
      break;
    g_autoptr(GPtrArray) choices = list_choices(self, k);
    const VtRecipeChoice *best = choices->len > 0 ? choices->pdata[0] : NULL;
    for (guint i = 0; i < choices->len; i++) {
      const guint at = k == 0 ? i : (i + 1) % choices->len; /* the stage itself comes last */
      if (((VtRecipeChoice *)choices->pdata[at])->reason)
        continue;
      best = choices->pdata[at];
      break;
    }
    if (!best)
      continue;
    char *what = vt_recipe_dup_with_input(self->what, k, best->name);
    g_free(self->what);
    self->what = what;
  }
}

/* --- rows --- */

static gboolean
is_chosen(VtStageInputs *self, guint input, const char *name)
{
  g_autofree char *with = vt_recipe_dup_with_input(self->what, input, name);
  return g_str_equal(with, self->what);
}

static void
on_toggled(GtkCheckButton *check, Row *row)
{
  VtStageInputs *self = row->of;
  if (!gtk_check_button_get_active(check))
    return;
  char *what = vt_recipe_dup_with_input(self->what, row->input, row->name);
  g_free(self->what);
  self->what = what;
  refresh(self);
}

static GtkWidget *
add_row(VtStageInputs *self, GtkBox *box, guint input, const char *name, const char *title, GtkWidget *group)
{
  Row *row = g_new0(Row, 1);
  *row = (Row){ self, input, g_strdup(name), gtk_check_button_new_with_label(title), vt_label_new_dim(NULL) };
  gtk_check_button_set_group(GTK_CHECK_BUTTON(row->check), group ? GTK_CHECK_BUTTON(group) : NULL);
  gtk_check_button_set_active(GTK_CHECK_BUTTON(row->check), is_chosen(self, input, name));
  vt_widget_add_classes(row->reason_label, "stage-input-reason");
  g_object_set(row->reason_label, "xalign", 0.0, "wrap", TRUE, "max-width-chars", REASON_CHARS, "visible", FALSE, NULL);
  gtk_box_append(box, row->check);
  gtk_box_append(box, row->reason_label);
  g_ptr_array_add(self->rows, row);
  g_signal_connect(row->check, "toggled", G_CALLBACK(on_toggled), row);
  return row->check;
}

static void
add_input(VtStageInputs *self, guint input)
{
  GtkBox *box = self->inputs;
  const VitrailStepInput *of = self->step->inputs[input];
  g_autoptr(GPtrArray) choices = list_choices(self, input);
  GtkWidget *group = NULL;
  gtk_box_append(box, vt_label_new(vt_translate(of->title), 0, "caption-heading"));
  if (of->flags & VITRAIL_INPUT_OPTIONAL)
    group = add_row(self, box, input, "", _("Nothing"), NULL);
  GtkWidget *expander = gtk_expander_new(_("What does not fit")), *others = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  for (guint i = 0; i < 2 * choices->len; i++) { /* what fits, then the others */
    const VtRecipeChoice *choice = choices->pdata[i % choices->len];
    const gboolean is_fitting = i < choices->len;
    if ((choice->reason == NULL) != is_fitting)
      continue;
    GtkWidget *check = add_row(self, is_fitting ? box : GTK_BOX(others), input, choice->name, choice->title, group);
    group = group ? group : check;
  }
  gtk_expander_set_child(GTK_EXPANDER(expander), others);
  gtk_widget_set_visible(expander, gtk_widget_get_first_child(others) != NULL);
  /* With GTK 4.18 a closed expander asks its child, which has no window, to take the keyboard, and complains. */
  g_object_bind_property(expander, "expanded", others, "can-focus", G_BINDING_SYNC_CREATE);
  gtk_box_append(box, expander);
}

/* --- the whole --- */

static void
emit_done(VtStageInputs *self)
{
  g_signal_emit_by_name(self, "done");
}

static void
vt_stage_inputs_class_init(VtStageInputsClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtStageInputs, g_ptr_array_unref, rows);
  VT_OWNS_TO_THE_END(klass, VtStageInputs, g_free, stage, what);
  VT_TEMPLATE(klass, VtStageInputs, "vt-stage-inputs", heading, inputs, reason_label, add_button);
  VT_TEMPLATE_CALLBACKS(klass, emit_done);
  vt_signals_new(VT_TYPE_STAGE_INPUTS, "done", NULL);
}

static void
vt_stage_inputs_init(VtStageInputs *self)
{
  self->rows = g_ptr_array_new_with_free_func(row_free);
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *
vt_stage_inputs_new(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *stage,
                    const VitrailStep *step)
{
  VtStageInputs *self = g_object_new(VT_TYPE_STAGE_INPUTS, NULL);
  self->recipe = recipe;
  self->plugin = plugin;
  self->step = step;
  self->stage = g_strdup(stage);
  self->what = g_strdup(step->id);
  choose_first(self);
  g_autofree char *heading = g_strdup_printf(_("What goes into “%s”"), vt_translate(step->title));
  gtk_label_set_text(self->heading, heading);
  for (guint k = 0; k < step->n_inputs; k++)
    add_input(self, k);
  refresh(self);
  return GTK_WIDGET(self);
}
