/* SPDX-License-Identifier: MIT
 *
 * Something is made, and the window waits for it: how far it is, and a button that cancels it. Main thread. */
#pragma once
#include <adwaita.h>

/* Shown at once. It is kept in *dialog until it is closed, by the button, too, or with the window: then that is NULL. */
void vt_wait_dialog_show(GtkWindow **dialog, GtkWindow *parent, const char *heading, GCancellable *cancellable);
/* Closes it, if it is there. */
void vt_wait_dialog_end(GtkWindow **dialog);
/* If it is there; `part` 0 to 1. */
void vt_wait_dialog_tell(GtkWindow *dialog, const char *what, double part);

/* What a worker does while such a dialog is shown. */
typedef struct {
  const char *heading;                                                       /* not translated yet */
  gboolean (*work)(gpointer job, GCancellable *cancellable, GError **error); /* the worker */
  char *(*tell)(gpointer job, double *part); /* how far it is, owned; main thread, while the worker works */
  void (*end)(GtkWindow *parent, gpointer job, const GError *error); /* frees the job; error NULL: it was done */
} VtWaitKind;
void vt_wait_dialog_run(GtkWindow *parent, const VtWaitKind *kind, gpointer job);
