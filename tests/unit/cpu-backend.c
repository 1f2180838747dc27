/* SPDX-License-Identifier: MIT
 *
 * What the twins do not ask: memory, copies, cancelling, and arguments on which other backends need not agree. */
#include "vt-backend.h"

#include "../support/vt-test.h"

#include <math.h>
#include <string.h>

static bool
at_once(void *user)
{
  return true;
}

static const VtCancel cancelled = { at_once, NULL };

static void
test_memory(const VtBackend *cpu, VtDevice *device)
{
  void *data = NULL;
  vt_ok(cpu->alloc(device, 1000, &data) == VITRAIL_OK && data && (uintptr_t)data % 256 == 0, "memory is aligned");
  cpu->free(device, data);
  vt_ok(cpu->alloc(device, 0, &data) == VITRAIL_OK, "nothing can be allocated");
  cpu->free(device, data);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program instead */
  vt_ok(cpu->alloc(device, SIZE_MAX, &data) == VITRAIL_OUT_OF_MEMORY && !data, "too much memory is refused");
  vt_ok(cpu->alloc(device, SIZE_MAX / 2, &data) == VITRAIL_OUT_OF_MEMORY, "very much memory is refused");
#endif
}

/* Pages of large memory go on to the next, of whatever size; it is whole, and nobody else's. */
static void
test_large_memory(const VtBackend *cpu, VtDevice *device)
{
  static const size_t sizes[] = { 70 << 20, 20 << 20, 33 << 20, 17 << 20, 50 << 20 };
  uint8_t *data[5] = { NULL };
  bool fine = true;
  for (int round = 0; round < 15; round++) {
    uint8_t **one = &data[round % 5];
    const size_t n = sizes[round % 5] + (size_t)round * 4096;
    cpu->free(device, *one);
    fine &= cpu->alloc(device, n, (void **)one) == VITRAIL_OK;
    for (size_t i = 0; fine && i < n; i += 4096)
      (*one)[i] = (uint8_t)(round % 5 + 1);
    for (int k = 0; k < 5; k++)
      for (size_t i = 0; fine && data[k] && i < sizes[k]; i += 4096)
        fine = data[k][i] == k + 1;
    if (round % 4 == 3) {
      cpu->free(device, *one);
      *one = NULL;
    }
  }
  free(data[0]); /* as whoever it was handed over to does */
  for (int k = 1; k < 5; k++)
    cpu->free(device, data[k]);
  vt_ok(fine, "large memory is whole and nobody else's");
}

enum { N_SPARES = 70, SPARE_BYTES = 3 << 20 };

static bool
is_within(const void *memory, const void *block, size_t bytes)
{
  return (uintptr_t)memory >= (uintptr_t)block && (uintptr_t)memory < (uintptr_t)block + bytes;
}

/* Images of the usual sizes find the memory of former ones. What lies there from run to run is bounded, and whole when it is used again. */
static void
test_spare_memory(const VtBackend *cpu, VtDevice *device)
{
  uint8_t *data[N_SPARES] = { NULL };
  void *large = NULL, *small = NULL;
  bool fine = cpu->alloc(device, SPARE_BYTES, &small) == VITRAIL_OK;
  const void *former = small;
  cpu->free(device, small);
  fine &= cpu->alloc(device, SPARE_BYTES - 5000, &small) == VITRAIL_OK;
  vt_ok(fine && small == former, "memory that was given back is used again");
  fine = cpu->alloc(device, 40 << 20, &large) == VITRAIL_OK;
  cpu->free(device, small);
  cpu->keep_memory(device, 0);
  cpu->free(device, large);
  fine &= cpu->alloc(device, SPARE_BYTES, &small) == VITRAIL_OK;
  vt_ok(fine && !is_within(small, large, 40 << 20), "little does not take the place of much");
  cpu->free(device, small);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N_SPARES; i++)
      fine &= cpu->alloc(device, SPARE_BYTES, (void **)&data[i]) == VITRAIL_OK && (uintptr_t)data[i] % 256 == 0;
    for (int i = 0; fine && i < N_SPARES; i++)
      memset(data[i], i + round, SPARE_BYTES);
    for (int i = 0; fine && i < N_SPARES; i++)
      fine = data[i][0] == i + round && data[i][SPARE_BYTES - 1] == i + round;
    for (int i = 0; i < N_SPARES; i++)
      cpu->free(device, data[i]);
    cpu->keep_memory(device, round == 1 ? 0 : 10 * SPARE_BYTES);
  }
  vt_ok(fine, "also more than is kept, from run to run");
}

static void
test_copies(const VtBackend *cpu, VtDevice *device)
{
  uint16_t a[5 * 7], b[3 * 9];
  for (int i = 0; i < 35; i++)
    a[i] = (uint16_t)(1000 + i);
  memset(b, 0, sizeof b);
  const VtImage from = { a, 3, 3, 5 * sizeof a[0], VITRAIL_U16 }, to = { b, 3, 3, 9 * sizeof b[0], VITRAIL_U16 };
  VtImage other = to;
  other.type = VITRAIL_I32;
  vt_ok(cpu->upload(device, &to, &from) == VITRAIL_OK && b[2 * 9 + 2] == a[2 * 5 + 2] && b[3] == 0,
        "copies keep to rows");
  vt_ok(cpu->download(device, &other, &from) == VITRAIL_BAD_ARGUMENT, "copies do not convert");
}

static VitrailStatus
run_all(const VtBackend *cpu, int which, int32_t size, const VtCancel *cancel)
{
  static uint32_t memory[4][64 * 64];
  static uint64_t matrix[4 * 9 * 64];
  static const int32_t table[768];
  static const uint32_t weights[] = { 65536 };
  const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8, VT_I64 };
  VtImage u8[4], u16[4], i32[4], f32[4], rgba, *images[] = { u8, u16, i32, f32 };
  memset(memory, 0, sizeof memory);
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 4; k++)
      images[t][k] = (VtImage){ memory[k], size, size, 64 * (int64_t)vt_type_size(types[t]), types[t] };
  rgba = (VtImage){ memory[0], size, size, 256, VITRAIL_RGBA8 };
  switch (which) {
  case 0: return cpu->lut3(NULL, &(VtLut3){ rgba, u8[1], table }, cancel);
  case 1: return cpu->erode_disc(NULL, &(VtErodeDisc){ u16[0], u16[1], 0, 0, 3 }, cancel);
  case 2: return cpu->smooth(NULL, &(VtSmooth){ u16[0], u16[1], 0, 0, 0, weights }, cancel);
  case 3: return cpu->pointwise(NULL, &(VtPointwise){ VT_PW_AND, u8[0], u8[1], u8[2], 0 }, cancel);
  case 4: return cpu->reconstruct[0].run(NULL, &(VtReconstruct){ u8[0], u8[1], 8 }, cancel);
  case 5: return cpu->reconstruct[1].run(NULL, &(VtReconstruct){ f32[0], f32[1], 4 }, cancel);
  case 6: return cpu->edt_columns(NULL, &(VtEdt){ u8[0], i32[1], 1 }, cancel);
  case 7: return cpu->edt_rows(NULL, &(VtEdt){ i32[0], f32[1], 1 }, cancel);
  case 8: return cpu->components(NULL, &(VtComponents){ u8[0], i32[1], 8 }, cancel);
  case 9: return cpu->watershed(NULL, &(VtWatershed){ f32[0], i32[1], u8[2], i32[3] }, cancel);
  case 10:
    return cpu->glrlm_windows[0].run(
      NULL, &(VtGlrlmWindows){ u8[0], &f32[1], 1 << VT_GLRLM_SRE, 1 << VT_GLRLM_MEAN, 9, 2, 1, 0, 0 }, cancel);
  default: return cpu->glrlm_runs(NULL, &(VtGlrlmRuns){ u8[0], 0, 0, size, size, 9, 64, matrix }, cancel);
  }
}

static void
test_slots(const VtBackend *cpu)
{
  for (int which = 0; which < 12; which++) {
    vt_ok(run_all(cpu, which, 64, NULL) == VITRAIL_OK, "slot %d runs", which);
    vt_ok(run_all(cpu, which, 64, &cancelled) == VITRAIL_CANCELLED, "slot %d can be cancelled", which);
    vt_ok(run_all(cpu, which, 0, NULL) == VITRAIL_BAD_ARGUMENT, "slot %d refuses an empty image", which);
    vt_ok(run_all(cpu, which, -5, NULL) == VITRAIL_BAD_ARGUMENT, "slot %d refuses a negative size", which);
    vt_ok(run_all(cpu, which, INT32_MAX, NULL) == VITRAIL_BAD_ARGUMENT, "slot %d refuses rows that overlap", which);
  }
}

static void
test_arguments(const VtBackend *cpu)
{
  uint8_t u8[4] = { 1, 2, 3, 4 };
  int32_t i32[4] = { 1, -2, 3, 4 }, seeds[4] = { 0, -7, 0, 0 }, labels[4];
  float level[4] = { 0 }, f32[4];
  const VtImage bytes = { u8, 4, 1, 4, VITRAIL_U8 }, ints = { i32, 4, 1, 16, VITRAIL_I32 };
  const VtImage floats = { f32, 4, 1, 16, VITRAIL_F32 };
  VtPointwise pointwise = { VT_PW_LOWER_CLAMP, bytes, bytes, bytes, 0.5 };
  vt_ok(cpu->pointwise(NULL, &pointwise, NULL) == VITRAIL_BAD_ARGUMENT, "half a grey level cannot be taken away");
  pointwise.s = NAN;
  vt_ok(cpu->pointwise(NULL, &pointwise, NULL) == VITRAIL_BAD_ARGUMENT, "nor can NaN");
  vt_ok(u8[3] == 4, "and nothing is written");
  vt_ok(cpu->edt_rows(NULL, &(VtEdt){ ints, floats, 1 }, NULL) == VITRAIL_BAD_ARGUMENT, "no negative distances");
  const VtWatershed watershed = {
    { level, 4, 1, 16, VITRAIL_F32 }, { seeds, 4, 1, 16, VITRAIL_I32 }, bytes, { labels, 4, 1, 16, VITRAIL_I32 }
  };
  vt_ok(cpu->watershed(NULL, &watershed, NULL) == VITRAIL_BAD_ARGUMENT, "no negative seeds");
  uint64_t matrix[4 * 4 * 3] = { 0 };
  VtGlrlmRuns runs = { bytes, 0, 0, 4, 1, 4, 1, matrix };
  vt_ok(cpu->glrlm_runs(NULL, &runs, NULL) == VITRAIL_OK && matrix[0] == 1, "a matrix as long as the runs will do");
  u8[1] = 1;
  memset(matrix, 0, sizeof matrix);
  vt_ok(cpu->glrlm_runs(NULL, &runs, NULL) == VITRAIL_BAD_ARGUMENT && matrix[0] == 0, "a shorter one is refused");
  double features[VT_GLRLM_N_FEATURES];
  cpu->glrlm_features(matrix, 4, 3, 0, features);
  vt_ok(isnan(features[VT_GLRLM_SRE]) && isnan(features[VT_GLRLM_RE]), "no runs, no features");
}

int
main(void)
{
  const VtBackend *cpu = vt_cpu_backend();
  VtDevice *device = NULL;
  char reason[64] = "x";
  vt_ok(cpu->probe(reason, sizeof reason) == 1 && !reason[0], "there is one device");
  vt_ok(cpu->open(1, NULL, &device, reason, sizeof reason) == VITRAIL_NO_DEVICE && reason[0], "there is no second: %s",
        reason);
  if (!vt_ok(cpu->open(0, NULL, &device, NULL, 0) == VITRAIL_OK && device, "it opens"))
    return vt_test_done();
  vt_ok(cpu->device_name(device)[0] && !cpu->last_error(device)[0], "it has a name and no error");
  test_memory(cpu, device);
  test_large_memory(cpu, device);
  test_spare_memory(cpu, device);
  test_copies(cpu, device);
  test_slots(cpu);
  test_arguments(cpu);
  cpu->close(device);
  return vt_test_done();
}
