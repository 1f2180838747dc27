/* SPDX-License-Identifier: MIT
 *
 * What an image looks like to a run: the kind of image that stands for "auto", and what a person should know before the result is believed. */
#include <math.h>

#include "run/vt-look.h"
#include "run/vt-run-private.h"

#define TR(text) text

static const VtRunInput *
get_primary(const VtRunState *state)
{
  return &state->inputs[state->primary];
}

static VtLook
look(const VtRunState *state)
{
  const VtRunInput *primary = get_primary(state);
  return primary->slide ? vt_look_at_slide(primary->slide) : vt_look_at_raster(primary->raster);
}

/* The same for the kind of image: one channel has no colour, either. */
static VtLook
get_kind(const VtRunState *state, VtLook seen)
{
  return seen == VT_LOOK_USUAL && get_primary(state)->abi.type == VITRAIL_U8 ? VT_LOOK_COLOURLESS : seen;
}

/* 0: not known. */
static double
get_mpp(const VtRunInput *input)
{
  return input->abi.mpp_x > 0 && input->abi.mpp_y > 0 ? sqrt(input->abi.mpp_x * input->abi.mpp_y) : 0;
}

double
vt_run_get_downsample(const VtRunState *state)
{
  const int index = vt_op_find_param(state->op, "pixel-size");
  const double mpp = get_mpp(get_primary(state));
  const double pixel_size = index >= 0 ? state->request->params->values[index][0] : 1;
  return MAX(mpp > 0 ? round(pixel_size / mpp) : round(pixel_size), 1);
}

/* Of the analysis as the parameters ask for it: a coarser preview of it is not another kind of image. *dark_px: how wide what is dark is, in its pixels, where
 * that is asked because their size is not known; else 0. */
static gboolean
has_small_nuclei(const VtRunState *state, double *dark_px)
{
  const VtRunInput *primary = get_primary(state);
  const double mpp = get_mpp(primary), downsample = vt_run_get_downsample(state);
  if (mpp > 0)
    return vt_look_is_small(mpp * downsample, 0);
  const double dark = primary->slide ? vt_look_measure_slide(primary->slide) : vt_look_measure_raster(primary->raster);
  *dark_px = dark / downsample;
  return vt_look_is_small(0, *dark_px);
}

/* dark_px: as above. */
static gboolean
choose_preset(const VtRunState *state, VtLook seen, guint *chosen, guint *choice, double *dark_px)
{
  const VtParams *params = state->request->params;
  const VtLook kind = get_kind(state, seen);
  *dark_px = 0;
  return vt_look_choose(kind, FALSE, params, chosen, choice)
         && vt_look_choose(kind, has_small_nuclei(state, dark_px), params, chosen, choice);
}

gboolean
vt_run_choose_preset(const VtRunState *state, guint *chosen, guint *choice)
{
  double dark_px;
  return choose_preset(state, look(state), chosen, choice, &dark_px);
}

/* Whether the run reaches into a frame of one colour around a plain image. */
static gboolean
meets_frame(const VtRunState *state, gint64 inside[4])
{
  const VtRunInput *primary = get_primary(state);
  const VtRaster *raster = primary->slide ? vt_slide_get_raster(primary->slide) : primary->raster;
  return raster && vt_look_find_frame(raster, inside)
         && (state->x_l0 < inside[0] || state->y_l0 < inside[1] || state->x_l0 + state->width_l0 > inside[0] + inside[2]
             || state->y_l0 + state->height_l0 > inside[1] + inside[3]);
}

static void
caution(const VtRunState *state, const char *sentence)
{
  g_ptr_array_add(state->warnings, g_strdup(sentence));
}

/* Where the kind of image was to be chosen: what makes a score choose badly. */
static void
note_cautions(const VtRunState *state, VtLook seen, double dark_px)
{
  gint64 inside[4];
  if (get_kind(state, seen) == VT_LOOK_COLOURLESS)
    caution(state,
            TR("No colour, so the image is taken as cytology. No score knows sections of stained tissue in grey: "
               "half of their nuclei are missed."));
  if (vt_look_is_wide(dark_px))
    caution(state,
            TR("What is dark is wide here. If nuclei are more than 50 pixels across, more are found with a pixel "
               "size of 2 px, a largest nucleus of 200 px and a maximum area of 40000 px²."));
  if (meets_frame(state, inside)) {
    g_autofree char *text =
      g_strdup_printf("%d,%d,%d,%d", (int)inside[0], (int)inside[1], (int)inside[2], (int)inside[3]);
    json_object_set_string_member(state->facts, "inside-frame", text);
    caution(state, TR("A frame of one colour is around the image: nuclei beside it are missed or made up. Analyse the "
                      "region inside it, “inside-frame” in the record."));
  }
}

void
vt_run_note_look(VtResult *result, const VtRunState *state)
{
  guint chosen = 0, choice = 0;
  /* Rank 0 has the objects of all. */
  if (state->request->measures || (state->request->ranks && state->request->ranks->rank > 0))
    return;
  const VtLook seen = look(state);
  if (vt_look_matters(seen, state->request->params)) {
    result->look = seen;
    caution(state, vt_look_get_sentence(seen));
  }
  if (choose_preset(state, seen, &chosen, &choice, &result->dark_px)) {
    result->chosen = state->op->params[chosen];
    result->choice = choice;
    json_object_set_string_member(state->facts, result->chosen->key, result->chosen->choices[choice]);
    if (result->dark_px > 0)
      json_object_set_double_member(state->facts, "dark-width-px", round(result->dark_px * 10) / 10);
    note_cautions(state, seen, result->dark_px);
  }
  if (result->objects && result->objects->len == 0)
    caution(state, TR("No objects were found in this region."));
}
