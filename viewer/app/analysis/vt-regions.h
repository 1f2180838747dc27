/* SPDX-License-Identifier: MIT
 *
 * The annotations of one view: regions, lines and points, with undo of all that is done to them. Names and order survive it. Main thread only.
 *
 * Signals: "changed" (gboolean outlines: regions came, went or have other outlines; else names, classes, colours, locks alone),
 * "measurements-gone" (guint n: so many were given other outlines, or became others, and have no measurements of a file any more; behind "changed"). */
#pragma once
#include "analysis/vt-region-tree.h"
#include "common/vt-undo.h"
#include "layers/vt-roi-item.h"

#define VT_ROI_OP "glrlm-rois" /* measures their texture */

#define VT_TYPE_REGIONS (vt_regions_get_type())
G_DECLARE_FINAL_TYPE(VtRegions, vt_regions, VT, REGIONS, GObject)

VtRegions *vt_regions_new(void);
GListModel *vt_regions_get_list(VtRegions *self); /* VtRoiItem; borrowed, always the same */
/* Those of them that have an area: what analyses, gates and counts know of. VtRoiItem; borrowed, always the same. */
GListModel *vt_regions_get_areas(VtRegions *self);
/* Which of them lies in which; borrowed. It is right whenever "changed" is emitted; of a session some time later. */
VtRegionTree *vt_regions_get_tree(VtRegions *self);
/* Adds a copy of the shape, with a name of its own, to the end of the list, where its item is; borrowed. Names count on, also after a deletion. */
VtRoiItem *vt_regions_draw(VtRegions *self, const VtRoi *shape);
/* Adds these (VtRoi), in one step; those of a file count as saved. Takes them out of the list. */
void vt_regions_add(VtRegions *self, GPtrArray *rois, gboolean are_saved);
/* Adds those of a session (VtRoiItem), which is no step that could be undone. */
void vt_regions_restore(VtRegions *self, const GPtrArray *items);
/* Removes these items (VtRoiItem) in one step; the number of those that were in the list. */
guint vt_regions_remove(VtRegions *self, GPtrArray *items);
/* Puts these (VtRoi) in the place of these items (VtRoiItem of the list, one at least), where the first of them was, in one step. Takes them out of their list. */
void vt_regions_replace(VtRegions *self, GPtrArray *items, GPtrArray *rois);
/* Gives these items (VtRoiItem) other ROIs (VtRoi, as many; taken out of their list) in one step: outlines, names, classes, colours, locks. Measurements of a file stay
 * with the outline that they are of.
 * Nothing is done where none differs. */
void vt_regions_change(VtRegions *self, GPtrArray *items, GPtrArray *rois);
/* The steps that were done to them, and to what else the view has; borrowed. */
VtUndo *vt_regions_get_undo(VtRegions *self);
/* Another slide: no regions, no steps, names from 1 on. */
void vt_regions_clear(VtRegions *self);
/* Regions that no file has. */
guint vt_regions_get_n_unsaved(VtRegions *self);
