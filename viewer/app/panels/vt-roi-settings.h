/* SPDX-License-Identifier: MIT
 *
 * The settings of a texture measurement in one line. */
#pragma once
#include "plugins/vt-params.h"

/* "GLRLM · 32 levels · 0.5 µm/px · Hematoxylin · Merged matrix of four directions", in the person's language; owned. */
char *vt_roi_settings_dup_summary(const VtParams *params);
