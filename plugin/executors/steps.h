/* SPDX-License-Identifier: MIT
 *
 * steps.h: the steps that a pipeline is made of, so that its recipe is written once. They run on the host, tile by tile and
 * on all its threads; on a device whose memory the images stay in from the first step to the last; or streamed, on images that
 * memory does not hold. The bytes are the same. Images have the size of the run's grid. */
#pragma once

#include "run/cache.h"
#include "run/run.h"

struct VtBounds;
struct VtStreamed;

typedef struct VtSteps {
  VtRun *run;
  const VtBackend *backend;
  VtDevice *device;
  const char *algorithm;   /* of reconstruction */
  bool on_device;          /* else on the host */
  struct VtBounds *bounds; /* NULL: the steps work on images; else on what these can be (bounds.h) */
  VitrailStatus lost; /* of a step that failed because of the device: vt_steps_take_over(), and from the start again */
  uint64_t emitted;   /* bits of stages, so that none is emitted twice */
  void *buffers[VT_MAX_RASTERS];
  uint32_t n_buffers;
  VtImage input, fetched; /* in host memory, of a run on a device; no data: not yet */
  const void *fetched_from;
  VtKeptRegion *kept; /* of the pixels that are worked on; NULL: nothing is kept */
  const uint32_t *parents;
  uint32_t n_slots, recalled;  /* bit of each slot that was taken from what is kept */
  struct VtStreamed *streamed; /* NULL: images are memory; else stores */
  const VitrailInput *read;    /* streamed: what vt_steps_read() was asked for */
} VtSteps;

/* On the device if the run's backend has all that it takes. vt_steps_clear() in any case. */
void vt_steps_begin(VtSteps *steps, VtRun *run, const char *algorithm);
void vt_steps_clear(VtSteps *steps);
/* Streamed (stream.h); n_expected: steps that there will be, about, for the progress. vt_steps_end_streamed() in any case: it
 * frees what is left, and gives a status that has no sentence yet one. Of a run that is not streamed it does nothing. */
VitrailStatus vt_steps_begin_streamed(VtSteps *steps, VtRun *run, const char *algorithm, int32_t n_expected);
VitrailStatus vt_steps_end_streamed(VtSteps *steps, VitrailStatus status);
/* After `lost`: the host works from now on, and the user is told why, once. `what`: what ran, for the sentence. */
void vt_steps_take_over(VtSteps *steps, const char *what);

VitrailStatus vt_steps_alloc(VtSteps *steps, VtImage *image, VtType type);
/* Before the end of the run; what is left then is freed with it. */
void vt_steps_free(VtSteps *steps, VtImage *image);
/* The run's rectangle of an input. Read from the host once, even when the host takes over. */
VitrailStatus vt_steps_read(VtSteps *steps, const VitrailInput *input, VtImage *image);
/* `host` shows the pixels of image in host memory, until the next call. Not of a streamed image. */
VitrailStatus vt_steps_fetch(VtSteps *steps, const VtImage *image, VtImage *host);
/* As vt_emit_raster: fetched only if somebody wants the stage. */
VitrailStatus vt_steps_emit(VtSteps *steps, uint32_t stage, const VtImage *image, double scale);

/* The slots of vt-backend.h by their names. */
VitrailStatus vt_steps_lut3(VtSteps *steps, const int32_t *table, const VtImage *src, const VtImage *dst);
VitrailStatus vt_steps_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b,
                                 const VtImage *dst, double s);
VitrailStatus vt_steps_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius);
VitrailStatus vt_steps_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px);
/* U8: on the border of `to`, 255 where `from` is not 0 and 0 elsewhere. */
VitrailStatus vt_steps_keep_border(VtSteps *steps, const VtImage *from, const VtImage *to);
VitrailStatus vt_steps_reconstruct(VtSteps *steps, const VtImage *marker, const VtImage *mask, int32_t connectivity);
VitrailStatus vt_steps_distance(VtSteps *steps, const VtImage *foreground, const VtImage *dst, float scale);
/* 8-connected regional maxima of src (F32) as 255s of dst. */
VitrailStatus vt_steps_maxima(VtSteps *steps, const VtImage *src, const VtImage *dst);
VitrailStatus vt_steps_components(VtSteps *steps, const VtImage *src, const VtImage *dst);
VitrailStatus vt_steps_watershed(VtSteps *steps, const VtWatershed *args);
VitrailStatus vt_steps_number(VtSteps *steps, const VtNumber *args);
VitrailStatus vt_steps_relabel(VtSteps *steps, const VtRelabel *args);
