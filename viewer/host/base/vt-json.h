/* SPDX-License-Identifier: MIT */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

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

/* The object that the file of a record holds, owned. NULL, and a sentence that names the file: it is no regular file, larger than
 * 64 MiB, no JSON, has a key twice, or holds no object. [any] */
JsonObject *vt_json_load_object(const char *path, GError **error);
/* Members of an object, of the right kind: NULL if there is none. `object` may be NULL. Borrowed. [any] */
JsonObject *vt_json_get_object(JsonObject *object, const char *name);
JsonArray *vt_json_get_array(JsonObject *object, const char *name);
const char *vt_json_get_string(JsonObject *object, const char *name);
/* A number; `otherwise` if there is none. */
double vt_json_get_double(JsonObject *object, const char *name, double otherwise);
