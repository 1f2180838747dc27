/* SPDX-License-Identifier: MIT
 *
 * Nuclei: hematoxylin -> background -> residue -> mask -> filled -> distance -> seeds -> labels -> objects (docs/nuclei-threshold.md). */
#include "engine/recipe.h"
#include "recipes/catalogue.h"
#include "run/params.h"

#define RADIUS "round(background-radius / um-per-px)"
#define THRESHOLD "round(threshold / scale(hematoxylin))"
#define INNER "sigma / um-per-px / 3"
#define OUTER "sigma / um-per-px * 3"
#define BACKGROUND .stage = "background", .facts = { { "background-radius-px", RADIUS } }
#define MASK \
  .stage = "mask", .facts = { { "sigma-px", "sigma / um-per-px" }, \
                              { "sigma-inner-px", INNER }, \
                              { "sigma-outer-px", OUTER }, \
                              { "threshold-raw", THRESHOLD } }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "hematoxylin", "channel", .in = { "pixels" }, .params = { { "channel", "detection-image" } },
    .stage = "hematoxylin" },

  /* What is wider than a nucleus: an opening by reconstruction, or a plain one, whose dilation is the erosion of the
   * complement. */
  { "background", "subtract", RADIUS " == 0", { "hematoxylin", "hematoxylin" }, BACKGROUND },
  { "eroded", "erode", .in = { "hematoxylin" }, .params = { { "radius", RADIUS } } },
  { "background",
    "reconstruct",
    "background-by-reconstruction",
    { "eroded", "hematoxylin" },
    .params = { { "connectivity", "8" } },
    BACKGROUND },
  { "inverted", "complement", .in = { "eroded" } },
  { "dilated", "erode", .in = { "inverted" }, .params = { { "radius", RADIUS } } },
  { "background", "complement", .in = { "dilated" }, BACKGROUND },
  { "residue", "subtract", .in = { "hematoxylin", "background" }, .stage = "residue" },

  /* The mask: where the smoothed residue is above the threshold, and the stain stands out. It stands out where, smoothed at a third
   * of sigma, it exceeds its surroundings, smoothed at three times sigma: a band-pass round sigma, as QuPath's Laplacian of
   * Gaussian. That keeps the gaps between crowded nuclei open. */
  { "smoothed", "smooth", .in = { "residue" }, .params = { { "sigma", INNER } } },
  { "mask", "above", "sigma == 0", { "smoothed" }, .params = { { "threshold", THRESHOLD } }, MASK },
  { "bright", "above", .in = { "smoothed" }, .params = { { "threshold", THRESHOLD } } },
  { "inner", "smooth", .in = { "hematoxylin" }, .params = { { "sigma", INNER } } },
  { "outer", "smooth", .in = { "hematoxylin" }, .params = { { "sigma", OUTER } } },
  { "band", "subtract", .in = { "inner", "outer" } },
  { "standing-out", "above", .in = { "band" }, .params = { { "threshold", "0" } } },
  { "mask", "and", .in = { "bright", "standing-out" }, MASK },

  /* Background that neither the border nor what is wide can reach, going from pixel to pixel by edges, is a hole. */
  { "outside", "not", .in = { "mask" } },
  { "hole-distance", "distance", "hole-radius > 0", { "outside" }, .params = { { "scale", "um-per-px" } } },
  { "wide", "above", "hole-radius > 0", { "hole-distance" }, .params = { { "threshold", "hole-radius" } } },
  { "wide", "lower", .in = { "outside" }, .params = { { "by", "255" } } },
  { "open", "border", .in = { "outside", "wide" } },
  { "reached", "reconstruct", .in = { "open", "outside" }, .params = { { "connectivity", "4" } } },
  { "filled", "not", .in = { "reached" }, .stage = "filled" },
  { "distance", "distance", .in = { "filled" }, .params = { { "scale", "um-per-px" } }, .stage = "distance" },

  /* Regional maxima of the reconstruction of distance - h under distance, inside the filled mask only: outside lies lower
   * than any marker, so that each piece has a maximum of its own, however shallow. It lies so low that a float less h is the
   * same float: there the marker is the mask, and nothing has to rise. */
  { "bounded", "select", .in = { "distance", "filled" }, .params = { { "elsewhere", "-1e30" } } },
  { "lowered", "shift-down", .in = { "bounded" }, .params = { { "by", "seed-depth" } } },
  { "domes", "reconstruct", .in = { "lowered", "bounded" }, .params = { { "connectivity", "8" } } },
  { "maxima", "extrema", .in = { "domes" }, .params = { { "connectivity", "8" } } },
  { "seeds", "and", .in = { "maxima", "filled" }, .stage = "seeds" },

  /* Of "bounded", which is the distance inside, so that it can be written over the distance, and these over it. */
  { "heights", "select", .in = { "bounded", "filled" }, .params = { { "elsewhere", "-1" } } },
  { "at-seeds", "select", .in = { "heights", "seeds" }, .params = { { "elsewhere", "-1" } } },
  { "level", "reconstruct", .in = { "at-seeds", "heights" }, .params = { { "connectivity", "8" } } },
  { "numbered", "components", .in = { "seeds" }, .params = { { "connectivity", "8" } } },
  { "pieces", "watershed", "split", { "level", "numbered", "filled" } },
  { "pieces", "components", .in = { "filled" }, .params = { { "connectivity", "8" } } },
  { "labels", "objects", .in = { "pieces", "hematoxylin", "background" },
    .params = { { "min-area", MIN_AREA },
                { "max-area", MAX_AREA },
                { "max-background", "max-background / scale(hematoxylin)" } },
    .stage = "labels", .facts = { AREA_FACTS, { "objects", "count(labels)" } } },
  { "objects", "outlines", .in = { "labels", "hematoxylin" },
    .params = { { "expansion", EXPANSION }, { "cells", OUTLINES_CELLS } }, .stage = "objects" },
};

static const VtMeasurement measurements[] = {
  SHAPE_OF("Nucleus"),
  VALUES_OF("Nucleus: OD sum", "detection-image == 'od-sum'", "scale(hematoxylin)"),
  VALUES_OF("Nucleus: Hematoxylin OD", "detection-image != 'od-sum'", "scale(hematoxylin)"),
  { "Nucleus: Background OD mean", NULL, VITRAIL_QUANTITY_MEAN_B, "scale(hematoxylin)" },
  CELL_SHAPE,
  CELL_VALUES_OF("OD sum", "detection-image == 'od-sum'", "scale(hematoxylin)"),
  CELL_VALUES_OF("Hematoxylin OD", "detection-image != 'od-sum'", "scale(hematoxylin)"),
  NEIGHBOURS,
};

static VitrailStatus
check(VtRun *run)
{
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : run->grid.downsample;
  if (vt_input(run, "image")->type != VITRAIL_RGBA8)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Nuclei are found in colour images; this image has one channel."));
  vt_params_say_below_pixel(run, vt_param(run, "sigma") / um, vt_param(run, "min-area") / (um * um));
  vt_params_say_no_area(run);
  return VITRAIL_OK;
}

const VtRecipe vt_recipe_nuclei_threshold = {
  .op = &vt_declared_nuclei_threshold,
  LIST(nodes, nodes),
  .title = "Nuclei by a threshold",
  .certain = { "labels" },
  LIST(measurements, measurements),
  .check = check,
  .bytes_per_px = "80",
  .certain_bytes_per_px = "104",
};
