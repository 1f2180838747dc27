/* SPDX-License-Identifier: MIT
 *
 * The bar of a replay under the picture: play, step, slider, what the moment is, whether the end is the result. It also lays the pictures over the
 * canvas, and a click there shows the way that a pixel's value came. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-player.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_PLAYER_BAR (vt_player_bar_get_type())
G_DECLARE_FINAL_TYPE(VtPlayerBar, vt_player_bar, VT, PLAYER_BAR, AdwBin)

GtkWidget *vt_player_bar_new(VtPlayer *player, VtCanvas *canvas);
