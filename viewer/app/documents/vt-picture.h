/* SPDX-License-Identifier: MIT
 *
 * What one view shows, or several at one scale, as a file: PNG, PDF or SVG. What lies over the slide is lines in PDF and SVG. */
#pragma once
#include "layers/vt-legend.h"
#include "layers/vt-shot.h"

/* What goes with the picture, as a person chose. */
typedef enum {
  VT_PICTURE_BAR = 1 << 0,        /* scale bar */
  VT_PICTURE_LEGEND = 1 << 1,     /* what the layers' colours mean */
  VT_PICTURE_PLACE = 1 << 2,      /* slide, place, magnification, resolution */
  VT_PICTURE_PARAMETERS = 1 << 3, /* of the analysis */
  VT_PICTURE_ALL = (1 << 4) - 1
} VtPictureParts;

#define VT_PICTURE_MOST 4 /* views of a figure */

/* A view and the words that belong to it; owns what it points to. */
typedef struct {
  VtShot *shot;
  double mpp;        /* µm per level-0 pixel; 0: not known */
  GPtrArray *legend; /* VtLegendLine */
  char *place, *parameters;
  char *caution; /* what a reader must know: it is told whatever was chosen; or NULL */
} VtPanel;
void vt_panel_free(VtPanel *panel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPanel, vt_panel_free)

/* Draws the panel's shot, whose pixels are there, at its place, with outlines over it. */
void vt_panel_draw(const VtPanel *panel, cairo_t *cr, cairo_surface_t *pixels, double x, double y);
/* The bar in its lower left corner, of the length that is right for such a width. */
void vt_panel_draw_bar(const VtPanel *panel, cairo_t *cr, double x, double y, double most);
double vt_panel_get_width(const VtPanel *panel);
double vt_panel_get_height(const VtPanel *panel);

/* Writes up to VT_PICTURE_MOST panels (VtPanel); several are named A, B, C, D. A title for a PDF. Blocking, for a worker. */
gboolean vt_picture_save(const GPtrArray *panels, guint parts, const char *title, const char *path,
                         GCancellable *cancellable, GError **error);
