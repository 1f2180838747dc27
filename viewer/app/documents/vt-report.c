/* SPDX-License-Identifier: MIT */
#include "documents/vt-report.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "documents/vt-drawing.h"

#define GAP 10
#define PLOT_PART 0.6   /* of the width */
#define PLOT_HEIGHT 230 /* at most */
#define LARGE_UM2 1e5   /* from this area on areas are in mm² */
#define LEAST_TABLE_ROOM 60

VT_DEFINE_TYPE_FREE(vt_report_free, VtReport,
                    VT_FREES(g_free, title, subtitle, plot_note, analysis, record) VT_FREES(vt_panel_free, panel)
                      VT_FREES(g_ptr_array_unref, rois, parameters) VT_FREES(vt_result_unref, objects)
                        VT_FREES(vt_classified_unref, classified) VT_FREES(gsk_render_node_unref, plot))

/* --- the table --- */

static char *
dup_number(double value, int digits)
{
  return isnan(value) ? g_strdup("–") : g_strdup_printf("%'.*f", digits, value);
}

static char *
dup_density(double value)
{
  return dup_number(value, fabs(value) >= 1e4 ? 0 : fabs(value) >= 100 ? 1 : 2);
}

static char *
dup_share(double part, double all)
{
  return all > 0 && !isnan(part) ? g_strdup_printf("%.1f %%", 100 * part / all) : g_strdup("–");
}

static GStrv
make_row(char *name, char *area, char *perimeter, char *objects, char *density, char *share)
{
  GStrv row = g_new0(char *, 7);
  row[0] = name;
  row[1] = area;
  row[2] = perimeter;
  row[3] = objects;
  row[4] = density;
  row[5] = share;
  return row;
}

/* Of classes by thresholds. */
static void
add_score(VtPageTable *table, const VtRoiMeasures *measures, const double *values)
{
  const guint n = vt_roi_measures_get_n_score(measures);
  if (n > 0)
    vt_page_table_add(table, FALSE,
                      make_row(g_strconcat("    ", _("Positive %"), NULL), g_strdup(""), g_strdup(""),
                               dup_number(values[VT_ROI_SCORED], 0), g_strdup(""),
                               dup_number(values[VT_ROI_PERCENT], 1)));
  if (VT_ROI_H < VT_ROI_N_MEASURES + n)
    vt_page_table_add(table, FALSE,
                      make_row(g_strconcat("    ", _("H-score"), NULL), g_strdup(""), g_strdup(""), g_strdup(""),
                               g_strdup(""), dup_number(values[VT_ROI_H], 1)));
}

static void
add_region(VtPageTable *table, const VtRoi *roi, const VtRoiMeasures *measures, const double *values, gboolean is_large)
{
  const double area = is_large ? values[VT_ROI_AREA] / 1e6 : values[VT_ROI_AREA];
  vt_page_table_add(
    table, measures->classes->len > 0,
    make_row(roi->class_name ? g_strdup_printf("%s · %s", roi->name, roi->class_name)
                             : g_strdup(roi->name ? roi->name : ""),
             dup_number(area, is_large ? 4 : 1), dup_number(values[VT_ROI_PERIMETER], 1),
             dup_number(values[VT_ROI_OBJECTS], 0), dup_density(values[VT_ROI_DENSITY]),
             measures->classes->len > 0 && values[VT_ROI_OBJECTS] > 0 ? g_strdup("100 %") : g_strdup("")));
  for (guint k = 0; k < measures->classes->len; k++) {
    const double *pair = values + VT_ROI_N_MEASURES + vt_roi_measures_get_n_score(measures) + 2 * k;
    vt_page_table_add(table, FALSE,
                      make_row(g_strconcat("    ", measures->classes->pdata[k], NULL), g_strdup(""), g_strdup(""),
                               dup_number(pair[0], 0), dup_density(pair[1]),
                               dup_share(pair[0], values[VT_ROI_OBJECTS])));
  }
  add_score(table, measures, values);
}

VtPageTable *
vt_report_make_table(const GPtrArray *rois, const VtRoiMeasures *measures)
{
  VtPageTable *table = vt_page_table_new();
  const gboolean calibrated = measures->calibrated;
  gboolean is_large = FALSE;
  for (guint i = 0; calibrated && i < rois->len; i++)
    is_large = is_large || vt_roi_measures_get(measures, i)[VT_ROI_AREA] >= LARGE_UM2;
  table->titles = make_row(g_strdup(_("Region")),
                           g_strdup_printf(_("Area %s"), is_large     ? "mm²"
                                                         : calibrated ? "µm²"
                                                                      : "px²"),
                           g_strdup_printf(_("Perimeter %s"), calibrated ? "µm" : "px"), g_strdup(_("Objects")),
                           g_strdup_printf(_("Objects / %s"), calibrated ? "mm²" : "1000 px²"),
                           g_strdup(measures->classes->len > 0 ? _("Part") : ""));
  for (guint i = 0; i < rois->len; i++)
    add_region(table, rois->pdata[i], measures, vt_roi_measures_get(measures, i), is_large);
  return table;
}

/* What does not fit; NULL: all does. */
static char *
dup_left_out(const VtPageTable *table, guint n_drawn)
{
  const guint n = table->rows->len - n_drawn;
  const gboolean has_classes = n > 0 && g_array_index(table->strong, gboolean, 0);
  guint n_regions = has_classes ? 0 : n;
  for (guint i = n_drawn; has_classes && i < table->rows->len; i++)
    n_regions += g_array_index(table->strong, gboolean, i) != FALSE;
  return n == 0
           ? NULL
           : g_strdup_printf(g_dngettext(NULL,
                                         "%u more row has no room on this page (regions among them: %u). The table of "
                                         "regions has it, and can be saved as CSV.",
                                         "%u more rows have no room on this page (regions among them: %u). The table "
                                         "of regions has them, and can be saved as CSV.",
                                         n),
                             n, n_regions);
}

/* --- the page --- */

typedef struct {
  const VtReport *report;
  cairo_t *cr;
  double x, y, width;
} Page;

static void
put(Page *page, VtPageStyle style, const char *text)
{
  if (text && *text)
    page->y += vt_page_text(page->cr, style, text, page->x, page->y, page->width) + 3;
}

static gboolean
put_picture(Page *page, GCancellable *cancellable, GError **error)
{
  const VtPanel *panel = page->report->panel;
  cairo_surface_t *pixels = vt_shot_render(panel->shot, cancellable, error);
  if (!pixels)
    return FALSE;
  const double x = page->x + (page->width - vt_panel_get_width(panel)) / 2;
  page->y += 4;
  vt_panel_draw(panel, page->cr, pixels, x, page->y);
  vt_panel_draw_bar(panel, page->cr, x, page->y, vt_panel_get_width(panel) * 0.3);
  cairo_surface_destroy(pixels);
  cairo_set_source_rgb(page->cr, 0.45, 0.45, 0.45);
  cairo_set_line_width(page->cr, 0.5);
  cairo_rectangle(page->cr, x, page->y, vt_panel_get_width(panel), vt_panel_get_height(panel));
  cairo_stroke(page->cr);
  page->y += vt_panel_get_height(panel) + 5;
  page->y += vt_page_legend(page->cr, panel->legend, page->x, page->y, page->width, TRUE) + GAP;
  return TRUE;
}

/* As many as there is room for, and how many are left. Owned. */
static char *
dup_parameters(const Page *page, double width, double room)
{
  const GPtrArray *parameters = page->report->parameters;
  g_autofree char *best = g_strdup("");
  for (guint n = 1; n <= parameters->len; n++) {
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
      g_string_append_printf(text, "%s%s", i > 0 ? "  ·  " : "", (const char *)parameters->pdata[i]);
    if (n < parameters->len)
      g_string_append_printf(text,
                             g_dngettext(NULL, "  ·  %u more parameter is in the record of the exported results",
                                         "  ·  %u more parameters are in the record of the exported results",
                                         parameters->len - n),
                             parameters->len - n);
    if (n > 1 && vt_page_measure(page->cr, VT_PAGE_TEXT, text->str, width) > room)
      break;
    g_free(best);
    best = g_strdup(text->str);
  }
  return g_steal_pointer(&best);
}

typedef struct {
  double plot_scale, plot_width, plot_height; /* on the page, with its note */
  double width, height;                       /* of the parameters; of all */
  char *parameters;
} Band;

static Band
measure_band(const Page *page)
{
  const VtReport *report = page->report;
  Band band = { .width = page->width };
  const double head = vt_page_measure(page->cr, VT_PAGE_HEAD, "X", 0) + 3;
  if (report->plot) {
    band.plot_scale = MIN(MIN(page->width * PLOT_PART / report->plot_width, PLOT_HEIGHT / report->plot_height), 1);
    band.plot_width = report->plot_width * band.plot_scale;
    band.plot_height = report->plot_height * band.plot_scale
                       + vt_page_measure(page->cr, VT_PAGE_SMALL, report->plot_note, band.plot_width) + 2;
    band.width -= band.plot_width + 2 * GAP;
  }
  band.parameters = dup_parameters(page, band.width, PLOT_HEIGHT);
  band.height = head + (*band.parameters ? vt_page_measure(page->cr, VT_PAGE_TEXT, band.parameters, band.width) : 0);
  band.height = MAX(band.height, band.plot_height);
  return band;
}

static void
put_band(Page *page, const Band *band)
{
  const VtReport *report = page->report;
  const double head =
    vt_page_text(page->cr, VT_PAGE_HEAD, report->analysis ? report->analysis : _("Nothing is analysed in this view."),
                 page->x, page->y, band->width);
  vt_page_text(page->cr, VT_PAGE_TEXT, band->parameters, page->x, page->y + head + 3, band->width);
  if (report->plot) {
    const double x = page->x + page->width - band->plot_width;
    cairo_save(page->cr);
    cairo_translate(page->cr, x, page->y);
    cairo_scale(page->cr, band->plot_scale, band->plot_scale);
    gsk_render_node_draw(report->plot, page->cr);
    cairo_restore(page->cr);
    vt_page_text(page->cr, VT_PAGE_SMALL, report->plot_note, x, page->y + report->plot_height * band->plot_scale + 2,
                 band->plot_width);
  }
  page->y += band->height + GAP;
}

/* What does not fit is told below it. */
static void
put_table(Page *page, double room)
{
  const VtReport *report = page->report;
  g_autoptr(VtRoiMeasures) measures =
    vt_roi_measures_new(report->rois, report->mpp_x, report->mpp_y, report->objects, report->classified);
  g_autoptr(VtPageTable) table = vt_report_make_table(report->rois, measures);
  const double line = vt_page_measure(page->cr, VT_PAGE_CAUTION, "X", 0);
  guint n_drawn = 0;
  page->y += vt_page_table_draw(page->cr, table, page->x, page->y, page->width, room - 2 * line - 8, &n_drawn) + 3;
  g_autofree char *left_out = dup_left_out(table, n_drawn);
  g_autofree char *of =
    measures->objects_of ? g_strdup_printf(_("Objects of %s, counted where their centroid lies inside. –: the analysis "
                                             "does not cover the region."),
                                           measures->objects_of)
                         : NULL;
  put(page, VT_PAGE_CAUTION, left_out);
  put(page, VT_PAGE_SMALL, of);
  page->y += GAP;
}

static gboolean
draw(const VtReport *report, cairo_t *cr, GCancellable *cancellable, GError **error)
{
  Page page = { report, cr, VT_REPORT_MARGIN, VT_REPORT_MARGIN, report->paper_width - 2 * VT_REPORT_MARGIN };
  const double foot = vt_page_measure(cr, VT_PAGE_SMALL, report->record, page.width);
  const double bottom = report->paper_height - VT_REPORT_MARGIN - foot;
  put(&page, VT_PAGE_TITLE, report->title);
  put(&page, VT_PAGE_TEXT, report->subtitle);
  put(&page, VT_PAGE_CAUTION, report->panel->caution);
  if (!put_picture(&page, cancellable, error))
    return FALSE;
  Band band = measure_band(&page);
  put_table(&page, MAX(bottom - 2 * GAP - band.height - page.y, LEAST_TABLE_ROOM));
  put_band(&page, &band);
  g_free(band.parameters);
  cairo_set_source_rgb(cr, 0.45, 0.45, 0.45);
  cairo_rectangle(cr, page.x, bottom - 4, page.width, 0.5);
  cairo_fill(cr);
  vt_page_text(cr, VT_PAGE_SMALL, report->record, page.x, bottom, page.width);
  if (page.y <= bottom + GAP)
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                      _("The report does not fit on one page: the title or the parameters are too long."));
}

gboolean
vt_report_save(const VtReport *report, const char *path, GCancellable *cancellable, GError **error)
{
  VtDrawing *drawing =
    vt_drawing_new(path, report->paper_width, report->paper_height, VT_REPORT_PIXELS, cancellable, error);
  if (!drawing)
    return FALSE;
  vt_drawing_set_title(drawing, report->title);
  if (draw(report, vt_drawing_get_cairo(drawing), cancellable, error))
    return vt_drawing_close(drawing, error);
  vt_drawing_drop(drawing);
  return FALSE;
}
