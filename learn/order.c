/* SPDX-License-Identifier: MIT */
#include "learn/order.h"

#include <string.h>

void
vt_learn_sort(uint32_t *at, uint32_t *spare, size_t n, int (*compare)(const void *user, uint32_t a, uint32_t b),
              const void *user)
{
  if (n < 2)
    return;
  const size_t half = n / 2;
  vt_learn_sort(at, spare, half, compare, user);
  vt_learn_sort(at + half, spare, n - half, compare, user);
  memcpy(spare, at, n * sizeof *at);
  for (size_t i = 0, j = half, k = 0; k < n; k++)
    at[k] = j == n || (i < half && compare(user, spare[i], spare[j]) <= 0) ? spare[i++] : spare[j++];
}
