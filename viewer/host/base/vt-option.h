/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

/* The name of an option that takes one value and is there twice in a command line, of which GLib takes the last one; NULL: none is. At most 64 entries,
 * that end with an empty one. */
const char *vt_option_find_repeated(int argc, char *const *argv, const GOptionEntry *entries);
