/* SPDX-License-Identifier: MIT */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

enum { VT_JSON_DEEPEST = 200 }; /* brackets in brackets; nothing that is read here needs more than a few */

/* A member of the open object. NULL, and numbers that JSON has no word for, become null. */
void vt_json_add_string(JsonBuilder *builder, const char *name, const char *value);
void vt_json_add_double(JsonBuilder *builder, const char *name, double value);
void vt_json_add_int(JsonBuilder *builder, const char *name, gint64 value);
void vt_json_add_boolean(JsonBuilder *builder, const char *name, gboolean value);
void vt_json_add_strings(JsonBuilder *builder, const char *name, guint n, const char *const *values);
void vt_json_add_doubles(JsonBuilder *builder, const char *name, guint n, const double *values);
/* A member that json_builder_end_array() or json_builder_end_object() ends. */
void vt_json_begin_array(JsonBuilder *builder, const char *name);
void vt_json_begin_object(JsonBuilder *builder, const char *name);

/* Whether json-glib may have this text, which is UTF-8 or not: it calls itself for each bracket, so that a file of brackets alone
 * exhausts the stack, and takes comments for JSON. FALSE: *problem says why not ("is not text"), without the file's name; owned.
 * [any] */
gboolean vt_json_check_text(const char *data, gsize length, char **problem);
/* The object that a file holds, owned. NULL, and a sentence that names `path`: it is no regular file, too large for a record or a
 * description (64 MiB), no JSON, or no object. [any] */
JsonObject *vt_json_load_object(const char *path, GError **error);
/* Members of an object, of the right kind: NULL if there is none. `object` may be NULL. Borrowed. [any] */
JsonObject *vt_json_get_object(JsonObject *object, const char *name);
JsonArray *vt_json_get_array(JsonObject *object, const char *name);
const char *vt_json_get_string(JsonObject *object, const char *name);
