/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <tiffio.h>

#include "base/vt-file-private.h"
#include "base/vt-json-places.h"
#include "raster/vt-raster-private.h"
#include "raster/vt-tiff-private.h"

/* Larger blocks than this come only from damaged headers. */
#define MAX_BLOCK_BYTES ((guint64)1 << 30)

/* libtiff's handlers are global, and run in the thread that called it: each thread keeps its own first complaint. */
static GPrivate complaint = G_PRIVATE_INIT(g_free);

G_GNUC_PRINTF(2, 0)
static void
keep_complaint(const char *module, const char *format, va_list arguments)
{
  const int number = errno; /* libtiff says where it could not write, the system why */
  const gboolean is_known = number == ENOSPC || number == EFBIG || number == EDQUOT || number == EIO;
  if (!g_private_get(&complaint)) {
    g_autofree char *text = is_known ? g_strdup(g_strerror(number)) : g_strdup_vprintf(format, arguments);
    g_private_replace(&complaint, vt_error_dup_line(text));
  }
}

void
vt_tiff_init(void)
{
  static gsize once = 0;
  if (g_once_init_enter(&once)) {
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandler(keep_complaint);
    g_once_init_leave(&once, 1);
  }
}

TIFF *
vt_tiff_open(const char *path, const char *mode)
{
  vt_tiff_init();
  g_private_replace(&complaint, NULL);
  errno = 0;
  return TIFFOpen(path, mode);
}

static void
set_tiff_error(const char *path, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  const char *text = g_private_get(&complaint);
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s is damaged, or a kind of TIFF that cannot be read (%s).", name,
              text ? text : "libtiff gave no reason");
}

const char *
vt_tiff_complaint(void)
{
  return g_private_get(&complaint);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TIFF, TIFFClose)

/* libtiff lays out premultiplied R G B A bytes on little-endian machines, and the same as words on all. */
static void
compose_rgba(VtRaster *raster, const guint8 background[3])
{
  const gsize n = (gsize)raster->width * (gsize)raster->height;
  guint32 *words = (guint32 *)(gpointer)raster->data;
  for (gsize i = 0; i < n; i++) {
    const guint32 abgr = words[i], rest = 255 - TIFFGetA(abgr);
    guint8 *out = (guint8 *)&words[i];
    for (int c = 0; c < 3; c++) {
      const guint32 value = (abgr >> (8 * c) & 255) + (background[c] * rest + 127) / 255;
      out[c] = (guint8)MIN(value, 255);
    }
    out[3] = 255;
  }
}

/* Width, height and a block size that the file's header has right to. */
static gboolean
check_header(TIFF *tiff, const char *path, gsize pixel_size, const VtRasterRoom *room, guint32 *width, guint32 *height,
             GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, width) != 1 || TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, height) != 1)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s is damaged: its header has no size.", name);
  if (!vt_raster_check_size(name, *width, *height, room ? 0 : pixel_size, error))
    return FALSE;
  const guint64 block = TIFFIsTiled(tiff) ? TIFFTileSize64(tiff) : TIFFScanlineSize64(tiff);
  if (block > 0 && block <= MAX_BLOCK_BYTES)
    return vt_raster_check_room(name, 2 * block, room, error);
  return vt_error_set(error, VITRAIL_READ_FAILED, "%s is damaged: its header gives impossible block sizes.", name);
}

/* As TIFFReadRGBAImageOriented() reads it, but in bands of whole strips, or rows of tiles, so that it can be told how far it is. */
static gboolean
read_bands(TIFF *tiff, guint32 width, guint32 height, guint32 *words)
{
  TIFFRGBAImage image;
  char reason[1024] = "";
  guint32 n_rows = height;
  gboolean is_read = TRUE;
  TIFFGetFieldDefaulted(tiff, TIFFIsTiled(tiff) ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &n_rows);
  if (n_rows == 0 || !TIFFRGBAImageBegin(&image, tiff, 1, reason)) {
    TIFFError(TIFFFileName(tiff), "%s", reason);
    return FALSE;
  }
  image.req_orientation = ORIENTATION_TOPLEFT;
  for (guint32 y = 0, n = 0; is_read && y < height; y += n) {
    n = MIN(n_rows, height - y);
    image.row_offset = (int)y;
    is_read = TIFFRGBAImageGet(&image, words + (gsize)y * width, width, n);
    vt_raster_tell((gint64)y + n, height);
  }
  TIFFRGBAImageEnd(&image);
  return is_read;
}

static VtRaster *
read_rgba(TIFF *tiff, const char *path, const guint8 background[3], const VtRasterRoom *room, GError **error)
{
  guint32 width = 0, height = 0;
  char reason[1024] = "";
  g_autofree char *name = vt_error_dup_name(path);
  if (!check_header(tiff, path, 4, room, &width, &height, error)
      || !vt_raster_check_room(name, 4 * (guint64)width * height, room, error))
    return NULL;
  if (!TIFFRGBAImageOK(tiff, reason)) {
    g_autofree char *valid = vt_error_dup_line(reason);
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "%s is a kind of TIFF that cannot be read (%s).", name, valid);
  }
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_RGBA8, width, height, error);
  if (!raster)
    return NULL;
  guint32 *words = (guint32 *)(gpointer)raster->data;
  TIFFSetField(tiff, TIFFTAG_ORIENTATION,
               ORIENTATION_TOPLEFT); /* as it is stored: libtiff would turn some, and not others */
  if (!read_bands(tiff, width, height, words) || g_private_get(&complaint)) {
    set_tiff_error(path, error);
    return NULL;
  }
  compose_rgba(raster, background);
  return g_steal_pointer(&raster);
}

VtRaster *
vt_raster_read_tiff_rgba(const char *path, const guint8 background[3], GError **error)
{
  g_autoptr(TIFF) tiff = vt_tiff_open(path, "rm");
  if (!tiff) {
    set_tiff_error(path, error);
    return NULL;
  }
  return read_rgba(tiff, path, background, NULL, error);
}

typedef struct {
  guint16 bits, samples, format, photometric;
} Layout;

static Layout
get_layout(TIFF *tiff)
{
  Layout layout = { 0 };
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout.format);
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout.photometric) != 1)
    layout.photometric = PHOTOMETRIC_MINISBLACK;
  return layout;
}

/* Pixel type of one raw channel; -1: not one that we hold. */
static VitrailPixelType
get_raw_type(const Layout *layout)
{
  const gboolean is_uint = layout->format == SAMPLEFORMAT_UINT || layout->format == SAMPLEFORMAT_VOID;
  if (layout->bits == 8 && is_uint)
    return VITRAIL_U8;
  if (layout->bits == 16 && is_uint)
    return VITRAIL_U16;
  if (layout->bits == 32 && (is_uint || layout->format == SAMPLEFORMAT_INT))
    return VITRAIL_I32;
  return layout->bits == 32 && layout->format == SAMPLEFORMAT_IEEEFP ? VITRAIL_F32 : -1;
}

/* Rows of one raw channel, block by block: a row of tiles, or one scan line. */
struct VtTiffRows {
  TIFF *tiff;
  char *path;
  Layout layout;
  VtRaster *raster; /* its type and size */
  guint32 tile_width, block_rows;
  guint8 *tile;    /* NULL: scan lines */
  VtRaster *block; /* of vt_tiff_rows_get(), from row block_y on; NULL: none yet */
  gint64 block_y;
};

/* What the raw samples of n rows say in another way than VtRaster does. */
static gboolean
normalise(const VtTiffRows *self, guint8 *data, gint64 n_rows, GError **error)
{
  const gsize n = (gsize)self->raster->width * (gsize)n_rows;
  const gboolean invert = self->layout.photometric == PHOTOMETRIC_MINISWHITE;
  const VitrailPixelType type = self->raster->type;
  if (invert && type == VITRAIL_U8) {
    for (gsize i = 0; i < n; i++)
      data[i] = (guint8)(255 - data[i]);
  } else if (invert && type == VITRAIL_U16) {
    for (gsize i = 0; i < n; i++)
      ((guint16 *)(gpointer)data)[i] = (guint16)(65535 - ((guint16 *)(gpointer)data)[i]);
  } else if (type == VITRAIL_I32 && self->layout.format != SAMPLEFORMAT_INT) {
    for (gsize i = 0; i < n; i++) {
      if (((gint32 *)(gpointer)data)[i] < 0) {
        g_autofree char *name = vt_error_dup_name(self->path);
        return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s holds 32-bit numbers above %d, which is the limit.", name,
                            G_MAXINT32);
      }
    }
  }
  return TRUE;
}

static gboolean
rows_init(VtTiffRows *self, GError **error)
{
  const gsize pixel_size = vt_pixel_size(self->raster->type);
  self->block_rows = 1;
  if (!TIFFIsTiled(self->tiff)) {
    if ((gsize)TIFFScanlineSize64(self->tiff) == self->raster->stride)
      return TRUE;
    set_tiff_error(self->path, error);
    return FALSE;
  }
  TIFFGetField(self->tiff, TIFFTAG_TILEWIDTH, &self->tile_width);
  TIFFGetField(self->tiff, TIFFTAG_TILELENGTH, &self->block_rows);
  const gsize size = (gsize)TIFFTileSize64(self->tiff);
  self->tile = g_try_malloc0(size);
  if (self->tile && self->tile_width > 0 && self->block_rows > 0
      && (gsize)self->tile_width * self->block_rows * pixel_size <= size)
    return TRUE;
  set_tiff_error(self->path, error);
  return FALSE;
}

/* The block of rows from y on, as many as are left, packed, into `data`. */
static gboolean
read_block(VtTiffRows *self, gint64 y, guint8 *data, GError **error)
{
  const VtRaster *raster = self->raster;
  const gsize pixel_size = vt_pixel_size(raster->type);
  const gint64 n_rows = MIN((gint64)self->block_rows, raster->height - y);
  if (!self->tile && TIFFReadScanline(self->tiff, data, (guint32)y, 0) < 0) {
    set_tiff_error(self->path, error);
    return FALSE;
  }
  for (gint64 x = 0; self->tile && x < raster->width; x += self->tile_width) {
    if (TIFFReadTile(self->tiff, self->tile, (guint32)x, (guint32)y, 0, 0) < 0) {
      set_tiff_error(self->path, error);
      return FALSE;
    }
    const gsize n_bytes = (gsize)MIN((gint64)self->tile_width, raster->width - x) * pixel_size;
    for (gint64 j = 0; j < n_rows; j++)
      memcpy(data + (gsize)j * raster->stride + (gsize)x * pixel_size,
             self->tile + (gsize)j * self->tile_width * pixel_size, n_bytes);
  }
  return normalise(self, data, n_rows, error);
}

static gboolean
read_blocks(VtTiffRows *self, GError **error)
{
  const VtRaster *raster = self->raster;
  if (!rows_init(self, error))
    return FALSE;
  for (gint64 y = 0; y < raster->height; y += self->block_rows) {
    if (!read_block(self, y, raster->data + (gsize)y * raster->stride, error))
      return FALSE;
    if (self->tile)
      vt_raster_rest(raster);
    else
      vt_raster_wrote(raster, y + 1);
    vt_raster_tell(MIN(y + (gint64)self->block_rows, raster->height), raster->height);
  }
  return TRUE;
}

static VtRaster *
read_raw(TIFF *tiff, const char *path, const Layout *layout, VitrailPixelType type, const VtRasterRoom *room,
         GError **error)
{
  guint32 width = 0, height = 0;
  if (!check_header(tiff, path, vt_pixel_size(type), room, &width, &height, error))
    return NULL;
  g_autoptr(VtRaster) raster = vt_raster_new_within(type, width, height, room, error);
  if (!raster)
    return NULL;
  VtTiffRows rows = { .tiff = tiff, .path = (char *)path, .layout = *layout, .raster = raster };
  const gboolean done = read_blocks(&rows, error);
  g_free(rows.tile);
  return done ? g_steal_pointer(&raster) : NULL;
}

/* One grey channel of fewer than 8 bits, which libtiff has spread to 0..255. */
static VtRaster *
take_grey(VtRaster *rgba, GError **error)
{
  VtRaster *grey = vt_raster_new(VITRAIL_U8, rgba->width, rgba->height, error);
  for (gsize i = 0; grey && i < grey->stride * (gsize)grey->height; i++)
    grey->data[i] = rgba->data[4 * i];
  return grey;
}

/* Of a TIFF that is not in colour; -1: not one that is held as it is. */
static VitrailPixelType
get_grey_type(const Layout *layout, gboolean *is_grey)
{
  *is_grey = layout->samples == 1
             && (layout->photometric == PHOTOMETRIC_MINISBLACK || layout->photometric == PHOTOMETRIC_MINISWHITE);
  return *is_grey ? get_raw_type(layout) : -1;
}

VtRaster *
vt_raster_read_tiff(const char *path, const VtRasterRoom *room, GError **error)
{
  static const guint8 white[3] = { 255, 255, 255 };
  g_autoptr(TIFF) tiff = vt_tiff_open(path, "rm");
  if (!tiff) {
    set_tiff_error(path, error);
    return NULL;
  }
  const Layout layout = get_layout(tiff);
  gboolean is_grey = FALSE;
  const VitrailPixelType type = get_grey_type(&layout, &is_grey);
  if (type >= 0)
    return read_raw(tiff, path, &layout, type, room, error);
  if (is_grey && layout.bits >= 8) {
    g_autofree char *name = vt_error_dup_name(path);
    return vt_error_set_null(
      error, VITRAIL_UNSUPPORTED,
      "%s holds %u-bit samples of a format that cannot be read; 8- and 16-bit unsigned, 32-bit integer and "
      "32-bit float can.",
      name, layout.bits);
  }
  g_autoptr(VtRaster) rgba = read_rgba(tiff, path, white, room, error);
  return rgba && is_grey ? take_grey(rgba, error) : g_steal_pointer(&rgba);
}

/* --- block by block --- */

/* A block has about so many bytes at least: each one is an answer of a process. */
#define BLOCK_BYTES ((gsize)1 << 20)

void
vt_tiff_rows_free(VtTiffRows *self)
{
  if (self->tiff)
    TIFFClose(self->tiff);
  g_clear_pointer(&self->raster, vt_raster_unref);
  g_clear_pointer(&self->block, vt_raster_unref);
  g_free(self->tile);
  g_free(self->path);
  g_free(self);
}

VtTiffRows *
vt_tiff_rows_new(const char *path, const VtRasterRoom *room, GError **error)
{
  g_autoptr(VtTiffRows) self = g_new0(VtTiffRows, 1);
  guint32 width = 0, height = 0;
  gboolean is_grey = FALSE;
  if (vt_raster_get_kind(path) != VT_FILE_TIFF)
    return NULL;
  self->path = g_strdup(path);
  self->tiff = vt_tiff_open(path, "rm");
  if (!self->tiff) {
    set_tiff_error(path, error);
    return NULL;
  }
  self->layout = get_layout(self->tiff);
  const VitrailPixelType type = get_grey_type(&self->layout, &is_grey);
  if (type < 0 || !check_header(self->tiff, path, vt_pixel_size(type), room, &width, &height, error))
    return NULL;
  self->raster = vt_raster_new_empty(type, width, height);
  if (!rows_init(self, error))
    return NULL;
  const gboolean fits = self->raster->stride * self->block_rows <= (room ? room->bytes : G_MAXSIZE);
  return fits ? g_steal_pointer(&self) : NULL;
}

VtRaster *
vt_tiff_rows_get_raster(VtTiffRows *self)
{
  return self->raster;
}

gint64
vt_tiff_rows_get_block_rows(const VtTiffRows *self)
{
  const gsize bytes = self->raster->stride * self->block_rows;
  return (gint64)self->block_rows * (gint64)MAX(BLOCK_BYTES / bytes, 1);
}

VtRaster *
vt_tiff_rows_read(VtTiffRows *self, gint64 y, GError **error)
{
  const gint64 n = MIN(vt_tiff_rows_get_block_rows(self), self->raster->height - y);
  g_autoptr(VtRaster) block = vt_raster_new(self->raster->type, self->raster->width, n, error);
  for (gint64 row = 0; block && row < n; row += self->block_rows)
    if (!read_block(self, y + row, block->data + (gsize)row * block->stride, error))
      return NULL;
  return g_steal_pointer(&block);
}

const guint8 *
vt_tiff_rows_get(VtTiffRows *self, gint64 y, GError **error)
{
  const gint64 block_y = y - y % vt_tiff_rows_get_block_rows(self);
  if (!self->block || block_y != self->block_y) {
    g_clear_pointer(&self->block, vt_raster_unref);
    self->block_y = block_y;
    self->block = vt_tiff_rows_read(self, block_y, error);
  }
  return self->block ? self->block->data + (gsize)(y - block_y) * self->block->stride : NULL;
}

/* --- place --- */

static gboolean
get_number(JsonObject *object, const char *name, double *value)
{
  JsonNode *node = json_object_get_member(object, name);
  *value = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : NAN;
  return isfinite(*value);
}

/* All of the description, or a comment in its OME-XML. Owned; NULL: no file of ours. */
static char *
dup_place(TIFF *tiff)
{
  static const char start[] = "{\"vitrail\": 1", before[] = "<Value>{\"vitrail\": 1", after[] = "</Value>";
  const char *text = NULL;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) != 1)
    return NULL;
  if (g_str_has_prefix(text, start))
    return g_strdup(text);
  const char *comment = g_str_has_prefix(text, "<?xml") ? strstr(text, before) : NULL;
  const char *end = comment ? strstr(comment, after) : NULL;
  return end ? g_strndup(comment + strlen("<Value>"), (gsize)(end - comment) - strlen("<Value>")) : NULL;
}

gboolean
vt_raster_is_result(const char *path)
{
  g_autoptr(TIFF) tiff = vt_raster_get_kind(path) == VT_FILE_TIFF ? vt_tiff_open(path, "rm") : NULL;
  g_autofree char *place = tiff ? dup_place(tiff) : NULL;
  return place != NULL;
}

gboolean
vt_raster_read_place(const char *path, VtRasterPlace *place)
{
  g_autoptr(TIFF) tiff = vt_raster_get_kind(path) == VT_FILE_TIFF ? vt_tiff_open(path, "rm") : NULL;
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  g_autofree char *text = tiff ? dup_place(tiff) : NULL;
  if (!text || !g_utf8_validate(text, -1, NULL) || !vt_json_parse(text, "", &parser, &places, NULL)
      || !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)))
    return FALSE;
  JsonObject *object = json_node_get_object(json_parser_get_root(parser));
  VtRasterPlace found;
  if (!get_number(object, "x", &found.x) || !get_number(object, "y", &found.y)
      || !get_number(object, "downsample", &found.downsample) || !get_number(object, "origin_x_l0", &found.origin_x_l0)
      || !get_number(object, "origin_y_l0", &found.origin_y_l0) || !get_number(object, "scale", &found.scale)
      || !get_number(object, "offset", &found.offset) || !vt_raster_is_place(&found))
    return FALSE;
  *place = found;
  return TRUE;
}
