/* SPDX-License-Identifier: MIT
 *
 * list.h: all ops. */
#pragma once

#include "vitrail-plugin.h"

extern const VitrailOp *const vt_ops[];
extern const uint32_t vt_n_ops;
