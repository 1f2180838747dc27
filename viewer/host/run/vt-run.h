/* SPDX-License-Identifier: MIT
 *
 * One run of an op on a slide or on plain rasters, and what came of it. The window and vitrail-batch both go through here,
 * which is why they give the same bytes. */
#pragma once
#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "base/vt-folder.h"
#include "run/vt-look.h"
#include "run/vt-overlaps.h"
#include "plugins/vt-params.h"
#include "raster/vt-raster.h"
#include "run/vt-roi.h"
#include "run/vt-run-lengths.h"
#include "run/vt-wave.h"
#include "slide/vt-slide.h"

/* Several processes that make the same run together, each with a stripe of the region (VitrailHost, since ABI 1.1). All
 * functions are called from the thread that runs, `user` with them; they return FALSE and set error when the talk broke. */
typedef struct {
  guint rank, n_ranks;
  gpointer user;
  gboolean (*exchange)(gpointer user, gconstpointer to_above, gpointer from_above, gconstpointer to_below,
                       gpointer from_below, gsize n_bytes);
  gboolean (*agree)(gpointer user, gint32 mine, gint32 *largest);
  /* Ranks above 0 send bytes to rank 0, which asks for them rank by rank: as many blocks as were sent, each of at most a MiB.
   * n 0: that was all. */
  gboolean (*send)(gpointer user, gconstpointer data, gsize n);
  gboolean (*receive)(gpointer user, guint rank, gpointer data, gsize room, gsize *n);
} VtRunRanks;

/* What goes in. Filled by the caller; vt_run_request_free() releases what it holds. */
typedef struct {
  const VitrailPlugin *plugin; /* borrowed, resident */
  const VitrailOp *op;
  VtParams *params;    /* owned; with a list each setting is run, and rows have the columns of all */
  VtSlide *slide;      /* owned; given to the op's primary input; or NULL */
  GHashTable *rasters; /* owned; input id -> VtRaster*, or NULL */
  GHashTable *files;   /* owned; input id -> path, for the record; or NULL */
  GPtrArray *rois;     /* owned; VtRoi*, or NULL */
  GPtrArray *notes;    /* owned; char*, sentences on what was left out of the inputs: warnings of the result; or NULL */
  GPtrArray *regions;  /* owned; VtRoi*: the rectangle of each is run instead of the one below; or NULL */
  VtRunTruth *truth;   /* owned; VtResult.overlaps are counted with it, if the plugin can; or NULL */
  GPtrArray *borders;  /* owned; VtRoi*: to whose borders the objects' distances are measured afterwards; or NULL */
  gboolean counts_neighbours; /* Delaunay neighbours of the objects are counted afterwards */
  guint region_number;        /* for vt_run() itself: of one of them, from 1 on; else 0 */
  gboolean whole;             /* whole image, the region is ignored */
  gint64 x_l0, y_l0, width_l0, height_l0;
  double min_downsample; /* what is visible: level-0 pixels per device pixel; 1 = no limit */
  guint64 stages_wanted; /* bit per stage; 0 = all */
  guint tile_px;         /* 0 = the plugin's choice */
  guint n_threads;       /* 0 = one per processor */
  char *backend;         /* owned; NULL = VITRAIL_BACKEND, else "auto" */
  guint repeat;          /* the record has the median of this many runs; 0 = 1 */
  char *scratch_dir;     /* owned; for files of rasters in one piece, and of a run that streams; NULL = none streams */
  gboolean keep_scratch; /* files of an interrupted run of the same request are taken up */
  gboolean
    map_rasters; /* of a streamed run: rasters can be read like others, from files in scratch_dir that nobody sees */
  gboolean ome_tiff;         /* rasters are saved as OME-TIFF */
  guint objects_formats;     /* in which objects are saved, too: vt-objects-format.h */
  VtCompression compression; /* of the tiles of saved rasters */
  gboolean asks_why;         /* of the level-0 pixel why_x_l0, why_y_l0: VtResult.verdicts */
  gint64 why_x_l0, why_y_l0;
  gboolean keeps_pixel; /* of rasters nothing is kept but that pixel */
  gboolean plays_wave;  /* how the stage wave_stage came about: VtResult.wave, instead of stages */
  guint wave_stage;
  gboolean tells_candidates; /* VtResult.objects are those among which the op chooses, instead of stages */
  GArray *
    places; /* owned; double x0, y0, x1, y1, level 0: of boxes at which all of these are told, however they overlap; or NULL */
  gboolean tells_lengths; /* of each row what it is worked out from: VtRow.lengths */
  gboolean
    measures; /* VtResult.objects is the first of rois as the op measures it, among the others (VITRAIL_RUN_MEASURE); or is empty */
  gboolean keep_stages; /* the plugin may keep images for the next run of the same pixels; same result */
  guint64 memory_budget, device_budget; /* bytes; 0 = most of the machine's, what is free */
  const VtRunRanks *ranks;              /* borrowed; or NULL */
  const char *model_hash;              /* borrowed; of the model by which the objects get classes afterwards; or NULL */
  const struct VtIntensity *intensity; /* borrowed; vt-intensity.h: the thresholds by which they do; or NULL */
} VtRunRequest;
VtRunRequest *vt_run_request_new(const VitrailPlugin *plugin, const VitrailOp *op);
/* With its own parameters; inputs are shared. */
VtRunRequest *vt_run_request_copy(const VtRunRequest *request);
void vt_run_request_free(VtRunRequest *request);
/* Equal for requests that give the same result: op, parameters, inputs by path, size and date, region, stages, ranks, format. Owned. */
char *vt_run_request_dup_digest(const VtRunRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRunRequest, vt_run_request_free)

typedef struct {
  gint64 id;
  double centroid_x_l0, centroid_y_l0;
  guint32 n_rings, n_measurements;
  gsize n_points;            /* of all rings together */
  const guint32 *ring_sizes; /* outer rings clockwise on the screen, each before its holes */
  const double *points;      /* x,y pairs, level 0 */
  const double *measurements;
  const char *const *measurement_names; /* interned */
} VtObject;
/* Of an object of a file of labels: its number there. A name, and no property by which objects are alike. */
#define VT_MEASUREMENT_LABEL "Label"
/* Bytes of an object with all that it points to, but for the names' text. */
gsize vt_object_get_bytes(const VtObject *object);
/* Puts a copy of everything into so many bytes of memory, aligned to 8. */
VtObject *vt_object_put(gpointer memory, const VtObject *object);
/* In one block: g_free(). */
VtObject *vt_object_copy(const VtObject *object);
/* Its outline; owned. */
VtRoi *vt_object_dup_roi(const VtObject *object);
/* x0, y0, x1, y1 of the points; from +inf to -inf if there are none. */
void vt_object_get_box(const VtObject *object, double box[4]);

typedef struct {
  char *label;
  guint n_values;
  double *values;
  VtRunLengths *lengths; /* NULL: nobody asked, or the region has no pixels */
} VtRow;

typedef struct {
  const VitrailOp *op;
  VtParams *params;   /* as run */
  VtRaster **rasters; /* per stage; NULL where none was emitted, or it is in a file only */
  char **
    files; /* per stage: the TIFF of a streamed raster, moved by vt_result_save(); one of these has a raster, too, of what its overlay shows */
  gboolean ome_tiff;         /* vt_result_save() writes rasters as OME-TIFF */
  guint objects_formats;     /* and objects in these formats, too: vt-objects-format.h */
  VtCompression compression; /* of their tiles */
  double *stage_ms;          /* per stage, median over repeats; NaN where it was not worked out */
  double total_ms;           /* median, whole run with reading */
  GPtrArray *objects; /* VtObject*, by id, as long as the result lives; NULL if the op has none or none were wanted */
  GPtrArray *rows;    /* VtRow*; likewise */
  GPtrArray *
    columns; /* char*, of the rows of several settings: the label's, then those of each setting; NULL: they are the op's */
  GArray *verdicts;     /* VitrailVerdict, in order, with interned texts; NULL if nobody asked why */
  VtWave *wave;         /* NULL if nobody asked for it */
  VtOverlaps *overlaps; /* of the objects with the request's truth; NULL: the plugin has told none */
  GPtrArray *rois;      /* VtRoi* that the rows are of; or NULL */
  GPtrArray *parts;  /* VtResult* of each of a request's regions, in their order, with the rasters; NULL: it had none */
  VtRoi *region;     /* of a part; else NULL */
  char *source_name; /* base name of the slide or primary raster: the "Image" column */
  gboolean calibrated;
  double mpp, mpp_y;                      /* µm per level-0 pixel along x and y; 0 = unknown */
  gint64 x_l0, y_l0, width_l0, height_l0; /* the region as run */
  /* Edge of an analysis pixel: what the parameters ask for, and what the run used. In µm if calibrated, else in level-0
   * pixels. Both are 0 when the op does not say. */
  double asked_pixel_size, used_pixel_size;
  double
    reach_px; /* of a run that measures: how far, in analysis pixels, it looks at other objects and at the region's edge */
  gboolean is_preview; /* it is so because of the request's min_downsample: a run without it gives what was asked for */
  gboolean is_coarse;  /* the used one is coarser than the nearest grid: a preview, not what was asked for */
  char *backend, *device;     /* as used */
  char *score_model;          /* the score by which the op chose, which can be taught; NULL: there is none */
  VtLook look;                /* of the image, if the op cares; else VT_LOOK_USUAL */
  const VitrailParam *chosen; /* what a look at the image chose, and which choice; NULL: nothing */
  guint choice;
  double
    dark_px; /* how wide what is dark is, in analysis pixels, where that had a part in it: no pixel size is known; else 0 */
  GPtrArray *warnings;                 /* char*: sentences: a CPU fallback, a coarse grid */
  JsonNode *record;                    /* record.json */
  struct VtClassified *classified;     /* vt-model.h: the classes of the objects; NULL: they have none */
  struct VtSurroundings *surroundings; /* vt-surroundings.h: further columns of the objects; NULL: there are none */
  struct VtCorrected *corrected; /* vt-corrections.h: what was done to the objects by hand; NULL: they are the run's */
} VtResult;
VtResult *vt_result_ref(VtResult *result);
void vt_result_unref(VtResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtResult, vt_result_unref)

/* How many columns rows have, with that of the label, and what they are called. */
guint vt_result_get_n_columns(const VtResult *result);
const char *vt_result_get_column(const VtResult *result, guint index);
/* The part that an object of the list is of, whose number becomes that in the part's list; the result itself without parts. */
const VtResult *vt_result_find_part(const VtResult *result, guint *object);
/* The names of the regions that a warning is of; NULL: of all of them, or of the run. Owned. */
char *vt_result_dup_warned(const VtResult *result, const char *warning);

/* Called on the running thread, often; must be quick. */
typedef void (*VtRunProgress)(guint stage, double fraction, gpointer user);

/* Blocking: call it in a worker. Cancelled runs end with G_IO_ERROR_CANCELLED. Threads come from one process-wide exclusive
 * compute pool. */
VtResult *vt_run(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable,
                 GError **error);

/* FALSE and a sentence when results of the request may not go into the folder, which need not exist: a file is in the way that
 * no run has left there, or one that they replace is an input. */
gboolean vt_run_check_folder(const VtRunRequest *request, const char *dir, GError **error);

/* Writes into a folder: <stage>.tif (of OME-TIFF <stage>.ome.tif) per raster (result.tif when the op has one raster stage and no other),
 * overlay.png (of several regions, <stage>-<n>.tif and overlay-<n>.png of the n-th one), features.csv when there are rows or objects, objects.geojson when there are objects (and objects.fgb, objects.parquet), intensity.csv when they are classified by
 * thresholds, borders.geojson when distances are to the borders of drawn regions, record.json. They take the
 * place of the record and the files of an earlier run once all are written: after a failure before that the earlier result is
 * there as it was, and a record in the folder is always true of it. Files of these names that no run has left there are
 * replaced, too: ask the person, or vt_run_check_folder(). Other files stay. */
gboolean vt_result_save(const VtResult *result, VtSlide *slide, VtFolder *folder, GError **error);
/* NULL, or a sentence without its full stop: the slide's file is not the one that was opened. Owned. */
char *vt_result_dup_changed(const VtResult *result);
/* Why a folder is not, byte for byte, what its record says: half a sentence, owned. NULL: it is. */
char *vt_result_dup_doubt(const char *dir, JsonObject *record);
/* The run took the stage over from a former one instead of working it out. */
gboolean vt_result_has_kept(const VtResult *result, guint stage);
/* The names of the files that vt_result_save() makes, besides the record; owned. */
GPtrArray *vt_result_list_files(const VtResult *result);
/* What else is in the folder, hidden files apart, in order; owned, to be shown. */
GPtrArray *vt_result_list_strangers(const VtResult *result, const char *dir);
/* The names of what is in the folder that it would remove or replace, the record first, the others in order; owned. */
GPtrArray *vt_result_list_replaced(const VtResult *result, const char *dir);
gboolean vt_result_write_csv(const VtResult *result, const char *path, GError **error);
gboolean vt_result_write_geojson(const VtResult *result, const char *path, GError **error);

/* The region's tissue with mask outlines, label outlines or the last stage over it, at most 4096 px a side. */
gboolean vt_result_write_overlay(const VtResult *result, VtSlide *slide, const char *path, GError **error);
