/* SPDX-License-Identifier: MIT
 *
 * Rasters as TIFF files: in one go, or tile by tile. All threads compress tiles; one at a time writes them, in order. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "base/vt-pool.h"
#include "raster/vt-compressor.h"
#include "raster/vt-raster-private.h"
#include "raster/vt-tiff-private.h"

enum {
  TILE = 256,
  BLOCK = 2 * TILE, /* what a streamed raster comes in multiples of */
  SLOTS = 2,        /* tiles for each thread that are compressed, or wait for being written: half a MiB each at most */
};
/* Above this a classic TIFF might not hold the file. */
#define MAX_CLASSIC_BYTES ((guint64)7 << 29)
/* After so many bytes, those of a reduced level that are in a file leave memory. */
#define REST_BYTES ((gsize)16 << 20)

struct VtTiffWriter {
  TIFF *tiff;
  char *path, *shown;         /* `shown` is for sentences */
  VtTiffOptions options;      /* its channel is owned */
  VtRaster layout;            /* of the level that is being written; without data */
  VtRaster *half;             /* the next level, which is filled meanwhile; NULL: this is the last one */
  guint64 n_written, n_tiles; /* of all levels, the latter at least */
  gint n_put;                 /* bytes since the half was written to its file; atomic */
  gboolean is_done;           /* the file is entire */
  GMutex lock;                /* guards the file */
  GAsyncQueue *idle;          /* Tools */
};

/* What one tile needs until it is written. */
typedef struct {
  VtCompressor *compressor;
  guint8 *tile;
  const guint8 *packed; /* the compressor's; NULL: there was no memory */
  gsize n;              /* its bytes */
} Tools;

static char *
describe_place(const VtRaster *raster)
{
  g_autoptr(GString) text = g_string_new("{\"vitrail\": 1");
  const struct {
    const char *key;
    double value;
  } facts[] = {
    { "x", (double)raster->x },
    { "y", (double)raster->y },
    { "downsample", raster->downsample },
    { "origin_x_l0", raster->origin_x_l0 },
    { "origin_y_l0", raster->origin_y_l0 },
    { "scale", raster->scale },
    { "offset", raster->offset },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(facts); i++) {
    g_string_append_printf(text, ", \"%s\": ", facts[i].key);
    vt_text_append_double(text, facts[i].value);
  }
  g_string_append_c(text, '}');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean
set_pixel_fields(TIFF *tiff, const VtRaster *raster, VtCompression compression)
{
  const gboolean is_color = raster->type == VITRAIL_RGBA8;
  const guint16 alpha = EXTRASAMPLE_UNASSALPHA;
  const int format = raster->type == VITRAIL_F32   ? SAMPLEFORMAT_IEEEFP
                     : raster->type == VITRAIL_I32 ? SAMPLEFORMAT_INT
                                                   : SAMPLEFORMAT_UINT;
  return TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, is_color ? 4 : 1)
         && TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, is_color ? 8 : (int)vt_pixel_size(raster->type) * 8)
         && TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format)
         && TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, is_color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK)
         && (!is_color || TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha))
         && TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
         && TIFFSetField(tiff, TIFFTAG_COMPRESSION, (int)vt_compression_get_tag(compression))
         && (!vt_compressor_uses_differences(raster->type)
             || TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL));
}

static gboolean
has_reduced(const VtRaster *layout)
{
  return layout->width > TILE || layout->height > TILE;
}

/* Announces the reduced levels as SubIFDs: libtiff takes so many of the next directories for them, and fills in where they are. */
static gboolean
announce_levels(TIFF *tiff, const VtRaster *raster)
{
  const toff_t places[64] = { 0 };
  VtRaster level = *raster;
  guint16 n = 0;
  for (; has_reduced(&level); n++) {
    level.width = (level.width + 1) / 2;
    level.height = (level.height + 1) / 2;
  }
  return n == 0 || TIFFSetField(tiff, TIFFTAG_SUBIFD, n, places);
}

static gboolean
describe(TIFF *tiff, const VtRaster *raster, const char *channel)
{
  g_autofree char *place = describe_place(raster);
  g_autofree char *ome = channel ? vt_raster_dup_ome(raster, channel, place) : NULL;
  return TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, ome ? ome : place) && (!ome || announce_levels(tiff, raster));
}

static gboolean
set_fields(TIFF *tiff, const VtRaster *raster, const VtTiffOptions *options, gboolean is_reduced)
{
  const gboolean has_size = raster->mpp_x > 0 && raster->mpp_y > 0;
  return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (guint32)raster->width)
         && TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (guint32)raster->height)
         && TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TILE) && TIFFSetField(tiff, TIFFTAG_TILELENGTH, TILE)
         && set_pixel_fields(tiff, raster, options->compression)
         && (is_reduced ? TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE)
                        : describe(tiff, raster, options->channel))
         && (!has_size
             || (TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER)
                 && TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1e4 / (raster->mpp_x * raster->downsample))
                 && TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 1e4 / (raster->mpp_y * raster->downsample))));
}

static void
set_error(const char *path, GError **error)
{
  const char *text = vt_tiff_complaint();
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "%s cannot be written (%s).", shown, text ? text : "unknown reason");
}

static gboolean
set_no_memory(const char *path, GError **error)
{
  g_autofree char *shown = vt_error_dup_path(path);
  return vt_error_set(error, VITRAIL_OUT_OF_MEMORY, "%s cannot be written (there is no memory for it).", shown);
}

/* --- one tile --- */

/* NULL: there is no memory. */
static Tools *
tools_new(const VtTiffWriter *writer)
{
  const VitrailPixelType type = writer->layout.type;
  const gsize bytes = TILE * TILE * vt_pixel_size(type);
  Tools *tools = g_new0(Tools, 1);
  tools->compressor = vt_compressor_new(writer->options.compression, type, bytes);
  if (!tools->compressor) {
    g_free(tools);
    return NULL;
  }
  tools->tile = g_malloc(bytes);
  return tools;
}

static void
tools_free(gpointer data)
{
  Tools *tools = data;
  vt_compressor_free(tools->compressor);
  g_free(tools->tile);
  g_free(tools);
}

/* Each number of a row less the one before it. */
static void
subtract_neighbours(guint16 *values)
{
  for (int y = 0; y < TILE; y++, values += TILE)
    for (int x = TILE - 1; x > 0; x--)
      values[x] = (guint16)(values[x] - values[x - 1]);
}

#define HALVE(T) \
  for (gint64 x = 0; x < width; x++) \
  ((T *)(gpointer)to)[x] = ((const T *)(gconstpointer)from)[2 * x]

/* Every second pixel of every second row: values stay values that are there, and labels stay labels. */
static void
halve(VtRaster *half, const guint8 *data, gsize stride, gint64 x0, gint64 y0, gint64 n_columns, gint64 n_rows)
{
  const gsize size = vt_pixel_size(half->type);
  const gint64 width = (n_columns + 1) / 2;
  for (gint64 y = 0; y < n_rows; y += 2) {
    const guint8 *from = data + (gsize)y * stride;
    guint8 *to = half->data + (gsize)((y0 + y) / 2) * half->stride + (gsize)(x0 / 2) * size;
    if (size == 1)
      HALVE(guint8);
    else if (size == 2)
      HALVE(guint16);
    else
      HALVE(guint32);
  }
}

/* --- a rectangle of tiles --- */

typedef struct {
  VtTiffWriter *writer;
  const guint8 *data; /* of the rectangle */
  gsize stride;
  gint64 x, y, width, height;
  gint64 columns, rows; /* of tiles */
  Tools **slots;        /* NULL: not used yet */
  GError *error;        /* the first */
  gint has_failed;      /* atomic */
} Rectangle;

/* Where the rectangle's i-th tile is: block by block, row by row, so that a raster that comes in stripes of blocks makes the same file
 * as one that comes as a whole. */
static void
place_tile(const Rectangle *r, gint64 i, gint64 *x, gint64 *y)
{
  const gint64 row = i / (2 * r->columns) * 2, height = MIN(2, r->rows - row);
  i -= row * r->columns;
  const gint64 column = i / (2 * height) * 2, width = MIN(2, r->columns - column);
  i -= column * height;
  *x = (column + i % width) * TILE;
  *y = (row + i / width) * TILE;
}

static Tools *
take_tools(const Rectangle *r, guint32 slot)
{
  if (!r->slots[slot])
    r->slots[slot] = g_async_queue_try_pop(r->writer->idle);
  if (!r->slots[slot])
    r->slots[slot] = tools_new(r->writer);
  return r->slots[slot];
}

static void
pack_tile(void *user, guint32 index, guint32 slot)
{
  Rectangle *r = user;
  VtTiffWriter *writer = r->writer;
  const gsize size = vt_pixel_size(writer->layout.type), bytes = TILE * TILE * size;
  gint64 x, y;
  place_tile(r, index, &x, &y);
  const gint64 width = MIN(TILE, r->width - x), height = MIN(TILE, r->height - y);
  const guint8 *data = r->data + (gsize)y * r->stride + (gsize)x * size;
  if (g_atomic_int_get(&r->has_failed) || g_cancellable_is_cancelled(writer->options.cancellable))
    return;
  Tools *tools = take_tools(r, slot);
  if (!tools)
    return;
  if (width < TILE || height < TILE)
    memset(tools->tile, 0, bytes);
  for (gint64 row = 0; row < height; row++)
    memcpy(tools->tile + (gsize)row * TILE * size, data + (gsize)row * r->stride, (gsize)width * size);
  if (writer->half)
    halve(writer->half, data, r->stride, r->x + x, r->y + y, width, height);
  if (vt_compressor_uses_differences(writer->layout.type))
    subtract_neighbours((guint16 *)(gpointer)tools->tile);
  tools->packed = vt_compressor_pack(tools->compressor, tools->tile, &tools->n);
}

static void
write_tile(Rectangle *r, guint32 index, guint32 slot)
{
  VtTiffWriter *writer = r->writer;
  Tools *tools = r->slots[slot];
  gint64 x, y;
  place_tile(r, index, &x, &y);
  if (g_cancellable_set_error_if_cancelled(writer->options.cancellable, &r->error))
    return;
  if (!tools || !tools->packed) {
    set_no_memory(writer->shown, &r->error);
    return;
  }
  VT_LOCK(&writer->lock);
  const guint32 tile = TIFFComputeTile(writer->tiff, (guint32)(r->x + x), (guint32)(r->y + y), 0, 0);
  if (TIFFWriteRawTile(writer->tiff, tile, (void *)tools->packed, (tmsize_t)tools->n) < 0)
    set_error(writer->shown, &r->error);
  writer->n_written++;
  if (writer->options.progress)
    writer->options.progress(MIN(1, (double)writer->n_written / (double)writer->n_tiles), writer->options.user);
}

/* Now and then the half's pixels go to its file. */
static void
take_tile(void *user, guint32 index, guint32 slot)
{
  Rectangle *r = user;
  VtTiffWriter *writer = r->writer;
  const gint bytes = (gint)(TILE * TILE * (guint)vt_pixel_size(writer->layout.type) / 4);
  if (!r->error)
    write_tile(r, index, slot);
  if (r->error)
    g_atomic_int_set(&r->has_failed, TRUE);
  if (writer->half && g_atomic_int_add(&writer->n_put, bytes) + bytes >= (gint)REST_BYTES) {
    g_atomic_int_set(&writer->n_put, 0);
    vt_raster_rest(writer->half);
  }
}

gboolean
vt_tiff_writer_put(VtTiffWriter *writer, const guint8 *data, gsize stride, gint64 x, gint64 y, gint64 width,
                   gint64 height, GError **error)
{
  const gint64 columns = (width + TILE - 1) / TILE, rows = (height + TILE - 1) / TILE;
  const guint n_threads = writer->options.n_threads > 0 ? writer->options.n_threads : g_get_num_processors();
  g_autofree Tools **slots = g_new0(Tools *, SLOTS * n_threads);
  Rectangle r = { writer, data, stride, x, y, width, height, .columns = columns, .rows = rows, .slots = slots };
  vt_parallel_in_order(n_threads, (guint)(columns * rows), SLOTS * n_threads, pack_tile, take_tile, &r);
  for (guint i = 0; i < SLOTS * n_threads; i++)
    if (slots[i])
      g_async_queue_push(writer->idle, slots[i]);
  if (r.error)
    g_propagate_error(error, r.error);
  return r.error == NULL;
}

/* --- levels --- */

static gboolean
begin_level(VtTiffWriter *writer, const VtRaster *layout, gboolean is_reduced, GError **error)
{
  writer->layout = *layout;
  writer->layout.data = NULL;
  writer->layout.arena = NULL;
  if (!set_fields(writer->tiff, layout, &writer->options, is_reduced)) {
    /* There was no memory. libtiff now counts fields that it has not got, and would look at them while it frees them. */
    close(TIFFFileno(writer->tiff));
    writer->tiff = NULL;
    return set_no_memory(writer->shown, error);
  }
  if (!has_reduced(layout))
    return TRUE;
  const gint64 width = (layout->width + 1) / 2, height = (layout->height + 1) / 2;
  g_autofree char *dir = g_path_get_dirname(writer->path);
  writer->half = writer->options.is_on_disk ? vt_raster_new_in(dir, layout->type, width, height, error)
                                            : vt_raster_new(layout->type, width, height, error);
  if (!writer->half)
    return FALSE;
  writer->half->downsample = 2 * layout->downsample;
  writer->half->mpp_x = layout->mpp_x;
  writer->half->mpp_y = layout->mpp_y;
  return TRUE;
}

static gboolean
put_all(VtTiffWriter *writer, const VtRaster *raster, GError **error)
{
  const gint64 most = raster->arena ? BLOCK : raster->height;
  for (gint64 y = 0; y < raster->height; y += most) {
    if (!vt_tiff_writer_put(writer, raster->data + (gsize)y * raster->stride, raster->stride, 0, y, raster->width,
                            MIN(most, raster->height - y), error))
      return FALSE;
    vt_raster_rest(raster);
  }
  return TRUE;
}

static guint64
get_most_bytes(const VtRaster *layout)
{
  const guint64 columns = (guint64)(layout->width + TILE - 1) / TILE,
                rows = (guint64)(layout->height + TILE - 1) / TILE;
  /* All levels together are less than twice the first, whatever is added to make tiles whole; compression adds next to nothing. */
  return 2 * columns * rows * (TILE * TILE * vt_pixel_size(layout->type) + 64);
}

static VtTiffWriter *
writer_new(const char *path, const char *shown, const VtRaster *layout, const VtTiffOptions *options, GError **error)
{
  TIFF *tiff = vt_tiff_open(path, get_most_bytes(layout) > MAX_CLASSIC_BYTES ? "w8" : "w");
  if (!tiff) {
    set_error(shown, error);
    return NULL;
  }
  VtTiffWriter *writer = g_new0(VtTiffWriter, 1);
  g_mutex_init(&writer->lock);
  writer->tiff = tiff;
  writer->path = g_strdup(path);
  writer->shown = g_strdup(shown);
  writer->options = *options;
  writer->options.channel = g_strdup(options->channel);
  writer->idle = g_async_queue_new_full(tools_free);
  writer->n_tiles =
    1 + 4 * (guint64)((layout->width + TILE - 1) / TILE) * (guint64)((layout->height + TILE - 1) / TILE) / 3;
  if (begin_level(writer, layout, FALSE, error))
    return writer;
  vt_tiff_writer_free(writer);
  return NULL;
}

VtTiffWriter *
vt_tiff_writer_new(const char *path, const VtRaster *layout, const VtTiffOptions *options, GError **error)
{
  return writer_new(path, path, layout, options, error);
}

gboolean
vt_tiff_writer_finish(VtTiffWriter *writer, GError **error)
{
  while (writer->half) {
    g_autoptr(VtRaster) level = g_steal_pointer(&writer->half);
    if (TIFFWriteDirectory(writer->tiff) != 1) {
      set_error(writer->shown, error);
      return FALSE;
    }
    if (!begin_level(writer, level, TRUE, error) || !put_all(writer, level, error))
      return FALSE;
  }
  writer->is_done = TIFFWriteDirectory(writer->tiff) == 1;
  if (!writer->is_done)
    set_error(writer->shown, error);
  return writer->is_done;
}

void
vt_tiff_writer_free(VtTiffWriter *writer)
{
  if (!writer)
    return;
  /* What is not entire is thrown away: a directory that failed is not tried again. */
  if (writer->tiff && !writer->is_done)
    TIFFSetMode(writer->tiff, O_RDONLY);
  g_clear_pointer(&writer->tiff, TIFFClose);
  g_clear_pointer(&writer->half, vt_raster_unref);
  g_async_queue_unref(writer->idle);
  g_mutex_clear(&writer->lock);
  g_free(writer->path);
  g_free(writer->shown);
  g_free((char *)writer->options.channel);
  g_free(writer);
}

gboolean
vt_raster_write_tiff(const VtRaster *raster, const VtTiffOptions *options, const char *path, GError **error)
{
  g_autofree char *temp_path = vt_file_dup_temp_path(path);
  VtTiffWriter *writer = writer_new(temp_path, path, raster, options, error);
  const gboolean done = writer && put_all(writer, raster, error) && vt_tiff_writer_finish(writer, error);
  vt_tiff_writer_free(writer);
  if (done)
    return vt_file_commit(temp_path, path, error);
  g_unlink(temp_path);
  return FALSE;
}
