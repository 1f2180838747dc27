/* SPDX-License-Identifier: MIT
 *
 * What the files of vitrail-batch share. */
#pragma once
#include "base/vt-file-private.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-model.h"
#include "run/vt-run.h"

enum { BATCH_DONE = 0, BATCH_FAILED = 1, BATCH_USAGE = 2 };
#define BATCH_STATUS "Exit status: 0 done; 1 failed, and a sentence on stderr says why; 2 wrong command line."
/* Of run only: the other commands end at once. */
#define BATCH_SIGNALS \
  "Ctrl+C, kill or the end of the terminal ends the run cleanly at the next tile, or where nothing moves for 4 " \
  "seconds: 1. A second one does not " \
  "wait: 130 (Ctrl+C), 143 (kill) or 129."

/* One sentence on stderr; returns `status`. */
int batch_fail(int status, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Parses the options of one command; leaves the other words in `argv`. FALSE: *status is what to exit with. */
gboolean batch_parse(int *argc, char ***argv, const char *parameters, const char *summary, const GOptionEntry *entries,
                     int *status);
/* Prints a JSON document on stdout. */
void batch_print_json(JsonNode *root);

int batch_info(int argc, char **argv);
int batch_ops(int argc, char **argv);
int batch_plugins(int argc, char **argv);
int batch_run(int argc, char **argv);
int batch_recipe(int argc, char **argv);
int batch_rerun(int argc, char **argv);
int batch_score(int argc, char **argv);
int batch_why(int argc, char **argv);
/* Says that files are tried, which takes a while: TRUE, wait for them (vt_plugin_host_set_slow()). */
gboolean batch_waits_for_plugins(const char *names);
/* Says which files of plugins and recipes were refused, and whether any plugin is there: what to exit with. */
int batch_tell_failures(void);
/* No `kind` (op, recipe) has this id: which are known, or why none are. What to exit with. */
int batch_fail_unknown(const char *kind, const char *id, const char *known);
/* An op by its id, or that of a file, whose record's parameters come before those of *set. NULL: *status is what to exit with. */
const VitrailOp *batch_find_op(const char *word, const VitrailPlugin **plugin, char ***set, int *status);
/* What --format says. */
typedef struct {
  gboolean ome_tiff;
  guint objects; /* vt-objects-format.h: a set of formats, which can be written here */
} BatchFormats;
/* Exit status. */
int batch_parse_format(const char *text, BatchFormats *formats);
/* Prints a line on formats of objects: which there are beside those that are always there, or why none. */
void batch_print_formats(void);
/* "X,Y,W,H"; NULL: the whole image. Exit status. */
int batch_set_region(VtRunRequest *request, const char *region);
/* KEY=VALUE, over the defaults; the inputs are there. Exit status. */
int batch_set_params(VtRunRequest *request, char *const *set);
/* Of an op, for people. */
void batch_print_op(const VitrailOp *op);
/* Whether what is to be run is a file: a recipe, or the record of a run of one. */
gboolean batch_is_recipe(const char *word);
/* Opens the inputs ("slide.svs", "marker=file.tif", "rois=file.geojson") into the request. room: of each plain image; or
 * NULL. progress: say how far a large one is. Exit status. */
int batch_add_inputs(VtRunRequest *request, char *const *inputs, const VtRasterRoom *room, gboolean progress);
/* What --place says of labels=FILE, which then need not fit the image. After the parameters. NULL: nothing. */
int batch_place_labels(VtRunRequest *request, const char *text);
/* The file of objects=FILE, of an op that shows objects of a file. After the parameters. */
int batch_read_objects(VtRunRequest *request);
/* Runs, saves into dir, and says so. Exit status. resume: takes up what the same request left in dir, or finds it done.
 * classifier: gives the objects classes; or NULL. */
int batch_job(VtRunRequest *request, const char *dir, gboolean resume, gboolean progress, VtClassifier *classifier);
/* Makes the folder of scratch files in dir and tells the request of it. resume: files of the same request are taken up; all
 * others are removed. */
gboolean batch_scratch_prepare(VtRunRequest *request, const char *dir, gboolean resume, const char *digest,
                               GError **error);
/* Removes those in dir, which a result needs no longer: each rank its own, the first one those of other numbers of ranks, too. */
void batch_scratch_clean(const VtRunRequest *request, const char *dir);

/* To be called once, before any thread starts. The cancellable is of the whole program. */
void batch_signals_init(void);
GCancellable *batch_get_cancellable(void);
/* Whose lock one signal alone is to remove where it ends a program that waits. NULL: none. */
void batch_signals_set_held(const VtFolder *folder);
/* While files of a result are written, and only then, a program that waits is not ended by one signal alone. */
void batch_signals_set_saving(gboolean saves);

/* How many processes a launcher has started, at least; 1 when there is no sign of one. *variable: the sign. */
guint batch_launched(const char **variable);
/* Exit status: not done, with a sentence, when this process is one of several that cannot talk to each other. */
int batch_check_alone(void);

/* Processes that work together; built with MPI, and started by mpirun: else there is one. */
int batch_ranks_init(int *argc, char ***argv); /* exit status */
const VtRunRanks *batch_ranks_get(void);       /* NULL: alone */
/* The next of n pieces of work that no process has taken; n when there is none. */
guint batch_ranks_take(guint n);
/* Over all processes, on all of them. */
int batch_ranks_sum(int mine);
gboolean batch_ranks_first(void); /* true on one of them */
/* Ends a run that all processes share: when it failed here, everywhere. */
int batch_ranks_end(int status);
void batch_ranks_finish(void);
