/* SPDX-License-Identifier: MIT
 *
 * What a list of objects has in columns: their numbers and places, their measurements, and what others add to these: classes, verdicts.
 * The one place that says which column is which, for tables, filters, plots and colours. Immutable, counted, any thread. */
#pragma once
#include "run/vt-run.h"

/* The first columns; from VT_OBJECT_MEASUREMENTS on the measurements, behind them what was added. */
enum { VT_OBJECT_NUMBER, VT_OBJECT_X, VT_OBJECT_Y, VT_OBJECT_MEASUREMENTS };
/* Of its own columns. NaN: the object has no such number. */
double vt_object_get_value(const VtObject *object, guint column);

/* A column that is added: a number of each object, or a word of a few. */
typedef struct {
  const char *name; /* as files have it, which is what it is known by; interned */
  char *title;      /* as a person reads it */
  GPtrArray *
    of; /* the list of objects, to be compared with only (held, so that no other one comes to lie there): of others it says nothing */
  guint n;
  double *values;  /* NaN: none; of words, the place of one; NULL: of sets */
  char **words;    /* NULL: they are numbers */
  guint64 *sets;   /* which of the words each object has, a bit each; NULL: an object has one word, or none */
  guint n_in_each; /* 64-bit numbers of an object's set */
} VtColumn;
/* Takes the values, one of each object of the list; words are copied. Owned. */
VtColumn *vt_column_new(const char *name, const char *title, const GPtrArray *objects, double *values,
                        const char *const *words);
/* Of words of which an object has any number; to begin with none. vt_column_put() gives it one more, which only the maker may do, before
 * anybody else has the column. Owned. */
VtColumn *vt_column_new_sets(const char *name, const char *title, const GPtrArray *objects, const char *const *words);
void vt_column_put(VtColumn *column, guint index, guint word);
/* 1: the object at a place of a list has the word; 0: it has not; NaN: the column is of another list. */
double vt_column_has(const VtColumn *column, const GPtrArray *objects, guint index, guint word);
VtColumn *vt_column_ref(VtColumn *column);
void vt_column_unref(VtColumn *column);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtColumn, vt_column_unref)
/* Of the object at a place of a list. NaN: none, or the column is of another list. Of a set: a number by which sets are put in order: those with
 * the first word before those without it, and so on for the first fifty. */
double vt_column_get_value(const VtColumn *column, const GPtrArray *objects, guint index);

typedef struct {
  GPtrArray *objects; /* VtObject */
  VtResult *result;   /* keeps them; or NULL */
  guint n, n_own;     /* all columns; those before the first that was added */
  VtColumn **added;   /* n - n_own */
} VtColumns;
/* Of objects that all have the same measurements. Keeps what it is given; `result` NULL: the list keeps the objects itself. Owned. */
VtColumns *vt_columns_new(GPtrArray *objects, VtResult *result, VtColumn *const *added, guint n_added);
VtColumns *vt_columns_ref(VtColumns *columns);
void vt_columns_unref(VtColumns *columns);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtColumns, vt_columns_unref)
/* By its name, as files have it; -1: there is none. */
gint vt_columns_find(const VtColumns *columns, const char *name);
const char *vt_columns_get_name(const VtColumns *columns, guint column); /* as files have it */
char *vt_columns_dup_title(const VtColumns *columns, guint column);      /* as a person reads it; owned */
/* NULL: it is one of the objects' own, or there is none. */
VtColumn *vt_columns_get_added(const VtColumns *columns, guint column);
/* Not a word: it can be plotted, and give colours. */
gboolean vt_columns_is_number(const VtColumns *columns, guint column);
/* Of the object at that place of the list. NaN: none. */
double vt_columns_get_value(const VtColumns *columns, guint index, guint column);
/* Its word, or those of its set with commas between; NULL: the column has numbers, or the object no word. Owned. */
char *vt_columns_dup_word(const VtColumns *columns, guint index, guint column);
