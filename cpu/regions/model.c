/* SPDX-License-Identifier: MIT
 *
 * The models that ship: read once from the bytes of the .model files, which tests/train/regions-train writes. All numbers are
 * little-endian: the map (constant, linear, square: int32), features, trees, nodes of a tree and base (uint32), the limits (int32),
 * the nodes (feature, bin: one byte each; value: two), the form (int32). Beside them the .anchors files: rows of features (int16). */
#include "regions.h"

#include <stdlib.h>
#include <pthread.h>

extern const unsigned char vt_rg_tissue[], vt_rg_cytology[], vt_rg_fluorescence[], vt_rg_tissue_small[];
extern const char vt_rg_tissue_hash[], vt_rg_cytology_hash[], vt_rg_fluorescence_hash[], vt_rg_tissue_small_hash[];
extern const unsigned long vt_rg_tissue_size, vt_rg_cytology_size, vt_rg_fluorescence_size, vt_rg_tissue_small_size;

#define ANCHORS(name) \
  extern const unsigned char vt_rg_##name##_anchors[]; \
  extern const unsigned long vt_rg_##name##_anchors_size;
ANCHORS(tissue)
ANCHORS(cytology)
ANCHORS(fluorescence)
ANCHORS(tissue_small)

typedef struct Shipped {
  RgMap map;
  VtForest forest;
  RgModel model;
  bool is_read;
} Shipped;

static Shipped shipped[VT_REGIONS_N_PRESETS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t
take(const unsigned char **at)
{
  const unsigned char *b = *at;
  *at += 4;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The files are built in, so that only memory can fail. */
static void
read_model(Shipped *s, const unsigned char *at, unsigned long size)
{
  const unsigned char *end = at + size;
  VtForest *f = &s->forest;
  s->map.constant = (int32_t)take(&at);
  for (int i = 0; i < RG_N_INPUTS; i++)
    s->map.linear[i] = (int32_t)take(&at);
  for (int i = 0; i < RG_N_SQUARES; i++)
    s->map.square[i] = (int32_t)take(&at);
  *f = (VtForest){ .n_features = take(&at) };
  f->n_trees = take(&at);
  f->tree_nodes = take(&at);
  f->base = (int32_t)take(&at);
  const size_t n_limits = (size_t)f->n_features * (VT_FOREST_BINS - 1), n_nodes = (size_t)f->n_trees * f->tree_nodes;
  const size_t n_form = vt_forest_form_size(f->n_features);
  if (f->n_features != RG_N_FEATURES || (size_t)(end - at) != 4 * (n_limits + n_nodes + n_form))
    return;
  f->limits = malloc(n_limits * sizeof *f->limits);
  f->nodes = malloc(n_nodes * sizeof *f->nodes);
  f->form = malloc(n_form * sizeof *f->form);
  s->is_read = f->limits && f->nodes && f->form;
  for (size_t i = 0; s->is_read && i < n_limits; i++)
    f->limits[i] = (int32_t)take(&at);
  for (size_t i = 0; s->is_read && i < n_nodes; i++, at += 4)
    f->nodes[i] = (VtForestNode){ at[0], at[1], (uint16_t)(at[2] | at[3] << 8) };
  for (size_t i = 0; s->is_read && i < n_form; i++)
    f->form[i] = (int32_t)take(&at);
  s->is_read = s->is_read && vt_forest_ready(f);
  s->model = (RgModel){ &s->map, f, NULL, 0 };
}

static void
read_anchors(Shipped *s, const unsigned char *at, unsigned long size)
{
  const size_t n = size / 2;
  int32_t *values = malloc(n * sizeof *values + 1);
  s->is_read = s->is_read && values && size % RG_ANCHOR_BYTES == 0;
  for (size_t i = 0; s->is_read && i < n; i++)
    values[i] = (int16_t)(at[2 * i] | at[2 * i + 1] << 8);
  s->model.anchors = values;
  s->model.n_anchors = n / RG_N_FEATURES;
}

#define READ(preset, name) \
  read_model(&shipped[preset], vt_rg_##name, vt_rg_##name##_size); \
  read_anchors(&shipped[preset], vt_rg_##name##_anchors, vt_rg_##name##_anchors_size)

static void
read_all(void)
{
  READ(VT_REGIONS_TISSUE, tissue);
  READ(VT_REGIONS_CYTOLOGY, cytology);
  READ(VT_REGIONS_FLUORESCENCE, fluorescence);
  READ(VT_REGIONS_TISSUE_SMALL, tissue_small);
}

const RgModel *
vt_rg_shipped_model(VtRegionsPreset preset)
{
  pthread_once(&once, read_all);
  return shipped[preset].is_read ? &shipped[preset].model : NULL;
}

const char *
vt_cpu_regions_model(VtRegionsPreset preset)
{
  const char *const hashes[VT_REGIONS_N_PRESETS] = { [VT_REGIONS_TISSUE] = vt_rg_tissue_hash,
                                                     [VT_REGIONS_CYTOLOGY] = vt_rg_cytology_hash,
                                                     [VT_REGIONS_FLUORESCENCE] = vt_rg_fluorescence_hash,
                                                     [VT_REGIONS_TISSUE_SMALL] = vt_rg_tissue_small_hash };
  return hashes[preset];
}
