/* SPDX-License-Identifier: MIT
 *
 * A replay as numbered pictures in a folder. */
#include "window/vt-window-private.h"

#include "common/vt-translate.h"
#include "dialogs/vt-replay-dialog.h"
#include "dialogs/vt-wait-dialog.h"
#include "documents/vt-sequence.h"
#include "window/vt-tuning.h"

static char *
tell(gpointer job, double *part)
{
  VtSequence *sequence = job;
  const guint n = sequence->ticks->len, n_done = (guint)g_atomic_int_get(&sequence->n_done);
  *part = (double)n_done / n;
  return g_strdup_printf(_("Picture %u of %u"), MIN(n_done + 1, n), n);
}

static gboolean
work(gpointer sequence, GCancellable *cancellable, GError **error)
{
  return vt_sequence_save(sequence, cancellable, error);
}

static void
end(GtkWindow *window, gpointer job, const GError *error)
{
  VtSequence *sequence = job;
  const guint n = sequence->ticks->len;
  g_autofree char *name = vt_error_dup_name(sequence->folder);
  g_autofree char *sentence =
    g_strdup_printf(g_dngettext(NULL, "%u picture is in %s", "%u pictures are in %s", n), n, name);
  g_autofree char *saved = g_strdup_printf("%u %s", n, sequence->folder);
  vt_window_tell_saved(VT_WINDOW(window), sentence, "replay", saved, error);
  vt_sequence_free(sequence);
}

/* Slide, place, analysis with its parameters, what is played, and in which unit; a line each. */
static char *
dup_about(VtPane *pane, VtPlayer *player, guint step)
{
  const VtWave *wave = vt_player_get_wave(player);
  const VitrailOp *op = vt_player_get_op(player);
  const VtParams *params = vt_analysis_get_params_of(vt_pane_get_analysis(pane), op->id);
  VtSlide *slide = vt_pane_get_slide(pane);
  const double d = wave->end->downsample;
  double mpp, mpp_y;
  const gboolean calibrated = vt_slide_get_mpp(slide, &mpp, &mpp_y);
  GString *text = g_string_new(NULL);
  g_autofree char *caution = vt_player_dup_caution(player), *hash = vt_slide_dup_hash(slide);
  g_autofree char *pixel = calibrated ? g_strdup_printf("%.5g µm", d * mpp) : g_strdup_printf(_("%.5g px"), d);
  g_string_append_printf(text, _("Replay of a stage, moment by moment; not a result.\n"));
  g_string_append_printf(text, _("Slide: %s (%s)\n"), vt_slide_get_name(slide), hash ? hash : "–");
  g_string_append_printf(
    text, _("Place: x %.0f, y %.0f, width %.0f, height %.0f, in pixels of the slide; upright, as scanned\n"),
    (double)wave->end->x * d, (double)wave->end->y * d, (double)wave->width * d, (double)wave->height * d);
  g_string_append_printf(text, _("A pixel of the replay: %s\n"), pixel);
  g_string_append_printf(text, _("Analysis: %s; stage: %s\n"), vt_translate(op->title),
                         vt_translate(op->stages[wave->stage]->title));
  for (guint i = 0; params && i < op->n_params; i++) {
    g_autofree char *value = vt_params_dup_shown(params, i);
    g_string_append_printf(text, "  %s: %s\n", vt_translate(op->params[i]->title), value);
  }
  if (caution)
    g_string_append_printf(text, "%s\n", caution);
  g_string_append_printf(text, _("Time: moments 0 to %u in steps of %u, and the last one; each is %s\n"),
                         wave->n_ticks - 1, step,
                         wave->levels           ? _("a flood level, or a step on its plateau")
                         : wave->tick_scale > 0 ? _("a distance")
                                                : _("an iteration of the whole image"));
  if (wave->levels || wave->tick_scale > 0)
    g_string_append_printf(text, _("Unit of the time: %s\n"), *wave->tick_unit ? wave->tick_unit : _("none"));
  g_string_append_printf(
    text, _("Yellow: pixels that get their last value at that moment; dark: not reached yet; the end %s\n"),
    wave->n_different == 0 ? _("equals the result, byte by byte") : _("differs from the result"));
  g_string_append_printf(text, "Vitrail %s\n", VT_VERSION);
  return g_string_free(text, FALSE);
}

static VtSequence *
make_sequence(VtPane *pane, VtPlayer *player, const char *folder)
{
  VtWave *wave = vt_player_get_wave(player);
  const VtReplayChoice choice = vt_replay_dialog_get_choice(wave->n_ticks);
  const VitrailOp *op = vt_player_get_op(player);
  g_autofree char *caution = vt_player_dup_caution(player);
  VtSequence *sequence = g_new0(VtSequence, 1);
  sequence->folder = g_strdup(folder);
  sequence->wave = vt_wave_ref(wave);
  sequence->film = vt_film_new(wave, vt_player_get_colormap(player), NULL, NULL);
  sequence->slide = vt_slide_ref(vt_pane_get_slide(pane));
  sequence->zoom = choice.zoom;
  sequence->ticks = vt_sequence_list_ticks(wave->n_ticks, choice.step);
  sequence->words = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < sequence->ticks->len; i++)
    g_ptr_array_add(sequence->words, vt_player_dup_words(player, g_array_index(sequence->ticks, guint32, i)));
  sequence->title = g_strdup_printf(
    "%s · %s · %s · %s%s%s", _("Replay, not a result"), vt_slide_get_name(sequence->slide), vt_translate(op->title),
    vt_translate(op->stages[wave->stage]->title), caution ? " · " : "", caution ? caution : "");
  sequence->about = dup_about(pane, player, choice.step);
  return sequence;
}

static VtPlayer *
get_player(VtWindow *self)
{
  VtPlayer *player = vt_tuning_get(vt_window_get_pane(self))->player;
  if (vt_player_get_wave(player))
    return player;
  vt_pane_show_error(vt_window_get_pane(self), _("Nothing is played. Shift+A begins a replay."), VT_MESSAGE_ANSWER);
  return NULL;
}

static void
act_save(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPlayer *player = get_player(window);
  const VtWave *wave = player ? vt_player_get_wave(player) : NULL;
  if (!wave)
    return;
  vt_player_set_playing(player, FALSE);
  vt_replay_dialog_show(window, wave->n_ticks, wave->width, wave->height, "win.save-replay-to");
}

static void
act_save_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  static const VtWaitKind kind = { N_("Saving the Replay"), work, tell, end };
  VtWindow *self = window;
  VtPlayer *player = get_player(self);
  if (!player)
    return;
  vt_wait_dialog_run(GTK_WINDOW(self), &kind,
                     make_sequence(vt_window_get_pane(self), player, g_variant_get_string(parameter, NULL)));
}

const GActionEntry vt_window_sequence_actions[] = {
  { .name = "save-replay", .activate = act_save },
  { .name = "save-replay-to", .parameter_type = "s", .activate = act_save_to },
  { NULL },
};
