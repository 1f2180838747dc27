/* SPDX-License-Identifier: MIT */
#include "common/vt-recent.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/vt-error.h"

static GListStore *store = NULL;
static gboolean looks = FALSE, looks_again = FALSE;

/* All that this program opened, the newest first. */
static GPtrArray *
list_opened(void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_object_unref);
  GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
  const char *program = g_get_application_name();
  for (GList *l = items; program && l; l = l->next)
    if (gtk_recent_info_has_application(l->data, program))
      g_ptr_array_add(files, g_file_new_for_uri(gtk_recent_info_get_uri(l->data)));
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
  return files;
}

/* Leaves those that are there. */
static void
look(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const GPtrArray *files = data;
  GPtrArray *there = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < files->len && there->len < VT_RECENT_MOST; i++) {
    const char *path = g_file_peek_path(files->pdata[i]);
    GStatBuf info;
    if (path && g_stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
      g_ptr_array_add(there, g_object_ref(files->pdata[i]));
  }
  g_task_return_pointer(task, there, (GDestroyNotify)g_ptr_array_unref);
}

static gboolean
is_at(guint place, GFile *file)
{
  g_autoptr(GFile) other = g_list_model_get_item(G_LIST_MODEL(store), place);
  return other && g_file_equal(other, file);
}

/* Whoever shows the list makes a widget for each file that is new in it, so the others stay. */
static void
show(const GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++) {
    GFile *file = files->pdata[i];
    if (is_at(i, file))
      continue;
    for (guint k = g_list_model_get_n_items(G_LIST_MODEL(store)); k-- > i + 1;)
      if (is_at(k, file))
        g_list_store_remove(store, k);
    g_list_store_insert(store, i, file);
  }
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(store));
  if (n > files->len)
    g_list_store_splice(store, files->len, n - files->len, NULL, 0);
}

static void update(void);

static void
looked(GObject *source, GAsyncResult *result, gpointer unused)
{
  g_autoptr(GPtrArray) files = g_task_propagate_pointer(G_TASK(result), NULL);
  looks = FALSE;
  show(files);
  if (looks_again)
    update();
}

static void
update(void)
{
  looks_again = looks;
  if (looks)
    return;
  looks = TRUE;
  g_autoptr(GTask) task = g_task_new(NULL, NULL, looked, NULL);
  g_task_set_task_data(task, list_opened(), (GDestroyNotify)g_ptr_array_unref);
  g_task_run_in_thread(task, look);
}

GListModel *
vt_recent_get(void)
{
  if (!store) {
    store = g_list_store_new(G_TYPE_FILE);
    g_signal_connect(gtk_recent_manager_get_default(), "changed", G_CALLBACK(update), NULL);
    update();
  }
  return G_LIST_MODEL(store);
}

char *
vt_recent_dup_name(GFile *file)
{
  return vt_error_dup_name(g_file_peek_path(file));
}
