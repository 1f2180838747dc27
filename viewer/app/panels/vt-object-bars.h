/* SPDX-License-Identifier: MIT
 *
 * The percentile of each cell of the table of objects as a bar in it, among all objects of the result. A worker sorts the numbers of a column when
 * its first cell is seen. Main thread only. */
#pragma once
#include "panels/vt-object-cell.h"

typedef struct _VtObjectBars VtObjectBars;

VtObjectBars *vt_object_bars_new(void);
/* When the last of its cells is gone, or later. */
void vt_object_bars_free(VtObjectBars *self);
void vt_object_bars_set_shown(VtObjectBars *self, gboolean shown);
/* A new cell: borrowed until it goes. */
void vt_object_bars_add(VtObjectBars *self, VtObjectCell *cell);
/* The cell has this number now; columns NULL: none. */
void vt_object_bars_show(VtObjectBars *self, VtObjectCell *cell, VtColumns *columns, guint index, guint column);
