/* SPDX-License-Identifier: MIT
 *
 * test-draw.h: random numbers, and random images whose pixels are hard on propagations. Every program draws the same
 * sequence in every run. */
#pragma once

#include "vt-backend.h"

typedef struct VtRandom {
  uint64_t state; /* any number to begin with */
} VtRandom;

/* splitmix64 */
static inline uint64_t
vt_random(VtRandom *random)
{
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* first..last, both included. */
static inline int64_t
vt_random_between(VtRandom *random, int64_t first, int64_t last)
{
  return first + (int64_t)(vt_random(random) % (uint64_t)(last - first + 1));
}

/* The sequence of a program that needs only one. */
static VtRandom vt_draws;

/* 0..n - 1; 0 for n = 0. */
static inline uint32_t
pick(uint32_t n)
{
  return n > 0 ? (uint32_t)(vt_random(&vt_draws) % n) : 0;
}

/* n rows of so many bytes, and what belongs to each, in another order. */
static inline void
vt_draw_shuffle(void *rows, size_t row_bytes, void *also, size_t also_bytes, uint32_t n)
{
  for (uint32_t i = n; i > 1; i--) {
    const uint32_t j = pick(i);
    for (int k = 0; k < 2; k++) {
      uint8_t *base = k == 0 ? rows : also;
      const size_t bytes = k == 0 ? row_bytes : also_bytes;
      for (size_t at = 0; at < bytes; at++) {
        const uint8_t byte = base[(i - 1) * bytes + at];
        base[(i - 1) * bytes + at] = base[j * bytes + at];
        base[j * bytes + at] = byte;
      }
    }
  }
}

/* Writes a value of 0..250 as a pixel of the image's type, in the same order; as a colour: the brighter the darker. */
static inline void
vt_draw_set(const VtImage *image, int64_t x, int64_t y, uint32_t value)
{
  uint8_t *at = vt_image_at(image, x, y);
  switch (image->type) {
  case VITRAIL_U8: *at = (uint8_t)value; break;
  case VITRAIL_U16: *(uint16_t *)(void *)at = (uint16_t)(value * 200); break;
  case VITRAIL_I32: *(int32_t *)(void *)at = (int32_t)value * 1000 - 100000; break;
  case VITRAIL_F32: *(float *)(void *)at = ((float)value - 20) * 0.37f; break;
  default:
    for (int c = 0; c < 3; c++)
      at[c] = (uint8_t)(255 - value * (c == 0 ? 8 : 6) / 10);
    at[3] = 255;
  }
}

/* What an image is made of. STRIPES: along rows, columns and both diagonals, so that runs are long in each direction;
 * CORRIDORS: one pixel wide, upright or lying, through every row or column; HOLES: bright with rare dark pixels. */
typedef enum {
  VT_DRAW_NOISE,
  VT_DRAW_LEVELS,
  VT_DRAW_BLOCKS,
  VT_DRAW_HOLES,
  VT_DRAW_ROW_CORRIDOR,
  VT_DRAW_COLUMN_CORRIDOR,
  VT_DRAW_STRIPES,
  VT_DRAW_N_KINDS = VT_DRAW_STRIPES + 4
} VtDrawKind;

typedef struct VtDraw {
  uint32_t kind, period, bright, n_levels, rare;
} VtDraw;

static inline VtDraw
vt_draw_new(uint32_t kind)
{
  return (VtDraw){ kind, 1 + pick(30), 100 + pick(150), 1 + pick(6), 1 + pick(200) };
}

/* The value of a pixel, 0..250, of an image of w x h; to be asked for row by row. */
static inline uint32_t
vt_draw_value(const VtDraw *d, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
  const uint32_t along[] = { x, y, x + y, x + 5000 - y };
  switch (d->kind) {
  case VT_DRAW_NOISE: return pick(250);
  case VT_DRAW_LEVELS: return pick(d->n_levels) * 40;
  case VT_DRAW_BLOCKS: return (x / d->period * 7 + y / d->period * 13) % 250;
  case VT_DRAW_HOLES: return pick(d->rare) ? d->bright : 5;
  case VT_DRAW_ROW_CORRIDOR: return y % 2 && x != (y / 2 % 2 ? 0 : w - 1) ? 5 : d->bright;
  case VT_DRAW_COLUMN_CORRIDOR: return x % 2 && y != (x / 2 % 2 ? 0 : h - 1) ? 5 : d->bright;
  default: return along[(d->kind - VT_DRAW_STRIPES) % 4] / d->period * 7 % 250;
  }
}

/* Fills the image with one kind, drawn from those before n_kinds. */
static inline void
vt_draw_fill(const VtImage *image, uint32_t n_kinds)
{
  const VtDraw draw = vt_draw_new(pick(n_kinds));
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++)
      vt_draw_set(image, x, y,
                  vt_draw_value(&draw, (uint32_t)x, (uint32_t)y, (uint32_t)image->width, (uint32_t)image->height));
}
