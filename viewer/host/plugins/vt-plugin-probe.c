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

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "vitrail-plugin.h"

#define USABLE "usable"
#define NEVER "never"
#define MOST_KEPT ((gsize)1 << 20) /* all that is kept is read at each start */

extern const char vt_build_id[]; /* vt-build-id.c.in */

/* --- verdicts that are kept --- */

/* A group for each path: which file that was (`file`, `sha256`), by what it was tried, and what came of it. */
typedef struct {
  char *group;
  char *file;   /* its state */
  char *trier;  /* another version, or build, of the program that tries files shares no verdicts */
  char *sha256; /* NULL: not worked out */
} Candidate;

static void
candidate_clear(Candidate *self)
{
  g_free(self->group);
  g_free(self->file);
  g_free(self->trier);
  g_free(self->sha256);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Candidate, candidate_clear)

static GMutex lock; /* one writes at a time */

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

static gboolean
says(GKeyFile *verdicts, const char *group, const char *key, const char *value)
{
  g_autofree char *known = g_key_file_get_string(verdicts, group, key, NULL);
  return g_strcmp0(known, value) == 0;
}

/* A cache that can't be written costs a second trial, nothing else. */
static void
save_verdicts(GKeyFile *verdicts)
{
  g_autofree char *path = verdicts_path(), *folder = g_path_get_dirname(path);
  if (g_mkdir_with_parents(folder, 0700) == 0)
    (void)g_key_file_save_to_file(verdicts, path, NULL);
}

static void
write_verdict(const Candidate *file, const char *verdict)
{
  VT_LOCK(&lock);
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  if (!says(verdicts, file->group, "sha256", file->sha256))
    g_key_file_remove_group(verdicts, file->group, NULL); /* with what another file told */
  g_key_file_set_string(verdicts, file->group, "file", file->file);
  g_key_file_set_string(verdicts, file->group, "trier", file->trier);
  g_key_file_set_string(verdicts, file->group, "sha256", file->sha256);
  g_key_file_set_string(verdicts, file->group, "verdict", verdict);
  save_verdicts(verdicts);
}

void
vt_plugin_probe_forget(void)
{
  g_autofree char *path = verdicts_path();
  (void)g_unlink(path);
}

/* The verdict on this path's file, as long as `key`, which is a member of its name, says that it is the same one. Owned. */
static char *
find_own(GKeyFile *verdicts, const Candidate *file, const char *key, const char *value)
{
  if (!says(verdicts, file->group, key, value) || !says(verdicts, file->group, "trier", file->trier))
    return NULL;
  return g_key_file_get_string(verdicts, file->group, "verdict", NULL);
}

/* The same bytes at another path. Only what is usable is so there, too: why a file is refused may be what lies beside it. */
static char *
find_copy(GKeyFile *verdicts, const Candidate *file)
{
  g_auto(GStrv) groups = g_key_file_get_groups(verdicts, NULL);
  for (char **group = groups; *group; group++)
    if (says(verdicts, *group, "sha256", file->sha256) && says(verdicts, *group, "trier", file->trier)
        && says(verdicts, *group, "verdict", USABLE))
      return g_strdup(USABLE);
  return NULL;
}

/* Whoever writes to a file changes its ctime, and can't set it; so does who renames it or gives it other rights, which costs a look at its bytes. Owned;
 * NULL: it is no regular file. */
static char *
dup_state(const char *path)
{
  struct stat file;
  if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
    return NULL;
  return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld", (guint64)file.st_ino,
                         (gint64)file.st_size, (gint64)file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

static char *
dup_group(const char *path)
{
  return g_uri_escape_string(path, "/", FALSE); /* a group's name has no brackets */
}

/* --- what a usable file tells --- */

VT_DEFINE_TYPE_FREE(vt_plugin_kept_free, VtPluginKept, VT_FREES(g_bytes_unref, told) VT_FREES(g_free, file, sha256))

/* As the bytes depend on it: the build on either side, and, as a plugin may translate its titles, the languages. NULL: the program is not there. Owned. */
static char *
dup_teller(const char *program)
{
  g_autofree char *state = dup_state(program), *languages = g_strjoinv(":", (char **)g_get_language_names());
  return state ? g_strdup_printf("%s %s %d.%d %s %s", VT_VERSION, vt_build_id, VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR,
                                 state, languages)
               : NULL;
}

/* Of all that is kept, so that none of it is believed if a part is damaged. Owned. */
static char *
dup_seal(const char *teller, const char *sha256, const char *told)
{
  g_autofree char *all = g_strjoin("\n", teller, sha256, told, NULL);
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
}

/* Whether the verdict is on the file as it is. */
static gboolean
is_of_now(GKeyFile *verdicts, const char *group, const char *path)
{
  g_autofree char *now = dup_state(path);
  return now && says(verdicts, group, "file", now) && says(verdicts, group, "verdict", USABLE);
}

/* The text that is kept, from this teller and whole. Owned. */
static char *
dup_sealed(GKeyFile *verdicts, const char *group, const char *teller)
{
  g_autofree char *text = g_key_file_get_string(verdicts, group, "told", NULL),
                  *sha256 = g_key_file_get_string(verdicts, group, "sha256", NULL);
  if (!text || !sha256 || !says(verdicts, group, "teller", teller))
    return NULL;
  g_autofree char *seal = dup_seal(teller, sha256, text);
  return says(verdicts, group, "seal", seal) ? g_steal_pointer(&text) : NULL;
}

VtPluginKept *
vt_plugin_kept_find(const char *teller, const char *path)
{
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  g_autofree char *group = dup_group(path), *name = dup_teller(teller);
  g_autofree char *text = name && is_of_now(verdicts, group, path) ? dup_sealed(verdicts, group, name) : NULL;
  if (!text || g_str_equal(text, NEVER))
    return NULL;
  gsize n = 0;
  guint8 *bytes = g_base64_decode(text, &n);
  VtPluginKept *self = g_new0(VtPluginKept, 1);
  *self = (VtPluginKept){ .told = g_bytes_new_take(bytes, n),
                          .file = g_key_file_get_string(verdicts, group, "file", NULL),
                          .sha256 = g_key_file_get_string(verdicts, group, "sha256", NULL) };
  return self;
}

void
vt_plugin_kept_store(const char *teller, const char *path, GBytes *told)
{
  VT_LOCK(&lock);
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  g_autofree char *group = dup_group(path), *name = dup_teller(teller);
  if (!name || !is_of_now(verdicts, group, path) || (told && g_bytes_get_size(told) > MOST_KEPT))
    return;
  g_autofree char *before = dup_sealed(verdicts, group, name);
  if (g_strcmp0(before, NEVER) == 0)
    return;
  gsize n = 0;
  const guint8 *bytes = told ? g_bytes_get_data(told, &n) : NULL;
  g_autofree char *text = told ? g_base64_encode(bytes, n) : g_strdup(NEVER),
                  *sha256 = g_key_file_get_string(verdicts, group, "sha256", NULL);
  g_autofree char *seal = dup_seal(name, sha256, text);
  g_key_file_set_string(verdicts, group, "teller", name);
  g_key_file_set_string(verdicts, group, "told", text);
  g_key_file_set_string(verdicts, group, "seal", seal);
  save_verdicts(verdicts);
}

gboolean
vt_plugin_kept_is_of(const VtPluginKept *self, const char *path)
{
  guint64 bytes = 0;
  g_autofree char *now = dup_state(path);
  if (g_strcmp0(now, self->file) == 0)
    return TRUE;
  g_autofree char *sha256 = now ? vt_file_dup_sha256(path, &bytes, NULL) : NULL;
  return g_strcmp0(sha256, self->sha256) == 0;
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

/* The bytes are looked at where the file's state is not that of its verdict. Owned; NULL: it is to be tried, or it can't be read. */
static char *
find_verdict(const char *path, Candidate *file, GError **error)
{
  g_autoptr(GKeyFile) verdicts = read_verdicts();
  guint64 bytes = 0;
  char *known = find_own(verdicts, file, "file", file->file);
  if (known)
    return known;
  file->sha256 = vt_file_dup_sha256(path, &bytes, error);
  if (!file->sha256)
    return NULL;
  known = find_own(verdicts, file, "sha256", file->sha256);
  if (!known)
    known = find_copy(verdicts, file);
  if (known)
    write_verdict(file, known);
  return known;
}

gboolean
vt_plugin_probe(const char *program, const char *path, guint seconds, GError **error)
{
  g_autofree char *trier = dup_state(program);
  g_auto(Candidate)
    file = { .group = dup_group(path), .file = dup_state(path), .trier = g_strconcat(VT_VERSION " ", trier, NULL) };
  if (!file.file)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be used: it is no regular file.", path);
  g_autoptr(GError) local = NULL;
  g_autofree char *known = find_verdict(path, &file, &local);
  if (known)
    return pass(known, error);
  if (local)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be tried: %s", path, local->message);
  gboolean is_kept = FALSE;
  g_autofree char *verdict = try_file(program, path, seconds, &is_kept, &local);
  if (!verdict)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be tried: %s.", path,
                        local ? local->message : g_strerror(EIO));
  g_autofree char *now = dup_state(path);
  if (is_kept && g_strcmp0(now, file.file) == 0)
    write_verdict(&file, verdict);
  return pass(verdict, error);
}
