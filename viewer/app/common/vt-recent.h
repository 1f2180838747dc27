/* SPDX-License-Identifier: MIT
 *
 * Slides that this program opened lately and that are still there. Main thread only. */
#pragma once
#include <gtk/gtk.h>

typedef struct {
  char *name, *uri;
} VtRecent;

/* The newest first, at most `n`. Owned, of VtRecent. */
GPtrArray *vt_recent_dup(guint n);
