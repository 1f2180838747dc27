/* SPDX-License-Identifier: MIT
 *
 * The list of actions: every one can be called by what it says, and no key means two of them. */
#include "common/vt-action-list.h"

static void
test_keys(void)
{
  guint n = 0;
  const VtActionInfo *list = vt_action_list_get(&n);
  g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k < G_N_ELEMENTS(list[i].triggers) && list[i].triggers[k]; k++) {
      g_autoptr(GtkShortcutTrigger) trigger = gtk_shortcut_trigger_parse_string(list[i].triggers[k]);
      g_assert_nonnull(trigger);
      g_test_message("%s: %s", list[i].triggers[k], list[i].title);
      g_assert_true(g_hash_table_add(keys, gtk_shortcut_trigger_to_string(trigger)));
    }
    g_assert_null(list[i].triggers[G_N_ELEMENTS(list[i].triggers) - 1]);
  }
}

static void
test_names(void)
{
  guint n = 0;
  const VtActionInfo *list = vt_action_list_get(&n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = NULL;
    g_autoptr(GVariant) target = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_true(list[i].action || list[i].triggers[0]);
    if (list[i].action)
      g_action_parse_detailed_name(list[i].action, &name, &target, &error);
    g_assert_no_error(error);
    for (guint j = 0; j < i; j++)
      g_assert_cmpstr(list[i].title, !=, list[j].title);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/actions/keys", test_keys);
  g_test_add_func("/app/actions/names", test_names);
  return g_test_run();
}
