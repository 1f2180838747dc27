/* SPDX-License-Identifier: MIT
 *
 * Steps that look at one pixel. */
#include <math.h>

#include "steps/steps.h"

/* --- slots --- */

static VitrailStatus
pointwise_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  VtPointwise args = *(const VtPointwise *)user;
  args.a = t->in[0];
  args.b = t->in[1];
  args.dst = t->out[0];
  return t->backend->pointwise ? t->backend->pointwise(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

/* From the call's images into its output; user: of which there is a copy. */
static VitrailStatus
run_body(VtExec *x, const VtCall *call, VtLocalBody body, void *user, size_t bytes, uint32_t falls)
{
  const VtLocalStep step = { .in = { &call->in[0]->image, call->in[1] ? &call->in[1]->image : NULL },
                             .out = { &call->out->image },
                             .by_slots = body == pointwise_tile,
                             .body = body,
                             .user = user,
                             .user_bytes = bytes,
                             .falls = falls };
  return x->does->local(x, &step);
}

static VitrailStatus
pointwise(VtExec *x, const VtCall *call, VtPointwiseOp op, double s, uint32_t falls)
{
  VtPointwise args = { .op = op, .s = s };
  return run_body(x, call, pointwise_tile, &args, sizeof args, falls);
}

/* A step that is one slot, whatever the type. */
#define POINTWISE(name, op, s, falls) \
  static VitrailStatus name(VtExec *x, const VtCall *call) \
  { \
    return pointwise(x, call, op, s, falls); \
  }
POINTWISE(not_zero, VT_PW_NOT, 0, 1)
POINTWISE(both, VT_PW_AND, 0, 0)
POINTWISE(shift_down, VT_PW_SHIFT_DOWN, call->params[0].number, 0)
POINTWISE(select_where, VT_PW_SELECT, call->params[0].number, 0) /* `elsewhere` is not above what is selected */
POINTWISE(widen, VT_PW_WIDEN, 0, 0)

/* --- bodies, for types without a slot --- */

typedef struct {
  double s;
  bool negative;
} Job;

#define EACH(FROM, TO, expression) \
  for (int64_t y = 0; y < t->tile.height; y++) { \
    const FROM *a = vt_image_at(&t->in[0], 0, y), *b = t->in[1].data ? vt_image_at(&t->in[1], 0, y) : NULL; \
    (void)b; \
    TO *out = vt_image_at(&t->out[0], 0, y); \
    for (int64_t x = 0; x < t->tile.width; x++) \
      out[x] = (TO)(expression); \
  } \
  return VITRAIL_OK

static VitrailStatus
above_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const double s = ((const Job *)user)->s;
  EACH(int32_t, uint8_t, a[x] > s ? 255 : 0);
}

static VitrailStatus
above(VtExec *x, const VtCall *call)
{
  Job job = { .s = call->params[0].number };
  if (call->in[0]->type == VITRAIL_I32)
    return run_body(x, call, above_tile, &job, sizeof job, 0);
  return pointwise(x, call, VT_PW_ABOVE, job.s, 0);
}

static VitrailStatus
subtract_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  switch (t->in[0].type) {
  case VITRAIL_U8: EACH(uint8_t, uint8_t, a[x] > b[x] ? a[x] - b[x] : 0);
  case VITRAIL_I32: EACH(uint32_t, uint32_t, a[x] - b[x]); /* modulo 2^32, so that no difference overflows */
  default: EACH(float, float, a[x] - b[x]);
  }
}

static VitrailStatus
subtract(VtExec *x, const VtCall *call)
{
  Job job = { 0 };
  if (call->in[0]->type == VITRAIL_U16)
    return pointwise(x, call, VT_PW_SUBTRACT_CLAMP, 0, 2);
  return run_body(x, call, subtract_tile, &job, sizeof job, 2);
}

static VitrailStatus
complement_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  if (t->in[0].type == VITRAIL_I32) {
    EACH(int32_t, int32_t, ~a[x]);
  }
  EACH(float, float, 0.0f - a[x]); /* no zero is a negative one */
}

static VitrailStatus
complement(VtExec *x, const VtCall *call)
{
  Job job = { 0 };
  if (call->in[0]->type == VITRAIL_U8 || call->in[0]->type == VITRAIL_U16)
    return pointwise(x, call, VT_PW_COMPLEMENT, 0, 1);
  return run_body(x, call, complement_tile, &job, sizeof job, 1);
}

static VitrailStatus
lower_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const double s = ((const Job *)user)->s;
  if (t->in[0].type == VITRAIL_I32) {
    EACH(int32_t, int32_t, (double)a[x] - s > (double)INT32_MIN ? (double)a[x] - s : INT32_MIN);
  }
  EACH(float, float, (double)a[x] - s > (double)-INFINITY ? (double)a[x] - s : -INFINITY);
}

/* Not below the type's lowest value (Karas 2010: the marker of h-maxima). */
static VitrailStatus
lower(VtExec *x, const VtCall *call)
{
  Job job = { .s = call->params[0].number };
  const VtType type = call->in[0]->type;
  if (type == VITRAIL_U8 || type == VITRAIL_U16)
    return pointwise(x, call, VT_PW_LOWER_CLAMP, fmin(job.s, UINT16_MAX), 0);
  return run_body(x, call, lower_tile, &job, sizeof job, 0);
}

/* --- height: the channel as floats, its negative for dark objects --- */

#define AS_FLOAT(T) \
  for (int64_t y = 0; y < t->tile.height; y++) { \
    const T *from = vt_image_at(&t->in[0], 0, y); \
    float *to = vt_image_at(&t->out[0], 0, y); \
    for (int64_t x = 0; x < t->tile.width; x++) { \
      to[x] = job->negative ? -(float)from[x] : (float)from[x]; \
      is_exact &= fabsf(to[x]) <= 0x1p24f; \
    } \
  }

static VitrailStatus
float_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const Job *job = user;
  bool is_exact = true;
  switch (t->in[0].type) {
  case VITRAIL_U8: AS_FLOAT(uint8_t); break;
  case VITRAIL_U16: AS_FLOAT(uint16_t); break;
  case VITRAIL_I32: AS_FLOAT(int32_t); break;
  default: AS_FLOAT(float); is_exact = true;
  }
  return is_exact ? VITRAIL_OK
                  : vt_fail(run, VITRAIL_BAD_ARGUMENT,
                            TR("A watershed needs whole numbers of up to 24 bits; this image has larger ones."));
}

static VitrailStatus
as_float(VtExec *x, const VtCall *call)
{
  Job job = { .negative = call->params[0].number != 0 };
  return run_body(x, call, float_tile, &job, sizeof job, job.negative ? 1 : 0);
}

/* --- lengths of geodesic steps --- */

static VitrailStatus
length_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const float scale = (float)((const Job *)user)->s;
  EACH(int32_t, float, a[x] == VT_EDT_NONE ? NAN : (float)a[x] * scale);
}

static VitrailStatus
length(VtExec *x, const VtCall *call)
{
  Job job = { .s = call->params[0].number };
  return run_body(x, call, length_tile, &job, sizeof job, 0);
}

/* --- where labels are --- */

static VitrailStatus
where_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  EACH(int32_t, uint8_t, a[x] ? 255 : 0);
}

static VitrailStatus
where_labels(VtExec *x, const VtCall *call)
{
  const VtLocalStep step = {
    .in = { &call->in[0]->image }, .out = { &call->out->image }, .body = where_tile, .of_labels = true
  };
  return x->does->local(x, &step);
}

const VtStep vt_steps_pointwise[] = {
  { .id = "above",
    .by_pixel = true,
    .takes = { VT_TAKES_SCALARS },
    .makes = VITRAIL_U8,
    .run = above,
    .not_on_device = VT_TAKES_I32 },
  { .id = "subtract",
    .by_pixel = true,
    .may_replace = 3,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_LIKE_FIRST },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = subtract,
    .not_on_device = VT_TAKES_ANY & ~VT_TAKES_U16 },
  { .id = "not", .by_pixel = true, .may_replace = 1, .takes = { VT_TAKES_U8 }, .makes = VITRAIL_U8, .run = not_zero },
  { .id = "and",
    .by_pixel = true,
    .may_replace = 3,
    .takes = { VT_TAKES_U8, VT_TAKES_U8 },
    .makes = VITRAIL_U8,
    .run = both },
  { .id = "shift-down",
    .by_pixel = true,
    .may_replace = 1,
    .takes = { VT_TAKES_F32 },
    .makes = VITRAIL_F32,
    .keeps_scale = true,
    .run = shift_down },
  { .id = "select",
    .by_pixel = true,
    .may_replace = 1,
    .takes = { VT_TAKES_F32, VT_TAKES_U8 },
    .makes = VITRAIL_F32,
    .keeps_scale = true,
    .run = select_where },
  { .id = "complement",
    .by_pixel = true,
    .may_replace = 1,
    .takes = { VT_TAKES_SCALARS },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = complement,
    .not_on_device = VT_TAKES_I32 | VT_TAKES_F32 },
  { .id = "lower",
    .by_pixel = true,
    .may_replace = 1,
    .takes = { VT_TAKES_SCALARS },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = lower,
    .not_on_device = VT_TAKES_I32 | VT_TAKES_F32 },
  { .id = "float",
    .by_pixel = true,
    .takes = { VT_TAKES_SCALARS },
    .makes = VITRAIL_F32,
    .keeps_scale = true,
    .run = as_float,
    .not_on_device = VT_TAKES_ANY },
  { .id = "widen",
    .by_pixel = true,
    .takes = { VT_TAKES_U8 | VT_TAKES_U16 },
    .makes = VITRAIL_U16,
    .keeps_scale = true,
    .run = widen },
  { .id = "length",
    .by_pixel = true,
    .takes = { VT_TAKES_I32 },
    .makes = VITRAIL_F32,
    .run = length,
    .not_on_device = VT_TAKES_ANY },
  { .id = "where",
    .takes = { VT_TAKES_LABELS },
    .makes = VITRAIL_U8,
    .run = where_labels,
    .not_on_device = VT_TAKES_ANY },
};
const uint32_t vt_n_steps_pointwise = VT_COUNT(vt_steps_pointwise);
