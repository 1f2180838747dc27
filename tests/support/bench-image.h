/* SPDX-License-Identifier: MIT
 *
 * bench-image.h: a deterministic tissue-like test image of any size, in integers only: six octaves of value noise
 * (cells 256 down to 8 px), contrast 1.6, four bits of white noise. The reference sums of the tests belong to it. */
#pragma once

#include <stdint.h>

static inline uint32_t
vt_bench_hash(uint32_t x, uint32_t y, uint32_t stream)
{
  uint32_t h = x * 2654435761u;
  h ^= y * 2246822519u + 374761393u;
  h ^= stream * 3266489917u + 668265263u;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

/* Value noise of cells of 2^log_cell px: corners 0..65535, blended with a smooth step of 8 bits. */
static inline int32_t
vt_bench_octave(uint32_t x, uint32_t y, int log_cell, uint32_t stream)
{
  const uint32_t inside = (1u << log_cell) - 1u;
  int32_t corner[2][2],
    t[2] = { (int32_t)(((x & inside) << 8) >> log_cell), (int32_t)(((y & inside) << 8) >> log_cell) };
  for (uint32_t j = 0; j < 2; j++)
    for (uint32_t i = 0; i < 2; i++)
      corner[j][i] = (int32_t)(vt_bench_hash((x >> log_cell) + i, (y >> log_cell) + j, stream) >> 16);
  for (int k = 0; k < 2; k++)
    t[k] = (t[k] * t[k] * (768 - 2 * t[k])) >> 16;
  const int32_t top = corner[0][0] + (((corner[0][1] - corner[0][0]) * t[0]) >> 8);
  const int32_t bottom = corner[1][0] + (((corner[1][1] - corner[1][0]) * t[0]) >> 8);
  return top + (((bottom - top) * t[1]) >> 8);
}

static inline uint8_t
vt_bench_mask(uint32_t x, uint32_t y, uint32_t seed)
{
  int32_t sum = 0;
  for (int log_cell = 8, weight = 128; log_cell >= 3; log_cell--, weight /= 2)
    sum += weight * (vt_bench_octave(x, y, log_cell, seed * 16u + (uint32_t)log_cell) - 32768) / 256;
  const int32_t noise = (int32_t)(vt_bench_hash(x, y, seed * 16u + 1u) & 15u) - 8;
  const int32_t value = 128 + sum * 8 / 5 / 256 + noise;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Marker of the h-maxima transform with h = 40. */
static inline uint8_t
vt_bench_hmax(uint8_t mask)
{
  return (uint8_t)(mask > 40 ? mask - 40 : 0);
}

/* The mask on about one pixel in 10,000. */
static inline uint8_t
vt_bench_sparse(uint8_t mask, uint32_t x, uint32_t y, uint32_t seed)
{
  return vt_bench_hash(x, y, seed * 16u + 2u) % 10000u == 0 ? mask : (uint8_t)0;
}
