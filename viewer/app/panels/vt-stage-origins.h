/* SPDX-License-Identifier: MIT
 *
 * What each stage of the strip is made from, and goes into. Main thread only. */
#pragma once
#include "panels/vt-stage-tile.h"

enum { VT_STAGES = 64 }; /* at most, of an op */

/* Bits are those of tiles. All zero: nothing is known. */
typedef struct {
  guint64 known;
  guint64 sources[VT_STAGES]; /* of each tile, those that it is made from, through steps that no stage shows */
} VtStageOrigins;

/* Each tile says so in its tooltip, and to who does not see the strip. `tiles`: VtStageTile, in the order of their stages. `recipe`, `plugin`: theirs;
 * NULL: there is none. */
void vt_stage_origins_find(VtStageOrigins *origins, GPtrArray *tiles, const VitrailRecipe *recipe,
                           const VitrailPlugin *plugin);
