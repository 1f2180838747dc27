/* SPDX-License-Identifier: MIT
 *
 * twin.h: one case, every backend. A case is a set of pictures and a call of one slot on them. The call runs on the
 * reference (an oracle, or the CPU where an oracle would take too long) over a copy, then on each backend in that
 * backend's own memory, and all pictures must come back equal: outputs as the reference made them, inputs and
 * everything around the windows untouched. Pictures are windows at odd places of larger, poisoned ones, with rows
 * longer than the picture. */
#pragma once

#include "oracle/oracle.h"
#include "../support/test-draw.h"
#include "../support/vt-test.h"

/* A side of 1..max px; half of the time one that breaks things. */
int64_t vt_random_side(VtRandom *random, int64_t max);

typedef struct VtPicture {
  VtImage full; /* owned host memory */
  VtImage view; /* the part that the slot is given */
  int64_t x, y; /* of view in full */
} VtPicture;

VtPicture vt_picture_new(VtRandom *random, int64_t width, int64_t height, VtType type);
VtPicture vt_picture_copy(const VtPicture *picture);
void vt_pictures_clear(VtPicture *pictures, int n);
/* Fills the view with whole numbers lowest..highest in one of VT_N_PATTERNS patterns: noise, plateaus, constant,
 * sparse, serpentine, spiral, ramp, blocks. */
enum { VT_N_PATTERNS = 8 };
void vt_picture_fill(VtPicture *picture, VtRandom *random, int pattern, int64_t lowest, int64_t highest);

/* Runs the slot; VITRAIL_UNSUPPORTED when the backend lacks it. `reference`: take whatever algorithm there is. */
typedef VitrailStatus (*VtTwinCall)(const VtBackend *backend, VtDevice *device, const VtImage *views,
                                    const void *params, bool reference);

/* Such a call of a slot that takes a `type`, of `views` and `user` alone. */
#define VT_TWIN_SLOT(slot, type, ...) \
  static VitrailStatus slot(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, \
                            bool reference) \
  { \
    const type args = { __VA_ARGS__ }; \
    return backend->slot ? backend->slot(device, &args, NULL) : VITRAIL_UNSUPPORTED; \
  }

enum { VT_MAX_TWINS = 3 };
typedef struct VtTwins {
  const VtBackend *backends[VT_MAX_TWINS];
  VtDevice *devices[VT_MAX_TWINS];
  bool threaded[VT_MAX_TWINS]; /* the reference's own backend once more, with threads */
  int n;
  const char *group;
  int current; /* the one at work */
  int n_cases, n_failures, n_unsupported[VT_MAX_TWINS];
  double tolerance; /* relative, for F32 outputs; 0 = the same bytes (two NaN are equal) */
} VtTwins;

/* Opens what there is; a backend that is built but has no device is reported as a skip. */
void vt_twins_init(VtTwins *twins);
/* Opens the CPU once more with three threads; it is compared with the CPU on one, too. */
void vt_twins_add_threads(VtTwins *twins);
void vt_twins_clear(VtTwins *twins);
/* Cases of a group are counted into one TAP line. */
void vt_twins_begin(VtTwins *twins, const char *group);
void vt_twins_end(VtTwins *twins);
/* A side of a large picture: at most VT_TWIN_SIDE px, for tools under which every access takes its time. */
int64_t vt_twin_side(int64_t side);

void vt_twin_case(VtTwins *twins, const VtBackend *reference, VtTwinCall call, const void *params,
                  const VtPicture *pictures, int n_pictures);
/* n cases of sides of up to widest and highest px against the oracle; then n_large large ones, of odd shapes, against the CPU. */
typedef void (*VtTwinOne)(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h);
void vt_twin_sweep(VtTwins *twins, const char *group, VtTwinOne one, uint64_t seed, int n, int64_t widest,
                   int64_t highest, int n_large);
/* Every backend must return VITRAIL_BAD_ARGUMENT and write nothing. */
void vt_twin_refused(VtTwins *twins, VtTwinCall call, const void *params, const VtPicture *pictures, int n_pictures);
