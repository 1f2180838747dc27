/* SPDX-License-Identifier: MIT
 *
 * sides.h: the borders of an image. */
#pragma once

#include "vt-backend.h"

enum { VT_SIDE_LEFT, VT_SIDE_TOP, VT_SIDE_RIGHT, VT_SIDE_BOTTOM };

/* Copies the rows and columns of pixels at some sides. */
void vt_copy_sides(const VtImage *to, const VtImage *from, const bool sides[4]);
