/* SPDX-License-Identifier: MIT
 *
 * The objects of a result against true ones: docs/score.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "base/vt-json.h"
#include "results/vt-labels.h"
#include "results/vt-score.h"

#define IMAGE_BYTES ((guint64)256 << 20) /* a larger label image is in a file while it is read */
#define MAX_NUMBERS 32

typedef struct {
  double values[MAX_NUMBERS];
  guint n;
} Numbers;

typedef struct {
  char *regions, *json, *iou_text, *sizes_text;
  double mpp;
  Numbers iou, sizes; /* sizes: in the unit of areas */
} Options;

typedef struct {
  Options options;
  VtLabels *result, *truth, *regions; /* regions: or NULL */
  VtFrame frame;
  VtScore *score;
  VtScoreFigures figures;
  VtScoreDots dots;
  gboolean has_dots; /* as truth */
  double um2_per_px; /* 0: not known */
  guint64 n_dots_outside;
  GPtrArray *notes;
} Job;

static void
job_clear(Job *job)
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
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Job, job_clear)

G_GNUC_PRINTF(2, 3)
static void
note(Job *job, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(job->notes, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

/* --- the command line --- */

static gboolean
parse_numbers(const char *text, double min, double below, Numbers *numbers)
{
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  numbers->n = g_strv_length(words);
  if (numbers->n == 0 || numbers->n > MAX_NUMBERS)
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
parse_options(Options *options, int *argc, char ***argv)
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

static JsonNode *
get_member(JsonNode *node, const char *name, JsonNodeType type)
{
  JsonNode *found =
    node && JSON_NODE_HOLDS_OBJECT(node) ? json_object_get_member(json_node_get_object(node), name) : NULL;
  return found && json_node_get_node_type(found) == type ? found : NULL;
}

/* µm² of a level-0 pixel, from the record of the run that left the file; 0: there is none, or it says nothing. */
static double
read_recorded_area(const char *path)
{
  g_autofree char *dir = g_path_get_dirname(path), *base = g_path_get_basename(path);
  g_autofree char *record = g_build_filename(dir, "record.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonNode *root = json_parser_load_from_file(parser, record, NULL) ? json_parser_get_root(parser) : NULL;
  JsonNode *files = get_member(root, "files", JSON_NODE_ARRAY);
  JsonNode *mpp = get_member(get_member(root, "source", JSON_NODE_OBJECT), "mpp", JSON_NODE_ARRAY);
  gboolean is_listed = FALSE;
  for (guint i = 0; files && i < json_array_get_length(json_node_get_array(files)); i++) {
    JsonNode *file = json_array_get_element(json_node_get_array(files), i);
    is_listed |= JSON_NODE_HOLDS_VALUE(file) && g_strcmp0(json_node_get_string(file), base) == 0;
  }
  if (!is_listed || !mpp || json_array_get_length(json_node_get_array(mpp)) != 2)
    return 0;
  double area = 1;
  for (guint i = 0; i < 2; i++) {
    JsonNode *side = json_array_get_element(json_node_get_array(mpp), i);
    area *= JSON_NODE_HOLDS_VALUE(side) ? json_node_get_double(side) : 0;
  }
  return isfinite(area) && area > 0 ? area : 0;
}

static void
find_pixel_size(Job *job, const char *result_path)
{
  const double recorded = read_recorded_area(result_path), given = job->options.mpp * job->options.mpp;
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
place_dots(Job *job)
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
compare_rows(Job *job, GError **error)
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
set_cut(Job *job, const VtLabels *labels, VtScoreSide side)
{
  for (guint label = 1; label <= vt_labels_get_n_outlines(labels); label++)
    if (vt_labels_leaves_frame(labels, label))
      vt_score_set_cut(job->score, side, (gint32)label);
}

/* --- what is said --- */

static void
note_labels(Job *job, const VtLabels *labels, VtScoreSide side)
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
check_truth(Job *job)
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

static const char *
format(char buffer[static G_ASCII_DTOSTR_BUF_SIZE], double value)
{
  return g_ascii_formatd(buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.4f", value);
}

static void
print_matches(const VtScoreFigures *figures)
{
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], c[G_ASCII_DTOSTR_BUF_SIZE], d[G_ASCII_DTOSTR_BUF_SIZE];
  printf("\nIoU above   matched     extra    missed  precision  recall      F1\n");
  for (guint i = 0; i < figures->n_matches; i++) {
    const VtScoreMatch *match = &figures->matches[i];
    printf("%9s %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %10s %7s %7s\n",
           g_ascii_formatd(a, sizeof a, "%g", match->threshold), match->n_matched, figures->n_result - match->n_matched,
           figures->n_truth - match->n_matched, format(b, match->precision), format(c, match->recall),
           format(d, match->f1));
  }
  printf("\nPQ %s = SQ %s × RQ %s\n", format(a, figures->pq), format(b, figures->sq), format(c, figures->rq));
  printf("AJI %s\nDice of pixels %s\n", format(a, figures->aji), format(b, figures->dice));
}

static double
get_area_unit(const Job *job)
{
  return job->um2_per_px > 0 ? job->um2_per_px : 1;
}

static void
print_sizes(const Job *job)
{
  const VtScoreFigures *figures = &job->figures;
  const double unit = get_area_unit(job);
  printf("\nBy area in %s: missed and extra at an IoU of 0.5\n",
         job->um2_per_px > 0 ? "µm²" : "pixels (no pixel size is known)");
  printf("      from        to      true    missed     split     found     extra   merging\n");
  for (guint i = 0; i < figures->n_sizes; i++) {
    const VtScoreSizes *sizes = &figures->sizes[i];
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(from, sizeof from, "%g", sizes->from * unit);
    g_ascii_formatd(to, sizeof to, "%g", sizes->to * unit);
    printf("%10s %9s", from, isfinite(sizes->to) ? to : "");
    const guint64 counts[] = { sizes->n_truth,  sizes->missed, sizes->split,
                               sizes->n_result, sizes->extra,  sizes->merging };
    for (gsize k = 0; k < G_N_ELEMENTS(counts); k++)
      printf(" %9" G_GUINT64_FORMAT, counts[k]);
    printf("\n");
  }
}

static void
print_dots(const VtScoreDots *dots)
{
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], c[G_ASCII_DTOSTR_BUF_SIZE];
  printf("\nfound   %9" G_GUINT64_FORMAT "   dots alone in an object\n", dots->found);
  printf("missed  %9" G_GUINT64_FORMAT "   dots in no object\n", dots->missed);
  printf("merged  %9" G_GUINT64_FORMAT "   dots that share %" G_GUINT64_FORMAT " objects\n", dots->merged_dots,
         dots->merging);
  printf("extra   %9" G_GUINT64_FORMAT "   objects without a dot\n", dots->extra);
  printf("\nprecision %s  recall %s  F1 %s\n", format(a, dots->precision), format(b, dots->recall),
         format(c, dots->f1));
}

static void
print_text(const Job *job)
{
  const VtScoreFigures *figures = &job->figures;
  const VtScoreDots *dots = &job->dots;
  printf("%s against %s, %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels\n", vt_labels_get_name(job->result),
         vt_labels_get_name(job->truth), job->frame.width, job->frame.height);
  printf("%" G_GUINT64_FORMAT " objects, %" G_GUINT64_FORMAT " true ones",
         job->has_dots ? dots->n_result : figures->n_result, job->has_dots ? dots->n_dots : figures->n_truth);
  printf("; at edges %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT " ignored\n",
         job->has_dots ? dots->ignored_result : figures->ignored_result,
         job->has_dots ? dots->ignored_dots : figures->ignored_truth);
  if (job->has_dots) {
    print_dots(dots);
  } else {
    print_matches(figures);
    print_sizes(job);
  }
}

/* --- JSON --- */

static void
add_count(JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_int_value(builder, (gint64)value);
}

static void
add_matches(JsonBuilder *builder, const VtScoreFigures *figures)
{
  json_builder_set_member_name(builder, "iou");
  json_builder_begin_array(builder);
  for (guint i = 0; i < figures->n_matches; i++) {
    const VtScoreMatch *match = &figures->matches[i];
    json_builder_begin_object(builder);
    vt_json_add_double(builder, "above", match->threshold);
    add_count(builder, "matched", match->n_matched);
    add_count(builder, "extra", figures->n_result - match->n_matched);
    add_count(builder, "missed", figures->n_truth - match->n_matched);
    vt_json_add_double(builder, "precision", match->precision);
    vt_json_add_double(builder, "recall", match->recall);
    vt_json_add_double(builder, "f1", match->f1);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  vt_json_add_double(builder, "pq", figures->pq);
  vt_json_add_double(builder, "sq", figures->sq);
  vt_json_add_double(builder, "rq", figures->rq);
  vt_json_add_double(builder, "aji", figures->aji);
  vt_json_add_double(builder, "dice", figures->dice);
}

static void
add_sizes(JsonBuilder *builder, const Job *job)
{
  const double unit = get_area_unit(job);
  vt_json_add_string(builder, "area-unit", job->um2_per_px > 0 ? "µm²" : "px");
  json_builder_set_member_name(builder, "sizes");
  json_builder_begin_array(builder);
  for (guint i = 0; i < job->figures.n_sizes; i++) {
    const VtScoreSizes *sizes = &job->figures.sizes[i];
    json_builder_begin_object(builder);
    vt_json_add_double(builder, "from", sizes->from * unit);
    vt_json_add_double(builder, "to", sizes->to * unit);
    add_count(builder, "truth", sizes->n_truth);
    add_count(builder, "missed", sizes->missed);
    add_count(builder, "split", sizes->split);
    add_count(builder, "result", sizes->n_result);
    add_count(builder, "extra", sizes->extra);
    add_count(builder, "merging", sizes->merging);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_dots(JsonBuilder *builder, const VtScoreDots *dots)
{
  json_builder_set_member_name(builder, "dots");
  json_builder_begin_object(builder);
  add_count(builder, "found", dots->found);
  add_count(builder, "missed", dots->missed);
  add_count(builder, "merged", dots->merged_dots);
  add_count(builder, "merging-objects", dots->merging);
  add_count(builder, "extra", dots->extra);
  vt_json_add_double(builder, "precision", dots->precision);
  vt_json_add_double(builder, "recall", dots->recall);
  vt_json_add_double(builder, "f1", dots->f1);
  json_builder_end_object(builder);
}

static gboolean
write_json(const Job *job, GError **error)
{
  g_autoptr(JsonBuilder) builder = json_builder_begin_object(json_builder_new());
  vt_json_add_string(builder, "program", "vitrail");
  vt_json_add_string(builder, "version", VT_VERSION);
  vt_json_add_string(builder, "result", vt_labels_get_name(job->result));
  vt_json_add_string(builder, "truth", vt_labels_get_name(job->truth));
  vt_json_add_string(builder, "truth-regions", job->regions ? vt_labels_get_name(job->regions) : NULL);
  add_count(builder, "width", (guint64)job->frame.width);
  add_count(builder, "height", (guint64)job->frame.height);
  vt_json_add_double(builder, "um2-per-px", job->um2_per_px > 0 ? job->um2_per_px : NAN);
  add_count(builder, "n-result", job->has_dots ? job->dots.n_result : job->figures.n_result);
  add_count(builder, "n-truth", job->has_dots ? job->dots.n_dots : job->figures.n_truth);
  add_count(builder, "ignored-result", job->has_dots ? job->dots.ignored_result : job->figures.ignored_result);
  add_count(builder, "ignored-truth", job->has_dots ? job->dots.ignored_dots : job->figures.ignored_truth);
  if (job->has_dots) {
    add_dots(builder, &job->dots);
  } else {
    add_matches(builder, &job->figures);
    add_sizes(builder, job);
  }
  json_builder_set_member_name(builder, "notes");
  json_builder_begin_array(builder);
  for (guint i = 0; i < job->notes->len; i++)
    json_builder_add_string_value(builder, job->notes->pdata[i]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_json(text, root, 0);
  g_string_append_c(text, '\n');
  return vt_file_write_text(job->options.json, text, error);
}

/* --- the command --- */

static gboolean
read_inputs(Job *job, const char *result, const char *truth, GError **error)
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
check_inputs(Job *job)
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
compare(Job *job)
{
  static const Numbers um2 = { { 25, 50, 100 }, 3 }, px = { { 50, 200, 800 }, 3 };
  Numbers sizes = job->options.sizes_text ? job->options.sizes : job->um2_per_px > 0 ? um2 : px;
  for (guint i = 0; i < sizes.n; i++)
    sizes.values[i] /= get_area_unit(job);
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
}

int
batch_score(int argc, char **argv)
{
  g_auto(Job) job = { .notes = g_ptr_array_new_with_free_func(g_free), .score = vt_score_new() };
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
  print_text(&job);
  if (job.options.json && !write_json(&job, &error))
    return batch_fail(BATCH_FAILED, "%s", error->message);
  return BATCH_DONE;
}
