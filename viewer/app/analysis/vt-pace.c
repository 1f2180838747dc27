/* SPDX-License-Identifier: MIT */
#include "analysis/vt-pace.h"

#include <string.h>

#define QUICK_MS 50 /* a run that ends by then needs no first look: with painting it is seen after 60 */
#define FIRST_MS 40 /* a first look should take this, on a busy machine, too */
#define MOST_TIMES 4
#define GUESS_MS_PER_PIXEL 1.5e-4

enum { NONE = -2, ALL = -1 }; /* or the index of a parameter */

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

/* What of a run is new since the last one. */
static int
find_change(const VtRunRequest *last, const VtRunRequest *request)
{
  int change = NONE;
  if (!last || last->op != request->op || last->x_l0 != request->x_l0 || last->y_l0 != request->y_l0
      || last->width_l0 != request->width_l0 || last->height_l0 != request->height_l0)
    return ALL;
  for (guint i = 0; i < request->op->n_params; i++) {
    if (memcmp(last->params->values[i], request->params->values[i], sizeof last->params->values[i]) == 0)
      continue;
    if (change != NONE || i >= VT_PACE_PARAMS)
      return ALL;
    change = (int)i;
  }
  return change;
}

void
vt_pace_clear(VtPace *pace)
{
  g_clear_pointer(&pace->now, vt_run_request_free);
  g_clear_pointer(&pace->last, vt_run_request_free);
  *pace = (VtPace){ 0 };
}

void
vt_pace_start(VtPace *pace, const VtRunRequest *request)
{
  VtRunRequest *copy = vt_run_request_new(request->plugin, request->op);
  copy->params = vt_params_copy(request->params);
  copy->x_l0 = request->x_l0;
  copy->y_l0 = request->y_l0;
  copy->width_l0 = request->width_l0;
  copy->height_l0 = request->height_l0;
  g_clear_pointer(&pace->now, vt_run_request_free);
  pace->now = copy;
}

void
vt_pace_learn(VtPace *pace, const VtResult *result)
{
  const double downsample = get_downsample(result);
  const double pixels = (double)result->width_l0 * (double)result->height_l0 / (downsample * downsample);
  if (downsample <= 0 || pixels < 1 || !pace->now)
    return;
  const int change = find_change(pace->last, pace->now);
  if (change == ALL)
    pace->all = result->total_ms / pixels;
  else if (change != NONE)
    pace->by_param[change] = result->total_ms / pixels;
  pace->downsample = downsample;
  g_clear_pointer(&pace->last, vt_run_request_free);
  pace->last = g_steal_pointer(&pace->now);
}

double
vt_pace_choose(const VtPace *pace, const VtRunRequest *request)
{
  const int change = find_change(pace->last, request);
  const double area_l0 = (double)request->width_l0 * (double)request->height_l0;
  const double fine = MAX(MAX(pace->downsample, request->min_downsample), 1);
  double speed = change >= 0 ? pace->by_param[change] : 0;
  if (speed <= 0)
    speed = pace->all > 0 ? pace->all : GUESS_MS_PER_PIXEL;
  const double ms = area_l0 / (fine * fine) * speed;
  int times = 2;
  if (ms <= QUICK_MS)
    return 0;
  while (times < MOST_TIMES && ms / (times * times) > FIRST_MS)
    times++;
  return fine * times;
}
