/* SPDX-License-Identifier: MIT
 *
 * What measurements that were read (VtRoi.measured) are called beside our own of the same names. */
#pragma once
#include "run/vt-roi.h"

typedef struct {
  GPtrArray *names;   /* GRefString, in the order in which the regions have them first */
  GHashTable *titles; /* char*: what each is called; by the pointer of its name */
} VtMeasuredNames;

/* Of regions (VtRoi); `taken`: a set of names that are ours, which gets these. The first `most` names; n_all, or NULL: how many there are. Owned. */
VtMeasuredNames *vt_measured_names_new(const GPtrArray *rois, GHashTable *taken, guint most, guint *n_all);
void vt_measured_names_free(VtMeasuredNames *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtMeasuredNames, vt_measured_names_free)
const char *vt_measured_names_get(const VtMeasuredNames *self, const char *name);
