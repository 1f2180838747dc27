/* SPDX-License-Identifier: MIT
 *
 * Steps that look at a neighbourhood: erosion by a disc, smoothing. */
#include <math.h>
#include <stdlib.h>

#include "run/raster.h"
#include "steps/step.h"

/* --- erosion by a disc --- */

enum { LARGEST_RADIUS = 512 };

#define CONVERT(FROM, TO) \
  for (int64_t y = 0; y < from->height; y++) { \
    const FROM *in = vt_image_at(from, 0, y); \
    TO *out = vt_image_at(to, 0, y); \
    for (int64_t x = 0; x < from->width; x++) \
      out[x] = (TO)in[x]; \
  }

/* The disc's kernel knows 16 bits, so 8 are widened for it. */
static VitrailStatus
erode_bytes(VtRun *run, const VtErodeDisc *args)
{
  const VtImage *from = &args->src, *to;
  VtImage wide, eroded;
  VtErodeDisc local = *args;
  vt_image_new(&wide, VITRAIL_U16, args->src.width, args->src.height);
  vt_image_new(&eroded, VITRAIL_U16, args->dst.width, args->dst.height);
  VitrailStatus status = wide.data && eroded.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    to = &wide;
    CONVERT(uint8_t, uint16_t);
    local.src = wide;
    local.dst = eroded;
    status = run->cpu->erode_disc(run->cpu_device, &local, &run->cancel);
  }
  if (status == VITRAIL_OK) {
    from = &eroded;
    to = &args->dst;
    CONVERT(uint16_t, uint8_t);
  }
  free(wide.data);
  free(eroded.data);
  return status;
}

static VitrailStatus
erode_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtErodeDisc args = { .src = t->in[0],
                             .dst = t->out[0],
                             .x0 = t->tile.x - t->window.x,
                             .y0 = t->tile.y - t->window.y,
                             .radius = *(const int32_t *)user };
  if (args.src.type == VITRAIL_U8)
    return erode_bytes(run, &args);
  return t->backend->erode_disc ? t->backend->erode_disc(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
erode(VtExec *x, const VtCall *call)
{
  int32_t radius = (int32_t)call->params[0].number;
  const bool is_bytes = call->in[0]->type == VITRAIL_U8;
  const VtLocalStep step = { .in = { &call->in[0]->image },
                             .out = { &call->out->image },
                             .halo = radius,
                             .body_bytes = is_bytes ? 4 : 0,
                             .by_slots = !is_bytes,
                             .what = "The erosion",
                             .body = erode_tile,
                             .user = &radius,
                             .user_bytes = sizeof radius,
                             .may = VT_MAY_FALL }; /* what is higher outside does not count */
  return x->does->local(x, &step);
}

static VitrailStatus
infer_erode(const VtCall *call)
{
  const VtType type = call->in[0]->type;
  if (type != VITRAIL_U8 && type != VITRAIL_U16)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT, TR("Discs need an image of 8 or 16 bits; this one has 32."));
  if (call->params[0].number > LARGEST_RADIUS)
    return vt_fail(
      call->run, VITRAIL_BAD_ARGUMENT,
      "A disc of a radius of %.0f pixels is too large, %d are possible: choose a smaller radius or a coarser "
      "pixel size.",
      call->params[0].number, LARGEST_RADIUS);
  return VITRAIL_OK;
}

/* --- smoothing --- */

typedef struct {
  int32_t radius;
  uint32_t weights[LARGEST_RADIUS + 1];
} Smooth;

/* Gaussian weights as whole numbers that add up to 65536 exactly, cut at 3 sigma. Below a tenth of a pixel: the pixel
 * itself. */
static void
find_weights(double sigma_px, Smooth *s)
{
  s->radius = sigma_px < 0.1 ? 0 : (int32_t)fmin(ceil(3 * sigma_px), LARGEST_RADIUS);
  double sum = 1;
  for (int32_t i = 1; i <= s->radius; i++)
    sum += 2 * exp(-0.5 * i * i / (sigma_px * sigma_px));
  uint32_t rest = 0;
  for (int32_t i = 1; i <= s->radius; i++) {
    s->weights[i] = (uint32_t)floor(65536 * exp(-0.5 * i * i / (sigma_px * sigma_px)) / sum + 0.5);
    rest += 2 * s->weights[i];
  }
  /* Wide ones are nearly equal, and may all be rounded up: what is too much is taken from the outermost. */
  for (int32_t i = s->radius; i > 0 && rest > 65536; i--) {
    const uint32_t too_much = (rest - 65536 + 1) / 2, taken = too_much < s->weights[i] ? too_much : s->weights[i];
    s->weights[i] -= taken;
    rest -= 2 * taken;
  }
  s->weights[0] = 65536 - rest;
}

static VitrailStatus
smooth_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const Smooth *s = user;
  const VtSmooth args = { .src = t->in[0],
                          .dst = t->out[0],
                          .x0 = t->tile.x - t->window.x,
                          .y0 = t->tile.y - t->window.y,
                          .radius = s->radius,
                          .weights = s->weights };
  return t->backend->smooth ? t->backend->smooth(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
smooth(VtExec *x, const VtCall *call)
{
  Smooth s;
  find_weights(call->params[0].number, &s);
  const VtLocalStep step = { .in = { &call->in[0]->image },
                             .out = { &call->out->image },
                             .halo = s.radius,
                             .by_slots = true,
                             .what = "The smoothing",
                             .body = smooth_tile,
                             .user = &s,
                             .user_bytes = sizeof s,
                             .may = VT_MAY_FALL | VT_MAY_RISE };
  return x->does->local(x, &step);
}

static VitrailStatus
infer_smooth(const VtCall *call)
{
  if (call->params[0].number > LARGEST_RADIUS / 3.0)
    return vt_fail(
      call->run, VITRAIL_BAD_ARGUMENT,
      "Smoothing with a sigma of %.0f pixels is too wide, %d are possible: choose a smaller sigma or a coarser "
      "pixel size.",
      call->params[0].number, LARGEST_RADIUS / 3);
  return VITRAIL_OK;
}

const VtStep vt_steps_local[] = {
  { .id = "erode",
    .takes = { VT_TAKES_SCALARS },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .infer = infer_erode,
    .run = erode,
    .not_on_device = VT_TAKES_ANY & ~VT_TAKES_U16 },
  { .id = "smooth",
    .takes = { VT_TAKES_U16 },
    .makes = VITRAIL_U16,
    .keeps_scale = true,
    .infer = infer_smooth,
    .run = smooth },
};
const uint32_t vt_n_steps_local = VT_COUNT(vt_steps_local);
