/* SPDX-License-Identifier: MIT */
#include "common/vt-drop.h"

typedef struct {
  gpointer data;
  GDestroyNotify destroy;
} Drop;

static void
drop(gpointer data, gpointer user_data)
{
  Drop *item = data;
  item->destroy(item->data);
  g_free(item);
}

void
vt_drop(gpointer data, GDestroyNotify destroy)
{
  static GThreadPool *pool = NULL;
  if (!data)
    return;
  if (g_once_init_enter(&pool))
    g_once_init_leave(&pool, g_thread_pool_new(drop, NULL, 1, TRUE, NULL));
  Drop *item = g_new(Drop, 1);
  item->data = data;
  item->destroy = destroy;
  g_thread_pool_push(pool, item, NULL);
}
