/* SPDX-License-Identifier: MIT
 *
 * What a view without a slide shows: how to open one, those that were opened lately, and the demo slide, which is made in the
 * cache when it is asked for first. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_START_PAGE (vt_start_page_get_type())
G_DECLARE_FINAL_TYPE(VtStartPage, vt_start_page, VT, START_PAGE, AdwBin)

/* Out of the stack in which it is the page "empty", if it is: a view that has a slide never is without one again. It stays while the demo
 * slide is made, which is opened by way of it. */
void vt_start_page_leave(GtkStack *stack);
