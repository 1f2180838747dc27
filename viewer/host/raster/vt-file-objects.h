/* SPDX-License-Identifier: MIT
 *
 * Objects that another program found: outlines with measurements, of a file. A parameter of the op that hands them over (run/vt-file-objects-op.c). Immutable, counted, any
 * thread. run/vt-shapes.h makes them. */
#pragma once
#include <glib.h>

#define VT_FILE_OBJECTS_MOST_NAMES 100 /* measurements of each */

/* Where the rings and the points of an object end, and those of the next one begin. */
typedef struct {
  guint64 rings, points;
  double centroid_x_l0, centroid_y_l0;
} VtFileObject;

typedef struct {
  char *name;
  gint32 color; /* 0xRRGGBB; -1: the file has none */
} VtFileClass;
#define VT_FILE_OBJECTS_NO_CLASS 255
#define VT_FILE_OBJECTS_MOST_CLASSES 100

typedef struct {
  char *path;         /* of the file */
  char *note;         /* sentences on what of the file they have not; or NULL */
  GArray *objects;    /* VtFileObject, in the order of the file */
  GArray *ring_sizes; /* guint32: of all rings; outer ones run clockwise on the screen, each before its holes */
  GArray *points;     /* double: x, y of all points, level 0 */
  GPtrArray *names;   /* char*, interned: of the measurements, in the order in which the file has them first */
  double *values;     /* of each object one for each name; NaN: none */
  GPtrArray *classes; /* VtFileClass, in the order in which the file has them first */
  guint8 *class_of;   /* the place of each object's; VT_FILE_OBJECTS_NO_CLASS: it has none */
} VtFileObjects;

/* Adds a class, whose place it returns; for those who make them. */
guint vt_file_objects_add_class(VtFileObjects *self, const char *name, gint32 color);
/* Of a file, without objects; for those who make them. */
VtFileObjects *vt_file_objects_new(const char *path);
VtFileObjects *vt_file_objects_ref(VtFileObjects *self);
void vt_file_objects_unref(VtFileObjects *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtFileObjects, vt_file_objects_unref)
/* The same file, read once or twice with the same in it. Either may be NULL. */
gboolean vt_file_objects_equal(const VtFileObjects *a, const VtFileObjects *b);
