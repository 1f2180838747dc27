/* SPDX-License-Identifier: MIT */
#include "panels/vt-tables.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "analysis/vt-file-classes.h"
#include "panels/vt-class-panel.h"
#include "panels/vt-object-table.h"
#include "panels/vt-wrap-layout.h"
#include "common/vt-widgets.h"
#include "run/vt-file-objects-classes.h"

#define CLASSES "classes"
#define SPACING 6 /* of the heads */

/* Each has the switcher in its own head, so that it takes no row of its own. */
static void
add_switcher(GtkStack *tables, GtkWidget *page, GtkBox *head)
{
  GtkWidget *switcher = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), tables);
  gtk_widget_add_css_class(switcher, "table-switcher");
  gtk_box_prepend(head, switcher);
  gtk_widget_set_layout_manager(GTK_WIDGET(head), vt_wrap_layout_new(SPACING));
  g_object_set_data(G_OBJECT(page), "switcher", switcher);
}

static void
add(GtkStack *tables, GtkWidget *table, GtkBox *head, const char *name, const char *title)
{
  add_switcher(tables, table, head);
  gtk_stack_add_titled(tables, table, name, title);
}

/* --- classes: a hundred widgets, which most views never show --- */

typedef struct {
  VtCanvas *canvas; /* weak */
  VtAnalysis *analysis;
  VtTeacher *teacher;
  VtGrader *grader;
  VtGates *gates;
  VtFileClasses *of_file;
} Classes;

static void
classes_free(gpointer data)
{
  Classes *classes = data;
  g_clear_weak_pointer(&classes->canvas);
  g_object_unref(classes->analysis);
  g_object_unref(classes->teacher);
  g_object_unref(classes->grader);
  g_object_unref(classes->gates);
  g_object_unref(classes->of_file);
  g_free(classes);
}

static void
make_classes(AdwBin *place)
{
  const Classes *classes = g_object_get_data(G_OBJECT(place), CLASSES);
  if (adw_bin_get_child(place) || !classes->canvas)
    return;
  GtkWidget *panel =
    vt_class_panel_new(classes->canvas, classes->analysis, classes->teacher, classes->grader, classes->gates);
  adw_bin_set_child(place, panel);
  add_switcher(GTK_STACK(gtk_widget_get_parent(GTK_WIDGET(place))), GTK_WIDGET(place),
               vt_class_panel_get_head(VT_CLASS_PANEL(panel)));
}

static void
add_classes(GtkStack *tables, VtCanvas *canvas, VtAnalysis *analysis, VtTeacher *teacher, VtGrader *grader,
            VtGates *gates, VtFileClasses *of_file)
{
  GtkWidget *place = adw_bin_new();
  Classes *classes = g_new0(Classes, 1);
  g_set_weak_pointer(&classes->canvas, canvas);
  classes->analysis = g_object_ref(analysis);
  classes->teacher = g_object_ref(teacher);
  classes->grader = g_object_ref(grader);
  classes->gates = g_object_ref(gates);
  classes->of_file = g_object_ref(of_file);
  g_object_set_data_full(G_OBJECT(place), CLASSES, classes, classes_free);
  g_signal_connect(place, "map", G_CALLBACK(make_classes), NULL);
  gtk_stack_add_titled(tables, place, CLASSES, _("Classes"));
}

GtkStack *
vt_tables_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtRoiTable **roi_table)
{
  GtkStack *tables = GTK_STACK(gtk_stack_new());
  g_autoptr(VtGates) gates = vt_gates_new(analysis, regions);
  GtkWidget *objects = vt_object_table_new(canvas, analysis, regions, gates);
  g_autoptr(VtTeacher) teacher = vt_teacher_new(analysis);
  g_autoptr(VtGrader) grader = vt_grader_new(analysis, teacher);
  g_autoptr(VtFileClasses) of_file = vt_file_classes_new(analysis);
  *roi_table = g_object_new(VT_TYPE_ROI_TABLE, NULL);
  vt_roi_table_set_regions(*roi_table, regions, analysis);
  g_signal_connect_object(teacher, "learned", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  g_signal_connect_object(grader, "graded", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  g_signal_connect_object(gates, "classified", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  g_signal_connect_object(of_file, "classified", G_CALLBACK(vt_roi_table_count), *roi_table, G_CONNECT_SWAPPED);
  add(tables, GTK_WIDGET(*roi_table), vt_roi_table_get_head(*roi_table), "regions", _("Regions"));
  add(tables, objects, vt_object_table_get_head(VT_OBJECT_TABLE(objects)), "objects", _("Objects"));
  add_classes(tables, canvas, analysis, teacher, grader, gates, of_file);
  return tables;
}

GtkWidget *
vt_tables_get_classes(GtkStack *tables)
{
  AdwBin *place = ADW_BIN(gtk_stack_get_child_by_name(tables, CLASSES));
  make_classes(place);
  return adw_bin_get_child(place);
}

static const Classes *
get_classes(GtkStack *tables)
{
  return g_object_get_data(G_OBJECT(gtk_stack_get_child_by_name(tables, CLASSES)), CLASSES);
}

VtGrader *
vt_tables_get_grader(GtkStack *tables)
{
  return get_classes(tables)->grader;
}

VtTeacher *
vt_tables_get_teacher(GtkStack *tables)
{
  return get_classes(tables)->teacher;
}

/* Those that a layer shows of just these objects; borrowed, or NULL. */
static VtClassified *
find_shown(VtAnalysis *analysis, const VtResult *result)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(analysis));
  VtClassified *shown = layer ? vt_layer_get_classified(layer) : NULL;
  return shown && shown->of == result->objects ? shown : NULL;
}

VtClassified *
vt_tables_classify(GtkStack *tables, VtResult *result)
{
  const Classes *classes = get_classes(tables);
  if (!result->objects)
    return NULL;
  VtClassified *shown = find_shown(classes->analysis, result);
  if (shown)
    return vt_classified_ref(shown);
  if (vt_gates_get_classes(classes->gates))
    return vt_gates_classify(classes->gates, result);
  VtClassifier *classifier = vt_teacher_get_classifier(classes->teacher);
  const VtIntensity *intensity = vt_grader_get_on(classes->grader) ? vt_grader_get_intensity(classes->grader) : NULL;
  g_autoptr(VtClassified) taught = classifier ? vt_classified_new(classifier, result->objects, 0, NULL) : NULL;
  VtClassified *graded = intensity && intensity->measurement
                           ? vt_intensity_classify(intensity, result->objects, taught, NULL)
                           : NULL; /* the panel says why there is none */
  if (graded || taught)
    return graded ? graded : g_steal_pointer(&taught);
  return vt_file_objects_classify(result->params->objects, result->objects);
}

gboolean
vt_tables_has_surroundings(GtkStack *tables)
{
  return vt_object_table_has_surroundings(VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects")));
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
  VT_EACH_CHILD (table, tables)
    if (g_object_get_data(G_OBJECT(table), "switcher"))
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
