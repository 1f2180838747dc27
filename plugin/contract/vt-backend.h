/* SPDX-License-Identifier: MIT
 *
 * vt-backend.h: the contract between plugin/ (drivers) and cpu/, gpu/ (kernels). The only outside header of cpu/ and gpu/.
 *
 * Every slot is a pure function of its arguments: no global state, callable from several threads at once unless the
 * backend says max_concurrency = 1. A slot that a backend lacks is NULL, or returns VITRAIL_UNSUPPORTED: the driver then
 * takes the CPU's. Twins (same slot, other backend) give the same bytes: all sums are integers, or single IEEE operations.
 *
 * Pixels are aligned to their size, rows too. Input and output never share memory unless a slot says so. A zero in an F32
 * result is +0, so that its bytes do not depend on the order of the work.
 *
 * An argument error is found before anything is written (VITRAIL_BAD_ARGUMENT; vt-backend-checks.h). A cancelled or
 * failed slot leaves its outputs undefined. */
#pragma once

#include "vitrail-plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef VitrailPixelType VtType;
/* Internal to kernels and drivers. VT_BIT: one bit a pixel; pixel x is bit x % 64 of the 64-bit word x / 64 of its row;
 * the stride is a multiple of 8, and the bits beyond the width are zero, going in and coming out. */
enum { VT_I64 = 64 /* squared distances, pixel numbers */, VT_BIT = 65 };

/* A view of pixels, in the memory space of the device whose slot it is passed to. */
typedef struct VtImage {
  void *data;
  int64_t width, height;
  int64_t stride; /* bytes from row to row; >= width * pixel size */
  VtType type;
} VtImage;

/* Bytes of a pixel; 0 for VT_BIT, of which vt_image_at and vt_image_window know nothing. */
static inline size_t
vt_type_size(VtType type)
{
  switch (type) {
  case VITRAIL_U8: return 1;
  case VITRAIL_U16: return 2;
  case VITRAIL_I32:
  case VITRAIL_F32:
  case VITRAIL_RGBA8: return 4;
  case VT_I64: return 8;
  default: return 0;
  }
}

static inline void *
vt_image_at(const VtImage *image, int64_t x, int64_t y)
{
  return (char *)image->data + y * image->stride + x * (int64_t)vt_type_size(image->type);
}

/* The view of a rectangle inside an image. */
static inline VtImage
vt_image_window(const VtImage *image, int64_t x, int64_t y, int64_t width, int64_t height)
{
  return (VtImage){ vt_image_at(image, x, y), width, height, image->stride, image->type };
}

typedef struct VtDevice VtDevice; /* a backend's own: device, queue, scratch pools */

/* Threads that a kernel may use: run(user, n, job, job_user) calls job(job_user, 0..n-1) on up to n_threads of them, in any
 * order, and returns when all are done. The number of threads never changes a result. */
typedef struct VtParallel {
  uint32_t n_threads;
  void *user;
  void (*run)(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);
} VtParallel;

typedef struct VtCancel {
  bool (*is_cancelled)(void *user); /* NULL: never */
  void *user;
} VtCancel;

static inline bool
vt_cancelled(const VtCancel *cancel)
{
  return cancel && cancel->is_cancelled && cancel->is_cancelled(cancel->user);
}

/* Optical density, stains, channels: dst = clamp((table[0][R] + table[1][G] + table[2][B] + 8) >> 4, 0, max of dst type).
 * The plugin makes the tables once, so that no device computes a logarithm. src RGBA8, dst U8 or U16, same size. */
typedef struct VtLut3 {
  VtImage src, dst;
  const int32_t *table; /* 3 * 256, host memory; |entry| < 2^27 */
} VtLut3;

/* Colours with the strengths and colours of reference stains. Two amounts, k = 0 and 1, in 0.0001 of optical density:
 *   a[k] = clamp((table[768k + R] + table[768k + 256 + G] + table[768k + 512 + B] + 8) >> 4, 0, 65535), as VtLut3 has them.
 * The density of colour c, 0..2: d[c] = clamp((mix[0][c] * a[0] + mix[1][c] * a[1] + 32768) >> 16, 0, VT_DENSITIES - 1), in 64 bits.
 * dst is (colour[d[0]], colour[d[1]], colour[d[2]], 255). src, dst RGBA8, same size; dst may be src. */
enum { VT_DENSITIES = 1 << 15 };
typedef struct VtNormalize {
  VtImage src, dst;
  const int32_t *table;  /* 2 * 3 * 256, host memory, like the next; |entry| < 2^27 */
  const uint8_t *colour; /* VT_DENSITIES */
  int32_t mix[2][3];     /* in 1/65536 */
} VtNormalize;

/* Erosion by a disc {(dx,dy): dx²+dy² <= radius²}: minimum over the disc, pixels outside src ignored. dst is the window of
 * src at (x0,y0): the driver gives src a halo where the image goes on. src, dst U16. radius 0..512. */
typedef struct VtErodeDisc {
  VtImage src, dst;
  int64_t x0, y0;
  int32_t radius;
} VtErodeDisc;

/* Separable symmetric smoothing in integers: weights[0..radius] (centre first), weights[0] + 2*sum(rest) = 65536.
 * Vertical pass first, over column sums s = Σ w*src, kept as (s + 32768) >> 16; then the horizontal pass in the same way.
 * Pixels outside the *image* repeat its edge: the driver gives src a halo of `radius` wherever the image goes on, and the
 * kernel repeats the edge of src. src, dst U16; dst is the window of src at (x0,y0). */
typedef struct VtSmooth {
  VtImage src, dst;
  int64_t x0, y0;
  int32_t radius; /* 0..512 */
  const uint32_t *weights;
} VtSmooth;

/* dst(x,y) = f(a(x,y), b(x,y), s). All images have one size; dst may be a or b when the types agree. */
typedef int32_t VtPointwiseOp;
enum {
  VT_PW_SUBTRACT_CLAMP = 0, /* U16 a, b, dst: a > b ? a - b : 0 */
  VT_PW_ABOVE = 1,          /* U8/U16/F32 a, U8 dst: a > s ? 255 : 0 */
  VT_PW_ABOVE_IMAGE = 2,    /* F32 a, b, U8 dst: a > b ? 255 : 0 */
  VT_PW_NOT = 3,            /* U8 a, dst: a ? 0 : 255 */
  VT_PW_SHIFT_DOWN = 4,     /* F32 a, dst: a - (float)s */
  VT_PW_NEXT_BELOW = 5,     /* F32 a, dst: nextafterf(a, -inf) */
  VT_PW_SELECT = 6,         /* F32 a, dst, U8 b: b ? a : (float)s */
  VT_PW_AND = 7,            /* U8 a, b, dst: a && b ? 255 : 0 */
  VT_PW_LOWER_CLAMP = 8,    /* U8/U16 a, dst: a > s ? a - s : 0 (Karas' h-max marker) */
  VT_PW_COMPLEMENT = 9,     /* U8/U16 a, dst: max of the type - a */
  VT_PW_WIDEN = 10,         /* U8/U16 a, U16 dst: a */
  VT_PW_N_OPS
};
typedef struct VtPointwise {
  VtPointwiseOp op;
  VtImage a, b, dst;
  double s;
} VtPointwise;

/* Morphological reconstruction of marker under mask, in place: on return marker is the largest image <= mask that marker
 * can grow to (Vincent 1993; Karas 2010; Teodoro 2012). Needs marker <= mask everywhere and no NaN: otherwise
 * VITRAIL_BAD_ARGUMENT and nothing is written. by_erosion: the dual, all orders turned round (marker >= mask, the smallest image).
 * VT_BIT, U8, U16, I32, F32, both the same type. connectivity 4 or 8, and of a stack 6 or 26. */
typedef struct VtReconstruct {
  VtImage marker, mask; /* of a stack: the first slice */
  int32_t connectivity;
  bool by_erosion;
  int64_t depth;                    /* slices of a stack (connectivity 6 or 26), >= 1; else 0 */
  int64_t marker_slice, mask_slice; /* bytes from slice to slice of a stack, >= height * stride */
} VtReconstruct;

/* Regional maxima: dst (U8) is 255 where no path of equal pixels leads to a higher one, else 0. minima: the dual.
 * src U8, U16, I32, F32 (no NaN). inside (U8; no data: everywhere): pixels that are 0 there are as if outside the image, and
 * 0 in dst. connectivity 4 or 8. */
typedef struct VtRegional {
  VtImage src, inside, dst;
  int32_t connectivity;
  bool minima;
} VtRegional;

/* Geodesic distance and influence zones (SKIZ) of seeds inside mask, in steps between neighbours. */
typedef struct VtGeodesic {
  VtImage seeds; /* I32: 0, or the label of a seed, > 0; seeds outside mask don't count */
  VtImage mask;  /* U8: where paths may go */
  VtImage steps; /* I32 out: steps to the nearest seed, VT_EDT_NONE where none is reached; no data: not wanted */
  VtImage
    zones; /* I32 out: label of the nearest seed, of equally near ones the smallest label; 0: none; no data: not wanted */
  int32_t connectivity; /* 4 or 8 */
} VtGeodesic;

/* Distance to the nearest background pixel (src U8, 0 = background). Squared distances are integers:
 * squared = weight_x dx² + weight_y dy². An output without data is not wanted; at least one output is wanted.
 *  squared  I64; VT_EDT_NONE64 where the image has no background at all
 *  root     F32: (float)sqrt((double)squared) * scale, each step rounded to its type; +inf
 *  nearest  I64: y * width + x of the nearest background pixel, of equally near ones the smallest; -1: none
 * cap > 0: where squared would be larger than cap, squared is cap, root is the root of cap, and nearest is -1.
 * above, below (I32, one row each, both or neither): src is a stripe of a higher image, and they have the rows from its first row up to
 * the nearest background above it, in each column, and from its last row down to the nearest below it; VT_EDT_NONE: none. No row may
 * be VT_EDT_NONE or more rows away from them. Only `exact` takes them (`danielsson`: VITRAIL_UNSUPPORTED), and not for nearest.
 * All exact algorithms give the same answer. `danielsson` hands the nearest pixel on from neighbour to neighbour, in synchronous
 * rounds (Danielsson 1980; Teodoro 2012). Its answer does not depend on the backend either, but at some pixels it is a
 * little more than the distance.
 * VITRAIL_BAD_ARGUMENT if a squared distance could reach 2^63 - 1. */
typedef struct VtDistance {
  VtImage src, squared, root, nearest;
  int32_t weight_x, weight_y; /* 1..65535 */
  float scale;
  int64_t cap;
  VtImage above, below;
} VtDistance;

/* The two passes of the exact distance (Meijster 2000), for drivers that cut an image into stripes and bands.
 * Columns: src U8 (0 = background), dst I32: rows to the nearest background pixel of the same column, VT_EDT_NONE if the
 * column has none. Whole columns: height is the image's.
 * Rows: src I32 column distances, dst I64 (squared distance, VT_EDT_NONE64 if the image has no background) or F32
 * ((float)sqrt((double)squared) * scale, each step rounded to its type; +inf). Whole rows: width is the image's.
 * Weights and cap are those of VtDistance; only the CPU's edt_rows takes them.
 * above (I32; no data: not given) has the rows from a pixel up to the nearest background pixel of its column, 0 on background,
 * VT_EDT_NONE if there is none. With it dst (I64) becomes VtDistance.nearest of an image whose row `y` is the first row of src. */
#define VT_EDT_NONE INT32_MAX
#define VT_EDT_NONE64 INT64_MAX
typedef struct VtEdt {
  VtImage src, dst;
  float scale;
  int32_t weight_x, weight_y; /* 0 counts as 1 */
  int64_t cap;
  VtImage above;
  int64_t y;
} VtEdt;

/* Connected components of non-zero pixels. dst I32: 0 = background, else 1 + the smallest index (y*width + x) in the
 * component. width*height < 2^31 - 1. src U8. connectivity 4 or 8. */
typedef struct VtComponents {
  VtImage src, dst;
  int32_t connectivity;
} VtComponents;

/* Marker watershed with one answer (docs/nuclei-threshold.md), 8-connected, of the relief -height inside mask.
 *  level   F32, the flood level: reconstruction of (height at seeds, lowest elsewhere) under height
 *  seeds   I32, 0 or a seed's label (1 + smallest index of its component, from VtComponents)
 *  labels  I32 out: the label of the seed that the pixel belongs to; 0 outside mask and where no seed reaches
 * Each pixel has a distance within its plateau of `level`: 0 at a seed, 1 at a pixel with a neighbour of higher level, else
 * 1 + the smallest distance of its neighbours in the plateau. The parent of a pixel that is no seed is the neighbour that comes
 * first by (level descending, distance ascending, index ascending). Parents lead to a seed, whose label the pixel gets.
 * width*height < 2^31 - 1. */
typedef struct VtWatershed {
  VtImage level, seeds, mask, labels;
} VtWatershed;

/* One object of a label image: sums over its pixels, and its box, right and bottom not included. */
typedef struct VtObjectStats {
  int64_t area_px, sum_x, sum_y, sum_a, sum_b;
  int64_t left, top, right, bottom;
} VtObjectStats;

/* Numbers the objects 1.. in the order of their first pixels, row by row. labels (I32, 0 = none, else 1..width*height) become
 * these numbers, in place; any other label is VITRAIL_BAD_ARGUMENT. *stats has one entry for each object, in host memory; the
 * caller frees it with free(). It is NULL if there is no object. a, b: U16, summed over each object. width*height < 2^31 - 1. */
typedef struct VtNumber {
  VtImage labels, a, b;
  VtObjectStats **stats;
  int64_t *n_objects;
} VtNumber;

/* labels(x,y) = table[labels(x,y)], in place. labels: I32, 0..n_entries-1; any other label is VITRAIL_BAD_ARGUMENT. */
typedef struct VtRelabel {
  VtImage labels;
  const int32_t *table; /* host memory */
  int64_t n_entries;
} VtRelabel;

/* How many pixels have this pair of labels. */
typedef struct VtOverlap {
  int32_t a, b, n_px;
} VtOverlap;

/* The sparse histogram of the pairs of labels of two images (I32, of one size): of each pair that occurs, but for (0, 0), how many
 * pixels have it, sorted by a, then b. A pixel where a label is below 0 is not counted. *list is in host memory; the caller frees it
 * with free(). It is NULL if there is no pair. width*height < 2^31 - 1. */
typedef struct VtOverlaps {
  VtImage a, b;
  VtOverlap **list;
  int64_t *n;
} VtOverlaps;

/* Grey level run length features (Galloway 1975, and IBSI's names and definitions). */
enum {
  VT_GLRLM_SRE,
  VT_GLRLM_LRE,
  VT_GLRLM_GLN,
  VT_GLRLM_RLN,
  VT_GLRLM_RP,
  VT_GLRLM_LGRE,
  VT_GLRLM_HGRE,
  VT_GLRLM_SRLGE,
  VT_GLRLM_SRHGE,
  VT_GLRLM_LRLGE,
  VT_GLRLM_LRHGE,
  VT_GLRLM_GLNN,
  VT_GLRLM_RLNN,
  VT_GLRLM_GLV,
  VT_GLRLM_RV,
  VT_GLRLM_RE,
  VT_GLRLM_N_FEATURES
};
/* Directions (dx,dy), y down, in this order. */
enum { VT_GLRLM_DIR_1_0, VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_0_1, VT_GLRLM_DIR_M1_1, VT_GLRLM_N_DIRECTIONS };
typedef int32_t VtGlrlmAggregate;
enum {
  VT_GLRLM_DIR_FIRST = 0, /* 0..3: that direction alone */
  VT_GLRLM_MEAN = 4,      /* mean over the four directions of the feature (IBSI "averaged") */
  VT_GLRLM_MERGED = 5,    /* feature of the summed matrices (IBSI "merged") */
  VT_GLRLM_N_AGGREGATES
};

/* SRLGE of a window is summed in fixed point, so that the order of the sum does not matter. A run of level i and length j adds
 * the integer nearest to 2^50 / (i² j²); a tie rounds up. Each direction has a sum of 64 bits; merged directions are added in
 * 128 bits. The feature is (double)sum / ((double)runs * 2^50). Sums over 1/i² or 1/j² alone start from the exact number of runs
 * of each level or length, and are added as doubles in ascending order. */
#define VT_GLRLM_FIXED_BITS 50

/* Maps of features of a sliding window: one F32 image for each aggregate and feature, all of one size.
 * src: U8 or U16 levels 1..n_levels (256 needs U16). Level 0 is outside the mask: it ends a run and is not counted.
 * A window is (2*half+1)² pixels, clipped to src. Pixel (i,j) of a map belongs to the window whose centre is
 * (x0 + i*step, y0 + j*step) in src. The value is the feature as a float; NaN for a window without pixels.
 * aggregates has bits 1 << VtGlrlmAggregate, features has bits 1 << VT_GLRLM_...; at least one of each.
 * dst[a * n_features + f] is the map of the a-th bit that is set in aggregates and the f-th in features.
 * n_levels 1..256, half 1..64. */
typedef struct VtGlrlmWindows {
  VtImage src;
  const VtImage *dst; /* the array is in host memory */
  uint32_t features, aggregates;
  int32_t n_levels, half, step;
  int64_t x0, y0;
} VtGlrlmWindows;

/* Adds to matrix[direction][level-1][length-1] the runs that *start* in the rectangle of src. A run starts at its first pixel
 * along (dx,dy), and is followed to its end, beyond the rectangle too. So the matrices of a region's tiles add up to that of the
 * region. max_length >= the longest possible run. matrix: 4 * n_levels * max_length of uint64_t, host memory. */
typedef struct VtGlrlmRuns {
  VtImage src;
  int64_t x, y, width, height;
  int32_t n_levels, max_length;
  uint64_t *matrix;
} VtGlrlmRuns;

/* One of many regions whose texture is worked out in one call. Regions may overlap; a run ends where its region ends.
 * A region is a box of width * height pixels in `levels`, and a box of the same size in `masks` unless mask < 0. A pixel belongs
 * to the region if its level is above 0 and its mask is not 0. A box may be a part of an image, or a patch stored by itself. */
typedef struct VtGlrlmRoi {
  int64_t width, height; /* 1..2^31-1 */
  /* The number of the box's first pixel, y * (stride / pixel size) + x, and the pixels from row to row of the box. */
  int64_t level, level_step;
  int64_t mask, mask_step; /* mask < 0: there is no mask */
} VtGlrlmRoi;

/* The features of region r: values[(r * number of aggregates + a) * number of features + f] for the a-th bit of aggregates
 * and the f-th of features (VtGlrlmWindows). They have the same bits as those that glrlm_features makes of the region's matrices.
 * MEAN is (((first + second) + third) + fourth) / 4 of the directions; MERGED has four times the pixels. NaN for a region without
 * pixels. levels U8 or U16, masks U8 (no data: no region has a mask), n_levels 1..256. VITRAIL_BAD_ARGUMENT if a box leaves its
 * image, or if a pixel of a region has a level above n_levels. */
typedef struct VtGlrlmRois {
  VtImage levels, masks;
  const VtGlrlmRoi *rois; /* host memory, like values and n_pixels */
  int64_t n_rois;
  int32_t n_levels;
  uint32_t features, aggregates;
  double *values;
  int64_t *n_pixels; /* of each region */
} VtGlrlmRois;

/* Nuclei as the best set of candidate regions that do not overlap (docs/nuclei.md has the definition). */
enum { VT_EDGE_LEFT = 1, VT_EDGE_TOP = 2, VT_EDGE_RIGHT = 4, VT_EDGE_BOTTOM = 8 };
enum { VT_REGIONS_LEAST = 16, VT_REGIONS_MOST = 240 /* of VtRegions.largest */ };
typedef enum {
  VT_REGIONS_TISSUE,
  VT_REGIONS_CYTOLOGY,
  VT_REGIONS_FLUORESCENCE,
  VT_REGIONS_TISSUE_SMALL, /* nuclei of some 5 to 15 pixels */
  VT_REGIONS_N_PRESETS
} VtRegionsPreset;
/* A candidate that was chosen, or is the next best where none was; or any at a place that was asked for. Its first pixel, row by row, lies in the tile. */
enum { VT_REGIONS_FEATURES = 61 };
typedef struct VtRegionFound {
  int64_t x, y, width, height; /* its box on the grid */
  int64_t first_x;             /* of its first pixel, which is in row y */
  size_t pixels;               /* bytes of VtRegionsFound: width * height, not 0 where it is */
  uint16_t score;
  bool is_chosen;
  int32_t margin; /* by how much the score would have to be another for the choice to turn: 1/65535 */
  int32_t features[VT_REGIONS_FEATURES];
} VtRegionFound;
/* Both lists are malloc()ed and grow; who asks frees them. */
typedef struct VtRegionsFound {
  VtRegionFound *at;
  size_t n, room;
  uint8_t *bytes;
  size_t n_bytes, bytes_room;
} VtRegionsFound;
/* On the grid: x1, y1 are no longer in it. */
typedef struct VtRegionsPlace {
  int64_t x0, y0, x1, y1;
} VtRegionsPlace;
/* The candidates of a tile with their scores, of which a cutoff makes the choice. */
typedef struct VtRegionsScored VtRegionsScored;
/* A preset's score that examples taught: trees that ask the same questions, with other answers. */
typedef struct VtRegionsTaught {
  uint64_t number;         /* no other one of this process has it; from 1 on, below 2^29 */
  const uint16_t *answers; /* of the leaves: value of each node, in the order of the preset's model */
  size_t n_answers;
  const struct VtForest *forest; /* the same, as the CPU has it */
} VtRegionsTaught;
typedef struct VtRegions {
  /* The window, U8, of one size: the tile and a halo of vt_regions_reach(largest), as far as the image goes. */
  VtImage red, green, blue;
  /* The tile, I32: 0 = no nucleus, else 1 + (y mod 4096) * 4096 + (x mod 4096), where (x,y) is the first pixel, row by row, of the
   * pixel's region on the grid. Pixels of one region have one code; regions that touch have different codes. */
  VtImage code;
  /* The tile, U16: the predicted IoU of the pixel's region in 1/65535; outside regions the largest one of the candidates there. */
  VtImage score;
  int64_t x0, y0;         /* the tile's corner in the window */
  int64_t grid_x, grid_y; /* the window's corner on the grid */
  uint32_t edges;         /* sides of the window where the image ends */
  int32_t largest;        /* longest side of a region's box, in pixels, 16..240 */
  double um_per_px;       /* 0: not known */
  VtRegionsPreset preset;
  uint16_t cutoff; /* a region's worth is its score less cutoff; only a worth above 0 is chosen */
  const VtRegionsTaught
    *taught; /* the score in place of the preset's own, which the CPU's regions_teach() made; NULL: its own */
  VtRegionsFound
    *found; /* where the backend has regions_teach: takes the candidates that can be taught; NULL: nobody asks */
  const VtRegionsPlace
    *places; /* with found: of all candidates those whose boxes meet one of them; NULL: those that can be taught */
  size_t n_places;
  /* There, too, without found: what a call with the same arguments but for the cutoff and grid_x, grid_y has left here; the window is then not looked at. *scored NULL:
   * takes what this call makes, regions_drop() it. scored NULL: nobody keeps it. */
  VtRegionsScored **scored;
} VtRegions;
/* What the score of a preset is taught by (docs/nuclei.md): n rows of features as VtRegionFound has them, and whether each is a
 * nucleus. */
typedef struct VtRegionsLesson {
  VtRegionsPreset preset;
  const int32_t *rows; /* n * (VT_REGIONS_FEATURES + 1): the features, then 1 or 0 */
  int64_t n;           /* at least 1 */
} VtRegionsLesson;
/* A code has the first pixel's coordinates modulo the period. A region is smaller than the period, so the coordinates of any of
 * its pixels and the code together give the first pixel. */
enum { VT_REGION_PERIOD = 4096, VT_REGION_MOST_CODE = VT_REGION_PERIOD * VT_REGION_PERIOD };
/* Codes (I32) of a whole image become labels, in place: 1 + y * width + x of the region's first pixel. A value that is no code
 * stays as it is. VITRAIL_BAD_ARGUMENT if a region begins outside the image. */
typedef struct VtRegionLabels {
  VtImage codes;
  int64_t grid_x, grid_y; /* the image's corner on the grid */
} VtRegionLabels;
/* How far away, in pixels, a pixel can be that a pixel's answer depends on: the longest side of a region, and 52 for the
 * filters and the ring around the region. */
static inline int64_t
vt_regions_reach(int32_t largest)
{
  return largest + 52;
}

typedef struct VtReconstructAlgorithm {
  const char *id, *title;
  VitrailStatus (*run)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
} VtReconstructAlgorithm;

typedef struct VtDistanceAlgorithm {
  const char *id, *title;
  VitrailStatus (*run)(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
} VtDistanceAlgorithm;

typedef struct VtGlrlmAlgorithm {
  const char *id, *title;
  VitrailStatus (*run)(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
} VtGlrlmAlgorithm;

enum { VT_N_QUEUES = 33 };

typedef struct VtBackend {
  const char *id, *title;
  uint32_t max_concurrency; /* slots at the same time on one device; 0 = no limit */
  /* Number of devices; 0 = absent, and `reason` says why in one sentence. */
  int32_t (*probe)(char *reason, size_t reason_size);
  /* parallel: the threads that this device's slots may use while it is open; NULL: only the caller's own. Its struct is
   * copied. A backend that needs none ignores it. What is open at one index shares its memory. */
  VitrailStatus (*open)(int32_t index, const VtParallel *parallel, VtDevice **device, char *reason, size_t reason_size);
  void (*close)(VtDevice *device);
  const char *(*device_name)(VtDevice *device);
  /* The last failure of this device in one sentence; "" if none. */
  const char *(*last_error)(VtDevice *device);
  /* Memory of the device. Contents undefined. 256-byte aligned. */
  VitrailStatus (*alloc)(VtDevice *device, size_t bytes, void **data);
  void (*free)(VtDevice *device, void *data);
  /* Between two calls of slots, for a device that stays open from run to run; NULL: it has to be closed and opened.
   * use_threads: other threads than it was opened with; NULL: the caller's own. keep_memory: what was freed and is kept for later goes back
   * to the system but for so many bytes, and of these the system may take what it is short of. */
  void (*use_threads)(VtDevice *device, const VtParallel *parallel);
  void (*keep_memory)(VtDevice *device, size_t most);
  /* Host memory, 256-byte aligned, to and from which this device copies fastest. The backend may cache what is freed.
   * NULL: any host memory is as good. */
  VitrailStatus (*alloc_host)(VtDevice *device, size_t bytes, void **data);
  void (*free_host)(VtDevice *device, void *data);
  /* 2-D copies between host and device memory; type and size of both images agree. Done when they return. */
  VitrailStatus (*upload)(VtDevice *device, const VtImage *dst, const VtImage *src);
  VitrailStatus (*download)(VtDevice *device, const VtImage *dst, const VtImage *src);

  const VtReconstructAlgorithm *reconstruct; /* ends with an entry of NULL id; the first one is `auto` */
  const VtDistanceAlgorithm *distance;       /* like reconstruct: `exact`, `danielsson` */
  VitrailStatus (*edt_columns)(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
  VitrailStatus (*edt_rows)(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
  VitrailStatus (*lut3)(VtDevice *device, const VtLut3 *args, const VtCancel *cancel);
  VitrailStatus (*normalize)(VtDevice *device, const VtNormalize *args, const VtCancel *cancel);
  VitrailStatus (*erode_disc)(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel);
  VitrailStatus (*smooth)(VtDevice *device, const VtSmooth *args, const VtCancel *cancel);
  VitrailStatus (*pointwise)(VtDevice *device, const VtPointwise *args, const VtCancel *cancel);
  VitrailStatus (*components)(VtDevice *device, const VtComponents *args, const VtCancel *cancel);
  VitrailStatus (*watershed)(VtDevice *device, const VtWatershed *args, const VtCancel *cancel);
  VitrailStatus (*regional)(VtDevice *device, const VtRegional *args, const VtCancel *cancel);
  VitrailStatus (*geodesic)(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel);
  VitrailStatus (*number)(VtDevice *device, const VtNumber *args, const VtCancel *cancel);
  VitrailStatus (*relabel)(VtDevice *device, const VtRelabel *args, const VtCancel *cancel);
  const VtGlrlmAlgorithm *glrlm_windows; /* like reconstruct; NULL: none */
  VitrailStatus (*glrlm_runs)(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel);
  /* The features of one matrix (n_levels * max_length counts) over n_pixels pixels; NaN when it is empty. Host memory. */
  void (*glrlm_features)(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                         double features[VT_GLRLM_N_FEATURES]);
  /* Asynchronous copies. A copy begins on one of the VT_N_QUEUES queues of a device, and is done when wait() for that queue
   * returns. The host's memory is from alloc_host() of any device of the backend. One thread at a time uses a queue; several
   * queues may be used at once, also while slots run. Slots, and alloc(), use queue 0: call wait(0) before another queue
   * uses memory that was just allocated. NULL: there are no queues. */
  VitrailStatus (*begin_upload)(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src);
  VitrailStatus (*begin_download)(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src);
  VitrailStatus (*wait)(VtDevice *device, uint32_t queue);
  /* The most bytes that were in use at once since the last call on the device with that index, by everything that is open
   * there. NULL: not counted. */
  uint64_t (*take_memory_peak)(int32_t index);
  VitrailStatus (*glrlm_rois)(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel);
  /* How many pixels of src a glrlm_windows algorithm works on between two looks at the cancel (well under 20 ms). The driver cuts
   * a larger image into bands. 0: there is no such limit. */
  int64_t windows_at_once;
  VitrailStatus (*regions)(VtDevice *device, const VtRegions *args, const VtCancel *cancel);
  /* Bytes of the device's memory that are free. NULL: not known. */
  uint64_t (*spare_memory)(VtDevice *device);
  VitrailStatus (*region_labels)(VtDevice *device, const VtRegionLabels *args, const VtCancel *cancel);
  /* The score that a lesson makes of the preset's, the same for rows in any order. VITRAIL_BAD_ARGUMENT: a last number is neither 0 nor 1,
   * or there are too many rows. forget() it. [any] These are NULL where `regions` takes neither found nor scored. */
  VitrailStatus (*regions_teach)(const VtRegionsLesson *lesson, VtRegionsTaught **taught);
  void (*regions_forget)(VtRegionsTaught *taught);
  void (*regions_drop)(VtRegionsScored *scored);
  size_t (*regions_bytes)(const VtRegionsScored *scored); /* that it takes */
  const char *(*regions_model)(VtRegionsPreset preset);   /* "sha256:..." of the score that ships; static */
  VitrailStatus (*overlaps)(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel);
} VtBackend;

const VtBackend *vt_cpu_backend(void);
#ifdef VT_HAVE_CUDA
const VtBackend *vt_gpu_backend(void);
#endif

#ifdef __cplusplus
}
#endif
