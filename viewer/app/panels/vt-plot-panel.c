/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "analysis/vt-caution.h"
#include "common/vt-drop.h"
#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-boxes.h"
#include "panels/vt-plot-draw.h"
#include "panels/vt-plot-job.h"
#include "panels/vt-plot-numbers.h"
#include "panels/vt-plot-words.h"
#include "panels/vt-plot.h"
#include "panels/vt-scatter.h"

struct _VtPlotPanel {
  GtkBox parent;
  VtColumns *columns; /* or NULL */
  VtObjectFilter *filter;
  VtGateTally *tally; /* of the gates that are drawn; or NULL */
  gint chosen_gate;
  double *selected; /* numbers of the selected object, a column each; NULL: none */
  guint n_selected;
  gboolean is_counting, is_dirty; /* by a worker; it is to count again */
  gboolean has_other_points;      /* objects, columns or filter changed since the last count */
  guint width, height;            /* bins or cells that were asked for */
  gboolean is_tallying, is_tally_dirty;
  guint n_chosen; /* on the scatter; what was last counted */

  VtPlotNumbers numbers;
  GtkToggleButton *log_x, *log_y, *hand_button;
  GtkButton *all_button;
  GtkStack *stack;
  VtPlot *plot;
  VtScatter *scatter;
  VtBoxes *boxes;
  GtkLabel *sentence, *caution;
};

G_DEFINE_FINAL_TYPE(VtPlotPanel, vt_plot_panel, GTK_TYPE_BOX)

static guint choice_signal, gate_signal;

/* -1: none. */
static gint
get_column_x(VtPlotPanel *self)
{
  return vt_plot_numbers_get_x(&self->numbers, self->columns);
}

static VtPlotKind
get_kind(VtPlotPanel *self)
{
  return vt_plot_numbers_get_kind(&self->numbers);
}

static gboolean
is_scatter(VtPlotPanel *self)
{
  return get_kind(self) == VT_PLOT_SCATTER;
}

static GtkWidget *
get_plot(VtPlotPanel *self)
{
  const VtPlotKind kind = get_kind(self);
  return kind == VT_PLOT_SCATTER ? GTK_WIDGET(self->scatter)
         : kind == VT_PLOT_BOXES ? GTK_WIDGET(self->boxes)
                                 : GTK_WIDGET(self->plot);
}

/* -1: it is a histogram, or none. */
static gint
get_column_y(VtPlotPanel *self)
{
  return vt_plot_numbers_get_y(&self->numbers, self->columns);
}

/* --- the sentence --- */

static void
say(VtPlotPanel *self)
{
  const VtPlotKind kind = get_kind(self);
  const char *x = vt_plot_numbers_get_title(self->numbers.x), *y = vt_plot_numbers_get_title(self->numbers.y);
  g_autofree char *text = kind == VT_PLOT_SCATTER ? vt_plot_words_of_scatter(self->scatter, x, y, self->n_chosen)
                          : kind == VT_PLOT_BOXES ? vt_plot_words_of_boxes(self->boxes, x)
                                                  : vt_plot_words_of_histogram(self->plot, x);
  g_autofree char *all = kind == VT_PLOT_BOXES ? vt_plot_words_of_all_boxes(self->boxes, text) : g_strdup(text);
  gtk_label_set_text(self->sentence, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->sentence), all);
  gtk_accessible_update_property(GTK_ACCESSIBLE(get_plot(self)), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, all, -1);
}

static void
show_mark(VtPlotPanel *self)
{
  const gint x = get_column_x(self), y = get_column_y(self);
  const double along_x = x >= 0 && (guint)x < self->n_selected ? self->selected[x] : NAN;
  const double along_y = y >= 0 && (guint)y < self->n_selected ? self->selected[y] : NAN;
  vt_plot_set_mark(self->plot, along_x);
  vt_scatter_set_mark(self->scatter, along_x, along_y);
  vt_boxes_set_mark(self->boxes, along_x);
}

/* Those of the numbers that are shown. */
static void
show_gates(VtPlotPanel *self)
{
  const gint x = get_column_x(self), y = get_column_y(self);
  const gboolean has = self->tally && self->columns && self->tally->columns->objects == self->columns->objects && x >= 0
                       && is_scatter(self) == (y >= 0) && get_kind(self) != VT_PLOT_BOXES;
  GPtrArray *gates = !has ? NULL
                          : vt_plot_choice_list_gates(self->tally, self->columns, self->chosen_gate, (guint)x,
                                                      gtk_toggle_button_get_active(self->log_x), y,
                                                      gtk_toggle_button_get_active(self->log_y));
  vt_test_log("gates-drawn %u", gates ? gates->len : 0);
  if (!is_scatter(self))
    vt_plot_set_gates(self->plot, gates);
  else
    vt_scatter_set_gates(self->scatter, gates);
}

/* --- how many are chosen on the scatter --- */

typedef struct {
  VtScatterData *data;
  VtScatterChoice choice;
  guint n;
} Tally;

static void
tally_free(gpointer data)
{
  Tally *tally = data;
  vt_scatter_data_unref(tally->data);
  vt_scatter_choice_clear(&tally->choice);
  g_free(tally);
}

static void
tally_in_thread(GTask *task, gpointer panel, gpointer data, GCancellable *cancellable)
{
  Tally *tally = data;
  tally->n = vt_scatter_data_count(tally->data, &tally->choice);
  g_task_return_boolean(task, TRUE);
}

static void tally(VtPlotPanel *self);

static void
tallied(GObject *object, GAsyncResult *result, gpointer user)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  const Tally *of = g_task_get_task_data(G_TASK(result));
  self->is_tallying = FALSE;
  if (self->is_tally_dirty) {
    tally(self);
    return;
  }
  self->n_chosen = of->n;
  vt_test_log("scatter-choice %s %u %u", of->choice.is_polygon ? "hand" : "rectangle", of->n,
              of->data->points->n_passing);
  if (!of->choice.is_polygon)
    vt_test_log("scatter-rectangle %.15g %.15g %.15g %.15g", of->choice.from_x, of->choice.to_x, of->choice.from_y,
                of->choice.to_y);
  say(self);
}

static void
tally(VtPlotPanel *self)
{
  const VtScatterChoice *choice = vt_scatter_get_choice(self->scatter);
  VtScatterData *data = vt_scatter_get_data(self->scatter);
  self->is_tally_dirty = TRUE;
  if (self->is_tallying)
    return;
  self->is_tally_dirty = FALSE;
  if (!choice || !data) {
    say(self);
    return;
  }
  Tally *of = g_new0(Tally, 1);
  of->data = vt_scatter_data_ref(data);
  of->choice = *choice;
  of->choice.points = choice->points ? g_array_copy(choice->points) : NULL;
  g_autoptr(GTask) task = g_task_new(self, NULL, tallied, NULL);
  g_task_set_task_data(task, of, tally_free);
  self->is_tallying = TRUE;
  g_task_run_in_thread(task, tally_in_thread);
}

/* --- counting --- */

static void
count_in_thread(GTask *task, gpointer panel, gpointer job, GCancellable *cancellable)
{
  vt_plot_job_run(job);
  g_task_return_boolean(task, TRUE);
}

static void count(VtPlotPanel *self);

static void
counted(GObject *object, GAsyncResult *result, gpointer user)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  VtPlotJob *job = g_task_get_task_data(G_TASK(result));
  self->is_counting = FALSE;
  if (self->has_other_points) { /* it is of what was */
    count(self);
    return;
  }
  if (job->boxes) {
    vt_test_log("boxes %u %u %u %u", job->column_x, job->boxes->n, job->boxes->n_passing, job->boxes->n_none);
    for (guint i = 0; i < job->boxes->n; i++)
      vt_test_log("box %u %.15g %.15g %s", job->boxes->boxes[i].n, job->boxes->boxes[i].quantiles[VT_BOX_MEDIAN],
                  job->boxes->boxes[i].quantiles[VT_BOX_HIGH], job->boxes->boxes[i].name);
    vt_boxes_set(self->boxes, g_steal_pointer(&job->boxes), job->title_x);
  } else if (job->bins) {
    vt_test_log("plot %u %u %u", job->column_x, job->bins->n_passing, job->bins->n_absent);
    vt_plot_set(self->plot, g_steal_pointer(&job->bins), job->title_x);
  } else {
    vt_test_log("scatter %u %u %u %u %u", job->column_x, job->column_y, job->points->n_passing, job->cells->most,
                job->cells->n_outside);
    vt_scatter_set(self->scatter, g_steal_pointer(&job->cells), job->title_x, job->title_y);
    tally(self);
  }
  show_mark(self);
  show_gates(self);
  say(self);
  if (self->is_dirty)
    count(self);
}

static void
get_room(VtPlotPanel *self, guint *width, guint *height)
{
  *width = vt_plot_get_room(self->plot);
  *height = 0;
  if (is_scatter(self))
    vt_scatter_get_room(self->scatter, width, height);
}

static void
count(VtPlotPanel *self)
{
  const gint column = get_column_x(self);
  const VtScatterData *last = vt_scatter_get_data(self->scatter);
  self->is_dirty = TRUE;
  if (self->is_counting || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  self->is_dirty = FALSE;
  get_room(self, &self->width, &self->height);
  if (column < 0 || (get_kind(self) != VT_PLOT_HISTOGRAM && get_column_y(self) < 0)) {
    vt_plot_set(self->plot, NULL, "");
    vt_scatter_set(self->scatter, NULL, "", "");
    vt_boxes_set(self->boxes, NULL, "");
    say(self);
    return;
  }
  VtPlotJob *job = vt_plot_job_new(self->columns, self->filter, last && !self->has_other_points ? last->points : NULL);
  job->column_x = (guint)column;
  job->kind = get_kind(self);
  job->column_y = (guint)MAX(get_column_y(self), 0);
  job->is_log_x = gtk_toggle_button_get_active(self->log_x);
  job->is_log_y = gtk_toggle_button_get_active(self->log_y);
  job->title_x = g_strdup(vt_plot_numbers_get_title(self->numbers.x));
  job->title_y = g_strdup(vt_plot_numbers_get_title(self->numbers.y));
  job->width = self->width;
  job->height = self->height;
  job->has_view = vt_scatter_get_view(self->scatter, &job->view_x, &job->view_y);
  self->has_other_points = FALSE;
  g_autoptr(GTask) task = g_task_new(self, NULL, counted, NULL);
  g_task_set_task_data(task, job, vt_plot_job_free);
  self->is_counting = TRUE;
  g_task_run_in_thread(task, count_in_thread);
}

static void
count_others(VtPlotPanel *self)
{
  self->has_other_points = TRUE;
  count(self);
}

static void
on_resized(VtPlotPanel *self)
{
  guint width, height;
  get_room(self, &width, &height);
  if (width != self->width || height != self->height)
    count(self);
}

static void
on_view(VtPlotPanel *self)
{
  VtPlotAxis x, y;
  gtk_widget_set_sensitive(GTK_WIDGET(self->all_button), vt_scatter_get_view(self->scatter, &x, &y));
  if (is_scatter(self))
    count(self);
}

static void
on_choice(VtPlotPanel *self)
{
  if (is_scatter(self))
    tally(self);
  else
    say(self);
  g_signal_emit(self, choice_signal, 0);
}

/* A hand has moved a part of the chosen gate. */
static void
on_gate_moved(VtPlotPanel *self, const VtPlotGate *moved)
{
  const VtPlotChoice choice = { (guint)get_column_x(self), get_column_y(self),
                                gtk_toggle_button_get_active(self->log_x), gtk_toggle_button_get_active(self->log_y),
                                moved->choice };
  const VtGate *gate =
    self->tally && moved->place < self->tally->gates->len ? self->tally->gates->pdata[moved->place] : NULL;
  g_autofree char *text = gate && self->columns ? vt_plot_choice_dup_moved(&choice, self->columns, gate->text) : NULL;
  if (text)
    g_signal_emit(self, gate_signal, 0, gate->name, text);
}

/* What is chosen is of these numbers. Until the new ones are counted nothing is shown under their names. */
static void
on_numbers(VtPlotPanel *self)
{
  static const char *const names[] = { "histogram", "boxes", "scatter" };
  const gboolean has_two = is_scatter(self);
  if (self->numbers.is_filling)
    return;
  gtk_stack_set_visible_child_name(self->stack, names[get_kind(self)]);
  gtk_widget_set_sensitive(GTK_WIDGET(self->log_y), has_two);
  gtk_widget_set_sensitive(GTK_WIDGET(self->hand_button), has_two);
  vt_plot_drop_range(self->plot);
  vt_plot_set(self->plot, NULL, "");
  vt_plot_set_gates(self->plot, NULL);
  vt_boxes_set(self->boxes, NULL, "");
  vt_scatter_forget(self->scatter);
  on_view(self);
  count_others(self);
}

/* A range holds on either kind of axis; of a polygon's edges only one kind is straight. */
static void
on_log(VtPlotPanel *self)
{
  vt_scatter_forget(self->scatter);
  count_others(self);
}

static void
on_hand(VtPlotPanel *self)
{
  vt_scatter_set_by_hand(self->scatter, gtk_toggle_button_get_active(self->hand_button));
}

/* --- as a file --- */

static char *
dup_note(VtPlotPanel *self)
{
  const char *caution = gtk_label_get_text(self->caution);
  return g_strdup_printf("%s%s%s", gtk_label_get_text(self->sentence), *caution ? " · " : "", caution);
}

GskRenderNode *
vt_plot_panel_record(VtPlotPanel *self, double *width, double *height, char **note)
{
  GtkWidget *plot = gtk_stack_get_visible_child(self->stack);
  if (!gtk_widget_get_mapped(plot) || !self->columns)
    return NULL;
  *width = gtk_widget_get_width(plot);
  *height = gtk_widget_get_height(plot);
  *note = dup_note(self);
  return vt_plot_record(plot);
}

static void
save_to(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtPlotPanel *self = VT_PLOT_PANEL(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *note = dup_note(self);
  const gboolean good = vt_plot_save(get_plot(self), note, path, &error);
  g_autofree char *said = good ? g_strdup_printf(_("The plot is in %s."), path) : g_strdup(error->message);
  gtk_label_set_text(self->sentence, said);
  vt_test_log("plot-saved %d %s", good, path);
}

static void
save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_file_dialog_ask(widget, _("Save the plot (.svg, .pdf, .png)"), "plot.svg", "plot.save-to");
}

/* --- the widget --- */

static void
vt_plot_panel_dispose(GObject *object)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  g_clear_pointer(&self->columns, vt_columns_unref);
  vt_plot_numbers_clear(&self->numbers);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  g_clear_pointer(&self->tally, vt_gate_tally_unref);
  g_clear_pointer(&self->selected, g_free);
  G_OBJECT_CLASS(vt_plot_panel_parent_class)->dispose(object);
}

static void
vt_plot_panel_class_init(VtPlotPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_plot_panel_dispose;
  gtk_widget_class_install_action(widget_class, "plot.save", NULL, save);
  gtk_widget_class_install_action(widget_class, "plot.save-to", "s", save_to);
  gate_signal = g_signal_new("gate-moved", VT_TYPE_PLOT_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                             G_TYPE_STRING, G_TYPE_STRING);
  choice_signal = g_signal_new("choice", VT_TYPE_PLOT_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static GtkToggleButton *
toggle_new(VtPlotPanel *self, const char *label, const char *help, GCallback toggled)
{
  GtkToggleButton *button = vt_toggle_button_new(label, help);
  g_signal_connect_object(button, "toggled", toggled, self, G_CONNECT_SWAPPED);
  return button;
}

static void
add_heads(VtPlotPanel *self)
{
  GtkWidget *upper = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *lower = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkButton *save_button = vt_button_new_flat(_("Save…"), _("Save the plot as a picture (SVG, PDF, PNG)"));
  vt_plot_numbers_init(&self->numbers, G_CALLBACK(on_numbers), self);
  self->log_x = toggle_new(self, _("Log"), _("Logarithmic axis"), G_CALLBACK(on_log));
  self->log_y = toggle_new(self, _("Log"), _("Logarithmic axis of the second measurement"), G_CALLBACK(on_log));
  self->hand_button =
    toggle_new(self, _("Lasso"), _("Select by a line drawn by hand instead of a rectangle"), G_CALLBACK(on_hand));
  self->all_button = vt_button_new_flat(
    _("Show All"),
    _("Show the whole plot again (Home). The wheel makes it larger and smaller, a drag on an axis moves it."));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(save_button), "plot.save");
  g_signal_connect_object(self->all_button, "clicked", G_CALLBACK(vt_scatter_reset_view), self->scatter,
                          G_CONNECT_SWAPPED);
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(self->numbers.x));
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(self->log_x));
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(save_button));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->numbers.y));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->log_y));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->hand_button));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->all_button));
  gtk_box_append(GTK_BOX(self), upper);
  gtk_box_append(GTK_BOX(self), lower);
}

/* Many groups take more room than there is. */
static void
add_boxes(VtPlotPanel *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new();
  self->boxes = VT_BOXES(vt_boxes_new());
  vt_widget_set_accessible_label(GTK_WIDGET(self->boxes), _("Box plots of the objects"));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), GTK_WIDGET(self->boxes));
  gtk_stack_add_named(self->stack, scrolled, "boxes");
}

static void
vt_plot_panel_init(VtPlotPanel *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 4);
  gtk_widget_add_css_class(GTK_WIDGET(self), "plot-panel");
  self->stack = GTK_STACK(gtk_stack_new());
  self->plot = VT_PLOT(vt_plot_new());
  self->scatter = VT_SCATTER(vt_scatter_new());
  self->sentence = vt_label_new_caption("numeric");
  self->caution = vt_label_new_caption("warning");
  gtk_stack_add_named(self->stack, GTK_WIDGET(self->plot), "histogram");
  gtk_stack_add_named(self->stack, GTK_WIDGET(self->scatter), "scatter");
  add_boxes(self);
  gtk_widget_set_vexpand(GTK_WIDGET(self->stack), TRUE);
  vt_widget_set_accessible_label(GTK_WIDGET(self->plot), _("Histogram of the objects"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->scatter), _("Scatter plot of the objects"));
  add_heads(self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->stack));
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->sentence));
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->caution));
  g_signal_connect_object(self->plot, "resized", G_CALLBACK(on_resized), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->plot, "range", G_CALLBACK(on_choice), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->plot, "gate-moved", G_CALLBACK(on_gate_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->scatter, "gate-moved", G_CALLBACK(on_gate_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->scatter, "view", G_CALLBACK(on_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->scatter, "choice", G_CALLBACK(on_choice), self, G_CONNECT_SWAPPED);
  g_signal_connect(self, "map", G_CALLBACK(count), NULL);
}

GtkWidget *
vt_plot_panel_new(void)
{
  return g_object_new(VT_TYPE_PLOT_PANEL, NULL);
}

void
vt_plot_panel_set_analysis(VtPlotPanel *self, VtAnalysis *analysis)
{
  vt_caution_attach(self->caution, analysis);
}

void
vt_plot_panel_set_columns(VtPlotPanel *self, VtColumns *columns, VtObjectFilter *filter)
{
  VtColumns *former = self->columns;
  self->columns = columns ? vt_columns_ref(columns) : NULL;
  vt_drop(former, (GDestroyNotify)vt_columns_unref);
  if (filter)
    vt_object_filter_ref(filter);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = filter;
  if (columns && columns->objects->len > 0 && vt_plot_numbers_fill(&self->numbers, columns))
    on_numbers(self);
  count_others(self);
}

void
vt_plot_panel_set_selected(VtPlotPanel *self, const VtObject *object, gint64 index)
{
  g_clear_pointer(&self->selected, g_free);
  self->n_selected = object && self->columns ? self->columns->n : 0;
  self->selected = g_new(double, self->n_selected + 1);
  for (guint i = 0; i < self->n_selected; i++)
    self->selected[i] = i < self->columns->n_own ? vt_object_get_value(object, i)
                        : index >= 0             ? vt_columns_get_value(self->columns, (guint)index, i)
                                                 : NAN;
  show_mark(self);
}

void
vt_plot_panel_set_gates(VtPlotPanel *self, VtGateTally *tally, gint chosen)
{
  if (tally)
    vt_gate_tally_ref(tally);
  g_clear_pointer(&self->tally, vt_gate_tally_unref);
  self->tally = tally;
  self->chosen_gate = chosen;
  show_gates(self);
}

void
vt_plot_panel_drop_choice(VtPlotPanel *self)
{
  vt_plot_drop_range(self->plot);
  vt_scatter_drop_choice(self->scatter);
}

gboolean
vt_plot_panel_get_choice(VtPlotPanel *self, VtPlotChoice *choice)
{
  const VtScatterChoice *on_scatter = vt_scatter_get_choice(self->scatter);
  *choice = (VtPlotChoice){ .column_x = (guint)get_column_x(self),
                            .column_y = get_column_y(self),
                            .is_log_x = gtk_toggle_button_get_active(self->log_x),
                            .is_log_y = gtk_toggle_button_get_active(self->log_y) };
  if (get_column_x(self) < 0 || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return FALSE;
  if (!is_scatter(self))
    return get_kind(self) == VT_PLOT_HISTOGRAM
           && vt_plot_get_range(self->plot, &choice->choice.from_x, &choice->choice.to_x);
  if (on_scatter)
    choice->choice = *on_scatter;
  return on_scatter && choice->column_y >= 0;
}

VtObjectFilter *
vt_plot_panel_dup_filter(VtPlotPanel *self)
{
  VtPlotChoice c;
  if (!vt_plot_panel_get_choice(self, &c))
    return self->filter ? vt_object_filter_ref(self->filter) : NULL;
  g_autoptr(VtObjectFilter) chosen = vt_plot_choice_new_filter(&c, self->columns);
  return self->filter ? vt_object_filter_join(self->filter, chosen, FALSE) : g_steal_pointer(&chosen);
}
