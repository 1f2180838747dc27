/* SPDX-License-Identifier: MIT */
#include "window/vt-message-bar.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

struct _VtMessageBar {
  AdwBin parent;

  /* template */
  GtkRevealer *revealer;
  GtkLabel *label;
  GtkButton *retry_button, *help_button;

  VtLook told_look; /* what was said of the slide last */
};

G_DEFINE_FINAL_TYPE(VtMessageBar, vt_message_bar, ADW_TYPE_BIN)

void
vt_message_bar_show(VtMessageBar *self, const char *sentence, gboolean can_retry)
{
  gtk_label_set_text(self->label, sentence);
  gtk_widget_set_visible(GTK_WIDGET(self->retry_button), can_retry);
  gtk_widget_set_visible(GTK_WIDGET(self->help_button), FALSE);
  gtk_revealer_set_reveal_child(self->revealer, TRUE);
}

void
vt_message_bar_hide(VtMessageBar *self)
{
  gtk_revealer_set_reveal_child(self->revealer, FALSE);
}

void
vt_message_bar_take_back(VtMessageBar *self, const char *sentence)
{
  if (g_strcmp0(gtk_label_get_text(self->label), sentence) == 0)
    vt_message_bar_hide(self);
}

void
vt_message_bar_set_slide(VtMessageBar *self, VtSlide *slide)
{
  const char *pages = vt_slide_get_property(slide, VT_SLIDE_PAGES), *name = vt_slide_get_name(slide);
  const char *orientation = vt_slide_get_property(slide, VT_SLIDE_ORIENTATION);
  g_autofree char *sentence = NULL;
  self->told_look = VT_LOOK_USUAL;
  vt_message_bar_hide(self);
  if (pages && !g_str_equal(pages, "1"))
    sentence = g_strdup_printf(_("%s has %s pages; only the first one is shown and analysed."), name, pages);
  else if (orientation && !g_str_equal(orientation, "1"))
    sentence = g_strdup_printf(
      _("%s says that it is to be turned or mirrored; it is shown and analysed as it is stored."), name);
  if (sentence)
    vt_message_bar_show(self, sentence, FALSE);
}

/* The setting or the control that helps. */
static void
show_help(VtMessageBar *self, VtLook look)
{
  GtkActionable *button = GTK_ACTIONABLE(self->help_button);
  if (look == VT_LOOK_COLOURLESS) {
    gtk_button_set_label(self->help_button, _("_Use Optical Density Sum"));
    gtk_actionable_set_action_target(button, "s", VT_LOOK_PARAM "=" VT_LOOK_DENSITY);
    gtk_actionable_set_action_name(button, "win.set-parameter");
  } else if (look == VT_LOOK_DARK) {
    gtk_button_set_label(self->help_button, _("_Brightness and Colour…"));
    gtk_actionable_set_action_target_value(button, NULL);
    gtk_actionable_set_action_name(button, "win.colour");
  }
  vt_widget_mend_mnemonics(GTK_WIDGET(self->help_button));
  gtk_widget_set_visible(GTK_WIDGET(self->help_button), look == VT_LOOK_COLOURLESS || look == VT_LOOK_DARK);
}

void
vt_message_bar_tell_look(VtMessageBar *self, VtLook look)
{
  const char *last = self->told_look == VT_LOOK_USUAL ? NULL : vt_translate(vt_look_get_sentence(self->told_look));
  if (look == self->told_look)
    return;
  self->told_look = look;
  vt_test_log("look %d", look);
  if (look != VT_LOOK_USUAL) {
    vt_message_bar_show(self, vt_translate(vt_look_get_sentence(look)), FALSE);
    show_help(self, look);
  } else {
    vt_message_bar_take_back(self, last);
  }
}

static gboolean
on_child_position(GtkOverlay *overlay, GtkWidget *child, GdkRectangle *room, VtMessageBar *self)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(overlay)), height = gtk_widget_get_height(GTK_WIDGET(overlay));
  int own = 0;
  if (child == GTK_WIDGET(self) || gtk_widget_get_valign(child) != GTK_ALIGN_START)
    return FALSE;
  gtk_widget_measure(GTK_WIDGET(self), GTK_ORIENTATION_VERTICAL, width, NULL, &own, NULL, NULL);
  *room = (GdkRectangle){ 0, own, width, MAX(height - own, 1) };
  return own > 0;
}

void
vt_message_bar_push_others(VtMessageBar *self)
{
  g_signal_connect_object(gtk_widget_get_parent(GTK_WIDGET(self)), "get-child-position", G_CALLBACK(on_child_position),
                          self, 0);
}

static void
vt_message_bar_class_init(VtMessageBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-message-bar.ui");
  gtk_widget_class_bind_template_child(widget_class, VtMessageBar, revealer);
  gtk_widget_class_bind_template_child(widget_class, VtMessageBar, label);
  gtk_widget_class_bind_template_child(widget_class, VtMessageBar, retry_button);
  gtk_widget_class_bind_template_child(widget_class, VtMessageBar, help_button);
}

static void
vt_message_bar_init(VtMessageBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_mend_mnemonics(GTK_WIDGET(self));
}
