/* SPDX-License-Identifier: MIT
 *
 * objects.h: from labels to numbered objects, by an executor's count and relabel. */
#pragma once

#include "executors/executor.h"

/* VtExecutor.objects. */
VitrailStatus vt_objects_number(VtExec *x, const VtImage *labels, const VtImage *a, const VtImage *b,
                                const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
