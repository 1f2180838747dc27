/* SPDX-License-Identifier: MIT
 *
 * vitrail-plugin.h: the interface between a host (viewer, vitrail-batch) and an analysis plugin.
 *
 * Rules that keep an old binary loading in a new program:
 *  - every struct starts with its size in bytes, set by whoever fills it; a reader ignores what it does not know and treats fields beyond `size` as
 *    zero. Lists are arrays of pointers, so that a struct may grow;
 *  - the major number must match, a new minor only appends fields and numbers; reserved fields are zero;
 *  - strings are UTF-8, owned by who hands them over, valid while the call runs (static in descriptors); the plugin keeps no callback and no pointer of
 *    the host after the call returns. Threads belong to the host: the plugin starts none and uses parallel_for.
 *
 * Pixels: x to the right, y down, first row first. `_l0` are level-0 pixels of the slide (its finest grid). An analysis grid has a whole-numbered
 * `downsample` d >= 1; its pixel (x,y) covers level-0 pixels [x*d, (x+1)*d) x [y*d, (y+1)*d), so the grid never depends on the region or on the tiling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vitrail-op.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VITRAIL_ABI_MAJOR 1
#define VITRAIL_ABI_MINOR 12
#define VITRAIL_ENTRY_SYMBOL "vitrail_plugin_entry"

/* --- What a run is given. --- */

typedef struct VitrailParamValue {
  uint32_t size, reserved0;
  const char *key;
  double v[4]; /* number, 0/1, index of the choice, or the components of a vector */
} VitrailParamValue;

enum {
  /* Since 1.8. Labels have no mean: read_region gives those under the middles of the grid's pixels, on any grid. */
  VITRAIL_INPUT_SAMPLED = 1u << 0,
  /* Since 1.12. Beside the op's own inputs, one at most: labels (I32, sampled) of true objects that the run's are counted against, of the size of the primary
   * input; below 0 where nothing is counted. No recipe reads it, and no stage depends on it. VitrailHost.emit_overlaps tells the counts. */
  VITRAIL_INPUT_TRUTH = 1u << 1,
};
typedef struct VitrailInput {
  uint32_t size;
  uint32_t handle; /* passed to read_region */
  const char *id;  /* of the op's VitrailInputSpec */
  VitrailPixelType type;
  uint32_t flags;
  int64_t width_l0, height_l0;
  double mpp_x, mpp_y; /* µm per level-0 pixel; 0 = unknown */
  void *reserved[2];
} VitrailInput;

/* Polygon with holes, even-odd rule, level-0 coordinates with pixel (0,0) covering [0,1) x [0,1). */
typedef struct VitrailRoi {
  uint32_t size;
  uint32_t n_rings;
  const char *name;
  const uint32_t *ring_sizes; /* points per ring */
  const double *points;       /* x,y pairs of all rings, first point not repeated */
  void *reserved[2];
} VitrailRoi;

typedef struct VitrailRequest {
  uint32_t size;
  uint32_t tile_px; /* edge of a work tile in analysis pixels; 0 = the plugin's choice. Never changes a result. */
  const char *op_id;
  const char *backend;                     /* "auto", "cpu", "cuda"; NULL = auto */
  int64_t x_l0, y_l0, width_l0, height_l0; /* region of the primary input, clipped to it by the plugin */
  double min_downsample;  /* the grid need not be finer than this (what is visible); 0 or 1 = no limit */
  uint64_t stages_wanted; /* bit i = op->stages[i] is to be emitted; others are worked out only if needed; 0 = all */
  uint32_t n_params, n_inputs, n_rois;
  uint32_t flags;                         /* VITRAIL_RUN_...; since 1.1 */
  const VitrailParamValue *const *params; /* keys left out take their defaults; unknown keys are refused */
  const VitrailInput *const *inputs;
  const VitrailRoi *const *rois;
  /* Since 1.1. An op that can stream works in pieces when its rasters would pass memory_budget (bytes; 0: most of the machine's memory), and puts what does
   * not fit into files in scratch_dir (NULL: no files; such a run is refused). Its rasters then come as many tiles, row by row, edges at multiples of 512
   * from the region's first pixel, after the fact "streamed" was recorded. A raster with a grid of its own has the rectangle that the facts "STAGE-x",
   * "STAGE-y", "STAGE-width" and "STAGE-height" tell, of the stage's id. */
  const char *scratch_dir;
  uint64_t memory_budget;
  uint64_t device_budget;     /* bytes on each device; 0: what is free */
  int64_t why_x_l0, why_y_l0; /* since 1.4: the pixel of VITRAIL_RUN_WHY */
  uint32_t wave_stage;        /* since 1.6: index of the stage of VITRAIL_RUN_WAVE */
  /* Since 1.8. Examples of candidates, in any order, teach the score by which the op chooses: of each the features that VITRAIL_RUN_CANDIDATES tells, then
   * 1 (wanted) or 0. Refused where the fact "score-model" of the runs that told them, examples_of, is not this run's, or there is no such score. */
  uint32_t n_example_numbers; /* of all of them */
  const int32_t *examples;
  const char *examples_of;
  uint32_t n_place_numbers; /* since 1.8, of VITRAIL_RUN_CANDIDATES: of boxes x0, y0, x1, y1 (level 0) */
  const double *places;
} VitrailRequest;
enum {
  /* Files in scratch_dir are kept, and those that an interrupted run of the same request left there are taken up. */
  VITRAIL_RUN_KEEP_SCRATCH = 1u << 0,
  /* Since 1.2. The session may keep images that the run makes on its way, up to 256 MiB, and take over those that a former run of the same pixels kept and
   * that would come out the same; the record says which ("kept-stages"). It may also hold as much freed memory, for the next such run. Same result. */
  VITRAIL_RUN_KEEP_STAGES = 1u << 1,
  /* Since 1.4. The tests on the pixel of the region that covers (why_x_l0, why_y_l0), and on the piece it lies in, come through
   * emit_verdict after all else; none where nothing is tested. The run is on the CPU, keeps nothing and does not stream. */
  VITRAIL_RUN_WHY = 1u << 2,
  /* Since 1.6. How the stage wave_stage came about comes through emit_wave; no stage is emitted. The run is on the CPU, keeps nothing and does not stream. */
  VITRAIL_RUN_WAVE = 1u << 3,
  /* Since 1.7. Of an op whose rows are features of run lengths: after each row emit_run_lengths tells what it is worked out from (not of
   * a region without pixels). The run is on the CPU, keeps nothing and does not stream. */
  VITRAIL_RUN_LENGTHS = 1u << 4,
  /* Since 1.8. Instead of stages emit_object tells, of the op's stage of objects, the candidates that its score chose, and the best of the others where none
   * was: "Candidate: Score" (0..1), "Candidate: Chosen", "Candidate: Margin" (by how much the score would have to be another), then whole-numbered features.
   * With places: all candidates whose boxes meet one, though they overlap; the margin is 0 of what is neither. The run is on the CPU, keeps nothing and does not stream. */
  VITRAIL_RUN_CANDIDATES = 1u << 5,
  /* Since 1.9. Instead of stages emit_object tells the first of `rois`, if it holds a pixel's centre, as an object that the op found, over the others. NaN: it does not
   * go by those pixels alone. The fact "reach-px": how far others and the region's edge matter. VITRAIL_UNSUPPORTED: it can't. The run is as with VITRAIL_RUN_CANDIDATES. */
  VITRAIL_RUN_MEASURE = 1u << 6,
};

/* --- What a run hands back. --- */

typedef struct VitrailTile {
  uint32_t size;
  uint32_t stage; /* index into op->stages */
  VitrailPixelType type;
  uint32_t reserved0;
  int64_t x, y, width, height;     /* in pixels of this raster's grid */
  double downsample;               /* level-0 pixels per pixel of this raster (a map with stride has a larger one) */
  double origin_x_l0, origin_y_l0; /* level-0 position of the left upper corner of raster pixel (0,0) */
  const void *data;                /* first row; valid during the call */
  size_t stride;                   /* bytes */
  double scale, offset;            /* physical value = raw * scale + offset */
  void *reserved[2];
} VitrailTile;

typedef struct VitrailObject {
  uint32_t size;
  uint32_t stage;
  int64_t id;       /* 1.., in order of each object's first pixel (row by row) */
  uint32_t n_rings; /* outer rings run clockwise on the screen, holes the other way; an outer ring precedes its holes */
  uint32_t n_measurements;
  const uint32_t *ring_sizes;
  const double *points; /* x,y pairs in level-0 pixels, first point not repeated */
  double centroid_x_l0, centroid_y_l0;
  const char *const *measurement_names; /* as QuPath names them: "Nucleus: Area µm^2" */
  const double *measurements;
  void *reserved[2];
} VitrailObject;

typedef struct VitrailRow {
  uint32_t size, stage;
  const char *label;            /* the first column of op->columns */
  uint32_t n_values, reserved0; /* op->n_columns - 1; 0 */
  const double *values;         /* NaN = undefined */
  void *reserved[2];
} VitrailRow;

/* A test that a run makes, at one pixel (since 1.4). */
typedef int32_t VitrailTest;
enum {
  VITRAIL_TEST_ABOVE = 0,    /* value > limit */
  VITRAIL_TEST_AT_LEAST = 1, /* value >= limit */
  VITRAIL_TEST_AT_MOST = 2,  /* value <= limit */
  VITRAIL_TEST_ALL = 3,      /* two tests before hold both; there is neither value nor limit */
  VITRAIL_TEST_CHOSEN = 4,   /* it is of the best set of those that overlap; neither value nor limit */
};
typedef int32_t VitrailTested;
enum {
  VITRAIL_TESTED_PIXEL = 0, /* its value in `of` */
  VITRAIL_TESTED_AREA = 1,  /* of the connected piece, or the object, that the pixel lies in */
  VITRAIL_TESTED_MEAN = 2,  /* of `of` over that object */
  VITRAIL_TESTED_DEPTH = 3, /* since 1.11: from the peak of the hill of `of` down to the saddle to another as high */
};

typedef struct VitrailVerdict {
  uint32_t size;
  VitrailTest test;
  VitrailTested tested;
  int32_t stage;       /* that shows what the test makes; -1: none */
  const char *node;    /* the id of the recipe's node that tests; ids live until the callback returns */
  const char *of;      /* the id of the node that is tested */
  double value, limit; /* in `unit` */
  const char *unit;    /* "": raw numbers */
  uint32_t flags;      /* VITRAIL_VERDICT_... */
  int32_t param;       /* index into op->params: the one on which the limit depends; -1: none, or several */
  /* With VITRAIL_VERDICT_FLIPS: the nearest value of that parameter at which, all else unchanged, the test comes out the other way. Exact. */
  double critical;
  double saddle_x_l0, saddle_y_l0; /* of VITRAIL_TESTED_DEPTH: the middle of a pixel of the saddle */
} VitrailVerdict;
enum {
  VITRAIL_VERDICT_HOLDS = 1u << 0,
  VITRAIL_VERDICT_FLIPS = 1u << 1,
  VITRAIL_VERDICT_CUT = 1u << 2,  /* the piece reaches the region's edge: beyond it there may be more */
  VITRAIL_VERDICT_NONE = 1u << 3, /* no candidate with a score is here: `value` is 0 */
};

/* How a step that spreads came to its result: when each pixel got its last value (since 1.6). */
typedef int32_t VitrailWaveKind;
enum {
  VITRAIL_WAVE_RECONSTRUCTION = 0, /* tick: elementary geodesic dilations of the whole image, all pixels at once */
  VITRAIL_WAVE_DISTANCE = 1,       /* tick: the distance in the shorter sides of pixels, rounded up */
  VITRAIL_WAVE_ZONES = 2,          /* tick: steps from a seed */
  VITRAIL_WAVE_WATERSHED = 3, /* tick: each flood level, the highest first, with each distance inside its plateaus */
};
#define VITRAIL_WAVE_NEVER UINT32_MAX /* the tick of a pixel that nothing reaches */

typedef struct VitrailWave {
  uint32_t size;
  VitrailWaveKind kind;
  uint32_t stage;              /* that shows what the step makes, or the first that is made from it */
  VitrailPixelType type;       /* of begin, end and made; not RGBA8 */
  const char *node;            /* the id of the recipe's node; everything here lives until the callback returns */
  int64_t x, y, width, height; /* in pixels of the analysis grid */
  uint32_t downsample;
  int32_t connectivity; /* 4 or 8; of a distance 0 */
  uint32_t n_ticks;     /* the last one + 1, at least 1 */
  uint32_t reserved0;
  const uint32_t *ticks;  /* of each pixel, rows without gaps, like the following */
  const void *begin;      /* a reconstruction's marker; else NULL */
  const void *end, *made; /* values (labels) after the last tick, and those that the step itself has made */
  double scale;           /* physical value = raw * scale, in `unit` */
  const char *unit;
  const float *levels; /* of each tick of a watershed; else NULL */
  double tick_scale;   /* of one tick (where there are levels, of a raw level), in tick_unit; 0: iterations */
  const char *tick_unit;
  uint64_t stages; /* bit i: op->stages[i] has a wave of its own */
  void *reserved[2];
} VitrailWave;

/* The grey levels of a region, and how often each run of them occurs in it (Galloway 1975; since 1.7). A run is a line of pixels of one
 * level that can't be made longer inside the region. Directions (dx,dy) in this order: (1,0), (1,1), (0,1), (-1,1). */
enum { VITRAIL_LENGTHS_DIRECTIONS = 4, VITRAIL_LENGTHS_MOST_PX = 1 << 24 };
typedef struct VitrailRunLengths {
  uint32_t size, downsample;
  int64_t x, y;                     /* the rectangle round the region, in pixels of the analysis grid */
  uint32_t width, height, n_pixels; /* width * height, at most VITRAIL_LENGTHS_MOST_PX */
  uint32_t n_levels, longest;       /* levels are 1..n_levels, at most 65535; the longest run has 1 pixel at least */
  uint32_t n_counts;                /* VITRAIL_LENGTHS_DIRECTIONS * n_levels * longest */
  const uint32_t *levels;           /* of each pixel, row by row; 0: it is not of the region */
  const uint32_t *counts;           /* [(direction * n_levels + level - 1) * longest + length - 1] */
  double level_from, level_step;    /* level i begins at level_from + (i - 1) * level_step; step 0: it is one value */
  const char *unit;                 /* of these */
  void *reserved[2];
} VitrailRunLengths;

/* The sparse histogram of an op's objects and the true ones (since 1.12): of each pair that shares a pixel of the analysis grid, sorted. */
enum { VITRAIL_OVERLAPS_MOST = 1 << 22 /* pairs */ };
typedef struct VitrailOverlaps {
  uint32_t size, stage; /* of the objects */
  uint32_t downsample;
  uint32_t n_numbers; /* of all pairs */
  const int32_t *
    numbers; /* of each: VitrailObject.id and the true label, of which one may be 0 (none there); the pixels that have both */
  void *reserved[2];
} VitrailOverlaps;

typedef int32_t VitrailLogLevel;
enum { VITRAIL_LOG_DEBUG = 0, VITRAIL_LOG_INFO = 1, VITRAIL_LOG_WARNING = 2 };

/* What VitrailHost.agree is told by a rank that failed is this and its status; no other number that ranks bring is as large. */
enum { VITRAIL_RANK_FAILED = 1 << 30 };

/* Callbacks of one run. Those marked [any] may be called from inside parallel_for, at the same time; the others only from the thread that called run(). */
typedef struct VitrailHost {
  uint32_t size;
  uint32_t n_threads; /* how many jobs parallel_for can run at once; >= 1 */
  void *user;
  /* [any] Pixels [x,x+width) x [y,y+height) of the analysis grid `downsample` of an input, in the input's type (see
   * VitrailInput), into dst. Value of a grid pixel: rounded mean of the input's best level over the pixel's area.
   * The rectangle lies inside the grid (grid size = ceil(size_l0 / downsample)). */
  VitrailStatus (*read_region)(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width,
                               int64_t height, void *dst, size_t stride);
  VitrailStatus (*emit_tile)(void *user, const VitrailTile *tile);       /* [any] */
  VitrailStatus (*emit_object)(void *user, const VitrailObject *object); /* in order of id */
  VitrailStatus (*emit_row)(void *user, const VitrailRow *row);
  /* Runs job(job_user, 0..n-1), on several threads in any order; returns when all are done. */
  void (*parallel_for)(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);
  /* fraction of the whole run, 0..1, never less than before. [any] */
  void (*progress)(void *user, uint32_t stage, double fraction);
  void (*stage_done)(void *user, uint32_t stage, double milliseconds); /* also for a stage that is not emitted */
  /* A fact for the record: "backend", "background-radius-px"... text may be NULL, then number counts. A host compares "downsample" and
   * "um-per-px" of the grid with "asked-downsample" and "asked-um-per-px", which the parameters alone make, and says so when it is coarser. */
  void (*record)(void *user, const char *key, const char *text, double number);
  bool (*is_cancelled)(void *user);                                     /* [any] */
  void (*log)(void *user, VitrailLogLevel level, const char *sentence); /* [any] */
  /* Since 1.1. A streamed run may be shared by n_ranks processes that make the same request: each works on a stripe of rows of
   * the region, rank 0 the topmost, and emits the tiles of its own stripe and the objects that begin there. n_ranks 0 or 1: alone, and the callbacks are NULL.
   * Every rank makes the same calls in the same order. */
  uint32_t rank, n_ranks;
  /* Sends to the ranks above and below, and receives what they sent to this one; NULL where there is no such rank. */
  VitrailStatus (*exchange)(void *user, const void *to_above, void *from_above, const void *to_below, void *from_below,
                            size_t bytes);
  /* The same answer on every rank: the largest of what they brought. A status other than VITRAIL_OK is brought to all as
   * VITRAIL_RANK_FAILED + status; the host may let that rank go on, with an error, before the others come. */
  VitrailStatus (*agree)(void *user, int32_t mine, int32_t *largest);
  /* Since 1.4. In the order in which they are made; needed by VITRAIL_RUN_WHY alone. */
  VitrailStatus (*emit_verdict)(void *user, const VitrailVerdict *verdict);
  /* Since 1.6. Once; needed by VITRAIL_RUN_WAVE alone. */
  VitrailStatus (*emit_wave)(void *user, const VitrailWave *wave);
  /* Since 1.7. Of the row that was emitted last; needed by VITRAIL_RUN_LENGTHS alone. */
  VitrailStatus (*emit_run_lengths)(void *user, const VitrailRunLengths *lengths);
  /* Since 1.12. Once, after the last of the objects, if a truth is given; NULL: nobody takes them. Not where what is outlined is not what has labels (cells round nuclei),
   * where the run streams or there are more than VITRAIL_OVERLAPS_MOST pairs: then the outlines tell. */
  VitrailStatus (*emit_overlaps)(void *user, const VitrailOverlaps *overlaps);
} VitrailHost;

typedef struct VitrailBackendInfo {
  uint32_t size;
  bool available;
  uint8_t reserved0[3];
  const char *id; /* "cpu", "cuda" */
  const char *title;
  const char *device; /* "NVIDIA H200"; NULL if absent */
  const char *reason; /* why it is absent, one sentence; NULL if available */
  void *reserved[2];
} VitrailBackendInfo;

typedef struct VitrailAlgorithm {
  uint32_t size, reserved0;
  const char *op_id;   /* "reconstruct" */
  const char *backend; /* "cpu" */
  const char *id;      /* "fh" */
  const char *title;   /* "Fast hybrid (Vincent 1993)" */
  void *reserved[2];
} VitrailAlgorithm;

/* --- Recipes (since 1.3): ops as data. A recipe is a graph of the plugin's steps; a host may bring one of its own. --- */

/* What an input of a step takes: bits 1u << VitrailPixelType, and these. */
enum {
  VITRAIL_TAKES_LABELS = 1u << 16,     /* numbers of objects */
  VITRAIL_TAKES_LIKE_FIRST = 1u << 17, /* pixels of the same type as the step's first input */
  VITRAIL_TAKES_I64 = 1u << 18,        /* squares or numbers that a step makes for another; not shown */
};
/* What a step makes: a VitrailPixelType, or one of these. */
enum {
  VITRAIL_MAKES_LIKE_FIRST = -1,
  VITRAIL_MAKES_LABELS = -2,
  VITRAIL_MAKES_NOTHING = -3, /* it hands over objects */
  VITRAIL_MAKES_ROWS = -4,    /* since 1.6: it hands over rows */
};

typedef struct VitrailStepInput {
  uint32_t size, takes; /* 0: the id of an input of the recipe, not a node */
  const char *title;
  uint32_t flags; /* VITRAIL_INPUT_OPTIONAL */
  uint32_t reserved0;
} VitrailStepInput;

/* A setting that a recipe leaves out is 0, or no word. Since 1.8, for whoever adds the step: `begin` is what to write, an expression; NULL: nothing.
 * `unit`: it becomes a parameter, at first `begin`: "px" length, "px2" area in pixels, "raw" part of the range that is seen, "" number; NULL: none. */
typedef struct VitrailStepSetting {
  uint32_t size, n_words; /* 0: a number */
  const char *key, *help;
  double min, max, step;    /* of a number: it is min + a whole multiple of step; 0: any */
  const char *const *words; /* one of these */
  const char *unit, *begin;
} VitrailStepSetting;

typedef struct VitrailStep {
  uint32_t size;
  int32_t makes;
  const char *id, *title, *help;
  uint32_t n_inputs, n_settings;
  const VitrailStepInput *const *inputs;
  const VitrailStepSetting *const *settings;
  const char *also; /* what the second output is; NULL: there is one output */
  void *reserved[2];
  /* Since 1.6: of a step that makes rows, those of VitrailOp. */
  uint32_t n_columns, reserved1;
  const char *const *columns;
} VitrailStep;

/* A key and an expression (docs/recipes.md). */
typedef struct VitrailRecipeSetting {
  uint32_t size, reserved0;
  const char *key, *value;
} VitrailRecipeSetting;

typedef struct VitrailRecipeNode {
  uint32_t size;
  uint32_t n_inputs, n_settings, n_facts;
  const char *id;            /* the first node of an id whose `when` holds is the one */
  const char *step;          /* VitrailStep.id */
  const char *when;          /* an expression; NULL: always */
  const char *const *inputs; /* ids of nodes before this one */
  const char *also;          /* the id of the second output; NULL: none */
  const char *stage;         /* the id of the stage that shows it; NULL: none */
  const VitrailRecipeSetting *const *settings;
  const VitrailRecipeSetting *const *facts; /* for the record */
  void *reserved[2];
} VitrailRecipeNode;

typedef int32_t VitrailQuantity;
enum {
  VITRAIL_QUANTITY_AREA = 0, /* pixels */
  VITRAIL_QUANTITY_MEAN_A = 1,
  VITRAIL_QUANTITY_MEAN_B = 2, /* of the two images that the step "objects" takes */
  /* docs/measurements.md says what each is. Lengths are in pixels. */
  VITRAIL_QUANTITY_PERIMETER = 3,
  VITRAIL_QUANTITY_CIRCULARITY = 4,
  VITRAIL_QUANTITY_MAX_CALIPER = 5,
  VITRAIL_QUANTITY_MIN_CALIPER = 6,
  VITRAIL_QUANTITY_ECCENTRICITY = 7,
  VITRAIL_QUANTITY_SOLIDITY = 8,
  VITRAIL_QUANTITY_TOUCHES_BORDER = 9, /* 0 or 1 */
  VITRAIL_QUANTITY_SUM = 10,           /* this and the following: of the image that the step "outlines" takes */
  VITRAIL_QUANTITY_STD = 11,
  VITRAIL_QUANTITY_MIN = 12,
  VITRAIL_QUANTITY_MAX = 13,
  VITRAIL_QUANTITY_RANGE = 14,
  /* Since 1.5. */
  VITRAIL_QUANTITY_MEAN = 15,       /* of the image of the step "outlines" */
  VITRAIL_QUANTITY_AREA_RATIO = 16, /* the object's area / its cell's */
  VITRAIL_QUANTITY_NEAREST = 17,    /* distance to the nearest other centroid; NaN: there is none */
  VITRAIL_QUANTITY_NEIGHBOURS = 18, /* other objects whose centroids are at most `within` away */
};

/* Since 1.5. What of an object is measured. */
typedef int32_t VitrailPart;
enum {
  VITRAIL_PART_OBJECT = 0,
  VITRAIL_PART_CELL = 1, /* it, and what is nearer to it than to any other object, as far as the step's expansion */
  VITRAIL_PART_CYTOPLASM = 2, /* the cell without the object: values only */
};

/* Of the objects that are outlined. */
typedef struct VitrailMeasurement {
  uint32_t size;
  VitrailQuantity quantity;
  const char *name; /* "Nucleus: Area µm^2" */
  const char *when; /* an expression; NULL: always */
  const char *unit; /* an expression: what one raw unit is */
  /* Since 1.5. */
  VitrailPart part;
  uint32_t reserved0;
  const char *within; /* of neighbours: an expression, in analysis pixels */
} VitrailMeasurement;

typedef struct VitrailRecipe {
  uint32_t size;
  uint32_t n_inputs, n_params, n_nodes, n_stages, n_measurements, n_certain;
  uint32_t reserved0;
  const char *id, *version, *title, *help;
  const VitrailInputSpec *const *inputs;
  const VitrailParam *const *params;
  const VitrailRecipeNode *const *nodes;
  const VitrailStage *const *stages;
  const VitrailMeasurement *const *measurements;
  const char *const *certain; /* ids of nodes: the first that is there is what the stage "certain" tells of */
  void *reserved[4];
} VitrailRecipe;

/* What is wrong with a recipe, filled in by the plugin. */
typedef struct VitrailRecipeProblem {
  uint32_t size, reserved0;
  char path[256]; /* a JSON pointer (RFC 6901) into the struct's fields: "/nodes/3/settings/radius"; "": the whole */
  char sentence[512]; /* for people */
} VitrailRecipeProblem;

typedef struct VitrailSession VitrailSession;

typedef struct VitrailPlugin {
  uint32_t size;
  uint16_t abi_major, abi_minor;
  const char *id, *title, *version, *licence;
  uint32_t n_ops, n_algorithms;
  const VitrailOp *const *ops;
  const VitrailAlgorithm *const *algorithms;
  /* Probes the devices; may take a while the first time. Returned strings live as long as the session. */
  VitrailStatus (*session_open)(VitrailSession **session);
  void (*session_close)(VitrailSession *session);
  uint32_t (*session_backends)(VitrailSession *session, const VitrailBackendInfo *const **infos);
  /* Runs one op to its end on the calling thread (and the host's). One run at a time per session. On failure `message`
   * (size message_size) holds one sentence for people. A cancelled run has no message. */
  VitrailStatus (*run)(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message,
                       size_t message_size);
  /* Since 1.2. Gives back what VITRAIL_RUN_KEEP_STAGES kept; not during a run. NULL: nothing is ever kept. */
  void (*session_forget)(VitrailSession *session);
  /* Since 1.3; all NULL: the plugin knows no recipes. The steps, and the plugin's own recipes (to begin from; they are ops already); static. */
  uint32_t n_steps, n_recipes;
  const VitrailStep *const *steps;
  const VitrailRecipe *const *recipes;
  /* Whether a recipe can be run at all; on any thread, without a session. Nothing of it is believed: sizes, lists, ids,
   * expressions, types at the defaults. VITRAIL_BAD_ARGUMENT: *problem says what is wrong, and where. */
  VitrailStatus (*recipe_check)(const VitrailRecipe *recipe, VitrailRecipeProblem *problem);
  /* Checks it and copies it into the session, not during a run. *op is what run() then knows by the recipe's id; it lives as
   * long as the session. An id that is taken already is refused. On failure nothing has changed. */
  VitrailStatus (*session_add_recipe)(VitrailSession *session, const VitrailRecipe *recipe, const VitrailOp **op,
                                      VitrailRecipeProblem *problem);
  void *reserved[2];
} VitrailPlugin;

/* The one exported symbol. Returns NULL when it cannot serve a host of this major number. */
typedef const VitrailPlugin *(*VitrailPluginEntry)(uint32_t host_major, uint32_t host_minor);

#ifdef __cplusplus
}
#endif
