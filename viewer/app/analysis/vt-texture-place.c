/* SPDX-License-Identifier: MIT
 *
 * Asking about a place, again and again while it moves. */
#include "analysis/vt-texture-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-plugin-host.h"

#define STALE_MS 100 /* an answer that comes sooner is not said to be of before */
#define FRAME_MS 6   /* what a frame waits for its answer: with what is drawn it is less than 16 */

/* What lies so many pixels of the slide's level round a lens is read before it goes there: half a tile. */
enum { AHEAD_PX = VT_TILE_PX / 2 };

static void start(VtTexturePlace *place);

/* --- tiles that a lens will need --- */

typedef struct {
  VtSlide *slide;
  guint downsample;
  gint64 x, y, width, height; /* of its grid */
} Ahead;

VT_DEFINE_FREE(ahead_free, Ahead, VT_FREES(vt_slide_unref, slide))

/* Of the grid, as the analysis reads it. */
static gint64
get_margin(VtSlide *slide, guint downsample)
{
  double finer = 1;
  for (int i = 0; i < vt_slide_get_n_stored_levels(slide); i++)
    if (vt_slide_get_level_downsample(slide, i) <= downsample * 1.01)
      finer = vt_slide_get_level_downsample(slide, i);
  return (gint64)ceil(AHEAD_PX * finer / downsample);
}

/* The pixels are of no use: the tiles stay in the cache. */
static void
read_in_thread(GTask *task, gpointer texture, gpointer data, GCancellable *cancellable)
{
  const Ahead *ahead = data;
  g_autofree guint8 *pixels = g_try_malloc((gsize)(ahead->width * ahead->height * 4));
  if (pixels)
    vt_slide_read_region(ahead->slide, ahead->downsample, ahead->x, ahead->y, ahead->width, ahead->height, pixels,
                         (gsize)ahead->width * 4, cancellable, NULL);
  g_task_return_boolean(task, TRUE);
}

static void read_ahead(VtTexturePlace *place);

static void
on_read(GObject *texture, GAsyncResult *result, gpointer user)
{
  VtTexturePlace *place = user;
  g_clear_object(&place->ahead);
  read_ahead(place);
}

static gboolean
is_near_ahead(const VtTexturePlace *place, guint downsample)
{
  const double most = (double)get_margin(place->owner->slide, downsample) * downsample / 2;
  return fabs(place->x_l0 - place->ahead_x_l0) <= most && fabs(place->y_l0 - place->ahead_y_l0) <= most;
}

/* One at a time; again when the lens has gone on. */
static void
read_ahead(VtTexturePlace *place)
{
  const VtRunLengths *l = place->shown.lengths;
  VtTexture *self = place->owner;
  gint64 width, height;
  if (!self->is_open || !self->slide || place->roi || !l || place->ahead || is_near_ahead(place, l->downsample))
    return;
  vt_slide_get_level_size(self->slide, 0, &width, &height);
  const gint64 margin = get_margin(self->slide, l->downsample), right = width / l->downsample,
               bottom = height / l->downsample;
  Ahead *ahead = g_new0(Ahead, 1);
  *ahead = (Ahead){ vt_slide_ref(self->slide), l->downsample, MAX(l->x - margin, 0), MAX(l->y - margin, 0), 0, 0 };
  ahead->width = MAX(MIN(l->x + l->width + margin, right) - ahead->x, 0);
  ahead->height = MAX(MIN(l->y + l->height + margin, bottom) - ahead->y, 0);
  place->ahead = g_cancellable_new();
  place->ahead_x_l0 = place->x_l0;
  place->ahead_y_l0 = place->y_l0;
  g_autoptr(GTask) task = g_task_new(self, place->ahead, on_read, place);
  g_task_set_task_data(task, ahead, ahead_free);
  g_task_run_in_thread(task, read_in_thread);
}

/* --- what comes back --- */

static void
forget_answer(VtTexturePlace *place)
{
  g_clear_pointer(&place->shown.result, vt_result_unref);
  g_clear_pointer(&place->shown.lengths, vt_run_lengths_unref);
  g_clear_pointer(&place->shown.failure, g_free);
  for (guint i = 0; i < VT_TEXTURE_FEATURES; i++)
    place->shown.features[i] = NAN;
  place->shown.is_stale = FALSE;
}

void
vt_texture_place_clear(VtTexturePlace *place)
{
  g_clear_handle_id(&place->stale_id, g_source_remove);
  if (place->runner)
    vt_runner_cancel(place->runner);
  if (place->ahead)
    g_cancellable_cancel(place->ahead);
  place->ahead_x_l0 = place->ahead_y_l0 = NAN;
  forget_answer(place);
  g_clear_pointer(&place->shown.name, g_free);
  g_clear_pointer(&place->roi, vt_roi_free);
  place->shown.is_making = place->again = FALSE;
}

static gboolean
on_stale(gpointer data)
{
  VtTexturePlace *place = data;
  place->stale_id = 0;
  place->shown.is_stale = place->shown.result != NULL;
  g_signal_emit_by_name(place->owner, "changed");
  return G_SOURCE_REMOVE;
}

static void
take_result(VtTexturePlace *place, VtResult *result)
{
  const VtRow *row = result->rows && result->rows->len > 0 ? g_ptr_array_index(result->rows, 0) : NULL;
  forget_answer(place);
  place->shown.result = vt_result_ref(result);
  if (!row || row->n_values < 1 + VT_TEXTURE_FEATURES || (!row->lengths && row->values[0] > 0)) {
    place->shown.failure = g_strdup(_("The plugin told of no run lengths."));
    return;
  }
  place->shown.lengths = row->lengths ? vt_run_lengths_ref(row->lengths) : NULL;
  for (guint i = 0; i < VT_TEXTURE_FEATURES; i++)
    place->shown.features[i] = row->values[1 + i];
}

static void
log_answer(const VtTexturePlace *place)
{
  const VtRunLengths *l = place->shown.lengths;
  const char *which = place == &place->owner->places[VT_TEXTURE_NOW] ? "now" : "pinned";
  if (place->shown.failure)
    vt_test_log("texture-failed %s %s", which, place->shown.failure);
  else if (l)
    vt_test_log(
      "texture-%s %.0f,%.0f,%.0f,%.0f px %ux%u pixels %.0f top %u longest %u sre %.17g re %.17g ms %.1f run %.1f",
      which, (double)l->x * l->downsample, (double)l->y * l->downsample, (double)l->width * l->downsample,
      (double)l->height * l->downsample, l->width, l->height, (double)l->n_pixels, l->top, l->longest,
      place->shown.features[0], place->shown.features[VT_TEXTURE_FEATURES - 1], place->shown.ms,
      place->shown.result->total_ms);
  else
    vt_test_log("texture-%s none", which);
}

/* The lens is as many pixels as asked for, which takes the grid that the analysis has: asked once more if that was not known. */
static gboolean
has_learnt_grid(VtTexturePlace *place)
{
  const VtRunLengths *lengths = place->shown.lengths;
  VtTexture *self = place->owner;
  if (!lengths || lengths->downsample == self->downsample)
    return FALSE;
  self->downsample = lengths->downsample;
  return !place->roi;
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtTexturePlace *place = user;
  VtTexture *self = place->owner;
  place->shown.is_making = FALSE;
  place->shown.ms = (double)(g_get_monotonic_time() - place->asked_us) / 1000;
  g_clear_handle_id(&place->stale_id, g_source_remove);
  if (result) {
    take_result(place, result);
  } else {
    forget_answer(place);
    place->shown.failure = g_strdup(vt_translate(error->message));
  }
  const gboolean learnt = has_learnt_grid(place);
  log_answer(place);
  read_ahead(place);
  if (place->again || learnt)
    start(place);
  if (place == &self->places[VT_TEXTURE_NOW] && self->has_cell)
    vt_texture_paint(self);
  g_signal_emit_by_name(self, "changed");
}

/* --- questions --- */

/* Of the analysis grid: as it was last, else what the settings come to. */
static double
get_downsample(VtTexture *self)
{
  double mpp_x = 0, mpp_y = 0;
  const int index = vt_op_find_param(self->op, "pixel-size");
  const double pixel = index >= 0 ? self->params->values[index][0] : 1;
  if (self->downsample > 0)
    return self->downsample;
  if (!vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y))
    mpp_x = mpp_y = 1;
  return MAX(round(pixel / sqrt(mpp_x * mpp_y)), 1);
}

/* The pixels of the grid that a lens covers, as level-0 pixels; cut off at the edge of the slide. */
static gboolean
get_lens_box(VtTexturePlace *place, gint64 box[4])
{
  const double d = get_downsample(place->owner), edge = place->px * d;
  gint64 width, height;
  vt_slide_get_level_size(place->owner->slide, 0, &width, &height);
  const double x = floor(place->x_l0 / d - place->px / 2.0 + 0.5) * d;
  const double y = floor(place->y_l0 / d - place->px / 2.0 + 0.5) * d;
  box[0] = (gint64)CLAMP(x, 0, (double)width);
  box[1] = (gint64)CLAMP(y, 0, (double)height);
  box[2] = (gint64)CLAMP(x + edge, 0, (double)width);
  box[3] = (gint64)CLAMP(y + edge, 0, (double)height);
  return box[2] > box[0] && box[3] > box[1];
}

static void
show_place(VtTexturePlace *place)
{
  double *box = place->shown.box_l0, width, height;
  gint64 lens[4];
  place->shown.is_lens = place->roi == NULL;
  if (place->roi) {
    vt_roi_get_bounds(place->roi, &box[0], &box[1], &width, &height);
    box[2] = box[0] + width;
    box[3] = box[1] + height;
    return;
  }
  get_lens_box(place, lens);
  for (guint i = 0; i < 4; i++)
    box[i] = (double)lens[i];
}

/* NULL: it lies beside the slide. */
static VtRunRequest *
request_new(VtTexturePlace *place)
{
  VtTexture *self = place->owner;
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  gint64 box[4];
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  request->tells_lengths = TRUE;
  if (place->roi) {
    g_autoptr(GListStore) list = g_list_store_new(VT_TYPE_ROI_ITEM);
    g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_copy(place->roi));
    g_list_store_append(list, item);
    return vt_roi_items_fill(request, self->slide, G_LIST_MODEL(list)) ? g_steal_pointer(&request) : NULL;
  }
  if (!get_lens_box(place, box))
    return NULL;
  request->x_l0 = box[0];
  request->y_l0 = box[1];
  request->width_l0 = box[2] - box[0];
  request->height_l0 = box[3] - box[1];
  return g_steal_pointer(&request);
}

static void
start(VtTexturePlace *place)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  VtTexture *self = place->owner;
  place->again = FALSE;
  place->asked_us = g_get_monotonic_time();
  if (place->ahead && !is_near_ahead(place, (guint)get_downsample(self)))
    g_cancellable_cancel(place->ahead);
  show_place(place);
  VtRunRequest *request = request_new(place);
  if (!request) {
    forget_answer(place);
    place->shown.failure = g_strdup(_("That is beside the slide."));
    if (place == &self->places[VT_TEXTURE_NOW])
      vt_texture_paint(self);
    return;
  }
  if (!place->runner)
    place->runner = vt_runner_new(&callbacks, place);
  place->shown.is_making = TRUE;
  if (!place->stale_id)
    place->stale_id = g_timeout_add(STALE_MS, on_stale, place);
  vt_runner_start(place->runner, request);
}

/* Place and numbers change in one frame where the last answer came so soon that this one will: otherwise the numbers are one frame behind. */
static gboolean
wait_for_answer(VtTexturePlace *place)
{
  const VtResult *last = place->shown.result;
  return last && last->total_ms < FRAME_MS && place->shown.is_making && vt_runner_wait(place->runner, FRAME_MS);
}

void
vt_texture_place_ask(VtTexturePlace *place)
{
  if (!place->owner->is_open || !place->owner->slide || !place->owner->params || !place->shown.name)
    return;
  show_place(place);
  if (place->shown.is_making)
    place->again = TRUE;
  else
    start(place);
  if (!wait_for_answer(place)) /* with which it has been told already */
    g_signal_emit_by_name(place->owner, "changed");
}

void
vt_texture_place_ask_anew(VtTexturePlace *place)
{
  if (place->runner)
    vt_runner_cancel(place->runner);
  place->shown.is_making = FALSE;
  vt_texture_place_ask(place);
  place->shown.is_stale = place->shown.is_making && place->shown.result != NULL;
}
