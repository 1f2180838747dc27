/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-similar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "panels/vt-roi-columns.h"
#include "panels/vt-roi-rows.h"

enum {
  MOST_FEATURES = 256,
  N_FIRST = 2 /* that pass to begin with: itself and the nearest */
};

struct _VtRoiSimilar {
  VtSimilarBar *bar;
  GtkColumnView *view;
  GtkSelectionModel *selection;
  VtRegionTree *tree;
  GListModel *areas;
  const VitrailOp *op;
  VtResult *result; /* whose rows the items have; NULL: they have none yet */
  GPtrArray *items; /* VtRoiItem: those that were looked at, in the order of the column */
};

/* A row of features in the form of an object. Owned; NULL: it is not known, or of other settings. */
static VtObject *
dup_row(VtRoiSimilar *self, VtRoiItem *item, gint64 id)
{
  const char *names[MOST_FEATURES];
  double values[MOST_FEATURES];
  VtObject object = { .id = id, .measurement_names = names, .measurements = values };
  if (!self->result || !vt_roi_item_get_params(item) || vt_roi_item_get_stale(item))
    return NULL;
  for (guint i = 1; i < vt_result_get_n_columns(self->result) && object.n_measurements < MOST_FEATURES;
       i++) { /* the first is the name */
    const char *column = vt_result_get_column(self->result, i);
    if (g_str_equal(self->op->columns[1 + (i - 1) % (self->op->n_columns - 1)], "Pixels"))
      continue;
    names[object.n_measurements] = g_intern_string(column);
    values[object.n_measurements++] = vt_roi_item_get_value(item, i - 1);
  }
  return vt_object_copy(&object);
}

/* Of those whose rows are known, which `items` gets; owned. */
static VtColumns *
make_columns(VtRoiSimilar *self, GPtrArray *items)
{
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  VT_EACH_ITEM (VtRoiItem, item, self->areas) {
    VtObject *row = dup_row(self, item, (gint64)items->len + 1);
    if (row) {
      g_ptr_array_add(objects, row);
      g_ptr_array_add(items, g_object_ref(item));
    }
  }
  return vt_columns_new(objects, NULL, NULL, 0);
}

/* Of the items that the bar's column is of. */
static double
get_difference(VtRoiSimilar *self, VtRoiItem *item)
{
  const VtColumn *column = vt_similar_bar_get_column(self->bar);
  guint place = 0;
  if (!column || column->n != self->items->len || !g_ptr_array_find(self->items, item, &place))
    return NAN;
  return column->values[place];
}

static gboolean
passes(VtRoiSimilar *self, VtRoiItem *item)
{
  return get_difference(self, item) <= vt_similar_bar_get_most(self->bar);
}

static void
select_those_that_pass(VtRoiSimilar *self)
{
  g_autoptr(GtkBitset) passing = gtk_bitset_new_empty(), all = gtk_bitset_new_empty();
  GListModel *rows = G_LIST_MODEL(self->selection);
  if (!vt_similar_bar_get_column(self->bar))
    return;
  VT_EACH_OF (VtRoiItem, item, self->items)
    if (passes(self, item))
      vt_roi_rows_unfold(rows, self->tree, item);
  for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
    g_autoptr(VtRoiItem) item = vt_roi_rows_dup_item(rows, i);
    if (passes(self, item))
      gtk_bitset_add(passing, i);
  }
  gtk_bitset_add_range(all, 0, g_list_model_get_n_items(rows));
  gtk_selection_model_set_selection(self->selection, passing, all);
  vt_test_log("similar-regions %u %u", (guint)gtk_bitset_get_size(passing), self->items->len);
}

static void
on_found(VtRoiSimilar *self)
{
  const gboolean found = vt_similar_bar_get_column(self->bar) != NULL;
  VT_EACH_ITEM (VtRoiItem, item, self->areas)
    vt_roi_item_set_difference(item, get_difference(self, item));
  vt_roi_columns_show_difference(self->view, found);
  select_those_that_pass(self);
}

gboolean
vt_roi_similar_start(VtRoiSimilar *self, VtRoiItem *item, GError **error)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  guint place = 0;
  if (!item)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s", _("Select one region to which others are to be similar."));
  if (!self->op)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s", _("There is no analysis that measures regions."));
  g_autoptr(VtColumns) columns = make_columns(self, items);
  if (items->len < 2 || !g_ptr_array_find(items, item, &place))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        _("Similarity is of texture that was measured with the present settings, of two regions at "
                          "least: F5 measures them."));
  double *numbers = g_new(double, columns->n_own + 1);
  for (guint i = 0; i < columns->n_own; i++)
    numbers[i] = vt_columns_get_value(columns, place, i);
  g_ptr_array_unref(self->items);
  self->items = g_steal_pointer(&items);
  g_autofree char *title = g_strdup_printf(_("Like “%s”"), vt_roi_item_get_roi(item)->name);
  vt_similar_bar_start(self->bar, columns, numbers, title);
  return TRUE;
}

void
vt_roi_similar_follow(VtRoiSimilar *self, VtResult *result)
{
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
  GPtrArray *items = g_ptr_array_new_with_free_func(g_object_unref);
  if (!gtk_widget_get_visible(GTK_WIDGET(self->bar)) || !self->op) {
    g_ptr_array_unref(items);
    return;
  }
  g_autoptr(VtColumns) columns = make_columns(self, items);
  g_ptr_array_unref(self->items);
  self->items = items;
  vt_similar_bar_follow(self->bar, items->len > 1 ? columns : NULL);
}

VtRoiSimilar *
vt_roi_similar_new(VtSimilarBar *bar, GtkColumnView *view, GtkSelectionModel *selection, VtRegionTree *tree,
                   GListModel *areas, const VitrailOp *op)
{
  VtRoiSimilar *self = g_new0(VtRoiSimilar, 1);
  *self = (VtRoiSimilar){ bar, view, selection, tree, areas, op, NULL, g_ptr_array_new_with_free_func(g_object_unref) };
  vt_similar_bar_set_rows(bar, _("%s of %s regions"), N_FIRST);
  g_signal_connect_swapped(bar, "found", G_CALLBACK(on_found), self);
  g_signal_connect_swapped(bar, "changed", G_CALLBACK(select_those_that_pass), self);
  return self;
}

void
vt_roi_similar_free(VtRoiSimilar *self)
{
  g_signal_handlers_disconnect_by_data(self->bar, self);
  g_ptr_array_unref(self->items);
  g_clear_pointer(&self->result, vt_result_unref);
  g_free(self);
}
