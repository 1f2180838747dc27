/* SPDX-License-Identifier: MIT
 *
 * algorithms.h: every algorithm that has a name of its own. */
#pragma once

#include "vitrail-plugin.h"

/* What was built with -Dpapers=true; it stands at the end of a list. */
#ifdef VT_PAPERS
#define PAPERS(...) , __VA_ARGS__
#else
#define PAPERS(...)
#endif

extern const VitrailAlgorithm *const vt_algorithms[];
/* Those of the CPU come first; the others are of a build with CUDA. */
extern const uint32_t vt_n_algorithms, vt_n_cpu_algorithms;
