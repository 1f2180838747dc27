/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, the variant for AVX-512. */
#define VARIANT vt_cpu_edt_near_avx512
#define LIMIT 90
#include "near-impl.h"
