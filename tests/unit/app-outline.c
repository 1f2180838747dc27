/* SPDX-License-Identifier: MIT
 *
 * The index of objects against looking at every one of them; and pictures of objects and rasters, which take over from those before them
 * what is the same and are as if they did not. */
#include <math.h>

#include "layers/vt-outline-paint.h"
#include "layers/vt-raster-paint.h"

static VtObject *
object_new(gint64 id, double x, double y, double radius, guint n)
{
  g_autofree double *points = g_new(double, 2 * n);
  for (guint i = 0; i < n; i++) {
    const double angle = 2 * G_PI * i / n, r = radius * g_test_rand_double_range(0.7, 1);
    points[2 * i] = x + r * cos(angle);
    points[2 * i + 1] = y + r * sin(angle);
  }
  const VtObject object = {
    .id = id, .centroid_x_l0 = x, .centroid_y_l0 = y, .n_rings = 1, .n_points = n, .ring_sizes = &n, .points = points
  };
  return vt_object_copy(&object);
}

static GPtrArray *
objects_new(guint n, double size)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(objects, object_new(i + 1, g_test_rand_double_range(-10, size), g_test_rand_double_range(0, size),
                                        i % 50 == 7 ? size / 3 : g_test_rand_double_range(1, 12), 8));
  return objects;
}

static void
get_box(const VtObject *object, double box[4])
{
  box[0] = box[1] = INFINITY;
  box[2] = box[3] = -INFINITY;
  for (gsize i = 0; i < object->n_points; i++) {
    const double x = object->points[2 * i], y = object->points[2 * i + 1];
    box[0] = MIN(box[0], x);
    box[1] = MIN(box[1], y);
    box[2] = MAX(box[2], x);
    box[3] = MAX(box[3], y);
  }
}

/* Everything that meets the rectangle is found, in order, and nothing that is clearly outside. */
static void
test_query(void)
{
  static const guint sizes[] = { 0, 1, 2, 15, 16, 17, 255, 256, 257, 1000, 5000 };
  for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
    g_autoptr(GPtrArray) objects = objects_new(sizes[s], 1000);
    g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
    for (guint round = 0; round < 60; round++) {
      g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
      const double x = g_test_rand_double_range(-100, 1000), y = g_test_rand_double_range(-100, 1000);
      const double width = round % 3 == 0 ? 0 : g_test_rand_double_range(0, 300), height = width / 2;
      guint next = 0;
      vt_outline_index_query(index, x, y, x + width, y + height, numbers);
      for (guint32 i = 0; i < objects->len; i++) {
        double box[4];
        get_box(g_ptr_array_index(objects, i), box);
        const gboolean meets = box[0] <= x + width && box[2] >= x && box[1] <= y + height && box[3] >= y;
        const gboolean found = next < numbers->len && g_array_index(numbers, guint32, next) == i;
        next += found;
        if (meets)
          g_assert_true(found);
        else if (found)
          g_assert_true(box[0] <= x + width + 1e-3 && box[2] >= x - 1e-3 && box[1] <= y + height + 1e-3
                        && box[3] >= y - 1e-3);
      }
      g_assert_cmpuint(next, ==, numbers->len);
    }
  }
}

static gboolean
contains(const VtObject *object, double x, double y)
{
  const double *p = object->points;
  const gsize n = object->n_points;
  gboolean inside = FALSE;
  for (guint i = 0; i < n; i++) {
    const guint j = (i + n - 1) % n;
    if ((p[2 * i + 1] > y) != (p[2 * j + 1] > y)
        && x < (p[2 * j] - p[2 * i]) * (y - p[2 * i + 1]) / (p[2 * j + 1] - p[2 * i + 1]) + p[2 * i])
      inside = !inside;
  }
  return inside;
}

static void
test_pick(void)
{
  g_autoptr(GPtrArray) objects = objects_new(3000, 800);
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  guint n_found = 0;
  for (guint round = 0; round < 2000; round++) {
    const double x = g_test_rand_double_range(-20, 820), y = g_test_rand_double_range(-20, 820);
    gint64 expected = -1;
    for (guint32 i = 0; i < objects->len; i++)
      if (contains(g_ptr_array_index(objects, i), x, y))
        expected = i;
    g_assert_cmpint(vt_outline_index_pick(index, x, y), ==, expected);
    n_found += expected >= 0;
  }
  g_assert_cmpuint(n_found, >, 500);
}

/* The definition: what each object gives to a cell, by how many cells away it is. */
static guint64
weigh(GPtrArray *objects, double cell, gint64 col, gint64 row)
{
  static const guint weights[] = { 1, 4, 6, 4, 1 };
  guint64 sum = 0;
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = g_ptr_array_index(objects, i);
    const double dx = floor(object->centroid_x_l0 / cell) - (double)col;
    const double dy = floor(object->centroid_y_l0 / cell) - (double)row;
    if (fabs(dx) <= 2 && fabs(dy) <= 2)
      sum += weights[(int)dx + 2] * weights[(int)dy + 2];
  }
  return sum;
}

/* Every object counts once, cells are what the definition says, and there is nothing at the border. */
static void
test_density(void)
{
  g_autoptr(GPtrArray) objects = objects_new(4000, 900);
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  for (double cell = 1; cell < 5000; cell *= 4) {
    g_autoptr(VtDensity) density = vt_density_new(index, cell, NULL);
    guint64 total = 0, max = 0;
    g_assert_cmpfloat(density->cell, ==, cell);
    for (gint64 i = 0; i < density->n_cols * density->n_rows; i++) {
      total += density->weights[i];
      max = MAX(max, density->weights[i]);
    }
    g_assert_cmpuint(total, ==, objects->len * (guint64)VT_DENSITY_WEIGHT);
    g_assert_cmpuint(max, ==, density->max);
    for (guint round = 0; round < 50; round++) {
      const gint64 col = g_test_rand_int_range(0, (gint32)density->n_cols) + density->first_col;
      const gint64 row = g_test_rand_int_range(0, (gint32)density->n_rows) + density->first_row;
      const double here = (double)weigh(objects, cell, col, row) / (VT_DENSITY_WEIGHT * cell * cell);
      const double beside = (double)weigh(objects, cell, col + 1, row) / (VT_DENSITY_WEIGHT * cell * cell);
      const double x = ((double)col + 0.5) * cell, y = ((double)row + 0.5) * cell;
      const double precision = 1e-9 * (1 + here);
      g_assert_cmpfloat_with_epsilon(vt_density_lookup(density, x, y), here, precision);
      g_assert_cmpfloat_with_epsilon(vt_density_lookup(density, x + cell / 4, y), here * 0.75 + beside * 0.25,
                                     precision);
    }
    g_assert_cmpfloat(vt_density_lookup(density, -1e12, 3), ==, 0);
  }
}

/* A nucleus alone on glass is next to nothing beside tissue full of them, and the scale does not grow to meet it. */
static void
test_lonely(void)
{
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(objects, object_new(1, 5000, 5000, 8, 8));
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  g_autoptr(VtDensity) density = vt_density_new(index, 256, NULL);
  /* 0.5 µm a pixel: 4,000,000 of them are a mm². */
  const double most = vt_density_get_max(density) * 4e6, top = vt_outline_get_density_top(most, 1000);
  const VtColoring coloring = vt_outline_get_density_coloring(VT_COLORMAP_MINT, top);
  g_assert_cmpfloat(top, ==, 1000);
  g_assert_cmpfloat(vt_coloring_get_alpha(&coloring, most / top), <, 0.02);
  g_assert_cmpfloat(vt_coloring_get_alpha(&coloring, 0), ==, 0);
  g_assert_cmpfloat(vt_outline_get_density_top(1000, 1000), ==, 1000);
  g_assert_cmpfloat(vt_outline_get_density_top(1001, 1000), ==, 2000);
  g_assert_cmpfloat(vt_outline_get_density_top(4321, 1000), ==, 5000);
  g_assert_cmpfloat(vt_outline_get_density_top(5001, 1000), ==, 10000);
  g_assert_cmpfloat_with_epsilon(vt_outline_get_density_top(0, 0.25), 0.5, 1e-12);
}

/* Places that no slide has must not ask for more memory than there is. */
static void
test_far_away(void)
{
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(objects, object_new(1, 0, 0, 1, 4));
  g_ptr_array_add(objects, object_new(2, 1e300, -1e300, 1, 4));
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  g_autoptr(VtDensity) density = vt_density_new(index, 1, NULL);
  g_assert_cmpuint(density->max, >=, 1);
  g_assert_cmpint(vt_outline_index_pick(index, 0, 0), ==, 0);
}

/* A view that moved takes over the squares that it still shows, and what is drawn does not depend on that. */
static void
test_squares(void)
{
  g_autoptr(GPtrArray) objects = objects_new(2000, 3000);
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  const VtOutlineLook look = { .map = VT_COLORMAP_LABELS, .line_px = 1.5, .pixel_l0 = 1.3 };
  g_autoptr(VtPainted) first = vt_outline_paint(index, NULL, &look, 0, 0, 1000, 800, NULL, FALSE);
  g_autoptr(VtPainted) moved = vt_outline_paint(index, NULL, &look, 700, 100, 1700, 900, first, TRUE);
  g_autoptr(VtPainted) fresh = vt_outline_paint(index, NULL, &look, 700, 100, 1700, 900, NULL, FALSE);
  guint n_shared = 0;
  g_assert_cmpuint(moved->tiles->len, ==, fresh->tiles->len);
  for (guint i = 0; i < moved->tiles->len; i++) {
    const VtPaintedTile *a = &g_array_index(moved->tiles, VtPaintedTile, i);
    const VtPaintedTile *b = &g_array_index(fresh->tiles, VtPaintedTile, i);
    g_assert_cmpint(a->x, ==, b->x);
    g_assert_cmpint(a->y, ==, b->y);
    g_assert_true(g_bytes_equal(a->bytes, b->bytes));
    for (guint k = 0; k < first->tiles->len; k++)
      n_shared += g_array_index(first->tiles, VtPaintedTile, k).texture == a->texture;
  }
  g_assert_cmpuint(n_shared, >, 0);
  g_assert_cmpuint(n_shared, <, moved->tiles->len);
}

/* How many tiles of a picture are those of another one, with their textures. */
static guint
count_shared(const VtPainted *a, const VtPainted *b)
{
  guint n = 0;
  for (guint i = 0; i < a->tiles->len; i++)
    for (guint k = 0; k < b->tiles->len; k++)
      n += g_array_index(a->tiles, VtPaintedTile, i).texture == g_array_index(b->tiles, VtPaintedTile, k).texture;
  return n;
}

/* Of other objects a square is taken over where it comes out the same, and there is none where nothing is. */
static void
test_other_objects(void)
{
  g_autoptr(GPtrArray) before = g_ptr_array_new_with_free_func(g_free), after = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(before, object_new(1, 200, 150, 60, 40));
  g_ptr_array_add(after, vt_object_copy(before->pdata[0]));
  g_ptr_array_add(before, object_new(2, 800, 150, 60, 40));
  g_ptr_array_add(after, object_new(3, 800, 150, 40, 40));
  g_autoptr(VtOutlineIndex) first = vt_outline_index_new(before), second = vt_outline_index_new(after);
  const VtOutlineLook look = { .map = VT_COLORMAP_MASK, .line_px = 2, .pixel_l0 = 1 };
  g_autoptr(VtPainted) one = vt_outline_paint(first, NULL, &look, 0, 0, 2000, 1000, NULL, FALSE);
  g_autoptr(VtPainted) two = vt_outline_paint(second, NULL, &look, 0, 0, 2000, 1000, one, FALSE);
  g_assert_cmpuint(one->tiles->len, ==, 2);
  g_assert_cmpuint(two->tiles->len, ==, 2);
  g_assert_cmpuint(count_shared(two, one), ==, 1);
}

/* Filled thinly inside, the outline as it was, nothing outside. */
static void
test_filled(void)
{
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(objects, object_new(1, 200, 150, 60, 40));
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  VtOutlineLook look = { .map = VT_COLORMAP_MASK, .line_px = 2, .pixel_l0 = 1 };
  g_autoptr(VtPainted) lines = vt_outline_paint(index, NULL, &look, 0, 0, 400, 300, NULL, FALSE);
  look.filled = TRUE;
  g_autoptr(VtPainted) filled = vt_outline_paint(index, NULL, &look, 0, 0, 400, 300, NULL, FALSE);
  for (guint i = 0; i < filled->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(filled->tiles, VtPaintedTile, i);
    const guint32 *before = g_bytes_get_data(g_array_index(lines->tiles, VtPaintedTile, i).bytes, NULL);
    const guint32 *after = g_bytes_get_data(tile->bytes, NULL);
    for (gint64 at = 0; at < tile->width * tile->height; at++) {
      const double dx = (double)(tile->x + at % tile->width) + 0.5 - 200;
      const double dy = (double)(tile->y + at / tile->width) + 0.5 - 150, distance = hypot(dx, dy);
      if (distance < 35)
        g_assert_cmpuint(after[at] >> 24, ==, 77);
      else if (distance > 64)
        g_assert_cmpuint(after[at], ==, 0);
      g_assert_cmpuint(after[at] >> 24, >=, before[at] >> 24);
    }
  }
}

/* Colours by a measurement: those of the map, grey where there is none, nothing where the threshold ends. */
static guint32
find_strongest(const VtPainted *painted, double x, double y, double radius)
{
  guint32 strongest = 0;
  for (guint i = 0; i < painted->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(painted->tiles, VtPaintedTile, i);
    const guint32 *pixels = g_bytes_get_data(tile->bytes, NULL);
    for (gint64 at = 0; at < tile->width * tile->height; at++)
      if (hypot((double)(tile->x + at % tile->width) - x, (double)(tile->y + at / tile->width) - y) < radius
          && pixels[at] >> 24 > strongest >> 24)
        strongest = pixels[at];
  }
  return strongest;
}

static void
test_measured(void)
{
  static const double values[] = { 0, 5, 10, 20, NAN };
  static const char *const names[] = { "Area", "Mean" };
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree VtObject *plain = object_new(i + 1, 60 + 80 * i, 60, 20, 12);
    VtObject object = *plain;
    object.n_measurements = 2;
    object.measurement_names = names;
    object.measurements = (const double[]){ 1, values[i] };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  VtOutlineLook look = {
    .map = VT_COLORMAP_VIRIDIS, .line_px = 3, .pixel_l0 = 1, .columns = columns, .measure = VT_OBJECT_MEASUREMENTS + 1
  };
  look.coloring = vt_coloring_make(VT_COLORMAP_VIRIDIS, 0, 10);
  g_autoptr(VtPainted) all = vt_outline_paint(index, NULL, &look, 0, 0, 500, 120, NULL, FALSE);
  look.coloring.shown_min = 5;
  look.coloring.shown_max = 10;
  g_autoptr(VtPainted) some = vt_outline_paint(index, NULL, &look, 0, 0, 500, 120, NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    guint8 rgb[3] = { 128, 128, 128 };
    if (isfinite(values[i]))
      vt_coloring_get_color(&look.coloring, MIN(values[i] / 10, 1), rgb);
    const guint32 expected = 0xffu << 24 | (guint32)rgb[0] << 16 | (guint32)rgb[1] << 8 | rgb[2];
    const gboolean is_shown = values[i] >= 5 && values[i] <= 10;
    g_assert_cmphex(find_strongest(all, 60 + 80 * i, 60, 25), ==, expected);
    g_assert_cmphex(find_strongest(some, 60 + 80 * i, 60, 25), ==, is_shown ? expected : 0);
  }
  /* What does not pass a filter is there, but faint. */
  look.measure = 0;
  look.filter = vt_object_filter_new("mean >= 5 or number = 5", columns, NULL);
  g_autoptr(VtPainted) passing = vt_outline_paint(index, NULL, &look, 0, 0, 500, 120, NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    const guint alpha = find_strongest(passing, 60 + 80 * i, 60, 25) >> 24;
    g_assert_true(i == 0 ? alpha > 20 && alpha < 80 : alpha == 255);
  }
  vt_object_filter_unref(look.filter);
}

/* A density counts what outlines show in full: neither what does not pass, nor what a threshold hides. */
static void
test_counted(void)
{
  static const char *const names[] = { "Area" };
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) passing = g_ptr_array_new();
  g_autoptr(GPtrArray) shown = g_ptr_array_new();
  for (guint i = 0; i < 3000; i++) {
    g_autofree VtObject *plain =
      object_new(i + 1, g_test_rand_double_range(0, 4000), g_test_rand_double_range(0, 4000), 3, 5);
    const double area = i % 10 == 0 ? NAN : g_test_rand_double_range(0, 10);
    VtObject object = *plain;
    object.n_measurements = 1;
    object.measurement_names = names;
    object.measurements = &area;
    VtObject *kept = vt_object_copy(&object);
    g_ptr_array_add(objects, kept);
    if (area > 6)
      g_ptr_array_add(passing, kept);
    if (area > 6 && area <= 8)
      g_ptr_array_add(shown, kept);
  }
  g_autoptr(VtOutlineIndex) index = vt_outline_index_new(objects);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("area > 6", columns, NULL);
  VtOutlineLook look = {
    .map = VT_COLORMAP_MINT, .line_px = 1, .pixel_l0 = 8, .cell_l0 = vt_outline_get_cell(8), .columns = columns
  };
  look.coloring = vt_coloring_make(VT_COLORMAP_VIRIDIS, 0, 10);
  for (guint round = 0; round < 3; round++) {
    GPtrArray *expected = round == 0 ? objects : round == 1 ? passing : shown;
    look.filter = round > 0 ? filter : NULL;
    look.measure = round == 2 ? VT_OBJECT_MEASUREMENTS : 0;
    look.coloring.shown_max = round == 2 ? 8 : INFINITY;
    g_autoptr(VtDensity) density = vt_outline_count(index, &look);
    g_assert_cmpfloat(density->cell, ==, vt_outline_get_cell(look.pixel_l0));
    g_assert_cmpuint(density->n_counted, ==, expected->len);
    for (gint64 row = 0; row < density->n_rows; row++)
      for (gint64 col = 0; col < density->n_cols; col++)
        g_assert_cmpuint(density->weights[row * density->n_cols + col], ==,
                         weigh(expected, density->cell, col + density->first_col, row + density->first_row));
  }
  look.filter = vt_object_filter_new("area > 60", columns, NULL);
  g_autoptr(VtDensity) none = vt_outline_count(index, &look);
  g_assert_cmpuint(none->max, ==, 0);
  vt_object_filter_unref(look.filter);
}

/* --- rasters --- */

enum { WIDTH = 1700, HEIGHT = 1300 };

/* A part of one large picture of spots. */
static VtRaster *
raster_new(gint64 x, gint64 y)
{
  VtRaster *raster = vt_raster_new(VITRAIL_I32, WIDTH, HEIGHT, NULL);
  raster->x = x;
  raster->y = y;
  raster->downsample = 2;
  raster->scale = 1;
  for (gint64 row = 0; row < HEIGHT; row++) {
    gint32 *values = (gint32 *)(gpointer)(raster->data + (gsize)row * raster->stride);
    for (gint64 col = 0; col < WIDTH; col++)
      values[col] = (x + col) % 23 < 15 && (y + row) % 19 < 12 ? (gint32)((x + col) / 23 + 1) : 0;
  }
  return raster;
}

static VtPainted *
paint_raster(VtRaster *raster, const VtColoring *coloring, const VtRasterSeen *seen, const VtPainted *previous)
{
  g_autoptr(GPtrArray) rasters = g_ptr_array_new();
  g_ptr_array_add(rasters, raster);
  return vt_raster_paint(rasters, coloring, seen, previous);
}

/* The same tiles with the same pixels. */
static void
check_equal(const VtPainted *a, const VtPainted *b)
{
  g_assert_cmpuint(a->tiles->len, ==, b->tiles->len);
  g_assert_cmpfloat(a->pixel_l0, ==, b->pixel_l0);
  for (guint i = 0; i < a->tiles->len; i++) {
    const VtPaintedTile *s = &g_array_index(a->tiles, VtPaintedTile, i),
                        *t = &g_array_index(b->tiles, VtPaintedTile, i);
    g_assert_true(s->x == t->x && s->y == t->y && s->width == t->width && s->height == t->height);
    g_assert_true(g_bytes_equal(s->bytes, t->bytes));
  }
}

/* Another result: where its values are those of the one before, the tiles are, too; else just they are made. */
static void
test_raster_tiles(void)
{
  VtColoring coloring = vt_coloring_make(VT_COLORMAP_LABELS, 0, 0);
  for (int outlined = 0; outlined < 2; outlined++) {
    coloring.outline = outlined;
    /* Tiles are cut at the multiples of 512: 4 by 3 of them from 300, 200 on, and 2 by 1 that are whole in both. */
    g_autoptr(VtRaster) one = raster_new(300, 200), moved = raster_new(400, 230), changed = raster_new(400, 230);
    *(gint32 *)(gpointer)(changed->data + (gsize)(700 - 230) * changed->stride + (600 - 400) * sizeof(gint32)) += 5;
    /* The neighbour of a tile's edge: an outline depends on it, a filled pixel does not. */
    *(gint32 *)(gpointer)(changed->data + (gsize)(1024 - 230) * changed->stride + (1400 - 400) * sizeof(gint32)) += 5;
    g_autoptr(VtPainted) first = paint_raster(one, &coloring, NULL, NULL);
    g_autoptr(VtPainted) second = paint_raster(moved, &coloring, NULL, first);
    g_autoptr(VtPainted) second_fresh = paint_raster(moved, &coloring, NULL, NULL);
    g_autoptr(VtPainted) third = paint_raster(changed, &coloring, NULL, second);
    g_autoptr(VtPainted) third_fresh = paint_raster(changed, &coloring, NULL, NULL);
    g_assert_cmpuint(first->tiles->len, ==, 12);
    g_assert_cmpuint(count_shared(second, first), ==, 2);
    check_equal(second, second_fresh);
    g_assert_cmpuint(count_shared(third, second), ==, second->tiles->len - (outlined ? 3 : 2));
    check_equal(third, third_fresh);
    coloring.outline = !outlined;
    g_autoptr(VtPainted) other = paint_raster(changed, &coloring, NULL, third);
    g_assert_cmpuint(count_shared(other, third), ==, 0);
  }
}

/* Of a large raster only what is seen is coloured, and a view that moved takes the rest over; tiles show what all of it would. */
static void
test_raster_seen(void)
{
  VtColoring coloring = vt_coloring_make(VT_COLORMAP_LABELS, 0, 0);
  coloring.outline = TRUE;
  g_autoptr(VtRaster) raster = raster_new(0, 0), other = raster_new(0, 0);
  VtRasterSeen seen = { 0, 0, 1200, 1000, .downsample = 2, .whole_tiles = TRUE };
  g_autoptr(VtPainted) all = paint_raster(raster, &coloring, NULL, NULL);
  g_autoptr(VtPainted) part = paint_raster(raster, &coloring, &seen, NULL);
  seen.x0 += 1000;
  seen.x1 += 1000;
  g_autoptr(VtPainted) moved = paint_raster(raster, &coloring, &seen, part);
  g_assert_cmpuint(part->tiles->len, ==, 2);
  g_assert_cmpuint(moved->tiles->len, ==, 3);
  g_assert_cmpuint(count_shared(moved, part), ==, 2);
  for (guint i = 0; i < moved->tiles->len; i++)
    g_assert_true(g_bytes_equal(g_array_index(moved->tiles, VtPaintedTile, i).bytes,
                                g_array_index(all->tiles, VtPaintedTile, i).bytes));
  /* From farther away each second pixel. */
  seen = (VtRasterSeen){ 0, 0, 2 * WIDTH, 2 * HEIGHT, .downsample = 4, .whole_tiles = TRUE };
  g_autoptr(VtPainted) far = paint_raster(raster, &coloring, &seen, NULL);
  seen.whole_tiles = FALSE;
  g_autoptr(VtPainted) again = paint_raster(raster, &coloring, &seen, far);
  g_autoptr(VtPainted) others = paint_raster(other, &coloring, &seen, far);
  g_assert_cmpfloat(far->pixel_l0, ==, 4);
  g_assert_cmpuint(count_shared(again, far), ==, far->tiles->len);
  g_assert_cmpuint(count_shared(others, far), ==, 0);
  check_equal(others, far);
}

/* Nothing is drawn of a tile of which nothing is seen, and all else is. */
static void
test_empty_tiles(void)
{
  enum { SIDE = 16 };
  g_type_ensure(GSK_TYPE_TEXTURE_NODE); /* nodes need it, and there is no display that would */
  const VtViewport view = { .width_px = SIDE, .height_px = SIDE, .downsample = 1 };
  for (int at = -1; at < SIDE * SIDE * 4; at++) { /* the one byte that is not zero; none */
    g_autoptr(VtPainted) painted = vt_painted_new(0, 0, 1);
    g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new();
    guint8 *pixels = g_malloc0(SIDE * SIDE * 4);
    if (at >= 0)
      pixels[at] = 1;
    vt_painted_add(painted, 0, 0, SIDE, SIDE, g_bytes_new_take(pixels, SIDE * SIDE * 4));
    vt_painted_snapshot(painted, snapshot, &view, 1, &GRAPHENE_RECT_INIT(0, 0, SIDE, SIDE));
    g_autoptr(GskRenderNode) node = gtk_snapshot_to_node(snapshot);
    g_assert_true((node != NULL) == (at >= 0));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/outline/query", test_query);
  g_test_add_func("/app/outline/pick", test_pick);
  g_test_add_func("/app/outline/density", test_density);
  g_test_add_func("/app/outline/lonely", test_lonely);
  g_test_add_func("/app/outline/far-away", test_far_away);
  g_test_add_func("/app/outline/squares", test_squares);
  g_test_add_func("/app/outline/other-objects", test_other_objects);
  g_test_add_func("/app/outline/filled", test_filled);
  g_test_add_func("/app/outline/measured", test_measured);
  g_test_add_func("/app/outline/counted", test_counted);
  g_test_add_func("/app/outline/raster-tiles", test_raster_tiles);
  g_test_add_func("/app/outline/raster-seen", test_raster_seen);
  g_test_add_func("/app/outline/empty-tiles", test_empty_tiles);
  return g_test_run();
}
