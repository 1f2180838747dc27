/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a PNG file. */
#include <png.h>
#include <zlib.h>

#include "fuzz-raster.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const png_uint_32 formats[] = { PNG_FORMAT_GRAY,        PNG_FORMAT_GA,       PNG_FORMAT_RGB,
                                         PNG_FORMAT_RGBA,        PNG_FORMAT_LINEAR_Y, PNG_FORMAT_LINEAR_RGB_ALPHA,
                                         PNG_FORMAT_RGB_COLORMAP };
  static guint16 pixels[13 * 11 * 4], colors[256 * 3];
  png_image image = { .version = PNG_IMAGE_VERSION, .width = 13, .height = 11 };
  png_alloc_size_t size = VT_FUZZ_MAX_SIZE;
  if (index >= G_N_ELEMENTS(formats))
    return 0;
  image.format = formats[index];
  image.colormap_entries = formats[index] & PNG_FORMAT_FLAG_COLORMAP ? 16 : 0;
  for (guint i = 0; i < sizeof pixels; i++)
    ((guint8 *)pixels)[i] = (guint8)(image.colormap_entries > 0 ? i % 16 : i * 7 % 251);
  return png_image_write_to_memory(&image, data, &size, 0, pixels, 0, colors) ? size : 0;
}

static guint32
get_u32(const guint8 *p)
{
  return (guint32)p[0] << 24 | (guint32)p[1] << 16 | (guint32)p[2] << 8 | p[3];
}

/* Check sums made right, or nothing behind them would ever be reached. */
static void
mend(guint8 *data, size_t size)
{
  for (size_t at = 8; at + 12 <= size;) {
    const guint32 length = get_u32(data + at);
    if (length > size - at - 12)
      return;
    const guint32 sum = (guint32)crc32(0, data + at + 4, length + 4);
    for (int i = 0; i < 4; i++)
      data[at + 8 + length + (size_t)i] = (guint8)(sum >> (24 - 8 * i));
    at += length + 12;
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree guint8 *copy = g_memdup2(data, size);
  if (size < 24 || (guint64)get_u32(data + 16) * get_u32(data + 20) > FUZZ_MAX_PIXELS)
    return 0;
  if (size % 4 != 0)
    mend(copy, size);
  fuzz_raster(vt_raster_read_png, copy, size);
  return 0;
}
