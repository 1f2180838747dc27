/* SPDX-License-Identifier: MIT
 *
 * Which changes are one step of a person: those that one press, click or action makes, and those that follow one another closely, as
 * while a slider is dragged. Main thread only. */
#pragma once
#include <glib.h>

#define VT_AT_ONCE_S 1 /* no longer lies between two changes that follow one another closely */

/* Begins as zeros. */
typedef struct {
  guint id;          /* a source that comes before the next event; 0: that event has come */
  gint64 changed_us; /* when the last change was */
} VtAtOnce;

/* A change was made now. */
void vt_at_once_begin(VtAtOnce *self);
/* The last change was made by the event that is being handled now. */
gboolean vt_at_once_is_open(const VtAtOnce *self);
/* It is not longer ago than VT_AT_ONCE_S. */
gboolean vt_at_once_is_soon(const VtAtOnce *self);
/* The memory goes. */
void vt_at_once_end(VtAtOnce *self);
