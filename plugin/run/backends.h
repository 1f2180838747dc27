/* SPDX-License-Identifier: MIT
 *
 * backends.h: what a backend offers, and what is said when it fails. */
#pragma once

#include "run/run.h"

/* By id; NULL if the backend lacks it. "auto", "" or NULL: its first. */
const VtReconstructAlgorithm *vt_find_reconstruct(const VtBackend *backend, const char *id);
/* The same, or the backend's first with a word to the user, once a run; NULL if it has none at all. From any thread. */
const VtReconstructAlgorithm *vt_choose_reconstruct(VtRun *run, const VtBackend *backend, const char *id);

/* Tells the user, once a run, that the CPU took over `what` from the device, and why. */
void vt_say_fallback(VtRun *run, const char *what, VitrailStatus status);
