/* SPDX-License-Identifier: MIT */
#include "results/vt-session-file.h"

#include "base/vt-define.h"

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

/* What lies where it lay beside the session comes before what lies where it lay on the disk. */
static void
find_file(char **path, const char *on_disk, const char *folder)
{
  g_autofree char *beside = g_canonicalize_filename(*path, folder);
  const gboolean is_elsewhere = on_disk && g_path_is_absolute(on_disk) && !g_file_test(beside, G_FILE_TEST_EXISTS)
                                && g_file_test(on_disk, G_FILE_TEST_EXISTS);
  g_free(*path);
  *path = is_elsewhere ? g_strdup(on_disk) : g_steal_pointer(&beside);
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
  find_file(&view->slide, view->slide_path, folder);
  VT_EACH_OF (VtSessionAnalysis, analysis, view->analyses) {
    find_recipe(&analysis->recipe, folder);
    for (guint k = 0; k < analysis->labels->len; k++) {
      VtSessionLabels *labels = analysis->labels->pdata[k];
      find_file(&labels->file, labels->file_path, folder);
    }
    VT_EACH_OF (VtSessionObjects, objects, analysis->objects)
      find_file(&objects->file, objects->file_path, folder);
  }
  for (guint i = 0; i < view->snapshots->len; i++)
    find_recipe(&((VtSessionSnapshot *)view->snapshots->pdata[i])->recipe, folder);
}

void
vt_session_file_find_files(VtSessionFile *self, const char *folder)
{
  VT_EACH_OF (const VtSessionTab, tab, self->tabs) {
    for (guint v = 0; v < tab->views->len; v++)
      find_files(tab->views->pdata[v], folder);
  }
}
