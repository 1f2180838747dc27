/* SPDX-License-Identifier: MIT
 *
 * JSON files that are read strictly: what is wrong is told with its place. [any] */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

typedef struct {
  guint line, column; /* from 1; columns are characters */
} VtJsonPlace;

/* Where every value of a JSON text stands: JSON pointers ("/nodes/3/when"; of a member, its key) to VtJsonPlace. NULL and
 * *problem, static, at *where if it is no JSON, is nested deeply, or an object has a key twice. */
GHashTable *vt_json_find_places(const char *text, const char **problem, VtJsonPlace *where);
/* Of a pointer, or of the nearest of what holds it. */
VtJsonPlace vt_json_place_of(GHashTable *places, const char *pointer);

/* The text of a file of up to `most_mib` MiB, owned. `what`: "recipe", for the sentence. NULL: it cannot be read, is longer, or no
 * text in UTF-8. A byte order mark is skipped. */
char *vt_json_load_text(const char *path, const char *what, guint most_mib, GError **error);
/* What a text holds, and *places of its values; both owned, also where it fails (then they may be NULL). FALSE: it is no JSON. */
gboolean vt_json_parse(const char *text, const char *name, JsonParser **parser, GHashTable **places, GError **error);

typedef struct {
  const char *name; /* of the file; borrowed, as the others */
  GHashTable *places;
  GError **error;
} VtJsonReader;

/* FALSE, with a sentence about what stands at a pointer: "NAME, line 3, column 5: ...". */
gboolean vt_json_fail(const VtJsonReader *reader, const char *pointer, const char *format, ...) G_GNUC_PRINTF(3, 4);
void vt_json_set_error(GError **error, const char *name, VtJsonPlace place, const char *sentence);
/* G_TYPE_STRING, _BOOLEAN, _INT64 or _DOUBLE. */
gboolean vt_json_is_of(JsonNode *node, GType type);
/* Whether it is a finite number. */
gboolean vt_json_get_number(JsonNode *node, double *number);
