/* SPDX-License-Identifier: MIT
 *
 * What other programs drew on a slide: areas, lines and points with their names and classes, from QuPath (GeoJSON, also .gz), ASAP
 * (XML), ImageScope (XML), NDP.view (NDPA) and tables of points (CSV). The contents tell which of them a file is, not its name.
 * Measurements are those of GeoJSON; columns of a table of points stay in the file. */
#pragma once
#include "raster/vt-file-objects.h"
#include "run/vt-roi.h"
#include "slide/vt-slide.h"

typedef struct {
  VtShapeKind kind; /* of the outline */
  gboolean is_locked;
  gboolean is_found;      /* by a program: a detection, cell or tile of QuPath; else somebody drew it, or nobody says */
  gint32 color;           /* 0xRRGGBB; -1: none is said */
  const char *class_name; /* "Tumor: Positive"; owned by the list; or NULL */
  VtRoi *outline; /* name, and its rings, lines or points (a line or all points are one "ring"); level-0 pixels */
} VtShape;

typedef struct {
  char *file;         /* to be shown */
  const char *format; /* "ASAP XML"; static */
  GPtrArray *shapes;  /* VtShape, in the order of the file */
  GHashTable *classes;
  guint n_areas, n_lines;
  guint64 n_points; /* of VT_SHAPE_POINTS; a shape can have many */
  guint n_nowhere;  /* left out: without a geometry, or without an extent */
  guint n_other;    /* left out: kinds that have no meaning here, and places that no area has */
  guint n_measured; /* shapes that the file has measurements of, read or not */
  guint n_no_numbers, n_twice,
    n_beyond; /* measurements that were not read: without a name or a number, followed by another of their name, of names beyond VT_MEASURED_MOST_NAMES */
  guint n_joined;  /* shapes whose measurements went because they joined other points, or were joined */
  guint n_splines; /* curves that were taken as straight lines between their points */
  guint n_odd;     /* areas that are not plain (vt_roi_is_plain()) */
  char *odd;       /* the name of the first of them */
} VtShapes;

/* From any thread; fraction 0..1. */
typedef void (*VtShapesProgress)(double fraction, gpointer user);

typedef struct {
  VtSlide *slide; /* NULL: a format that measures from the slide's middle, or in µm, is refused */
  GCancellable *cancellable;
  VtShapesProgress progress; /* or NULL */
  gpointer user;
  gboolean measures; /* measurements are read: 16 bytes for each number, and 24 for each shape that has some */
} VtShapesContext;

#define VT_MEASURED_MOST_NAMES 1000 /* of a file */

/* Reads a file, blocking. NULL, and a sentence with the file's name and the line: it is none of the formats, damaged, larger than
 * 4 GiB (2 GiB unpacked), or has more than 2²⁶ points. Cancelled: G_IO_ERROR_CANCELLED. context may be NULL. [any] */
VtShapes *vt_shapes_read(const char *path, const VtShapesContext *context, GError **error);
/* The same of bytes (length -1: up to a zero byte). `name` is for sentences. */
VtShapes *vt_shapes_parse(const char *data, gssize length, const char *name, const VtShapesContext *context,
                          GError **error);
void vt_shapes_free(VtShapes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtShapes, vt_shapes_free)

/* The areas with their classes, colours and locks, (element-type VtRoi), owned; the list loses them. What has no name is called "ROI n". NULL and a sentence if there is none. */
GPtrArray *vt_shapes_steal_areas(VtShapes *self, GError **error);
/* The same of areas, lines and points, in the order of the file; empty: there are none. Points without a name that follow points of the same class, colour and lock, without one
 * either, join them, without measurements, which are of no such set. What has no name is called "ROI n", "Line n" or "Points n". */
GPtrArray *vt_shapes_steal_annotations(VtShapes *self);
/* The areas that were found, or all of them if the file says it of none, with classes and measurements as objects, of the file at `path`; the list loses them. NULL and a sentence
 * if there is none. */
VtFileObjects *vt_shapes_steal_objects(VtShapes *self, const char *path, GError **error);
/* x and y in turns of all points, owned; NULL: there are none. */
GArray *vt_shapes_dup_points(const VtShapes *self);
/* Sentences on what is no area and was left out, or was taken as something else; NULL: nothing. with_points: they were not left out. Owned. */
char *vt_shapes_dup_note(const VtShapes *self, gboolean with_points);
/* The areas of a file as regions, with a note on the rest (owned; note may be NULL). */
GPtrArray *vt_shapes_read_areas(const char *path, const VtShapesContext *context, char **note, GError **error);
