/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "panels/vt-plot-draw.h"
#include "panels/vt-plot-panel-private.h"

static char *
dup_note(VtPlotPanel *self)
{
  const char *caution = gtk_label_get_text(self->caution);
  return g_strdup_printf("%s%s%s", gtk_label_get_text(self->sentence), *caution ? " · " : "", caution);
}

GskRenderNode *
vt_plot_panel_record(VtPlotPanel *self, double *width, double *height, char **note)
{
  GtkWidget *plot = gtk_stack_get_visible_child(self->stack);
  if (!gtk_widget_get_mapped(plot) || !self->columns)
    return NULL;
  *width = gtk_widget_get_width(plot);
  *height = gtk_widget_get_height(plot);
  *note = dup_note(self);
  return vt_plot_record(plot);
}

static void
save_to(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtPlotPanel *self = VT_PLOT_PANEL(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *note = dup_note(self);
  const gboolean good = vt_plot_save(vt_plot_panel_get_plot(self), note, path, &error);
  g_autofree char *said = good ? g_strdup_printf(_("The plot is in %s."), path) : g_strdup(error->message);
  gtk_label_set_text(self->sentence, said);
  vt_test_log("plot-saved %d %s", good, path);
}

static void
save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_file_dialog_ask(widget, _("Save the plot (.svg, .pdf, .png)"), "plot.svg", "plot.save-to");
}

void
vt_plot_panel_install_saving(GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action(widget_class, "plot.save", NULL, save);
  gtk_widget_class_install_action(widget_class, "plot.save-to", "s", save_to);
}

/* --- sessions --- */

void
vt_plot_panel_store(VtPlotPanel *self, VtSessionTable *stored)
{
  vt_plot_numbers_store(&self->numbers, stored);
  vt_plot_axes_store(&self->axes, stored->axes);
  stored->is_log_of = gtk_toggle_button_get_active(self->log_x);
  stored->is_log_against = gtk_toggle_button_get_active(self->log_y);
}

void
vt_plot_panel_restore(VtPlotPanel *self, const VtSessionTable *stored)
{
  vt_plot_numbers_restore(&self->numbers, stored);
  vt_plot_axes_restore(&self->axes, stored->axes);
  gtk_toggle_button_set_active(self->log_x, stored->is_log_of);
  gtk_toggle_button_set_active(self->log_y, stored->is_log_against);
}
