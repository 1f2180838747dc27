/* SPDX-License-Identifier: MIT */
#include "common/vt-reading.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "common/vt-toast.h"

#define TELL_MS 250 /* a file that takes less is read without a word */

struct VtReading {
  AdwToastOverlay *toasts; /* owned */
  char *name;
  AdwToast *toast; /* or NULL */
  guint timer;
  int percent; /* atomic; -1: nothing was told */
};

static gboolean
show(gpointer data)
{
  VtReading *self = data;
  const int percent = g_atomic_int_get(&self->percent);
  if (percent < 0 || !gtk_widget_get_root(GTK_WIDGET(self->toasts)))
    return G_SOURCE_CONTINUE;
  g_autofree char *sentence = g_strdup_printf(_("Reading %s: %d %%"), self->name, percent);
  g_autofree char *markup = g_markup_escape_text(sentence, -1);
  if (self->toast) {
    adw_toast_set_title(self->toast, markup);
    return G_SOURCE_CONTINUE;
  }
  self->toast = g_object_ref_sink(adw_toast_new(markup));
  adw_toast_set_timeout(self->toast, 0);
  adw_toast_set_priority(self->toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_set_button_label(self->toast, _("Cancel"));
  adw_toast_set_action_name(self->toast, "win.cancel-reading");
  vt_toast_show(self->toasts, g_object_ref(self->toast));
  vt_test_log("reading %s", self->name);
  return G_SOURCE_CONTINUE;
}

VtReading *
vt_reading_new(AdwToastOverlay *toasts, const char *name)
{
  VtReading *self = g_new0(VtReading, 1);
  self->toasts = g_object_ref(toasts);
  self->name = g_strdup(name);
  self->percent = -1;
  self->timer = g_timeout_add(TELL_MS, show, self);
  return self;
}

void
vt_reading_free(VtReading *self)
{
  g_source_remove(self->timer);
  if (self->toast)
    vt_toast_dismiss(self->toast);
  g_clear_object(&self->toast);
  g_object_unref(self->toasts);
  g_free(self->name);
  g_free(self);
}

void
vt_reading_tell(double part, gpointer reading)
{
  VtReading *self = reading;
  g_atomic_int_set(&self->percent, (int)(100 * part));
}

gboolean
vt_reading_is_told(const VtReading *self)
{
  return g_atomic_int_get(&self->percent) >= 0;
}
