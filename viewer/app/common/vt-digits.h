/* SPDX-License-Identifier: MIT
 *
 * Digits as keys of a widget: wherever the keyboard is in its window, but where somebody types, as long as the widget is seen. Of several
 * widgets the one that came to be seen last is asked first. */
#pragma once
#include <gtk/gtk.h>

/* number: 1..9. FALSE: it means nothing now, and goes on. */
typedef gboolean (*VtDigitTaken)(GtkWidget *widget, guint number);
/* Before the widget is seen for the first time. */
void vt_digits_attach(GtkWidget *widget, VtDigitTaken taken);
