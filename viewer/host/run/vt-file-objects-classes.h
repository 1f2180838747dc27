/* SPDX-License-Identifier: MIT
 *
 * The classes that a file gives its objects (VtFileObjects), as those of examples, thresholds and gates are. */
#pragma once
#include "run/vt-model.h"

/* Of objects that the op “file-objects” handed over, in any list: parts of them, or with what was changed by hand, which has none. NULL: the file has no classes, or `from` is NULL.
 * Owned. */
VtClassified *vt_file_objects_classify(const VtFileObjects *from, const GPtrArray *objects);
