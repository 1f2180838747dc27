/* SPDX-License-Identifier: MIT
 *
 * Holds a list in which Tab is one stop: arrow keys go from row to row, and Tab leaves it. A GtkColumnView of GTK 4.8 has a stop for each of its
 * rows, which may be a million. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_ONE_STOP (vt_one_stop_get_type())
G_DECLARE_FINAL_TYPE(VtOneStop, vt_one_stop, VT, ONE_STOP, AdwBin)
