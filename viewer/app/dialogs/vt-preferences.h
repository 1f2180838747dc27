/* SPDX-License-Identifier: MIT
 *
 * The window that shows and changes the settings, with a meter of the memory that slides take. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_PREFERENCES (vt_preferences_get_type())
G_DECLARE_FINAL_TYPE(VtPreferences, vt_preferences, VT, PREFERENCES, AdwPreferencesWindow)

GtkWidget *vt_preferences_new(GtkWindow *parent);
