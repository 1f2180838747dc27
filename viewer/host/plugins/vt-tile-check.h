/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

#include "vitrail-plugin.h"

G_BEGIN_DECLS

/* Whether its pixels can be read at all: type, size, stride, finite numbers. What it may be in a run is asked elsewhere. */
gboolean vt_tile_is_sound(const VitrailTile *tile);

G_END_DECLS
