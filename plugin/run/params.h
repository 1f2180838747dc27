/* SPDX-License-Identifier: MIT
 *
 * params.h: the values of a request, checked and by their keys. */
#pragma once

#include "run/run.h"

int vt_params_find(const VitrailOp *op, const char *key); /* -1: there is none */
VitrailStatus vt_params_resolve(VtRun *run, bool calibrated);
bool vt_has_param(const VtRun *run, const char *key);
/* Values by key; the key must be the op's. */
double vt_param(const VtRun *run, const char *key);
const double *vt_param_vector(const VtRun *run, const char *key);
const char *vt_param_choice(const VtRun *run, const char *key);
/* Warns of sizes below one pixel of the grid, where they do not work; 0 is off. */
void vt_params_say_below_pixel(VtRun *run, double sigma_px, double min_area_px);
/* Warns of parameters min-area and max-area between which no area lies. */
void vt_params_say_no_area(VtRun *run);
const VitrailInput *vt_input(const VtRun *run, const char *id); /* an image; NULL if not given */
const VitrailInput *vt_input_truth(const VtRun *run);           /* VITRAIL_INPUT_TRUTH; NULL if not given */
bool vt_input_is_given(const VtRun *run, const char *id);       /* an image, or regions */
