/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-picture.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "common/vt-owned.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "layers/vt-paint.h"

#define ROUND 1.5    /* times the object's longer side are seen */
#define LEAST_L0 16. /* level-0 pixels are seen at least */

/* A square of the slide, as far as it goes. */
typedef struct {
  VtSlide *slide;
  double left, top, side; /* level 0 */
  guint downsample;
  gint64 x, y, width, height; /* of the grid */
  guint8 *rgba;
} Square;

struct _VtObjectPicture {
  GtkWidget parent;
  VtObject *object; /* a copy; or NULL */
  Square square;    /* without pixels */
  GdkTexture *texture;
  GCancellable *reading; /* or NULL */
};

G_DEFINE_FINAL_TYPE(VtObjectPicture, vt_object_picture, GTK_TYPE_WIDGET)

VT_DEFINE_FREE(square_free, Square, VT_FREES(vt_slide_unref, slide) VT_FREES(g_free, rgba))

/* Not finer than the picture's pixels. */
static void
find_square(Square *square, VtSlide *slide, const VtObject *object, double edge_px)
{
  double box[4];
  gint64 slide_width, slide_height;
  vt_object_get_box(object, box);
  vt_slide_get_level_size(slide, 0, &slide_width, &slide_height);
  const double side = MAX(ROUND * MAX(box[2] - box[0], box[3] - box[1]), LEAST_L0);
  const gint64 d = (gint64)CLAMP(floor(side / edge_px), 1, 65536);
  *square = (Square){ .side = side, .downsample = (guint)d };
  square->left = (box[0] + box[2] - side) / 2;
  square->top = (box[1] + box[3] - side) / 2;
  const gint64 right = MIN((gint64)ceil((square->left + side) / (double)d), (slide_width + d - 1) / d);
  const gint64 bottom = MIN((gint64)ceil((square->top + side) / (double)d), (slide_height + d - 1) / d);
  square->x = MAX((gint64)floor(square->left / (double)d), 0);
  square->y = MAX((gint64)floor(square->top / (double)d), 0);
  square->width = right - square->x;
  square->height = bottom - square->y;
}

/* As vt_paint_texture_new() has them. */
static void
to_words(Square *square)
{
  for (gint64 i = 0; i < square->width * square->height; i++) {
    const guint8 *p = square->rgba + 4 * i, alpha = p[3];
    const guint32 word = (guint32)alpha << 24 | (guint32)(p[0] * alpha / 255) << 16 | (guint32)(p[1] * alpha / 255) << 8
                         | (guint32)(p[2] * alpha / 255);
    memcpy(square->rgba + 4 * i, &word, sizeof word);
  }
}

static void
read_in_thread(GTask *task, gpointer widget, gpointer data, GCancellable *cancellable)
{
  Square *square = data;
  GError *error = NULL;
  square->rgba = g_malloc((gsize)square->width * (gsize)square->height * 4);
  if (vt_slide_read_region(square->slide, square->downsample, square->x, square->y, square->width, square->height,
                           square->rgba, (gsize)square->width * 4, cancellable, &error)) {
    to_words(square);
    g_task_return_boolean(task, TRUE);
  } else {
    g_task_return_error(task, error);
  }
}

/* What cannot be read stays empty: the view says of its slide what is wrong with it. */
static void
on_read(GObject *object, GAsyncResult *result, gpointer user)
{
  VtObjectPicture *self = VT_OBJECT_PICTURE(object);
  Square *square = g_task_get_task_data(G_TASK(result));
  const gboolean is_current = g_task_get_cancellable(G_TASK(result)) == self->reading;
  if (!g_task_propagate_boolean(G_TASK(result), NULL) || !is_current)
    return;
  g_clear_object(&self->reading);
  const gsize stride = (gsize)square->width * 4;
  g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&square->rgba), stride * (gsize)square->height);
  self->texture = vt_paint_texture_new((int)square->width, (int)square->height, bytes, stride);
  vt_test_log("object-picture %" G_GINT64_FORMAT, self->object->id);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
forget(VtObjectPicture *self)
{
  if (self->reading)
    g_cancellable_cancel(self->reading);
  g_clear_object(&self->reading);
  g_clear_object(&self->texture);
  g_clear_pointer(&self->object, g_free);
}

void
vt_object_picture_show(VtObjectPicture *self, VtSlide *slide, const VtObject *object)
{
  forget(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (!slide || !object)
    return;
  find_square(&self->square, slide, object, VT_OBJECT_PICTURE_PX * gtk_widget_get_scale_factor(GTK_WIDGET(self)));
  if (self->square.width <= 0 || self->square.height <= 0)
    return;
  g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, object->id);
  g_autofree char *name = g_strdup_printf(_("Picture of object %s"), id);
  vt_widget_set_accessible_label(GTK_WIDGET(self), name);
  self->object = vt_object_copy(object);
  Square *square = g_memdup2(&self->square, sizeof self->square);
  square->slide = vt_slide_ref(slide);
  self->reading = g_cancellable_new();
  vt_task_run(self, self->reading, on_read, NULL, read_in_thread, square, square_free);
}

static void
draw_outline(VtObjectPicture *self, GtkSnapshot *snapshot, double scale)
{
  const VtObject *object = self->object;
  const double *p = object->points;
  cairo_t *cr =
    gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, VT_OBJECT_PICTURE_PX, VT_OBJECT_PICTURE_PX));
  for (guint ring = 0; ring < object->n_rings; ring++) {
    cairo_new_sub_path(cr);
    for (guint i = 0; i < object->ring_sizes[ring]; i++, p += 2)
      cairo_line_to(cr, (p[0] - self->square.left) * scale, (p[1] - self->square.top) * scale);
    cairo_close_path(cr);
  }
  for (int i = 0; i < 2; i++) { /* on any tissue */
    cairo_set_source_rgba(cr, i, i * 0.87, i * 0.2, i ? 1 : 0.6);
    cairo_set_line_width(cr, i ? 1 : 2.5);
    cairo_stroke_preserve(cr);
  }
  cairo_destroy(cr);
}

static void
vt_object_picture_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtObjectPicture *self = VT_OBJECT_PICTURE(widget);
  const Square *square = &self->square;
  if (!self->texture)
    return;
  const double scale = VT_OBJECT_PICTURE_PX / square->side, d = square->downsample;
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, VT_OBJECT_PICTURE_PX, VT_OBJECT_PICTURE_PX));
  vt_paint_texture(widget, snapshot, self->texture,
                   &GRAPHENE_RECT_INIT((float)(((double)square->x * d - square->left) * scale),
                                       (float)(((double)square->y * d - square->top) * scale),
                                       (float)((double)square->width * d * scale),
                                       (float)((double)square->height * d * scale)));
  draw_outline(self, snapshot, scale);
  gtk_snapshot_pop(snapshot);
}

static void
vt_object_picture_dispose(GObject *object)
{
  forget(VT_OBJECT_PICTURE(object));
  G_OBJECT_CLASS(vt_object_picture_parent_class)->dispose(object);
}

static void
vt_object_picture_class_init(VtObjectPictureClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_object_picture_dispose;
  widget_class->snapshot = vt_object_picture_snapshot;
  gtk_widget_class_set_css_name(widget_class, "vt-object-picture");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
vt_object_picture_init(VtObjectPicture *self)
{
  gtk_widget_set_size_request(GTK_WIDGET(self), VT_OBJECT_PICTURE_PX, VT_OBJECT_PICTURE_PX);
  g_object_set(self, "halign", GTK_ALIGN_START, "valign", GTK_ALIGN_CENTER, NULL);
}

/* --- in a table --- */

GtkColumnViewColumn *
vt_object_picture_column_new(void)
{
  GtkColumnViewColumn *column = gtk_column_view_column_new(_("Picture"), NULL);
  g_object_set_data(G_OBJECT(column), "name", (gpointer)g_intern_static_string(VT_OBJECT_PICTURE_COLUMN));
  gtk_column_view_column_set_visible(column, FALSE);
  return column;
}

void
vt_object_picture_column_put_first(GtkColumnView *view)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  for (guint i = 1; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    if (g_strcmp0(g_object_get_data(G_OBJECT(column), "name"), VT_OBJECT_PICTURE_COLUMN) != 0)
      continue;
    gtk_column_view_remove_column(view, column);
    gtk_column_view_insert_column(view, 0, column);
    return;
  }
}
