/* SPDX-License-Identifier: MIT
 *
 * What a view without a slide shows: how to open one, those that were opened lately, and the demo slide, which is made in the
 * cache when it is asked for first. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_START_PAGE (vt_start_page_get_type())
G_DECLARE_FINAL_TYPE(VtStartPage, vt_start_page, VT, START_PAGE, AdwBin)

/* Whether the demo slide is being made: it will be opened by way of the page. */
gboolean vt_start_page_is_busy(VtStartPage *self);
