/* SPDX-License-Identifier: MIT */
#include "canvas/vt-placeholder.h"

#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-colour.h"
#include "layers/vt-painted.h"
#include "common/vt-test-log.h"
#include "common/vt-viewport.h"

/* Whatever happens to the tab, its picture doesn't hide another one for longer. */
#define LONGEST_MS 600

struct _VtPlaceholder {
  GtkWidget parent;
  GdkTexture *picture; /* NULL: empty */
  gint64 width_l0, height_l0;
  guint drop_id;
  gulong painted_id;
};

G_DEFINE_FINAL_TYPE(VtPlaceholder, vt_placeholder, GTK_TYPE_WIDGET)

GdkTexture *
vt_placeholder_read_picture(VtSlide *slide)
{
  const int coarsest = vt_slide_get_n_levels(slide) - 1;
  gint64 width, height;
  vt_slide_get_level_size(slide, coarsest, &width, &height);
  if (coarsest >= vt_slide_get_n_stored_levels(slide) || width > VT_TILE_PX || height > VT_TILE_PX)
    return NULL;
  VtTilePixels *pixels = vt_slide_read_tile(slide, coarsest, 0, 0, NULL, NULL);
  if (!pixels)
    return NULL;
  g_autoptr(VtColour) colour = vt_colour_new(&VT_COLOUR_SETTINGS_DEFAULT, vt_slide_get_colour_table(slide));
  if (colour) {
    VtTilePixels *plain = pixels;
    pixels = vt_colour_apply(colour, plain);
    vt_tile_pixels_unref(plain);
  }
  GdkTexture *picture =
    gdk_memory_texture_new(pixels->width, pixels->height, GDK_MEMORY_DEFAULT, pixels->bytes, (gsize)pixels->stride);
  vt_tile_pixels_unref(pixels);
  return picture;
}

static void
stop_watching(VtPlaceholder *self)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(self));
  if (self->painted_id && clock)
    g_signal_handler_disconnect(clock, self->painted_id);
  self->painted_id = 0;
}

static void
on_after_paint(VtPlaceholder *self)
{
  stop_watching(self);
  vt_test_log("first-painted");
  g_signal_emit_by_name(self, "painted");
}

static gboolean
drop_late(gpointer data)
{
  VtPlaceholder *self = data;
  self->drop_id = 0;
  vt_placeholder_drop(self);
  return G_SOURCE_REMOVE;
}

void
vt_placeholder_show(VtPlaceholder *self, GdkTexture *picture, VtSlide *slide)
{
  g_set_object(&self->picture, picture);
  vt_slide_get_level_size(slide, 0, &self->width_l0, &self->height_l0);
  g_clear_handle_id(&self->drop_id, g_source_remove);
  self->drop_id = g_timeout_add(LONGEST_MS, drop_late, self);
  gtk_widget_add_css_class(GTK_WIDGET(self), "drawn");
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_placeholder_drop(VtPlaceholder *self)
{
  g_clear_handle_id(&self->drop_id, g_source_remove);
  if (!self->picture)
    return;
  g_clear_object(&self->picture);
  gtk_widget_remove_css_class(GTK_WIDGET(self), "drawn");
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
vt_placeholder_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtPlaceholder *self = VT_PLACEHOLDER(widget);
  const double scale = gtk_widget_get_scale_factor(widget);
  VtViewport view = { .width_px = gtk_widget_get_width(widget) * scale,
                      .height_px = gtk_widget_get_height(widget) * scale,
                      .downsample = 1 };
  graphene_rect_t place;
  if (!self->picture || view.width_px <= 0 || view.height_px <= 0)
    return;
  vt_viewport_fit(&view, (double)self->width_l0, (double)self->height_l0);
  vt_paint_place(&view, scale, 0, 0, (double)self->width_l0, (double)self->height_l0, &place);
  gtk_snapshot_append_texture(snapshot, self->picture, &place);
  if (self->painted_id)
    return;
  vt_test_log("first-pixels");
  self->painted_id = g_signal_connect_object(gtk_widget_get_frame_clock(widget), "after-paint",
                                             G_CALLBACK(on_after_paint), self, G_CONNECT_SWAPPED);
}

static void
vt_placeholder_unrealize(GtkWidget *widget)
{
  stop_watching(VT_PLACEHOLDER(widget));
  GTK_WIDGET_CLASS(vt_placeholder_parent_class)->unrealize(widget);
}

static void
vt_placeholder_class_init(VtPlaceholderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_SOURCES(klass, VtPlaceholder, drop_id);
  VT_OWNS(klass, VtPlaceholder, g_object_unref, picture);
  widget_class->snapshot = vt_placeholder_snapshot;
  widget_class->unrealize = vt_placeholder_unrealize;
  gtk_widget_class_set_css_name(widget_class, "vt-placeholder");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
  vt_signals_new(VT_TYPE_PLACEHOLDER, "painted", NULL);
}

static void
vt_placeholder_init(VtPlaceholder *self)
{
  gtk_widget_set_can_target(GTK_WIDGET(self), FALSE);
}
