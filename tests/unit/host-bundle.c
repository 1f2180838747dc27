/* SPDX-License-Identifier: MIT
 *
 * Folders for a colleague: all that is needed is in them, under paths that stay inside, what is not is told, and they are there whole or not at
 * all. */
#include <string.h>

#include "host-support.h"
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

static guint
count_files(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (dir && g_dir_read_name(dir))
    n++;
  return n;
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bundle/whole", test_whole);
  g_test_add_func("/bundle/without", test_without);
  g_test_add_func("/bundle/partial", test_partial);
  g_test_add_func("/bundle/failures", test_failures);
  return g_test_run();
}
