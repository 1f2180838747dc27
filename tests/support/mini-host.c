/* SPDX-License-Identifier: MIT */
#include "mini-host.h"
#include "test-draw.h"
#include "test-parallel.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const VitrailPlugin *
mini_plugin(void)
{
  static const VitrailPlugin *plugin;
  if (plugin)
    return plugin;
  const char *path = getenv("VITRAIL_TEST_PLUGIN");
  void *module = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!module) {
    fprintf(stderr, "VITRAIL_TEST_PLUGIN: %s\n", path ? dlerror() : "not set");
    exit(1);
  }
  VitrailPluginEntry entry = NULL;
  *(void **)&entry = dlsym(module, VITRAIL_ENTRY_SYMBOL);
  plugin = entry ? entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR) : NULL;
  if (!plugin)
    exit(1);
  return plugin;
}

const VitrailOp *
mini_op(const char *id)
{
  const VitrailPlugin *plugin = mini_plugin();
  for (uint32_t i = 0; i < plugin->n_ops; i++)
    if (strcmp(plugin->ops[i]->id, id) == 0)
      return plugin->ops[i];
  return NULL;
}

uint32_t
mini_n_choices(const char *op, const char *key)
{
  const VitrailOp *found = mini_op(op);
  for (uint32_t i = 0; i < found->n_params; i++)
    if (strcmp(found->params[i]->key, key) == 0)
      return found->params[i]->n_choices;
  return 0;
}

/* --- callbacks --- */

static bool
must_fail(MiniHost *mini)
{
  pthread_mutex_lock(&mini->lock);
  const bool fails = mini->fail_at == 1;
  mini->fail_at -= mini->fail_at > 0;
  pthread_mutex_unlock(&mini->lock);
  return fails;
}

/* Whole-numbered mean over the pixels of the area, as a real host does. */
static VitrailStatus
read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
            void *dst, size_t stride)
{
  MiniHost *mini = user;
  const VtImage *image = mini->images[handle];
  if (must_fail(mini))
    return VITRAIL_READ_FAILED;
  pthread_mutex_lock(&mini->lock);
  mini->result->n_read += width * height;
  pthread_mutex_unlock(&mini->lock);
  int64_t d = downsample;
  if (image->type != VITRAIL_RGBA8) {
    size_t px = vt_type_size(image->type);
    for (int64_t j = 0; j < height; j++)
      for (int64_t i = 0; i < width; i++)
        memcpy((char *)dst + (size_t)j * stride + (size_t)i * px, vt_image_at(image, (x + i) * d, (y + j) * d), px);
    return VITRAIL_OK;
  }
  for (int64_t j = 0; j < height; j++) {
    for (int64_t i = 0; i < width; i++) {
      uint64_t sum[4] = { 0 }, n = 0;
      for (int64_t v = (y + j) * d; v < (y + j + 1) * d && v < image->height; v++)
        for (int64_t u = (x + i) * d; u < (x + i + 1) * d && u < image->width; u++, n++)
          for (int c = 0; c < 4; c++)
            sum[c] += ((uint8_t *)vt_image_at(image, u, v))[c];
      for (int c = 0; c < 4; c++)
        ((uint8_t *)dst)[(size_t)j * stride + (size_t)i * 4 + (size_t)c] = (uint8_t)((sum[c] + n / 2) / n);
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
emit_tile(void *user, const VitrailTile *tile)
{
  MiniHost *mini = user;
  if (must_fail(mini))
    return VITRAIL_OUT_OF_MEMORY;
  pthread_mutex_lock(&mini->lock);
  VtImage *stage = &mini->result->stages[tile->stage];
  mini->result->n_tiles++;
  const bool canvas = mini->canvas_width > 0;
  const int64_t x0 = canvas ? mini->canvas_x : tile->x, y0 = canvas ? mini->canvas_y : tile->y;
  if (!canvas || !stage->data) {
    free(stage->data);
    *stage = mini_image_new(tile->type, canvas ? mini->canvas_width : tile->width,
                            canvas ? mini->canvas_height : tile->height);
    mini->result->stage_x[tile->stage] = x0;
    mini->result->stage_y[tile->stage] = y0;
  }
  for (int64_t y = 0; y < tile->height; y++)
    memcpy(vt_image_at(stage, tile->x - x0, tile->y - y0 + y), (const char *)tile->data + (size_t)y * tile->stride,
           (size_t)tile->width * vt_type_size(tile->type));
  pthread_mutex_unlock(&mini->lock);
  return VITRAIL_OK;
}

static void
keep_bytes(MiniResult *result, const void *data, size_t size)
{
  if (size == 0)
    return;
  if (result->n_bytes + size > result->room) {
    result->room = 2 * (result->n_bytes + size);
    result->bytes = realloc(result->bytes, result->room);
  }
  memcpy(result->bytes + result->n_bytes, data, size);
  result->n_bytes += size;
}

static double
ring_area(const double *points, uint32_t n)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double *a = points + 2 * i, *b = points + 2 * ((i + 1) % n);
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum / 2;
}

static VitrailStatus
emit_object(void *user, const VitrailObject *object)
{
  MiniResult *result = ((MiniHost *)user)->result;
  size_t n_points = 0;
  if (must_fail(user))
    return VITRAIL_READ_FAILED;
  for (uint32_t i = 0; i < object->n_rings; n_points += object->ring_sizes[i++])
    result->outline_area_sum += ring_area(object->points + 2 * n_points, object->ring_sizes[i]);
  keep_bytes(result, object->points, n_points * 2 * sizeof(double));
  keep_bytes(result, object->measurements, object->n_measurements * sizeof(double));
  keep_bytes(result, &object->centroid_x_l0, 2 * sizeof(double));
  result->area_sum += object->measurements[0];
  if (((MiniHost *)user)->take_object)
    ((MiniHost *)user)->take_object(((MiniHost *)user)->object_user, object);
  result->n_objects++;
  if (result->n_objects == 1) /* of ranks, only the first one that has objects begins with 1 */
    result->first_id = object->id;
  return object->id == result->first_id + result->n_objects - 1 ? VITRAIL_OK : VITRAIL_INTERNAL;
}

static VitrailStatus
emit_row(void *user, const VitrailRow *row)
{
  MiniResult *result = ((MiniHost *)user)->result;
  if (must_fail(user))
    return VITRAIL_READ_FAILED;
  keep_bytes(result, row->label, strlen(row->label));
  keep_bytes(result, row->values, row->n_values * sizeof(double));
  for (uint32_t k = 0; result->n_rows < 4 && k < row->n_values && k < 20; k++)
    result->rows[result->n_rows][k] = row->values[k];
  result->n_rows++;
  return VITRAIL_OK;
}

typedef struct {
  void (*job)(void *user, uint32_t index);
  void *user;
  uint32_t *order;
} Loop;

static void
do_in_order(void *user, uint32_t index)
{
  const Loop *loop = user;
  loop->job(loop->user, loop->order[index]);
}

static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  const MiniHost *mini = user;
  Loop loop = { job, job_user, malloc(n * sizeof(uint32_t)) };
  for (uint32_t i = 0; i < n; i++)
    loop.order[i] = i;
  VtRandom order = { mini->shuffle_seed };
  for (uint32_t i = n; mini->shuffle_seed && i > 1; i--) {
    uint32_t k = (uint32_t)(vt_random(&order) % i), t = loop.order[i - 1];
    loop.order[i - 1] = loop.order[k];
    loop.order[k] = t;
  }
  vt_test_run((void *)&mini->n_threads, n, do_in_order, &loop);
  free(loop.order);
}

/* Other programs don't count. */
static void
look(MiniHost *mini)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  const double ms = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec, since = ms - mini->looked_ms;
  if (mini->looked_ms > 0 && since > mini->result->longest_ms)
    mini->result->longest_ms = since;
  mini->looked_ms = ms;
}

static bool
is_cancelled(void *user)
{
  MiniHost *mini = user;
  pthread_mutex_lock(&mini->lock);
  look(mini);
  bool cancelled = mini->cancel_after == 0;
  if (mini->cancel_after > 0)
    mini->cancel_after--;
  pthread_mutex_unlock(&mini->lock);
  return cancelled;
}

static void
log_sentence(void *user, VitrailLogLevel level, const char *sentence)
{
  MiniHost *mini = user;
  pthread_mutex_lock(&mini->lock);
  if (level == VITRAIL_LOG_WARNING)
    snprintf(mini->result->warnings, sizeof mini->result->warnings, "%s", sentence);
  pthread_mutex_unlock(&mini->lock);
}

/* Of the facts, only which stages were kept, and some numbers. */
static void
record_fact(void *user, const char *key, const char *text, double number)
{
  MiniHost *mini = user;
  if (strcmp(key, "resumed-steps") == 0 || strcmp(key, "resumed-rows") == 0)
    mini->result->resumed = number;
  if (strcmp(key, "local-tiles-on-devices") == 0)
    mini->result->on_devices = number;
  if (strcmp(key, "streamed") == 0)
    mini->result->streamed = number;
  if (strcmp(key, "memory-peak-bytes") == 0)
    mini->result->memory_peak = number;
  if (text && strcmp(key, "score-model") == 0)
    snprintf(mini->result->score_model, sizeof mini->result->score_model, "%s", text);
  if (text && strcmp(key, "kept-stages") == 0)
    snprintf(mini->result->kept, sizeof mini->result->kept, "%s", text);
}

/* Waits for the other ranks, which must come for the same. */
static void
meet(MiniHost *mini, char call)
{
  MiniRanks *ranks = mini->ranks;
  ranks->calls[mini->rank] = call;
  pthread_barrier_wait(&ranks->barrier);
  for (uint32_t i = 0; i < ranks->n; i++) {
    if (ranks->calls[i] != call) {
      printf("Bail out! Rank %u calls %c while rank %u calls %c: real ones would wait for ever.\n", mini->rank, call, i,
             ranks->calls[i]);
      exit(1);
    }
  }
}

static VitrailStatus
exchange(void *user, const void *to_above, void *from_above, const void *to_below, void *from_below, size_t bytes)
{
  MiniHost *mini = user;
  MiniRanks *ranks = mini->ranks;
  ranks->to_above[mini->rank] = to_above;
  ranks->to_below[mini->rank] = to_below;
  meet(mini, 'x');
  if (from_above)
    memcpy(from_above, ranks->to_below[mini->rank - 1], bytes);
  if (from_below)
    memcpy(from_below, ranks->to_above[mini->rank + 1], bytes);
  pthread_barrier_wait(&ranks->barrier);
  return VITRAIL_OK;
}

static VitrailStatus
agree(void *user, int32_t mine, int32_t *largest)
{
  MiniHost *mini = user;
  MiniRanks *ranks = mini->ranks;
  ranks->values[mini->rank] = mine;
  meet(mini, 'a');
  *largest = mine;
  for (uint32_t i = 0; i < ranks->n; i++)
    *largest = ranks->values[i] > *largest ? ranks->values[i] : *largest;
  pthread_barrier_wait(&ranks->barrier);
  return VITRAIL_OK;
}

static void
progress(void *user, uint32_t stage, double fraction)
{
  MiniHost *mini = user;
  pthread_mutex_lock(&mini->lock);
  mini->result->went_back |= fraction < mini->result->furthest;
  mini->result->furthest = fraction > mini->result->furthest ? fraction : mini->result->furthest;
  mini->result->told[stage % 64]++;
  pthread_mutex_unlock(&mini->lock);
}

static VitrailStatus
emit_verdict(void *user, const VitrailVerdict *verdict)
{
  MiniHost *mini = user;
  if (mini->n_verdicts == mini->verdict_room)
    return VITRAIL_INTERNAL;
  mini->verdicts[mini->n_verdicts++] = *verdict;
  return VITRAIL_OK;
}

static VitrailStatus
emit_wave(void *user, const VitrailWave *wave)
{
  const MiniHost *mini = user;
  mini->take_wave(mini->wave_user, wave);
  return VITRAIL_OK;
}

static VitrailStatus
emit_run_lengths(void *user, const VitrailRunLengths *lengths)
{
  const MiniHost *mini = user;
  if (must_fail(user))
    return VITRAIL_OUT_OF_MEMORY;
  mini->take_lengths(mini->lengths_user, lengths);
  return VITRAIL_OK;
}

static VitrailStatus
emit_overlaps(void *user, const VitrailOverlaps *overlaps)
{
  const MiniHost *mini = user;
  if (must_fail(user))
    return VITRAIL_OUT_OF_MEMORY;
  mini->take_overlaps(mini->overlaps_user, overlaps);
  return VITRAIL_OK;
}

VitrailStatus
mini_run(MiniHost *mini, VitrailSession *session, const VitrailRequest *request, MiniResult *result)
{
  *result = (MiniResult){ 0 };
  mini->result = result;
  pthread_mutex_init(&mini->lock, NULL);
  VitrailHost host = {
    .size = sizeof host,
    .n_threads = mini->n_threads,
    .user = mini,
    .read_region = read_region,
    .emit_tile = emit_tile,
    .emit_object = emit_object,
    .emit_row = emit_row,
    .parallel_for = parallel_for,
    .is_cancelled = is_cancelled,
    .log = log_sentence,
    .record = record_fact,
    .progress = progress,
    .emit_verdict = mini->verdicts ? emit_verdict : NULL,
    .emit_wave = mini->take_wave ? emit_wave : NULL,
    .emit_run_lengths = mini->take_lengths ? emit_run_lengths : NULL,
    .emit_overlaps = mini->take_overlaps ? emit_overlaps : NULL,
  };
  if (mini->ranks) {
    host.rank = mini->rank;
    host.n_ranks = mini->ranks->n;
    host.exchange = exchange;
    host.agree = agree;
  }
  look(mini);
  VitrailStatus status = mini_plugin()->run(session, request, &host, result->message, sizeof result->message);
  look(mini);
  pthread_mutex_destroy(&mini->lock);
  return status;
}

/* --- jobs --- */

void
mini_job_add(MiniJob *job, const char *input, const VtImage *image)
{
  job->inputs[job->n_inputs] = input;
  job->images[job->n_inputs++] = *image;
}

MiniJob
mini_job(const VitrailOp *op, const VtImage *image)
{
  MiniJob job = { .request = { .size = sizeof job.request,
                               .op_id = op->id,
                               .backend = "cpu",
                               .width_l0 = image->width,
                               .height_l0 = image->height },
                  .mpp_x = 0.5,
                  .mpp_y = 0.5 };
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY)
      mini_job_add(&job, op->inputs[i]->id, image);
  return job;
}

VitrailParamValue *
mini_job_set(MiniJob *job, const char *key, double value)
{
  VitrailParamValue *param = &job->params[job->n_params++];
  *param = (VitrailParamValue){ .size = sizeof *param, .key = key, .v = { value } };
  return param;
}

void
mini_job_set_region(MiniJob *job, int64_t x, int64_t y, int64_t width, int64_t height)
{
  job->request.x_l0 = x;
  job->request.y_l0 = y;
  job->request.width_l0 = width;
  job->request.height_l0 = height;
}

void
mini_job_clear(MiniJob *job)
{
  for (uint32_t i = 0; i < job->n_inputs; i++)
    free(job->images[i].data);
}

VitrailSession *
mini_job_session(const MiniJob *job)
{
  VitrailSession *session = NULL;
  VitrailRecipeProblem problem = { .size = sizeof problem };
  const VitrailOp *op = NULL;
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return NULL;
  if (!job->recipe || mini_plugin()->session_add_recipe(session, job->recipe, &op, &problem) == VITRAIL_OK)
    return session;
  printf("# at %s: %s\n", problem.path, problem.sentence);
  mini_plugin()->session_close(session);
  return NULL;
}

VitrailStatus
mini_job_run(const MiniJob *job, MiniHost *mini, VitrailSession *session, MiniResult *result)
{
  VitrailRequest request = job->request;
  VitrailInput inputs[MINI_MOST_INPUTS];
  const VitrailInput *input_list[MINI_MOST_INPUTS];
  const VitrailParamValue *params[MINI_MOST_PARAMS];
  VitrailSession *own = session ? NULL : mini_job_session(job);
  *result = (MiniResult){ 0 };
  for (uint32_t i = 0; i < job->n_params; i++)
    params[i] = &job->params[i];
  for (uint32_t i = 0; i < job->n_inputs; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof inputs[i],
                                .handle = i,
                                .id = job->inputs[i],
                                .type = job->images[i].type,
                                .flags = job->flags[i],
                                .width_l0 = job->images[i].width,
                                .height_l0 = job->images[i].height,
                                .mpp_x = job->mpp_x,
                                .mpp_y = job->mpp_y };
    input_list[i] = &inputs[i];
    mini->images[i] = &job->images[i];
  }
  request.n_params = job->n_params;
  request.params = params;
  request.n_inputs = job->n_inputs;
  request.inputs = input_list;
  if (!session && !own)
    return VITRAIL_INTERNAL;
  const VitrailStatus status = mini_run(mini, session ? session : own, &request, result);
  if (own)
    mini_plugin()->session_close(own);
  return status;
}

void
mini_result_clear(MiniResult *result)
{
  for (int i = 0; i < 64; i++)
    free(result->stages[i].data);
  free(result->bytes);
  *result = (MiniResult){ 0 };
}

bool
mini_result_equal(const MiniResult *a, const MiniResult *b, char *where, size_t where_size)
{
  for (int i = 0; i < 64; i++) {
    const VtImage *x = &a->stages[i], *y = &b->stages[i];
    snprintf(where, where_size, "stage %d", i);
    if (x->width != y->width || x->height != y->height || x->type != y->type || a->stage_x[i] != b->stage_x[i])
      return false;
    if (x->data && memcmp(x->data, y->data, (size_t)(x->height * x->stride)) != 0)
      return false;
  }
  snprintf(where, where_size, "objects or rows");
  return a->n_bytes == b->n_bytes && (a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0)
         && a->n_objects == b->n_objects && a->n_rows == b->n_rows;
}

VtImage
mini_image_new(VtType type, int64_t width, int64_t height)
{
  int64_t stride = width * (int64_t)vt_type_size(type);
  return (VtImage){ calloc((size_t)height, (size_t)stride), width, height, stride, type };
}

VtImage
mini_tissue_new(int64_t width, int64_t height, uint64_t seed)
{
  VtRandom random = { seed };
  VtImage image = mini_image_new(VITRAIL_RGBA8, width, height);
  for (int64_t y = 0; y < height; y++) {
    uint8_t *px = vt_image_at(&image, 0, y);
    for (int64_t x = 0; x < width; x++, px += 4) {
      uint64_t r = vt_random(&random);
      px[0] = (uint8_t)(225 + r % 16);
      px[1] = (uint8_t)(170 + (r >> 8) % 24);
      px[2] = (uint8_t)(205 + (r >> 16) % 16);
      px[3] = 255;
    }
  }
  for (int64_t n = width * height / 900; n > 0; n--) {
    int64_t cx = (int64_t)(vt_random(&random) % (uint64_t)width), cy = (int64_t)(vt_random(&random) % (uint64_t)height);
    int64_t radius = 3 + (int64_t)(vt_random(&random) % 9);
    for (int64_t y = cy - radius; y <= cy + radius; y++)
      for (int64_t x = cx - radius; x <= cx + radius; x++) {
        if (x < 0 || y < 0 || x >= width || y >= height || (x - cx) * (x - cx) + (y - cy) * (y - cy) > radius * radius)
          continue;
        uint64_t r = vt_random(&random);
        uint8_t *px = vt_image_at(&image, x, y);
        px[0] = (uint8_t)(80 + r % 32);
        px[1] = (uint8_t)(60 + (r >> 8) % 32);
        px[2] = (uint8_t)(130 + (r >> 16) % 24);
      }
  }
  return image;
}

void
mini_ranks_run(MiniRanks *talk, void *(*run)(void *rank), void *ranks, size_t size)
{
  pthread_t threads[MINI_MAX_RANKS];
  if (talk->n <= 1) {
    run(ranks);
    return;
  }
  pthread_barrier_init(&talk->barrier, NULL, talk->n);
  for (uint32_t i = 0; i < talk->n; i++)
    pthread_create(&threads[i], NULL, run, (char *)ranks + i * size);
  for (uint32_t i = 0; i < talk->n; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&talk->barrier);
}

VitrailStatus
mini_ranks_agree(VitrailStatus a, VitrailStatus b)
{
  if (a == b || b == VITRAIL_CANCELLED)
    return b;
  return a == VITRAIL_CANCELLED ? a : VITRAIL_INTERNAL;
}
