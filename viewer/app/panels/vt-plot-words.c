/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-words.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"

static char *
dup_objects(guint n)
{
  g_autofree char *number = g_strdup_printf("%'u", n);
  return g_strdup_printf(g_dngettext(NULL, "%s object", "%s objects", n), number);
}

/* What a reader of the numbers must know, with the separator before. */
static void
append_notes(GString *text, guint n_passing, guint n_objects, guint n_absent, guint n_outside)
{
  if (n_passing != n_objects)
    g_string_append_printf(text, _(" · filtered from %'u"), n_objects);
  if (n_absent > 0)
    g_string_append_printf(text, _(" · %'u have no number to show here"), n_absent);
  if (n_outside > 0)
    g_string_append_printf(text, _(" · %'u lie outside of the plot"), n_outside);
}

char *
vt_plot_words_of_histogram(VtPlot *plot, const char *title)
{
  const VtPlotData *data = vt_plot_get_data(plot);
  double from, to;
  GString *text = g_string_new(NULL);
  if (!data)
    return g_string_free(text, FALSE);
  const gboolean has_range = vt_plot_get_range(plot, &from, &to);
  const guint n = has_range ? vt_plot_data_count(data, from, to) : data->n_passing;
  g_autofree char *some = g_strdup_printf("%'u", n), *all = g_strdup_printf("%'u", data->n_passing);
  if (has_range) {
    vt_test_log("plot-range %.15g %.15g %u %u", from, to, n, data->n_passing);
    g_string_append_printf(text, _("%s: %.7g – %.7g · %s of %s objects"), title, from, to, some, all);
  } else {
    g_autofree char *objects = dup_objects(n);
    g_string_append_printf(text, _("%s: %s"), title, objects);
  }
  append_notes(text, data->n_passing, data->n_objects, data->n_absent, 0);
  return g_string_free(text, FALSE);
}

char *
vt_plot_words_of_scatter(VtScatter *scatter, const char *title_x, const char *title_y, guint n_chosen)
{
  const VtScatterData *data = vt_scatter_get_data(scatter);
  const VtScatterChoice *choice = vt_scatter_get_choice(scatter);
  GString *text = g_string_new(NULL);
  if (!data)
    return g_string_free(text, FALSE);
  const VtScatterPoints *points = data->points;
  g_autofree char *some = g_strdup_printf("%'u", n_chosen), *all = g_strdup_printf("%'u", points->n_passing);
  g_autofree char *objects = dup_objects(points->n_passing);
  if (choice && choice->is_polygon)
    g_string_append_printf(text, _("By hand: %s of %s objects"), some, all);
  else if (choice)
    g_string_append_printf(text, _("%.5g – %.5g, %.5g – %.5g: %s of %s objects"), choice->from_x, choice->to_x,
                           choice->from_y, choice->to_y, some, all);
  else
    g_string_append_printf(text, _("%s × %s: %s"), title_x, title_y, objects);
  append_notes(text, points->n_passing, points->n_objects, points->n_absent, data->n_outside);
  return g_string_free(text, FALSE);
}

char *
vt_plot_words_of_parallel(VtParallel *plot, const GPtrArray *titles)
{
  const VtParallelData *data = vt_parallel_get_data(plot);
  GString *text = g_string_new(NULL);
  guint n_ranges;
  const VtPlotRange *ranges = vt_parallel_get_ranges(plot, &n_ranges);
  if (!data || !titles)
    return g_string_free(text, FALSE);
  const VtParallelPoints *points = data->points;
  g_autofree char *some = g_strdup_printf("%'u", data->n_chosen), *all = g_strdup_printf("%'u", points->n_passing);
  g_autofree char *objects = dup_objects(points->n_passing);
  if (n_ranges > 0)
    g_string_append_printf(text, _("%u axes: %s of %s objects"), points->n_axes, some, all);
  else
    g_string_append_printf(text, _("%u axes: %s"), points->n_axes, objects);
  for (guint k = 0; k < points->n_axes && k < titles->len; k++)
    if (ranges[k].has)
      g_string_append_printf(text, _(" · %s: %.5g – %.5g"), (char *)titles->pdata[k], ranges[k].from, ranges[k].to);
  if (points->n_passing != points->n)
    g_string_append_printf(text, _(" · filtered from %'u"), points->n);
  if (points->n_absent > 0)
    g_string_append_printf(text, _(" · %'u lack a number on an axis: their lines have gaps"), points->n_absent);
  return g_string_free(text, FALSE);
}

char *
vt_plot_words_of_boxes(VtBoxes *boxes, const char *title)
{
  const VtBoxesData *data = vt_boxes_get_data(boxes);
  GString *text = g_string_new(NULL);
  if (!data)
    return g_string_free(text, FALSE);
  g_autofree char *objects = dup_objects(data->n_passing);
  g_string_append_printf(text, _("%s: %s"), title, objects);
  append_notes(text, data->n_passing, data->n_objects, data->n_absent, 0);
  if (data->n_none > 0)
    g_string_append_printf(text, _(" · %'u are in no box"), data->n_none);
  if (data->n_several > 0)
    g_string_append_printf(text, _(" · %'u are in several"), data->n_several);
  if (data->axis.is_log && data->n_below > 0)
    g_string_append_printf(text, _(" · %'u are not above zero: they count, and lie below this axis"), data->n_below);
  return g_string_free(text, FALSE);
}

char *
vt_plot_words_of_all_boxes(VtBoxes *boxes, const char *sentence)
{
  const VtBoxesData *data = vt_boxes_get_data(boxes);
  GString *text = g_string_new(sentence);
  for (guint i = 0; data && i < data->n; i++) {
    const VtBox *box = &data->boxes[i];
    g_autofree char *objects = dup_objects(box->n);
    g_string_append_c(text, '\n');
    g_string_append_printf(text, _("%s: %s"), box->name, objects);
    if (box->n > 0)
      g_string_append_printf(text, _(", median %.5g, quartiles %.5g – %.5g, lowest %.5g, highest %.5g"),
                             box->quantiles[VT_BOX_MEDIAN], box->quantiles[VT_BOX_LOWER_QUARTILE],
                             box->quantiles[VT_BOX_UPPER_QUARTILE], box->lowest, box->highest);
  }
  return g_string_free(text, FALSE);
}
