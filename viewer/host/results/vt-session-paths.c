/* SPDX-License-Identifier: MIT */
#include "results/vt-session-file.h"

char *
vt_session_dup_relative(const char *folder, const char *path)
{
  g_auto(GStrv) from = g_strsplit(folder, "/", -1), to = g_strsplit(path, "/", -1);
  guint common = 0;
  while (from[common] && to[common] && g_str_equal(from[common], to[common]))
    common++;
  if (common < 2) /* "" and nothing more */
    return g_strdup(path);
  GString *text = g_string_new(NULL);
  for (guint i = common; from[i] && *from[i]; i++)
    g_string_append(text, "../");
  g_autofree char *rest = g_strjoinv("/", to + common);
  g_string_append(text, rest);
  return g_string_free(text, FALSE);
}

/* The slide that lies where it lay beside the session comes before one that lies where it lay on the disk. */
static void
find_slide(VtSessionView *view, const char *folder)
{
  g_autofree char *beside = g_canonicalize_filename(view->slide, folder);
  const gboolean is_elsewhere = view->slide_path && g_path_is_absolute(view->slide_path)
                                && !g_file_test(beside, G_FILE_TEST_EXISTS)
                                && g_file_test(view->slide_path, G_FILE_TEST_EXISTS);
  g_free(view->slide);
  view->slide = is_elsewhere ? g_strdup(view->slide_path) : g_steal_pointer(&beside);
}

/* In a folder that was made for somebody else recipes lie beside the session. */
static void
find_recipe(char **recipe, const char *folder)
{
  char *absolute = *recipe ? g_canonicalize_filename(*recipe, folder) : NULL;
  g_free(*recipe);
  *recipe = absolute;
}

static void
find_files(VtSessionView *view, const char *folder)
{
  find_slide(view, folder);
  for (guint i = 0; i < view->analyses->len; i++)
    find_recipe(&((VtSessionAnalysis *)view->analyses->pdata[i])->recipe, folder);
  for (guint i = 0; i < view->snapshots->len; i++)
    find_recipe(&((VtSessionSnapshot *)view->snapshots->pdata[i])->recipe, folder);
}

void
vt_session_file_find_files(VtSessionFile *self, const char *folder)
{
  for (guint t = 0; t < self->tabs->len; t++) {
    const VtSessionTab *tab = self->tabs->pdata[t];
    for (guint v = 0; v < tab->views->len; v++)
      find_files(tab->views->pdata[v], folder);
  }
}
