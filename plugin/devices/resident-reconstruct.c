/* SPDX-License-Identifier: MIT
 *
 * Reconstruction of resident stripes. In the first round every stripe, with some rows of its neighbours, is worked on until no pixel
 * changes. Then the host compares the two rows at each cut. Both stripes hold both rows. The values of either stripe are legal, so
 * the larger one of each pixel is legal too, and both stripes get it. A stripe in which this raises a pixel works on a strip of rows
 * next to the cut. If the strip's far row changes, the strip is doubled. When no cut raises a pixel, each pair of touching pixels
 * is at its fixpoint in one of the stripes. There is only one fixpoint of the whole image, so this is it. */
#include <stdlib.h>
#include <string.h>

#include "devices/resident.h"
#include "run/backends.h"

enum { STRIP = 64 };

/* After the first round a stripe needs only one row of each neighbour. */
static VtImage
inner_rows(const VtResident *r, const VtStripe *s, int k)
{
  const int64_t above = vt_stripe_has_cut(r, s, 0), below = vt_stripe_has_cut(r, s, 1);
  return vt_rows_of(&s->images[k], s->y - above - s->top, s->height + above + below);
}

static VitrailStatus
settle_rows(VtResident *r, const VtHome *home, const VtImage images[2], int64_t y, int64_t n)
{
  const VtReconstruct args = { .marker = vt_rows_of(&images[0], y, n),
                               .mask = vt_rows_of(&images[1], y, n),
                               .connectivity = r->connectivity };
  const VtReconstructAlgorithm *algorithm = vt_choose_reconstruct(r->run, home->backend, r->algorithm);
  return algorithm ? algorithm->run(home->device, &args, &r->run->cancel) : VITRAIL_UNSUPPORTED;
}

/* Works on a strip at the cut, and on a larger one until its far row does not change. rows: memory for two rows. */
static VitrailStatus
settle_strip(VtResident *r, const VtHome *home, const VtImage images[2], int side, char *rows, VtStripe *s)
{
  const int64_t height = images[0].height;
  const VtImage before = vt_rows_compact(rows, images[0].width, 1, images[0].type);
  const VtImage after = vt_rows_compact(rows + before.stride, images[0].width, 1, images[0].type);
  for (int64_t n = STRIP;; n *= 2) {
    n = n < height ? n : height;
    const VtImage far = vt_rows_of(&images[0], side == 0 ? n - 1 : height - n, 1);
    VitrailStatus status = n < height ? home->backend->download(home->device, &before, &far) : VITRAIL_OK;
    THEN(status, settle_rows(r, home, images, side == 0 ? 0 : height - n, n));
    s->rows_again += n;
    if (status != VITRAIL_OK || n == height)
      return status;
    status = home->backend->download(home->device, &after, &far);
    if (status != VITRAIL_OK || memcmp(before.data, after.data, (size_t)before.stride) == 0)
      return status;
  }
}

static VitrailStatus
settle_strips(VtResident *r, const VtHome *home, VtStripe *s, const VtImage images[2])
{
  const int64_t height = images[0].height;
  VitrailStatus status = VITRAIL_OK;
  char *rows = malloc(2 * (size_t)images[0].width * vt_type_size(images[0].type));
  if (!rows)
    return VITRAIL_OUT_OF_MEMORY;
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage from = vt_rows_compact(s->cuts[side], images[0].width, 2, images[0].type);
    const VtImage to = vt_rows_of(&images[0], side == 0 ? 0 : height - 2, 2);
    if (s->rose[side])
      status = home->backend->upload(home->device, &to, &from);
  }
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++)
    if (s->rose[side])
      status = settle_strip(r, home, images, side, rows, s);
  free(rows);
  return status;
}

static VitrailStatus
step_settle(VtResident *r, const VtHome *home, VtStripe *s)
{
  if (s->stored || (s->stage == VT_STAGE_DONE && !s->rose[0] && !s->rose[1]))
    return VITRAIL_OK;
  VitrailStatus status = vt_resident_load(r, home, s);
  if (status != VITRAIL_OK)
    return status;
  const VtImage images[2] = { inner_rows(r, s, 0), inner_rows(r, s, 1) };
  if (s->stage == VT_STAGE_DONE)
    status = settle_strips(r, home, s, images);
  else
    status = settle_rows(r, home, s->images, 0, s->rows);
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage to = vt_rows_compact(s->cuts[side], images[0].width, 2, images[0].type);
    const VtImage from = vt_rows_of(&images[0], side == 0 ? 0 : images[0].height - 2, 2);
    if (vt_stripe_has_cut(r, s, side))
      status = home->backend->download(home->device, &to, &from);
    s->rose[side] = false;
  }
  s->stage = VT_STAGE_DONE;
  return status;
}

#define RAISE(T) \
  do { \
    T *p = a, *q = b; \
    int a_less = 0, b_less = 0; \
    for (int64_t i = 0; i < n; i++) { \
      const T high = p[i] < q[i] ? q[i] : p[i]; \
      a_less |= p[i] < high; \
      b_less |= q[i] < high; \
      p[i] = q[i] = high; \
    } \
    *a_rose = a_less; \
    *b_rose = b_less; \
  } while (0)

/* Both become the larger of both. */
static void
raise_both(VtType type, int64_t n, void *a, void *b, bool *a_rose, bool *b_rose)
{
  switch (type) {
  case VITRAIL_U8: RAISE(uint8_t); break;
  case VITRAIL_U16: RAISE(uint16_t); break;
  case VITRAIL_I32: RAISE(int32_t); break;
  default: RAISE(float); break;
  }
}

/* True if a stripe has to work again. */
static bool
exchange(VtResident *r)
{
  bool any = false;
  for (int32_t i = 0; i + 1 < r->n_stripes; i++) {
    VtStripe *a = &r->stripes[i], *b = &r->stripes[i + 1];
    raise_both(r->host[0].type, 2 * r->host[0].width, a->cuts[1], b->cuts[0], &a->rose[1], &b->rose[0]);
    any |= a->rose[1] || b->rose[0];
  }
  return any;
}

VitrailStatus
vt_resident_settle(VtResident *r)
{
  for (;;) {
    bool moved;
    const VitrailStatus status = vt_resident_run_step(r, step_settle, &moved);
    r->counts.rounds++;
    if (status != VITRAIL_OK || (!moved && !exchange(r)))
      return status;
  }
}
