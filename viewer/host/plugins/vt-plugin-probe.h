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

/* What the process of a plugin tells of its file at the start (vt_worker_dup_told()), as it is kept beside the verdict. */
typedef struct {
  GBytes *told;
  char *file, *sha256; /* which file that was, and its bytes */
} VtPluginKept;
void vt_plugin_kept_free(VtPluginKept *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPluginKept, vt_plugin_kept_free)
/* `teller`: the program that told it; that of another build is not believed, nor in another language. NULL: nothing is kept of the file as it is, or it is
 * damaged. [any] */
VtPluginKept *vt_plugin_kept_find(const char *teller, const char *path);
/* Nothing, if there is no verdict on the file as it is. `told` NULL: what the file tells differs from time to time, and is asked for at each start. [any] */
void vt_plugin_kept_store(const char *teller, const char *path, GBytes *told);
/* Whether the path's file still has the bytes that told it. [any] */
gboolean vt_plugin_kept_is_of(const VtPluginKept *self, const char *path);

/* Every file will be tried again. */
void vt_plugin_probe_forget(void);
