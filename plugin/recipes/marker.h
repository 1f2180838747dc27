/* SPDX-License-Identifier: MIT
 *
 * marker.h: markers made from masks. */
#pragma once

#include "run/run.h"

/* marker = mask - height, not below the type's lowest value (Karas 2010: the h-max marker). Both of one type and size. */
VitrailStatus vt_marker_check(VtRun *run, const VitrailInput *mask_input, VtType type); /* the given marker fits */
VitrailStatus vt_marker_lower(const VtImage *mask, const VtImage *marker, double height);
/* marker = mask + height, not above the type's highest value. */
VitrailStatus vt_marker_raise(const VtImage *mask, const VtImage *marker, double height);
/* The same of whole rasters, by all threads. */
VitrailStatus vt_local_lower(VtRun *run, const VtImage *mask, const VtImage *marker, double height);
VitrailStatus vt_local_raise(VtRun *run, const VtImage *mask, const VtImage *marker, double height);
