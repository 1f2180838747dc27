/* SPDX-License-Identifier: MIT
 *
 * bounded-regions.h: codes of regions on bounds (bounded.h). */
#pragma once

#include "executors/executor.h"

/* Runs a step with makes_codes. Pixels within its halo of an open side, or of a pixel at which the bounds of an input differ, are unsure:
 * their code is VT_UNSURE and their second output undefined. is_sure: all inputs are certain. */
VitrailStatus vt_bounds_codes(VtExec *exec, const VtLocalStep *step, bool is_sure);
