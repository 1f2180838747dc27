/* SPDX-License-Identifier: MIT
 *
 * A feature of run lengths in a sliding window. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define MAP \
  .params = { TEXTURE_SETTINGS, \
              { "feature", "feature" }, \
              { "window", "window" }, \
              { "stride", "stride" }, \
              { "algorithm", "algorithm" } }, \
  .stage = "result"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "within", "read", "given(mask)", { "mask" } },
  { "map", "glrlm-map", "given(mask)", { "pixels", "within" }, MAP },
  { "map", "glrlm-map", .in = { "pixels" }, MAP },
};

const VtRecipe vt_recipe_glrlm_map = {
  .op = &vt_declared_glrlm_map,
  LIST(nodes, nodes),
  .shares_devices = true,
};
