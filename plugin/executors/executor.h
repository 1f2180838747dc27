/* SPDX-License-Identifier: MIT
 *
 * executor.h: a way of running the steps of a recipe, as a table of functions. There are four: on the host, tile by tile and on
 * all its threads; on a device, whose memory the images stay in; streamed, on images that memory does not hold; and bounded,
 * on what images can be when their surroundings are not known. The first three give the same bytes. No executor knows an op,
 * and no step knows which executor runs it. All images have the size of the run's grid. */
#pragma once

#include "executors/object-filter.h"
#include "run/tile.h"

typedef struct VtExec VtExec;

enum { VT_MAY_FALL = 1, VT_MAY_RISE = 2 };

/* A step of bounded reach. An image may be in `in` and `out` when there is no halo. */
typedef struct {
  const VtImage *in[VT_LOCAL_IN], *out[VT_LOCAL_OUT]; /* NULL: none; the others stand first */
  int64_t halo, body_bytes;                           /* body_bytes: what the body allocates for each pixel of a tile */
  bool by_window; /* ... for each of a window: it works on all of that, so that tiles should be large beside the halo */
  bool by_slots;  /* the body calls a slot of tile->backend and does nothing else, so that a device may do it */
  const char *what; /* the subject of the sentence that tells that the CPU took over */
  VtLocalBody body;
  void *user;
  /* For bounds: out rises as each of `in` rises, or falls as those of `falls` (a bit each) do. may: what pixels beyond an open
   * side could do to those that are nearer than the halo. */
  uint32_t falls, may;
  bool of_labels;   /* in[0] are labels, out[0] U8 tells where they are */
  bool makes_codes; /* out[0] are codes of regions, and out[1] (U16) is as unsure as they are */
} VtLocalStep;

typedef struct VtExecutor {
  const char *name;
  bool
    works_in_parts; /* memory does not hold the run's images: a step that reads by itself does so in parts, and ranks share it */
  bool keeps_emitted; /* an image that was emitted must not be written: a run that goes on emits it again */
  bool makes_rasters; /* of the run, which a session may keep for runs to come */
  VitrailStatus (*begin)(VtExec *x);
  /* Frees what is left and gives a status that has no sentence yet one. */
  VitrailStatus (*end)(VtExec *x, VitrailStatus status);
  VitrailStatus (*alloc)(VtExec *x, VtImage *image, VtType type);
  void (*free)(VtExec *x, VtImage *image);
  VitrailStatus (*copy)(VtExec *x, const VtImage *from, const VtImage *to);
  /* The run's rectangle of an input. Streamed: an image without data, since the step that looks at it reads it in parts. */
  VitrailStatus (*read)(VtExec *x, const VitrailInput *input, VtImage *pixels);
  /* `host` shows the pixels in host memory until the call after the next. Not streamed. */
  VitrailStatus (*fetch)(VtExec *x, const VtImage *image, VtImage *host);
  /* A rectangle in host memory: a view of one of the two images that were fetched last, or *owned memory to be freed. */
  VitrailStatus (*cut)(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned);
  /* Only if somebody wants the stage, and once. finish, if given, changes each part before it is handed over. */
  VitrailStatus (*emit)(VtExec *x, uint32_t stage, const VtImage *image, double scale);
  /* The objects [*first, *end) that this process hands over; it has all rows of labels, and of the image (NULL: none), that they
   * lie in, and `margin` rows round those, and both can be cut. */
  VitrailStatus (*own_objects)(VtExec *x, const VtImage *labels, const VtImage *image, const VtObjectStats *stats,
                               int64_t n, int64_t margin, int64_t *first, int64_t *end);

  VitrailStatus (*local)(VtExec *x, const VtLocalStep *step);
  /* A step whose in[0] is what was read of the input. */
  VitrailStatus (*bring)(VtExec *x, const VitrailInput *input, const VtLocalStep *step);
  /* On the border of the image `to` becomes `from`. */
  VitrailStatus (*border)(VtExec *x, const VtImage *from, const VtImage *to);
  /* The slots of vt-backend.h by their names. */
  VitrailStatus (*reconstruct)(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity);
  VitrailStatus (*distance)(VtExec *x, const char *algorithm, const VtDistance *args);
  VitrailStatus (*regional)(VtExec *x, const VtRegional *args);
  VitrailStatus (*components)(VtExec *x, const VtComponents *args);
  VitrailStatus (*watershed)(VtExec *x, const VtWatershed *args);
  VitrailStatus (*geodesic)(VtExec *x, const VtGeodesic *args);
  VitrailStatus (*count)(VtExec *x, const VtNumber *args);
  VitrailStatus (*relabel)(VtExec *x, const VtRelabel *args);
  /* Numbers labels 1.. in the order of each object's first pixel, dropping those that the filter (NULL: none) refuses; *stats
   * (free() it) has one entry per object, sum_a of a and sum_b of b (U16). Where the grid has a margin of context,
   * numbers are those of what is shown. */
  VitrailStatus (*objects)(VtExec *x, const VtImage *labels, const VtImage *a, const VtImage *b,
                           const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
  /* Labels become 1..*n in the order of their first pixels; then those of what is shown do, where the grid has a margin. */
  VitrailStatus (*number)(VtExec *x, const VtImage *labels, int64_t *n);
  VitrailStatus (*show)(VtExec *x, const VtImage *labels, int64_t *n);
  /* Codes of VtRegions become labels, in place: any numbers, another for each region. */
  VitrailStatus (*label_regions)(VtExec *x, const VtImage *codes);
  /* dst (U8): 255 where the connected piece of foreground (U8) has from `least` to `most` pixels. */
  VitrailStatus (*sized)(VtExec *x, const VtImage *foreground, const VtImage *dst, int32_t connectivity, double least,
                         double most);
} VtExecutor;

struct VtExec {
  const VtExecutor *does;
  VtRun *run;
  const char *algorithm; /* of reconstruction */
  int32_t n_expected;    /* steps on images that there will be, about, for the progress of a streamed run; 0: none */
  uint64_t emitted;      /* bits of stages, so that none is emitted twice */
  bool in_blocks;        /* stages are handed over in parts: the host's memory does not hold the run's images */
  VtImage pixels;        /* in host memory, what was read for a device; a host that takes over need not read again */
  VitrailStatus lost;    /* of a step that failed because of the device: the host does it from the start */
  void *own;             /* the executor's */
};

/* A device has it only where its backend has every slot that the recipe's steps need; it may lack others. */
extern const VtExecutor vt_host_executor, vt_device_executor, vt_streamed_executor;

/* After `lost`: the host works from now on, and the user is told why, once. `what`: what ran, for the sentence. The device's end
 * is called all the same. */
void vt_device_lose(VtExec *x, const char *what);
