/* SPDX-License-Identifier: MIT */
#include "panels/vt-thumbnail.h"

#include "common/vt-owned.h"
#include "common/vt-test-log.h"

#define SMALLER 10 /* a picture beside the canvas is so many times smaller than the canvas */

#define WIDTH 96 /* logical pixels */
#define HEIGHT 64

struct _VtThumbnail {
  GtkWidget parent;
  VtLayer *layer;
  VtViewport wanted, asked, made; /* as small as the widget */
  VtPainted *picture;             /* of `made`; NULL: none */
  gboolean making, dirty;
};

G_DEFINE_FINAL_TYPE(VtThumbnail, vt_thumbnail, GTK_TYPE_WIDGET)

static void make(VtThumbnail *self);

static void
forget(VtThumbnail *self)
{
  g_clear_pointer(&self->picture, vt_painted_unref);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_made(VtPainted *picture, gpointer user)
{
  g_autoptr(VtThumbnail) self = user;
  self->making = FALSE;
  if (picture && vt_layer_has_data(self->layer)) {
    forget(self);
    self->picture = picture;
    self->made = self->asked;
    vt_test_log("thumbnail %s", vt_layer_get_stage(self->layer)->id);
  } else {
    g_clear_pointer(&picture, vt_painted_unref);
    self->dirty = TRUE;
  }
  if (self->dirty)
    make(self);
}

/* One at a time: what is asked for meanwhile is made after it. */
static void
make(VtThumbnail *self)
{
  VtViewport sheet;
  self->dirty = TRUE;
  if (self->making || self->wanted.width_px <= 0 || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  if (!vt_layer_has_data(self->layer)) {
    forget(self);
    return;
  }
  self->making = TRUE;
  self->dirty = FALSE;
  self->asked = self->wanted;
  vt_viewport_get_sheet(&self->wanted, &sheet);
  vt_layer_make_picture(self->layer, &sheet, 1.0 / SMALLER, on_made, g_object_ref(self));
}

static void
on_map(VtThumbnail *self)
{
  if (self->dirty)
    make(self);
}

void
vt_thumbnail_set_view(VtThumbnail *self, const VtViewport *view)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  VtViewport small = *view;
  small.width_px = WIDTH * scale;
  small.height_px = HEIGHT * scale;
  small.downsample *= MAX(view->width_px / small.width_px, view->height_px / small.height_px);
  if (vt_viewport_equal(&small, &self->wanted))
    return;
  self->wanted = small;
  make(self);
}

static void
vt_thumbnail_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtThumbnail *self = VT_THUMBNAIL(widget);
  const double scale = gtk_widget_get_scale_factor(widget);
  VtViewport sheet;
  if (!self->picture)
    return;
  vt_viewport_get_sheet(&self->made, &sheet);
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, WIDTH, HEIGHT));
  gtk_snapshot_push_opacity(snapshot, vt_layer_get_stale(self->layer) ? VT_LAYER_STALE_OPACITY : 1);
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1)); /* there may be nothing else */
  gtk_snapshot_save(snapshot);
  if (!vt_viewport_is_upright(&self->made))
    vt_paint_turn(&self->made, &sheet, snapshot, scale);
  const graphene_rect_t seen =
    GRAPHENE_RECT_INIT(0, 0, (float)(sheet.width_px / scale), (float)(sheet.height_px / scale));
  vt_painted_snapshot(self->picture, snapshot, &sheet, scale, &seen);
  gtk_snapshot_restore(snapshot);
  gtk_snapshot_pop(snapshot);
  gtk_snapshot_pop(snapshot);
}

static void
vt_thumbnail_class_init(VtThumbnailClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS(klass, VtThumbnail, vt_painted_unref, picture);
  VT_OWNS_TO_THE_END(klass, VtThumbnail, g_object_unref, layer);
  widget_class->snapshot = vt_thumbnail_snapshot;
  gtk_widget_class_set_css_name(widget_class, "vt-thumbnail");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
vt_thumbnail_init(VtThumbnail *self)
{
  gtk_widget_set_size_request(GTK_WIDGET(self), WIDTH, HEIGHT);
  g_signal_connect(self, "map", G_CALLBACK(on_map), NULL);
}

GtkWidget *
vt_thumbnail_new(VtLayer *layer)
{
  VtThumbnail *self = g_object_new(VT_TYPE_THUMBNAIL, "halign", GTK_ALIGN_CENTER, NULL);
  self->layer = g_object_ref(layer);
  g_signal_connect_object(layer, "data", G_CALLBACK(make), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
