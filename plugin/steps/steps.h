/* SPDX-License-Identifier: MIT
 *
 * steps.h: the steps, file by file, and what the files share. */
#pragma once

#include "steps/step.h"

extern const VtStep vt_steps_input[], vt_steps_pointwise[], vt_steps_local[], vt_steps_propagate[], vt_steps_labels[],
  vt_steps_regions[], vt_steps_texture[];
extern const uint32_t vt_n_steps_input, vt_n_steps_pointwise, vt_n_steps_local, vt_n_steps_propagate, vt_n_steps_labels,
  vt_n_steps_regions, vt_n_steps_texture;

/* Words of VtRegionsPreset, in its order, then "auto" and NULL. */
extern const char *const vt_region_presets[];
