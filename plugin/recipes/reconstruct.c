/* SPDX-License-Identifier: MIT
 *
 * Reconstruction of a mask from a marker, which is given or made from the mask. By erosion all of it happens to complements. */
#include <string.h>

#include "engine/recipe.h"
#include "recipes/catalogue.h"
#include "run/params.h"

#define BY_EROSION "method == 'erosion'"
#define IS_MADE(kind) "not given(marker) and marker-kind == '" kind "'"
#define HEIGHT "whole-if(type(image) != 'f32', height / scale(image))"
#define CHANNEL .params = { { "channel", "channel" } }
#define CONNECTIVITY .params = { { "connectivity", "number(connectivity)" } }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "mask" } },
  { "image", "channel", "not " BY_EROSION, { "pixels" }, CHANNEL },
  { "channel", "channel", BY_EROSION, { "pixels" }, CHANNEL },
  { "image", "complement", .in = { "channel" } },

  { "marker-pixels", "read", "given(marker)", { "marker" } },
  { "marker", "marker", "given(marker) and not (" BY_EROSION ")", { "marker-pixels", "image" } },
  { "upright", "marker", "given(marker)", { "marker-pixels", "image" } },
  { "marker", "complement", "given(marker)", { "upright" } },
  { "marker",
    "lower",
    IS_MADE("h-max"),
    { "image" },
    .params = { { "by", HEIGHT } },
    .facts = { { "height-raw", HEIGHT } } },
  { "lowest", "lower", .in = { "image" }, .params = { { "by", "infinity" } } },
  { "marker", "border", IS_MADE("border"), { "image", "lowest" } },
  { "marker", "brightest", IS_MADE("one-pixel"), { "image", "lowest" } },

  { "result", "reconstruct", "not " BY_EROSION, { "marker", "image" }, CONNECTIVITY, .stage = "result" },
  { "grown", "reconstruct", .in = { "marker", "image" }, CONNECTIVITY },
  { "result", "complement", .in = { "grown" }, .stage = "result" },
};

static VitrailStatus
check(VtRun *run)
{
  const char *kind = vt_param_choice(run, "marker-kind");
  if (vt_input(run, "marker") && strcmp(kind, "h-max") != 0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "A marker image is given, so marker-kind can't be \"%s\".", kind);
  return VITRAIL_OK;
}

const VtRecipe vt_recipe_reconstruct = {
  .op = &vt_declared_reconstruct,
  LIST(nodes, nodes),
  .certain = { "result" },
  .check = check,
  .shares_devices = true,
  .bytes_per_px = "17",
  .certain_bytes_per_px = "17",
};
