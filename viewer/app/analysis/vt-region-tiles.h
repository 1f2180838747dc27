/* SPDX-License-Identifier: MIT
 *
 * An area cut into tiles, to be measured and compared as regions are. Main thread only. */
#pragma once
#include "analysis/vt-regions.h"

/* Adds rectangles as large as the region's box, side by side from there on, that lie in an area with all of them and not on the region, named "ROI 1 · tile 1"
 * row by row, in one step that can be undone; how many. 0 and a sentence: none has room, or they would be more than 5,000. */
guint vt_region_tiles_add(VtRegions *regions, VtRoiItem *like, const VtRoi *within, GError **error);
