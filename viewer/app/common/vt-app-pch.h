/* SPDX-License-Identifier: MIT */
/* What nearly every file of the window includes. Precompiled, for builds with sanitizers alone: each file still includes what it needs. */
#include <adwaita.h>
#include <gtk/gtk.h>
