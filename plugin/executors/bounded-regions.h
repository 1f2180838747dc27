/* SPDX-License-Identifier: MIT
 *
 * bounded-regions.h: codes of regions, as far as no outside could change them. */
#pragma once

#include "executors/executor.h"

/* A step that makes_codes. Unsure: pixels that are not further than its halo from an open side, or from a pixel of which the
 * bounds of an input differ. Their code is VT_UNSURE, and the second output anything. is_sure: all inputs are certain. */
VitrailStatus vt_bounds_codes(VtExec *exec, const VtLocalStep *step, bool is_sure);
