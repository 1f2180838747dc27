/* SPDX-License-Identifier: MIT
 *
 * Slides that this program opened lately and that are still there. Whether they are, a worker looks: the drive that one lies on may be gone. Main
 * thread only. */
#pragma once
#include <gtk/gtk.h>

enum { VT_RECENT_MOST = 10 };

/* GFile, the newest first, at most VT_RECENT_MOST; one list for all, that follows what is opened. Borrowed. */
GListModel *vt_recent_get(void);
/* The name to be shown. Owned. */
char *vt_recent_dup_name(GFile *file);
