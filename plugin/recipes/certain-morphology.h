/* SPDX-License-Identifier: MIT
 *
 * certain-morphology.h: which pixels of the op `morphology` no outside could change. */
#pragma once

#include "run/run.h"

VitrailStatus vt_certain_morphology(VtRun *run, const bool open[4], void *user, const VtImage *certain);
