/* SPDX-License-Identifier: MIT
 *
 * How long the main loop is busy with one thing: a source of the highest priority that wants to run every 2 ms and notes how
 * late it was. What GTK takes to lay out and paint a frame (with software rendering, most of it) is counted apart. Only if VITRAIL_PROBE names a file; written as JSON when the program ends. */
#pragma once

#include <gtk/gtk.h>

void vt_probe_start(void);
/* A window whose frames count as painting; once it is realized. */
void vt_probe_watch(GtkWidget *window);
void vt_probe_finish(void);
