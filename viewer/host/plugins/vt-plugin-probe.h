/* SPDX-License-Identifier: MIT
 *
 * A plugin file is tried in a process of its own before this program loads it: one that crashes, hangs or ends its process does
 * so there, and ends with this program. Verdicts are kept in the user's cache folder until the bytes of the file (SHA-256), or the program that tries it, change;
 * not one that may be of a want of memory. */
#pragma once
#include "base/vt-error.h"

enum { VT_PLUGIN_PROBE_S = 30 }; /* devices may take seconds to answer */

/* Exit statuses of vitrail-plugin-probe beside 0, and 1 after a sentence: nothing was tried; memory was refused while the file was loaded, after a sentence. */
enum { VT_PLUGIN_PROBE_UNTRIED = 2, VT_PLUGIN_PROBE_STARVED };

#define VT_PLUGIN_PROBE_AGAIN "It is tried again when the file changes, or by vitrail-batch plugins --again."

/* Tries a file, if no verdict on it is known. FALSE, and a sentence that names `path`, if it must not be loaded. Waits for up to
 * `seconds`. [any] */
gboolean vt_plugin_probe(const char *program, const char *path, guint seconds, GError **error);
/* Every file will be tried again. */
void vt_plugin_probe_forget(void);
