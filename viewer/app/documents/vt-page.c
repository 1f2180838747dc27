/* SPDX-License-Identifier: MIT */
#include "documents/vt-page.h"

#include <math.h>

#include "base/vt-define.h"

#define BAR_PAD 8
#define SCALE_WIDTH 110 /* of a colour map in a legend */
#define PATCH 10
#define BINS_HEIGHT 14 /* above the colour map */
#define GAP 14         /* between two lines of a legend, and columns of a table */
#define ROW_PAD 3

static const struct {
  const char *font;
  double red, green, blue;
} styles[VT_PAGE_N_STYLES] = {
  [VT_PAGE_TITLE] = { "Sans Bold 13", 0, 0, 0 },    [VT_PAGE_HEAD] = { "Sans Bold 8", 0, 0, 0 },
  [VT_PAGE_TEXT] = { "Sans 8", 0, 0, 0 },           [VT_PAGE_CAUTION] = { "Sans Bold 8", 0.66, 0.07, 0.07 },
  [VT_PAGE_SMALL] = { "Sans 6", 0.25, 0.25, 0.25 },
};

/* As wide as it is on any device: a line breaks at the same place in all kinds of files. Without ligatures, so that a hash that is copied from a
 * PDF is that hash. */
static PangoLayout *
layout_new(cairo_t *cr, VtPageStyle style, const char *text, double width)
{
  PangoLayout *layout = pango_cairo_create_layout(cr);
  PangoContext *context = pango_layout_get_context(layout);
  PangoFontDescription *font = pango_font_description_from_string(styles[style].font);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(context, options);
  pango_context_set_round_glyph_positions(context, FALSE);
  cairo_font_options_destroy(options);
  pango_layout_context_changed(layout);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_font_features_new("liga=0, clig=0, dlig=0"));
  pango_layout_set_attributes(layout, attributes);
  pango_layout_set_text(layout, text, -1);
  if (width > 0) {
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  }
  return layout;
}

cairo_t *
vt_page_new_ruler(void)
{
  cairo_surface_t *nothing = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
  cairo_t *cr = cairo_create(nothing);
  cairo_surface_destroy(nothing);
  return cr;
}

static double
get_extent(PangoLayout *layout, gboolean is_height)
{
  int width, height;
  pango_layout_get_size(layout, &width, &height);
  return (double)(is_height ? height : width) / PANGO_SCALE;
}

static void
show(cairo_t *cr, PangoLayout *layout, VtPageStyle style, double x, double y)
{
  cairo_set_source_rgb(cr, styles[style].red, styles[style].green, styles[style].blue);
  cairo_move_to(cr, x, y);
  pango_cairo_show_layout(cr, layout);
}

double
vt_page_text(cairo_t *cr, VtPageStyle style, const char *text, double x, double y, double width)
{
  g_autoptr(PangoLayout) layout = layout_new(cr, style, text, width);
  show(cr, layout, style, x, y);
  return get_extent(layout, TRUE);
}

double
vt_page_measure(cairo_t *cr, VtPageStyle style, const char *text, double width)
{
  g_autoptr(PangoLayout) layout = layout_new(cr, style, text, width);
  return get_extent(layout, TRUE);
}

static double
measure_width(cairo_t *cr, VtPageStyle style, const char *text)
{
  g_autoptr(PangoLayout) layout = layout_new(cr, style, text, 0);
  return get_extent(layout, FALSE);
}

/* --- legends --- */

static double
measure_line(cairo_t *cr, const VtLegendLine *line)
{
  const double title = measure_width(cr, VT_PAGE_TEXT, line->title);
  if (line->is_text)
    return title;
  if (!line->max_text)
    return PATCH + 5 + title;
  return title + 6 + measure_width(cr, VT_PAGE_TEXT, line->min_text) + 5 + SCALE_WIDTH + 5
         + measure_width(cr, VT_PAGE_TEXT, line->max_text);
}

/* A patch or a bar of colours over white, with a rim. What a threshold hides is cut to a thin line, as in the window. */
static void
draw_colors(cairo_t *cr, const VtLegendLine *line, double x, double y, double width)
{
  const graphene_rect_t place = GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, PATCH);
  if (line->has_rgb) {
    cairo_set_source_rgb(cr, line->rgb[0] / 255.0, line->rgb[1] / 255.0, line->rgb[2] / 255.0);
    cairo_rectangle(cr, x, y, width, PATCH);
    cairo_fill(cr);
  } else {
    vt_legend_draw_cairo(&line->coloring, cr, &place);
  }
  cairo_set_source_rgb(cr, 0.45, 0.45, 0.45);
  cairo_set_line_width(cr, 0.5);
  cairo_rectangle(cr, x, y, width, PATCH);
  cairo_stroke(cr);
}

static void
draw_line(cairo_t *cr, const VtLegendLine *line, double x, double y, double height)
{
  const double top = y + (height - PATCH) / 2;
  if (!line->max_text && !line->is_text) {
    draw_colors(cr, line, x, top, PATCH);
    vt_page_text(cr, VT_PAGE_TEXT, line->title, x + PATCH + 5, y, 0);
    return;
  }
  vt_page_text(cr, VT_PAGE_TEXT, line->title, x, y, 0);
  if (line->is_text)
    return;
  x += measure_width(cr, VT_PAGE_TEXT, line->title) + 6;
  vt_page_text(cr, VT_PAGE_TEXT, line->min_text, x, y, 0);
  x += measure_width(cr, VT_PAGE_TEXT, line->min_text) + 5;
  if (line->has_bins)
    vt_legend_draw_bins_cairo(line->bins, cr,
                              &GRAPHENE_RECT_INIT((float)x, (float)top - BINS_HEIGHT, SCALE_WIDTH, BINS_HEIGHT - 1));
  draw_colors(cr, line, x, top, SCALE_WIDTH);
  vt_page_text(cr, VT_PAGE_TEXT, line->max_text, x + SCALE_WIDTH + 5, y, 0);
}

/* How many lines from one on stand in its row, and whether bars stand above one of them. */
static guint
count_in_row(cairo_t *cr, const GPtrArray *lines, guint first, double width, gboolean *has_bins)
{
  double at = 0;
  guint n = 0;
  *has_bins = FALSE;
  for (; first + n < lines->len; n++) {
    const VtLegendLine *line = lines->pdata[first + n];
    const double wide = measure_line(cr, line);
    if (at > 0 && at + wide > width)
      break;
    at += wide + GAP;
    *has_bins |= line->has_bins;
  }
  return n;
}

double
vt_page_legend(cairo_t *cr, const GPtrArray *lines, double x, double y, double width, gboolean draws)
{
  const double height = vt_page_measure(cr, VT_PAGE_TEXT, "X", 0) + ROW_PAD, top = y;
  for (guint i = 0; i < lines->len;) {
    gboolean has_bins;
    const guint end = i + count_in_row(cr, lines, i, width, &has_bins);
    y += has_bins ? BINS_HEIGHT : 0;
    for (double at = 0; i < end; i++) {
      if (draws)
        draw_line(cr, lines->pdata[i], x + at, y, height);
      at += measure_line(cr, lines->pdata[i]) + GAP;
    }
    y += height;
  }
  return y - top;
}

/* --- on pictures --- */

void
vt_page_bar(cairo_t *cr, double length, const char *text, double x, double bottom)
{
  g_autoptr(PangoLayout) layout = layout_new(cr, VT_PAGE_HEAD, text, 0);
  const double width = get_extent(layout, FALSE), line = get_extent(layout, TRUE);
  const double box = MAX(width, length) + 2 * BAR_PAD, height = line + 16, top = bottom - height;
  cairo_set_source_rgba(cr, 0, 0, 0, 0.62);
  cairo_rectangle(cr, x, top, box, height);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_move_to(cr, x + BAR_PAD, top + 3);
  pango_cairo_show_layout(cr, layout);
  cairo_rectangle(cr, x + BAR_PAD, bottom - 9, length, 3);
  cairo_rectangle(cr, x + BAR_PAD, bottom - 11, 1, 7);
  cairo_rectangle(cr, x + BAR_PAD + length - 1, bottom - 11, 1, 7);
  cairo_fill(cr);
}

void
vt_page_letter(cairo_t *cr, const char *letter, double x, double y)
{
  g_autoptr(PangoLayout) layout = layout_new(cr, VT_PAGE_TITLE, letter, 0);
  const double width = get_extent(layout, FALSE), height = get_extent(layout, TRUE), side = MAX(width, height) + 4;
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_rectangle(cr, x, y, side, side);
  cairo_fill(cr);
  show(cr, layout, VT_PAGE_TITLE, x + (side - width) / 2, y + (side - height) / 2);
}

/* --- tables --- */

VtPageTable *
vt_page_table_new(void)
{
  VtPageTable *table = g_new0(VtPageTable, 1);
  table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  table->strong = g_array_new(FALSE, FALSE, sizeof(gboolean));
  return table;
}

VT_DEFINE_TYPE_FREE(vt_page_table_free, VtPageTable,
                    VT_FREES(g_strfreev, titles) VT_FREES(g_ptr_array_unref, rows) VT_FREES(g_array_unref, strong))

void
vt_page_table_add(VtPageTable *table, gboolean is_strong, GStrv texts)
{
  g_ptr_array_add(table->rows, texts);
  g_array_append_val(table->strong, is_strong);
}

/* What the first column is too wide for is cut with an ellipsis: the number must be read. */
static void
draw_row(cairo_t *cr, GStrv texts, gboolean is_strong, const double *widths, double x, double y)
{
  const VtPageStyle style = is_strong ? VT_PAGE_HEAD : VT_PAGE_TEXT;
  for (guint i = 0; texts[i]; i++) {
    g_autoptr(PangoLayout) layout = layout_new(cr, style, texts[i], i == 0 ? widths[0] : 0);
    if (i == 0) {
      pango_layout_set_height(layout, -1);
      pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    }
    show(cr, layout, style, i == 0 ? x : x + widths[i] - get_extent(layout, FALSE), y);
    x += widths[i] + GAP;
  }
}

static void
measure_row(cairo_t *cr, GStrv texts, gboolean is_strong, double *widths)
{
  for (guint i = 0; texts[i]; i++)
    widths[i] = MAX(widths[i], measure_width(cr, is_strong ? VT_PAGE_HEAD : VT_PAGE_TEXT, texts[i]));
}

double
vt_page_table_draw(cairo_t *cr, const VtPageTable *table, double x, double y, double width, double room, guint *n_drawn)
{
  const guint n = g_strv_length(table->titles);
  const double height = vt_page_measure(cr, VT_PAGE_HEAD, "X", 0) + ROW_PAD;
  g_autofree double *widths = g_new0(double, n);
  double others = 0;
  *n_drawn = (guint)MIN((double)table->rows->len, MAX(floor(room / height) - 1, 0));
  measure_row(cr, table->titles, TRUE, widths);
  for (guint i = 0; i < *n_drawn; i++)
    measure_row(cr, table->rows->pdata[i], g_array_index(table->strong, gboolean, i), widths);
  for (guint i = 1; i < n; i++)
    others += widths[i] + GAP;
  widths[0] = CLAMP(widths[0], 40, MAX(width - others, 40));
  draw_row(cr, table->titles, TRUE, widths, x, y);
  cairo_set_source_rgb(cr, 0.45, 0.45, 0.45);
  cairo_rectangle(cr, x, y + height - ROW_PAD / 2.0 - 0.5, MIN(widths[0] + others, width), 0.5);
  cairo_fill(cr);
  for (guint i = 0; i < *n_drawn; i++)
    draw_row(cr, table->rows->pdata[i], g_array_index(table->strong, gboolean, i), widths, x, y + (i + 1) * height);
  return (*n_drawn + 1) * height;
}
