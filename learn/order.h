/* SPDX-License-Identifier: MIT
 *
 * order.h: orders that do not depend on how examples come, and numbers that look drawn. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers of examples, by compare(user, a, b): a merge sort, as qsort has no room for the examples. spare: room for n. */
void vt_learn_sort(uint32_t *at, uint32_t *spare, size_t n, int (*compare)(const void *user, uint32_t a, uint32_t b),
                   const void *user);

/* A mixer of 64 bits (splitmix64 of Steele, Lea and Flood 2014). */
static inline uint64_t
vt_learn_mix(uint64_t v)
{
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9U;
  v = (v ^ v >> 27) * 0x94d049bb133111ebU;
  return v ^ v >> 31;
}
