/* SPDX-License-Identifier: MIT
 *
 * Under a slider over the ticks of a wave: how many pixels get their last value at each tick, the square root of the number; in what part of the
 * tiles they lie, as a line; and what happens as marks.
 * A press or a drag seeks. Signal: "sought" (guint tick). */
#pragma once
#include <gtk/gtk.h>

#include "run/vt-wave.h"

#define VT_TYPE_PLAYER_STRIP (vt_player_strip_get_type())
G_DECLARE_FINAL_TYPE(VtPlayerStrip, vt_player_strip, VT, PLAYER_STRIP, GtkWidget)

/* NULL: none. The slider, which must outlive it, says where ticks lie. */
void vt_player_strip_set_wave(VtPlayerStrip *self, VtWave *wave, GtkRange *slider);
void vt_player_strip_set_tick(VtPlayerStrip *self, guint32 tick);
