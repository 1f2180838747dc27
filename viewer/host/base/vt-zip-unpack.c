/* SPDX-License-Identifier: MIT
 *
 * The directory at the end is the truth; what stands before each file must agree with it. All entries are checked before the first byte is written. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <zlib.h>

#include "base/vt-error.h"
#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "base/vt-zip-private.h"
#include "base/vt-zip.h"

#define MOST_ENTRIES 100000
#define LONGEST_NAME 4096
#define MOST_UNPACKED \
  ((guint64)4 << 30) /* of what is deflated: texts, which can be a thousand times as long as they are packed */

typedef struct {
  char *name, *shown;                   /* shown: the name in sentences */
  guint64 bytes, packed, offset, begin; /* begin: of its data */
  guint32 crc;
  guint method;
} Entry;

typedef struct {
  FILE *file;
  const char *name; /* to be shown */
  guint64 n_bytes;
  GPtrArray *entries;    /* Entry */
  guint64 *n_out, n_all; /* bytes that were written, of how many */
  VtZipProgress progress;
  gpointer user;
  GCancellable *cancellable;
  GError **error;
} Archive;

VT_DEFINE_FREE(entry_free, Entry, VT_FREES(g_free, name, shown))

#define refuse(self, format, ...) \
  vt_error_set((self)->error, VITRAIL_READ_FAILED, "%s cannot be unpacked: " format ".", (self)->name, ##__VA_ARGS__)

static gboolean
read_at(const Archive *self, guint64 offset, gpointer to, gsize n)
{
  if (offset > self->n_bytes || n > self->n_bytes - offset)
    return refuse(self, "it is cut off or damaged");
  return (fseeko(self->file, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, n, self->file) == n)
         || refuse(self, "it cannot be read");
}

/* Where the directory begins, how long it is, how many entries it has. */
static gboolean
find_directory(const Archive *self, guint64 *begin, guint64 *size, guint64 *n)
{
  const gsize room = (gsize)MIN(self->n_bytes, VT_ZIP_END_BYTES + 0xffff);
  g_autofree guint8 *tail = g_malloc(room + 1);
  if (self->n_bytes < VT_ZIP_END_BYTES)
    return refuse(self, "it is no ZIP archive");
  if (!read_at(self, self->n_bytes - room, tail, room))
    return FALSE;
  gsize at = room - VT_ZIP_END_BYTES + 1;
  while (at > 0 && vt_zip_get(tail + at - 1, 4) != VT_ZIP_END)
    at--;
  if (at-- == 0)
    return refuse(self, "it is no ZIP archive, or cut off");
  const guint8 *end = tail + at;
  *n = vt_zip_get(end + 10, 2);
  *size = vt_zip_get(end + 12, 4);
  *begin = vt_zip_get(end + 16, 4);
  const guint64 end_at = self->n_bytes - room + at;
  guint8 locator[VT_ZIP_LOCATOR64_BYTES], end64[VT_ZIP_END64_BYTES];
  const gboolean has_more = end_at >= sizeof locator;
  if (has_more && !read_at(self, end_at - sizeof locator, locator, sizeof locator))
    return FALSE;
  if (has_more && vt_zip_get(locator, 4) == VT_ZIP_LOCATOR64) {
    if (!read_at(self, vt_zip_get(locator + 8, 8), end64, sizeof end64))
      return FALSE;
    if (vt_zip_get(end64, 4) != VT_ZIP_END64)
      return refuse(self, "it is damaged");
    *n = vt_zip_get(end64 + 32, 8);
    *size = vt_zip_get(end64 + 40, 8);
    *begin = vt_zip_get(end64 + 48, 8);
  }
  if (vt_zip_get(end + 4, 2) != 0 && vt_zip_get(end + 4, 2) != 0xffff)
    return refuse(self, "it is one of several parts");
  if (*n > MOST_ENTRIES)
    return refuse(self, "it has %" G_GUINT64_FORMAT " files, and %d are allowed", *n, MOST_ENTRIES);
  if (*begin > self->n_bytes || *size > self->n_bytes - *begin || *size < *n * VT_ZIP_ENTRY_BYTES)
    return refuse(self, "it is cut off or damaged");
  return TRUE;
}

/* Parts of a relative path, none of which leads up or is empty. */
static gboolean
is_inside(const char *name)
{
  if (*name == '\0' || *name == '/' || strlen(name) > LONGEST_NAME || strpbrk(name, "\\:")
      || !g_utf8_validate(name, -1, NULL))
    return FALSE;
  g_auto(GStrv) parts = g_strsplit(name, "/", -1);
  const guint n = g_strv_length(parts);
  for (guint i = 0; i < n; i++)
    if (g_str_equal(parts[i], "..") || g_str_equal(parts[i], ".") || (*parts[i] == '\0' && i + 1 < n))
      return FALSE;
  return TRUE;
}

/* Of those sizes that stand in the extra field, in their order. */
static gboolean
take_extra(Entry *entry, const guint8 *extra, gsize n)
{
  guint64 *const sizes[] = { &entry->bytes, &entry->packed, &entry->offset };
  for (gsize at = 0; at + 4 <= n;) {
    const guint8 *field = extra + at + 4;
    const gsize length = (gsize)vt_zip_get(extra + at + 2, 2);
    gsize used = 0;
    if (at + 4 + length > n)
      return FALSE;
    for (guint i = 0; vt_zip_get(extra + at, 2) == VT_ZIP_EXTRA64 && i < G_N_ELEMENTS(sizes); i++) {
      if (*sizes[i] != VT_ZIP_IN_EXTRA)
        continue;
      if (used + 8 > length)
        return FALSE;
      *sizes[i] = vt_zip_get(field + used, 8);
      used += 8;
    }
    at += 4 + length;
  }
  return TRUE;
}

/* NULL: it is none, which is said. */
static Entry *
read_entry(const Archive *self, const guint8 *bytes, gsize room, gsize *used)
{
  const gsize name = room < VT_ZIP_ENTRY_BYTES ? 0 : (gsize)vt_zip_get(bytes + 28, 2);
  const gsize extra = room < VT_ZIP_ENTRY_BYTES ? 0 : (gsize)vt_zip_get(bytes + 30, 2);
  const gsize comment = room < VT_ZIP_ENTRY_BYTES ? 0 : (gsize)vt_zip_get(bytes + 32, 2);
  *used = VT_ZIP_ENTRY_BYTES + name + extra + comment;
  if (*used > room || vt_zip_get(bytes, 4) != VT_ZIP_ENTRY || memchr(bytes + VT_ZIP_ENTRY_BYTES, 0, name)) {
    refuse(self, "it is damaged");
    return NULL;
  }
  Entry *entry = g_new0(Entry, 1);
  g_ptr_array_add(self->entries, entry);
  *entry = (Entry){ .name = g_strndup((const char *)bytes + VT_ZIP_ENTRY_BYTES, name),
                    .packed = vt_zip_get(bytes + 20, 4),
                    .bytes = vt_zip_get(bytes + 24, 4),
                    .offset = vt_zip_get(bytes + 42, 4),
                    .crc = (guint32)vt_zip_get(bytes + 16, 4),
                    .method = (guint)vt_zip_get(bytes + 10, 2) };
  const guint mode = (guint)vt_zip_get(bytes + 38, 4) >> 16, flags = (guint)vt_zip_get(bytes + 8, 2);
  entry->shown = vt_error_dup_shown(entry->name);
  if (!take_extra(entry, bytes + VT_ZIP_ENTRY_BYTES + name, extra))
    refuse(self, "it is damaged at “%s”", entry->shown);
  else if (!is_inside(entry->name))
    refuse(self, "“%s” in it is no name that stays in its folder", entry->shown);
  else if ((mode & 0170000) == 0120000)
    refuse(self, "“%s” in it is a link", entry->shown);
  else if (flags & 1)
    refuse(self, "“%s” in it is encrypted", entry->shown);
  else if (entry->method != VT_ZIP_STORED && entry->method != VT_ZIP_DEFLATED)
    refuse(self, "“%s” in it is packed in a way that is not known here (%u)", entry->shown, entry->method);
  else if (entry->method == VT_ZIP_STORED && entry->bytes != entry->packed)
    refuse(self, "it is damaged at “%s”", entry->shown);
  else
    return entry;
  return NULL;
}

/* Its data begin after a head of its own, whose name must be the same. */
static gboolean
find_data(const Archive *self, Entry *entry)
{
  guint8 head[VT_ZIP_LOCAL_BYTES];
  const gsize length = strlen(entry->name);
  g_autofree char *name = g_malloc0(length + 1);
  if (!read_at(self, entry->offset, head, sizeof head))
    return FALSE;
  if (vt_zip_get(head, 4) != VT_ZIP_LOCAL || vt_zip_get(head + 26, 2) != length
      || vt_zip_get(head + 8, 2) != entry->method)
    return refuse(self, "it is damaged at “%s”", entry->shown);
  if (!read_at(self, entry->offset + sizeof head, name, length))
    return FALSE;
  entry->begin = entry->offset + sizeof head + length + vt_zip_get(head + 28, 2);
  if (!g_str_equal(name, entry->name) || entry->begin > self->n_bytes || entry->packed > self->n_bytes - entry->begin)
    return refuse(self, "it is damaged at “%s”", entry->shown);
  return TRUE;
}

static int
compare_offsets(gconstpointer a, gconstpointer b)
{
  const Entry *p = *(const Entry *const *)a, *q = *(const Entry *const *)b;
  return (p->offset > q->offset) - (p->offset < q->offset);
}

/* No two files share bytes, none has another's name, or one as its folder; all of them fit. */
static gboolean
check_together(Archive *self, const char *folder)
{
  g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *parent = g_path_get_dirname(folder);
  struct statvfs disk;
  guint64 all = 0, deflated = 0;
  g_ptr_array_sort(self->entries, compare_offsets);
  for (guint i = 0; i < self->entries->len; i++) {
    const Entry *entry = self->entries->pdata[i], *before = i > 0 ? self->entries->pdata[i - 1] : NULL;
    if (before && before->begin + before->packed > entry->offset)
      return refuse(self, "“%s” and “%s” in it share bytes", before->shown, entry->shown);
    if (!g_str_has_suffix(entry->name, "/") && !g_hash_table_add(names, g_strdup(entry->name)))
      return refuse(self, "“%s” is in it twice", entry->shown);
    if (entry->bytes > G_MAXINT64 || all > (guint64)G_MAXINT64 - entry->bytes)
      return refuse(self, "it is damaged at “%s”", entry->shown);
    all += entry->bytes;
    deflated += entry->method == VT_ZIP_DEFLATED ? entry->bytes : 0;
  }
  self->n_all = all;
  if (deflated > MOST_UNPACKED)
    return refuse(self,
                  "%" G_GUINT64_FORMAT " bytes in it are packed to a fraction, and %" G_GUINT64_FORMAT " are allowed",
                  deflated, MOST_UNPACKED);
  if (statvfs(parent, &disk) == 0 && all > (guint64)disk.f_bavail * disk.f_frsize) {
    g_autofree char *size = g_format_size(all);
    return refuse(self, "it needs %s, and the disk has less room", size);
  }
  return TRUE;
}

static gboolean
read_directory(Archive *self, const char *folder)
{
  guint64 begin = 0, size = 0, n = 0;
  if (!find_directory(self, &begin, &size, &n))
    return FALSE;
  g_autofree guint8 *bytes = g_try_malloc(size + 1);
  if (!bytes)
    return refuse(self, "there is not enough memory");
  if (!read_at(self, begin, bytes, size))
    return FALSE;
  for (gsize at = 0, used = 0; n > 0; n--, at += used) {
    Entry *entry = read_entry(self, bytes + at, size - at, &used);
    if (!entry || !find_data(self, entry))
      return FALSE;
  }
  return check_together(self, folder);
}

/* --- files --- */

static gboolean
write_out(const Archive *self, const Entry *entry, FILE *to, const guint8 *out, gsize n, guint64 *n_done, guint32 *crc)
{
  *n_done += n;
  *self->n_out += n;
  if (self->progress && self->n_all > 0)
    self->progress(MIN((double)*self->n_out / (double)self->n_all, 1), self->user);
  *crc = (guint32)crc32(*crc, out, (uInt)n);
  if (*n_done > entry->bytes)
    return refuse(self, "“%s” in it is larger than it says", entry->shown);
  return fwrite(out, 1, n, to) == n || refuse(self, "“%s” cannot be written: %s", entry->shown, g_strerror(errno));
}

/* What comes of a block; *is_end: the last. */
static gboolean
inflate_block(const Archive *self, const Entry *entry, FILE *to, z_stream *stream, guint64 *n_done, guint32 *crc,
              gboolean *is_end)
{
  g_autofree guint8 *out = g_malloc(VT_ZIP_BLOCK);
  do {
    stream->next_out = out;
    stream->avail_out = VT_ZIP_BLOCK;
    const int status = inflate(stream, Z_NO_FLUSH);
    *is_end = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return refuse(self, "it is damaged at “%s”", entry->shown);
    if (!write_out(self, entry, to, out, VT_ZIP_BLOCK - stream->avail_out, n_done, crc))
      return FALSE;
  } while (stream->avail_out == 0 && !*is_end);
  return TRUE;
}

static gboolean
unpack_data(const Archive *self, const Entry *entry, FILE *to, z_stream *stream)
{
  g_autofree guint8 *in = g_malloc(VT_ZIP_BLOCK);
  guint64 n_done = 0, left = entry->packed;
  guint32 crc = 0;
  gboolean is_end = entry->method == VT_ZIP_STORED;
  if (fseeko(self->file, (off_t)entry->begin, SEEK_SET) != 0)
    return refuse(self, "it cannot be read");
  while (left > 0) {
    const gsize n = (gsize)MIN(left, VT_ZIP_BLOCK);
    if (g_cancellable_set_error_if_cancelled(self->cancellable, self->error))
      return FALSE;
    if (fread(in, 1, n, self->file) != n)
      return refuse(self, "it cannot be read");
    left -= n;
    stream->next_in = in;
    stream->avail_in = (uInt)n;
    if (entry->method == VT_ZIP_STORED ? !write_out(self, entry, to, in, n, &n_done, &crc)
                                       : !inflate_block(self, entry, to, stream, &n_done, &crc, &is_end))
      return FALSE;
    if (is_end && entry->method == VT_ZIP_DEFLATED)
      break;
  }
  const gboolean is_rest = left > 0 || (entry->method == VT_ZIP_DEFLATED && stream->avail_in > 0);
  return (is_end && !is_rest && n_done == entry->bytes && crc == entry->crc)
         || refuse(self, "it is damaged at “%s”", entry->shown);
}

static gboolean
unpack_file(const Archive *self, const Entry *entry, const char *folder)
{
  g_autofree char *path = g_build_filename(folder, entry->name, NULL), *dir = g_path_get_dirname(path);
  z_stream stream = { 0 };
  if (g_str_has_suffix(entry->name, "/"))
    return g_mkdir_with_parents(path, 0777) == 0 || refuse(self, "“%s” cannot be made", entry->shown);
  FILE *to = g_mkdir_with_parents(dir, 0777) == 0 ? g_fopen(path, "wbx") : NULL;
  if (!to)
    return refuse(self, "“%s” cannot be written: %s", entry->shown, g_strerror(errno));
  gboolean is_good = inflateInit2(&stream, -MAX_WBITS) == Z_OK && unpack_data(self, entry, to, &stream);
  inflateEnd(&stream);
  if (fclose(to) != 0 && is_good)
    is_good = refuse(self, "“%s” cannot be written: %s", entry->shown, g_strerror(errno));
  return is_good;
}

static gboolean
unpack_all(const Archive *self, const char *folder)
{
  g_autofree char *shown = vt_error_dup_path(folder);
  if (g_mkdir(folder, 0777) != 0)
    return refuse(self, "%s cannot be made: %s", shown, g_strerror(errno));
  for (guint i = 0; i < self->entries->len; i++)
    if (!unpack_file(self, self->entries->pdata[i], folder))
      return FALSE;
  return TRUE;
}

gboolean
vt_zip_unpack(const char *path, const char *folder, VtZipProgress progress, gpointer user, GCancellable *cancellable,
              GError **error)
{
  guint64 n_out = 0;
  g_autofree char *name = vt_error_dup_name(path), *temp = vt_file_dup_temp_path(folder),
                  *shown = vt_error_dup_path(folder);
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(entry_free);
  GStatBuf facts;
  if (!vt_file_check(path, error))
    return FALSE;
  Archive self = { g_fopen(path, "rb"), name, 0, entries, &n_out, 0, progress, user, cancellable, error };
  if (!self.file || fstat(fileno(self.file), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    if (self.file)
      fclose(self.file);
    return refuse(&self, "it is not there, or not for you to read");
  }
  self.n_bytes = (guint64)facts.st_size;
  gboolean is_good = !g_file_test(folder, G_FILE_TEST_EXISTS) || refuse(&self, "%s is there already", shown);
  is_good = is_good && read_directory(&self, folder);
  if (is_good) {
    is_good = unpack_all(&self, temp);
    if (is_good && g_rename(temp, folder) != 0)
      is_good = refuse(&self, "%s cannot be made: %s", shown, g_strerror(errno));
    if (!is_good)
      vt_file_remove_all(temp);
  }
  fclose(self.file);
  return is_good;
}
