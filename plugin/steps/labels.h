/* SPDX-License-Identifier: MIT
 *
 * labels.h: rasters of labels: given ones, connected pieces, numbers in reading order. */
#pragma once

#include "scale/stream.h"

/* The labels of an optional input, as I32, checked to be as large as the image and not negative; no data if it is not given. */
VitrailStatus vt_read_labels(VtRun *run, const char *id, const VitrailInput *image, VtImage *labels);
/* Connected pieces, as VtComponents numbers them. */
VitrailStatus vt_components(VtRun *run, const VtImage *mask, int32_t connectivity, VtImage *labels);
/* Renumbers labels up to width * height 1.. in the order of their first pixels; *n: how many there are. */
VitrailStatus vt_labels_number(VtRun *run, const VtImage *labels, int64_t *n);
/* Where the grid has a margin of context: labels 1..*n of what is shown become 1.. in the order of their first pixels there. */
VitrailStatus vt_labels_show(VtRun *run, const VtImage *labels, int64_t *n);
/* The labels of an optional input, as vt_read_labels(); *given: false, and labels as they were, if it is not there. */
VitrailStatus vt_streamed_labels(VtStreamed *s, const char *id, const VitrailInput *image, VtStore *labels,
                                 bool *given);
