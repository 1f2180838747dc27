/* SPDX-License-Identifier: MIT
 *
 * The folder of scratch files inside the folder of a run. No link is ever followed: what is behind it belongs to somebody
 * else. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

static DIR *
open_folder(const char *path)
{
  const int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = file >= 0 ? fdopendir(file) : NULL;
  if (!dir && file >= 0)
    close(file);
  return dir;
}

static gboolean
is_dots(const char *name)
{
  return g_str_equal(name, ".") || g_str_equal(name, "..");
}

/* A run leaves plain files only. */
static gboolean
holds_plain_files(const char *path)
{
  DIR *dir = open_folder(path);
  gboolean is_plain = dir != NULL;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    struct stat info;
    is_plain = is_plain
               && (is_dots(entry->d_name)
                   || (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)));
  }
  if (dir)
    closedir(dir);
  return is_plain;
}

gboolean
batch_scratch_remove(const char *path, GError **error)
{
  DIR *dir = open_folder(path);
  int number = dir || errno == ENOENT ? 0 : errno;
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    if (!is_dots(entry->d_name) && unlinkat(dirfd(dir), entry->d_name, 0) != 0)
      number = errno;
  if (dir)
    closedir(dir);
  if (dir && number == 0 && rmdir(path) != 0)
    number = errno;
  if (number == 0)
    return TRUE;
  g_autofree char *shown = g_filename_display_name(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number),
              "%s cannot be removed, or is no folder of scratch files: %s.", shown, g_strerror(number));
  return FALSE;
}

static gboolean
make_scratch(const char *dir, const char *path, const char *manifest, const char *digest, GError **error)
{
  if (g_mkdir_with_parents(dir, 0777) == 0 && (g_mkdir(path, 0777) == 0 || errno == EEXIST)
      && g_file_set_contents(manifest, digest, -1, NULL))
    return TRUE;
  const int number = errno;
  g_autofree char *shown = g_filename_display_name(dir);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "The folder %s cannot be made or written to: %s.",
              shown, g_strerror(number));
  return FALSE;
}

gboolean
batch_scratch_prepare(VtRunRequest *request, const char *dir, gboolean resume, const char *digest, GError **error)
{
  g_autofree char *name =
    request->ranks ? g_strdup_printf(".vitrail-scratch-%u-of-%u", request->ranks->rank, request->ranks->n_ranks)
                   : g_strdup(".vitrail-scratch");
  g_autofree char *path = g_build_filename(dir, name, NULL);
  g_autofree char *manifest = g_build_filename(path, "request", NULL);
  g_autofree char *theirs = NULL;
  const gboolean goes_on = resume && holds_plain_files(path) && g_file_get_contents(manifest, &theirs, NULL, NULL)
                           && g_str_equal(theirs, digest);
  if ((!goes_on && !batch_scratch_remove(path, error)) || !make_scratch(dir, path, manifest, digest, error))
    return FALSE;
  request->scratch_dir = g_steal_pointer(&path);
  request->keep_scratch = TRUE;
  return TRUE;
}
