/* SPDX-License-Identifier: MIT */
#include "analysis/vt-region-tree.h"

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "run/vt-roi-sets.h"

/* What is known of an item. */
typedef struct {
  const VtRoi *roi; /* to see whether it has another one by now; not looked into: it may be gone */
  double box[4];
  VtRoiItem *parent;    /* borrowed; NULL: none */
  GListStore *children; /* NULL: none */
  guint turn;           /* of the update that has seen it last */
} Node;

struct _VtRegionTree {
  GObject parent;
  GListModel *items;
  GListStore *roots;
  GHashTable *nodes; /* VtRoiItem, held -> Node */
  guint turn;
};

G_DEFINE_FINAL_TYPE(VtRegionTree, vt_region_tree, G_TYPE_OBJECT)

VT_DEFINE_FREE(node_free, Node, VT_FREES(g_object_unref, children))

static Node *
get_node(VtRegionTree *self, VtRoiItem *item)
{
  return g_hash_table_lookup(self->nodes, item);
}

/* --- who changed --- */

/* The boxes of outlines that came, changed or went: where they were, and where they are. Nodes of all items are there then. */
static GArray *
find_changed(VtRegionTree *self, GPtrArray *items)
{
  GArray *boxes = g_array_new(FALSE, FALSE, sizeof(double[4]));
  GHashTableIter iter;
  gpointer key, value;
  self->turn++;
  for (guint i = 0; i < items->len; i++) {
    const VtRoi *roi = vt_roi_item_get_roi(items->pdata[i]);
    Node *node = get_node(self, items->pdata[i]);
    if (!node) {
      node = g_new0(Node, 1);
      g_hash_table_insert(self->nodes, g_object_ref(items->pdata[i]), node);
    } else if (node->roi != roi) {
      g_array_append_val(boxes, node->box);
    }
    if (node->roi != roi) {
      vt_roi_get_box(roi, node->box);
      node->roi = roi;
      g_array_append_val(boxes, node->box);
    }
    node->turn = self->turn;
  }
  g_hash_table_iter_init(&iter, self->nodes);
  while (g_hash_table_iter_next(&iter, &key, &value)) {
    Node *node = value;
    if (node->turn == self->turn)
      continue;
    g_array_append_val(boxes, node->box);
    g_hash_table_iter_remove(&iter);
  }
  return boxes;
}

/* Only those that lie in such a box can have got or lost a parent. */
static gboolean
is_touched(const Node *node, const GArray *boxes)
{
  for (guint i = 0; i < boxes->len; i++) {
    const double *box = (const double *)(gconstpointer)boxes->data + 4 * i;
    if (node->box[0] >= box[0] && node->box[1] >= box[1] && node->box[2] <= box[2] && node->box[3] <= box[3])
      return TRUE;
  }
  return FALSE;
}

static void
find_parents(VtRegionTree *self, GPtrArray *items, const GArray *boxes)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new();
  g_autofree gboolean *wanted = g_new0(gboolean, MAX(items->len, 1));
  g_autofree gint *parents = g_new(gint, MAX(items->len, 1));
  for (guint i = 0; i < items->len; i++) {
    g_ptr_array_add(rois, (gpointer)vt_roi_item_get_roi(items->pdata[i]));
    wanted[i] = is_touched(get_node(self, items->pdata[i]), boxes);
  }
  vt_rois_find_parents(rois, wanted, parents);
  for (guint i = 0; i < items->len; i++) {
    Node *node = get_node(self, items->pdata[i]);
    if (wanted[i])
      node->parent = parents[i] >= 0 ? items->pdata[parents[i]] : NULL;
  }
}

/* --- lists --- */

/* Makes a list what it is to be, in one change of the part that differs. */
static void
become(GListStore *store, const GPtrArray *wanted)
{
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(store));
  guint first = 0, end = 0;
  for (gboolean same = TRUE; same && first < MIN(n, wanted->len);) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(G_LIST_MODEL(store), first);
    same = item == wanted->pdata[first];
    first += same;
  }
  for (gboolean same = TRUE; same && first + end < MIN(n, wanted->len);) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(G_LIST_MODEL(store), n - 1 - end);
    same = item == wanted->pdata[wanted->len - 1 - end];
    end += same;
  }
  if (n - first - end > 0 || wanted->len - first - end > 0)
    g_list_store_splice(store, first, n - first - end, wanted->len ? wanted->pdata + first : NULL,
                        wanted->len - first - end);
}

/* VtRoiItem -> GPtrArray of its children, in the order of the list. */
static GHashTable *
list_children(VtRegionTree *self, GPtrArray *items, GPtrArray *roots)
{
  GHashTable *of = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < items->len; i++) {
    VtRoiItem *parent = get_node(self, items->pdata[i])->parent;
    GPtrArray *list = parent ? g_hash_table_lookup(of, parent) : roots;
    if (!list) {
      list = g_ptr_array_new();
      g_hash_table_insert(of, parent, list);
    }
    g_ptr_array_add(list, items->pdata[i]);
  }
  return of;
}

/* Its row is made anew. */
static void
renew(VtRegionTree *self, VtRoiItem *item)
{
  VtRoiItem *parent = get_node(self, item)->parent;
  GListStore *store = parent ? get_node(self, parent)->children : self->roots;
  guint place = 0;
  if (g_list_store_find(store, item, &place))
    g_list_store_splice(store, place, 1, (gpointer *)&item, 1);
}

static void
build(VtRegionTree *self, GPtrArray *items)
{
  g_autoptr(GPtrArray) roots = g_ptr_array_new(), renewed = g_ptr_array_new();
  g_autoptr(GHashTable) children = list_children(self, items, roots);
  for (guint i = 0; i < items->len; i++) {
    Node *node = get_node(self, items->pdata[i]);
    const GPtrArray *list = g_hash_table_lookup(children, items->pdata[i]);
    if ((list != NULL) != (node->children != NULL))
      g_ptr_array_add(renewed, items->pdata[i]);
    if (list && !node->children)
      node->children = g_list_store_new(VT_TYPE_ROI_ITEM);
    if (list)
      become(node->children, list);
    else
      g_clear_object(&node->children);
  }
  become(self->roots, roots);
  for (guint i = 0; i < renewed->len; i++)
    renew(self, renewed->pdata[i]);
}

void
vt_region_tree_update(VtRegionTree *self)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items(self->items); i++)
    g_ptr_array_add(items, g_list_model_get_item(self->items, i));
  g_autoptr(GArray) boxes = find_changed(self, items);
  if (boxes->len == 0)
    return;
  find_parents(self, items, boxes);
  build(self, items);
  g_signal_emit_by_name(self, "changed");
}

/* --- what is asked --- */

GListModel *
vt_region_tree_get_roots(VtRegionTree *self)
{
  return G_LIST_MODEL(self->roots);
}

GListModel *
vt_region_tree_get_children(VtRegionTree *self, VtRoiItem *item)
{
  const Node *node = get_node(self, item);
  return node && node->children ? G_LIST_MODEL(node->children) : NULL;
}

VtRoiItem *
vt_region_tree_get_parent(VtRegionTree *self, VtRoiItem *item)
{
  const Node *node = get_node(self, item);
  return node ? node->parent : NULL;
}

static void
vt_region_tree_class_init(VtRegionTreeClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtRegionTree, g_object_unref, roots, items);
  VT_OWNS_TO_THE_END(klass, VtRegionTree, g_hash_table_unref, nodes);
  vt_signals_new(VT_TYPE_REGION_TREE, "changed", NULL);
}

static void
vt_region_tree_init(VtRegionTree *self)
{
  self->roots = g_list_store_new(VT_TYPE_ROI_ITEM);
  self->nodes = g_hash_table_new_full(NULL, NULL, g_object_unref, node_free);
}

VtRegionTree *
vt_region_tree_new(GListModel *items)
{
  VtRegionTree *self = g_object_new(VT_TYPE_REGION_TREE, NULL);
  self->items = g_object_ref(items);
  vt_region_tree_update(self);
  return self;
}
