/* SPDX-License-Identifier: MIT
 *
 * Which stripe is on which device, how stripes get there and back, and what happens when a device fails. */
#include <stdlib.h>

#include "devices/several.h"
#include "devices/resident.h"

enum { MIN_ROWS_PER_DEVICE = 4096, DEPTH = 256, LEAST_DEPTH = 128, MIN_ROWS = 4, SLAB_BYTES = 4 << 20, ALIGN = 64 };

int32_t
vt_devices_wanted(const VtRun *run, int64_t height, double row_bytes)
{
  int32_t n = 0;
  if (run->backend == run->cpu || run->request->tile_px > 0)
    return 0;
  for (uint32_t i = 0; i < run->session->n_backends; i++)
    if (run->session->backends[i].backend == run->backend)
      n = run->session->backends[i].n_devices;
  if (n > height / MIN_ROWS_PER_DEVICE)
    n = (int32_t)(height / MIN_ROWS_PER_DEVICE);
  if (n < 2)
    return 0;
  const double share = ((double)height / n + 2 * DEPTH) * row_bytes;
  return run->request->device_budget > 0 && share > (double)run->request->device_budget ? 0 : n;
}

/* --- homes --- */

VitrailStatus
vt_resident_new(VtRun *run, const VtResidentPlan *plan, VtResident **resident)
{
  char reason[256];
  const VtParallel parallel = { run->host.n_threads, run->host.user, run->host.parallel_for };
  VtResident *r = calloc(1, sizeof *r);
  *resident = r;
  if (!r)
    return VITRAIL_OUT_OF_MEMORY;
  r->run = run;
  r->wanted_depth = plan->depth;
  r->slab_bytes = plan->slab_bytes > 0 ? plan->slab_bytes : SLAB_BYTES;
  for (int32_t k = 0; k < plan->n_devices && k < VT_MAX_DEVICES; k++) {
    VtHome *home = &r->homes[r->n_homes];
    *home = (VtHome){ .backend = run->backend, .index = k };
    if (run->backend->open(k, NULL, &home->device, reason, sizeof reason) == VITRAIL_OK)
      r->n_homes++;
    else
      vt_log(run, VITRAIL_LOG_WARNING, "Device %d of %s does not take part: %s", (int)k, run->backend->title, reason);
  }
  r->n_wanted = r->n_homes > 0 ? r->n_homes : 1;
  VtHome *cpu = &r->homes[r->n_homes];
  *cpu = (VtHome){ .backend = run->cpu };
  if (run->cpu->open(0, &parallel, &cpu->device, reason, sizeof reason) != VITRAIL_OK)
    return VITRAIL_OUT_OF_MEMORY;
  r->n_homes++;
  return VITRAIL_OK;
}

static void
stripe_clear(VtResident *r, VtStripe *s)
{
  const VtHome *home = &r->homes[s->home];
  VtImage *images[] = { &s->images[0], &s->images[1] };
  for (size_t k = 0; k < VT_COUNT(images); k++) {
    if (images[k]->data)
      home->backend->free(home->device, images[k]->data);
    *images[k] = (VtImage){ 0 };
  }
  s->stage = VT_STAGE_EMPTY;
  s->rose[0] = s->rose[1] = false;
}

/* The device that the cuts' host memory is allocated for. The session's device outlives the run. NULL: there are no devices. */
static VtDevice *
keeper(const VtResident *r)
{
  return r->run->device ? r->run->device : r->n_homes > 1 ? r->homes[0].device : NULL;
}

static void
stripes_clear(VtResident *r)
{
  for (int32_t i = 0; i < r->n_stripes; i++)
    stripe_clear(r, &r->stripes[i]);
  if (r->cuts_are_pinned)
    r->run->backend->free_host(keeper(r), r->cuts);
  else
    free(r->cuts);
  r->cuts = NULL;
  r->n_stripes = 0;
}

/* The cuts are in pinned memory where there is any: a round takes about a millisecond, so each copy's delay counts. */
static VitrailStatus
make_cuts(VtResident *r)
{
  const size_t bytes = 2 * (size_t)r->host[0].width * sizeof(int64_t); /* two rows of any type */
  const size_t all = (size_t)r->n_stripes * VT_N_SIDES * bytes;
  r->cuts_are_pinned = r->n_stripes > 1 && keeper(r) && r->run->backend->alloc_host
                       && r->run->backend->alloc_host(keeper(r), all, &r->cuts) == VITRAIL_OK;
  if (!r->cuts_are_pinned)
    r->cuts = malloc(all);
  for (int32_t i = 0; i < r->n_stripes; i++)
    for (int k = 0; k < VT_N_SIDES; k++)
      r->stripes[i].cuts[k] = r->cuts ? (char *)r->cuts + (size_t)(i * VT_N_SIDES + k) * bytes : NULL;
  return r->cuts ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

void
vt_resident_free(VtResident *r)
{
  if (!r)
    return;
  stripes_clear(r);
  vt_copy_streams_clear(&r->streams);
  for (int32_t k = 0; k < r->n_homes; k++) {
    const VtHome *home = &r->homes[k];
    home->backend->close(home->device);
  }
  free(r);
}

VtResidentCounts
vt_resident_counts(const VtResident *r)
{
  VtResidentCounts counts = r->counts;
  for (int32_t i = 0; i < r->n_stripes; i++)
    counts.rows_again += r->stripes[i].rows_again;
  return counts;
}

/* Rows that two stripes hold are worked on twice, so they should be a small part of a stripe. A reconstruction needs more rounds if it
 * has fewer of them; a distance rarely does, since most distances are short. */
static int64_t
usual_depth(const VtResident *r)
{
  const int64_t little = r->host[0].height / (64 * (int64_t)r->n_wanted);
  if (!r->is_distance || little > DEPTH)
    return DEPTH;
  return little > LEAST_DEPTH ? little : LEAST_DEPTH;
}

static VitrailStatus
cut(VtResident *r)
{
  const int64_t height = r->host[0].height;
  size_t row = 0;
  r->depth = r->wanted_depth > 0 ? r->wanted_depth : usual_depth(r);
  stripes_clear(r);
  r->counts = (VtResidentCounts){ 0 };
  r->n_stripes = height / MIN_ROWS < r->n_wanted ? (int32_t)(height / MIN_ROWS) : r->n_wanted;
  r->n_stripes = r->n_stripes < 1 ? 1 : r->n_stripes;
  for (int32_t i = 0; i < r->n_stripes; i++) {
    const int64_t y = height * i / r->n_stripes, end = height * (i + 1) / r->n_stripes;
    const int64_t top = y > r->depth ? y - r->depth : 0;
    const int64_t bottom = height - end > r->depth ? end + r->depth : height;
    r->stripes[i] = (VtStripe){ .y = y, .height = end - y, .top = top, .rows = bottom - top, .home = i };
  }
  for (int k = 0; k < 2; k++) {
    const size_t bytes = (size_t)r->host[k].width * vt_type_size(r->host[k].type);
    row = bytes > row ? bytes : row;
  }
  vt_copy_streams_prepare(r->run, &r->streams, keeper(r), (uint32_t)r->n_homes - 1, (size_t)r->slab_bytes, row);
  return make_cuts(r);
}

VitrailStatus
vt_resident_take_reconstruct(VtResident *r, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                             const char *algorithm)
{
  r->is_distance = false;
  r->host[0] = *marker;
  r->host[1] = *mask;
  r->connectivity = connectivity;
  r->algorithm = algorithm;
  return cut(r);
}

VitrailStatus
vt_resident_take_distance(VtResident *r, const VtImage *foreground, const VtImage *dst, float scale)
{
  r->is_distance = true;
  r->host[0] = *foreground;
  r->host[1] = *dst;
  r->scale = scale;
  return cut(r);
}

/* --- steps: one thread for each home, which takes its stripes one by one --- */

typedef struct {
  VtResident *r;
  VtStripeStep step;
} StepJob;

static void
step_home(void *user, uint32_t index)
{
  const StepJob *job = user;
  for (int32_t i = 0; i < job->r->n_stripes; i++) {
    VtStripe *s = &job->r->stripes[i];
    if (s->home == (int32_t)index)
      s->status = vt_cancelled(&job->r->run->cancel) ? VITRAIL_CANCELLED : job->step(job->r, &job->r->homes[index], s);
  }
}

static int32_t
least_busy(const VtResident *r)
{
  int32_t best = r->n_homes - 1, fewest = INT32_MAX;
  for (int32_t k = 0; k + 1 < r->n_homes; k++) {
    int32_t n = 0;
    for (int32_t i = 0; i < r->n_stripes; i++)
      n += r->stripes[i].home == k;
    if (!r->homes[k].lost && n < fewest) {
      best = k;
      fewest = n;
    }
  }
  return best;
}

/* The stripe of a home that failed goes to another home, and begins again there. */
static void
move(VtResident *r, VtStripe *s)
{
  VtHome *home = &r->homes[s->home];
  const char *why =
    s->status == VITRAIL_UNSUPPORTED ? "it has no such kernel" : home->backend->last_error(home->device);
  if (!r->run->warned_fallback)
    vt_log(r->run, VITRAIL_LOG_WARNING, "Device %d of %s left, the others went on with its part: %s", (int)s->home,
           home->backend->title, why);
  r->run->warned_fallback = true;
  if (s->status == VITRAIL_INTERNAL)
    r->run->device_failed = true;
  home->lost = true;
  stripe_clear(r, s);
  s->home = least_busy(r);
  r->counts.n_moved++;
}

VitrailStatus
vt_resident_run_step(VtResident *r, VtStripeStep step, bool *moved)
{
  StepJob job = { r, step };
  uint32_t n_at_work = 0; /* homes; a thread without a stripe is not woken */
  *moved = false;
  for (int32_t i = 0; i < r->n_stripes; i++)
    n_at_work = (uint32_t)r->stripes[i].home >= n_at_work ? (uint32_t)r->stripes[i].home + 1 : n_at_work;
  if (r->n_stripes == 1)
    step_home(&job, (uint32_t)r->stripes[0].home);
  else if (r->threads)
    vt_home_threads_run(r->threads, n_at_work, step_home, &job);
  else
    r->run->host.parallel_for(r->run->host.user, n_at_work, step_home, &job);
  for (int32_t i = 0; i < r->n_stripes; i++) {
    const VtStripe *s = &r->stripes[i];
    const bool devices_own =
      s->home + 1 < r->n_homes && s->status != VITRAIL_CANCELLED && s->status != VITRAIL_BAD_ARGUMENT;
    if (s->status != VITRAIL_OK && !devices_own)
      return s->status;
  }
  for (int32_t i = 0; i < r->n_stripes; i++)
    if (r->stripes[i].status != VITRAIL_OK) {
      move(r, &r->stripes[i]);
      *moved = true;
    }
  return VITRAIL_OK;
}

VitrailStatus
vt_resident_image(const VtHome *home, VtImage *image, VtType type, int64_t width, int64_t height)
{
  const int64_t row = (width * (int64_t)vt_type_size(type) + ALIGN - 1) / ALIGN * ALIGN;
  *image = (VtImage){ NULL, width, height, row, type };
  return home->backend->alloc(home->device, (size_t)(row * height), &image->data);
}

/* After a failed download each pixel of the host has its old value or its new one. Either is a legal marker. */
static VitrailStatus
copy(const VtResident *r, const VtHome *home, const VtImage *host, const VtImage *device, bool up)
{
  const uint32_t which = (uint32_t)(home - r->homes);
  return vt_copy_streams_copy_image(r->run, &r->streams, which, home->backend, home->device, device, host, up);
}

VitrailStatus
vt_resident_load(VtResident *r, const VtHome *home, VtStripe *s)
{
  const int64_t width = r->host[0].width;
  VitrailStatus status = VITRAIL_OK;
  if (s->stage >= VT_STAGE_LOADED || s->stored)
    return VITRAIL_OK;
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    const bool is_output = r->is_distance && k == 1;
    status = vt_resident_image(home, &s->images[k], r->host[k].type, width, s->rows);
    const VtImage from = vt_rows_of(&r->host[k], s->top, s->rows);
    if (status == VITRAIL_OK && !is_output)
      status = copy(r, home, &from, &s->images[k], true);
  }
  s->stage = status == VITRAIL_OK ? VT_STAGE_LOADED : VT_STAGE_EMPTY;
  return status;
}

/* --- the whole way --- */

VitrailStatus
vt_resident_upload(VtResident *r)
{
  VitrailStatus status = VITRAIL_OK;
  for (bool moved = true; moved && status == VITRAIL_OK;)
    status = vt_resident_run_step(r, r->is_distance ? vt_resident_look : vt_resident_load, &moved);
  return status;
}

VitrailStatus
vt_resident_work(VtResident *r)
{
  return r->is_distance ? vt_resident_measure(r) : vt_resident_settle(r);
}

static VitrailStatus
step_store(VtResident *r, const VtHome *home, VtStripe *s)
{
  const int k = r->is_distance ? 1 : 0;
  const VtImage to = vt_rows_of(&r->host[k], s->y, s->height),
                from = vt_rows_of(&s->images[k], s->y - s->top, s->height);
  const VitrailStatus status = s->stored ? VITRAIL_OK : copy(r, home, &to, &from, false);
  s->stored = status == VITRAIL_OK;
  return status;
}

VitrailStatus
vt_resident_download(VtResident *r)
{
  for (;;) {
    bool moved;
    VitrailStatus status = vt_resident_run_step(r, step_store, &moved);
    if (status != VITRAIL_OK || !moved)
      return status;
    for (int32_t i = 0; i < r->n_stripes; i++) { /* the moved stripe and its neighbours must exchange rows again */
      VtStripe *s = &r->stripes[i];
      s->stored = false;
      if (r->is_distance && s->stage > VT_STAGE_LOADED)
        s->stage = VT_STAGE_LOADED;
    }
    status = vt_resident_work(r);
    if (status != VITRAIL_OK)
      return status;
  }
}

static VitrailStatus
whole_way(VtResident *r)
{
  static VitrailStatus (*const steps[])(VtResident * r) = { vt_resident_upload, vt_resident_work,
                                                            vt_resident_download };
  VitrailStatus status = VITRAIL_OK;
  for (size_t k = 0; k < VT_COUNT(steps) && status == VITRAIL_OK; k++) {
    const double before = vt_now_ms();
    status = steps[k](r);
    r->counts.ms[k] = vt_now_ms() - before;
  }
  return status;
}

VitrailStatus
vt_resident_run(VtResident *r)
{
  return vt_resident_with_threads(r, whole_way);
}

VitrailStatus
vt_devices_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity,
                       const char *algorithm, int32_t n_devices)
{
  VtResident *r;
  VitrailStatus status = vt_resident_new(run, &(VtResidentPlan){ .n_devices = n_devices }, &r);
  if (status == VITRAIL_OK) {
    status = vt_resident_take_reconstruct(r, marker, mask, connectivity, algorithm);
    THEN(status, vt_resident_run(r));
    vt_record(run, "devices", r->n_stripes);
  }
  vt_resident_free(r);
  return status;
}

VitrailStatus
vt_devices_distance(VtRun *run, const VtImage *foreground, const VtImage *dst, float scale, int32_t n_devices)
{
  VtResident *r;
  VitrailStatus status = vt_resident_new(run, &(VtResidentPlan){ .n_devices = n_devices }, &r);
  if (status == VITRAIL_OK) {
    status = vt_resident_take_distance(r, foreground, dst, scale);
    THEN(status, vt_resident_run(r));
    vt_record(run, "devices", r->n_stripes);
  }
  vt_resident_free(r);
  return status;
}
