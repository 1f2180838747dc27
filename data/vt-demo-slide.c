/* SPDX-License-Identifier: MIT
 *
 * vitrail-demo-slide OUT.svs [--truth TRUTH.tif] [--ihc CLASSES.csv] [--size N] [--seed S]
 *
 * Writes a made-up H&E slide, calibrated and tiled as an Aperio scanner writes them, and the outline of each of its nuclei
 * as a label image. With --ihc the stains are hematoxylin and DAB, and a table says how strongly each nucleus took up DAB.
 * The same size and seed give the same picture. */
#include "vt-demo-scene.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#define TILE 256
#define MAX_LEVELS 12
#define MOST_BANDS 4 /* each takes 40 MB of a slide of 8192 pixels a side */

typedef struct Level {
  int size;
  uint8_t *rgb; /* packed; NULL for level 0, which is never whole in memory */
} Level;

typedef struct Job {
  const char *out, *truth, *classes;
  int size;
  uint32_t seed;
  VtDemoScene *scene;
  Level levels[MAX_LEVELS];
  int n_levels;
  TIFF *slide, *labels;
  const char *problem; /* NULL: what errno says */
} Job;

static void
set_common_tags(TIFF *tiff, int size, const char *description)
{
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)size);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)size);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
  TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
  TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 85);
  TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
}

/* OpenSlide knows an Aperio slide by the first words, and takes the calibration from the list after the bar. */
static void
begin_level(Job *job, int level)
{
  int full = job->size, size = job->levels[level].size;
  char text[400], scaled[40] = "";
  if (level > 0)
    snprintf(scaled, sizeof scaled, " -> %dx%d", size, size);
  snprintf(text, sizeof text,
           "Aperio Image Library v12.0.0\r\n%dx%d [0,0 %dx%d] (%dx%d)%s JPEG/YCC Q=85|AppMag = 20|MPP = 0.5000"
           "|Filename = vitrail-demo-%u|User = vitrail-demo-slide|Title = made-up tissue, no patient",
           full, full, full, full, TILE, TILE, scaled, job->seed);
  set_common_tags(job->slide, size, text);
  TIFFSetField(job->slide, TIFFTAG_TILEWIDTH, TILE);
  TIFFSetField(job->slide, TIFFTAG_TILELENGTH, TILE);
}

/* One row of tiles from `rows` packed rows; tiles that hang over the edge repeat the last pixel. */
static bool
write_tile_row(TIFF *tiff, const uint8_t *rgb, int size, int y, int rows)
{
  static uint8_t tile[TILE * TILE * 3];
  for (int x = 0; x < size; x += TILE) {
    for (int ty = 0; ty < TILE; ty++)
      for (int tx = 0; tx < TILE; tx++) {
        int sx = x + tx < size ? x + tx : size - 1, sy = ty < rows ? ty : rows - 1;
        memcpy(tile + (ty * TILE + tx) * 3, rgb + ((size_t)sy * (size_t)size + (size_t)sx) * 3, 3);
      }
    if (TIFFWriteTile(tiff, tile, (uint32_t)x, (uint32_t)y, 0, 0) < 0)
      return false;
  }
  return true;
}

/* Rows [y, y + rows) of a level into the next one, as 2x2 means. y is even. */
static void
halve(const uint8_t *rgb, int size, int y, int rows, Level *next)
{
  for (int row = 0; row + 1 < rows; row += 2) {
    const uint8_t *top = rgb + (size_t)row * (size_t)size * 3, *bottom = top + (size_t)size * 3;
    uint8_t *dst = next->rgb + (size_t)((y + row) / 2) * (size_t)next->size * 3;
    for (int i = 0; i < next->size * 3; i++) {
      int at = i / 3 * 6 + i % 3;
      dst[i] = (uint8_t)((top[at] + top[at + 3] + bottom[at] + bottom[at + 3] + 2) >> 2);
    }
  }
}

typedef struct Band {
  const Job *job;
  int y, rows;
  uint8_t *rgb;
  int32_t *labels; /* NULL: nobody asks for them */
  bool ok;
  pthread_t thread;
  bool has_thread;
} Band;

static void *
render(void *data)
{
  Band *band = data;
  band->ok = vt_demo_scene_render(band->job->scene, band->y, band->rows, band->rgb, band->labels);
  return NULL;
}

/* As many rows of tiles at a time as there are processors: each is the same whoever makes it. How many; 0: there is no memory. */
static int
render_bands(Job *job, Band *bands, int n, int y)
{
  int n_begun = 0;
  bool ok = true;
  for (; n_begun < n && y < job->size; n_begun++, y += TILE) {
    Band *band = &bands[n_begun];
    band->y = y;
    band->rows = job->size - y < TILE ? job->size - y : TILE;
    band->has_thread = n > 1 && pthread_create(&band->thread, NULL, render, band) == 0;
    if (!band->has_thread)
      render(band);
  }
  for (int i = 0; i < n_begun; i++) {
    if (bands[i].has_thread)
      pthread_join(bands[i].thread, NULL);
    ok = ok && bands[i].ok;
  }
  return ok ? n_begun : 0;
}

static bool
write_band(Job *job, const Band *band)
{
  bool ok = write_tile_row(job->slide, band->rgb, job->size, band->y, band->rows);
  if (ok && job->n_levels > 1)
    halve(band->rgb, job->size, band->y, band->rows, &job->levels[1]);
  for (int row = 0; ok && job->labels && row < band->rows; row++)
    ok =
      TIFFWriteScanline(job->labels, band->labels + (size_t)row * (size_t)job->size, (uint32_t)(band->y + row), 0) >= 0;
  return ok;
}

static bool
write_level_0(Job *job)
{
  size_t pixels = (size_t)TILE * (size_t)job->size;
  long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
  int n = n_processors < 1 ? 1 : n_processors > MOST_BANDS ? MOST_BANDS : (int)n_processors;
  Band bands[MOST_BANDS] = { { 0 } };
  bool ok = true;
  for (int i = 0; i < n; i++) {
    bands[i] = (Band){ .job = job, .rgb = malloc(pixels * 3) };
    bands[i].labels = job->labels ? malloc(pixels * sizeof *bands[i].labels) : NULL;
    ok = ok && bands[i].rgb && (bands[i].labels || !job->labels);
  }
  begin_level(job, 0);
  for (int y = 0; ok && y < job->size; y += n * TILE) {
    int n_made = render_bands(job, bands, n, y);
    ok = n_made > 0;
    for (int i = 0; i < n_made && ok; i++)
      ok = write_band(job, &bands[i]);
  }
  for (int i = 0; i < n; i++) {
    free(bands[i].rgb);
    free(bands[i].labels);
  }
  return ok && TIFFWriteDirectory(job->slide);
}

/* Aperio's second directory is a thumbnail in strips; OpenSlide counts on it. */
static bool
write_thumbnail(Job *job)
{
  const Level *level = &job->levels[job->n_levels - 1];
  for (int i = job->n_levels - 1; i > 0 && job->levels[i].size <= 1024; i--)
    level = &job->levels[i];
  char text[100];
  snprintf(text, sizeof text, "Aperio Image Library v12.0.0\r\n%dx%d -> %dx%d - ", job->size, job->size, level->size,
           level->size);
  set_common_tags(job->slide, level->size, text);
  TIFFSetField(job->slide, TIFFTAG_ROWSPERSTRIP, 16u);
  for (int y = 0; y < level->size; y++)
    if (TIFFWriteScanline(job->slide, level->rgb + (size_t)y * (size_t)level->size * 3, (uint32_t)y, 0) < 0)
      return false;
  return TIFFWriteDirectory(job->slide);
}

static bool
write_level(Job *job, int index)
{
  const Level *level = &job->levels[index];
  begin_level(job, index);
  for (int y = 0; y < level->size; y += TILE) {
    int rows = level->size - y < TILE ? level->size - y : TILE;
    if (!write_tile_row(job->slide, level->rgb + (size_t)y * (size_t)level->size * 3, level->size, y, rows))
      return false;
  }
  return TIFFWriteDirectory(job->slide);
}

/* Every level at least one tile in size: OpenSlide reads smaller ones wrongly. */
static bool
make_levels(Job *job)
{
  for (int size = job->size; size >= TILE && job->n_levels < MAX_LEVELS; size /= 2) {
    Level *level = &job->levels[job->n_levels++];
    level->size = size;
    if (size != job->size && !(level->rgb = malloc((size_t)size * (size_t)size * 3)))
      return false;
  }
  return true;
}

static bool
open_truth(Job *job)
{
  if (!job->truth)
    return true;
  job->labels = TIFFOpen(job->truth, "w");
  if (!job->labels)
    return false;
  TIFFSetField(job->labels, TIFFTAG_IMAGEWIDTH, (uint32_t)job->size);
  TIFFSetField(job->labels, TIFFTAG_IMAGELENGTH, (uint32_t)job->size);
  TIFFSetField(job->labels, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField(job->labels, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(job->labels, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT);
  TIFFSetField(job->labels, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(job->labels, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(job->labels, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(job->labels, TIFFTAG_ROWSPERSTRIP, 64u);
  return true;
}

/* The number is that of the truth; of a nucleus that others hide, no pixel has it. */
static bool
write_classes(Job *job)
{
  FILE *file = fopen(job->classes, "w");
  bool ok = file && fputs("number,x,y,class\n", file) >= 0;
  for (size_t i = 0; ok && i < job->scene->n_nuclei; i++) {
    const VtDemoNucleus *nucleus = &job->scene->nuclei[i];
    ok =
      fprintf(file, "%zu,%.1f,%.1f,%d\n", i + 1, (double)nucleus->x, (double)nucleus->y, vt_demo_nucleus_class(nucleus))
      > 0;
  }
  return file && fclose(file) == 0 && ok;
}

static bool
write_all(Job *job)
{
  job->scene = vt_demo_scene_new(job->size, job->seed);
  if (!job->scene || !make_levels(job)) {
    job->problem = "not enough memory";
    return false;
  }
  job->scene->is_ihc = job->classes != NULL;
  if (job->classes && !write_classes(job))
    return false;
  job->slide = TIFFOpen(job->out, "w");
  if (!job->slide || !open_truth(job) || !write_level_0(job))
    return false;
  for (int i = 2; i < job->n_levels; i++)
    halve(job->levels[i - 1].rgb, job->levels[i - 1].size, 0, job->levels[i - 1].size, &job->levels[i]);
  if (!write_thumbnail(job))
    return false;
  for (int i = 1; i < job->n_levels; i++)
    if (!write_level(job, i))
      return false;
  return !job->labels || TIFFFlush(job->labels);
}

/* A half-written file is worth nothing; a device is not ours to remove. */
static void
remove_file(const char *path)
{
  struct stat info;
  if (lstat(path, &info) == 0 && S_ISREG(info.st_mode))
    unlink(path);
}

static int
usage(FILE *stream, int status)
{
  fputs("usage: vitrail-demo-slide OUT.svs [--truth TRUTH.tif] [--ihc CLASSES.csv] [--size 512..32768] [--seed "
        "NUMBER]\n",
        stream);
  return status;
}

/* False unless the whole text is a number in the range. */
static bool
read_number(const char *text, long low, long high, long *number)
{
  char *end = NULL;
  errno = 0;
  *number = text ? strtol(text, &end, 10) : 0;
  return end && end != text && !*end && !errno && *number >= low && *number <= high;
}

int
main(int argc, char **argv)
{
  Job job = { .size = 8192, .seed = 1 };
  for (int i = 1; i < argc; i++) {
    long number = 0;
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return usage(stdout, 0);
    if (!strcmp(argv[i], "--truth") && i + 1 < argc)
      job.truth = argv[++i];
    else if (!strcmp(argv[i], "--ihc") && i + 1 < argc)
      job.classes = argv[++i];
    else if (!strcmp(argv[i], "--size") && read_number(argv[i + 1], 512, 32768, &number))
      job.size = (int)number, i++;
    else if (!strcmp(argv[i], "--seed") && read_number(argv[i + 1], 0, 1000000, &number))
      job.seed = (uint32_t)number, i++;
    else if (argv[i][0] != '-' && !job.out)
      job.out = argv[i];
    else
      return usage(stderr, 2);
  }
  if (!job.out)
    return usage(stderr, 2);
  TIFFSetErrorHandler(NULL);
  errno = 0;
  bool ok = write_all(&job);
  int error = errno;
  if (job.slide)
    TIFFClose(job.slide);
  if (job.labels)
    TIFFClose(job.labels);
  if (ok)
    printf("%zu nuclei\n", job.scene->n_nuclei);
  else
    fprintf(stderr, "vitrail-demo-slide: %s cannot be written: %s.\n", job.out,
            job.problem ? job.problem : strerror(error));
  if (!ok && job.slide)
    remove_file(job.out);
  if (!ok && job.labels)
    remove_file(job.truth);
  if (!ok && job.scene && job.scene->is_ihc)
    remove_file(job.classes);
  for (int i = 0; i < job.n_levels; i++)
    free(job.levels[i].rgb);
  vt_demo_scene_free(job.scene);
  return ok ? 0 : 1;
}
