/* SPDX-License-Identifier: MIT
 *
 * libtiff, whose complaints are kept instead of printed. */
#pragma once
#include <glib.h>
#include <tiffio.h>

TIFF *vt_tiff_open(const char *path, const char *mode);
/* The first complaint of this thread since vt_tiff_open(), or NULL. Borrowed. */
const char *vt_tiff_complaint(void);
