/* SPDX-License-Identifier: MIT */
#include "vt-pace.h"

#define QUICK_MS 90 /* a run that ends by then needs no first look */
#define FIRST_MS 40 /* a first look should take this: 60 ms with painting, on a busy machine */
#define MOST_TIMES 4
#define GUESS_MS_PER_PIXEL 1.5e-4

static double
get_downsample(const VtResult *result)
{
  JsonNode *node = result->record && JSON_NODE_HOLDS_OBJECT(result->record)
                     ? json_object_get_member(json_node_get_object(result->record), "resolved")
                     : NULL;
  return node && JSON_NODE_HOLDS_OBJECT(node)
           ? json_object_get_double_member_with_default(json_node_get_object(node), "downsample", 0)
           : 0;
}

void
vt_pace_learn(VtPace *pace, const VtResult *result)
{
  double downsample = get_downsample(result);
  double pixels = (double)result->width_l0 * (double)result->height_l0 / (downsample * downsample);
  if (downsample <= 0 || pixels < 1)
    return;
  pace->downsample = downsample;
  pace->ms_per_pixel = result->total_ms / pixels;
}

double
vt_pace_choose(const VtPace *pace, double area_l0, double visible)
{
  double fine = MAX(MAX(pace->downsample, visible), 1);
  double speed = pace->ms_per_pixel > 0 ? pace->ms_per_pixel : GUESS_MS_PER_PIXEL;
  double ms = area_l0 / (fine * fine) * speed;
  int times = 2;
  if (ms <= QUICK_MS)
    return 0;
  while (times < MOST_TIMES && ms / (times * times) > FIRST_MS)
    times++;
  return fine * times;
}
