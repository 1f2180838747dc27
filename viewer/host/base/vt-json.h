/* SPDX-License-Identifier: MIT */
#pragma once
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A member of the open object. NULL, and numbers that JSON has no word for, become null. */
void vt_json_add_string(JsonBuilder *builder, const char *name, const char *value);
void vt_json_add_double(JsonBuilder *builder, const char *name, double value);

G_END_DECLS
