/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test-draw.h"
#include "ways.h"

char ways_scratch[] = "/tmp/vitrail-test-XXXXXX";

bool
ways_begin(void)
{
  return mkdtemp(ways_scratch) != NULL;
}

bool
ways_end(void)
{
  return rmdir(ways_scratch) == 0;
}

double
ways_draw_value(const VitrailParam *p)
{
  static const double parts[] = { 0, 0.25, 0.5, 1, 2, 3 };
  if (p->type == VITRAIL_PARAM_CHOICE || p->type == VITRAIL_PARAM_BOOL)
    return pick(p->type == VITRAIL_PARAM_BOOL ? 2 : p->n_choices);
  const double value = p->initial[0] != 0 ? p->initial[0] * parts[pick(6)] : pick(2) ? pick(200) : 0.1 * pick(20);
  const double least = fmax(p->min, value), inside = fmin(p->max, least);
  return p->type == VITRAIL_PARAM_INT ? floor(inside) : inside;
}

bool
ways_pairs(int32_t *there_of, int32_t *here_of, int32_t here, int32_t there)
{
  if (here == 0 || there == 0)
    return here == there;
  if (there_of[here] == 0 && here_of[there] == 0) {
    there_of[here] = there;
    here_of[there] = here;
  }
  return there_of[here] == there && here_of[there] == here;
}

/* A rank's run. folder: its scratch. The canvas has room for grids that are coarser, and end in a pixel more. */
static VitrailStatus
run(VitrailSession *session, const MiniJob *job, const Way *way, uint32_t flags, const char *folder, MiniHost *mini,
    MiniResult *result)
{
  MiniJob one = *job;
  one.request.tile_px = way->tile;
  one.request.backend = way->device ? "auto" : "cpu";
  one.request.flags = flags;
  one.request.memory_budget = way->budget;
  one.request.scratch_dir = way->budget && !way->no_scratch ? folder : NULL;
  mini->n_threads = way->n_threads ? way->n_threads : 1;
  mini->shuffle_seed = way->order;
  mini->canvas_x = mini->canvas_y = -2;
  mini->canvas_width = job->images[0].width + 4;
  mini->canvas_height = job->images[0].height + 4;
  return mini_job_run(&one, mini, session, result);
}

VitrailStatus
ways_run_in(VitrailSession *session, const MiniJob *job, const Way *way, uint32_t flags, MiniResult *result)
{
  MiniHost mini = { .cancel_after = way->cancel_after };
  return run(session, job, way, flags, ways_scratch, &mini, result);
}

/* --- ranks, each a thread --- */

typedef struct {
  const MiniJob *job;
  const Way *way;
  MiniRanks *talk;
  uint32_t rank;
  int64_t cancel_after;
  VitrailStatus status;
  MiniResult result;
} Rank;

static void *
run_rank(void *user)
{
  Rank *rank = user;
  const bool stops = rank->way->n_stops > 0;
  char folder[sizeof ways_scratch + 16];
  MiniHost mini = { .ranks = rank->talk, .rank = rank->rank, .cancel_after = rank->cancel_after };
  snprintf(folder, sizeof folder, stops ? "%s/%u" : "%s", ways_scratch, rank->rank);
  rank->status = run(NULL, rank->job, rank->way, stops ? VITRAIL_RUN_KEEP_SCRATCH : 0, folder, &mini, &rank->result);
  return NULL;
}

/* What rank 0 of a real host makes of what the ranks hand over: each has filled its own rows of canvases of zeros. */
static void
add_up(MiniResult *sum, const MiniResult *part)
{
  for (int i = 0; i < 64; i++) {
    VtImage *to = &sum->stages[i];
    const VtImage *from = &part->stages[i];
    if (!to->data && from->data) {
      *to = mini_image_new(from->type, from->width, from->height);
      sum->stage_x[i] = part->stage_x[i];
      sum->stage_y[i] = part->stage_y[i];
    }
    for (int64_t k = 0; from->data && k < from->height * from->stride; k++)
      ((uint8_t *)to->data)[k] |= ((const uint8_t *)from->data)[k];
  }
  sum->bytes = realloc(sum->bytes, sum->n_bytes + part->n_bytes + 1);
  if (part->n_bytes > 0)
    memcpy(sum->bytes + sum->n_bytes, part->bytes, part->n_bytes);
  sum->n_bytes += part->n_bytes;
  if (part->n_objects > 0 && part->first_id != sum->n_objects + 1)
    sum->n_objects = INT32_MIN; /* a gap between the numbers of two ranks */
  sum->n_objects += part->n_objects;
  sum->n_rows += part->n_rows;
  sum->resumed = part->resumed > sum->resumed ? part->resumed : sum->resumed;
  sum->streamed = part->streamed > sum->streamed ? part->streamed : sum->streamed;
  sum->memory_peak = part->memory_peak > sum->memory_peak ? part->memory_peak : sum->memory_peak;
  if (sum->message[0] == '\0' || (part->message[0] && strstr(sum->message, "Another process")))
    memcpy(sum->message, part->message, sizeof sum->message);
}

static VitrailStatus
run_ranks(const MiniJob *job, const Way *way, int64_t cancel_after, uint32_t cancel_rank, MiniResult *sum)
{
  MiniRanks talk = { .n = way->n_ranks };
  Rank ranks[MINI_MAX_RANKS];
  ranks[0] = (Rank){ .job = job, .way = way, .cancel_after = cancel_after };
  for (uint32_t i = 0; i < way->n_ranks && way->n_ranks > 1; i++)
    ranks[i] =
      (Rank){ .job = job, .way = way, .talk = &talk, .rank = i, .cancel_after = i == cancel_rank ? cancel_after : -1 };
  mini_ranks_run(&talk, run_rank, ranks, sizeof *ranks);
  if (way->n_ranks <= 1) {
    *sum = ranks[0].result;
    return ranks[0].status;
  }
  *sum = (MiniResult){ 0 };
  VitrailStatus status = ranks[0].status;
  for (uint32_t i = 0; i < way->n_ranks; i++) {
    add_up(sum, &ranks[i].result);
    status = mini_ranks_agree(status, ranks[i].status);
    mini_result_clear(&ranks[i].result);
  }
  return status;
}

/* --- interruptions --- */

static void
make_folders(const Way *way)
{
  char path[sizeof ways_scratch + 16];
  for (uint32_t i = 0; i < way->n_ranks || i == 0; i++) {
    snprintf(path, sizeof path, "%s/%u", ways_scratch, i);
    mkdir(path, 0700);
  }
}

static void
clear_folder(const char *path)
{
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    if (entry->d_name[0] != '.')
      unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir)
    closedir(dir);
}

void
ways_clear(void)
{
  clear_folder(ways_scratch);
}

static void
remove_folders(const Way *way)
{
  char path[sizeof ways_scratch + 16];
  for (uint32_t i = 0; i < way->n_ranks || i == 0; i++) {
    snprintf(path, sizeof path, "%s/%u", ways_scratch, i);
    clear_folder(path);
    rmdir(path);
  }
}

/* Stopped some times, each time taken up with other threads, tiles and memory, at last to its end. */
VitrailStatus
ways_run(const MiniJob *job, const Way *way, MiniResult *result)
{
  Way again = *way;
  char fault[16];
  snprintf(fault, sizeof fault, "%u", way->fault);
  setenv("FAKE_GPU", way->device ? way->device : "absent", 1);
  setenv("FAKE_GPU_FAULT", fault, 1);
  if (way->n_stops > 0)
    make_folders(way);
  for (uint32_t k = 0; k < way->n_stops; k++) {
    run_ranks(job, &again, 1 + pick(1u << (4 + pick(13))), pick(way->n_ranks), result);
    mini_result_clear(result);
    again.tile = 16 + pick(200);
    again.n_threads = 1 + pick(4);
    again.order = pick(1000);
    again.budget += pick(2) * pick(300000);
  }
  const VitrailStatus status = run_ranks(job, &again, way->cancel_after, pick(way->n_ranks), result);
  if (way->n_stops > 0)
    remove_folders(way);
  return status;
}

void
ways_print(const MiniJob *job, const Way *way)
{
  const VitrailRequest *r = &job->request;
  printf(
    "# %s, %lld x %lld at %lld,%lld of %lld x %lld, type %d, %g um/px, stages %llx; tile %u, %u threads, %u ranks, "
    "budget %llu, device %s, fault %u, %u stops\n",
    r->op_id, (long long)r->width_l0, (long long)r->height_l0, (long long)r->x_l0, (long long)r->y_l0,
    (long long)job->images[0].width, (long long)job->images[0].height, job->images[0].type, job->mpp_x,
    (unsigned long long)r->stages_wanted, way->tile, way->n_threads, way->n_ranks, (unsigned long long)way->budget,
    way->device ? way->device : "none", way->fault, way->n_stops);
  for (uint32_t i = 0; i < job->n_params; i++)
    printf("#   %s=%g\n", job->params[i].key, job->params[i].v[0]);
  for (uint32_t i = 1; i < job->n_inputs; i++)
    printf("#   and %s, type %d\n", job->inputs[i], job->images[i].type);
  if (job->recipe)
    drawn_print(job->recipe);
}
