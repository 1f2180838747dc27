/* SPDX-License-Identifier: MIT
 *
 * Distances of resident stripes. A stripe that measures alone, from its own rows and `depth` rows of each neighbour, has distances
 * that are exact or too large: nearer background may lie outside these rows. They are exact for all pixels of the stripe if every
 * pixel of its border rows has background within `depth`, because d(x, y + t) <= d(x, y) + t. It is enough to look at one of the two
 * stripes at a cut: if its border row has background within depth - 1, that background lies in rows that both stripes hold, and
 * the other stripe's border row has background within `depth`. So the rows round each cut are measured first, and the border row is
 * looked at, while other stripes are still uploaded.
 *
 * If one is far, each stripe tells where the topmost and the lowest background of each column is. The host carries that over all
 * stripes, and each stripe measures its own rows with what is carried into it (VtDistance.above and below): exact for every image. */
#include "devices/resident.h"

static bool
all_roots(const float *roots, int64_t n, float far)
{
  int n_far = 0;
  for (int64_t x = 0; x < n; x++)
    n_far |= !(roots[x] <= far);
  return n_far == 0;
}

static bool
all_squared(const int64_t *squared, int64_t n, int64_t far)
{
  int n_far = 0;
  for (int64_t x = 0; x < n; x++)
    n_far |= squared[x] > far * far;
  return n_far == 0;
}

/* Every pixel of the row above a cut has background within depth - 1. Roots are rounded: a rounded root is at most (depth - 1) * scale
 * only if the exact one is less than `depth`, and then at most depth - 1 rows lie between. */
static bool
is_near_row(const VtResident *r, const void *row)
{
  const int64_t width = r->host[0].width, far = r->depth - 1;
  return r->host[1].type == VT_I64 ? all_squared(row, width, far) : all_roots(row, width, (float)far * r->scale);
}

/* dst: rows of the stripe's distances, for those of src. */
static VitrailStatus
measure(const VtResident *r, const VtHome *home, const VtImage *src, const VtImage *dst,
        const VtImage carried[VT_N_SIDES])
{
  const bool squared = dst->type == VT_I64;
  const VtDistance args = { .src = *src,
                            .squared = squared ? *dst : (VtImage){ 0 },
                            .root = squared ? (VtImage){ 0 } : *dst,
                            .weight_x = 1,
                            .weight_y = 1,
                            .scale = r->scale,
                            .above = carried[0],
                            .below = carried[1] };
  return home->backend->distance ? home->backend->distance->run(home->device, &args, &r->run->cancel)
                                 : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
measure_alone(const VtResident *r, const VtHome *home, const VtStripe *s, int64_t first, int64_t end)
{
  static const VtImage none[VT_N_SIDES];
  const VtImage src = vt_rows_of(&s->images[0], first, end - first),
                dst = vt_rows_of(&s->images[1], first, end - first);
  return measure(r, home, &src, &dst, none);
}

/* Measures the rows round a cut, and looks at the one above it. They are measured again. */
static VitrailStatus
look_at_cut(VtResident *r, const VtHome *home, VtStripe *s, int side)
{
  const int64_t row = s->y - s->top + (side == 0 ? 0 : s->height) - 1, first = row - (r->depth - 1),
                end = row + r->depth;
  const VtImage to = vt_rows_compact(s->cuts[side], r->host[0].width, 1, r->host[1].type);
  const VtImage from = vt_rows_of(&s->images[1], row, 1);
  VitrailStatus status = measure_alone(r, home, s, first > 0 ? first : 0, end < s->rows ? end : s->rows);
  THEN(status, home->backend->download(home->device, &to, &from));
  s->is_far = status == VITRAIL_OK && !is_near_row(r, s->cuts[side]);
  return status;
}

/* Both stripes at a cut look at it, so that none waits for the other, or measures in vain where there are two. */
VitrailStatus
vt_resident_look(VtResident *r, const VtHome *home, VtStripe *s)
{
  VitrailStatus status = vt_resident_load(r, home, s);
  if (status != VITRAIL_OK || s->stage >= VT_STAGE_LOOKED || s->stored)
    return status;
  s->is_far = false;
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK && !s->is_far; side++)
    if (vt_stripe_has_cut(r, s, side))
      status = look_at_cut(r, home, s, side);
  s->stage = status == VITRAIL_OK ? VT_STAGE_LOOKED : s->stage;
  return status;
}

static VitrailStatus
step_near(VtResident *r, const VtHome *home, VtStripe *s)
{
  VitrailStatus status = vt_resident_look(r, home, s);
  if (status != VITRAIL_OK || s->stage >= VT_STAGE_NEAR || s->stored)
    return status;
  if (!s->is_far)
    status = measure_alone(r, home, s, 0, s->rows);
  s->stage = status == VITRAIL_OK ? VT_STAGE_NEAR : s->stage;
  return status;
}

static bool
is_near(const VtResident *r)
{
  bool near = true;
  for (int32_t i = 0; i < r->n_stripes; i++)
    near &= !r->stripes[i].is_far;
  return near;
}

/* cuts become the column distances of the first and the last own row, from the own rows alone. They are made where the distances
 * come later. */
static VitrailStatus
step_ends(VtResident *r, const VtHome *home, VtStripe *s)
{
  if (s->stage >= VT_STAGE_ENDS || s->stored)
    return VITRAIL_OK;
  if (!home->backend->edt_columns)
    return VITRAIL_UNSUPPORTED;
  const int64_t first = s->y - s->top;
  VtImage columns = vt_rows_of(&s->images[1], first, s->height);
  columns.type = VITRAIL_I32;
  const VtEdt args = { .src = vt_rows_of(&s->images[0], first, s->height), .dst = columns, .scale = 1 };
  VitrailStatus status = home->backend->edt_columns(home->device, &args, &r->run->cancel);
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage to = vt_rows_compact(s->cuts[side], args.src.width, 1, VITRAIL_I32);
    const VtImage from = vt_rows_of(&columns, side == 0 ? 0 : s->height - 1, 1);
    status = home->backend->download(home->device, &to, &from);
  }
  s->stage = status == VITRAIL_OK ? VT_STAGE_ENDS : s->stage;
  return status;
}

/* Replaces the cuts by what is carried into the stripe: the rows from its first row up to the nearest background above the stripe, and
 * from its last row down to the nearest background below it. */
static void
carry(VtResident *r)
{
  for (int64_t x = 0; x < r->host[0].width; x++) {
    int32_t above[VT_MAX_DEVICES], below = VT_EDT_NONE, way = VT_EDT_NONE;
    for (int32_t i = 0; i < r->n_stripes; i++) {
      const VtStripe *s = &r->stripes[i];
      const int32_t own = ((int32_t *)s->cuts[1])[x];
      above[i] = way;
      way = own != VT_EDT_NONE ? own + 1 : way != VT_EDT_NONE ? way + (int32_t)s->height : VT_EDT_NONE;
    }
    for (int32_t i = r->n_stripes; i-- > 0;) {
      const VtStripe *s = &r->stripes[i];
      const int32_t own = ((int32_t *)s->cuts[0])[x];
      ((int32_t *)s->cuts[0])[x] = above[i];
      ((int32_t *)s->cuts[1])[x] = below;
      below = own != VT_EDT_NONE ? own + 1 : below != VT_EDT_NONE ? below + (int32_t)s->height : VT_EDT_NONE;
    }
  }
}

static VitrailStatus
step_carried(VtResident *r, const VtHome *home, VtStripe *s)
{
  VtImage rows = { 0 }, carried[VT_N_SIDES];
  if (s->stage >= VT_STAGE_DONE || s->stored)
    return VITRAIL_OK;
  VitrailStatus status = vt_resident_image(home, &rows, VITRAIL_I32, r->host[0].width, VT_N_SIDES);
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage from = vt_rows_compact(s->cuts[side], r->host[0].width, 1, VITRAIL_I32);
    carried[side] = vt_rows_of(&rows, side, 1);
    status = home->backend->upload(home->device, &carried[side], &from);
  }
  const VtImage src = vt_rows_of(&s->images[0], s->y - s->top, s->height),
                dst = vt_rows_of(&s->images[1], s->y - s->top, s->height);
  THEN(status, measure(r, home, &src, &dst, carried));
  if (rows.data)
    home->backend->free(home->device, rows.data);
  s->stage = status == VITRAIL_OK ? VT_STAGE_DONE : s->stage;
  return status;
}

VitrailStatus
vt_resident_measure(VtResident *r)
{
  for (bool again = true; again;) {
    VitrailStatus status = vt_resident_run_step(r, step_near, &again);
    if (status != VITRAIL_OK)
      return status;
    r->counts.rounds++;
    r->counts.is_near = !again && is_near(r);
    if (again || r->counts.is_near)
      continue;
    status = vt_resident_run_step(r, step_ends, &again);
    if (status == VITRAIL_OK && !again) {
      carry(r);
      status = vt_resident_run_step(r, step_carried, &again);
    }
    for (int32_t i = 0; i < r->n_stripes && again; i++) /* a stripe was moved: all is made again */
      r->stripes[i].stage = r->stripes[i].stage > VT_STAGE_LOADED ? VT_STAGE_LOADED : r->stripes[i].stage;
    if (status != VITRAIL_OK)
      return status;
  }
  return VITRAIL_OK;
}
