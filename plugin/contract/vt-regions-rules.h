/* SPDX-License-Identifier: MIT
 *
 * vt-regions-rules.h: the numbers of the definition in docs/nuclei.md, which all backends share. */
#pragma once

#include <stdint.h>

enum {
  RG_FILTER_REACH = 48, /* a value of a plane is made of pixels up to this far away, RG_RING included */
  RG_RING = 3,          /* width of the ring around a region */
  RG_PAD = 4,           /* empty pixels around a region in its mask */
  RG_MIN_AREA = 20,
  RG_MIN_SPLIT = 60,   /* smaller regions are not split */
  RG_MAX_BASINS = 16,  /* a region with more basins is not split */
  RG_N_INPUTS = 16,    /* of the pixel map */
  RG_MAX_SEEDS = 1024, /* a region with more is not split */
  RG_NECK = 252,       /* two peaks are two parts if the saddle is at most this many 1/256 of the lower peak */
  RG_STEP = 92, /* a node is a candidate if it has at most this percentage of the area of the next candidate above */
  RG_MOST_DENSITY = 617, /* density of black */
  RG_LEVEL_SHIFT = 1,    /* a level is 2 steps of the map */
  RG_LOWEST_LEVEL = 16,
  RG_N_FEATURES = 61,
};

/* The quadratic form of the pixel map: (Σ_i f_i ((Σ_j<=i square_ij f_j) / 1024 + linear_i) + constant) / 1024, f clipped to ±RG_INPUT_MAX. */
enum { RG_INPUT_MAX = 320, RG_N_SQUARES = RG_N_INPUTS * (RG_N_INPUTS + 1) / 2 };
/* Planes of the window, one int16 a pixel, in optical density * 256 or as the name says. */
typedef enum {
  RG_RED_1, /* smoothed by 1-2-1 */
  RG_RED_2,
  RG_RED_4,
  RG_RED_8,
  RG_RED_16,
  RG_RED_MEAN, /* of the 81 x 81 surroundings */
  RG_RED_DEV,  /* their standard deviation */
  RG_GREEN_1,
  RG_GREEN_4,
  RG_GREEN_16,
  RG_BLUE_1,
  RG_BLUE_4,
  RG_GRADIENT_1,
  RG_GRADIENT_4,
  RG_ROUGH, /* smoothed |red 1 - red 4| */
  RG_EDGE_8,
  RG_MAP,
  RG_N_PLANES
} RgPlane;

/* round(-log10((v + 1) / 256) * 256) */
static const int16_t vt_rg_density[256] = {
  617, 539, 494, 462, 438, 417, 400, 385, 372, 361, 350, 340, 331, 323, 315, 308, 302, 295, 289, 283, 278, 273,
  268, 263, 259, 254, 250, 246, 242, 238, 235, 231, 228, 224, 221, 218, 215, 212, 209, 206, 204, 201, 198, 196,
  193, 191, 188, 186, 184, 182, 179, 177, 175, 173, 171, 169, 167, 165, 163, 161, 159, 158, 156, 154, 152, 151,
  149, 147, 146, 144, 143, 141, 139, 138, 136, 135, 134, 132, 131, 129, 128, 127, 125, 124, 123, 121, 120, 119,
  117, 116, 115, 114, 113, 111, 110, 109, 108, 107, 106, 105, 103, 102, 101, 100, 99,  98,  97,  96,  95,  94,
  93,  92,  91,  90,  89,  88,  87,  86,  85,  84,  83,  82,  81,  81,  80,  79,  78,  77,  76,  75,  74,  74,
  73,  72,  71,  70,  70,  69,  68,  67,  66,  66,  65,  64,  63,  62,  62,  61,  60,  59,  59,  58,  57,  57,
  56,  55,  54,  54,  53,  52,  52,  51,  50,  50,  49,  48,  47,  47,  46,  46,  45,  44,  44,  43,  42,  42,
  41,  40,  40,  39,  39,  38,  37,  37,  36,  36,  35,  34,  34,  33,  33,  32,  31,  31,  30,  30,  29,  29,
  28,  27,  27,  26,  26,  25,  25,  24,  24,  23,  23,  22,  21,  21,  20,  20,  19,  19,  18,  18,  17,  17,
  16,  16,  15,  15,  14,  14,  13,  13,  12,  12,  11,  11,  10,  10,  10,  9,   9,   8,   8,   7,   7,   6,
  6,   5,   5,   4,   4,   4,   3,   3,   2,   2,   1,   1,   0,   0,
};

/* What is subtracted, so that inputs have both signs. */
static const int16_t vt_rg_map_middle[RG_N_INPUTS] = { 128, 128, 128, 128, 128, 128, 64, 128,
                                                       128, 128, 128, 128, 64,  64,  64, 64 };
