/* SPDX-License-Identifier: MIT
 *
 * host.h: what other executors do as the host does. */
#pragma once

#include "executors/executor.h"

VitrailStatus vt_host_begin(VtExec *x);
VitrailStatus vt_host_end(VtExec *x, VitrailStatus status);
void vt_host_free(VtExec *x, VtImage *image);
VitrailStatus vt_host_read(VtExec *x, const VitrailInput *input, VtImage *pixels);
VitrailStatus vt_host_fetch(VtExec *x, const VtImage *image, VtImage *host);
VitrailStatus vt_host_cut(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned);
/* By way of the executor's fetch. */
VitrailStatus vt_fetch_and_emit(VtExec *x, uint32_t stage, const VtImage *image, double scale);
VitrailStatus vt_all_objects(VtExec *x, const VtImage *labels, const VtImage *image, const VtObjectStats *stats,
                             int64_t n, int64_t margin, int64_t *first, int64_t *end);
VitrailStatus vt_host_local(VtExec *x, const VtLocalStep *step);
VitrailStatus vt_host_label_regions(VtExec *x, const VtImage *codes);
VitrailStatus vt_bring_by_local(VtExec *x, const VitrailInput *input, const VtLocalStep *step);
/* host-labels.c */
/* Gives labels that were given, if one is larger than there are pixels, other numbers that are not, in place. VT_UNSURE stays. */
VitrailStatus vt_host_settle(VtExec *x, const VtImage *labels);
VitrailStatus vt_host_number(VtExec *x, const VtImage *labels, int64_t *n);
VitrailStatus vt_host_show(VtExec *x, const VtImage *labels, int64_t *n);
VitrailStatus vt_host_overlaps(VtExec *x, const VtImage *labels, const VitrailInput *truth, VtOverlap **list,
                               int64_t *n);
VitrailStatus vt_host_sized(VtExec *x, const VtImage *foreground, const VtImage *dst, int32_t connectivity,
                            double least, double most);
