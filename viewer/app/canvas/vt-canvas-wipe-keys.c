/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-private.h"

static gboolean
is_typing(VtCanvas *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  return GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus);
}

static gboolean
on_pressed(VtCanvas *self, guint key, guint code, GdkModifierType state)
{
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK) || is_typing(self)
      || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return GDK_EVENT_PROPAGATE;
  switch (key) {
  case GDK_KEY_b: vt_canvas_hold_pin(self, key); return GDK_EVENT_STOP;
  case GDK_KEY_F: vt_canvas_centre_wipe(self); return GDK_EVENT_STOP;
  case GDK_KEY_p: vt_canvas_set_wipe_paused(self, !vt_canvas_get_wipe_paused(self)); return GDK_EVENT_STOP;
  case GDK_KEY_w: vt_canvas_set_wipe(self, FALSE); return GDK_EVENT_STOP;
  default: return GDK_EVENT_PROPAGATE;
  }
}

static void
on_released(VtCanvas *self, guint key)
{
  if (key == GDK_KEY_b && self->wipe.key == key)
    vt_canvas_hold_pin(self, 0);
}

/* A controller takes away no one while it handles a key. */
static gboolean
remove_keys(gpointer data)
{
  GtkEventController *keys = data;
  GtkWidget *root = gtk_event_controller_get_widget(keys);
  if (root)
    gtk_widget_remove_controller(root, keys);
  return G_SOURCE_REMOVE;
}

void
vt_canvas_watch_wipe_keys(VtCanvas *self, gboolean on)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  if (self->wipe.keys) {
    g_signal_handlers_disconnect_by_data(self->wipe.keys, self);
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, remove_keys, self->wipe.keys, g_object_unref);
    self->wipe.keys = NULL;
  }
  if (!on || !root)
    return;
  self->wipe.keys = g_object_ref(gtk_event_controller_key_new());
  gtk_event_controller_set_propagation_phase(self->wipe.keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object(self->wipe.keys, "key-pressed", G_CALLBACK(on_pressed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->wipe.keys, "key-released", G_CALLBACK(on_released), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(GTK_WIDGET(root), self->wipe.keys);
}
