/* SPDX-License-Identifier: MIT
 *
 * What vitrail-objects-gdal.so, a module that holds all that is linked to GDAL, is to the rest: GDAL brings some eighty libraries along, which only a
 * run that asks for its formats loads. */
#pragma once
#include <glib.h>

#define VT_OBJECTS_MODULE "vitrail-objects-gdal.so"
#define VT_OBJECTS_ENTRY "vt_objects_gdal_entry"

typedef struct {
  const char *name;
  gboolean is_text; /* else it holds numbers */
} VtObjectsColumn;

typedef struct {
  gboolean is_there;
  const char *text; /* of a column of text */
  double number;    /* of one of numbers */
} VtObjectsValue;

/* An object, with a value of each column. Nothing of it is kept. */
typedef struct {
  guint32 n_rings;
  const guint32 *ring_sizes;
  const gboolean *begins; /* a polygon begins with this ring; the others are holes of the last one that did */
  gboolean is_multi;
  const double *points; /* x, y of all rings, each with its first point again at its end */
  const VtObjectsValue *values;
} VtObjectsFeature;

typedef struct VtObjectsFile VtObjectsFile; /* of the thread that creates it */

/* What fails answers with half a sentence, which is owned. */
typedef struct {
  const char *version; /* of GDAL */
  const char *arrow; /* version of Apache Arrow, which its driver for Parquet has; NULL: it doesn't say, or has none */
  const char *problem; /* what GDAL first said against a driver that it couldn't load: half a sentence; NULL: nothing */
  gboolean (*has_driver)(const char *driver);
  /* format: below VT_N_OBJECTS_FORMATS; one file of each is written at a time. is_single: each object is one polygon. The names
   * of columns are kept. NULL: *failure says why. */
  VtObjectsFile *(*create)(guint format, const char *driver, const char *path, gboolean is_single,
                           const VtObjectsColumn *columns, guint n_columns, char **failure);
  /* After a failure it does nothing: close() tells it. */
  void (*add)(VtObjectsFile *file, const VtObjectsFeature *feature);
  /* Frees it. NULL: all of it is written; else what failed first. */
  char *(*close)(VtObjectsFile *file);
} VtObjectsModule;

/* `version`: the program's; NULL if the module is of another one. */
typedef const VtObjectsModule *(*VtObjectsEntry)(const char *version);
