/* SPDX-License-Identifier: MIT
 *
 * release.h: large rasters are given back to the system by a thread of their own. */
#pragma once

#include "run/run.h"

/* Frees the rasters made since run->n_rasters was `mark`: large ones on a thread of their own, so that neither an answer nor a cancel
 * waits for the system. The next run and session_close wait for that thread. */
void vt_release_rasters(VtRun *run, uint32_t mark);
void vt_release_wait(VitrailSession *session);
