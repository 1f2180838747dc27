/* SPDX-License-Identifier: MIT
 *
 * Outlines that GDAL would write as FlatGeobuf and could not read are refused before anything is written, whether it is there or not. */
#include <glib/gstdio.h>

#include "results/vt-objects-save.h"
#include "run/vt-run-private.h"

static const VitrailOp op = { .size = sizeof op, .id = "cells" };

/* One object that says that it has so many points, of which nobody should read more than four. NULL: it was written. Owned. */
static char *
dup_refusal(gsize n_points, guint32 n_rings)
{
  static const double points[] = { 0, 0, 4, 0, 4, 4, 0, 4 };
  static const guint32 sizes[] = { 4 };
  VtObject object = { .id = 7, .n_rings = n_rings, .n_points = n_points, .ring_sizes = sizes, .points = points };
  g_autoptr(VtResult) result = vt_result_new(&op);
  ((VtResultFull *)result)->source_hash = g_strdup("of-a-test");
  result->objects = g_ptr_array_new();
  g_ptr_array_add(result->objects, &object);
  g_autofree char *dir = g_dir_make_tmp(NULL, NULL), *path = g_build_filename(dir, "objects.fgb", NULL);
  g_autoptr(GError) error = NULL;
  const gboolean done = vt_result_write_objects(result, 0, path, &error);
  g_assert_true(done == !error);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS) == done);
  g_remove(path);
  g_rmdir(dir);
  return error ? g_strdup(error->message) : NULL;
}

static void
test_large(void)
{
  const gsize most = ((gsize)1 << 26) - 1;
  g_autofree char *more = dup_refusal(most, 1), *most_of_all = dup_refusal(G_MAXSIZE, G_MAXUINT32),
                  *fits = dup_refusal(most - 1, 1);
  g_assert_nonnull(strstr(more, "The outline of object 7 has 67108863 points"));
  g_assert_nonnull(strstr(most_of_all, "The outline of object 7 has"));
  g_assert_true(!fits || strstr(fits, VT_OBJECTS_MODULE)); /* which need not be there */
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/objects-formats/large", test_large);
  return g_test_run();
}
