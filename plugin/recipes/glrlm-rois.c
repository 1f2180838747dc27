/* SPDX-License-Identifier: MIT
 *
 * Features of run lengths of regions, a row each. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define TABLE .params = { TEXTURE_SETTINGS, { "own-range", "own-range" } }, .stage = "features"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "within", "read", "given(mask)", { "mask" } },
  { "rows", "glrlm-rois", "given(mask)", { "pixels", "within" }, TABLE },
  { "rows", "glrlm-rois", .in = { "pixels" }, TABLE },
};

const VtRecipe vt_recipe_glrlm_rois = {
  .op = &vt_declared_glrlm_rois,
  LIST(nodes, nodes),
  .shares_devices = true,
};
