/* SPDX-License-Identifier: MIT */
#include "base/vt-option.h"

#include <string.h>

static const GOptionEntry *
find_entry(const GOptionEntry *entries, const char *word)
{
  const gsize length = strcspn(word, "=");
  for (; entries->long_name; entries++) {
    const gboolean is_long = g_str_has_prefix(word, "--") && strlen(entries->long_name) == length - 2
                             && strncmp(entries->long_name, word + 2, length - 2) == 0;
    if (is_long || (entries->short_name && word[0] == '-' && word[1] == entries->short_name))
      return entries;
  }
  return NULL;
}

const char *
vt_option_find_repeated(int argc, char *const *argv, const GOptionEntry *entries)
{
  guint64 seen = 0;
  for (int i = 1; i < argc && !g_str_equal(argv[i], "--"); i++) {
    const GOptionEntry *entry = find_entry(entries, argv[i]);
    if (!entry || entry->arg == G_OPTION_ARG_NONE)
      continue;
    const guint64 bit = (guint64)1 << (entry - entries);
    if (entry->arg != G_OPTION_ARG_STRING_ARRAY && (seen & bit))
      return entry->long_name;
    seen |= bit;
    i += g_str_has_prefix(argv[i], "--") ? !strchr(argv[i], '=') : argv[i][2] == '\0'; /* its value is the next word */
  }
  return NULL;
}
