/* SPDX-License-Identifier: MIT
 *
 * The objects of a result against true ones: docs/score.md. */
#include <math.h>
#include <stdio.h>

#include "batch-score.h"
#include "base/vt-json.h"

#define IMAGE_BYTES ((guint64)256 << 20) /* a larger label image is in a file while it is read */
static void
job_clear(ScoreJob *job)
{
  g_free(job->options.regions);
  g_free(job->options.json);
  g_free(job->options.iou_text);
  g_free(job->options.sizes_text);
  g_clear_pointer(&job->result, vt_labels_free);
  g_clear_pointer(&job->truth, vt_labels_free);
  g_clear_pointer(&job->regions, vt_labels_free);
  g_clear_pointer(&job->score, vt_score_free);
  vt_score_figures_clear(&job->figures);
  g_clear_pointer(&job->notes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ScoreJob, job_clear)

G_GNUC_PRINTF(2, 3)
static void
note(ScoreJob *job, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(job->notes, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

/* --- the command line --- */

static gboolean
parse_numbers(const char *text, double min, double below, ScoreNumbers *numbers)
{
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  numbers->n = g_strv_length(words);
  if (numbers->n == 0 || numbers->n > G_N_ELEMENTS(numbers->values))
    return FALSE;
  for (guint i = 0; i < numbers->n; i++) {
    char *end = NULL;
    numbers->values[i] = g_ascii_strtod(words[i], &end);
    if (end == words[i] || *end != '\0' || !(numbers->values[i] >= min && numbers->values[i] < below)
        || (i > 0 && !(numbers->values[i] > numbers->values[i - 1])))
      return FALSE;
  }
  return TRUE;
}

static int
parse_options(ScoreOptions *options, int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
    { "truth-regions", 0, 0, G_OPTION_ARG_FILENAME, &options->regions,
      "The truth is known in these areas alone (GeoJSON, or an image that is 0 elsewhere)", "FILE" },
    { "mpp", 0, 0, G_OPTION_ARG_DOUBLE, &options->mpp,
      "Micrometres per pixel of the slide, for sizes in µm² (else from the record.json beside RESULT)", "NUMBER" },
    { "sizes", 0, 0, G_OPTION_ARG_STRING, &options->sizes_text,
      "Bounds of the classes of size (25,50,100 µm²; without a pixel size 50,200,800 px)", "LIST" },
    { "iou", 0, 0, G_OPTION_ARG_STRING, &options->iou_text,
      "Intersections over union above which two objects are the same (0.5,0.6,0.7,0.8,0.9)", "LIST" },
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &options->json, "Write all figures into a new file, too", "FILE" },
    { NULL },
  };
  int status = BATCH_DONE;
  if (!batch_parse(
        argc, argv, "RESULT TRUTH",
        "Says how well objects agree with true ones. Either is a label image (PNG or TIFF; 0 is background, each\n"
        "number one object) or GeoJSON of areas (.geojson, .json); the truth may be points instead, one in each "
        "object.",
        entries, &status))
    return status;
  if (*argc != 3)
    return batch_fail(BATCH_USAGE, "score takes a result and a truth.");
  if (!(options->mpp >= 0 && options->mpp <= 1000))
    return batch_fail(BATCH_USAGE, "--mpp takes micrometres per pixel, above 0 and at most 1000.");
  if (!parse_numbers(options->iou_text ? options->iou_text : "0.5,0.6,0.7,0.8,0.9", 0, 1, &options->iou))
    return batch_fail(BATCH_USAGE, "--iou takes rising numbers from 0 to less than 1, with commas between them.");
  if (options->sizes_text && !parse_numbers(options->sizes_text, 1e-9, 1e12, &options->sizes))
    return batch_fail(BATCH_USAGE, "--sizes takes rising areas above 0, with commas between them.");
  if (options->json && g_file_test(options->json, G_FILE_TEST_EXISTS))
    return batch_fail(BATCH_FAILED, "%s is there already, and is not replaced.", options->json);
  return BATCH_DONE;
}

/* --- pixel size --- */

/* µm² of a level-0 pixel, from the record of the run that left the file; 0: there is none, or it says nothing, or cannot be read,
 * which is noted. */
static double
read_recorded_area(ScoreJob *job, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *dir = g_path_get_dirname(path), *base = g_path_get_basename(path);
  g_autofree char *record_path = g_build_filename(dir, "record.json", NULL);
  g_autoptr(JsonObject) record = vt_json_load_object(record_path, &error);
  if (!record && g_file_test(record_path, G_FILE_TEST_EXISTS))
    note(job, "%s It says no pixel size, then.", error->message);
  JsonArray *files = vt_json_get_array(record, "files");
  JsonArray *mpp = vt_json_get_array(vt_json_get_object(record, "source"), "mpp");
  gboolean is_listed = FALSE;
  for (guint i = 0; files && i < json_array_get_length(files); i++) {
    JsonNode *file = json_array_get_element(files, i);
    is_listed |= JSON_NODE_HOLDS_VALUE(file) && g_strcmp0(json_node_get_string(file), base) == 0;
  }
  if (!is_listed || !mpp || json_array_get_length(mpp) != 2)
    return 0;
  double area = 1;
  for (guint i = 0; i < 2; i++) {
    JsonNode *side = json_array_get_element(mpp, i);
    area *= JSON_NODE_HOLDS_VALUE(side) ? json_node_get_double(side) : 0;
  }
  return isfinite(area) && area > 0 ? area : 0;
}

static void
find_pixel_size(ScoreJob *job, const char *result_path)
{
  const double recorded = read_recorded_area(job, result_path), given = job->options.mpp * job->options.mpp;
  const double area = given > 0 ? given : recorded;
  if (given > 0 && recorded > 0 && fabs(given / recorded - 1) > 1e-3)
    note(job, "The record beside %s has a pixel size of %g µm; --mpp is used instead.", vt_labels_get_name(job->result),
         sqrt(recorded));
  job->um2_per_px = area * job->frame.downsample * job->frame.downsample;
}

/* --- pixels --- */

static int
compare_pixels(gconstpointer a, gconstpointer b)
{
  const gint64 *p = a, *q = b;
  return p[0] < q[0] ? -1 : p[0] > q[0];
}

/* Rows and columns of the dots in the frame, by row. */
static GArray *
place_dots(ScoreJob *job)
{
  GArray *pixels = g_array_new(FALSE, FALSE, 2 * sizeof(gint64));
  const GArray *dots = vt_labels_get_dots(job->truth);
  for (guint i = 0; dots && i < dots->len; i += 2) {
    gint64 pixel[2] = { 0 };
    if (vt_frame_find_pixel(&job->frame, g_array_index(dots, double, i), g_array_index(dots, double, i + 1), &pixel[1],
                            &pixel[0]))
      g_array_append_vals(pixels, pixel, 1);
    else
      job->n_dots_outside++;
  }
  g_array_sort(pixels, compare_pixels);
  return pixels;
}

static gboolean
compare_rows(ScoreJob *job, GError **error)
{
  const gsize width = (gsize)job->frame.width;
  g_autofree gint32 *result = g_new(gint32, width), *truth = g_new(gint32, width), *regions = g_new(gint32, width);
  g_autoptr(GArray) dots = place_dots(job);
  guint dot = 0;
  if (!vt_labels_begin(job->result, &job->frame, error) || !vt_labels_begin(job->truth, &job->frame, error)
      || (job->regions && !vt_labels_begin(job->regions, &job->frame, error)))
    return FALSE;
  for (gint64 y = 0; y < job->frame.height; y++) {
    if (!vt_labels_next_row(job->result, result, error) || !vt_labels_next_row(job->truth, truth, error)
        || (job->regions && !vt_labels_next_row(job->regions, regions, error)))
      return FALSE;
    vt_score_add_row(job->score, result, truth, job->regions ? regions : NULL, job->frame.width);
    for (; dot < dots->len; dot++) {
      const gint64 *pixel = (const gint64 *)(gpointer)dots->data + 2 * (gsize)dot;
      if (pixel[0] != y)
        break;
      if (!job->regions || regions[pixel[1]] != 0)
        vt_score_add_dot(job->score, result[pixel[1]]);
    }
  }
  return TRUE;
}

static void
set_cut(ScoreJob *job, const VtLabels *labels, VtScoreSide side)
{
  for (guint label = 1; label <= vt_labels_get_n_outlines(labels); label++)
    if (vt_labels_leaves_frame(labels, label))
      vt_score_set_cut(job->score, side, (gint32)label);
}

/* --- what is said --- */

static void
note_labels(ScoreJob *job, const VtLabels *labels, VtScoreSide side)
{
  const char *name = vt_labels_get_name(labels);
  const guint n_labels = vt_score_get_n_labels(job->score, side), n_outlines = vt_labels_get_n_outlines(labels);
  const guint n_outside = vt_labels_get_n_outside(labels);
  const gint32 first = vt_score_get_first_label(job->score, side);
  if (vt_labels_get_note(labels))
    note(job, "%s", vt_labels_get_note(labels));
  if (n_outside > 0)
    note(job, "%s: %u of %u outlines lie outside of the image and do not count.", name, n_outside, n_outlines);
  if (n_outlines > n_outside + n_labels)
    note(job, "%s: %u outlines hold the centre of no pixel that is their own, and do not count.", name,
         n_outlines - n_outside - n_labels);
  if (vt_labels_get_n_shared(labels) > 0)
    note(job,
         "%s: outlines lie over each other; %" G_GUINT64_FORMAT " pixels count for the first of several in the file.",
         name, vt_labels_get_n_shared(labels));
  if (vt_labels_is_image(labels) && n_labels == 1 && (first == 1 || first == 255))
    note(job, "%s holds the one label %d: if it is a mask, all of it counts as one object.", name, first);
  if (side == VT_SCORE_RESULT && n_labels == 0)
    note(job, "%s holds no objects.", name);
}

static int
check_truth(ScoreJob *job)
{
  const char *name = vt_labels_get_name(job->truth);
  const guint64 n = job->has_dots ? job->dots.n_dots : job->figures.n_truth;
  const guint64 ignored = job->has_dots ? job->dots.ignored_dots : job->figures.ignored_truth;
  if (n > 0)
    return BATCH_DONE;
  if (job->regions || ignored > 0 || job->n_dots_outside > 0 || vt_labels_get_n_outside(job->truth) > 0)
    return batch_fail(BATCH_FAILED, "No object of %s lies whole in what is compared, so there is nothing to score.",
                      name);
  return batch_fail(BATCH_FAILED, "%s holds no objects, so there is nothing to score.", name);
}

/* --- the command --- */

static gboolean
read_inputs(ScoreJob *job, const char *result, const char *truth, GError **error)
{
  const char *dir = g_getenv("TMPDIR");
  const VtRasterRoom room = { IMAGE_BYTES, dir && *dir ? dir : "/var/tmp" };
  job->result = vt_labels_read(result, &room, error);
  job->truth = job->result ? vt_labels_read(truth, &room, error) : NULL;
  if (job->truth && job->options.regions)
    job->regions = vt_labels_read(job->options.regions, &room, error);
  return job->truth && (job->regions || !job->options.regions);
}

static int
check_inputs(ScoreJob *job)
{
  const VtLabels *areas[] = { job->result, job->regions };
  for (gsize i = 0; i < G_N_ELEMENTS(areas); i++)
    if (areas[i] && vt_labels_get_dots(areas[i]))
      return batch_fail(BATCH_FAILED, "%s holds points: only the truth may be points.", vt_labels_get_name(areas[i]));
  job->has_dots = vt_labels_get_dots(job->truth) != NULL;
  if (job->has_dots && vt_labels_get_n_outlines(job->truth) > 0)
    return batch_fail(BATCH_FAILED, "%s holds points and areas: a truth is one or the other.",
                      vt_labels_get_name(job->truth));
  if (job->regions && !vt_labels_is_image(job->regions) && vt_labels_get_n_outlines(job->regions) == 0)
    return batch_fail(BATCH_FAILED, "%s holds no areas.", vt_labels_get_name(job->regions));
  return BATCH_DONE;
}

static void
compare(ScoreJob *job)
{
  static const ScoreNumbers um2 = { { 25, 50, 100 }, 3 }, px = { { 50, 200, 800 }, 3 };
  if (!job->options.sizes_text)
    job->options.sizes = job->um2_per_px > 0 ? um2 : px;
  ScoreNumbers sizes = job->options.sizes;
  for (guint i = 0; i < sizes.n; i++)
    sizes.values[i] /= job->um2_per_px > 0 ? job->um2_per_px : 1;
  set_cut(job, job->result, VT_SCORE_RESULT);
  set_cut(job, job->truth, VT_SCORE_TRUTH);
  if (job->has_dots)
    vt_score_compare_dots(job->score, &job->dots);
  else
    vt_score_compare(job->score, job->options.iou.values, job->options.iou.n, sizes.values, sizes.n, &job->figures);
  note_labels(job, job->result, VT_SCORE_RESULT);
  note_labels(job, job->truth, VT_SCORE_TRUTH);
  if (job->n_dots_outside > 0)
    note(job, "%s: %" G_GUINT64_FORMAT " points lie outside of the image and do not count.",
         vt_labels_get_name(job->truth), job->n_dots_outside);
  if (job->has_dots && !job->regions)
    note(
      job,
      "Every object without a dot counts as extra: if only a part of the image has dots, say which (--truth-regions).");
}

int
batch_score(int argc, char **argv)
{
  g_auto(ScoreJob) job = { .notes = g_ptr_array_new_with_free_func(g_free), .score = vt_score_new() };
  g_autoptr(GError) error = NULL;
  int status = parse_options(&job.options, &argc, &argv);
  if (status != BATCH_DONE)
    return status;
  if (!read_inputs(&job, argv[1], argv[2], &error))
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if ((status = check_inputs(&job)) != BATCH_DONE)
    return status;
  if (!vt_labels_find_frame(job.result, job.truth, &job.frame, &error) || !compare_rows(&job, &error))
    return batch_fail(BATCH_FAILED, "%s", error->message);
  find_pixel_size(&job, argv[1]);
  compare(&job);
  for (guint i = 0; i < job.notes->len; i++)
    g_printerr("vitrail-batch: %s\n", (const char *)job.notes->pdata[i]);
  if ((status = check_truth(&job)) != BATCH_DONE)
    return status;
  batch_score_print(&job);
  if (job.options.json && !batch_score_write_json(&job, &error))
    return batch_fail(BATCH_FAILED, "%s", error->message);
  return BATCH_DONE;
}
