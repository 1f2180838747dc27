/* SPDX-License-Identifier: MIT */
#include "base/vt-helper.h"

char *
vt_helper_find(const char *name)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *above = folder ? g_path_get_dirname(folder) : NULL;
  const char *const folders[] = { folder, above, VT_LIBEXEC_DIR };
  for (gsize i = 0; self && i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *path = g_build_filename(folders[i], name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
      return g_steal_pointer(&path);
  }
  return NULL;
}
