/* SPDX-License-Identifier: MIT */
#include "panels/vt-tables.h"

#include <glib/gi18n.h>

#include "panels/vt-class-panel.h"
#include "panels/vt-object-table.h"

/* A row of controls that is wider than the window scrolls: it must not push the panel beside the views out of it. */
static void
let_scroll(GtkWidget *head)
{
  GtkWidget *table = gtk_widget_get_parent(head), *scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  g_object_ref(head);
  gtk_box_remove(GTK_BOX(table), head);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), head);
  g_object_unref(head);
  gtk_box_prepend(GTK_BOX(table), scrolled);
}

/* Each has the switcher in its own head, so that it takes no row of its own. */
static void
add(GtkStack *tables, GtkWidget *table, GtkBox *head, const char *name, const char *title)
{
  GtkWidget *switcher = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), tables);
  gtk_widget_add_css_class(switcher, "table-switcher");
  gtk_box_prepend(head, switcher);
  let_scroll(GTK_WIDGET(head));
  g_object_set_data(G_OBJECT(table), "switcher", switcher);
  gtk_stack_add_titled(tables, table, name, title);
}

GtkStack *
vt_tables_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtRoiTable **roi_table)
{
  GtkStack *tables = GTK_STACK(gtk_stack_new());
  g_autoptr(VtGates) gates = vt_gates_new(analysis, regions);
  GtkWidget *objects = vt_object_table_new(canvas, analysis, gates);
  g_autoptr(VtTeacher) teacher = vt_teacher_new(analysis);
  g_autoptr(VtGrader) grader = vt_grader_new(analysis, teacher);
  GtkWidget *classes = vt_class_panel_new(canvas, analysis, teacher, grader);
  *roi_table = g_object_new(VT_TYPE_ROI_TABLE, NULL);
  vt_roi_table_set_regions(*roi_table, regions, analysis);
  g_signal_connect_object(teacher, "learned", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  g_signal_connect_object(grader, "graded", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  add(tables, GTK_WIDGET(*roi_table), vt_roi_table_get_head(*roi_table), "regions", _("Regions"));
  add(tables, objects, vt_object_table_get_head(VT_OBJECT_TABLE(objects)), "objects", _("Objects"));
  add(tables, classes, vt_class_panel_get_head(VT_CLASS_PANEL(classes)), "classes", _("Classes"));
  return tables;
}

VtGrader *
vt_tables_get_grader(GtkStack *tables)
{
  return vt_class_panel_get_grader(VT_CLASS_PANEL(gtk_stack_get_child_by_name(tables, "classes")));
}

VtTeacher *
vt_tables_get_teacher(GtkStack *tables)
{
  return vt_class_panel_get_teacher(VT_CLASS_PANEL(gtk_stack_get_child_by_name(tables, "classes")));
}

static GtkWidget *
find_plot(GtkWidget *in)
{
  GtkWidget *found = VT_IS_PLOT_PANEL(in) ? in : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(in); child && !found; child = gtk_widget_get_next_sibling(child))
    found = find_plot(child);
  return found;
}

VtPlotPanel *
vt_tables_get_plot(GtkStack *tables)
{
  return VT_PLOT_PANEL(find_plot(gtk_stack_get_child_by_name(tables, "objects")));
}

VtGates *
vt_tables_get_gates(GtkStack *tables)
{
  return vt_object_table_get_gates(VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects")));
}

void
vt_tables_take_down(GtkStack *tables)
{
  for (GtkWidget *table = gtk_widget_get_first_child(GTK_WIDGET(tables)); table;
       table = gtk_widget_get_next_sibling(table))
    gtk_stack_switcher_set_stack(g_object_get_data(G_OBJECT(table), "switcher"), NULL);
}

void
vt_tables_store(GtkStack *tables, VtSessionTable *stored)
{
  stored->page = g_strdup(gtk_stack_get_visible_child_name(tables));
  vt_object_table_store(VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects")), stored);
}

void
vt_tables_restore(GtkStack *tables, const VtSessionTable *stored)
{
  vt_object_table_restore(VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects")), stored);
  if (stored->page && gtk_stack_get_child_by_name(tables, stored->page))
    gtk_stack_set_visible_child_name(tables, stored->page);
}
