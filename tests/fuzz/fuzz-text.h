/* SPDX-License-Identifier: MIT
 *
 * fuzz-text.h: a file of text is refused with a sentence that has a line, or read and written to a text that reads to itself. */
#pragma once

#include <glib.h>
#include <string.h>

#include "fuzz.h"

/* rewrite: what a text is after it was read and written; NULL and an error: it is refused. */
static inline void
fuzz_text(const uint8_t *data, size_t size, char *(*rewrite)(const char *text, GError **error))
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  g_autofree char *text = g_strndup((const char *)data, size);
  if (!g_utf8_validate(text, -1, NULL))
    return;
  g_autofree char *once = rewrite(text, &error);
  vt_fuzz_check((once != NULL) == (error == NULL), "neither read nor an error, or both", text);
  vt_fuzz_check(!error || strstr(error->message, "line "), "no line", error ? error->message : "");
  if (!once)
    return;
  g_autofree char *twice = rewrite(once, &error);
  vt_fuzz_check(twice != NULL, "what was written cannot be read", once);
  vt_fuzz_check(strcmp(once, twice) == 0, "written twice, and not the same", once);
}
