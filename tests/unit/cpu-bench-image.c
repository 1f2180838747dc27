/* SPDX-License-Identifier: MIT
 *
 * Sums of whole results on the 2048 x 2048 bench image, on which several independent programs agree. */
#include "vt-backend.h"

#include "../support/bench-image.h"
#include "../support/vt-test.h"

#include <inttypes.h>

enum { SIDE = 2048 };

typedef struct Sums {
  uint64_t plain, weighted;
} Sums;

static void
add(Sums *sums, uint64_t value, uint64_t index)
{
  sums->plain += value;
  sums->weighted += value * (index * 2654435761u % 4294967296u);
}

static void
expect(const char *name, Sums got, uint64_t plain, uint64_t weighted)
{
  vt_ok(got.plain == plain && got.weighted == weighted, "%s: %" PRIu64 "/%" PRIx64, name, got.plain, got.weighted);
}

static Sums
reconstruct(uint8_t *mask, uint8_t *marker, bool sparse, int32_t connectivity)
{
  const VtReconstruct args = { { marker, SIDE, SIDE, SIDE, VITRAIL_U8 },
                               { mask, SIDE, SIDE, SIDE, VITRAIL_U8 },
                               connectivity };
  Sums sums = { 0 };
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    marker[i] = sparse ? vt_bench_sparse(mask[i], i % SIDE, i / SIDE, 1) : vt_bench_hmax(mask[i]);
  if (vt_cpu_backend()->reconstruct[0].run(NULL, &args, NULL) == VITRAIL_OK)
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
      add(&sums, marker[i], i);
  return sums;
}

static Sums
distances(const uint8_t *mask, uint8_t *foreground, int32_t *columns, int64_t *squared)
{
  const VtImage c = { columns, SIDE, SIDE, SIDE * sizeof *columns, VITRAIL_I32 };
  const VtEdt first = { { foreground, SIDE, SIDE, SIDE, VITRAIL_U8 }, c, 1 };
  const VtEdt second = { c, { squared, SIDE, SIDE, SIDE * sizeof *squared, VT_I64 }, 1 };
  Sums sums = { 0 };
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    foreground[i] = mask[i] > 128;
  if (vt_cpu_backend()->edt_columns(NULL, &first, NULL) == VITRAIL_OK
      && vt_cpu_backend()->edt_rows(NULL, &second, NULL) == VITRAIL_OK)
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
      add(&sums, (uint64_t)squared[i], i);
  return sums;
}

int
main(void)
{
  uint8_t *mask = malloc(SIDE * SIDE), *marker = malloc(SIDE * SIDE);
  int32_t *columns = malloc(sizeof *columns * SIDE * SIDE);
  int64_t *squared = malloc(sizeof *squared * SIDE * SIDE);
  if (vt_ok(mask && marker && columns && squared, "memory")) {
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
      mask[i] = vt_bench_mask(i % SIDE, i / SIDE, 1);
    expect("8-connected, h-maxima", reconstruct(mask, marker, false, 8), 568312711, 0x10efe2790b14108d);
    expect("8-connected, sparse", reconstruct(mask, marker, true, 8), 571124716, 0x1105559daa6523a8);
    expect("4-connected, h-maxima", reconstruct(mask, marker, false, 4), 563665704, 0x10cc726095d14f2d);
    expect("4-connected, sparse", reconstruct(mask, marker, true, 4), 566184432, 0x10dfaa20f36bec31);
    expect("squared distances", distances(mask, marker, columns, squared), 13163294216, 0x88509b90f32c8cea);
  }
  free(mask);
  free(marker);
  free(columns);
  free(squared);
  return vt_test_done();
}
