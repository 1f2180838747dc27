/* SPDX-License-Identifier: MIT
 *
 * OpenSlide and libtiff as they may behave on a hostile file: linked into a reader process, this stands before the libraries. TROUBLE="KIND X Y" says
 * what happens where the tile at level-0 pixel (X, Y) is read; X = -1: everywhere. TROUBLE="KIND tiff Y": where a tile of row Y of an image is; Y = -1: where any is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openslide/openslide.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <tiffio.h>
#include <time.h>
#include <unistd.h>

#include "slide/vt-reader-jail.h"

#define TILE_PX 512 /* of the slides that a test makes; the one that a reader reads to warm up is smaller */

/* Whether a call that changes files, other processes or this one's rights is let through: each fails then, too, but for another reason. */
static unsigned
is_any_let_through(void)
{
#define NUMBER(call) SYS_##call,
  static const long calls[] = { VT_READER_JAIL_FORBIDS(NUMBER) VT_READER_JAIL_FORBIDS_OLD(NUMBER) };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L) != -1 || errno != EPERM)
      return 1;
  struct rlimit limit;
  return syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS || syscall(SYS_openat2, -1, NULL, NULL, 0) != -1
         || errno != ENOSYS || syscall(SYS_tgkill, getppid(), getppid(), 0) != -1 || errno != EPERM
         || prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) == 0
         || openat(AT_FDCWD, "/tmp/vitrail-target", O_RDONLY | O_TRUNC) >= 0
         || syscall(SYS_tgkill, getpid(), getpid(), 0) != 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0;
}

/* Bit i: this process could do thing i, which it must not. */
static unsigned
try_to_escape(void)
{
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  /* volatile: GCC 16 takes it for given where nothing else looks at it */
  void *volatile given = malloc((size_t)1 << 45);
  return (unsigned)(open("/tmp/vitrail-escaped", O_WRONLY | O_CREAT, 0600) >= 0)
         | (unsigned)(socket(AF_INET, SOCK_STREAM, 0) >= 0) << 1 | (unsigned)(child > 0) << 2
         | (unsigned)(kill(getppid(), 0) == 0) << 3 | (unsigned)(unlink("/tmp/vitrail-target") == 0) << 4
         | (unsigned)(open("/tmp/vitrail-target", O_RDWR) >= 0) << 5 | (unsigned)(given != NULL) << 6
         | is_any_let_through() << 7;
}

/* Descriptors of this process that lead to the file TROUBLE_FILE. */
static unsigned
count_descriptors(void)
{
  const char *wanted = getenv("TROUBLE_FILE");
  unsigned n = 0;
  for (int i = 0; i < 100; i++) {
    char link[32], target[1024] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", i);
    n += wanted && readlink(link, target, sizeof target - 1) > 0 && strcmp(target, wanted) == 0;
  }
  return n;
}

static void
act(const char *kind, uint32_t *argb)
{
  if (strcmp(kind, "crash") == 0)
    raise(SIGSEGV);
  else if (strcmp(kind, "abort") == 0)
    abort();
  else if (strcmp(kind, "end") == 0)
    _exit(7);
  else if (strcmp(kind, "hang") == 0)
    for (;;)
      continue;
  else if (strcmp(kind, "still") == 0)
    pause();
  else if (strcmp(kind, "slow") == 0)
    sleep(3);
  else if (strcmp(kind, "busy") == 0)
    for (const clock_t end = clock() + CLOCKS_PER_SEC * 3 / 10; clock() < end;)
      continue;
  else if (strcmp(kind, "close") == 0)
    close(3);
  else if (strcmp(kind, "escape") == 0)
    argb[0] = 0xff000000u | try_to_escape();
  else if (strcmp(kind, "count") == 0)
    argb[0] = 0xff000000u | count_descriptors();
  else if (strcmp(kind, "heap") == 0) {
    void *volatile given = malloc(10000);
    argb[0] = 0xff000000u | ((char *)given < (char *)sbrk(0)); /* the first heap lies below all others */
    free(given);
  }
}

void
openslide_read_region(openslide_t *osr, uint32_t *argb, int64_t x, int64_t y, int32_t level, int64_t width,
                      int64_t height)
{
  typedef void Read(openslide_t *, uint32_t *, int64_t, int64_t, int32_t, int64_t, int64_t);
  Read *real = NULL;
  const char *trouble = getenv("TROUBLE");
  char kind[16] = "";
  long long at[2] = { 0, 0 };
  *(void **)&real = dlsym(RTLD_NEXT, "openslide_read_region");
  real(osr, argb, x, y, level, width, height);
  if (trouble && sscanf(trouble, "%15s %lld %lld", kind, &at[0], &at[1]) == 3 && width == TILE_PX
      && (at[0] < 0 || (at[0] == x && at[1] == y)))
    act(kind, argb);
}

tmsize_t
TIFFReadTile(TIFF *tiff, void *pixels, uint32_t x, uint32_t y, uint32_t z, uint16_t sample)
{
  typedef tmsize_t Read(TIFF *, void *, uint32_t, uint32_t, uint32_t, uint16_t);
  Read *real = NULL;
  const char *trouble = getenv("TROUBLE");
  char kind[16] = "";
  int at = 0;
  *(void **)&real = dlsym(RTLD_NEXT, "TIFFReadTile");
  if (trouble && sscanf(trouble, "%15s tiff %d", kind, &at) == 2 && (at < 0 || (uint32_t)at == y))
    act(kind, NULL);
  return real(tiff, pixels, x, y, z, sample);
}
