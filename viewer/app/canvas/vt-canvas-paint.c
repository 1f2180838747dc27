/* SPDX-License-Identifier: MIT
 *
 * When the picture is painted. The workers that decode tiles share the processor with whoever paints, so while something
 * is missing a still picture is not painted for every tile that comes: painting takes at most a fifth of the time. A jump
 * waits at most as long as three paintings take, since its tiles are often there by then, and it is shown once and sharp.
 * Where a graphics card paints in a millisecond or two, none of this is noticed; what moves is painted on every frame. */
#include "canvas/vt-canvas-private.h"

#include "common/vt-test-log.h"
#include "layers/vt-layer-stack.h"

#define KEPT_VIEWS 8 /* so many canvases out of sight keep the tiles of their last views */
#define JUMP_PAINTINGS 3
#define MAX_JUMP_MS 80
#define REST_PAINTINGS 4
#define MAX_REST_MS 150

/* Whatever is drawn around the picture from the view comes with it: a frame costs nearly the same for a label as for all. */
static void
ask_for_frame(VtCanvas *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (!self->unshown)
    return;
  self->unshown = FALSE;
  g_signal_emit_by_name(self, "view-shown");
}

static gboolean
paint_now(gpointer data)
{
  VtCanvas *self = data;
  self->paint_id = 0;
  ask_for_frame(self);
  return G_SOURCE_REMOVE;
}

static void
paint_within(VtCanvas *self, double ms)
{
  if (self->paint_id == 0)
    self->paint_id = g_timeout_add((guint)ms, paint_now, self);
}

void
vt_canvas_paint(VtCanvas *self)
{
  g_clear_handle_id(&self->paint_id, g_source_remove);
  ask_for_frame(self);
}

void
vt_canvas_paint_view(VtCanvas *self)
{
  if (!self->store || vt_canvas_get_moving(self) || !self->has_painted || vt_tile_store_get_sharp(self->store))
    vt_canvas_paint(self);
  else
    paint_within(self, MIN(JUMP_PAINTINGS * self->paint_ms, MAX_JUMP_MS));
}

void
vt_canvas_paint_arrivals(VtCanvas *self)
{
  if (!self->has_painted || vt_tile_store_get_sharp(self->store))
    vt_canvas_paint(self);
  else
    paint_within(self, MIN(REST_PAINTINGS * self->paint_ms, MAX_REST_MS));
}

/* Whenever a style has changed, as with each press of a button, GTK 4.8 asks for one frame more, in which nothing is drawn, and the next one waits
 * 16.7 ms for that. The source that waits is the clock's own. */
void
vt_canvas_hurry(VtCanvas *self)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(self));
  GSource *pending = clock && self->layers_changed ? g_main_context_find_source_by_user_data(NULL, clock) : NULL;
  if (pending)
    g_source_set_ready_time(pending, 0);
}

void
vt_canvas_painting(VtCanvas *self)
{
  g_clear_handle_id(&self->paint_id, g_source_remove);
  self->painting_us = g_get_monotonic_time();
  if (self->has_pixels && !self->has_painted)
    vt_test_log("first-pixels");
}

static void
on_after_paint(GdkFrameClock *clock, VtCanvas *self)
{
  if (self->painting_us == 0)
    return;
  self->paint_ms = (double)(g_get_monotonic_time() - self->painting_us) / 1000;
  self->painting_us = 0;
  if (self->uploads)
    gtk_widget_queue_draw(GTK_WIDGET(self));
  else if (self->layers_changed)
    vt_test_log("layers-drawn");
  self->layers_changed &= self->uploads;
  if (self->has_painted || !self->has_pixels)
    return;
  self->has_painted = TRUE;
  vt_test_log("first-painted");
  g_signal_emit_by_name(self, "painted");
}

void
vt_canvas_watch_painting(VtCanvas *self)
{
  g_signal_connect_object(gtk_widget_get_frame_clock(GTK_WIDGET(self)), "after-paint", G_CALLBACK(on_after_paint), self,
                          0);
}

void
vt_canvas_unwatch_painting(VtCanvas *self)
{
  self->painting_us = 0;
  g_signal_handlers_disconnect_by_func(gtk_widget_get_frame_clock(GTK_WIDGET(self)), on_after_paint, self);
}

static GQueue hidden = G_QUEUE_INIT; /* VtCanvas, borrowed: those that keep their last views, the last one first */

void
vt_canvas_hide(VtCanvas *self)
{
  if (self->layers)
    vt_layer_stack_hide(self->layers);
  if (self->wipe.layers)
    vt_layer_stack_hide(self->wipe.layers);
  if (self->wipe.others)
    vt_layer_stack_hide(self->wipe.others);
  if (!self->store)
    return;
  vt_tile_store_hide(self->store, TRUE);
  vt_canvas_unhide(self);
  g_queue_push_head(&hidden, self);
  if (hidden.length > KEPT_VIEWS)
    vt_tile_store_hide(((VtCanvas *)g_queue_pop_tail(&hidden))->store, FALSE);
}

void
vt_canvas_unhide(VtCanvas *self)
{
  g_queue_remove(&hidden, self);
}
