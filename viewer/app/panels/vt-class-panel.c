/* SPDX-License-Identifier: MIT */
#include "panels/vt-class-panel.h"

#include "base/vt-define.h"
#include "common/vt-file-dialog.h"
#include "common/vt-digits.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-class-rows.h"
#include "panels/vt-gate-classes.h"
#include "panels/vt-intensity-panel.h"
#include "panels/vt-object-hand.h"

enum { MOST_FEATURES = 6 /* that are named */ };

struct _VtClassPanel {
  GtkBox parent;
  VtCanvas *canvas; /* weak */
  VtAnalysis *analysis;
  VtTeacher *teacher;
  VtGrader *grader;
  VtGates *gates;
  GtkBox *head, *body, *by_examples; /* by_examples: the buttons for them */
  GtkStack
    *ways; /* "examples", "thresholds", "gates": the one that is seen is the one by which the objects have classes */
  const char *former; /* the one before gates */
  GtkLabel *sentence, *doubt, *check, *matters;
  GtkGrid *confusion;
};

G_DEFINE_FINAL_TYPE(VtClassPanel, vt_class_panel, GTK_TYPE_BOX)

/* --- what was learned --- */

/* What is too little is said, too. */
static char *
dup_check(const VtClassifier *classifier)
{
  const VtClassesCheck *check = &classifier->check;
  g_autofree char *right = g_strdup_printf("%u", check->n_right), *all = g_strdup_printf("%u", check->n);
  if (check->n == 0)
    return g_strdup(_("Too few examples to check: each class needs two."));
  return g_strdup_printf(_("%s of %s examples are found right by what was learned from the other four fifths (%.0f "
                           "%%). Examples that lie close "
                           "together are alike: of other places, and other slides, fewer will be right."),
                         right, all, 100.0 * check->n_right / check->n);
}

static GtkWidget *
new_cell(const char *text, gboolean is_head)
{
  GtkWidget *label = vt_label_new(text, is_head ? 0 : 1, is_head ? "caption dim-label" : "caption numeric");
  g_object_set(label, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 14, NULL);
  return label;
}

/* A row for each class of examples, a column for each that they were taken for. */
static void
fill_confusion(VtClassPanel *self, const VtClassifier *classifier)
{
  vt_widget_remove_all(GTK_WIDGET(self->confusion));
  const guint n = classifier && classifier->check.n > 0 ? classifier->classes.n_classes : 0;
  if (n > 0)
    gtk_grid_attach(self->confusion, new_cell(_("Example of ↓ found as →"), TRUE), 0, 0, 1, 1);
  for (guint a = 0; a < n; a++) {
    const VtModelClass *cls = classifier->model->classes->pdata[classifier->used[a]];
    gtk_grid_attach(self->confusion, new_cell(cls->name, TRUE), 0, (int)a + 1, 1, 1);
    gtk_grid_attach(self->confusion, new_cell(cls->name, TRUE), (int)a + 1, 0, 1, 1);
    for (guint b = 0; b < n; b++) {
      g_autofree char *count = g_strdup_printf("%u", classifier->check.confusion[a][b]);
      gtk_grid_attach(self->confusion, new_cell(count, FALSE), (int)b + 1, (int)a + 1, 1, 1);
    }
  }
}

/* Those without which most examples would be found wrong. */
static char *
dup_matters(const VtClassifier *classifier)
{
  const VtClassesCheck *check = &classifier->check;
  gboolean told[VT_FOREST_MAX_FEATURES] = { FALSE };
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint k = 0; k < MOST_FEATURES && check->n > 0; k++) {
    gint best = -1;
    for (guint i = 0; i < classifier->model->features->len; i++)
      if (!told[i] && check->matters[i] > 0 && (best < 0 || check->matters[i] > check->matters[best]))
        best = (gint)i;
    if (best < 0)
      break;
    told[best] = TRUE;
    g_autofree char *name = vt_dup_shown_name(classifier->model->features->pdata[best]);
    g_string_append_printf(text, "%s%s: %.0f %%", k > 0 ? "\n" : "", name, 100.0 * check->matters[best] / check->n);
  }
  if (text->len > 0)
    g_string_prepend(text, _("So many more examples are wrong when this is shuffled among them:\n"));
  return g_strdup(text->str);
}

static void
show_learned(VtClassPanel *self)
{
  const VtClassifier *classifier = vt_teacher_get_classifier(self->teacher);
  const VtClassified *classified = vt_teacher_get_classified(self->teacher);
  g_autofree char *check = classifier
                             ? dup_check(classifier)
                             : g_strdup(_("Select an object on the slide and press 1, 2, … to make it an example "
                                          "of that class. Two classes need examples."));
  g_autofree char *matters = classifier ? dup_matters(classifier) : g_strdup("");
  g_autofree char *counted = NULL;
  if (classified)
    counted =
      g_strdup_printf(_("%u objects counted, %u left out · learned in %.0f ms"), classified->n - classified->n_left_out,
                      classified->n_left_out, vt_teacher_get_ms(self->teacher));
  gtk_label_set_text(self->check, check);
  gtk_label_set_text(self->matters, matters);
  gtk_widget_set_visible(GTK_WIDGET(self->matters), *matters != '\0'); /* its room is for the sentence */
  gtk_label_set_text(self->sentence, counted ? counted : "");
  g_autofree char *doubt = vt_teacher_dup_doubt(self->teacher);
  gtk_label_set_text(self->doubt, doubt ? doubt : "");
  gtk_widget_set_visible(GTK_WIDGET(self->doubt), doubt != NULL);
  fill_confusion(self, classifier);
  vt_test_log("classified %u %u", classified ? classified->n : 0, classified ? classified->n_left_out : 0);
}

static void
tell(VtClassPanel *self, const char *sentence)
{
  g_signal_emit_by_name(self->teacher, "failed", sentence);
}

/* --- actions --- */

static void
act_teach(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtClassPanel *self = VT_CLASS_PANEL(widget);
  const gint32 number = g_variant_get_int32(parameter);
  if (number < 1 || !vt_teacher_teach(self->teacher, (guint)number - 1))
    gtk_widget_error_bell(widget);
}

static void
act_next(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtClassPanel *self = VT_CLASS_PANEL(widget);
  if (vt_teacher_select_next(self->teacher) && self->canvas)
    vt_object_hand_show(self->canvas, self->analysis);
}

static void
act_add(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_teacher_add_class(VT_CLASS_PANEL(widget)->teacher, NULL);
}

static void
act_open_from(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtClassPanel *self = VT_CLASS_PANEL(widget);
  g_autoptr(GError) error = NULL;
  if (!vt_teacher_load(self->teacher, g_variant_get_string(parameter, NULL), &error))
    tell(self, error->message);
}

static void
act_save_to(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtClassPanel *self = VT_CLASS_PANEL(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  g_autoptr(GError) error = NULL;
  if (!vt_teacher_save(self->teacher, path, &error))
    tell(self, error->message);
  else
    vt_test_log("model-saved %s", path);
}

static void
act_open(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_file_dialog_ask(widget, _("Open a model of classes"), NULL, "classes.open-from");
}

static void
act_save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_file_dialog_ask(widget, _("Save the model of classes"), "classes.model.json", "classes.save-to");
}

/* --- keys --- */

/* They mean the zoom where no classes are seen. */
static gboolean
take_digit(GtkWidget *widget, guint number)
{
  if (vt_grader_get_on(VT_CLASS_PANEL(widget)->grader) || vt_gates_get_classes(VT_CLASS_PANEL(widget)->gates))
    return FALSE;
  gtk_widget_activate_action(widget, "classes.teach", "i", (gint32)number);
  return TRUE;
}

/* --- the widget --- */

static void
vt_class_panel_class_init(VtClassPanelClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(klass);
  VT_KNOWS(klass, VtClassPanel, canvas);
  VT_OWNS(klass, VtClassPanel, g_object_unref, analysis, teacher, grader, gates);
  gtk_widget_class_install_action(widget, "classes.teach", "i", act_teach);
  gtk_widget_class_install_action(widget, "classes.next", NULL, act_next);
  gtk_widget_class_install_action(widget, "classes.add", NULL, act_add);
  gtk_widget_class_install_action(widget, "classes.open", NULL, act_open);
  gtk_widget_class_install_action(widget, "classes.save", NULL, act_save);
  gtk_widget_class_install_action(widget, "classes.open-from", "s", act_open_from);
  gtk_widget_class_install_action(widget, "classes.save-to", "s", act_save_to);
  VT_TEMPLATE(klass, VtClassPanel, "vt-class-panel", head, by_examples, doubt, ways, body, sentence, check, confusion,
              matters);
}

static void
vt_class_panel_init(VtClassPanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_digits_attach(GTK_WIDGET(self), take_digit);
}

/* --- the three ways --- */

#define EXAMPLES "examples"
#define THRESHOLDS "thresholds"
#define GATES "gates"

static gboolean
is_seen(VtClassPanel *self, const char *way)
{
  return g_strcmp0(gtk_stack_get_visible_child_name(self->ways), way) == 0;
}

/* Before the first: with gates off, the way from which they were switched on is the one to go back to. */
static void
on_way(VtClassPanel *self)
{
  gtk_widget_set_visible(GTK_WIDGET(self->by_examples), is_seen(self, EXAMPLES));
  if (!is_seen(self, GATES))
    self->former = is_seen(self, THRESHOLDS) ? THRESHOLDS : EXAMPLES;
  vt_grader_set_on(self->grader, is_seen(self, THRESHOLDS));
  vt_gates_set_classes(self->gates, is_seen(self, GATES));
}

static void
on_grader_changed(VtClassPanel *self)
{
  if (vt_grader_get_on(self->grader) != is_seen(self, THRESHOLDS) && !is_seen(self, GATES))
    gtk_stack_set_visible_child_name(self->ways, vt_grader_get_on(self->grader) ? THRESHOLDS : EXAMPLES);
  else if (vt_grader_get_on(self->grader))
    gtk_stack_set_visible_child_name(self->ways, THRESHOLDS);
}

/* Ctrl+Z, and a session, switch them, too. */
static void
on_gates_changed(VtClassPanel *self)
{
  if (vt_gates_get_classes(self->gates))
    gtk_stack_set_visible_child_name(self->ways, GATES);
  else if (is_seen(self, GATES))
    gtk_stack_set_visible_child_name(self->ways, self->former);
}

GtkWidget *
vt_class_panel_new(VtCanvas *canvas, VtAnalysis *analysis, VtTeacher *teacher, VtGrader *grader, VtGates *gates)
{
  VtClassPanel *self = g_object_new(VT_TYPE_CLASS_PANEL, NULL);
  g_set_weak_pointer(&self->canvas, canvas);
  self->analysis = g_object_ref(analysis);
  self->teacher = g_object_ref(teacher);
  self->grader = g_object_ref(grader);
  self->gates = g_object_ref(gates);
  self->former = EXAMPLES;
  GtkWidget *rows = vt_class_rows_new(teacher);
  gtk_widget_set_valign(rows, GTK_ALIGN_START);
  gtk_box_prepend(self->body, rows);
  gtk_stack_add_titled(self->ways, vt_intensity_panel_new(grader, analysis), THRESHOLDS, _("By Thresholds"));
  gtk_stack_add_titled(self->ways, vt_gate_classes_new(gates), GATES, _("By Gates"));
  g_signal_connect_object(self->ways, "notify::visible-child", G_CALLBACK(on_way), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(grader, "changed", G_CALLBACK(on_grader_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(gates, "changed", G_CALLBACK(on_gates_changed), self, G_CONNECT_SWAPPED);
  on_grader_changed(self);
  on_gates_changed(self);
  g_signal_connect_object(teacher, "learned", G_CALLBACK(show_learned), self, G_CONNECT_SWAPPED);
  show_learned(self);
  return GTK_WIDGET(self);
}

VT_GETTER(GtkBox *, vt_class_panel_get_head, VtClassPanel, head)
