/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-settings.h"

#include "plugins/vt-plugin-host.h"
#include "common/vt-translate.h"

/* An older plugin may lack a parameter. */
static double
get_number(const VtParams *params, const char *key)
{
  int index = vt_op_find_param(params->op, key);
  return index >= 0 ? params->values[index][0] : 0;
}

static gboolean
has_list(const VtParams *params, const char *key)
{
  int index = vt_op_find_param(params->op, key);
  return index >= 0 && vt_params_has_list(params, (guint)index);
}

static const char *
get_choice(const VitrailParam *param, double chosen)
{
  const guint i = (guint)chosen;
  return vt_translate(param->choice_titles ? param->choice_titles[i] : param->choices[i]);
}

static void
append_choice(GString *text, const VtParams *params, const char *key)
{
  int index = vt_op_find_param(params->op, key);
  if (index >= 0 && !has_list(params, key))
    g_string_append_printf(text, " · %s", get_choice(params->op->params[index], params->values[index][0]));
}

/* "Grey levels: 8, 16, 32". */
static void
append_list(GString *text, const VtParams *params)
{
  if (params->n_listed == 0)
    return;
  const VitrailParam *param = params->op->params[params->listed];
  g_string_append_printf(text, " · %s: ", vt_translate(param->title));
  if (param->type != VITRAIL_PARAM_CHOICE) {
    g_autofree char *values = vt_params_dup_shown(params, params->listed);
    g_string_append(text, values);
    return;
  }
  for (guint i = 0; i < params->n_listed; i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", get_choice(param, params->list[i]));
}

static void
append_levels(GString *text, const VtParams *params)
{
  int index = vt_op_find_param(params->op, "binning");
  const char *binning = index >= 0 ? params->op->params[index]->choices[(guint)params->values[index][0]] : "";
  guint levels = (guint)get_number(params, "levels");
  if (has_list(params, "binning") || has_list(params, "levels") || has_list(params, "bin-width"))
    return;
  if (g_str_equal(binning, "as-is"))
    g_string_append(text, _(" · levels as they are"));
  else if (g_str_equal(binning, "fixed-width"))
    g_string_append_printf(text, _(" · levels of width %g"), get_number(params, "bin-width"));
  else
    g_string_append_printf(text, g_dngettext(NULL, " · %u level", " · %u levels", levels), levels);
}

static void
append_range(GString *text, const VtParams *params)
{
  double from = get_number(params, "range-min"), to = get_number(params, "range-max");
  if (get_number(params, "own-range") != 0)
    g_string_append(text, _(" · each region's own range"));
  else if (from != 0 || to != 0)
    g_string_append_printf(text, _(" · from %g to %g"), from, to);
}

char *
vt_roi_settings_dup_summary(const VtParams *params)
{
  GString *text = g_string_new("GLRLM");
  int pixel_size = vt_op_find_param(params->op, "pixel-size");
  append_list(text, params);
  append_levels(text, params);
  append_range(text, params);
  if (pixel_size >= 0 && !has_list(params, "pixel-size"))
    g_string_append_printf(text, params->calibrated ? _(" · %g µm/px") : _(" · pixels of %g slide pixels"),
                           params->values[pixel_size][0]);
  append_choice(text, params, "channel");
  append_choice(text, params, "aggregate");
  return g_string_free(text, FALSE);
}
