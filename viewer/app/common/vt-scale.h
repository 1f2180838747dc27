/* SPDX-License-Identifier: MIT
 *
 * Lengths and magnifications as people read them. */
#pragma once
#include <glib.h>

/* The longest 1-2-5 length whose bar is not longer than max_px. */
double vt_scale_choose_bar(double length_per_px, double max_px);
/* "500 nm", "20 µm", "2 mm"; owned. */
char *vt_scale_dup_length(double length_um);
/* 10 µm per pixel is 1x; without a pixel size from the objective's power, without that as a percentage of 1:1. 0 = unknown.
 * Owned. */
char *vt_scale_dup_magnification(double mpp, double objective_power, double downsample);
/* 0 if the slide has neither pixel size nor objective power. */
double vt_scale_get_magnification(double mpp, double objective_power, double downsample);
/* The downsample that shows a magnification; 0 if the slide has neither pixel size nor objective power. */
double vt_scale_get_downsample(double mpp, double objective_power, double magnification);

/* How a view is turned, to be put after its magnification: " · 90° · mirrored"; empty if it is not. */
char *vt_scale_dup_turn(double angle, gboolean mirrored);
