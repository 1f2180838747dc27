/* SPDX-License-Identifier: MIT */
#include "analysis/vt-grader.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"

#define COLUMN "Intensity" /* as files have it */

struct _VtGrader {
  GObject parent;
  VtAnalysis *analysis;
  VtTeacher *teacher;
  VtLayer *layer; /* of the objects; NULL: none */
  VtIntensity intensity;
  GArray *former; /* VtIntensity: those before, the last one last */
  gboolean is_on, is_moving;
  gboolean is_grading, is_dirty;
  char *doubt;
};

G_DEFINE_FINAL_TYPE(VtGrader, vt_grader, G_TYPE_OBJECT)

VT_GETTER(gboolean, vt_grader_get_on, VtGrader, is_on)

const VtIntensity *
vt_grader_get_intensity(VtGrader *self)
{
  return &self->intensity;
}

VtClassified *
vt_grader_get_classified(VtGrader *self)
{
  VtClassified *classified = self->is_on && self->layer ? vt_layer_get_classified(self->layer) : NULL;
  return classified && classified->intensity.n > 0 ? classified : NULL;
}

VtColumns *
vt_grader_get_columns(VtGrader *self)
{
  return self->layer ? vt_layer_get_columns(self->layer) : NULL;
}

VT_GETTER(const char *, vt_grader_get_doubt, VtGrader, doubt)

/* --- grading --- */

typedef struct {
  VtIntensity intensity;
  VtColumns *columns; /* keeps the objects */
  VtClassified *taught, *classified;
  VtColumn *column;
} Job;

VT_DEFINE_FREE(job_free, Job,
               VT_FREES(vt_columns_unref, columns) VT_FREES(vt_classified_unref, taught, classified)
                 VT_FREES(vt_column_unref, column))

/* An object that is left out has none. */
static VtColumn *
make_column(const VtClassified *classified, const GPtrArray *objects)
{
  const char *words[VT_INTENSITY_MOST + 2] = { NULL };
  double *values = g_new(double, objects->len + 1);
  for (guint k = 0; k <= classified->intensity.n; k++)
    words[k] = vt_intensity_get_name(&classified->intensity, k);
  for (guint i = 0; i < objects->len; i++)
    values[i] = classified->classes[i] <= classified->intensity.n ? classified->classes[i] : NAN;
  return vt_column_new(COLUMN, _("Intensity"), objects, values, words);
}

static void
grade_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  job->classified = vt_intensity_classify(&job->intensity, job->columns->objects, job->taught, &error);
  if (job->classified)
    job->column = make_column(job->classified, job->columns->objects);
  vt_task_return_done(task, !error, &error);
}

/* doubt NULL: there is none. */
static void
show(VtGrader *self, VtClassified *classified, VtColumn *column, const char *doubt)
{
  g_free(self->doubt);
  self->doubt = g_strdup(doubt);
  if (self->layer) {
    vt_layer_set_graded(self->layer, classified);
    if (column)
      vt_layer_add_column(self->layer, column);
    else
      vt_layer_remove_column(self->layer, COLUMN);
  }
  if (classified) {
    const VtIntensityScore score = vt_intensity_score_all(classified);
    vt_test_log("graded %u %u %u %u of %u without %u left %u", (guint)score.counts[0], (guint)score.counts[1],
                (guint)score.counts[2], (guint)score.counts[3], (guint)score.n, (guint)score.n_without,
                (guint)score.n_left_out);
  } else {
    vt_test_log("graded none");
  }
  g_signal_emit_by_name(self, "graded");
}

static void grade(VtGrader *self);

static void
graded(GObject *source, GAsyncResult *result, gpointer user)
{
  VtGrader *self = VT_GRADER(source);
  const Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  self->is_grading = FALSE;
  g_task_propagate_boolean(G_TASK(result), &error);
  if (self->is_dirty
      && !(job->classified && self->layer && job->columns->objects == vt_layer_get_objects(self->layer))) {
    grade(self);
    return;
  }
  /* Thresholds are checked before: it is the measurement that is not there. */
  g_autofree char *doubt = error ? g_strdup_printf(_("These objects have no measurement “%s”: choose another one."),
                                                   job->intensity.measurement)
                                 : NULL;
  if (job->classified && self->intensity.measurement == job->intensity.measurement) /* by its whole name */
    self->intensity.measurement = job->classified->intensity.measurement;
  if (self->is_on) /* while a threshold is moved, each answer is shown */
    show(self, job->classified, job->column, doubt);
  if (self->is_dirty)
    grade(self);
}

/* The usual measurement, until somebody chooses one. FALSE: the objects don't have it. */
static gboolean
choose_measurement(VtGrader *self, const VtColumns *columns)
{
  const VtObject *first = columns->objects->len > 0 ? columns->objects->pdata[0] : NULL;
  const gint place = first ? vt_intensity_find(VT_INTENSITY_MEASUREMENT, first, NULL) : -1;
  if (place < 0)
    return FALSE;
  self->intensity.measurement = first->measurement_names[place];
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

static void
grade(VtGrader *self)
{
  VtColumns *columns = vt_grader_get_columns(self);
  self->is_dirty = self->is_grading;
  if (self->is_grading)
    return;
  if (!self->is_on || !columns || columns->objects->len == 0) {
    show(self, NULL, NULL, NULL);
    return;
  }
  if (!self->intensity.measurement && !choose_measurement(self, columns)) {
    show(
      self, NULL, NULL,
      _("These objects have no measurement “DAB OD mean”: choose another one, or an analysis that measures DAB, such "
        "as “Nuclei in hematoxylin and DAB”."));
    return;
  }
  VtClassified *taught = vt_layer_get_taught(self->layer);
  Job *job = g_new0(Job, 1);
  job->intensity = self->intensity;
  job->columns = vt_columns_ref(columns);
  job->taught = taught ? vt_classified_ref(taught) : NULL;
  self->is_grading = TRUE;
  vt_task_run(self, NULL, graded, NULL, grade_in_thread, job, job_free);
}

/* --- what a person sets --- */

void
vt_grader_set_on(VtGrader *self, gboolean is_on)
{
  if (self->is_on == is_on)
    return;
  self->is_on = is_on;
  vt_test_log("by %s", is_on ? "thresholds" : "examples");
  g_signal_emit_by_name(self, "changed");
  grade(self);
}

static void
take(VtGrader *self, const VtIntensity *intensity)
{
  self->intensity = *intensity;
  vt_test_log("thresholds %g %g %g", intensity->thresholds[0], intensity->thresholds[1], intensity->thresholds[2]);
  g_signal_emit_by_name(self, "changed");
  grade(self);
}

gboolean
vt_grader_set_intensity(VtGrader *self, const VtIntensity *intensity, GError **error)
{
  if (!vt_intensity_check(intensity, error))
    return FALSE;
  if (vt_intensity_equal(intensity, &self->intensity))
    return TRUE;
  if (!self->is_moving)
    g_array_append_val(self->former, self->intensity);
  take(self, intensity);
  return TRUE;
}

void
vt_grader_restore(VtGrader *self, const VtIntensity *intensity, gboolean is_on)
{
  g_array_set_size(self->former, 0);
  self->intensity = *intensity;
  self->is_on = is_on;
  vt_test_log("by %s", is_on ? "thresholds" : "examples");
  take(self, intensity);
}

void
vt_grader_begin_move(VtGrader *self)
{
  self->is_moving = TRUE;
  g_array_append_val(self->former, self->intensity);
}

void
vt_grader_end_move(VtGrader *self)
{
  const VtIntensity *before =
    self->former->len > 0 ? &g_array_index(self->former, VtIntensity, self->former->len - 1) : NULL;
  if (self->is_moving && before && vt_intensity_equal(before, &self->intensity))
    g_array_set_size(self->former, self->former->len - 1);
  self->is_moving = FALSE;
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_grader_can_undo(VtGrader *self)
{
  return self->former->len > 0;
}

void
vt_grader_undo(VtGrader *self)
{
  if (!vt_grader_can_undo(self))
    return;
  const VtIntensity before = g_array_index(self->former, VtIntensity, self->former->len - 1);
  g_array_set_size(self->former, self->former->len - 1);
  take(self, &before);
}

/* --- following --- */

/* A layer has other data in many ways; here other objects count. */
static void
on_data(VtGrader *self)
{
  const VtClassified *classified = vt_grader_get_classified(self);
  if (self->is_on && !classified)
    grade(self);
}

static void
on_layers_changed(VtGrader *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (self->layer)
    g_signal_connect_object(self->layer, "data", G_CALLBACK(on_data), self, G_CONNECT_SWAPPED);
  grade(self);
}

static void
vt_grader_class_init(VtGraderClass *klass)
{
  VT_OWNS(klass, VtGrader, g_object_unref, layer, teacher, analysis);
  VT_OWNS(klass, VtGrader, g_array_unref, former);
  VT_OWNS(klass, VtGrader, g_free, doubt);
  vt_signals_new(VT_TYPE_GRADER, "changed", "graded", NULL);
}

static void
vt_grader_init(VtGrader *self)
{
  self->intensity = vt_intensity_make(VT_INTENSITY_MOST);
  self->former = g_array_new(FALSE, FALSE, sizeof(VtIntensity));
}

VtGrader *
vt_grader_new(VtAnalysis *analysis, VtTeacher *teacher)
{
  VtGrader *self = g_object_new(VT_TYPE_GRADER, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->analysis = g_object_ref(analysis);
  self->teacher = g_object_ref(teacher);
  g_signal_connect_object(teacher, "learned", G_CALLBACK(grade), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  return self;
}
