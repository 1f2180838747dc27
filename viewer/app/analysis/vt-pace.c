/* SPDX-License-Identifier: MIT */
#include "analysis/vt-pace.h"

#define SEEN_MS 45      /* from a change until something of it is seen: 50, less what runs differ by */
#define FOLLOWS_MS 15   /* of that for what comes after a run, until a frame has told how long it takes */
#define LEAST_RUN_MS 10 /* on a machine whose frames leave less, a first look takes this */
#define MOST_TIMES 4
#define GUESS_MS_PER_PIXEL 1.5e-4

enum { NONE = -1, ALL = VT_PACE_PARAMS }; /* or the index of a parameter */

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
    if (!vt_params_differ(last->params, request->params, i))
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
vt_pace_start(VtPace *pace, const VtRunRequest *request, gboolean is_look)
{
  if (is_look) {
    pace->looks_at = find_change(pace->last, request);
    return;
  }
  VtRunRequest *copy = vt_run_request_new(request->plugin, request->op);
  copy->params = vt_params_copy(request->params);
  copy->x_l0 = request->x_l0;
  copy->y_l0 = request->y_l0;
  copy->width_l0 = request->width_l0;
  copy->height_l0 = request->height_l0;
  g_clear_pointer(&pace->now, vt_run_request_free);
  pace->now = copy;
}

static double
get_speed(const VtPace *pace, int change)
{
  if (change >= 0 && pace->speed[change] > 0)
    return pace->speed[change];
  return pace->speed[ALL] > 0 ? pace->speed[ALL] : GUESS_MS_PER_PIXEL;
}

/* Half of what it was, half of what it is: a machine with other work takes longer now and then. */
static void
average(double *known, double ms)
{
  *known = *known > 0 ? (*known + ms) / 2 : ms;
}

void
vt_pace_learn(VtPace *pace, const VtResult *result, gboolean is_look)
{
  const double downsample = get_downsample(result);
  const double pixels = (double)result->width_l0 * (double)result->height_l0 / (downsample * downsample);
  if (downsample <= 0 || pixels < 1)
    return;
  if (is_look) {
    if (pace->looks_at != NONE)
      average(&pace->extra_ms[pace->looks_at], MAX(result->total_ms - pixels * get_speed(pace, pace->looks_at), 0));
    return;
  }
  if (!pace->now)
    return;
  const int change = find_change(pace->last, pace->now);
  if (change != NONE)
    pace->speed[change] = result->total_ms / pixels;
  pace->downsample = downsample;
  g_clear_pointer(&pace->last, vt_run_request_free);
  pace->last = g_steal_pointer(&pace->now);
}

void
vt_pace_learn_frame(VtPace *pace, double ms)
{
  average(&pace->follows_ms, ms);
}

double
vt_pace_choose(const VtPace *pace, const VtRunRequest *request)
{
  const int change = find_change(pace->last, request);
  const double area_l0 = (double)request->width_l0 * (double)request->height_l0;
  const double fine = MAX(MAX(pace->downsample, request->min_downsample), 1);
  const double ms = area_l0 / (fine * fine) * get_speed(pace, change);
  const double extra = change >= 0 ? pace->extra_ms[change] : 0;
  const double allowed = MAX(SEEN_MS - (pace->follows_ms > 0 ? pace->follows_ms : FOLLOWS_MS), LEAST_RUN_MS);
  int times = 2;
  if (ms <= allowed)
    return 0;
  while (times < MOST_TIMES && ms / (times * times) + extra > allowed)
    times++;
  return fine * times;
}
