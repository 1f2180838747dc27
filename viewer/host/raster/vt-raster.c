/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "raster/vt-raster.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "base/vt-arena.h"
#include "base/vt-file-private.h"
#include "raster/vt-raster-private.h"

#define REST_BYTES ((gsize)16 << 20) /* after so many, what is in a file leaves memory */

gsize
vt_pixel_size(VitrailPixelType type)
{
  switch (type) {
  case VITRAIL_U8: return 1;
  case VITRAIL_U16: return 2;
  case VITRAIL_I32:
  case VITRAIL_F32:
  case VITRAIL_RGBA8: return 4;
  default: return 0;
  }
}

static guint64
get_machine_memory(void)
{
  const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 ? (guint64)pages * (guint64)page_size : (guint64)G_MAXINT32;
}

gboolean
vt_raster_check_size(const char *name, guint64 width, guint64 height, gsize pixel_size, GError **error)
{
  name = name ? name : "The image";
  if (width == 0 || height == 0 || width > G_MAXINT32 || height > G_MAXINT32)
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "%s: %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT " pixels are not a usable size.", name, width,
                        height);
  if (pixel_size == 0 || width * height <= get_machine_memory() / pixel_size)
    return TRUE;
  return vt_error_set(error, VITRAIL_OUT_OF_MEMORY,
                      "%s: %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT
                      " pixels are more than the memory of this machine holds.",
                      name, width, height);
}

gboolean
vt_raster_check_room(const char *name, guint64 bytes, const VtRasterRoom *room, GError **error)
{
  if (bytes <= (room ? room->bytes : get_machine_memory()))
    return TRUE;
  return vt_error_set(error, VITRAIL_OUT_OF_MEMORY,
                      "%s is stored in a way that takes %" G_GUINT64_FORMAT
                      " MiB of memory to read, which is more than is allowed for it.",
                      name, bytes >> 20);
}

static gboolean uses_memory_files = FALSE; /* set while there is one thread */

void
vt_raster_use_memory_files(void)
{
  uses_memory_files = TRUE;
}

static _Thread_local struct {
  VtRasterTold told;
  gpointer user;
} listener;

void
vt_raster_set_told(VtRasterTold told, gpointer user)
{
  listener.told = told;
  listener.user = user;
}

void
vt_raster_tell(gint64 done, gint64 of)
{
  if (listener.told)
    listener.told(done, of, listener.user);
}

static VtArena *
arena_new(const VtRasterRoom *room, GError **error)
{
  if (room->file)
    return vt_arena_new_in_file(fcntl(*room->file, F_DUPFD_CLOEXEC, 0), room->dir);
  g_mkdir_with_parents(room->dir, 0777);
  return vt_arena_new(room->dir, error);
}

/* NULL pixels: there is no memory, or errno is EFBIG: as a file it may not be so large. */
static void
allocate_in_memory_file(VtRaster *raster, gsize bytes)
{
#ifdef MFD_ALLOW_SEALING
  const int file = memfd_create("vitrail-raster", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
  const int file = -1;
#endif
  gpointer data = NULL;
  const gboolean fits = file >= 0 && ftruncate(file, (off_t)bytes) == 0;
  const int number = errno;
  if (fits)
    raster->arena = vt_arena_new_written(file, bytes, &data);
  else if (file >= 0)
    close(file);
  errno = fits ? ENOMEM : number;
  raster->data = raster->arena ? data : NULL;
}

int
vt_raster_free_to_file(VtRaster *raster)
{
  VtArena *arena = g_steal_pointer(&raster->arena);
  raster->data = NULL;
  vt_raster_unref(raster);
  return arena ? vt_arena_free_to_file(arena) : -1;
}

/* In large pages where there are whole ones: each page is a fault. */
static gpointer
try_malloc0(gsize bytes)
{
  gpointer data = g_try_malloc0(bytes);
#ifdef MADV_HUGEPAGE
  const guintptr large = (guintptr)2 << 20, from = ((guintptr)data + large - 1) & ~(large - 1),
                 end = ((guintptr)data + bytes) & ~(large - 1);
  if (data && end > from)
    madvise((gpointer)from, end - from, MADV_HUGEPAGE); /* a wish: its failure costs time only */
#endif
  return data;
}

static gboolean
allocate(VtRaster *raster, gsize bytes, const VtRasterRoom *room, GError **error)
{
  if (room && bytes > room->bytes) {
    raster->arena = arena_new(room, error);
    raster->data = raster->arena ? vt_arena_take(raster->arena, bytes, error) : NULL;
    return raster->data != NULL;
  }
  if (uses_memory_files)
    allocate_in_memory_file(raster, bytes);
  else
    raster->data = try_malloc0(bytes);
  if (!raster->data && uses_memory_files && errno == EFBIG)
    return vt_error_set(error, VITRAIL_OUT_OF_MEMORY,
                        "An image of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels takes %" G_GSIZE_FORMAT
                        " bytes, and files may have at most %" G_GUINT64_FORMAT
                        " here, as ulimit -f says: memory that processes share counts as a file.",
                        raster->width, raster->height, bytes, vt_file_get_most_bytes());
  if (!raster->data)
    g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY,
                "There is no memory for an image of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels.", raster->width,
                raster->height);
  return raster->data != NULL;
}

static void
raster_clear(gpointer data)
{
  VtRaster *raster = data;
  if (raster->arena)
    vt_arena_free(raster->arena);
  else if (raster->mapping)
    g_mapped_file_unref(raster->mapping);
  else
    g_free(raster->data);
}

VtRaster *
vt_raster_new_empty(VitrailPixelType type, gint64 width, gint64 height)
{
  VtRaster *raster = g_atomic_rc_box_new0(VtRaster);
  raster->type = type;
  raster->width = width;
  raster->height = height;
  raster->stride = (gsize)width * vt_pixel_size(type);
  raster->downsample = raster->scale = 1;
  return raster;
}

VtRaster *
vt_raster_new_mapped(const VtRaster *head, GMappedFile *mapping)
{
  VtRaster *raster = g_atomic_rc_box_new0(VtRaster);
  *raster = *head;
  raster->mapping = mapping;
  raster->data = (guint8 *)g_mapped_file_get_contents(mapping);
  return raster;
}

VtRaster *
vt_raster_new_in_arena(const VtRaster *head, struct VtArena *arena, guint8 *data)
{
  VtRaster *raster = g_atomic_rc_box_new0(VtRaster);
  *raster = *head;
  raster->arena = arena;
  raster->data = data;
  return raster;
}

VtRaster *
vt_raster_new_within(VitrailPixelType type, gint64 width, gint64 height, const VtRasterRoom *room, GError **error)
{
  const gsize pixel_size = vt_pixel_size(type);
  g_return_val_if_fail(pixel_size > 0, NULL);
  if (!vt_raster_check_size(NULL, (guint64)MAX(width, 0), (guint64)MAX(height, 0), room ? 0 : pixel_size, error))
    return NULL;
  g_autoptr(VtRaster) raster = vt_raster_new_empty(type, width, height);
  return allocate(raster, raster->stride * (gsize)height, room, error) ? g_steal_pointer(&raster) : NULL;
}

VtRaster *
vt_raster_new(VitrailPixelType type, gint64 width, gint64 height, GError **error)
{
  return vt_raster_new_within(type, width, height, NULL, error);
}

VtRaster *
vt_raster_new_in(const char *dir, VitrailPixelType type, gint64 width, gint64 height, GError **error)
{
  return vt_raster_new_within(type, width, height, &(VtRasterRoom){ 0, dir }, error);
}

void
vt_raster_rest(const VtRaster *raster)
{
  if (raster->arena)
    vt_arena_rest(raster->arena);
}

void
vt_raster_wrote(const VtRaster *raster, gint64 y)
{
  const gint64 rows = MAX((gint64)(REST_BYTES / raster->stride), 1);
  if (raster->arena && y % rows == 0)
    vt_arena_rest(raster->arena);
}

VtRaster *
vt_raster_thin(const VtRaster *raster, gint64 x, gint64 y, gint64 width, gint64 height, gint64 step)
{
  const gint64 left = MAX(x, raster->x), top = MAX(y, raster->y);
  const gint64 right = MIN(x + width, raster->x + raster->width), bottom = MIN(y + height, raster->y + raster->height);
  const gsize size = vt_pixel_size(raster->type);
  if (left >= right || top >= bottom)
    return NULL;
  const gint64 x0 = left / step, y0 = top / step, columns = (right - 1) / step - x0 + 1,
               rows = (bottom - 1) / step - y0 + 1;
  VtRaster *thin = vt_raster_new(raster->type, columns, rows, NULL);
  for (gint64 j = 0; thin && j < rows; j++) {
    const gint64 row = CLAMP((y0 + j) * step + step / 2, raster->y, raster->y + raster->height - 1) - raster->y;
    const guint8 *from = raster->data + (gsize)row * raster->stride;
    guint8 *to = thin->data + (gsize)j * thin->stride;
    for (gint64 i = 0; i < columns; i++, to += size) {
      const gint64 column = CLAMP((x0 + i) * step + step / 2, raster->x, raster->x + raster->width - 1) - raster->x;
      memcpy(to, from + (gsize)column * size, size);
    }
  }
  if (!thin)
    return NULL;
  vt_raster_take_layout(thin, raster);
  thin->x = x0;
  thin->y = y0;
  thin->downsample *= (double)step;
  return thin;
}

void
vt_raster_take_layout(VtRaster *raster, const VtRaster *layout)
{
  const VtRaster own = *raster;
  *raster = *layout;
  raster->width = own.width;
  raster->height = own.height;
  raster->stride = own.stride;
  raster->data = own.data;
  raster->arena = own.arena;
  raster->mapping = own.mapping;
}

VT_DEFINE_REF(VtRaster, vt_raster, raster_clear)

void
vt_raster_get_bounds_l0(const VtRaster *raster, double *x, double *y, double *width, double *height)
{
  *x = raster->origin_x_l0 + (double)raster->x * raster->downsample;
  *y = raster->origin_y_l0 + (double)raster->y * raster->downsample;
  *width = (double)raster->width * raster->downsample;
  *height = (double)raster->height * raster->downsample;
}

double
vt_raster_get_raw(const VtRaster *raster, gint64 col, gint64 row)
{
  const guint8 *p = raster->data + (gsize)row * raster->stride + (gsize)col * vt_pixel_size(raster->type);
  switch (raster->type) {
  case VITRAIL_U8: return *p;
  case VITRAIL_U16: return *(const guint16 *)(gconstpointer)p;
  case VITRAIL_I32: return *(const gint32 *)(gconstpointer)p;
  case VITRAIL_F32: return (double)*(const float *)(gconstpointer)p;
  default: return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
  }
}

gboolean
vt_raster_find_l0(const VtRaster *raster, double x_l0, double y_l0, gint64 *col, gint64 *row)
{
  const double x = floor((x_l0 - raster->origin_x_l0) / raster->downsample) - (double)raster->x;
  const double y = floor((y_l0 - raster->origin_y_l0) / raster->downsample) - (double)raster->y;
  if (!(x >= 0 && y >= 0 && x < (double)raster->width && y < (double)raster->height))
    return FALSE;
  *col = (gint64)x;
  *row = (gint64)y;
  return TRUE;
}

gboolean
vt_raster_lookup_l0(const VtRaster *raster, double x_l0, double y_l0, double *value)
{
  gint64 col, row;
  if (!vt_raster_find_l0(raster, x_l0, y_l0, &col, &row))
    return FALSE;
  *value = vt_raster_get_raw(raster, col, row);
  return TRUE;
}

gboolean
vt_raster_lookup_rgb_l0(const VtRaster *raster, double x_l0, double y_l0, guint8 rgb[3])
{
  gint64 col, row;
  if (raster->type != VITRAIL_RGBA8 || !vt_raster_find_l0(raster, x_l0, y_l0, &col, &row))
    return FALSE;
  memcpy(rgb, raster->data + (gsize)row * raster->stride + (gsize)col * 4, 3);
  return TRUE;
}

/* Of one row of whole numbers, or of floats, of which some count. */
#define ROW_RANGE(T, counts) \
  for (gint64 col = 0; col < raster->width; col++) { \
    const T value = ((const T *)(gconstpointer)row)[col]; \
    if (!(counts)) \
      continue; \
    lo = MIN(lo, (double)value); \
    hi = MAX(hi, (double)value); \
  }

gboolean
vt_raster_get_range(const VtRaster *raster, double *min, double *max)
{
  double lo = INFINITY, hi = -INFINITY;
  for (gint64 y = 0; y < raster->height; y++) {
    const guint8 *row = raster->data + (gsize)y * raster->stride;
    switch (raster->type) {
    case VITRAIL_U8: ROW_RANGE(guint8, TRUE) break;
    case VITRAIL_U16: ROW_RANGE(guint16, TRUE) break;
    case VITRAIL_I32: ROW_RANGE(gint32, TRUE) break;
    case VITRAIL_F32: ROW_RANGE(float, isfinite(value)) break;
    default:
      for (gint64 col = 0; col < raster->width; col++) {
        const double value = vt_raster_get_raw(raster, col, y);
        lo = MIN(lo, value);
        hi = MAX(hi, value);
      }
    }
  }
  if (lo > hi)
    return FALSE;
  const double a = lo * raster->scale + raster->offset, b = hi * raster->scale + raster->offset;
  *min = MIN(a, b);
  *max = MAX(a, b);
  return TRUE;
}

/* Mean of an integer sum, halves up, also below zero. */
static gint64
rounded_mean(gint64 sum, gint64 n)
{
  const gint64 doubled = 2 * sum + n, quotient = doubled / (2 * n);
  return quotient - (doubled % (2 * n) < 0);
}

static void
write_mean(const VtRaster *raster, gint64 x0, gint64 y0, gint64 x1, gint64 y1, guint8 *out)
{
  const gsize pixel_size = vt_pixel_size(raster->type);
  gint64 sums[4] = { 0 };
  double sum = 0;
  for (gint64 y = y0; y < y1; y++) {
    const guint8 *in = raster->data + (gsize)y * raster->stride + (gsize)x0 * pixel_size;
    for (gint64 x = x0; x < x1; x++, in += pixel_size) {
      switch (raster->type) {
      case VITRAIL_U8: sums[0] += *in; break;
      case VITRAIL_U16: sums[0] += *(const guint16 *)(gconstpointer)in; break;
      case VITRAIL_I32: sums[0] += *(const gint32 *)(gconstpointer)in; break;
      case VITRAIL_F32: sum += (double)*(const float *)(gconstpointer)in; break;
      default:
        for (int c = 0; c < 4; c++)
          sums[c] += in[c];
      }
    }
  }
  const gint64 n = (x1 - x0) * (y1 - y0);
  switch (raster->type) {
  case VITRAIL_U8: *out = (guint8)rounded_mean(sums[0], n); break;
  case VITRAIL_U16: *(guint16 *)(gpointer)out = (guint16)rounded_mean(sums[0], n); break;
  case VITRAIL_I32: *(gint32 *)(gpointer)out = (gint32)rounded_mean(sums[0], n); break;
  case VITRAIL_F32: *(float *)(gpointer)out = (float)(sum / (double)n); break;
  default:
    for (int c = 0; c < 4; c++)
      out[c] = (guint8)rounded_mean(sums[c], n);
  }
}

/* What was looked at a while ago leaves memory. */
static void
note_looked_at(const VtRaster *raster, gsize bytes)
{
  static gsize looked_at = 0;
  if (raster->arena && g_atomic_pointer_add(&looked_at, bytes) % REST_BYTES + bytes >= REST_BYTES)
    vt_arena_rest(raster->arena);
}

gboolean
vt_raster_read_region(const VtRaster *raster, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height,
                      guint8 *dst, gsize stride, GError **error)
{
  const gint64 d = downsample;
  const VtRect rect = { x, y, width, height };
  const gsize pixel_size = vt_pixel_size(raster->type);
  if (!vt_rect_is_on_grid(&rect, raster->width, raster->height, downsample))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "The region asked for is not inside the image.");
  for (gint64 j = 0; j < height; j++) {
    guint8 *out = dst + (gsize)j * stride;
    note_looked_at(raster, (gsize)(width * d * d) * pixel_size);
    if (d == 1) {
      memcpy(out, raster->data + (gsize)(y + j) * raster->stride + (gsize)x * pixel_size, (gsize)width * pixel_size);
      continue;
    }
    for (gint64 i = 0; i < width; i++)
      write_mean(raster, (x + i) * d, (y + j) * d, MIN((x + i + 1) * d, raster->width),
                 MIN((y + j + 1) * d, raster->height), out + (gsize)i * pixel_size);
  }
  return TRUE;
}

VtFileKind
vt_raster_get_kind(const char *path)
{
  guint8 magic[4] = { 0 };
  FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rb") : NULL;
  const gsize n = file ? fread(magic, 1, sizeof magic, file) : 0;
  if (file)
    fclose(file);
  if (n < sizeof magic)
    return VT_FILE_OTHER;
  if (memcmp(magic, "\x89PNG", 4) == 0)
    return VT_FILE_PNG;
  if (memcmp(magic, "\xff\xd8\xff", 3) == 0)
    return VT_FILE_JPEG;
  return memcmp(magic, "II", 2) == 0 || memcmp(magic, "MM", 2) == 0 ? VT_FILE_TIFF : VT_FILE_OTHER;
}

VtRaster *
vt_raster_read(const char *path, GError **error)
{
  return vt_raster_read_within(path, NULL, error);
}

VtRaster *
vt_raster_read_within(const char *path, const VtRasterRoom *room, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  switch (vt_raster_get_kind(path)) {
  case VT_FILE_PNG: return vt_raster_read_png(path, room, error);
  case VT_FILE_JPEG: return vt_raster_read_jpeg(path, room, error);
  case VT_FILE_TIFF: return vt_raster_read_tiff(path, room, error);
  default: break;
  }
  if (!vt_file_check(path, error))
    return NULL;
  return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s is neither a PNG, a JPEG nor a TIFF image.", name);
}
