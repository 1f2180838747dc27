/* SPDX-License-Identifier: MIT
 *
 * cell.h: the cell of an object: the object, and each pixel of no object that is nearer to it than to any other, centre to centre, and
 * not farther than a limit. Of equally near objects the one with the lower number has the pixel. All of it is integers. */
#pragma once

#include "run/run.h"

enum { VT_CELL_MOST = 256 /* pixels that a cell may reach round its object */ };

/* labels: the object's box with 2 * vt_cell_reach(limit) pixels round it, as far as there are any; inner: within them, the box with half
 * as many. limit: of the square of the distance. cell: I32 of inner's size, the caller's; it gets the label where the cell is, else 0.
 * False: no memory. */
bool vt_cell_find(const VtImage *labels, int32_t label, VtRect inner, int64_t limit, const VtImage *cell);

/* Of a limit that is not negative: whole pixels. */
int64_t vt_cell_reach(int64_t limit);
