/* SPDX-License-Identifier: MIT
 *
 * Columns that stay in sight beside those that scroll sideways: two lists of the same rows, of one height each, that scroll up and down as one.
 * Main thread only. */
#pragma once
#include <gtk/gtk.h>

/* `side` and `list` hold a GtkColumnView each. `rows` is the model of both. The side must be laid out after the list, as a later child of a GtkGrid is.
 * A click on the side leaves the keyboard in the list, on the same row: the side can have none. */
void vt_side_list_link(GtkScrolledWindow *side, GtkScrolledWindow *list, GListModel *rows);
/* A wheel over what is above the two, such as the heads of the columns, turns the list, too. After vt_side_list_link(). */
void vt_side_list_add_head(GtkScrolledWindow *side, GtkWidget *head);
