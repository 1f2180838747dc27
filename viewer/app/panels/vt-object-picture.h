/* SPDX-License-Identifier: MIT
 *
 * An object as a small picture: the slide round it, as it was scanned, and its outline. Read by a worker; a cell that goes out of sight reads no more.
 * Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "run/vt-run.h"
#include "slide/vt-slide.h"

#define VT_TYPE_OBJECT_PICTURE (vt_object_picture_get_type())
G_DECLARE_FINAL_TYPE(VtObjectPicture, vt_object_picture, VT, OBJECT_PICTURE, GtkWidget)

/* Keeps the slide and a copy of the object; either may be NULL: nothing is shown. */
void vt_object_picture_show(VtObjectPicture *self, VtSlide *slide, const VtObject *object);

/* The head of a column of them, which is hidden. Owned. */
#define VT_OBJECT_PICTURE_PX 40 /* its sides */
#define VT_OBJECT_PICTURE_COLUMN "Picture of the object"
GtkColumnViewColumn *vt_object_picture_column_new(void);
/* Before all others of the view. */
void vt_object_picture_column_put_first(GtkColumnView *view);
