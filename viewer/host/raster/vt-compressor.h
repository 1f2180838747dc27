/* SPDX-License-Identifier: MIT
 *
 * How the tiles of a TIFF are compressed. */
#pragma once
#include "raster/vt-raster.h"

typedef struct VtCompressor VtCompressor;

/* For tiles of so many bytes, the same for any of them again. For one thread at a time. NULL: there is no memory. */
VtCompressor *vt_compressor_new(VtCompression compression, VitrailPixelType type, gsize tile_bytes);
void vt_compressor_free(VtCompressor *self);
/* A tile, which stays. Bytes that live until the next call, or NULL where there is no memory. */
const guint8 *vt_compressor_pack(VtCompressor *self, const guint8 *tile, gsize *n);
/* That of 16-bit values compresses their differences along each row, which the caller makes. */
gboolean vt_compressor_uses_differences(VitrailPixelType type);
/* Its number in a TIFF. */
guint16 vt_compression_get_tag(VtCompression compression);
