/* SPDX-License-Identifier: MIT */
#include "base/vt-error.h"

#include <errno.h>

G_DEFINE_QUARK(vt_error, vt_error)

const char *
vt_status_to_string(VitrailStatus status)
{
  switch (status) {
  case VITRAIL_OK: return "done";
  case VITRAIL_CANCELLED: return "cancelled";
  case VITRAIL_UNSUPPORTED: return "not supported";
  case VITRAIL_NO_DEVICE: return "no such device";
  case VITRAIL_OUT_OF_MEMORY: return "out of memory";
  case VITRAIL_BAD_ARGUMENT: return "bad argument";
  case VITRAIL_READ_FAILED: return "reading failed";
  case VITRAIL_INTERNAL: return "internal error";
  default: return "unknown status";
  }
}

/* A want of memory that became a sentence is not why a library aborts later on (vt-starved.c). */
static void
forget_want(void)
{
  if (errno == ENOMEM)
    errno = 0;
}

gboolean
vt_error_set(GError **error, VitrailStatus status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(VT_ERROR, (gint)status, format, arguments));
  va_end(arguments);
  forget_want();
  return FALSE;
}

gpointer
vt_error_set_null(GError **error, VitrailStatus status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(VT_ERROR, (gint)status, format, arguments));
  va_end(arguments);
  forget_want();
  return NULL;
}

char *
vt_error_dup_shown(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  GString *shown = g_string_new(NULL);
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    const gboolean turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069),
                   breaks = c == 0x2028 || c == 0x2029;
    g_string_append_unichar(shown, turns || breaks || g_unichar_iscntrl(c) ? 0xFFFD : c);
  }
  return g_string_free(shown, FALSE);
}

char *
vt_error_dup_path(const char *path)
{
  g_autofree char *whole = g_filename_display_name(path);
  return vt_error_dup_shown(whole);
}

char *
vt_error_dup_name(const char *path)
{
  g_autofree char *name = g_filename_display_basename(path);
  return vt_error_dup_shown(name);
}

char *
vt_error_dup_line(const char *text)
{
  enum { MAX_LETTERS = 300 };
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(GString) line = g_string_new(NULL);
  int n = 0;
  for (const char *p = valid; *p && n < MAX_LETTERS; p = g_utf8_next_char(p), n++)
    g_string_append_unichar(line, g_unichar_isprint(g_utf8_get_char(p)) ? g_utf8_get_char(p) : ' ');
  g_string_append(line, n == MAX_LETTERS ? "…" : "");
  return g_strdup(g_strstrip(line->str));
}
