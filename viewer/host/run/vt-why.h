/* SPDX-License-Identifier: MIT
 *
 * What the tests of a run say of one pixel, for those who tell a person: see VITRAIL_RUN_WHY. */
#pragma once
#include "run/vt-run.h"

/* The stage that says whether a pixel came to be of an object: the last one of objects, else the last one of labels; -1: the op
 * has none. */
gint vt_why_find_outcome(const VitrailOp *op);
/* The number of the object that the level-0 pixel is of, in a result of that stage; 0: of none. */
gint64 vt_why_get_object(const VtResult *result, gint64 x_l0, gint64 y_l0);
/* Even-odd over all rings, which run between pixels: a pixel's centre is on none of them. */
gboolean vt_object_has_point(const VtObject *object, double x, double y);
/* A level-0 pixel whose centre lies in the object: near its middle, if the middle is not of it. FALSE: it holds none. */
gboolean vt_why_find_pixel(const VtObject *object, gint64 *x_l0, gint64 *y_l0);
/* The request that the answer came from, of `op`, its recipe with a stage for every step (vt_recipe_open_trail()): of its rasters the result has that one pixel. Owned. */
VtRunRequest *vt_why_new_trail(const VtRunRequest *request, const VitrailOp *op);
/* The value of a stage there, in the unit that holds, if it is a scalar, else a whole number. FALSE: it has none, as a picture. */
gboolean vt_why_get_value(const VtResult *result, guint stage, gint64 x_l0, gint64 y_l0, double *value);
/* "RGB 204 160 190" of a stage that is a picture; NULL: it is none. Owned. */
char *vt_why_dup_colour(const VtResult *result, guint stage, gint64 x_l0, gint64 y_l0);
/* Of such a value; "": none. Borrowed. */
const char *vt_why_get_unit(const VtResult *result, guint stage);
/* The request that the answer came from, for how a stage of it came about. Owned. */
VtRunRequest *vt_why_new_wave(const VtRunRequest *request, guint stage);
/* The window round the map's pixel that a level-0 pixel lies in: x, y, width, height on the analysis grid, cut off at the edge of the image, whose width and
 * height are `size_l0`. `answer`: of an op with one texture map (vt_recipe_open_map()). FALSE: its run has not told what its windows are. */
gboolean vt_why_find_window(const VtResult *answer, const gint64 size_l0[2], gint64 x_l0, gint64 y_l0,
                            gint64 window[4]);
/* The request that the answer came from, of `op`, which has one texture map (vt_recipe_open_map()), for the pixel that was asked about alone: so it costs little
 * to learn what the windows are. `stage`: the map's id. Owned. */
VtRunRequest *vt_why_new_map(const VtRunRequest *request, const VtResult *answer, const VitrailOp *op,
                             const char *stage);
/* The request that the answer came from, of `op`, which tells the run lengths of its map in a rectangle (vt_recipe_open_lengths()), in that window. Owned. */
VtRunRequest *vt_why_new_lengths(const VtRunRequest *request, const VtResult *answer, const VitrailOp *op,
                                 const char *stage, const gint64 window[4]);
/* The request that the answer came from, but with another value of the verdict's parameter, which "key=value" says, and only as
 * far as the outcome, which the op must have. Owned. */
VtRunRequest *vt_why_new_trial(const VtRunRequest *request, const char *key_value);

/* For a verdict with VITRAIL_VERDICT_FLIPS: its critical value, written by `format` (of one double, C locale) in multiples of
 * `step`, at the critical value or beyond it, where the parameter's range has such; else all of its digits. Owned. */
char *vt_why_dup_critical(const VtResult *result, const VitrailVerdict *verdict, const char *format, double step);
