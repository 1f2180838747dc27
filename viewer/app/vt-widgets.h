/* SPDX-License-Identifier: MIT
 *
 * Small things that several widgets need. */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The wheel scrolls the panel and never changes the value that happens to lie under the pointer. */
void vt_widget_ignore_wheel(GtkWidget *widget);
void vt_widget_set_accessible_label(GtkWidget *widget, const char *label);
GtkWidget *vt_label_new_dim(const char *text);
/* "12.3 ms", "4.56 s"; owned. */
char *vt_dup_duration(double milliseconds);

G_END_DECLS
