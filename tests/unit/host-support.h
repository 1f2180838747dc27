/* SPDX-License-Identifier: MIT
 *
 * What the host's tests share. */
#pragma once
#include <glib/gstdio.h>
#include <sys/resource.h>

#include "plugins/vt-plugin-host.h"
#include "run/vt-roi.h"
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

/* What a full disk does, to this process alone: files have at most so many bytes; 0: as many as before. SIGXFSZ is to be ignored. */
static inline void
limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes ? bytes : limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static inline guint
count_files(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  return n;
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

/* Copies of both or of one; NULL is none. */
static inline GPtrArray *
rois_new(const VtRoi *first, const VtRoi *second)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  if (first)
    g_ptr_array_add(rois, vt_roi_copy(first));
  if (second)
    g_ptr_array_add(rois, vt_roi_copy(second));
  return rois;
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

/* Such a sentence, with these words. */
static inline void
assert_says(const GError *error, const char *words)
{
  assert_sentence(error);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, words));
}

/* Of an op of the fake plugin, on an image of known bytes. */
static inline VtRunRequest *
make_fake_request(const char *op_id, const char *mode, VitrailPixelType type, gint64 width, gint64 height)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, &plugin);
  g_autofree char *setting = g_strconcat("mode=", mode, NULL);
  VtRunRequest *request = vt_run_request_new(plugin, op);
  VtRaster *raster = vt_raster_new(type, width, height, NULL);
  for (gsize i = 0; i < raster->stride * (gsize)height; i++)
    raster->data[i] = (guint8)(i * 7);
  request->params = vt_params_new(op, FALSE);
  request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
  request->whole = TRUE;
  request->n_threads = 4;
  g_hash_table_insert(request->rasters, (gpointer) "image", raster);
  g_assert_true(vt_params_set_from_string(request->params, setting, NULL));
  return request;
}
