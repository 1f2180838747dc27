/* SPDX-License-Identifier: MIT
 *
 * Analyses with their parameters that a person keeps by name while trying others. One of them can be what is compared with
 * (VtReference): it is A. None is kept twice. Main thread only.
 *
 * Signal: "changed" (which there are, a name, or which one is A). */
#pragma once
#include "analysis/vt-reference.h"

#define VT_SNAPSHOTS_MOST 100

typedef struct {
  char *name;
  const VitrailPlugin *plugin; /* borrowed, resident */
  VtParams *params;            /* with their op */
} VtSnapshot;

#define VT_TYPE_SNAPSHOTS (vt_snapshots_get_type())
G_DECLARE_FINAL_TYPE(VtSnapshots, vt_snapshots, VT, SNAPSHOTS, GObject)

VtSnapshots *vt_snapshots_new(VtAnalysis *analysis, VtReference *reference);
guint vt_snapshots_get_n(VtSnapshots *self);
const VtSnapshot *vt_snapshots_get(VtSnapshots *self, guint i); /* borrowed */
/* Named; NULL: by the parameters that are not the op's own, or by the op. Copies. What is kept already keeps its name. `place`: where it
 * stands; may be NULL. FALSE and a sentence: there are too many. */
gboolean vt_snapshots_keep(VtSnapshots *self, const char *name, const VitrailPlugin *plugin, const VtParams *params,
                           guint *place, GError **error);
/* The present op and parameters. FALSE also without an op. */
gboolean vt_snapshots_keep_present(VtSnapshots *self, GError **error);
/* An empty name leaves the old one. */
void vt_snapshots_rename(VtSnapshots *self, guint i, const char *name);
void vt_snapshots_delete(VtSnapshots *self, guint i);
/* Makes it A. FALSE and a sentence: it is of a slide with a pixel size and this one has none, or the other way round. */
gboolean vt_snapshots_compare_with(VtSnapshots *self, guint i, GError **error);
/* The same for those that would take its parameters over. */
gboolean vt_snapshots_check(VtSnapshots *self, guint i, GError **error);
/* -1: none. */
gint vt_snapshots_get_a(VtSnapshots *self);
