/* SPDX-License-Identifier: MIT
 *
 * What a person does to regions, each a step that can be undone (vt_regions_change()). Classes have one colour: regions of a class take
 * the one that it has, and all of them change with it. Main thread only. */
#pragma once
#include "analysis/vt-regions.h"
#include "run/vt-roi-sets.h"

/* items: VtRoiItem of the list. A name or class of spaces is none; without a name nothing is done. */
void vt_region_edits_set_name(VtRegions *regions, GPtrArray *items, const char *name);
void vt_region_edits_set_class(VtRegions *regions, GPtrArray *items, const char *class_name);
void vt_region_edits_set_color(VtRegions *regions, GPtrArray *items, gint32 color);
void vt_region_edits_set_locked(VtRegions *regions, GPtrArray *items, gboolean is_locked);
void vt_region_edits_set_hidden(VtRegions *regions, GPtrArray *items, gboolean is_hidden);
/* The names of the classes that regions have, in the order of the list; borrowed until a region changes. Free the array. */
GPtrArray *vt_region_edits_list_classes(VtRegions *regions);
/* The region with or without a shape. FALSE and a sentence: one of both is no area, it is locked, nothing would be left, or nothing changes. */
gboolean vt_region_edits_combine(VtRegions *regions, VtRoiItem *item, const VtRoi *shape, VtRoiSet how, GError **error);
/* Gives it another outline; takes the shape, whose looks do not matter. FALSE and a sentence: it is locked. */
gboolean vt_region_edits_reshape(VtRegions *regions, VtRoiItem *item, VtRoi *shape, GError **error);
/* One more point in a set of points, or as a set of its own where item is NULL; the item that has it. NULL and a sentence: the set is locked. */
VtRoiItem *vt_region_edits_add_point(VtRegions *regions, VtRoiItem *item, const VtRoi *point, GError **error);
/* items of the list become one region, with the name and class of the first of them. FALSE and a sentence: they are fewer than two, one is no area or locked, or
 * they could not be joined. */
gboolean vt_region_edits_join(VtRegions *regions, GPtrArray *items, GError **error);
/* Regions of several pieces become one region for each; how many there are in their place. 0 and a sentence: all are of one piece, one is no area or locked. */
guint vt_region_edits_part(VtRegions *regions, GPtrArray *items, GError **error);
/* Regions are split along a line (a VtRoiItem of the list), which goes with it: one region for each part, with the holes, class and look of the one that it is
 * of, named "ROI 1 · 1", "ROI 1 · 2". items: the regions, all of which it must divide; empty: the only one that it divides. How many there are in their
 * place. 0 and a sentence: it is no line of one piece, it divides none, or several where one was to be found, one is no area or locked. */
guint vt_region_edits_split(VtRegions *regions, GPtrArray *items, VtRoiItem *line, GError **error);
/* Outlines with fewer corners, nowhere farther than tolerance (level-0 pixels) from where they were; how many corners go. 0 and a sentence: none can go, one is no area
 * or locked. */
guint vt_region_edits_simplify(VtRegions *regions, GPtrArray *items, double tolerance, GError **error);
/* Those that are not locked go; how many are. */
guint vt_region_edits_remove(VtRegions *regions, GPtrArray *items, guint *n_locked);
