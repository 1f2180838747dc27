/* SPDX-License-Identifier: MIT */
#include "common/vt-recent.h"

static void
recent_free(gpointer data)
{
  VtRecent *recent = data;
  g_free(recent->name);
  g_free(recent->uri);
  g_free(recent);
}

GPtrArray *
vt_recent_dup(guint n)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(recent_free);
  GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
  const char *program = g_get_application_name();
  for (GList *l = items; program && l && list->len < n; l = l->next) {
    GtkRecentInfo *info = l->data;
    if (!gtk_recent_info_has_application(info, program) || !gtk_recent_info_exists(info))
      continue;
    VtRecent *recent = g_new0(VtRecent, 1);
    recent->name = g_strdup(gtk_recent_info_get_display_name(info));
    recent->uri = g_strdup(gtk_recent_info_get_uri(info));
    g_ptr_array_add(list, recent);
  }
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
  return list;
}
