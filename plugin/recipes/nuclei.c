/* SPDX-License-Identifier: MIT
 *
 * Nuclei as the best set of candidate regions that do not overlap, by a trained score (docs/nuclei.md). */
#include <math.h>
#include <string.h>

#include "engine/recipe.h"
#include "recipes/catalogue.h"
#include "run/params.h"

#define LARGEST_PX "round(largest / um-per-px)"
#define LARGEST "max(" LARGEST_PX ", 16)"
#define IS_STAINED "type(pixels) == 'rgba' and preset != 'fluorescence'"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "red", "channel", .in = { "pixels" }, .params = { { "channel", "'red'" } } },
  { "green", "channel", .in = { "pixels" }, .params = { { "channel", "'green'" } } },
  { "blue", "channel", .in = { "pixels" }, .params = { { "channel", "'blue'" } } },
  /* What is measured beside the score; here, so that a run in pieces decodes the slide once. */
  { "stain", "channel", IS_STAINED, { "pixels" }, .params = { { "channel", "'hematoxylin'" } } },
  { "luminance", "channel", .in = { "pixels" }, .params = { { "channel", "'luminance'" } } },
  { "stain", "widen", .in = { "luminance" } },

  { "pieces", "regions", .in = { "red", "green", "blue" }, .also = "score",
    .params = { { "preset", "preset" },
                { "largest", LARGEST },
                { "um-per-px", "calibrated * um-per-px" },
                { "cutoff", "floor(min-score * 65535)" } },
    .facts = { { "largest-px", LARGEST } } },
  { "shown", "widen", .in = { "score" }, .stage = "score" },
  { "labels", "objects", .in = { "pieces", "stain", "shown" },
    .params = { { "min-area", MIN_AREA }, { "max-area", MAX_AREA }, { "max-background", "infinity" } },
    .stage = "labels", .facts = { AREA_FACTS, { "objects", "count(labels)" } } },
  { "objects", "outlines", .in = { "labels", "stain" },
    .params = { { "expansion", EXPANSION }, { "cells", OUTLINES_CELLS } }, .stage = "objects" },
};

static const VtMeasurement measurements[] = {
  SHAPE_OF("Nucleus"),
  { "Nucleus: Score", NULL, VITRAIL_QUANTITY_MEAN_B, "scale(shown)" },
  VALUES_OF("Nucleus: Hematoxylin OD", IS_STAINED, "scale(stain)"),
  VALUES_OF("Nucleus: Luminance", "not (" IS_STAINED ")", "scale(stain)"),
  CELL_SHAPE,
  CELL_VALUES_OF("Hematoxylin OD", IS_STAINED, "scale(stain)"),
  CELL_VALUES_OF("Luminance", "not (" IS_STAINED ")", "scale(stain)"),
  NEIGHBOURS,
};

static VitrailStatus
check(VtRun *run)
{
  const VtType type = vt_input(run, "image")->type;
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : run->grid.downsample;
  const double largest = round(vt_param(run, "largest") / um);
  if (type != VITRAIL_RGBA8 && type != VITRAIL_U8)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   TR("Nuclei are looked for in colours or grey of 8 bits; this image has other pixels."));
  const char *preset = vt_param_choice(run, "preset");
  if (type != VITRAIL_RGBA8 && strcmp(preset, "cytology") != 0 && strcmp(preset, "fluorescence") != 0)
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT,
      TR("Nuclei in stained tissue are looked for in colours; this image has one channel: choose cytology or "
         "fluorescence."));
  if (largest > VT_REGIONS_MOST)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   TR("The largest nucleus would be more than 240 pixels across: choose a coarser pixel size, or a "
                      "smaller nucleus."));
  if (largest < VT_REGIONS_LEAST)
    vt_log(
      run, VITRAIL_LOG_WARNING, "%s",
      TR("The largest nucleus is less than 16 pixels across, and is taken as 16: such small ones are hardly found. "
         "Zoom in, or choose a finer pixel size."));
  vt_params_say_below_pixel(run, 0, vt_param(run, "min-area") / (um * um));
  vt_params_say_no_area(run);
  return VITRAIL_OK;
}

static const char *const preset_keys[] = { "auto", "tissue", "tissue-small", "cytology", "fluorescence" };
static const char *const preset_titles[] = { TR("Automatic"), TR("Stained tissue"), TR("Stained tissue, small nuclei"),
                                             TR("Cytology"), TR("Fluorescence") };
PARAM(
  preset, .type = VITRAIL_PARAM_CHOICE, .key = "preset", .title = TR("Kind of image"),
  .help = TR(
    "Stained tissue: sections, dark nuclei on a bright ground, small ones where they are less than some 15 pixels "
    "wide, as at 0.5 µm per pixel. Cytology: smears and single cells. Fluorescence: bright nuclei on a dark ground. "
    "Each has a score of its own, trained on images of that kind. Automatic: by a look at the whole image, "
    "fluorescence on a dark ground, cytology without colour, else stained tissue, with small nuclei where a pixel "
    "of the analysis is known to be more than 0.35 µm, or is not known and what is dark is less than 10 pixels wide."),
  .group = TR("Nuclei"), CHOICES(preset_keys, preset_titles));
PARAM(largest, .type = VITRAIL_PARAM_FLOAT, .key = "largest", .title = TR("Largest nucleus"),
      .help = TR(
        "No side of a nucleus's upright box is longer than this, nor of a clump's that is taken apart into nuclei. A "
        "larger value takes longer, and leaves a wider margin of what is not certain."),
      .group = TR("Nuclei"), .unit = "µm", .unit_px = "px", .min = 1, .max = 200, .initial = { 36 }, .initial_px = 144,
      .step = 1);
PARAM(min_score, .type = VITRAIL_PARAM_FLOAT, .key = "min-score", .title = TR("Least score"),
      .help = TR(
        "Only regions with a higher score are chosen from: a lower one finds more nuclei, and more that are none. The "
        "score, 0 to 1, is how well an outline is expected to agree with one that was drawn by hand: the shared area "
        "over the joint area."),
      .group = TR("Nuclei"), .unit = "", .min = 0, .max = 1, .initial = { 0.4 }, .step = 0.05);
PARAM(least_area, .type = VITRAIL_PARAM_FLOAT, .key = "min-area", .title = TR("Minimum area"),
      .help = TR("Smaller objects are dropped."), .group = TR("Objects"), .unit = "µm²", .unit_px = "px²", .min = 0,
      .max = 1e6, .initial = { 5 }, .initial_px = 10, .step = 1);
PARAM(most_area, .type = VITRAIL_PARAM_FLOAT, .key = "max-area", .title = TR("Maximum area"),
      .help = TR("Larger objects are dropped."), .group = TR("Objects"), .unit = "µm²", .unit_px = "px²", .min = 0,
      .max = 1e9, .initial = { 400 }, .initial_px = 10000, .step = 10);
static const VitrailParam *const params[] = {
  &preset,   &min_score,  &pixel_size,  &largest, &least_area, &most_area, &cell_expansion,
  &outlined, &neighbours, &hematoxylin, &eosin,   &white,      &context,   &context_limit,
};

STAGE(stage_score, .kind = VITRAIL_STAGE_SCALAR, .id = "score", .title = TR("Score"),
      .help = TR(
        "How well a nucleus's outline is expected to agree with one that was drawn by hand: 0 to 1. Where there is "
        "none, the best of the regions that were refused."),
      .unit = "", .colormap = "viridis", .reach = VITRAIL_REACH_LOCAL, .display_max = 1,
      .flags = VITRAIL_STAGE_ZERO_EMPTY);
STAGE(stage_labels, .kind = VITRAIL_STAGE_LABELS, .id = "labels", .title = TR("Labels"),
      .help = TR("The chosen regions, but for objects of the wrong size."), .unit = "", .colormap = "labels",
      .reach = VITRAIL_REACH_LOCAL);
STAGE(stage_objects, .kind = VITRAIL_STAGE_OBJECTS, .id = "objects", .title = TR("Objects"),
      .help = TR("Outline, area, score and mean stain of each nucleus."), .unit = "", .colormap = "mint",
      .reach = VITRAIL_REACH_LOCAL, .flags = VITRAIL_STAGE_SHOWN);
STAGE(stage_certain, .kind = VITRAIL_STAGE_MASK, .id = "certain", .title = TR("Certain"),
      .help = TR(
        "Pixels of which nothing outside the region could change the object, nor another pixel of that object. Runs "
        "in pieces have none."),
      .unit = "", .colormap = "blue", .reach = VITRAIL_REACH_LOCAL);
static const VitrailStage *const stages[] = { &stage_score, &stage_labels, &stage_objects, &stage_certain };

OP(vt_declared_nuclei, .reach = VITRAIL_REACH_LOCAL, .id = "nuclei", .title = TR("Nuclei by a trained score"),
   .help = TR(
     "Finds nuclei by choosing, among many candidate regions, those that a score trained on outlines drawn by hand "
     "likes best. The outlines are of small fields, taken at several pixel sizes and stains; fibres and keratin are "
     "still taken for nuclei at times."),
   LIST(inputs, image_inputs), LIST(params, params), LIST(stages, stages));

const VtRecipe vt_recipe_nuclei = {
  .op = &vt_declared_nuclei,
  LIST(nodes, nodes),
  .title = "Nuclei by a trained score",
  .certain = { "labels" },
  LIST(measurements, measurements),
  .check = check,
  .bytes_per_px = "112",
  .certain_bytes_per_px = "136",
};
