/* SPDX-License-Identifier: MIT
 *
 * The magnifications that have a key and a place in menus. */
#pragma once
#include "slide/vt-slide.h"

/* 0 if it is not known for this slide. */
double vt_magnification_get_downsample(VtSlide *slide, double magnification);
/* Which of them a downsample is; 0: none. */
double vt_magnification_find(VtSlide *slide, double downsample);
/* Owned; actions of the window. */
GMenu *vt_magnification_new_menu(void);
