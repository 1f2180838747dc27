/* SPDX-License-Identifier: MIT
 *
 * A file of shapes as bytes, unpacked if gzip made it, whatever its name says. */
#include <string.h>
#include <sys/stat.h>

#include "base/vt-file-private.h"
#include "run/vt-shapes-private.h"

#define MAX_BYTES ((goffset)4 << 30)
#define MAX_UNPACKED ((gsize)2 << 30)
#define CHUNK ((gsize)1 << 20)

/* Owned by the caller. NULL and a sentence. */
static char *
unpack(const char *packed, gsize packed_length, const char *name, GCancellable *cancellable, gsize *length,
       GError **error)
{
  g_autoptr(GConverter) gunzip = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr(GInputStream) bytes = g_memory_input_stream_new_from_data(packed, (gssize)packed_length, NULL);
  g_autoptr(GInputStream) stream = g_converter_input_stream_new(bytes, gunzip);
  g_autoptr(GError) local = NULL;
  g_autofree char *data = NULL;
  gsize room = 0, n = 0;
  for (;;) {
    gsize n_read = 0;
    if (n == MAX_UNPACKED)
      return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s is larger than 2 GiB when it is unpacked.", name);
    if (n == room) {
      room = MIN(MAX(2 * room, CHUNK), MAX_UNPACKED);
      char *larger = g_try_realloc(data, room);
      if (!larger)
        return vt_error_set_null(error, VITRAIL_READ_FAILED, "There is not enough memory to unpack %s.", name);
      data = larger;
    }
    if (!g_input_stream_read_all(stream, data + n, MIN(room - n, CHUNK), &n_read, cancellable, &local)) {
      if (!g_error_matches(local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s is damaged: it cannot be unpacked.", name);
      g_propagate_error(error, g_steal_pointer(&local));
      return NULL;
    }
    n += n_read;
    if (n_read == 0)
      break;
  }
  *length = n;
  return g_steal_pointer(&data);
}

VtShapes *
vt_shapes_read(const char *path, const VtShapesContext *context, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path), *data = NULL;
  gsize length = 0;
  struct stat info;
  if (!vt_file_check(path, error))
    return NULL;
  if (stat(path, &info) == 0 && info.st_size > MAX_BYTES)
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s is larger than 4 GiB.", name);
  if (!g_file_get_contents(path, &data, &length, NULL))
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s cannot be read.", name);
  if (length >= 2 && memcmp(data, "\x1f\x8b", 2) == 0) {
    g_autofree char *packed = g_steal_pointer(&data);
    data = unpack(packed, length, name, context ? context->cancellable : NULL, &length, error);
    if (!data)
      return NULL;
  }
  return vt_shapes_parse(data, (gssize)length, name, context, error);
}
