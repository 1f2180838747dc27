/* SPDX-License-Identifier: MIT
 *
 * Distances of resident stripes. First each stripe measures alone, from its own rows and `depth` rows of each neighbour. Such a
 * distance is exact or too large: nearer background may lie outside these rows. It is exact for all pixels of the stripe if every
 * pixel of its border rows has background within `depth`, because d(x, y + t) <= d(x, y) + t. It is enough to check one of the two
 * stripes at a cut: if its border row has background within depth - 1, that background lies in rows that both stripes hold, and
 * the other stripe's border row has background within `depth`.
 *
 * If a check fails, column distances are used (Meijster 2000). Those of a stripe's first and last row tell where its topmost and its
 * lowest background is. The host carries them over all stripes, the devices merge them into their column distances, and the pass
 * along the rows comes last. */
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

static VitrailStatus
step_near(VtResident *r, const VtHome *home, VtStripe *s)
{
  VitrailStatus status = vt_resident_load(r, home, s);
  if (status != VITRAIL_OK || s->stage >= VT_STAGE_NEAR || s->stored)
    return status;
  const bool squared = r->host[1].type == VT_I64;
  const VtDistance args = { .src = s->images[0],
                            .squared = squared ? s->images[1] : (VtImage){ 0 },
                            .root = squared ? (VtImage){ 0 } : s->images[1],
                            .weight_x = 1,
                            .weight_y = 1,
                            .scale = r->scale };
  status =
    home->backend->distance ? home->backend->distance->run(home->device, &args, &r->run->cancel) : VITRAIL_UNSUPPORTED;
  s->is_blind = status == VITRAIL_UNSUPPORTED;
  s->is_far = false;
  if (vt_stripe_has_cut(r, s, 1) && status == VITRAIL_OK) {
    const VtImage to = vt_rows_compact(s->cuts[1], args.src.width, 1, r->host[1].type);
    const VtImage from = vt_rows_of(&s->images[1], s->y - s->top + s->height - 1, 1);
    status = home->backend->download(home->device, &to, &from);
    s->is_far = status == VITRAIL_OK && !is_near_row(r, s->cuts[1]);
  }
  status = s->is_blind ? VITRAIL_OK : status;
  s->stage = status == VITRAIL_OK ? VT_STAGE_NEAR : s->stage;
  return status;
}

static bool
is_near(const VtResident *r)
{
  bool near = true;
  for (int32_t i = 0; i < r->n_stripes; i++)
    near &= !r->stripes[i].is_blind && !r->stripes[i].is_far;
  return near;
}

/* cuts become the column distances of the first and the last own row, from the own rows alone. */
static VitrailStatus
step_columns(VtResident *r, const VtHome *home, VtStripe *s)
{
  VitrailStatus status = vt_resident_load(r, home, s);
  if (status != VITRAIL_OK || s->stage >= VT_STAGE_COLUMNS || s->stored)
    return status;
  if (!home->backend->edt_columns || !home->backend->edt_carry || !home->backend->edt_rows)
    return VITRAIL_UNSUPPORTED;
  if (!s->columns.data)
    status = vt_resident_image(home, &s->columns, VITRAIL_I32, r->host[0].width, s->height);
  const VtEdt args = { .src = vt_rows_of(&s->images[0], s->y - s->top, s->height), .dst = s->columns, .scale = 1 };
  if (status == VITRAIL_OK)
    status = home->backend->edt_columns(home->device, &args, &r->run->cancel);
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage to = vt_rows_compact(s->cuts[side], args.src.width, 1, VITRAIL_I32);
    const VtImage from = vt_rows_of(&s->columns, side == 0 ? 0 : s->height - 1, 1);
    status = home->backend->download(home->device, &to, &from);
  }
  s->stage = status == VITRAIL_OK ? VT_STAGE_COLUMNS : s->stage;
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
step_rows(VtResident *r, const VtHome *home, VtStripe *s)
{
  VtImage carries = { 0 };
  if (s->stage >= VT_STAGE_DONE || s->stored)
    return VITRAIL_OK;
  VitrailStatus status = vt_resident_image(home, &carries, VITRAIL_I32, r->host[0].width, VT_N_SIDES);
  for (int side = 0; side < VT_N_SIDES && status == VITRAIL_OK; side++) {
    const VtImage from = vt_rows_compact(s->cuts[side], r->host[0].width, 1, VITRAIL_I32),
                  to = vt_rows_of(&carries, side, 1);
    status = home->backend->upload(home->device, &to, &from);
  }
  if (status == VITRAIL_OK) {
    const VtEdtCarry args = { s->columns, vt_rows_of(&carries, 0, 1), vt_rows_of(&carries, 1, 1) };
    status = home->backend->edt_carry(home->device, &args, &r->run->cancel);
  }
  const VtEdt rows = { s->columns, vt_rows_of(&s->images[1], s->y - s->top, s->height), r->scale };
  if (status == VITRAIL_OK)
    status = home->backend->edt_rows(home->device, &rows, &r->run->cancel);
  if (carries.data)
    home->backend->free(home->device, carries.data);
  s->stage = status == VITRAIL_OK ? VT_STAGE_DONE : s->stage;
  return status;
}

VitrailStatus
vt_resident_measure(VtResident *r)
{
  for (bool again = true; again;) {
    bool moved;
    VitrailStatus status = vt_resident_run_step(r, step_near, &moved);
    if (status != VITRAIL_OK)
      return status;
    r->counts.rounds++;
    r->counts.is_near = !moved && is_near(r);
    again = moved;
    if (moved || r->counts.is_near)
      continue;
    status = vt_resident_run_step(r, step_columns, &again);
    if (status == VITRAIL_OK && !again) {
      carry(r);
      status = vt_resident_run_step(r, step_rows, &again);
    }
    for (int32_t i = 0; i < r->n_stripes && again; i++) /* a stripe was moved: all column distances are made again */
      r->stripes[i].stage = r->stripes[i].stage > VT_STAGE_LOADED ? VT_STAGE_LOADED : r->stripes[i].stage;
    if (status != VITRAIL_OK)
      return status;
  }
  return VITRAIL_OK;
}
