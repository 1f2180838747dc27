/* SPDX-License-Identifier: MIT */
#pragma once
#include <openslide/openslide.h>

#include "raster/vt-raster.h"
#include "raster/vt-tiff-private.h"
#include "slide/vt-slide.h"

#define VT_ASSOCIATED_MAX_PIXELS ((gint64)64 << 20)

/* OpenSlide's error state sticks to a handle, so one bad tile would spoil all later reads: the handle is exchanged. */
typedef struct {
  gatomicrefcount ref_count;
  openslide_t *openslide;
} VtSlideHandle;

typedef struct {
  int stored; /* OpenSlide's level, or -1: made from the level before */
  gint64 width, height;
  double downsample;
} VtSlideLevel;

struct _VtSlide {
  gatomicrefcount ref_count;
  guint64 id; /* in the tile cache */
  char *path, *name, *vendor;
  char *file_state;    /* vt_file_dup_state() when it was opened */
  guint64 file_number; /* st_ino, too */
  gint64 opened_us;
  GPtrArray *property_names; /* char*, the last one is NULL */
  GHashTable *properties;
  guint8 background[3]; /* R G B */
  double mpp_x, mpp_y, objective_power;
  GArray *levels; /* VtSlideLevel */
  int n_stored;
  GBytes *colour_table; /* or NULL */
  VtRaster *flat;       /* level 0, where OpenSlide would read it wrongly, or not at all; else NULL */
  gboolean plain;       /* `flat` is all there is: there is no handle */
  struct VtReader
    *reader;           /* owned; reads it in another process: then there is no handle. NULL: it is read in this one */
  char *exposed;       /* vt_slide_get_exposed() */
  double black, white; /* raw values of a plain image of one channel that are shown as these */
  GMutex handle_lock;  /* guards `handle` */
  GMutex look_lock;    /* guards the next four */
  gboolean is_looked_at, is_measured;
  int look;              /* VtLook */
  double dark_width;     /* vt_look_measure_slide() */
  VtSlideHandle *handle; /* NULL after a failed read: opened anew by the next one; or `plain`, or with a reader */
};

static inline const VtSlideLevel *
vt_slide_level(const VtSlide *slide, int level)
{
  return &g_array_index(slide->levels, VtSlideLevel, level);
}

/* NULL and a sentence that says why OpenSlide does not take the file. */
openslide_t *vt_slide_open_openslide(const char *path, GError **error);
/* Takes both. A slide with a reader, or that says why already, is as it was. Returns the slide, which may be NULL. */
VtSlide *vt_slide_take_exposed(VtSlide *slide, char *why);
/* Takes the handle. */
VtSlideHandle *vt_slide_handle_new(openslide_t *openslide);
void vt_slide_handle_unref(VtSlideHandle *handle);
/* NULL if there is none, or none that can be got at. `tiff`: the file, if it is one. */
GBytes *vt_slide_read_icc_profile(openslide_t *openslide, TIFF *tiff);
/* A raster without pixels as "(uxxxxdddddbdd)"; NULL: all zero. Floating. */
GVariant *vt_raster_pack(const VtRaster *raster);
/* Everything of it but pixels into `raster`. FALSE: of an impossible type or size. */
gboolean vt_raster_unpack(GVariant *facts, VtRaster *raster);
/* VtRasterFacts as VT_RASTER_FACTS; floating. FALSE: those can't be. */
GVariant *vt_raster_facts_pack(const VtRasterFacts *facts);
gboolean vt_raster_facts_unpack(GVariant *packed, VtRasterFacts *facts);
/* A slide without properties, levels and handle. */
VtSlide *vt_slide_new(const char *path);
/* vt-slide-facts.c: everything of an open slide but its file and its pixels, as VT_READER_FACTS. Owned. */
GVariant *vt_slide_dup_facts(const VtSlide *slide);
/* The same slide again, without a handle. NULL: those are no facts. `flat_file`: pixels of `flat`, or -1; not taken. */
VtSlide *vt_slide_new_from_facts(const char *path, GVariant *facts, int flat_file);
/* vt-slide-tiles.c: a stored level's tile, decoded here and now, past the cache, as opaque B G R A. */
gboolean vt_slide_decode_tile(VtSlide *slide, int level, gint64 col, gint64 row, int width, int height, guint8 *bgra,
                              GError **error);
/* Whether its file is another one by now, or, ten seconds after it was opened, somebody wrote to it. A file that is gone is the same. */
gboolean vt_slide_is_stale(const VtSlide *slide);
/* Where that tile lies in its level. FALSE: the level has no such tile. */
gboolean vt_slide_get_tile_size(const VtSlide *slide, int level, gint64 col, gint64 row, int *width, int *height);
void vt_slide_add_property(VtSlide *slide, const char *name, const char *value);
void vt_slide_add_number(VtSlide *slide, const char *name, guint value);
/* vt-slide-plain.c: level 0 of `flat` as B G R A. */
void vt_slide_read_flat(VtSlide *slide, gint64 col, gint64 row, int width, int height, guint8 *bgra);
/* After level 0: halves until the image fits into a tile. */
void vt_slide_add_synthetic_levels(VtSlide *slide);
/* Fills `levels` (and `flat`). */
gboolean vt_slide_find_levels(VtSlide *slide, openslide_t *openslide, GError **error);
