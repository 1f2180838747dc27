/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <math.h>

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
  g_autofree char *shown = vt_error_dup_path(path);
  g_autofree char *said = good ? g_strdup_printf(_("The plot is in %s."), shown) : g_strdup(error->message);
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

/* As text, each of them; NULL: nothing is chosen, or all is seen. */
static char *
dup_choice(VtPlotPanel *self)
{
  VtPlotChoice choice;
  if (!self->columns || !vt_plot_panel_read_choice(self, &choice))
    return NULL;
  GString *text = g_string_new(NULL);
  vt_plot_choice_add_text(&choice, self->columns, text);
  return g_string_free(text, FALSE);
}

static char *
dup_view(VtPlotPanel *self)
{
  VtPlotAxis x, y;
  VtPlotChoice seen = { .column_y = vt_plot_numbers_get_y(&self->numbers, self->columns) };
  const gint column_x = vt_plot_numbers_get_x(&self->numbers, self->columns);
  if (column_x < 0 || seen.column_y < 0 || !vt_scatter_get_view(self->scatter, &x, &y))
    return NULL;
  GString *text = g_string_new(NULL);
  seen.column_x = (guint)column_x;
  seen.choice = (VtScatterChoice){ FALSE, x.low, x.high, y.low, y.high, NULL };
  vt_plot_choice_add_text(&seen, self->columns, text);
  return g_string_free(text, FALSE);
}

static gboolean
is_range(double from, double to)
{
  return isfinite(from) && isfinite(to) && from <= to;
}

/* FALSE: it is of anything but the numbers that are plotted. choice: to be cleared. */
static gboolean
read_told(VtPlotPanel *self, const VtObjectFilter *filter, VtScatterChoice *choice)
{
  const gint x = vt_plot_numbers_get_x(&self->numbers, self->columns);
  const gboolean has_two = vt_plot_numbers_get_kind(&self->numbers) == VT_PLOT_SCATTER;
  const gint y = has_two ? vt_plot_numbers_get_y(&self->numbers, self->columns) : -1;
  return x >= 0
         && vt_plot_choice_from_filter(choice, filter, (guint)x, gtk_toggle_button_get_active(self->log_x), y,
                                       gtk_toggle_button_get_active(self->log_y))
         && (choice->is_polygon
             || (is_range(choice->from_x, choice->to_x) && (y < 0 || is_range(choice->from_y, choice->to_y))));
}

static gboolean
choose_ranges(VtPlotPanel *self, const VtObjectFilter *filter)
{
  guint axes[VT_PARALLEL_MOST];
  VtPlotRange ranges[VT_PARALLEL_MOST];
  const guint n = vt_plot_axes_get(&self->axes, self->columns, axes);
  if (!vt_plot_choice_ranges_from_filter(ranges, filter, axes, n))
    return FALSE;
  for (guint k = 0; k < n; k++)
    if (ranges[k].has && !is_range(ranges[k].from, ranges[k].to))
      return FALSE;
  for (guint k = 0; k < n; k++)
    if (ranges[k].has)
      vt_parallel_set_range(self->parallel, k, ranges[k].from, ranges[k].to);
  return TRUE;
}

static gboolean
choose(VtPlotPanel *self, const VtObjectFilter *filter)
{
  VtScatterChoice choice = { 0 };
  const VtPlotKind kind = vt_plot_numbers_get_kind(&self->numbers);
  if (kind == VT_PLOT_PARALLEL)
    return choose_ranges(self, filter);
  const gboolean is_good = kind != VT_PLOT_BOXES && read_told(self, filter, &choice);
  if (is_good && kind == VT_PLOT_SCATTER)
    vt_scatter_set_choice(self->scatter, &choice);
  else if (is_good)
    vt_plot_set_range(self->plot, choice.from_x, choice.to_x);
  vt_scatter_choice_clear(&choice);
  return is_good;
}

static gboolean
show_view(VtPlotPanel *self, const VtObjectFilter *filter)
{
  VtScatterChoice seen = { 0 };
  const gboolean is_log_x = gtk_toggle_button_get_active(self->log_x),
                 is_log_y = gtk_toggle_button_get_active(self->log_y);
  const gboolean is_good = read_told(self, filter, &seen) && !seen.is_polygon && seen.from_x < seen.to_x
                           && seen.from_y < seen.to_y && vt_plot_axis_can_show(is_log_x, seen.from_x)
                           && vt_plot_axis_can_show(is_log_y, seen.from_y);
  if (is_good)
    vt_scatter_set_view(self->scatter, &(VtPlotAxis){ seen.from_x, seen.to_x, is_log_x },
                        &(VtPlotAxis){ seen.from_y, seen.to_y, is_log_y });
  vt_scatter_choice_clear(&seen);
  return is_good;
}

/* Takes the text; NULL: nothing was told. */
static void
do_told(VtPlotPanel *self, char *text, gboolean (*does)(VtPlotPanel *self, const VtObjectFilter *filter))
{
  g_autofree char *told = text;
  g_autoptr(VtObjectFilter) filter = told ? vt_object_filter_new(told, self->columns, NULL) : NULL;
  if (!told || (filter && does(self, filter)))
    return;
  g_free(self->wrong);
  self->wrong = g_strdup_printf(_("The session's part of the plot is not of what is plotted: %s"), told);
  vt_test_log("error %s", self->wrong);
}

void
vt_plot_panel_do_told(VtPlotPanel *self)
{
  if (!self->columns || self->columns->objects->len == 0 || self->numbers.told_x || self->numbers.told_y)
    return;
  do_told(self, g_steal_pointer(&self->told_choice), choose);
  do_told(self, g_steal_pointer(&self->told_view), show_view);
}

void
vt_plot_panel_forget_told(VtPlotPanel *self)
{
  g_clear_pointer(&self->told_choice, g_free);
  g_clear_pointer(&self->told_view, g_free);
}

void
vt_plot_panel_store(VtPlotPanel *self, VtSessionTable *stored)
{
  const gboolean is_told = self->told_choice || self->told_view;
  stored->plot_choice = is_told ? g_strdup(self->told_choice) : dup_choice(self);
  stored->plot_view = is_told ? g_strdup(self->told_view) : dup_view(self);
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
  vt_plot_panel_forget_told(self);
  self->told_choice = g_strdup(stored->plot_choice);
  self->told_view = g_strdup(stored->plot_view);
}
