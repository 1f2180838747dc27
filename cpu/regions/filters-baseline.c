/* SPDX-License-Identifier: MIT
 *
 * The filters in plain C. */
#define PREDICT vt_forest_predict
#define VARIANT vt_rg_filters_baseline
#include "filters-impl.h"
