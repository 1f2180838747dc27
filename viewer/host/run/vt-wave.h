/* SPDX-License-Identifier: MIT
 *
 * How a stage came about, for those who show it (VITRAIL_RUN_WAVE, docs/wavefronts.md): pixels in the order in which they got their last values,
 * what happened on the way, and where a pixel's value came from. Immutable; any thread. */
#pragma once
#include "raster/vt-raster.h"

typedef enum { VT_WAVE_BIRTH, VT_WAVE_MEETING } VtWaveEventKind;

/* Of labels: the first pixel of one, and the pixel at which one touches another with which it was not joined yet, also by way of others. */
typedef struct {
  VtWaveEventKind kind;
  guint32 tick;
  guint32 at; /* the pixel: y * width + x */
} VtWaveEvent;

/* The side of a tile. */
#define VT_WAVE_TILE 64

typedef struct {
  VitrailWaveKind kind;
  guint stage;                         /* of the op: that shows what is played, or the first that is made from it */
  guint64 stages;                      /* bit per stage that has a wave of its own */
  const char *node, *unit, *tick_unit; /* interned */
  gint connectivity;
  VtRaster *begin; /* a reconstruction's marker; else NULL */
  VtRaster *end;   /* what the last tick leaves */
  gint64 width, height;
  guint32 n_ticks, *ticks; /* of each pixel; VITRAIL_WAVE_NEVER */
  guint32 *order,
    *first; /* pixels by tick, each tick's by place; those of tick t are order[first[t]] up to order[first[t + 1]] */
  guint32 *tiles, n_tiles; /* of each tick: in how many tiles of VT_WAVE_TILE pixels it has pixels; of how many */
  float *levels;           /* of each tick of a watershed; else NULL */
  double tick_scale;       /* of a tick, or of a level, in tick_unit; 0: iterations */
  guint64
    n_different; /* pixels whose values after the last tick are not those that the step has made: 0, or something is wrong */
  GArray *events; /* VtWaveEvent, by tick */
} VtWave;

/* A copy of what a plugin tells, which is sound (vt_wave_is_sound()). On failure NULL and a sentence that there is no memory. */
VtWave *vt_wave_new(const VitrailWave *told, const VitrailInput *image, GError **error);
VtWave *vt_wave_ref(VtWave *wave);
void vt_wave_unref(VtWave *wave);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtWave, vt_wave_unref)

/* How many pixels get their last value at a tick. */
guint32 vt_wave_count(const VtWave *wave, guint32 tick);
/* Of a watershed: how many ticks of the same level there were before this one. */
guint32 vt_wave_get_plateau_step(const VtWave *wave, guint32 tick);
/* The pixel under a level-0 point; -1: none. */
gint64 vt_wave_find_pixel(const VtWave *wave, double x_l0, double y_l0);
/* The middle of a pixel. */
void vt_wave_get_place(const VtWave *wave, guint32 pixel, double *x_l0, double *y_l0);
/* The way that a pixel's value came, from it to where it began: guint32 pixels, owned. NULL: nothing reached it, or the way can't be told.
 *  reconstruction  the shortest way over pixels whose values are at least as high to one whose marker is so; it has as many steps as the pixel's tick
 *  distance        the pixel, and the nearest of those with distance 0 (of square pixels)
 *  zones, watershed  each time the neighbour of the same label that came first
 * Of equals the first, row by row. */
GArray *vt_wave_find_way(const VtWave *wave, guint32 pixel);
