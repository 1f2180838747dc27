/* SPDX-License-Identifier: MIT
 *
 * release.h: large rasters are given back to the system by a thread of their own. */
#pragma once

#include "run/run.h"

/* Frees the rasters made since run->n_rasters was `mark`: large ones on a thread of their own, so that neither an answer nor a cancel waits
 * for the system. The next run and session_close wait for it. */
void vt_release_rasters(VtRun *run, uint32_t mark);
/* At the end of a run: all its rasters, and the CPU's devices that it opened, with what these have kept. keeps: the session has the devices from
 * now on, with VT_RUN_KEPT_BYTES of what they have kept at most. */
void vt_release_run(VtRun *run, bool keeps);
/* Gives the session's devices back. Not during a run. */
void vt_release_memory(VitrailSession *session);
void vt_release_wait(VitrailSession *session);
