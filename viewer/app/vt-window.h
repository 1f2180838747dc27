/* SPDX-License-Identifier: MIT
 *
 * One window: a slide, its layers, its analysis. */
#pragma once
#include <adwaita.h>

G_BEGIN_DECLS

#define VT_TYPE_WINDOW (vt_window_get_type())
G_DECLARE_FINAL_TYPE(VtWindow, vt_window, VT, WINDOW, AdwApplicationWindow)

/* What the command line can say about a window. */
typedef struct {
  const char *op_id;         /* NULL: the first */
  const char *const *params; /* "key=value", NULL-terminated; or NULL */
  gboolean live;
  double magnification; /* 0: the whole slide */
  gboolean has_centre;
  double centre_x_l0, centre_y_l0;
} VtWindowOptions;

VtWindow *vt_window_new(GtkApplication *application);
gboolean vt_window_has_slide(VtWindow *self);
/* For the analysis: at once; for the view: with the next slide. */
void vt_window_apply_options(VtWindow *self, const VtWindowOptions *options);
/* In the background; the newest call wins. If it fails, the present slide stays and the window says why. */
void vt_window_open(VtWindow *self, GFile *file);

G_END_DECLS
