/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-plugin-host.h"

/* The analysis that tells of the run lengths in a rectangle what the texture map of `op`, a recipe, counts in a window: with a step
 * glrlm-rois of the same settings in the place of glrlm-map. It is a draft, in no list, and the same each time. `stage`: the number of the map's
 * stage in `op`. NULL: `op` has no such map, or several, whose windows can't be told apart. Main thread. */
const VitrailOp *vt_recipe_open_lengths(VtPluginHost *host, const VitrailOp *op, guint *stage);
