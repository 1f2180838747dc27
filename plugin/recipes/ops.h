/* SPDX-License-Identifier: MIT
 *
 * ops.h: the ops. */
#pragma once

#include "run/run.h"

VitrailStatus vt_op_glrlm_map(VtRun *run);
VitrailStatus vt_op_glrlm_rois(VtRun *run);
