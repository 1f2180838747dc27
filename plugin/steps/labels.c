/* SPDX-License-Identifier: MIT
 *
 * Steps that make labels, and those that count them. */
#include "steps/steps.h"

static VitrailStatus
components(VtExec *x, const VtCall *call)
{
  const VtComponents args = { call->in[0]->image, call->out->image, (int32_t)call->params[0].number };
  return x->does->components(x, &args);
}

static VitrailStatus
watershed(VtExec *x, const VtCall *call)
{
  const VtWatershed args = { call->in[0]->image, call->in[1]->image, call->in[2]->image, call->out->image };
  return x->does->watershed(x, &args);
}

static VitrailStatus
zones(VtExec *x, const VtCall *call)
{
  const VtGeodesic args = { .seeds = call->in[0]->image,
                            .mask = call->in[1]->image,
                            .steps = call->also->image,
                            .zones = call->out->image,
                            .connectivity = (int32_t)call->params[0].number };
  call->out->n = call->in[0]->n; /* they have the seeds' labels */
  return x->does->geodesic(x, &args);
}

enum { MIN_AREA, MAX_AREA, MAX_BACKGROUND, MIN_B };

static VitrailStatus
objects(VtExec *x, const VtCall *call)
{
  const VtObjectFilter filter = { .min_area_px = vt_object_area_limit(call->params[MIN_AREA].number),
                                  .max_area_px = vt_object_area_limit(call->params[MAX_AREA].number),
                                  .min_b = call->params[MIN_B].number,
                                  .max_b = call->params[MAX_BACKGROUND].number };
  return x->does->objects(x, &call->out->image, &call->in[1]->image, &call->in[2]->image, &filter, &call->out->stats,
                          &call->out->n);
}

static VitrailStatus
number(VtExec *x, const VtCall *call)
{
  return x->does->number(x, &call->out->image, &call->out->n);
}

/* Numbers of what is shown. */
static VitrailStatus
show(VtExec *x, const VtCall *call)
{
  call->out->n = call->in[0]->n;
  return call->out->n > 0 ? x->does->show(x, &call->out->image, &call->out->n) : VITRAIL_OK;
}

static VitrailStatus
sized(VtExec *x, const VtCall *call)
{
  return x->does->sized(x, &call->in[0]->image, &call->out->image, (int32_t)call->params[0].number,
                        call->params[1].number, call->params[2].number);
}

const VtStep vt_steps_labels[] = {
  { .id = "components", .makes_raw = true, .takes = { VT_TAKES_U8 }, .makes = VT_MAKES_LABELS, .run = components },
  { .id = "watershed",
    .passes = 6,
    .takes = { VT_TAKES_F32, VT_TAKES_LABELS, VT_TAKES_U8 },
    .makes = VT_MAKES_LABELS,
    .run = watershed },
  { .id = "zones",
    .passes = 3,
    .has_also = true,
    .takes = { VT_TAKES_LABELS, VT_TAKES_U8 },
    .makes = VT_MAKES_LABELS,
    .makes_also = VITRAIL_I32,
    .run = zones,
    .not_on_device = VT_TAKES_ANY },
  { .id = "objects",
    .makes_numbers = true,
    .has_objects = true,
    .passes = 2,
    .over = 1,
    .takes = { VT_TAKES_LABELS, VT_TAKES_U16, VT_TAKES_U16 },
    .makes = VT_MAKES_LABELS,
    .run = objects },
  { .id = "number",
    .makes_numbers = true,
    .over = 1,
    .takes = { VT_TAKES_LABELS },
    .makes = VT_MAKES_LABELS,
    .run = number,
    .not_on_device = VT_TAKES_ANY },
  { .id = "show",
    .over = 1,
    .takes = { VT_TAKES_LABELS },
    .makes = VT_MAKES_LABELS,
    .run = show,
    .not_on_device = VT_TAKES_ANY },
  { .id = "sized",
    .passes = 3,
    .takes = { VT_TAKES_U8 },
    .makes = VITRAIL_U8,
    .run = sized,
    .not_on_device = VT_TAKES_ANY },
  { .id = "outlines",
    .n_optional = 1,
    .is_sink = true,
    .shown_as = VITRAIL_STAGE_OBJECTS,
    .takes = { VT_TAKES_LABELS, VT_TAKES_U16 },
    .makes = VT_MAKES_LABELS },
};
const uint32_t vt_n_steps_labels = VT_COUNT(vt_steps_labels);
