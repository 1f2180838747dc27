/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/vt-error.h"
#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "base/vt-zip-private.h"
#include "base/vt-zip.h"

#define DATE 0x5821 /* 2024-01-01: the same file for the same folder */

typedef struct {
  char *name;
  guint64 bytes, packed, offset;
  guint32 crc;
  guint method;
} Packed;

typedef struct {
  const char *folder;
  FILE *file;
  GPtrArray *entries; /* Packed */
  guint64 n_done, n_bytes;
  VtZipProgress progress;
  gpointer user;
  GCancellable *cancellable;
} Packing;

VT_DEFINE_FREE(packed_free, Packed, VT_FREES(g_free, name))

static gboolean
fail(GError **error, const char *what)
{
  const int number = errno;
  g_autofree char *shown = vt_error_dup_path(what);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "%s cannot be packed: %s.", shown,
              g_strerror(number));
  return FALSE;
}

/* Pictures and slides are packed already. */
static guint
choose_method(const char *name)
{
  static const char *const texts[] = { ".json", ".geojson", ".csv", ".txt", ".vitrail" };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (g_str_has_suffix(name, texts[i]))
      return VT_ZIP_DEFLATED;
  return VT_ZIP_STORED;
}

static int
compare_entries(gconstpointer a, gconstpointer b)
{
  return strcmp((*(const Packed *const *)a)->name, (*(const Packed *const *)b)->name);
}

/* All files below a folder; `name` of it, relative, "" for the first. */
static gboolean
list_files(Packing *packing, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename(packing->folder, name, NULL);
  g_autoptr(GDir) dir = g_dir_open(path, 0, error);
  const char *inside;
  while (dir && (inside = g_dir_read_name(dir))) {
    GStatBuf facts;
    g_autofree char *its_name = *name ? g_strconcat(name, "/", inside, NULL) : g_strdup(inside);
    g_autofree char *its_path = g_build_filename(packing->folder, its_name, NULL);
    if (g_lstat(its_path, &facts) != 0)
      return fail(error, its_path);
    if (S_ISDIR(facts.st_mode) && !list_files(packing, its_name, error))
      return FALSE;
    if (!S_ISREG(facts.st_mode))
      continue;
    Packed *entry = g_new0(Packed, 1);
    entry->method = choose_method(its_name);
    entry->name = g_steal_pointer(&its_name);
    entry->bytes = (guint64)facts.st_size;
    packing->n_bytes += entry->bytes;
    g_ptr_array_add(packing->entries, entry);
  }
  return dir != NULL;
}

static gboolean
write_bytes(Packing *packing, gconstpointer bytes, gsize n)
{
  return fwrite(bytes, 1, n, packing->file) == n;
}

/* What stands of it before the file and in the directory. */
static void
put_facts(GByteArray *bytes, const Packed *entry, guint n_extra)
{
  vt_zip_put(bytes, 45, 2);
  vt_zip_put(bytes, VT_ZIP_UTF8, 2);
  vt_zip_put(bytes, entry->method, 2);
  vt_zip_put(bytes, 0, 2);
  vt_zip_put(bytes, DATE, 2);
  vt_zip_put(bytes, entry->crc, 4);
  vt_zip_put(bytes, VT_ZIP_IN_EXTRA, 4);
  vt_zip_put(bytes, VT_ZIP_IN_EXTRA, 4);
  vt_zip_put(bytes, strlen(entry->name), 2);
  vt_zip_put(bytes, n_extra, 2);
}

/* Sizes that are not known yet have room for 64 bits; they are written again when they are. */
static void
put_local(GByteArray *head, const Packed *entry)
{
  vt_zip_put(head, VT_ZIP_LOCAL, 4);
  put_facts(head, entry, 20);
  g_byte_array_append(head, (const guint8 *)entry->name, (guint)strlen(entry->name));
  vt_zip_put(head, VT_ZIP_EXTRA64, 2);
  vt_zip_put(head, 16, 2);
  vt_zip_put(head, entry->bytes, 8);
  vt_zip_put(head, entry->packed, 8);
}

static gboolean
write_local(Packing *packing, const Packed *entry)
{
  g_autoptr(GByteArray) head = g_byte_array_new();
  put_local(head, entry);
  return fseeko(packing->file, (off_t)entry->offset, SEEK_SET) == 0 && write_bytes(packing, head->data, head->len);
}

/* A block of the file, or its end. */
static gboolean
write_block(Packing *packing, Packed *entry, z_stream *stream, guint8 *in, gsize n, gboolean is_last)
{
  g_autofree guint8 *out = g_malloc(VT_ZIP_BLOCK);
  entry->crc = (guint32)crc32(entry->crc, in, (uInt)n);
  if (entry->method == VT_ZIP_STORED) {
    entry->packed += n;
    return write_bytes(packing, in, n);
  }
  stream->next_in = in;
  stream->avail_in = (uInt)n;
  do {
    stream->next_out = out;
    stream->avail_out = VT_ZIP_BLOCK;
    deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    entry->packed += VT_ZIP_BLOCK - stream->avail_out;
    if (!write_bytes(packing, out, VT_ZIP_BLOCK - stream->avail_out))
      return FALSE;
  } while (stream->avail_out == 0);
  return TRUE;
}

static gboolean
pack_stream(Packing *packing, Packed *entry, FILE *from, z_stream *stream, GError **error)
{
  g_autofree guint8 *in = g_malloc(VT_ZIP_BLOCK);
  guint64 bytes = 0;
  for (gsize n = VT_ZIP_BLOCK; n == VT_ZIP_BLOCK;) {
    if (g_cancellable_set_error_if_cancelled(packing->cancellable, error))
      return FALSE;
    n = fread(in, 1, VT_ZIP_BLOCK, from);
    bytes += n;
    if (ferror(from) || !write_block(packing, entry, stream, in, n, n < VT_ZIP_BLOCK))
      return fail(error, entry->name);
    packing->n_done += n;
    if (packing->progress && packing->n_bytes > 0)
      packing->progress(MIN((double)packing->n_done / (double)packing->n_bytes, 1), packing->user);
  }
  entry->bytes = bytes;
  return TRUE;
}

static gboolean
pack_file(Packing *packing, Packed *entry, GError **error)
{
  g_autofree char *path = g_build_filename(packing->folder, entry->name, NULL);
  z_stream stream = { 0 };
  entry->offset = (guint64)ftello(packing->file);
  FILE *from = g_fopen(path, "rb");
  gboolean is_good = from && write_local(packing, entry);
  if (!is_good)
    fail(error, path);
  if (is_good && deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK) {
    is_good = pack_stream(packing, entry, from, &stream, error);
    deflateEnd(&stream);
  }
  if (from)
    fclose(from);
  const off_t end = ftello(packing->file);
  if (is_good && !(write_local(packing, entry) && fseeko(packing->file, end, SEEK_SET) == 0))
    is_good = fail(error, path);
  return is_good;
}

static void
put_entry(GByteArray *directory, const Packed *entry)
{
  vt_zip_put(directory, VT_ZIP_ENTRY, 4);
  vt_zip_put(directory, 3 << 8 | 45, 2);
  put_facts(directory, entry, 28);
  vt_zip_put(directory, 0, 6); /* comment, disk, internal attributes */
  vt_zip_put(directory, (guint64)0100644 << 16, 4);
  vt_zip_put(directory, VT_ZIP_IN_EXTRA, 4);
  g_byte_array_append(directory, (const guint8 *)entry->name, (guint)strlen(entry->name));
  vt_zip_put(directory, VT_ZIP_EXTRA64, 2);
  vt_zip_put(directory, 24, 2);
  vt_zip_put(directory, entry->bytes, 8);
  vt_zip_put(directory, entry->packed, 8);
  vt_zip_put(directory, entry->offset, 8);
}

static gboolean
write_directory(Packing *packing, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  const guint64 begin = (guint64)ftello(packing->file), n = packing->entries->len;
  for (guint i = 0; i < n; i++)
    put_entry(bytes, packing->entries->pdata[i]);
  const guint64 size = bytes->len;
  vt_zip_put(bytes, VT_ZIP_END64, 4);
  vt_zip_put(bytes, VT_ZIP_END64_BYTES - 12, 8);
  vt_zip_put(bytes, 3 << 8 | 45, 2);
  vt_zip_put(bytes, 45, 2);
  vt_zip_put(bytes, 0, 8); /* disks */
  vt_zip_put(bytes, n, 8);
  vt_zip_put(bytes, n, 8);
  vt_zip_put(bytes, size, 8);
  vt_zip_put(bytes, begin, 8);
  vt_zip_put(bytes, VT_ZIP_LOCATOR64, 4);
  vt_zip_put(bytes, 0, 4);
  vt_zip_put(bytes, begin + size, 8);
  vt_zip_put(bytes, 1, 4);
  vt_zip_put(bytes, VT_ZIP_END, 4);
  vt_zip_put(bytes, 0, 4);
  vt_zip_put(bytes, MIN(n, 0xffff), 2);
  vt_zip_put(bytes, MIN(n, 0xffff), 2);
  vt_zip_put(bytes, MIN(size, VT_ZIP_IN_EXTRA), 4);
  vt_zip_put(bytes, MIN(begin, VT_ZIP_IN_EXTRA), 4);
  vt_zip_put(bytes, 0, 2);
  return write_bytes(packing, bytes->data, bytes->len) || fail(error, packing->folder);
}

static gboolean
pack_all(Packing *packing, GError **error)
{
  if (!list_files(packing, "", error))
    return FALSE;
  g_ptr_array_sort(packing->entries, compare_entries);
  for (guint i = 0; i < packing->entries->len; i++)
    if (!pack_file(packing, packing->entries->pdata[i], error))
      return FALSE;
  return write_directory(packing, error);
}

gboolean
vt_zip_pack(const char *folder, const char *path, VtZipProgress progress, gpointer user, GCancellable *cancellable,
            GError **error)
{
  g_autofree char *temp = vt_file_dup_temp_path(path), *shown = vt_error_dup_path(path);
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(packed_free);
  if (g_file_test(path, G_FILE_TEST_EXISTS))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s is there already.", shown);
  Packing packing = { folder, g_fopen(temp, "wb"), entries, 0, 0, progress, user, cancellable };
  gboolean is_good = packing.file ? pack_all(&packing, error) : fail(error, path);
  if (packing.file && fclose(packing.file) != 0 && is_good)
    is_good = fail(error, path);
  if (is_good && g_rename(temp, path) != 0)
    is_good = fail(error, path);
  if (!is_good)
    g_unlink(temp);
  return is_good;
}
