/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "steps/cell.h"
#include "steps/info.h"
#include "steps/steps.h"
#include "steps/texture.h"

enum { MOST_STEPS = 48 };

#define ANY -INFINITY, INFINITY, 0
#define WHOLE(min, max) (min), (max), 1
#define CONNECTIVITY \
  { \
    "connectivity", "Which neighbours a pixel has: 4 or 8.", 4, 8, 4, NULL, "", "8" \
  }

#define STRENGTH 0.01, 10, 0, NULL

#define CHANNEL \
  { \
    "channel", "Which one.", 0, 0, 0, channels \
  }
#define TEXTURE \
  CHANNEL, { "aggregate",          "Directions (x to the right, y down), and how they are put together.", 0, 0, 0, \
             vt_texture_aggregates }, \
    { "binning", "How levels are made.", 0, 0, 0, vt_texture_binnings }, \
    { "levels", "How many, of a fixed number.", WHOLE(2, 256), NULL }, \
    { "bin-width", "Of fixed width.", 0, 1e9, 0, NULL }, \
    { "range-min", "Where level 1 begins; with range-max 0, too: the channel's own range.", -1e9, 1e9, 0, NULL }, \
  { \
    "range-max", "Where the last of a fixed number ends.", -1e9, 1e9, 0, NULL \
  }

typedef struct {
  const char *key, *help;
  double min, max, step;
  const char *const *words;
  const char *unit, *begin; /* VitrailStepSetting */
} Setting;

/* Types are the steps' own (VtStep). */
typedef struct {
  const char *id, *title, *help;
  const char *inputs[VT_STEP_IN];
  Setting settings[VT_STEP_PARAMS];
  const char *also;
} Described;

static const char *const channels[] = { "brightness",  "luminance", "red", "green",  "blue",
                                        "hematoxylin", "eosin",     "dab", "od-sum", NULL };
static const char *const distances[] = { "exact",
#ifdef VT_PAPERS
                                         "danielsson",
#endif
                                         NULL };

static const Described described[] = {
  { "read", TR("Read"), TR("Pixels of an input of the recipe, for channel, marker and labels."), { TR("Input") } },
  { "channel",
    TR("Channel"),
    TR("One channel of a colour image; an image of one channel stays as it is. Stains need the recipe's vectors "
       "hematoxylin, eosin or dab, and white; those of normalised stains are the reference's."),
    { TR("What was read, or colours") },
    { CHANNEL } },
  { "normalize",
    TR("Normalised stains"),
    TR("Colours as if the slide had the stains of a reference. Needs the recipe's vectors white, hematoxylin and "
       "reference-hematoxylin, and eosin and reference-eosin or dab and reference-dab."),
    { TR("What was read") },
    { { "hematoxylin", "How strong the slide's hematoxylin is, in OD.", STRENGTH },
      { "other", "The same of eosin, or of DAB.", STRENGTH },
      { "reference-hematoxylin", "How strong the reference's hematoxylin is, in OD.", STRENGTH },
      { "reference-other", "The same of eosin, or of DAB.", STRENGTH } } },
  { "marker",
    TR("Marker"),
    TR("An image of the size and type of another."),
    { TR("What was read"), TR("The other image") } },
  { "labels", TR("Labels"), TR("Numbers of objects from an image of whole numbers."), { TR("What was read") } },
  { "above",
    TR("Above"),
    TR("A mask of the pixels above a threshold."),
    { TR("Image") },
    { { "threshold", "In raw units: divide what people set by scale(image).", ANY, NULL, "raw", "0.25" } } },
  { "subtract",
    TR("Difference"),
    TR("The first less the second; not below 0 for 8 and 16 bits."),
    { TR("Image"), TR("Image") } },
  { "not", TR("Not"), TR("The pixels outside a mask."), { TR("Mask") } },
  { "and", TR("And"), TR("The pixels of both masks."), { TR("Mask"), TR("Mask") } },
  { "widen", TR("Widen"), TR("8 bits as 16, for smooth and objects; 16 bits stay as they are."), { TR("Image") } },
  { "shift-down",
    TR("Shift down"),
    TR("Every value less a number."),
    { TR("Image") },
    { { "by", "In raw units.", ANY, NULL, "raw", "0.1" } } },
  { "select",
    TR("Select"),
    TR("The image inside a mask and a number elsewhere."),
    { TR("Image"), TR("Mask") },
    { { "elsewhere", "In raw units; below what is selected.", ANY, NULL, NULL, "0" } } },
  { "complement",
    TR("Complement"),
    TR("The greatest value less each value; what is dark becomes bright."),
    { TR("Image") } },
  { "lower",
    TR("Lower"),
    TR("Every value less a number, but not below the lowest of its type."),
    { TR("Image") },
    { { "by", "In raw units.", 0, INFINITY, 0, NULL, "raw", "0.1" } } },
  { "float",
    TR("As floats"),
    TR("Whole numbers as floats."),
    { TR("Image") },
    { { "negative", "1: the negative, for dark objects.", WHOLE(0, 1), NULL, "", "0" } } },
  { "length",
    TR("Length"),
    TR("Counted steps as lengths."),
    { TR("Steps") },
    { { "scale", "The length of a step.", ANY, NULL, NULL, "um-per-px" } } },
  { "where", TR("Where"), TR("A mask of the pixels that have a number."), { TR("Labels") } },
  { "erode",
    TR("Erosion"),
    TR("The least value in a disc round each pixel, 8 or 16 bits."),
    { TR("Image") },
    { { "radius", "In analysis pixels.", WHOLE(0, 512), NULL, "px", "2" } } },
  { "smooth",
    TR("Smooth"),
    TR("A Gaussian."),
    { TR("Image") },
    { { "sigma", "In analysis pixels.", 0, 170, 0, NULL, "px", "2" } } },
  { "border",
    TR("Border"),
    TR("The second image, with the first's values along the image's border."),
    { TR("Image"), TR("Image") } },
  { "brightest",
    TR("Brightest"),
    TR("The second image, with the first's brightest pixel."),
    { TR("Image"), TR("Image") } },
  { "reconstruct",
    TR("Reconstruction"),
    TR("The first image grown under the second, by dilation, until nothing changes."),
    { TR("Marker"), TR("Mask") },
    { CONNECTIVITY } },
  { "distance",
    TR("Distance"),
    TR("Euclidean distance to the nearest pixel outside a mask; its square and that pixel's number are for narrow."),
    { TR("Mask") },
    { { "output", "0: the distance. 1: its square. 2: the nearest pixel.", WHOLE(0, 2), NULL },
      { "scale", "The length of a unit.", ANY, NULL, NULL, "um-per-px" },
      { "weight-x", "Of squared steps along x; 0: 1.", WHOLE(-1, 65535), NULL },
      { "weight-y", "Of squared steps along y; 0: 1.", WHOLE(-1, 65535), NULL },
      { "cap", "The largest square, in units; 0: none.", 0, 4e18, 1, NULL },
      { "algorithm", "May be left out.", 0, 0, 0, distances } } },
  { "narrow",
    TR("Narrow"),
    TR("Squares, or numbers of pixels, of the step distance in 32 bits."),
    { TR("Squares") },
    { { "scale", "The unit of the squares.", ANY, NULL, NULL, "1" },
      { "numbers", "1: numbers of pixels, counted in the whole image.", WHOLE(0, 1), NULL } } },
  { "extrema",
    TR("Extrema"),
    TR("A mask of the regional maxima or minima."),
    { TR("Image"), TR("Mask") },
    { CONNECTIVITY, { "minima", "1: minima.", WHOLE(0, 1), NULL, "", "0" } } },
  { "components",
    TR("Components"),
    TR("A number for each connected piece of a mask."),
    { TR("Mask") },
    { CONNECTIVITY } },
  { "watershed",
    TR("Watershed"),
    TR("Flooding from numbered seeds inside a mask."),
    { TR("Level"), TR("Seeds"), TR("Mask") } },
  { "zones",
    TR("Zones"),
    TR("The seed that each pixel of a mask reaches first."),
    { TR("Seeds"), TR("Mask") },
    { CONNECTIVITY },
    TR("Steps to the seed") },
  { "objects",
    TR("Objects"),
    TR("Pieces of the right size, numbered by their first pixels, with their measurements."),
    { TR("Labels"), TR("Image A"), TR("Image B") },
    { { "min-area", "In analysis pixels.", 0, INFINITY, 0, NULL, "px2", "40" },
      { "max-area", "In analysis pixels.", 0, INFINITY, 0, NULL, "px2", "4000" },
      { "max-background", "Of the mean of image B, in raw units.", ANY, NULL, NULL, "infinity" },
      { "min-b", "Of the mean of image B, in raw units; may be left out.", ANY, NULL } } },
  { "regions",
    TR("Regions"),
    TR("Nuclei as regions that a trained score chose among many, from the colours in 8 bits."),
    { TR("Red"), TR("Green"), TR("Blue") },
    { { "preset", "What the image shows.", 0, 0, 0, vt_region_presets },
      { "largest", "The longest side of a region's box, in analysis pixels.", WHOLE(VT_REGIONS_LEAST, VT_REGIONS_MOST),
        NULL },
      { "um-per-px", "The size of a pixel; 0: not known.", 0, INFINITY, 0, NULL },
      { "cutoff", "Regions of a score above it are chosen from, in 1/65535.", WHOLE(0, UINT16_MAX), NULL } },
    TR("Score") },
  { "number", TR("Number"), TR("Pieces numbered by their first pixels."), { TR("Labels") } },
  { "show", TR("Show"), TR("Labels numbered for a stage."), { TR("Labels") } },
  { "sized",
    TR("Sized"),
    TR("The pieces of a mask that are of the right size."),
    { TR("Mask") },
    { CONNECTIVITY,
      { "min-area", "In analysis pixels.", 0, INFINITY, 0, NULL, "px2", "40" },
      { "max-area", "In analysis pixels.", 0, INFINITY, 0, NULL, "px2", "4000" } } },
  { "outlines",
    TR("Outlines"),
    TR("Hands over the outlines and measurements of the step objects; of the image, what lies under each."),
    { TR("Objects"), TR("Image") },
    { { "expansion", "How far a cell reaches round its object, in analysis pixels.", 0, VT_CELL_MOST, 0, NULL, "px",
        "0" },
      { "cells", "1: cells are outlined, not objects.", WHOLE(0, 1), NULL, "", "0" } } },
  { "glrlm-map",
    TR("Texture map"),
    TR("Hands over a map of a run length feature in a sliding window; it has a grid of its own, so no step takes it."),
    { TR("What was read"), TR("Mask that was read") },
    { TEXTURE,
      { "feature", "Which one.", 0, 0, 0, vt_texture_features },
      { "window", "Its edge in analysis pixels; made odd.", WHOLE(3, 129), NULL },
      { "stride", "Analysis pixels from window to window.", WHOLE(1, 1024), NULL },
      { "algorithm", "May be left out.", 0, 0, 0, vt_texture_algorithms } } },
  { "glrlm-rois",
    TR("Texture of regions"),
    TR("Hands over run length features, a row for each region that the recipe's input of the kind rois brings; without "
       "one, of the "
       "whole."),
    { TR("What was read"), TR("Mask that was read") },
    { TEXTURE, { "own-range", "1: levels are those of each region's own range.", WHOLE(0, 1), NULL } } },
};

/* --- as the interface has them --- */

typedef struct {
  VitrailStep step;
  VitrailStepInput inputs[VT_STEP_IN];
  VitrailStepSetting settings[VT_STEP_PARAMS];
  const VitrailStepInput *input_list[VT_STEP_IN];
  const VitrailStepSetting *setting_list[VT_STEP_PARAMS];
} Info;

static Info infos[MOST_STEPS];
static const VitrailStep *list[MOST_STEPS];
static uint32_t n_infos;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
fill_settings(Info *info, const Described *from)
{
  for (uint32_t k = 0; k < VT_STEP_PARAMS && from->settings[k].key; k++) {
    const Setting *s = &from->settings[k];
    info->settings[k] = (VitrailStepSetting){ .size = sizeof(VitrailStepSetting),
                                              .key = s->key,
                                              .help = s->help,
                                              .min = s->min,
                                              .max = s->max,
                                              .step = s->step,
                                              .words = s->words,
                                              .unit = s->unit,
                                              .begin = s->begin };
    while (s->words && s->words[info->settings[k].n_words])
      info->settings[k].n_words++;
    info->setting_list[k] = &info->settings[k];
    info->step.n_settings = k + 1;
  }
}

static void
fill(Info *info, const Described *from, const VtStep *step)
{
  info->step = (VitrailStep){ .size = sizeof(VitrailStep),
                              .makes = step->columns                        ? VITRAIL_MAKES_ROWS
                                       : step->is_sink && !step->hands_over ? VITRAIL_MAKES_NOTHING
                                                                            : step->makes,
                              .id = from->id,
                              .title = from->title,
                              .help = from->help,
                              .inputs = info->input_list,
                              .settings = info->setting_list,
                              .also = from->also,
                              .columns = step->columns };
  while (step->columns && step->columns[info->step.n_columns])
    info->step.n_columns++;
  for (uint32_t k = 0; k < VT_STEP_IN && from->inputs[k]; k++) {
    const bool is_optional = step->takes[0] && (int)k + step->n_optional >= vt_step_n_in(step);
    info->inputs[k] = (VitrailStepInput){ .size = sizeof(VitrailStepInput),
                                          .takes = step->takes[k],
                                          .title = from->inputs[k],
                                          .flags = is_optional ? VITRAIL_INPUT_OPTIONAL : 0 };
    info->input_list[k] = &info->inputs[k];
    info->step.n_inputs = k + 1;
  }
  fill_settings(info, from);
}

static void
fill_all(void)
{
  _Static_assert(VT_COUNT(described) <= MOST_STEPS, "there is room for all");
  for (size_t i = 0; i < VT_COUNT(described); i++) {
    const VtStep *step = vt_step_find(described[i].id);
    if (!step)
      continue;
    fill(&infos[n_infos], &described[i], step);
    list[n_infos] = &infos[n_infos].step;
    n_infos++;
  }
}

const VitrailStep *const *
vt_step_infos(uint32_t *n)
{
  pthread_once(&once, fill_all);
  *n = n_infos;
  return list;
}

const VitrailStep *
vt_step_info(const char *id)
{
  uint32_t n;
  const VitrailStep *const *all = vt_step_infos(&n);
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(all[i]->id, id) == 0)
      return all[i];
  return NULL;
}

VitrailStatus
vt_step_check_setting(VtRun *run, const char *node, const VitrailStepSetting *setting, const VtParamOf *value)
{
  if (setting->n_words > 0) {
    for (uint32_t i = 0; i < setting->n_words && value->word; i++)
      if (strcmp(setting->words[i], value->word) == 0)
        return VITRAIL_OK;
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The setting \"%s\" of the step \"%s\" is \"%.60s\", which it can't be.",
                   setting->key, node, value->word ? value->word : "");
  }
  const double v = value->number, above = v - setting->min;
  const bool is_whole = setting->step == 0 || above / setting->step == floor(above / setting->step);
  if (!(v >= setting->min && v <= setting->max && is_whole)) /* catches NaN */
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The setting \"%s\" of the step \"%s\" is %g; it must be %s between %g and %g.", setting->key, node,
                   v,
                   setting->step > 1    ? "one of the ends"
                   : setting->step == 1 ? "a whole number"
                                        : "a number",
                   setting->min, setting->max);
  return VITRAIL_OK;
}
