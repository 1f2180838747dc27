/* SPDX-License-Identifier: MIT
 *
 * The texture maps of a recipe (step glrlm-map), one by one. What is opened here is a draft, in no list, and the same each time. Main thread. */
#pragma once
#include "plugins/vt-plugin-host.h"

/* The numbers of the stages of `op` that texture maps show (guint), in the order of its stages; owned. Empty: it is no recipe, or has none. */
GArray *vt_recipe_list_maps(VtPluginHost *host, const VitrailOp *op);
/* The analysis with this map and no other, whose run records what the windows of this one are: with several, a record has one size for all. `stage`: its
 * number in `op`. `op` itself where it has no other map. NULL, and a sentence: such a recipe is refused. */
const VitrailOp *vt_recipe_open_map(VtPluginHost *host, const VitrailOp *op, guint stage, GError **error);
/* The analysis that tells of the run lengths in a rectangle what this map counts in a window: with a step glrlm-rois of the same settings in the place of
 * glrlm-map, and no other map. NULL, and a sentence: such a recipe is refused. */
const VitrailOp *vt_recipe_open_lengths(VtPluginHost *host, const VitrailOp *op, guint stage, GError **error);
