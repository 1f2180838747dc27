/* SPDX-License-Identifier: MIT
 *
 * What an interrupted run has finished. After every step all stores are written back, and a small file says how many steps
 * are done and which files are whose; a later run of the same request makes the same calls, and those that are done return
 * at once. A step that was cut in half is done again: so none may spoil what it starts from. One that would change a store
 * where it stands writes into another file, which takes the place of the first when all ranks are through; a propagation may
 * go on from whatever it left, as its values are legal at any time. What was emitted is emitted again, from stores that
 * are kept for that. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/parallel.h"
#include "scale/journal.h"

static bool
path_of(const VtStreamed *s, const char *name, char path[4096])
{
  return snprintf(path, 4096, "%s/%s", s->run->request->scratch_dir, name) < 4096;
}

static void
store_name(char name[32], uint32_t index, uint32_t version)
{
  snprintf(name, 32, "step-%u-%u", index, version);
}

static bool
write_file(const VtStreamed *s, const char *name, const void *data, size_t bytes)
{
  char path[4096];
  FILE *file = path_of(s, name, path) ? fopen(path, "wb") : NULL;
  const bool written = file && fwrite(data, 1, bytes, file) == bytes;
  return file && fclose(file) == 0 && written;
}

static bool
rename_file(const VtStreamed *s, const char *from, const char *to)
{
  char a[4096], b[4096];
  return path_of(s, from, a) && path_of(s, to, b) && rename(a, b) == 0;
}

/* --- the list --- */

#define HEAD "vitrail steps 3\n"
static const char list_name[] = "steps", list_before[] = "steps-before", list_new[] = "steps-new";

static bool
write_list(const VtStreamed *s)
{
  char text[64 + 32 * VT_MAX_STORES];
  int n =
    snprintf(text, sizeof text, HEAD "%" PRId64 " %u %u\n", vt_store_pool_edge(s->pool), s->n_finished, s->n_stores);
  for (uint32_t i = 0; i < s->n_stores; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%u\n", s->stores[i].version);
  return write_file(s, list_new, text, (size_t)n) && (s->n_finished == 1 || rename_file(s, list_name, list_before))
         && rename_file(s, list_new, list_name);
}

typedef struct {
  bool is_there;
  uint32_t n_finished, n_stores, versions[VT_MAX_STORES];
} List;

/* Nothing is finished if there is none that fits. */
static void
read_list(const VtStreamed *s, const char *name, List *list)
{
  char path[4096], head[sizeof HEAD] = "";
  int64_t edge = 0;
  FILE *file = path_of(s, name, path) ? fopen(path, "rb") : NULL;
  *list = (List){ .is_there = file != NULL };
  bool fine = file && fread(head, 1, strlen(HEAD), file) == strlen(HEAD) && strcmp(head, HEAD) == 0
              && fscanf(file, "%" SCNd64 " %u %u", &edge, &list->n_finished, &list->n_stores) == 3
              && edge == vt_store_pool_edge(s->pool) && list->n_stores <= VT_MAX_STORES;
  for (uint32_t i = 0; fine && i < list->n_stores; i++)
    fine = fscanf(file, "%u", &list->versions[i]) == 1;
  if (file)
    fclose(file);
  if (!fine)
    *list = (List){ .is_there = file != NULL };
}

static void
remove_file(const VtStreamed *s, const char *name)
{
  char path[4096];
  if (path_of(s, name, path))
    unlink(path);
}

/* The least number of steps that any rank has finished: when they were stopped some may have been one ahead. */
static VitrailStatus
agree_on_least(VtRun *run, uint32_t *n)
{
  int32_t least = -(int32_t)*n;
  TRY(vt_ranks_largest(run, VITRAIL_OK, least, &least));
  *n = (uint32_t)-least;
  return VITRAIL_OK;
}

/* The list before the last one is of use only until all ranks have the last one: then its files begin to go. */
static const List *
choose_list(const List *last, const List *before, uint32_t n)
{
  if (last->is_there && last->n_finished == n)
    return last;
  return before->n_finished == n && (!last->is_there || last->n_finished == n + 1) ? before : NULL;
}

VitrailStatus
vt_journal_begin(VtStreamed *s)
{
  VtRun *run = s->run;
  List last, before;
  s->keeps = run->request->flags & VITRAIL_RUN_KEEP_SCRATCH && run->request->scratch_dir;
  if (!s->keeps)
    return VITRAIL_OK;
  read_list(s, list_name, &last);
  read_list(s, list_before, &before);
  uint32_t n = last.is_there ? last.n_finished : before.n_finished;
  TRY(agree_on_least(run, &n));
  const List *list = choose_list(&last, &before, n);
  int32_t failed = n == 0 || !list || (list == &before && !rename_file(s, list_before, list_name));
  TRY(vt_ranks_largest(run, VITRAIL_OK, failed, &failed));
  if (failed) {
    if (last.is_there || before.is_there)
      vt_log(run, VITRAIL_LOG_WARNING, "What an earlier run left in %s does not fit this one, which begins again.",
             run->request->scratch_dir);
    remove_file(s, list_name);
    remove_file(s, list_before);
    return VITRAIL_OK;
  }
  s->n_known = list->n_stores;
  for (uint32_t i = 0; i < list->n_stores; i++)
    s->stores[i].version = s->stores[i].oldest = list->versions[i];
  s->n_done = n;
  vt_record(run, "resumed-steps", n);
  return VITRAIL_OK;
}

/* --- stores --- */

static VtStreamStore *
find_store(VtStreamed *s, const VtStore *store)
{
  for (uint32_t i = 0; i < s->n_stores; i++)
    if (s->stores[i].store == store)
      return &s->stores[i];
  return NULL;
}

static VitrailStatus
open_store(VtStreamed *s, uint32_t index, uint32_t version, bool known, VtType type, VtStore **store)
{
  char name[32];
  store_name(name, index, version);
  if (!known)
    vt_store_pool_forget(s->pool, name);
  return vt_store_new(s->pool, name, type, s->run->grid.width, s->run->grid.height, store);
}

VitrailStatus
vt_streamed_store(VtStreamed *s, VtType type, VtStore **store)
{
  VtRun *run = s->run;
  const uint32_t index = s->n_stores;
  if (index == VT_MAX_STORES)
    return vt_fail(run, VITRAIL_INTERNAL, "The run holds too many rasters.");
  VtStreamStore *slot = &s->stores[index];
  const VitrailStatus status = open_store(s, index, slot->version, index < s->n_known, type, store);
  s->n_stores++;
  slot->store = status == VITRAIL_OK ? *store : NULL;
  return vt_ranks_agree(run, status);
}

void
vt_streamed_drop(VtStreamed *s, VtStore *store)
{
  VtStreamStore *slot = store ? find_store(s, store) : NULL;
  char name[32];
  if (store && vt_chain_holds(s, store)) {
    s->dropped[s->n_dropped++] = store;
    return;
  }
  vt_store_free(store);
  if (!slot)
    return;
  slot->store = NULL;
  store_name(name, (uint32_t)(slot - s->stores), slot->version);
  if (!slot->was_emitted)
    vt_store_pool_forget(s->pool, name);
}

void
vt_journal_emitted(VtStreamed *s, const VtStore *store)
{
  VtStreamStore *slot = find_store(s, store);
  if (slot)
    slot->was_emitted = true;
}

VitrailStatus
vt_journal_shadow(VtStreamed *s, const VtStore *store, VtStore **shadow)
{
  const VtStreamStore *slot = find_store(s, store);
  if (!slot)
    return VITRAIL_INTERNAL;
  return open_store(s, (uint32_t)(slot - s->stores), slot->version + 1, false, vt_store_type(store), shadow);
}

void
vt_journal_replace(VtStreamed *s, VtStore *store, VtStore *shadow)
{
  vt_store_swap(store, shadow);
  vt_store_free(shadow);
  find_store(s, store)->version++;
}

/* --- steps --- */

bool
vt_journal_enter(VtStreamed *s)
{
  double from, to;
  if (s->depth > 0 || s->n_finished >= s->n_done) {
    s->depth++;
    return true;
  }
  s->n_finished++;
  vt_streamed_step(s, &from, &to);
  return false;
}

static void
result_name(char name[32], uint32_t step)
{
  snprintf(name, 32, "result-%u", step);
}

/* Files of versions that were replaced in the step, and of no use to anybody now. */
static void
forget_replaced(VtStreamed *s)
{
  char name[32];
  for (uint32_t i = 0; i < s->n_stores; i++) {
    VtStreamStore *slot = &s->stores[i];
    for (; slot->oldest < slot->version; slot->oldest++) {
      store_name(name, i, slot->oldest);
      vt_store_pool_forget(s->pool, name);
    }
  }
}

/* Packing and writing takes a thread as long as the step may have. */
static VitrailStatus
flush_part(VtRun *run, uint32_t part, void *user)
{
  const VtStreamed *s = user;
  for (uint32_t i = 0; i < s->n_stores; i++)
    if (s->stores[i].store)
      TRY(vt_store_flush(s->stores[i].store, part, s->cpu.n));
  return VITRAIL_OK;
}

VitrailStatus
vt_journal_leave(VtStreamed *s, VitrailStatus status, const void *result, size_t bytes)
{
  VtRun *run = s->run;
  char name[32];
  s->depth--;
  if (status != VITRAIL_OK || s->depth > 0 || !s->keeps)
    return status;
  status = vt_parallel(run, s->cpu.n, flush_part, s);
  s->n_finished++;
  result_name(name, s->n_finished);
  if (status == VITRAIL_OK && result && !write_file(s, name, result, bytes))
    status = VITRAIL_READ_FAILED;
  TRY(vt_ranks_agree(run, status));
  TRY(vt_ranks_agree(run, write_list(s) ? VITRAIL_OK : VITRAIL_READ_FAILED));
  forget_replaced(s);
  return VITRAIL_OK;
}

VitrailStatus
vt_journal_result(VtStreamed *s, void **result, size_t *bytes)
{
  char name[32], path[4096];
  long size = 0;
  result_name(name, s->n_finished);
  *result = NULL;
  *bytes = 0;
  FILE *file = path_of(s, name, path) ? fopen(path, "rb") : NULL;
  bool fine = file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0;
  if (fine)
    *result = malloc((size_t)size + 1);
  fine = fine && *result && fread(*result, 1, (size_t)size, file) == (size_t)size;
  if (file)
    fclose(file);
  *bytes = (size_t)size;
  if (!fine) {
    free(*result);
    *result = NULL;
  }
  return vt_ranks_agree(s->run, fine ? VITRAIL_OK : VITRAIL_READ_FAILED);
}
