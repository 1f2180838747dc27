/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, the variant for every machine. */
#define VARIANT vt_cpu_edt_near_baseline
#define LIMIT 96
#include "near-impl.h"
