/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

/* A program of ours that others of ours start: beside the running one, one folder up (as in a build), or in libexec. NULL: it is
 * not there. Owned. */
char *vt_helper_find(const char *name);

G_END_DECLS
