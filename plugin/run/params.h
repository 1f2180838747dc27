/* SPDX-License-Identifier: MIT
 *
 * params.h: the values of a request, checked and by their keys. */
#pragma once

#include "run/run.h"

VitrailStatus vt_params_resolve(VtRun *run, bool calibrated);
/* Values by key; the key must be the op's. */
double vt_param(const VtRun *run, const char *key);
const double *vt_param_vector(const VtRun *run, const char *key);
const char *vt_param_choice(const VtRun *run, const char *key);
/* In units of raw pixels, scale times which is the image's own: a threshold, whole for colours (type: the input's), and the
 * parameter "height", whole for whole pixels (type: the channel's). */
double vt_param_threshold(const VtRun *run, const char *key, VtType type, double scale);
double vt_param_height(const VtRun *run, VtType type, double scale);
/* Warns of sizes below one pixel of the grid, where they do not work; 0 is off. */
void vt_params_say_below_pixel(VtRun *run, double sigma_px, double min_area_px);
const VitrailInput *vt_input(const VtRun *run, const char *id); /* NULL if not given */
