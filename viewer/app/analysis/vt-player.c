/* SPDX-License-Identifier: MIT */
#include "analysis/vt-player.h"

#include <math.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

#define DURATION_S 8

struct _VtPlayer {
  GObject parent;
  VtAnalysis *analysis;
  VtRunner *runner;                               /* NULL until somebody asks */
  gboolean is_open, is_making, is_old, is_beside; /* old: other parameters; beside: something else is seen */
  const VitrailOp *op;
  guint stage;   /* that was asked for */
  VtRoi *region; /* in whose rectangle; NULL: in what is seen */
  char *failure;
  VtResult *result; /* holds the wave */
  VtFilm *film;
  guint32 tick;
  gboolean is_playing;
  double duration, position; /* seconds; position: in ticks, since frames are shorter than ticks */
};

G_DEFINE_FINAL_TYPE(VtPlayer, vt_player, G_TYPE_OBJECT)

/* --- what comes back --- */

static void
on_picture(gpointer user)
{
  VtPlayer *self = user;
  guint32 tick;
  if (vt_film_get_painted(self->film, &tick))
    vt_test_log("player-shown %u", tick);
  g_signal_emit_by_name(self, "pictured");
}

static void
drop(VtPlayer *self)
{
  g_clear_pointer(&self->film, vt_film_free);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->failure, g_free);
  self->is_playing = self->is_old = self->is_beside = FALSE;
  self->tick = 0;
  self->position = 0;
}

static void
log_wave(VtPlayer *self)
{
  const VtWave *wave = self->result->wave;
  vt_test_log("player-wave %s %u %u %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " different %" G_GUINT64_FORMAT
              " events %u ms %.0f",
              self->op->stages[wave->stage]->id, wave->kind, wave->n_ticks, wave->width, wave->height,
              wave->n_different, wave->events->len, self->result->total_ms);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtPlayer *self = user;
  self->is_making = FALSE;
  drop(self);
  if (result && result->wave) {
    self->result = vt_result_ref(result);
    log_wave(self);
    self->film = vt_film_new(result->wave, vt_player_get_colormap(self), on_picture, self);
    vt_film_seek(self->film, 0);
  } else {
    self->failure = g_strdup(error ? vt_translate(error->message) : _("The plugin told of no wave."));
    vt_test_log("player-failed %s", self->failure);
  }
  g_signal_emit_by_name(self, "changed");
}

/* --- opening --- */

static gboolean
start(VtPlayer *self, guint stage, const VtViewport *view, GError **error)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  double x, y;
  vt_viewport_to_l0(view, view->width_px / 2, view->height_px / 2, &x, &y);
  VtRunRequest *request = self->region
                            ? vt_analysis_new_region_request(self->analysis, self->region, error)
                            : vt_analysis_new_request(self->analysis, (gint64)floor(x), (gint64)floor(y), error);
  if (!request)
    return FALSE;
  request->plays_wave = TRUE;
  request->wave_stage = stage;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  drop(self);
  self->op = self->analysis->op;
  self->stage = stage;
  self->is_open = self->is_making = TRUE;
  vt_test_log("player-open %s%s%s", self->op->stages[stage]->id, self->region ? " in " : "",
              self->region ? self->region->name : "");
  vt_runner_start(self->runner, request);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

gboolean
vt_player_open(VtPlayer *self, guint stage, const VtViewport *view, const VtRoi *region, GError **error)
{
  g_return_val_if_fail(self->analysis->slide && self->analysis->op, FALSE);
  g_clear_pointer(&self->region, vt_roi_free);
  self->region = region ? vt_roi_copy(region) : NULL;
  return start(self, stage, view, error);
}

gboolean
vt_player_again(VtPlayer *self, const VtViewport *view, GError **error)
{
  return vt_player_play_stage(self, self->stage, view, error);
}

gboolean
vt_player_play_stage(VtPlayer *self, guint stage, const VtViewport *view, GError **error)
{
  return self->is_open && self->analysis->op == self->op && start(self, stage, view, error);
}

const char *
vt_player_get_region(VtPlayer *self)
{
  return self->region ? self->region->name : NULL;
}

void
vt_player_close(VtPlayer *self)
{
  if (!self->is_open)
    return;
  self->is_open = self->is_making = FALSE;
  vt_runner_cancel(self->runner);
  drop(self);
  vt_test_log("player-closed");
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(gboolean, vt_player_is_open, VtPlayer, is_open)
VT_GETTER(gboolean, vt_player_is_making, VtPlayer, is_making)
VT_GETTER(const char *, vt_player_get_failure, VtPlayer, failure)

VtWave *
vt_player_get_wave(VtPlayer *self)
{
  return self->result ? self->result->wave : NULL;
}

VT_GETTER(const VitrailOp *, vt_player_get_op, VtPlayer, op)

VtColormap
vt_player_get_colormap(VtPlayer *self)
{
  const VtWave *wave = vt_player_get_wave(self);
  return wave ? vt_colormap_from_id(self->op->stages[wave->stage]->colormap) : VT_COLORMAP_GRAY;
}

VtPainted *
vt_player_get_painted(VtPlayer *self)
{
  guint32 tick;
  return self->film ? vt_film_get_painted(self->film, &tick) : NULL;
}

/* --- what it is of --- */

char *
vt_player_dup_caution(VtPlayer *self)
{
  if (!self->result)
    return NULL;
  if (self->is_old)
    return g_strdup(_("Out of date: the parameters are others now."));
  return self->is_beside ? g_strdup(_("The view has moved: the replay is of where it was.")) : NULL;
}

void
vt_player_set_view(VtPlayer *self, const VtViewport *view)
{
  const gboolean was = self->is_beside;
  if (!self->result || self->region)
    return;
  self->is_beside = FALSE;
  for (int corner = 0; corner < 4; corner++) {
    double x, y;
    vt_viewport_to_l0(view, corner & 1 ? view->width_px : 0, corner & 2 ? view->height_px : 0, &x, &y);
    const VtResult *r = self->result;
    gint64 width, height;
    vt_slide_get_level_size(self->analysis->slide, 0, &width, &height);
    x = CLAMP(x, 0, (double)width);
    y = CLAMP(y, 0, (double)height);
    const double edge = 2 * r->wave->end->downsample;
    self->is_beside |= x < (double)r->x_l0 - edge || y < (double)r->y_l0 - edge
                       || x > (double)(r->x_l0 + r->width_l0) + edge || y > (double)(r->y_l0 + r->height_l0) + edge;
  }
  if (self->is_beside == was)
    return;
  vt_test_log("player-beside %d", self->is_beside);
  g_signal_emit_by_name(self, "changed");
}

static void
on_params(VtPlayer *self)
{
  if (self->is_open && self->op != self->analysis->op) {
    vt_player_close(self);
  } else if (self->result && !self->is_old) {
    self->is_old = TRUE;
    vt_test_log("player-old");
    g_signal_emit_by_name(self, "changed");
  }
}

/* --- time --- */

VT_GETTER(guint32, vt_player_get_tick, VtPlayer, tick)

static void
show_tick(VtPlayer *self, guint32 tick)
{
  if (tick == self->tick)
    return;
  self->tick = tick;
  vt_film_seek(self->film, tick);
  g_signal_emit_by_name(self, "ticked");
}

void
vt_player_seek(VtPlayer *self, gint64 tick)
{
  if (!self->result)
    return;
  tick = CLAMP(tick, 0, (gint64)self->result->wave->n_ticks - 1);
  self->position = (double)tick;
  show_tick(self, (guint32)tick);
}

char *
vt_player_dup_words(VtPlayer *self, guint32 tick)
{
  const VtWave *wave = vt_player_get_wave(self);
  if (!wave)
    return g_strdup("");
  const guint32 last = wave->n_ticks - 1;
  const char *unit = wave->tick_unit;
  if (wave->levels) {
    const guint32 step = vt_wave_get_plateau_step(wave, tick);
    const double level = wave->levels[tick] * wave->tick_scale;
    g_autofree char *number = g_strdup_printf("%.4g%s%s", level, *unit ? " " : "", unit);
    return step > 0 ? g_strdup_printf(_("Level %s, step %u on its plateau"), number, step)
                    : g_strdup_printf(_("Level %s"), number);
  }
  if (wave->tick_scale > 0)
    return g_strdup_printf(_("%.4g %s of %.4g %s"), tick * wave->tick_scale, unit, last * wave->tick_scale, unit);
  return g_strdup_printf(_("Iteration %u of %u"), tick, last);
}

char *
vt_player_dup_count(VtPlayer *self)
{
  const VtWave *wave = vt_player_get_wave(self);
  if (!wave)
    return g_strdup("");
  const guint32 n = vt_wave_count(wave, self->tick), all = MAX(wave->first[wave->n_ticks], 1);
  g_autofree char *pixels =
    g_strdup_printf(g_dngettext(NULL, "%'u pixel now, %d %% done", "%'u pixels now, %d %% done", n), n,
                    (int)(100.0 * wave->first[self->tick + 1] / all));
  g_autofree char *tiles = g_strdup_printf(_("in %'u of %'u tiles"), wave->tiles[self->tick], wave->n_tiles);
  return g_strdup_printf("%s · %s", pixels, tiles);
}

gboolean
vt_player_jump(VtPlayer *self, int step)
{
  const VtWave *wave = vt_player_get_wave(self);
  gint64 best = -1;
  for (guint i = 0; wave && i < wave->events->len; i++) {
    const guint32 tick = g_array_index(wave->events, VtWaveEvent, i).tick;
    if (step < 0 ? tick < self->tick : (tick > self->tick && best < 0))
      best = tick;
  }
  if (best >= 0)
    vt_player_seek(self, best);
  return best >= 0;
}

char *
vt_player_dup_events(VtPlayer *self)
{
  const VtWave *wave = vt_player_get_wave(self);
  guint n[2] = { 0 };
  for (guint i = 0; wave && i < wave->events->len; i++) {
    const VtWaveEvent *event = &g_array_index(wave->events, VtWaveEvent, i);
    n[event->kind == VT_WAVE_MEETING] += event->tick == self->tick;
  }
  if (n[0] + n[1] == 0)
    return NULL;
  return g_strdup_printf(_("seeds that begin: %u, that meet: %u"), n[0], n[1]);
}

VT_GETTER(gboolean, vt_player_get_playing, VtPlayer, is_playing)

void
vt_player_set_playing(VtPlayer *self, gboolean playing)
{
  if (!self->result || playing == self->is_playing)
    return;
  self->is_playing = playing;
  if (playing && self->tick + 1 >= self->result->wave->n_ticks)
    vt_player_seek(self, 0);
  vt_test_log("player-playing %d", playing);
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(double, vt_player_get_duration, VtPlayer, duration)

void
vt_player_set_duration(VtPlayer *self, double seconds)
{
  self->duration = MAX(seconds, 0.1);
}

void
vt_player_advance(VtPlayer *self, double seconds)
{
  if (!self->is_playing)
    return;
  const guint32 last = self->result->wave->n_ticks - 1;
  self->position = MIN(self->position + seconds / self->duration * last, last);
  show_tick(self, (guint32)floor(self->position));
  if (self->tick >= last)
    vt_player_set_playing(self, FALSE);
}

VtWay *
vt_player_find_way(VtPlayer *self, double x_l0, double y_l0)
{
  const VtWave *wave = vt_player_get_wave(self);
  VtWay *way = wave ? vt_way_new(wave, x_l0, y_l0) : NULL;
  double end[2];
  if (!way)
    return NULL;
  vt_way_get_end(way, &end[0], &end[1]);
  vt_test_log("player-way %u %u %u", (guint)vt_wave_find_pixel(wave, x_l0, y_l0),
              (guint)vt_wave_find_pixel(wave, end[0], end[1]), way->n_steps);
  return way;
}

/* --- life --- */

static void
vt_player_class_init(VtPlayerClass *klass)
{
  VT_OWNS(klass, VtPlayer, vt_runner_free, runner);
  VT_ENDS(klass, VtPlayer, drop);
  VT_OWNS(klass, VtPlayer, vt_roi_free, region);
  VT_OWNS(klass, VtPlayer, g_object_unref, analysis);
  vt_signals_new(VT_TYPE_PLAYER, "changed", "ticked", "pictured", NULL);
}

static void
vt_player_init(VtPlayer *self)
{
  self->duration = DURATION_S;
}

VtPlayer *
vt_player_new(VtAnalysis *analysis)
{
  VtPlayer *self = g_object_new(VT_TYPE_PLAYER, NULL);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  return self;
}
