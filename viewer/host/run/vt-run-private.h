/* SPDX-License-Identifier: MIT
 *
 * What the files of a run share. */
#pragma once
#include "base/vt-arena.h"
#include "base/vt-file-private.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-run.h"
#include "raster/vt-sink.h"

/* VtResult with what only saving needs. */
typedef struct {
  VtResult result;                /* first */
  VtRunRequest *again;            /* like the one that made it, to measure what was made by hand; or NULL */
  VtRaster *source;               /* the primary raster when there was no slide; for the overlay */
  char *source_hash;              /* as vt_slide_dup_hash(); of a plain image "sha256:..." of its pixels */
  GHashTable *inputs;             /* input id -> path */
  char *slide_path, *slide_state; /* of the slide that was read, and vt_slide_get_file_state(); or NULL */
  gboolean drawn_rois;            /* regions of interest that are in no file */
  guint n_threads;                /* that write it */
  double mpp_x, mpp_y;
  VtArena *arena;      /* of the objects of a streamed run; or NULL */
  GPtrArray *older;    /* VtClassified: in use until the result goes; or NULL */
  double (*ranges)[2]; /* per stage: of all values of a streamed raster; an empty one, from +inf to -inf, of others */
} VtResultFull;

VtResult *vt_result_new(const VitrailOp *op);
/* The UUID of a text; owned. */
char *vt_dup_uuid(const char *text);
/* The same for the same source, region and object, everywhere; of one that was made by hand, for the same outline. Owned. */
char *vt_result_dup_object_uuid(const VtResult *result, const VtObject *object);
/* The object with that place in the list, for those who go through all of them: what lies far behind leaves memory. */
const VtObject *vt_result_pass_object(const VtResult *result, guint index);
/* Names of all measurements (interned), in order of first appearance. The list is owned. */
GPtrArray *vt_result_list_measurements(const VtResult *result);
/* The text of every object, in order; any thread writes that of one of them. */
typedef void (*VtAppendObject)(GString *text, const VtResult *result, guint index, gconstpointer user);
void vt_result_append_objects(const VtResult *result, VtTextFile *file, VtAppendObject append, gconstpointer user);

/* vt-result-folder.c. The file of a stage, or past the last stage of the overlay; `region`: the number of the region, from 1 on, or 0 where
 * there is one rectangle. Owned. */
char *vt_result_dup_picture_name(const VitrailOp *op, guint stage, guint region, gboolean ome_tiff);
/* Adds the names of all of them that a result without parts has. */
void vt_result_list_pictures(const VtResult *result, guint region, GPtrArray *names);
/* A file of a result by what is in it. */
typedef struct {
  char *name; /* NULL: there is none */
  char *sha256;
  guint64 bytes;
} VtContent;
/* The file is on the disk afterwards. */
gboolean vt_result_read_content(const char *path, VtContent *content, GError **error);
/* After the last of n files: writes the record, which says what is in them, and puts all in the place of an earlier result. */
gboolean vt_result_finish_folder(const VtResult *result, VtFolder *folder, const char *stage, const VtContent *contents,
                                 guint n, GError **error);

/* vt-result-overlay.c: how good a raster stage is to look at, the greater the better; and the grid that an overlay of the
 * region has with a raster of this downsample (0: with none). */
int vt_overlay_rank(const VitrailStage *stage);
VtOverlayGrid vt_overlay_choose_grid(gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0, double downsample);

/* One input as the plugin sees it. */
typedef struct {
  VitrailInput abi;
  VtRaster *raster;             /* borrowed; what is read; or NULL */
  VtSlide *slide;               /* borrowed; read if there is no raster; or NULL */
  const VtPlacedLabels *labels; /* borrowed; read if there is neither; or NULL */
  const VtRunTruth *truth;      /* the same */
} VtRunInput;

typedef struct VtSpool VtSpool;
typedef struct VtRunPlaces VtRunPlaces;

/* Everything of one run; several when the run is repeated. */
typedef struct {
  const VtRunRequest *request;
  const VitrailOp *op;
  VtRunInput *inputs;
  guint n_inputs, primary;
  gint64 x_l0, y_l0, width_l0, height_l0; /* clipped */
  GPtrArray *notes;                       /* char*: the host's own warnings, which hold for every repeat */
  guint n_threads;
  GCancellable *cancellable;
  VtRunProgress progress;
  gpointer user;

  GMutex lock;          /* guards what follows, which callbacks of several threads fill */
  GPtrArray **tiles;    /* per stage, of VtRaster */
  VtRunPlaces **places; /* per stage: where its tiles lie; NULL: it has none */
  guint64 n_points;     /* of all objects */
  VtSink **sinks;       /* per stage of a streamed run; or NULL */
  VtSpool *spool;       /* what a rank above 0 has emitted; or NULL */
  double (*ranges)[2];  /* per stage of a streamed run, where the overlay will ask for it */
  GPtrArray *objects, *rows, *warnings;
  GArray *verdicts;     /* VitrailVerdict */
  VtWave *wave;         /* or NULL */
  VtOverlaps *overlaps; /* or NULL */
  VtArena *arena;       /* of the objects of a streamed run; or NULL */
  JsonObject *facts;
  double *stage_ms;
  GError *failure; /* the host's own first failure: reading */
  char *bug;       /* the plugin's first breach of the contract */
} VtRunState;

/* Fills inputs, primary, region and notes; checks them against the op. */
gboolean vt_run_find_inputs(VtRunState *state, GError **error);
/* The files that went in, for the record. */
void vt_run_fill_files(VtResultFull *full, const VtRunState *state);
/* SHA-256 of names and outlines; owned. */
char *vt_rois_dup_sha256(const GPtrArray *rois);
VitrailHost vt_run_make_host(VtRunState *state);
char *vt_run_dup_sink_path(const VtRunState *state, guint stage); /* owned */
/* What the plugin did wrong, and what else failed (the error is taken): the first of each counts. What the callback answers. */
VitrailStatus vt_run_note_bug(VtRunState *state, const char *format, ...) G_GNUC_PRINTF(2, 3);
VitrailStatus vt_run_note_failure(VtRunState *state, GError *error);
gboolean vt_run_is_streamed(const VtRunState *state);
gint64 vt_run_get_number(const VtRunState *state, const char *key); /* a fact of the run; 0: it is not told */
/* What is emitted, checked and put where it belongs: a tile of a streamed raster, an object. */
VitrailStatus vt_run_take_tile(VtRunState *state, const VitrailTile *tile);
VitrailStatus vt_run_take_object(VtRunState *state, const VitrailObject *object);
/* After the plugin's last callback: what only all of them tell together. */
void vt_run_check_end(VtRunState *state);

/* vt-run-check.c: half a sentence on the plugin, for "it is broken: ..."; NULL: no doubt. Of a tile (which is noted), of all of them, of an
 * object (counted; *n_points: of its outlines), a row, a verdict, a wave, the runs of a row, overlaps; and with the lock held, of one more fact or warning. */
const char *vt_run_doubt_tile(VtRunState *state, const VitrailTile *tile);
const char *vt_run_doubt_tiles(VtRunState *state);
const char *vt_run_doubt_object(VtRunState *state, const VitrailObject *object, gint64 last_id, guint64 *n_points);
const char *vt_run_doubt_row(const VtRunState *state, const VitrailRow *row);
const char *vt_run_doubt_verdict(const VtRunState *state, const VitrailVerdict *verdict);
const char *vt_run_doubt_wave(const VtRunState *state, const VitrailWave *wave);
const char *vt_run_doubt_lengths(const VtRunState *state, const VitrailRunLengths *lengths);
const char *vt_run_doubt_overlaps(const VtRunState *state, const VitrailOverlaps *overlaps);
const char *vt_run_doubt_words(const VtRunState *state);
void vt_run_places_free(VtRunPlaces *places);

/* vt-run-ranks.c. A rank above 0 keeps what it emits, one of the two, for rank 0. */
gboolean vt_run_spool(VtRunState *state, const VitrailTile *tile, const VitrailObject *object);
void vt_spool_free(VtSpool *spool);
/* Rank 0: takes what the other ranks emitted. The others: send it. */
gboolean vt_run_gather(VtRunState *state, GError **error);
/* The tiles of a stage as one raster that spans them all; NULL without `error` when there are none. */
VtRaster *vt_run_assemble(VtRunState *state, guint stage, GError **error);

/* vt-run-look.c. Level-0 pixels for each pixel of the analysis as the parameters ask for it. */
double vt_run_get_downsample(const VtRunState *state);
/* Whether the host replaces a choice of the parameters, and by which. */
gboolean vt_run_choose_preset(const VtRunState *state, guint *chosen, guint *choice);
/* Why there is nothing, or nothing that can be trusted. */
void vt_run_note_look(VtResult *result, const VtRunState *state);

/* vt-run-regions.c: vt_run() of a request with regions. */
VtResult *vt_run_regions(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable,
                         GError **error);

/* vt-run-settings.c: vt_run() of a request with settings. */
VtResult *vt_run_settings(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable,
                          GError **error);

/* record.json. `runs_ms` and `stage_runs_ms` (per stage, GArray of double) of all repeats. */
JsonNode *vt_record_make(const VtRunState *state, const VtResult *result, GArray *runs_ms,
                         GArray *const *stage_runs_ms);
/* Adds size and SHA-256 of the files that went in; a warning where one cannot be read any more, or is another one than the slide that was read. */
void vt_record_add_inputs(const VtResult *result);
/* vt-build.c */
void vt_record_add_build(JsonBuilder *builder);
/* Of a result with parts: what they share, and the rest of each in "regions". */
JsonNode *vt_record_join(const VtResult *result);
