/* SPDX-License-Identifier: MIT
 *
 * What a plugin says, in the language of who reads it; what has no translation stays as it is. Brings _() for our own sentences. */
#pragma once
#include <glib/gi18n.h>
#include <string.h>

static inline const char *
vt_translate(const char *text)
{
  /* The translation of nothing is the header of the translations. */
  const char *own = text && *text ? g_dgettext(NULL, text) : text, *blank = text ? strrchr(text, ' ') : NULL;
  if (own != text || !blank || !blank[1] || blank[1 + strspn(blank + 1, "0123456789")])
    return own;
  /* "Sized 2": of two of one name the second has a number. */
  g_autofree char *stem = g_strndup(text, (gsize)(blank - text)),
                  *numbered = g_strconcat(*stem ? g_dgettext(NULL, stem) : stem, blank, NULL);
  return g_intern_string(numbered);
}

/* A measurement's name as a person reads it: files say "Area µm^2", the window says "Area µm²". Owned. */
static inline char *
vt_dup_shown_name(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "^2", -1);
  return g_strjoinv("²", parts);
}
