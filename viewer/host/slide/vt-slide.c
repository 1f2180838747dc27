/* SPDX-License-Identifier: MIT */
#include "slide/vt-slide.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-slide-private.h"
#include "slide/vt-tile-cache-private.h"
#include "slide/vt-tile-memory.h"

#define WRITING_US (10 * G_USEC_PER_SEC) /* in which who writes to a slide, as a scanner does, may go on */

VtSlideHandle *
vt_slide_handle_new(openslide_t *openslide)
{
  VtSlideHandle *handle = g_new0(VtSlideHandle, 1);
  g_atomic_ref_count_init(&handle->ref_count);
  handle->openslide = openslide;
  return handle;
}

void
vt_slide_handle_unref(VtSlideHandle *handle)
{
  if (!g_atomic_ref_count_dec(&handle->ref_count))
    return;
  openslide_close(handle->openslide);
  g_free(handle);
}

static double
get_positive(VtSlide *slide, const char *property)
{
  const char *text = g_hash_table_lookup(slide->properties, property);
  const double value = text ? g_ascii_strtod(text, NULL) : 0;
  return isfinite(value) && value > 0 && value < 1e6 ? value : 0;
}

void
vt_slide_add_property(VtSlide *slide, const char *name, const char *value)
{
  char *valid = g_utf8_make_valid(name, -1);
  if (g_hash_table_insert(slide->properties, valid, g_utf8_make_valid(value ? value : "", -1)))
    g_ptr_array_insert(slide->property_names, (int)slide->property_names->len - 1, g_strdup(valid));
}

void
vt_slide_add_number(VtSlide *slide, const char *name, guint value)
{
  g_autofree char *text = g_strdup_printf("%u", value);
  vt_slide_add_property(slide, name, text);
}

static void
copy_properties(VtSlide *slide, openslide_t *openslide)
{
  const char *const *all = openslide_get_property_names(openslide);
  for (; all && *all; all++)
    vt_slide_add_property(slide, *all, openslide_get_property_value(openslide, *all));
}

static void
read_facts(VtSlide *slide)
{
  const char *vendor = vt_slide_get_property(slide, OPENSLIDE_PROPERTY_NAME_VENDOR);
  slide->vendor = g_strdup(vendor ? vendor : "unknown");
  slide->mpp_x = get_positive(slide, OPENSLIDE_PROPERTY_NAME_MPP_X);
  slide->mpp_y = get_positive(slide, OPENSLIDE_PROPERTY_NAME_MPP_Y);
  if (slide->mpp_x == 0)
    slide->mpp_x = slide->mpp_y;
  if (slide->mpp_y == 0)
    slide->mpp_y = slide->mpp_x;
  slide->objective_power = get_positive(slide, OPENSLIDE_PROPERTY_NAME_OBJECTIVE_POWER);
  const char *color = vt_slide_get_property(slide, OPENSLIDE_PROPERTY_NAME_BACKGROUND_COLOR);
  if (color && strlen(color) == 6 && strspn(color, "0123456789abcdefABCDEF") == 6) {
    const guint64 rgb = g_ascii_strtoull(color, NULL, 16);
    slide->background[0] = (guint8)(rgb >> 16);
    slide->background[1] = (guint8)(rgb >> 8);
    slide->background[2] = (guint8)rgb;
  }
}

static guint64
get_file_number(const char *path)
{
  GStatBuf info;
  return g_stat(path, &info) == 0 ? info.st_ino : 0;
}

gboolean
vt_slide_is_stale(const VtSlide *slide)
{
  const guint64 number = get_file_number(slide->path);
  if (number != slide->file_number || g_get_monotonic_time() - slide->opened_us < WRITING_US)
    return number != 0 && number != slide->file_number;
  g_autofree char *state = vt_file_dup_state(slide->path);
  return *state && !g_str_equal(state, slide->file_state);
}

VtSlide *
vt_slide_new(const char *path)
{
  static gint next_id = 1;
  VtSlide *slide = g_new0(VtSlide, 1);
  g_atomic_ref_count_init(&slide->ref_count);
  slide->id = (guint64)g_atomic_int_add(&next_id, 1);
  slide->path = g_strdup(path);
  slide->file_state = vt_file_dup_state(path);
  slide->file_number = get_file_number(path);
  slide->opened_us = g_get_monotonic_time();
  slide->name = vt_error_dup_name(path);
  slide->levels = g_array_new(FALSE, TRUE, sizeof(VtSlideLevel));
  slide->properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  slide->property_names = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(slide->property_names, NULL);
  memset(slide->background, 255, sizeof slide->background);
  g_mutex_init(&slide->handle_lock);
  g_mutex_init(&slide->look_lock);
  vt_tile_memory_enter();
  return slide;
}

static GBytes *(*make_colour_table)(GBytes *profile);

void
vt_slide_set_colour_table_maker(GBytes *(*make)(GBytes *profile))
{
  make_colour_table = make;
}

/* What OpenSlide does not say. The file is opened once for all of it, which takes a while. */
static void
read_tiff(VtSlide *slide, openslide_t *openslide)
{
  const gboolean is_tiff = vt_raster_get_kind(slide->path) == VT_FILE_TIFF;
  TIFF *tiff = is_tiff ? vt_tiff_open(slide->path, "rm") : NULL;
  g_autoptr(GBytes) profile = make_colour_table ? vt_slide_read_icc_profile(openslide, tiff) : NULL;
  slide->colour_table = profile ? make_colour_table(profile) : NULL;
  if (is_tiff)
    vt_slide_add_number(slide, VT_SLIDE_ORIENTATION, vt_tiff_get_orientation(tiff));
  if (tiff)
    TIFFClose(tiff);
}

static VtSlide *
open_here(const char *path, GError **error)
{
  openslide_t *openslide = vt_slide_open_openslide(path, error);
  if (!openslide)
    return NULL;
  g_autoptr(VtSlide) slide = vt_slide_new(path);
  slide->handle = vt_slide_handle_new(openslide);
  copy_properties(slide, openslide);
  read_facts(slide);
  read_tiff(slide, openslide);
  if (!vt_slide_find_levels(slide, openslide, error))
    return NULL;
  return g_steal_pointer(&slide);
}

VtSlide *
vt_slide_open(const char *path, GError **error)
{
  VtSlide *slide = NULL;
  char *why_not = NULL;
  if (vt_reader_open_slide(path, VT_READER_OPEN, NULL, &slide, &why_not, error))
    return slide;
  return vt_slide_take_exposed(open_here(path, error), why_not);
}

VtSlide *
vt_slide_take_exposed(VtSlide *slide, char *why)
{
  if (slide && !slide->reader && !slide->exposed)
    slide->exposed = g_steal_pointer(&why);
  g_free(why);
  return slide;
}

VT_GETTER(const char *, vt_slide_get_exposed, VtSlide, exposed)

VtSlide *
vt_slide_ref(VtSlide *slide)
{
  g_atomic_ref_count_inc(&slide->ref_count);
  return slide;
}

void
vt_slide_unref(VtSlide *slide)
{
  if (!g_atomic_ref_count_dec(&slide->ref_count))
    return;
  vt_tile_cache_drop_slide(slide->id);
  vt_tile_memory_leave();
  g_clear_pointer(&slide->handle, vt_slide_handle_unref);
  g_clear_pointer(&slide->reader, vt_reader_free);
  g_mutex_clear(&slide->handle_lock);
  g_mutex_clear(&slide->look_lock);
  g_array_unref(slide->levels);
  g_hash_table_unref(slide->properties);
  g_ptr_array_unref(slide->property_names);
  g_clear_pointer(&slide->colour_table, g_bytes_unref);
  g_clear_pointer(&slide->flat, vt_raster_unref);
  g_free(slide->path);
  g_free(slide->file_state);
  g_free(slide->name);
  g_free(slide->vendor);
  g_free(slide->exposed);
  g_free(slide);
}

VT_GETTER(const char *, vt_slide_get_file_state, VtSlide, file_state)
VT_GETTER(const char *, vt_slide_get_path, VtSlide, path)
VT_GETTER(const char *, vt_slide_get_name, VtSlide, name)
VT_GETTER(const char *, vt_slide_get_vendor, VtSlide, vendor)

int
vt_slide_get_n_levels(VtSlide *slide)
{
  return (int)slide->levels->len;
}

VT_GETTER(int, vt_slide_get_n_stored_levels, VtSlide, n_stored)

void
vt_slide_get_level_size(VtSlide *slide, int level, gint64 *width, gint64 *height)
{
  *width = vt_slide_level(slide, level)->width;
  *height = vt_slide_level(slide, level)->height;
}

double
vt_slide_get_level_downsample(VtSlide *slide, int level)
{
  return vt_slide_level(slide, level)->downsample;
}

gboolean
vt_slide_get_mpp(VtSlide *slide, double *mpp_x, double *mpp_y)
{
  *mpp_x = slide->mpp_x;
  *mpp_y = slide->mpp_y;
  return slide->mpp_x > 0;
}

VT_GETTER(double, vt_slide_get_objective_power, VtSlide, objective_power)
VT_GETTER(GBytes *, vt_slide_get_colour_table, VtSlide, colour_table)

const char *const *
vt_slide_get_property_names(VtSlide *slide)
{
  return (const char *const *)slide->property_names->pdata;
}

const char *
vt_slide_get_property(VtSlide *slide, const char *name)
{
  return g_hash_table_lookup(slide->properties, name);
}

gboolean
vt_slide_has_more_files(VtSlide *slide)
{
  g_autofree char *path = g_ascii_strdown(slide->path, -1);
  return g_str_equal(slide->vendor, "mirax") || g_str_equal(slide->vendor, "dicom") || g_str_has_suffix(path, ".vms")
         || g_str_has_suffix(path, ".vmu");
}

char *
vt_slide_dup_hash(VtSlide *slide)
{
  const char *quickhash = vt_slide_get_property(slide, OPENSLIDE_PROPERTY_NAME_QUICKHASH1);
  guint64 bytes = 0;
  if (quickhash)
    return g_strdup(quickhash);
  g_autofree char *sha256 = vt_file_dup_known_sha256(slide->path, &bytes, NULL);
  return g_strconcat("sha256:", sha256 ? sha256 : "", NULL);
}

int
vt_slide_get_best_level(VtSlide *slide, double downsample)
{
  int best = 0;
  for (int i = 1; i < vt_slide_get_n_levels(slide); i++)
    if (vt_slide_level(slide, i)->downsample <= downsample * 1.01)
      best = i;
  return best;
}
