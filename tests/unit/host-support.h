/* SPDX-License-Identifier: MIT
 *
 * What the host's tests share. */
#pragma once
#include <glib/gstdio.h>

#include "run/vt-run.h"

/* A file of the shared data; NULL, and the test is skipped, when that folder is absent. Owned. */
static inline char *
shared_path(const char *relative)
{
  const char *shared = g_getenv("VITRAIL_SHARED");
  const char *source = g_getenv("VITRAIL_SOURCE_ROOT");
  g_autofree char *beside = g_build_filename(source ? source : ".", "..", "shared", NULL);
  char *path = g_build_filename(shared ? shared : beside, relative, NULL);
  if (g_file_test(path, G_FILE_TEST_EXISTS))
    return path;
  g_free(path);
  g_test_skip("the shared data are not here (VITRAIL_SHARED)");
  return NULL;
}

/* A fresh folder, owned. */
static inline char *
make_folder(void)
{
  char *folder = g_dir_make_tmp("vitrail-test-XXXXXX", NULL);
  g_assert_nonnull(folder);
  return folder;
}

static inline void
remove_folder(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name = NULL;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      remove_folder(path);
    else
      g_unlink(path);
  }
  g_rmdir(folder);
}

/* A sentence: says something, ends with a full stop, is one line. */
static inline void
assert_sentence(const GError *error)
{
  g_assert_nonnull(error);
  g_assert_cmpuint(strlen(error->message), >, 8);
  g_assert_true(g_str_has_suffix(error->message, "."));
  g_assert_null(strchr(error->message, '\n'));
}
