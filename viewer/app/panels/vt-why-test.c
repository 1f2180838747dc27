/* SPDX-License-Identifier: MIT */
#include "panels/vt-why-test.h"

#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-slider-scale.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "layers/vt-layer-stack.h"
#include "plugins/vt-recipe-trail.h"

#define CAPTION_CHARS 42

struct _VtWhyTest {
  GtkBox parent;
  VtAnalysis *analysis;
  char *key; /* of the test, as long as the recipe is the same */
  GtkToggleButton *button;
  GtkLabel *title, *margin, *caption;
  GtkWidget *line; /* of the slider; NULL: the limit depends on no number, or on several */
  GtkScale *slider;
  GtkLabel *value;
  VtSliderScale scale;
  guint param;
  const char *stage; /* interned; NULL: none shows it */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE(VtWhyTest, vt_why_test, GTK_TYPE_BOX)

/* --- words --- */

char *
vt_why_dup_number(double value, const char *unit)
{
  return g_strdup_printf("%.4g%s%s", value, *unit ? " " : "", unit);
}

/* What the recipes that come along call steps which no stage shows. */
G_GNUC_UNUSED static const char *const steps[] = {
  N_("Above seeds"),  N_("At seeds"),     N_("Band"),         N_("Blue smooth"),   N_("Blue wide"),
  N_("Bluer"),        N_("Bluer smooth"), N_("Bluer wide"),   N_("Bounded"),       N_("Bright"),
  N_("Clean"),        N_("Clear"),        N_("Dark blue"),    N_("Dark red"),      N_("Density"),
  N_("Dilated"),      N_("Domes"),        N_("Edge"),         N_("Eroded"),        N_("Everywhere"),
  N_("Foreground"),   N_("Gaps"),         N_("Given"),        N_("Greener"),       N_("Greener smooth"),
  N_("Greener wide"), N_("Grown"),        N_("Heights"),      N_("Hole distance"), N_("Inner"),
  N_("Inverted"),     N_("Is black"),     N_("Is blue"),      N_("Is green"),      N_("Kept"),
  N_("Large"),        N_("Lowered"),      N_("Lowest"),       N_("Marker pixels"), N_("Maxima"),
  N_("Not black"),    N_("Not blue"),     N_("Not coloured"), N_("Not dark blue"), N_("Not dark red"),
  N_("Not green"),    N_("Numbered"),     N_("Numbers"),      N_("Open"),          N_("Opened"),
  N_("Outer"),        N_("Outside"),      N_("Peaks"),        N_("Pieces"),        N_("Pixels blue"),
  N_("Pixels green"), N_("Pixels red"),   N_("Reached"),      N_("Red smooth"),    N_("Red wide"),
  N_("Seed pixels"),  N_("Shown"),        N_("Smoothed"),     N_("Somewhere"),     N_("Stain"),
  N_("Standing out"), N_("Upright"),      N_("Wide"),         N_("Wide gaps"),     N_("Within")
};

/* A stage's title, or what the recipe calls the step. */
static char *
dup_title(const VitrailOp *op, const char *node)
{
  for (guint i = 0; i < op->n_stages; i++)
    if (g_str_equal(op->stages[i]->id, node))
      return g_strdup(vt_translate(op->stages[i]->title));
  g_autofree char *title = vt_recipe_dup_step_title(node);
  return g_strdup(vt_translate(title));
}

/* Takes `text`. */
static char *
put_saddle(char *text, const VitrailVerdict *v)
{
  const char *format = v->flags & VITRAIL_VERDICT_HOLDS
                         ? _("%s: a seed of its own, down to the saddle at x %.0f, y %.0f px")
                         : _("%s: merged with its neighbour over the saddle at x %.0f, y %.0f px");
  g_autofree char *taken = text;
  return g_strdup_printf(format, taken, floor(v->saddle_x_l0), floor(v->saddle_y_l0));
}

static char *
dup_tested(const VtResult *answer, const VitrailVerdict *v)
{
  static const char *const formats[] = { N_("%s %s, must be above %s"), N_("%s %s, must be at least %s"),
                                         N_("%s %s, must be at most %s") };
  if (v->test == VITRAIL_TEST_ALL)
    return g_strdup(_("The tests it combines must all hold"));
  if (v->test == VITRAIL_TEST_CHOSEN)
    return g_strdup(_("Of regions that overlap, those worth the most together are chosen"));
  g_autofree char *of = dup_title(answer->op, v->of);
  g_autofree char *value = vt_why_dup_number(v->value, v->unit);
  g_autofree char *limit = vt_why_dup_number(v->limit, v->unit);
  if (v->flags & VITRAIL_VERDICT_NONE)
    return g_strdup_printf(_("No candidate region has a score here; it must be above %s"), limit);
  g_autofree char *what = v->tested == VITRAIL_TESTED_AREA    ? g_strdup(_("Area"))
                          : v->tested == VITRAIL_TESTED_DEPTH ? g_strdup(_("Depth of its hill"))
                          : v->tested == VITRAIL_TESTED_MEAN  ? g_strdup_printf(_("Mean of %s"), of)
                                                              : g_steal_pointer(&of);
  g_autofree char *text = g_strdup_printf(_(formats[v->test]), what, value, limit);
  if (v->tested == VITRAIL_TESTED_DEPTH)
    text = put_saddle(text, v);
  return v->flags & VITRAIL_VERDICT_CUT ? g_strdup_printf(_("%s (cut off by the edge of what was analysed)"), text)
                                        : g_steal_pointer(&text);
}

static char *
dup_margin(const VitrailVerdict *v)
{
  const gboolean holds = v->flags & VITRAIL_VERDICT_HOLDS;
  if (v->test == VITRAIL_TEST_ALL || v->test == VITRAIL_TEST_CHOSEN || v->flags & VITRAIL_VERDICT_NONE)
    return g_strdup(holds ? _("Yes") : _("No"));
  g_autofree char *by = vt_why_dup_number(fabs(v->value - v->limit), v->unit);
  if (v->value == v->limit)
    return g_strdup(holds ? _("Yes, just") : _("No, just"));
  return holds ? g_strdup_printf(_("Yes, by %s"), by) : g_strdup_printf(_("No, by %s"), by);
}

static char *
dup_key(const VitrailVerdict *v)
{
  return g_strdup_printf("%s %d %d", v->node, v->test, v->tested);
}

gboolean
vt_why_test_is_of(VtWhyTest *self, const VitrailVerdict *verdict)
{
  g_autofree char *key = dup_key(verdict);
  return g_str_equal(self->key, key);
}

GtkWidget *
vt_why_line_new(const char *text)
{
  GtkWidget *label = vt_label_new(text, 0, "");
  gtk_widget_set_hexpand(label, TRUE);
  return label;
}

/* Wraps, at a width of its own: GTK 4.8 asks for its height at that one, whatever it then has. */
GtkWidget *
vt_why_caption_new(const char *text)
{
  GtkWidget *label = vt_why_line_new(text);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(label), CAPTION_CHARS);
  gtk_label_set_max_width_chars(GTK_LABEL(label), CAPTION_CHARS);
  gtk_widget_add_css_class(label, "caption");
  return label;
}

/* --- the slider --- */

static void
on_slid(VtWhyTest *self)
{
  double values[4] = { vt_slider_scale_get_value(&self->scale, gtk_range_get_value(GTK_RANGE(self->slider))) };
  if (self->updating || values[0] == vt_analysis_get_params(self->analysis)->values[self->param][0])
    return;
  vt_test_log("why-slid %s", vt_analysis_get_op(self->analysis)->params[self->param]->key);
  if (vt_params_set(vt_analysis_get_params(self->analysis), self->param, values, NULL))
    vt_analysis_params_changed(self->analysis);
}

/* What the parameter is now, whoever has changed it. */
static void
show_value(VtWhyTest *self)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  if (!self->slider || self->param >= params->op->n_params)
    return;
  const double now = params->values[self->param][0], position = gtk_range_get_value(GTK_RANGE(self->slider));
  g_autofree char *text = vt_params_dup_shown(params, self->param);
  self->updating = TRUE;
  if (vt_slider_scale_get_value(&self->scale, position) != now)
    gtk_range_set_value(GTK_RANGE(self->slider), vt_slider_scale_get_position(&self->scale, now));
  self->updating = FALSE;
  gtk_label_set_text(self->value, text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
add_slider(VtWhyTest *self, const VitrailParam *param)
{
  if ((param->type != VITRAIL_PARAM_FLOAT && param->type != VITRAIL_PARAM_INT)
      || !vt_slider_scale_init(&self->scale, param->min, param->max, param->step > 0 ? param->step : 1))
    return;
  g_autofree char *name = g_strdup_printf(_("Limit of this test: %s"), vt_translate(param->title));
  self->line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.01);
  self->slider = GTK_SCALE(slider);
  self->value = GTK_LABEL(vt_label_new("", 1, "caption numeric"));
  gtk_scale_set_draw_value(self->slider, FALSE);
  gtk_widget_set_hexpand(slider, TRUE);
  gtk_widget_add_css_class(slider, "param");
  gtk_widget_set_tooltip_text(slider, name);
  vt_widget_set_accessible_label(slider, name);
  vt_widget_ignore_wheel(slider);
  gtk_widget_add_css_class(self->line, "why-slider");
  gtk_box_append(GTK_BOX(self->line), vt_label_new(vt_translate(param->title), 0, "caption"));
  gtk_box_append(GTK_BOX(self->line), slider);
  gtk_box_append(GTK_BOX(self->line), GTK_WIDGET(self->value));
  gtk_box_append(GTK_BOX(self), self->line);
  g_signal_connect_swapped(slider, "value-changed", G_CALLBACK(on_slid), self);
  g_signal_connect_object(self->analysis, "params-changed", G_CALLBACK(show_value), self, G_CONNECT_SWAPPED);
}

/* --- all of it --- */

gboolean
vt_why_test_get_active(VtWhyTest *self)
{
  return gtk_toggle_button_get_active(self->button);
}

void
vt_why_test_set_active(VtWhyTest *self, gboolean active)
{
  gtk_toggle_button_set_active(self->button, active);
}

/* The stage goes with the pixels. */
static void
on_toggled(VtWhyTest *self)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  VtLayer *solo = vt_layer_stack_get_solo(layers);
  const gboolean active = gtk_toggle_button_get_active(self->button);
  const gboolean is_solo = solo && self->stage && g_str_equal(vt_layer_get_stage(solo)->id, self->stage);
  g_signal_emit_by_name(self, "toggled");
  if (self->stage && active != is_solo)
    vt_layer_stack_toggle_stage(layers, self->stage);
}

void
vt_why_test_take(VtWhyTest *self, const VtResult *answer, const VitrailVerdict *v)
{
  g_autofree char *title =
    v->stage >= 0 ? g_strdup(vt_translate(answer->op->stages[v->stage]->title)) : dup_title(answer->op, v->node);
  g_autofree char *tested = dup_tested(answer, v), *margin = dup_margin(v);
  g_autofree char *all = g_strdup_printf("%s: %s. %s.", title, margin, tested);
  gtk_label_set_text(self->title, title);
  gtk_label_set_text(self->margin, margin);
  gtk_label_set_text(self->caption, tested);
  vt_widget_set_accessible_label(GTK_WIDGET(self->button), all);
  if (!self->slider)
    return;
  gtk_scale_clear_marks(self->slider);
  if (v->flags & VITRAIL_VERDICT_FLIPS)
    gtk_scale_add_mark(self->slider, vt_slider_scale_get_position(&self->scale, v->critical), GTK_POS_BOTTOM, NULL);
  show_value(self);
}

void
vt_why_test_end(VtWhyTest *self)
{
  g_autofree char *all = g_strdup_printf("%s: %s", gtk_label_get_text(self->title), _("Not tested at this pixel now."));
  gtk_label_set_text(self->margin, "–");
  gtk_label_set_text(self->caption, _("Not tested at this pixel now."));
  vt_widget_set_accessible_label(GTK_WIDGET(self->button), all);
  vt_why_test_set_active(self, FALSE);
}

gboolean
vt_why_test_is_held(VtWhyTest *self)
{
  return self->slider
         && gtk_widget_get_state_flags(GTK_WIDGET(self->slider)) & (GTK_STATE_FLAG_ACTIVE | GTK_STATE_FLAG_FOCUSED);
}

static void
vt_why_test_class_init(VtWhyTestClass *klass)
{
  VT_OWNS(klass, VtWhyTest, g_free, key);
  VT_OWNS(klass, VtWhyTest, g_object_unref, analysis);
  vt_signals_new(VT_TYPE_WHY_TEST, "toggled", NULL);
}

static void
vt_why_test_init(VtWhyTest *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
}

static void
build(VtWhyTest *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  self->title = GTK_LABEL(vt_why_line_new(""));
  self->margin = GTK_LABEL(vt_label_new("", 0.5f, "numeric"));
  self->caption = GTK_LABEL(vt_why_caption_new(""));
  self->button = GTK_TOGGLE_BUTTON(gtk_toggle_button_new());
  gtk_box_append(GTK_BOX(head), GTK_WIDGET(self->title));
  gtk_box_append(GTK_BOX(head), GTK_WIDGET(self->margin));
  gtk_box_append(GTK_BOX(box), head);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->caption));
  gtk_button_set_child(GTK_BUTTON(self->button), box);
  vt_widget_add_classes(GTK_WIDGET(self->button), "flat why-test");
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->button),
                              _("Show the pixels that this test is about, and its stage alone"));
  g_signal_connect_swapped(self->button, "toggled", G_CALLBACK(on_toggled), self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->button));
}

GtkWidget *
vt_why_test_new(VtAnalysis *analysis, const VtResult *answer, const VitrailVerdict *verdict)
{
  VtWhyTest *self = g_object_new(VT_TYPE_WHY_TEST, NULL);
  self->analysis = g_object_ref(analysis);
  self->key = dup_key(verdict);
  self->stage = verdict->stage >= 0 ? g_intern_string(answer->op->stages[verdict->stage]->id) : NULL;
  build(self);
  if (verdict->param >= 0) {
    self->param = (guint)verdict->param;
    add_slider(self, answer->op->params[verdict->param]);
  }
  vt_why_test_take(self, answer, verdict);
  return GTK_WIDGET(self);
}
