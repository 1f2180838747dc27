/* SPDX-License-Identifier: MIT
 *
 * Two stages of an analysis that a person wants to see at once: A and B. Runs hand them over, whether or not their layers are seen. Main thread
 * only.
 *
 * Signal: "changed" (which are pinned). */
#pragma once
#include "analysis/vt-analysis.h"

typedef enum { VT_STAGE_PIN_A, VT_STAGE_PIN_B, VT_N_STAGE_PINS } VtStagePin;

#define VT_TYPE_STAGE_PINS (vt_stage_pins_get_type())
G_DECLARE_FINAL_TYPE(VtStagePins, vt_stage_pins, VT, STAGE_PINS, GObject)

VtStagePins *vt_stage_pins_new(VtAnalysis *analysis);
/* The id of that stage, interned; NULL: none is. Where there is B, there is A. */
const char *vt_stage_pins_get(VtStagePins *self, VtStagePin which);
/* Which one a stage is; -1: it is not pinned. */
int vt_stage_pins_find(VtStagePins *self, const char *stage);
/* Pins a stage of the present op: as A if none is, else as B in the place of what was. One that is pinned is let go; B is A then. */
void vt_stage_pins_toggle(VtStagePins *self, const char *stage);
void vt_stage_pins_clear(VtStagePins *self);
/* Pins these as A and B (NULL: no B) in the place of what was. FALSE, and nothing changes: the present op lacks one of them, or they are the same. */
gboolean vt_stage_pins_set(VtStagePins *self, const char *a, const char *b);
