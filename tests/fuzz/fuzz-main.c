/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target without libFuzzer.
 *   fuzz-X              mutations of the target's own seeds, the same ones each time
 *   fuzz-X PATH...      replays files, and all files of folders
 *   fuzz-X --seeds DIR  writes the seeds there */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../support/test-draw.h"
#include "fuzz.h"

enum { N_ROUNDS = 4000, MAX_SECONDS = 6, MAX_SEEDS = 64 };

/* A copy of the exact size, so that a sanitizer sees a read past the end. */
static void
run(const uint8_t *data, size_t size)
{
  uint8_t *copy = malloc(size > 0 ? size : 1);
  vt_fuzz_check(copy != NULL, "memory", NULL);
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static int
replay_file(const char *path)
{
  static uint8_t data[1 << 20];
  FILE *in = fopen(path, "rb");
  if (!in) {
    perror(path);
    return -1;
  }
  const size_t size = fread(data, 1, sizeof data, in);
  fclose(in);
  run(data, size);
  return 1;
}

/* Number of files run; -1 when one cannot be read. */
static int
replay(const char *path)
{
  DIR *folder = opendir(path);
  int n = 0;
  if (!folder)
    return replay_file(path);
  for (struct dirent *entry = NULL; n >= 0 && (entry = readdir(folder));) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.')
      n = replay_file(name) < 0 ? -1 : n + 1;
  }
  closedir(folder);
  return n;
}

static size_t
mutate(uint8_t *data, size_t size)
{
  static const uint8_t nasty[] = { 0, 1, 127, 128, 254, 255, '0', '9', '-', '"', '[', ']', '{', '}', ',', 'e' };
  for (uint32_t n = 1 + pick(6); n > 0 && size > 0; n--) {
    /* Half of the changes go where headers lie. */
    const size_t at = pick(2) ? pick(size) : pick(size < 128 ? size : 128);
    switch (pick(6)) {
    case 0: data[at] ^= (uint8_t)(1u << pick(8)); break;
    case 1: data[at] = nasty[pick(sizeof nasty)]; break;
    case 2: data[at] = (uint8_t)pick(256); break;
    case 3: memset(data + at, nasty[pick(sizeof nasty)], 1 + pick(size - at < 8 ? size - at : 8)); break;
    case 4: memmove(data + pick(size), data + at, 1 + pick(size - at < 16 ? size - at : 16)); break;
    default: size = pick(4) ? size : at; break;
    }
  }
  return size;
}

static int
run_mutations(void)
{
  static uint8_t seeds[MAX_SEEDS][VT_FUZZ_MAX_SIZE], data[VT_FUZZ_MAX_SIZE + 16];
  size_t sizes[MAX_SEEDS], n_seeds = 0;
  for (; n_seeds < MAX_SEEDS && (sizes[n_seeds] = vt_fuzz_seed((unsigned)n_seeds, seeds[n_seeds])) > 0; n_seeds++)
    run(seeds[n_seeds], sizes[n_seeds]);
  if (n_seeds == 0)
    return EXIT_FAILURE;
  const time_t end = time(NULL) + MAX_SECONDS;
  int n = 0;
  for (; n < N_ROUNDS && time(NULL) < end; n++) {
    const size_t i = (size_t)n % n_seeds;
    memcpy(data, seeds[i], sizes[i]);
    const size_t size = mutate(data, sizes[i]);
    run(data, size);
  }
  printf("%zu seeds, %d mutations\n", n_seeds, n);
  return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "--seeds") == 0)
    return vt_fuzz_write_seeds(argv[2]);
  if (argc < 2)
    return run_mutations();
  int n_files = 0;
  for (int i = 1; i < argc; i++) {
    const int n = replay(argv[i]);
    if (n < 0)
      return EXIT_FAILURE;
    n_files += n;
  }
  printf("%d files\n", n_files);
  return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
