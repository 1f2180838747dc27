/* SPDX-License-Identifier: MIT
 *
 * Gives a canvas the layers of the pin, so that it can show them beside or in place of those of now: the same layers, colours and order,
 * made from the pin's own result. While the canvas compares, the pin is worked out for what it shows. Where two stages are pinned, it gives the
 * canvas these. */
#pragma once
#include "analysis/vt-reference.h"
#include "analysis/vt-stage-pins.h"
#include "canvas/vt-canvas.h"

/* For as long as the canvas lives. Main thread only. */
void vt_wipe_hand_attach(VtCanvas *canvas, VtReference *reference, VtStagePins *pins, VtAnalysis *analysis);
