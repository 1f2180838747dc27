/* SPDX-License-Identifier: MIT */
#include "layers/vt-film.h"

#define TILE 256
#define NOT_YET 0xb4000000u /* black that lets 30 % through */
#define FRONT 0xffffdd33u
#define DIM 0.32 /* of a marker's light that is left */

struct _VtFilm {
  VtWave *wave;
  VtColorizer *end, *begin;
  gint64 n_cols, n_rows;
  void (*shown)(gpointer user);
  gpointer user; /* NULL callback: nobody listens any more */

  /* of the worker while it is busy */
  guint32 **pixels; /* per tile; as long as a tile */
  gboolean *is_dirty;
  gint64 at; /* the tick that they show; -1: none */
  VtPainted *made;
  guint32 goal;

  /* main thread */
  gboolean is_busy;
  gint64 wanted; /* -1: what is there */
  VtPainted *painted;
  guint32 tick;
};

static void
film_clear(gpointer data)
{
  VtFilm *film = data;
  for (gint64 i = 0; i < film->n_cols * film->n_rows; i++)
    g_free(film->pixels[i]);
  g_free(film->pixels);
  g_free(film->is_dirty);
  g_clear_pointer(&film->end, vt_colorizer_free);
  g_clear_pointer(&film->begin, vt_colorizer_free);
  g_clear_pointer(&film->made, vt_painted_unref);
  g_clear_pointer(&film->painted, vt_painted_unref);
  vt_wave_unref(film->wave);
}

static void
film_unref(VtFilm *film)
{
  g_atomic_rc_box_release_full(film, film_clear);
}

/* --- colours --- */

static guint32
dim(guint32 color)
{
  const guint32 red = (guint32)((color >> 16 & 0xff) * DIM), green = (guint32)((color >> 8 & 0xff) * DIM);
  return 0xff000000u | red << 16 | green << 8 | (guint32)((color & 0xff) * DIM);
}

static guint32
get_color(const VtFilm *film, guint32 pixel, guint32 tick)
{
  const VtWave *wave = film->wave;
  const guint32 own = wave->ticks[pixel];
  const gint64 x = pixel % wave->width, y = pixel / wave->width;
  if (own == VITRAIL_WAVE_NEVER)
    return 0;
  if (own == tick && tick > 0)
    return FRONT;
  if (own <= tick)
    return vt_colorizer_get(film->end, vt_raster_get_raw(wave->end, x, y));
  return film->begin ? dim(vt_colorizer_get(film->begin, vt_raster_get_raw(wave->begin, x, y))) : NOT_YET;
}

/* --- painting --- */

static gint64
get_tile_edge(gint64 whole, gint64 tile)
{
  return MIN(TILE, whole - tile * TILE);
}

static void
put(VtFilm *film, guint32 pixel, guint32 tick)
{
  const gint64 x = pixel % film->wave->width, y = pixel / film->wave->width;
  const gint64 tile = y / TILE * film->n_cols + x / TILE;
  const gint64 width = get_tile_edge(film->wave->width, x / TILE);
  film->pixels[tile][y % TILE * width + x % TILE] = get_color(film, pixel, tick);
  film->is_dirty[tile] = TRUE;
}

void
vt_film_render(const VtFilm *film, guint32 tick, guint32 *pixels)
{
  for (guint32 i = 0; i < (guint32)(film->wave->width * film->wave->height); i++)
    pixels[i] = get_color(film, i, tick);
}

/* From the picture that is there; all of it if there is none. */
static void
paint(VtFilm *film, guint32 tick)
{
  const VtWave *wave = film->wave;
  if (film->at < 0) {
    for (guint32 i = 0; i < (guint32)(wave->width * wave->height); i++)
      put(film, i, tick);
  } else {
    const guint32 from = MIN((guint32)film->at, tick), to = MAX((guint32)film->at, tick);
    for (guint32 i = wave->first[from]; i < wave->first[to + 1]; i++)
      put(film, wave->order[i], tick);
  }
  film->at = tick;
}

static VtPainted *
make_painted(VtFilm *film, const VtPainted *before)
{
  const VtWave *wave = film->wave;
  const double pixel = wave->end->downsample;
  VtPainted *painted = vt_painted_new((double)wave->end->x * pixel, (double)wave->end->y * pixel, pixel);
  for (gint64 i = 0; i < film->n_cols * film->n_rows; i++) {
    const gint64 col = i % film->n_cols, row = i / film->n_cols;
    const gint64 width = get_tile_edge(wave->width, col), height = get_tile_edge(wave->height, row);
    if (before && !film->is_dirty[i])
      vt_painted_share(painted, &g_array_index(before->tiles, VtPaintedTile, i));
    else
      vt_painted_add(painted, col * TILE, row * TILE, width, height,
                     g_bytes_new(film->pixels[i], (gsize)(width * height) * sizeof(guint32)));
    film->is_dirty[i] = FALSE;
  }
  return painted;
}

static void start(VtFilm *film);

static gboolean
arrive(gpointer data)
{
  VtFilm *film = data;
  g_clear_pointer(&film->painted, vt_painted_unref);
  film->painted = g_steal_pointer(&film->made);
  film->tick = film->goal;
  film->is_busy = FALSE;
  if (film->shown)
    film->shown(film->user);
  if (film->shown && film->wanted >= 0)
    start(film);
  film_unref(film);
  return G_SOURCE_REMOVE;
}

static void
work(gpointer data, gpointer user_data)
{
  VtFilm *film = data;
  paint(film, film->goal);
  film->made = make_painted(film, film->painted);
  g_idle_add_full(G_PRIORITY_DEFAULT, arrive, film, NULL);
}

static void
start(VtFilm *film)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(work, NULL, 1, FALSE, NULL);
  film->goal = (guint32)film->wanted;
  film->wanted = -1;
  film->is_busy = TRUE;
  g_thread_pool_push(pool, g_atomic_rc_box_acquire(film), NULL);
}

void
vt_film_seek(VtFilm *film, guint32 tick)
{
  film->wanted = tick;
  if (!film->is_busy)
    start(film);
}

VtPainted *
vt_film_get_painted(VtFilm *film, guint32 *tick)
{
  *tick = film->tick;
  return film->painted;
}

/* --- making one --- */

/* Labels have hues of their own; of anything else the range is what occurs, from the marker to the end. */
static VtColoring
get_coloring(const VtWave *wave, VtColormap map)
{
  double min = 0, max = 1, from, to;
  if (wave->kind == VITRAIL_WAVE_WATERSHED || wave->kind == VITRAIL_WAVE_ZONES)
    return vt_coloring_make(VT_COLORMAP_LABELS, 0, 1);
  (void)vt_raster_get_range(wave->end, &min, &max);
  if (wave->begin && vt_raster_get_range(wave->begin, &from, &to)) {
    min = MIN(min, from);
    max = MAX(max, to);
  }
  return vt_coloring_make(vt_colormap_is_continuous(map) ? map : VT_COLORMAP_GRAY, min, MAX(max, min + 1e-9));
}

VtFilm *
vt_film_new(VtWave *wave, VtColormap map, void (*shown)(gpointer user), gpointer user)
{
  VtFilm *film = g_atomic_rc_box_new0(VtFilm);
  const VtColoring coloring = get_coloring(wave, map);
  film->wave = vt_wave_ref(wave);
  film->end = vt_colorizer_new(&coloring, wave->end);
  film->begin = wave->begin ? vt_colorizer_new(&coloring, wave->begin) : NULL;
  film->n_cols = (wave->width + TILE - 1) / TILE;
  film->n_rows = (wave->height + TILE - 1) / TILE;
  film->pixels = g_new0(guint32 *, (gsize)(film->n_cols * film->n_rows));
  film->is_dirty = g_new0(gboolean, (gsize)(film->n_cols * film->n_rows));
  for (gint64 i = 0; i < film->n_cols * film->n_rows; i++)
    film->pixels[i] = g_new(
      guint32, (gsize)(get_tile_edge(wave->width, i % film->n_cols) * get_tile_edge(wave->height, i / film->n_cols)));
  film->at = film->wanted = -1;
  film->shown = shown;
  film->user = user;
  return film;
}

void
vt_film_free(VtFilm *film)
{
  film->shown = NULL;
  film_unref(film);
}
