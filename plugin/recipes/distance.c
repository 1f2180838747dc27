/* SPDX-License-Identifier: MIT
 *
 * Distance: foreground by a threshold, distance in µm (pixels without a pixel size), its square in whole units, or the nearest
 * background pixel. Pixels that are not square have whole-numbered weights for the squares of their sides. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define RAW(key) "whole-if(type(pixels) == 'rgba', " key " / scale(channel))"
#define MEASURED "(pixel-shape == 'measured')"
#define WEIGHT(name) MEASURED " * " name " + (pixel-shape == 'square')"
#define UNIT "(" MEASURED " * um-per-unit + (pixel-shape == 'square') * um-per-px)"
#define CAP "(cap > 0) * max(min(ceil(cap / " UNIT " * (cap / " UNIT ")), 4e18), 1)"
#define SETTINGS \
  { "scale", UNIT }, { "weight-x", WEIGHT("weight-x") }, { "weight-y", WEIGHT("weight-y") }, { "cap", CAP }, \
  { \
    "algorithm", "algorithm" \
  }
/* What is no number is not recorded: a unit in µm without a pixel size, a cap that is off. */
#define FACTS \
  .facts = { { "weight-x", WEIGHT("weight-x") }, \
             { "weight-y", WEIGHT("weight-y") }, \
             { "um-per-unit", UNIT " / calibrated" }, \
             { "cap-squared", CAP " / (cap > 0)" } }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "channel", "channel", .in = { "pixels" }, .params = { { "channel", "channel" } } },
  { "foreground", "above", .in = { "channel" }, .params = { { "threshold", RAW("threshold") } } },
  { "distance",
    "distance",
    "output == 'euclidean'",
    { "foreground" },
    .params = { SETTINGS },
    .stage = "result",
    FACTS },
  { "distance", "distance", .in = { "foreground" },
    .params = { { "output", "(output == 'squared') + 2 * (output == 'nearest')" }, SETTINGS }, FACTS },
  { "squared",
    "narrow",
    "output == 'squared'",
    { "distance" },
    .params = { { "scale", UNIT " * " UNIT } },
    .stage = "squared" },
  { "nearest",
    "narrow",
    "output == 'nearest'",
    { "distance" },
    .params = { { "scale", "1" }, { "numbers", "1" } },
    .stage = "nearest" },
};

const VtRecipe vt_recipe_distance = {
  .op = &vt_declared_distance,
  LIST(nodes, nodes),
  .certain = { "squared", "nearest", "distance" },
  .shares_devices = true,
  .bytes_per_px = "25"
#ifdef VT_PAPERS /* a choice that is left out has no name to be compared with */
                  " + 20 * (algorithm == 'danielsson')"
#endif
  ,
  .certain_bytes_per_px = "25",
};
