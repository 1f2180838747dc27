/* SPDX-License-Identifier: MIT
 *
 * One map for several slides: the layers of one stage, in all views, have the same colours, range, measurement and threshold, so that a colour
 * is the same value on each. A change of one is a change of all. Main thread only. */
#pragma once
#include "layers/vt-layer.h"

/* A layer of a view, as long as it lives: where its stage has one map already, it takes that. */
void vt_shared_map_follow(VtLayer *layer);
/* All layers of this one's stage get its map, with its present range, or each goes on with its own. */
void vt_shared_map_set(VtLayer *layer, gboolean is_shared);
gboolean vt_shared_map_get(VtLayer *layer);
/* Of how many views the layer's map is; 0: it is its own. */
guint vt_shared_map_count(VtLayer *layer);
