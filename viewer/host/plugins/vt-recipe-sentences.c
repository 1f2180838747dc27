/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-sentences.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const known[] = {
  N_("The step \"%s\" can't take \"%s\", which was only read: a step channel, marker or labels "
     "stands between."),
  N_("The step \"%s\" takes what a step read gives, and not \"%s\"."),
  N_("The step \"%s\" can't take \"%s\", which makes no image."),
  N_("The step \"%s\" outlines what a step objects makes, and not \"%s\"."),
  N_("The step \"%s\" needs a stage: it hands over what it makes."),
  N_("The step \"%s\" of %s can't take what there is of \"%s\"."),
  N_("The step \"%s\" of %s has no input \"%s\"."),
  N_("The step \"%s\" of %s has no parameter \"%s\"."),
};

/* What stands for each "%s", owned, NULL at the end; NULL: it is another sentence. */
static char **
take_apart(const char *format, const char *sentence)
{
  g_auto(GStrv) pieces = g_strsplit(format, "%s", -1);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  const char *rest = sentence + strlen(pieces[0]);
  if (!g_str_has_prefix(sentence, pieces[0]))
    return NULL;
  for (guint i = 1; pieces[i]; i++) {
    const char *end = strstr(rest, pieces[i]);
    g_autofree char *name = end ? g_strndup(rest, (gsize)(end - rest)) : NULL;
    if (!end)
      return NULL;
    g_strv_builder_add(names, name);
    rest = end + strlen(pieces[i]);
  }
  return *rest ? NULL : g_strv_builder_end(names);
}

static char *
put_together(const char *format, char **names)
{
  g_auto(GStrv) pieces = g_strsplit(format, "%s", -1);
  g_autoptr(GString) text = g_string_new(pieces[0]);
  for (guint i = 1; pieces[i] && names[i - 1]; i++) {
    g_string_append(text, names[i - 1]);
    g_string_append(text, pieces[i]);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
vt_recipe_dup_sentence(const char *sentence)
{
  for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
    g_auto(GStrv) names = take_apart(known[i], sentence);
    if (names)
      return put_together(_(known[i]), names);
  }
  return g_strdup(*sentence ? _(sentence) : sentence);
}
