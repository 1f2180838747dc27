/* SPDX-License-Identifier: MIT
 *
 * What the plugin offers: ops, parameters, stages. Widgets, command line, record and documentation are made from this.
 * Keys and defaults of `nuclei-threshold` follow QuPath's watershed cell detection where it has the parameter. */
#include "recipes/catalogue.h"
#include "steps/texture.h"

/* --- nuclei --- */

static const char *const detection_keys[] = { "hematoxylin", "od-sum" };
static const char *const detection_titles[] = { TR("Hematoxylin OD"), TR("Optical density sum") };
PARAM(detection_image, .type = VITRAIL_PARAM_CHOICE, .key = "detection-image", .title = TR("Detection image"),
      .help = TR("The stain in which nuclei are looked for."), .group = TR("Nuclei"),
      CHOICES(detection_keys, detection_titles));
PARAM(background_radius, .type = VITRAIL_PARAM_FLOAT, .key = "background-radius", .title = TR("Background radius"),
      .help = TR("Structures wider than this count as background; should exceed the largest nucleus. 0 switches the "
                 "background estimate off."),
      .group = TR("Nuclei"), .unit = "µm", .unit_px = "px", .min = 0, .max = 250, .initial = { 8 }, .initial_px = 15,
      .step = 0.5);
PARAM(background_by_reconstruction, .type = VITRAIL_PARAM_BOOL, .key = "background-by-reconstruction",
      .title = TR("Background by reconstruction"),
      .help = TR("Opening by reconstruction keeps the shape of the background; otherwise a plain opening is used."),
      .group = TR("Nuclei"), .initial = { 1 });
PARAM(
  sigma, .type = VITRAIL_PARAM_FLOAT, .key = "sigma", .title = TR("Sigma"),
  .help = TR(
    "Scale of the detail that counts. The residue is smoothed at a third of it, and a pixel must stand out from its "
    "surroundings, smoothed at three times it; 0 switches both off."),
  .group = TR("Nuclei"), .unit = "µm", .unit_px = "px", .min = 0, .max = 50, .initial = { 1.5 }, .initial_px = 3,
  .step = 0.1);
PARAM(threshold, .type = VITRAIL_PARAM_FLOAT, .key = "threshold", .title = TR("Threshold"),
      .help = TR("Nuclei are where the residue is above this."), .group = TR("Intensity"), .unit = "OD", .min = 0,
      .max = 6, .initial = { 0.1 }, .step = 0.01);
PARAM(max_background, .type = VITRAIL_PARAM_FLOAT, .key = "max-background", .title = TR("Maximum background"),
      .help = TR("Objects whose mean background is above this are dropped: folds, pigment, dirt."),
      .group = TR("Intensity"), .unit = "OD", .min = 0, .max = 6.5, .initial = { 2.0 }, .step = 0.1);
PARAM(
  hole_radius, .type = VITRAIL_PARAM_FLOAT, .key = "hole-radius", .title = TR("Widest hole"),
  .help = TR(
    "Background in which a disc of this radius fits is no hole, whatever encloses it: a lumen, a gap in the tissue. "
    "0: holes of any size are filled, so that of a part of a slide nothing is certain, as a ring of "
    "nuclei could enclose all of it."),
  .group = TR("Objects"), .unit = "µm", .unit_px = "px", .min = 0, .max = 250, .initial = { 5 }, .initial_px = 10,
  .step = 0.5);
PARAM(split, .type = VITRAIL_PARAM_BOOL, .key = "split", .title = TR("Split by shape"),
      .help =
        TR("Touching nuclei are parted by a watershed of the distance; otherwise each connected piece is one object."),
      .group = TR("Objects"), .initial = { 1 });
PARAM(seed_depth, .type = VITRAIL_PARAM_FLOAT, .key = "seed-depth", .title = TR("Seed depth"),
      .help = TR("A maximum of the distance must rise by this to be a seed (h-maxima); larger values split less."),
      .group = TR("Objects"), .unit = "µm", .unit_px = "px", .min = 0, .max = 50, .initial = { 0.5 }, .initial_px = 1,
      .step = 0.1);
/* Panels show them in this order: what people change most comes first. */
static const VitrailParam *const nuclei_params[] = {
  &threshold,
  &max_background,
  &pixel_size,
  &detection_image,
  &background_radius,
  &background_by_reconstruction,
  &sigma,
  &min_area,
  &max_area,
  &cell_expansion,
  &outlined,
  &neighbours,
  &hole_radius,
  &split,
  &seed_depth,
  &hematoxylin,
  &eosin,
  &white,
  &algorithm,
  &context,
  &context_limit,
};

STAGE(stage_hematoxylin, .kind = VITRAIL_STAGE_SCALAR, .id = "hematoxylin", .title = TR("Hematoxylin"),
      .help = TR("The stain of nuclei, by colour deconvolution."), .unit = "OD", .colormap = "magma",
      .display_max = 1.5);
STAGE(stage_background, .kind = VITRAIL_STAGE_SCALAR, .id = "background", .title = TR("Background"),
      .help = TR("Opening by reconstruction: what is wider than a nucleus."), .unit = "OD", .colormap = "magma",
      .reach = VITRAIL_REACH_PROPAGATE, .display_max = 1.5);
STAGE(stage_residue, .kind = VITRAIL_STAGE_SCALAR, .id = "residue", .title = TR("Residue"),
      .help = TR("Hematoxylin less background."), .unit = "OD", .colormap = "magma", .reach = VITRAIL_REACH_PROPAGATE,
      .display_max = 1, .flags = VITRAIL_STAGE_ZERO_EMPTY);
STAGE(stage_mask, .kind = VITRAIL_STAGE_MASK, .id = "mask", .title = TR("Mask"),
      .help = TR("Where the smoothed residue is above the threshold and the stain stands out."), .unit = "",
      .colormap = "crimson", .reach = VITRAIL_REACH_PROPAGATE);
STAGE(stage_filled, .kind = VITRAIL_STAGE_MASK, .id = "filled", .title = TR("Filled"),
      .help = TR("The mask with its holes filled, by reconstruction."), .unit = "", .colormap = "black",
      .reach = VITRAIL_REACH_PROPAGATE);
STAGE(stage_distance, .kind = VITRAIL_STAGE_SCALAR, .id = "distance", .title = TR("Distance"),
      .help = TR("Euclidean distance to the nearest pixel outside."), .unit = "µm", .unit_px = "px",
      .colormap = "viridis", .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_ZERO_EMPTY);
STAGE(stage_seeds, .kind = VITRAIL_STAGE_MASK, .id = "seeds", .title = TR("Seeds"),
      .help = TR("h-maxima of the distance, by reconstruction: one for each nucleus to be."), .unit = "",
      .colormap = "mask", .reach = VITRAIL_REACH_PROPAGATE);
STAGE(stage_labels, .kind = VITRAIL_STAGE_LABELS, .id = "labels", .title = TR("Labels"),
      .help = TR("Watershed from the seeds; objects of wrong size dropped."), .unit = "", .colormap = "labels",
      .reach = VITRAIL_REACH_PROPAGATE);
STAGE(stage_objects, .kind = VITRAIL_STAGE_OBJECTS, .id = "objects", .title = TR("Objects"),
      .help = TR("Outline, area, centroid and mean stain of each nucleus."), .unit = "", .colormap = "mint",
      .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_SHOWN);
STAGE(stage_certain_labels, .kind = VITRAIL_STAGE_MASK, .id = "certain", .title = TR("Certain"),
      .help = TR(
        "Pixels of which nothing outside the region could change the object, nor another pixel of that object. Runs "
        "in pieces have none."),
      .unit = "", .colormap = "blue", .reach = VITRAIL_REACH_PROPAGATE, .empty_param = "hole-radius",
      .empty_reason =
        TR("Holes of any size are filled, so nothing inside a slide is certain: set the parameter Widest hole."));
static const VitrailStage *const nuclei_stages[] = {
  &stage_hematoxylin, &stage_background, &stage_residue, &stage_mask,    &stage_filled,
  &stage_distance,    &stage_seeds,      &stage_labels,  &stage_objects, &stage_certain_labels,
};
OP(vt_declared_nuclei_threshold, .reach = VITRAIL_REACH_PROPAGATE, .id = "nuclei-threshold",
   .title = TR("Nuclei by a threshold"),
   .help = TR("Finds nuclei in H&E by a threshold and a watershed, and shows every stage of the way. Faster than a "
              "trained score; misses fewer small ones, and takes more for nuclei that are none."),
   LIST(inputs, image_inputs), LIST(params, nuclei_params), LIST(stages, nuclei_stages));

/* --- GLRLM --- */

INPUT(mask_in_optional, .kind = VITRAIL_INPUT_SCALAR, .id = "mask", .title = TR("Mask"),
      .help = TR("Only pixels that are not zero count."), .flags = VITRAIL_INPUT_OPTIONAL);
static const char *const feature_titles[] = {
  TR("Short run emphasis (SRE)"),
  TR("Long run emphasis (LRE)"),
  TR("Grey level non-uniformity (GLN)"),
  TR("Run length non-uniformity (RLN)"),
  TR("Run percentage (RP)"),
  TR("Low grey level run emphasis (LGRE)"),
  TR("High grey level run emphasis (HGRE)"),
  TR("Short run low grey level emphasis (SRLGE)"),
  TR("Short run high grey level emphasis (SRHGE)"),
  TR("Long run low grey level emphasis (LRLGE)"),
  TR("Long run high grey level emphasis (LRHGE)"),
  TR("Normalised grey level non-uniformity (GLNN)"),
  TR("Normalised run length non-uniformity (RLNN)"),
  TR("Grey level variance (GLV)"),
  TR("Run length variance (RV)"),
  TR("Run entropy (RE)"),
};
PARAM(feature, .type = VITRAIL_PARAM_CHOICE, .key = "feature", .title = TR("Feature"),
      .help = TR("Which run-length feature is mapped."), .group = TR("Texture"),
      CHOICES(vt_texture_features, feature_titles));
static const char *const aggregate_titles[] = { TR("Mean of four directions"), TR("Merged matrix of four directions"),
                                                TR("Along (1,0): horizontal"), TR("Along (1,1): falling diagonal"),
                                                TR("Along (0,1): vertical"),   TR("Along (-1,1): rising diagonal") };
PARAM(aggregate, .type = VITRAIL_PARAM_CHOICE, .key = "aggregate", .title = TR("Directions"),
      .help = TR("Directions (x to the right, y down) and how they are put together."), .group = TR("Texture"),
      CHOICES(vt_texture_aggregates, aggregate_titles));
PARAM(window, .type = VITRAIL_PARAM_INT, .key = "window", .title = TR("Window"),
      .help =
        TR("Edge of the sliding window in analysis pixels; made odd. Windows are clipped at the border of the image."),
      .group = TR("Texture"), .unit = "px", .min = 3, .max = 129, .initial = { 15 }, .step = 2);
PARAM(stride, .type = VITRAIL_PARAM_INT, .key = "stride", .title = TR("Stride"),
      .help = TR("Analysis pixels from window to window."), .group = TR("Texture"), .unit = "px", .min = 1, .max = 1024,
      .initial = { 4 }, .step = 1);
static const char *const binning_titles[] = { TR("Fixed number of levels"), TR("Levels as they are"),
                                              TR("Fixed width of a level") };
PARAM(binning, .type = VITRAIL_PARAM_CHOICE, .key = "binning", .title = TR("Discretisation"),
      .help = TR(
        "Fixed number: the range is cut into equal levels. As they are: values are levels already, 0 lies outside. "
        "Fixed width: levels of one width from the start of the range on, 256 at most."),
      .group = TR("Levels"), CHOICES(vt_texture_binnings, binning_titles));
PARAM(levels, .type = VITRAIL_PARAM_INT, .key = "levels", .title = TR("Grey levels"), .help = TR("Number of levels."),
      .group = TR("Levels"), .unit = "", .min = 2, .max = 256, .initial = { 32 }, .step = 1);
PARAM(bin_width, .type = VITRAIL_PARAM_FLOAT, .key = "bin-width", .title = TR("Width of a level"),
      .help = TR("Of fixed width, in the channel's own units: optical density for a stain."), .group = TR("Levels"),
      .unit = "", .min = 1e-6, .max = 1e9, .initial = { 0.05 }, .step = 0.01);
PARAM(own_range, .type = VITRAIL_PARAM_BOOL, .key = "own-range", .title = TR("Each region's own range"),
      .help = TR(
        "Levels start at the least value of the region, and a fixed number of them ends at its greatest; otherwise "
        "the range is the same for all regions."),
      .group = TR("Levels"));
PARAM(
  range_min, .type = VITRAIL_PARAM_FLOAT, .key = "range-min", .title = TR("Range from"),
  .help = TR("Value at which level 1 starts. If both ends of the range are 0 it is the channel's own: 0 to 255 for 8 "
             "bits, 0 to 2 for "
             "optical densities, 0 to 65535 for 16 bits."),
  .group = TR("Levels"), .unit = "", .min = -1e9, .max = 1e9, .step = 1, .flags = VITRAIL_PARAM_ADVANCED);
PARAM(range_max, .type = VITRAIL_PARAM_FLOAT, .key = "range-max", .title = TR("Range to"),
      .help = TR("Value at which the last level ends."), .group = TR("Levels"), .unit = "", .min = -1e9, .max = 1e9,
      .step = 1, .flags = VITRAIL_PARAM_ADVANCED);
static const char *const windows_titles[] = { TR("Automatic"), TR("Sliding sums"),
                                              TR("Serial walk") PAPERS(TR("Parallel primitives")) };
PARAM(windows_algorithm, .type = VITRAIL_PARAM_CHOICE, .key = "algorithm", .title = TR("Algorithm"),
      .help = TR("How the map is worked out; every choice gives the same values."), .group = TR("Computation"),
      CHOICES(vt_texture_algorithms, windows_titles), .flags = VITRAIL_PARAM_ADVANCED);
static const VitrailParam *const glrlm_map_params[] = {
  &pixel_size,  &channel, &feature, &aggregate,         &window,    &stride, &binning, &levels, &range_min, &range_max,
  &hematoxylin, &eosin,   &white,   &windows_algorithm, &bin_width,
};
STAGE(stage_map, .kind = VITRAIL_STAGE_SCALAR, .id = "result", .title = TR("Texture"),
      .help = TR("The feature of the window round each point."), .unit = "", .colormap = "viridis",
      .reach = VITRAIL_REACH_LOCAL, .flags = VITRAIL_STAGE_SHOWN);
static const VitrailStage *const map_stages[] = { &stage_map };
static const VitrailInputSpec *const glrlm_map_inputs[] = { &image_in, &mask_in_optional };
OP(vt_declared_glrlm_map, .reach = VITRAIL_REACH_LOCAL, .id = "glrlm-map", .title = TR("Texture map (GLRLM)"),
   .help = TR("A grey level run length feature in a sliding window."), LIST(inputs, glrlm_map_inputs),
   LIST(params, glrlm_map_params), LIST(stages, map_stages));

INPUT(rois_in, .kind = VITRAIL_INPUT_ROIS, .id = "rois", .title = TR("Regions"),
      .help = TR("Polygons; left out, the whole region is one."), .flags = VITRAIL_INPUT_OPTIONAL);
static const VitrailInputSpec *const glrlm_rois_inputs[] = { &image_in, &rois_in, &mask_in_optional };
static const VitrailParam *const glrlm_rois_params[] = {
  &pixel_size, &channel,     &aggregate, &binning, &levels,    &range_min,
  &range_max,  &hematoxylin, &eosin,     &white,   &bin_width, &own_range,
};
STAGE(stage_features, .kind = VITRAIL_STAGE_ROWS, .id = "features", .title = TR("Texture features"),
      .help = TR("Grey level run length features, a row for each region."), .unit = "", .reach = VITRAIL_REACH_REDUCE,
      .flags = VITRAIL_STAGE_SHOWN);
static const VitrailStage *const rois_stages[] = { &stage_features };
OP(vt_declared_glrlm_rois, .reach = VITRAIL_REACH_REDUCE, .id = "glrlm-rois", .title = TR("Texture of regions (GLRLM)"),
   .help = TR("Grey level run length features of each region of interest."), LIST(inputs, glrlm_rois_inputs),
   LIST(params, glrlm_rois_params), LIST(stages, rois_stages), .n_columns = VT_TEXTURE_COLUMNS,
   .columns = vt_texture_columns);
