/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a JPEG file. */
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "fuzz-raster.h"

enum { WIDTH = 21, HEIGHT = 17 };

/* Grey, colours with fewer samples, and four channels, which are refused; with restart marks, or in several scans. */
size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const J_COLOR_SPACE spaces[] = { JCS_GRAYSCALE, JCS_RGB, JCS_RGB, JCS_CMYK };
  static const int channels[] = { 1, 3, 3, 4 };
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  unsigned char *file = NULL;
  unsigned long n = 0;
  if (index >= G_N_ELEMENTS(spaces))
    return 0;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, &file, &n);
  jpeg.image_width = WIDTH;
  jpeg.image_height = HEIGHT;
  jpeg.input_components = channels[index];
  jpeg.in_color_space = spaces[index];
  jpeg_set_defaults(&jpeg);
  jpeg.restart_interval = index == 1 ? 1 : 0;
  if (index == 2)
    jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (guint y = 0; y < HEIGHT; y++) {
    JSAMPLE row[WIDTH * 4];
    JSAMPROW rows[] = { row };
    for (guint i = 0; i < sizeof row; i++)
      row[i] = (JSAMPLE)(i * 7 + y * 31);
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  memcpy(data, file, n);
  free(file);
  return n;
}

/* Whether the first frame header says that the image is small. */
static gboolean
is_small(const uint8_t *data, size_t size)
{
  for (size_t at = 2; at + 9 < size && data[at] == 0xff;) {
    const guint mark = data[at + 1];
    if (mark >= 0xc0 && mark <= 0xcf && mark != 0xc4 && mark != 0xc8 && mark != 0xcc)
      return (gint64)(data[at + 5] << 8 | data[at + 6]) * (data[at + 7] << 8 | data[at + 8]) <= FUZZ_MAX_PIXELS;
    at += 2 + (size_t)(data[at + 2] << 8 | data[at + 3]);
  }
  return FALSE;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (is_small(data, size))
    fuzz_raster(vt_raster_read_jpeg, data, size);
  return 0;
}
