/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-drop.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-plot.h"

struct _VtPlotPanel {
  GtkBox parent;
  GPtrArray *objects; /* or NULL */
  VtObjectFilter *filter;
  double *selected;               /* numbers of the selected object, a column each; NULL: none */
  gboolean is_counting, is_dirty; /* by a worker; it is to count again */
  guint room;                     /* bins that were asked for */

  GtkDropDown *choice;
  GtkToggleButton *log_button;
  VtPlot *plot;
  GtkLabel *sentence;
};

G_DEFINE_FINAL_TYPE(VtPlotPanel, vt_plot_panel, GTK_TYPE_BOX)

static guint range_signal;

static const char *
get_title(VtPlotPanel *self)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item(self->choice);
  return item ? gtk_string_object_get_string(item) : "";
}

/* "Nucleus: Area µm²: 40 – 92 · 311 of 1,744 objects" */
static char *
dup_sentence(VtPlotPanel *self)
{
  const VtPlotData *data = vt_plot_get_data(self->plot);
  double from, to;
  if (!data)
    return g_strdup("");
  const gboolean has_range = vt_plot_get_range(self->plot, &from, &to);
  const guint n = has_range ? vt_plot_data_count(data, from, to) : data->n_passing;
  g_autofree char *some = g_strdup_printf("%'u", n), *all = g_strdup_printf("%'u", data->n_passing);
  g_autofree char *absent =
    data->n_absent > 0 ? g_strdup_printf(_(" · %'u have no number to show here"), data->n_absent) : g_strdup("");
  if (!has_range)
    return g_strdup_printf(_("%s: %s objects%s"), get_title(self), all, absent);
  vt_test_log("plot-range %.15g %.15g %u %u", from, to, n, data->n_passing);
  return g_strdup_printf(_("%s: %.7g – %.7g · %s of %s objects%s"), get_title(self), from, to, some, all, absent);
}

static void
say(VtPlotPanel *self)
{
  g_autofree char *text = dup_sentence(self);
  gtk_label_set_text(self->sentence, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->sentence), text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->plot), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void
show_mark(VtPlotPanel *self)
{
  const guint column = gtk_drop_down_get_selected(self->choice);
  vt_plot_set_mark(self->plot, self->selected && column != GTK_INVALID_LIST_POSITION ? self->selected[column] : NAN);
}

/* --- counting --- */

typedef struct {
  GPtrArray *objects;
  VtObjectFilter *filter;
  guint column, room;
  gboolean is_log;
  char *title;
} Counting;

static void
counting_free(gpointer data)
{
  Counting *counting = data;
  vt_drop(counting->objects, (GDestroyNotify)g_ptr_array_unref);
  g_clear_pointer(&counting->filter, vt_object_filter_unref);
  g_free(counting->title);
  g_free(counting);
}

static void
count_in_thread(GTask *task, gpointer panel, gpointer data, GCancellable *cancellable)
{
  const Counting *c = data;
  g_task_return_pointer(task, vt_plot_data_new(c->objects, c->filter, c->column, c->is_log, c->room),
                        (GDestroyNotify)vt_plot_data_free);
}

static void count(VtPlotPanel *self);

static void
counted(GObject *object, GAsyncResult *result, gpointer user)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  const Counting *counting = g_task_get_task_data(G_TASK(result));
  VtPlotData *data = g_task_propagate_pointer(G_TASK(result), NULL);
  self->is_counting = FALSE;
  if (self->is_dirty) { /* it is of what was */
    vt_plot_data_free(data);
    count(self);
    return;
  }
  vt_plot_set(self->plot, data, counting->title);
  vt_test_log("plot %u %u %u", counting->column, data->n_passing, data->n_absent);
  show_mark(self);
  say(self);
}

static void
count(VtPlotPanel *self)
{
  const guint column = gtk_drop_down_get_selected(self->choice);
  self->is_dirty = TRUE;
  if (self->is_counting || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  self->is_dirty = FALSE;
  self->room = vt_plot_get_room(self->plot);
  if (!self->objects || column == GTK_INVALID_LIST_POSITION) {
    vt_plot_set(self->plot, NULL, "");
    say(self);
    return;
  }
  Counting *counting = g_new0(Counting, 1);
  *counting = (Counting){ .objects = g_ptr_array_ref(self->objects),
                          .filter = self->filter ? vt_object_filter_ref(self->filter) : NULL,
                          .column = column,
                          .room = self->room,
                          .is_log = gtk_toggle_button_get_active(self->log_button),
                          .title = g_strdup(get_title(self)) };
  g_autoptr(GTask) task = g_task_new(self, NULL, counted, NULL);
  g_task_set_task_data(task, counting, counting_free);
  self->is_counting = TRUE;
  g_task_run_in_thread(task, count_in_thread);
}

static void
on_resized(VtPlotPanel *self)
{
  if (vt_plot_get_room(self->plot) != self->room)
    count(self);
}

static void
on_range(VtPlotPanel *self)
{
  say(self);
  g_signal_emit(self, range_signal, 0);
}

/* A range is of one number. Until the new one is counted nothing is shown under its name. */
static void
on_chosen(VtPlotPanel *self)
{
  vt_plot_drop_range(self->plot);
  vt_plot_set(self->plot, NULL, "");
  count(self);
}

/* --- the widget --- */

static void
vt_plot_panel_dispose(GObject *object)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  g_clear_pointer(&self->objects, g_ptr_array_unref);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  g_clear_pointer(&self->selected, g_free);
  G_OBJECT_CLASS(vt_plot_panel_parent_class)->dispose(object);
}

static void
vt_plot_panel_class_init(VtPlotPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_plot_panel_dispose;
  range_signal = g_signal_new("range", VT_TYPE_PLOT_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vt_plot_panel_init(VtPlotPanel *self)
{
  GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_widget_add_css_class(GTK_WIDGET(self), "plot-panel");
  self->choice =
    GTK_DROP_DOWN(gtk_drop_down_new(NULL, gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string")));
  self->log_button = GTK_TOGGLE_BUTTON(gtk_toggle_button_new_with_label(_("Log")));
  self->plot = VT_PLOT(vt_plot_new());
  self->sentence = GTK_LABEL(gtk_label_new(NULL));
  vt_widget_set_accessible_label(GTK_WIDGET(self->choice), _("Histogram of"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->plot), _("Histogram of the objects"));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->log_button), _("Logarithmic axis"));
  gtk_widget_set_hexpand(GTK_WIDGET(self->choice), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self->plot), TRUE);
  gtk_label_set_ellipsize(self->sentence, PANGO_ELLIPSIZE_START);
  gtk_label_set_xalign(self->sentence, 0);
  gtk_widget_add_css_class(GTK_WIDGET(self->sentence), "caption");
  gtk_widget_add_css_class(GTK_WIDGET(self->sentence), "numeric");
  gtk_box_append(GTK_BOX(head), GTK_WIDGET(self->choice));
  gtk_box_append(GTK_BOX(head), GTK_WIDGET(self->log_button));
  gtk_box_append(GTK_BOX(self), head);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->plot));
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->sentence));
  g_signal_connect_object(self->choice, "notify::selected", G_CALLBACK(on_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->log_button, "toggled", G_CALLBACK(count), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->plot, "resized", G_CALLBACK(on_resized), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->plot, "range", G_CALLBACK(on_range), self, G_CONNECT_SWAPPED);
  g_signal_connect(self, "map", G_CALLBACK(count), NULL);
}

GtkWidget *
vt_plot_panel_new(void)
{
  return g_object_new(VT_TYPE_PLOT_PANEL, NULL);
}

void
vt_plot_panel_set_columns(VtPlotPanel *self, const char *const *titles)
{
  g_autoptr(GtkStringList) list = gtk_string_list_new(titles);
  g_clear_pointer(&self->selected, g_free);
  gtk_drop_down_set_model(self->choice, G_LIST_MODEL(list));
  if (g_list_model_get_n_items(G_LIST_MODEL(list)) > VT_OBJECT_MEASUREMENTS)
    gtk_drop_down_set_selected(self->choice, VT_OBJECT_MEASUREMENTS); /* not the objects' running number */
  on_chosen(self);
}

void
vt_plot_panel_set_objects(VtPlotPanel *self, GPtrArray *objects, VtObjectFilter *filter)
{
  if (objects)
    g_ptr_array_ref(objects);
  vt_drop(g_steal_pointer(&self->objects), (GDestroyNotify)g_ptr_array_unref);
  self->objects = objects;
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = filter ? vt_object_filter_ref(filter) : NULL;
  count(self);
}

void
vt_plot_panel_set_selected(VtPlotPanel *self, const VtObject *object)
{
  GListModel *columns = gtk_drop_down_get_model(self->choice);
  const guint n = columns ? g_list_model_get_n_items(columns) : 0;
  g_clear_pointer(&self->selected, g_free);
  self->selected = object ? g_new(double, n + 1) : NULL;
  for (guint i = 0; i < n && object; i++)
    self->selected[i] = vt_object_get_value(object, i);
  show_mark(self);
}

VtObjectFilter *
vt_plot_panel_dup_filter(VtPlotPanel *self)
{
  double from, to;
  if (vt_plot_get_range(self->plot, &from, &to) && gtk_widget_get_mapped(GTK_WIDGET(self)))
    return vt_object_filter_narrow(self->filter, gtk_drop_down_get_selected(self->choice), from, to);
  return self->filter ? vt_object_filter_ref(self->filter) : NULL;
}
