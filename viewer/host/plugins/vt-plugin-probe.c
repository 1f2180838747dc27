/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "plugins/vt-plugin-probe.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define USABLE "usable"
/* --- verdicts that are kept --- */

static char *
verdicts_path(void)
{
  return g_build_filename(g_get_user_cache_dir(), "vitrail", "plugins.ini", NULL);
}

static GKeyFile *
read_verdicts(void)
{
  g_autofree char *path = verdicts_path();
  GKeyFile *verdicts = g_key_file_new();
  (void)g_key_file_load_from_file(verdicts, path, G_KEY_FILE_NONE, NULL); /* none: every file is tried */
  return verdicts;
}

/* A cache that can't be written costs a second trial, nothing else. */
static void
write_verdict(const char *group, const char *stamp, const char *verdict)
{
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  g_autofree char *path = verdicts_path(), *folder = g_path_get_dirname(path);
  g_key_file_set_string(verdicts, group, "file", stamp);
  g_key_file_set_string(verdicts, group, "verdict", verdict);
  if (g_mkdir_with_parents(folder, 0700) == 0)
    (void)g_key_file_save_to_file(verdicts, path, NULL);
}

void
vt_plugin_probe_forget(void)
{
  g_autofree char *path = verdicts_path();
  (void)g_unlink(path);
}

static void
append_stamp(GString *stamp, const struct stat *file)
{
  g_string_append_printf(stamp, " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld",
                         (guint64)file->st_ino, (gint64)file->st_size, (gint64)file->st_mtim.tv_sec,
                         file->st_mtim.tv_nsec);
}

/* What another file, or another build of the program that tries it, does not share. */
static char *
stamp_of(const char *program, const struct stat *file)
{
  GString *stamp = g_string_new(VT_VERSION);
  struct stat trier;
  append_stamp(stamp, file);
  if (stat(program, &trier) == 0)
    append_stamp(stamp, &trier);
  return g_string_free(stamp, FALSE);
}

/* --- a trial --- */

/* Whether a trial may have ended so because memory ran out, which says nothing about the file: GLib and C++ abort, the system kills, and the loader
 * of programs ends with 127. */
static gboolean
may_be_starved(GSubprocess *process)
{
  if (g_subprocess_get_if_signaled(process)) {
    const int number = g_subprocess_get_term_sig(process);
    return number == SIGABRT || number == SIGKILL;
  }
  const int status = g_subprocess_get_exit_status(process);
  return status == VT_PLUGIN_PROBE_UNTRIED || status == VT_PLUGIN_PROBE_STARVED || status == 127;
}

/* USABLE, or the sentence why not. */
static char *
judge(GSubprocess *process, const char *path, const char *said)
{
  const char *again = may_be_starved(process) ? "It is tried again at the next start." : VT_PLUGIN_PROBE_AGAIN;
  if (g_subprocess_get_if_signaled(process))
    return g_strdup_printf("%s cannot be used: it ended the process that tried it (%s). %s", path,
                           g_strsignal(g_subprocess_get_term_sig(process)), again);
  if (g_subprocess_get_exit_status(process) == 0 && g_str_equal(said, USABLE))
    return g_strdup(USABLE);
  const int status = g_subprocess_get_exit_status(process);
  if ((status == 1 || status == VT_PLUGIN_PROBE_STARVED) && *said && !g_str_equal(said, USABLE))
    return g_strdup(said);
  return g_strdup_printf("%s cannot be used: it ended the process that tried it. %s", path, again);
}

/* Memory that is a file; where the system has none, a file that has no name any more. */
static int
open_unnamed(GError **error)
{
#ifdef MFD_CLOEXEC
  const int memory = memfd_create("vitrail-probe", MFD_CLOEXEC);
  if (memory >= 0)
    return memory;
#endif
  g_autofree char *path = NULL;
  const int fd = g_file_open_tmp("vitrail-probe-XXXXXX", &path, error);
  if (fd >= 0)
    g_unlink(path);
  return fd;
}

/* The process writes into a file: a pipe would stay open as long as any child of the plugin's. Its own input is a pipe that closes with this program. */
static char *
try_file(const char *program, const char *path, guint seconds, gboolean *is_kept, GError **error)
{
  g_autoptr(GSubprocessLauncher) launcher =
    g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDIN_PIPE);
  g_autofree char *limit = g_strdup_printf("%u", seconds);
  char said[4096] = "";
  const int fd = open_unnamed(error);
  if (fd < 0)
    return NULL;
  g_subprocess_launcher_take_stdout_fd(launcher, dup(fd));
  g_autoptr(GSubprocess) process = g_subprocess_launcher_spawn(launcher, error, program, path, limit, NULL);
  char *verdict = NULL;
  if (process && g_subprocess_wait(process, NULL, error) && pread(fd, said, sizeof said - 1, 0) >= 0)
    verdict = judge(process, path, g_strstrip(said));
  *is_kept = verdict && !may_be_starved(process);
  close(fd);
  return verdict;
}

/* --- what others call --- */

static gboolean
pass(const char *verdict, GError **error)
{
  if (g_str_equal(verdict, USABLE))
    return TRUE;
  return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s", verdict);
}

gboolean
vt_plugin_probe(const char *program, const char *path, guint seconds, GError **error)
{
  struct stat file;
  if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be used: it is no regular file.", path);
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  g_autofree char *group = g_uri_escape_string(path, "/", FALSE); /* a group's name has no brackets */
  g_autofree char *stamp = stamp_of(program, &file),
                  *known_stamp = g_key_file_get_string(verdicts, group, "file", NULL);
  g_autofree char *known = g_key_file_get_string(verdicts, group, "verdict", NULL);
  if (known && g_strcmp0(stamp, known_stamp) == 0)
    return pass(known, error);
  g_autoptr(GError) local = NULL;
  gboolean is_kept = FALSE;
  g_autofree char *verdict = try_file(program, path, seconds, &is_kept, &local);
  if (!verdict)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be tried: %s.", path,
                        local ? local->message : g_strerror(EIO));
  if (is_kept)
    write_verdict(group, stamp, verdict);
  return pass(verdict, error);
}
