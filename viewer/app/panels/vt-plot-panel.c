/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-panel-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "analysis/vt-caution.h"
#include "common/vt-signals.h"
#include "common/vt-drop.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-plot-job.h"
#include "panels/vt-plot-panel-private.h"
#include "panels/vt-plot-words.h"

G_DEFINE_FINAL_TYPE(VtPlotPanel, vt_plot_panel, GTK_TYPE_BOX)

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

GtkWidget *
vt_plot_panel_get_plot(VtPlotPanel *self)
{
  const VtPlotKind kind = get_kind(self);
  return kind == VT_PLOT_SCATTER    ? GTK_WIDGET(self->scatter)
         : kind == VT_PLOT_PARALLEL ? GTK_WIDGET(self->parallel)
         : kind == VT_PLOT_BOXES    ? GTK_WIDGET(self->boxes)
                                    : GTK_WIDGET(self->plot);
}

/* -1: it is a histogram, or none. */
static gint
get_column_y(VtPlotPanel *self)
{
  return vt_plot_numbers_get_y(&self->numbers, self->columns);
}

/* --- the sentence --- */

void
vt_plot_panel_say(VtPlotPanel *self)
{
  const VtPlotKind kind = get_kind(self);
  const char *x = vt_plot_numbers_get_title(self->numbers.x), *y = vt_plot_numbers_get_title(self->numbers.y);
  g_autofree char *text = kind == VT_PLOT_SCATTER    ? vt_plot_words_of_scatter(self->scatter, x, y, self->n_chosen)
                          : kind == VT_PLOT_BOXES    ? vt_plot_words_of_boxes(self->boxes, x)
                          : kind == VT_PLOT_PARALLEL ? vt_plot_words_of_parallel(self->parallel, self->titles)
                                                     : vt_plot_words_of_histogram(self->plot, x);
  if (self->wrong) {
    g_free(text);
    text = g_strdup(self->wrong);
  }
  g_autofree char *all = kind == VT_PLOT_BOXES ? vt_plot_words_of_all_boxes(self->boxes, text) : g_strdup(text);
  gtk_label_set_text(self->sentence, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->sentence), all);
  gtk_accessible_update_property(GTK_ACCESSIBLE(vt_plot_panel_get_plot(self)), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, all,
                                 -1);
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
  guint axes[VT_PARALLEL_MOST];
  double values[VT_PARALLEL_MOST];
  const guint n = vt_plot_axes_get(&self->axes, self->columns, axes);
  for (guint k = 0; k < n; k++)
    values[k] = axes[k] < self->n_selected ? self->selected[axes[k]] : NAN;
  vt_parallel_set_mark(self->parallel, self->n_selected > 0 ? values : NULL, n);
}

/* Those of the numbers that are shown. */
static void
show_gates(VtPlotPanel *self)
{
  const gint x = get_column_x(self), y = get_column_y(self);
  const gboolean has = self->tally && self->columns && self->tally->columns->objects == self->columns->objects && x >= 0
                       && is_scatter(self) == (y >= 0) && get_kind(self) != VT_PLOT_BOXES
                       && get_kind(self) != VT_PLOT_PARALLEL;
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
  if (self->is_closed)
    return;
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
  } else if (job->parallel) {
    vt_test_log("parallel %u %u %u %u %d", job->n_axes, job->lines->n_passing, job->parallel->n_chosen,
                job->parallel->most, job->parallel->rgb != NULL);
    g_clear_pointer(&self->titles, g_ptr_array_unref);
    self->titles = g_ptr_array_ref(job->titles);
    vt_parallel_set(self->parallel, g_steal_pointer(&job->parallel), g_ptr_array_ref(job->titles));
  } else if (job->bins) {
    vt_test_log("plot %u %u %u", job->column_x, job->bins->n_passing, job->bins->n_absent);
    vt_plot_set(self->plot, g_steal_pointer(&job->bins), job->title_x);
  } else {
    vt_test_log("scatter %u %u %u %u %u", job->column_x, job->column_y, job->points->n_passing, job->cells->most,
                job->cells->n_outside);
    vt_scatter_set(self->scatter, g_steal_pointer(&job->cells), job->title_x, job->title_y);
    vt_plot_panel_tally(self);
  }
  show_mark(self);
  show_gates(self);
  vt_plot_panel_say(self);
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
  guint axes[VT_PARALLEL_MOST];
  const guint n_axes = vt_plot_axes_get(&self->axes, self->columns, axes);
  if (get_kind(self) == VT_PLOT_PARALLEL && n_axes >= VT_PARALLEL_LEAST)
    vt_parallel_get_room(self->parallel, n_axes, width, height);
}

/* FALSE: there are too few axes. */
static gboolean
fill_parallel(VtPlotPanel *self, VtPlotJob *job)
{
  const VtParallelData *last = vt_parallel_get_data(self->parallel);
  guint n_ranges;
  job->n_axes = vt_plot_axes_get(&self->axes, self->columns, job->axes);
  if (job->n_axes < VT_PARALLEL_LEAST)
    return FALSE;
  memcpy(job->ranges, vt_parallel_get_ranges(self->parallel, &n_ranges), sizeof job->ranges);
  job->classified = self->classified ? vt_classified_ref(self->classified) : NULL;
  job->lines = last && !self->has_other_points ? vt_parallel_points_ref(last->points) : NULL;
  job->titles = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < job->n_axes; k++)
    g_ptr_array_add(job->titles, vt_columns_dup_title(self->columns, job->axes[k]));
  return TRUE;
}

static void
show_nothing(VtPlotPanel *self)
{
  vt_plot_set(self->plot, NULL, "");
  vt_scatter_set(self->scatter, NULL, "", "");
  vt_boxes_set(self->boxes, NULL, "");
  vt_parallel_set(self->parallel, NULL, NULL);
  vt_plot_panel_say(self);
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
  if (column < 0 || (get_kind(self) > VT_PLOT_PARALLEL && get_column_y(self) < 0)) {
    show_nothing(self);
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
  if (job->kind == VT_PLOT_PARALLEL && !fill_parallel(self, job)) {
    vt_plot_job_free(job);
    show_nothing(self);
    return;
  }
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
  g_clear_pointer(&self->wrong, g_free);
  if (is_scatter(self))
    vt_plot_panel_tally(self);
  else if (get_kind(self) == VT_PLOT_PARALLEL)
    count(self);
  else
    vt_plot_panel_say(self);
  g_signal_emit_by_name(self, "choice");
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
    g_signal_emit_by_name(self, "gate-moved", gate->name, text);
}

/* What is chosen is of these numbers. Until the new ones are counted nothing is shown under their names. */
static void
on_numbers(VtPlotPanel *self)
{
  static const char *const names[] = { "histogram", "parallel", "boxes", "scatter" };
  const gboolean has_two = is_scatter(self), is_parallel = get_kind(self) == VT_PLOT_PARALLEL;
  gtk_stack_set_visible_child_name(self->stack, names[get_kind(self)]);
  gtk_widget_set_sensitive(GTK_WIDGET(self->numbers.x), !is_parallel);
  gtk_widget_set_sensitive(GTK_WIDGET(self->log_x), !is_parallel);
  gtk_widget_set_visible(GTK_WIDGET(self->axes.button), is_parallel);
  gtk_widget_set_visible(GTK_WIDGET(self->log_y), !is_parallel);
  gtk_widget_set_visible(GTK_WIDGET(self->hand_button), !is_parallel);
  gtk_widget_set_visible(GTK_WIDGET(self->all_button), !is_parallel);
  gtk_widget_set_sensitive(GTK_WIDGET(self->log_y), has_two);
  gtk_widget_set_sensitive(GTK_WIDGET(self->hand_button), has_two);
  vt_plot_drop_range(self->plot);
  vt_plot_set(self->plot, NULL, "");
  vt_plot_set_gates(self->plot, NULL);
  vt_boxes_set(self->boxes, NULL, "");
  vt_parallel_set(self->parallel, NULL, NULL);
  vt_parallel_drop_ranges(self->parallel);
  vt_scatter_forget(self->scatter);
  on_view(self);
  count_others(self);
}

static void
on_chosen_numbers(VtPlotPanel *self)
{
  if (self->numbers.is_filling)
    return;
  vt_plot_panel_forget_told(self);
  on_numbers(self);
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

/* --- the widget --- */

static void
vt_plot_panel_dispose(GObject *object)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  self->is_closed = TRUE;
  g_clear_pointer(&self->columns, vt_columns_unref);
  vt_plot_numbers_clear(&self->numbers);
  vt_plot_axes_clear(&self->axes);
  g_clear_pointer(&self->classified, vt_classified_unref);
  g_clear_pointer(&self->titles, g_ptr_array_unref);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  g_clear_pointer(&self->tally, vt_gate_tally_unref);
  g_clear_pointer(&self->selected, g_free);
  vt_plot_panel_forget_told(self);
  g_clear_pointer(&self->wrong, g_free);
  G_OBJECT_CLASS(vt_plot_panel_parent_class)->dispose(object);
}

static void
vt_plot_panel_class_init(VtPlotPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_plot_panel_dispose;
  vt_plot_panel_install_saving(widget_class);
  vt_signals_new(VT_TYPE_PLOT_PANEL, "choice", NULL);
  vt_signal_new(VT_TYPE_PLOT_PANEL, "gate-moved", G_TYPE_STRING, G_TYPE_STRING, G_TYPE_NONE);
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
  const char *save = _("Save the plot as a picture (SVG, PDF, PNG)");
  GtkButton *save_button = vt_button_new_flat(_("Save…"), save);
  vt_plot_numbers_init(&self->numbers, G_CALLBACK(on_chosen_numbers), self);
  vt_plot_axes_init(&self->axes, G_CALLBACK(on_chosen_numbers), self);
  self->log_x = toggle_new(self, _("Log"), _("Logarithmic axis"), G_CALLBACK(on_log));
  self->log_y = toggle_new(self, _("Log"), _("Logarithmic axis of the second measurement"), G_CALLBACK(on_log));
  self->hand_button =
    toggle_new(self, _("Lasso"), _("Select by a line drawn by hand instead of a rectangle"), G_CALLBACK(on_hand));
  self->all_button = vt_button_new_flat(
    _("Show All"),
    _("Show the whole plot again (Home). The wheel makes it larger and smaller, a drag on an axis moves it."));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(save_button), "plot.save");
  vt_widget_set_accessible_label(GTK_WIDGET(save_button), save); /* the table has a button of that name, too */
  g_signal_connect_object(self->all_button, "clicked", G_CALLBACK(vt_scatter_reset_view), self->scatter,
                          G_CONNECT_SWAPPED);
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(self->numbers.x));
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(self->log_x));
  gtk_box_append(GTK_BOX(upper), GTK_WIDGET(save_button));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->numbers.y));
  gtk_box_append(GTK_BOX(lower), GTK_WIDGET(self->axes.button));
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
  self->boxes = g_object_new(VT_TYPE_BOXES, NULL);
  vt_widget_set_accessible_label(GTK_WIDGET(self->boxes), _("Box plots of the objects"));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), GTK_WIDGET(self->boxes));
  gtk_stack_add_named(self->stack, scrolled, "boxes");
}

static void
add_parallel(VtPlotPanel *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new();
  self->parallel = g_object_new(VT_TYPE_PARALLEL, NULL);
  vt_widget_set_accessible_label(GTK_WIDGET(self->parallel), _("Parallel axes of the objects"));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), GTK_WIDGET(self->parallel));
  gtk_stack_add_named(self->stack, scrolled, "parallel");
  g_signal_connect_object(self->parallel, "choice", G_CALLBACK(on_choice), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->parallel, "resized", G_CALLBACK(on_resized), self, G_CONNECT_SWAPPED);
}

static void
vt_plot_panel_init(VtPlotPanel *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 4);
  gtk_widget_add_css_class(GTK_WIDGET(self), "plot-panel");
  self->stack = GTK_STACK(gtk_stack_new());
  self->plot = VT_PLOT(vt_plot_new());
  self->scatter = g_object_new(VT_TYPE_SCATTER, NULL);
  self->sentence = vt_label_new_caption("numeric");
  self->caution = vt_label_new_caption("warning");
  gtk_stack_add_named(self->stack, GTK_WIDGET(self->plot), "histogram");
  gtk_stack_add_named(self->stack, GTK_WIDGET(self->scatter), "scatter");
  add_boxes(self);
  add_parallel(self);
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

void
vt_plot_panel_set_analysis(VtPlotPanel *self, VtAnalysis *analysis)
{
  vt_caution_attach(self->caution, analysis, TRUE);
}

/* TRUE: what is plotted is another. */
static gboolean
fill_lists(VtPlotPanel *self, const VtColumns *columns)
{
  const gboolean are_others = vt_plot_numbers_fill(&self->numbers, columns);
  return vt_plot_axes_fill(&self->axes, columns) || are_others;
}

void
vt_plot_panel_set_columns(VtPlotPanel *self, VtColumns *columns, VtClassified *classified, VtObjectFilter *filter)
{
  VtColumns *former = self->columns;
  self->columns = columns ? vt_columns_ref(columns) : NULL;
  vt_drop(former, (GDestroyNotify)vt_columns_unref);
  if (filter)
    vt_object_filter_ref(filter);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = filter;
  if (classified)
    vt_classified_ref(classified);
  g_clear_pointer(&self->classified, vt_classified_unref);
  self->classified = classified;
  if (columns && columns->objects->len > 0 && fill_lists(self, columns))
    on_numbers(self);
  vt_plot_panel_do_told(self);
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
  vt_parallel_drop_ranges(self->parallel);
}

static gboolean
get_ranges(VtPlotPanel *self, VtPlotChoice *choice)
{
  guint n_ranges, axes[VT_PARALLEL_MOST];
  const guint n = vt_plot_axes_get(&self->axes, self->columns, axes);
  const VtPlotRange *ranges = vt_parallel_get_ranges(self->parallel, &n_ranges);
  for (guint k = 0; k < n; k++)
    if (ranges[k].has) {
      choice->columns[choice->n_ranges] = axes[k];
      choice->ranges[choice->n_ranges++] = ranges[k];
    }
  return choice->n_ranges > 0;
}

gboolean
vt_plot_panel_read_choice(VtPlotPanel *self, VtPlotChoice *choice)
{
  const VtScatterChoice *on_scatter = vt_scatter_get_choice(self->scatter);
  *choice = (VtPlotChoice){ .column_x = (guint)get_column_x(self),
                            .column_y = get_column_y(self),
                            .is_log_x = gtk_toggle_button_get_active(self->log_x),
                            .is_log_y = gtk_toggle_button_get_active(self->log_y) };
  if (get_column_x(self) < 0)
    return FALSE;
  if (get_kind(self) == VT_PLOT_PARALLEL)
    return get_ranges(self, choice);
  if (!is_scatter(self))
    return get_kind(self) == VT_PLOT_HISTOGRAM
           && vt_plot_get_range(self->plot, &choice->choice.from_x, &choice->choice.to_x);
  if (on_scatter)
    choice->choice = *on_scatter;
  return on_scatter && choice->column_y >= 0;
}

gboolean
vt_plot_panel_get_choice(VtPlotPanel *self, VtPlotChoice *choice)
{
  return vt_plot_panel_read_choice(self, choice) && gtk_widget_get_mapped(GTK_WIDGET(self));
}

VtObjectFilter *
vt_plot_panel_dup_filter(VtPlotPanel *self)
{
  VtPlotChoice c;
  if (!vt_plot_panel_get_choice(self, &c))
    return self->filter ? vt_object_filter_ref(self->filter) : NULL;
  g_autoptr(VtObjectFilter) chosen = vt_plot_choice_new_filter(&c, self->columns);
  return self->filter ? vt_object_filter_join(self->filter, chosen) : g_steal_pointer(&chosen);
}
