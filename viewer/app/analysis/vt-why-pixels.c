/* SPDX-License-Identifier: MIT */
#include "analysis/vt-why-pixels.h"

#include <glib/gi18n.h>

#include "analysis/vt-runner.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-recipe-trail.h"
#include "run/vt-wand.h"

struct _VtWhyPixels {
  VtWhyPixelsDone done;
  gpointer user;
  VtRunner *runner; /* NULL until it is needed */
  gint64 x_l0, y_l0;
  guint stage; /* of the trail */
  gboolean by_corners;
};

static const VitrailRecipeNode *
find_node(const VitrailRecipe *recipe, const char *id)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (g_str_equal(recipe->nodes[i]->id, id))
      return recipe->nodes[i];
  return NULL;
}

/* The step whose pixels a verdict is about: what is measured where it is of a piece or an object, else what the test makes. */
static const char *
find_source(const VitrailRecipe *recipe, const VitrailVerdict *v)
{
  const VitrailRecipeNode *node = find_node(recipe, v->node);
  const gboolean is_of_piece = v->tested == VITRAIL_TESTED_AREA || v->tested == VITRAIL_TESTED_MEAN;
  return node && is_of_piece && node->n_inputs > 0 ? node->inputs[0] : v->node;
}

static gboolean
has_corners(const VitrailRecipe *recipe, const char *id)
{
  const VitrailRecipeNode *node = find_node(recipe, id);
  for (guint i = 0; node && i < node->n_settings; i++)
    if (g_str_equal(node->settings[i]->key, "connectivity"))
      return !g_str_equal(node->settings[i]->value, "4");
  return TRUE;
}

/* The stage of the trail that shows a step; -1: none. */
static int
find_stage(const VitrailOp *trail, const VitrailRecipe *recipe, const char *id)
{
  const VitrailRecipeNode *node = find_node(recipe, id);
  const int own = node && node->stage ? vt_op_find_stage(trail, node->stage) : -1;
  return own >= 0 ? own : vt_op_find_stage(trail, id);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtWhyPixels *self = user;
  const VtRaster *raster = result ? result->rasters[self->stage] : NULL;
  g_autoptr(GError) own = NULL;
  g_autoptr(VtRoi) outline = NULL;
  gint64 col, row;
  if (raster && vt_raster_find_l0(raster, (double)self->x_l0 + 0.5, (double)self->y_l0 + 0.5, &col, &row))
    outline = vt_wand_grow(raster, col, row, 0, self->by_corners, &own);
  const char *failure = error ? vt_translate(error->message) : own ? vt_translate(own->message) : NULL;
  vt_test_log("why-pixels %s %u", outline ? "of" : "none", outline ? outline->points->len / 2 : 0);
  self->done(outline, failure, self->user);
}

gboolean
vt_why_pixels_find(VtWhyPixels *self, VtWhy *why, guint verdict)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  const VtResult *answer = vt_why_get_answer(why);
  const VitrailVerdict *v = &g_array_index(answer->verdicts, VitrailVerdict, verdict);
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(vt_plugin_host_get(), answer->op, NULL);
  g_autoptr(GError) error = NULL;
  vt_why_pixels_stop(self);
  if (v->tested == VITRAIL_TESTED_DEPTH)
    return FALSE;
  const VitrailOp *trail = vt_recipe_open_trail(vt_plugin_host_get(), answer->op, &error);
  const char *source = trail ? find_source(recipe, v) : NULL;
  const int stage = trail ? find_stage(trail, recipe, source) : -1;
  if (stage < 0) {
    self->done(NULL, error ? vt_translate(error->message) : _("The pixels of this test can't be told."), self->user);
    return TRUE;
  }
  vt_why_get_place(why, &self->x_l0, &self->y_l0);
  self->stage = (guint)stage;
  self->by_corners = v->tested != VITRAIL_TESTED_AREA || has_corners(recipe, v->node);
  VtRunRequest *request = vt_why_new_trail(vt_why_get_request(why), trail);
  request->keeps_pixel = FALSE;
  request->stages_wanted = (guint64)1 << stage;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start(self->runner, request);
  return TRUE;
}

void
vt_why_pixels_stop(VtWhyPixels *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
}

VtWhyPixels *
vt_why_pixels_new(VtWhyPixelsDone done, gpointer user)
{
  VtWhyPixels *self = g_new0(VtWhyPixels, 1);
  self->done = done;
  self->user = user;
  return self;
}

void
vt_why_pixels_free(VtWhyPixels *self)
{
  g_clear_pointer(&self->runner, vt_runner_free);
  g_free(self);
}
