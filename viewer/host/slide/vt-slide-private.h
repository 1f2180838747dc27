/* SPDX-License-Identifier: MIT */
#pragma once
#include <openslide/openslide.h>

#include "raster/vt-raster.h"
#include "slide/vt-slide.h"

G_BEGIN_DECLS

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
  GPtrArray *property_names; /* char*, the last one is NULL */
  GHashTable *properties;
  guint8 background[3]; /* R G B */
  double mpp_x, mpp_y, objective_power;
  GArray *levels; /* VtSlideLevel */
  int n_stored;
  GBytes *icc_profile; /* or NULL */
  VtRaster *flat;      /* level 0, where OpenSlide would read it wrongly, or not at all; else NULL */
  gboolean plain;      /* `flat` is all there is: there is no handle */
  double black, white; /* raw values of a plain image of one channel that are shown as these */
  GMutex handle_lock;  /* guards `handle` */
  GMutex look_lock;    /* guards the next two */
  gboolean is_looked_at;
  int look;              /* VtLook */
  VtSlideHandle *handle; /* NULL after a failed read: opened anew by the next one; or `plain` */
};

static inline const VtSlideLevel *
vt_slide_level(const VtSlide *slide, int level)
{
  return &g_array_index(slide->levels, VtSlideLevel, level);
}

/* NULL and a sentence that says why OpenSlide does not take the file. */
openslide_t *vt_slide_open_openslide(const char *path, GError **error);
/* Takes the handle. */
VtSlideHandle *vt_slide_handle_new(openslide_t *openslide);
void vt_slide_handle_unref(VtSlideHandle *handle);
/* NULL if there is none, or none that can be got at. */
GBytes *vt_slide_read_icc_profile(openslide_t *openslide, const char *path);
/* A slide without properties, levels and handle. */
VtSlide *vt_slide_new(const char *path);
void vt_slide_add_property(VtSlide *slide, const char *name, const char *value);
void vt_slide_add_number(VtSlide *slide, const char *name, guint value);
/* vt-slide-plain.c: level 0 of `flat` as B G R A. */
void vt_slide_read_flat(VtSlide *slide, gint64 col, gint64 row, int width, int height, guint8 *bgra);
/* After level 0: halves until the image fits into a tile. */
void vt_slide_add_synthetic_levels(VtSlide *slide);
/* Fills `levels` (and `flat`). */
gboolean vt_slide_find_levels(VtSlide *slide, openslide_t *openslide, GError **error);

G_END_DECLS
