/* SPDX-License-Identifier: MIT
 *
 * release.h: large rasters are given back to the system by a thread of their own. */
#pragma once

#include "run/run.h"

/* Frees the rasters made since run->n_rasters was `mark`, and closes the CPU's device, which may keep as much (NULL: none): large ones on
 * a thread of their own, so that neither an answer nor a cancel waits for the system. The next run and session_close wait for it. */
void vt_release_rasters(VtRun *run, uint32_t mark, VtDevice *device);
void vt_release_wait(VitrailSession *session);
