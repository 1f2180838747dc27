/* SPDX-License-Identifier: MIT
 *
 * Steps that bring images into a recipe. */
#include <string.h>

#include "steps/steps.h"

static VitrailStatus
read(VtExec *x, const VtCall *call)
{
  return x->does->read(x, call->out->input, &call->out->image);
}

static VitrailStatus
infer_read(const VtCall *call)
{
  call->out->type = call->out->input->type;
  return VITRAIL_OK;
}

/* --- one channel --- */

static VitrailStatus
channel_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtChannel *channel = user;
  const VtLut3 args = { t->in[0], t->out[0], channel->table };
  if (!channel->is_copy)
    return t->backend->lut3 ? t->backend->lut3(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
  for (int64_t y = 0; y < t->tile.height && t->in[0].data != t->out[0].data; y++)
    memcpy(vt_image_at(&t->out[0], 0, y), vt_image_at(&t->in[0], 0, y),
           (size_t)t->tile.width * vt_type_size(t->in[0].type));
  return VITRAIL_OK;
}

/* Of what was read, or of colours that a step made. */
static VitrailStatus
bring(VtExec *x, const VtCall *call, VtLocalBody body)
{
  const VtValue *from = call->in[0];
  const VtLocalStep step = { .in = { &from->image },
                             .out = { &call->out->image },
                             .by_slots = !call->channel->is_copy,
                             .body = body,
                             .user = call->channel,
                             .user_bytes = from->input ? 0 : sizeof *call->channel };
  return from->input ? x->does->bring(x, from->input, &step) : x->does->local(x, &step);
}

static VitrailStatus
channel(VtExec *x, const VtCall *call)
{
  return bring(x, call, channel_tile);
}

static VitrailStatus
infer_channel(const VtCall *call)
{
  const char *id = call->params[0].word ? call->params[0].word : "";
  TRY(vt_channel_prepare(call->run, id, call->in[0]->type, call->in[0]->is_normalised, call->channel));
  call->out->type = call->channel->type;
  call->out->scale = call->channel->scale;
  return VITRAIL_OK;
}

static const char *
cannot_channel(const VtCall *call, VtWay way, const char **record)
{
  return way == VT_ON_DEVICE && call->channel->is_copy ? "" : NULL;
}

/* --- normalised stains --- */

static VitrailStatus
normalize_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtChannel *channel = user;
  VtNormalize args = { t->in[0], t->out[0], channel->table, vt_channel_colours(), { { 0 } } };
  memcpy(args.mix, channel->mix, sizeof args.mix);
  return t->backend->normalize ? t->backend->normalize(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
normalize(VtExec *x, const VtCall *call)
{
  return bring(x, call, normalize_tile);
}

static VitrailStatus
infer_normalize(const VtCall *call)
{
  const VtParamOf *p = call->params;
  call->out->is_normalised = true;
  return vt_channel_normalize(call->run, (const double[2]){ p[0].number, p[1].number },
                              (const double[2]){ p[2].number, p[3].number }, call->channel);
}

/* --- labels that are given --- */

#define WIDEN(T) \
  for (int64_t y = 0; y < from->height; y++) { \
    const T *row = vt_image_at(from, 0, y); \
    int32_t *to = vt_image_at(labels, 0, y); \
    for (int64_t x = 0; x < from->width; x++) { \
      least = row[x] < least ? row[x] : least; \
      to[x] = row[x]; \
    } \
    if (vt_cancelled_at(run, y)) \
      return VITRAIL_CANCELLED; \
  }

static VitrailStatus
labels_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtImage *from = &t->in[0], *labels = &t->out[0];
  int32_t least = 0;
  switch (from->type) {
  case VITRAIL_U8: WIDEN(uint8_t); break;
  case VITRAIL_U16: WIDEN(uint16_t); break;
  case VITRAIL_I32: WIDEN(int32_t); break;
  default: return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Labels are whole numbers; this image has floats."));
  }
  if (least < 0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "Labels can't be negative; this image has %d.", (int)least);
  return VITRAIL_OK;
}

/* The labels fit the image, pixel for pixel. */
static VitrailStatus
check_labels(VtRun *run, const VitrailInput *input, const VitrailInput *image)
{
  if (input->width_l0 != image->width_l0 || input->height_l0 != image->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The input \"%s\" is %lld x %lld pixels and the image %lld x %lld; they must agree.", input->id,
                   (long long)input->width_l0, (long long)input->height_l0, (long long)image->width_l0,
                   (long long)image->height_l0);
  if (run->grid.downsample > 1 && !(input->flags & VITRAIL_INPUT_SAMPLED))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "Labels have no mean, so the pixel size must be the image's own, not %u times as much.",
                   (unsigned)run->grid.downsample);
  return VITRAIL_OK;
}

static VitrailStatus
labels(VtExec *x, const VtCall *call)
{
  const VtLocalStep step = { .in = { &call->in[0]->image }, .out = { &call->out->image }, .body = labels_tile };
  return x->does->bring(x, call->in[0]->input, &step);
}

static VitrailStatus
infer_labels(const VtCall *call)
{
  call->run->has_given_labels = true;
  return check_labels(call->run, call->in[0]->input, call->primary);
}

/* --- an image of the same kind and size as another --- */

static VitrailStatus
infer_like(const VtCall *call)
{
  const VitrailInput *input = call->in[0]->input, *other = call->primary;
  if (input->width_l0 != other->width_l0 || input->height_l0 != other->height_l0)
    return vt_fail(
      call->run, VITRAIL_BAD_ARGUMENT, "The marker is %lld x %lld pixels and the mask %lld x %lld; they must agree.",
      (long long)input->width_l0, (long long)input->height_l0, (long long)other->width_l0, (long long)other->height_l0);
  if (input->type != call->in[1]->type)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT, TR("The marker and the mask must have the same pixel type."));
  *call->channel = (VtChannel){ .type = input->type, .scale = 1, .is_copy = true };
  call->out->type = input->type;
  return VITRAIL_OK;
}

const VtStep vt_steps_input[] = {
  { .id = "read", .by_pixel = true, .makes = VITRAIL_U8, .infer = infer_read, .run = read },
  { .id = "channel",
    .by_pixel = true,
    .reads = 1,
    .or_colours = true,
    .may_replace = 1,
    .takes = { VT_TAKES_SCALARS | VT_TAKES_RGBA8 },
    .makes = VITRAIL_U16,
    .infer = infer_channel,
    .run = channel,
    .cannot = cannot_channel },
  { .id = "normalize",
    .by_pixel = true,
    .reads = 1,
    .takes = { VT_TAKES_RGBA8 },
    .makes = VITRAIL_RGBA8,
    .infer = infer_normalize,
    .run = normalize },
  { .id = "marker",
    .by_pixel = true,
    .reads = 1,
    .may_replace = 1,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_SCALARS },
    .makes = VITRAIL_U16,
    .infer = infer_like,
    .run = channel,
    .cannot = cannot_channel },
  { .id = "labels",
    .reads = 1,
    .takes = { VT_TAKES_SCALARS },
    .makes = VT_MAKES_LABELS,
    .infer = infer_labels,
    .run = labels,
    .not_on_device = VT_TAKES_ANY },
};
const uint32_t vt_n_steps_input = VT_COUNT(vt_steps_input);
