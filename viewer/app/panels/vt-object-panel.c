/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-panel.h"

#include <math.h>

#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "common/vt-drop.h"
#include "common/vt-task.h"
#include "layers/vt-ranks.h"
#include "results/vt-corrections.h"

#define BAR_PX 44

struct _VtObjectPanel {
  GtkBox parent;
  VtLayer *layer;
  GtkLabel *title, *bars_label, *hand_label;
  GtkGrid *grid;
  GtkLevelBar **bars; /* by column; NULL: of none */
  guint n_bars;
  VtColumns *asked; /* whose ranks are on their way, or seen; or NULL */
  guint asked_index;
};

G_DEFINE_FINAL_TYPE(VtObjectPanel, vt_object_panel, GTK_TYPE_BOX)

static void
add_text(VtObjectPanel *self, int row, const char *name, const char *text)
{
  GtkWidget *label = vt_label_new_dim(name), *number = vt_label_new(text, 1, "numeric caption");
  g_object_set(label, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "tooltip-text", name, "hexpand", TRUE, NULL);
  g_object_set(number, "selectable", TRUE, "can-focus", FALSE, NULL);
  gtk_grid_attach(self->grid, label, 0, row, 1, 1);
  gtk_grid_attach(self->grid, number, 1, row, 1, 1);
}

static void
add_line(VtObjectPanel *self, int row, const char *name, double value)
{
  g_autofree char *text = isfinite(value) ? g_strdup_printf("%.5g", value) : g_strdup("–");
  add_text(self, row, name, text);
}

/* --- bars --- */

typedef struct {
  VtColumns *columns;
  guint index;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  vt_drop(job->columns, (GDestroyNotify)vt_columns_unref);
  g_free(job);
}

static void
rank_in_thread(GTask *task, gpointer panel, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  g_task_return_pointer(task, vt_ranks_new(job->columns, job->index), g_free);
}

static void
show_rank(GtkLevelBar *bar, const VtRank *rank)
{
  if (isnan(rank->percent))
    return;
  g_autofree char *n = g_strdup_printf("%'u", rank->n);
  g_autofree char *text = g_strdup_printf(_("Percentile %.3g among the %s objects of the result"), rank->percent, n);
  gtk_level_bar_set_value(bar, rank->percent);
  gtk_widget_set_tooltip_text(GTK_WIDGET(bar), text);
  vt_widget_set_accessible_label(GTK_WIDGET(bar), text);
  gtk_widget_set_opacity(GTK_WIDGET(bar), 1);
}

static void
ranked(GObject *object, GAsyncResult *result, gpointer user)
{
  VtObjectPanel *self = VT_OBJECT_PANEL(object);
  const Job *job = g_task_get_task_data(G_TASK(result));
  g_autofree VtRank *ranks = g_task_propagate_pointer(G_TASK(result), NULL);
  if (job->columns != self->asked || job->index != self->asked_index)
    return;
  for (guint i = 0; i < MIN(self->n_bars, job->columns->n); i++)
    if (self->bars[i])
      show_rank(self->bars[i], &ranks[i]);
  const VtRank *first = job->columns->n > VT_OBJECT_MEASUREMENTS ? &ranks[VT_OBJECT_MEASUREMENTS] : NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->bars_label), first && first->n > 0);
  if (first)
    vt_test_log("rank %.6g %u", first->percent, first->n);
}

/* Empty, until a worker has counted. */
static void
add_bar(VtObjectPanel *self, int row, guint column)
{
  GtkWidget *bar = gtk_level_bar_new_for_interval(0, 100);
  static const char *const offsets[] = { GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH,
                                         GTK_LEVEL_BAR_OFFSET_FULL };
  for (guint i = 0; i < G_N_ELEMENTS(offsets); i++) /* no end is good or bad */
    gtk_level_bar_remove_offset_value(GTK_LEVEL_BAR(bar), offsets[i]);
  gtk_widget_set_size_request(bar, BAR_PX, -1);
  gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
  gtk_widget_set_opacity(bar, 0);
  gtk_grid_attach(self->grid, bar, 2, row, 1, 1);
  self->bars[column] = GTK_LEVEL_BAR(bar);
}

static void
forget_bars(VtObjectPanel *self, guint n)
{
  g_free(self->bars);
  self->bars = g_new0(GtkLevelBar *, n + 1);
  self->n_bars = n;
  vt_drop(g_steal_pointer(&self->asked), (GDestroyNotify)vt_columns_unref);
  gtk_widget_set_visible(GTK_WIDGET(self->bars_label), FALSE);
}

static void
rank(VtObjectPanel *self, VtColumns *columns, guint index)
{
  Job *job = g_new0(Job, 1);
  job->columns = vt_columns_ref(columns);
  job->index = index;
  self->asked = vt_columns_ref(columns);
  self->asked_index = index;
  vt_task_run(self, NULL, ranked, NULL, rank_in_thread, job, job_free);
}

/* --- lines --- */

/* Of what was added to the objects' columns the words, as classes: they are few, and below a hundred numbers nobody would see them. Their count. */
static int
add_words(VtObjectPanel *self, const VtColumns *columns, gint64 index)
{
  int row = 0;
  for (guint i = columns->n_own; index >= 0 && i < columns->n; i++) {
    g_autofree char *word = vt_columns_dup_word(columns, (guint)index, i);
    g_autofree char *title = vt_columns_dup_title(columns, i);
    if (word)
      add_text(self, row++, title, word);
  }
  return row;
}

/* And the numbers, if the object is still one of them. */
static void
add_added(VtObjectPanel *self, const VtColumns *columns, gint64 index, int row)
{
  for (guint i = columns->n_own; index >= 0 && i < columns->n; i++) {
    g_autofree char *word = vt_columns_dup_word(columns, (guint)index, i);
    const double value = vt_columns_get_value(columns, (guint)index, i);
    g_autofree char *title = vt_columns_dup_title(columns, i);
    if (!word && vt_columns_is_number(columns, i) && !isnan(value)) {
      add_bar(self, row, i);
      add_line(self, row++, title, value);
    }
  }
}

/* Why numbers are missing of what a person made. */
static gboolean
is_made_by_hand(const VtObject *object, const VtColumns *columns, gint64 index)
{
  const gint corrected = columns && index >= 0 ? vt_columns_find(columns, VT_CORRECTED_COLUMN) : -1;
  g_autofree char *word = corrected >= 0 ? vt_columns_dup_word(columns, (guint)index, (guint)corrected) : NULL;
  gboolean lacks = FALSE;
  for (guint i = 0; i < object->n_measurements; i++)
    lacks |= isnan(object->measurements[i]) != 0;
  return word && lacks;
}

static void
fill(VtObjectPanel *self)
{
  const VtObject *object = self->layer ? vt_layer_get_selected(self->layer) : NULL;
  VtColumns *columns = self->layer ? vt_layer_get_columns(self->layer) : NULL;
  const gint64 index = object ? vt_layer_get_selected_index(self->layer) : -1;
  vt_widget_remove_all(GTK_WIDGET(self->grid));
  forget_bars(self, columns ? columns->n : 0);
  gtk_widget_set_visible(GTK_WIDGET(self), object != NULL);
  if (!object)
    return;
  g_autofree char *id = g_strdup_printf("%'" G_GINT64_FORMAT, object->id);
  g_autofree char *title = g_strdup_printf(_("Object %s"), id);
  gtk_label_set_text(self->title, title);
  int row = columns ? add_words(self, columns, index) : 0;
  add_line(self, row++, _("Centroid X, px"), object->centroid_x_l0);
  add_line(self, row++, _("Centroid Y, px"), object->centroid_y_l0);
  for (guint i = 0; i < object->n_measurements; i++, row++) {
    g_autofree char *name = vt_dup_shown_name(object->measurement_names[i]);
    add_line(self, row, name, object->measurements[i]);
    if (index >= 0 && VT_OBJECT_MEASUREMENTS + i < self->n_bars)
      add_bar(self, row, VT_OBJECT_MEASUREMENTS + i);
  }
  gtk_widget_set_visible(GTK_WIDGET(self->hand_label), is_made_by_hand(object, columns, index));
  if (!columns)
    return;
  add_added(self, columns, index, row);
  if (index >= 0)
    rank(self, columns, (guint)index);
}

static void
show_selected(VtObjectPanel *self)
{
  const VtObject *object = self->layer ? vt_layer_get_selected(self->layer) : NULL;
  fill(self);
  if (!object)
    vt_test_log("selected none");
  else
    vt_test_log("selected %" G_GINT64_FORMAT " %.2f %.2f %u", object->id, object->centroid_x_l0, object->centroid_y_l0,
                object->n_measurements);
}

static void
on_layers_changed(VtObjectPanel *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (self->layer) {
    g_signal_connect_object(self->layer, "selection", G_CALLBACK(show_selected), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->layer, "columns", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  }
  show_selected(self);
}

void
vt_object_panel_set_layers(VtObjectPanel *self, GListModel *layers)
{
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
}

static void
vt_object_panel_dispose(GObject *object)
{
  VtObjectPanel *self = VT_OBJECT_PANEL(object);
  g_clear_object(&self->layer);
  g_clear_pointer(&self->asked, vt_columns_unref);
  g_clear_pointer(&self->bars, g_free);
  self->n_bars = 0;
  G_OBJECT_CLASS(vt_object_panel_parent_class)->dispose(object);
}

static void
vt_object_panel_class_init(VtObjectPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_object_panel_dispose;
  VT_TEMPLATE(klass, VtObjectPanel, "vt-object-panel", title, grid, bars_label, hand_label);
}

VT_TEMPLATE_INIT(VtObjectPanel, vt_object_panel)
