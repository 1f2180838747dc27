/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

#include "vitrail-plugin.h"

/* GError domain of libvthost. Codes are VitrailStatus numbers; cancelled runs use G_IO_ERROR_CANCELLED instead. Messages
 * are whole sentences that name the file or parameter, ready for a toast or stderr. */
#define VT_ERROR (vt_error_quark())
GQuark vt_error_quark(void);

/* "out of memory" etc.: the fallback when a plugin gave no message. */
const char *vt_status_to_string(VitrailStatus status);

/* g_set_error() of this domain for functions that end with it: always FALSE, or NULL. */
gboolean vt_error_set(GError **error, VitrailStatus status, const char *format, ...) G_GNUC_PRINTF(3, 4);
gpointer vt_error_set_null(GError **error, VitrailStatus status, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* From now on this process ends with a sentence and status 1 where GLib has no memory or no thread for it, or a library gives up after it was refused
 * memory: GLib's own last words need memory, too, and may wait for ever for the lock that is held meanwhile (GLib 2.74). `program` begins the sentence and
 * stays where it is; NULL: no sentence, and an end by SIGABRT, which tells the one that started this process why (vt_helper_dup_end()). */
void vt_error_end_without_memory(const char *program);

/* Text from a file or a library made fit for a sentence: valid UTF-8, one line, not longer than a toast bears. Owned. */
char *vt_error_dup_line(const char *text);
/* Text of whatever length for sentences and labels: valid UTF-8, with the sign of what can't be shown (U+FFFD) in place of line breaks, escapes of terminals, and marks
 * that turn the direction, by which “gpj.svs” would be shown as “svs.jpg”. Owned. */
char *vt_error_dup_shown(const char *text);
/* The same of a path, and of its last part. Not to open a file by. */
char *vt_error_dup_path(const char *path);
char *vt_error_dup_name(const char *path);
