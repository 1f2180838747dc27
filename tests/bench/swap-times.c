/* SPDX-License-Identifier: MIT */
/* Preloaded into the window by window-frames.py: says in the file $VITRAIL_SWAP_TIMES when each picture was handed to the X server, how long
 * the GPU still worked on it, and how long handing it over took (ms). A server without a GPU copies each picture through the processor, which
 * one with a GPU does not: it is no part of what the program's own frames cost, the GPU's work is. */
#include <epoxy/glx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PFNGLXSWAPBUFFERSPROC swap;
static FILE *out;

static double
now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void
timed_swap(Display *display, GLXDrawable drawable)
{
  const double drawn = now_ms();
  epoxy_glFinish();
  const double done = now_ms();
  epoxy_glXSwapBuffers = swap; /* at its first call it looks the function up, and puts that in its own place */
  epoxy_glXSwapBuffers(display, drawable);
  swap = epoxy_glXSwapBuffers;
  epoxy_glXSwapBuffers = timed_swap;
  const double end = now_ms();
  fprintf(out, "%.3f %.3f %.3f\n", end, done - drawn, end - done);
  fflush(out);
}

__attribute__((constructor)) static void
start(void)
{
  const char *path = getenv("VITRAIL_SWAP_TIMES");
  out = path && !strcmp(program_invocation_short_name, "vitrail") ? fopen(path, "w") : NULL; /* not in its children */
  if (!out)
    return;
  swap = epoxy_glXSwapBuffers;
  epoxy_glXSwapBuffers = timed_swap;
}
