/* SPDX-License-Identifier: MIT
 *
 * Toasts, one at a time: libadwaita 1.2 shows the next one while the last one still goes, and where both are closed quickly it touches
 * one that it has freed. Here the next one comes when the last one has gone, and none is closed before it has come. Main thread. */
#pragma once
#include <adwaita.h>

/* Like adw_toast_overlay_add_toast(); takes the toast. One of high priority ends the one that is seen. */
void vt_toast_show(AdwToastOverlay *overlay, AdwToast *toast);
/* Like adw_toast_dismiss(), for one that was shown in this way. It loses its button at once, and may be seen for a moment more. */
void vt_toast_dismiss(AdwToast *toast);
