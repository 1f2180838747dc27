/* SPDX-License-Identifier: MIT
 *
 * The files to come are made in STAGE. Its new name, READY, is the decision: from then on whoever holds the lock moves them
 * out, the record last, and however often that is interrupted, the next one goes on. */
#include "base/vt-folder.h"
#include "base/vt-define.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vt-error.h"
#include "base/vt-file-private.h"

#define LOCK ".vitrail-lock"
#define STAGE ".vitrail-new"
#define READY ".vitrail-ready"
#define OBSOLETE ".obsolete"

struct VtFolder {
  char *path, *stage;
  int lock;
};

/* --- without following links --- */

static DIR *
open_at(int parent, const char *path)
{
  const int file = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = file >= 0 ? fdopendir(file) : NULL;
  if (!dir && file >= 0)
    close(file);
  return dir;
}

/* All but "." and "..". */
static GPtrArray *
list_names(DIR *dir)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (struct dirent *entry; (entry = readdir(dir));)
    if (!g_str_equal(entry->d_name, ".") && !g_str_equal(entry->d_name, ".."))
      g_ptr_array_add(names, g_strdup(entry->d_name));
  return names;
}

gboolean
vt_folder_is_plain(const char *path)
{
  DIR *dir = open_at(AT_FDCWD, path);
  if (!dir)
    return FALSE;
  g_autoptr(GPtrArray) names = list_names(dir);
  gboolean is_plain = TRUE;
  for (guint i = 0; i < names->len && is_plain; i++) {
    struct stat info;
    is_plain = fstatat(dirfd(dir), names->pdata[i], &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
  }
  closedir(dir);
  return is_plain;
}

gboolean
vt_folder_remove(const char *path, GError **error)
{
  DIR *dir = open_at(AT_FDCWD, path);
  int number = dir || errno == ENOENT ? 0 : errno;
  if (dir) {
    g_autoptr(GPtrArray) names = list_names(dir);
    for (guint i = 0; i < names->len; i++)
      if (unlinkat(dirfd(dir), names->pdata[i], 0) != 0)
        number = errno;
    closedir(dir);
    if (number == 0 && rmdir(path) != 0)
      number = errno;
  }
  if (number == 0)
    return TRUE;
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number),
              "%s cannot be removed, or is no folder of scratch files: %s.", shown, g_strerror(number));
  return FALSE;
}

/* --- one writer --- */

static gboolean
fail_unwritable(const char *path, int number, GError **error)
{
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "The folder %s cannot be made or written to: %s.",
              shown, g_strerror(number));
  return FALSE;
}

/* Which start of which computer this is: locks are seen by all its processes, of all its containers. */
static char *
dup_boot(void)
{
  char *text = NULL;
  return g_file_get_contents("/proc/sys/kernel/random/boot_id", &text, NULL, NULL) ? g_strchomp(text) : g_strdup("-");
}

/* The words of a lock file: process, host, boot, time. */
static char **
read_holder(int file)
{
  char text[512];
  const gssize n = pread(file, text, sizeof text - 1, 0);
  text[MAX(n, 0)] = '\0';
  return g_strsplit(g_strchomp(text), " ", -1);
}

/* Called with the lock, which computers that share a disk may not see of each other, and some disks do not have. */
static gboolean
is_stale(char *const *holder, gboolean has_locks)
{
  if (g_strv_length((char **)holder) != 4)
    return TRUE;
  g_autofree char *boot = dup_boot();
  const gint64 pid = g_ascii_strtoll(holder[0], NULL, 10);
  if (!g_str_equal(holder[1], g_get_host_name()) && !g_str_equal(holder[2], boot))
    return FALSE;
  return has_locks || pid < 1 || pid == getpid() || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

static gboolean
fail_held(const char *path, char *const *holder, gboolean is_here, GError **error)
{
  g_autofree char *shown = vt_error_dup_path(path);
  if (g_strv_length((char **)holder) != 4)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        "Another process writes its results into %s; wait for its end, or choose another folder.",
                        shown);
  if (is_here)
    return vt_error_set(
      error, VITRAIL_BAD_ARGUMENT,
      "Process %s (%s) has been writing its results into %s since %s; wait for its end, or choose another "
      "folder.",
      holder[0], holder[1], shown, holder[3]);
  return vt_error_set(
    error, VITRAIL_BAD_ARGUMENT,
    "Process %s of another computer, %s, has been writing its results into %s since %s; wait for its end, "
    "or, if it no longer runs, remove %s/" LOCK ".",
    holder[0], holder[1], shown, holder[3], shown);
}

static gboolean
write_holder(int file)
{
  g_autofree char *boot = dup_boot();
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  g_autofree char *date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree char *text = g_strdup_printf("%ld %s %s %s\n", (long)getpid(), g_get_host_name(), boot, date);
  const gssize n = (gssize)strlen(text);
  return ftruncate(file, 0) == 0 && pwrite(file, text, (gsize)n, 0) == n;
}

/* Whether the file still has its name: who had the lock before removes it. */
static gboolean
is_named(int file, const char *path)
{
  struct stat mine, named;
  return fstat(file, &mine) == 0 && lstat(path, &named) == 0 && mine.st_dev == named.st_dev
         && mine.st_ino == named.st_ino;
}

/* The file, or -1. */
static int
take_lock(const char *folder, const char *path, GError **error)
{
  for (;;) {
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) {
      fail_unwritable(folder, errno, error);
      return -1;
    }
    const gboolean has_lock = flock(file, LOCK_EX | LOCK_NB) == 0, is_held = !has_lock && errno == EWOULDBLOCK;
    g_auto(GStrv) holder = read_holder(file);
    if (is_held || (is_named(file, path) && !is_stale(holder, has_lock))) {
      fail_held(folder, holder, is_held, error);
    } else if (!is_named(file, path)) {
      close(file);
      continue;
    } else if (write_holder(file)) {
      return file;
    } else {
      fail_unwritable(folder, errno, error);
      g_unlink(path);
    }
    close(file);
    return -1;
  }
}

static void
release(int file, const char *folder)
{
  g_autofree char *path = g_build_filename(folder, LOCK, NULL);
  g_unlink(path);
  close(file);
}

/* --- old files for new ones --- */

/* What goes: a name a line. */
static char **
read_obsolete(int ready)
{
  const int file = openat(ready, OBSOLETE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  g_autoptr(GString) text = g_string_new(NULL);
  char buffer[4096];
  for (gssize n; file >= 0 && (n = read(file, buffer, sizeof buffer)) > 0;)
    g_string_append_len(text, buffer, n);
  if (file >= 0)
    close(file);
  return g_strsplit(text->str, "\n", -1);
}

static gboolean
remove_at(int dir, const char *name)
{
  return unlinkat(dir, name, 0) == 0 || errno == ENOENT;
}

/* The record goes before the first old file, and comes after the last new one. Once it has come there is nothing to move. */
static gboolean
move_files(int dir, DIR *ready)
{
  if (faccessat(dirfd(ready), VT_FOLDER_LAST, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT;
  g_auto(GStrv) obsolete = read_obsolete(dirfd(ready));
  g_autoptr(GPtrArray) names = list_names(ready);
  gboolean done = remove_at(dir, VT_FOLDER_LAST);
  for (char **name = obsolete; *name && done; name++)
    done = **name == '\0' || strchr(*name, '/') || remove_at(dir, *name);
  for (guint i = 0; i < names->len && done; i++)
    if (!g_str_equal(names->pdata[i], VT_FOLDER_LAST) && !g_str_equal(names->pdata[i], OBSOLETE))
      done = renameat(dirfd(ready), names->pdata[i], dir, names->pdata[i]) == 0;
  return done && renameat(dirfd(ready), VT_FOLDER_LAST, dir, VT_FOLDER_LAST) == 0;
}

/* What was decided is done; nothing, if nothing was. */
static gboolean
finish(const char *path, GError **error)
{
  DIR *dir = opendir(path), *ready = dir ? open_at(dirfd(dir), READY) : NULL;
  gboolean done = dir && (ready || errno == ENOENT);
  if (ready)
    done = move_files(dirfd(dir), ready) && remove_at(dirfd(ready), OBSOLETE)
           && unlinkat(dirfd(dir), READY, AT_REMOVEDIR) == 0;
  const int number = errno;
  if (ready)
    closedir(ready);
  if (dir)
    closedir(dir);
  if (done)
    return TRUE;
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number),
              "The new results in %s/" READY
              " cannot be put into their places, and are not all there; the next run into "
              "%s puts them there first: %s.",
              shown, shown, g_strerror(number));
  return FALSE;
}

VtFolder *
vt_folder_lock(const char *path, GError **error)
{
  g_autofree char *lock = g_build_filename(path, LOCK, NULL);
  g_autofree char *stage = g_build_filename(path, STAGE, NULL);
  if (g_mkdir_with_parents(path, 0777) != 0) {
    fail_unwritable(path, errno, error);
    return NULL;
  }
  const int file = take_lock(path, lock, error);
  if (file < 0)
    return NULL;
  if (!finish(path, error) || !vt_folder_remove(stage, error)) {
    release(file, path);
    return NULL;
  }
  VtFolder *folder = g_new0(VtFolder, 1);
  folder->path = g_strdup(path);
  folder->stage = g_steal_pointer(&stage);
  folder->lock = file;
  return folder;
}

void
vt_folder_unlock(VtFolder *folder)
{
  if (!folder)
    return;
  release(folder->lock, folder->path);
  g_free(folder->path);
  g_free(folder->stage);
  g_free(folder);
}

void
vt_folder_forsake(const VtFolder *folder)
{
  g_autofree char *path = g_build_filename(folder->path, LOCK, NULL);
  g_unlink(path);
}

VT_GETTER(const char *, vt_folder_get_path, const VtFolder, path)

const char *
vt_folder_stage(VtFolder *folder, GError **error)
{
  if (!vt_folder_remove(folder->stage, error))
    return NULL;
  if (g_mkdir(folder->stage, 0777) == 0)
    return folder->stage;
  fail_unwritable(folder->path, errno, error);
  return NULL;
}

void
vt_folder_unstage(VtFolder *folder)
{
  vt_folder_remove(folder->stage, NULL); /* what stays is removed with the next lock */
}

static gboolean
write_obsolete(VtFolder *folder, GHashTable *obsolete, GError **error)
{
  g_autofree char *path = g_build_filename(folder->stage, OBSOLETE, NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  GHashTableIter iter;
  gpointer name = NULL;
  g_hash_table_iter_init(&iter, obsolete);
  while (g_hash_table_iter_next(&iter, &name, NULL)) {
    g_autofree char *old = g_build_filename(folder->path, name, NULL);
    if (g_file_test(old, G_FILE_TEST_IS_DIR) && !g_file_test(old, G_FILE_TEST_IS_SYMLINK))
      return fail_unwritable(old, EISDIR, error);
    g_autofree char *staged = g_build_filename(folder->stage, name, NULL);
    if (!g_file_test(staged, G_FILE_TEST_EXISTS)) /* else it is replaced, and must not go once it is there */
      g_string_append_printf(text, "%s\n", (char *)name);
  }
  return vt_file_write_text(path, text, error);
}

gboolean
vt_folder_swap(VtFolder *folder, GHashTable *obsolete, GError **error)
{
  g_autofree char *ready = g_build_filename(folder->path, READY, NULL);
  if (!write_obsolete(folder, obsolete, error))
    return FALSE;
  if (g_rename(folder->stage, ready) != 0)
    return fail_unwritable(folder->path, errno, error);
  return finish(folder->path, error);
}
