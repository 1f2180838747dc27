/* SPDX-License-Identifier: MIT
 *
 * Folders for a colleague: all that is needed is in them, under paths that stay inside, what is not is told, and they are there whole or not at
 * all. */
#include <string.h>

#include "host-support.h"
#include "base/vt-file-private.h"
#include "base/vt-zip.h"
#include "results/vt-bundle.h"

static char *
make_file(const char *folder, const char *name, const char *content)
{
  char *path = g_build_filename(folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname(path);
  g_mkdir_with_parents(parent, 0777);
  g_assert_true(g_file_set_contents(path, content, -1, NULL));
  return path;
}

/* Views of a/x.svs, b/x.svs and a/x.svs again, with two recipes of the same name. */
static VtBundle *
make_bundle(const char *folder)
{
  static const char *const slides[] = { "a/x.svs", "b/x.svs", "a/x.svs" };
  VtBundle *bundle = vt_bundle_new(vt_session_file_new());
  VtSessionTab *tab = vt_session_file_add_tab(bundle->session);
  for (guint i = 0; i < G_N_ELEMENTS(slides); i++) {
    VtSessionView *view = vt_session_tab_add_view(tab);
    VtSessionAnalysis *analysis = vt_session_view_add_analysis(view);
    view->slide = make_file(folder, slides[i], i == 1 ? "bb" : "aaaa");
    view->slide_path = g_strdup(view->slide);
    view->gamma = 1;
    analysis->op = g_strdup("mine");
    analysis->recipe = make_file(folder, i == 1 ? "s/r.recipe.json" : "r/r.recipe.json", "{}");
    vt_session_analysis_add_objects(analysis)->file = make_file(folder, "cells.geojson", "[]");
  }
  return bundle;
}

static char *
dup_content(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *content = NULL;
  g_file_get_contents(path, &content, NULL, NULL);
  return content;
}

static void
test_whole(void)
{
  g_autofree char *folder = make_folder(), *to = g_build_filename(folder, "case", NULL);
  g_autofree char *moved = g_build_filename(folder, "elsewhere", NULL);
  g_autofree char *session = g_build_filename(moved, VT_BUNDLE_SESSION, NULL);
  g_autoptr(VtBundle) bundle = make_bundle(folder);
  g_autoptr(GError) error = NULL;
  guint n = 0;
  g_assert_cmpuint(vt_bundle_count_slides(bundle, &n), ==, 6);
  g_assert_cmpuint(n, ==, 2);
  bundle->has_slides = TRUE;
  g_assert_true(vt_bundle_save(bundle, to, NULL, NULL, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpint(g_rename(to, moved), ==, 0);
  g_autofree char *first = dup_content(moved, "slides/x.svs"), *second = dup_content(moved, "slides/x-2.svs");
  g_assert_cmpstr(first, ==, "aaaa");
  g_assert_cmpstr(second, ==, "bb");
  g_autoptr(VtSessionFile) again = vt_session_file_read(session, &error);
  g_assert_no_error(error);
  const VtSessionTab *tab = again->tabs->pdata[0];
  for (guint i = 0; i < tab->views->len; i++) {
    const VtSessionView *view = tab->views->pdata[i];
    const VtSessionAnalysis *analysis = view->analyses->pdata[0];
    g_assert_true(g_str_has_prefix(view->slide, moved) && g_file_test(view->slide, G_FILE_TEST_EXISTS));
    g_assert_true(g_str_has_prefix(analysis->recipe, moved) && g_file_test(analysis->recipe, G_FILE_TEST_EXISTS));
    g_assert_null(view->slide_path);
    const VtSessionObjects *objects = analysis->objects->pdata[0];
    g_assert_true(g_str_has_prefix(objects->file, moved) && g_file_test(objects->file, G_FILE_TEST_EXISTS));
  }
  remove_folder(folder);
}

static void
test_without(void)
{
  g_autofree char *folder = make_folder(), *to = g_build_filename(folder, "case", NULL);
  g_autofree char *inside = g_build_filename(to, "slides", NULL);
  g_autoptr(VtBundle) bundle = make_bundle(folder);
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(bundle->notes, g_strdup("a thing of its own"));
  g_assert_true(vt_bundle_save(bundle, to, NULL, NULL, NULL, &error));
  g_autofree char *text = dup_content(to, VT_BUNDLE_TEXT);
  g_assert_nonnull(strstr(text, "the slide x.svs: put it at slides/x.svs"));
  g_assert_nonnull(strstr(text, "put it at slides/x-2.svs"));
  g_assert_nonnull(strstr(text, "a thing of its own"));
  g_assert_false(g_file_test(inside, G_FILE_TEST_EXISTS));
  remove_folder(folder);
}

/* Slides whose files are not all known stay, and the text says why. */
static void
test_partial(void)
{
  g_autofree char *folder = make_folder(), *to = g_build_filename(folder, "case", NULL);
  g_autoptr(VtBundle) bundle = make_bundle(folder);
  guint n = 0;
  g_hash_table_add(bundle->partial, g_build_filename(folder, "a/x.svs", NULL));
  bundle->has_slides = TRUE;
  g_assert_cmpuint(vt_bundle_count_slides(bundle, &n), ==, 2);
  g_assert_cmpuint(n, ==, 1);
  g_assert_true(vt_bundle_save(bundle, to, NULL, NULL, NULL, NULL));
  g_autofree char *text = dup_content(to, VT_BUNDLE_TEXT);
  g_assert_nonnull(strstr(text, "the slide x.svs, which is made of several files: put it at"));
  remove_folder(folder);
}

/* Nothing is left behind, and nothing replaced. */
static void
test_failures(void)
{
  g_autofree char *folder = make_folder(), *to = g_build_filename(folder, "case", NULL);
  g_autofree char *mine = make_file(folder, "case/mine.txt", "mine"), *lost = g_build_filename(folder, "b/x.svs", NULL);
  g_autofree char *nowhere = g_build_filename(folder, "not/there", NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(VtBundle) full = make_bundle(folder), cut = make_bundle(folder), broken = make_bundle(folder),
                      astray = make_bundle(folder);
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_bundle_save(full, to, NULL, NULL, NULL, &error));
  g_assert_nonnull(strstr(error->message, "is not an empty folder."));
  g_clear_error(&error);
  g_assert_false(vt_bundle_save(astray, nowhere, NULL, NULL, NULL, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_unlink(mine);
  const guint n = count_files(folder);
  cut->has_slides = broken->has_slides = TRUE;
  g_cancellable_cancel(cancellable);
  g_assert_false(vt_bundle_save(cut, to, NULL, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error(&error);
  g_unlink(lost);
  g_assert_false(vt_bundle_save(broken, to, NULL, NULL, NULL, &error));
  assert_sentence(error);
  g_assert_cmpuint(count_files(folder), ==, n);
  g_assert_cmpuint(count_files(to), ==, 0);
  remove_folder(folder);
}

/* --- as one file --- */

/* What unpacking says; NULL: it is done. Nothing but the archive and the folder is there afterwards. Owned. */
static char *
unpack(const char *folder, const guint8 *bytes, gsize n)
{
  g_autofree char *path = g_build_filename(folder, "x.zip", NULL), *to = g_build_filename(folder, "x", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(path, (const char *)bytes, (gssize)n, NULL));
  const gboolean is_done = vt_zip_unpack(path, to, NULL, NULL, NULL, &error);
  g_assert_cmpint(is_done, ==, error == NULL);
  g_assert_cmpint(is_done, ==, g_file_test(to, G_FILE_TEST_IS_DIR));
  g_assert_cmpuint(count_files(folder), ==, is_done ? 2 : 1);
  if (is_done)
    vt_file_remove_all(to);
  return error ? g_strdup(error->message) : NULL;
}

static GByteArray *
pack_some(const char *folder)
{
  g_autofree char *from = g_build_filename(folder, "from", NULL), *path = g_build_filename(folder, "some.zip", NULL);
  g_autofree char *a = make_file(from, "dd/a.txt", "hello, hello, hello, hello"), *b = make_file(from, "b.tif", "raw");
  g_autofree char *c = make_file(from, "c.tif", ""), *content = NULL;
  g_autoptr(GError) error = NULL;
  gsize length = 0;
  g_assert_true(vt_zip_pack(from, path, NULL, NULL, NULL, &error));
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &content, &length, NULL));
  g_assert_false(vt_zip_pack(from, path, NULL, NULL, NULL, NULL)); /* it is there */
  vt_file_remove_all(from);
  g_unlink(path);
  return g_byte_array_append(g_byte_array_new(), (const guint8 *)content, (guint)length);
}

static void
test_zip(void)
{
  g_autofree char *folder = make_folder(), *to = g_build_filename(folder, "case.zip", NULL);
  g_autofree char *moved = g_build_filename(folder, "elsewhere", NULL);
  g_autofree char *session = g_build_filename(moved, VT_BUNDLE_SESSION, NULL);
  g_autoptr(VtBundle) bundle = make_bundle(folder);
  g_autoptr(GError) error = NULL;
  VtSessionView *odd = ((VtSessionTab *)bundle->session->tabs->pdata[0])->views->pdata[1];
  g_free(odd->slide);
  odd->slide = make_file(folder, "b/12:30 caf\xe9\n.svs", "bb"); /* what no archive takes */
  bundle->has_slides = TRUE;
  g_assert_true(vt_bundle_save(bundle, to, NULL, NULL, NULL, &error));
  g_assert_no_error(error);
  g_autofree char *again_to = g_build_filename(folder, "case.zip", NULL);
  g_assert_false(vt_bundle_save(bundle, again_to, NULL, NULL, NULL, &error));
  g_assert_true(g_str_has_suffix(error->message, "is there already."));
  g_clear_error(&error);
  g_assert_true(vt_zip_unpack(to, moved, NULL, NULL, NULL, &error));
  g_assert_no_error(error);
  g_autofree char *first = dup_content(moved, "slides/x.svs"), *second = dup_content(moved, "slides/12_30 caf__.svs");
  g_assert_cmpstr(first, ==, "aaaa");
  g_assert_cmpstr(second, ==, "bb");
  g_autoptr(VtSessionFile) again = vt_session_file_read(session, &error);
  g_assert_no_error(error);
  const VtSessionTab *tab = again->tabs->pdata[0];
  g_assert_cmpuint(tab->views->len, ==, 3);
  g_assert_true(g_str_has_suffix(((const VtSessionView *)tab->views->pdata[1])->slide, "/slides/12_30 caf__.svs"));
  g_assert_false(vt_zip_unpack(to, moved, NULL, NULL, NULL, NULL)); /* it is there */
  vt_file_remove_all(folder);
}

static void
replace_all(GByteArray *bytes, const char *from, const char *to)
{
  const gsize n = strlen(from);
  for (gsize i = 0; i + n <= bytes->len; i++)
    if (memcmp(bytes->data + i, from, n) == 0)
      memcpy(bytes->data + i, to, n);
}

/* Names that lead out, and what else somebody may have made. */
static void
test_hostile_zip(void)
{
  static const char *const names[][3] = { { "dd/a.txt", "../a.txt", "no name that stays" },
                                          { "dd/a.txt", "/d/a.txt", "no name that stays" },
                                          { "dd/a.txt", "dd\\a.txt", "no name that stays" },
                                          { "dd/a.txt", "dd//.txt", "no name that stays" },
                                          { "dd/a.txt", "C:/a.txt", "no name that stays" },
                                          { "dd/a.txt", "b.tif/xx", "cannot be written" },
                                          { "c.tif", "b.tif", "is in it twice" } };
  g_autofree char *folder = make_folder();
  g_autoptr(GByteArray) good = pack_some(folder);
  g_assert_null(unpack(folder, good->data, good->len));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GByteArray) bad = g_byte_array_append(g_byte_array_new(), good->data, good->len);
    replace_all(bad, names[i][0], names[i][1]);
    g_autofree char *said = unpack(folder, bad->data, bad->len);
    g_assert_nonnull(said);
    g_test_message("%s", said);
    g_assert_nonnull(strstr(said, names[i][2]));
  }
  static const guint8 text[] = "no archive, but long enough to be looked at";
  g_autofree char *said = unpack(folder, text, sizeof text), *empty = unpack(folder, text, 0);
  g_assert_nonnull(strstr(said, "no ZIP archive"));
  g_assert_nonnull(strstr(empty, "no ZIP archive"));
  vt_file_remove_all(folder);
}

/* Each byte changed in one of several ways, and each second length: a sentence, or what was packed; never more bytes than were said, never a file elsewhere. */
static void
test_damaged_zip(void)
{
  static const guint8 flips[] = { 0x01, 0x80, 0xff };
  g_autofree char *folder = make_folder();
  g_autoptr(GByteArray) good = pack_some(folder);
  guint n_refused = 0;
  for (guint i = 0; i < good->len; i++) {
    const guint8 flip = flips[i % G_N_ELEMENTS(flips)];
    good->data[i] ^= flip;
    g_autofree char *said = unpack(folder, good->data, good->len);
    n_refused += said != NULL;
    good->data[i] ^= flip;
    g_autofree char *cut = i % 2 ? unpack(folder, good->data, i) : NULL;
    g_assert_true(cut || i % 2 == 0);
  }
  g_test_message("%u of %u changes refused", n_refused, good->len);
  vt_file_remove_all(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bundle/whole", test_whole);
  g_test_add_func("/bundle/without", test_without);
  g_test_add_func("/bundle/partial", test_partial);
  g_test_add_func("/bundle/failures", test_failures);
  g_test_add_func("/bundle/zip", test_zip);
  g_test_add_func("/bundle/hostile-zip", test_hostile_zip);
  g_test_add_func("/bundle/damaged-zip", test_damaged_zip);
  return g_test_run();
}
