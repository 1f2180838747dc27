/* SPDX-License-Identifier: MIT
 *
 * The end of a process that has no memory. Nothing here asks for any. */
#define _GNU_SOURCE    /* vasprintf */
#undef _FORTIFY_SOURCE /* vasprintf() is defined here */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/vt-error.h"

static const char *program; /* NULL: it ends by SIGABRT */
static gboolean is_armed;

static G_GNUC_NORETURN void
end(const char *sentence)
{
  if (!program)
    abort();
  /* In one: other processes write there, too. */
  const struct iovec parts[] = { { (char *)program, strlen(program) }, { (char *)sentence, strlen(sentence) } };
  const gssize n = writev(STDERR_FILENO, parts, 2);
  (void)n;
  _exit(EXIT_FAILURE);
}

/* --- GLib's own last words --- */

static void
on_message(const char *domain, GLogLevelFlags level, const char *message, gpointer unused)
{
  const gboolean is_thread = message && strstr(message, "creating thread"); /* its stack is memory, too */
  if (!(level & G_LOG_FLAG_FATAL) || (message && !is_thread && !strstr(message, "failed to allocate"))) {
    errno =
      level & G_LOG_FLAG_FATAL ? 0 : errno; /* it has its reason: what follows in on_abort() is for no want of memory */
    g_log_default_handler(domain, level, message, NULL);
  } else
    end(is_thread ? ": There is not enough memory for another thread, or too many run.\n"
                  : ": There is not enough memory.\n");
}

/* GLib makes its messages by vasprintf(), also the one that vasprintf() has failed: where the last bytes are gone, again and again until the stack is used
 * up. GLib finds these two in place of the C library's. */
int
vasprintf(char **text, const char *format, va_list arguments)
{
  char start[512];
  va_list again;
  va_copy(again, arguments);
  const int n = vsnprintf(start, sizeof start, format, arguments);
  *text = n >= 0 ? malloc((gsize)n + 1) : NULL;
  if (*text && (gsize)n < sizeof start)
    memcpy(*text, start, (gsize)n + 1);
  else if (*text)
    vsnprintf(*text, (gsize)n + 1, format, again);
  va_end(again);
  if (is_armed && !*text && errno == ENOMEM)
    end(": There is not enough memory.\n");
  return *text ? n : -1;
}

int __vasprintf_chk(char **text, int flag, const char *format, va_list arguments);

int
__vasprintf_chk(char **text, int flag, const char *format, va_list arguments)
{
  return vasprintf(text, format, arguments);
}

/* --- libraries that end the program, as GLib for want of a lock, and C++ for want of an exception --- */

/* A library does not say why it aborts. That a want of memory was the last failure of this thread, and nobody took note of it, is told as no more than that. */
static void
on_abort(int number)
{
  if (errno == ENOMEM)
    end(": A library ended the program; the last that failed before was that it was refused memory.\n");
  raise(number); /* as it would have ended without this function, when it returns */
}

void
vt_error_end_without_memory(const char *name)
{
  const struct sigaction action = { .sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND };
  program = name;
  is_armed = TRUE;
  g_log_set_default_handler(on_message, NULL);
  if (name) {
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
  }
}
