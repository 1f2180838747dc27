/* SPDX-License-Identifier: MIT
 *
 * twin-wave.c: the GPU's wavefronts with tiny queues, few blocks and short launches: what a full queue drops is found
 * again, and the answer is the CPU's to the bit. */
#include "gpu.h"
#include "twin.h"

typedef VitrailStatus (*Run)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                             const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);

typedef struct Params {
  Run run;
  VtGpuWaveOptions options;
  int32_t connectivity;
  uint64_t *n_passes;
} Params;

static VitrailStatus
call(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *params = user;
  const VtReconstruct args = { .marker = views[0], .mask = views[1], .connectivity = params->connectivity };
  VtGpuWaveCounts counts = { 0 };
  if (reference)
    return backend->reconstruct[0].run(device, &args, NULL);
  const VitrailStatus status = params->run(device, &args, NULL, &params->options, &counts);
  *params->n_passes += counts.n_passes;
  return status;
}

static void
check(VtTwins *twins, const char *name, Run run, VtType type, VtGpuQueueKind queue)
{
  static const int64_t limits[] = { 1, 7, 100, 3000 };
  VtRandom random = { 5 + (uint64_t)type };
  uint64_t n_passes = 0;
  vt_twins_begin(twins, name);
  for (int i = 0; i < vt_rounds(32); i++) {
    const int64_t limit = limits[i % 4], side = vt_twin_side(limit < 100 ? 40 : 300);
    const Params params = {
      run, { limit, 1 + i % 3, i % 5 ? 64 : 2, i % 2 ? -1 : 1, queue }, i / 2 % 2 ? 4 : 8, &n_passes
    };
    VtPicture p[2] = { vt_picture_new(&random, side, side + i, type), vt_picture_new(&random, side, side + i, type) };
    vt_picture_fill(&p[1], &random, i % VT_N_PATTERNS, 0, 200);
    for (int64_t y = 0; y < side + i; y++)
      for (int64_t x = 0; x < side; x++) {
        const double top = vt_oracle_get(&p[1].view, x, y);
        vt_oracle_set(&p[0].view, x, y, i % 3 ? (top > 5 ? top - 5 : 0) : vt_random(&random) % 50 ? 0 : top);
      }
    vt_twin_case(twins, vt_cpu_backend(), call, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
  vt_ok(n_passes > (uint64_t)vt_rounds(32), "%s: queues were full (%llu passes)", name, (unsigned long long)n_passes);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  if (twins.n == 2) {
    check(&twins, "fh u8", vt_gpu_reconstruct_fh_with, VITRAIL_U8, VT_GPU_QUEUE_THREAD);
    check(&twins, "fh f32", vt_gpu_reconstruct_fh_with, VITRAIL_F32, VT_GPU_QUEUE_THREAD);
#ifdef VT_PAPERS
    check(&twins, "fh naive", vt_gpu_reconstruct_fh_with, VITRAIL_U8, VT_GPU_QUEUE_NAIVE);
    check(&twins, "fh prefix sum", vt_gpu_reconstruct_fh_with, VITRAIL_F32, VT_GPU_QUEUE_PREFIX_SUM);
    check(&twins, "heap u8", vt_gpu_reconstruct_heap_with, VITRAIL_U8, VT_GPU_QUEUE_THREAD);
    check(&twins, "heap f32", vt_gpu_reconstruct_heap_with, VITRAIL_F32, VT_GPU_QUEUE_THREAD);
#endif
  }
  vt_twins_clear(&twins);
  return vt_test_done();
}
