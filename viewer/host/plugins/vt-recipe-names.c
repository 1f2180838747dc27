/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-names.h"

#include <string.h>

static gsize
number_length(const char *text)
{
  gsize n = 0;
  while (g_ascii_isdigit(text[n]) || (text[n] && strchr(".eE", text[n]))
         || (n > 0 && text[n] && strchr("+-", text[n]) && strchr("eE", text[n - 1])))
    n++;
  return n;
}

static gsize
name_length(const char *text)
{
  gsize n = 0;
  while (g_ascii_isalnum(text[n]) || text[n] == '-' || text[n] == '_'
         || (text[n] == '.' && g_ascii_isalpha(text[n + 1])))
    n++;
  return n;
}

static gsize
append_name(VtRecipeNameOf name_of, gpointer user, const char *text, const char *function, GString *out)
{
  const gsize n = name_length(text);
  const char *after = text + n + strspn(text + n, " \t\n");
  g_autofree char *name = g_strndup(text, n);
  g_autofree char *other = name_of(user, function && *after == ')' ? function : NULL, name);
  if (other && !*other) { /* given(...) */
    g_string_truncate(out, out->len - strlen("given("));
    g_string_append(out, "(0");
  } else {
    g_string_append(out, other ? other : name);
  }
  return n;
}

char *
vt_recipe_rewrite(const char *expression, VtRecipeNameOf name_of, gpointer user)
{
  const char *text = expression;
  g_autoptr(GString) out = g_string_new(NULL);
  g_autofree char *function = NULL; /* whose bracket was just opened */
  for (gsize n; text && *text; text += n) {
    const char *quote = *text == '\'' ? strchr(text + 1, '\'') : NULL;
    g_autofree char *opened = NULL;
    n = quote ? (gsize)(quote - text) + 1 : g_ascii_isdigit(*text) ? number_length(text) : 1;
    if (!quote && g_ascii_isalpha(*text) && text[name_length(text)] != '(') {
      n = append_name(name_of, user, text, function, out);
    } else {
      if (g_ascii_isalpha(*text)) {
        n = name_length(text) + 1;
        opened = g_strndup(text, n - 1);
      }
      g_string_append_len(out, text, (gssize)n);
    }
    g_free(function);
    function = g_steal_pointer(&opened);
  }
  return expression ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}

gboolean
vt_recipe_is_of_node(const char *function)
{
  static const char *const of_nodes[] = { "scale", "type", "count", NULL };
  return function && g_strv_contains(of_nodes, function);
}
