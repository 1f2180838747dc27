/* SPDX-License-Identifier: MIT
 *
 * One layer over (or of) the slide: what it shows and how. Colours are made by workers from raw values which stay as they
 * are, so nothing here needs another run; a layer that is not seen is neither coloured nor drawn. Main thread only.
 *
 * Properties (read and write): "shown", "opacity", "blend", "colormap", "outline", "solo", "locked"; "muted" (another layer is
 * solo; the stack sets it); "seen" (read only: shown or solo, and not muted). Signals: "redraw" (the canvas must draw it
 * again), "data" (other values, range, statistics or time: rows and legends follow), "columns" (of the objects: others were added, or their values
 * are others), "selection" (another object), "prepared" (see vt_layer_prepare()). */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-legend.h"
#include "layers/vt-object-filter.h"
#include "layers/vt-painted.h"
#include "plugins/vt-params.h"
#include "run/vt-model.h"
#include "run/vt-run.h"
#include "raster/vt-stats.h"

typedef enum { VT_LAYER_SLIDE, VT_LAYER_RASTER, VT_LAYER_OBJECTS } VtLayerKind;

typedef enum {
  VT_LAYER_BLEND_NORMAL,
  VT_LAYER_BLEND_MULTIPLY,
  VT_LAYER_BLEND_SCREEN,
  VT_LAYER_BLEND_DIFFERENCE,
  VT_N_LAYER_BLENDS
} VtLayerBlend;
const char *vt_layer_blend_get_title(VtLayerBlend blend);

#define VT_TYPE_LAYER (vt_layer_get_type())
G_DECLARE_FINAL_TYPE(VtLayer, vt_layer, VT, LAYER, GObject)

VtLayer *vt_layer_new_slide(void);
/* NULL for a stage that has nothing to see on the slide (rows). */
VtLayer *vt_layer_new_stage(const VitrailOp *op, guint stage);

VtLayerKind vt_layer_get_kind(VtLayer *self);
const char *vt_layer_get_title(VtLayer *self);
const char *vt_layer_get_help(VtLayer *self);
/* Tells it the parameters of the op. */
void vt_layer_set_params(VtLayer *self, const VtParams *params);
/* Why with these parameters the layer shows next to nothing, a sentence; NULL: it may show something. */
const char *vt_layer_get_empty_reason(VtLayer *self);
const VitrailStage *vt_layer_get_stage(VtLayer *self); /* NULL: the slide */
guint vt_layer_get_stage_index(VtLayer *self);
gboolean vt_layer_is_scalar(VtLayer *self); /* a quantity */
gboolean vt_layer_is_colour(VtLayer *self); /* a picture of its own */
/* It has a range and a threshold: a quantity, or objects in the colours of a measurement. */
gboolean vt_layer_has_range(VtLayer *self);
gboolean vt_layer_get_shown(VtLayer *self);
void vt_layer_set_shown(VtLayer *self, gboolean shown);
gboolean vt_layer_get_seen(VtLayer *self);
gboolean vt_layer_get_solo(VtLayer *self);
gboolean vt_layer_get_locked(VtLayer *self);
double vt_layer_get_opacity(VtLayer *self);
VtLayerBlend vt_layer_get_blend(VtLayer *self);
gboolean vt_layer_has_data(VtLayer *self);

/* Colour map, physical range, threshold, outline. The range is that of the stage or of the data until somebody sets one. */
const VtColoring *vt_layer_get_coloring(VtLayer *self);
/* The raster that is uppermost at a place, with its raw value there; NULL: none. Borrowed. */
const VtRaster *vt_layer_find_raster(VtLayer *self, double x_l0, double y_l0, double *raw);
/* Of the object there; NULL: there is none, or density is what is seen. Owned. */
VtRoi *vt_layer_dup_outline(VtLayer *self, double x_l0, double y_l0);
void vt_layer_set_range(VtLayer *self, double min, double max);
void vt_layer_reset_range(VtLayer *self);
gboolean vt_layer_has_own_range(VtLayer *self);
/* Physical; -INFINITY and INFINITY: no limit. */
void vt_layer_set_threshold(VtLayer *self, double min, double max);

const char *vt_layer_get_unit(VtLayer *self); /* that holds for this slide */
double vt_layer_get_stage_ms(VtLayer *self);  /* NaN: not worked out */
gint64 vt_layer_get_n_objects(VtLayer *self); /* of labels and objects; -1: unknown */
/* What lies under a point, "0.41 OD", whether or not the threshold shows it; NULL if nothing does. Owned. */
char *vt_layer_dup_value(VtLayer *self, double x_l0, double y_l0);

/* Objects: all their columns, those that were added to others included; borrowed, NULL: there are no objects. */
VtColumns *vt_layer_get_columns(VtLayer *self);
/* Adds one, or puts it in the place of that of the same name. It keeps its place among others, and says nothing of later objects. */
void vt_layer_add_column(VtLayer *self, VtColumn *column);
void vt_layer_remove_column(VtLayer *self, const char *name);
/* Colours them by a column of that name, which has numbers, from now on, also those of later results; outside of the threshold they are not
 * drawn. NULL: one colour. The range goes from the 1st to the 99th percentile of all of them, until somebody sets one. */
void vt_layer_set_measure(VtLayer *self, const char *name);
const char *vt_layer_get_measure(VtLayer *self);

/* Of objects in the colours of a measurement: how many of all of them have each part of the range, VT_LEGEND_BINS numbers; what lies beyond an end, and has the colour of that, is counted
 * there. NULL until a worker has counted, which this starts; then "redraw". Borrowed. */
const guint *vt_layer_get_bins(VtLayer *self);

/* Objects that do not pass are drawn faintly and not counted in a density, also those of later results; NULL: none. */
void vt_layer_set_filter(VtLayer *self, VtObjectFilter *filter);
gboolean vt_layer_is_filtered(VtLayer *self);

/* Classes of the objects, which give their colours where no measurement does; what they leave out is drawn faintly. Of other objects
 * than the layer's they say nothing. Those by thresholds come before those that were taught. NULL: none. */
void vt_layer_set_taught(VtLayer *self, VtClassified *taught);
void vt_layer_set_graded(VtLayer *self, VtClassified *graded);
/* Those that a file gives its objects: they hold where there are no others. NULL: none. */
void vt_layer_set_read(VtLayer *self, VtClassified *read);
/* Gates as classes, that give the colours in the place of either; of other objects they say nothing. NULL: none. */
void vt_layer_set_gated(VtLayer *self, VtClassified *gated);
/* Gates, and neither thresholds nor examples, give the classes that hold. */
void vt_layer_set_classed_by_gates(VtLayer *self, gboolean is_by_gates);
/* Of the objects it has now; borrowed; NULL: none. */
VtClassified *vt_layer_get_taught(VtLayer *self);
VtClassified *vt_layer_get_classified(VtLayer *self); /* those that hold */
VtClassified *vt_layer_get_gated(VtLayer *self);
VtClassified *
vt_layer_get_coloured_by(VtLayer *self); /* those that give the colours: gates, or the classes that hold */

/* Statistics of the part that is seen, worked out by a worker whenever they are wanted and something changed. For objects
 * they are those of the chosen measurement, or the first. NULL until they are there. */
void vt_layer_set_wants_stats(VtLayer *self, gboolean wants);
const VtStats *vt_layer_get_stats(VtLayer *self);
/* What the statistics are of: "Nucleus: Area µm²"; owned; NULL: the layer's own values. */
char *vt_layer_dup_stats_title(VtLayer *self);
/* The measurement that gives the colours, as a person reads it; owned. */
char *vt_layer_dup_measure_title(VtLayer *self);
/* The view came to rest: time to measure it. */
void vt_layer_view_settled(VtLayer *self, const VtViewport *view);

/* How a person wants to see it. What a solo layer mutes, and a filter, are no part of it. */
typedef struct {
  gboolean is_shown, is_locked, is_outlined, has_own_range;
  double opacity;
  VtLayerBlend blend;
  VtColormap map;
  double range[2]; /* 0, 0 without one of its own */
  double threshold[2];
  const char *measure; /* interned */
} VtLayerLook;
VtLayerLook vt_layer_get_look(VtLayer *self);
void vt_layer_set_look(VtLayer *self, const VtLayerLook *look);

/* Is switched, coloured, measured and filtered as another one of the same stage is now; its values stay its own. */
void vt_layer_look_like(VtLayer *self, VtLayer *other);
/* The same, but it is seen whether or not the other one is; its range is that of its data, unless somebody set the other one's. */
void vt_layer_look_alone(VtLayer *self, VtLayer *other);

/* Takes the stage's part of a result; NULL: forgets everything (another slide). */
void vt_layer_set_result(VtLayer *self, VtResult *result);
/* Has a worker make the picture of a result that vt_layer_set_result() is to be given soon, and that it then shows at once; another one is forgotten.
 * FALSE: there is nothing to make. Signal "prepared": the picture is there. */
gboolean vt_layer_prepare(VtLayer *self, VtResult *result);
gboolean vt_layer_is_preparing(VtLayer *self);
gboolean vt_layer_is_awaited(VtLayer *self); /* a worker makes its picture, or that was not drawn yet */
/* It has a result that is a preview: coarser than what was asked for. */
gboolean vt_layer_get_preview(VtLayer *self);
/* What it has was made with other parameters than those of now: it is drawn faded. */
void vt_layer_set_stale(VtLayer *self, gboolean stale);
#define VT_LAYER_STALE_OPACITY 0.35
gboolean vt_layer_get_stale(VtLayer *self);
/* Has a worker make a picture of what there is of a view, as the layer is coloured, also of one that is not seen; the view says
 * how large, and `per_screen` how many of its pixels there are for a device pixel of the screen: what is outlined or counted there is so in the
 * picture, too. `done` is called later, with a picture that it owns; NULL: the values are others by now, ask again. The layer must
 * have data. */
typedef void (*VtLayerPictureDone)(VtPainted *picture, gpointer user);
void vt_layer_make_picture(VtLayer *self, const VtViewport *view, double per_screen, VtLayerPictureDone done,
                           gpointer user);
/* Draws at `scale` device pixels per logical pixel; asks the workers for what is missing. Without blending. What lies
 * outside of `seen` (logical pixels of the view) may be left out. */
void vt_layer_snapshot(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                       const graphene_rect_t *seen);
/* Sends pictures of layers that the graphics card does not have yet, as many as a frame has room for. FALSE: there are more, and those before them are drawn. */
gboolean vt_layers_upload(GListModel *layers, GtkSnapshot *snapshot);
/* Draws such a picture in place of that which it has for the screen. */
void vt_layer_draw(VtLayer *self, const VtPainted *picture, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                   const graphene_rect_t *seen);
/* It is out of sight until it is drawn again: of its picture a thinned one stays, which stands for it in the first frames then, and
 * no other is made. What it has (values, objects) stays as it is. */
void vt_layer_hide(VtLayer *self);

/* Objects: the selected one stays, also when the view moves away and other results come; it is found again by its place. */
const VtObject *vt_layer_get_selected(VtLayer *self); /* NULL: none */
/* Its place among the objects; -1: none is selected, or it is not among them any more. */
gint64 vt_layer_get_selected_index(VtLayer *self);
void vt_layer_select(VtLayer *self, guint index);
/* VtObject; NULL: none. Borrowed. */
GPtrArray *vt_layer_get_objects(VtLayer *self);
/* The numbers (guint32) of objects whose boxes meet a rectangle x0, y0, x1, y1, and perhaps of some beside it, rising. */
void vt_layer_list_near(VtLayer *self, const double rect[4], GArray *numbers);
/* The topmost object at a point; nothing is selected if there is none. */
void vt_layer_select_at(VtLayer *self, double x_l0, double y_l0);
/* More objects than one, for those who put some together: the selected one and those that were selected before it and are held. Another result, and what
 * selects none, lets go of them. The selected one is held, or let go of; then the topmost one at a point is selected, FALSE: there is none. */
void vt_layer_hold_selected(VtLayer *self);
gboolean vt_layer_select_more_at(VtLayer *self, double x_l0, double y_l0);
const GPtrArray *vt_layer_get_held(VtLayer *self); /* VtObject, without the selected one; borrowed */
/* The next (+1) or previous (-1) one in order of their numbers; the first or last if none is selected. */
gboolean vt_layer_select_next(VtLayer *self, int step);
void vt_layer_unselect(VtLayer *self);
/* Where outlines would be dots it is shown how dense the objects lie: the end of the scale of that, which begins at 0, in
 * objects per vt_layer_get_density_unit(); 0: outlines. */
double vt_layer_get_density_top(VtLayer *self);
const char *vt_layer_get_density_unit(VtLayer *self); /* "mm²", "1000 px²" */
/* The last one of objects; NULL: none. Owned by the caller. */
VtLayer *vt_layers_dup_objects(GListModel *layers);
/* Whether it is another one than *layer (owned; NULL: none). Then it is the one there now, and the one before is no longer connected to follower. */
gboolean vt_layers_take_objects(GListModel *layers, gpointer follower, VtLayer **layer);
