/* SPDX-License-Identifier: MIT
 *
 * What the files of the catalogue share: how a declaration is written, and the parameters that several ops have. */
#pragma once

#include "recipes/algorithms.h"
#include "run/run.h"

#define PARAM(name, ...) static const VitrailParam name = { .size = sizeof(VitrailParam), __VA_ARGS__ }
#define STAGE(name, ...) static const VitrailStage name = { .size = sizeof(VitrailStage), __VA_ARGS__ }
#define INPUT(name, ...) static const VitrailInputSpec name = { .size = sizeof(VitrailInputSpec), __VA_ARGS__ }
#define OP(name, ...) const VitrailOp name = { .size = sizeof(VitrailOp), __VA_ARGS__ }
#define LIST(name, of) .n_##name = VT_COUNT(of), .name = of
#define CHOICES(keys, titles) .n_choices = VT_COUNT(titles), .choices = keys, .choice_titles = titles

PARAM(pixel_size, .type = VITRAIL_PARAM_FLOAT, .key = "pixel-size", .title = TR("Requested pixel size"),
      .help = TR(
        "Resolution of the analysis. The nearest whole multiple of the slide's own pixel is taken, never finer than "
        "the slide and not finer than what is visible."),
      .group = TR("Resolution"), .unit = "µm", .unit_px = "px", .min = 0.05, .max = 1000, .initial = { 0.5 },
      .initial_px = 1, .step = 0.1);

/* Settings of the steps of texture, of parameters of the same keys. */
#define TEXTURE_SETTINGS \
  { "channel", "channel" }, { "aggregate", "aggregate" }, { "binning", "binning" }, { "levels", "levels" }, \
    { "bin-width", "bin-width" }, { "range-min", "range-min" }, \
  { \
    "range-max", "range-max" \
  }

static const char *const channel_keys[] = { "luminance", "red", "green", "blue", "hematoxylin", "eosin", "od-sum" };
static const char *const channel_titles[] = {
  TR("Luminance"), TR("Red"), TR("Green"), TR("Blue"), TR("Hematoxylin OD"), TR("Eosin OD"), TR("Optical density sum")
};
PARAM(channel, .type = VITRAIL_PARAM_CHOICE, .key = "channel", .title = TR("Channel"),
      .help = TR("What of a colour image is analysed; an image of one channel is taken as it is."),
      .group = TR("Input"), CHOICES(channel_keys, channel_titles));
#define STAIN(of, name, ...) \
  .type = VITRAIL_PARAM_VECTOR, .key = of, .title = name, \
  .help = TR("Optical density of the stain in red, green and blue; its length does not matter."), .unit = "OD", \
  .min = -1, .max = 1, .initial = { __VA_ARGS__ }, .step = 0.01
#define HEMATOXYLIN STAIN("hematoxylin", TR("Hematoxylin vector"), 0.65, 0.70, 0.29), .group = TR("Stains")
#define EOSIN STAIN("eosin", TR("Eosin vector"), 0.2159, 0.8012, 0.5581), .group = TR("Stains")
#define WHITE \
  .type = VITRAIL_PARAM_VECTOR, .key = "white", .title = TR("Background colour"), \
  .help = TR("Red, green and blue of empty glass: optical density 0."), .group = TR("Stains"), .unit = "", .min = 1, \
  .max = 255, .initial = { 255, 255, 255 }, .step = 1
PARAM(hematoxylin, HEMATOXYLIN, .flags = VITRAIL_PARAM_ADVANCED);
PARAM(eosin, EOSIN, .flags = VITRAIL_PARAM_ADVANCED);
PARAM(white, WHITE, .flags = VITRAIL_PARAM_ADVANCED);

static const char *const algorithm_keys[] = { "auto", "tile", "fh" PAPERS("qb", "downhill", "heap", "sr") };
static const char *const algorithm_titles[] = { TR("Automatic"), TR("Active tiles"),
                                                TR("Fast hybrid")
                                                  PAPERS(TR("Queue from regional maxima"), TR("Downhill"),
                                                         TR("Parallel heaps (CUDA)"), TR("Alternating scans")) };
PARAM(algorithm, .type = VITRAIL_PARAM_CHOICE, .key = "algorithm", .title = TR("Algorithm"),
      .help = TR("How reconstruction is worked out; every choice gives the same pixels."), .group = TR("Computation"),
      CHOICES(algorithm_keys, algorithm_titles), .flags = VITRAIL_PARAM_ADVANCED);

INPUT(image_in, .kind = VITRAIL_INPUT_IMAGE, .id = "image", .title = TR("Image"),
      .help = TR("A slide, or a raster of colours or of one channel."), .flags = VITRAIL_INPUT_PRIMARY);
static const VitrailInputSpec *const image_inputs[] = { &image_in };

PARAM(min_area, .type = VITRAIL_PARAM_FLOAT, .key = "min-area", .title = TR("Minimum area"),
      .help = TR("Smaller objects are dropped."), .group = TR("Objects"), .unit = "µm²", .unit_px = "px²", .min = 0,
      .max = 1e6, .initial = { 10 }, .initial_px = 10, .step = 1);
PARAM(max_area, .type = VITRAIL_PARAM_FLOAT, .key = "max-area", .title = TR("Maximum area"),
      .help = TR("Larger objects are dropped."), .group = TR("Objects"), .unit = "µm²", .unit_px = "px²", .min = 0,
      .max = 1e9, .initial = { 400 }, .initial_px = 1000, .step = 10);

PARAM(
  cell_expansion, .type = VITRAIL_PARAM_FLOAT, .key = "cell-expansion", .title = TR("Cell expansion"),
  .help = TR("A cell is a nucleus, and what is nearer to it than to any other nucleus, as far as this. 0: no cells are "
             "measured."),
  .group = TR("Cells"), .unit = "µm", .unit_px = "px", .min = 0, .max = 100, .initial = { 0 }, .initial_px = 0,
  .step = 0.5);
static const char *const outlined_keys[] = { "object", "cell" };
static const char *const outlined_titles[] = { TR("Nuclei"), TR("Cells") };
PARAM(outlined, .type = VITRAIL_PARAM_CHOICE, .key = "outline", .title = TR("Outline"),
      .help = TR("What is drawn and saved as the outline of an object. The measurements are the same."),
      .group = TR("Cells"), CHOICES(outlined_keys, outlined_titles));
PARAM(neighbours, .type = VITRAIL_PARAM_BOOL, .key = "neighbours", .title = TR("Count neighbours"),
      .help = TR("Measures how far the nearest other nucleus of the region is, and how many lie near, from centroid to "
                 "centroid. At the region's border some may be missing."),
      .group = TR("Cells"));
#define EXPANSION "cell-expansion / um-per-px"
#define OUTLINES_CELLS "outline == 'cell'"

/* These areas in analysis pixels, as expressions of a recipe, and the facts of the record that say them. */
#define MIN_AREA "ceil(min-area / (um-per-px * um-per-px) - 1e-9)"
#define MAX_AREA "floor(max-area / (um-per-px * um-per-px) + 1e-9)"
#define AREA_FACTS \
  { "min-area-px", "min(max(" MIN_AREA ", 0), 1e15)" }, \
  { \
    "max-area-px", "min(max(" MAX_AREA ", 0), 1e15)" \
  }

static const char *const context_keys[] = { "region", "exact" };
static const char *const context_titles[] = { TR("The region alone"), TR("As much as it takes") };
PARAM(
  context, .type = VITRAIL_PARAM_CHOICE, .key = "context", .title = TR("Context"),
  .help = TR("The region alone: as if there were nothing outside. As much as it takes: a margin grows until nothing "
             "outside could change a pixel of the region, or the limit is reached."),
  .group = TR("Context"), CHOICES(context_keys, context_titles));
PARAM(context_limit, .type = VITRAIL_PARAM_INT, .key = "context-limit", .title = TR("Largest margin"),
      .help = TR("How far the margin may grow, in analysis pixels; it ends sooner where memory does."),
      .group = TR("Context"), .unit = "px", .min = 0, .max = 65536, .initial = { 4096 }, .step = 256,
      .flags = VITRAIL_PARAM_ADVANCED);

/* catalogue-propagate.c */
extern const VitrailOp vt_declared_nuclei_threshold, vt_declared_nuclei, vt_declared_reconstruct,
  vt_declared_morphology, vt_declared_distance, vt_declared_zones, vt_declared_watershed, vt_declared_glrlm_map,
  vt_declared_glrlm_rois;

/* Of cells (docs/measurements.md), named as QuPath does. */
#define CELL_LENGTH_OF(name, quantity) \
  { name " µm", "cell-expansion > 0 and calibrated", quantity, "um-per-px", VITRAIL_PART_CELL }, \
  { \
    name " px", "cell-expansion > 0 and not calibrated", quantity, "downsample", VITRAIL_PART_CELL \
  }
#define CELL_SHAPE \
  { "Cell: Area µm^2", "cell-expansion > 0 and calibrated", VITRAIL_QUANTITY_AREA, "um-per-px * um-per-px", \
    VITRAIL_PART_CELL }, \
    { "Cell: Area px^2", "cell-expansion > 0 and not calibrated", VITRAIL_QUANTITY_AREA, "downsample * downsample", \
      VITRAIL_PART_CELL }, \
    CELL_LENGTH_OF("Cell: Crofton perimeter", VITRAIL_QUANTITY_PERIMETER), \
    { "Cell: Circularity", "cell-expansion > 0", VITRAIL_QUANTITY_CIRCULARITY, "1", VITRAIL_PART_CELL }, \
    CELL_LENGTH_OF("Cell: Max caliper", VITRAIL_QUANTITY_MAX_CALIPER), \
    CELL_LENGTH_OF("Cell: Min caliper", VITRAIL_QUANTITY_MIN_CALIPER), \
    { "Cell: Eccentricity", "cell-expansion > 0", VITRAIL_QUANTITY_ECCENTRICITY, "1", VITRAIL_PART_CELL }, \
    { "Cell: Touches border", "cell-expansion > 0", VITRAIL_QUANTITY_TOUCHES_BORDER, "1", VITRAIL_PART_CELL }, \
  { \
    "Nucleus/Cell area ratio", "cell-expansion > 0", VITRAIL_QUANTITY_AREA_RATIO, "1" \
  }
#define PART_VALUES_OF(name, part, when, scale) \
  { name " mean", "cell-expansion > 0 and " when, VITRAIL_QUANTITY_MEAN, scale, part }, \
    { name " std dev", "cell-expansion > 0 and " when, VITRAIL_QUANTITY_STD, scale, part }, \
    { name " max", "cell-expansion > 0 and " when, VITRAIL_QUANTITY_MAX, scale, part }, \
  { \
    name " min", "cell-expansion > 0 and " when, VITRAIL_QUANTITY_MIN, scale, part \
  }
#define CELL_VALUES_OF(image, when, scale) \
  PART_VALUES_OF("Cell: " image, VITRAIL_PART_CELL, when, scale), \
    PART_VALUES_OF("Cytoplasm: " image, VITRAIL_PART_CYTOPLASM, when, scale)
#define NEIGHBOURS \
  { "Nearest neighbour µm", "neighbours and calibrated", VITRAIL_QUANTITY_NEAREST, "um-per-px" }, \
    { "Nearest neighbour px", "neighbours and not calibrated", VITRAIL_QUANTITY_NEAREST, "downsample" }, \
    { "Neighbours within 25 µm", "neighbours and calibrated", VITRAIL_QUANTITY_NEIGHBOURS, "1", \
      .within = "25 / um-per-px" }, \
    { "Neighbours within 50 µm", "neighbours and calibrated", VITRAIL_QUANTITY_NEIGHBOURS, "1", \
      .within = "50 / um-per-px" }, \
    { "Neighbours within 50 px", "neighbours and not calibrated", VITRAIL_QUANTITY_NEIGHBOURS, "1", \
      .within = "50 / downsample" }, \
  { \
    "Neighbours within 100 px", "neighbours and not calibrated", VITRAIL_QUANTITY_NEIGHBOURS, "1", \
      .within = "100 / downsample" \
  }

/* Measurements that objects have in common (docs/measurements.md), and those of an image under them, of which mean-a is the mean. */
#define LENGTH_OF(name, quantity) \
  { name " µm", "calibrated", quantity, "um-per-px" }, \
  { \
    name " px", "not calibrated", quantity, "downsample" \
  }
#define SHAPE_OF(object) \
  { object ": Area µm^2", "calibrated", VITRAIL_QUANTITY_AREA, "um-per-px * um-per-px" }, \
    { object ": Area px^2", "not calibrated", VITRAIL_QUANTITY_AREA, "downsample * downsample" }, \
    LENGTH_OF(object ": Crofton perimeter", VITRAIL_QUANTITY_PERIMETER), \
    { object ": Circularity", NULL, VITRAIL_QUANTITY_CIRCULARITY, "1" }, \
    LENGTH_OF(object ": Max caliper", VITRAIL_QUANTITY_MAX_CALIPER), \
    LENGTH_OF(object ": Min caliper", VITRAIL_QUANTITY_MIN_CALIPER), \
    { object ": Eccentricity", NULL, VITRAIL_QUANTITY_ECCENTRICITY, "1" }, \
    { object ": Solidity", NULL, VITRAIL_QUANTITY_SOLIDITY, "1" }, \
  { \
    object ": Touches border", NULL, VITRAIL_QUANTITY_TOUCHES_BORDER, "1" \
  }
#define VALUES_OF(name, when, scale) \
  { name " mean", when, VITRAIL_QUANTITY_MEAN_A, scale }, { name " sum", when, VITRAIL_QUANTITY_SUM, scale }, \
    { name " std dev", when, VITRAIL_QUANTITY_STD, scale }, { name " max", when, VITRAIL_QUANTITY_MAX, scale }, \
    { name " min", when, VITRAIL_QUANTITY_MIN, scale }, \
  { \
    name " range", when, VITRAIL_QUANTITY_RANGE, scale \
  }
