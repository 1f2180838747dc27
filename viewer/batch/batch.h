/* SPDX-License-Identifier: MIT
 *
 * What the files of vitrail-batch share. */
#pragma once
#include "vt-file-private.h"
#include "vt-plugin-host.h"
#include "vt-run.h"

G_BEGIN_DECLS

enum { BATCH_DONE = 0, BATCH_FAILED = 1, BATCH_USAGE = 2 };

/* One sentence on stderr; returns `status`. */
int batch_fail(int status, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Parses the options of one command; leaves the other words in `argv`. FALSE: *status is what to exit with. */
gboolean batch_parse(int *argc, char ***argv, const char *parameters, const char *summary, const GOptionEntry *entries,
                     int *status);
/* Prints a JSON document on stdout. */
void batch_print_json(JsonNode *root);

int batch_info(int argc, char **argv);
int batch_ops(int argc, char **argv);
int batch_run(int argc, char **argv);
/* Opens the inputs ("slide.svs", "marker=file.tif", "rois=file.geojson") into the request. Exit status. */
int batch_add_inputs(VtRunRequest *request, char *const *inputs);

G_END_DECLS
