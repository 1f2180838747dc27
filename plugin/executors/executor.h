/* SPDX-License-Identifier: MIT
 *
 * executor.h: an executor is a way of running the steps of a recipe, as a table of functions. There are four: host (in tiles, on all
 * threads), device (images stay in the device's memory), streamed (images that do not fit into memory) and bounded (on the lowest
 * and the highest image that unknown surroundings allow). The first three give the same bytes. No executor knows an op, and no step
 * knows which executor runs it. All images have the size of the run's grid. */
#pragma once

#include "executors/object-filter.h"
#include "run/tile.h"

typedef struct VtExec VtExec;

enum { VT_MAY_FALL = 1, VT_MAY_RISE = 2 };

/* A step of bounded reach. Without a halo an image may be both in `in` and in `out`. */
typedef struct {
  const VtImage *in[VT_LOCAL_IN], *out[VT_LOCAL_OUT]; /* the images come first, then NULL */
  int64_t halo, body_bytes;                           /* body_bytes: what the body allocates for each pixel of a tile */
  bool
    by_window; /* the body works on all of the window, and body_bytes is for its pixels: so tiles are large beside the halo */
  bool by_slots;    /* the body only calls a slot of tile->backend, so a device can run it */
  const char *what; /* the subject of the sentence "... ran on the CPU" */
  VtLocalBody body;
  void *user;
  size_t
    user_bytes; /* of `user`; 0: the step runs at once. Else it may run later on a copy, if the executor has reasons to wait */
  /* For bounds. out rises when an input rises; bit k of `falls` says that out falls when in[k] rises. `may` says whether pixels beyond
   * an open side could lower (VT_MAY_FALL) or raise (VT_MAY_RISE) out at pixels that are nearer to that side than the halo. */
  uint32_t falls, may;
  bool of_labels;   /* in[0] has labels; out[0] (U8) is not 0 where there is one */
  bool makes_codes; /* out[0] has codes of regions; out[1] (U16) is certain where they are */
} VtLocalStep;

typedef struct VtExecutor {
  const char *name;
  bool
    works_in_parts; /* memory does not hold the run's images: a step that reads by itself reads parts, and shares them with other ranks */
  bool keeps_emitted; /* an emitted image must not be written any more: a resumed run emits it again */
  bool makes_rasters; /* images are rasters of the run, which a session can cache */
  VitrailStatus (*begin)(VtExec *x);
  /* Frees what is left. Returns `status`; if it has no sentence yet, it gets one. */
  VitrailStatus (*end)(VtExec *x, VitrailStatus status);
  VitrailStatus (*alloc)(VtExec *x, VtImage *image, VtType type);
  void (*free)(VtExec *x, VtImage *image);
  VitrailStatus (*copy)(VtExec *x, const VtImage *from, const VtImage *to);
  /* Reads the run's rectangle of an input. Streamed: the image has no data; the step that needs it reads it in parts. */
  VitrailStatus (*read)(VtExec *x, const VitrailInput *input, VtImage *pixels);
  /* `host` becomes a view of the pixels in host memory. Two views are valid at a time: the third call ends the first. Not streamed. */
  VitrailStatus (*fetch)(VtExec *x, const VtImage *image, VtImage *host);
  /* A rectangle in host memory: a view of one of the two images that were fetched last, or memory of its own: then free(*owned). */
  VitrailStatus (*cut)(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned);
  /* Hands over a stage, if it is wanted and was not handed over before. */
  VitrailStatus (*emit)(VtExec *x, uint32_t stage, const VtImage *image, double scale);
  /* The objects [*first, *end) that this process hands over. It has the rows of labels, and of the image (NULL: none), in which these
   * objects lie, and `margin` rows around them, so cut() can take them. */
  VitrailStatus (*own_objects)(VtExec *x, const VtImage *labels, const VtImage *image, const VtObjectStats *stats,
                               int64_t n, int64_t margin, int64_t *first, int64_t *end);

  VitrailStatus (*local)(VtExec *x, const VtLocalStep *step);
  /* Runs a step whose in[0] is what read() made of the input. */
  VitrailStatus (*bring)(VtExec *x, const VitrailInput *input, const VtLocalStep *step);
  /* Copies the outermost pixels of `from` to `to`. */
  VitrailStatus (*border)(VtExec *x, const VtImage *from, const VtImage *to);
  /* The slots of vt-backend.h of these names. */
  VitrailStatus (*reconstruct)(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity);
  VitrailStatus (*distance)(VtExec *x, const char *algorithm, const VtDistance *args);
  VitrailStatus (*regional)(VtExec *x, const VtRegional *args);
  VitrailStatus (*components)(VtExec *x, const VtComponents *args);
  VitrailStatus (*watershed)(VtExec *x, const VtWatershed *args);
  VitrailStatus (*geodesic)(VtExec *x, const VtGeodesic *args);
  VitrailStatus (*count)(VtExec *x, const VtNumber *args);
  VitrailStatus (*relabel)(VtExec *x, const VtRelabel *args);
  /* Numbers labels 1.. in the order of the objects' first pixels. Objects that the filter (NULL: none) refuses are dropped. *stats has
   * one entry for each object; sum_a is of a and sum_b of b (U16). free() it. If the grid has a margin of context, only objects
   * in the part that is shown get a number. */
  VitrailStatus (*objects)(VtExec *x, const VtImage *labels, const VtImage *a, const VtImage *b,
                           const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
  /* number: labels become 1..*n in the order of their first pixels. show: if the grid has a margin, the labels in the part that is
   * shown become 1..*n. */
  VitrailStatus (*number)(VtExec *x, const VtImage *labels, int64_t *n);
  VitrailStatus (*show)(VtExec *x, const VtImage *labels, int64_t *n);
  /* The overlaps of labels with those of an input, which it reads: VtOverlaps. NULL: this way of running does not tell them. */
  VitrailStatus (*overlaps)(VtExec *x, const VtImage *labels, const VitrailInput *truth, VtOverlap **list, int64_t *n);
  /* Codes of VtRegions become labels, in place: a different number for each region, in no order. */
  VitrailStatus (*label_regions)(VtExec *x, const VtImage *codes);
  /* dst (U8): 255 where the connected piece of foreground (U8) has from `least` to `most` pixels. */
  VitrailStatus (*sized)(VtExec *x, const VtImage *foreground, const VtImage *dst, int32_t connectivity, double least,
                         double most);
} VtExecutor;

struct VtExec {
  const VtExecutor *does;
  VtRun *run;
  const char *algorithm; /* of reconstruction */
  int32_t n_expected;    /* about how many steps will run on images, for the progress of a streamed run; 0: not known */
  uint64_t emitted;      /* a bit for each stage that was emitted */
  bool in_blocks;        /* stages are handed over in parts, because memory does not hold the run's images */
  VtImage pixels; /* what was read for a device, in host memory; if the device fails, the host need not read it again */
  VitrailStatus lost; /* the status of a step that failed because of the device; VITRAIL_OK: none */
  void *own;          /* the executor's */
};

/* A recipe runs on vt_device_executor only if the backend has every slot that its steps need. */
extern const VtExecutor vt_host_executor, vt_device_executor, vt_streamed_executor;

/* After a step was `lost`: the host executor takes over, and the user is told why, once. `what` is the subject of that sentence. The
 * caller still calls the device executor's end(). */
void vt_device_lose(VtExec *x, const char *what);
