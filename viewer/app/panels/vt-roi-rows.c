/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-rows.h"

#include "base/vt-define.h"
#include "common/vt-test-log.h"

static GListModel *
create_children(gpointer item, gpointer tree)
{
  GListModel *children = vt_region_tree_get_children(tree, item);
  return children ? g_object_ref(children) : NULL;
}

GtkTreeListModel *
vt_roi_rows_new(VtRegionTree *tree, GListModel *others)
{
  GListStore *parts = g_list_store_new(G_TYPE_LIST_MODEL);
  g_list_store_append(parts, vt_region_tree_get_roots(tree));
  g_list_store_append(parts, others);
  GListModel *roots = G_LIST_MODEL(gtk_flatten_list_model_new(G_LIST_MODEL(parts)));
  return gtk_tree_list_model_new(roots, FALSE, TRUE, create_children, g_object_ref(tree), g_object_unref);
}

VtRoiItem *
vt_roi_row_dup_item(gpointer row)
{
  return gtk_tree_list_row_get_item(row);
}

VtRoiItem *
vt_roi_rows_dup_item(GListModel *rows, guint place)
{
  g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rows, place);
  return row ? vt_roi_row_dup_item(row) : NULL;
}

/* Its place; GTK_INVALID_LIST_POSITION: it is folded away, or not there. */
static guint
find(GListModel *rows, VtRoiItem *item)
{
  for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
    g_autoptr(VtRoiItem) one = vt_roi_rows_dup_item(rows, i);
    if (one == item)
      return i;
  }
  return GTK_INVALID_LIST_POSITION;
}

void
vt_roi_rows_unfold(GListModel *rows, VtRegionTree *tree, VtRoiItem *item)
{
  VtRoiItem *parent = vt_region_tree_get_parent(tree, item);
  if (!parent)
    return;
  vt_roi_rows_unfold(rows, tree, parent);
  g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rows, find(rows, parent));
  if (row)
    gtk_tree_list_row_set_expanded(row, TRUE);
}

void
vt_roi_rows_select(GtkSelectionModel *rows, VtRegionTree *tree, VtRoiItem *item, gboolean alone)
{
  vt_roi_rows_unfold(G_LIST_MODEL(rows), tree, item);
  const guint place = find(G_LIST_MODEL(rows), item);
  if (place != GTK_INVALID_LIST_POSITION)
    gtk_selection_model_select_item(rows, place, alone);
}

static gboolean
fold(GtkWidget *view, GVariant *args, gpointer user)
{
  GtkSelectionModel *rows = gtk_column_view_get_model(GTK_COLUMN_VIEW(view));
  const gboolean expanded = g_variant_get_boolean(args);
  guint n_rows = 0;
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(rows)); i++) {
    g_autoptr(GtkTreeListRow) row = g_list_model_get_item(G_LIST_MODEL(rows), i);
    if (!gtk_selection_model_is_selected(rows, i) || !gtk_tree_list_row_is_expandable(row))
      continue;
    gtk_tree_list_row_set_expanded(row, expanded);
    n_rows++;
  }
  vt_test_log("rows-folded %d %u", !expanded, n_rows);
  return n_rows > 0;
}

void
vt_roi_rows_add_keys(GtkColumnView *view)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  for (int expanded = 0; expanded < 2; expanded++) {
    GtkShortcut *shortcut =
      gtk_shortcut_new_with_arguments(gtk_keyval_trigger_new(expanded ? GDK_KEY_Right : GDK_KEY_Left, GDK_SHIFT_MASK),
                                      gtk_callback_action_new(fold, NULL, NULL), "b", expanded);
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys), shortcut);
  }
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller(GTK_WIDGET(view), keys);
}
