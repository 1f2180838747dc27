/* SPDX-License-Identifier: MIT
 *
 * What a person prefers, kept in vitrail/settings.ini of the user's configuration folder. One object for the program; main
 * thread only.
 *
 * Properties (read and write): "tile-budget" and "picture-budget" (MiB), "colour-scheme" (AdwColorScheme as a number),
 * "wheel-pans". Budgets and colour scheme hold as soon as they are set. */
#pragma once
#include <adwaita.h>

G_BEGIN_DECLS

#define VT_TYPE_SETTINGS (vt_settings_get_type())
G_DECLARE_FINAL_TYPE(VtSettings, vt_settings, VT, SETTINGS, GObject)

/* Borrowed; read and applied at the first call. */
VtSettings *vt_settings_get(void);
/* The wheel moves the slide and zooms only with Ctrl; else it zooms. */
gboolean vt_settings_get_wheel_pans(VtSettings *self);

G_END_DECLS
