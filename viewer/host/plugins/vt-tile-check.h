/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

#include "vitrail-plugin.h"

/* Whether its pixels can be read at all: type, size, stride, finite numbers. What it may be in a run is asked elsewhere. */
gboolean vt_tile_is_sound(const VitrailTile *tile);
/* The same of a wave: kind, type, size, what is given and what is not. Of its ticks and levels nothing. */
gboolean vt_wave_is_sound(const VitrailWave *wave);
