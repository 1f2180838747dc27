/* SPDX-License-Identifier: MIT
 *
 * What a file or folder holds, and the question before it is replaced. Main thread only. */
#pragma once
#include <adwaita.h>

#include "run/vt-run.h"

/* What saving `result` into the folder would replace: "Nuclei of CMU-1.svs, 819 objects, 2026-11-22 14:03"; NULL: nothing. `*obstacle`: a
 * sentence, why that cannot be replaced; NULL: it can. Both are owned. */
char *vt_overwrite_describe_folder(const char *dir, const VtResult *result, char **obstacle);
/* The same of a table of regions and the files beside it (vt_regions_dup_paths()). */
char *vt_overwrite_describe_regions(const char *path, char **obstacle);
/* The first path like this one, with a number, that takes nothing's place: "results-2", "regions-2.csv". Owned. */
char *vt_overwrite_number_folder(const char *dir);
char *vt_overwrite_number_regions(const char *path);

typedef enum { VT_OVERWRITE_CANCEL, VT_OVERWRITE_KEEP_BOTH, VT_OVERWRITE_REPLACE } VtOverwrite;
/* Asks, and offers what can be done; `answered` is called once. `numbered` is the path for keeping both. */
void vt_overwrite_ask(GtkWindow *parent, const char *path, const char *holds, const char *obstacle,
                      const char *numbered, void (*answered)(VtOverwrite answer, gpointer user), gpointer user);
