/* SPDX-License-Identifier: MIT
 *
 * The pixels of some runs over the tissue. */
#pragma once
#include "layers/vt-painted.h"

/* Of a cell of the matrix: each run in a colour of its own, the rest transparent; where runs of several directions share a pixel, the last one's.
 * *n: how many runs there are. Any thread. */
VtPainted *vt_run_picture_new(const VtRunLengths *lengths, const VtRunCell *cell, guint *n);
