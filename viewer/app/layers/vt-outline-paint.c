/* SPDX-License-Identifier: MIT */
#include "layers/vt-outline-paint.h"

#include <math.h>
#include <string.h>

#include "base/vt-pool.h"
#include "slide/vt-tile-memory.h"

#define SQUARE_PX 512
#define SQUARE_BYTES ((gsize)SQUARE_PX * SQUARE_PX * 4)
#define MARGIN_PX 128
#define LEAST_CELL_PX 12
#define DENSITY_ALPHA 0.85
#define FILL_ALPHA 0.3f
#define FAINT 0.2f               /* of what does not pass */
#define MEASURED_FILL_ALPHA 0.6f /* a scale is read from colours that are seen */

gboolean
vt_outline_wants_density(const VtOutlineIndex *index, double pixel_l0)
{
  return vt_outline_index_get_mean_size(index) < VT_OUTLINE_LEAST_PX * pixel_l0;
}

double
vt_outline_get_cell(double pixel_l0)
{
  return MAX(exp2(ceil(log2(LEAST_CELL_PX * pixel_l0))), 1);
}

typedef struct {
  guint32 *pixels; /* SQUARE_PX x SQUARE_PX, premultiplied */
  float half_line, fill_alpha, strength;
  guint32 rgb[3];
} Pen;

static void
set_color(Pen *pen, VtColormap map, gint64 id)
{
  guint8 rgb[3];
  if (map == VT_COLORMAP_LABELS)
    vt_colormap_get_label_color(id, rgb);
  else
    vt_colormap_get_solid_color(vt_colormap_is_solid(map) ? map : VT_COLORMAP_MINT, rgb);
  for (int c = 0; c < 3; c++)
    pen->rgb[c] = rgb[c];
}

static void
set_class_color(Pen *pen, const VtModelClass *cls)
{
  for (int c = 0; c < 3; c++)
    pen->rgb[c] = cls->rgb[c];
}

static double
get_measured(const VtOutlineLook *look, guint32 number)
{
  return vt_columns_get_value(look->columns, number, look->measure);
}

static gboolean
is_shown(const VtOutlineLook *look, guint32 number)
{
  const VtColoring *coloring = &look->coloring;
  if (look->measure == 0)
    return TRUE;
  const double value = get_measured(look, number);
  if (!isfinite(value))
    return isinf(coloring->shown_min) && isinf(coloring->shown_max);
  return value >= coloring->shown_min && value <= coloring->shown_max;
}

static gboolean
is_faint(const VtOutlineLook *look, const VtModelClass *cls, const GPtrArray *objects, guint32 number)
{
  return (cls && cls->is_left_out) || (look->filter && !vt_object_filter_passes(look->filter, objects, number));
}

static const VtModelClass no_class = { .rgb = { 128, 128, 128 } }; /* of what has no value for the thresholds */

static const VtClassified *
get_classified(const VtOutlineIndex *index, const VtOutlineLook *look)
{
  return look->classified && look->classified->of == vt_outline_index_get_objects(index) ? look->classified : NULL;
}

VtDensity *
vt_outline_count(const VtOutlineIndex *index, const VtOutlineLook *look)
{
  const GPtrArray *objects = vt_outline_index_get_objects(index);
  const VtClassified *classified = get_classified(index, look);
  g_autofree guint8 *counts = NULL;
  if (look->filter || classified || look->measure > 0) {
    counts = g_new(guint8, MAX(objects->len, 1));
    for (guint32 i = 0; i < objects->len; i++) {
      const VtModelClass *cls = classified ? vt_classified_get(classified, i) : NULL;
      counts[i] = is_shown(look, i) && !is_faint(look, cls, objects, i);
    }
  }
  return vt_density_new(index, look->cell_l0, counts);
}

/* By a measurement; what has none is grey. */
static void
set_measured_color(Pen *pen, const VtOutlineLook *look, guint32 number)
{
  static const guint8 grey[3] = { 128, 128, 128 };
  const VtColoring *coloring = &look->coloring;
  const double value = get_measured(look, number);
  guint8 rgb[3];
  if (!isfinite(value)) {
    for (int c = 0; c < 3; c++)
      pen->rgb[c] = grey[c];
    return;
  }
  const double span = coloring->max - coloring->min;
  vt_coloring_get_color(coloring, span > 0 ? CLAMP((value - coloring->min) / span, 0, 1) : 0, rgb);
  for (int c = 0; c < 3; c++)
    pen->rgb[c] = rgb[c];
}

/* Where lines meet the better covered pixel stays: joints are not drawn twice, and no order of blending is needed. */
static void
cover(const Pen *pen, guint32 *pixel, float coverage)
{
  const guint32 alpha = (guint32)(MIN(coverage, 1.0f) * pen->strength * 255 + 0.5f);
  if (alpha > *pixel >> 24)
    *pixel = alpha << 24 | (pen->rgb[0] * alpha + 127) / 255 << 16 | (pen->rgb[1] * alpha + 127) / 255 << 8
             | (pen->rgb[2] * alpha + 127) / 255;
}

/* A pixel is covered as far as the line reaches beyond its middle: by the distance to the segment. Much faster than a stroked
 * path, which is worked out as a polygon. */
static void
draw_segment(const Pen *pen, float ax, float ay, float bx, float by)
{
  const float reach = pen->half_line + 0.5f, dx = bx - ax, dy = by - ay, length2 = dx * dx + dy * dy;
  const float inverse = length2 > 0 ? 1 / length2 : 0;
  const float x_from = MAX(MIN(ax, bx) - reach, 0), x_to = MIN(MAX(ax, bx) + reach, (float)SQUARE_PX);
  const float y_from = MAX(MIN(ay, by) - reach, 0), y_to = MIN(MAX(ay, by) + reach, (float)SQUARE_PX);
  for (int row = (int)y_from; (float)row < y_to; row++) {
    const float py = (float)row + 0.5f - ay;
    for (int col = (int)x_from; (float)col < x_to; col++) {
      const float px = (float)col + 0.5f - ax;
      const float t = CLAMP((px * dx + py * dy) * inverse, 0.0f, 1.0f);
      const float ex = px - t * dx, ey = py - t * dy, distance2 = ex * ex + ey * ey;
      if (distance2 < reach * reach)
        cover(pen, &pen->pixels[row * SQUARE_PX + col], reach - sqrtf(distance2));
    }
  }
}

/* Points nearer than half a pixel to the last one add nothing that can be seen. */
static void
draw_object(const Pen *pen, const VtObject *object, double x0, double y0, double pixel_l0)
{
  const double *points = object->points;
  gsize at = 0;
  for (guint ring = 0; ring < object->n_rings; ring++) {
    const guint n = object->ring_sizes[ring];
    const float first_x = (float)((points[2 * at] - x0) / pixel_l0);
    const float first_y = (float)((points[2 * at + 1] - y0) / pixel_l0);
    float last_x = first_x, last_y = first_y;
    for (guint i = 1; i < n; i++) {
      const float x = (float)((points[2 * (at + i)] - x0) / pixel_l0);
      const float y = (float)((points[2 * (at + i) + 1] - y0) / pixel_l0);
      if (fabsf(x - last_x) < 0.5f && fabsf(y - last_y) < 0.5f)
        continue;
      draw_segment(pen, last_x, last_y, x, y);
      last_x = x;
      last_y = y;
    }
    draw_segment(pen, last_x, last_y, first_x, first_y);
    at += n;
  }
}

static int
compare_floats(gconstpointer a, gconstpointer b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Where the outline passes the middle of a row. */
static void
find_crossings(const VtObject *object, double y_l0, double x0, double pixel_l0, GArray *crossings)
{
  const double *points = object->points;
  g_array_set_size(crossings, 0);
  for (guint ring = 0; ring < object->n_rings; ring++) {
    const guint n = object->ring_sizes[ring];
    for (guint i = 0, last = n - 1; i < n; last = i++) {
      const double *a = points + 2 * last, *b = points + 2 * i;
      if ((a[1] <= y_l0) == (b[1] <= y_l0))
        continue;
      const float x = (float)((a[0] + (y_l0 - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) - x0) / pixel_l0);
      g_array_append_val(crossings, x);
    }
    points += 2 * n;
  }
  g_array_sort(crossings, compare_floats);
}

/* Pixels whose middle lies inside, holes left out. */
static void
fill_object(const Pen *pen, const VtObject *object, double x0, double y0, double pixel_l0, GArray *crossings)
{
  double box[4];
  vt_object_get_box(object, box);
  const int from = (int)CLAMP(floor((box[1] - y0) / pixel_l0), 0, SQUARE_PX);
  const int to = (int)CLAMP(ceil((box[3] - y0) / pixel_l0), 0, SQUARE_PX);
  for (int row = from; row < to; row++) {
    find_crossings(object, y0 + (row + 0.5) * pixel_l0, x0, pixel_l0, crossings);
    const float *x = (const float *)(gpointer)crossings->data;
    for (guint i = 0; i + 1 < crossings->len; i += 2) {
      const int last = (int)CLAMP(ceilf(x[i + 1] - 0.5f), 0, (float)SQUARE_PX);
      for (int col = (int)CLAMP(ceilf(x[i] - 0.5f), 0, (float)SQUARE_PX); col < last; col++)
        cover(pen, &pen->pixels[row * SQUARE_PX + col], pen->fill_alpha);
    }
  }
}

/* Owned; NULL: there is nothing. */
static GBytes *
draw_outlines(const VtOutlineIndex *index, const VtOutlineLook *look, double x0, double y0)
{
  GPtrArray *objects = vt_outline_index_get_objects(index);
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) crossings = g_array_new(FALSE, FALSE, sizeof(float));
  const VtClassified *classified = get_classified(index, look);
  const double size = SQUARE_PX * look->pixel_l0, line = (look->line_px + 1) * look->pixel_l0;
  Pen pen = { .half_line = (float)look->line_px / 2,
              .fill_alpha = look->measure > 0 ? MEASURED_FILL_ALPHA : FILL_ALPHA };
  vt_outline_index_query(index, x0 - line, y0 - line, x0 + size + line, y0 + size + line, numbers);
  guint8 *pixels = NULL;
  if (numbers->len == 0)
    return NULL;
  GBytes *bytes = vt_tile_memory_new(SQUARE_BYTES, &pixels);
  pen.pixels = memset(pixels, 0, SQUARE_BYTES);
  for (guint i = 0; i < numbers->len; i++) {
    const guint32 number = g_array_index(numbers, guint32, i);
    const VtObject *object = g_ptr_array_index(objects, number);
    const VtModelClass *own = classified ? vt_classified_get(classified, number) : NULL;
    const VtModelClass *cls = classified && !own ? &no_class : own;
    if (!is_shown(look, number))
      continue;
    if (look->measure > 0)
      set_measured_color(&pen, look, number);
    else if (cls)
      set_class_color(&pen, cls);
    else
      set_color(&pen, look->map, object->id);
    pen.strength = is_faint(look, cls, objects, number) ? FAINT : 1;
    if (look->filled)
      fill_object(&pen, object, x0, y0, look->pixel_l0, crossings);
    draw_object(&pen, object, x0, y0, look->pixel_l0);
  }
  return bytes;
}

VtColoring
vt_outline_get_density_coloring(VtColormap map, double top)
{
  VtColoring coloring = vt_coloring_make(map == VT_COLORMAP_LABELS ? VT_COLORMAP_MINT : map, 0, top);
  coloring.fades = TRUE;
  return coloring;
}

double
vt_outline_get_density_top(double max, double least)
{
  static const double round[] = { 1, 2, 5, 10 };
  const double wanted = MAX(max, least), decade = pow(10, floor(log10(wanted)));
  for (guint i = 0; i < G_N_ELEMENTS(round); i++)
    if (round[i] * decade >= wanted * (1 - 1e-9))
      return round[i] * decade;
  return 20 * decade; /* after a rounding of the logarithm */
}

/* Owned. */
static GBytes *
draw_density(const VtDensity *density, const VtOutlineLook *look, double x0, double y0)
{
  const VtColoring coloring = vt_outline_get_density_coloring(look->map, look->density_top);
  guint8 *pixels = NULL;
  GBytes *bytes = vt_tile_memory_new(SQUARE_BYTES, &pixels);
  guint32 *out = (guint32 *)(gpointer)pixels, colors[256];
  double values[SQUARE_PX];
  for (int i = 0; i < 256; i++) {
    const double t = i / 255.0, alpha = DENSITY_ALPHA * vt_coloring_get_alpha(&coloring, t);
    guint8 rgb[3];
    vt_coloring_get_color(&coloring, t, rgb);
    colors[i] = (guint32)(255 * alpha + 0.5) << 24 | (guint32)(rgb[0] * alpha + 0.5) << 16
                | (guint32)(rgb[1] * alpha + 0.5) << 8 | (guint32)(rgb[2] * alpha + 0.5);
  }
  for (int row = 0; row < SQUARE_PX; row++, out += SQUARE_PX) {
    vt_density_lookup_row(density, x0 + 0.5 * look->pixel_l0, y0 + (row + 0.5) * look->pixel_l0, look->pixel_l0,
                          SQUARE_PX, values);
    for (int col = 0; col < SQUARE_PX; col++)
      out[col] = colors[(int)(MIN(values[col] / look->density_top, 1.0) * 255 + 0.5)];
  }
  return bytes;
}

/* The square of another picture at a place; NULL: it has none. */
static const VtPaintedTile *
find_square(const VtPainted *previous, double pixel_l0, gint64 x, gint64 y)
{
  for (guint i = 0; previous && previous->pixel_l0 == pixel_l0 && i < previous->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(previous->tiles, VtPaintedTile, i);
    if (tile->x == x && tile->y == y)
      return tile;
  }
  return NULL;
}

/* Takes the pixels. What is as before keeps its texture, which the graphics card has. */
static void
add_square(VtPainted *painted, const VtPaintedTile *before, gint64 x, gint64 y, GBytes *bytes)
{
  if (before && g_bytes_equal(before->bytes, bytes)) {
    vt_painted_share(painted, before);
    g_bytes_unref(bytes);
  } else {
    vt_painted_add(painted, x, y, SQUARE_PX, SQUARE_PX, bytes);
  }
}

/* The squares of a picture, for those who draw them side by side. */
typedef struct {
  const VtOutlineIndex *index;
  const VtDensity *density; /* NULL: outlines */
  const VtOutlineLook *look;
  const VtPainted *previous;
  gboolean is_same;
  gint64 first_col, first_row;
  guint n_cols;
  GBytes **bytes; /* of each; NULL: there is nothing, or what was there stays */
} Squares;

static const VtPaintedTile *
find_before(const Squares *squares, guint number, gint64 *col, gint64 *row)
{
  *col = squares->first_col + number % squares->n_cols;
  *row = squares->first_row + number / squares->n_cols;
  return find_square(squares->previous, squares->look->pixel_l0, *col * SQUARE_PX, *row * SQUARE_PX);
}

static void
draw_square(void *user, guint32 number)
{
  const Squares *squares = user;
  const double square = SQUARE_PX * squares->look->pixel_l0;
  gint64 col, row;
  if (find_before(squares, number, &col, &row) && squares->is_same)
    return;
  const double x0 = (double)col * square, y0 = (double)row * square;
  squares->bytes[number] = squares->density ? draw_density(squares->density, squares->look, x0, y0)
                                            : draw_outlines(squares->index, squares->look, x0, y0);
}

VtPainted *
vt_outline_paint(const VtOutlineIndex *index, const VtDensity *density, const VtOutlineLook *look, double x0, double y0,
                 double x1, double y1, const VtPainted *previous, gboolean is_same)
{
  const double square = SQUARE_PX * look->pixel_l0, margin = MARGIN_PX * look->pixel_l0;
  VtPainted *painted = vt_painted_new(0, 0, look->pixel_l0);
  painted->smooth = TRUE;
  Squares squares = { index,
                      density,
                      look,
                      previous,
                      is_same,
                      .first_col = (gint64)floor((x0 - margin) / square),
                      .first_row = (gint64)floor((y0 - margin) / square) };
  squares.n_cols = (guint)MAX((gint64)floor((x1 + margin) / square) - squares.first_col + 1, 0);
  const guint n_rows = (guint)MAX((gint64)floor((y1 + margin) / square) - squares.first_row + 1, 0);
  const guint n = squares.n_cols * n_rows;
  g_autofree GBytes **bytes = squares.bytes = g_new0(GBytes *, n);
  vt_parallel_for(0, n, draw_square, &squares);
  for (guint i = 0; i < n; i++) {
    gint64 col, row;
    const VtPaintedTile *before = find_before(&squares, i, &col, &row);
    if (bytes[i])
      add_square(painted, before, col * SQUARE_PX, row * SQUARE_PX, bytes[i]);
    else if (before && is_same)
      vt_painted_share(painted, before);
  }
  return painted;
}
