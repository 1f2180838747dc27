/* SPDX-License-Identifier: MIT
 *
 * resident.h: stripes of rows, each in the memory of its device; what several.c, resident-reconstruct.c and resident-distance.c
 * share. */
#pragma once

#include "devices/copy-streams.h"
#include "devices/several.h"

enum { VT_N_SIDES = 2 }; /* 0: the upper cut of a stripe, 1: the lower */

typedef enum { VT_STAGE_EMPTY, VT_STAGE_LOADED, VT_STAGE_LOOKED, VT_STAGE_NEAR, VT_STAGE_ENDS, VT_STAGE_DONE } VtStage;

typedef struct {
  const VtBackend *backend;
  int32_t index; /* the backend's number of the device */
  VtDevice *device;
  bool lost;
} VtHome;

typedef struct {
  int64_t y, height;      /* own rows */
  int64_t top, rows;      /* rows that are loaded: own ones and some of the neighbours' */
  int32_t home;           /* index; it changes when that device fails */
  VtStage stage;          /* how far it has come */
  bool stored;            /* the host has it */
  bool is_far;            /* distance: background outside the loaded rows could be nearer to a pixel of a border row */
  VtImage images[2];      /* on the device: marker and mask; or foreground and distances */
  void *cuts[VT_N_SIDES]; /* reconstruction: both rows of a cut. distance: a border row, then what is carried into it */
  bool rose[VT_N_SIDES];  /* the rows of that cut are to be uploaded and worked on */
  int64_t rows_again;     /* worked on after the first round */
  VitrailStatus status;   /* of the last step */
} VtStripe;

typedef struct VtHomeThreads VtHomeThreads;

struct VtResident {
  VtRun *run;
  VtHomeThreads *threads; /* NULL: each step gets its threads from the host */
  int32_t n_homes;        /* the last one is the CPU */
  VtHome homes[VT_MAX_DEVICES + 1];
  int32_t n_stripes, n_wanted;
  VtStripe stripes[VT_MAX_DEVICES];
  int64_t wanted_depth, depth, slab_bytes; /* wanted_depth 0: the default */
  VtCopyStreams streams;                   /* one user for each home */
  void *cuts;                              /* the memory of all stripes' cuts */
  bool cuts_are_pinned;
  bool is_distance;
  VtImage host[2]; /* reconstruction: marker and mask. distance: foreground, and where the distances go */
  int32_t connectivity;
  const char *algorithm;
  float scale;
  VtResidentCounts counts;
};

typedef VitrailStatus (*VtStripeStep)(VtResident *r, const VtHome *home, VtStripe *s);

/* Runs the step on every stripe. Each home has one thread, which takes the home's stripes one by one. A stripe whose device fails is
 * emptied and given to another home. *moved becomes true then, and the caller runs the step again. */
VitrailStatus vt_resident_run_step(VtResident *r, VtStripeStep step, bool *moved);
/* resident-threads.c: runs whole() with threads that stay from step to step. In whole(), vt_home_threads_run() calls a step for homes
 * 0..n-1. */
typedef void (*VtHomeStep)(void *user, uint32_t home);
VitrailStatus vt_resident_with_threads(VtResident *r, VitrailStatus (*whole)(VtResident *r));
void vt_home_threads_run(VtHomeThreads *threads, uint32_t n_homes, VtHomeStep run, void *user);
/* The first step: allocates the stripe's images on the device and uploads the input. */
VitrailStatus vt_resident_load(VtResident *r, const VtHome *home, VtStripe *s);
/* The same for distances: also looks whether background is near at the stripe's cuts. */
VitrailStatus vt_resident_look(VtResident *r, const VtHome *home, VtStripe *s);
VitrailStatus vt_resident_settle(VtResident *r);  /* reconstruction */
VitrailStatus vt_resident_measure(VtResident *r); /* distance */

/* Allocates an image on the home's device. Rows begin at multiples of 64 bytes. */
VitrailStatus vt_resident_image(const VtHome *home, VtImage *image, VtType type, int64_t width, int64_t height);

/* Whether another stripe lies beyond that side. */
static inline bool
vt_stripe_has_cut(const VtResident *r, const VtStripe *s, int side)
{
  return side == 0 ? s->y > 0 : s->y + s->height < r->host[0].height;
}

/* An image whose rows have no gaps between them. */
static inline VtImage
vt_rows_compact(void *data, int64_t width, int64_t n, VtType type)
{
  return (VtImage){ data, width, n, width * (int64_t)vt_type_size(type), type };
}
