/* SPDX-License-Identifier: MIT */
#include "analysis/vt-regions.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"

typedef struct {
  GPtrArray *items;  /* VtRoiItem */
  GArray *positions; /* guint, ascending: of each item while it is in the list */
} Places;

/* Items that went, came, or changed together; those that come have their positions in the list without those that went. */
typedef struct {
  Places gone, come;
  GPtrArray *changed; /* VtRoiItem */
  GPtrArray *rois;    /* VtRoi: what each item changes to when the step is done or taken back */
  GArray *are_saved;  /* gboolean: with that ROI */
} Step;

struct _VtRegions {
  GObject parent;
  GListStore *list;
  GtkFilterListModel *areas;
  VtRegionTree *tree;
  VtUndo *undo;
  guint n_drawn;
  guint tree_id; /* regions of a session came: the tree follows, once for all of them */
};

G_DEFINE_FINAL_TYPE(VtRegions, vt_regions, G_TYPE_OBJECT)

VT_DEFINE_FREE(step_free, Step,
               VT_FREES(g_ptr_array_unref, gone.items, come.items, changed, rois)
                 VT_FREES(g_array_unref, gone.positions, come.positions, are_saved))

static Step *
step_new(void)
{
  Step *step = g_new0(Step, 1);
  for (Places *places = &step->gone; places; places = places == &step->gone ? &step->come : NULL) {
    places->items = g_ptr_array_new_with_free_func(g_object_unref);
    places->positions = g_array_new(FALSE, FALSE, sizeof(guint));
  }
  step->changed = g_ptr_array_new_with_free_func(g_object_unref);
  step->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  step->are_saved = g_array_new(FALSE, FALSE, sizeof(gboolean));
  return step;
}

static void
places_take(Places *places, VtRoiItem *item, guint position)
{
  g_ptr_array_add(places->items, g_object_ref(item));
  g_array_append_val(places->positions, position);
}

/* TRUE: an outline is another. */
static gboolean
exchange(const Step *step)
{
  gboolean outlines = FALSE;
  for (guint i = 0; i < step->changed->len; i++) {
    VtRoiItem *item = step->changed->pdata[i];
    gboolean *is_saved = &g_array_index(step->are_saved, gboolean, i);
    const gboolean was_saved = vt_roi_item_get_saved(item);
    outlines |= !vt_roi_has_same_outline(vt_roi_item_get_roi(item), step->rois->pdata[i]);
    vt_roi_item_set_saved(item, *is_saved);
    *is_saved = was_saved;
    vt_roi_item_swap_roi(item, (VtRoi **)&step->rois->pdata[i]);
  }
  return outlines;
}

/* How many of them from one on stand one after the other in the list. Whoever follows the list is told once of each such row, and not of each item: all look
 * at all regions then. */
static guint
count_row(const Places *places, guint first)
{
  const guint *positions = (const guint *)(gpointer)places->positions->data;
  guint n = 1;
  while (first + n < places->items->len && positions[first + n] == positions[first] + n)
    n++;
  return n;
}

/* From the first place on when items come, from the last one when they go: so each place is what it was. */
static void
put(VtRegions *self, const Places *places)
{
  for (guint i = 0, n; i < places->items->len; i += n) {
    n = count_row(places, i);
    g_list_store_splice(self->list, g_array_index(places->positions, guint, i), 0, places->items->pdata + i, n);
  }
}

static void
take_out(VtRegions *self, const Places *places)
{
  g_autoptr(GArray) firsts = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < places->items->len; i += count_row(places, i))
    g_array_append_val(firsts, i);
  for (guint k = firsts->len; k > 0; k--) {
    const guint i = g_array_index(firsts, guint, k - 1);
    g_list_store_splice(self->list, g_array_index(places->positions, guint, i), count_row(places, i), NULL, 0);
  }
}

static void
make(gpointer regions, gpointer data, gboolean back)
{
  VtRegions *self = regions;
  const Step *step = data;
  const gboolean outlines = exchange(step) || step->gone.items->len + step->come.items->len > 0;
  take_out(self, back ? &step->come : &step->gone);
  put(self, back ? &step->gone : &step->come);
  vt_region_tree_update(self->tree);
  g_signal_emit_by_name(self, "changed", outlines);
}

/* "ROI 3", "ROI 3, Line 4", "5 annotations". */
static char *
dup_names(const GPtrArray *items)
{
  if (items->len == 1)
    return g_strdup(vt_roi_item_get_roi(items->pdata[0])->name);
  if (items->len == 2)
    return g_strdup_printf("%s, %s", vt_roi_item_get_roi(items->pdata[0])->name,
                           vt_roi_item_get_roi(items->pdata[1])->name);
  return g_strdup_printf(g_dngettext(NULL, "%u annotation", "%u annotations", items->len), items->len);
}

/* Of a step that was not made yet. */
static char *
dup_title(const Step *step)
{
  const GPtrArray *gone = step->gone.items, *come = step->come.items;
  gboolean outlines = FALSE;
  g_autofree char *names = dup_names(gone->len > 0 ? gone : come->len > 0 ? come : step->changed);
  g_autofree char *others = dup_names(come);
  if (gone->len > 0)
    return come->len > 0 ? g_strdup_printf(_("%s became %s"), names, others) : g_strdup_printf(_("%s deleted"), names);
  if (come->len > 0)
    return g_strdup_printf(_("%s added"), names);
  for (guint i = 0; i < step->changed->len; i++)
    outlines |= !vt_roi_has_same_outline(vt_roi_item_get_roi(step->changed->pdata[i]), step->rois->pdata[i]);
  return g_strdup_printf(outlines ? _("outline of %s") : _("name, class, colour, lock or sight of %s"), names);
}

static void
do_step(VtRegions *self, Step *step)
{
  vt_undo_do(self->undo, dup_title(step), self, make, step, step_free);
}

static gboolean
has_same_looks(const VtRoi *a, const VtRoi *b)
{
  return g_strcmp0(a->name, b->name) == 0 && g_strcmp0(a->class_name, b->class_name) == 0 && a->color == b->color
         && a->is_locked == b->is_locked && a->is_hidden == b->is_hidden;
}

static void
tell_gone(VtRegions *self, guint n)
{
  if (n > 0)
    g_signal_emit_by_name(self, "measurements-gone", n);
}

void
vt_regions_change(VtRegions *self, GPtrArray *items, GPtrArray *rois)
{
  Step *step = step_new();
  guint n_gone = 0;
  for (guint i = 0; i < items->len; i++) {
    const VtRoi *old = vt_roi_item_get_roi(items->pdata[i]);
    const gboolean is_saved = FALSE;
    if (vt_roi_has_same_outline(old, rois->pdata[i]) && has_same_looks(old, rois->pdata[i])) {
      vt_roi_free(rois->pdata[i]);
      continue;
    }
    if (!vt_roi_has_same_outline(old, rois->pdata[i])) {
      n_gone += old->measured != NULL;
      g_clear_pointer(&((VtRoi *)rois->pdata[i])->measured, vt_measured_unref);
    }
    g_ptr_array_add(step->changed, g_object_ref(items->pdata[i]));
    g_ptr_array_add(step->rois, rois->pdata[i]);
    g_array_append_val(step->are_saved, is_saved);
  }
  g_free(g_ptr_array_steal(rois, NULL));
  if (step->changed->len > 0)
    do_step(self, step);
  else
    step_free(step);
  tell_gone(self, n_gone);
}

VtRoiItem *
vt_regions_draw(VtRegions *self, const VtRoi *shape)
{
  VtRoi *roi = vt_roi_copy(shape);
  g_free(roi->name);
  roi->name = g_strdup_printf(roi->kind == VT_SHAPE_AREA   ? _("ROI %u")
                              : roi->kind == VT_SHAPE_LINE ? _("Line %u")
                                                           : _("Points %u"),
                              ++self->n_drawn);
  g_autoptr(VtRoiItem) item = vt_roi_item_new(roi);
  Step *step = step_new();
  places_take(&step->come, item, g_list_model_get_n_items(G_LIST_MODEL(self->list)));
  do_step(self, step);
  return item; /* the list holds it */
}

void
vt_regions_add(VtRegions *self, GPtrArray *rois, gboolean are_saved)
{
  const guint n_before = g_list_model_get_n_items(G_LIST_MODEL(self->list));
  Step *step = step_new();
  for (guint i = 0; i < rois->len; i++) {
    g_autoptr(VtRoiItem) item = vt_roi_item_new(rois->pdata[i]);
    vt_roi_item_set_saved(item, are_saved);
    places_take(&step->come, item, n_before + i);
  }
  self->n_drawn += rois->len;
  g_free(g_ptr_array_steal(rois, NULL));
  do_step(self, step);
}

static gboolean
update_tree(gpointer data)
{
  VtRegions *self = data;
  self->tree_id = 0;
  vt_region_tree_update(self->tree);
  return G_SOURCE_REMOVE;
}

void
vt_regions_restore(VtRegions *self, const GPtrArray *items)
{
  self->n_drawn += items->len;
  g_list_store_splice(self->list, g_list_model_get_n_items(G_LIST_MODEL(self->list)), 0, items->pdata, items->len);
  if (self->tree_id == 0)
    self->tree_id = g_idle_add_full(G_PRIORITY_HIGH, update_tree, self, NULL);
}

static void
take_places(VtRegions *self, GPtrArray *items, Places *places)
{
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->list)); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(G_LIST_MODEL(self->list), i);
    if (g_ptr_array_find(items, item, NULL))
      places_take(places, item, i);
  }
}

guint
vt_regions_remove(VtRegions *self, GPtrArray *items)
{
  Step *step = step_new();
  take_places(self, items, &step->gone);
  const guint n = step->gone.items->len;
  if (n > 0)
    do_step(self, step);
  else
    step_free(step);
  return n;
}

void
vt_regions_replace(VtRegions *self, GPtrArray *items, GPtrArray *rois)
{
  Step *step = step_new();
  take_places(self, items, &step->gone);
  const guint first = g_array_index(step->gone.positions, guint, 0);
  guint n_gone = 0;
  VT_EACH_OF (VtRoiItem, item, step->gone.items)
    n_gone += vt_roi_item_get_roi(item)->measured != NULL;
  for (guint i = 0; i < rois->len; i++) {
    g_autoptr(VtRoiItem) item = vt_roi_item_new(rois->pdata[i]);
    places_take(&step->come, item, first + i);
  }
  g_free(g_ptr_array_steal(rois, NULL));
  do_step(self, step);
  tell_gone(self, n_gone);
}

VT_GETTER(VtUndo *, vt_regions_get_undo, VtRegions, undo)
VT_GETTER(VtRegionTree *, vt_regions_get_tree, VtRegions, tree)

void
vt_regions_clear(VtRegions *self)
{
  self->n_drawn = 0;
  vt_undo_clear(self->undo);
  g_list_store_remove_all(self->list);
  vt_region_tree_update(self->tree);
}

guint
vt_regions_get_n_unsaved(VtRegions *self)
{
  guint n_unsaved = 0;
  VT_EACH_ITEM (VtRoiItem, item, self->list)
    n_unsaved += !vt_roi_item_get_saved(item);
  return n_unsaved;
}

GListModel *
vt_regions_get_list(VtRegions *self)
{
  return G_LIST_MODEL(self->list);
}

GListModel *
vt_regions_get_areas(VtRegions *self)
{
  return G_LIST_MODEL(self->areas);
}

static void
vt_regions_class_init(VtRegionsClass *klass)
{
  VT_SOURCES(klass, VtRegions, tree_id);
  VT_OWNS_TO_THE_END(klass, VtRegions, g_object_unref, undo, tree, areas, list);
  vt_signal_new(VT_TYPE_REGIONS, "changed", G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_REGIONS, "measurements-gone", G_TYPE_UINT, G_TYPE_NONE);
}

static gboolean
is_area(gpointer item, gpointer user)
{
  return vt_roi_item_get_roi(item)->kind == VT_SHAPE_AREA;
}

static void
vt_regions_init(VtRegions *self)
{
  GtkFilter *filter = GTK_FILTER(gtk_custom_filter_new(is_area, NULL, NULL));
  self->list = g_list_store_new(VT_TYPE_ROI_ITEM);
  self->areas = gtk_filter_list_model_new(G_LIST_MODEL(g_object_ref(self->list)), filter);
  self->tree = vt_region_tree_new(G_LIST_MODEL(self->list));
  self->undo = vt_undo_new();
}

VtRegions *
vt_regions_new(void)
{
  return g_object_new(VT_TYPE_REGIONS, NULL);
}
