/* SPDX-License-Identifier: MIT
 *
 * A small plugin for tests of the host: one op that uses every callback, and fails or breaks the contract on request.
 * FAKE_MAJOR, FAKE_SMALL, FAKE_NULL_OPS, FAKE_TWICE, FAKE_BAD_RANGE, FAKE_NO_RUN and FAKE_REFUSE make modules of it
 * that a host must refuse, or (FAKE_SMALL) load although their structs are shorter. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "vitrail-plugin.h"

#ifndef FAKE_MAJOR
#define FAKE_MAJOR VITRAIL_ABI_MAJOR
#endif
#ifdef FAKE_SMALL /* a build from before these fields: what lies beyond is not to be read */
#define SIZE(type, next) offsetof(type, next)
#else
#define SIZE(type, next) sizeof(type)
#endif
#ifndef FAKE_OP
#define FAKE_OP "fake"
#endif
#ifndef FAKE_INPUTS
#define FAKE_INPUTS 3
#endif

enum { TILE = 64 };
enum {
  MODE_WORK,
  MODE_FAIL,
  MODE_FAIL_SILENTLY,
  MODE_UNKNOWN_STATUS,
  MODE_WAIT,
  MODE_HANG,
  MODE_TOIL,
  MODE_BY_TILES, /* other bytes with tiles of 100 pixels */
  MODE_ABSENT,   /* no labels with tiles of 64 pixels */
  MODE_BAD_STAGE,
  MODE_BAD_TILE,
  MODE_BAD_ROW,
  MODE_BAD_OBJECT,
  MODE_BAD_READ,
  MODE_TWO_GRIDS,
  MODE_OUT_OF_ORDER,
  MODE_NULL,
  MODE_OUTSIDE,
  MODE_OVERLAP,
  MODE_BAD_TYPE,
  MODE_INFINITE,
  MODE_HUGE,
  MODE_MANY,
  MODE_BAD_LENGTHS,
  MODE_BAD_OVERLAPS,
  MODE_CRASH, /* from here on: only in a process of its own */
  MODE_ABORT,
  MODE_EXIT,
  MODE_CRASH_JOB,
  MODE_CRASH_CHILD,
  MODE_LIE,
  MODE_STRAY,
  MODE_LATE,
  MODE_STUCK,
  MODE_STARVED,
  N_MODES
};

static const char *const mode_keys[] = { "work",         "fail",    "fail-silently", "unknown-status", "wait",
                                         "hang",         "toil",    "by-tiles",      "absent",         "bad-stage",
                                         "bad-tile",     "bad-row", "bad-object",    "bad-read",       "two-grids",
                                         "out-of-order", "null",    "outside",       "overlap",        "bad-type",
                                         "infinite",     "huge",    "many",          "bad-lengths",    "bad-overlaps",
                                         "crash",        "abort",   "exit",          "crash-job",      "crash-child",
                                         "lie",          "stray",   "late",          "stuck",          "starved" };
static const VitrailParam p_mode = { .size = SIZE(VitrailParam, reserved),
                                     .type = VITRAIL_PARAM_CHOICE,
                                     .key = "mode",
                                     .title = "Mode",
                                     .n_choices = N_MODES,
                                     .choices = mode_keys,
                                     .choice_titles = mode_keys };
static const VitrailParam p_radius = { .size = SIZE(VitrailParam, reserved),
                                       .type = VITRAIL_PARAM_FLOAT,
                                       .key = "radius",
                                       .title = "Radius",
                                       .help = "A length.",
                                       .group = "Size",
                                       .unit = "µm",
#ifdef FAKE_BAD_RANGE
                                       .min = 10,
                                       .max = 0,
#else
                                       .min = 0,
                                       .max = 100,
#endif
                                       .initial = { 2.5 },
                                       .unit_px = "px",
                                       .initial_px = 5 };
static const VitrailParam p_count = { .size = SIZE(VitrailParam, reserved),
                                      .type = VITRAIL_PARAM_INT,
                                      .key = "count",
                                      .title = "Count",
                                      .min = 1,
                                      .max = 9,
                                      .initial = { 3 } };
static const VitrailParam p_flag = {
  .size = SIZE(VitrailParam, step), .type = VITRAIL_PARAM_BOOL, .key = "flag", .title = "Flag", .initial = { 1 }
};
static const VitrailParam p_stain = { .size = SIZE(VitrailParam, reserved),
                                      .type = VITRAIL_PARAM_VECTOR,
                                      .key = "stain",
                                      .title = "Stain",
                                      .min = -1,
                                      .max = 1,
                                      .initial = { 0.65, 0.7, 0.29 } };
static const VitrailParam *const params[] = {
  &p_mode,  &p_radius, &p_count, &p_flag, &p_stain,
#ifdef FAKE_TWICE
  &p_count,
#endif
};
static const VitrailStage stages_[] = {
  { .size = SIZE(VitrailStage, reserved), .kind = VITRAIL_STAGE_SCALAR, .id = "copy", .title = "Copy" },
  { .size = SIZE(VitrailStage, reserved), .kind = VITRAIL_STAGE_LABELS, .id = "labels", .title = "Labels" },
  { .size = SIZE(VitrailStage, reserved), .kind = VITRAIL_STAGE_OBJECTS, .id = "objects", .title = "Objects" },
  { .size = SIZE(VitrailStage, title), .kind = VITRAIL_STAGE_ROWS, .id = "rows", .title = "Rows" },
};
static const VitrailStage *const stages[] = { &stages_[0], &stages_[1], &stages_[2], &stages_[3] };
static const VitrailInputSpec i_image = { .size = SIZE(VitrailInputSpec, reserved),
                                          .kind = VITRAIL_INPUT_IMAGE,
                                          .id = "image",
                                          .title = "Image",
                                          .flags = VITRAIL_INPUT_PRIMARY };
static const VitrailInputSpec i_mask = { .size = SIZE(VitrailInputSpec, reserved),
                                         .kind = VITRAIL_INPUT_SCALAR,
                                         .id = "mask",
                                         .title = "Mask",
                                         .flags = VITRAIL_INPUT_OPTIONAL };
static const VitrailInputSpec i_rois = { .size = SIZE(VitrailInputSpec, reserved),
                                         .kind = VITRAIL_INPUT_ROIS,
                                         .id = "rois",
                                         .title = "ROIs",
                                         .flags = VITRAIL_INPUT_OPTIONAL };
static const VitrailInputSpec *const inputs[] = { &i_image, &i_mask, &i_rois };
static const char *const columns[] = { "ROI", "Mean", "Nothing" };
static const VitrailOp op = { .size = SIZE(VitrailOp, reserved),
                              .id = FAKE_OP,
                              .title = "Fake",
                              .n_inputs = FAKE_INPUTS,
                              .n_params = sizeof params / sizeof *params,
                              .n_stages = 4,
                              .n_columns = 3,
                              .inputs = inputs,
                              .params = params,
                              .stages = stages,
                              .columns = columns };
static const VitrailOp *const ops[] = { &op };

struct VitrailSession {
  int unused;
};

static VitrailStatus
session_open(VitrailSession **session)
{
  *session = calloc(1, sizeof **session);
  return *session ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static void
session_close(VitrailSession *session)
{
  free(session);
}

static uint32_t
session_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  static const VitrailBackendInfo cpu = {
    .size = sizeof cpu, .available = true, .id = "cpu", .title = "CPU", .device = "test"
  };
  static const VitrailBackendInfo cuda = {
    .size = sizeof cuda, .id = "cuda", .title = "CUDA", .reason = "this is a test."
  };
  static const VitrailBackendInfo *const all[] = { &cpu, &cuda };
  *infos = all;
  return 2;
}

typedef struct {
  const VitrailRequest *request;
  const VitrailHost *host;
  uint32_t n_cols;
  VitrailStatus status; /* of the whole; any failing job sets it */
} Run;

/* One tile of both raster stages. */
static void
work_tile(void *user, uint32_t index)
{
  Run *run = user;
  const VitrailRequest *r = run->request;
  const VitrailInput *input = r->inputs[0];
  const int mode = (int)r->params[0]->v[0];
  const int64_t x = r->x_l0 + (int64_t)(index % run->n_cols) * TILE,
                y = r->y_l0 + (int64_t)(index / run->n_cols) * TILE;
  const int64_t w = x + TILE < r->x_l0 + r->width_l0 ? TILE : r->x_l0 + r->width_l0 - x;
  const int64_t h = y + TILE < r->y_l0 + r->height_l0 ? TILE : r->y_l0 + r->height_l0 - y;
  const size_t size = input->type == VITRAIL_U8 ? 1 : input->type == VITRAIL_U16 ? 2 : 4;
  uint8_t *pixels = malloc(TILE * TILE * 4), *copy = malloc(TILE * TILE);
  int32_t *labels = malloc(TILE * TILE * sizeof *labels);
  VitrailStatus status = run->host->read_region(run->host->user, 0, 1, x, y, w, h, pixels, TILE * size);
  for (int64_t j = 0; j < h; j++) {
    for (int64_t i = 0; i < w; i++) {
      copy[j * TILE + i] = pixels[(size_t)(j * TILE + i) * size] ^ (mode == MODE_BY_TILES && r->tile_px == 100);
      labels[j * TILE + i] = ((x + i) / 16 + (y + j) / 16) % 2 ? 0 : 1 + (int32_t)((x + i) / 16 + (y + j) / 16);
    }
  }
  VitrailTile tile = { .size = sizeof tile,
                       .stage = 0,
                       .type = VITRAIL_U8,
                       .x = x,
                       .y = y,
                       .width = w,
                       .height = h,
                       .downsample = 1,
                       .data = copy,
                       .stride = TILE,
                       .scale = 0.5,
                       .offset = 1 };
  if (status == VITRAIL_OK)
    status = run->host->emit_tile(run->host->user, &tile);
  tile = (VitrailTile){ .size = sizeof tile,
                        .stage = 1,
                        .type = VITRAIL_I32,
                        .x = x,
                        .y = y,
                        .width = w,
                        .height = h,
                        .downsample = 1,
                        .data = labels,
                        .stride = TILE * 4,
                        .scale = 1 };
  if (status == VITRAIL_OK && !(mode == MODE_ABSENT && r->tile_px == 64))
    status = run->host->emit_tile(run->host->user, &tile);
  if (status != VITRAIL_OK)
    run->status = status;
  free(pixels);
  free(copy);
  free(labels);
}

static VitrailStatus
emit_objects(const VitrailRequest *r, const VitrailHost *host)
{
  const double x = (double)r->x_l0, y = (double)r->y_l0;
  const double points[] = { x,     y,     x + 8, y,     x + 8,  y + 8, x,      y + 8, x + 2,  y + 2,
                            x + 2, y + 4, x + 4, y + 4, x + 20, y,     x + 24, y,     x + 24, y + 4.125 };
  const uint32_t sizes[] = { 4, 3, 3 };
  const char *const names[] = { "Nucleus: Area", "Odd, \"name\"" };
  const double values[] = { 60.1, NAN };
  VitrailStatus status = VITRAIL_OK;
  for (int64_t id = 1; id <= 2 && status == VITRAIL_OK; id++) {
    const VitrailObject object = { .size = sizeof object,
                                   .stage = 2,
                                   .id = id,
                                   .n_rings = id == 1 ? 3 : 2,
                                   .n_measurements = 2,
                                   .ring_sizes = sizes,
                                   .points = points,
                                   .centroid_x_l0 = x + 4,
                                   .centroid_y_l0 = y + 4,
                                   .measurement_names = names,
                                   .measurements = values };
    status = host->emit_object(host->user, &object);
  }
  return status;
}

/* If a truth is given: as if what lies at its first pixel had shared `n_px` with the first object. */
static VitrailStatus
emit_overlaps(const VitrailRequest *r, const VitrailHost *host, int32_t n_px)
{
  int32_t numbers[] = { 0, 7, 3, 1, 0, n_px };
  const VitrailOverlaps overlaps = {
    .size = sizeof overlaps, .stage = 2, .downsample = 2, .n_numbers = 6, .numbers = numbers
  };
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t i = 0; i < r->n_inputs; i++)
    if (r->inputs[i]->flags & VITRAIL_INPUT_TRUTH) {
      status = host->read_region(host->user, r->inputs[i]->handle, 2, 0, 0, 1, 1, &numbers[4], sizeof *numbers);
      status = status == VITRAIL_OK ? host->emit_overlaps(host->user, &overlaps) : status;
    }
  return status;
}

/* Two rows of pixels: 1 1 2, and 2 0 2. */
static VitrailStatus
emit_lengths(const VitrailHost *host)
{
  static const uint32_t levels[] = { 1, 1, 2, 2, 0, 2 };
  static const uint32_t counts[] = {
    0, 1, 3, 0, /* (1,0): 11 | 2 2 2 */
    2, 0, 3, 0, /* (1,1): each alone */
    2, 0, 1, 1, /* (0,1): the two of the last column are one */
    2, 0, 3, 0, /* (-1,1): each alone */
  };
  const VitrailRunLengths lengths = { .size = sizeof lengths,
                                      .downsample = 1,
                                      .width = 3,
                                      .height = 2,
                                      .n_pixels = 6,
                                      .n_levels = 2,
                                      .longest = 2,
                                      .n_counts = 16,
                                      .levels = levels,
                                      .counts = counts,
                                      .level_step = 0.5,
                                      .unit = "OD" };
  return host->emit_run_lengths(host->user, &lengths);
}

static VitrailStatus
emit_rows(const VitrailRequest *r, const VitrailHost *host)
{
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t i = 0; i < r->n_rois && status == VITRAIL_OK; i++) {
    const double values[] = { 0.1 * i, NAN };
    const VitrailRow row = {
      .size = sizeof row, .stage = 3, .label = r->rois[i]->name, .n_values = 2, .values = values
    };
    status = host->emit_row(host->user, &row);
    if (status == VITRAIL_OK && r->flags & VITRAIL_RUN_LENGTHS)
      status = emit_lengths(host);
  }
  return status;
}

/* Breaks of the contract that a host must survive. Tiles of which each could be sound alone, or for another image. */
static void
misplace(const VitrailHost *host, VitrailTile *tile, int mode)
{
  if (mode == MODE_OUTSIDE)
    tile->x = 100000;
  if (mode == MODE_BAD_TYPE)
    tile->stage = 1, tile->type = VITRAIL_F32, tile->width = 2, tile->height = 2;
  host->emit_tile(host->user, mode == MODE_NULL ? NULL : tile);
  if (mode == MODE_OVERLAP) {
    tile->x = tile->y = 7;
    host->emit_tile(host->user, tile);
  }
}

static void
emit_broken_objects(const VitrailHost *host, int mode)
{
  static const double points[] = { 0, 0, 1, 0, 1, 1 };
  static const uint32_t three = 3;
  static const double infinite = INFINITY;
  static const char *const name = "Odd";
  VitrailObject object = { .size = sizeof object, .stage = 2, .n_rings = 1, .ring_sizes = &three, .points = points };
  object.n_rings = mode == MODE_HUGE ? UINT32_MAX : 1;
  object.n_measurements = mode == MODE_INFINITE;
  object.measurement_names = &name;
  object.measurements = &infinite;
  for (object.id = 1; object.id <= (mode == MODE_MANY ? 1000000 : 1); object.id++)
    if (host->emit_object(host->user, &object) != VITRAIL_OK)
      break;
}

static void
crash(void *user, uint32_t index)
{
  (void)user, (void)index;
  raise(SIGSEGV);
}

static void
emit_in_job(void *user, uint32_t index)
{
  const VitrailHost *host = user;
  const double values[2] = { 0 };
  const VitrailRow row = { .size = sizeof row, .stage = 3, .n_values = 2, .values = values };
  host->emit_row(host->user, &row);
  nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static VitrailHost late_host;

static void *
call_late(void *unused)
{
  nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
  for (int i = 0; i < 1000; i++)
    late_host.progress(late_host.user, 0, 1);
  return NULL;
}

/* What would end a program that ran it itself. */
static void
die(const VitrailHost *host, int mode)
{
  pthread_t thread;
  switch (mode) {
  case MODE_ABORT: abort();
  case MODE_EXIT: exit(0);
  case MODE_CRASH_JOB: host->parallel_for(host->user, 100, crash, NULL); break;
  case MODE_STRAY: host->parallel_for(host->user, 200, emit_in_job, (void *)host); break;
  case MODE_LIE:
    if (write(3, "nonsense", 8) < 8)
      break;
    /* fall through */
  case MODE_STUCK:
    for (;;)
      pause();
  case MODE_LATE:
    late_host = *host;
    pthread_create(&thread, NULL, call_late, NULL);
    break;
  case MODE_CRASH_CHILD:
    if (fork() == 0) { /* and it holds what its parent had open */
      sleep(5);
      _exit(0);
    }
    raise(SIGSEGV);
    break;
  default: raise(SIGSEGV);
  }
}

static VitrailStatus
misbehave(const VitrailRequest *r, const VitrailHost *host, int mode)
{
  uint8_t data[64] = { 0 };
  const double values[4] = { NAN };
  const uint32_t few = 2;
  VitrailTile tile = { .size = sizeof tile,
                       .type = VITRAIL_U8,
                       .width = 8,
                       .height = 8,
                       .downsample = 1,
                       .data = data,
                       .stride = 8,
                       .scale = 1 };
  const VitrailObject object = {
    .size = sizeof object, .stage = 2, .id = 5, .n_rings = 1, .ring_sizes = &few, .points = values
  };
  const VitrailRow row = { .size = sizeof row, .stage = 3, .n_values = 7, .values = values };
  switch (mode) {
  case MODE_BAD_STAGE:
    tile.stage = 63;
    host->emit_tile(host->user, &tile);
    break;
  case MODE_BAD_TILE:
    tile.stride = 3;
    host->emit_tile(host->user, &tile);
    break;
  case MODE_BAD_ROW: host->emit_row(host->user, &row); break;
  case MODE_BAD_LENGTHS:
    emit_rows(r, host);
    emit_lengths(host); /* a second time */
    break;
  case MODE_BAD_OVERLAPS: emit_overlaps(r, host, 0); break;
  case MODE_BAD_OBJECT: host->emit_object(host->user, &object); break;
  case MODE_BAD_READ: host->read_region(host->user, 0, 1, -5, 0, 8, 8, data, 8 * 4); break;
  case MODE_OUT_OF_ORDER:
    if (emit_objects(r, host) == VITRAIL_OK)
      emit_objects(r, host);
    break;
  case MODE_INFINITE:
  case MODE_HUGE:
  case MODE_MANY: emit_broken_objects(host, mode); break;
  case MODE_NULL:
  case MODE_OUTSIDE:
  case MODE_OVERLAP:
  case MODE_BAD_TYPE: misplace(host, &tile, mode); break;
  default:
    host->emit_tile(host->user, &tile);
    tile.downsample = 2;
    host->emit_tile(host->user, &tile);
  }
  return VITRAIL_OK; /* as if nothing had been wrong */
}

/* Pixels of 0.25 µm; 0.5 µm were asked for. */
static void
record_grid(const VitrailRequest *r, const VitrailHost *host)
{
  const double downsample = fmax(2, r->min_downsample);
  host->record(host->user, "downsample", NULL, downsample);
  host->record(host->user, "asked-downsample", NULL, 2);
  host->record(host->user, "um-per-px", NULL, downsample * 0.25);
  host->record(host->user, "asked-um-per-px", NULL, 0.5);
  if (!r->scratch_dir)
    return;
  host->record(host->user, "streamed", NULL, 1);
  host->record(host->user, "grid-width", NULL, (double)r->width_l0);
  host->record(host->user, "grid-height", NULL, (double)r->height_l0);
}

static VitrailStatus
run_op(VitrailSession *session, const VitrailRequest *r, const VitrailHost *host, char *message, size_t message_size)
{
  const int mode = (int)r->params[0]->v[0];
  Run run = { r, host, (uint32_t)((r->width_l0 + TILE - 1) / TILE), VITRAIL_OK };
  if (mode == MODE_FAIL) {
    snprintf(message, message_size, "This op fails because it was told to.");
    return VITRAIL_INTERNAL;
  }
  if (mode == MODE_FAIL_SILENTLY || mode == MODE_UNKNOWN_STATUS)
    return mode == MODE_FAIL_SILENTLY ? VITRAIL_UNSUPPORTED : 4711;
  if (mode == MODE_STARVED)
    return VITRAIL_OUT_OF_MEMORY;
  if (mode == MODE_WAIT) {
    while (!host->is_cancelled(host->user))
      host->progress(host->user, 0, 0.5);
    return VITRAIL_CANCELLED;
  }
  for (const clock_t begin = clock();
       mode == MODE_TOIL && clock() - begin < 9 * CLOCKS_PER_SEC;) /* as deaf, and at work */
    continue;
  while (mode == MODE_HANG) /* deaf to a cancel, too */
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
  if (mode >= MODE_CRASH)
    die(host, mode);
  if (mode >= MODE_BAD_STAGE && mode < MODE_CRASH)
    return misbehave(r, host, mode);
  host->log(host->user, VITRAIL_LOG_WARNING, "A warning.");
  host->log(host->user, VITRAIL_LOG_WARNING, "A warning.");
  host->record(host->user, "backend", "cpu", 0);
  host->record(host->user, "radius-px", NULL, 5);
  record_grid(r, host);
  host->parallel_for(host->user, run.n_cols * (uint32_t)((r->height_l0 + TILE - 1) / TILE), work_tile, &run);
  host->stage_done(host->user, 0, 1.5);
  host->stage_done(host->user, 1, 2.5);
  if (run.status == VITRAIL_OK)
    run.status = emit_objects(r, host);
  if (run.status == VITRAIL_OK)
    run.status = emit_overlaps(r, host, 9);
  if (run.status == VITRAIL_OK)
    run.status = emit_rows(r, host);
  host->progress(host->user, 3, 1);
  if (run.status == VITRAIL_READ_FAILED)
    snprintf(message, message_size, "Reading failed.");
  return run.status;
}

static const VitrailPlugin plugin = {
  .size = SIZE(VitrailPlugin, reserved),
  .abi_major = FAKE_MAJOR,
  .abi_minor = VITRAIL_ABI_MINOR,
  .id = "fake",
  .title = "Fake",
  .version = "1",
  .licence = "MIT",
  .n_ops = 1,
#ifndef FAKE_NULL_OPS
  .ops = ops,
#endif
  .session_open = session_open,
  .session_close = session_close,
  .session_backends = session_backends,
#ifndef FAKE_NO_RUN
  .run = run_op,
#endif
};

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

const VitrailPlugin *
vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor)
{
#ifdef FAKE_REFUSE
  return NULL;
#elif defined FAKE_MOODY
  static VitrailPlugin today;
  today = plugin;
  today.version = getenv("FAKE_MOOD") ? getenv("FAKE_MOOD") : "1";
  return &today;
#else
  return &plugin;
#endif
}
