/* SPDX-License-Identifier: MIT
 *
 * What a person prefers, kept in GSettings (io.github.vitrail.Vitrail). One object for the program; main thread only.
 * Where the schema is not installed, it holds until the program ends, and a line on stderr says so.
 *
 * Properties (read and write): "tile-budget" and "picture-budget" (MiB), "colour-scheme" (AdwColorScheme), "wheel-pans",
 * "run-on" (where Run works: what was chosen last, which a new window begins with), "picture-parts" and "picture-factor" (of a view that is
 * saved as a picture: what goes with it, bits of VtPictureParts, and how many times as many pixels as the screen it has on a side).
 * Budgets and colour scheme hold as soon as they are set. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_SETTINGS (vt_settings_get_type())
G_DECLARE_FINAL_TYPE(VtSettings, vt_settings, VT, SETTINGS, GObject)

/* Borrowed; read and applied at the first call. */
VtSettings *vt_settings_get(void);
/* The wheel moves the slide and zooms only with Ctrl; else it zooms. */
gboolean vt_settings_get_wheel_pans(VtSettings *self);
/* "view", "regions" or "slide". Borrowed, until it is set. */
const char *vt_settings_get_run_on(VtSettings *self);
guint vt_settings_get_picture_parts(VtSettings *self);
guint vt_settings_get_picture_factor(VtSettings *self);
/* A new window gets the size of the last one; its own is kept when it closes. */
void vt_settings_add_window(VtSettings *self, GtkWindow *window);
/* A new split's handle is where the last one's was put; `key` is that of the schema. */
void vt_settings_add_split(VtSettings *self, GtkPaned *paned, const char *key);
