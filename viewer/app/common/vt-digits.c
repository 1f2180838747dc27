/* SPDX-License-Identifier: MIT */
#include "common/vt-digits.h"

typedef struct {
  GtkWidget *widget;
  VtDigitTaken taken;
  GtkEventController *keys; /* while the widget is seen */
} Digits;

static gboolean
on_key(Digits *self, guint key, guint code, GdkModifierType state)
{
  GtkRoot *root = gtk_widget_get_root(self->widget);
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  const guint number = key >= GDK_KEY_1 && key <= GDK_KEY_9         ? key - GDK_KEY_0
                       : key >= GDK_KEY_KP_1 && key <= GDK_KEY_KP_9 ? key - GDK_KEY_KP_0
                                                                    : 0;
  if (number == 0 || state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK) || GTK_IS_EDITABLE(focus)
      || GTK_IS_TEXT_VIEW(focus))
    return GDK_EVENT_PROPAGATE;
  return self->taken(self->widget, number) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void
on_unmap(Digits *self)
{
  GtkWidget *root = self->keys ? gtk_event_controller_get_widget(self->keys) : NULL;
  if (root)
    gtk_widget_remove_controller(root, self->keys);
  self->keys = NULL;
}

static void
on_map(Digits *self)
{
  on_unmap(self);
  self->keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(self->keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(self->keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(gtk_widget_get_root(self->widget)), self->keys);
}

static void
digits_free(gpointer data)
{
  on_unmap(data);
  g_free(data);
}

void
vt_digits_attach(GtkWidget *widget, VtDigitTaken taken)
{
  Digits *self = g_new0(Digits, 1);
  self->widget = widget;
  self->taken = taken;
  g_object_set_data_full(G_OBJECT(widget), "vt-digits", self, digits_free);
  g_signal_connect_swapped(widget, "map", G_CALLBACK(on_map), self);
  g_signal_connect_swapped(widget, "unmap", G_CALLBACK(on_unmap), self);
}
