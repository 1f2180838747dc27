/* SPDX-License-Identifier: MIT
 *
 * glrlm-map.h: the entry `glrlm_map` of executors that have one. */
#pragma once

#include "executors/executor.h"

/* In one piece, on the device or in tiles. */
VitrailStatus vt_host_glrlm_map(VtExec *x, const VtGlrlmMap *map);
/* In units that the budget holds, and shared by ranks. */
VitrailStatus vt_streamed_glrlm_map(VtExec *x, const VtGlrlmMap *map);
