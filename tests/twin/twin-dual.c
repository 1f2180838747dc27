/* SPDX-License-Identifier: MIT
 *
 * twin-dual.c: the GPU's reconstructions by erosion and of packed bits. The reference is the CPU's fh, by dilation, of the
 * complements, and of bytes. */
#include "twin.h"
#include "gpu.h"

#include <string.h>

typedef struct Params {
  int32_t connectivity;
  int algorithm;
} Params;

static VitrailStatus
run_fh(const VtReconstruct *args)
{
  const VtReconstructAlgorithm *algorithm = vt_cpu_backend()->reconstruct;
  while (strcmp(algorithm->id, "fh") != 0)
    algorithm++;
  return algorithm->run(NULL, args, NULL);
}

static void
complement(const VtImage *image)
{
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++) {
      const double v = vt_oracle_get(image, x, y);
      const double top = image->type == VITRAIL_U8 ? 255 : image->type == VITRAIL_U16 ? 65535 : 0;
      vt_oracle_set(image, x, y, image->type == VITRAIL_I32 ? -1 - v : top - v);
    }
}

static VitrailStatus
call(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *params = user;
  VtReconstruct args = { views[0], views[1], params->connectivity, true };
  if (!reference)
    return backend->id[1] == 'p' ? VITRAIL_UNSUPPORTED
                                 : backend->reconstruct[params->algorithm].run(device, &args, NULL);
  args.by_erosion = false;
  complement(&views[0]);
  complement(&views[1]);
  const VitrailStatus status = run_fh(&args);
  complement(&views[0]);
  complement(&views[1]);
  return status;
}

static void
check_erosion(VtTwins *twins, VtType type, int algorithm)
{
  VtRandom random = { 11 + (uint64_t)type };
  char name[64];
  snprintf(name, sizeof name, "type %d by erosion, %s", (int)type, vt_gpu_backend()->reconstruct[algorithm].id);
  vt_twins_begin(twins, name);
  for (int i = 0; i < vt_rounds(24); i++) {
    const Params params = { i % 2 ? 4 : 8, algorithm };
    const int64_t w = vt_random_side(&random, 200), h = vt_random_side(&random, 90);
    VtPicture p[2] = { vt_picture_new(&random, w, h, type), vt_picture_new(&random, w, h, type) };
    vt_picture_fill(&p[1], &random, i % VT_N_PATTERNS, 0, 200);
    for (int64_t y = 0; y < h; y++)
      for (int64_t x = 0; x < w; x++) {
        const double low = vt_oracle_get(&p[1].view, x, y);
        vt_oracle_set(&p[0].view, x, y, i % 3 ? low + (low < 240 ? 10 : 0) : vt_random(&random) % 60 ? 255 : low);
      }
    vt_twin_case(twins, vt_cpu_backend(), call, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

/* Bits of bytes: whole words of 64, zero beyond the width. */
static void
pack(const VtPicture *picture, bool complemented, uint8_t *bits, int64_t stride)
{
  const VtImage *view = &picture->view;
  memset(bits, 0, (size_t)(stride * view->height));
  for (int64_t y = 0; y < view->height; y++)
    for (int64_t x = 0; x < view->width; x++)
      if ((*(const uint8_t *)vt_image_at(view, x, y) != 0) != complemented)
        bits[y * stride + x / 8] |= (uint8_t)(1u << x % 8);
}

static bool
bits_agree(VtDevice *device, VtPicture *p, const Params *params, bool by_erosion)
{
  const VtBackend *gpu = vt_gpu_backend();
  const int64_t w = p[0].view.width, h = p[0].view.height, stride = (w + 63) / 64 * 8;
  const VtReconstruct bytes = { p[0].view, p[1].view, params->connectivity };
  VtImage host[2], on[2];
  bool good = true;
  for (int k = 0; k < 2; k++) {
    host[k] = on[k] = (VtImage){ malloc((size_t)(stride * h)), stride, h, stride, VITRAIL_U8 };
    good = good && host[k].data && gpu->alloc(device, (size_t)(stride * h), &on[k].data) == VITRAIL_OK;
    if (good)
      pack(&p[k], by_erosion, host[k].data, stride);
    good = good && gpu->upload(device, &on[k], &host[k]) == VITRAIL_OK;
  }
  const VtReconstruct args = {
    { on[0].data, w, h, stride, VT_BIT }, { on[1].data, w, h, stride, VT_BIT }, params->connectivity, by_erosion
  };
  good =
    good && gpu->reconstruct[params->algorithm].run(device, &args, NULL) == VITRAIL_OK && run_fh(&bytes) == VITRAIL_OK;
  for (int k = 0; k < 2 && good; k++) {
    uint8_t *expected = malloc((size_t)(stride * h));
    good = expected && gpu->download(device, &host[k], &on[k]) == VITRAIL_OK;
    if (good) {
      pack(&p[k], by_erosion, expected, stride);
      good = memcmp(expected, host[k].data, (size_t)(stride * h)) == 0;
    }
    free(expected);
  }
  for (int k = 0; k < 2; k++) {
    free(host[k].data);
    gpu->free(device, on[k].data);
  }
  return good;
}

static void
check_bits(VtTwins *twins, int algorithm)
{
  VtRandom random = { 17 };
  int n_wrong = 0, n = vt_rounds(40);
  for (int i = 0; i < n; i++) {
    const Params params = { i % 2 ? 4 : 8, algorithm };
    const int64_t w = vt_random_side(&random, 300), h = vt_random_side(&random, 90);
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U8), vt_picture_new(&random, w, h, VITRAIL_U8) };
    for (int64_t y = 0; y < h; y++)
      for (int64_t x = 0; x < w; x++) {
        const int mask = vt_random(&random) % 10 < 6;
        vt_oracle_set(&p[1].view, x, y, mask);
        vt_oracle_set(&p[0].view, x, y, mask && vt_random(&random) % 40 == 0);
      }
    n_wrong += !bits_agree(twins->devices[1], p, &params, i / 2 % 2);
    vt_pictures_clear(p, 2);
  }
  vt_ok(n_wrong == 0, "bits, %s: %d cases, %d failures", vt_gpu_backend()->reconstruct[algorithm].id, n, n_wrong);
}

int
main(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  VtTwins twins;
  vt_twins_init(&twins);
  for (int algorithm = 0; twins.n == 2 && vt_gpu_backend()->reconstruct[algorithm].id; algorithm++) {
    for (int t = 0; t < 4; t++)
      check_erosion(&twins, types[t], algorithm);
    check_bits(&twins, algorithm);
  }
  vt_twins_clear(&twins);
  return vt_test_done();
}
