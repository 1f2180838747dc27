/* SPDX-License-Identifier: MIT
 *
 * What each stage of the strip is made from, and goes into. `tiles`: VtStageTile, in the order of their stages. `recipe`: theirs; NULL: there is none, and
 * nothing is known. Main thread only. */
#pragma once
#include "panels/vt-stage-tile.h"

/* Each says so in its tooltip, and to who does not see the strip. */
void vt_stage_origins_tell(GPtrArray *tiles, const VitrailRecipe *recipe);
/* Tiles that one is made from have a line at their ends, and those that it goes into at their beginnings; NULL: none has. The sentence of that tile;
 * NULL: not known. Borrowed. */
const char *vt_stage_origins_mark(GPtrArray *tiles, const VitrailRecipe *recipe, GtkWidget *tile);
