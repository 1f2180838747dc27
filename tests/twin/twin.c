/* SPDX-License-Identifier: MIT */
#include "twin.h"
#include "../support/test-parallel.h"

#include <math.h>
#include <string.h>

enum { MAX_PICTURES = 6 };

void
vt_twins_init(VtTwins *twins)
{
  char reason[256] = "";
  *twins = (VtTwins){ 0 };
  twins->backends[twins->n] = vt_cpu_backend();
  if (vt_cpu_backend()->open(0, NULL, &twins->devices[twins->n], reason, sizeof reason) == VITRAIL_OK)
    twins->n++;
  vt_ok(twins->n == 1, "cpu opens %s", reason);
#ifdef VT_HAVE_CUDA
  const VtBackend *gpu = vt_gpu_backend();
  if (gpu->probe(reason, sizeof reason) <= 0) {
    vt_skip("cuda", "no device: %s", reason);
  } else {
    const VitrailStatus status = gpu->open(0, NULL, &twins->devices[twins->n], reason, sizeof reason);
    if (vt_ok(status == VITRAIL_OK, "cuda opens %s", status == VITRAIL_OK ? "" : reason))
      twins->backends[twins->n++] = gpu;
  }
#else
  vt_skip("cuda", "built without it");
#endif
}

void
vt_twins_add_threads(VtTwins *twins)
{
  static uint32_t n_threads = 3;
  const VtParallel parallel = vt_test_parallel(&n_threads);
  char reason[256] = "";
  twins->backends[twins->n] = vt_cpu_backend();
  const VitrailStatus status = vt_cpu_backend()->open(0, &parallel, &twins->devices[twins->n], reason, sizeof reason);
  if (vt_ok(status == VITRAIL_OK, "cpu with %u threads opens %s", n_threads, reason))
    twins->threaded[twins->n++] = true;
}

void
vt_twins_clear(VtTwins *twins)
{
  for (int i = 0; i < twins->n; i++)
    twins->backends[i]->close(twins->devices[i]);
}

void
vt_twins_begin(VtTwins *twins, const char *group)
{
  twins->group = group;
  twins->n_cases = twins->n_failures = 0;
  twins->tolerance = 0;
  memset(twins->n_unsupported, 0, sizeof twins->n_unsupported);
}

void
vt_twins_end(VtTwins *twins)
{
  for (int i = 0; i < twins->n; i++)
    if (twins->n_unsupported[i])
      printf("# %s: %s lacks it in %d of %d cases\n", twins->group, twins->backends[i]->id, twins->n_unsupported[i],
             twins->n_cases);
  vt_ok(twins->n_failures == 0, "%s: %d cases, %d failures", twins->group, twins->n_cases, twins->n_failures);
}

int64_t
vt_twin_side(int64_t side)
{
  const char *most = getenv("VT_TWIN_SIDE");
  return most && atoll(most) > 0 && side > atoll(most) ? atoll(most) : side;
}

void
vt_twin_sweep(VtTwins *twins, const char *group, VtTwinOne one, uint64_t seed, int n, int64_t widest, int64_t highest,
              int n_large)
{
  static const int64_t sizes[][2] = { { 1000, 777 }, { 2048, 64 }, { 64, 2048 }, { 5000, 1 }, { 1, 5000 } };
  VtRandom random = { seed };
  char large[64];
  vt_twins_begin(twins, group);
  for (int i = 0; i < vt_rounds(n); i++)
    one(twins, vt_oracle_backend(), &random, i, vt_random_side(&random, widest), vt_random_side(&random, highest));
  vt_twins_end(twins);
  snprintf(large, sizeof large, "%s, large, cpu as reference", group);
  vt_twins_begin(twins, large);
  for (int i = 0; i < vt_rounds(n_large); i++)
    one(twins, vt_cpu_backend(), &random, i, vt_twin_side(sizes[i % 5][0]), vt_twin_side(sizes[i % 5][1]));
  vt_twins_end(twins);
}

static void
complain(VtTwins *twins, const VtBackend *backend, const VtPicture *first, const char *what)
{
  if (twins->n_failures++ < 10)
    printf("# %s, case %d on %s%s, %lld x %lld: %s\n", twins->group, twins->n_cases, backend->id,
           twins->threaded[twins->current] ? " with threads" : "", (long long)first->view.width,
           (long long)first->view.height, what);
}

static bool
same_pixel(const VtImage *a, const VtImage *b, int64_t x, int64_t y, double tolerance)
{
  const void *p = vt_image_at(a, x, y), *q = vt_image_at(b, x, y);
  if (a->type == VITRAIL_F32) {
    const double u = *(const float *)p, v = *(const float *)q;
    if ((isnan(u) && isnan(v)) || fabs(u - v) <= tolerance * fabs(v) + (tolerance > 0 ? 1e-12 : 0))
      return tolerance > 0 || isnan(u) || memcmp(p, q, sizeof(float)) == 0;
  }
  return memcmp(p, q, vt_type_size(a->type)) == 0;
}

static void
compare(VtTwins *twins, const VtBackend *backend, int k, const VtPicture *got, const VtPicture *expected)
{
  const size_t row = (size_t)got->full.width * vt_type_size(got->full.type);
  for (int64_t y = 0; y < got->full.height; y++) {
    if (memcmp(vt_image_at(&got->full, 0, y), vt_image_at(&expected->full, 0, y), row) == 0)
      continue;
    for (int64_t x = 0; x < got->full.width; x++) {
      const int64_t vx = x - expected->x, vy = y - expected->y;
      const bool inside = vt_oracle_inside(&expected->view, vx, vy);
      char what[160];
      if (same_pixel(&got->full, &expected->full, x, y, inside ? twins->tolerance : 0))
        continue;
      if (inside && got->full.type != VT_I64)
        snprintf(what, sizeof what, "picture %d differs at (%lld,%lld): %.9g, not %.9g", k, (long long)vx,
                 (long long)vy, vt_oracle_get(&got->full, x, y), vt_oracle_get(&expected->full, x, y));
      else
        snprintf(what, sizeof what, "picture %d differs at (%lld,%lld)%s", k, (long long)vx, (long long)vy,
                 inside ? "" : ", outside its window");
      complain(twins, backend, expected, what);
      return;
    }
  }
}

/* One backend: expected NULL = the call must be refused. */
static void
run_one(VtTwins *twins, int t, VtTwinCall call, const void *params, const VtPicture *before, const VtPicture *expected,
        int n)
{
  const VtBackend *backend = twins->backends[t];
  twins->current = t;
  VtDevice *device = twins->devices[t];
  VtImage full[MAX_PICTURES] = { 0 }, view[MAX_PICTURES] = { 0 };
  VitrailStatus status = VITRAIL_OK;
  for (int k = 0; k < n && status == VITRAIL_OK; k++) {
    full[k] = before[k].full;
    full[k].data = NULL;
    status = backend->alloc(device, (size_t)(full[k].stride * full[k].height), &full[k].data);
    if (status == VITRAIL_OK)
      status = backend->upload(device, &full[k], &before[k].full);
    view[k] = vt_image_window(&full[k], before[k].x, before[k].y, before[k].view.width, before[k].view.height);
  }
  if (status != VITRAIL_OK)
    complain(twins, backend, &before[0], "the pictures could not be put on the device");
  else
    status = call(backend, device, view, params, false);
  const VitrailStatus wanted = expected ? VITRAIL_OK : VITRAIL_BAD_ARGUMENT;
  if (status == VITRAIL_UNSUPPORTED) {
    twins->n_unsupported[t]++;
  } else if (status != wanted) {
    char what[160];
    snprintf(what, sizeof what, "status %d, not %d %s", status, wanted, backend->last_error(device));
    complain(twins, backend, &before[0], what);
  }
  for (int k = 0; k < n; k++) {
    VtPicture got = vt_picture_copy(&before[k]);
    if (status == wanted && backend->download(device, &got.full, &full[k]) != VITRAIL_OK)
      complain(twins, backend, &before[0], "a picture could not be fetched");
    else if (status == wanted)
      compare(twins, backend, k, &got, expected ? &expected[k] : &before[k]);
    vt_pictures_clear(&got, 1);
    backend->free(device, full[k].data);
  }
}

void
vt_twin_refused(VtTwins *twins, VtTwinCall call, const void *params, const VtPicture *pictures, int n_pictures)
{
  twins->n_cases++;
  for (int t = 0; t < twins->n; t++)
    run_one(twins, t, call, params, pictures, NULL, n_pictures);
}

/* What a slot takes it does not take when it is empty. */
static void
refuse_empty(VtTwins *twins, VtTwinCall call, const void *params, const VtPicture *pictures, int n)
{
  VtPicture empty[MAX_PICTURES];
  for (int k = 0; k < n; k++) {
    empty[k] = pictures[k];
    empty[k].view.height = 0;
  }
  vt_twin_refused(twins, call, params, empty, n);
}

void
vt_twin_case(VtTwins *twins, const VtBackend *reference, VtTwinCall call, const void *params, const VtPicture *pictures,
             int n_pictures)
{
  VtPicture expected[MAX_PICTURES];
  VtImage views[MAX_PICTURES];
  twins->n_cases++;
  for (int k = 0; k < n_pictures; k++) {
    expected[k] = vt_picture_copy(&pictures[k]);
    views[k] = expected[k].view;
  }
  if (call(reference, NULL, views, params, true) != VITRAIL_OK)
    complain(twins, reference, &pictures[0], "the reference failed");
  for (int t = 0; t < twins->n; t++)
    if (twins->threaded[t] || twins->backends[t] != reference)
      run_one(twins, t, call, params, pictures, expected, n_pictures);
  vt_pictures_clear(expected, n_pictures);
  if (twins->n_cases == 1)
    refuse_empty(twins, call, params, pictures, n_pictures);
}
