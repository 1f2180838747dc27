/* SPDX-License-Identifier: MIT
 *
 * Work on a thread of GTask's. */
#pragma once
#include <gio/gio.h>

/* Runs `work` there, with `data`, which it takes, and `done` here when that is over. */
void vt_task_run(gpointer source, GCancellable *cancellable, GAsyncReadyCallback done, gpointer user,
                 GTaskThreadFunc work, gpointer data, GDestroyNotify free);
/* How the work ended: with the result, or where that is NULL or FALSE with the error, which is taken. */
void vt_task_return(GTask *task, gpointer result, GDestroyNotify free, GError **error);
void vt_task_return_done(GTask *task, gboolean is_done, GError **error);
