/* SPDX-License-Identifier: MIT
 *
 * record.json as a request: what a record says that was asked for, as words of `vitrail-batch run`. A record may come from
 * anywhere, so nothing of it is believed. */
#pragma once
#include "base/vt-json.h"

/* What a run may have other than its record: the bytes are the same. Borrowed; NULL, and 0 threads: as run takes it. */
typedef struct {
  const char *backend, *memory, *out;
  int threads;
} BatchRerun;

/* The record of a file, owned. NULL, and a sentence: it can't be read, is no record of a run, or of one that no command line can
 * repeat. */
JsonObject *batch_record_load(const char *path, GError **error);
/* The command line of `vitrail-batch run` that does the same (element-type utf8), owned, with a NULL at its end. path: the
 * record's, which holds the recipe of a run of one. NULL, and a sentence: the record does not say what was asked for. */
GPtrArray *batch_record_make_words(JsonObject *record, const char *path, const BatchRerun *rerun, GError **error);
/* How many regions a record tells of, and what it says of each; of one without a name, the record itself. */
guint batch_record_count_parts(JsonObject *record);
JsonObject *batch_record_get_part(JsonObject *record, guint index);
/* Pixels of context outside of a part; -1: it took none, since memory had no room to look for them. */
double batch_record_get_context(JsonObject *part);
/* The parameters of a record, or none of a recipe, but those of --set instead, which come last. Owned. */
char **batch_record_dup_set(const char *path, char *const *set);
