/* SPDX-License-Identifier: MIT
 *
 * Classes of objects by thresholds on one measurement, as immunohistochemistry is read: Negative and Positive, or Negative, 1+, 2+ and 3+;
 * and what is made of their numbers, percent positive and H-score (docs/ihc.md). Names, colours and the rule are QuPath's. Any thread. */
#pragma once
#include "run/vt-run.h"

enum { VT_INTENSITY_MOST = 3 };

typedef struct VtIntensity {
  const char *measurement;              /* interned; NULL: none is chosen */
  guint n;                              /* thresholds: 1, or VT_INTENSITY_MOST */
  double thresholds[VT_INTENSITY_MOST]; /* rising; a value that reaches one is above it */
} VtIntensity;

#define VT_INTENSITY_MEASUREMENT "DAB OD mean" /* unless somebody chooses another one */
/* QuPath's thresholds: one, or three. No measurement is chosen. */
VtIntensity vt_intensity_make(guint n);
/* "Nucleus: DAB OD mean:0.2,0.4,0.6". FALSE and a sentence: it is not of that form, or vt_intensity_check() refuses it. */
gboolean vt_intensity_parse(const char *text, VtIntensity *intensity, GError **error);
/* One or three numbers that rise. FALSE and a sentence. */
gboolean vt_intensity_check(const VtIntensity *intensity, GError **error);
/* As it is parsed; owned. */
char *vt_intensity_to_text(const VtIntensity *intensity);
char *vt_intensity_dup_thresholds(const VtIntensity *intensity); /* for people: "0.2 / 0.4 / 0.6"; owned */
/* For people: "Nucleus: DAB OD mean ≥ 0.2 / 0.4 / 0.6". Owned. */
char *vt_intensity_dup_settings(const VtIntensity *intensity);
gboolean vt_intensity_equal(const VtIntensity *a, const VtIntensity *b);
/* The place of a measurement among those of an object: of that name, or else of a name that ends in it, the nucleus's before others. -1 and a
 * sentence: there is none, or one of several is meant. */
gint vt_intensity_find(const char *measurement, const VtObject *object, GError **error);
const char *vt_intensity_get_name(const VtIntensity *intensity, guint cls);     /* as files have it */
const guint8 *vt_intensity_get_colour(const VtIntensity *intensity, guint cls); /* red, green, blue */

/* The classes of a list of objects. `taught`: classes that they have by examples, of the same list, or NULL; an object that these leave out keeps
 * its class. NULL and a sentence: no such measurement, or wrong thresholds. Owned. */
struct VtClassified *vt_intensity_classify(const VtIntensity *intensity, const GPtrArray *objects,
                                           struct VtClassified *taught, GError **error);

typedef struct {
  guint64 counts[VT_INTENSITY_MOST + 1]; /* of each class */
  guint64 n;                             /* all of these: what is scored */
  guint64 n_without;                     /* have no value, so that they are in no class */
  guint64 n_left_out;                    /* of classes that are not counted */
} VtIntensityScore;
/* Adds the object at a place of a list that was classified by thresholds. */
void vt_intensity_score_add(VtIntensityScore *score, const struct VtClassified *classified, guint index);
/* Of the n objects from a place on. */
VtIntensityScore vt_intensity_score(const struct VtClassified *classified, guint first, guint n);
/* Of all of them, at once. */
VtIntensityScore vt_intensity_score_all(const struct VtClassified *classified);
/* 100 * those above the first threshold / n; NaN: n is 0. */
double vt_intensity_score_get_percent(const VtIntensityScore *score);
/* 1 * % 1+ + 2 * % 2+ + 3 * % 3+, 0 to 300; NaN: n is 0. Of three thresholds only. */
double vt_intensity_score_get_h(const VtIntensityScore *score);
/* "34.2 % positive (412 of 1204), H-score 71.3; Nucleus: DAB OD mean ≥ 0.2 / 0.4 / 0.6; 3 without a value, 12 left out". English; owned. */
char *vt_intensity_score_dup_text(const VtIntensityScore *score, const VtIntensity *intensity);
/* What a record says of the n objects from a place on: measurement, thresholds, numbers, percent and H-score. Owned. */
JsonObject *vt_intensity_make_facts(const struct VtClassified *classified, guint first, guint n);
/* What these are called in files, as QuPath calls them. */
#define VT_INTENSITY_PERCENT "Positive %"
#define VT_INTENSITY_H "H-score"
