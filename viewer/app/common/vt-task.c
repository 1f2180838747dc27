/* SPDX-License-Identifier: MIT */
#include "common/vt-task.h"

void
vt_task_run(gpointer source, GCancellable *cancellable, GAsyncReadyCallback done, gpointer user, GTaskThreadFunc work,
            gpointer data, GDestroyNotify free)
{
  g_autoptr(GTask) task = g_task_new(source, cancellable, done, user);
  g_task_set_task_data(task, data, free);
  g_task_run_in_thread(task, work);
}

void
vt_task_return(GTask *task, gpointer result, GDestroyNotify free, GError **error)
{
  if (result)
    g_task_return_pointer(task, result, free);
  else
    g_task_return_error(task, g_steal_pointer(error));
}

void
vt_task_return_done(GTask *task, gboolean is_done, GError **error)
{
  if (is_done)
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, g_steal_pointer(error));
}
