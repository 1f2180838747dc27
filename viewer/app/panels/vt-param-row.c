/* SPDX-License-Identifier: MIT */
#include "panels/vt-param-row.h"

#include <math.h>
#include <string.h>

#include "panels/vt-sweep-plot.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

#define N_COMPONENTS 3

struct _VtParamRow {
  GtkBox parent;
  VtParams *params;
  guint index;
  const VitrailParam *param;
  /* template */
  GtkBox *line, *below;
  GtkLabel *title_label, *unit_label;
  GtkWidget *reset, *curve, *several;
  GtkWidget *values; /* all of them as text, in the place of the editors */
  GtkEventControllerFocus *values_focus;
  GtkPicture *wedge; /* of a vector, the colours it stands for */
  GtkWidget *limits; /* shown when a number was typed that is out of range */

  double wedge_of[N_COMPONENTS];
  GtkWidget *editors[N_COMPONENTS];
  guint n_editors;
  GtkScale *slider; /* NULL: none; of the one number, from 0 to 1 along `scale` */
  VtSliderScale scale;
  VtSweep *sweep;  /* shared */
  GtkWidget *plot; /* while its sweep is shown; or NULL */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE(VtParamRow, vt_param_row, GTK_TYPE_BOX)

static double
editor_get(VtParamRow *self, guint i)
{
  GtkWidget *editor = self->editors[i];
  if (GTK_IS_SPIN_BUTTON(editor))
    return gtk_spin_button_get_value(GTK_SPIN_BUTTON(editor));
  if (GTK_IS_SWITCH(editor))
    return gtk_switch_get_active(GTK_SWITCH(editor)) ? 1 : 0;
  return gtk_drop_down_get_selected(GTK_DROP_DOWN(editor));
}

#define WEDGE_PX 64
#define WEDGE_DENSITY 1.5 /* at its end; of a stain */

/* A stain from glass to dark, of which no part is above 1; another vector is a colour. */
static void
show_wedge(VtParamRow *self)
{
  const double *v = self->params->values[self->index];
  if (gtk_picture_get_paintable(self->wedge) && memcmp(v, self->wedge_of, sizeof self->wedge_of) == 0)
    return;
  memcpy(self->wedge_of, v, sizeof self->wedge_of);
  const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const gboolean is_stain = self->param->max <= 1;
  guint8 rgb[3 * WEDGE_PX];
  for (int x = 0; x < WEDGE_PX; x++)
    for (int c = 0; c < N_COMPONENTS; c++) {
      const double density = length > 0 ? WEDGE_DENSITY * x / (WEDGE_PX - 1) * v[c] / length : 0;
      rgb[3 * x + c] = (guint8)CLAMP(lround(is_stain ? 255 * pow(10, -density) : v[c]), 0, 255);
    }
  g_autoptr(GBytes) bytes = g_bytes_new(rgb, sizeof rgb);
  g_autoptr(GdkTexture) texture = gdk_memory_texture_new(WEDGE_PX, 1, GDK_MEMORY_R8G8B8, bytes, sizeof rgb);
  gtk_picture_set_paintable(self->wedge, GDK_PAINTABLE(texture));
}

/* Left where the hand has it as long as that means this value. */
static void
show_slider(VtParamRow *self)
{
  double value = self->params->values[self->index][0];
  if (vt_slider_scale_get_value(&self->scale, gtk_range_get_value(GTK_RANGE(self->slider))) != value)
    gtk_range_set_value(GTK_RANGE(self->slider), vt_slider_scale_get_position(&self->scale, value));
}

static void
say_limits(VtParamRow *self, const char *sentence)
{
  gtk_label_set_text(GTK_LABEL(self->limits), sentence);
  gtk_widget_set_visible(self->limits, TRUE);
  vt_test_log("out-of-range %s", sentence);
}

static void
forget_typed(VtParamRow *self)
{
  gtk_widget_set_visible(self->limits, FALSE);
}

/* --- several values --- */

/* What a person types is left as it is until it is taken. */
static void
show_values(VtParamRow *self, gboolean shown)
{
  const gboolean has_list = vt_params_has_list(self->params, self->index);
  if (shown && (has_list || !gtk_widget_get_visible(self->values))) {
    g_autofree char *text = vt_params_dup_text(self->params, self->index);
    g_auto(GStrv) parts = has_list ? g_strsplit(text, ",", -1) : NULL;
    g_autofree char *spaced = parts ? g_strjoinv(", ", parts) : g_strdup(text);
    gtk_editable_set_text(GTK_EDITABLE(self->values), spaced);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->several), shown);
  gtk_widget_set_visible(self->values, shown);
  gtk_widget_set_visible(self->editors[0], !shown);
  if (self->slider)
    gtk_widget_set_visible(GTK_WIDGET(self->slider), !shown);
}

static void
take_values(VtParamRow *self)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->values));
  g_autofree char *setting = g_strconcat(self->param->key, "=", text, NULL);
  g_autoptr(VtParams) before = vt_params_copy(self->params);
  g_autoptr(GError) error = NULL;
  if (self->updating)
    return;
  if (!vt_params_set_from_string(self->params, setting, &error)) {
    say_limits(self, error->message);
    return;
  }
  forget_typed(self);
  vt_param_row_refresh(self);
  if (vt_params_differ(before, self->params, self->index))
    g_signal_emit_by_name(self, "changed");
}

/* As a number that was edited: it gives the keys back to the picture, and is taken by that. */
static void
on_values_entered(VtParamRow *self)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "view.focus", NULL);
}

static void
on_several_toggled(VtParamRow *self)
{
  if (self->updating)
    return;
  const gboolean active = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->several));
  const gboolean had_list = vt_params_has_list(self->params, self->index);
  forget_typed(self);
  self->updating = TRUE;
  show_values(self, active);
  self->updating = FALSE;
  gtk_widget_grab_focus(active ? self->values : self->editors[0]);
  if (active || !had_list)
    return;
  (void)vt_params_set(self->params, self->index, self->params->values[self->index], NULL); /* the first one alone */
  vt_param_row_refresh(self);
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_param_row_toggle_values(VtParamRow *self)
{
  GtkToggleButton *several = GTK_TOGGLE_BUTTON(self->several);
  if (!gtk_widget_get_visible(self->several))
    return FALSE;
  gtk_toggle_button_set_active(several, !gtk_toggle_button_get_active(several));
  return TRUE;
}

void
vt_param_row_refresh(VtParamRow *self)
{
  self->updating = TRUE;
  for (guint i = 0; i < self->n_editors; i++) {
    double value = self->params->values[self->index][i];
    GtkWidget *editor = self->editors[i];
    if (GTK_IS_SPIN_BUTTON(editor))
      gtk_spin_button_set_value(GTK_SPIN_BUTTON(editor), value);
    else if (GTK_IS_SWITCH(editor))
      gtk_switch_set_active(GTK_SWITCH(editor), value != 0);
    else
      gtk_drop_down_set_selected(GTK_DROP_DOWN(editor), (guint)value);
  }
  if (self->slider)
    show_slider(self);
  show_values(self, vt_params_has_list(self->params, self->index)
                      || gtk_event_controller_focus_contains_focus(self->values_focus));
  if (self->param->type == VITRAIL_PARAM_VECTOR)
    show_wedge(self);
  self->updating = FALSE;
  /* Kept in place when there is nothing to reset, so that rows do not jump. */
  gboolean is_set = self->params->is_set[self->index];
  gtk_widget_set_opacity(self->reset, is_set ? 1 : 0);
  gtk_widget_set_sensitive(self->reset, is_set);
}

static void
on_edited(VtParamRow *self)
{
  double values[4] = { 0 };
  if (self->updating)
    return;
  for (guint i = 0; i < self->n_editors; i++)
    values[i] = editor_get(self, i);
  g_autoptr(GError) error = NULL;
  gboolean taken = vt_params_set(self->params, self->index, values, &error);
  vt_param_row_refresh(self);
  if (taken)
    g_signal_emit_by_name(self, "changed");
}

/* A spin button takes the nearest number that it may, and of a text what it begins with, or 0. That is said, and of a text nothing is taken. */
static int
on_typed(GtkSpinButton *spin, double *value, VtParamRow *self)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(spin));
  char *end = NULL;
  double typed = g_strtod(text, &end);
  const gboolean is_number = end > text && end[strspn(end, " ")] == '\0';
  if (is_number && typed >= self->param->min && typed <= self->param->max)
    return FALSE;
  g_autofree char *sentence =
    is_number ? g_strdup_printf(_("%s is out of range: %g to %g"), text, self->param->min, self->param->max)
              : g_strdup_printf(_("“%s” is no number"), text);
  *value = gtk_spin_button_get_value(spin);
  say_limits(self, sentence);
  return !is_number;
}

static void
on_slid(VtParamRow *self)
{
  double value = vt_slider_scale_get_value(&self->scale, gtk_range_get_value(GTK_RANGE(self->slider)));
  if (self->updating)
    return;
  forget_typed(self);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->editors[0]), value);
}

static void
on_reset(VtParamRow *self)
{
  forget_typed(self);
  vt_params_reset(self->params, self->index);
  vt_param_row_refresh(self);
  g_signal_emit_by_name(self, "changed");
}

static GtkWidget *
spin_new(VtParamRow *self, const char *name)
{
  const VitrailParam *param = self->param;
  double step = param->step > 0 ? param->step : 1;
  GtkWidget *spin = gtk_spin_button_new_with_range(param->min, param->max, step);
  /* numeric: GTK 4.24 drops letters as they are typed, so that 0.1x was taken for 0.1 without a word. */
  g_object_set(spin, "numeric", FALSE, "digits", vt_param_count_digits(param), "width-chars", 5, "max-width-chars", 5,
               "valign", GTK_ALIGN_CENTER, NULL);
  gtk_widget_add_css_class(spin, "numeric");
  vt_widget_set_accessible_label(spin, name);
  vt_widget_ignore_wheel(spin);
  vt_spin_button_give_keys_back(GTK_SPIN_BUTTON(spin));
  g_signal_connect_swapped(spin, "value-changed", G_CALLBACK(on_edited), self);
  g_signal_connect(spin, "input", G_CALLBACK(on_typed), self);
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(forget_typed), self);
  gtk_widget_add_controller(spin, focus);
  return spin;
}

/* For the hand: the keyboard has the number, and stays with the picture while somebody slides. A scale that is only not
 * focusable ends the way of Tab: with GTK 4.18 it says that it took the focus, and does not. */
static GtkWidget *
slider_new(VtParamRow *self)
{
  GtkWidget *slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.01);
  g_autofree char *name = g_strdup_printf(_("Slider of %s"), vt_translate(self->param->title));
  self->slider = GTK_SCALE(slider);
  g_object_set(slider, "draw-value", FALSE, "can-focus", FALSE, "hexpand", TRUE, NULL);
  gtk_widget_add_css_class(slider, "param");
  vt_widget_set_accessible_label(slider, name);
  vt_widget_ignore_wheel(slider);
  g_signal_connect_swapped(slider, "value-changed", G_CALLBACK(on_slid), self);
  return slider;
}

static GtkWidget *
choice_new(VtParamRow *self)
{
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  for (guint i = 0; i < self->param->n_choices; i++)
    gtk_string_list_append(titles, self->param->choice_titles ? vt_translate(self->param->choice_titles[i])
                                                              : self->param->choices[i]);
  GtkWidget *choice = gtk_drop_down_new(G_LIST_MODEL(g_steal_pointer(&titles)), NULL);
  gtk_widget_set_valign(choice, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand(choice, TRUE);
  vt_widget_set_accessible_label(choice, vt_translate(self->param->title));
  g_signal_connect_swapped(choice, "notify::selected", G_CALLBACK(on_edited), self);
  return choice;
}

static GtkWidget *
switch_new(VtParamRow *self)
{
  GtkWidget *toggle = gtk_switch_new();
  gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER);
  vt_widget_set_accessible_label(toggle, vt_translate(self->param->title));
  g_signal_connect_swapped(toggle, "notify::active", G_CALLBACK(on_edited), self);
  return toggle;
}

static void
add_editors(VtParamRow *self)
{
  static const char *const components[N_COMPONENTS] = { N_("red"), N_("green"), N_("blue") };
  switch (self->param->type) {
  case VITRAIL_PARAM_BOOL: self->editors[self->n_editors++] = switch_new(self); break;
  case VITRAIL_PARAM_CHOICE:
    self->editors[self->n_editors++] = choice_new(self);
    gtk_box_append(self->below, self->editors[0]);
    return;
  case VITRAIL_PARAM_VECTOR:
    for (guint i = 0; i < N_COMPONENTS; i++) {
      g_autofree char *name = g_strdup_printf("%s, %s", vt_translate(self->param->title), _(components[i]));
      self->editors[self->n_editors++] = spin_new(self, name);
      gtk_widget_set_hexpand(self->editors[i], TRUE);
      gtk_box_append(self->below, self->editors[i]);
    }
    gtk_widget_add_css_class(GTK_WIDGET(self->below), "linked");
    return;
  default:
    self->editors[self->n_editors++] = spin_new(self, vt_translate(self->param->title));
    if (vt_slider_scale_init(&self->scale, self->param->min, self->param->max,
                             self->param->step > 0 ? self->param->step : 1))
      gtk_box_append(self->below, slider_new(self));
    break;
  }
  gtk_box_insert_child_after(self->line, self->editors[0], GTK_WIDGET(self->wedge));
}

/* --- the curve along the slider --- */

#define CURVE_VALUES 25

static void
start_sweep(VtParamRow *self)
{
  double values[CURVE_VALUES];
  guint n = 0;
  for (guint i = 0; i < CURVE_VALUES; i++) {
    const double value = vt_slider_scale_get_value(&self->scale, (double)i / (CURVE_VALUES - 1));
    if (n == 0 || value > values[n - 1])
      values[n++] = value;
  }
  vt_sweep_start(self->sweep, self->index, values, n);
}

static void
on_chosen(VtParamRow *self, double value)
{
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->editors[0]), value);
}

static void
show_plot(VtParamRow *self)
{
  self->plot = vt_sweep_plot_new(GTK_RANGE(self->slider), &self->scale);
  g_autofree char *name = g_strdup_printf(_("Objects along %s"), vt_translate(self->param->title));
  vt_widget_set_accessible_label(self->plot, name);
  g_signal_connect_object(self->plot, "chosen", G_CALLBACK(on_chosen), self, G_CONNECT_SWAPPED);
  gtk_box_insert_child_after(GTK_BOX(self), self->plot, gtk_widget_get_first_child(GTK_WIDGET(self)));
}

/* The sweep is that of one parameter at a time. */
static void
on_sweep(VtParamRow *self)
{
  const GArray *points = vt_sweep_get_points(self->sweep, self->index);
  if (points && !self->plot)
    show_plot(self);
  if (points)
    vt_sweep_plot_set(VT_SWEEP_PLOT(self->plot), points, vt_sweep_is_preview(self->sweep),
                      vt_params_get_unit(self->params, self->index));
  else if (self->plot)
    gtk_box_remove(GTK_BOX(self), g_steal_pointer(&self->plot));
  self->updating = TRUE;
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->curve), points != NULL);
  self->updating = FALSE;
}

gboolean
vt_param_row_toggle_curve(VtParamRow *self)
{
  GtkToggleButton *curve = GTK_TOGGLE_BUTTON(self->curve);
  if (!gtk_widget_get_visible(self->curve))
    return FALSE;
  gtk_toggle_button_set_active(curve, !gtk_toggle_button_get_active(curve));
  return TRUE;
}

static void
on_curve_toggled(VtParamRow *self)
{
  if (self->updating)
    return;
  if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->curve)))
    start_sweep(self);
  else
    vt_sweep_stop(self->sweep);
}

static void
build(VtParamRow *self)
{
  const char *title = vt_translate(self->param->title), *unit = vt_params_get_unit(self->params, self->index);
  g_autofree char *reset_name = g_strdup_printf(_("Reset %s"), title);
  g_autofree char *curve_name = g_strdup_printf(_("Curve of %s"), title);
  g_autofree char *several_name = g_strdup_printf(_("Several values of %s"), title);
  g_autofree char *values_name = g_strdup_printf(_("Values of %s, with commas between"), title);
  gtk_label_set_text(self->title_label, title);
  gtk_label_set_text(self->unit_label, unit ? unit : "");
  gtk_widget_set_visible(GTK_WIDGET(self->unit_label), unit && *unit);
  gtk_widget_set_visible(GTK_WIDGET(self->wedge), self->param->type == VITRAIL_PARAM_VECTOR);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), vt_translate(self->param->help));
  vt_widget_set_accessible_label(self->reset, reset_name);
  vt_widget_set_accessible_label(self->curve, curve_name);
  vt_widget_set_accessible_label(self->several, several_name);
  vt_widget_set_accessible_label(self->values, values_name);
  gtk_widget_set_visible(self->several,
                         self->param->type != VITRAIL_PARAM_BOOL && vt_params_can_list(self->params, self->index));
  add_editors(self);
  gtk_widget_set_visible(GTK_WIDGET(self->below), gtk_widget_get_first_child(GTK_WIDGET(self->below)) != NULL);
  gtk_widget_set_visible(self->curve, self->slider && vt_sweep_is_possible(self->sweep));
  if (gtk_widget_get_visible(self->curve))
    g_signal_connect_object(self->sweep, "changed", G_CALLBACK(on_sweep), self, G_CONNECT_SWAPPED);
}

void
vt_param_row_set_low(VtParamRow *self, gboolean is_low)
{
  if (self->param->type == VITRAIL_PARAM_CHOICE)
    gtk_orientable_set_orientation(GTK_ORIENTABLE(self),
                                   is_low ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
}

gboolean
vt_param_row_is_tall(VtParamRow *self)
{
  return self->param->type == VITRAIL_PARAM_VECTOR;
}

static gboolean
vt_param_row_grab_focus(GtkWidget *widget)
{
  VtParamRow *self = VT_PARAM_ROW(widget);
  return gtk_widget_grab_focus(gtk_widget_get_visible(self->values) ? self->values : self->editors[0]);
}

static void
vt_param_row_class_init(VtParamRowClass *klass)
{
  GTK_WIDGET_CLASS(klass)->grab_focus = vt_param_row_grab_focus;
  VT_OWNS(klass, VtParamRow, g_object_unref, sweep);
  VT_TEMPLATE(klass, VtParamRow, "vt-param-row", line, below, title_label, unit_label, reset, curve, several, values,
              values_focus, wedge, limits);
  VT_TEMPLATE_CALLBACKS(klass, on_reset, on_curve_toggled, on_several_toggled, take_values, on_values_entered);
  vt_signals_new(VT_TYPE_PARAM_ROW, "changed", NULL);
}

VT_TEMPLATE_INIT(VtParamRow, vt_param_row)

GtkWidget *
vt_param_row_new(VtParams *params, guint index, VtSweep *sweep)
{
  VtParamRow *self = g_object_new(VT_TYPE_PARAM_ROW, NULL);
  self->sweep = g_object_ref(sweep);
  self->params = params;
  self->index = index;
  self->param = params->op->params[index];
  build(self);
  vt_param_row_refresh(self);
  return GTK_WIDGET(self);
}
