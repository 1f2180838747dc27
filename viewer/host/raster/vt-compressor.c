/* SPDX-License-Identifier: MIT */
#include <libdeflate.h>
#include <tiffio.h>
#include <zstd.h>

#include "raster/vt-compressor.h"

/* MB/s of one thread, and how many times smaller, on tiles of stages of nuclei-threshold (tests/bench/results/cpu.md has the other levels):
 *                        deflate 1     deflate 4    zstd 1
 * 16 bits, differences   182, 4.6      122, 4.8     324, 4.7
 * labels                 398, 118      399, 127     2434, 163
 * masks                  349, 39       307, 49      1172, 46
 * distances              355, 43       348, 60      899, 50 */
enum { DEFLATE_LEVEL = 4, DEFLATE_LEVEL_OF_DIFFERENCES = 1, ZSTD_LEVEL = 1 };

struct VtCompressor {
  struct libdeflate_compressor *deflate; /* or */
  ZSTD_CCtx *zstd;
  guint8 *packed;
  gsize tile_bytes, room; /* of a tile, and of `packed` */
};

gboolean
vt_compressor_uses_differences(VitrailPixelType type)
{
  return type == VITRAIL_U16;
}

guint16
vt_compression_get_tag(VtCompression compression)
{
  return compression == VT_COMPRESSION_ZSTD ? COMPRESSION_ZSTD : COMPRESSION_ADOBE_DEFLATE;
}

gboolean
vt_compression_parse(const char *name, VtCompression *compression)
{
  *compression = g_str_equal(name, "zstd") ? VT_COMPRESSION_ZSTD : VT_COMPRESSION_DEFLATE;
  return *compression == VT_COMPRESSION_ZSTD || g_str_equal(name, "deflate");
}

gboolean
vt_compression_is_there(VtCompression compression)
{
  return TIFFIsCODECConfigured(vt_compression_get_tag(compression));
}

VtCompressor *
vt_compressor_new(VtCompression compression, VitrailPixelType type, gsize tile_bytes)
{
  const gboolean is_zstd = compression == VT_COMPRESSION_ZSTD;
  VtCompressor *self = g_new0(VtCompressor, 1);
  self->tile_bytes = tile_bytes;
  if (is_zstd)
    self->zstd = ZSTD_createCCtx();
  else
    self->deflate =
      libdeflate_alloc_compressor(vt_compressor_uses_differences(type) ? DEFLATE_LEVEL_OF_DIFFERENCES : DEFLATE_LEVEL);
  self->room = is_zstd         ? ZSTD_compressBound(tile_bytes)
               : self->deflate ? libdeflate_zlib_compress_bound(self->deflate, tile_bytes)
                               : 0;
  self->packed = g_try_malloc(self->room);
  if ((self->zstd || self->deflate) && self->packed)
    return self;
  vt_compressor_free(self);
  return NULL;
}

void
vt_compressor_free(VtCompressor *self)
{
  if (!self)
    return;
  ZSTD_freeCCtx(self->zstd);
  libdeflate_free_compressor(self->deflate);
  g_free(self->packed);
  g_free(self);
}

const guint8 *
vt_compressor_pack(VtCompressor *self, const guint8 *tile, gsize *n)
{
  if (self->deflate) {
    *n = libdeflate_zlib_compress(self->deflate, tile, self->tile_bytes, self->packed, self->room);
    return self->packed;
  }
  *n = ZSTD_compressCCtx(self->zstd, self->packed, self->room, tile, self->tile_bytes, ZSTD_LEVEL);
  return ZSTD_isError(*n) ? NULL : self->packed; /* it takes memory for its tables with the first tile */
}
