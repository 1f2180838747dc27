/* SPDX-License-Identifier: MIT */
#include "window/vt-test-place.h"

#include <string.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"

static gboolean
is_called(GtkWidget *widget, const char *name)
{
  if (GTK_IS_LABEL(widget))
    return g_strcmp0(gtk_label_get_text(GTK_LABEL(widget)), name) == 0;
  if (GTK_IS_BUTTON(widget) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), name) == 0)
    return TRUE;
  g_autofree char *difference =
    gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  return !difference;
}

/* The first one of that name that is shown, a parent before its children. */
static GtkWidget *
find(GtkWidget *widget, const char *name)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (is_called(widget, name) && gtk_widget_get_width(widget) > 0 && gtk_widget_get_height(widget) > 0)
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find(child, name);
  return found;
}

static void
act_place(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  const char *name = g_variant_get_string(parameter, NULL);
  GListModel *windows = gtk_window_get_toplevels();
  GtkWidget *widget = NULL;
  for (guint i = 0; i < g_list_model_get_n_items(windows) && !widget; i++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
    widget = find(window, name);
  }
  GtkNative *native = widget ? gtk_widget_get_native(widget) : NULL;
  graphene_rect_t box;
  if (!native || !gtk_widget_compute_bounds(widget, GTK_WIDGET(native), &box)) {
    vt_test_log("place none %s", name);
    return;
  }
  double x, y;
  gtk_native_get_surface_transform(native, &x, &y);
  for (GdkSurface *surface = gtk_native_get_surface(native); GDK_IS_POPUP(surface);
       surface = gdk_popup_get_parent(GDK_POPUP(surface))) {
    x += gdk_popup_get_position_x(GDK_POPUP(surface));
    y += gdk_popup_get_position_y(GDK_POPUP(surface));
  }
  vt_test_log("place %.0f %.0f %.0f %.0f %s", box.origin.x + x, box.origin.y + y, box.size.width, box.size.height,
              name);
}

/* Of those that are shown. */
static guint
log_labels(GtkWidget *widget, const char *has)
{
  const char *text = GTK_IS_LABEL(widget)         ? gtk_label_get_text(GTK_LABEL(widget))
                     : GTK_IS_INSCRIPTION(widget) ? gtk_inscription_get_text(GTK_INSCRIPTION(widget))
                                                  : NULL;
  guint n = 0;
  if (!gtk_widget_get_mapped(widget))
    return 0;
  if (text && *text && strstr(text, has)) {
    vt_test_log("label %s", text);
    n++;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
    n += log_labels(child, has);
  return n;
}

static void
act_labels(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GListModel *windows = gtk_window_get_toplevels();
  guint n = 0;
  VT_EACH_ITEM (GtkWidget, window, windows)
    n += log_labels(window, g_variant_get_string(parameter, NULL));
  vt_test_log("labels %u", n);
}

void
vt_test_place_start(GtkApplication *application)
{
  static const GActionEntry entries[] = {
    { .name = "test-place", .parameter_type = "s", .activate = act_place },
    { .name = "test-labels", .parameter_type = "s", .activate = act_labels },
  };
  if (g_getenv("VITRAIL_TEST_LOG"))
    g_action_map_add_action_entries(G_ACTION_MAP(application), entries, G_N_ELEMENTS(entries), application);
}
