/* SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* With VITRAIL_TEST_LOG set, `application` gets an action "test-place" (a name): it logs "place LEFT TOP WIDTH HEIGHT NAME" in
 * pixels of the window's surface, shadow included, where pointer events count from; "place none NAME" if nothing that is shown
 * has the name. AT-SPI cannot be asked: GTK 4.12 and later leave the shadow and the padding of what is around a widget out. */
void vt_test_place_start(GtkApplication *application);
