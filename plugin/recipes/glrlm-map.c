/* SPDX-License-Identifier: MIT
 *
 * A feature of run lengths in a sliding window. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define WINDOWS .params = { { "window", "window" }, { "stride", "stride" } }, .stage = "result"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "within", "read", "given(mask)", { "mask" } },
  { "map", "glrlm-map", "given(mask)", { "pixels", "within" }, WINDOWS },
  { "map", "glrlm-map", .in = { "pixels" }, WINDOWS },
};

const VtRecipe vt_recipe_glrlm_map = {
  .op = &vt_declared_glrlm_map,
  .nodes = nodes,
  .n_nodes = VT_COUNT(nodes),
  .shares_devices = true,
  .bytes_per_px = "24",
};
