/* SPDX-License-Identifier: MIT
 *
 * The image as if it had the stains of a reference (docs/normalisation.md), and its stains. */
#include "engine/recipe.h"
#include "recipes/catalogue.h"
#include "run/params.h"

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "normalized", "normalize", .in = { "pixels" },
    .params = { { "hematoxylin", "hematoxylin-strength" },
                { "other", "eosin-strength" },
                { "reference-hematoxylin", "reference-hematoxylin-strength" },
                { "reference-other", "reference-eosin-strength" } },
    .stage = "normalized" },
  { "hematoxylin", "channel", .in = { "normalized" }, .params = { { "channel", "'hematoxylin'" } },
    .stage = "hematoxylin" },
  { "eosin", "channel", .in = { "normalized" }, .params = { { "channel", "'eosin'" } }, .stage = "eosin" },
};

static VitrailStatus
check(VtRun *run)
{
  return vt_input(run, "image")->type == VITRAIL_RGBA8
           ? VITRAIL_OK
           : vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Stains are normalised in colours; this image has one channel."));
}

#define STRENGTH(of, name, about, heading, value) \
  .type = VITRAIL_PARAM_FLOAT, .key = of, .title = name, .help = about, .group = heading, .unit = "OD", .min = 0.01, \
  .max = 5, .initial = { value }, .step = 0.01
#define OF_SLIDE \
  TR("How strong the stain is in this slide: what one stained pixel in a hundred exceeds, at 2 µm. Estimate From the " \
     "Slide takes it from the slide's own colours; before that it is the reference's.")
#define OF_REFERENCE TR("What the strength of this slide becomes.")

PARAM(own_hematoxylin, HEMATOXYLIN);
PARAM(own_eosin, EOSIN);
PARAM(own_white, WHITE);
PARAM(hematoxylin_strength,
      STRENGTH("hematoxylin-strength", TR("Hematoxylin strength"), OF_SLIDE, TR("Stains"), 0.856));
PARAM(eosin_strength, STRENGTH("eosin-strength", TR("Eosin strength"), OF_SLIDE, TR("Stains"), 0.448));
/* M. Macenko et al. (ISBI 2009): the reference of their program, whose densities are natural logarithms: 1.9705 and 1.0308. */
PARAM(reference_hematoxylin, STAIN("reference-hematoxylin", TR("Reference hematoxylin vector"), 0.5626, 0.7201, 0.4062),
      .group = TR("Reference"));
PARAM(reference_eosin, STAIN("reference-eosin", TR("Reference eosin vector"), 0.2159, 0.8012, 0.5581),
      .group = TR("Reference"));
PARAM(reference_hematoxylin_strength, STRENGTH("reference-hematoxylin-strength", TR("Reference hematoxylin strength"),
                                               OF_REFERENCE, TR("Reference"), 0.856));
PARAM(reference_eosin_strength,
      STRENGTH("reference-eosin-strength", TR("Reference eosin strength"), OF_REFERENCE, TR("Reference"), 0.448));
static const VitrailParam *const params[] = {
  &pixel_size, &own_hematoxylin,       &hematoxylin_strength,           &own_eosin,       &eosin_strength,
  &own_white,  &reference_hematoxylin, &reference_hematoxylin_strength, &reference_eosin, &reference_eosin_strength,
};

STAGE(stage_normalized, .kind = VITRAIL_STAGE_COLOUR, .id = "normalized", .title = TR("Normalised stains"),
      .help = TR("The image as if it had the reference's stains: not what the scanner saw."), .unit = "",
      .reach = VITRAIL_REACH_LOCAL, .flags = VITRAIL_STAGE_SHOWN);
STAGE(stage_hematoxylin, .kind = VITRAIL_STAGE_SCALAR, .id = "hematoxylin", .title = TR("Hematoxylin"),
      .help = TR("The stain of nuclei, normalised."), .unit = "OD", .colormap = "magma", .reach = VITRAIL_REACH_LOCAL,
      .display_max = 1.5);
STAGE(stage_eosin, .kind = VITRAIL_STAGE_SCALAR, .id = "eosin", .title = TR("Eosin"),
      .help = TR("The counterstain, normalised."), .unit = "OD", .colormap = "magma", .reach = VITRAIL_REACH_LOCAL,
      .display_max = 1.5);
static const VitrailStage *const stages[] = { &stage_normalized, &stage_hematoxylin, &stage_eosin };

OP(
  vt_declared_normalize, .reach = VITRAIL_REACH_LOCAL, .id = "normalize", .title = TR("Normalised stains (H&E)"),
  .help = TR("Shows the slide as if it had been stained as a reference was, by its own stain vectors and strengths, so "
             "that a threshold means the same on every slide."),
  LIST(inputs, image_inputs), LIST(params, params), LIST(stages, stages));

const VtRecipe vt_recipe_normalize = {
  .op = &vt_declared_normalize,
  LIST(nodes, nodes),
  .check = check,
};
