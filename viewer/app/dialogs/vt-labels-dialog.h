/* SPDX-License-Identifier: MIT
 *
 * Asks how an image of labels lies on the slide, since its file seldom says. Main thread. */
#pragma once
#include <adwaita.h>

#include "run/vt-label-image.h"
#include "slide/vt-slide.h"

typedef struct {
  VtLabelPlace place;
  gboolean by_piece; /* each piece that hangs together is an object, whatever its label */
} VtLabelChoice;

/* Called once, with what was chosen; NULL: the person thought better of it. */
typedef void (*VtLabelsChosen)(const VtLabelChoice *choice, gpointer user);
/* The image and the slide must live until then. */
void vt_labels_dialog_show(GtkWindow *parent, const VtLabelImage *image, VtSlide *slide, VtLabelsChosen chosen,
                           gpointer user);
