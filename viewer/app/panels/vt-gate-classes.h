/* SPDX-License-Identifier: MIT
 *
 * The classes that gates give the objects: of each its name, colour and number of objects, and how many are in no gate. Main thread only. */
#pragma once
#include "analysis/vt-gates.h"

/* Follows the gates as long as it lives. Floating. */
GtkWidget *vt_gate_classes_new(VtGates *gates);
