/* SPDX-License-Identifier: MIT
 *
 * Gates as GatingML 2.0 (International Society for Advancement of Cytometry, 2013). Dimensions are the objects' measurements, by their names in files.
 * Ranges and rectangles become RectangleGate, polygons PolygonGate (of logarithms where the axis is logarithmic), and, or, not and other
 * gates BooleanGate. */
#pragma once
#include "layers/vt-gate.h"

/* missing: names (char*) of those that the format has no form for, since they ask for words, regions or sums, or need a gate that does; owned by
 * who asks. NULL: the tally has no objects, so that nobody knows what the texts mean. Owned. */
char *vt_gate_xml_dup(const VtGateTally *tally, GPtrArray **missing);
/* As a file, whole or not at all. FALSE and a sentence; then nothing is missing. */
gboolean vt_gate_xml_save(const VtGateTally *tally, const char *path, GPtrArray **missing, GError **error);
