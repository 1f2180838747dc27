/* SPDX-License-Identifier: MIT */
#include "layers/vt-ground.h"
#include "base/vt-define.h"

struct VtGround {
  gint64 x, y; /* of the grid */
  double downsample;
  int width, height;
  guint8 *bgra;
};

VtGround *
vt_ground_read(VtSlide *slide, gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0, int most_width,
               int most_height, GCancellable *cancellable, GError **error)
{
  const gint64 across = (width_l0 + most_width - 1) / most_width, down = (height_l0 + most_height - 1) / most_height;
  const gint64 d = MAX(MAX(across, down), 1);
  VtGround *ground = g_atomic_rc_box_new0(VtGround);
  ground->downsample = (double)d;
  ground->x = x_l0 / d;
  ground->y = y_l0 / d;
  ground->width = (int)MAX(width_l0 / d, 1);
  ground->height = (int)MAX(height_l0 / d, 1);
  const gsize n = (gsize)ground->width * (gsize)ground->height;
  ground->bgra = g_malloc(n * 4);
  if (!vt_slide_read_region(slide, (guint)d, ground->x, ground->y, ground->width, ground->height, ground->bgra,
                            (gsize)ground->width * 4, cancellable, error)) {
    vt_ground_unref(ground);
    return NULL;
  }
  for (gsize i = 0; i < n; i++) {
    guint8 *pixel = ground->bgra + 4 * i, red = pixel[0];
    pixel[0] = pixel[2];
    pixel[2] = red;
    pixel[3] = 255;
  }
  return ground;
}

static void
ground_clear(gpointer data)
{
  g_free(((VtGround *)data)->bgra);
}

VT_DEFINE_REF(VtGround, vt_ground, ground_clear)

static void
add_object(cairo_t *cr, const VtGround *ground, const VtObject *object)
{
  const double *point = object->points;
  for (guint ring = 0; ring < object->n_rings; ring++) {
    cairo_new_sub_path(cr);
    for (guint i = 0; i < object->ring_sizes[ring]; i++, point += 2)
      cairo_line_to(cr, point[0] / ground->downsample - (double)ground->x,
                    point[1] / ground->downsample - (double)ground->y);
    cairo_close_path(cr);
  }
}

static gboolean
is_seen(const VtGround *ground, const VtObject *object)
{
  double box[4];
  vt_object_get_box(object, box);
  return box[2] / ground->downsample >= (double)ground->x && box[3] / ground->downsample >= (double)ground->y
         && box[0] / ground->downsample <= (double)(ground->x + ground->width)
         && box[1] / ground->downsample <= (double)(ground->y + ground->height);
}

GdkTexture *
vt_ground_draw(const VtGround *ground, const GPtrArray *objects)
{
  const gsize stride = (gsize)ground->width * 4, n = stride * (gsize)ground->height;
  guint8 *pixels = g_memdup2(ground->bgra, n);
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_RGB24, ground->width, ground->height, (int)stride);
  cairo_t *cr = cairo_create(surface);
  cairo_set_source_rgb(cr, 0, 1, 0.65);
  cairo_set_line_width(cr, ground->downsample > 2 ? 0.5 : 1.2); /* far away outlines would cover what they surround */
  for (guint i = 0; objects && i < objects->len; i++) {
    if (!is_seen(ground, objects->pdata[i]))
      continue;
    add_object(cr, ground, objects->pdata[i]);
    cairo_stroke(cr);
  }
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  for (gsize i = 3; i < n; i += 4) /* cairo leaves it as it likes */
    pixels[i] = 255;
  g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, n);
  return gdk_memory_texture_new(ground->width, ground->height, GDK_MEMORY_DEFAULT, bytes, stride);
}
