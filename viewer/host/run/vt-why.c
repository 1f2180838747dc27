/* SPDX-License-Identifier: MIT */
#include "run/vt-why.h"

#include <math.h>

#include "base/vt-define.h"
#include "plugins/vt-plugin-host.h"

gint
vt_why_find_outcome(const VitrailOp *op)
{
  gint labels = -1;
  for (guint i = op->n_stages; i-- > 0;) {
    if (op->stages[i]->kind == VITRAIL_STAGE_OBJECTS)
      return (gint)i;
    if (op->stages[i]->kind == VITRAIL_STAGE_LABELS && labels < 0)
      labels = (gint)i;
  }
  return labels;
}

gboolean
vt_object_has_point(const VtObject *object, double x, double y)
{
  gboolean inside = FALSE;
  const double *points = object->points;
  for (guint r = 0; r < object->n_rings; r++) {
    const guint n = object->ring_sizes[r];
    for (guint i = 0, j = n - 1; i < n; j = i++) {
      const double *a = points + (gsize)i * 2, *b = points + (gsize)j * 2;
      if ((a[1] > y) != (b[1] > y) && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
        inside = !inside;
    }
    points += (gsize)n * 2;
  }
  return inside;
}

gint64
vt_why_get_object(const VtResult *result, gint64 x_l0, gint64 y_l0)
{
  const gint stage = vt_why_find_outcome(result->op);
  const double x = (double)x_l0 + 0.5, y = (double)y_l0 + 0.5;
  double label = 0;
  if (stage >= 0 && result->op->stages[stage]->kind == VITRAIL_STAGE_LABELS)
    return result->rasters[stage] && vt_raster_lookup_l0(result->rasters[stage], x, y, &label) ? (gint64)label : 0;
  VT_EACH_OF (const VtObject, object, result->objects)
    if (vt_object_has_point(object, x, y))
      return object->id;
  return 0;
}

/* Row by row from the middle on, each from the middle on. */
gboolean
vt_why_find_pixel(const VtObject *object, gint64 *x_l0, gint64 *y_l0)
{
  double box[4];
  vt_object_get_box(object, box);
  const gint64 x = (gint64)floor(object->centroid_x_l0), y = (gint64)floor(object->centroid_y_l0);
  const gint64 width = (gint64)ceil(box[2] - box[0]), height = (gint64)ceil(box[3] - box[1]);
  for (gint64 j = 0; j <= 2 * height; j++) {
    for (gint64 i = 0; i <= 2 * width; i++) {
      *x_l0 = x + (i % 2 ? (i + 1) / 2 : -i / 2);
      *y_l0 = y + (j % 2 ? (j + 1) / 2 : -j / 2);
      if (vt_object_has_point(object, (double)*x_l0 + 0.5, (double)*y_l0 + 0.5))
        return TRUE;
    }
  }
  return FALSE;
}

VtRunRequest *
vt_why_new_trail(const VtRunRequest *request, const VitrailOp *op)
{
  VtRunRequest *trail = vt_run_request_copy(request);
  trail->op = op;
  vt_params_free(trail->params);
  trail->params = vt_params_new(op, request->params->calibrated);
  vt_params_follow(trail->params, request->params);
  vt_params_set_taught(trail->params, request->params->taught);
  trail->asks_why = trail->keep_stages = FALSE;
  trail->keeps_pixel = TRUE;
  g_free(trail->backend);
  trail->backend = g_strdup("cpu"); /* as the answer */
  g_clear_pointer(&trail->scratch_dir, g_free);
  trail->stages_wanted = 0;
  for (guint i = 0; i < op->n_stages; i++)
    trail->stages_wanted |= vt_stage_has_raster(op->stages[i]) ? (guint64)1 << i : 0;
  return trail;
}

gboolean
vt_why_get_value(const VtResult *result, guint stage, gint64 x_l0, gint64 y_l0, double *value)
{
  const VtRaster *raster = result->rasters[stage];
  if (!raster || raster->type == VITRAIL_RGBA8
      || !vt_raster_lookup_l0(raster, (double)x_l0 + 0.5, (double)y_l0 + 0.5, value))
    return FALSE;
  if (result->op->stages[stage]->kind == VITRAIL_STAGE_SCALAR)
    *value = *value * raster->scale + raster->offset;
  return TRUE;
}

char *
vt_why_dup_colour(const VtResult *result, guint stage, gint64 x_l0, gint64 y_l0)
{
  const VtRaster *raster = result->rasters[stage];
  guint8 rgb[3];
  return raster && vt_raster_lookup_rgb_l0(raster, (double)x_l0 + 0.5, (double)y_l0 + 0.5, rgb)
           ? g_strdup_printf("RGB %u %u %u", rgb[0], rgb[1], rgb[2])
           : NULL;
}

const char *
vt_why_get_unit(const VtResult *result, guint stage)
{
  const VitrailStage *s = result->op->stages[stage];
  const char *unit = !result->calibrated && s->unit_px ? s->unit_px : s->unit;
  return unit && s->kind == VITRAIL_STAGE_SCALAR ? unit : "";
}

VtRunRequest *
vt_why_new_wave(const VtRunRequest *request, guint stage)
{
  VtRunRequest *wave = vt_run_request_copy(request);
  wave->asks_why = wave->keeps_pixel = FALSE;
  wave->plays_wave = TRUE;
  wave->wave_stage = stage;
  return wave;
}

/* What the run has told of itself; 0: nothing. */
static double
get_fact(const VtResult *result, const char *key)
{
  JsonObject *record = json_node_get_object(result->record);
  JsonObject *facts = json_object_get_object_member(record, "resolved");
  return facts && json_object_has_member(facts, key) ? json_object_get_double_member(facts, key) : 0;
}

gboolean
vt_why_find_window(const VtResult *answer, const gint64 size_l0[2], gint64 x_l0, gint64 y_l0, gint64 window[4])
{
  const gint64 d = (gint64)get_fact(answer, "downsample"), edge = (gint64)get_fact(answer, "window-px"),
               stride = (gint64)get_fact(answer, "stride-px"), pixel[2] = { x_l0, y_l0 };
  if (d < 1 || edge < 1 || stride < 1)
    return FALSE;
  for (guint i = 0; i < 2; i++) {
    const gint64 image = (size_l0[i] + d - 1) / d,
                 offset = stride / 2; /* the grid of the plugin: steps/texture-map.c */
    const gint64 last = image > offset ? (image - 1 - offset) / stride : 0;
    const gint64 middle = MIN(pixel[i] / d / stride, last) * stride + offset;
    const gint64 from = MAX(middle - edge / 2, 0), to = MIN(middle + edge / 2 + 1, image);
    window[i] = from;
    window[2 + i] = to - from;
  }
  return TRUE;
}

/* Of that stage of another op in a rectangle of the answer's grid. */
static VtRunRequest *
new_of_stage(const VtRunRequest *request, const VtResult *answer, const VitrailOp *op, const char *stage,
             const gint64 rectangle[4])
{
  const gint64 d = (gint64)get_fact(answer, "downsample");
  VtRunRequest *asked = vt_why_new_trail(request, op);
  asked->keeps_pixel = FALSE;
  asked->whole = FALSE;
  asked->x_l0 = rectangle[0] * d;
  asked->y_l0 = rectangle[1] * d;
  asked->width_l0 = rectangle[2] * d;
  asked->height_l0 = rectangle[3] * d;
  asked->stages_wanted = (guint64)1 << vt_op_find_stage(op, stage);
  return asked;
}

VtRunRequest *
vt_why_new_map(const VtRunRequest *request, const VtResult *answer, const VitrailOp *op, const char *stage)
{
  const gint64 d = MAX((gint64)get_fact(answer, "downsample"), 1);
  const gint64 pixel[4] = { request->why_x_l0 / d, request->why_y_l0 / d, 1, 1 };
  return new_of_stage(request, answer, op, stage, pixel);
}

VtRunRequest *
vt_why_new_lengths(const VtRunRequest *request, const VtResult *answer, const VitrailOp *op, const char *stage,
                   const gint64 window[4])
{
  VtRunRequest *lengths = new_of_stage(request, answer, op, stage, window);
  lengths->tells_lengths = TRUE;
  return lengths;
}

VtRunRequest *
vt_why_new_trial(const VtRunRequest *request, const char *key_value)
{
  VtRunRequest *trial = vt_run_request_copy(request);
  trial->asks_why = FALSE;
  trial->keep_stages = TRUE; /* trials have all steps before the parameter in common */
  trial->stages_wanted = (guint64)1 << vt_why_find_outcome(request->op);
  if (!vt_params_set_from_string(trial->params, key_value, NULL))
    g_return_val_if_reached(trial);
  return trial;
}

char *
vt_why_dup_critical(const VtResult *result, const VitrailVerdict *verdict, const char *format, double step)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const VitrailParam *param = result->op->params[verdict->param];
  const double now = result->params->values[verdict->param][0], critical = verdict->critical;
  for (int away = 0; away < 2; away++) {
    g_ascii_formatd(text, sizeof text, format, critical + (critical > now ? away : -away) * step);
    const double shown = g_ascii_strtod(text, NULL);
    if ((critical > now ? shown >= critical : shown <= critical) && shown >= param->min && shown <= param->max)
      return g_strdup(shown == 0 && *text == '-' ? text + 1 : text);
  }
  return g_strdup(g_ascii_dtostr(text, sizeof text, critical));
}
