/* SPDX-License-Identifier: MIT
 *
 * The watershed: flooding from seeds, with one answer (docs/nuclei-threshold.md). Height is the channel as floats, for dark objects its
 * negative; outside the objects it lies below everything. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define THRESHOLD "whole-if(type(pixels) == 'rgba', threshold / scale(channel)) * (1 - 2 * (objects == 'dark'))"
#define HEIGHT "whole-if(type(channel) != 'f32', height / scale(channel))"
#define EIGHT .params = { { "connectivity", "8" } }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "channel", "channel", .in = { "pixels" }, .params = { { "channel", "channel" } } },
  { "everywhere", "float", .in = { "channel" }, .params = { { "negative", "objects == 'dark'" } } },
  { "mask", "above", .in = { "everywhere" }, .params = { { "threshold", THRESHOLD } } },
  { "height", "select", .in = { "everywhere", "mask" }, .params = { { "elsewhere", "-infinity" } } },

  { "seed-pixels", "read", "given(seeds)", { "seeds" } },
  { "seeds", "labels", "given(seeds)", { "seed-pixels" } },
  { "somewhere", "where", "given(seeds)", { "seeds" } },
  { "peaks", "and", "given(seeds)", { "somewhere", "mask" } },
  { "lowered",
    "shift-down",
    "not given(seeds)",
    { "height" },
    .params = { { "by", HEIGHT } },
    .facts = { { "height-raw", HEIGHT } } },
  { "domes", "reconstruct", "not given(seeds)", { "lowered", "height" }, EIGHT },
  { "peaks", "extrema", .in = { "domes", "mask" }, EIGHT },
  { "seeds", "components", .in = { "peaks" }, EIGHT },

  { "at-seeds", "select", .in = { "height", "peaks" }, .params = { { "elsewhere", "-infinity" } } },
  { "level", "reconstruct", .in = { "at-seeds", "height" }, EIGHT },
  { "result", "watershed", "given(seeds)", { "level", "seeds", "mask" }, .stage = "result" },
  { "labels", "watershed", "not given(seeds)", { "level", "seeds", "mask" } },
  { "numbered", "number", "not given(seeds)", { "labels" } },
  { "result", "show", .in = { "numbered" }, .stage = "result", .facts = { { "objects", "count(result)" } } },
};

const VtRecipe vt_recipe_watershed = {
  .op = &vt_declared_watershed,
  LIST(nodes, nodes),
  .certain = { "labels", "result" },
  .shares_devices = true,
  .bytes_per_px = "64",
  .certain_bytes_per_px = "88",
};
