/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-plugin-host.h"

/* The analysis that has the steps of `op` and a stage for each of them, in their order, so that a run tells what every step makes. Stages of `op` keep their ids.
 * Labels without numbers are numbered by a step of their own, a step's second output and the colours that were read get a stage each, as far as a recipe has
 * room for them. It is a draft, in no list, and the same each time. NULL and a sentence: `op` is no recipe. Main thread. */
const VitrailOp *vt_recipe_open_trail(VtPluginHost *host, const VitrailOp *op, GError **error);
/* "Hole distance" of "hole-distance": what a step without a title is called. Owned. */
char *vt_recipe_dup_step_title(const char *node);
