/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

/* Calls destroy(data) in a worker: giving tens of megabytes back to the system takes longer than a frame. */
void vt_drop(gpointer data, GDestroyNotify destroy);
