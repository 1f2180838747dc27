/* SPDX-License-Identifier: MIT */
#include "common/vt-widgets.h"

#include "base/vt-define.h"

#include <glib/gi18n.h>

#define BEFORE "vt-value-before"
#define SWATCH_WIDTH 34
#define SWATCH_HEIGHT 14

void
vt_widget_ignore_wheel(GtkWidget *widget)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(widget);
  VT_EACH_ITEM (GtkEventController, controller, controllers)
    if (GTK_IS_EVENT_CONTROLLER_SCROLL(controller))
      gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_NONE);
}

void
vt_widget_set_accessible_label(GtkWidget *widget, const char *label)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  /* With GTK 4.18 buttons and drop-downs are labelled by what is inside them, which would go before. */
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  /* What takes the keyboard in a drop-down is the button inside, which would be read out by the name of its class. */
  if (GTK_IS_DROP_DOWN(widget))
    vt_widget_set_accessible_label(gtk_widget_get_first_child(widget), label);
}

void
vt_widget_set_tooltip(GtkWidget *widget, const char *text)
{
  if (g_strcmp0(gtk_widget_get_tooltip_text(widget), text) != 0)
    gtk_widget_set_tooltip_text(widget, text);
}

static void
forget_raw_label(GtkAccessible *button)
{
  gtk_accessible_reset_property(button, GTK_ACCESSIBLE_PROPERTY_LABEL);
}

void
vt_widget_mend_mnemonics(GtkWidget *widget)
{
  if (GTK_IS_BUTTON(widget) && gtk_button_get_use_underline(GTK_BUTTON(widget))) {
    forget_raw_label(GTK_ACCESSIBLE(widget));
    g_signal_connect(widget, "notify::label", G_CALLBACK(forget_raw_label), NULL);
  }
  VT_EACH_CHILD (child, widget)
    vt_widget_mend_mnemonics(child);
}

static void
act_focus(GSimpleAction *action, GVariant *parameter, gpointer canvas)
{
  gtk_widget_grab_focus(canvas);
}

void
vt_widget_lead_keys_to(GtkWidget *widget, GtkWidget *canvas)
{
  static const GActionEntry entries[] = { { .name = "focus", .activate = act_focus } };
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), canvas);
  gtk_widget_insert_action_group(widget, "view", G_ACTION_GROUP(group));
}

static void
on_spin_focused(GtkEventController *controller, double *before)
{
  *before = gtk_spin_button_get_value(GTK_SPIN_BUTTON(gtk_event_controller_get_widget(controller)));
}

static gboolean
on_spin_key(GtkEventController *controller, guint key, guint code, GdkModifierType state, double *before)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON(gtk_event_controller_get_widget(controller));
  if (key == GDK_KEY_Escape)
    return vt_spin_button_take_escape(GTK_WIDGET(spin));
  if (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter && key != GDK_KEY_ISO_Enter)
    return FALSE;
  gtk_spin_button_update(spin);
  gtk_widget_activate_action(GTK_WIDGET(spin), "view.focus", NULL);
  return TRUE;
}

gboolean
vt_spin_button_take_escape(GtkWidget *focus)
{
  GtkWidget *spin = focus ? gtk_widget_get_ancestor(focus, GTK_TYPE_SPIN_BUTTON) : NULL;
  const double *before = spin ? g_object_get_data(G_OBJECT(spin), BEFORE) : NULL;
  if (!before)
    return FALSE;
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), *before);
  gtk_widget_activate_action(spin, "view.focus", NULL);
  return TRUE;
}

void
vt_spin_button_give_keys_back(GtkSpinButton *spin)
{
  GtkEventController *focus = gtk_event_controller_focus_new(), *keys = gtk_event_controller_key_new();
  double *before = g_new0(double, 1);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_object_set_data_full(G_OBJECT(spin), BEFORE, before, g_free);
  g_signal_connect(focus, "enter", G_CALLBACK(on_spin_focused), before);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_spin_key), before);
  gtk_widget_add_controller(GTK_WIDGET(spin), keys);
  gtk_widget_add_controller(GTK_WIDGET(spin), focus);
}

void
vt_range_get_track(GtkWidget *widget, GtkRange *slider, double *left, double *width)
{
  graphene_rect_t track;
  GtkWidget *child = slider ? gtk_widget_get_first_child(GTK_WIDGET(slider)) : NULL;
  const gboolean is_laid_out = child && gtk_widget_compute_bounds(child, widget, &track);
  *left = is_laid_out ? track.origin.x : 0;
  *width = MAX(is_laid_out ? track.size.width : (float)gtk_widget_get_width(widget), 1);
}

GtkButton *
vt_button_new_flat(const char *label, const char *help)
{
  GtkWidget *button = vt_button_new(label, help, NULL);
  gtk_widget_add_css_class(button, "flat");
  return GTK_BUTTON(button);
}

GtkToggleButton *
vt_toggle_button_new(const char *label, const char *help)
{
  GtkWidget *button = gtk_toggle_button_new_with_label(label);
  gtk_widget_set_tooltip_text(button, help);
  vt_widget_set_accessible_label(button, help);
  return GTK_TOGGLE_BUTTON(button);
}

void
vt_inscription_set_text(GtkInscription *self, const char *text, guint max_chars)
{
  const guint n_chars = MIN((guint)g_utf8_strlen(text, -1), max_chars);
  if (n_chars > gtk_inscription_get_min_chars(self))
    gtk_inscription_set_min_chars(self, n_chars);
  gtk_inscription_set_text(self, text);
}

GtkWidget *
vt_label_new_dim(const char *text)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_add_css_class(label, "caption");
  return label;
}

char *
vt_dup_duration(double milliseconds)
{
  if (milliseconds >= 1000)
    return g_strdup_printf(_("%.2f s"), milliseconds / 1000);
  return milliseconds >= 100 ? g_strdup_printf(_("%.0f ms"), milliseconds)
                             : g_strdup_printf(_("%.1f ms"), milliseconds);
}

GtkLabel *
vt_label_new_caption(const char *css_class)
{
  GtkWidget *label = vt_label_new(NULL, 0, "caption");
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_START);
  gtk_widget_add_css_class(label, css_class);
  return GTK_LABEL(label);
}

void
vt_widget_remove_all(GtkWidget *widget)
{
  for (GtkWidget *child; (child = gtk_widget_get_first_child(widget));)
    gtk_widget_unparent(child);
}

void
vt_widget_add_classes(GtkWidget *widget, const char *classes)
{
  g_auto(GStrv) list = g_strsplit(classes, " ", -1);
  for (char **name = list; *name; name++)
    gtk_widget_add_css_class(widget, *name);
}

GtkWidget *
vt_label_new(const char *text, float xalign, const char *classes)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  vt_widget_add_classes(label, classes);
  return label;
}

GtkWidget *
vt_button_new(const char *label, const char *help, const char *action)
{
  GtkWidget *button = gtk_button_new_with_label(label);
  gtk_widget_set_tooltip_text(button, help);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  return button;
}

GtkWidget *
vt_button_new_icon(const char *icon, const char *help, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  gtk_widget_set_tooltip_text(button, help);
  vt_widget_set_accessible_label(button, help);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  gtk_widget_add_css_class(button, "flat");
  return button;
}

GtkWidget *
vt_box_new(GtkOrientation orientation, int spacing, ...)
{
  GtkWidget *box = gtk_box_new(orientation, spacing);
  va_list children;
  va_start(children, spacing);
  for (GtkWidget *child = va_arg(children, GtkWidget *); child; child = va_arg(children, GtkWidget *))
    gtk_box_append(GTK_BOX(box), child);
  va_end(children);
  return box;
}

void
vt_button_set_up(GtkWidget *button, GtkWidget *child, const char *help, const char *name)
{
  gtk_button_set_child(GTK_BUTTON(button), child);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, help);
  vt_widget_set_accessible_label(button, name);
}

GtkWidget *
vt_swatch_new(GtkDrawingAreaDrawFunc draw, guint number)
{
  GtkWidget *swatch = gtk_drawing_area_new();
  gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(swatch), SWATCH_WIDTH);
  gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(swatch), SWATCH_HEIGHT);
  if (draw)
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(swatch), draw, GUINT_TO_POINTER(number), NULL);
  return swatch;
}

GtkWidget *
vt_button_new_swatch(GtkDrawingAreaDrawFunc draw, guint number, GtkLabel **name, GtkLabel **count)
{
  GtkWidget *row = gtk_button_new(), *text = vt_label_new(NULL, 0, ""), *right = vt_label_new(NULL, 0.5f, "numeric");
  gtk_widget_set_hexpand(text, TRUE);
  gtk_button_set_child(GTK_BUTTON(row),
                       vt_box_new(GTK_ORIENTATION_HORIZONTAL, 8, vt_swatch_new(draw, number), text, right, NULL));
  vt_widget_add_classes(row, "flat card-row");
  *name = GTK_LABEL(text);
  *count = GTK_LABEL(right);
  return row;
}

/* --- what "Edit…" opens --- */

static void
show_scroll(GtkWidget *box)
{
  gboolean any = FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child(box); child && !any; child = gtk_widget_get_next_sibling(child))
    any = gtk_widget_get_visible(child);
  gtk_widget_set_visible(gtk_widget_get_ancestor(box, GTK_TYPE_SCROLLED_WINDOW), any);
}

void
vt_box_hide_empty_scroll(GtkBox *box)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(box));
  for (; child; child = gtk_widget_get_next_sibling(child))
    g_signal_connect_object(child, "notify::visible", G_CALLBACK(show_scroll), box, G_CONNECT_SWAPPED);
  show_scroll(GTK_WIDGET(box));
}

GdkRGBA
vt_rgba_from_packed(gint32 color)
{
  return (GdkRGBA){ (float)(color >> 16 & 255) / 255, (float)(color >> 8 & 255) / 255, (float)(color & 255) / 255, 1 };
}

gint32
vt_color_button_get_packed(GtkColorButton *button)
{
  GdkRGBA c;
  gtk_color_chooser_get_rgba(GTK_COLOR_CHOOSER(button), &c);
  return (gint32)(c.red * 255 + 0.5f) << 16 | (gint32)(c.green * 255 + 0.5f) << 8 | (gint32)(c.blue * 255 + 0.5f);
}
