/* SPDX-License-Identifier: MIT
 *
 * Signals of a class, to be made when it begins. They return nothing, and are emitted by their names. */
#pragma once
#include <glib-object.h>

/* Without parameters; NULL after the last name. */
void vt_signals_new(GType type, ...) G_GNUC_NULL_TERMINATED;
/* One with up to 4 parameters: their types, and G_TYPE_NONE after the last. */
void vt_signal_new(GType type, const char *name, ...);
