/* SPDX-License-Identifier: MIT
 *
 * One image on several devices: random images, numbers of devices, rows shared, and faults at the kth thing that is asked of
 * a device; always the bytes of the CPU in one piece. */
#include <stdlib.h>
#include <string.h>

#include "devices/resident.h"
#include "mini-host.h"
#include "run/raster.h"
#include "test-draw.h"
#include "test-parallel.h"
#include "vt-test.h"

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

typedef struct {
  VtImage host[2]; /* marker and mask, or foreground and distances */
  bool is_distance;
  int32_t connectivity, n_devices;
  int64_t depth, slab_bytes;
  float scale;
  char mode[32];
  int64_t cancel_after; /* questions; -1: never */
} Draw;

typedef struct {
  uint32_t n_threads; /* stands first: vt_test_run() reads it */
  atomic_int n_warnings;
  atomic_llong n_questions; /* that are left before it is cancelled; negative: it never is */
  int n_moved, n_carried, n_again, n_cancelled, n_counted;
} Seen;

/* --- a host --- */

static bool
is_cancelled(void *user)
{
  Seen *seen = user;
  return atomic_load(&seen->n_questions) >= 0
         && (atomic_load(&seen->n_questions) == 0 || atomic_fetch_sub(&seen->n_questions, 1) <= 1);
}

static void
count_warning(void *user, VitrailLogLevel level, const char *sentence)
{
  Seen *seen = user;
  atomic_fetch_add(&seen->n_warnings, level == VITRAIL_LOG_WARNING);
}

/* --- draws --- */

/* One bright pixel, or some. */
static void
fill_reconstruct(Draw *d)
{
  const VtDraw draw = vt_draw_new(pick(VT_DRAW_N_KINDS));
  const uint32_t w = (uint32_t)d->host[1].width, h = (uint32_t)d->host[1].height, rare = 1 + pick(400);
  for (uint32_t y = 0; y < h; y++)
    for (uint32_t x = 0; x < w; x++) {
      const uint32_t value = vt_draw_value(&draw, x, y, w, h);
      vt_draw_set(&d->host[1], x, y, value);
      vt_draw_set(&d->host[0], x, y, pick(rare) == 0 ? value : 0);
    }
}

static void
fill_distance(Draw *d)
{
  const uint32_t rare = 1 + pick(4) * pick(3000), kind = pick(4);
  const int64_t w = d->host[0].width, h = d->host[0].height, one = pick((uint32_t)(w * h));
  for (int64_t y = 0; y < h; y++)
    for (int64_t x = 0; x < w; x++)
      *(uint8_t *)vt_image_at(&d->host[0], x, y) = kind == 0 ? y * w + x != one : kind == 1 ? 255 : pick(rare) != 0;
}

static Draw
draw_new(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  const int64_t w = 1 + pick(pick(4) ? 60 : 300), h = 1 + pick(pick(3) ? 200 : 900);
  Draw d = { .is_distance = pick(3) == 0, .connectivity = pick(2) ? 4 : 8, .n_devices = 1 + (int32_t)pick(6) };
  d.depth = 1 + (int64_t)pick(pick(2) ? 4 : 150);
  d.slab_bytes = 1 + (int64_t)pick(3000);
  d.scale = pick(2) ? 1 : 0.2525f;
  d.host[0] = mini_image_new(d.is_distance ? VITRAIL_U8 : types[pick(4)], w, h);
  d.host[1] = mini_image_new(d.is_distance ? pick(2) ? VITRAIL_F32 : VT_I64 : d.host[0].type, w, h);
  if (d.is_distance)
    fill_distance(&d);
  else
    fill_reconstruct(&d);
  snprintf(d.mode, sizeof d.mode, "many=%d:%d", (int)d.n_devices,
           pick(3) ? (int)pick((pick(2) ? 16 : 100) * (uint32_t)d.n_devices) : -1);
  d.cancel_after = pick(6) ? -1 : (int64_t)pick(60);
  return d;
}

static VitrailStatus
run_in_one_piece(const Draw *d, const VtImage *result)
{
  const VtBackend *cpu = vt_cpu_backend();
  const VtReconstruct reconstruct = { .marker = *result, .mask = d->host[1], .connectivity = d->connectivity };
  const VtDistance distance = { .src = d->host[0],
                                .squared = result->type == VT_I64 ? *result : (VtImage){ 0 },
                                .root = result->type == VT_I64 ? (VtImage){ 0 } : *result,
                                .weight_x = 1,
                                .weight_y = 1,
                                .scale = d->scale };
  return d->is_distance ? cpu->distance->run(NULL, &distance, NULL) : cpu->reconstruct->run(NULL, &reconstruct, NULL);
}

static VitrailStatus
run_on_devices(const Draw *d, Seen *seen)
{
  const VitrailPlugin *plugin = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  VitrailSession *session = NULL;
  VitrailRequest request = { .size = sizeof request };
  setenv("FAKE_GPU", d->mode, 1);
  VitrailStatus status = plugin->session_open(&session);
  if (status != VITRAIL_OK)
    return status;
  VtRun run = { .session = session, .request = &request, .cpu = session->backends[0].backend };
  run.backend = session->backends[1].backend;
  run.host =
    (VitrailHost){ .user = seen, .n_threads = seen->n_threads, .parallel_for = vt_test_run, .log = count_warning };
  run.cancel = (VtCancel){ is_cancelled, seen };
  atomic_store(&seen->n_questions, d->cancel_after);
  VtResident *r;
  status = vt_resident_new(&run, &(VtResidentPlan){ d->n_devices, d->depth, d->slab_bytes }, &r);
  if (status == VITRAIL_OK && d->is_distance)
    status = vt_resident_take_distance(r, &d->host[0], &d->host[1], d->scale);
  else if (status == VITRAIL_OK)
    status = vt_resident_take_reconstruct(r, &d->host[0], &d->host[1], d->connectivity, "auto");
  const bool in_one_go = pick(2);
  if (status == VITRAIL_OK && in_one_go)
    status = vt_resident_run(r);
  if (status == VITRAIL_OK && !in_one_go && pick(2))
    status = vt_resident_upload(r);
  if (status == VITRAIL_OK && !in_one_go)
    status = vt_resident_work(r);
  if (status == VITRAIL_OK && !in_one_go)
    status = vt_resident_download(r);
  if (status == VITRAIL_OK) {
    const VtResidentCounts counts = vt_resident_counts(r);
    seen->n_moved += counts.n_moved > 0;
    seen->n_carried += d->is_distance && !counts.is_near;
    seen->n_again += counts.rows_again > 0;
  }
  vt_resident_free(r);
  const uint64_t peak = run.backend->take_memory_peak(0), left = run.backend->take_memory_peak(0);
  seen->n_counted += peak > 0 && left == 0;
  plugin->session_close(session);
  return status;
}

/* What a cancelled reconstruction leaves behind is between what it began with and the answer. */
static bool
is_legal(const VtImage *low, const VtImage *image, const VtImage *high)
{
  bool fine = true;
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++)
      fine &= vt_value_at(low, x, y) <= vt_value_at(image, x, y) && vt_value_at(image, x, y) <= vt_value_at(high, x, y);
  return fine;
}

static bool
check_draw(const Draw *d, int round, Seen *seen)
{
  const VtImage *output = &d->host[d->is_distance ? 1 : 0];
  VtImage expected = mini_image_new(output->type, output->width, output->height);
  VtImage before = mini_image_new(output->type, output->width, output->height);
  const size_t bytes = (size_t)(output->stride * output->height);
  memcpy(expected.data, output->data, bytes);
  memcpy(before.data, output->data, bytes);
  const VitrailStatus first = run_in_one_piece(d, &expected), second = run_on_devices(d, seen);
  bool fine = first == VITRAIL_OK && atomic_load(&seen->n_warnings) <= 1;
  if (second == VITRAIL_CANCELLED)
    fine &= d->cancel_after >= 0 && (d->is_distance || is_legal(&before, output, &expected));
  else
    fine &= second == VITRAIL_OK && memcmp(expected.data, output->data, bytes) == 0;
  seen->n_cancelled += second == VITRAIL_CANCELLED;
  if (!fine)
    printf("# draw %d: %s %lld x %lld type %d, depth %lld, %s: status %d %d, %d warnings\n", round,
           d->is_distance ? "distance" : "reconstruct", (long long)output->width, (long long)output->height,
           output->type, (long long)d->depth, d->mode, first, second, atomic_load(&seen->n_warnings));
  atomic_store(&seen->n_warnings, 0);
  free(expected.data);
  free(before.data);
  return fine;
}

/* --- threads that stay --- */

typedef struct {
  VtResident r; /* stands first: whole() gets it */
  int n_steps;
  uint32_t n_homes; /* of the present step */
  atomic_int n_times[VT_MAX_DEVICES + 1], n_wrong;
} Steps;

static void
count_home(void *user, uint32_t home)
{
  Steps *steps = user;
  atomic_fetch_add(&steps->n_times[home], 1);
}

static VitrailStatus
many_steps(VtResident *r)
{
  Steps *steps = (Steps *)r;
  for (int i = 0; i < steps->n_steps; i++) {
    steps->n_homes = 1 + pick(VT_MAX_DEVICES + 1);
    vt_home_threads_run(r->threads, steps->n_homes, count_home, steps);
    for (uint32_t k = 0; k < VT_MAX_DEVICES + 1; k++)
      steps->n_wrong += atomic_exchange(&steps->n_times[k], 0) != (k < steps->n_homes);
  }
  return VITRAIL_OK;
}

/* A thread may be late by a step, and the next one may have more homes: no home is taken twice, or left out. */
static void
check_threads(int n_steps)
{
  uint32_t n_threads = 4;
  Steps steps = { .n_steps = n_steps };
  VtRun run = { .host = { .user = &n_threads, .n_threads = n_threads, .parallel_for = vt_test_run } };
  steps.r.run = &run;
  steps.r.n_stripes = 4;
  vt_resident_with_threads(&steps.r, many_steps);
  vt_ok(steps.n_wrong == 0, "%d steps of 1 to %d homes: each home once", n_steps, VT_MAX_DEVICES + 1);
}

/* A marker above its mask is told by one device; nothing is written. */
static void
check_bad_marker(void)
{
  Draw d = { .connectivity = 8, .n_devices = 3, .depth = 2, .mode = "many=3:-1", .cancel_after = -1 };
  Seen seen = { .n_threads = 2 };
  bool untouched = true;
  d.host[0] = mini_image_new(VITRAIL_U8, 50, 90);
  d.host[1] = mini_image_new(VITRAIL_U8, 50, 90);
  memset(d.host[1].data, 9, 50 * 90);
  ((uint8_t *)d.host[0].data)[0] = 9;
  ((uint8_t *)d.host[0].data)[50 * 89] = 10;
  const VitrailStatus status = run_on_devices(&d, &seen);
  for (int i = 1; i < 50 * 89; i++)
    untouched &= ((uint8_t *)d.host[0].data)[i] == 0;
  vt_ok(status == VITRAIL_BAD_ARGUMENT && untouched && atomic_load(&seen.n_warnings) == 0,
        "a marker above its mask is refused, and left as it was");
  free(d.host[0].data);
  free(d.host[1].data);
}

/* Through the plugin's own door: an op on an image of enough rows for two devices. operation: of morphology. */
static VitrailStatus
run_op(const char *op, int operation, const VtImage *image, const char *mode, const char *backend, MiniResult *result)
{
  MiniJob job = mini_job(mini_op(op), image);
  MiniHost mini = { .n_threads = 3, .cancel_after = -1 };
  setenv("FAKE_GPU", mode, 1);
  job.mpp_x = job.mpp_y = 0;
  job.request.backend = backend;
  if (operation > 0)
    mini_job_set(&job, "operation", operation);
  return mini_job_run(&job, &mini, NULL, result);
}

/* Enough rows for two devices; or enough pixels for lanes to one. */
static void
check_ops(int64_t width, int64_t height)
{
  static const char *const ops[] = { "reconstruct", "distance", "morphology", "morphology" };
  static const int operations[] = { 0, 0, 8 /* fill-holes */, 5 /* h-minima */ };
  static const char *const modes[] = { "many=2:-1", "many=2:9", "two", "lost" };
  VtImage image = mini_image_new(VITRAIL_U8, width, height);
  for (int64_t i = 0; i < image.width * image.height; i++)
    ((uint8_t *)image.data)[i] = (uint8_t)(pick(400) ? 100 + i / width / 100 : pick(256));
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    MiniResult reference, result;
    char where[64];
    vt_ok(run_op(ops[k], operations[k], &image, "absent", "cpu", &reference) == VITRAIL_OK, "%s on the CPU", ops[k]);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
      const VitrailStatus status = run_op(ops[k], operations[k], &image, modes[m], "auto", &result);
      vt_ok(status == VITRAIL_OK && mini_result_equal(&reference, &result, where, sizeof where),
            "%s, %s: the CPU's bytes; \"%s\"", ops[k], modes[m], result.warnings);
      mini_result_clear(&result);
    }
    mini_result_clear(&reference);
  }
  free(image.data);
}

/* Stages of colours are of 1.10. */
static void
check_older_hosts(void)
{
  const VitrailPlugin *now = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR),
                      *then = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, 9);
  bool knows_all = then->n_recipes == then->n_ops;
  for (uint32_t i = 0; i < then->n_ops; i++)
    for (uint32_t k = 0; k < then->ops[i]->n_stages; k++)
      knows_all &= then->ops[i]->stages[k]->kind <= VITRAIL_STAGE_ROWS;
  vt_ok(knows_all && then->n_ops + 1 == now->n_ops, "an older host is offered the %u of %u ops that it knows",
        then->n_ops, now->n_ops);
  vt_ok(!vitrail_plugin_entry(VITRAIL_ABI_MAJOR + 1, 0), "and one of another major number nothing");
}

int
main(void)
{
  const int n = vt_rounds(3000);
  Seen seen = { 0 };
  int n_bad = 0;
  for (int i = 0; i < n && n_bad < 5; i++) {
    Draw d = draw_new();
    seen.n_threads = 1 + pick(3);
    n_bad += !check_draw(&d, i, &seen);
    free(d.host[0].data);
    free(d.host[1].data);
  }
  vt_ok(n_bad == 0 && (n < 100 || seen.n_cancelled > n / 50), "%d draws, %d cancelled, %d differ from one piece", n,
        seen.n_cancelled, n_bad);
  vt_ok(n < 100 || (seen.n_moved > n / 20 && seen.n_carried > n / 50 && seen.n_again > n / 20),
        "of these %d lost a device, %d carried distances, %d worked again at a cut", seen.n_moved, seen.n_carried,
        seen.n_again);
  vt_ok(seen.n_counted > n / 2, "the memory of the first device was counted, and all came back, %d times",
        seen.n_counted);
  check_older_hosts();
  check_threads(20 * n);
  check_bad_marker();
  check_ops(37, 8300);
  check_ops(4200, 4100);
  return vt_test_done();
}
