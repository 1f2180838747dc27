/* SPDX-License-Identifier: MIT
 *
 * The gates of one view (layers/vt-gate.h). Whatever is done to them is a step that is undone among those of the regions. A worker counts them
 * whenever gates, regions or objects are others, and the objects get columns: VT_GATES_COLUMN, and, wherever there are regions,
 * VT_REGIONS_COLUMN. Main thread only.
 *
 * Signals: "changed" (there are other gates, another one is chosen, or they give the colours or classes or no more), "counted" (there is another tally),
 * "classified" (the classes that gates give the objects are others, or they give none any more). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"
#include "layers/vt-gate.h"

#define VT_TYPE_GATES (vt_gates_get_type())
G_DECLARE_FINAL_TYPE(VtGates, vt_gates, VT, GATES, GObject)

VtGates *vt_gates_new(VtAnalysis *analysis, VtRegions *regions);
/* VtGate, each behind its parent; borrowed until they change. */
const GPtrArray *vt_gates_get(VtGates *self);
/* What was counted last; NULL: nothing yet, or of other objects than those of now. Borrowed. */
VtGateTally *vt_gates_get_tally(VtGates *self);

/* The one whose objects the table shows; -1: all objects. */
gint vt_gates_get_chosen(VtGates *self);
void vt_gates_choose(VtGates *self, gint place);
/* Of the table, for these columns; NULL: none is chosen. While it is not counted nothing passes. Owned. */
VtObjectFilter *vt_gates_dup_filter(VtGates *self, const VtColumns *columns);
/* Whether they give the objects their colours, where no measurement does. */
void vt_gates_set_coloured(VtGates *self, gboolean is_coloured);
gboolean vt_gates_get_coloured(VtGates *self);
/* Whether they give the objects their classes: each has the innermost gate that it is in, with its name and colour, and follows the gates as
 * they are counted. Setting it is a step that can be undone; vt_gates_restore_classes() is none. */
void vt_gates_set_classes(VtGates *self, gboolean gives_classes);
void vt_gates_restore_classes(VtGates *self, gboolean gives_classes);
gboolean vt_gates_get_classes(VtGates *self);
/* Of the objects that are shown; borrowed; NULL: they give none, or they are being counted. */
VtClassified *vt_gates_get_classified(VtGates *self);
/* The classes of a result's objects by the gates of now, counted anew: what is asked of measurements, gates and regions; a gate that asks for
 * another column has none. NULL: there are no gates. Blocking. Owned. */
VtClassified *vt_gates_classify(VtGates *self, VtResult *result);

/* Adds one for each text (char*), inside of the chosen gate, in one step. names (char*): of them; NULL: they are numbered. FALSE and a sentence:
 * there are too many, or a name is taken. */
gboolean vt_gates_add(VtGates *self, const GPtrArray *names, const GPtrArray *texts, GError **error);
/* Puts a gate in another one's place, with what is below it; texts that ask for it follow its name. FALSE and a sentence. */
gboolean vt_gates_change(VtGates *self, guint place, VtGate *gate, GError **error);
/* With all gates below it; how many those are. */
guint vt_gates_remove(VtGates *self, guint place);
/* Those of a session, which is no step that could be undone. FALSE and a sentence: they are none. Keeps them. */
gboolean vt_gates_restore(VtGates *self, GPtrArray *gates, GError **error);
