/* SPDX-License-Identifier: MIT
 *
 * Steps of unbounded reach that make images: reconstruction and what it begins from, distance, extrema. */
#include <math.h>
#include <string.h>

#include "steps/steps.h"

static VitrailStatus
border(VtExec *x, const VtCall *call)
{
  return x->does->border(x, &call->in[0]->image, &call->out->image);
}

static VitrailStatus
reconstruct(VtExec *x, const VtCall *call)
{
  return x->does->reconstruct(x, &call->out->image, &call->in[1]->image, (int32_t)call->params[0].number);
}

/* --- the marker of one pixel --- */

#define BRIGHTEST(T) \
  for (int64_t y = 0; y < image->height; y++) { \
    const T *row = vt_image_at(image, 0, y); \
    for (int64_t x = 0; x < image->width; x++) \
      if (row[x] > *(const T *)vt_image_at(image, *at_x, *at_y)) \
        *at_x = x, *at_y = y; \
    if (vt_cancelled_at(run, y)) \
      return VITRAIL_CANCELLED; \
  }

/* The first of the brightest, row by row. */
static VitrailStatus
find_brightest(VtRun *run, const VtImage *image, int64_t *at_x, int64_t *at_y)
{
  *at_x = *at_y = 0;
  switch (image->type) {
  case VITRAIL_U8: BRIGHTEST(uint8_t); break;
  case VITRAIL_U16: BRIGHTEST(uint16_t); break;
  case VITRAIL_I32: BRIGHTEST(int32_t); break;
  default: BRIGHTEST(float); break;
  }
  return VITRAIL_OK;
}

/* Over an image of the lowest values. */
static VitrailStatus
brightest(VtExec *x, const VtCall *call)
{
  VtRun *run = x->run;
  VtImage image;
  int64_t px, py;
  TRY(x->does->fetch(x, &call->in[0]->image, &image));
  TRY(find_brightest(run, &image, &px, &py));
  memcpy(vt_image_at(&call->out->image, px, py), vt_image_at(&image, px, py), vt_type_size(image.type));
  vt_record(run, "marker-x", (double)(run->grid.x + px));
  vt_record(run, "marker-y", (double)(run->grid.y + py));
  return VITRAIL_OK;
}

static const char *
cannot_brightest(const VtCall *call, VtWay way, const char **record)
{
  *record = "none: the marker is a pixel of the region";
  switch (way) {
  case VT_ON_DEVICE: return "";
  case VT_STREAMED:
    return TR(
      "The region is too large for the marker \"one-pixel\": in pieces there are only \"h-max\", \"border\" and a "
      "marker image. Choose a smaller region or a coarser pixel size.");
  default:
    return TR("The marker \"one-pixel\" is a pixel of the region, and its answer the region's alone; set context "
              "to region.");
  }
}

/* --- distance --- */

enum { OUTPUT, SCALE, WEIGHT_X, WEIGHT_Y, CAP, ALGORITHM };
enum { EUCLIDEAN, SQUARED, NEAREST };

static VitrailStatus
distance(VtExec *x, const VtCall *call)
{
  const VtParamOf *p = call->params;
  VtDistance args = { .src = call->in[0]->image,
                      .weight_x = p[WEIGHT_X].number > 0 ? (int32_t)p[WEIGHT_X].number : 1,
                      .weight_y = p[WEIGHT_Y].number > 0 ? (int32_t)p[WEIGHT_Y].number : 1,
                      .scale = (float)p[SCALE].number,
                      .cap = (int64_t)p[CAP].number };
  VtImage *const outs[] = { &args.root, &args.squared, &args.nearest };
  *outs[(int)p[OUTPUT].number] = call->out->image;
  return x->does->distance(x, p[ALGORITHM].word ? p[ALGORITHM].word : "exact", &args);
}

static VitrailStatus
infer_distance(const VtCall *call)
{
  const VtRun *run = call->run;
  const double x = call->params[WEIGHT_X].number, y = call->params[WEIGHT_Y].number;
  const double width = (double)run->grid.image_width, height = (double)run->grid.image_height;
  call->out->type = call->params[OUTPUT].number == EUCLIDEAN ? VITRAIL_F32 : VT_I64;
  if (x < 0 || y < 0)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT,
                   "Pixels of %g by %g µm are too unlike for distances; set pixel-shape to square.",
                   call->primary->mpp_x, call->primary->mpp_y);
  if (fmax(x, 1) * (width + 1) * (width + 1) + fmax(y, 1) * (height + 1) * (height + 1) > 4e18)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT,
                   "An image of %.0f x %.0f pixels is too large for distances; choose a coarser pixel size.", width,
                   height);
  return VITRAIL_OK;
}

static const char *
cannot_distance(const VtCall *call, VtWay way, const char **record)
{
  const VtParamOf *p = call->params;
  const bool is_danielsson = p[ALGORITHM].word && strcmp(p[ALGORITHM].word, "danielsson") == 0;
  const bool is_plain = p[OUTPUT].number == EUCLIDEAN && !is_danielsson && p[CAP].number == 0
                        && fmax(p[WEIGHT_X].number, p[WEIGHT_Y].number) <= 1;
  *record = "none: the algorithm danielsson can't say";
  switch (way) {
  case VT_ON_DEVICE: return is_plain ? NULL : "";
  case VT_BOUNDED:
    return is_danielsson
             ? TR("The algorithm danielsson can't say what is certain; set algorithm to exact, or context to region.")
             : NULL;
  default:
    return is_danielsson
             ? TR("The region is too large at once, and in pieces there are only exact distances: set algorithm "
                  "to exact, or choose a smaller region or a coarser pixel size.")
             : NULL;
  }
}

/* --- squares and numbers in 32 bits --- */

/* Squares as they are, pixels by their number in the whole image's grid; -1: none. */
static VitrailStatus
narrow_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const bool *numbers = user;
  const VtGrid *grid = &run->grid;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int64_t *from = vt_image_at(&t->in[0], 0, y);
    int32_t *to = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++) {
      int64_t value = from[x] == VT_EDT_NONE64 ? -1 : from[x];
      if (*numbers && value >= 0)
        value = (grid->y + value / grid->width) * grid->image_width + grid->x + value % grid->width;
      if (value > INT32_MAX)
        return vt_fail(
          run, VITRAIL_BAD_ARGUMENT,
          TR("Squared distances here don't fit into 32 bits; set a cap, a coarser pixel size, or the output "
             "euclidean."));
      to[x] = (int32_t)value;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
narrow(VtExec *x, const VtCall *call)
{
  bool numbers = call->params[1].number != 0;
  const VtLocalStep step = { .in = { &call->in[0]->image },
                             .out = { &call->out->image },
                             .body = narrow_tile,
                             .user = &numbers,
                             .user_bytes = sizeof numbers };
  return x->does->local(x, &step);
}

static VitrailStatus
infer_narrow(const VtCall *call)
{
  const VtGrid *grid = &call->run->grid;
  const double width = (double)grid->image_width, height = (double)grid->image_height;
  call->out->scale = call->params[0].number;
  if (call->params[1].number != 0 && width * height > (double)INT32_MAX)
    return vt_fail(
      call->run, VITRAIL_BAD_ARGUMENT,
      "An image of %.0f x %.0f pixels has too many for their numbers to fit into 32 bits; choose a coarser "
      "pixel size.",
      width, height);
  return VITRAIL_OK;
}

/* --- extrema --- */

enum { CONNECTIVITY, MINIMA };

static VitrailStatus
extrema(VtExec *x, const VtCall *call)
{
  const VtRegional args = { .src = call->in[0]->image,
                            .inside = call->in[1] ? call->in[1]->image : (VtImage){ 0 },
                            .dst = call->out->image,
                            .connectivity = (int32_t)call->params[CONNECTIVITY].number,
                            .minima = call->params[MINIMA].number != 0 };
  return x->does->regional(x, &args);
}

const VtStep vt_steps_propagate[] = {
  { .id = "border",
    .over = 2,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_LIKE_FIRST },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = border },
  { .id = "brightest",
    .over = 2,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_LIKE_FIRST },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = brightest,
    .cannot = cannot_brightest },
  { .id = "reconstruct",
    .over = 1,
    .by_algorithm = true,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_LIKE_FIRST },
    .makes = VT_LIKE_FIRST,
    .keeps_scale = true,
    .run = reconstruct },
  { .id = "distance",
    .takes = { VT_TAKES_U8 },
    .makes = VITRAIL_F32,
    .infer = infer_distance,
    .run = distance,
    .cannot = cannot_distance },
  { .id = "narrow",
    .takes = { VT_TAKES_I64 },
    .makes = VITRAIL_I32,
    .infer = infer_narrow,
    .run = narrow,
    .not_on_device = VT_TAKES_ANY },
  { .id = "extrema",
    .passes = 3,
    .n_optional = 1,
    .takes = { VT_TAKES_SCALARS, VT_TAKES_U8 },
    .makes = VITRAIL_U8,
    .run = extrema },
};
const uint32_t vt_n_steps_propagate = VT_COUNT(vt_steps_propagate);
