/* SPDX-License-Identifier: MIT */
#include "base/vt-error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

gboolean
vt_error_set(GError **error, VitrailStatus status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(VT_ERROR, (gint)status, format, arguments));
  va_end(arguments);
  return FALSE;
}

gpointer
vt_error_set_null(GError **error, VitrailStatus status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(VT_ERROR, (gint)status, format, arguments));
  va_end(arguments);
  return NULL;
}

static void
write_whole(const char *text)
{
  const gssize n = write(STDERR_FILENO, text, strlen(text));
  (void)n;
}

static void
end(const char *domain, GLogLevelFlags level, const char *message, gpointer program)
{
  if (!(level & G_LOG_FLAG_FATAL) || (message && !strstr(message, "failed to allocate"))) {
    g_log_default_handler(domain, level, message, NULL);
    return;
  }
  if (!program)
    abort();
  write_whole(program);
  write_whole(": There is not enough memory.\n");
  _exit(EXIT_FAILURE);
}

void
vt_error_end_without_memory(const char *program)
{
  g_log_set_default_handler(end, (gpointer)program);
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
