/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

/* Formats in which objects are saved beside GeoJSON and CSV. A set of them has the bit 1 << index of each. */
enum { VT_N_OBJECTS_FORMATS = 2 };
typedef struct {
  const char *word;   /* of --format and of the record */
  const char *title;  /* for people */
  const char *driver; /* what GDAL calls it */
  const char *file;
} VtObjectsFormat;
const VtObjectsFormat *vt_objects_format_get(guint index);
/* Appends ",flatgeobuf" and so on, in the order of the table. */
void vt_objects_formats_append_words(GString *text, guint formats);
