/* SPDX-License-Identifier: MIT
 *
 * A replay (docs/wavefronts.md) as numbered pictures in a folder, with a text of what they are. */
#pragma once
#include "layers/vt-film.h"
#include "slide/vt-slide.h"

/* Owns what it points to. */
typedef struct {
  char *folder;
  VtWave *wave;
  VtFilm *film;     /* of its own; nobody else uses it meanwhile */
  VtSlide *slide;   /* what lies below; or NULL */
  guint zoom;       /* pixels of a picture for a pixel of the replay, on a side */
  GArray *ticks;    /* guint32, a picture each */
  GPtrArray *words; /* char*, of each: "Level 0.42 OD" */
  char *title;      /* below each picture: "Replay, not a result · Labels" */
  char *about;      /* the head of the text */
  gint n_done;      /* atomic: pictures that are written */
} VtSequence;
void vt_sequence_free(VtSequence *sequence); /* on the main thread */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSequence, vt_sequence_free)

/* Each n-th moment of so many from the first one on, and the last one. Owned. */
GArray *vt_sequence_list_ticks(guint32 n_ticks, guint step);
/* Writes frame-0001.png ... and then replay.txt; a folder that is not there is made. Nothing is replaced, and what was written is removed when it fails or is
 * cancelled. Blocking, for a worker. */
gboolean vt_sequence_save(VtSequence *sequence, GCancellable *cancellable, GError **error);
