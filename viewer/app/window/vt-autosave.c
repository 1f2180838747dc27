/* SPDX-License-Identifier: MIT
 *
 * Each program has a file of its own and holds a lock on another beside it. A file whose lock is free was left behind. */
#include "window/vt-autosave.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "common/vt-test-log.h"
#include "window/vt-window-private.h"

#define LAST "last" VT_SESSION_SUFFIX /* what was offered and not wanted */
#define PREFIX "open-"
#define OFFER_MS 300

static GtkApplication *application = NULL; /* not owned; NULL: at the end */
static char *path = NULL, *lock_path = NULL, *written = NULL;
static int lock = -1;
static guint timer = 0;
static gboolean is_writing = FALSE;

static char *
dup_folder(void)
{
  return g_build_filename(g_get_user_state_dir(), "vitrail", NULL);
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

static char *
describe(guint *n_slides)
{
  g_autoptr(VtSessionFile) session = vt_session_file_new();
  for (GList *l = gtk_application_get_windows(application); l; l = l->next)
    if (VT_IS_WINDOW(l->data))
      vt_window_store(l->data, session);
  *n_slides = session->tabs->len;
  return vt_session_file_to_text(session, NULL);
}

static void
write_in_thread(GTask *task, gpointer source, gpointer text, GCancellable *cancellable)
{
  GError *error = NULL;
  const GString string = { .str = text, .len = strlen(text) };
  if (vt_file_write_text(path, &string, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

/* A disk that is full now may have room later: the next change tries again. */
static void
on_written(GObject *source, GAsyncResult *result, gpointer user)
{
  g_autoptr(GError) error = NULL;
  is_writing = FALSE;
  if (g_task_propagate_boolean(G_TASK(result), &error))
    vt_test_log("autosaved");
  else
    g_clear_pointer(&written, g_free);
}

static gboolean
write_changes(gpointer unused)
{
  guint n_slides = 0;
  if (is_writing)
    return G_SOURCE_CONTINUE;
  g_autofree char *text = describe(&n_slides);
  if (g_strcmp0(text, written) == 0)
    return G_SOURCE_CONTINUE;
  g_free(written);
  written = g_strdup(text);
  if (n_slides == 0) {
    g_unlink(path);
    return G_SOURCE_CONTINUE;
  }
  is_writing = TRUE;
  g_autoptr(GTask) task = g_task_new(NULL, NULL, on_written, NULL);
  g_task_set_task_data(task, g_steal_pointer(&text), g_free);
  g_task_run_in_thread(task, write_in_thread);
  return G_SOURCE_CONTINUE;
}

void
vt_autosave_start(GtkApplication *of)
{
  g_autofree char *folder = dup_folder();
  application = of;
  path = g_strdup_printf("%s/" PREFIX "%ld" VT_SESSION_SUFFIX, folder, (long)getpid());
  lock_path = dup_lock_path(path);
  if (g_mkdir_with_parents(folder, 0700) == 0)
    lock = take_lock(lock_path);
  if (lock >= 0) /* else there is nowhere to write */
    timer = g_timeout_add_seconds(1, write_changes, NULL);
}

void
vt_autosave_end(void)
{
  g_clear_handle_id(&timer, g_source_remove);
  if (lock < 0)
    return;
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

typedef struct {
  VtWindow *window;
  char *path;
  int lock;
} Offer;

static void
offer_free(gpointer data)
{
  Offer *offer = data;
  close(offer->lock);
  g_object_unref(offer->window);
  g_free(offer->path);
  g_free(offer);
}

/* It is kept under another name, in case the answer was a slip. */
static void
put_away(Offer *offer)
{
  g_autofree char *folder = g_path_get_dirname(offer->path), *last = g_build_filename(folder, LAST, NULL);
  g_autofree char *its_lock_path = dup_lock_path(offer->path);
  g_rename(offer->path, last);
  g_unlink(its_lock_path);
  offer_free(offer);
}

static void
on_restored(VtWindow *window, gboolean is_whole, gpointer data)
{
  if (is_whole)
    put_away(data);
  else
    offer_free(data); /* what is missing may be there at the next start */
}

static void
on_response(AdwMessageDialog *dialog, const char *response, Offer *offer)
{
  vt_test_log("restore-answered %s", response);
  if (g_str_equal(response, "restore"))
    vt_window_restore(offer->window, offer->path, on_restored, offer);
  else if (g_str_equal(response, "discard"))
    put_away(offer);
  else
    offer_free(offer);
}

static void
ask(Offer *offer, guint n)
{
  AdwMessageDialog *dialog =
    ADW_MESSAGE_DIALOG(adw_message_dialog_new(GTK_WINDOW(offer->window), _("Restore what was open?"), NULL));
  adw_message_dialog_format_body(
    dialog,
    g_dngettext(
      NULL, "Vitrail ended unexpectedly with %u slide open. Its view, regions and settings were written down.",
      "Vitrail ended unexpectedly with %u slides open. Their views, regions and settings were written down.", n),
    n);
  adw_message_dialog_add_responses(dialog, "later", _("_Later"), "discard", _("_Discard"), "restore", _("_Restore"),
                                   NULL);
  adw_message_dialog_set_response_appearance(dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance(dialog, "restore", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(dialog, "restore");
  adw_message_dialog_set_close_response(dialog, "later");
  g_signal_connect(dialog, "response", G_CALLBACK(on_response), offer);
  gtk_window_present(GTK_WINDOW(dialog));
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

static gboolean
offer_now(gpointer window)
{
  int its_lock = -1;
  char *left = VT_WINDOW(window)->page ? find_left(&its_lock) : NULL;
  if (!left)
    return G_SOURCE_REMOVE;
  Offer *offer = g_new0(Offer, 1);
  *offer = (Offer){ g_object_ref(window), left, its_lock };
  const guint n = count_slides(left);
  if (n > 0)
    ask(offer, n);
  else
    put_away(offer); /* nothing that this program can read */
  return G_SOURCE_REMOVE;
}

/* After the window's first frame: the question stands before it. */
void
vt_autosave_offer(VtWindow *window)
{
  g_timeout_add_full(G_PRIORITY_LOW, OFFER_MS, offer_now, g_object_ref(window), g_object_unref);
}
