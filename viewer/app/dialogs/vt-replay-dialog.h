/* SPDX-License-Identifier: MIT
 *
 * Which moments of a replay are saved as pictures, and how large. Main thread. */
#pragma once
#include <adwaita.h>

/* What was chosen last; to begin with about a hundred pictures, a pixel of the replay as one of them. */
typedef struct {
  guint step, zoom;
} VtReplayChoice;
VtReplayChoice vt_replay_dialog_get_choice(guint n_ticks);

/* Of so many moments of width × height pixels. Asks, then for a folder; `then` is the action of the parent that is activated with its
 * path. */
void vt_replay_dialog_show(GtkWindow *parent, guint n_ticks, gint64 width, gint64 height, const char *then);
