/* SPDX-License-Identifier: MIT */
#include "panels/vt-colour-popover.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

struct _VtColourPopover {
  GtkPopover parent;
  VtCanvas *canvas; /* weak */
  gboolean loading;

  /* template */
  GtkAdjustment *brightness, *contrast, *gamma; /* gamma: power of two */
  GtkScale *brightness_scale, *contrast_scale, *gamma_scale;
  GtkSwitch *managed_switch;
  GtkLabel *managed_label;
};

G_DEFINE_FINAL_TYPE(VtColourPopover, vt_colour_popover, GTK_TYPE_POPOVER)

static void
on_changed(VtColourPopover *self)
{
  VtColourSettings settings = { gtk_adjustment_get_value(self->brightness), gtk_adjustment_get_value(self->contrast),
                                exp2(gtk_adjustment_get_value(self->gamma)),
                                gtk_switch_get_active(self->managed_switch) };
  if (self->loading || !self->canvas)
    return;
  self->loading = TRUE;
  vt_canvas_set_colour(self->canvas, &settings);
  self->loading = FALSE;
  vt_test_log("colour %.3f %.3f %.3f %d", settings.brightness, settings.contrast, settings.gamma, settings.managed);
}

static void
show_settings(VtColourPopover *self, const VtColourSettings *settings)
{
  self->loading = TRUE;
  gtk_adjustment_set_value(self->brightness, settings->brightness);
  gtk_adjustment_set_value(self->contrast, settings->contrast);
  gtk_adjustment_set_value(self->gamma, log2(settings->gamma));
  gtk_switch_set_active(self->managed_switch, settings->managed);
  self->loading = FALSE;
}

/* Somebody else may reset them. */
static void
on_canvas_colour(VtColourPopover *self)
{
  if (!self->loading && self->canvas)
    show_settings(self, vt_canvas_get_colour(self->canvas));
}

static void
reset(VtColourPopover *self)
{
  show_settings(self, &VT_COLOUR_SETTINGS_DEFAULT);
  on_changed(self);
}

void
vt_colour_popover_set_canvas(VtColourPopover *self, VtCanvas *canvas, VtSlide *slide)
{
  gboolean has_profile = slide && vt_slide_get_colour_table(slide);
  if (self->canvas != canvas) {
    if (self->canvas)
      g_signal_handlers_disconnect_by_func(self->canvas, on_canvas_colour, self);
    g_set_weak_pointer(&self->canvas, canvas);
    g_signal_connect_object(canvas, "colour", G_CALLBACK(on_canvas_colour), self, G_CONNECT_SWAPPED);
  }
  gtk_widget_set_sensitive(GTK_WIDGET(self->managed_switch), has_profile);
  gtk_label_set_text(self->managed_label,
                     has_profile ? _("The slide's colour profile") : _("The slide has no colour profile"));
  show_settings(self, vt_canvas_get_colour(canvas));
}

static char *
format_signed(GtkScale *scale, double value, gpointer user_data)
{
  return fabs(value) < 0.005 ? g_strdup("\u20070.00") : g_strdup_printf("%+.2f", value);
}

static char *
format_gamma(GtkScale *scale, double value, gpointer user_data)
{
  return g_strdup_printf("\u2007%.2f", exp2(value)); /* a figure space stands where the others have a sign */
}

static void
vt_colour_popover_class_init(VtColourPopoverClass *klass)
{
  VT_KNOWS(klass, VtColourPopover, canvas);
  VT_TEMPLATE(klass, VtColourPopover, "vt-colour-popover", brightness, contrast, gamma, brightness_scale,
              contrast_scale, gamma_scale, managed_switch, managed_label);
  VT_TEMPLATE_CALLBACKS(klass, on_changed, reset);
}

static void
vt_colour_popover_init(VtColourPopover *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_mend_mnemonics(GTK_WIDGET(self));
  gtk_scale_set_format_value_func(self->brightness_scale, format_signed, NULL, NULL);
  gtk_scale_set_format_value_func(self->contrast_scale, format_signed, NULL, NULL);
  gtk_scale_set_format_value_func(self->gamma_scale, format_gamma, NULL, NULL);
}
