/* SPDX-License-Identifier: MIT */
/* What nearly every file of the window includes. Only a build with -Db_pch=true reads it, so each file still includes what it needs. */
#include <adwaita.h>
#include <gtk/gtk.h>
