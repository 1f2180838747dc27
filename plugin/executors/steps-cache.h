/* SPDX-License-Identifier: MIT
 *
 * steps-cache.h: what a former run of the same pixels made. */
#pragma once

#include "executors/steps.h"

/* What a former run of the same pixels made (VITRAIL_RUN_KEEP_STAGES; on the host). A slot stands for one image
 * on the way, and its key holds the bytes of all that it depends on beside its parents. */
/* The run goes on with the pixels of *image: kept ones, if there are such. parents[s]: bits of the slots that s is made from,
 * slot 0 being the pixels; static. Without the flag, or on a device, all three functions do nothing. */
void vt_steps_keep_pixels(VtSteps *steps, VtImage *image, const uint32_t *parents, uint32_t n_slots);
/* True: *image was made before, and must not be written. False: it has to be made. */
bool vt_steps_recall(VtSteps *steps, uint32_t slot, const void *key, size_t key_size, VtImage *image);
/* It is finished, and stays for runs to come, if there is room. It must not be written from now on. */
void vt_steps_keep(VtSteps *steps, uint32_t slot, const void *key, size_t key_size, const VtImage *image);
/* An image that may be written: a copy, if others need it as it is. */
VitrailStatus vt_steps_make_own(VtSteps *steps, VtImage *image);
