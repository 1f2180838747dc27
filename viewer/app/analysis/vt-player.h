/* SPDX-License-Identifier: MIT
 *
 * Plays how a stage of the present analysis came about (docs/wavefronts.md): asks the plugin for its wave, on what is shown or visible, and shows it
 * tick by tick. It becomes out of date, and says so, when parameters change or something is seen that is not in it. Main thread only.
 *
 * Signals: "changed" (what is played, or its state), "ticked" (another tick), "pictured" (another picture: vt_player_get_painted()). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-way.h"
#include "layers/vt-film.h"

#define VT_TYPE_PLAYER (vt_player_get_type())
G_DECLARE_FINAL_TYPE(VtPlayer, vt_player, VT, PLAYER, GObject)

VtPlayer *vt_player_new(VtAnalysis *analysis);
/* Makes the wave of a stage of the op, anew if there is one: of a region's rectangle (copied), or, of NULL, of the place round the middle of the
 * view. FALSE and a sentence. */
gboolean vt_player_open(VtPlayer *self, guint stage, const VtViewport *view, const VtRoi *region, GError **error);
/* The same once more of the present view, if it is of no region, and parameters; of another stage. */
gboolean vt_player_again(VtPlayer *self, const VtViewport *view, GError **error);
gboolean vt_player_play_stage(VtPlayer *self, guint stage, const VtViewport *view, GError **error);
/* The name of the region that it is of; NULL: of what is seen. Borrowed. */
const char *vt_player_get_region(VtPlayer *self);
void vt_player_close(VtPlayer *self);
gboolean vt_player_is_open(VtPlayer *self);
gboolean vt_player_is_making(VtPlayer *self);
/* Why there is none: a sentence; NULL: it did not fail. */
const char *vt_player_get_failure(VtPlayer *self);
/* Borrowed; NULL: there is none yet. */
VtWave *vt_player_get_wave(VtPlayer *self);
const VitrailOp *vt_player_get_op(VtPlayer *self); /* NULL: it was never open */
/* Borrowed; NULL: there is no picture yet. */
VtPainted *vt_player_get_painted(VtPlayer *self);

/* Why it is no longer of what is seen and set: a sentence; NULL: it is. Owned. */
char *vt_player_dup_caution(VtPlayer *self);
/* After the view has moved. */
void vt_player_set_view(VtPlayer *self, const VtViewport *view);

guint32 vt_player_get_tick(VtPlayer *self);
void vt_player_seek(VtPlayer *self, gint64 tick); /* the nearest one that there is */
/* What a tick is: "Iteration 17 of 212", "5.5 µm of 40 µm", "Level 0.42 OD, step 3 of its plateau". Owned. */
char *vt_player_dup_words(VtPlayer *self, guint32 tick);
/* How a quantity that is played is coloured. */
VtColormap vt_player_get_colormap(VtPlayer *self);
/* "1,234 pixels now, 83 % done". Owned. */
char *vt_player_dup_count(VtPlayer *self);
/* To the next (+1) or previous (-1) event after this tick; FALSE: there is none. */
gboolean vt_player_jump(VtPlayer *self, int step);
/* What happens at this tick: "2 basins begin, 1 meeting"; NULL: nothing. Owned. */
char *vt_player_dup_events(VtPlayer *self);
gboolean vt_player_get_playing(VtPlayer *self);
/* From the beginning, if it is at the end. */
void vt_player_set_playing(VtPlayer *self, gboolean playing);
/* Seconds from the first tick to the last one. */
double vt_player_get_duration(VtPlayer *self);
void vt_player_set_duration(VtPlayer *self, double seconds);
/* Goes on by so many seconds while it plays; stops at the end. */
void vt_player_advance(VtPlayer *self, double seconds);

/* The way along which the value of the pixel there came; NULL: there is none. Owned. */
VtWay *vt_player_find_way(VtPlayer *self, double x_l0, double y_l0);
