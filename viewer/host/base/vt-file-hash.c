/* SPDX-License-Identifier: MIT
 *
 * SHA-256 of files. Those of inputs are worked out beside the run, once for each file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "base/vt-sha256.h"

#define BLOCK_BYTES ((gsize)1 << 20)

/* Of one state of a file. */
typedef struct {
  char *sha256; /* NULL: somebody is working it out */
  guint64 bytes;
} Known;

static GMutex lock; /* guards `all` */
static GCond changed;
static GHashTable *all; /* key -> Known* */

static char *
fail(GError **error, const char *path)
{
  const int number = errno;
  g_autofree char *shown = vt_error_dup_path(path);
  return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s cannot be read: %s.", shown, g_strerror(number));
}

/* Read, not mapped: a mapped file counts as memory of the process. */
char *
vt_file_dup_sha256(const char *path, guint64 *bytes, GError **error)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  g_autoptr(VtSha256) hash = vt_sha256_new();
  g_autofree guint8 *block = g_malloc(BLOCK_BYTES);
  gssize n = file < 0 ? -1 : 0;
  *bytes = 0;
  while (n >= 0 && ((n = read(file, block, BLOCK_BYTES)) > 0 || (n < 0 && errno == EINTR))) {
    vt_sha256_update(hash, block, (gsize)MAX(n, 0));
    *bytes += (guint64)MAX(n, 0);
    n = MAX(n, 0);
  }
  char *sha256 = n < 0 ? fail(error, path) : vt_sha256_dup_digits(hash);
  if (file >= 0)
    close(file);
  return sha256;
}

VT_DEFINE_FREE(known_free, Known, VT_FREES(g_free, sha256))

/* FALSE: the caller works it out, and others wait for that. */
static gboolean
find_known(const char *key, char **sha256, guint64 *bytes)
{
  Known *known = NULL;
  g_mutex_lock(&lock);
  if (!all)
    all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, known_free);
  while ((known = g_hash_table_lookup(all, key)) && !known->sha256)
    g_cond_wait(&changed, &lock);
  if (known) {
    *sha256 = g_strdup(known->sha256);
    *bytes = known->bytes;
  } else {
    g_hash_table_insert(all, g_strdup(key), g_new0(Known, 1));
  }
  g_mutex_unlock(&lock);
  return known != NULL;
}

static void
set_known(const char *key, const char *sha256, guint64 bytes)
{
  VT_LOCK(&lock);
  Known *known = g_hash_table_lookup(all, key);
  if (sha256) {
    known->sha256 = g_strdup(sha256);
    known->bytes = bytes;
  } else {
    g_hash_table_remove(all, key);
  }
  g_cond_broadcast(&changed);
}

char *
vt_file_dup_known_sha256(const char *path, guint64 *bytes, GError **error)
{
  struct stat info;
  char *sha256 = NULL;
  if (stat(path, &info) != 0)
    return fail(error, path);
  g_autofree char *key = g_strdup_printf("%ju %ju %jd %jd %ld", (uintmax_t)info.st_dev, (uintmax_t)info.st_ino,
                                         (intmax_t)info.st_size, (intmax_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
  if (find_known(key, &sha256, bytes))
    return sha256;
  sha256 = vt_file_dup_sha256(path, bytes, error);
  set_known(key, sha256, *bytes);
  return sha256;
}

static gpointer
work_out(gpointer data)
{
  g_autofree char *path = data;
  guint64 bytes = 0;
  g_free(vt_file_dup_known_sha256(path, &bytes, NULL));
  return NULL;
}

void
vt_file_begin_sha256(const char *path)
{
  g_autofree char *copy = g_strdup(path);
  g_autoptr(GThread) thread = g_thread_try_new("sha256", work_out, copy, NULL);
  if (thread) /* else it is worked out when it is asked for */
    copy = NULL;
}
