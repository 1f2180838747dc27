/* SPDX-License-Identifier: MIT
 *
 * Each program has a file of its own and holds a lock on another beside it. A file whose lock is free was left behind. */
#include "window/vt-autosave.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "common/vt-test-log.h"
#include "common/vt-toast.h"
#include "common/vt-task.h"
#include "window/vt-window-private.h"

#define LAST "last" VT_SESSION_SUFFIX /* what was left by the last program that ended unexpectedly */
#define PREFIX "open-"
#define OFFER_MS 300
#define OFFER_S 30

static GtkApplication *application = NULL; /* not owned; NULL: at the end */
static char *path = NULL, *lock_path = NULL, *written = NULL;
static int lock = -1;
static guint timer = 0;
static gboolean is_writing = FALSE, has_last = FALSE, is_told = FALSE;
static GMutex file_guard;
static gboolean is_over = FALSE; /* guarded: the file is gone for good */
static volatile sig_atomic_t has_unsaved = 0;

/* Asked to end, with nothing in danger: as it should. Regions that are in no file are a reason to offer them. */
static void
on_term(int number)
{
  if (!has_unsaved) {
    unlink(path);
    unlink(lock_path);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static char *
dup_folder(void)
{
  return g_build_filename(g_get_user_state_dir(), "vitrail", NULL);
}

static char *
dup_last_path(void)
{
  g_autofree char *folder = dup_folder();
  return g_build_filename(folder, LAST, NULL);
}

static char *
dup_lock_path(const char *session_path)
{
  return g_strconcat(session_path, ".lock", NULL);
}

/* -1: somebody else holds it, or it can't be made. */
static int
take_lock(const char *its_path)
{
  const int file = g_open(its_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

/* --- writing --- */

static VtSessionFile *
describe(void)
{
  VtSessionFile *session = vt_session_file_new();
  for (GList *l = gtk_application_get_windows(application); l; l = l->next)
    if (VT_IS_WINDOW(l->data))
      vt_window_store(l->data, session);
  has_unsaved = vt_session_file_has_unsaved(session);
  return session;
}

/* The end waits for what is being written, and takes it away; nothing is written after it. */
static gboolean
write_file(const VtSessionFile *session, const GString *text, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&file_guard);
  if (is_over)
    return TRUE;
  if (session->tabs->len > 0)
    return vt_file_write_text(path, text, error);
  g_unlink(path);
  return TRUE;
}

/* Making the text costs many times what it takes to describe what is open: a worker does it, and sees whether anything has changed. `written` is its own
 * until it is done. */
static void
write_in_thread(GTask *task, gpointer source, gpointer session, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autofree char *text = vt_session_file_to_text(session, NULL);
  const GString string = { .str = text, .len = strlen(text) };
  if (g_strcmp0(text, written) == 0) {
    g_task_return_boolean(task, FALSE);
    return;
  }
  g_clear_pointer(&written, g_free);
  if (!write_file(session, &string, &error)) {
    g_task_return_error(task, error); /* a disk that is full now may have room later: the next second tries again */
    return;
  }
  written = g_steal_pointer(&text);
  g_task_return_boolean(task, TRUE);
}

/* In the window that somebody looks at, once, until it works again. */
static void
tell_failure(const char *reason)
{
  GtkWindow *window = application ? gtk_application_get_active_window(application) : NULL;
  if (is_told || !VT_IS_WINDOW(window) || !VT_WINDOW(window)->page)
    return;
  is_told = TRUE;
  g_autofree char *sentence =
    g_strdup_printf(_("Should Vitrail end unexpectedly, what is open now is lost: %s"), reason);
  vt_pane_show_error(vt_window_get_pane(VT_WINDOW(window)), sentence, VT_MESSAGE_ANSWER);
}

static void
on_written(GObject *source, GAsyncResult *result, gpointer user)
{
  g_autoptr(GError) error = NULL;
  is_writing = FALSE;
  if (g_task_propagate_boolean(G_TASK(result), &error))
    vt_test_log("autosaved");
  if (error)
    tell_failure(error->message);
  else
    is_told = FALSE;
}

/* As soon as there is something to lose. */
static gboolean
tell_nowhere(gpointer unused)
{
  g_autoptr(VtSessionFile) session = describe();
  g_autofree char *folder = dup_folder();
  g_autofree char *shown = vt_error_dup_path(folder);
  g_autofree char *reason = g_strdup_printf(_("nothing can be written into %s."), shown);
  if (session->tabs->len > 0)
    tell_failure(reason);
  timer = is_told ? 0 : timer;
  return is_told ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static gboolean
write_changes(gpointer unused)
{
  if (is_writing)
    return G_SOURCE_CONTINUE;
  is_writing = TRUE;
  vt_task_run(NULL, NULL, on_written, NULL, write_in_thread, describe(), (GDestroyNotify)vt_session_file_free);
  return G_SOURCE_CONTINUE;
}

void
vt_autosave_start(GtkApplication *of)
{
  g_autofree char *folder = dup_folder();
  application = of;
  path = g_strdup_printf("%s/" PREFIX "%ld" VT_SESSION_SUFFIX, folder, (long)getpid());
  lock_path = dup_lock_path(path);
  g_autofree char *last = dup_last_path();
  has_last = g_file_test(last, G_FILE_TEST_EXISTS);
  if (g_mkdir_with_parents(folder, 0700) == 0)
    lock = take_lock(lock_path);
  if (lock < 0) { /* there is nowhere to write */
    timer = g_timeout_add_seconds(1, tell_nowhere, NULL);
    return;
  }
  timer = g_timeout_add_seconds(1, write_changes, NULL);
  signal(SIGTERM, on_term);
}

void
vt_autosave_end(void)
{
  g_clear_handle_id(&timer, g_source_remove);
  if (lock < 0)
    return;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&file_guard);
  is_over = TRUE;
  g_unlink(path);
  g_unlink(lock_path);
  close(lock);
  lock = -1;
}

/* --- offering --- */

/* A session that nobody has open, held by its lock; NULL: there is none. The lock's file is left to whoever ends with it. */
static char *
find_left(int *its_lock)
{
  g_autofree char *folder = dup_folder();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *its_path = g_build_filename(folder, name, NULL);
    g_autofree char *its_lock_path = dup_lock_path(its_path);
    if (!g_str_has_prefix(name, PREFIX) || !g_str_has_suffix(name, VT_SESSION_SUFFIX) || g_strcmp0(its_path, path) == 0)
      continue;
    *its_lock = take_lock(its_lock_path);
    if (*its_lock >= 0)
      return g_steal_pointer(&its_path);
  }
  return NULL;
}

static void
on_restored(VtWindow *window, gboolean is_whole)
{
  vt_test_log("last-restored %d", is_whole);
}

void
vt_autosave_restore_last(VtWindow *window)
{
  g_autofree char *last = dup_last_path();
  vt_window_restore(window, last, on_restored);
}

gboolean
vt_autosave_has_last(void)
{
  return has_last;
}

/* Nobody is kept from working; who overlooks it finds it in the menu. */
static void
offer(VtWindow *window, guint n)
{
  g_autofree char *text = g_strdup_printf(g_dngettext(NULL, "Vitrail ended unexpectedly with %u slide open",
                                                      "Vitrail ended unexpectedly with %u slides open", n),
                                          n);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("_Restore"));
  adw_toast_set_action_name(toast, "win.restore-last");
  adw_toast_set_timeout(toast, OFFER_S);
  vt_toast_show(window->toasts, toast);
  vt_test_log("restore-offered %u", n);
}

static guint
count_slides(const char *its_path)
{
  g_autoptr(VtSessionFile) session = vt_session_file_read(its_path, NULL);
  guint n = 0;
  for (guint t = 0; session && t < session->tabs->len; t++)
    n += ((const VtSessionTab *)session->tabs->pdata[t])->views->len;
  return n;
}

/* What was left becomes the last session: from then on it is offered by the menu alone. */
static gboolean
offer_now(gpointer window)
{
  int its_lock = -1;
  g_autofree char *left = VT_WINDOW(window)->page ? find_left(&its_lock) : NULL;
  if (!left)
    return G_SOURCE_REMOVE;
  const guint n = count_slides(left);
  g_autofree char *last = dup_last_path(), *its_lock_path = dup_lock_path(left);
  has_last |= n > 0 && g_rename(left, last) == 0;
  if (n > 0)
    offer(window, n);
  else
    g_unlink(left); /* nothing that this program can read */
  g_unlink(its_lock_path);
  close(its_lock);
  vt_window_update_actions(window);
  return G_SOURCE_REMOVE;
}

/* After the window's first frame. */
void
vt_autosave_offer(VtWindow *window)
{
  g_timeout_add_full(G_PRIORITY_LOW, OFFER_MS, offer_now, g_object_ref(window), g_object_unref);
}
