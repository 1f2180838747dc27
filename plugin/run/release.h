/* SPDX-License-Identifier: MIT
 *
 * release.h: memory that goes back while nobody waits. */
#pragma once

#include "run/run.h"

/* Rasters made since run->n_rasters was `mark` go back to the system by a thread of their own where they are large,
 * so that neither an answer nor a cancel waits for that. Who needs much memory next waits for it: the next run, and
 * session_close. */
void vt_release_rasters(VtRun *run, uint32_t mark);
void vt_release_wait(VitrailSession *session);
