/* SPDX-License-Identifier: MIT
 *
 * run.h: what every part of one run shares. */
#pragma once

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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
/* The next of several steps after which something is to be freed: not after one that failed. */
#define THEN(status, expression) \
  do { \
    if ((status) == VITRAIL_OK) \
      (status) = (expression); \
  } while (0)

enum { VT_MAX_BACKENDS = 2, VT_MAX_RASTERS = 32, VT_MAX_DEVICES = 16, VT_EMIT_GRID = 512, VT_WORKERS_PER_DEVICE = 4 };
enum { VT_RUN_KEPT_BYTES = 256 << 20 /* of freed memory, from run to run of a session */ };

typedef struct {
  const VtBackend *backend; /* NULL: not built in */
  VtDevice *device;         /* the first one; NULL: absent */
  int32_t n_devices;
  atomic_bool is_lost; /* it failed in a run and has done nothing since: it is not asked again */
  char reason[256];
  VitrailBackendInfo info;
} VtBackendState;

/* The CPU's devices that a run opened, and a session keeps for the next one; NULL: none. */
typedef struct {
  VtDevice *device, *team;
} VtRunMemory;

struct VitrailSession {
  uint32_t n_backends;
  VtBackendState backends[VT_MAX_BACKENDS];
  const VitrailBackendInfo *infos[VT_MAX_BACKENDS];
  struct VtCache *cache;        /* cache.h; NULL: nothing yet */
  struct VtRelease *release;    /* release.c; NULL: nothing is being given back */
  VtRunMemory memory;           /* of the last run that was to keep it */
  struct VtUserRecipe *recipes; /* user-recipe.h */
};

typedef struct {
  int64_t x, y, width, height;
} VtRect;

/* What both have. Its width or height is below 1 where that is nothing. */
static inline VtRect
vt_rect_common(VtRect a, VtRect b)
{
  const int64_t x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
  const int64_t right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
  const int64_t bottom = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
  return (VtRect){ x, y, right - x, bottom - y };
}

/* With `by` pixels more on each side, as far as `limits` go. */
static inline VtRect
vt_rect_grown(VtRect r, int64_t by, VtRect limits)
{
  return vt_rect_common((VtRect){ r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by }, limits);
}

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
  VtRunMemory memory;   /* those of the two that are the run's own */
  VtCancel cancel;
  VtGrid grid;
  double held, peak;         /* bytes: what the run's stores may hold until it ends; the most that was held at a time */
  struct VtScored *scored;   /* cache.h: of the step that runs; NULL: it keeps none */
  struct VtFoundList *found; /* of a run that tells candidates: takes them; NULL: nobody asks */
  VtRect shown;              /* the region, of what the grid covers: all of it, or all but a margin of context */
  bool has_given_labels;     /* whose numbers may be larger than there are pixels */
  bool warned_fallback;
  atomic_bool device_failed; /* not for want of memory or of a kernel */
  _Atomic bool warned_algorithm;
  VitrailStatus ranks_failed;    /* what all ranks have agreed on: after it none of them talks */
  bool failed_here;              /* this rank has brought it up, or one of its own */
  void *rasters[VT_MAX_RASTERS]; /* freed at the end of the run */
  uint32_t n_rasters;
  double stage_start_ms;
  uint32_t stage;                    /* at work */
  double progress_from, progress_to; /* the part of the whole run that vt_progress() counts now; to 0: all of it */
  uint32_t progress_stage;           /* the stage that the host is told, and 1; 0: the one at work */
  double progress_told;              /* the most so far, of the whole run */
  atomic_flag progress_taken;        /* by the thread that tells it now */
  char *message;                     /* written once: the first failure wins */
  size_t message_size;
  atomic_flag message_taken;
} VtRun;

/* In a loop over rows: asks every 16 of them. */
static inline bool
vt_cancelled_at(const VtRun *run, int64_t y)
{
  return (y & 15) == 0 && vt_cancelled(&run->cancel);
}

VitrailStatus vt_fail(VtRun *run, VitrailStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void vt_log(VtRun *run, VitrailLogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));
void vt_record(VtRun *run, const char *key, double number);
void vt_record_text(VtRun *run, const char *key, const char *text);
/* So many bytes were held at a time: the record has the most. */
void vt_run_hold(VtRun *run, double bytes);

/* Ranks talk through these three alone. Each of them begins by agreeing on a status, the run ends with it, and a status that is
 * not OK ends all talk. So a rank may fail and return wherever it is: the others hear of it in whatever they call next, and
 * none waits for another. vt_ranks_agree(): the worst status of all ranks, on all of them; status itself when there is one. */
VitrailStatus vt_ranks_agree(VtRun *run, VitrailStatus status);
/* Whether the status on which all ranks have agreed is none of this one's doing: it has nothing to say about the reason. */
bool vt_ranks_failed_elsewhere(const VtRun *run);
/* VitrailHost.exchange, of ranks of which none has failed. */
VitrailStatus vt_ranks_exchange(VtRun *run, VitrailStatus status, const void *to_above, void *from_above,
                                const void *to_below, void *from_below, size_t bytes);
/* The largest number of all ranks, of which none has failed; mine when there is one. */
VitrailStatus vt_ranks_largest(VtRun *run, VitrailStatus status, int32_t mine, int32_t *largest);

/* *list, with room for *room items of `size` bytes, gets room for n at least. False: there is no memory, and it is as it was. */
static inline bool
vt_make_room(void *list, size_t *room, size_t n, size_t size)
{
  const size_t more = n < 32 ? 64 : 2 * n;
  void *items;
  if (n <= *room)
    return true;
  memcpy(&items, list, sizeof items);
  items = realloc(items, more * size);
  if (!items)
    return false;
  memcpy(list, &items, sizeof items);
  *room = more;
  return true;
}

/* Of a clock that only goes forward. */
static inline double
vt_now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
