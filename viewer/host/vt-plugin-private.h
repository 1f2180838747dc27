/* SPDX-License-Identifier: MIT */
#pragma once
#include "vt-plugin-host.h"

G_BEGIN_DECLS

/* Checks what a module's entry returned and copies all of it into structs of this program's size, so that later code
 * may read every field. The copy lives as long as the program. NULL and a sentence that names `path`. */
const VitrailPlugin *vt_plugin_check(const VitrailPlugin *theirs, const char *path, GError **error);

G_END_DECLS
