/* SPDX-License-Identifier: MIT
 *
 * What one tab shows: one, two or four views side by side, one of them active, moving together if they are linked.
 *
 * Signals: "added" and "removed" (VtPane), "active-changed", "changed" and "moved" (of the active one). */
#pragma once
#include "window/vt-pane.h"

#define VT_TYPE_PAGE (vt_page_get_type())
G_DECLARE_FINAL_TYPE(VtPage, vt_page, VT, PAGE, GtkBox)

guint vt_page_get_n_panes(VtPage *self);
/* 1, 2 or 4. New ones show what the active one shows; the active one is the last to go. */
void vt_page_set_n_panes(VtPage *self, guint n);
/* Those that go when there are to be so many (VtPane); free with g_ptr_array_unref(). */
GPtrArray *vt_page_dup_surplus(VtPage *self, guint n);
VtPane *vt_page_get_pane(VtPage *self, guint i); /* borrowed */
VtPane *vt_page_get_active(VtPage *self);        /* borrowed, never NULL */
void vt_page_activate_next(VtPage *self);
gboolean vt_page_get_linked(VtPage *self);
/* Linking brings all to the active one's magnification and lays down what belongs together: what is in their middles. */
void vt_page_set_linked(VtPage *self, gboolean linked);
/* After a pane got another slide. */
void vt_page_link_anew(VtPage *self);
