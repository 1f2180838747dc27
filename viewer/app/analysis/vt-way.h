/* SPDX-License-Identifier: MIT
 *
 * From where a pixel has its value in a stage: the way along which it came, over the slide (vt_wave_find_way()). */
#pragma once
#include "run/vt-run.h"

typedef struct {
  guint stage; /* of the op */
  VitrailWaveKind kind;
  GArray *points; /* double x, y pairs, level 0: from the pixel to where its value began */
  guint n_steps;
  gboolean is_mask; /* the value says nothing */
  double value;     /* distance: of the pixel; reconstruction: of the marker where it began; else 0 */
  const char *unit; /* of that */
} VtWay;

/* Of the pixel at a level-0 point. NULL: nothing came to it, or the way cannot be told. Owned. */
VtWay *vt_way_new(const VtWave *wave, double x_l0, double y_l0);
void vt_way_free(VtWay *way);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtWay, vt_way_free)
/* "5 steps to its seed". Owned. */
char *vt_way_dup_words(const VtWay *way);
/* Where it began. */
void vt_way_get_end(const VtWay *way, double *x_l0, double *y_l0);
