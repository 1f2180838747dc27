/* SPDX-License-Identifier: MIT
 *
 * What documents are put together from: dark on white, whatever the window is like. Lengths are of 1/96 inch. Any thread. */
#pragma once
#include <pango/pangocairo.h>

#include "layers/vt-legend.h"

typedef enum {
  VT_PAGE_TITLE,
  VT_PAGE_HEAD,
  VT_PAGE_TEXT,
  VT_PAGE_CAUTION,
  VT_PAGE_SMALL,
  VT_PAGE_N_STYLES
} VtPageStyle;

/* Something to measure on, where there is no drawing yet. Owned. */
cairo_t *vt_page_new_ruler(void);
/* Puts text there, wrapped to the width; what is measured only is not drawn. Its height. */
double vt_page_text(cairo_t *cr, VtPageStyle style, const char *text, double x, double y, double width);
double vt_page_measure(cairo_t *cr, VtPageStyle style, const char *text, double width);

/* Lines of a legend (VtLegendLine) beside each other, as many rows as they need. The height. */
double vt_page_legend(cairo_t *cr, const GPtrArray *lines, double x, double y, double width, gboolean draws);
/* A bar with its length above it, on a dark ground that is seen on any tissue; its lower left corner. */
void vt_page_bar(cairo_t *cr, double length, const char *text, double x, double bottom);
/* A letter on white, in the upper left corner of what it names. */
void vt_page_letter(cairo_t *cr, const char *letter, double x, double y);

/* Rows of texts: the first column is left, the others right. */
typedef struct {
  GStrv titles;
  GPtrArray *rows; /* GStrv, as long as the titles */
  GArray *strong;  /* gboolean, for each row: a region, and not what is in it */
} VtPageTable;
VtPageTable *vt_page_table_new(void);
void vt_page_table_free(VtPageTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPageTable, vt_page_table_free)
/* Takes the texts. */
void vt_page_table_add(VtPageTable *table, gboolean is_strong, GStrv texts);
/* Draws the first rows as far as there is room for them; the height, and how many. */
double vt_page_table_draw(cairo_t *cr, const VtPageTable *table, double x, double y, double width, double room,
                          guint *n_drawn);
