/* SPDX-License-Identifier: MIT
 *
 * One layer over (or of) the slide: what it shows and how. Colours are made by workers from raw values which stay as they
 * are; a hidden layer is neither coloured nor drawn. Main thread only.
 *
 * Properties (read and write): "shown", "opacity", "colormap". Signals: "redraw" (the canvas must draw it again), "data"
 * (other values, range or time: rows and legends follow). */
#pragma once
#include <gtk/gtk.h>

#include "vt-painted.h"
#include "vt-run.h"

G_BEGIN_DECLS

typedef enum { VT_LAYER_SLIDE, VT_LAYER_RASTER, VT_LAYER_OBJECTS } VtLayerKind;

#define VT_TYPE_LAYER (vt_layer_get_type())
G_DECLARE_FINAL_TYPE(VtLayer, vt_layer, VT, LAYER, GObject)

VtLayer *vt_layer_new_slide(void);
/* NULL for a stage that has nothing to see on the slide (rows). */
VtLayer *vt_layer_new_stage(const VitrailOp *op, guint stage);

VtLayerKind vt_layer_get_kind(VtLayer *self);
const char *vt_layer_get_title(VtLayer *self);
const char *vt_layer_get_help(VtLayer *self);
const VitrailStage *vt_layer_get_stage(VtLayer *self); /* NULL: the slide */
guint vt_layer_get_stage_index(VtLayer *self);
gboolean vt_layer_get_shown(VtLayer *self);
void vt_layer_set_shown(VtLayer *self, gboolean shown);
double vt_layer_get_opacity(VtLayer *self);
VtColormap vt_layer_get_colormap(VtLayer *self);
gboolean vt_layer_has_data(VtLayer *self);
/* Physical range of the colour map, and the unit that holds for this slide. */
void vt_layer_get_range(VtLayer *self, double *min, double *max);
const char *vt_layer_get_unit(VtLayer *self);
double vt_layer_get_stage_ms(VtLayer *self);  /* NaN: not worked out */
gint64 vt_layer_get_n_objects(VtLayer *self); /* of labels and objects; -1: unknown */
/* What lies under a point, for the status bar: "0.41 OD"; NULL if nothing does. Owned. */
char *vt_layer_dup_value(VtLayer *self, double x_l0, double y_l0);

/* Takes the stage's part of a result; NULL: forgets everything (another slide). */
void vt_layer_set_result(VtLayer *self, VtResult *result);
/* Draws at `scale` device pixels per logical pixel; asks the workers for what is missing. */
void vt_layer_snapshot(VtLayer *self, GtkSnapshot *snapshot, const VtViewport *view, double scale);

G_END_DECLS
