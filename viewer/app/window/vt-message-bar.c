/* SPDX-License-Identifier: MIT */
#include "window/vt-message-bar.h"

#include <string.h>

#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

struct _VtMessageBar {
  AdwBin parent;

  /* template */
  GtkRevealer *revealer;
  GtkLabel *label;
  GtkButton *retry_button, *help_button;

  GtkWidget *name;    /* in the same overlay, below the bar and above all others */
  VtLook told_look;   /* what was said of the slide last */
  VtMessageKind kind; /* of what is shown */
  gint64 shown_us;
  char *under; /* what an answer stands over; or NULL */
  VtMessageKind under_kind;
  guint timer;     /* an answer goes then */
  gulong hooks[2]; /* on what actions do */
};

static const char *const hooked[] = { "activate", "change-state" }; /* of GSimpleAction */
enum { LEAST_MS = 4000 };                                           /* two lines are read in that */

G_DEFINE_FINAL_TYPE(VtMessageBar, vt_message_bar, ADW_TYPE_BIN)

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

static void
reveal(VtMessageBar *self, const char *sentence, VtMessageKind kind)
{
  const char *look = self->told_look == VT_LOOK_USUAL ? NULL : vt_translate(vt_look_get_sentence(self->told_look));
  g_clear_handle_id(&self->timer, g_source_remove);
  self->kind = kind;
  self->shown_us = g_get_monotonic_time();
  gtk_label_set_text(self->label, sentence);
  gtk_widget_set_visible(GTK_WIDGET(self->retry_button), kind == VT_MESSAGE_TILES);
  show_help(self, g_strcmp0(sentence, look) == 0 ? self->told_look : VT_LOOK_USUAL);
  gtk_revealer_set_reveal_child(self->revealer, TRUE);
}

/* An answer leaves what it stood over. */
void
vt_message_bar_hide(VtMessageBar *self)
{
  g_autofree char *under = g_steal_pointer(&self->under);
  g_clear_handle_id(&self->timer, g_source_remove);
  if (under)
    reveal(self, under, self->under_kind);
  else
    gtk_revealer_set_reveal_child(self->revealer, FALSE);
}

static void
on_time(VtMessageBar *self)
{
  self->timer = 0;
  vt_message_bar_hide(self);
}

void
vt_message_bar_show(VtMessageBar *self, const char *sentence, VtMessageKind kind)
{
  const char *last = gtk_label_get_text(self->label);
  const gboolean is_shown = gtk_revealer_get_reveal_child(self->revealer);
  const gboolean adds =
    is_shown && kind != VT_MESSAGE_ANSWER && self->kind == VT_MESSAGE_LOSS && !strstr(last, sentence);
  g_autofree char *both = adds ? g_strconcat(last, "\n", sentence, NULL) : g_strdup(sentence);
  if (kind != VT_MESSAGE_ANSWER) {
    g_clear_pointer(&self->under, g_free);
  } else if (is_shown && self->kind != VT_MESSAGE_ANSWER) {
    self->under = g_strdup(last);
    self->under_kind = self->kind;
  }
  reveal(self, both, kind);
}

void
vt_message_bar_move_on(VtMessageBar *self, gboolean at_once)
{
  const gint64 rest_ms = at_once ? 0 : LEAST_MS - (g_get_monotonic_time() - self->shown_us) / 1000;
  if (self->kind != VT_MESSAGE_ANSWER || !gtk_revealer_get_reveal_child(self->revealer))
    return;
  if (rest_ms <= 0)
    vt_message_bar_hide(self);
  else if (self->timer == 0)
    self->timer = g_timeout_add_once((guint)rest_ms, (GSourceOnceFunc)on_time, self);
}

/* Before any action of the program does something: what it answers comes after. */
static gboolean
on_action(GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer self)
{
  vt_message_bar_move_on(self, FALSE);
  return TRUE;
}

void
vt_message_bar_take_back(VtMessageBar *self, const char *sentence)
{
  if (sentence && g_strcmp0(self->under, sentence) == 0)
    g_clear_pointer(&self->under, g_free);
  else if (g_strcmp0(gtk_label_get_text(self->label), sentence) == 0)
    vt_message_bar_hide(self);
}

void
vt_message_bar_set_slide(VtMessageBar *self, VtSlide *slide)
{
  const char *pages = vt_slide_get_property(slide, VT_SLIDE_PAGES), *name = vt_slide_get_name(slide);
  const char *orientation = vt_slide_get_property(slide, VT_SLIDE_ORIENTATION);
  const char *unread = vt_slide_get_property(slide, VT_SLIDE_UNREAD);
  const char *bits = vt_slide_get_property(slide, VT_SLIDE_CUT_BITS);
  g_autofree char *sentence = NULL;
  self->told_look = VT_LOOK_USUAL;
  g_clear_pointer(&self->under, g_free);
  vt_message_bar_hide(self);
  if (pages && !g_str_equal(pages, "1"))
    sentence = g_strdup_printf(_("%s has %s pages; only the first one is shown and analysed."), name, pages);
  else if (unread && !g_str_equal(unread, "0"))
    sentence = g_strdup_printf(_("%s has more channels (%s), which are neither shown nor analysed."), name, unread);
  else if (bits && !g_str_equal(bits, "0"))
    sentence = g_strdup_printf(_("%s has colours of %s bits, which are shown and analysed as 8."), name, bits);
  else if (orientation && !g_str_equal(orientation, "1"))
    sentence = g_strdup_printf(
      _("%s says that it is to be turned or mirrored; it is shown and analysed as it is stored."), name);
  if (sentence)
    vt_message_bar_show(self, sentence, VT_MESSAGE_STATE);
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
    vt_message_bar_show(self, vt_translate(vt_look_get_sentence(look)), VT_MESSAGE_STATE);
  } else {
    vt_message_bar_take_back(self, last);
  }
}

static gboolean
on_child_position(GtkOverlay *overlay, GtkWidget *child, GdkRectangle *room, VtMessageBar *self)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(overlay)), height = gtk_widget_get_height(GTK_WIDGET(overlay));
  int own = 0, of_name = 0, least = 0;
  if (child == GTK_WIDGET(self) || gtk_widget_get_valign(child) != GTK_ALIGN_START)
    return FALSE;
  gtk_widget_measure(GTK_WIDGET(self), GTK_ORIENTATION_VERTICAL, width, NULL, &own, NULL, NULL);
  if (child != self->name && gtk_widget_get_visible(self->name))
    gtk_widget_measure(self->name, GTK_ORIENTATION_VERTICAL, width, NULL, &of_name, NULL, NULL);
  own += of_name;
  /* With its margin below, which a view that gets lower has at first from when it was higher. */
  gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
  *room = (GdkRectangle){ 0, own, width, MAX(height - own, least) };
  return own > 0;
}

void
vt_message_bar_push_others(VtMessageBar *self, GtkWidget *name)
{
  self->name = name;
  g_signal_connect_object(gtk_widget_get_parent(GTK_WIDGET(self)), "get-child-position", G_CALLBACK(on_child_position),
                          self, 0);
}

static void
vt_message_bar_dispose(GObject *object)
{
  VtMessageBar *self = VT_MESSAGE_BAR(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_pointer(&self->under, g_free);
  for (guint i = 0; i < G_N_ELEMENTS(hooked); i++)
    if (self->hooks[i])
      g_signal_remove_emission_hook(g_signal_lookup(hooked[i], G_TYPE_SIMPLE_ACTION), self->hooks[i]);
  memset(self->hooks, 0, sizeof self->hooks);
  G_OBJECT_CLASS(vt_message_bar_parent_class)->dispose(object);
}

static void
vt_message_bar_class_init(VtMessageBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_message_bar_dispose;
  VT_TEMPLATE(klass, VtMessageBar, "vt-message-bar", revealer, label, retry_button, help_button);
}

static void
vt_message_bar_init(VtMessageBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_mend_mnemonics(GTK_WIDGET(self));
  g_type_ensure(G_TYPE_SIMPLE_ACTION);
  for (guint i = 0; i < G_N_ELEMENTS(hooked); i++)
    self->hooks[i] =
      g_signal_add_emission_hook(g_signal_lookup(hooked[i], G_TYPE_SIMPLE_ACTION), 0, on_action, self, NULL);
}
