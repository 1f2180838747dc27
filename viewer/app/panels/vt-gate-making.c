/* SPDX-License-Identifier: MIT */
#include "panels/vt-gate-making.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"

/* What is typed, and what is chosen on the plot; empty: neither. */
static char *
dup_choice(VtPlotPanel *plot, const VtColumns *columns, const char *typed)
{
  GString *text = g_string_new(NULL);
  g_autofree char *stripped = g_strstrip(g_strdup(typed));
  VtPlotChoice choice;
  const gboolean has_choice = vt_plot_panel_get_choice(plot, &choice);
  if (*stripped)
    g_string_append_printf(text, has_choice ? "(%s) and " : "%s", stripped);
  if (has_choice)
    vt_plot_choice_add_text(&choice, columns, text);
  return g_string_free(text, FALSE);
}

/* NULL and a sentence, if there are none. */
static GPtrArray *
list_texts(VtPlotPanel *plot, const VtColumns *columns, const char *typed, gboolean four, GError **error)
{
  VtPlotChoice choice;
  g_autoptr(GPtrArray) texts = NULL;
  if (columns && four && vt_plot_panel_get_choice(plot, &choice))
    texts = vt_plot_choice_list_quadrants(&choice, columns);
  if (columns && columns->objects->len > 0 && !four) {
    texts = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(texts, dup_choice(plot, columns, typed));
  }
  if (texts && *(const char *)texts->pdata[0])
    return g_steal_pointer(&texts);
  return vt_error_set_null(
    error, VITRAIL_BAD_ARGUMENT, "%s",
    four ? _("Plot one measurement against another and draw a rectangle: the four gates meet at its "
             "lower left corner.")
         : _("Choose objects first: on the plot, or by the filter of the table."));
}

gboolean
vt_gate_making_do(VtGates *gates, VtPlotPanel *plot, const VtColumns *columns, const char *typed, gboolean four,
                  GError **error)
{
  g_autoptr(GPtrArray) texts = list_texts(plot, columns, typed, four, error);
  g_autoptr(VtObjectFilter) filter = texts ? vt_object_filter_new(texts->pdata[0], columns, error) : NULL;
  if (!filter
      || !vt_gates_add(gates, NULL, texts, error)) /* what is wrong with what is typed is said as the filter says it */
    return FALSE;
  vt_plot_panel_drop_choice(plot);
  return TRUE;
}

static void
on_moved(VtGates *gates, const char *name, const char *text)
{
  const gint place = vt_gate_list_find(vt_gates_get(gates), name);
  const VtGate *before = place >= 0 ? vt_gates_get(gates)->pdata[place] : NULL;
  if (!before)
    return;
  g_autoptr(VtGate) gate = vt_gate_new(before->name, before->parent, text, before->color);
  vt_test_log("gate-moved %s: %s", name, text);
  vt_gates_change(gates, (guint)place, gate, NULL); /* neither name nor parent is another, so nothing can be wrong */
}

void
vt_gate_making_follow(VtGates *gates, VtPlotPanel *plot)
{
  g_signal_connect_object(plot, "gate-moved", G_CALLBACK(on_moved), gates, G_CONNECT_SWAPPED);
}
