/* SPDX-License-Identifier: MIT
 *
 * The ops of unbounded reach but `nuclei-threshold`: reconstruction and what is built on it, distance, zones, watershed. */
#include "recipes/catalogue.h"

STAGE(stage_certain, .kind = VITRAIL_STAGE_MASK, .id = "certain", .title = TR("Certain"),
      .help = TR("Pixels that nothing outside the region could change: the whole slide's answer. Runs that can't say "
                 "so have none: streamed ones, one bright pixel as the marker, Danielsson's distance."),
      .unit = "", .colormap = "blue", .reach = VITRAIL_REACH_PROPAGATE);

/* --- reconstruct --- */

INPUT(rec_mask_in, .kind = VITRAIL_INPUT_IMAGE, .id = "mask", .title = TR("Mask"),
      .help = TR("The image that bounds the growth."), .flags = VITRAIL_INPUT_PRIMARY);
INPUT(rec_marker_in, .kind = VITRAIL_INPUT_SCALAR, .id = "marker", .title = TR("Marker"),
      .help = TR("What grows; left out, it is made from the mask."), .flags = VITRAIL_INPUT_OPTIONAL);
static const VitrailInputSpec *const reconstruct_inputs[] = { &rec_mask_in, &rec_marker_in };
static const char *const method_keys[] = { "dilation", "erosion" };
static const char *const method_titles[] = { TR("By dilation"), TR("By erosion") };
PARAM(method, .type = VITRAIL_PARAM_CHOICE, .key = "method", .title = TR("Method"),
      .help = TR("By dilation the marker grows up to the mask; by erosion it shrinks down to it."),
      .group = TR("Reconstruction"), CHOICES(method_keys, method_titles));
static const char *const connectivity_keys[] = { "8", "4" };
static const char *const connectivity_titles[] = { TR("8 neighbours"), TR("4 neighbours") };
PARAM(connectivity, .type = VITRAIL_PARAM_CHOICE, .key = "connectivity", .title = TR("Connectivity"),
      .help = TR("Which pixels touch."), .group = TR("Reconstruction"),
      CHOICES(connectivity_keys, connectivity_titles));
PARAM(height, .type = VITRAIL_PARAM_FLOAT, .key = "height", .title = TR("Height"),
      .help = TR("For h-maxima: marker = mask less this (by erosion mask plus this), in the mask's own "
                 "units (OD for a stain)."),
      .group = TR("Reconstruction"), .unit = "", .min = 0, .max = 1e6, .initial = { 40 }, .step = 1);
static const char *const marker_keys[] = { "h-max", "one-pixel", "border" };
static const char *const marker_titles[] = { TR("Mask less the height (h-maxima)"), TR("One pixel"), TR("Border") };
PARAM(
  marker_kind, .type = VITRAIL_PARAM_CHOICE, .key = "marker-kind", .title = TR("Marker made from the mask"),
  .help = TR("Without a marker image. One pixel: the brightest of the region keeps its value, the first of equals; "
             "border: the pixels of the border keep theirs; all others begin at the lowest (by erosion the darkest, "
             "and the highest)."),
  .group = TR("Reconstruction"), CHOICES(marker_keys, marker_titles));
static const VitrailParam *const reconstruct_params[] = {
  &pixel_size, &channel,       &method,      &connectivity, &marker_kind, &height,
  &context,    &context_limit, &hematoxylin, &eosin,        &white,       &algorithm,
};
STAGE(stage_reconstruct, .kind = VITRAIL_STAGE_SCALAR, .id = "result", .title = TR("Reconstruction"),
      .help = TR("The marker, grown as far as the mask lets it."), .unit = "", .colormap = "viridis",
      .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_SHOWN);
static const VitrailStage *const reconstruct_stages[] = { &stage_reconstruct, &stage_certain };
OP(vt_declared_reconstruct, .reach = VITRAIL_REACH_PROPAGATE, .id = "reconstruct", .title = TR("Reconstruction"),
   .help = TR("Morphological reconstruction of a mask from a marker."), LIST(inputs, reconstruct_inputs),
   LIST(params, reconstruct_params), LIST(stages, reconstruct_stages));

/* --- morphology --- */

static const char *const operation_keys[] = {
  "opening-by-reconstruction", "closing-by-reconstruction", "top-hat",    "bottom-hat",   "h-maxima",   "h-minima",
  "regional-maxima",           "regional-minima",           "fill-holes", "clear-border", "area-filter"
};
static const char *const operation_titles[] = { TR("Opening by reconstruction"),
                                                TR("Closing by reconstruction"),
                                                TR("Top-hat"),
                                                TR("Bottom-hat"),
                                                TR("h-maxima"),
                                                TR("h-minima"),
                                                TR("Regional maxima"),
                                                TR("Regional minima"),
                                                TR("Fill holes"),
                                                TR("Clear border"),
                                                TR("Area filter") };
PARAM(operation, .type = VITRAIL_PARAM_CHOICE, .key = "operation", .title = TR("Operation"),
      .help = TR(
        "Opening and closing remove what is narrower than the disc and keep the shape of the rest; the hats are what "
        "they remove. h-maxima lower peaks by the height. Regional extrema are plateaus without a higher (lower) "
        "neighbour. Holes can't be reached from the border; clear border removes what touches it. The area filter "
        "keeps connected pieces of the foreground by their size."),
      .group = TR("Morphology"), CHOICES(operation_keys, operation_titles));
PARAM(radius, .type = VITRAIL_PARAM_FLOAT, .key = "radius", .title = TR("Radius"), .help = TR("Of the disc."),
      .group = TR("Morphology"), .unit = "µm", .unit_px = "px", .min = 0, .max = 250, .initial = { 4 }, .initial_px = 8,
      .step = 0.5);
PARAM(piece_threshold, .type = VITRAIL_PARAM_FLOAT, .key = "threshold", .title = TR("Foreground above"),
      .help = TR("For the area filter, in the image's own units (OD for a stain)."), .group = TR("Morphology"),
      .unit = "", .min = -1e9, .max = 1e9, .initial = { 0 }, .step = 0.05);
static const VitrailParam *const morphology_params[] = {
  &pixel_size, &channel,     &operation, &connectivity, &radius,    &height,  &piece_threshold, &min_area,
  &max_area,   &hematoxylin, &eosin,     &white,        &algorithm, &context, &context_limit,
};
STAGE(stage_morphology, .kind = VITRAIL_STAGE_SCALAR, .id = "result", .title = TR("Morphology"),
      .help = TR("What the operation leaves of the image."), .unit = "", .colormap = "viridis",
      .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_SHOWN | VITRAIL_STAGE_ZERO_EMPTY);
static const VitrailStage *const morphology_stages[] = { &stage_morphology, &stage_certain };
OP(vt_declared_morphology, .reach = VITRAIL_REACH_PROPAGATE, .id = "morphology", .title = TR("Morphology"),
   .help = TR("Openings, hats, extrema, holes and pieces: what is built on reconstruction."),
   LIST(inputs, image_inputs), LIST(params, morphology_params), LIST(stages, morphology_stages));

/* --- distance --- */

static const char *const output_keys[] = { "euclidean", "squared", "nearest" };
static const char *const output_titles[] = { TR("Euclidean distance"), TR("Squared distance"),
                                             TR("Nearest background pixel") };
PARAM(output, .type = VITRAIL_PARAM_CHOICE, .key = "output", .title = TR("Output"),
      .help = TR("The distance, its square in whole numbers, or which background pixel is the nearest one."),
      .group = TR("Distance"), CHOICES(output_keys, output_titles));
PARAM(foreground_above, .type = VITRAIL_PARAM_FLOAT, .key = "threshold", .title = TR("Foreground above"),
      .help = TR("Pixels above this are foreground, in the image's own units (OD for a stain)."),
      .group = TR("Distance"), .unit = "", .min = -1e9, .max = 1e9, .initial = { 0 }, .step = 0.05);
PARAM(
  distance_cap, .type = VITRAIL_PARAM_FLOAT, .key = "cap", .title = TR("Largest distance"),
  .help = TR("Distances beyond this are this, and have no nearest pixel; 0: none. Its square is rounded up to whole "
             "units."),
  .group = TR("Distance"), .unit = "µm", .unit_px = "px", .min = 0, .max = 1e6, .initial = { 0 }, .step = 1);
static const char *const shape_keys[] = { "measured", "square" };
static const char *const shape_titles[] = { TR("As measured"), TR("Square") };
PARAM(pixel_shape, .type = VITRAIL_PARAM_CHOICE, .key = "pixel-shape", .title = TR("Shape of a pixel"),
      .help = TR("As measured: where pixels are not as wide as high, steps along x and y count as long as they are. "
                 "Square: the mean of both."),
      .group = TR("Distance"), CHOICES(shape_keys, shape_titles), .flags = VITRAIL_PARAM_ADVANCED);
static const char *const distance_keys[] = { "exact" PAPERS("danielsson") };
static const char *const distance_titles[] = { TR("Exact") PAPERS(TR("Danielsson's wavefront")) };
PARAM(distance_algorithm, .type = VITRAIL_PARAM_CHOICE, .key = "algorithm", .title = TR("Algorithm"),
      .help = TR("Exact, or the nearest pixel handed on from neighbour to neighbour (Danielsson 1980), which at some "
                 "pixels is a little more than the distance. Regions that memory does not hold need Exact."),
      .group = TR("Computation"), CHOICES(distance_keys, distance_titles), .flags = VITRAIL_PARAM_ADVANCED);
static const VitrailParam *const distance_params[] = {
  &pixel_size,  &channel, &output, &foreground_above,   &distance_cap, &pixel_shape, &context, &context_limit,
  &hematoxylin, &eosin,   &white,  &distance_algorithm,
};
STAGE(stage_edt, .kind = VITRAIL_STAGE_SCALAR, .id = "result", .title = TR("Distance"),
      .help = TR("Euclidean distance to the nearest background pixel; infinite where there is none."), .unit = "µm",
      .unit_px = "px", .colormap = "viridis", .reach = VITRAIL_REACH_PROPAGATE,
      .flags = VITRAIL_STAGE_SHOWN | VITRAIL_STAGE_ZERO_EMPTY);
STAGE(stage_squared, .kind = VITRAIL_STAGE_SCALAR, .id = "squared", .title = TR("Squared distance"),
      .help = TR("With the output squared: whole numbers, -1 where there is no background."), .unit = "µm²",
      .unit_px = "px²", .colormap = "viridis", .reach = VITRAIL_REACH_PROPAGATE,
      .flags = VITRAIL_STAGE_SHOWN | VITRAIL_STAGE_ZERO_EMPTY);
STAGE(stage_nearest, .kind = VITRAIL_STAGE_SCALAR, .id = "nearest", .title = TR("Nearest background pixel"),
      .help = TR("With the output nearest: its number on the whole slide's grid, y * width + x, the first of equally "
                 "near ones; -1: none."),
      .unit = "", .colormap = "viridis", .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_SHOWN);
static const VitrailStage *const distance_stages[] = { &stage_edt, &stage_certain, &stage_squared, &stage_nearest };
OP(vt_declared_distance, .reach = VITRAIL_REACH_PROPAGATE, .id = "distance", .title = TR("Distance transform"),
   .help = TR("Euclidean distance transform of the foreground."), LIST(inputs, image_inputs),
   LIST(params, distance_params), LIST(stages, distance_stages));

/* --- zones --- */

INPUT(seeds_in, .kind = VITRAIL_INPUT_SCALAR, .id = "seeds", .title = TR("Seeds"),
      .help = TR("Labels as large as the image, 0 where there is no seed; left out, seeds are found in the image."),
      .flags = VITRAIL_INPUT_OPTIONAL);
static const VitrailInputSpec *const seeded_inputs[] = { &image_in, &seeds_in };
PARAM(paths_above, .type = VITRAIL_PARAM_FLOAT, .key = "threshold", .title = TR("Paths above"),
      .help = TR("Paths go through pixels above this, in the image's own units (OD for a stain)."),
      .group = TR("Zones"), .unit = "", .min = -1e9, .max = 1e9, .initial = { 0 }, .step = 0.05);
PARAM(seed_above, .type = VITRAIL_PARAM_FLOAT, .key = "seed-above", .title = TR("Seeds above"),
      .help = TR("Without an image of seeds: connected pieces above this are the seeds."), .group = TR("Zones"),
      .unit = "", .min = -1e9, .max = 1e9, .initial = { 200 }, .step = 0.05);
static const VitrailParam *const zones_params[] = {
  &pixel_size,  &channel, &paths_above, &seed_above, &connectivity,
  &hematoxylin, &eosin,   &white,       &context,    &context_limit,
};
STAGE(stage_steps, .kind = VITRAIL_STAGE_SCALAR, .id = "distance", .title = TR("Geodesic distance"),
      .help = TR("Steps from pixel to pixel to the nearest seed, as a length; nothing where no path leads."),
      .unit = "µm", .unit_px = "px", .colormap = "viridis", .reach = VITRAIL_REACH_PROPAGATE,
      .flags = VITRAIL_STAGE_SHOWN);
STAGE(
  stage_zones, .kind = VITRAIL_STAGE_LABELS, .id = "zones", .title = TR("Influence zones"),
  .help = TR("The nearest seed, of equally near ones that of the smallest label. Seeds that were found are numbered "
             "in the order of their first pixels."),
  .unit = "", .colormap = "labels", .reach = VITRAIL_REACH_PROPAGATE);
STAGE(stage_certain_members, .kind = VITRAIL_STAGE_MASK, .id = "certain", .title = TR("Certain"),
      .help = TR(
        "Pixels of which nothing outside the region could change the seed that they belong to; numbers of seeds that "
        "were found are the region's own."),
      .unit = "", .colormap = "blue", .reach = VITRAIL_REACH_PROPAGATE);
static const VitrailStage *const zones_stages[] = { &stage_steps, &stage_zones, &stage_certain_members };
OP(vt_declared_zones, .reach = VITRAIL_REACH_PROPAGATE, .id = "zones", .title = TR("Influence zones"),
   .help = TR("Geodesic distance from seeds, and the zone that each of them reaches first (SKIZ)."),
   LIST(inputs, seeded_inputs), LIST(params, zones_params), LIST(stages, zones_stages));

/* --- watershed --- */

static const char *const objects_keys[] = { "bright", "dark" };
static const char *const objects_titles[] = { TR("Bright"), TR("Dark") };
PARAM(object_tone, .type = VITRAIL_PARAM_CHOICE, .key = "objects", .title = TR("Objects"),
      .help = TR("Bright: flooded from the peaks down. Dark: from the valleys up."), .group = TR("Watershed"),
      CHOICES(objects_keys, objects_titles));
PARAM(objects_above, .type = VITRAIL_PARAM_FLOAT, .key = "threshold", .title = TR("Objects above"),
      .help = TR("Only pixels above this are flooded (below it, for dark objects), in the image's own units."),
      .group = TR("Watershed"), .unit = "", .min = -1e9, .max = 1e9, .initial = { 0 }, .step = 0.05);
PARAM(seed_height, .type = VITRAIL_PARAM_FLOAT, .key = "height", .title = TR("Height of a seed"),
      .help = TR("Without an image of seeds: a peak must rise by this to be one (h-maxima), in the image's own units; "
                 "larger values split less."),
      .group = TR("Watershed"), .unit = "", .min = 0, .max = 1e6, .initial = { 10 }, .step = 0.05);
static const VitrailParam *const watershed_params[] = {
  &pixel_size, &channel, &object_tone, &objects_above, &seed_height,   &hematoxylin,
  &eosin,      &white,   &algorithm,   &context,       &context_limit,
};
STAGE(stage_basins, .kind = VITRAIL_STAGE_LABELS, .id = "result", .title = TR("Labels"),
      .help = TR("A number for each object, in the order of their first pixels; with an image of seeds, its labels."),
      .unit = "", .colormap = "labels", .reach = VITRAIL_REACH_PROPAGATE, .flags = VITRAIL_STAGE_SHOWN);
static const VitrailStage *const watershed_stages[] = { &stage_basins, &stage_certain_members };
OP(vt_declared_watershed, .reach = VITRAIL_REACH_PROPAGATE, .id = "watershed", .title = TR("Watershed"),
   .help = TR("Marker watershed with one answer, 8-connected: what touches is parted where it is lowest."),
   LIST(inputs, seeded_inputs), LIST(params, watershed_params), LIST(stages, watershed_stages));
