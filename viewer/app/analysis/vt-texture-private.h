/* SPDX-License-Identifier: MIT
 *
 * What the files of the texture browser share. */
#pragma once
#include "analysis/vt-runner.h"
#include "analysis/vt-texture.h"

/* A place that is asked about, and what is known of it. */
typedef struct {
  VtTextureView shown; /* first */
  VtTexture *owner;
  VtRoi *roi;        /* NULL: a lens */
  double x_l0, y_l0; /* its middle */
  guint px;
  VtRunner *runner; /* NULL until somebody asks */
  gboolean again;   /* something else is asked for than what runs */
  gint64 asked_us;
  guint stale_id;
  GCancellable *ahead;           /* of the tiles round it that are read; or NULL */
  double ahead_x_l0, ahead_y_l0; /* of the middle for which they are, or were */
} VtTexturePlace;

struct _VtTexture {
  GObject parent;
  VtAnalysis *analysis;
  VtSlide *slide;
  const VitrailPlugin *plugin;
  const VitrailOp *op; /* NULL: no plugin has it */
  VtParams *params;
  int aggregate; /* chosen here; -1: as it is set */
  gboolean is_open, is_lens, is_held;
  guint lens_px;
  double pointed_x_l0, pointed_y_l0;
  VtRoi *region;
  guint downsample; /* of the analysis grid, as the last answer told; 0: not known */
  VtTexturePlace places[VT_TEXTURE_N_SIDES];
  gboolean has_cell;
  VtRunCell cell;
  VtPainted *painted;
  gboolean is_painting, paint_again;
};

/* Makes the picture of the runs, of what is known by now; or it goes. */
void vt_texture_paint(VtTexture *self);

/* vt-texture-place.c. Nothing is looked at there any more. */
void vt_texture_place_clear(VtTexturePlace *place);
/* What runs comes to its end first, so that there is an answer now and then while a hand moves. */
void vt_texture_place_ask(VtTexturePlace *place);
/* What is there is of other settings, and what runs is of no use. */
void vt_texture_place_ask_anew(VtTexturePlace *place);
