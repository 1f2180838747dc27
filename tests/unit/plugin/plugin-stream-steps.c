/* SPDX-License-Identifier: MIT
 *
 * Streamed runs of ops that are made of steps: random images, parameters, tile sizes, orders, threads, devices, faults,
 * budgets, numbers of ranks and interruptions, and always the bytes of the run in one piece. VT_STREAM_ROUNDS: how many draws (600). */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MAX_PARAMS = 16 };

typedef struct {
  const char *op;
  VtImage image, labels; /* labels: of an op that takes some */
  bool has_labels;
  VitrailParamValue params[MAX_PARAMS];
  uint32_t n_params;
  int64_t x, y, width, height;
  uint32_t tile, n_threads, n_ranks;
  uint64_t order, budget, stages;
  const char *device; /* what the pretended one does; NULL: the CPU alone */
  uint32_t fault;     /* which of its calls fails; 0: none */
  uint32_t n_stops;   /* how often it is interrupted, and goes on; then each rank has a scratch folder of its own */
} Draw;

static char scratch[] = "/tmp/vitrail-test-XXXXXX";

static void
set(Draw *d, const char *key, double value)
{
  d->params[d->n_params++] = (VitrailParamValue){ .size = sizeof(VitrailParamValue), .key = key, .v = { value } };
}

static void
draw_image(Draw *d, VtType type, int64_t w, int64_t h)
{
  if (type == VITRAIL_RGBA8 && pick(4)) {
    d->image = mini_tissue_new(w, h, pick(1000));
    return;
  }
  d->image = mini_image_new(type, w, h);
  vt_draw_fill(&d->image, VT_DRAW_N_KINDS);
}

static void
draw_nuclei(Draw *d)
{
  static const char *const keys[] = { "background-radius", "sigma", "seed-depth", "min-area", "max-area" };
  static const uint32_t most[] = { 40, 6, 4, 200, 4000 };
  d->op = "nuclei";
  for (int i = 0; i < 5; i++)
    if (pick(2))
      set(d, keys[i], pick(most[i]));
  set(d, "background-by-reconstruction", pick(2));
  set(d, "split", pick(4) > 0);
  set(d, "hole-radius", pick(2) ? 0 : pick(30));
  if (pick(2))
    set(d, "threshold", 0.01 * pick(30));
  d->stages = pick(2) ? 0 : 1 + pick(1023);
}

static void
draw_morphology(Draw *d)
{
  d->op = "morphology";
  set(d, "operation", pick(11));
  set(d, "connectivity", pick(2));
  set(d, "radius", pick(20));
  set(d, "height", pick(60));
  set(d, "threshold", pick(200));
  set(d, "min-area", pick(50));
  set(d, "max-area", 50 + pick(3000));
}

static void
draw_zones(Draw *d)
{
  d->op = "zones";
  set(d, "threshold", d->image.type == VITRAIL_RGBA8 ? 0.01 * pick(100) : pick(100));
  set(d, "seed-above", d->image.type == VITRAIL_RGBA8 ? 0.01 * pick(200) : 20 + pick(200));
  set(d, "connectivity", pick(2));
  d->stages = pick(8);
}

static void
draw_watershed(Draw *d)
{
  d->op = "watershed";
  set(d, "objects", pick(2));
  set(d, "threshold", d->image.type == VITRAIL_RGBA8 ? 0.01 * pick(100) : pick(150));
  set(d, "height", d->image.type == VITRAIL_RGBA8 ? 0.01 * pick(30) : pick(60));
}

static void
draw_map(Draw *d)
{
  d->op = "glrlm-map";
  set(d, "feature", pick(16));
  set(d, "aggregate", pick(6));
  set(d, "window", 3 + 2 * pick(5));
  set(d, "stride", pick(2) ? 1 : 1 + pick(12));
  set(d, "binning", pick(3));
  set(d, "levels", 2 + pick(30));
  set(d, "bin-width", d->image.type == VITRAIL_RGBA8 ? 0.1 : 5 + pick(300));
  set(d, "algorithm", pick(mini_n_choices("glrlm-map", "algorithm")));
  if (pick(2)) {
    set(d, "range-min", -pick(20));
    set(d, "range-max", 1 + pick(400));
  }
}

static void
draw_labels(Draw *d)
{
  d->has_labels = pick(2);
  d->labels = mini_image_new(VITRAIL_I32, d->image.width, d->image.height);
  const uint32_t sparse = 1 + pick(200);
  for (int64_t i = 0; i < d->image.width * d->image.height; i++)
    ((int32_t *)d->labels.data)[i] = pick(sparse) ? 0 : 1 + (int32_t)pick(1u << 30);
}

static void
draw_op(Draw *d, int64_t w, int64_t h)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8 };
  const uint32_t kind = pick(5);
  draw_image(d, kind == 0 ? VITRAIL_RGBA8 : types[pick(5)], w, h);
  switch (kind) {
  case 0: draw_nuclei(d); return;
  case 1: draw_morphology(d); return;
  case 2: draw_zones(d); break;
  case 3: draw_map(d); break;
  default: draw_watershed(d);
  }
  draw_labels(d);
}

/* A map is emitted by tiles of 512 x 512. */
static uint64_t
least_budget(const Draw *d)
{
  return d->op[0] == 'g' ? 1600000 : 100000;
}

static Draw
draw_new(void)
{
  static const char *const devices[] = { NULL, "works", "two", "lost", "later=3", "memory", "missing" };
  const bool tall = pick(3) == 0; /* ranks have stripes of whole blocks of 512 rows */
  const int64_t w = 1 + pick(pick(4) && !tall ? 500 : 70), h = 1 + pick(tall ? 3000 : 500);
  Draw d = {
    .tile = 16 + pick(200), .n_threads = 1 + pick(4), .n_ranks = pick(2) ? 1 : 2 + pick(4), .order = pick(1000)
  };
  draw_op(&d, w, h);
  d.x = pick(3) ? 0 : pick((uint32_t)w);
  d.y = pick(3) ? 0 : pick((uint32_t)h);
  d.width = pick(2) ? w - d.x : 1 + pick((uint32_t)(w - d.x));
  d.height = pick(2) ? h - d.y : 1 + pick((uint32_t)(h - d.y));
  if (d.width < w || d.height < h) /* what is certain can't be said of a part that memory does not hold */
    d.stages = 1 | ((d.stages ? d.stages : UINT64_MAX) & ~(UINT64_C(1) << (mini_op(d.op)->n_stages - 1)));
  d.budget = least_budget(&d) + pick(500000); /* some small blocks */
  d.device = devices[pick(7)];
  d.fault = pick(4) ? 0 : 1 + pick(60);
  d.n_stops = pick(3) ? 0 : 1 + pick(3);
  return d;
}

/* A map has a pixel for each stride, or one at the end of the image. */
static void
set_canvas(const Draw *d, MiniHost *mini)
{
  int64_t stride = 1;
  for (uint32_t i = 0; i < d->n_params; i++)
    if (strcmp(d->params[i].key, "stride") == 0)
      stride = (int64_t)d->params[i].v[0];
  const int64_t w = d->image.width, h = d->image.height, longest = w < h ? w : h;
  stride = stride / 2 < longest ? stride : longest;
  const int64_t more = stride > 1;
  mini->canvas_x = d->x / stride - more;
  mini->canvas_y = d->y / stride - more;
  mini->canvas_width = d->width / stride + 3 * more;
  mini->canvas_height = d->height / stride + 3 * more;
}

static VitrailStatus
run(const Draw *d, bool streams, int64_t cancel_after, MiniRanks *ranks, uint32_t rank, MiniResult *result)
{
  const VitrailParamValue *values[MAX_PARAMS];
  for (uint32_t i = 0; i < d->n_params; i++)
    values[i] = &d->params[i];
  VitrailInput inputs[2];
  const VitrailInput *input_list[2];
  for (uint32_t i = 0; i < 2; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof inputs[i],
                                .handle = i,
                                .id = i == 0            ? "image"
                                      : d->op[0] == 'g' ? "mask"
                                                        : "seeds",
                                .type = i ? VITRAIL_I32 : d->image.type,
                                .width_l0 = d->image.width,
                                .height_l0 = d->image.height };
    input_list[i] = &inputs[i];
  }
  VitrailRequest request = { .size = sizeof request,
                             .tile_px = streams ? d->tile : 0,
                             .op_id = d->op,
                             .backend = streams && d->device ? "auto" : "cpu",
                             .x_l0 = d->x,
                             .y_l0 = d->y,
                             .width_l0 = d->width,
                             .height_l0 = d->height,
                             .stages_wanted = d->stages,
                             .n_params = d->n_params,
                             .params = values,
                             .n_inputs = d->has_labels ? 2 : 1,
                             .inputs = input_list };
  char folder[sizeof scratch + 16];
  snprintf(folder, sizeof folder, "%s/%u", scratch, rank);
  if (streams) {
    request.scratch_dir = d->n_stops > 0 ? folder : scratch;
    request.flags = d->n_stops > 0 ? VITRAIL_RUN_KEEP_SCRATCH : 0;
    request.memory_budget = d->budget;
  }
  MiniHost mini = { .images = { &d->image, &d->labels },
                    .n_threads = streams ? d->n_threads : 2,
                    .shuffle_seed = streams ? d->order : 0,
                    .ranks = ranks,
                    .rank = rank,
                    .cancel_after = cancel_after };
  set_canvas(d, &mini);
  VitrailSession *session = NULL;
  VitrailStatus status = mini_plugin()->session_open(&session);
  if (status == VITRAIL_OK)
    status = mini_run(&mini, session, &request, result);
  mini_plugin()->session_close(session);
  return status;
}

static bool
is_streamed(const Draw *d)
{
  const uint64_t bytes = d->op[0] == 'n' ? 80 : d->op[0] == 'm' || d->op[0] == 'g' ? 24 : d->op[0] == 'z' ? 56 : 64;
  return d->n_ranks > 1 || (uint64_t)(d->width * d->height) * bytes > d->budget;
}

static void
set_device(const Draw *d)
{
  char fault[16];
  snprintf(fault, sizeof fault, "%u", d->fault);
  setenv("FAKE_GPU", d->device ? d->device : "absent", 1);
  setenv("FAKE_GPU_FAULT", fault, 1);
}

/* --- ranks, each a thread --- */

typedef struct {
  const Draw *draw;
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
  rank->status = run(rank->draw, true, rank->cancel_after, rank->talk, rank->rank, &rank->result);
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
  sum->resumed = part->resumed > sum->resumed ? part->resumed : sum->resumed;
  if (sum->message[0] == '\0')
    memcpy(sum->message, part->message, sizeof sum->message);
}

/* The status that all ranks agree on; INTERNAL when they don't. A cancelled rank may be the only one that knows. */
static VitrailStatus
run_ranks(const Draw *d, int64_t cancel_after, uint32_t cancel_rank, MiniResult *sum)
{
  MiniRanks talk = { .n = d->n_ranks };
  Rank ranks[MINI_MAX_RANKS];
  pthread_t threads[MINI_MAX_RANKS];
  if (d->n_ranks == 1)
    return run(d, true, cancel_after, NULL, 0, sum);
  pthread_barrier_init(&talk.barrier, NULL, d->n_ranks);
  for (uint32_t i = 0; i < d->n_ranks; i++) {
    ranks[i] = (Rank){ .draw = d, .talk = &talk, .rank = i, .cancel_after = i == cancel_rank ? cancel_after : -1 };
    pthread_create(&threads[i], NULL, run_rank, &ranks[i]);
  }
  *sum = (MiniResult){ 0 };
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t i = 0; i < d->n_ranks; i++) {
    pthread_join(threads[i], NULL);
    add_up(sum, &ranks[i].result);
    if (i == 0 || ranks[i].status == VITRAIL_CANCELLED)
      status = ranks[i].status;
    else if (ranks[i].status != status && status != VITRAIL_CANCELLED)
      status = VITRAIL_INTERNAL;
    mini_result_clear(&ranks[i].result);
  }
  pthread_barrier_destroy(&talk.barrier);
  return status;
}

/* --- interruptions --- */

static void
make_folders(const Draw *d)
{
  char path[sizeof scratch + 16];
  for (uint32_t i = 0; i < d->n_ranks; i++) {
    snprintf(path, sizeof path, "%s/%u", scratch, i);
    mkdir(path, 0700);
  }
}

static void
remove_folders(const Draw *d)
{
  char path[sizeof scratch + 300];
  for (uint32_t i = 0; i < d->n_ranks; i++) {
    snprintf(path, sizeof path, "%s/%u", scratch, i);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
      snprintf(path, sizeof path, "%s/%u/%s", scratch, i, entry->d_name);
      unlink(path);
    }
    if (dir)
      closedir(dir);
    snprintf(path, sizeof path, "%s/%u", scratch, i);
    rmdir(path);
  }
}

/* Stopped some times, each time taken up with other threads and tiles, at last to its end. */
static VitrailStatus
run_with_stops(const Draw *d, MiniResult *sum)
{
  Draw again = *d;
  if (d->n_stops > 0)
    make_folders(d);
  for (uint32_t k = 0; k < d->n_stops; k++) {
    run_ranks(&again, 1 + pick(1u << (4 + pick(13))), pick(d->n_ranks), sum);
    mini_result_clear(sum);
    again.tile = 16 + pick(200);
    again.n_threads = 1 + pick(4);
    again.order = pick(1000);
    again.budget = pick(4) ? again.budget : least_budget(d) + pick(500000);
  }
  const VitrailStatus status = run_ranks(&again, -1, 0, sum);
  if (d->n_stops > 0)
    remove_folders(d);
  return status;
}

static bool
check_draw(const Draw *d, int round, int *n_failed, int *n_resumed)
{
  MiniResult whole, streamed;
  char where[100] = "";
  set_device(d);
  const VitrailStatus expected = run(d, false, -1, NULL, 0, &whole), status = run_with_stops(d, &streamed);
  if (d->n_ranks > 1) /* no hash of a whole; the bytes themselves are compared */
    streamed.hash = whole.hash;
  const bool fine =
    status == expected
    && (status == VITRAIL_OK ? mini_result_equal(&whole, &streamed, where, sizeof where) : streamed.message[0] != '\0');
  *n_failed += expected != VITRAIL_OK;
  if (!fine) {
    printf("# draw %d: %s %lld x %lld at %lld,%lld of %lld x %lld, type %d, tile %u, %u threads, %u ranks, %u stops, "
           "fault %u, budget "
           "%llu, device %s: "
           "status %d %d \"%s\" \"%s\" %s objects %lld %lld\n",
           round, d->op, (long long)d->width, (long long)d->height, (long long)d->x, (long long)d->y,
           (long long)d->image.width, (long long)d->image.height, d->image.type, d->tile, d->n_threads, d->n_ranks,
           d->n_stops, d->fault, (unsigned long long)d->budget, d->device ? d->device : "none", expected, status,
           whole.message, streamed.message, where, (long long)whole.n_objects, (long long)streamed.n_objects);
    for (uint32_t i = 0; i < d->n_params; i++)
      printf("#   %s=%g\n", d->params[i].key, d->params[i].v[0]);
  }
  *n_resumed += streamed.resumed > 0;
  mini_result_clear(&whole);
  mini_result_clear(&streamed);
  return fine;
}

/* Some of many questions is answered with yes: the run ends, and leaves nothing behind. */
static void
check_cancel(void)
{
  int n_cancelled = 0, n_bad = 0;
  for (int i = 0; i < 100; i++) {
    Draw d = draw_new();
    d.n_stops = 0;
    MiniResult result;
    set_device(&d);
    const VitrailStatus status = run_ranks(&d, pick(400), pick(d.n_ranks), &result);
    n_cancelled += status == VITRAIL_CANCELLED;
    n_bad += status != VITRAIL_CANCELLED && status != VITRAIL_OK && result.message[0] == '\0';
    mini_result_clear(&result);
    free(d.image.data);
    free(d.labels.data);
  }
  vt_ok(n_cancelled > 10 && n_bad == 0, "cancelled: %d of 100", n_cancelled);
}

/* Local steps that are one slot each go to devices, and leave one that fails. */
static void
check_devices(void)
{
  static const char *const devices[] = { "works", "two", "works" };
  Draw d = { .op = "nuclei", .width = 400, .height = 300, .budget = 400000, .n_threads = 3, .n_ranks = 1, .tile = 64 };
  MiniResult result[3];
  char where[100];
  d.image = mini_tissue_new(400, 300, 5);
  for (int i = 0; i < 3; i++) {
    d.device = devices[i];
    d.fault = i == 2 ? 3 : 0;
    set_device(&d);
    run_ranks(&d, -1, 0, &result[i]);
  }
  unsetenv("FAKE_GPU_FAULT");
  vt_ok(result[0].on_devices > 20 && result[1].on_devices > 20 && result[2].on_devices < result[0].on_devices
          && mini_result_equal(&result[0], &result[1], where, sizeof where)
          && mini_result_equal(&result[0], &result[2], where, sizeof where),
        "tiles of local steps on devices: %g, %g, %g", result[0].on_devices, result[1].on_devices,
        result[2].on_devices);
  for (int i = 0; i < 3; i++)
    mini_result_clear(&result[i]);
  free(d.image.data);
}

/* A list of steps that makes no sense is left aside, and said so. */
static void
check_misfit(void)
{
  Draw d = { .op = "nuclei", .width = 300, .height = 300, .budget = 300000, .n_threads = 2, .n_ranks = 1, .tile = 64 };
  MiniResult whole, again;
  char path[sizeof scratch + 16], where[100];
  d.image = mini_tissue_new(300, 300, 7);
  set_device(&d);
  run_ranks(&d, -1, 0, &whole);
  d.n_stops = 1;
  make_folders(&d);
  run_ranks(&d, 8000, 0, &again);
  mini_result_clear(&again);
  snprintf(path, sizeof path, "%s/0/steps-before", scratch);
  const bool has_many = access(path, F_OK) == 0;
  snprintf(path, sizeof path, "%s/0/steps", scratch);
  FILE *file = fopen(path, "r+");
  const bool damaged = has_many && file && fputs("?", file) >= 0;
  if (file)
    fclose(file);
  const VitrailStatus status = run_ranks(&d, -1, 0, &again);
  vt_ok(damaged && status == VITRAIL_OK && again.resumed == 0 && strstr(again.warnings, "begins again")
          && mini_result_equal(&whole, &again, where, sizeof where),
        "a damaged list: \"%s\"", again.warnings);
  remove_folders(&d);
  mini_result_clear(&whole);
  mini_result_clear(&again);
  free(d.image.data);
}

static void
check_refusals(void)
{
  Draw d = { .op = "glrlm-map", .width = 300, .height = 300, .budget = 200000, .n_threads = 2, .n_ranks = 1 };
  MiniResult result;
  d.image = mini_tissue_new(300, 300, 5);
  setenv("FAKE_GPU", "absent", 1);
  VitrailStatus status = run_ranks(&d, -1, 0, &result);
  vt_ok(status == VITRAIL_OUT_OF_MEMORY && strstr(result.message, "to be allowed"), "too little memory: \"%s\"",
        result.message);
  mini_result_clear(&result);
  d.op = "nuclei";
  char right[sizeof scratch];
  memcpy(right, scratch, sizeof right);
  scratch[5] = '?';
  status = run_ranks(&d, -1, 0, &result);
  vt_ok(status == VITRAIL_READ_FAILED && strstr(result.message, "scratch"), "no folder: \"%s\"", result.message);
  memcpy(scratch, right, sizeof right);
  mini_result_clear(&result);
  free(d.image.data);
}

int
main(void)
{
  const char *rounds = getenv("VT_STREAM_ROUNDS");
  const int n = rounds ? atoi(rounds) : 600;
  int n_bad = 0, n_streamed = 0, n_failed = 0, n_resumed = 0;
  if (!mkdtemp(scratch))
    return 1;
  for (int i = 0; i < n && n_bad < 5; i++) {
    Draw d = draw_new();
    n_streamed += is_streamed(&d);
    n_bad += !check_draw(&d, i, &n_failed, &n_resumed);
    free(d.image.data);
    free(d.labels.data);
  }
  vt_ok(n_bad == 0,
        "%d draws, %d streamed, %d interrupted and gone on after some step, %d refused both ways, %d differ from the "
        "run in one piece",
        n, n_streamed, n_resumed, n_failed, n_bad);
  check_cancel();
  check_devices();
  check_misfit();
  check_refusals();
  vt_ok(rmdir(scratch) == 0, "no scratch file is left");
  return vt_test_done();
}
