/* SPDX-License-Identifier: MIT
 *
 * The filters in plain C. */
#define VARIANT vt_rg_filters_baseline
#include "filters-impl.h"
