/* SPDX-License-Identifier: MIT
 *
 * What somebody else has exported as one file: unpacked beside it, then opened. */
#include <string.h>

#include "base/vt-file-private.h"
#include "base/vt-zip.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "dialogs/vt-wait-dialog.h"
#include "results/vt-bundle.h"
#include "window/vt-window-private.h"

typedef struct {
  char *path, *folder, *session;
  gint percent; /* atomic */
} Unpacking;

/* Named as the file, with a number where that is taken. Owned. */
static char *
dup_folder(const char *path)
{
  g_autofree char *stem = g_strndup(path, strlen(path) - strlen(VT_ZIP_SUFFIX));
  char *folder = g_strdup(stem);
  for (guint n = 2; g_file_test(folder, G_FILE_TEST_EXISTS); n++) {
    g_free(folder);
    folder = g_strdup_printf("%s-%u", stem, n);
  }
  return folder;
}

/* In the folder, or in the only folder in it, as other programs pack. Owned; NULL: there is none. */
static char *
dup_session(const char *folder)
{
  char *session = g_build_filename(folder, VT_BUNDLE_SESSION, NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name = dir ? g_dir_read_name(dir) : NULL;
  const gboolean is_alone = name && !g_dir_read_name(dir);
  if (is_alone && !g_file_test(session, G_FILE_TEST_IS_REGULAR)) {
    g_free(session);
    session = g_build_filename(folder, name, VT_BUNDLE_SESSION, NULL);
  }
  if (!g_file_test(session, G_FILE_TEST_IS_REGULAR))
    g_clear_pointer(&session, g_free);
  return session;
}

static void
on_progress(double part, gpointer user)
{
  g_atomic_int_set(&((Unpacking *)user)->percent, (gint)(100 * part));
}

/* What can't be opened need not stay beside the file. */
static gboolean
check_session(const Unpacking *unpacking, const char *name, GError **error)
{
  if (!unpacking->session)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s holds no %s: it was not exported by Vitrail.", name,
                        VT_BUNDLE_SESSION);
  g_autoptr(VtSessionFile) session = vt_session_file_read(unpacking->session, error);
  return session != NULL;
}

static gboolean
work(gpointer job, GCancellable *cancellable, GError **error)
{
  Unpacking *unpacking = job;
  g_autofree char *name = vt_error_dup_name(unpacking->path);
  unpacking->folder = dup_folder(unpacking->path);
  if (!vt_zip_unpack(unpacking->path, unpacking->folder, on_progress, unpacking, cancellable, error))
    return FALSE;
  unpacking->session = dup_session(unpacking->folder);
  if (check_session(unpacking, name, error))
    return TRUE;
  vt_file_remove_all(unpacking->folder);
  return FALSE;
}

static char *
tell(gpointer job, double *part)
{
  const gint percent = g_atomic_int_get(&((Unpacking *)job)->percent);
  *part = percent / 100.0;
  return g_strdup_printf(_("Copying: %d %%"), percent);
}

static void
end(GtkWindow *window, gpointer job, const GError *error)
{
  VtWindow *self = VT_WINDOW(window);
  Unpacking *unpacking = job;
  if (self->page && error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vt_pane_show_error(vt_window_get_pane(self), vt_translate(error->message), VT_MESSAGE_ANSWER);
  if (self->page && !error) {
    g_autofree char *name = vt_error_dup_name(unpacking->folder);
    g_autofree char *sentence = g_strdup_printf(_("Unpacked into the folder %s beside it"), name);
    vt_test_log("unpacked %s", unpacking->folder);
    vt_window_toast(self, sentence);
    vt_window_restore(self, unpacking->session, NULL);
  }
  g_free(unpacking->path);
  g_free(unpacking->folder);
  g_free(unpacking->session);
  g_free(unpacking);
}

gboolean
vt_window_open_packed(VtWindow *self, const char *path)
{
  static const VtWaitKind kind = { N_("Unpacking"), work, tell, end };
  g_autofree char *lower = g_ascii_strdown(path, -1);
  if (!g_str_has_suffix(lower, VT_ZIP_SUFFIX))
    return FALSE;
  Unpacking *unpacking = g_new0(Unpacking, 1);
  unpacking->path = g_strdup(path);
  vt_wait_dialog_run(GTK_WINDOW(self), &kind, unpacking);
  return TRUE;
}
