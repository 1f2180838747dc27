/* SPDX-License-Identifier: MIT
 *
 * What an open slide is, apart from its file: from the reader process that opened it to the program that shows it. */
#include <math.h>
#include <string.h>

#include "raster/vt-raster-private.h"
#include "slide/vt-colour-table.h"
#include "slide/vt-reader-private.h"

#define MAX_LEVELS 128
#define MAX_SIDE ((gint64)1 << 40)

/* Takes them. Trusted: else GVariant looks at each to see that it is a byte. */
static GVariant *
pack_bytes(GBytes *bytes)
{
  GVariant *variant = g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
  g_bytes_unref(bytes);
  return variant;
}

/* Names and values in turns: a hundred pairs, or texts of their own, would take longer to pack than a process takes to hear of them. */
static GVariant *
pack_properties(const VtSlide *slide)
{
  GString *texts = g_string_sized_new(16384);
  for (char **name = (char **)slide->property_names->pdata; *name; name++) {
    const char *value = g_hash_table_lookup(slide->properties, *name);
    g_string_append_len(texts, *name, (gssize)strlen(*name) + 1);
    g_string_append_len(texts, value, (gssize)strlen(value) + 1);
  }
  return pack_bytes(g_string_free_to_bytes(texts));
}

static gboolean
take_properties(VtSlide *slide, GVariant *texts)
{
  gsize n = 0;
  const char *name = g_variant_get_fixed_array(texts, &n, 1), *end = name + n;
  if (n > 0 && end[-1] != '\0')
    return FALSE;
  while (name < end) {
    const char *value = name + strlen(name) + 1;
    if (value == end)
      return FALSE;
    vt_slide_add_property(slide, name, value);
    name = value + strlen(value) + 1;
  }
  return TRUE;
}

static GVariant *
pack_levels(const VtSlide *slide)
{
  GVariantBuilder builder;
  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ixxd)"));
  for (guint i = 0; i < slide->levels->len; i++) {
    const VtSlideLevel *level = vt_slide_level(slide, (int)i);
    g_variant_builder_add(&builder, "(ixxd)", level->stored, level->width, level->height, level->downsample);
  }
  return g_variant_builder_end(&builder);
}

GVariant *
vt_raster_pack(const VtRaster *raster)
{
  const VtRaster none = { 0 };
  const VtRaster *r = raster ? raster : &none;
  return g_variant_new("(uxxxxdddddbdd)", (guint32)r->type, r->x, r->y, r->width, r->height, r->downsample,
                       r->origin_x_l0, r->origin_y_l0, r->scale, r->offset, r->zero_is_empty, r->mpp_x, r->mpp_y);
}

gboolean
vt_raster_unpack(GVariant *facts, VtRaster *raster)
{
  guint32 type = 0;
  g_variant_get(facts, "(uxxxxdddddbdd)", &type, &raster->x, &raster->y, &raster->width, &raster->height,
                &raster->downsample, &raster->origin_x_l0, &raster->origin_y_l0, &raster->scale, &raster->offset,
                &raster->zero_is_empty, &raster->mpp_x, &raster->mpp_y);
  raster->type = (VitrailPixelType)type;
  raster->stride = (gsize)raster->width * vt_pixel_size(raster->type);
  return vt_pixel_size(raster->type) > 0 && raster->width > 0 && raster->height > 0 && raster->width <= G_MAXINT32
         && raster->height <= G_MAXINT32;
}

GVariant *
vt_raster_facts_pack(const VtRasterFacts *facts)
{
  const VtRasterPlace *p = &facts->place;
  return g_variant_new(VT_RASTER_FACTS, facts->n_pages, facts->n_unread, facts->cut_bits, facts->orientation,
                       facts->is_placed, p->x, p->y, p->downsample, p->origin_x_l0, p->origin_y_l0, p->scale,
                       p->offset);
}

gboolean
vt_raster_facts_unpack(GVariant *packed, VtRasterFacts *facts)
{
  VtRasterPlace *p = &facts->place;
  g_variant_get(packed, VT_RASTER_FACTS, &facts->n_pages, &facts->n_unread, &facts->cut_bits, &facts->orientation,
                &facts->is_placed, &p->x, &p->y, &p->downsample, &p->origin_x_l0, &p->origin_y_l0, &p->scale,
                &p->offset);
  return facts->orientation >= 1 && facts->orientation <= 8 && (!facts->is_placed || vt_raster_is_place(p));
}

GVariant *
vt_slide_dup_facts(const VtSlide *slide)
{
  GBytes *table = slide->colour_table ? g_bytes_ref(slide->colour_table) : g_bytes_new(NULL, 0);
  const guint8 *b = slide->background;
  return g_variant_ref_sink(g_variant_new(
    "(s@ay(yyy)ddd@a(ixxd)i@aybddb@(uxxxxdddddbdd))", slide->vendor, pack_properties(slide), b[0], b[1], b[2],
    slide->mpp_x, slide->mpp_y, slide->objective_power, pack_levels(slide), slide->n_stored, pack_bytes(table),
    slide->plain, slide->black, slide->white, slide->flat != NULL, vt_raster_pack(slide->flat)));
}

/* Sizes and downsamples with which all arithmetic that follows is defined. */
static gboolean
take_levels(VtSlide *slide, GVariant *levels, int n_stored)
{
  const gsize n = g_variant_n_children(levels);
  if (n < 1 || n > MAX_LEVELS || n_stored < 1 || (gsize)n_stored > n)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    VtSlideLevel level;
    g_variant_get_child(levels, i, "(ixxd)", &level.stored, &level.width, &level.height, &level.downsample);
    const int stored = (int)i < n_stored ? (int)i : -1;
    if (level.stored != stored || level.width < 1 || level.height < 1 || level.width > MAX_SIDE
        || level.height > MAX_SIDE || !(level.downsample >= 1 && level.downsample <= (double)MAX_SIDE))
      return FALSE;
    if (stored < 0) { /* as vt_slide_add_synthetic_levels() makes them */
      const VtSlideLevel *finer = vt_slide_level(slide, (int)i - 1);
      if (level.width != (finer->width + 1) / 2 || level.height != (finer->height + 1) / 2)
        return FALSE;
    }
    g_array_append_val(slide->levels, level);
  }
  slide->n_stored = n_stored;
  return TRUE;
}

static gboolean
take_flat(VtSlide *slide, GVariant *facts, int file)
{
  VtRaster head = { 0 };
  const VtSlideLevel *base = vt_slide_level(slide, 0);
  if (!vt_raster_unpack(facts, &head) || head.width != base->width || head.height != base->height)
    return FALSE;
  GMappedFile *mapping = vt_reader_file_map(file, (guint64)head.stride * (guint64)head.height);
  slide->flat = mapping ? vt_raster_new_mapped(&head, mapping) : NULL;
  return slide->flat != NULL;
}

gboolean
vt_reader_find_first(const VtSlide *slide, VtReaderRequest *first)
{
  const int level = slide->n_stored - 1;
  const VtSlideLevel *coarsest = vt_slide_level(slide, level);
  const gboolean is_one = coarsest->width <= VT_TILE_PX && coarsest->height <= VT_TILE_PX;
  *first = (VtReaderRequest){ .kind = VT_READER_TILE, .level = level };
  if (!is_one || (slide->flat && level == 0))
    return FALSE;
  first->width = (gint32)coarsest->width;
  first->height = (gint32)coarsest->height;
  return TRUE;
}

static gboolean
is_length(double value)
{
  return isfinite(value) && value >= 0 && value < 1e6;
}

VtSlide *
vt_slide_new_from_facts(const char *path, GVariant *facts, int flat_file)
{
  guint8 *b = NULL;
  gboolean has_flat = FALSE;
  int n_stored = 0;
  g_autoptr(GVariant) properties = NULL, levels = NULL, table = NULL, flat = NULL;
  if (!g_variant_is_of_type(facts, G_VARIANT_TYPE(VT_READER_FACTS)) || !g_variant_is_normal_form(facts))
    return NULL;
  g_autoptr(VtSlide) slide = vt_slide_new(path);
  b = slide->background;
  g_variant_get(facts, "(s@ay(yyy)ddd@a(ixxd)i@aybddb@(uxxxxdddddbdd))", &slide->vendor, &properties, &b[0], &b[1],
                &b[2], &slide->mpp_x, &slide->mpp_y, &slide->objective_power, &levels, &n_stored, &table, &slide->plain,
                &slide->black, &slide->white, &has_flat, &flat);
  const gsize n_table = g_variant_n_children(table);
  if (!take_properties(slide, properties) || !is_length(slide->mpp_x) || !is_length(slide->mpp_y)
      || !is_length(slide->objective_power) || !take_levels(slide, levels, n_stored)
      || (n_table != 0 && n_table != VT_COLOUR_SUMS_BYTES && n_table != VT_COLOUR_CUBE_BYTES)
      || (has_flat && !take_flat(slide, flat, flat_file)) || (slide->plain && (!has_flat || n_stored != 1)))
    return NULL;
  if (n_table > 0)
    slide->colour_table = g_variant_get_data_as_bytes(table);
  return g_steal_pointer(&slide);
}
