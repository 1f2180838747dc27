/* SPDX-License-Identifier: MIT
 *
 * propagate.h: unbounded reach; the same answer for every tile size and order. */
#pragma once

#include "run/run.h"

VitrailStatus vt_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                             const char *algorithm);

/* The same by erosion: of a marker that is nowhere below the mask. */
VitrailStatus vt_reconstruct_by_erosion(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                        const char *algorithm);

/* In place to the complement (U8 255-x, U16 65535-x, I32 ~x, F32 -x): reconstruction by erosion is that by dilation of
 * complements. */
VitrailStatus vt_complement(VtRun *run, const VtImage *image);
VitrailStatus vt_complement_image(const VtImage *image); /* on the caller's thread */
/* foreground U8; dst F32 (root times scale) or I64 (squared) */
VitrailStatus vt_distance(VtRun *run, const VtImage *foreground, const VtImage *dst, float scale);
/* The same in the memory of the run's device: in one go where the backend can, else columns, then rows. */
VitrailStatus vt_distance_in_device_memory(VtRun *run, const char *algorithm, const VtDistance *args);
/* Any outputs, by the algorithm `exact` or `danielsson`; images in host memory. */
VitrailStatus vt_distance_by(VtRun *run, const char *algorithm, const VtDistance *args);
