/* SPDX-License-Identifier: MIT
 *
 * What every op and driver of one run shares. */
#pragma once

#include <stdatomic.h>
#include <time.h>

#include "vt-backend.h"

/* A sentence or name that is the same in every run: a host can show it in the language of who reads it. */
#define TR(text) text

#define VT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TRY(expression) \
  do { \
    VitrailStatus try_status = (expression); \
    if (try_status != VITRAIL_OK) \
      return try_status; \
  } while (0)

enum { VT_MAX_BACKENDS = 2, VT_MAX_RASTERS = 32, VT_MAX_DEVICES = 16, VT_EMIT_GRID = 512, VT_WORKERS_PER_DEVICE = 4 };

typedef struct {
  const VtBackend *backend; /* NULL: not built in */
  VtDevice *device;         /* the first one; NULL: absent */
  int32_t n_devices;
  char reason[256];
  VitrailBackendInfo info;
} VtBackendState;

struct VitrailSession {
  uint32_t n_backends;
  VtBackendState backends[VT_MAX_BACKENDS];
  const VitrailBackendInfo *infos[VT_MAX_BACKENDS];
  struct VtKept *kept;       /* kept.h; NULL: nothing yet */
  struct VtRelease *release; /* release.c; NULL: nothing is being given back */
};

typedef struct {
  int64_t x, y, width, height;
} VtRect;

/* The analysis grid: whole-numbered downsample, rectangle in grid pixels, clipped to the image. */
typedef struct {
  uint32_t downsample;
  int64_t x, y, width, height;
  int64_t image_width, image_height; /* whole image on this grid */
  double um_per_px;                  /* 0 = uncalibrated */
} VtGrid;

typedef struct {
  VitrailSession *session;
  const VitrailRequest *request;
  VitrailHost host; /* a copy, zero beyond the host's size */
  const VitrailOp *op;
  double values[64][4]; /* resolved parameters, by index in op->params */
  uint64_t wanted;
  const VtBackend *backend; /* chosen; the CPU's may differ */
  VtDevice *device;
  const VtBackend *cpu;
  VtDevice *cpu_device; /* for slots on tiles, called from several threads at once */
  VtDevice *cpu_team;   /* for slots on whole rasters, one at a time: all the host's threads work on it */
  VtCancel cancel;
  VtGrid grid;
  VtRect shown; /* the region, of what the grid covers: all of it, or all but a margin of context */
  bool warned_fallback;
  void *rasters[VT_MAX_RASTERS]; /* freed at the end of the run */
  uint32_t n_rasters;
  double stage_start_ms;
  char *message; /* written once: the first failure wins */
  size_t message_size;
  atomic_flag message_taken;
} VtRun;

/* In a loop over rows: asks every 16 of them. */
static inline bool
vt_cancelled_at(const VtRun *run, int64_t y)
{
  return (y & 15) == 0 && vt_cancelled(&run->cancel);
}

/* entry.c */
VitrailStatus vt_fail(VtRun *run, VitrailStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void vt_log(VtRun *run, VitrailLogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));
void vt_record(VtRun *run, const char *key, double number);
void vt_record_text(VtRun *run, const char *key, const char *text);

/* catalogue.c; ops of unbounded reach in catalogue-propagate.c */
extern const VitrailOp *const vt_ops[];
extern const uint32_t vt_n_ops;
extern const VitrailAlgorithm *const vt_algorithms[];
extern const uint32_t vt_n_algorithms;

/* params.c */
VitrailStatus vt_params_resolve(VtRun *run, bool calibrated);
/* Values by key; the key must be the op's. */
double vt_param(const VtRun *run, const char *key);
const double *vt_param_vector(const VtRun *run, const char *key);
const char *vt_param_choice(const VtRun *run, const char *key);
/* In units of raw pixels, scale times which is the image's own: a threshold, whole for colours (type: the input's), and the
 * parameter "height", whole for whole pixels (type: the channel's). */
double vt_param_threshold(const VtRun *run, const char *key, VtType type, double scale);
double vt_param_height(const VtRun *run, VtType type, double scale);
/* Warns of sizes below one pixel of the grid, where they do not work; 0 is off. */
void vt_params_say_below_pixel(VtRun *run, double sigma_px, double min_area_px);
const VitrailInput *vt_input(const VtRun *run, const char *id); /* NULL if not given */

/* raster.c: rasters live until the run ends */
VitrailStatus vt_raster_alloc(VtRun *run, VtImage *image, VtType type, int64_t width, int64_t height);
/* release.c: rasters made since run->n_rasters was `mark` go back to the system by a thread of their own where they are large,
 * so that neither an answer nor a cancel waits for that. Who needs much memory next waits for it: the next run, and
 * session_close. */
void vt_release_rasters(VtRun *run, uint32_t mark);
void vt_release_wait(VitrailSession *session);
/* Frees those made since run->n_rasters was `mark`. */
void vt_raster_release(VtRun *run, uint32_t mark);
bool vt_raster_fits(const VtRun *run, VtRect rect, double bytes_per_px);
VitrailStatus vt_raster_check_budget(VtRun *run, VtRect rect,
                                     double bytes_per_px); /* or a sentence that it doesn't fit */
VtRect vt_grid_rect(const VtRun *run);
bool vt_run_has_margin(const VtRun *run);
bool vt_run_is_whole(const VtRun *run); /* the grid covers the image */
/* The part of an image of the grid that is shown. */
VtImage vt_run_shown(const VtRun *run, const VtImage *image);
VitrailStatus vt_grid_resolve(VtRun *run, const VitrailInput *input);
/* rect in grid pixels, inside the image */
VitrailStatus vt_read_input(VtRun *run, const VitrailInput *input, VtRect rect, VtImage *image);
/* The same into memory that is there. */
VitrailStatus vt_read_input_into(VtRun *run, const VitrailInput *input, VtRect rect, const VtImage *image);
/* Of an image of the grid what is shown. */
VitrailStatus vt_emit_raster(VtRun *run, uint32_t stage, const VtImage *image, double scale);
void vt_stage_begin(VtRun *run);
double vt_stage_ms(const VtRun *run); /* since then */
VitrailStatus vt_stage_end(VtRun *run, uint32_t stage);

/* The same into memory of the caller's, from any thread. */
VitrailStatus vt_read_rect(VtRun *run, const VitrailInput *input, VtRect rect, const VtImage *dst);
/* Rows without gaps in memory to be freed by the caller; image->data is NULL when there is none. */
void vt_image_new(VtImage *image, VtType type, int64_t width, int64_t height);
/* One tile of a streamed raster; rect on the grid. */
VitrailStatus vt_emit_tile(VtRun *run, uint32_t stage, VtRect rect, const VtImage *image, double scale);

/* stain.c */
/* An image of any kind as one channel: RGBA through the op's `channel` parameter, scalars as they are. scale: physical
 * value of one raw unit. */
VitrailStatus vt_channel(VtRun *run, const char *channel, const VtImage *src, VtImage *dst, double *scale);

/* The same in two steps, for tiles. */
typedef struct {
  int32_t table[3 * 256];
  VtType type; /* of the channel's pixels */
  double scale;
  bool is_copy; /* one channel: taken as it is */
} VtChannel;
VitrailStatus vt_channel_prepare(VtRun *run, const char *id, VtType type, VtChannel *channel);
VitrailStatus vt_channel_apply(VtRun *run, const VtChannel *channel, const VtImage *src, const VtImage *dst);

/* driver-local.c: bounded reach. Calls body for every tile of a width x height image, at the same time on several threads;
 * stops at the first failure. */
typedef VitrailStatus (*VtTileBody)(VtRun *run, VtRect tile, void *user);
VitrailStatus vt_local(VtRun *run, int64_t width, int64_t height, VtTileBody body, void *user);
VitrailStatus vt_local_pointwise(VtRun *run, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst,
                                 double s);
VitrailStatus vt_local_erode(VtRun *run, const VtImage *src, const VtImage *dst, int32_t radius);
VitrailStatus vt_local_smooth(VtRun *run, const VtImage *src, const VtImage *dst, double sigma_px);
VitrailStatus vt_local_lut3(VtRun *run, const int32_t *table, const VtImage *src, const VtImage *dst);
/* U8: every pixel becomes value; how many are 0. */
VitrailStatus vt_local_fill(VtRun *run, const VtImage *image, uint8_t value);
VitrailStatus vt_local_count_zeros(VtRun *run, const VtImage *image, int64_t *n);
/* Pixels of one type, or of U8 to U16 and back where the values fit. */
VitrailStatus vt_local_copy(VtRun *run, const VtImage *from, const VtImage *to);
/* Whole numbers that add up to 65536 as VtSmooth wants them; returns the radius, 0..512. */
int32_t vt_gaussian_weights(double sigma_px, uint32_t weights[513]);
/* Runs body(0..n-1) through parallel_for and returns the first failure. */
typedef VitrailStatus (*VtBody)(VtRun *run, uint32_t index, void *user);
VitrailStatus vt_parallel(VtRun *run, uint32_t n, VtBody body, void *user);

/* driver-propagate.c: unbounded reach; the same answer for every tile size and order */
VitrailStatus vt_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                             const char *algorithm);
/* By id; NULL if the backend lacks it. "auto" or NULL: its first. */
const VtReconstructAlgorithm *vt_find_reconstruct(const VtBackend *backend, const char *id);
/* In place to the complement (U8 255-x, U16 65535-x, I32 ~x, F32 -x): reconstruction by erosion is that by dilation of
 * complements. */
VitrailStatus vt_complement(VtRun *run, const VtImage *image);
VitrailStatus vt_complement_image(const VtImage *image); /* on the caller's thread */
/* foreground U8; dst F32 (root times scale) or I64 (squared) */
VitrailStatus vt_distance(VtRun *run, const VtImage *foreground, const VtImage *dst, float scale);
/* The same in the memory of the run's device: in one go where the backend can, else columns, then rows. */
VitrailStatus vt_distance_in_device_memory(VtRun *run, const VtEdt *whole);
/* Any outputs, by the algorithm `exact` or `danielsson`; images in host memory. */
VitrailStatus vt_distance_by(VtRun *run, const char *algorithm, const VtDistance *args);
/* The same by erosion: of a marker that is nowhere below the mask. */
VitrailStatus vt_reconstruct_by_erosion(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                        const char *algorithm);
/* Tells the user, once a run, that the CPU took over `what` from the device, and why. */
void vt_say_fallback(VtRun *run, const char *what, VitrailStatus status);

/* driver-whole.c: the slots of these names on whole rasters in host memory, on the run's device or the host. */
VitrailStatus vt_whole_regional(VtRun *run, const VtRegional *args);
VitrailStatus vt_whole_components(VtRun *run, const VtComponents *args);
VitrailStatus vt_whole_watershed(VtRun *run, const VtWatershed *args);
VitrailStatus vt_whole_geodesic(VtRun *run, const VtGeodesic *args);
VitrailStatus vt_whole_erode(VtRun *run, const VtImage *src, const VtImage *dst, int32_t radius);
/* One map, on the run's device, which is not the CPU. VITRAIL_UNSUPPORTED: the host has to make it. */
VitrailStatus vt_whole_windows(VtRun *run, const VtGlrlmAlgorithm *algorithm, const VtGlrlmWindows *args);

/* workers.c: one loop per worker, each on a device of its own, all at the same time where the host has the threads. */
typedef struct {
  const VtBackend *backend;
  VtDevice *device;
  bool is_cpu;
} VtWorker;
typedef struct {
  VtWorker workers[VT_WORKERS_PER_DEVICE * VT_MAX_DEVICES + 256];
  uint32_t n, n_devices; /* the first n_devices are on devices, the others on the CPU */
} VtWorkers;
VitrailStatus vt_workers_open(VtRun *run, VtWorkers *workers);
void vt_workers_close(VtWorkers *workers);

/* True if the op has to stream the region: its rasters of bytes_per_px would pass the budget and there is a scratch_dir, or
 * other ranks share the run. */
bool vt_run_streams(const VtRun *run, VtRect rect, double bytes_per_px);
/* Of an op whose kernels number pixels with 32 bits: also if there are more of them. */
bool vt_run_streams_labels(const VtRun *run, VtRect rect, double bytes_per_px);
/* Bytes that the run may hold: the budget, or most of the machine's memory. */
double vt_run_memory_limit(const VtRun *run);
/* The run's share of the region: all of it, or this rank's stripe of rows. */
VtRect vt_run_share(const VtRun *run);
/* The same of another raster that the run makes. */
VtRect vt_share_of(const VtRun *run, VtRect rect);

/* The worst status of all ranks, on all of them; status itself when there is one. */
VitrailStatus vt_ranks_agree(VtRun *run, VitrailStatus status);

/* view-exact.c */
enum { VT_SIDE_LEFT, VT_SIDE_TOP, VT_SIDE_RIGHT, VT_SIDE_BOTTOM };
typedef struct {
  double bytes_per_px;
  uint32_t certain_stage;
  /* The answer of a rectangle of the grid, as if there were nothing outside. */
  VitrailStatus (*body)(VtRun *run, VtRect rect, void *user, VtImage *result);
  /* Sets certain (U8, all 255) to 0 where what lies outside, at the open sides, could change the result. */
  VitrailStatus (*find_certain)(VtRun *run, VtRect rect, const bool open[4], void *user, const VtImage *result,
                                const VtImage *certain);
} VtView;
/* result and certain cover the region; certain has no data when nobody wants it. */
VitrailStatus vt_view_exact(VtRun *run, const VtView *view, void *user, VtImage *result, VtImage *certain);

/* The same for ops that work on the run's grid: with context the grid is the region and a margin, run->shown the region. */
typedef struct {
  double bytes_per_px; /* of body, and of find_certain; the larger one */
  uint32_t certain_stage;
  /* All of the op, once. */
  VitrailStatus (*body)(VtRun *run, void *user);
  /* Sets certain (U8, all 255, as large as the grid) to 0 where what lies outside, at the open sides, could change the result.
   * Its rasters are released. */
  VitrailStatus (*find_certain)(VtRun *run, const bool open[4], void *user, const VtImage *certain);
} VtGridView;
VitrailStatus vt_certain_morphology(VtRun *run, const bool open[4], void *user, const VtImage *certain);
VitrailStatus vt_view_exact_grid(VtRun *run, const VtGridView *view, void *user);

/* Copies the rows and columns of pixels at some sides. */
void vt_copy_sides(const VtImage *to, const VtImage *from, const bool sides[4]);

/* driver-reduce.c: GLRLM of one ROI raster (levels 1.., 0 outside): runs of tiles added up, then finished. */
VitrailStatus vt_reduce_glrlm(VtRun *run, const VtImage *levels, int32_t n_levels, VtGlrlmAggregate aggregate,
                              double features[VT_GLRLM_N_FEATURES]);
/* The features of the four directions' matrices, one after the other, which are used up. */
VitrailStatus vt_reduce_matrix(VtRun *run, uint64_t *matrix, int32_t n_levels, int32_t longest, uint64_t n_pixels,
                               VtGlrlmAggregate aggregate, double features[VT_GLRLM_N_FEATURES]);

/* Many ROIs at once, in host memory: on the run's device, or with all the host's threads. */
VitrailStatus vt_reduce_rois(VtRun *run, const VtGlrlmRois *args);

/* levels.c */
/* Levels (U16) of src, where mask and roi are not 0 (NULL: everywhere). own: the range is that of the pixels inside. */
VitrailStatus vt_discretise(VtRun *run, const VtImage *src, double scale, const VtImage *mask, const VtImage *roi,
                            bool own, VtImage *levels, int32_t *n_levels);
/* The same in steps, for tiles. own: the least and the greatest value of the region, or NULL; a range that holds nothing goes
 * from +inf to -inf. */
typedef struct {
  int32_t binning, n; /* n: levels are 1..n */
  double scale, min, width;
} VtLevels;
bool vt_levels_need_range(const VtRun *run);
void vt_levels_widen(const VtImage *src, double scale, const VtImage *mask, const VtImage *roi, double range[2]);
VitrailStatus vt_levels_resolve(VtRun *run, VtType type, double scale, const double *own, VtLevels *levels);
/* On the caller's thread; dst U16. */
VitrailStatus vt_levels_apply(VtRun *run, const VtLevels *levels, const VtImage *src, const VtImage *mask,
                              const VtImage *roi, const VtImage *dst);
VtGlrlmAggregate vt_param_aggregate(const VtRun *run);

/* outline.c */
typedef struct {
  uint32_t n_rings, ring_capacity;
  uint32_t *ring_sizes;
  size_t n_points, point_capacity;
  double *points;
} VtOutline;
/* Crack outline of pixels equal to label inside box, in image pixel corners; 4-connected pieces give rings of their own. */
VitrailStatus vt_outline_trace(VtRun *run, const VtImage *labels, int32_t label, VtRect box, VtOutline *outline);
void vt_outline_clear(VtOutline *outline);

/* labels.c */
/* The labels of an optional input, as I32, checked to be as large as the image and not negative; no data if it is not given. */
VitrailStatus vt_read_labels(VtRun *run, const char *id, const VitrailInput *image, VtImage *labels);
/* Connected pieces, as VtComponents numbers them. */
VitrailStatus vt_components(VtRun *run, const VtImage *mask, int32_t connectivity, VtImage *labels);
/* Renumbers labels up to width * height 1.. in the order of their first pixels; *n: how many there are. */
VitrailStatus vt_labels_number(VtRun *run, const VtImage *labels, int64_t *n);
/* Where the grid has a margin of context: labels 1..*n of what is shown become 1.. in the order of their first pixels there. */
VitrailStatus vt_labels_show(VtRun *run, const VtImage *labels, int64_t *n);

/* Of a clock that only goes forward. */
static inline double
vt_now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* roi-mask.c: sets dst (U8) to 255 where a pixel centre of rect lies inside the polygon, else 0 */
VitrailStatus vt_roi_rasterise(VtRun *run, const VitrailRoi *roi, VtRect rect, const VtImage *dst);
VtRect vt_roi_rect(const VtRun *run, const VitrailRoi *roi); /* bounds on the grid, clipped to the image */

/* ops */
VitrailStatus vt_op_nuclei(VtRun *run);
VitrailStatus vt_op_reconstruct(VtRun *run);
VitrailStatus vt_op_reconstruct_streamed(VtRun *run);
/* marker = mask - height, not below the type's lowest value (Karas 2010: the h-max marker). Both of one type and size. */
VitrailStatus vt_marker_check(VtRun *run, const VitrailInput *mask_input, VtType type); /* the given marker fits */
VitrailStatus vt_marker_lower(const VtImage *mask, const VtImage *marker, double height);
/* marker = mask + height, not above the type's highest value. */
VitrailStatus vt_marker_raise(const VtImage *mask, const VtImage *marker, double height);
/* The same of whole rasters, by all threads. */
VitrailStatus vt_local_lower(VtRun *run, const VtImage *mask, const VtImage *marker, double height);
VitrailStatus vt_local_raise(VtRun *run, const VtImage *mask, const VtImage *marker, double height);
VitrailStatus vt_op_morphology(VtRun *run);
VitrailStatus vt_op_morphology_streamed(VtRun *run);
VitrailStatus vt_op_distance(VtRun *run);
VitrailStatus vt_op_distance_streamed(VtRun *run);
/* dst U8: 255 where the image is above the threshold. By this thread, or of a whole raster by all. */
VitrailStatus vt_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold);
VitrailStatus vt_local_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold);
VitrailStatus vt_op_zones(VtRun *run);
VitrailStatus vt_op_zones_streamed(VtRun *run);
VitrailStatus vt_op_watershed(VtRun *run);
VitrailStatus vt_op_watershed_streamed(VtRun *run);
VitrailStatus vt_op_glrlm_map(VtRun *run);
VitrailStatus vt_op_glrlm_rois(VtRun *run);
