/* SPDX-License-Identifier: MIT
 *
 * Steps of texture: they look beyond the region, or make no image of the grid, so they read and hand over by themselves. */
#include <string.h>

#include "steps/steps.h"
#include "steps/texture.h"

const char *const vt_texture_features[] = { "sre",   "lre",   "gln",  "rln",  "rp",  "lgre", "hgre", "srlge", "srhge",
                                            "lrlge", "lrhge", "glnn", "rlnn", "glv", "rv",   "re",   NULL };
const char *const vt_texture_aggregates[] = { "mean", "merged", "dir-1-0", "dir-1-1", "dir-0-1", "dir-m1-1", NULL };
const char *const vt_texture_binnings[] = { "fixed-number", "as-is", "fixed-width", NULL };
const char *const vt_texture_algorithms[] = { "auto", "fast", "serial",
#ifdef VT_PAPERS
                                              "primitives",
#endif
                                              NULL };
const char *const vt_texture_columns[VT_TEXTURE_COLUMNS + 1] = {
  TR("ROI"),      TR("Pixels"),  "GLRLM: SRE",  "GLRLM: LRE",   "GLRLM: GLN",   "GLRLM: RLN",
  "GLRLM: RP",    "GLRLM: LGRE", "GLRLM: HGRE", "GLRLM: SRLGE", "GLRLM: SRHGE", "GLRLM: LRLGE",
  "GLRLM: LRHGE", "GLRLM: GLNN", "GLRLM: RLNN", "GLRLM: GLV",   "GLRLM: RV",    "GLRLM: RE",
};

enum { CHANNEL, AGGREGATE, BINNING, LEVELS, BIN_WIDTH, RANGE_MIN, RANGE_MAX, OWN };
enum { OWN_RANGE = OWN };                          /* of glrlm-rois */
enum { FEATURE = OWN, WINDOW, STRIDE, ALGORITHM }; /* of glrlm-map */

/* 0 for a word that is none of them, which the check of settings has refused. */
static int32_t
index_of(const VtParamOf *param, const char *const *words)
{
  for (int32_t i = 0; param->word && words[i]; i++)
    if (strcmp(words[i], param->word) == 0)
      return i;
  return 0;
}

static VtTexture
texture_of(const VtCall *call)
{
  static const VtGlrlmAggregate aggregates[] = { VT_GLRLM_MEAN,    VT_GLRLM_MERGED,  VT_GLRLM_DIR_1_0,
                                                 VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_0_1, VT_GLRLM_DIR_M1_1 };
  const VtParamOf *p = call->params;
  return (VtTexture){ .image = call->in[0]->input,
                      .mask = call->in[1] ? call->in[1]->input : NULL,
                      .channel = call->channel,
                      .binning = { .kind = (VtBinningKind)index_of(&p[BINNING], vt_texture_binnings),
                                   .n = (int32_t)p[LEVELS].number,
                                   .width = p[BIN_WIDTH].number,
                                   .min = p[RANGE_MIN].number,
                                   .max = p[RANGE_MAX].number },
                      .aggregate = aggregates[index_of(&p[AGGREGATE], vt_texture_aggregates)],
                      .stage = (uint32_t)call->stage };
}

static VitrailStatus
infer_texture(const VtCall *call)
{
  const VitrailInput *image = call->in[0]->input, *mask = call->in[1] ? call->in[1]->input : image;
  const char *channel = call->params[CHANNEL].word ? call->params[CHANNEL].word : "";
  if (mask->width_l0 != image->width_l0 || mask->height_l0 != image->height_l0)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT, TR("The mask and the image must have the same size."));
  return vt_channel_prepare(call->run, channel, image->type, false, call->channel);
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
  const VtTextureMap map = { .of = texture_of(call),
                             .algorithm = call->params[ALGORITHM].word ? call->params[ALGORITHM].word : "auto",
                             .window = (int32_t)call->params[WINDOW].number,
                             .stride = stride_of(&run->grid, (int32_t)call->params[STRIDE].number),
                             .feature = index_of(&call->params[FEATURE], vt_texture_features) };
  vt_record(run, "window-px", map.window / 2 * 2 + 1);
  vt_record(run, "stride-px", map.stride);
  return vt_texture_map(x, &map);
}

static VitrailStatus
glrlm_rois(VtExec *x, const VtCall *call)
{
  const VtTexture texture = texture_of(call);
  return vt_texture_regions(x, &texture, call->params[OWN_RANGE].number != 0);
}

static const char *
cannot_texture(const VtCall *call, VtWay way, const char **record)
{
  *record = "not for texture";
  return way == VT_BOUNDED ? TR("Of texture nothing is made that could be certain; set context to region.") : NULL;
}

#define TEXTURE \
  .n_optional = 1, .reads = 3, .is_sink = true, .hands_over = true, .makes = VITRAIL_F32, \
  .takes = { VT_TAKES_SCALARS | VT_TAKES_RGBA8, VT_TAKES_SCALARS }, .infer = infer_texture, .cannot = cannot_texture, \
  .not_on_device = VT_TAKES_ANY

const VtStep vt_steps_texture[] = {
  { .id = "glrlm-map", .shown_as = VITRAIL_STAGE_SCALAR, .bytes_per_px = 24, .run = glrlm_map, TEXTURE },
  { .id = "glrlm-rois", /* regions that memory does not hold come in bands */
    .shown_as = VITRAIL_STAGE_ROWS,
    .columns = vt_texture_columns,
    .run = glrlm_rois,
    TEXTURE },
};
const uint32_t vt_n_steps_texture = VT_COUNT(vt_steps_texture);
