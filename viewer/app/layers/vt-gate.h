/* SPDX-License-Identifier: MIT
 *
 * A gate: a choice of objects that has a name and is kept. Its text is that of a filter (vt-object-filter.h), so one rule says what passes. Gates
 * form a tree: what a gate's parent does not let through is not in the gate. Their names are those of the words of a column, "Gates", of
 * which an object has as many as there are gates that it is in; a text may ask for other gates by it. */
#pragma once
#include "layers/vt-object-filter.h"
#include "run/vt-model.h"
#include "run/vt-roi.h"

#define VT_GATES_COLUMN "Gates"
#define VT_REGIONS_COLUMN "Regions"
#define VT_GATE_CLASS_COLUMN "Gate class" /* the innermost gate of each object, while gates give the classes */
#define VT_GATES_MOST 100

/* Immutable, counted. */
typedef struct {
  char *name;
  char *parent; /* the name of a gate; NULL: all objects */
  char *text;   /* NULL or "": all that the parent lets through */
  gint32 color; /* 0xRRGGBB */
} VtGate;
VtGate *vt_gate_new(const char *name, const char *parent, const char *text, gint32 color);
VtGate *vt_gate_ref(VtGate *gate);
void vt_gate_unref(VtGate *gate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtGate, vt_gate_unref)

/* --- lists of VtGate; each counts its elements --- */

/* -1: none has the name. */
gint vt_gate_list_find(const GPtrArray *gates, const char *name);
/* How many parents a gate has. */
guint vt_gate_list_get_depth(const GPtrArray *gates, guint place);
/* Whether the gate is the other one or below it. */
gboolean vt_gate_list_is_within(const GPtrArray *gates, guint place, guint other);
/* The same gates with every one behind its parent and what is below that, else in their order. Owned. */
GPtrArray *vt_gate_list_dup_in_order(const GPtrArray *gates);
/* FALSE and a sentence: too many, no name, a name that two have, a parent that is not there, or gates that are each other's parents. */
gboolean vt_gate_list_check(const GPtrArray *gates, GError **error);

/* --- their objects --- */

/* Immutable, counted. */
typedef struct {
  VtColumns *columns; /* that were asked: without those of gates and regions */
  GPtrArray *gates;   /* VtGate */
  VtColumn *regions;  /* VT_REGIONS_COLUMN; NULL: there are no regions */
  VtColumn *column;   /* VT_GATES_COLUMN; NULL: there are no gates */
  guint *counts;      /* of each gate */
  char **reasons;     /* why a gate can't be counted, a sentence; its count is 0 then. NULL: it can */
} VtGateTally;
/* Which regions each object's centroid lies inside of (even-odd); regions of one name are one. NULL: there are none. Owned. */
VtColumn *vt_gate_find_regions(const GPtrArray *objects, const GPtrArray *rois);
/* Looks at each object. Blocking; for a worker. Keeps what it is given; `regions` may be NULL. Owned. */
VtGateTally *vt_gate_tally_new(VtColumns *columns, VtColumn *regions, GPtrArray *gates);
VtGateTally *vt_gate_tally_ref(VtGateTally *self);
void vt_gate_tally_unref(VtGateTally *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtGateTally, vt_gate_tally_unref)
/* All that a text may ask for: those of the objects, of regions and of gates. Owned. */
VtColumns *vt_gate_tally_dup_columns(const VtGateTally *self);
/* The gates as classes, with their colours: each object has the innermost of those that it is in, of equally deep ones the first of the list.
 * Blocking; for a worker. Owned; NULL: nothing was counted. */
VtClassified *vt_gate_tally_new_classes(const VtGateTally *self);
/* How many objects its parent lets through: what its percentage is of. */
guint vt_gate_tally_get_n_of_parent(const VtGateTally *self, guint place);

/* --- their texts --- */

/* "\"Nucleus: Area µm^2\" >= 40 and \"Nucleus: Area µm^2\" <= 92": numbers are whole, both ends belong to it. Each appends. */
/* sign: ">=", ">", "<=", "<". */
void vt_gate_text_add_limit(GString *text, const char *column, const char *sign, double number);
void vt_gate_text_add_range(GString *text, const char *column, double from, double to);
/* `points`: pairs. */
void vt_gate_text_add_polygon(GString *text, const char *x, gboolean is_log_x, const char *y, gboolean is_log_y,
                              const double *points, guint n);
/* What has that word: `gates = "Large"`. */
void vt_gate_text_add_word(GString *text, const char *column, const char *word);
/* The text, with another name for a gate that it asks for. Owned. */
char *vt_gate_text_rename(const char *text, const char *name, const char *new_name);
