/* SPDX-License-Identifier: MIT
 *
 * The first slide of a process pays for what all later ones find ready: pages of libraries, tables, memory of malloc. A process that waits for its
 * slide reads one of its own meanwhile. */
#define _GNU_SOURCE
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <tiffio.h>
#include <unistd.h>

#include "slide/vt-reader-private.h"

#define SIDE 256
#define FIRST_BYTES (6 << 20) /* that a first picture takes */
#define KEPT_BYTES (8 << 20)  /* of each thread */

/* One tile, as most scanners write them. No file may be opened to write here: takes this one. */
static gboolean
write_slide(int file, guint8 *pixels)
{
  TIFF *tiff = file >= 0 ? TIFFFdOpen(file, "warm", "w") : NULL;
  if (!tiff)
    return FALSE;
  const guint32 fields[][2] = { { TIFFTAG_IMAGEWIDTH, SIDE },
                                { TIFFTAG_IMAGELENGTH, SIDE },
                                { TIFFTAG_TILEWIDTH, SIDE },
                                { TIFFTAG_TILELENGTH, SIDE },
                                { TIFFTAG_SAMPLESPERPIXEL, 3 },
                                { TIFFTAG_BITSPERSAMPLE, 8 },
                                { TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR },
                                { TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG },
                                { TIFFTAG_COMPRESSION, COMPRESSION_JPEG },
                                { TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB } };
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    TIFFSetField(tiff, fields[i][0], fields[i][1]);
  const gboolean is_written = TIFFWriteTile(tiff, pixels, 0, 0, 0, 0) > 0;
  TIFFClose(tiff);
  return is_written;
}

static gpointer
decode(gpointer slide)
{
  g_autofree guint8 *pixels = g_malloc(SIDE * SIDE * 4), *room = g_malloc(FIRST_BYTES);
  vt_slide_decode_tile(slide, 0, 0, 0, SIDE, SIDE, pixels, NULL);
  memset(room, 1, FIRST_BYTES);
  return NULL;
}

void
vt_reader_keep_memory(void)
{
  mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

/* The C library has memory for each thread, and that of a thread which has ended goes to the next new one: the one that decodes where no first picture is
 * sent unasked. */
static void
warm_memory(VtSlide *slide)
{
  decode(slide);
  GThread *thread = g_thread_try_new("warm", decode, slide, NULL);
  if (thread)
    g_thread_join(thread);
}

/* Where it can't be, the first slide is as slow as without this; so nothing is said. */
void
vt_reader_warm_up(void)
{
  const int file = memfd_create("vitrail-warm", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", file);
  g_autofree guint8 *pixels = g_malloc0(SIDE * SIDE * 4);
  if (file < 0)
    return;
  g_autoptr(VtSlide) slide = write_slide(dup(file), pixels) ? vt_slide_open(path, NULL) : NULL;
  if (slide)
    warm_memory(slide);
  close(file);
}
