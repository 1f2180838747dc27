/* SPDX-License-Identifier: MIT
 *
 * libtiff, whose complaints are kept instead of printed. */
#pragma once
#include <glib.h>
#include <tiffio.h>

TIFF *vt_tiff_open(const char *path, const char *mode);
/* The first complaint of this thread since vt_tiff_open(), or NULL. Borrowed. */
const char *vt_tiff_complaint(void);
/* The number of EXIF and TIFF, 1 where the first image says none, or one that is not known; NULL: 1. */
guint vt_tiff_get_orientation(TIFF *tiff);
