/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint line, column; /* from 1; columns are characters */
} VtJsonPlace;

/* Where every value of a JSON text stands: JSON pointers ("/nodes/3/when"; of a member, its key) to VtJsonPlace. NULL and
 * *problem, static, at *where if it is no JSON, is nested deeply, or an object has a key twice. */
GHashTable *vt_json_find_places(const char *text, const char **problem, VtJsonPlace *where);
/* Of a pointer, or of the nearest of what holds it. */
VtJsonPlace vt_json_place_of(GHashTable *places, const char *pointer);

G_END_DECLS
