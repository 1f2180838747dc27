/* SPDX-License-Identifier: MIT
 *
 * A window with what a search for the best parameters tried, the best first; a click on one takes its values over. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-search.h"

typedef struct {
  void (*adopt)(const VtParams *params, gpointer user);
  /* The search has come to its end, or was stopped: both are kept. `runner_up` NULL: there is none. */
  void (*keep)(const VtTry *best, const VtTry *runner_up, gpointer user);
  /* Side by side in the picture. */
  void (*compare)(const VtTry *best, const VtTry *runner_up, gpointer user);
} VtSearchCallbacks;

#define VT_TYPE_SEARCH_WINDOW (vt_search_window_get_type())
G_DECLARE_FINAL_TYPE(VtSearchWindow, vt_search_window, VT, SEARCH_WINDOW, AdwWindow)

/* Starts nothing. `callbacks` is static; `user` outlives the parent, as the window does not. */
GtkWidget *vt_search_window_new(GtkWindow *parent, VtSearch *search, const VtSearchCallbacks *callbacks, gpointer user);
