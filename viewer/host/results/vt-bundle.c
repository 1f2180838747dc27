/* SPDX-License-Identifier: MIT */
#include "results/vt-bundle.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "base/vt-zip.h"

#define SLIDES "slides"
#define RECIPES "recipes"
#define RESULTS "results"
#define LABELS "labels"
#define OBJECTS "objects"
#define PACKED 0.5 /* what packing is of the work that is told */

VtBundle *
vt_bundle_new(VtSessionFile *session)
{
  VtBundle *bundle = g_new0(VtBundle, 1);
  bundle->session = session;
  bundle->results = g_ptr_array_new_with_free_func((GDestroyNotify)vt_result_unref);
  bundle->slides = g_ptr_array_new_with_free_func((GDestroyNotify)vt_slide_unref);
  bundle->notes = g_ptr_array_new_with_free_func(g_free);
  bundle->partial = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return bundle;
}

VT_DEFINE_TYPE_FREE(vt_bundle_free, VtBundle,
                    VT_FREES(vt_session_file_free, session) VT_FREES(g_ptr_array_unref, results, slides, notes)
                      VT_FREES(g_hash_table_unref, partial))

typedef void (*ViewFunc)(VtSessionView *view, gpointer user);

static void
for_each_view(const VtSessionFile *session, ViewFunc func, gpointer user)
{
  VT_EACH_OF (const VtSessionTab, tab, session->tabs) {
    for (guint v = 0; v < tab->views->len; v++)
      func(tab->views->pdata[v], user);
  }
}

static gboolean
is_partial(const VtBundle *bundle, const char *path)
{
  return g_hash_table_contains(bundle->partial, path);
}

/* --- files that go along --- */

typedef struct {
  const char *folder; /* inside of the bundle */
  GHashTable *names;  /* path -> where it comes, relative to the bundle */
  GHashTable *taken;  /* these */
} Files;

static Files
files_new(const char *folder)
{
  return (Files){ folder, g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                  g_hash_table_new(g_str_hash, g_str_equal) };
}

VT_DEFINE_CLEAR(files_clear, Files, VT_FREES(g_hash_table_unref, taken, names))

/* A name that every system and every archive takes. */
static char *
dup_portable_name(const char *name)
{
  g_autofree char *valid = g_utf8_make_valid(name, -1);
  GString *text = g_string_new(NULL);
  for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    const gboolean is_fit = !g_unichar_iscntrl(c) && c != 0xFFFD && (c > 127 || !strchr("\\:*?\"<>|", (int)c));
    g_string_append_unichar(text, is_fit ? c : '_');
  }
  return g_string_free(text, FALSE);
}

/* Two files of the same name get a number before their ending. One that does not go along keeps its name. */
static const char *
files_add(Files *files, const char *path, gboolean goes_along)
{
  const char *there = g_hash_table_lookup(files->names, path);
  if (there)
    return there;
  g_autofree char *name = g_path_get_basename(path), *base = goes_along ? dup_portable_name(name) : g_strdup(name);
  char *place = g_build_filename(files->folder, base, NULL);
  for (guint n = 2; g_hash_table_contains(files->taken, place); n++) {
    const char *dot = strrchr(base, '.');
    const int stem = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    g_free(place);
    g_autofree char *numbered = g_strdup_printf("%.*s-%u%s", stem, base, n, base + stem);
    place = g_build_filename(files->folder, numbered, NULL);
  }
  g_hash_table_insert(files->names, g_strdup(path), place);
  g_hash_table_add(files->taken, place);
  return place;
}

static guint64
get_bytes(const char *path)
{
  GStatBuf facts;
  return g_stat(path, &facts) == 0 ? (guint64)facts.st_size : 0;
}

static void
add_slide(VtSessionView *view, gpointer files)
{
  files_add(files, view->slide, FALSE);
}

guint64
vt_bundle_count_slides(const VtBundle *bundle, guint *n)
{
  Files files = files_new(SLIDES);
  GHashTableIter iter;
  gpointer path;
  guint64 bytes = 0;
  *n = 0;
  for_each_view(bundle->session, add_slide, &files);
  g_hash_table_iter_init(&iter, files.names);
  while (g_hash_table_iter_next(&iter, &path, NULL)) {
    *n += is_partial(bundle, path) ? 0 : 1;
    bytes += is_partial(bundle, path) ? 0 : get_bytes(path);
  }
  files_clear(&files);
  return bytes;
}

/* --- saving --- */

typedef struct {
  VtBundle *bundle;
  const char *folder; /* where it is put together */
  Files slides, recipes, labels, objects;
  VtBundleProgress progress;
  gpointer user;
  GCancellable *cancellable;
  guint64 bytes, n_done; /* of files to copy */
  GString *text;
} Saving;

/* Where a recipe comes in the bundle, in place of where it is. */
static void
move_recipe(Saving *saving, char **recipe)
{
  if (!*recipe)
    return;
  const char *place = files_add(&saving->recipes, *recipe, TRUE);
  g_free(*recipe);
  *recipe = g_strdup(place);
}

static void
move_labels(Saving *saving, VtSessionLabels *labels)
{
  const char *place = files_add(&saving->labels, labels->file, TRUE);
  g_free(labels->file);
  g_clear_pointer(&labels->file_path, g_free);
  labels->file = g_strdup(place);
}

static void
move_objects(Saving *saving, VtSessionObjects *objects)
{
  const char *place = files_add(&saving->objects, objects->file, TRUE);
  g_free(objects->file);
  g_clear_pointer(&objects->file_path, g_free);
  objects->file = g_strdup(place);
}

static void
move_paths(VtSessionView *view, gpointer user)
{
  Saving *saving = user;
  const gboolean goes_along = saving->bundle->has_slides && !is_partial(saving->bundle, view->slide);
  const char *place = files_add(&saving->slides, view->slide, goes_along);
  g_free(view->slide_path);
  view->slide_path = goes_along ? NULL : g_strdup(view->slide);
  g_free(view->slide);
  view->slide = g_strdup(place);
  VT_EACH_OF (VtSessionAnalysis, analysis, view->analyses) {
    move_recipe(saving, &analysis->recipe);
    for (guint k = 0; k < analysis->labels->len; k++)
      move_labels(saving, analysis->labels->pdata[k]);
    for (guint k = 0; k < analysis->objects->len; k++)
      move_objects(saving, analysis->objects->pdata[k]);
  }
  for (guint i = 0; i < view->snapshots->len; i++)
    move_recipe(saving, &((VtSessionSnapshot *)view->snapshots->pdata[i])->recipe);
}

static void
on_copied(goffset n, goffset all, gpointer user)
{
  const Saving *saving = user;
  if (saving->progress && saving->bytes > 0)
    saving->progress((double)(saving->n_done + (guint64)n) / (double)saving->bytes, saving->user);
}

static gboolean
copy(Saving *saving, const char *path, const char *place, GError **error)
{
  g_autofree char *to = g_build_filename(saving->folder, place, NULL), *dir = g_path_get_dirname(to);
  g_autoptr(GFile) from_file = g_file_new_for_path(path), to_file = g_file_new_for_path(to);
  g_autoptr(GError) trouble = NULL;
  g_mkdir_with_parents(dir, 0777); /* whose failure the copy tells */
  if (!g_file_copy(from_file, to_file, G_FILE_COPY_NONE, saving->cancellable, on_copied, saving, &trouble)) {
    g_autofree char *shown = vt_error_dup_path(path), *why = vt_error_dup_line(trouble->message);
    if (!g_error_matches(trouble, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      return vt_error_set(error, VITRAIL_READ_FAILED, "%s cannot be copied: %s.", shown, why);
    g_propagate_error(error, g_steal_pointer(&trouble));
    return FALSE;
  }
  saving->n_done += get_bytes(path);
  return TRUE;
}

static gboolean
copy_files(Saving *saving, const Files *files, gboolean (*goes_along)(const Saving *saving, const char *path),
           GError **error)
{
  g_autoptr(GList) paths = g_list_sort(g_hash_table_get_keys(files->names), (GCompareFunc)g_strcmp0);
  for (GList *link = paths; link; link = link->next) {
    const char *place = g_hash_table_lookup(files->names, link->data);
    if (!goes_along(saving, link->data))
      continue;
    if (!copy(saving, link->data, place, error))
      return FALSE;
    g_string_append_printf(saving->text, "  %s\n", place);
  }
  return TRUE;
}

static gboolean
slide_goes_along(const Saving *saving, const char *path)
{
  return saving->bundle->has_slides && !is_partial(saving->bundle, path);
}

static gboolean
always_goes_along(const Saving *saving, const char *path)
{
  return TRUE;
}

static gboolean
save_results(Saving *saving, GError **error)
{
  for (guint i = 0; i < saving->bundle->results->len; i++) {
    const VtResult *result = saving->bundle->results->pdata[i];
    g_autofree char *name = g_strdup_printf("%u-%s", i + 1, result->op->id);
    g_autofree char *place = g_build_filename(RESULTS, name, NULL);
    g_autofree char *path = g_build_filename(saving->folder, place, NULL), *parent = g_path_get_dirname(path);
    if (g_cancellable_set_error_if_cancelled(saving->cancellable, error))
      return FALSE;
    g_mkdir_with_parents(parent, 0777); /* whose failure the lock tells */
    g_autoptr(VtFolder) folder = vt_folder_lock(path, error);
    if (!folder || !vt_result_save(result, saving->bundle->slides->pdata[i], folder, error))
      return FALSE;
    g_string_append_printf(saving->text, "  %s: %s of %s\n", place, result->op->title, result->source_name);
  }
  return TRUE;
}

/* What is not in it, and what to do about it. */
static void
add_absent(Saving *saving)
{
  g_autoptr(GList) paths = g_list_sort(g_hash_table_get_keys(saving->slides.names), (GCompareFunc)g_strcmp0);
  g_string_append(saving->text, "\nNot in this folder:\n");
  for (GList *link = paths; link; link = link->next) {
    if (slide_goes_along(saving, link->data))
      continue;
    g_autofree char *name = vt_error_dup_name(link->data),
                    *place = vt_error_dup_path(g_hash_table_lookup(saving->slides.names, link->data));
    g_string_append_printf(saving->text, "  the slide %s%s: put it at %s\n", name,
                           is_partial(saving->bundle, link->data) ? ", which is made of several files" : "", place);
  }
  for (guint i = 0; i < saving->bundle->notes->len; i++)
    g_string_append_printf(saving->text, "  %s\n", (const char *)saving->bundle->notes->pdata[i]);
  g_string_append(saving->text,
                  "  objects that were pinned or selected, filters of tables, ranges of plots, files compared "
                  "with: sessions do not keep them\n");
}

static gboolean
write_text(const Saving *saving, const char *name, const char *content, GError **error)
{
  g_autofree char *path = g_build_filename(saving->folder, name, NULL);
  g_autoptr(GString) text = g_string_new(content);
  return vt_file_write_text(path, text, error);
}

static gboolean
fill(Saving *saving, GError **error)
{
  g_string_append(saving->text, "A session of Vitrail " VT_VERSION ". Open " VT_BUNDLE_SESSION " with it.\n");
  g_string_append(saving->text, "\n");
  g_string_append(saving->text, "In this folder:\n");
  g_string_append(saving->text, "  " VT_BUNDLE_SESSION ": views, layers, regions, parameters, models of classes\n");
  if (!copy_files(saving, &saving->recipes, always_goes_along, error)
      || !copy_files(saving, &saving->labels, always_goes_along, error)
      || !copy_files(saving, &saving->objects, always_goes_along, error)
      || !copy_files(saving, &saving->slides, slide_goes_along, error) || !save_results(saving, error))
    return FALSE;
  add_absent(saving);
  g_autofree char *session = vt_session_file_to_text(saving->bundle->session, NULL);
  return write_text(saving, VT_BUNDLE_TEXT, saving->text->str, error)
         && write_text(saving, VT_BUNDLE_SESSION, session, error);
}

static gboolean
fail_taken(const char *folder, GError **error)
{
  g_autofree char *shown = vt_error_dup_path(folder);
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s is there already, and is not an empty folder.", shown);
}

static gboolean
fail_unwritable(const char *folder, int number, GError **error)
{
  g_autofree char *shown = vt_error_dup_path(folder);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "%s cannot be written: %s.", shown,
              g_strerror(number));
  return FALSE;
}

/* rename() takes the place of an empty folder, and of nothing else. */
static gboolean
commit(const char *temp, const char *folder, GError **error)
{
  if (g_rename(temp, folder) == 0)
    return TRUE;
  const int number = errno;
  return number == ENOTEMPTY || number == EEXIST || number == ENOTDIR ? fail_taken(folder, error)
                                                                      : fail_unwritable(folder, number, error);
}

static gboolean
check_place(const char *folder, GError **error)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  if (!g_file_test(folder, G_FILE_TEST_EXISTS) || (dir && !g_dir_read_name(dir)))
    return TRUE;
  return fail_taken(folder, error);
}

static void
saving_clear(Saving *saving)
{
  files_clear(&saving->slides);
  files_clear(&saving->recipes);
  files_clear(&saving->labels);
  files_clear(&saving->objects);
}

static gboolean
save_folder(VtBundle *bundle, const char *folder, VtBundleProgress progress, gpointer user, GCancellable *cancellable,
            GError **error)
{
  g_autofree char *temp = vt_file_dup_temp_path(folder);
  guint n;
  Saving saving = { bundle,
                    temp,
                    files_new(SLIDES),
                    files_new(RECIPES),
                    files_new(LABELS),
                    files_new(OBJECTS),
                    progress,
                    user,
                    cancellable,
                    0,
                    0,
                    NULL };
  if (!check_place(folder, error)) {
    saving_clear(&saving);
    return FALSE;
  }
  saving.bytes = bundle->has_slides ? vt_bundle_count_slides(bundle, &n) : 0;
  saving.text = g_string_new(NULL);
  for_each_view(bundle->session, move_paths, &saving);
  gboolean is_good = g_mkdir(temp, 0777) == 0;
  if (!is_good)
    fail_unwritable(folder, errno, error);
  is_good = is_good && fill(&saving, error) && commit(temp, folder, error);
  if (!is_good)
    vt_file_remove_all(temp);
  g_string_free(saving.text, TRUE);
  saving_clear(&saving);
  return is_good;
}

/* Two halves, of which one is told after the other. */
typedef struct {
  VtBundleProgress progress;
  gpointer user;
  double from;
} Half;

static void
on_half(double part, gpointer user)
{
  const Half *half = user;
  if (half->progress)
    half->progress(half->from + part * PACKED, half->user);
}

gboolean
vt_bundle_save(VtBundle *bundle, const char *place, VtBundleProgress progress, gpointer user, GCancellable *cancellable,
               GError **error)
{
  if (!g_str_has_suffix(place, VT_ZIP_SUFFIX))
    return save_folder(bundle, place, progress, user, cancellable, error);
  g_autofree char *folder = vt_file_dup_temp_path(place);
  Half copying = { progress, user, 0 }, packing = { progress, user, 1 - PACKED };
  if (g_file_test(place, G_FILE_TEST_EXISTS))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s is there already.", place);
  const gboolean is_good = save_folder(bundle, folder, on_half, &copying, cancellable, error)
                           && vt_zip_pack(folder, place, on_half, &packing, cancellable, error);
  vt_file_remove_all(folder);
  return is_good;
}
