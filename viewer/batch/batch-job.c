/* SPDX-License-Identifier: MIT
 *
 * One run with all that stands round it: what a second attempt may take up, progress, interruption. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "batch.h"
#include "base/vt-define.h"
#include "base/vt-json.h"

#include "base/vt-progress.h"
#include "results/vt-roi-measures.h"
#include "results/vt-surroundings.h"
#include "run/vt-file-objects-classes.h"

enum { MOST_NAMES = 5 }; /* of files in a sentence */

typedef struct {
  VtProgress progress;
  gint64 said_us; /* when the last word was said */
  double said;    /* and how far it was then */
  GMutex lock;
} Speaker;

static void
say_progress(guint stage, double fraction, gpointer user)
{
  Speaker *speaker = user;
  const gint64 now = g_get_monotonic_time();
  g_mutex_lock(&speaker->lock);
  vt_progress_take(&speaker->progress, fraction, now);
  const double left = vt_progress_get_seconds_left(&speaker->progress, now);
  if (left >= 0 && now - speaker->said_us > G_USEC_PER_SEC / 2 && speaker->progress.furthest > speaker->said) {
    g_autofree char *duration = vt_progress_dup_duration(left);
    speaker->said = speaker->progress.furthest;
    speaker->said_us = now;
    g_printerr("%s%3.0f %%, %s left%s", isatty(2) ? "\r" : "", speaker->said * 100, duration, isatty(2) ? "   " : "\n");
  }
  g_mutex_unlock(&speaker->lock);
}

/* A result that the same request left, whole. */
static gboolean
is_done(const char *dir, const char *digest)
{
  g_autofree char *path = g_build_filename(dir, "record.json", NULL);
  g_autoptr(JsonObject) record = vt_json_load_object(path, NULL);
  if (!record || g_strcmp0(vt_json_get_string(record, "request"), digest) != 0)
    return FALSE;
  g_autofree char *doubt = vt_result_dup_doubt(dir, record);
  if (doubt)
    g_printerr("vitrail-batch: Made again: %s.\n", doubt);
  return doubt == NULL;
}

static void
print_classes(const VtClassified *classified)
{
  for (guint k = 0; k < classified->list->len; k++) {
    const VtModelClass *cls = classified->list->pdata[k];
    printf("%u %s%s\n", classified->counts[k], cls->name, cls->is_left_out ? " (left out of counts)" : "");
  }
}

/* Of the n objects from a place on, with all that it depends on. */
static void
print_score(const VtClassified *classified, const char *of, guint first, guint n)
{
  const VtIntensityScore score = vt_intensity_score(classified, first, n);
  g_autofree char *text = vt_intensity_score_dup_text(&score, &classified->intensity);
  printf("%s: %s\n", of, text);
}

static void
print_scores(const VtResult *result)
{
  const VtClassified *classified = result->classified;
  guint first = 0;
  VT_EACH_OF (const VtResult, part, result->parts) {
    const guint n = part->objects ? part->objects->len : 0;
    print_score(classified, part->region->name, first, n);
    first += n;
  }
  print_score(classified, result->parts ? "All regions" : "Image", 0, classified->n);
}

/* What lies in each region, and how densely, by class where there are classes. */
static void
print_regions(const VtResult *result, VtSlide *slide)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new();
  double mpp_x = 0, mpp_y = 0;
  for (guint i = 0; i < result->parts->len; i++)
    g_ptr_array_add(rois, ((const VtResult *)result->parts->pdata[i])->region);
  if (!slide || !vt_slide_get_mpp(slide, &mpp_x, &mpp_y))
    mpp_x = mpp_y = 0;
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(rois, mpp_x, mpp_y, result, result->classified);
  for (guint i = 0; i < rois->len; i++) {
    const double *values = vt_roi_measures_get(measures, i);
    printf("%s", ((const VtRoi *)rois->pdata[i])->name);
    for (guint k = 0; k < measures->names->len; k++)
      if (!isnan(values[k]))
        printf("%s%s %.6g", k == 0 ? ": " : ", ", (const char *)measures->names->pdata[k], values[k]);
    printf("\n");
  }
}

static void
print_result(const VtResult *result, VtSlide *slide, const char *dir)
{
  g_autofree char *shown = vt_error_dup_path(dir);
  printf("%-20s %12s\n", "stage", "ms");
  for (guint i = 0; i < result->op->n_stages; i++)
    if (!isnan(result->stage_ms[i]))
      printf("%-20s %12.1f\n", result->op->stages[i]->id, result->stage_ms[i]);
  printf("%-20s %12.1f\n", "total", result->total_ms);
  if (result->objects)
    printf("%u objects\n", result->objects->len);
  if (result->classified)
    print_classes(result->classified);
  if (result->classified && result->classified->intensity.n > 0)
    print_scores(result);
  if (result->objects && result->parts)
    print_regions(result, slide);
  if (result->rows)
    printf("%u rows\n", result->rows->len);
  printf("%s%s%s; files are in %s\n", result->backend, result->device ? ", " : "", result->device ? result->device : "",
         shown);
  for (guint i = 0; i < result->warnings->len; i++)
    g_printerr("vitrail-batch: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
}

/* Files that are neither of this run nor of the one whose result it replaces. */
static void
print_strangers(const GPtrArray *names, const char *dir)
{
  g_autofree char *shown = vt_error_dup_path(dir);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < MIN(names->len, MOST_NAMES); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
  if (names->len > MOST_NAMES)
    g_string_append_printf(text, " and %u more", names->len - MOST_NAMES);
  if (names->len > 0)
    g_printerr("vitrail-batch: %s also holds what is not of this result, and stays: %s.\n", shown, text->str);
}

static gboolean
save(const VtRunRequest *request, const VtResult *result, VtFolder *folder, GError **error)
{
  const char *dir = vt_folder_get_path(folder);
  g_autofree char *record = g_build_filename(dir, VT_FOLDER_LAST, NULL);
  g_autoptr(GPtrArray) strangers =
    g_file_test(record, G_FILE_TEST_EXISTS) ? vt_result_list_strangers(result, dir) : NULL;
  batch_signals_set_saving(TRUE);
  const gboolean is_saved = vt_result_save(result, request->slide, folder, error);
  batch_signals_set_saving(FALSE);
  if (!is_saved)
    return FALSE;
  if (strangers)
    print_strangers(strangers, dir);
  return TRUE;
}

/* Classes, and what lies round the objects. */
static gboolean
add_columns(const VtRunRequest *request, VtResult *result, VtClassifier *classifier, GError **error)
{
  if (!classifier && !request->intensity && result->objects && request->params->objects) {
    g_autoptr(VtClassified) of_file = vt_file_objects_classify(request->params->objects, result->objects);
    if (of_file)
      vt_result_set_classified(result, of_file);
  }
  if ((classifier || request->intensity)
      && !vt_result_classify(result, classifier, request->intensity, request->n_threads, error))
    return FALSE;
  if (!result->objects || (!request->counts_neighbours && !request->borders))
    return TRUE;
  VtSurroundings *surroundings = vt_surroundings_new(result, request->counts_neighbours, request->borders, error);
  if (surroundings)
    vt_result_take_surroundings(result, surroundings);
  return surroundings != NULL;
}

/* folder: of the first rank only. */
static int
run_in(VtRunRequest *request, const char *dir, VtFolder *folder, gboolean progress, VtClassifier *classifier,
       GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  Speaker speaker = { 0 };
  GHashTableIter iter;
  gpointer path = NULL;
  if (folder)
    g_hash_table_iter_init(&iter, request->files);
  while (folder && g_hash_table_iter_next(&iter, NULL, &path))
    vt_file_begin_sha256(path); /* beside the run, since the record needs it */
  g_mutex_init(&speaker.lock);
  const gboolean speaks = folder && (progress || isatty(2));
  g_autoptr(VtResult) result = vt_run(request, speaks ? say_progress : NULL, &speaker, cancellable, &error);
  g_mutex_clear(&speaker.lock);
  if (result && speaks)
    g_printerr("%s100 %%                    \n", isatty(2) ? "\r" : "");
  g_autofree char *changed = result && folder ? vt_result_dup_changed(result) : NULL;
  if (changed)
    return batch_fail(BATCH_FAILED, "%s. Nothing of the run is kept.", changed);
  if (result && folder && add_columns(request, result, classifier, &error))
    save(request, result, folder, &error);
  if (error && g_cancellable_is_cancelled(cancellable))
    return batch_fail(BATCH_FAILED, "Interrupted; the same command with --resume goes on from here.");
  if (error)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  batch_scratch_clean(request, dir);
  if (folder)
    print_result(result, request->slide, dir);
  return BATCH_DONE;
}

/* The first rank locks for all of them. */
static gboolean
lock_folder(const VtRunRequest *request, const char *dir, VtFolder **folder)
{
  const VtRunRanks *ranks = request->ranks;
  g_autoptr(GError) error = NULL;
  gint32 failed = 0;
  if (!ranks || ranks->rank == 0)
    failed = !(*folder = vt_folder_lock(dir, &error));
  if (error)
    batch_fail(BATCH_FAILED, "%s", error->message);
  return (!ranks || ranks->agree(ranks->user, failed, &failed)) && !failed;
}

static int
job_in(VtRunRequest *request, const char *dir, VtFolder *folder, gboolean resume, gboolean progress,
       VtClassifier *classifier)
{
  g_autofree char *digest = vt_run_request_dup_digest(request);
  g_autoptr(GError) error = NULL;
  if (resume && is_done(dir, digest)) {
    g_autofree char *shown = vt_error_dup_path(dir);
    batch_scratch_clean(request, dir);
    if (folder)
      printf("done before; files are in %s\n", shown);
    return BATCH_DONE;
  }
  if (!vt_run_check_folder(request, dir, &error) || !batch_scratch_prepare(request, dir, resume, digest, &error))
    return batch_fail(BATCH_FAILED, "%s", error->message);
  return run_in(request, dir, folder, progress, classifier, batch_get_cancellable());
}

int
batch_job(VtRunRequest *request, const char *dir, gboolean resume, gboolean progress, VtClassifier *classifier)
{
  g_autoptr(VtFolder) folder = NULL;
  if (!lock_folder(request, dir, &folder))
    return BATCH_FAILED;
  batch_signals_set_held(folder);
  const int status = job_in(request, dir, folder, resume, progress, classifier);
  batch_signals_set_held(NULL);
  return status;
}
