/* SPDX-License-Identifier: MIT
 *
 * Files that are there whole or not at all, and numbers and JSON as text that reads back to the same values. */
#pragma once
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "base/vt-error.h"

/* Whether it is an ordinary file that can be opened; FALSE: a sentence that names it. */
gboolean vt_file_check(const char *path, GError **error);
/* How many bytes a file may have, as `ulimit -f` says; G_MAXUINT64: there is no limit. Any thread. */
guint64 vt_file_get_most_bytes(void);
/* Size and time of the last write, equal as long as nobody writes to it; of a file that is gone "". Owned. */
char *vt_file_dup_state(const char *path);
/* A path as text from which the same bytes come back: itself, or, where it is no UTF-8, "bytes:" and the other bytes as %E9. Owned. */
char *vt_path_dup_text(const char *path);
char *vt_path_dup_of_text(const char *text);
/* Before any thread: a person's folders (XDG_DATA_HOME and so on) that are not absolute are those of the system instead, as the standard says: in
 * whatever folder the program is started, plugins and journals would be looked for. `program` says so on stderr. */
void vt_file_ignore_relative_homes(const char *program);
/* First of all: those of stdin, stdout and stderr that are closed become what neither reads nor writes, so that no file or socket that is opened later gets their
 * numbers, and sentences with them. */
void vt_file_hold_standard(void);
/* A name beside `path` that no other writer uses. Owned. */
char *vt_file_dup_temp_path(const char *path);
/* Renames a finished temporary file to its place, or removes it. */
gboolean vt_file_commit(const char *temp_path, const char *path, GError **error);
/* A file, or a folder with all that is in it; no link is followed. */
void vt_file_remove_all(const char *path);
/* SHA-256 of the bytes of a file, in hexadecimal digits, owned, and how many bytes they are; NULL: it cannot be read. */
char *vt_file_dup_sha256(const char *path, guint64 *bytes, GError **error);
/* The same of a file that is read only: it is worked out once as long as the file is the same by place, size and time of change, and
 * whoever asks meanwhile waits. Any thread. */
char *vt_file_dup_known_sha256(const char *path, guint64 *bytes, GError **error);
/* Begins to work it out on a thread of its own. */
void vt_file_begin_sha256(const char *path);
/* Writes text by way of a temporary file. */
gboolean vt_file_write_text(const char *path, const GString *text, GError **error);

/* The same for text that need not be in memory as a whole: what is appended to `text` goes to the file piece by piece. */
typedef struct {
  GString *text;
  FILE *file;
  int failure; /* errno of the first */
  char *path, *temp_path;
} VtTextFile;
VtTextFile *vt_text_file_new(const char *path, GError **error);
/* To be called now and then. A failure is told by vt_text_file_close(). */
void vt_text_file_pass_on(VtTextFile *self);
/* The same for n pieces that are appended in order. Any thread writes one by `append`, so no two may share what they change. */
void vt_text_file_append_pieces(VtTextFile *self, guint n_threads, guint n,
                                void (*append)(GString *text, guint piece, gconstpointer user), gconstpointer user);
/* Everything is in its place, or nothing. Frees it. */
gboolean vt_text_file_close(VtTextFile *self, GError **error);

/* The shortest decimal that reads back as `value`; "NaN", "Infinity", "-Infinity". Any locale. */
void vt_text_append_double(GString *text, double value);
void vt_text_append_doubles(GString *text, const char *between, guint n, const double *values);
/* A field of CSV, quoted where it must be (RFC 4180). One that a spreadsheet would run as a formula (=, +, -, @, tab or return
 * first, and no number) gets an apostrophe in front. */
void vt_text_append_csv_field(GString *text, const char *field);
/* The same after a comma. NULL: an empty field. */
void vt_text_append_next_field(GString *text, const char *field);
void vt_text_append_next_double(GString *text, double value);
/* With quotes and escapes. */
void vt_text_append_json_string(GString *text, const char *string);
/* Indented, members in the order they were added, numbers by vt_text_append_double. */
void vt_text_append_json(GString *text, JsonNode *node, int indent);
