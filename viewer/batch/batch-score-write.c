/* SPDX-License-Identifier: MIT
 *
 * Scores for people and for programs. */
#include <math.h>
#include <stdio.h>

#include "batch-score.h"
#include "base/vt-json.h"

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

/* Of class i, in the unit of areas. */
static double
get_bound(const ScoreJob *job, guint i)
{
  const ScoreNumbers *sizes = &job->options.sizes;
  return i == 0 ? 0 : i <= sizes->n ? sizes->values[i - 1] : INFINITY;
}

static void
print_sizes(const ScoreJob *job)
{
  const VtScoreFigures *figures = &job->figures;
  printf("\nBy area in %s: missed and extra at an IoU of 0.5\n",
         job->um2_per_px > 0 ? "µm²" : "pixels (no pixel size is known)");
  printf("      from        to      true    missed     split    result     extra   merging\n");
  for (guint i = 0; i < figures->n_sizes; i++) {
    const VtScoreSizes *sizes = &figures->sizes[i];
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(from, sizeof from, "%g", get_bound(job, i));
    g_ascii_formatd(to, sizeof to, "%g", get_bound(job, i + 1));
    printf("%10s %9s", from, isfinite(get_bound(job, i + 1)) ? to : "");
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
  const struct {
    const char *name;
    guint64 n;
    const char *meaning;
  } lines[] = {
    { "found", dots->found, "dots alone in an object" },
    { "missed", dots->missed, "dots in no object" },
    { "merged", dots->merged_dots, "dots that share an object" },
    { "merging", dots->merging, "objects with several dots" },
    { "extra", dots->extra, "objects without a dot" },
  };
  printf("\n");
  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
    printf("%-8s %9" G_GUINT64_FORMAT "   %s\n", lines[i].name, lines[i].n, lines[i].meaning);
  printf("\nprecision %s  recall %s  F1 %s\n", format(a, dots->precision), format(b, dots->recall),
         format(c, dots->f1));
}

void
batch_score_print(const ScoreJob *job)
{
  const VtScoreFigures *figures = &job->figures;
  const VtScoreDots *dots = &job->dots;
  printf("%s against %s, %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels\n", vt_labels_get_name(job->result),
         vt_labels_get_name(job->truth), job->frame.width, job->frame.height);
  printf("objects: %" G_GUINT64_FORMAT " in the result, %" G_GUINT64_FORMAT " true",
         job->has_dots ? dots->n_result : figures->n_result, job->has_dots ? dots->n_dots : figures->n_truth);
  printf("; ignored at edges: %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT "\n",
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
add_matches(JsonBuilder *builder, const VtScoreFigures *figures)
{
  vt_json_begin_array(builder, "iou");
  for (guint i = 0; i < figures->n_matches; i++) {
    const VtScoreMatch *match = &figures->matches[i];
    json_builder_begin_object(builder);
    vt_json_add_double(builder, "above", match->threshold);
    vt_json_add_int(builder, "matched", match->n_matched);
    vt_json_add_int(builder, "extra", figures->n_result - match->n_matched);
    vt_json_add_int(builder, "missed", figures->n_truth - match->n_matched);
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
add_sizes(JsonBuilder *builder, const ScoreJob *job)
{
  vt_json_add_string(builder, "area-unit", job->um2_per_px > 0 ? "µm²" : "px");
  vt_json_begin_array(builder, "sizes");
  for (guint i = 0; i < job->figures.n_sizes; i++) {
    const VtScoreSizes *sizes = &job->figures.sizes[i];
    json_builder_begin_object(builder);
    vt_json_add_double(builder, "from", get_bound(job, i));
    vt_json_add_double(builder, "to", get_bound(job, i + 1));
    vt_json_add_int(builder, "truth", sizes->n_truth);
    vt_json_add_int(builder, "missed", sizes->missed);
    vt_json_add_int(builder, "split", sizes->split);
    vt_json_add_int(builder, "result", sizes->n_result);
    vt_json_add_int(builder, "extra", sizes->extra);
    vt_json_add_int(builder, "merging", sizes->merging);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_dots(JsonBuilder *builder, const VtScoreDots *dots)
{
  vt_json_begin_object(builder, "dots");
  vt_json_add_int(builder, "found", dots->found);
  vt_json_add_int(builder, "missed", dots->missed);
  vt_json_add_int(builder, "merged", dots->merged_dots);
  vt_json_add_int(builder, "merging-objects", dots->merging);
  vt_json_add_int(builder, "extra", dots->extra);
  vt_json_add_double(builder, "precision", dots->precision);
  vt_json_add_double(builder, "recall", dots->recall);
  vt_json_add_double(builder, "f1", dots->f1);
  json_builder_end_object(builder);
}

gboolean
batch_score_write_json(const ScoreJob *job, GError **error)
{
  g_autoptr(JsonBuilder) builder = json_builder_begin_object(json_builder_new());
  vt_json_add_string(builder, "program", "vitrail");
  vt_json_add_string(builder, "version", VT_VERSION);
  vt_json_add_string(builder, "result", vt_labels_get_name(job->result));
  vt_json_add_string(builder, "truth", vt_labels_get_name(job->truth));
  vt_json_add_string(builder, "truth-regions", job->regions ? vt_labels_get_name(job->regions) : NULL);
  vt_json_add_int(builder, "width", job->frame.width);
  vt_json_add_int(builder, "height", job->frame.height);
  vt_json_add_double(builder, "um2-per-px", job->um2_per_px > 0 ? job->um2_per_px : NAN);
  vt_json_add_int(builder, "n-result", job->has_dots ? job->dots.n_result : job->figures.n_result);
  vt_json_add_int(builder, "n-truth", job->has_dots ? job->dots.n_dots : job->figures.n_truth);
  vt_json_add_int(builder, "ignored-result", job->has_dots ? job->dots.ignored_result : job->figures.ignored_result);
  vt_json_add_int(builder, "ignored-truth", job->has_dots ? job->dots.ignored_dots : job->figures.ignored_truth);
  if (job->has_dots) {
    add_dots(builder, &job->dots);
  } else {
    add_matches(builder, &job->figures);
    add_sizes(builder, job);
  }
  vt_json_add_strings(builder, "notes", job->notes->len, (const char *const *)job->notes->pdata);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_json(text, root, 0);
  g_string_append_c(text, '\n');
  return vt_file_write_text(job->options.json, text, error);
}
