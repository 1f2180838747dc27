/* SPDX-License-Identifier: MIT
 *
 * A host without GLib: one image in memory as input, results kept in memory. parallel_for runs jobs on threads in a shuffled
 * order, so that a result which depends on the order shows. */
#pragma once
#include <pthread.h>

#include "vt-backend.h"

typedef struct {
  VtImage stages[64];
  int64_t stage_x[64], stage_y[64];
  int64_t n_objects, n_rows, n_tiles;
  int64_t n_read;   /* pixels, of all inputs */
  int64_t first_id; /* of the first object */
  uint8_t *bytes; /* of all objects and rows, one after the other, so that those of several ranks can be put together */
  size_t n_bytes, room;
  double rows[4][20];                /* the first values of the first rows */
  double area_sum, outline_area_sum; /* by the first measurement; by the outlines */
  char message[512];
  char warnings[1024];
  char kept[256];               /* stages that were not made again */
  char score_model[80];         /* as the record says */
  double resumed;               /* steps or rows that a run before had done */
  double on_devices;            /* tiles of local steps */
  double streamed, memory_peak; /* as the record says */
  double furthest;              /* progress */
  bool went_back;               /* some progress was less than what was told before it */
  double longest_ms;            /* of the process' time without a look at the cancel, the end counting as one */
  uint32_t told[64];            /* how often a stage was told as the one at work */
} MiniResult;

/* Ranks that are threads of one process. */
enum { MINI_MAX_RANKS = 8 };
typedef struct {
  uint32_t n;
  pthread_barrier_t barrier;
  const void *to_above[MINI_MAX_RANKS], *to_below[MINI_MAX_RANKS];
  int32_t values[MINI_MAX_RANKS];
  char calls[MINI_MAX_RANKS]; /* what each rank calls now: they must be the same */
} MiniRanks;

typedef struct {
  const VtImage *images[4]; /* by handle */
  /* When given, tiles of a stage are put together on a canvas: the region on the analysis grid. */
  int64_t canvas_x, canvas_y, canvas_width, canvas_height;
  MiniRanks *ranks; /* or NULL; the result is this rank's part of the canvas */
  uint32_t rank;
  uint32_t n_threads;
  uint64_t shuffle_seed;
  int64_t fail_at;      /* which call that reads or emits fails; 0 = none. Less by one with each call. */
  int64_t cancel_after; /* is_cancelled answers true after so many questions; -1 = never */
  pthread_mutex_t lock;
  double looked_ms;         /* when it was last asked */
  VitrailVerdict *verdicts; /* room for those of a run; or NULL */
  uint32_t verdict_room, n_verdicts;
  void (*take_wave)(void *user, const VitrailWave *wave); /* or NULL */
  void *wave_user;
  void (*take_lengths)(void *user, const VitrailRunLengths *lengths); /* or NULL */
  void *lengths_user;
  void (*take_overlaps)(void *user, const VitrailOverlaps *overlaps); /* or NULL */
  void *overlaps_user;
  void (*take_object)(void *user, const VitrailObject *object); /* or NULL */
  void *object_user;
  MiniResult *result;
} MiniHost;

/* What is asked of a plugin, by value. `request` has no inputs and no parameters: mini_job_run() puts those of the job there. */
enum { MINI_MOST_INPUTS = 4, MINI_MOST_PARAMS = 40 };
typedef struct {
  VitrailRequest request;
  const VitrailRecipe *recipe; /* of the op, which a session is told first; NULL: it is built in */
  VtImage images[MINI_MOST_INPUTS];
  const char *inputs[MINI_MOST_INPUTS]; /* ids */
  uint32_t flags[MINI_MOST_INPUTS];
  uint32_t n_inputs;
  double mpp_x, mpp_y; /* 0: not known */
  VitrailParamValue params[MINI_MOST_PARAMS];
  uint32_t n_params;
} MiniJob;

const VitrailPlugin *mini_plugin(void);
const VitrailOp *mini_op(const char *id);
/* How many choices the op's parameter has: those at the end of a list of algorithms may not be built in. */
uint32_t mini_n_choices(const char *op, const char *key);
/* Of an op on the whole of its primary input, of 0.5 µm a pixel, on the CPU. */
MiniJob mini_job(const VitrailOp *op, const VtImage *image);
void mini_job_add(MiniJob *job, const char *input, const VtImage *image);
VitrailParamValue *mini_job_set(MiniJob *job, const char *key, double value);
void mini_job_set_region(MiniJob *job, int64_t x, int64_t y, int64_t width, int64_t height);
/* session NULL: in one of its own. The images of `mini` become the job's. */
VitrailStatus mini_job_run(const MiniJob *job, MiniHost *mini, VitrailSession *session, MiniResult *result);
/* Frees the images' pixels. */
void mini_job_clear(MiniJob *job);
/* A session that knows the job's recipe; NULL: it was refused, which is told as a comment. */
VitrailSession *mini_job_session(const MiniJob *job);
/* Runs a request with callbacks of this host; inputs[i].handle indexes images. */
VitrailStatus mini_run(MiniHost *mini, VitrailSession *session, const VitrailRequest *request, MiniResult *result);
void mini_result_clear(MiniResult *result);
/* Each of talk->n structs of so many bytes is a rank, and a thread runs it; one alone is run at once. */
void mini_ranks_run(MiniRanks *talk, void *(*run)(void *rank), void *ranks, size_t size);
/* Of two ranks: what they agree on. A cancelled rank may be the only one that knows; else INTERNAL where they don't. */
VitrailStatus mini_ranks_agree(VitrailStatus a, VitrailStatus b);
/* True when all stages, objects and rows are byte-equal. */
bool mini_result_equal(const MiniResult *a, const MiniResult *b, char *where, size_t where_size);
VtImage mini_image_new(VtType type, int64_t width, int64_t height);
/* A synthetic tissue: dark violet discs, some touching, over pink noise. RGBA8. */
VtImage mini_tissue_new(int64_t width, int64_t height, uint64_t seed);
