/* SPDX-License-Identifier: MIT
 *
 * Morphology: what is built on reconstruction (Vincent 1993). Closing is the opening of the complement, and so is every other
 * dual; a difference of complements is the difference turned round, and needs no way back. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"

#define IS(key) "operation == '" key "'"
#define IS_HAT "(" IS("top-hat") " or " IS("bottom-hat") ")"
#define IS_OPENING "(" IS("opening-by-reconstruction") " or " IS("closing-by-reconstruction") " or " IS_HAT ")"
#define IS_DUAL \
  "(" IS("closing-by-reconstruction") " or " IS("bottom-hat") " or " IS("h-minima") " or " IS("fill-holes") ")"
#define RADIUS "round(radius / um-per-px)"
#define HEIGHT "whole-if(type(image) != 'f32', height / scale(image))"
#define CONNECTIVITY .params = { { "connectivity", "number(connectivity)" } }
#define RESULT .stage = "result"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "image", "channel", "not " IS_DUAL, { "pixels" }, .params = { { "channel", "channel" } } },
  { "channel", "channel", IS_DUAL, { "pixels" }, .params = { { "channel", "channel" } } },
  { "image", "complement", .in = { "channel" } },

  { "eroded",
    "erode",
    IS_OPENING,
    { "image" },
    .params = { { "radius", RADIUS } },
    .facts = { { "radius-px", RADIUS } } },
  { "result", "reconstruct", IS("opening-by-reconstruction"), { "eroded", "image" }, CONNECTIVITY, RESULT },
  { "opened", "reconstruct", IS_OPENING, { "eroded", "image" }, CONNECTIVITY },
  { "result", "complement", IS("closing-by-reconstruction"), { "opened" }, RESULT },
  { "result", "subtract", IS_HAT, { "image", "opened" }, RESULT },

  { "lowered",
    "lower",
    IS("h-maxima") " or " IS("h-minima"),
    { "image" },
    .params = { { "by", HEIGHT } },
    .facts = { { "height-raw", HEIGHT } } },
  { "result", "reconstruct", IS("h-maxima"), { "lowered", "image" }, CONNECTIVITY, RESULT },
  { "domes", "reconstruct", IS("h-minima"), { "lowered", "image" }, CONNECTIVITY },
  { "result", "complement", IS("h-minima"), { "domes" }, RESULT },

  { "result", "extrema", IS("regional-maxima"), { "image" }, CONNECTIVITY, RESULT },
  { "result",
    "extrema",
    IS("regional-minima"),
    { "image" },
    .params = { { "connectivity", "number(connectivity)" }, { "minima", "1" } },
    RESULT },

  /* What the border reaches: its pixels keep their values, the others begin at the lowest. */
  { "lowest", "lower", IS("fill-holes") " or " IS("clear-border"), { "image" }, .params = { { "by", "infinity" } } },
  { "border", "border", IS("fill-holes") " or " IS("clear-border"), { "image", "lowest" } },
  { "reached", "reconstruct", IS("fill-holes") " or " IS("clear-border"), { "border", "image" }, CONNECTIVITY },
  { "result", "complement", IS("fill-holes"), { "reached" }, RESULT },
  { "result", "subtract", IS("clear-border"), { "image", "reached" }, RESULT },

  { "foreground", "above", IS("area-filter"), { "image" }, .params = { { "threshold", "threshold / scale(image)" } } },
  { "result",
    "sized",
    IS("area-filter"),
    { "foreground" },
    .params = { { "connectivity", "number(connectivity)" },
                { "min-area", "min-area / (um-per-px * um-per-px)" },
                { "max-area", "max-area / (um-per-px * um-per-px)" } },
    RESULT },
};

const VtRecipe vt_recipe_morphology = {
  .op = &vt_declared_morphology,
  LIST(nodes, nodes),
  .certain = { "opened", "reached", "result" }, /* the image itself is certain, so a difference is where they are */
  .shares_devices = true,
  .bytes_per_px = "24",
  .certain_bytes_per_px = "24",
};
