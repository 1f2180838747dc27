/* SPDX-License-Identifier: MIT
 *
 * Steps of texture: they look beyond the region and make no image of the grid, so they read and hand over by themselves. The
 * parameters `channel`, `feature`, `aggregate` and those of levels have a meaning of their own. */
#include "drivers/levels.h"
#include "run/params.h"
#include "run/run.h"
#include "steps/steps.h"

enum { WINDOW, STRIDE };

static VitrailStatus
check_mask(const VtCall *call)
{
  const VitrailInput *image = call->in[0]->input, *mask = call->in[1] ? call->in[1]->input : image;
  if (mask->width_l0 != image->width_l0 || mask->height_l0 != image->height_l0)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT, TR("The mask and the image must have the same size."));
  return VITRAIL_OK;
}

/* So that the centre of a window lies in the image. */
static int32_t
stride_of(const VtGrid *grid, int32_t stride)
{
  const int64_t shortest = grid->image_width < grid->image_height ? grid->image_width : grid->image_height;
  return stride / 2 >= shortest ? (int32_t)shortest : stride;
}

static VitrailStatus
glrlm_map(VtExec *x, const VtCall *call)
{
  VtRun *run = call->run;
  const VtGlrlmMap map = { .image = call->in[0]->input,
                           .mask = call->in[1] ? call->in[1]->input : NULL,
                           .channel = vt_param_choice(run, "channel"),
                           .algorithm = vt_param_choice(run, "algorithm"),
                           .window = (int32_t)call->params[WINDOW].number,
                           .stride = stride_of(&run->grid, (int32_t)call->params[STRIDE].number),
                           .feature = (int32_t)vt_param(run, "feature"),
                           .aggregate = vt_param_aggregate(run) };
  vt_record(run, "window-px", map.window / 2 * 2 + 1);
  vt_record(run, "stride-px", map.stride);
  return x->does->glrlm_map(x, &map);
}

static VitrailStatus
glrlm_rois(VtExec *x, const VtCall *call)
{
  const VtGlrlmTable table = { .image = call->in[0]->input,
                               .mask = call->in[1] ? call->in[1]->input : NULL,
                               .channel = vt_param_choice(call->run, "channel"),
                               .aggregate = vt_param_aggregate(call->run),
                               .own_range = call->params[0].number != 0 };
  return x->does->glrlm_rois(x, &table);
}

const VtStep vt_steps_texture[] = {
  { .id = "glrlm-map",
    .params = { "window", "stride" },
    .n_in = 2,
    .n_optional = 1,
    .over = -1,
    .is_sink = true,
    .hands_over = true,
    .takes = { VT_TAKES_SCALARS | VT_TAKES_RGBA8, VT_TAKES_SCALARS },
    .makes = VITRAIL_F32,
    .infer = check_mask,
    .run = glrlm_map,
    .cannot = vt_not_on_device },
  { .id = "glrlm-rois",
    .params = { "own-range" },
    .n_in = 2,
    .n_optional = 1,
    .over = -1,
    .is_sink = true,
    .hands_over = true,
    .takes = { VT_TAKES_SCALARS | VT_TAKES_RGBA8, VT_TAKES_SCALARS },
    .makes = VITRAIL_F32,
    .infer = check_mask,
    .run = glrlm_rois,
    .cannot = vt_not_on_device },
};
const uint32_t vt_n_steps_texture = VT_COUNT(vt_steps_texture);
