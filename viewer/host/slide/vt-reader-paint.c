/* SPDX-License-Identifier: MIT
 *
 * OpenSlide paints each tile of a slide's file by CAIRO_OPERATOR_SATURATE, which adds a tile to what is there as far as that is transparent: without seams, also where tiles lie between
 * pixels. pixman has that operator in floating point alone, some 20 ns a pixel: 70 % of the time in which a JPEG slide is read. But most tiles lie on whole pixels, and where nothing
 * is painted yet the operator gives the tile's own bytes. A program's own functions stand before those of cairo, for OpenSlide, too. Only in readers: nothing else in them paints. */
#define _GNU_SOURCE
#include "slide/vt-reader-paint.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <math.h>
#include <string.h>

#define MOST_PIXELS 1e6 /* of a place: as cairo's own numbers have it, exact */

typedef void Paint(cairo_t *cr);
typedef void SetSource(cairo_t *cr, cairo_surface_t *surface, double x, double y);

G_MODULE_EXPORT Paint vt_reader_paint __asm__("cairo_paint");
G_MODULE_EXPORT SetSource vt_reader_set_source __asm__("cairo_set_source_surface");

/* What cairo has no word for: where the source was when it was set. */
static _Thread_local struct {
  cairo_t *cr;
  cairo_pattern_t *source; /* held, so that no other one has its address */
  cairo_matrix_t matrix;
  double x, y;
} last;

static void *
find_real(const char *name, gsize *once)
{
  if (g_once_init_enter(once))
    g_once_init_leave(once, (gsize)dlsym(RTLD_NEXT, name));
  return (void *)*once;
}

static gboolean
is_whole(double number)
{
  return fabs(number) <= MOST_PIXELS && number == floor(number);
}

static gboolean
moves_alone(const cairo_matrix_t *matrix)
{
  return matrix->xx == 1 && matrix->yy == 1 && matrix->xy == 0 && matrix->yx == 0;
}

/* Pixels of its own, which can be looked at, with alpha or (0xff000000) always opaque, whatever those bits are. *x, *y: where its first pixel is, as cairo counts. */
static gboolean
is_image(cairo_surface_t *surface, guint32 *opaque, double *x, double *y)
{
  double scale_x = 0, scale_y = 0;
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS
      || cairo_surface_get_type(surface) != CAIRO_SURFACE_TYPE_IMAGE)
    return FALSE;
  const cairo_format_t format = cairo_image_surface_get_format(surface);
  if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)
    return FALSE;
  *opaque = format == CAIRO_FORMAT_RGB24 ? 0xff000000 : 0;
  cairo_surface_get_device_scale(surface, &scale_x, &scale_y);
  cairo_surface_get_device_offset(surface, x, y);
  cairo_surface_flush(surface);
  return scale_x == 1 && scale_y == 1 && cairo_image_surface_get_data(surface);
}

/* The source of `cr` is the one that was set last, unchanged, and would be moved but not turned, scaled or blurred. */
static gboolean
is_source_known(cairo_t *cr)
{
  cairo_matrix_t own;
  if (!last.source || last.cr != cr || cairo_get_source(cr) != last.source
      || cairo_pattern_get_extend(last.source) != CAIRO_EXTEND_NONE
      || cairo_pattern_get_filter(last.source) != CAIRO_FILTER_GOOD)
    return FALSE;
  cairo_pattern_get_matrix(last.source, &own);
  return moves_alone(&own) && own.x0 == -last.x && own.y0 == -last.y && moves_alone(&last.matrix);
}

/* *area: in pixels of a target whose first one is at (x, y). FALSE: the clip is no rectangle of whole pixels. */
static gboolean
get_clip(cairo_t *cr, double x, double y, cairo_rectangle_t *area)
{
  cairo_matrix_t now;
  cairo_rectangle_list_t *list = cairo_copy_clip_rectangle_list(cr);
  const gboolean is_one = list->status == CAIRO_STATUS_SUCCESS && list->num_rectangles == 1;
  if (is_one)
    *area = list->rectangles[0];
  cairo_rectangle_list_destroy(list);
  cairo_get_matrix(cr, &now);
  if (!is_one || !moves_alone(&now))
    return FALSE;
  area->x += now.x0 + x;
  area->y += now.y0 + y;
  return is_whole(area->x) && is_whole(area->y) && is_whole(area->width) && is_whole(area->height);
}

typedef struct {
  guint8 *from, *to; /* first pixels */
  gsize from_stride, to_stride;
  int width, height;
  guint32 opaque; /* bits that each pixel gets */
} Copy;

/* The part of the source at (x, y) of the target that lies in `clip`, too. FALSE: none does. */
static gboolean
lay_out(Copy *copy, cairo_surface_t *source, cairo_surface_t *target, int x, int y, const cairo_rectangle_t *clip)
{
  const int left = MAX(MAX(x, (int)clip->x), 0), top = MAX(MAX(y, (int)clip->y), 0),
            right = MIN(MIN(x + cairo_image_surface_get_width(source), (int)(clip->x + clip->width)),
                        cairo_image_surface_get_width(target)),
            bottom = MIN(MIN(y + cairo_image_surface_get_height(source), (int)(clip->y + clip->height)),
                         cairo_image_surface_get_height(target));
  copy->from_stride = (gsize)cairo_image_surface_get_stride(source);
  copy->to_stride = (gsize)cairo_image_surface_get_stride(target);
  copy->width = right - left;
  copy->height = bottom - top;
  if (copy->width <= 0 || copy->height <= 0)
    return FALSE;
  copy->from = cairo_image_surface_get_data(source) + (gsize)(top - y) * copy->from_stride + (gsize)(left - x) * 4;
  copy->to = cairo_image_surface_get_data(target) + (gsize)top * copy->to_stride + (gsize)left * 4;
  return TRUE;
}

/* A row is zeros where its first pixel is, and each other one is as the one before. */
static gboolean
is_nothing_there(const Copy *copy)
{
  for (int y = 0; y < copy->height; y++) {
    const guint32 *pixels = (const guint32 *)(gconstpointer)(copy->to + (gsize)y * copy->to_stride);
    if (pixels[0] != 0 || memcmp(pixels, pixels + 1, (gsize)(copy->width - 1) * 4) != 0)
      return FALSE;
  }
  return TRUE;
}

static void
copy_pixels(const Copy *copy)
{
  for (int y = 0; y < copy->height; y++) {
    const guint8 *from = copy->from + (gsize)y * copy->from_stride;
    guint8 *to = copy->to + (gsize)y * copy->to_stride;
    if (copy->opaque == 0) {
      memcpy(to, from, (gsize)copy->width * 4);
      continue;
    }
    for (int x = 0; x < copy->width; x++)
      ((guint32 *)(gpointer)to)[x] = ((const guint32 *)(gconstpointer)from)[x] | copy->opaque;
  }
}

gboolean
vt_reader_paint_on_nothing(cairo_t *cr)
{
  cairo_surface_t *source = NULL, *target = cairo_get_group_target(cr);
  double source_x = 0, source_y = 0, target_x = 0, target_y = 0;
  cairo_rectangle_t clip;
  Copy copy = { 0 };
  guint32 target_opaque = 0;
  if (cairo_get_operator(cr) != CAIRO_OPERATOR_SATURATE || !is_source_known(cr)
      || cairo_pattern_get_surface(last.source, &source) != CAIRO_STATUS_SUCCESS
      || !is_image(source, &copy.opaque, &source_x, &source_y)
      || !is_image(target, &target_opaque, &target_x, &target_y) || target_opaque != 0 || source == target
      || !get_clip(cr, target_x, target_y, &clip))
    return FALSE;
  const double x = last.matrix.x0 + last.x + target_x - source_x, y = last.matrix.y0 + last.y + target_y - source_y;
  if (!is_whole(x) || !is_whole(y) || !lay_out(&copy, source, target, (int)x, (int)y, &clip)
      || !is_nothing_there(&copy))
    return FALSE;
  copy_pixels(&copy);
  cairo_surface_mark_dirty(target);
  return TRUE;
}

static void
forget_source(void)
{
  g_clear_pointer(&last.source, cairo_pattern_destroy);
}

void
vt_reader_set_source(cairo_t *cr, cairo_surface_t *surface, double x, double y)
{
  static gsize once = 0;
  SetSource *real = NULL;
  *(void **)&real = find_real("cairo_set_source_surface", &once);
  forget_source();
  real(cr, surface, x, y);
  last.cr = cr;
  last.source = cairo_pattern_reference(cairo_get_source(cr));
  last.x = x;
  last.y = y;
  cairo_get_matrix(cr, &last.matrix);
}

/* A source that was painted is not held longer: it may have a surface of somebody's memory. */
void
vt_reader_paint(cairo_t *cr)
{
  static gsize once = 0;
  Paint *real = NULL;
  *(void **)&real = find_real("cairo_paint", &once);
  if (!vt_reader_paint_on_nothing(cr))
    real(cr);
  forget_source();
}
