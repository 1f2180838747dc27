/* SPDX-License-Identifier: MIT */
#include "panels/vt-similar-bar.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-signals.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "layers/vt-similar.h"
#include "panels/vt-object-cell.h"

enum { N_FIRST = 50 /* objects that pass to begin with */, N_BEST = 3 /* features that are named */ };

#define LARGEST 3.0 /* of the slider, unless the nearest differ by more; standard deviations */
#define STEP 0.01

struct _VtSimilarBar {
  GtkBox parent;
  VtColumns *columns;  /* of the rows, while something is looked for; or NULL */
  const char *counted; /* "%s of %s objects" */
  guint n_first;
  double *numbers;                            /* that are looked for, in the order of the columns; NULL: none are */
  GPtrArray *names;                           /* of these columns */
  VtSimilar *similar;                         /* of the last objects; or NULL */
  VtColumn *column;                           /* of the last objects; or NULL */
  gboolean is_working, is_dirty, wants_first; /* wants_first: the slider is to be set */
  gboolean is_filling;
  GtkLabel *title, *limit, *sentence;
  GtkScale *scale;
};

G_DEFINE_FINAL_TYPE(VtSimilarBar, vt_similar_bar, GTK_TYPE_BOX)

/* --- work --- */

typedef struct {
  VtColumns *columns;
  double *numbers;
  VtSimilar *similar; /* NULL: to be made */
  VtColumn *column;   /* NULL: to be made */
  double most;        /* NaN: to be chosen */
  guint n_first;      /* that it lets pass then */
  VtSimilarFeature best[N_BEST];
  guint n_best, n_alike;
} Job;

VT_DEFINE_FREE(job_free, Job,
               VT_FREES(vt_columns_unref, columns) VT_FREES(g_free, numbers) VT_FREES(vt_similar_unref, similar)
                 VT_FREES(vt_column_unref, column))

static int
compare(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* So that the nearest pass, up to a step of the slider. */
static double
choose_most(const VtColumn *column, guint n_first)
{
  g_autofree double *sorted = g_new(double, column->n + 1);
  guint n = 0;
  for (guint i = 0; i < column->n; i++)
    if (!isnan(column->values[i]))
      sorted[n++] = column->values[i];
  qsort(sorted, n, sizeof *sorted, compare);
  return n > 0 ? ceil(sorted[MIN(n, n_first) - 1] / STEP) * STEP : 0;
}

static void
work_in_thread(GTask *task, gpointer bar, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  if (!job->similar)
    job->similar = vt_similar_new(job->columns);
  if (!job->similar) {
    g_task_return_new_error(task, VT_ERROR, VITRAIL_OUT_OF_MEMORY, "%s",
                            _("There is not enough memory to look for similar objects."));
    return;
  }
  if (!job->column)
    job->column = vt_column_new(VT_SIMILAR_COLUMN, _("Similarity: difference, sd"), job->columns->objects,
                                vt_similar_measure(job->similar, job->numbers), NULL);
  if (isnan(job->most))
    job->most = choose_most(job->column, job->n_first);
  job->n_best =
    vt_similar_explain(job->similar, job->numbers, job->column->values, job->most, job->best, N_BEST, &job->n_alike);
  g_task_return_boolean(task, TRUE);
}

/* It finds itself, too. */
static gboolean
is_alone(const Job *job)
{
  return job->n_alike == 0 || (job->n_alike == 1 && job->n_best > 0 && job->best[job->n_best - 1].difference == 0);
}

static char *
dup_sentence(const Job *job, const char *counted)
{
  GString *text = g_string_new(NULL);
  g_autofree char *some = g_strdup_printf("%'u", job->n_alike),
                  *all = g_strdup_printf("%'u", job->columns->objects->len);
  g_auto(GStrv) words = g_strsplit(counted, "%s", 3);
  g_string_append_printf(text, "%s%s%s%s%s", words[0], some, words[1], all, words[2]);
  if (is_alone(job))
    g_string_append(text, _(" · no other differs by so little"));
  for (guint i = 0; i < job->n_best && !is_alone(job); i++) {
    g_autofree char *title = vt_columns_dup_title(job->columns, job->best[i].column);
    g_string_append(text, i == 0 ? _(" · most alike in ") : ", ");
    g_string_append_printf(text, "%s (%.2f)", vt_object_cell_get_short(title), job->best[i].difference);
  }
  return g_string_free(text, FALSE);
}

double
vt_similar_bar_get_most(VtSimilarBar *self)
{
  return gtk_range_get_value(GTK_RANGE(self->scale));
}

VT_GETTER(VtColumn *, vt_similar_bar_get_column, VtSimilarBar, column)

static void work(VtSimilarBar *self);

static void
worked(GObject *object, GAsyncResult *result, gpointer user)
{
  VtSimilarBar *self = VT_SIMILAR_BAR(object);
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  self->is_working = FALSE;
  if (!g_task_propagate_boolean(G_TASK(result), &error)) {
    gtk_label_set_text(self->sentence, error->message);
    return;
  }
  if (!self->numbers)
    return;
  vt_drop(self->similar, (GDestroyNotify)vt_similar_unref);
  self->similar = vt_similar_ref(job->similar);
  if (self->is_dirty) { /* it is of what was */
    work(self);
    return;
  }
  self->is_filling = TRUE;
  if (self->wants_first)
    gtk_range_set_range(GTK_RANGE(self->scale), 0, MAX(LARGEST, job->most));
  gtk_range_set_value(GTK_RANGE(self->scale), job->most);
  self->is_filling = FALSE;
  self->wants_first = FALSE;
  g_autofree char *text = dup_sentence(job, self->counted), *limit = g_strdup_printf(_("≤ %.2f sd"), job->most);
  gtk_label_set_text(self->sentence, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->sentence), text);
  gtk_label_set_text(self->limit, limit);
  vt_test_log("similar %u %.2f", job->n_alike, job->most);
  if (self->column == job->column) {
    g_signal_emit_by_name(self, "changed");
    return;
  }
  g_clear_pointer(&self->column, vt_column_unref);
  self->column = vt_column_ref(job->column);
  g_signal_emit_by_name(self, "found"); /* which changes what passes as well */
}

static void
work(VtSimilarBar *self)
{
  VtColumns *columns = self->columns;
  self->is_dirty = self->is_working;
  if (self->is_working || !self->numbers || !columns || columns->objects->len == 0)
    return;
  const GPtrArray *objects = columns->objects;
  Job *job = g_new0(Job, 1);
  job->columns = vt_columns_ref(columns);
  job->numbers = g_memdup2(self->numbers, self->names->len * sizeof *job->numbers);
  job->similar = self->similar && self->similar->columns->objects == objects ? vt_similar_ref(self->similar) : NULL;
  job->column = self->column && self->column->of == objects ? vt_column_ref(self->column) : NULL;
  job->n_first = self->n_first;
  job->most = self->wants_first ? NAN : vt_similar_bar_get_most(self);
  self->is_working = TRUE;
  vt_task_run(self, NULL, worked, NULL, work_in_thread, job, job_free);
}

/* --- what is looked for --- */

static void
take_columns(VtSimilarBar *self, VtColumns *columns)
{
  VtColumns *former = self->columns;
  self->columns = columns ? vt_columns_ref(columns) : NULL;
  vt_drop(former, (GDestroyNotify)vt_columns_unref);
}

void
vt_similar_bar_stop(VtSimilarBar *self)
{
  if (!self->numbers)
    return;
  g_clear_pointer(&self->numbers, g_free);
  g_clear_pointer(&self->column, vt_column_unref);
  vt_drop(g_steal_pointer(&self->similar), (GDestroyNotify)vt_similar_unref);
  take_columns(self, NULL);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  g_signal_emit_by_name(self, "found");
  g_signal_emit_by_name(self, "changed");
}

static gboolean
has_names(VtSimilarBar *self, const VtColumns *columns)
{
  gboolean same = columns->n_own == self->names->len;
  for (guint i = 0; same && i < self->names->len; i++)
    same = g_str_equal(self->names->pdata[i], vt_columns_get_name(columns, i));
  return same;
}

void
vt_similar_bar_follow(VtSimilarBar *self, VtColumns *columns)
{
  if (!self->numbers)
    return;
  if (!columns) {
    vt_similar_bar_stop(self);
    return;
  }
  if (columns->objects->len == 0 || (self->column && self->column->of == columns->objects))
    return;
  if (!has_names(self, columns)) {
    vt_similar_bar_stop(self);
    return;
  }
  take_columns(self, columns);
  work(self);
}

static gboolean
is_looked_for(VtSimilarBar *self, const double *numbers, guint n)
{
  gboolean is_same = self->numbers && self->names->len == n;
  for (guint i = 0; is_same && i < n; i++)
    is_same = numbers[i] == self->numbers[i] || (isnan(numbers[i]) && isnan(self->numbers[i]));
  return is_same;
}

void
vt_similar_bar_start(VtSimilarBar *self, VtColumns *columns, double *numbers, const char *title)
{
  g_autofree double *taken = numbers;
  if (is_looked_for(self, numbers, columns->n_own)) {
    vt_similar_bar_stop(self);
    return;
  }
  g_free(self->numbers);
  self->numbers = g_steal_pointer(&taken);
  g_ptr_array_set_size(self->names, 0);
  for (guint i = 0; i < columns->n_own; i++)
    g_ptr_array_add(self->names, (gpointer)g_intern_string(vt_columns_get_name(columns, i)));
  g_clear_pointer(&self->column, vt_column_unref);
  take_columns(self, columns);
  self->wants_first = TRUE;
  gtk_label_set_text(self->title, title);
  gtk_label_set_text(self->sentence, _("Looking …"));
  gtk_widget_set_visible(GTK_WIDGET(self), TRUE);
  work(self);
}

VtObjectFilter *
vt_similar_bar_dup_filter(VtSimilarBar *self, const VtColumns *columns)
{
  const gint column = columns ? vt_columns_find(columns, VT_SIMILAR_COLUMN) : -1;
  if (!self->numbers || !self->column || self->column->of != columns->objects || column < 0)
    return NULL;
  return vt_object_filter_new_range(columns, (guint)column, 0, vt_similar_bar_get_most(self));
}

void
vt_similar_bar_set_rows(VtSimilarBar *self, const char *counted, guint n_first)
{
  self->counted = counted;
  self->n_first = n_first;
}

/* --- the widget --- */

static void
on_slid(VtSimilarBar *self)
{
  if (!self->is_filling)
    work(self);
}

static void
vt_similar_bar_class_init(VtSimilarBarClass *klass)
{
  VT_OWNS(klass, VtSimilarBar, vt_columns_unref, columns);
  VT_OWNS(klass, VtSimilarBar, g_free, numbers);
  VT_OWNS(klass, VtSimilarBar, g_ptr_array_unref, names);
  VT_OWNS(klass, VtSimilarBar, vt_similar_unref, similar);
  VT_OWNS(klass, VtSimilarBar, vt_column_unref, column);
  VT_TEMPLATE(klass, VtSimilarBar, "vt-similar-bar", title, scale, limit, sentence);
  VT_TEMPLATE_CALLBACKS(klass, on_slid, vt_similar_bar_stop);
  vt_signals_new(VT_TYPE_SIMILAR_BAR, "found", "changed", NULL);
}

static void
vt_similar_bar_init(VtSimilarBar *self)
{
  self->names = g_ptr_array_new();
  vt_similar_bar_set_rows(self, _("%s of %s objects"), N_FIRST);
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_range_set_range(GTK_RANGE(self->scale), 0, LARGEST);
  gtk_range_set_increments(GTK_RANGE(self->scale), STEP, 10 * STEP);
}
