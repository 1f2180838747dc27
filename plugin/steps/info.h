/* SPDX-License-Identifier: MIT
 *
 * info.h: what people who write recipes are told of the steps, and what their settings may be. */
#pragma once

#include "steps/step.h"

/* The steps that a recipe of a user may have. Made at the first call; static. */
const VitrailStep *const *vt_step_infos(uint32_t *n);
/* NULL: the step is not offered. */
const VitrailStep *vt_step_info(const char *id);
/* Whether a setting may have this value; else a sentence that begins with `node`, the id of a node. */
VitrailStatus vt_step_check_setting(VtRun *run, const char *node, const VitrailStepSetting *setting,
                                    const VtParamOf *value);
