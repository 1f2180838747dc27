/* SPDX-License-Identifier: MIT
 *
 * Tiles of a slide that are read by worker threads, which all slides share: the most urgent first, decided when a thread is free. A slide whose
 * drive gives no answer keeps no thread from the others. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "common/vt-colour.h"
#include "slide/vt-slide.h"

typedef struct {
  int level;
  gint64 col, row;
} VtTilePlace;
guint vt_tile_place_hash(gconstpointer place);
gboolean vt_tile_place_equal(gconstpointer a, gconstpointer b);

typedef struct {
  VtTilePlace place;
  VtTilePixels *pixels; /* NULL: could not be read */
  GdkTexture *texture;  /* of the same bytes */
  guint colour_serial;  /* which colours it was made with */
  char *error;          /* a sentence, or NULL */
} VtTileArrival;

typedef struct VtTileQueue VtTileQueue;
/* arrived: some VtTileArrival have come, whose contents it may steal; late: whether vt_tile_queue_get_late() is another. Both until the queue is closed. */
VtTileQueue *vt_tile_queue_new(VtSlide *slide, void (*arrived)(GPtrArray *arrivals, gpointer user),
                               void (*late)(gpointer user), gpointer user);
/* Ends it: what is being read is left, and nobody hears of it. */
void vt_tile_queue_close(VtTileQueue *self);
/* VtTilePlace, the most urgent one last, instead of those that were wanted and are not being read. */
void vt_tile_queue_want(VtTileQueue *self, const GArray *places);
/* How colours of tiles to come are changed; NULL: not at all. Counted by the serial number. */
void vt_tile_queue_set_colour(VtTileQueue *self, VtColour *colour);
guint vt_tile_queue_get_colour_serial(VtTileQueue *self);
/* Nothing has come for some seconds, though tiles are being read. */
gboolean vt_tile_queue_get_late(VtTileQueue *self);
