/* SPDX-License-Identifier: MIT
 *
 * A make-believe piece of tissue in hematoxylin and eosin: where everything lies (vt-demo-scene.c) and how it looks
 * (vt-demo-render.c). Pure function of size and seed. Lengths are level-0 pixels of 0.5 µm. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slowly varying quantities, kept on a grid of VT_DEMO_STEP pixels. */
enum {
  VT_DEMO_EDGE,       /* about the distance to the tissue's outline, px; negative on glass */
  VT_DEMO_EPITHELIUM, /* > 0: solid nests */
  VT_DEMO_LYMPHOID,   /* > 0: lymphoid aggregates */
  VT_DEMO_FAT,        /* > 0: adipose tissue */
  VT_DEMO_ACROSS,     /* warped coordinates of the fibres: they run where ACROSS is constant */
  VT_DEMO_ALONG,
  VT_DEMO_STAIN, /* factor on all dyes */
  VT_DEMO_FOLD,  /* distance to the middle of the one fold, px */
  VT_DEMO_N_FIELDS
};
#define VT_DEMO_STEP 16

/* r(angle) = 1 + Σ k[i] cos((i + 2) angle + phase[i]) */
typedef struct VtDemoOutline {
  float k[3], phase[3];
} VtDemoOutline;

typedef enum { VT_DEMO_GLAND, VT_DEMO_VESSEL, VT_DEMO_ADIPOCYTE } VtDemoRingKind;
typedef struct VtDemoRing {
  VtDemoRingKind kind;
  float x, y, radius, wall;
  VtDemoOutline outline;
  uint32_t seed;
} VtDemoRing;

typedef struct VtDemoNucleus {
  float x, y, a, b; /* half axes */
  float cos_angle, sin_angle;
  float hematoxylin; /* mean optical density */
  float vesicular;   /* 0 = solid, 1 = pale with a rim and nucleoli */
  VtDemoOutline outline;
  uint32_t seed;
} VtDemoNucleus;

/* Red cells and dirt. */
typedef struct VtDemoDisc {
  float x, y, radius;
  bool is_dirt;
} VtDemoDisc;

typedef struct VtDemoScene {
  int size, grid; /* grid x grid nodes per field */
  uint32_t seed;
  bool is_ihc; /* hematoxylin and DAB, which some nuclei take up, in the place of eosin */
  float *fields[VT_DEMO_N_FIELDS];
  VtDemoRing *rings;
  size_t n_rings;
  VtDemoNucleus *nuclei; /* the later one lies on top */
  size_t n_nuclei;
  VtDemoDisc *discs;
  size_t n_discs;
} VtDemoScene;

/* NULL when out of memory. */
VtDemoScene *vt_demo_scene_new(int size, uint32_t seed);
void vt_demo_scene_free(VtDemoScene *scene);
/* How strongly a nucleus takes up DAB: 0 (negative) to 3 (3+). */
int vt_demo_nucleus_class(const VtDemoNucleus *nucleus);
/* Bilinear, clamped to the grid. */
float vt_demo_scene_field(const VtDemoScene *scene, int field, float x, float y);

/* Rows [y, y + rows) as packed R G B, and, unless NULL, the number of the nucleus on top of each pixel (1.., 0 = none).
 * False when out of memory. */
bool vt_demo_scene_render(const VtDemoScene *scene, int y, int rows, uint8_t *rgb, int32_t *labels);

static inline uint32_t
vt_demo_hash(uint32_t x, uint32_t y, uint32_t seed)
{
  uint32_t h = x * 0x9e3779b1u ^ (y * 0x85ebca77u + 0x165667b1u) ^ seed * 0xc2b2ae3du;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

/* How far the outline is from its middle in a direction, in parts of its radius. */
static inline float
vt_demo_outline_radius(const VtDemoOutline *outline, float angle)
{
  float r = 1;
  for (int i = 0; i < 3; i++)
    r += outline->k[i] * cosf((float)(i + 2) * angle + outline->phase[i]);
  return r;
}

/* In [0, 1). */
static inline float
vt_demo_random(uint32_t *state)
{
  *state += 0x9e3779b9u;
  return (float)(vt_demo_hash(*state, 0x51ed270bu, 7) >> 8) * (1.0f / 16777216.0f);
}

/* Smooth value noise of period 1 px in x and y, in [-1, 1]. */
static inline float
vt_demo_noise(float x, float y, uint32_t seed)
{
  int ix = (int)x - (x < (float)(int)x), iy = (int)y - (y < (float)(int)y);
  float fx = x - (float)ix, fy = y - (float)iy;
  fx = fx * fx * (3.0f - 2.0f * fx);
  fy = fy * fy * (3.0f - 2.0f * fy);
  float v[4];
  for (int i = 0; i < 4; i++)
    v[i] =
      (float)(int32_t)vt_demo_hash((uint32_t)(ix + (i & 1)), (uint32_t)(iy + (i >> 1)), seed) * (1.0f / 2147483648.0f);
  float top = v[0] + (v[1] - v[0]) * fx, bottom = v[2] + (v[3] - v[2]) * fx;
  return top + (bottom - top) * fy;
}
