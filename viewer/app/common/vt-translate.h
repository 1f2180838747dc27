/* SPDX-License-Identifier: MIT
 *
 * What a plugin says, in the language of who reads it; what has no translation stays as it is. */
#pragma once
#include <glib/gi18n.h>

static inline const char *
vt_translate(const char *text)
{
  /* The translation of nothing is the header of the translations. */
  return text && *text ? g_dgettext(NULL, text) : text;
}

/* A measurement's name as a person reads it: files say "Area µm^2", the window says "Area µm²". Owned. */
static inline char *
vt_dup_shown_name(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "^2", -1);
  return g_strjoinv("²", parts);
}
