/* SPDX-License-Identifier: MIT
 *
 * The pictures of a wave (docs/wavefronts.md). At a tick, pixels that have their last value have its colour, and those that get it now are lit.
 * Those that do not have it yet are dark: of a reconstruction the marker, darkened, else black that lets a little of the tissue through. What nothing
 * reaches is transparent. A worker paints only what is different from the picture before. Main thread only. */
#pragma once
#include "layers/vt-painted.h"
#include "run/vt-wave.h"

typedef struct _VtFilm VtFilm;

/* `shown` is called when there is another picture. Not a tick is shown yet. */
VtFilm *vt_film_new(VtWave *wave, VtColormap map, void (*shown)(gpointer user), gpointer user);
/* No callback comes after it. */
void vt_film_free(VtFilm *film);
/* The picture of this tick is wanted next; one that is not begun by then is left out. */
void vt_film_seek(VtFilm *film, guint32 tick);
/* The picture of a tick into so many pixels as the wave has (GDK_MEMORY_DEFAULT, no gaps between rows); any thread, as long as the film lives. */
void vt_film_render(const VtFilm *film, guint32 tick, guint32 *pixels);
/* The latest picture, and its tick; borrowed; NULL: there is none yet. */
VtPainted *vt_film_get_painted(VtFilm *film, guint32 *tick);
