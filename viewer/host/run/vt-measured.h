/* SPDX-License-Identifier: MIT
 *
 * Measurements of an annotation as another program left them in its file: names and numbers, of the outline as it was read. Immutable, counted, any thread. */
#pragma once
#include <glib.h>

typedef struct {
  char *name;   /* a GRefString, interned: equal names are the same pointer */
  double value; /* NaN, and infinities, are what the file says */
} VtMeasuredNumber;

typedef struct {
  guint n;
  VtMeasuredNumber numbers[];
} VtMeasured;

/* Copies the numbers, and holds their names. Owned. */
VtMeasured *vt_measured_new(const VtMeasuredNumber *numbers, guint n);
VtMeasured *vt_measured_ref(VtMeasured *self);
void vt_measured_unref(VtMeasured *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtMeasured, vt_measured_unref)
/* `name` is interned as those are; NULL: there is no such number. Of NULL: none. */
const double *vt_measured_find(const VtMeasured *self, const char *name);
/* Numbers that JSON has no sign for: "NaN", "Infinity", "-Infinity". FALSE: another text. */
gboolean vt_measured_parse_word(const char *text, double *value);
/* What a measurement that was read is called beside those in `taken` (a set of names, which gets it): its name, or "Area µm^2 (read)", "Area µm^2 (read 2)". Owned. */
char *vt_measured_dup_name(const char *name, GHashTable *taken);
