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
