/* SPDX-License-Identifier: MIT
 *
 * What two sets of parameters have otherwise, in words for people. */
#pragma once
#include "plugins/vt-params.h"

/* A line each: "Threshold: 0.10 OD → 0.30 OD"; of two analyses, their titles. Empty: they are the same. Owned. */
char *vt_params_dup_changes(const VtParams *before, const VtParams *after);
/* Those of `own` that `other` has not, the first of them by name: "Threshold 0.10 OD, Split no, 2 more"; of another analysis, its title. Empty:
 * they are the same. Owned. */
char *vt_params_dup_side(const VtParams *own, const VtParams *other);
