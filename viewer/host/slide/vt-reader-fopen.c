/* SPDX-License-Identifier: MIT
 *
 * In a reader process each call of the system goes through a filter, and OpenSlide 3 makes a thousand of them to open a slide (vt-shared-file.c). A program's own fopen()
 * stands before the C library's, for OpenSlide, too. Only here: other programs open files of many kinds, by libraries of many kinds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gmodule.h>
#include <string.h>

#include "slide/vt-shared-file.h"

typedef FILE *Open(const char *path, const char *mode);

/* Both by name: where file sizes have 64 bits everywhere, <stdio.h> says fopen64 where a program says fopen. */
G_MODULE_EXPORT Open vt_reader_fopen __asm__("fopen"), vt_reader_fopen64 __asm__("fopen64");

static FILE *
open_stream(const char *name, const char *path, const char *mode)
{
  Open *real = NULL;
  if (*mode == 'r' && mode[1 + strspn(mode + 1, "be")] == '\0')
    return vt_shared_file_open(path);
  *(void **)&real = dlsym(RTLD_NEXT, name);
  return real(path, mode);
}

FILE *
vt_reader_fopen(const char *path, const char *mode)
{
  return open_stream("fopen", path, mode);
}

FILE *
vt_reader_fopen64(const char *path, const char *mode)
{
  return open_stream("fopen64", path, mode);
}
