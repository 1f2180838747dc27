/* SPDX-License-Identifier: MIT
 *
 * What the texture browser looks at (docs/texture.md): the run lengths and features of the selected region, or of a lens, a square that follows
 * the pointer; beside them those of one that was pinned; and where the runs of one cell of the matrix lie. All of it comes from runs of VT_ROI_OP
 * with its settings. While a run is on, the newest place waits, and places between are left out: an answer comes as often as there can be one.
 * Main thread only.
 *
 * Signals: "changed" (anything but the following), "pictured" (vt_texture_get_painted() is another one). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"
#include "layers/vt-painted.h"
#include "plugins/vt-params.h"

#define VT_TEXTURE_FEATURES 16
#define VT_LENS_LEAST 32
#define VT_LENS_MOST 512

typedef enum { VT_TEXTURE_NOW, VT_TEXTURE_PINNED, VT_TEXTURE_N_SIDES } VtTextureSide;

typedef struct {
  char *name;                           /* "ROI 3", "Lens"; NULL: nothing is looked at */
  gboolean is_lens;                     /* else a region */
  double box_l0[4];                     /* left, top, right, bottom of where it is by now */
  VtResult *result;                     /* NULL: not yet, or it failed */
  VtRunLengths *lengths;                /* NULL: the same, or it has no pixels */
  double features[VT_TEXTURE_FEATURES]; /* in the order of VT_ROI_OP's columns; NaN: undefined */
  gboolean is_making, is_stale;         /* stale: of another place, or of other settings, than what is asked for */
  char *failure;                        /* a sentence; or NULL */
  double ms;                            /* from the question to its answer */
} VtTextureView;

#define VT_TYPE_TEXTURE (vt_texture_get_type())
G_DECLARE_FINAL_TYPE(VtTexture, vt_texture, VT, TEXTURE, GObject)

/* `params` come from the analysis, whichever of its ops is chosen. */
VtTexture *vt_texture_new(VtAnalysis *analysis);
void vt_texture_set_slide(VtTexture *self, VtSlide *slide); /* closes it */
void vt_texture_open(VtTexture *self);
void vt_texture_close(VtTexture *self);
gboolean vt_texture_is_open(VtTexture *self);

/* The region that is looked at while there is no lens; copied; NULL: none. */
void vt_texture_set_region(VtTexture *self, const VtRoi *roi);
/* The lens: where it is, how many analysis pixels an edge is, whether it follows the pointer. */
void vt_texture_set_lens(VtTexture *self, gboolean on, double x_l0, double y_l0);
gboolean vt_texture_get_lens(VtTexture *self);
void vt_texture_move_lens(VtTexture *self, double x_l0, double y_l0); /* nothing while it is held */
void vt_texture_hold_lens(VtTexture *self, gboolean held);
gboolean vt_texture_get_held(VtTexture *self);
void vt_texture_set_lens_px(VtTexture *self, guint px);
guint vt_texture_get_lens_px(VtTexture *self);
/* What is looked at stays beside what comes; or that ends. */
void vt_texture_pin(VtTexture *self);
void vt_texture_unpin(VtTexture *self);
/* NULL: nothing is looked at there. Borrowed. */
const VtTextureView *vt_texture_get_view(VtTexture *self, VtTextureSide side);

/* The settings, with the directions chosen here. Borrowed; NULL: no plugin has the op. */
const VtParams *vt_texture_get_params(VtTexture *self);
/* A choice of the parameter `aggregate`. */
void vt_texture_set_aggregate(VtTexture *self, guint choice);
guint vt_texture_get_aggregate(VtTexture *self);
/* Bits of the directions that the matrix sums up. */
guint vt_texture_get_directions(VtTexture *self);

/* A part of the matrix, without directions, whose runs are drawn; NULL: none. */
void vt_texture_set_cell(VtTexture *self, const VtRunCell *cell);
const VtRunCell *vt_texture_get_cell(VtTexture *self);
/* Its runs of VT_TEXTURE_NOW, each in a colour of its own; borrowed; NULL: none, or not yet. */
VtPainted *vt_texture_get_painted(VtTexture *self);
