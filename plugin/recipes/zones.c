/* SPDX-License-Identifier: MIT
 *
 * Influence zones: geodesic distance from seeds along paths of foreground, and the zone that each seed reaches first (SKIZ). */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define RAW(key) "whole-if(type(pixels) == 'rgba', " key " / scale(channel))"
#define CONNECTIVITY .params = { { "connectivity", "number(connectivity)" } }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "channel", "channel", .in = { "pixels" }, .params = { { "channel", "channel" } } },
  { "mask", "above", .in = { "channel" }, .params = { { "threshold", RAW("threshold") } } },

  /* The labels given, or the connected pieces of what is brighter than the paths need to be. */
  { "seed-pixels", "read", "given(seeds)", { "seeds" } },
  { "seeds", "labels", "given(seeds)", { "seed-pixels" } },
  { "above-seeds", "above", "not given(seeds)", { "channel" }, .params = { { "threshold", RAW("seed-above") } } },
  { "bright", "and", "not given(seeds)", { "above-seeds", "mask" } },
  { "pieces", "components", "not given(seeds)", { "bright" }, CONNECTIVITY },
  { "seeds", "number", .in = { "pieces" }, .facts = { { "seeds", "count(seeds)" } } },

  { "zones", "zones", .in = { "seeds", "mask" }, .also = "steps", CONNECTIVITY },
  { "distance", "length", .in = { "steps" }, .params = { { "scale", "um-per-px" } }, .stage = "distance" },
  { "shown", "show", .in = { "zones" }, .stage = "zones" },
};

const VtRecipe vt_recipe_zones = {
  .op = &vt_declared_zones,
  LIST(nodes, nodes),
  .certain = { "zones" },
  .shares_devices = true,
  .bytes_per_px = "56",
  .certain_bytes_per_px = "56",
};
