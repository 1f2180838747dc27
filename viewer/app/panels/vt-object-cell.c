/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-cell.h"

#include <math.h>
#include <string.h>

const char *
vt_object_cell_get_short(const char *title)
{
  const char *colon = strstr(title, ": ");
  return colon ? colon + 2 : title;
}

static char *
dup_cell(const VtColumns *columns, guint index, guint column)
{
  char *word = vt_columns_dup_word(columns, index, column);
  const double value = vt_columns_get_value(columns, index, column);
  return word                                                         ? word
         : !isfinite(value) || !vt_columns_is_number(columns, column) ? g_strdup("–")
         : column == VT_OBJECT_NUMBER ? g_strdup_printf("%'" G_GINT64_FORMAT, (gint64)value)
         : column <= VT_OBJECT_Y      ? g_strdup_printf("%.1f", value)
                                      : g_strdup_printf("%.5g", value);
}

GtkWidget *
vt_object_cell_new(void)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_widget_add_css_class(label, "numeric");
  return label;
}

void
vt_object_cell_show(GtkWidget *cell, const VtColumns *columns, guint index, guint column)
{
  const gboolean is_there = columns && index < columns->objects->len;
  g_autofree char *text = is_there ? dup_cell(columns, index, column) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(cell), text);
  gtk_label_set_xalign(GTK_LABEL(cell), is_there && !vt_columns_is_number(columns, column) ? 0 : 1);
}
