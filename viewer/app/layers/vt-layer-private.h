/* SPDX-License-Identifier: MIT */
#pragma once
#include "layers/vt-layer.h"
#include "layers/vt-outline-paint.h"

struct _VtLayer {
  GObject parent;
  VtLayerKind kind;
  const VitrailStage *stage; /* borrowed, resident */
  guint stage_index;
  gboolean shown, solo, locked, muted, own_range, empty;
  double opacity;
  VtLayerBlend blend;
  VtColoring coloring;

  /* what there is */
  VtResult *result;
  GPtrArray *rasters;    /* VtRaster, borrowed from `result`: one, or one of each region; never changed; NULL: none */
  VtOutlineIndex *index; /* of the objects; NULL until a worker has made it */
  VtDensity *density;    /* of the present power; NULL: outlines */
  double density_top;    /* of its colours, in its unit */
  gint64 n_objects;
  const char *measure;  /* of the objects, that gives the colours; interned, NULL: none */
  VtColormap plain_map; /* without it */
  VtObjectFilter *filter;
  GPtrArray *added;   /* VtColumn: columns of the objects, of those of `result` or of older ones */
  VtColumns *columns; /* of the objects of `result`; NULL until somebody asks */
  VtClassified *taught, *graded, *gated, *read; /* those of `result`, or of an older one: then they say nothing */
  gboolean is_classed_by_gates;
  gboolean filter_changed; /* since the last picture, or what counts: none of its squares is of use, nor its density */
  gboolean stale;          /* of other parameters */
  guint64 data_serial;     /* grows when the values change: older pictures are dropped on arrival */

  /* pictures: one worker at a time */
  VtPainted *painted;
  VtColoring painted_coloring;
  VtViewport painted_view, wanted_view; /* of objects */
  double line_px, painted_line_px;
  gboolean painting, dirty, range_known;
  gboolean hidden;  /* out of sight: no picture is made until it is drawn again */
  gboolean thinned; /* `painted` only stands for a picture */
  VtPainted
    *fine; /* the last picture that was finer than `painted`, which is a preview: the next one takes tiles from it */
  VtPainted *former;        /* drawn until the graphics card has `painted`; NULL: it has */
  gboolean undrawn;         /* `painted` came after the last frame */
  struct VtPaintJob *ahead; /* of a result that is to come; owned by a worker until it is done */

  /* statistics */
  gboolean wants_stats, measuring, has_stats, stats_dirty;
  VtViewport settled_view;
  VtStats stats;

  /* of the legend: vt_layer_get_bins() */
  guint *bins; /* or NULL */
  guint64 bins_serial;
  const char *bins_measure;
  double bins_range[2];
  gboolean is_binning;

  /* selection */
  VtObject *selected;     /* owned copy */
  gint64 selected_number; /* in the objects of `result`; -1: not among them */
  GPtrArray *held;        /* owned copies of objects of `result` that are selected besides */
};

/* vt-layer-paint.c */
/* Its part of a result (VtRaster, borrowed from that); NULL: none. Owned. */
GPtrArray *vt_layer_list_rasters(VtLayer *self, VtResult *result);
/* Its raster has more pixels than a picture of all of it should: only what is seen of it is painted. */
gboolean vt_layer_is_large(VtLayer *self);
/* How wide an outline is at so many level-0 pixels per device pixel, logical pixels: far away they would cover the nuclei they surround. */
static inline double
vt_layer_get_line(double downsample)
{
  return downsample > 2 ? 0.8 : 1.5;
}
void vt_layer_paint(VtLayer *self); /* has the picture made again */
/* The picture of the result that it has now, which was made ahead, is shown or comes; FALSE: there is none. */
gboolean vt_layer_take_ahead(VtLayer *self);
void vt_layer_forget_ahead(VtLayer *self);

/* vt-layer-look.c, for tests */
void vt_layer_log_look(VtLayer *self);

/* vt-layer-stats.c: has the statistics made again, if they are wanted. */
void vt_layer_measure(VtLayer *self);

/* vt-layer-bins.c: the values of the measurement that gives the colours are others. */
void vt_layer_forget_bins(VtLayer *self);

/* vt-layer-upload.c */
/* Another picture comes. */
/* Before another picture takes the place of the last one. */
void vt_layer_keep_former(VtLayer *self, const VtPainted *next);
/* The picture that may have tiles of the next one, which is of these rasters; or NULL. Owned. */
VtPainted *vt_layer_ref_previous(VtLayer *self, const GPtrArray *rasters);
void vt_layer_forget_former(VtLayer *self);

/* vt-layer-objects.c */
/* The column of the measurement that gives the colours; -1: none is chosen, or the objects have none of that name. */
gint vt_layer_find_measure(VtLayer *self);
/* How many of the density's unit an object per level-0 pixel is. */
double vt_layer_get_density_factor(const VtResult *result);
/* The result is another one. */
void vt_layer_forget_columns(VtLayer *self);
/* After other objects came: which of them is the selected one. */
void vt_layer_find_selected(VtLayer *self);
/* Those that are selected, which there are. */
void vt_layer_draw_selected(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale);
