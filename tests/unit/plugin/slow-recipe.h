/* SPDX-License-Identifier: MIT
 *
 * slow-recipe.h: a drawn recipe worked out node by node, by definition: no tiles, threads, pieces, nor places taken over. */
#pragma once

#include "drawn-recipe.h"
#include "vt-backend.h"

/* Images of all nodes but the first, on malloc; colours: RGBA8. False: a step that is not known here. */
bool slow_recipe(const Drawn *d, const VtImage *colours, VtImage images[DRAWN_MOST_NODES]);
