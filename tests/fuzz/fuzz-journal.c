/* SPDX-License-Identifier: MIT
 *
 * What an interrupted run has left in its scratch folder: its list of finished steps, what a step has found out, its stores. By the first byte one
 * of these files holds something else. A run takes it up and ends with a sentence or without one; if nothing was changed, with the bytes of
 * a run that was never interrupted. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "mini-host.h"

enum { MOST_FILES = 48, EDGE = 90, BUDGET = 300000 };

typedef struct {
  char name[64];
  uint8_t *data;
  size_t n;
} File;

static char folder[] = "/tmp/vitrail-journal-XXXXXX";
static File files[MOST_FILES]; /* those that are small come first */
static unsigned n_files;
static VtImage tissue;
static MiniResult whole;

static void
path_of(const char *name, char path[512])
{
  snprintf(path, 512, "%s/%s", folder, name);
}

static void
clear_folder(void)
{
  DIR *dir = opendir(folder);
  char path[512];
  for (const struct dirent *entry; dir && (entry = readdir(dir));)
    if (entry->d_name[0] != '.') {
      path_of(entry->d_name, path);
      unlink(path);
    }
  if (dir)
    closedir(dir);
}

static void
end(void)
{
  clear_folder();
  rmdir(folder);
}

static VitrailStatus
run(int64_t cancel_after, uint32_t flags, MiniResult *result)
{
  MiniJob job = mini_job(mini_op("nuclei-threshold"), &tissue);
  MiniHost mini = { .n_threads = 1, .cancel_after = cancel_after };
  job.request.tile_px = 64;
  job.request.memory_budget = BUDGET;
  job.request.scratch_dir = folder;
  job.request.flags = flags;
  return mini_job_run(&job, &mini, NULL, result);
}

static void
write_file(const char *name, const uint8_t *data, size_t n)
{
  char path[512];
  path_of(name, path);
  FILE *file = fopen(path, "wb");
  vt_fuzz_check(file && fwrite(data, 1, n, file) == n && fclose(file) == 0, "scratch", path);
}

static void
keep(const char *name)
{
  static uint8_t data[1 << 20];
  char path[512];
  path_of(name, path);
  FILE *file = fopen(path, "rb");
  vt_fuzz_check(file != NULL && n_files < MOST_FILES && strlen(name) < sizeof files->name, "a file of scratch", path);
  File *kept = &files[n_files++];
  kept->n = fread(data, 1, sizeof data, file);
  fclose(file);
  kept->data = malloc(kept->n + 1);
  memcpy(kept->data, data, kept->n);
  memcpy(kept->name, name, strlen(name) + 1);
}

static int
by_name_and_size(const void *a, const void *b)
{
  const File *x = a, *y = b;
  return x->n == y->n ? strcmp(x->name, y->name) : x->n < y->n ? -1 : 1;
}

/* The folder of the run that was interrupted as late as can be. */
static void
begin(void)
{
  MiniResult result;
  vt_fuzz_check(mkdtemp(folder) != NULL, "folder", folder);
  atexit(end);
  tissue = mini_tissue_new(EDGE, EDGE, 5);
  vt_fuzz_check(run(-1, 0, &whole) == VITRAIL_OK, "a run", whole.message);
  int64_t least = 0, most = 100000;
  while (most - least > 1) { /* cancelled after `least` looks, done after `most` */
    const int64_t middle = (least + most) / 2;
    clear_folder();
    *(run(middle, VITRAIL_RUN_KEEP_SCRATCH, &result) == VITRAIL_CANCELLED ? &least : &most) = middle;
    mini_result_clear(&result);
  }
  clear_folder();
  vt_fuzz_check(run(least, VITRAIL_RUN_KEEP_SCRATCH, &result) == VITRAIL_CANCELLED, "a run that is stopped", "");
  mini_result_clear(&result);
  DIR *dir = opendir(folder);
  for (const struct dirent *entry; dir && (entry = readdir(dir));)
    if (entry->d_name[0] != '.')
      keep(entry->d_name);
  closedir(dir);
  qsort(files, n_files, sizeof *files, by_name_and_size);
}

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  if (n_files == 0)
    begin();
  if (index >= n_files || files[index].n + 1 > VT_FUZZ_MAX_SIZE)
    return 0;
  data[0] = (uint8_t)index;
  memcpy(data + 1, files[index].data, files[index].n);
  return files[index].n + 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  MiniResult result;
  char where[64] = "";
  if (n_files == 0)
    begin();
  if (size == 0)
    return 0;
  clear_folder();
  for (unsigned i = 0; i < n_files; i++)
    write_file(files[i].name, files[i].data, files[i].n);
  const File *changed = &files[data[0] % n_files];
  write_file(changed->name, data + 1, size - 1);
  const VitrailStatus status = run(-1, VITRAIL_RUN_KEEP_SCRATCH, &result);
  vt_fuzz_check(status >= VITRAIL_OK && status < VITRAIL_INTERNAL && status != VITRAIL_CANCELLED, "a status",
                result.message);
  vt_fuzz_check((status == VITRAIL_OK) == (result.message[0] == '\0'), "a failure without a sentence", changed->name);
  if (changed->n == size - 1 && memcmp(changed->data, data + 1, size - 1) == 0)
    vt_fuzz_check(status == VITRAIL_OK && result.resumed > 0 && mini_result_equal(&whole, &result, where, sizeof where),
                  "the run that was taken up", where);
  mini_result_clear(&result);
  return 0;
}
