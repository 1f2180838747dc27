/* SPDX-License-Identifier: MIT
 *
 * fuzz-raster.h: a raster reader on any bytes gives an image that holds together, or one sentence. */
#pragma once

#include <string.h>

#include "fuzz.h"
#include "raster/vt-raster-private.h"

/* Larger images are legal, and cost only time. */
enum { FUZZ_MAX_PIXELS = 1 << 20 };

static inline void
fuzz_raster(VtRaster *(*read)(const char *path, const VtRasterRoom *room, GError **error), const uint8_t *data,
            size_t size)
{
  g_autoptr(GError) error = NULL;
  double min = 0, max = 0;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  const char *path = vt_fuzz_file(data, size);
  const guint orientation = vt_raster_read_orientation(path);
  vt_fuzz_check(orientation >= 1 && orientation <= 8 && vt_raster_count_pages(path) >= 1, "facts", NULL);
  g_autoptr(VtRaster) raster = read(path, NULL, &error);
  vt_fuzz_check((raster == NULL) == (error != NULL), "neither image nor error, or both", error ? error->message : NULL);
  if (error) {
    vt_fuzz_check(g_utf8_validate(error->message, -1, NULL) && !strchr(error->message, '\n')
                    && g_str_has_suffix(error->message, "."),
                  "not a sentence", error->message);
    return;
  }
  const gint64 width = (raster->width + 2) / 3, height = (raster->height + 2) / 3;
  const gsize stride = (gsize)width * vt_pixel_size(raster->type);
  g_autofree guint8 *small = g_malloc(stride * (gsize)height);
  vt_raster_get_range(raster, &min, &max);
  vt_fuzz_check(vt_raster_read_region(raster, 3, 0, 0, width, height, small, stride, NULL), "region", NULL);
}
