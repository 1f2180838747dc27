/* SPDX-License-Identifier: MIT
 *
 * A model: classes of objects, taught by examples (docs/classes.md). It holds what it was taught from, so that it is trained again to
 * the same bits anywhere; what it has learned is a VtClassifier. */
#pragma once
#include "learn/classes.h"
#include "run/vt-intensity.h"
#include "run/vt-run.h"

typedef struct {
  char *name;
  guint8 rgb[3];
  gboolean is_left_out; /* such objects are not counted: "not a nucleus" */
} VtModelClass;
VtModelClass *vt_model_class_new(const char *name, const guint8 rgb[3], gboolean is_left_out);
void vt_model_class_free(gpointer cls);

/* What a run that tells its candidates says of each (VITRAIL_RUN_CANDIDATES), before its features. */
#define VT_CANDIDATE_SCORE "Candidate: Score"
#define VT_CANDIDATE_CHOSEN "Candidate: Chosen"
#define VT_CANDIDATE_MARGIN "Candidate: Margin"
enum { VT_CANDIDATE_FEATURES = 3 };
gboolean vt_candidate_is_one(const VtObject *object);
/* Of such objects only. The margin: by how much its score would have to be another to turn the choice. */
double vt_candidate_get_score(const VtObject *candidate);
gboolean vt_candidate_is_chosen(const VtObject *candidate);
double vt_candidate_get_margin(const VtObject *candidate);

typedef struct {
  guint cls;
  char *image;       /* base name of the slide */
  double x_l0, y_l0; /* the centroid: its key, with the image */
  double *values;    /* as many as the model has features */
} VtModelExample;

typedef struct {
  char *op; /* the objects are made by it */
  char *
    score; /* not NULL: it teaches not classes of objects but the op's score, of this fact "score-model", by candidates of two classes: what is
                * wanted, and what is not */
  GPtrArray *params;   /* char*: "key=value", those that are not the defaults */
  GPtrArray *features; /* interned names of measurements; none before the first example */
  GPtrArray *classes;  /* VtModelClass* */
  GPtrArray *examples; /* VtModelExample* */
} VtModel;
VtModel *vt_model_new(const char *op);
/* score: the fact "score-model". Its two classes are there. */
VtModel *vt_model_new_score(const char *op, const char *score);
VtModel *vt_model_copy(const VtModel *model);
/* By which the objects are made now: those that a person set. */
void vt_model_take_params(VtModel *model, const VtParams *params);
void vt_model_free(VtModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtModel, vt_model_free)

/* The number of a new class; -1: there are VT_CLASSES_MOST. */
gint vt_model_add_class(VtModel *model, const char *name, const guint8 rgb[3], gboolean is_left_out);
/* With its examples. */
void vt_model_remove_class(VtModel *model, guint cls);
/* The class that is taught of an object, in place of the one before; cls -1: none. FALSE: the object lacks one of the features. */
gboolean vt_model_teach(VtModel *model, const char *image, const VtObject *object, gint cls, GError **error);
/* The class of which an object is an example; -1: none. */
gint vt_model_get_taught(const VtModel *model, const char *image, const VtObject *object);
guint vt_model_count(const VtModel *model, guint cls);

/* What a model of a score teaches a run. NULL: it has no examples, or they are not what such a model has. */
VtTaught *vt_model_new_taught(const VtModel *model, GError **error);

/* Text that a model can be read from again, with a hash of all of it; the same for examples in any order. Owned. */
char *vt_model_to_text(const VtModel *model);
/* "sha256:..."; owned. */
char *vt_model_dup_hash(const VtModel *model);
/* NULL, and a sentence with line and column: no JSON, unknown keys, wrong values, a hash that is not that of the rest. */
VtModel *vt_model_parse(const char *text, const char *name, GError **error);
/* Also of the record of a run that a model taught: its "taught". */
VtModel *vt_model_load(const char *path, GError **error);
gboolean vt_model_save(const VtModel *model, const char *path, GError **error);

/* What a model has learned; immutable. */
typedef struct {
  VtModel *model; /* what it was trained on */
  char *hash;
  guint8 used
    [VT_CLASSES_MOST]; /* numbers of the model's classes that have examples: those of the following two, in their order */
  VtClasses classes;
  VtClassesCheck check;
} VtClassifier;
/* Blocking; for a worker. NULL: fewer than two classes have examples. Classes without examples are never found. */
VtClassifier *vt_classifier_new(const VtModel *model, guint n_threads, GError **error);
VtClassifier *vt_classifier_ref(VtClassifier *classifier);
void vt_classifier_unref(VtClassifier *classifier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtClassifier, vt_classifier_unref)

#define VT_NO_CLASS G_MAXUINT8
enum { VT_CLASSIFIED_MOST = 128 }; /* classes of one list: of taught ones with intensities 36, of gates 100 */
/* The classes of a list of objects, by their places in it; immutable. */
typedef struct VtClassified {
  GPtrArray *list;             /* VtModelClass: the classes that there are */
  VtClassifier *classifier;    /* by which they are; NULL: by thresholds or gates */
  VtIntensity intensity;       /* these; n 0: by examples or gates */
  GPtrArray *gates;            /* char*: the filter of each class of the list; NULL: by examples or thresholds */
  struct VtClassified *taught; /* by thresholds: those by examples, whose left out ones they keep; or NULL */
  GPtrArray *of; /* the objects, to be compared with only: held, so that no other list comes to lie there */
  guint n, n_left_out;
  guint *counts;    /* objects of each class of the list */
  guint8 *classes;  /* places in the list; VT_NO_CLASS: the object has none */
  guint16 *margins; /* the best score less the next one, 0..65535; NULL: by thresholds or gates */
} VtClassified;
/* For those who make one: without classes yet; then vt_classified_count(). The list is shared. Owned. */
VtClassified *vt_classified_new_empty(GPtrArray *list, const GPtrArray *objects);
void vt_classified_count(VtClassified *classified);
/* Blocking; for a worker. NULL: an object lacks a feature. */
VtClassified *vt_classified_new(VtClassifier *classifier, const GPtrArray *objects, guint n_threads, GError **error);
VtClassified *vt_classified_ref(VtClassified *classified);
void vt_classified_unref(VtClassified *classified);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtClassified, vt_classified_unref)
/* Of the object at that place; NULL: it has none. */
const VtModelClass *vt_classified_get(const VtClassified *classified, guint index);
/* As files have it: of one that has a class by examples and one by thresholds "Tumor: Positive", as QuPath has it. Owned; NULL: it has none. */
char *vt_classified_dup_name(const VtClassified *classified, guint index);
/* Itself, or the classes by examples that those by thresholds keep; NULL: there are none by examples. Borrowed. */
const VtClassified *vt_classified_get_taught(const VtClassified *classified);
double vt_classified_get_margin(const VtClassified *taught, guint index); /* 0..1 */
/* What these are called in files. */
#define VT_CLASSIFIED_CLASS "Classification"
#define VT_CLASSIFIED_MARGIN "Classification margin"
/* Gives the objects of a result their classes, which its files then have, and says so in its record. NULL: none. On the
 * thread that hands the result on. */
void vt_result_set_classified(VtResult *result, VtClassified *classified);
/* The same, in one go: by examples, by thresholds, or by both; NULL: not by these. FALSE and a sentence: they have no such measurements. */
gboolean vt_result_classify(VtResult *result, VtClassifier *classifier, const VtIntensity *intensity, guint n_threads,
                            GError **error);
