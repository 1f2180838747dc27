/* SPDX-License-Identifier: MIT
 *
 * Asks how an image of labels lies on the slide, since its file seldom says. Main thread. */
#pragma once
#include <adwaita.h>

#include "run/vt-label-image.h"
#include "slide/vt-slide.h"

typedef struct {
  VtLabelPlace place;
  gboolean as_objects; /* to be measured, and not as regions */
  gboolean by_piece;   /* each piece that hangs together is an object, whatever its label */
} VtLabelChoice;

/* Called once, with what was chosen; NULL: the person thought better of it. */
typedef void (*VtLabelsChosen)(const VtLabelChoice *choice, gpointer user);
/* The image and the slide must live until then. most_regions: so many objects can be regions, and it asks whether they are to be that or measured; 0: neither. */
void vt_labels_dialog_show(GtkWindow *parent, const VtLabelImage *image, VtSlide *slide, guint most_regions,
                           VtLabelsChosen chosen, gpointer user);
