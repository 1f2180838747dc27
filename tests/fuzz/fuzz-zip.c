/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an archive: all of it in the folder, or no folder and one sentence; nothing beside the folder. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "base/vt-zip.h"
#include "fuzz.h"

enum { MAX_SIZE = 4096 }; /* what is packed a thousandfold is unpacked, too */

static char *place;

static void
remove_place(void)
{
  vt_file_remove_all(place);
}

/* A folder of this process, in memory where there is such a place. */
static const char *
get_place(void)
{
  if (!place) {
    const char *parent = g_access("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir();
    place = g_strdup_printf("%s/vitrail-fuzz-zip-%d", parent, (int)getpid());
    vt_fuzz_check(g_mkdir_with_parents(place, 0700) == 0, "no folder", place);
    atexit(remove_place);
  }
  return place;
}

static guint
count_entries(const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  guint n = 0;
  while (dir && g_dir_read_name(dir))
    n++;
  return n;
}

/* 0: files in a folder of the folder; 1: a file that deflates well; 2: an empty folder. */
size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  g_autofree char *folder = g_build_filename(get_place(), "packed", NULL), *inner = g_build_filename(folder, "b", NULL);
  g_autofree char *text = g_build_filename(inner, "é.txt", NULL), *zeros = g_build_filename(folder, "zeros.csv", NULL);
  g_autofree char *path = g_build_filename(get_place(), "packed.zip", NULL), *bytes = NULL;
  static const char nothing[5000];
  gsize size = 0;
  if (index > 2)
    return 0;
  vt_fuzz_check(g_mkdir_with_parents(inner, 0700) == 0, "no folder", inner);
  if (index == 0)
    vt_fuzz_check(g_file_set_contents(text, "some words", -1, NULL), "no file", text);
  if (index == 1)
    vt_fuzz_check(g_file_set_contents(zeros, nothing, sizeof nothing, NULL), "no file", zeros);
  vt_fuzz_check(vt_zip_pack(folder, path, NULL, NULL, NULL, NULL) && g_file_get_contents(path, &bytes, &size, NULL),
                "not packed", path);
  vt_fuzz_check(size < MAX_SIZE, "a seed is too large", path);
  memcpy(data, bytes, size);
  g_unlink(path);
  vt_file_remove_all(folder);
  return size;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_build_filename(get_place(), "unpacked", NULL);
  if (size > MAX_SIZE)
    return 0;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  const gboolean is_done = vt_zip_unpack(vt_fuzz_file(data, size), folder, NULL, NULL, NULL, &error);
  vt_fuzz_check(is_done == (error == NULL), "neither unpacked nor an error, or both", error ? error->message : "");
  vt_fuzz_check(is_done == (gboolean)g_file_test(folder, G_FILE_TEST_IS_DIR), "half an answer",
                error ? error->message : "");
  vt_fuzz_check(count_entries(get_place()) == (is_done ? 1u : 0u), "something beside the folder", get_place());
  vt_file_remove_all(folder);
  return 0;
}
