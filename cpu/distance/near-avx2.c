/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, the variant for AVX2. */
#define VARIANT vt_cpu_edt_near_avx2
#define LIMIT 64
#include "near-impl.h"
