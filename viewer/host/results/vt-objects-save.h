/* SPDX-License-Identifier: MIT
 *
 * Objects as FlatGeobuf and GeoParquet, by a module that is loaded when they are asked for. */
#pragma once
#include "results/vt-objects-module.h"
#include "run/vt-objects-format.h"
#include "run/vt-run.h"

/* Loads it once. NULL and a sentence: it is not there, or of no use. Any thread. */
const VtObjectsModule *vt_objects_module_get(GError **error);
/* FALSE and a sentence: this program, or the GDAL that it found, can't write all of these. */
gboolean vt_objects_formats_check(guint formats, GError **error);
/* The outlines and numbers of objects.geojson, each measurement a column. One file of each format at a time. */
gboolean vt_result_write_objects(const VtResult *result, guint format, const char *path, GError **error);
