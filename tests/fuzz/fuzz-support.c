/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static int file = -1;

void
vt_fuzz_check(bool holds, const char *what, const char *detail)
{
  if (holds)
    return;
  fprintf(stderr, "fuzz: %s: %s\n", what, detail ? detail : "");
  abort();
}

int
vt_fuzz_write_seeds(const char *folder)
{
  static uint8_t data[VT_FUZZ_MAX_SIZE];
  size_t size = 0;
  for (unsigned i = 0; (size = vt_fuzz_seed(i, data)) > 0; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-%02u", folder, i);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
      perror(path);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}

#ifdef VT_FUZZ_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
  if (*argc == 3 && strcmp((*argv)[1], "--seeds") == 0)
    exit(vt_fuzz_write_seeds((*argv)[2]));
  return 0;
}
#endif

const char *
vt_fuzz_file(const uint8_t *data, size_t size)
{
  static char path[64];
  if (file < 0)
    file = memfd_create("vitrail-fuzz", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  vt_fuzz_check(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "memory file",
                path);
  return path;
}

size_t
vt_fuzz_file_get(uint8_t *data)
{
  const ssize_t size = pread(file, data, VT_FUZZ_MAX_SIZE, 0);
  return size > 0 ? (size_t)size : 0;
}
