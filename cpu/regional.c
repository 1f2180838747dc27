/* SPDX-License-Identifier: MIT
 *
 * Regional maxima and minima: a pixel beside a higher one is none, and neither is what it can reach on its plateau (L. Vincent,
 * Morphological grayscale reconstruction in image analysis, 1993, section 2.2). Every type is worked on as 32-bit integers in the
 * same order, for minima turned round.
 *
 * Bands of rows are swept down and up, and take from each other along their seams, until nothing changes; whole rows are loops for
 * vectors. Plateaus that wind need more than a few rounds: a wavefront does the rest of those. */
#include "bands.h"
#include "iwpp/iwpp.h"
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4 };

/* Position of pixel (x,y): (y + 1) * pitch + x + 1. */
typedef struct Regional {
  VtCpuBands bands;
  const VtRegional *args;
  const VtCpuRows *rows;
  int64_t pitch;
  int32_t *key;
  uint8_t *is;
  uint8_t *seams; /* copies of each band's first and last row of `is`: they change while others look */
  bool *changed;  /* of each band, in this round */
} Regional;

static inline int64_t
row_at(const Regional *r, int64_t y)
{
  return (y + 1) * r->pitch + 1;
}

/* Integers in the order of the floats; the two zeros are one. */
static inline int32_t
key_of_float(float value)
{
  const float no_minus_zero = value + 0.0f;
  int32_t bits;
  memcpy(&bits, &no_minus_zero, sizeof bits);
  return bits < 0 ? bits ^ INT32_MAX : bits;
}

static void
read_keys(const VtImage *src, int64_t y, int32_t *restrict key)
{
  const void *row = vt_image_at(src, 0, y);
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_U8; x++)
    key[x] = ((const uint8_t *)row)[x];
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_U16; x++)
    key[x] = ((const uint16_t *)row)[x];
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_F32; x++)
    key[x] = key_of_float(((const float *)row)[x]);
  if (src->type == VITRAIL_I32)
    memcpy(key, row, (size_t)src->width * sizeof *key);
}

/* False: a pixel inside is no number. */
static bool
frame_row(const Regional *r, int64_t y)
{
  const VtImage *src = &r->args->src;
  const uint8_t *inside = r->args->inside.data ? vt_image_at(&r->args->inside, 0, y) : NULL;
  const float *value = vt_image_at(src, 0, y);
  int32_t *key = r->key + row_at(r, y);
  uint8_t *is = r->is + row_at(r, y);
  bool ok = true;
  key[-1] = INT32_MIN;
  is[-1] = VT_CPU_NOTHING;
  read_keys(src, y, key);
  for (int64_t x = 0; x < src->width; x++) {
    is[x] = !inside || inside[x] ? VT_CPU_TOP : VT_CPU_NOTHING;
    key[x] = is[x] == VT_CPU_NOTHING ? INT32_MIN : r->args->minima ? ~key[x] : key[x];
  }
  for (int64_t x = 0; x < src->width && src->type == VITRAIL_F32; x++)
    ok &= is[x] == VT_CPU_NOTHING || value[x] == value[x];
  return ok;
}

static void
frame(Regional *r)
{
  const int64_t last = row_at(r, r->args->src.height) - 1;
  for (int64_t i = 0; i < r->pitch; i++)
    r->key[i] = r->key[last + i] = INT32_MIN;
  r->key[last + r->pitch] = INT32_MIN;
  memset(r->is, VT_CPU_NOTHING, (size_t)r->pitch);
  memset(r->is + last, VT_CPU_NOTHING, (size_t)r->pitch + 1);
}

static void
read_band(void *user, uint32_t band)
{
  Regional *r = user;
  VT_CPU_EACH_ROW (y, &r->bands, band)
    if (!frame_row(r, y))
      vt_cpu_bands_fail(&r->bands, VITRAIL_BAD_ARGUMENT);
}

static void
mark_band(void *user, uint32_t band)
{
  Regional *r = user;
  VT_CPU_EACH_ROW (y, &r->bands, band) {
    const int32_t *here = r->key + row_at(r, y), *const key[3] = { here - r->pitch, here, here + r->pitch };
    r->rows->mark(r->is + row_at(r, y), key, r->args->connectivity == 8, r->args->src.width);
  }
}

/* A row takes from one beside it, whose states are those of `other`. */
static bool
sink(const Regional *r, int64_t y, const uint8_t *other, int64_t other_y)
{
  return r->rows->sink(r->is + row_at(r, y), r->key + row_at(r, y), other, r->key + row_at(r, other_y),
                       r->args->connectivity == 8, r->args->src.width);
}

static inline uint8_t *
seam(const Regional *r, uint32_t band, bool last)
{
  return r->seams + (2 * (int64_t)band + last) * (r->pitch + 1) + 1;
}

static void
note_seams(Regional *r)
{
  for (uint32_t band = 0; band < r->bands.n; band++) {
    const int64_t first = band * r->bands.n_rows;
    memcpy(seam(r, band, false) - 1, r->is + row_at(r, first) - 1, (size_t)r->pitch + 1);
    memcpy(seam(r, band, true) - 1, r->is + row_at(r, vt_cpu_bands_end(&r->bands, first) - 1) - 1,
           (size_t)r->pitch + 1);
  }
}

static void
sweep_band(void *user, uint32_t band)
{
  Regional *r = user;
  const int64_t first = band * r->bands.n_rows, end = vt_cpu_bands_end(&r->bands, first);
  /* Beyond the image there is nothing, but the row takes from itself, too. */
  const uint8_t *above = band > 0 ? seam(r, band - 1, true) : r->is + row_at(r, -1);
  bool changed = sink(r, first, above, first - 1);
  for (int64_t y = first + 1; y < end && !vt_cpu_bands_stop_at(&r->bands, y); y++)
    changed |= sink(r, y, r->is + row_at(r, y - 1), y - 1);
  if (band + 1 < r->bands.n)
    changed |= sink(r, end - 1, seam(r, band + 1, false), end);
  for (int64_t y = end - 1; y-- > first && !vt_cpu_bands_stop_at(&r->bands, y);)
    changed |= sink(r, y, r->is + row_at(r, y + 1), y + 1);
  r->changed[band] = changed;
}

/* Of the pixels that are no tops, those with a neighbour on their plateau that does not know it yet. */
static VitrailStatus
queue_row(const Regional *r, int64_t y, uint8_t *found, VtCpuQueue *queue)
{
  const int64_t first = row_at(r, y), width = r->args->src.width;
  const int32_t *here = r->key + first, *const key[3] = { here - r->pitch, here, here + r->pitch };
  const uint8_t *is = r->is + first, *const state[3] = { is - r->pitch, is, is + r->pitch };
  r->rows->can_sink(found, state, key, r->args->connectivity == 8, width);
  for (const uint8_t *s = found; (s = memchr(s, 1, (size_t)(found + width - s))); s++)
    if (!vt_cpu_queue_push(queue, first + (s - found)))
      return VITRAIL_OUT_OF_MEMORY;
  return VITRAIL_OK;
}

static bool
offer(void *state, const VtIwppStep *step)
{
  const Regional *r = state;
  if (r->is[step->to] != VT_CPU_TOP || r->key[step->to] != r->key[step->from])
    return false;
  r->is[step->to] = VT_CPU_NO_TOP;
  return true;
}

static VitrailStatus
flood(Regional *r)
{
  VtCpuQueue queue = { 0 };
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < r->args->src.height && status == VITRAIL_OK; y++) {
    status = queue_row(r, y, r->seams, &queue);
    if (vt_cpu_cancelled_at(r->bands.cancel, y))
      status = VITRAIL_CANCELLED;
  }
  if (status == VITRAIL_OK)
    status = r->args->connectivity == 8
               ? vt_iwpp_flow(&(VtIwpp){ r->pitch, 8, r->bands.cancel }, &queue, r, NULL, offer)
               : vt_iwpp_flow(&(VtIwpp){ r->pitch, 4, r->bands.cancel }, &queue, r, NULL, offer);
  vt_cpu_queue_clear(&queue);
  return status;
}

static void
write_band(void *user, uint32_t band)
{
  Regional *r = user;
  VT_CPU_EACH_ROW (y, &r->bands, band) {
    uint8_t *dst = vt_image_at(&r->args->dst, 0, y);
    const uint8_t *is = r->is + row_at(r, y);
    for (int64_t x = 0; x < r->args->src.width; x++)
      dst[x] = is[x] == VT_CPU_TOP ? 255 : 0;
  }
}

static VitrailStatus
find(Regional *r, VtDevice *device)
{
  frame(r);
  vt_cpu_bands_run(device, &r->bands, read_band, r);
  vt_cpu_bands_run(device, &r->bands, mark_band, r);
  bool changed = true;
  for (int round = 0; round < MOST_ROUNDS && changed && vt_cpu_bands_status(&r->bands) == VITRAIL_OK; round++) {
    note_seams(r);
    vt_cpu_bands_run(device, &r->bands, sweep_band, r);
    changed = false;
    for (uint32_t band = 0; band < r->bands.n; band++)
      changed |= r->changed[band];
  }
  if (changed && vt_cpu_bands_status(&r->bands) == VITRAIL_OK)
    vt_cpu_bands_fail(&r->bands, flood(r));
  return vt_cpu_bands_run(device, &r->bands, write_band, r);
}

VitrailStatus
vt_cpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel)
{
  if (!vt_regional_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t height = args->src.height, pitch = args->src.width + 1, n = (height + 2) * pitch + 1;
  Regional r = {
    .bands = vt_cpu_bands_of(device, height, cancel), .args = args, .rows = vt_cpu_rows(), .pitch = pitch
  };
  r.key = vt_cpu_scratch_take(device, (size_t)n * (sizeof *r.key + 1));
  r.seams = malloc((size_t)(2 * (int64_t)r.bands.n * (pitch + 1)));
  r.changed = calloc(r.bands.n, sizeof *r.changed);
  r.is = r.key ? (uint8_t *)(r.key + n) : NULL;
  const VitrailStatus status = r.key && r.seams && r.changed ? find(&r, device) : VITRAIL_OUT_OF_MEMORY;
  vt_cpu_scratch_give(device, r.key);
  free(r.seams);
  free(r.changed);
  return status;
}
