/* SPDX-License-Identifier: MIT
 *
 * pixel-impl.h: template (each-type.h) of the two operations that reconstruction is made of. */
static inline PIXEL
TYPED(min)(PIXEL a, PIXEL b)
{
  return a < b ? a : b;
}

static inline PIXEL
TYPED(max)(PIXEL a, PIXEL b)
{
  return a > b ? a : b;
}
