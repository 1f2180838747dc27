/* SPDX-License-Identifier: MIT
 *
 * Why a file is no slide, in words that help. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/vt-file-private.h"
#include "raster/vt-raster-private.h"
#include "slide/vt-slide-private.h"

#define LFS_POINTER "version https://git-lfs.github.com/spec"

static gboolean
has_suffix(const char *path, const char *suffix)
{
  const gsize n = strlen(path), m = strlen(suffix);
  return n > m && g_ascii_strcasecmp(path + n - m, suffix) == 0;
}

/* TRUE: `error` has been set. */
static gboolean
refuse_by_file(const char *path, const char *name, GError **error)
{
  GStatBuf info;
  char start[64] = "";
  if (!vt_file_check(path, error))
    return TRUE;
  if (g_stat(path, &info) == 0 && info.st_size == 0) {
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s is empty.", name);
    return TRUE;
  }
  FILE *file = g_fopen(path, "rb");
  const gsize n = file ? fread(start, 1, sizeof start - 1, file) : 0;
  if (file)
    fclose(file);
  if (n < strlen(LFS_POINTER) || memcmp(start, LFS_POINTER, strlen(LFS_POINTER)) != 0)
    return FALSE;
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED,
              "%s is a git LFS pointer, not the slide itself; “git lfs pull” fetches the slide.", name);
  return TRUE;
}

static gboolean
refuse_lone_mirax(const char *path, const char *name, GError **error)
{
  if (!has_suffix(path, ".mrxs"))
    return FALSE;
  g_autofree char *folder = g_strndup(path, strlen(path) - strlen(".mrxs"));
  g_autofree char *index = g_build_filename(folder, "Slidedat.ini", NULL);
  if (g_file_test(index, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  g_autofree char *base = vt_error_dup_name(folder);
  g_set_error(
    error, VT_ERROR, VITRAIL_READ_FAILED,
    "%s is the entry file of a MIRAX slide, but its companion folder “%s” with Slidedat.ini is missing beside it.",
    name, base);
  return TRUE;
}

/* OpenSlide takes any tiled TIFF for a slide, but shows the numbers of a result as colours, or not at all. */
static gboolean
refuse_result(const char *path, const char *name, GError **error)
{
  if (!vt_raster_is_result(path))
    return FALSE;
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s holds values of a result and is not a slide.", name);
  return TRUE;
}

static gboolean
is_dicom(const char *path)
{
  char start[132] = "";
  FILE *file = g_fopen(path, "rb");
  const gsize n = file ? fread(start, 1, sizeof start, file) : 0;
  if (file)
    fclose(file);
  return n == sizeof start && memcmp(start + 128, "DICM", 4) == 0;
}

static void
refuse_unknown(const char *path, const char *name, GError **error)
{
  const char *version = openslide_get_version();
  if (is_dicom(path) && g_ascii_strtoull(version, NULL, 10) < 4)
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED,
                "%s is DICOM, which OpenSlide 4 and later read; this is OpenSlide %s.", name, version);
  else
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s is not a slide that OpenSlide can read.", name);
}

openslide_t *
vt_slide_open_openslide(const char *path, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  vt_tiff_init();
  if (refuse_by_file(path, name, error) || refuse_lone_mirax(path, name, error) || refuse_result(path, name, error))
    return NULL;
  openslide_t *openslide = openslide_open(path);
  if (!openslide) {
    refuse_unknown(path, name, error);
    return NULL;
  }
  const char *message = openslide_get_error(openslide);
  if (message) {
    g_autofree char *valid = g_utf8_make_valid(message, -1);
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s is not a slide that OpenSlide can read (%s).", name, valid);
    openslide_close(openslide);
    return NULL;
  }
  return openslide;
}
