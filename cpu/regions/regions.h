/* SPDX-License-Identifier: MIT
 *
 * regions.h: what the files of regions/ share. docs/nuclei.md has the definition that they carry out.
 *
 * A window is the tile and its halo. Planes are made of the whole window; the tree is made of the inner window, which has
 * lost RG_FILTER_REACH at every side where the image goes on. */
#pragma once

#include "../vt-cpu.h"
#include "learn/forest.h"
#include "vt-regions-rules.h"

_Static_assert((int)VT_REGIONS_FEATURES == (int)RG_N_FEATURES, "the contract has them all");

typedef struct RgMap {
  int32_t constant, linear[RG_N_INPUTS], square[RG_N_SQUARES];
} RgMap;

enum { RG_ANCHOR_BYTES = 2 * RG_N_FEATURES /* of each in the file */ };
typedef struct RgModel {
  const RgMap *map;
  const VtForest *forest;
  const int32_t *anchors; /* n_anchors * RG_N_FEATURES: what holds the score when it is taught */
  size_t n_anchors;
} RgModel;

/* In a loop over pixels. What is cancelled stays so. */
static inline bool
vt_rg_cancelled_at(const VtCancel *cancel, int64_t i)
{
  return (i & 0x3fff) == 0 && vt_cancelled(cancel);
}

typedef struct RgBox {
  int32_t x0, y0, x1, y1; /* window; x1, y1 are inside */
} RgBox;

/* What the tree and the features look at. */
enum { RG_N_MIXED = 8, RG_MIXED_SPARE = 3 /* pixels after the last that may be read */ };
typedef struct RgPlanes {
  const VtCancel *cancel; /* of all that is made from them; NULL: never */
  VtDevice *device;       /* whose scratch it is; NULL: none's */
  int64_t width, height;
  void *block;
  int16_t *map, *red_mean, *red_dev;
  int16_t *mixed; /* RG_N_MIXED values of each pixel in a row, those that regions are measured by */
  void *spare;    /* memory that holds nothing once all are filled; NULL: none */
  size_t spare_bytes;
  /* Is told each row of the inputs of the map; NULL: nobody is. */
  void (*tell)(void *tell_user, int64_t y, const int16_t *const inputs[RG_N_INPUTS]);
  void *tell_user;
} RgPlanes;

VitrailStatus vt_rg_planes_init(RgPlanes *planes, int64_t width, int64_t height, VtDevice *device);
void vt_rg_planes_clear(RgPlanes *planes);
/* All that is wanted, a box of the window. fluorescence: bright is much stain. map NULL: the inputs of the map alone. */
VitrailStatus vt_rg_planes_fill(RgPlanes *planes, const VtRegions *args, const RgMap *map, RgBox wanted);

/* A node of the component tree: a 4-connected component of {map level >= level}. Children come before their parents. */
typedef struct RgNode {
  int32_t parent;             /* -1: none */
  int32_t area, start, level; /* start: of its pixels in the tree's list */
  RgBox box;
  bool cut; /* it meets a side of the inner window where the image goes on */
} RgNode;

/* For quotients without a division: p / by is p * reciprocal >> shift, for every p of 31 bits. */
typedef struct RgDivisor {
  uint64_t reciprocal;
  int32_t by, shift;
} RgDivisor;

static inline RgDivisor
vt_rg_divisor(int32_t by)
{
  const int32_t shift = 64 - __builtin_clz((uint32_t)by);
  return (RgDivisor){ ((UINT64_C(1) << shift) + (uint32_t)by - 1) / (uint32_t)by, by, shift };
}

static inline int32_t
vt_rg_quotient(const RgDivisor *d, int32_t p)
{
  return (int32_t)((uint64_t)p * d->reciprocal >> d->shift);
}

typedef struct RgTree {
  RgBox inner;
  RgDivisor widths; /* divides by the inner window's width */
  int64_t n_pixels;
  int32_t n_nodes;
  RgNode *nodes;
  int32_t *number,
    *begun; /* of each pixel of the inner window: which node was begun for it, -1 below the lowest level; its index */
  int32_t *list; /* pixels of the inner window, those of a node in a row */
  void *own;     /* memory; NULL: that of the planes */
  VtDevice *device;
} RgTree;

/* The smallest node that holds a pixel of the window, or -1. */
static inline int32_t
vt_rg_node_at(const RgTree *tree, int32_t x, int32_t y)
{
  const RgBox in = tree->inner;
  const int32_t number = tree->number[(int64_t)(y - in.y0) * (in.x1 - in.x0 + 1) + (x - in.x0)];
  return number < 0 ? -1 : tree->begun[number];
}

/* It may take what memory the planes have to spare. */
VitrailStatus vt_rg_tree_init(RgTree *tree, const RgPlanes *planes, RgBox inner, uint32_t edges);
void vt_rg_tree_clear(RgTree *tree);

/* A region that may be chosen. */
typedef struct RgCandidate {
  int32_t parent; /* the smallest candidate that holds it; -1: none */
  int32_t node;   /* of the tree that it is of, or is a part of */
  int32_t area;   /* holes filled, before it is opened */
  int32_t level;
  RgBox box;
  bool part;    /* of a split of its parent */
  uint8_t neck; /* 255 * saddle / lower peak of the split */
  bool chosen;
  uint16_t score;
  int32_t margin; /* of vt_rg_choose_next */
  size_t bits;    /* of its mask in the arena: rows of (width + 63) / 64 words */
} RgCandidate;

typedef struct RgCandidates {
  const VtCancel *cancel; /* NULL: never */
  int32_t n, room;
  RgCandidate *at;
  uint64_t *bits;
  size_t n_bits, bits_room;
} RgCandidates;

/* Pixels of a row of a mask that are next to each other: from..to - 1. */
typedef struct RgRun {
  int16_t y, from, to;
  int32_t up, area;
} RgRun;

/* A mask with a margin of RG_PAD: one bit a pixel. */
typedef struct RgMask {
  RgBox box;
  int32_t width, height, words;         /* with the margin; of a row */
  uint64_t *rows, *spare, *ring, *edge; /* one block */
  RgRun *runs;                          /* room for every run */
} RgMask;

VitrailStatus vt_rg_mask_init(RgMask *mask, int32_t largest);
void vt_rg_mask_clear(RgMask *mask);
void vt_rg_mask_empty(RgMask *mask, RgBox box);
void vt_rg_mask_load(RgMask *mask, const RgCandidates *all, const RgCandidate *c);
/* dst: src grown by one pixel, to 4 neighbours or to 8. */
void vt_rg_mask_grow(uint64_t *restrict dst, const uint64_t *restrict src, const RgMask *mask, bool is_square);
/* Leaves what squares of 3 x 3 pixels inside the mask cover; of several pieces, 4-connected, the largest; of equals, the first
 * row by row. How many pixels are left. */
int32_t vt_rg_mask_open(RgMask *mask);
/* Adds a candidate with this mask, in the smallest box around it; its index, or -1 without memory. */
int32_t vt_rg_candidates_add(RgCandidates *all, const RgMask *mask, const RgCandidate *like);
static inline uint64_t *
vt_rg_mask_word(const RgMask *mask, int32_t x, int32_t y)
{
  return mask->rows + (ptrdiff_t)(y - mask->box.y0 + RG_PAD) * mask->words + ((x - mask->box.x0 + RG_PAD) >> 6);
}
static inline void
vt_rg_mask_put(RgMask *mask, int32_t x, int32_t y)
{
  *vt_rg_mask_word(mask, x, y) |= UINT64_C(1) << ((x - mask->box.x0 + RG_PAD) & 63);
}
static inline bool
vt_rg_mask_has(const RgMask *mask, int32_t x, int32_t y)
{
  return *vt_rg_mask_word(mask, x, y) >> ((x - mask->box.x0 + RG_PAD) & 63) & 1;
}
static inline bool
vt_rg_bit(const RgCandidates *all, const RgCandidate *c, int32_t x, int32_t y)
{
  const size_t row = ((size_t)(c->box.x1 - c->box.x0) + 64) / 64, at = (size_t)(x - c->box.x0);
  return all->bits[c->bits + (size_t)(y - c->box.y0) * row + at / 64] >> at % 64 & 1;
}

/* All that has a say in the tile, which is a part of the window. */
VitrailStatus vt_rg_candidates_find(RgCandidates *all, const RgTree *tree, RgMask *mask, int32_t largest, RgBox tile);
void vt_rg_candidates_clear(RgCandidates *all);
/* The parts of one candidate (index whole), whose mask is loaded. part and scratch (vt_rg_split_scratch bytes) are overwritten. */
VitrailStatus vt_rg_split(RgCandidates *all, int32_t whole, RgMask *mask, RgMask *part, void *scratch);
size_t vt_rg_split_scratch(int32_t largest);
/* For qsort: the least key first; of one key, the later candidate. With the area as key a candidate comes before whatever holds it:
 * nodes were added from the root up, so that of two that are alike once their holes are filled, the later lies in the other. */
typedef struct RgOrder {
  int32_t index, key;
} RgOrder;
int vt_rg_compare_order(const void *one, const void *two);
/* Marks the best set of candidates that do not overlap, each worth its score less the cutoff. */
VitrailStatus vt_rg_choose(RgCandidates *all, uint16_t cutoff);
/* The same, told in chosen[all->n], and then the best set of those that overlap none of these, by the lower cutoff: RgCandidate.chosen is of that
 * second one. margin, of both: by how much the score would have to be another for the choice to turn, as far as it depends on this score. */
VitrailStatus vt_rg_choose_next(RgCandidates *all, uint16_t cutoff, uint16_t lower, bool *chosen);

/* All of the above: what the slot and the training share. */
typedef struct RgWindow {
  RgPlanes planes;
  RgTree tree;
  RgMask mask;
  RgCandidates all;
  int32_t largest;
} RgWindow;

VitrailStatus vt_rg_window_init(RgWindow *window, const VtRegions *args, const RgMap *map, VtDevice *device,
                                const VtCancel *cancel);
void vt_rg_window_clear(RgWindow *window);
/* The features of a candidate. They are made when they are asked for: those of all are more memory than the rest of them. */
void vt_rg_window_measure(RgWindow *window, int32_t candidate, int32_t features[RG_N_FEATURES]);
VitrailStatus vt_rg_window_choose(RgWindow *window, const RgModel *model, uint16_t cutoff);
/* Of a window whose candidates have scores: adds to args->found. The choice is another afterwards. */
VitrailStatus vt_rg_window_find(RgWindow *window, const VtRegions *args);
/* What the score of a candidate with these features is to become. */
uint16_t vt_rg_lesson_goal(const VtForest *forest, const int32_t *features, bool is_nucleus);
const RgModel *vt_rg_shipped_model(VtRegionsPreset preset);
