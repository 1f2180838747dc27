/* SPDX-License-Identifier: MIT */
#include "layers/vt-paint.h"

#include <math.h>

#include "base/vt-define.h"
#include "layers/vt-card.h"
#include "layers/vt-magnify.h"
#include "layers/vt-paint-cairo.h"

#define SENT "vt-sent" /* on a texture that the graphics card has: that which it has, or the same one, which GTK sent */
#define SQUARES "vt-squares" /* on the same one: it with its pixels as squares */
#define MAX_SENT 16          /* of 1 MiB, in a frame, by GTK */

static gboolean by_cairo = FALSE, sends_textures = FALSE;
static gboolean by_gtk = FALSE, by_card = FALSE; /* between begin and end: who sends textures */
static guint n_sent;                             /* in this frame */
static float pixel;                              /* of the screen, logical pixels */

gboolean
vt_paint_begin(GtkWidget *widget, gboolean upright, gboolean squarely)
{
  GtkNative *native = gtk_widget_get_native(widget);
  by_cairo = native && GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(native));
  sends_textures = !by_cairo;
  n_sent = 0;
  pixel = 1 / (float)gtk_widget_get_scale_factor(widget);
  if (by_cairo)
    vt_paint_cairo_begin(G_OBJECT(widget), gtk_widget_get_scale_factor(widget), upright);
  const gboolean magnifies = !by_cairo && vt_magnify_begin(widget, upright, squarely);
  by_card = magnifies && vt_card_begin(widget); /* what magnifies is GTK's renderer by OpenGL */
  by_gtk = !by_cairo && !by_card;
  return magnifies;
}

void
vt_paint_end(GtkSnapshot *snapshot)
{
  vt_paint_flush(snapshot);
  if (by_cairo)
    vt_paint_cairo_end();
  if (by_card)
    vt_card_end();
  vt_magnify_end();
  by_cairo = by_gtk = by_card = FALSE;
}

gboolean
vt_paint_sends_textures(void)
{
  return sends_textures;
}

gboolean
vt_paint_is_sent(GdkTexture *texture)
{
  return (!by_gtk && !by_card) || g_object_get_data(G_OBJECT(texture), SENT);
}

static void
set_sent_by_gtk(GdkTexture *texture)
{
  g_object_set_data(G_OBJECT(texture), SENT, texture);
}

gboolean
vt_paint_send(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride)
{
  const int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
  if (vt_paint_is_sent(texture))
    return TRUE;
  if (by_card && !vt_card_is_too_large(width, height)) {
    GdkTexture *sent = vt_card_send(width, height, bytes, stride);
    if (sent)
      g_object_set_data_full(G_OBJECT(texture), SENT, sent, g_object_unref);
    return sent != NULL;
  }
  if (n_sent == MAX_SENT)
    return FALSE;
  n_sent++;
  set_sent_by_gtk(texture);
  if (snapshot) { /* as one pixel in a corner, and that is painted over */
    const graphene_rect_t corner = GRAPHENE_RECT_INIT(0, 0, pixel, pixel);
    gtk_snapshot_append_texture(snapshot, texture, &corner);
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0.894f, 0.894f, 0.894f, 1 },
                              &corner); /* as the canvas is (style.css) */
  }
  return TRUE;
}

/* What is drawn instead of it, now: it goes to the card, in whichever way. */
static GdkTexture *
find_sent(GdkTexture *texture, GBytes *bytes, gsize stride)
{
  if (!by_gtk && !by_card)
    return texture;
  if (!vt_paint_send(NULL, texture, bytes, stride))
    set_sent_by_gtk(texture);
  return g_object_get_data(G_OBJECT(texture), SENT);
}

void
vt_paint_flush(GtkSnapshot *snapshot)
{
  if (by_cairo)
    vt_paint_cairo_flush(snapshot);
}

void
vt_paint_push_opacity(GtkSnapshot *snapshot, double opacity)
{
  if (by_cairo)
    vt_paint_cairo_set_opacity(opacity);
  else
    gtk_snapshot_push_opacity(snapshot, opacity);
}

void
vt_paint_pop_opacity(GtkSnapshot *snapshot)
{
  if (by_cairo)
    vt_paint_cairo_set_opacity(1);
  else
    gtk_snapshot_pop(snapshot);
}

void
vt_paint_place(const VtViewport *view, double scale, double x0_l0, double y0_l0, double x1_l0, double y1_l0,
               graphene_rect_t *rect)
{
  double x0, y0, x1, y1;
  vt_viewport_from_l0(view, x0_l0, y0_l0, &x0, &y0);
  vt_viewport_from_l0(view, x1_l0, y1_l0, &x1, &y1);
  x0 = floor(x0 + 0.5);
  y0 = floor(y0 + 0.5);
  x1 = floor(x1 + 0.5);
  y1 = floor(y1 + 0.5);
  graphene_rect_init(rect, (float)(x0 / scale), (float)(y0 / scale), (float)((x1 - x0) / scale),
                     (float)((y1 - y0) / scale));
}

void
vt_paint_turn(const VtViewport *view, const VtViewport *sheet, GtkSnapshot *snapshot, double scale)
{
  float across = (float)(view->width_px / 2 / scale), down = (float)(view->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(across, down));
  gtk_snapshot_rotate(snapshot, (float)view->angle);
  if (view->mirrored)
    gtk_snapshot_scale(snapshot, -1, 1);
  across = (float)(sheet->width_px / 2 / scale);
  down = (float)(sheet->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(-across, -down));
}

/* FALSE: that is not the same as by the shader. */
static gboolean
append_plain(GtkSnapshot *snapshot, GdkTexture *texture, GdkTexture *sent, const graphene_rect_t *place)
{
  graphene_rect_t moved;
  if (!vt_magnify_is_plain(gdk_texture_get_width(texture), gdk_texture_get_height(texture), place, &moved))
    return FALSE;
  GdkTexture *squares = g_object_get_data(G_OBJECT(texture), SQUARES);
  if (!squares && (squares = vt_card_get_squares(sent)))
    g_object_set_data_full(G_OBJECT(texture), SQUARES, squares, g_object_unref);
  if (squares)
    gtk_snapshot_append_texture(snapshot, squares, &moved);
  return squares != NULL;
}

static gboolean
magnify(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
        const graphene_rect_t *seen)
{
  GdkTexture *sent = find_sent(texture, bytes, stride);
  return append_plain(snapshot, texture, sent, place) || vt_magnify_append(snapshot, sent, place, seen);
}

void
vt_paint_pixels(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
                const graphene_rect_t *clip, gboolean squares)
{
  graphene_rect_t seen;
  if (!graphene_rect_intersection(place, clip, &seen))
    return;
  /* GTK 4.8 filters textures linearly, whatever their size; cairo can be told not to. And each time it draws a texture by cairo it makes
   * all of it anew, by way of floating point numbers: that takes eleven times as long as cairo itself. */
  if (by_cairo)
    vt_paint_cairo_add(texture, bytes, stride, place, &seen, squares);
  else if (squares && !magnify(snapshot, texture, bytes, stride, place, &seen))
    vt_paint_cairo_append(snapshot, texture, bytes, stride, place, &seen, squares);
  else if (!squares)
    gtk_snapshot_append_texture(snapshot, find_sent(texture, bytes, stride), place);
}

typedef struct {
  GBytes *bytes;
  gsize stride;
} Pixels;

VT_DEFINE_FREE(pixels_free, Pixels, VT_FREES(g_bytes_unref, bytes))

GdkTexture *
vt_paint_texture_new(int width, int height, GBytes *bytes, gsize stride)
{
  GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
  Pixels *pixels = g_new(Pixels, 1);
  *pixels = (Pixels){ g_bytes_ref(bytes), stride };
  g_object_set_data_full(G_OBJECT(texture), "vt-pixels", pixels, pixels_free);
  return texture;
}

void
vt_paint_texture(GtkWidget *widget, GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place)
{
  const Pixels *pixels = g_object_get_data(G_OBJECT(texture), "vt-pixels");
  vt_paint_begin(widget, FALSE, FALSE);
  by_card = FALSE; /* small, and new whenever it is drawn: not worth the change to another context */
  vt_paint_pixels(snapshot, texture, pixels->bytes, pixels->stride, place, place, FALSE);
  vt_paint_end(snapshot);
}
