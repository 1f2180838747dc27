/* SPDX-License-Identifier: MIT
 *
 * The tree of a view's annotations. Outlines alone decide on it: the parent of one is the smallest area that has all of it in it (vt_rois_find_parents()). So
 * it is the same whatever was done in whichever order, and needs no place in files. Those of one parent are in the order of the list. Main thread only.
 *
 * Signal: "changed" (somebody has another parent, came or went). */
#pragma once
#include "layers/vt-roi-item.h"

#define VT_TYPE_REGION_TREE (vt_region_tree_get_type())
G_DECLARE_FINAL_TYPE(VtRegionTree, vt_region_tree, VT, REGION_TREE, GObject)

/* items: VtRoiItem. */
VtRegionTree *vt_region_tree_new(GListModel *items);
/* After items came, went or got other outlines. */
void vt_region_tree_update(VtRegionTree *self);
/* VtRoiItem of those without a parent; borrowed, always the same. */
GListModel *vt_region_tree_get_roots(VtRegionTree *self);
/* Of an item; borrowed; NULL: it has none. An item that gets its first child, or loses its last, leaves its list and comes back, since GTK asks only once whether a row has children. */
GListModel *vt_region_tree_get_children(VtRegionTree *self, VtRoiItem *item);
VtRoiItem *vt_region_tree_get_parent(VtRegionTree *self, VtRoiItem *item);
