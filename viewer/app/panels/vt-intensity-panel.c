/* SPDX-License-Identifier: MIT */
#include "panels/vt-intensity-panel.h"

#include <math.h>

#include "analysis/vt-caution.h"
#include "base/vt-json.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "panels/vt-plot-job.h"
#include "panels/vt-plot.h"

enum { SWATCH, NAME, COUNT, SHARE, N_CELLS };

struct _VtIntensityPanel {
  GtkBox parent;
  VtGrader *grader;
  VtAnalysis *analysis;
  GPtrArray *names; /* of the measurements, as the list has them; interned */
  gboolean is_filling;
  gboolean is_counting, is_dirty; /* by a worker; it is to count again */
  GPtrArray *counted;             /* the objects of the histogram, to be compared with only; held */
  const char *counted_measurement;
  guint counted_room;

  GtkDropDown *measurement, *classes;
  GtkGrid *settings, *cells_grid;
  GtkLabel *titles[VT_INTENSITY_MOST];
  GtkSpinButton *thresholds[VT_INTENSITY_MOST];
  VtPlot *plot;
  GtkLabel *cells[VT_INTENSITY_MOST + 1][N_CELLS];
  GtkLabel *score, *depends, *rest, *caution, *doubt;
};

G_DEFINE_FINAL_TYPE(VtIntensityPanel, vt_intensity_panel, GTK_TYPE_BOX)

/* --- the score --- */

static void
show_class(VtIntensityPanel *self, guint cls, const VtIntensity *intensity, const VtIntensityScore *score)
{
  const gboolean is_there = cls <= intensity->n;
  for (guint i = 0; i < N_CELLS; i++)
    gtk_widget_set_visible(GTK_WIDGET(self->cells[cls][i]), is_there);
  if (!is_there)
    return;
  const guint8 *rgb = vt_intensity_get_colour(intensity, cls);
  g_autofree char *swatch = g_strdup_printf("<span foreground=\"#%02x%02x%02x\">■</span>", rgb[0], rgb[1], rgb[2]);
  g_autofree char *count = score ? g_strdup_printf("%'" G_GUINT64_FORMAT, score->counts[cls]) : g_strdup("–");
  g_autofree char *share = score && score->n > 0
                             ? g_strdup_printf("%.1f %%", 100.0 * (double)score->counts[cls] / (double)score->n)
                             : g_strdup("–");
  gtk_label_set_markup(self->cells[cls][SWATCH], swatch);
  gtk_label_set_text(self->cells[cls][NAME], vt_translate(vt_intensity_get_name(intensity, cls)));
  gtk_label_set_text(self->cells[cls][COUNT], count);
  gtk_label_set_text(self->cells[cls][SHARE], share);
}

static char *
dup_score(const VtIntensity *intensity, const VtIntensityScore *score)
{
  if (!score || score->n == 0)
    return g_strdup(intensity->n == VT_INTENSITY_MOST ? _("Positive –   H-score –") : _("Positive –"));
  if (intensity->n < VT_INTENSITY_MOST)
    return g_strdup_printf(_("Positive %.1f %%"), vt_intensity_score_get_percent(score));
  return g_strdup_printf(_("Positive %.1f %%   H-score %.0f"), vt_intensity_score_get_percent(score),
                         vt_intensity_score_get_h(score));
}

/* Those that are in no class. */
static char *
dup_rest(const VtIntensityScore *score)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *without = g_strdup_printf("%'" G_GUINT64_FORMAT, score->n_without);
  g_autofree char *left_out = g_strdup_printf("%'" G_GUINT64_FORMAT, score->n_left_out);
  if (score->n_without > 0)
    g_string_append_printf(text, _("Objects without a value, not counted: %s"), without);
  if (score->n_left_out > 0) {
    g_string_append(text, text->len > 0 ? "\n" : "");
    g_string_append_printf(text, _("Objects of classes that are left out: %s"), left_out);
  }
  return g_strdup(text->str);
}

/* Of what the figures are: a part of a slide says little of the whole. */
static const char *
get_place(VtIntensityPanel *self)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  JsonObject *record = shown && shown->record ? json_node_get_object(shown->record) : NULL;
  JsonObject *source = record ? vt_json_get_object(record, "source") : NULL;
  if (!shown || shown->parts)
    return shown ? _("in the regions") : "";
  const gboolean is_whole = source && json_object_get_int_member_with_default(source, "width", 0) == shown->width_l0
                            && json_object_get_int_member_with_default(source, "height", 0) == shown->height_l0;
  return is_whole ? _("on the whole slide") : _("in a part of the slide");
}

static void
set_text(GtkLabel *label, const char *text)
{
  gtk_label_set_text(label, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(label), text && *text);
}

static void
show_score(VtIntensityPanel *self)
{
  const VtClassified *classified = vt_grader_get_classified(self->grader);
  const VtIntensity *intensity = classified ? &classified->intensity : vt_grader_get_intensity(self->grader);
  const VtIntensityScore score = classified ? vt_intensity_score_all(classified) : (VtIntensityScore){ 0 };
  const VtIntensityScore *known = classified ? &score : NULL;
  g_autofree char *text = dup_score(intensity, known);
  g_autofree char *rest = known ? dup_rest(known) : NULL;
  g_autofree char *settings = classified ? vt_intensity_dup_settings(intensity) : NULL;
  g_autofree char *n = g_strdup_printf("%'" G_GUINT64_FORMAT, score.n);
  g_autofree char *depends = classified ? g_strdup_printf(_("n = %s %s · %s"), n, get_place(self), settings) : NULL;
  for (guint k = 0; k <= VT_INTENSITY_MOST; k++)
    show_class(self, k, intensity, known);
  gtk_label_set_text(self->score, text);
  set_text(self->depends, depends);
  set_text(self->rest, rest);
  set_text(self->doubt, vt_grader_get_doubt(self->grader));
  vt_test_log("score %s", text);
}

/* --- the histogram --- */

static void
count_in_thread(GTask *task, gpointer panel, gpointer job, GCancellable *cancellable)
{
  vt_plot_job_run(job);
  g_task_return_boolean(task, TRUE);
}

static void count(VtIntensityPanel *self);

static void
show_cuts(VtIntensityPanel *self)
{
  const VtIntensity *intensity = vt_grader_get_intensity(self->grader);
  guint8 colours[VT_INTENSITY_MOST + 1][3];
  for (guint k = 0; k <= intensity->n; k++)
    for (guint c = 0; c < 3; c++)
      colours[k][c] = vt_intensity_get_colour(intensity, k)[c];
  vt_plot_set_cuts(self->plot, intensity->thresholds, (const guint8(*)[3])colours, intensity->n);
}

static void
counted(GObject *object, GAsyncResult *result, gpointer user)
{
  VtIntensityPanel *self = VT_INTENSITY_PANEL(object);
  VtPlotJob *job = g_task_get_task_data(G_TASK(result));
  self->is_counting = FALSE;
  if (self->plot) {
    vt_plot_set(self->plot, g_steal_pointer(&job->bins), job->title_x);
    show_cuts(self);
    vt_test_log("intensity-plot %s", job->title_x);
  }
  if (self->is_dirty)
    count(self);
}

/* Of the chosen measurement, unless that is what is shown. */
static void
count(VtIntensityPanel *self)
{
  VtColumns *columns = vt_grader_get_columns(self->grader);
  const char *measurement = vt_grader_get_intensity(self->grader)->measurement;
  const gint column = columns && measurement ? vt_columns_find(columns, measurement) : -1;
  const guint room = vt_plot_get_room(self->plot);
  self->is_dirty = self->is_counting;
  if (self->is_counting || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  if (column < 0) {
    vt_plot_set(self->plot, NULL, "");
    g_clear_pointer(&self->counted, g_ptr_array_unref);
    return;
  }
  if (self->counted == columns->objects && self->counted_measurement == measurement && self->counted_room == room) {
    show_cuts(self);
    return;
  }
  g_clear_pointer(&self->counted, g_ptr_array_unref);
  self->counted = g_ptr_array_ref(columns->objects);
  self->counted_measurement = measurement;
  self->counted_room = room;
  VtPlotJob *job = vt_plot_job_new(columns, NULL, NULL);
  job->column_x = (guint)column;
  job->column_y = -1;
  job->width = room;
  job->title_x = vt_columns_dup_title(columns, (guint)column);
  self->is_counting = TRUE;
  vt_task_run(self, NULL, counted, NULL, count_in_thread, job, vt_plot_job_free);
}

/* --- what a person sets --- */

static void
set_intensity(VtIntensityPanel *self, const VtIntensity *intensity)
{
  g_autoptr(GError) error = NULL;
  if (vt_grader_set_intensity(self->grader, intensity, &error)) {
    set_text(self->doubt, vt_grader_get_doubt(self->grader));
    return;
  }
  set_text(self->doubt, vt_translate(error->message));
  vt_test_log("intensity-refused %s", error->message);
}

static void
on_threshold(VtIntensityPanel *self)
{
  VtIntensity intensity = *vt_grader_get_intensity(self->grader);
  if (self->is_filling)
    return;
  for (guint i = 0; i < intensity.n; i++)
    intensity.thresholds[i] = gtk_spin_button_get_value(self->thresholds[i]);
  set_intensity(self, &intensity);
}

static void
on_cut(VtIntensityPanel *self, guint cut, double value)
{
  VtIntensity intensity = *vt_grader_get_intensity(self->grader);
  intensity.thresholds[cut] = value;
  set_intensity(self, &intensity);
}

static void
on_held(VtIntensityPanel *self, gboolean is_held)
{
  if (is_held)
    vt_grader_begin_move(self->grader);
  else
    vt_grader_end_move(self->grader);
}

static void
on_measurement(VtIntensityPanel *self)
{
  const guint place = gtk_drop_down_get_selected(self->measurement);
  VtIntensity intensity = *vt_grader_get_intensity(self->grader);
  if (self->is_filling || place >= self->names->len)
    return;
  intensity.measurement = self->names->pdata[place];
  set_intensity(self, &intensity);
}

/* Of three thresholds the first stays; of one, the other two are QuPath's where these are higher. */
static void
on_classes(VtIntensityPanel *self)
{
  const VtIntensity *before = vt_grader_get_intensity(self->grader);
  VtIntensity intensity = vt_intensity_make(gtk_drop_down_get_selected(self->classes) == 0 ? 1 : VT_INTENSITY_MOST);
  if (self->is_filling || intensity.n == before->n)
    return;
  intensity.measurement = before->measurement;
  const double first = before->thresholds[0], step = fmax(fabs(first), 0.2);
  intensity.thresholds[0] = first;
  for (guint i = 1; i < intensity.n; i++)
    if (!(intensity.thresholds[i] > intensity.thresholds[i - 1]))
      intensity.thresholds[i] = first + i * step;
  set_intensity(self, &intensity);
}

static void
act_undo(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_grader_undo(VT_INTENSITY_PANEL(widget)->grader);
}

static void
act_defaults(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtIntensityPanel *self = VT_INTENSITY_PANEL(widget);
  const VtIntensity *before = vt_grader_get_intensity(self->grader);
  VtIntensity intensity = vt_intensity_make(before->n);
  intensity.measurement = before->measurement;
  set_intensity(self, &intensity);
}

/* --- filling --- */

static void
fill_measurements(VtIntensityPanel *self)
{
  const VtColumns *columns = vt_grader_get_columns(self->grader);
  const char *chosen = vt_grader_get_intensity(self->grader)->measurement;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  guint place = 0;
  for (guint i = VT_OBJECT_MEASUREMENTS; columns && i < columns->n_own; i++)
    g_ptr_array_add(names, (gpointer)vt_columns_get_name(columns, i));
  gboolean is_same = names->len == self->names->len;
  for (guint i = 0; is_same && i < names->len; i++)
    is_same = names->pdata[i] == self->names->pdata[i];
  if (!is_same && names->len > 0) {
    g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);
    for (guint i = 0; i < names->len; i++) {
      g_autofree char *title = vt_dup_shown_name(names->pdata[i]);
      gtk_string_list_append(list, title);
    }
    g_ptr_array_unref(self->names);
    self->names = g_steal_pointer(&names);
    gtk_drop_down_set_model(self->measurement, G_LIST_MODEL(list));
  }
  while (place < self->names->len && self->names->pdata[place] != chosen)
    place++;
  gtk_drop_down_set_selected(self->measurement, place < self->names->len ? place : GTK_INVALID_LIST_POSITION);
}

static void
fill(VtIntensityPanel *self)
{
  const VtIntensity *intensity = vt_grader_get_intensity(self->grader);
  self->is_filling = TRUE;
  fill_measurements(self);
  gtk_drop_down_set_selected(self->classes, intensity->n == 1 ? 0 : 1);
  for (guint i = 0; i < VT_INTENSITY_MOST; i++) {
    gtk_widget_set_visible(GTK_WIDGET(self->titles[i]), i < intensity->n);
    gtk_widget_set_visible(GTK_WIDGET(self->thresholds[i]), i < intensity->n);
    if (i >= intensity->n)
      continue;
    g_autofree char *title = g_strdup_printf(_("%s from"), vt_translate(vt_intensity_get_name(intensity, i + 1)));
    gtk_label_set_text(self->titles[i], title);
    vt_widget_set_accessible_label(GTK_WIDGET(self->thresholds[i]), title);
    gtk_spin_button_set_value(self->thresholds[i], intensity->thresholds[i]);
  }
  self->is_filling = FALSE;
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "intensity.undo", vt_grader_can_undo(self->grader));
  count(self);
}

static void
on_graded(VtIntensityPanel *self)
{
  fill(self);
  show_score(self);
}

/* --- the widget --- */

static void
vt_intensity_panel_dispose(GObject *object)
{
  VtIntensityPanel *self = VT_INTENSITY_PANEL(object);
  g_clear_object(&self->grader);
  g_clear_object(&self->analysis);
  g_clear_pointer(&self->names, g_ptr_array_unref);
  g_clear_pointer(&self->counted, g_ptr_array_unref);
  self->plot = NULL;
  G_OBJECT_CLASS(vt_intensity_panel_parent_class)->dispose(object);
}

static void
vt_intensity_panel_class_init(VtIntensityPanelClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_intensity_panel_dispose;
  gtk_widget_class_install_action(widget, "intensity.undo", NULL, act_undo);
  gtk_widget_class_install_action(widget, "intensity.defaults", NULL, act_defaults);
  g_type_ensure(VT_TYPE_PLOT);
  VT_TEMPLATE(klass, VtIntensityPanel, "vt-intensity-panel", score, depends, cells_grid, rest, caution, doubt, settings,
              measurement, classes, plot);
  VT_TEMPLATE_CALLBACKS(klass, count, on_measurement, on_classes, on_cut, on_held);
}

static void
add_threshold(VtIntensityPanel *self, int i)
{
  self->titles[i] = GTK_LABEL(vt_label_new("", 1, "dim-label caption"));
  self->thresholds[i] = GTK_SPIN_BUTTON(gtk_spin_button_new_with_range(-1e9, 1e9, 0.01));
  gtk_spin_button_set_numeric(self->thresholds[i], FALSE); /* as in vt-param-row.c */
  gtk_spin_button_set_digits(self->thresholds[i], 4);
  gtk_spin_button_set_update_policy(self->thresholds[i], GTK_UPDATE_IF_VALID);
  gtk_editable_set_width_chars(GTK_EDITABLE(self->thresholds[i]), 6);
  vt_widget_ignore_wheel(GTK_WIDGET(self->thresholds[i]));
  vt_spin_button_give_keys_back(self->thresholds[i]);
  gtk_grid_attach(self->settings, GTK_WIDGET(self->titles[i]), 1, i, 1, 1);
  gtk_grid_attach(self->settings, GTK_WIDGET(self->thresholds[i]), 2, i, 1, 1);
  g_signal_connect_swapped(self->thresholds[i], "value-changed", G_CALLBACK(on_threshold), self);
}

static void
vt_intensity_panel_init(VtIntensityPanel *self)
{
  self->names = g_ptr_array_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->measurement), _("Measurement"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->classes), _("Classes"));
  for (int i = 0; i < VT_INTENSITY_MOST; i++)
    add_threshold(self, i);
  for (int k = 0; k <= VT_INTENSITY_MOST; k++)
    for (int i = 0; i < N_CELLS; i++) {
      self->cells[k][i] = GTK_LABEL(vt_label_new(NULL, i >= COUNT ? 1 : 0, "numeric"));
      gtk_label_set_wrap(self->cells[k][i], TRUE);
      gtk_grid_attach(self->cells_grid, GTK_WIDGET(self->cells[k][i]), i, k, 1, 1);
    }
}

GtkWidget *
vt_intensity_panel_new(VtGrader *grader, VtAnalysis *analysis)
{
  VtIntensityPanel *self = g_object_new(VT_TYPE_INTENSITY_PANEL, NULL);
  self->grader = g_object_ref(grader);
  self->analysis = g_object_ref(analysis);
  vt_caution_attach(self->caution, analysis, TRUE);
  g_signal_connect_object(grader, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(grader, "graded", G_CALLBACK(on_graded), self, G_CONNECT_SWAPPED);
  on_graded(self);
  return GTK_WIDGET(self);
}
