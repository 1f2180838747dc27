/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-test-log.h"
#include "layers/vt-raster-paint.h"

#define N_WORKERS 2
#define THIN 4 /* what is kept of a picture out of sight is one pixel in THIN x THIN */
#define LARGE_PIXELS ((gint64)8 << 20)
/* The scale of a density goes at least up to here: tissue has 1000 to 10,000 nuclei per mm², at 0.5 µm a pixel 0.25 to 2.5 per
 * 1000 px². */
#define LEAST_TOP_MM2 1000
#define LEAST_TOP_PX 0.25

/* What a worker gets, and what it makes of it. The layer itself is touched by the main thread only. */
typedef struct VtPaintJob {
  VtLayer *layer;
  VtResult *result;                    /* keeps rasters and objects */
  GPtrArray *rasters;                  /* VtRaster; NULL: objects */
  VtColoring coloring, asked_coloring; /* before a range was found */
  gboolean wants_range, wants_count, is_large;
  gint64 n_objects;
  VtOutlineIndex *index;
  VtDensity *density;
  double density_top; /* in its unit */
  VtOutlineLook look;
  double per_screen; /* pixels of the picture for a device pixel of the screen */
  VtViewport view;
  VtPainted *previous;
  gboolean is_same; /* it is of the same objects, with the same look */
  guint64 data_serial;
  gboolean is_ahead; /* the layer does not have the result yet */
  gboolean is_done;  /* and the picture waits for that, without a reference to the layer */
  VtPainted *painted;
  gint64 asked_us;
  VtLayerPictureDone done; /* of a picture that is not the layer's own; or NULL */
  gpointer user;
} PaintJob;

static void
paint_job_free(PaintJob *job)
{
  g_clear_pointer(&job->painted, vt_painted_unref);
  g_clear_pointer(&job->previous, vt_painted_unref);
  vt_drop(job->index, (GDestroyNotify)vt_outline_index_unref);
  g_clear_pointer(&job->density, vt_density_unref);
  g_clear_pointer(&job->look.filter, vt_object_filter_unref);
  g_clear_pointer(&job->look.classified, vt_classified_unref);
  vt_drop(job->look.columns, (GDestroyNotify)vt_columns_unref);
  g_clear_pointer(&job->rasters, g_ptr_array_unref);
  vt_drop(job->result, (GDestroyNotify)vt_result_unref);
  g_free(job);
}

static void
take_range(VtLayer *self, const PaintJob *job)
{
  if (!job->wants_range && !job->wants_count)
    return;
  self->range_known = TRUE;
  if (job->wants_count)
    self->n_objects = job->n_objects;
  if (job->wants_range && !self->own_range) {
    self->coloring.min = job->coloring.min;
    self->coloring.max = job->coloring.max;
    vt_layer_log_look(self);
  }
  g_signal_emit_by_name(self, "data");
}

static void
thin(VtLayer *self)
{
  vt_layer_forget_former(self);
  g_clear_pointer(&self->fine, vt_painted_unref);
  if (!self->painted || self->thinned)
    return;
  VtPainted *picture = self->painted;
  self->painted = vt_painted_thin(picture, THIN);
  self->thinned = TRUE;
  vt_painted_unref(picture);
  vt_test_log("layer-thinned %s", self->stage->id);
}

void
vt_layer_hide(VtLayer *self)
{
  if (!self->stage)
    return;
  self->hidden = TRUE;
  thin(self);
}

/* What a worker made takes the place of the last picture. */
static void
take_picture(VtLayer *self, PaintJob *job)
{
  take_range(self, job);
  vt_layer_keep_former(self, job->painted);
  g_clear_pointer(&self->painted, vt_painted_unref);
  self->painted = g_steal_pointer(&job->painted);
  self->painted_view = job->view;
  self->painted_coloring = job->coloring;
  self->painted_line_px = job->look.line_px;
  self->thinned = FALSE;
  self->undrawn = !self->hidden;
  if (self->hidden)
    thin(self);
  gboolean new_index = !self->index && job->index;
  g_clear_pointer(&self->index, vt_outline_index_unref);
  self->index = g_steal_pointer(&job->index);
  double old_top = vt_layer_get_density_top(self);
  g_clear_pointer(&self->density, vt_density_unref);
  self->density = g_steal_pointer(&job->density);
  self->density_top = job->density_top;
  if (new_index) {
    vt_layer_find_selected(self);
    vt_layer_measure(self);
  }
  if (new_index || old_top != vt_layer_get_density_top(self))
    g_signal_emit_by_name(self, "data");
  g_signal_emit_by_name(self, "redraw");
  if (self->density)
    vt_test_log("counted %s %u", self->stage->id, self->density->n_counted);
  vt_test_log("painted %s %.1f %u of %u", self->stage->id, (double)(g_get_monotonic_time() - job->asked_us) / 1000,
              self->painted->tiles->len - self->painted->n_shared, self->painted->tiles->len);
}

static gboolean
paint_arrived(gpointer data)
{
  PaintJob *job = data;
  g_autoptr(VtLayer) self = job->layer;
  if (job->is_ahead) {
    job->is_done = TRUE;
    if (self->ahead == job)
      g_signal_emit_by_name(self, "prepared");
    else
      paint_job_free(job);
    return G_SOURCE_REMOVE;
  }
  self->painting = FALSE;
  if (job->data_serial == self->data_serial)
    take_picture(self, job);
  if (self->dirty)
    vt_layer_paint(self);
  paint_job_free(job);
  return G_SOURCE_REMOVE;
}

gboolean
vt_layer_is_awaited(VtLayer *self)
{
  return self->painting || self->undrawn || self->former;
}

static gboolean
is_large(const GPtrArray *rasters)
{
  gint64 n_pixels = 0;
  VT_EACH_OF (const VtRaster, raster, rasters)
    n_pixels += raster->width * raster->height;
  return n_pixels > LARGE_PIXELS;
}

gboolean
vt_layer_is_large(VtLayer *self)
{
  return is_large(self->rasters);
}

static void
find_range(PaintJob *job)
{
  double least = INFINITY, most = -INFINITY;
  for (guint i = 0; i < job->rasters->len; i++) {
    double min = 0, max = 0;
    if (vt_raster_get_range(job->rasters->pdata[i], &min, &max)) {
      least = MIN(least, min);
      most = MAX(most, max);
    }
    if (job->wants_count)
      job->n_objects += (gint64)max; /* they are numbered 1.. */
  }
  if (job->wants_range) {
    job->coloring.min = least <= most ? least : 0;
    job->coloring.max = least <= most ? most : 0;
  }
}

/* Of a large raster only what is seen and half as much around it, with no more pixels than the screen can show. */
static void
paint_raster(PaintJob *job)
{
  VtRasterSeen seen = { .downsample = job->view.downsample, .whole_tiles = !job->done };
  if (job->wants_range || job->wants_count)
    find_range(job);
  vt_viewport_get_seen_l0(&job->view, &seen.x0, &seen.y0, &seen.x1, &seen.y1);
  const double around_x = (seen.x1 - seen.x0) / 4, around_y = (seen.y1 - seen.y0) / 4;
  seen.x0 -= around_x;
  seen.x1 += around_x;
  seen.y0 -= around_y;
  seen.y1 += around_y;
  job->painted = vt_raster_paint(job->rasters, &job->coloring, job->is_large ? &seen : NULL, job->previous);
}

/* Few extreme objects would leave one colour for all others. */
static void
find_measured_range(PaintJob *job)
{
  VtStats stats;
  const GPtrArray *objects = job->result->objects;
  g_autofree double *values = g_new(double, objects->len);
  for (guint i = 0; i < objects->len; i++)
    values[i] = vt_columns_get_value(job->look.columns, i, job->look.measure);
  vt_stats_of_values(values, objects->len, &stats);
  job->coloring.min = stats.n > 0 ? stats.percentiles[0] : 0;
  job->coloring.max = stats.n > 0 ? stats.percentiles[VT_STATS_N_PERCENTILES - 1] : 0;
}

static void
paint_objects(PaintJob *job)
{
  double x0, y0, x1, y1;
  if (job->wants_range)
    find_measured_range(job);
  job->look.coloring = job->coloring;
  if (!job->index)
    job->index = vt_outline_index_new(job->result->objects);
  job->look.cell_l0 = vt_outline_get_cell(job->look.pixel_l0 * MAX(job->per_screen, 1));
  const double cell = job->look.cell_l0;
  /* A smaller or larger picture shows what the screen does: outlines, however small, where that has outlines. */
  const gboolean counted = vt_outline_wants_density(job->index, job->look.pixel_l0 * job->per_screen);
  if (job->density && (!counted || job->density->cell != cell))
    g_clear_pointer(&job->density, vt_density_unref);
  if (counted && !job->density)
    job->density = vt_outline_count(job->index, &job->look);
  if (job->density) {
    const double factor = vt_layer_get_density_factor(job->result);
    const double least = job->result->calibrated ? LEAST_TOP_MM2 : LEAST_TOP_PX;
    job->density_top = vt_outline_get_density_top(vt_density_get_max(job->density) * factor, least);
    job->look.density_top = job->density_top / factor;
  }
  vt_viewport_get_seen_l0(&job->view, &x0, &y0, &x1, &y1);
  job->painted = vt_outline_paint(job->index, job->density, &job->look, x0, y0, x1, y1, job->previous, job->is_same);
}

static gboolean
picture_arrived(gpointer data)
{
  PaintJob *job = data;
  g_autoptr(VtLayer) self = job->layer;
  job->done(job->data_serial == self->data_serial ? g_steal_pointer(&job->painted) : NULL, job->user);
  paint_job_free(job);
  return G_SOURCE_REMOVE;
}

static void
paint(gpointer data, gpointer user_data)
{
  PaintJob *job = data;
  if (job->rasters)
    paint_raster(job);
  else
    paint_objects(job);
  /* Not at a lower priority than drawing: a picture that is there is worth showing. */
  g_idle_add_full(G_PRIORITY_DEFAULT, job->done ? picture_arrived : paint_arrived, job, NULL);
}

static void
fill_objects_job(VtLayer *self, PaintJob *job, double line_px)
{
  VtClassified *classified = vt_layer_get_coloured_by(self);
  job->look = (VtOutlineLook){ .map = self->coloring.map,
                               .line_px = line_px,
                               .pixel_l0 = job->view.downsample,
                               .filled = !self->coloring.outline,
                               .filter = self->filter ? vt_object_filter_ref(self->filter) : NULL,
                               .classified = classified ? vt_classified_ref(classified) : NULL,
                               .measure = (guint)MAX(vt_layer_find_measure(self), 0) };
  job->look.columns = job->look.measure > 0 ? vt_columns_ref(vt_layer_get_columns(self)) : NULL;
  job->wants_range = job->look.measure > 0 && !self->own_range && !self->range_known;
  if (self->index && job->result == self->result)
    job->index = vt_outline_index_ref(self->index);
}

/* What the last picture can give to the next one. */
static void
take_from_last(VtLayer *self, PaintJob *job)
{
  const gboolean is_same =
    self->index && !self->filter_changed && vt_coloring_equal(&self->coloring, &self->painted_coloring);
  if (self->density && is_same)
    job->density = vt_density_ref(self->density);
  job->previous = vt_layer_ref_previous(self, job->rasters);
  job->is_same = is_same && self->painted_line_px == self->line_px;
  self->filter_changed = self->filter_changed && !self->index;
}

GPtrArray *
vt_layer_list_rasters(VtLayer *self, VtResult *result)
{
  g_autoptr(GPtrArray) rasters = g_ptr_array_new();
  const guint n = result->parts ? result->parts->len : 1;
  for (guint i = 0; i < n; i++) {
    const VtResult *part = result->parts ? result->parts->pdata[i] : result;
    if (part->rasters[self->stage_index])
      g_ptr_array_add(rasters, part->rasters[self->stage_index]);
  }
  return rasters->len > 0 ? g_steal_pointer(&rasters) : NULL;
}

static gboolean
has_part(VtLayer *self, VtResult *result)
{
  g_autoptr(GPtrArray) rasters = vt_layer_list_rasters(self, result);
  return rasters || (self->kind == VT_LAYER_OBJECTS && result->objects);
}

/* All that is the same whatever the picture is for. `result`: the layer's, or one that it will have. `line_px`: of outlines. */
static PaintJob *
paint_job_new(VtLayer *self, VtResult *result, const VtViewport *view, double line_px)
{
  PaintJob *job = g_new0(PaintJob, 1);
  job->asked_us = g_get_monotonic_time();
  job->layer = g_object_ref(self);
  job->result = vt_result_ref(result);
  job->rasters = vt_layer_list_rasters(self, result);
  job->coloring = job->asked_coloring = self->coloring;
  if (job->rasters && (!self->range_known || result != self->result))
    job->wants_range =
      vt_layer_is_scalar(self) && !self->own_range && self->stage->display_min >= self->stage->display_max;
  job->data_serial = self->data_serial;
  job->per_screen = 1;
  job->view = *view;
  if (self->kind == VT_LAYER_OBJECTS)
    fill_objects_job(self, job, line_px);
  return job;
}

/* The picture for the screen; NULL: nobody looks, or it is not known yet at what. */
static PaintJob *
screen_job_new(VtLayer *self, VtResult *result)
{
  if (self->hidden || !vt_layer_get_seen(self))
    return NULL;
  PaintJob *job = paint_job_new(self, result, &self->wanted_view, self->line_px);
  const gboolean is_range_known = self->range_known && result == self->result;
  job->wants_count = job->rasters && !is_range_known && self->stage->kind == VITRAIL_STAGE_LABELS;
  job->is_large = is_large(job->rasters);
  if ((self->kind != VT_LAYER_OBJECTS && !job->is_large) || self->wanted_view.width_px > 0)
    return job;
  g_object_unref(job->layer);
  paint_job_free(job);
  return NULL;
}

static void
push(PaintJob *job)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(paint, NULL, N_WORKERS, TRUE, NULL);
  g_thread_pool_push(pool, job, NULL);
}

void
vt_layer_paint(VtLayer *self)
{
  self->dirty = TRUE;
  PaintJob *job = !self->painting && vt_layer_has_data(self) ? screen_job_new(self, self->result) : NULL;
  if (!job)
    return;
  take_from_last(self, job);
  self->painting = TRUE;
  self->dirty = FALSE;
  push(job);
}

/* --- ahead of the result --- */

void
vt_layer_forget_ahead(VtLayer *self)
{
  PaintJob *job = g_steal_pointer(&self->ahead);
  if (job && job->is_done)
    paint_job_free(job);
}

gboolean
vt_layer_prepare(VtLayer *self, VtResult *result)
{
  vt_layer_forget_ahead(self);
  if (!self->stage || self->measure || !has_part(self, result))
    return FALSE;
  PaintJob *job = screen_job_new(self, result);
  if (!job)
    return FALSE;
  job->is_ahead = TRUE;
  job->data_serial = self->data_serial + 1; /* as it will be with that result */
  job->previous = vt_layer_ref_previous(self, job->rasters);
  self->ahead = job;
  push(job);
  return TRUE;
}

gboolean
vt_layer_is_preparing(VtLayer *self)
{
  return self->ahead && !self->ahead->is_done;
}

gboolean
vt_layer_take_ahead(VtLayer *self)
{
  PaintJob *job = self->ahead;
  const gboolean is_of_use =
    job && job->result == self->result && job->data_serial == self->data_serial && vt_layer_get_seen(self)
    && !self->hidden && vt_coloring_equal(&job->asked_coloring, &self->coloring) && job->look.filter == self->filter
    && (self->kind != VT_LAYER_OBJECTS || job->look.line_px == self->line_px)
    && vt_viewport_equal(&job->view, &self->wanted_view);
  if (is_of_use && job->is_done) {
    take_picture(self, job);
    self->dirty = FALSE;
  } else if (is_of_use && !self->painting) { /* it comes like any other */
    self->ahead = NULL;
    job->is_ahead = FALSE;
    self->painting = TRUE;
    self->dirty = FALSE;
    return TRUE;
  }
  const gboolean is_taken = is_of_use && job->is_done;
  vt_layer_forget_ahead(self);
  return is_taken;
}

/* By a worker of its own: what is looked at comes first. */
void
vt_layer_make_picture(VtLayer *self, const VtViewport *view, double per_screen, VtLayerPictureDone done, gpointer user)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(paint, NULL, 1, TRUE, NULL);
  /* As wide as on a screen that shows what the picture does. */
  const double there = vt_layer_get_line(view->downsample * per_screen),
               here = vt_layer_get_line(self->wanted_view.downsample);
  const double line_px = self->line_px * per_screen * there / here;
  PaintJob *job = paint_job_new(self, self->result, view, MAX(line_px, 1));
  job->is_large = per_screen < 1 || vt_layer_is_large(self);
  job->per_screen = per_screen;
  job->done = done;
  job->user = user;
  g_thread_pool_push(pool, job, NULL);
}
