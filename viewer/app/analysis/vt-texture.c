/* SPDX-License-Identifier: MIT */
#include "analysis/vt-texture-private.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "layers/vt-run-picture.h"
#include "plugins/vt-plugin-host.h"

#define LENS_PX 128

G_DEFINE_FINAL_TYPE(VtTexture, vt_texture, G_TYPE_OBJECT)

/* --- runs of a cell --- */

typedef struct {
  VtRunLengths *lengths;
  VtRunCell cell;
  VtPainted *painted;
  guint n;
} Painting;

VT_DEFINE_FREE(painting_free, Painting, VT_FREES(vt_run_lengths_unref, lengths) VT_FREES(vt_painted_unref, painted))

static void
paint_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Painting *painting = data;
  painting->painted = vt_run_picture_new(painting->lengths, &painting->cell, &painting->n);
  g_task_return_boolean(task, TRUE);
}

static void
on_painted(GObject *object, GAsyncResult *result, gpointer data)
{
  VtTexture *self = VT_TEXTURE(object);
  Painting *painting = g_task_get_task_data(G_TASK(result));
  self->is_painting = FALSE;
  if (self->paint_again || !self->has_cell || !self->is_open) {
    vt_texture_paint(self);
    return;
  }
  g_clear_pointer(&self->painted, vt_painted_unref);
  self->painted = g_steal_pointer(&painting->painted);
  vt_test_log("texture-runs %u", painting->n);
  g_signal_emit_by_name(self, "pictured");
}

/* Or the picture goes, if there is nothing to be drawn. */
void
vt_texture_paint(VtTexture *self)
{
  VtRunLengths *lengths = self->places[VT_TEXTURE_NOW].shown.lengths;
  self->paint_again = self->is_painting;
  if (self->is_painting)
    return;
  if (!self->has_cell || !lengths) {
    g_clear_pointer(&self->painted, vt_painted_unref);
    g_signal_emit_by_name(self, "pictured");
    return;
  }
  Painting *painting = g_new0(Painting, 1);
  painting->lengths = vt_run_lengths_ref(lengths);
  painting->cell = self->cell;
  painting->cell.directions = vt_texture_get_directions(self);
  self->is_painting = TRUE;
  vt_task_run(self, NULL, on_painted, NULL, paint_in_thread, painting, painting_free);
}

static void
look_at_now(VtTexture *self)
{
  VtTexturePlace *now = &self->places[VT_TEXTURE_NOW];
  if (!self->is_lens && !self->region) {
    vt_texture_place_clear(now);
    vt_texture_paint(self);
    g_signal_emit_by_name(self, "changed");
    return;
  }
  g_clear_pointer(&now->roi, vt_roi_free);
  g_free(now->shown.name);
  now->roi = self->is_lens ? NULL : vt_roi_copy(self->region);
  now->shown.name = g_strdup(self->is_lens ? _("Lens") : self->region->name);
  now->x_l0 = self->pointed_x_l0;
  now->y_l0 = self->pointed_y_l0;
  now->px = self->lens_px;
  vt_texture_place_ask(now);
}

/* --- from outside --- */

void
vt_texture_open(VtTexture *self)
{
  self->is_open = TRUE;
  vt_test_log("texture-open");
  look_at_now(self);
  g_signal_emit_by_name(self, "changed");
}

void
vt_texture_close(VtTexture *self)
{
  if (!self->is_open)
    return;
  self->is_open = self->is_lens = self->is_held = self->has_cell = FALSE;
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++)
    vt_texture_place_clear(&self->places[i]);
  vt_texture_paint(self);
  vt_test_log("texture-closed");
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(gboolean, vt_texture_is_open, VtTexture, is_open)

void
vt_texture_set_region(VtTexture *self, const VtRoi *roi)
{
  if (roi && self->region && vt_roi_equal(roi, self->region))
    return;
  g_clear_pointer(&self->region, vt_roi_free);
  self->region = roi ? vt_roi_copy(roi) : NULL;
  if (self->is_open && !self->is_lens)
    look_at_now(self);
}

void
vt_texture_set_lens(VtTexture *self, gboolean on, double x_l0, double y_l0)
{
  self->pointed_x_l0 = x_l0;
  self->pointed_y_l0 = y_l0;
  if (on == self->is_lens)
    return;
  self->is_lens = on;
  self->is_held = FALSE;
  vt_texture_place_clear(&self->places[VT_TEXTURE_NOW]);
  vt_test_log("texture-lens %d", on);
  look_at_now(self);
}

VT_GETTER(gboolean, vt_texture_get_lens, VtTexture, is_lens)

void
vt_texture_move_lens(VtTexture *self, double x_l0, double y_l0)
{
  if (!self->is_lens || self->is_held || (x_l0 == self->pointed_x_l0 && y_l0 == self->pointed_y_l0))
    return;
  self->pointed_x_l0 = x_l0;
  self->pointed_y_l0 = y_l0;
  look_at_now(self);
}

void
vt_texture_hold_lens(VtTexture *self, gboolean held)
{
  self->is_held = held && self->is_lens;
  vt_test_log("texture-held %d", self->is_held);
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(gboolean, vt_texture_get_held, VtTexture, is_held)

void
vt_texture_set_lens_px(VtTexture *self, guint px)
{
  self->lens_px = CLAMP(px, VT_LENS_LEAST, VT_LENS_MOST);
  if (self->is_lens)
    look_at_now(self);
}

VT_GETTER(guint, vt_texture_get_lens_px, VtTexture, lens_px)

void
vt_texture_pin(VtTexture *self)
{
  const VtTexturePlace *now = &self->places[VT_TEXTURE_NOW];
  VtTexturePlace *pinned = &self->places[VT_TEXTURE_PINNED];
  if (!now->shown.name)
    return;
  vt_texture_place_clear(pinned);
  pinned->roi = now->roi ? vt_roi_copy(now->roi) : NULL;
  pinned->shown.name = g_strdup(now->shown.name);
  pinned->x_l0 = now->x_l0;
  pinned->y_l0 = now->y_l0;
  pinned->px = now->px;
  vt_texture_place_ask(pinned);
}

void
vt_texture_unpin(VtTexture *self)
{
  vt_texture_place_clear(&self->places[VT_TEXTURE_PINNED]);
  g_signal_emit_by_name(self, "changed");
}

const VtTextureView *
vt_texture_get_view(VtTexture *self, VtTextureSide side)
{
  return self->places[side].shown.name ? &self->places[side].shown : NULL;
}

/* --- settings --- */

VT_GETTER(const VtParams *, vt_texture_get_params, VtTexture, params)

guint
vt_texture_get_aggregate(VtTexture *self)
{
  const int index = self->op ? vt_op_find_param(self->op, "aggregate") : -1;
  return index >= 0 && self->params ? (guint)self->params->values[index][0] : 0;
}

guint
vt_texture_get_directions(VtTexture *self)
{
  static const struct {
    const char *key;
    guint directions;
  } single[] = { { "dir-1-0", 1 }, { "dir-1-1", 2 }, { "dir-0-1", 4 }, { "dir-m1-1", 8 } };
  const int index = self->op ? vt_op_find_param(self->op, "aggregate") : -1;
  const char *key = index >= 0 ? self->op->params[index]->choices[vt_texture_get_aggregate(self)] : "";
  for (guint i = 0; i < G_N_ELEMENTS(single); i++)
    if (g_str_equal(key, single[i].key))
      return single[i].directions;
  return VT_RUN_ALL_DIRECTIONS;
}

/* Those of the analysis, of several settings the first, and the directions that were chosen here. */
static void
take_params(VtTexture *self)
{
  const VtParams *set = vt_analysis_get_params_of(self->analysis, VT_ROI_OP);
  const int index = self->op ? vt_op_find_param(self->op, "aggregate") : -1;
  double mpp_x, mpp_y;
  if (!self->op)
    return;
  g_autoptr(VtParams) old = g_steal_pointer(&self->params);
  self->params = vt_params_new(self->op, !self->slide || vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y));
  g_autoptr(VtParams) first = set ? vt_params_copy_setting(set, 0) : NULL;
  if (first)
    vt_params_take_over(self->params, first);
  if (self->aggregate >= 0 && index >= 0)
    (void)vt_params_set(self->params, (guint)index, (const double[4]){ self->aggregate }, NULL);
  if (old && vt_params_equal(old, self->params))
    return;
  self->downsample = 0;
  for (guint i = 0; self->is_open && i < VT_TEXTURE_N_SIDES; i++)
    vt_texture_place_ask_anew(&self->places[i]);
  g_signal_emit_by_name(self, "changed");
}

void
vt_texture_set_aggregate(VtTexture *self, guint choice)
{
  self->aggregate = (int)choice;
  take_params(self);
}

void
vt_texture_set_slide(VtTexture *self, VtSlide *slide)
{
  vt_texture_close(self);
  g_clear_pointer(&self->region, vt_roi_free);
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
  self->downsample = 0;
  take_params(self);
}

/* --- cells --- */

void
vt_texture_set_cell(VtTexture *self, const VtRunCell *cell)
{
  self->has_cell = cell != NULL;
  if (cell)
    self->cell = *cell;
  if (cell)
    vt_test_log("texture-cell %u-%u %u-%u", cell->level_from, cell->level_to, cell->length_from, cell->length_to);
  vt_texture_paint(self);
  g_signal_emit_by_name(self, "changed");
}

const VtRunCell *
vt_texture_get_cell(VtTexture *self)
{
  return self->has_cell ? &self->cell : NULL;
}

VT_GETTER(VtPainted *, vt_texture_get_painted, VtTexture, painted)

/* --- life --- */

static void
vt_texture_dispose(GObject *object)
{
  VtTexture *self = VT_TEXTURE(object);
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++) {
    vt_texture_place_clear(&self->places[i]);
    g_clear_pointer(&self->places[i].runner, vt_runner_free);
  }
  self->has_cell = FALSE;
  g_clear_pointer(&self->painted, vt_painted_unref);
  g_clear_pointer(&self->region, vt_roi_free);
  g_clear_pointer(&self->params, vt_params_free);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_object(&self->analysis);
  G_OBJECT_CLASS(vt_texture_parent_class)->dispose(object);
}

static void
vt_texture_class_init(VtTextureClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_texture_dispose;
  vt_signals_new(VT_TYPE_TEXTURE, "changed", "pictured", NULL);
}

static void
vt_texture_init(VtTexture *self)
{
  self->lens_px = LENS_PX;
  self->aggregate = -1;
  for (guint i = 0; i < VT_TEXTURE_N_SIDES; i++) {
    self->places[i].owner = self;
    vt_texture_place_clear(&self->places[i]);
  }
}

VtTexture *
vt_texture_new(VtAnalysis *analysis)
{
  VtTexture *self = g_object_new(VT_TYPE_TEXTURE, NULL);
  self->analysis = g_object_ref(analysis);
  self->op = vt_plugin_host_find_op(vt_plugin_host_get(), VT_ROI_OP, &self->plugin);
  take_params(self);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(take_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(take_params), self, G_CONNECT_SWAPPED);
  return self;
}
