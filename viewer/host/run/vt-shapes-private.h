/* SPDX-License-Identifier: MIT
 *
 * What readers of shapes share. */
#pragma once
#include "base/vt-json-scan.h"
#include "run/vt-shapes.h"

#define VT_SHAPES_MAX_POINTS ((guint64)1 << 26)
#define VT_SHAPES_MAX_COORDINATE 1e12

typedef struct {
  VtShapes *shapes;
  const VtShapesContext *context;
  const char *data; /* valid UTF-8 */
  gsize length;
  guint64 n_points; /* so far, of all kinds */
  GError **error;
} VtShapesReading;

/* FALSE, and "FILE, line 3: has no points.", or without the line if it is 0. */
gboolean vt_shapes_fail(VtShapesReading *reading, guint line, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Of a place in the data; from 1. */
guint vt_shapes_get_line(const VtShapesReading *reading, const char *at);
/* Tells how far it is. FALSE: cancelled, and the error is set. */
gboolean vt_shapes_tick(VtShapesReading *reading, const char *at);
/* A class's name for as long as the list lives; NULL of NULL and "". */
const char *vt_shapes_intern(VtShapes *self, const char *class_name);
/* Without shapes, of a file of that name. */
VtShapes *vt_shapes_new(const char *file);
/* Copies sizes and points into a new shape that is the list's, at the end of it. is_hole: of each ring of an area. name may be NULL. */
VtShape *vt_shapes_add(VtShapes *self, VtShapeKind kind, const char *name, const GArray *sizes, const GArray *points,
                       const guint8 *is_hole);

/* Reads the measurements of one feature after the other, and counts what is none in the list of shapes. */
typedef struct VtShapesMeasuring VtShapesMeasuring;
VtShapesMeasuring *vt_shapes_measuring_new(VtShapes *shapes);
void vt_shapes_measuring_free(VtShapesMeasuring *self);
/* Those of the next feature, whose list or object comes next; owned. NULL: there are none, or the scan has a problem. */
VtMeasured *vt_shapes_read_measurements(VtShapesMeasuring *self, VtJsonScan *scan);

/* The readers. */
gboolean vt_shapes_read_geojson(VtShapesReading *reading);
gboolean vt_shapes_read_xml(VtShapesReading *reading);
gboolean vt_shapes_read_csv(VtShapesReading *reading);
