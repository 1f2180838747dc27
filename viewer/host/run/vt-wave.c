/* SPDX-License-Identifier: MIT */
#include "run/vt-wave.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"

#define NEVER VITRAIL_WAVE_NEVER

VT_DEFINE_CLEAR(wave_clear, VtWave,
                VT_FREES(vt_raster_unref, begin, end) VT_FREES(g_array_unref, events)
                  VT_FREES(g_free, ticks, order, first, levels, tiles))

VT_DEFINE_REF(VtWave, vt_wave, wave_clear)

static VtRaster *
new_raster(const VitrailWave *told, const VitrailInput *image, const void *values, GError **error)
{
  VtRaster *raster = vt_raster_new(told->type, told->width, told->height, error);
  if (!raster)
    return NULL;
  memcpy(raster->data, values, raster->stride * (gsize)told->height);
  raster->x = told->x;
  raster->y = told->y;
  raster->downsample = told->downsample;
  raster->scale = told->scale;
  raster->mpp_x = image->mpp_x;
  raster->mpp_y = image->mpp_y;
  return raster;
}

static guint64
count_different(const VtRaster *end, const guint8 *made)
{
  const gsize size = vt_pixel_size(end->type);
  guint64 n = 0;
  for (gsize i = 0; i < (gsize)(end->width * end->height); i++)
    n += memcmp(end->data + i * size, made + i * size, size) != 0;
  return n;
}

/* By counting. */
static gboolean
sort_pixels(VtWave *wave)
{
  const gsize n = (gsize)(wave->width * wave->height);
  wave->first = g_try_new0(guint32, (gsize)wave->n_ticks + 2);
  wave->order = g_try_new(guint32, n);
  if (!wave->first || !wave->order)
    return FALSE;
  guint32 *next = wave->first + 1; /* one behind, until the pixels are dealt out */
  for (gsize i = 0; i < n; i++)
    if (wave->ticks[i] != NEVER)
      next[wave->ticks[i] + 1]++;
  for (guint32 t = 0; t < wave->n_ticks; t++)
    next[t + 1] += next[t];
  for (gsize i = 0; i < n; i++)
    if (wave->ticks[i] != NEVER)
      wave->order[next[wave->ticks[i]]++] = (guint32)i;
  return TRUE;
}

/* By the tick, plus one, that last had a pixel in each tile. */
static gboolean
count_tiles(VtWave *wave)
{
  const guint32 columns = (guint32)((wave->width + VT_WAVE_TILE - 1) / VT_WAVE_TILE);
  const guint32 rows = (guint32)((wave->height + VT_WAVE_TILE - 1) / VT_WAVE_TILE);
  wave->n_tiles = columns * rows;
  wave->tiles = g_try_new0(guint32, wave->n_ticks);
  g_autofree guint32 *seen = g_try_new0(guint32, wave->n_tiles);
  for (guint32 tick = 0; wave->tiles && seen && tick < wave->n_ticks; tick++)
    for (guint32 i = wave->first[tick]; i < wave->first[tick + 1]; i++) {
      const gint64 x = wave->order[i] % wave->width, y = wave->order[i] / wave->width;
      guint32 *last = &seen[y / VT_WAVE_TILE * columns + x / VT_WAVE_TILE];
      wave->tiles[tick] += *last != tick + 1;
      *last = tick + 1;
    }
  return wave->tiles && seen;
}

static gboolean
copy_ticks(VtWave *wave, const VitrailWave *told)
{
  const gsize n = (gsize)(told->width * told->height);
  wave->ticks = g_try_new(guint32, n);
  wave->levels = told->levels ? g_try_new(float, told->n_ticks) : NULL;
  if (!wave->ticks || (told->levels && !wave->levels))
    return FALSE;
  memcpy(wave->ticks, told->ticks, n * sizeof *wave->ticks);
  if (told->levels)
    memcpy(wave->levels, told->levels, told->n_ticks * sizeof *wave->levels);
  return sort_pixels(wave) && count_tiles(wave);
}

/* --- neighbours --- */

typedef struct {
  guint32 at[8]; /* row by row */
  guint n;
} Around;

static void
get_around(const VtWave *wave, guint32 pixel, Around *around)
{
  const gint64 x = pixel % wave->width, y = pixel / wave->width;
  around->n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if ((dx != 0 || dy != 0) && (wave->connectivity == 8 || dx == 0 || dy == 0) && x + dx >= 0 && y + dy >= 0
          && x + dx < wave->width && y + dy < wave->height)
        around->at[around->n++] = (guint32)((y + dy) * wave->width + x + dx);
}

/* --- events --- */

typedef struct {
  const VtWave *wave;
  GHashTable *numbers; /* label -> its number, 1.. */
  GArray *parents;     /* guint32: of each number; its own: it is joined with none before it */
  GArray *events;
} Lakes;

static gint32
get_label(const VtWave *wave, guint32 pixel)
{
  return ((const gint32 *)(gconstpointer)wave->end->data)[pixel];
}

static guint32
find_root(Lakes *lakes, guint32 number)
{
  guint32 *parents = (guint32 *)(gpointer)lakes->parents->data;
  while (parents[number] != number)
    number = parents[number] = parents[parents[number]];
  return number;
}

static void
add_event(Lakes *lakes, VtWaveEventKind kind, guint32 pixel)
{
  const VtWaveEvent event = { kind, lakes->wave->ticks[pixel], pixel };
  g_array_append_val(lakes->events, event);
}

static guint32
get_number(Lakes *lakes, guint32 pixel)
{
  gpointer label = GINT_TO_POINTER(get_label(lakes->wave, pixel));
  guint32 number = GPOINTER_TO_UINT(g_hash_table_lookup(lakes->numbers, label));
  if (number > 0)
    return number;
  number = lakes->parents->len;
  g_array_append_val(lakes->parents, number);
  g_hash_table_insert(lakes->numbers, label, GUINT_TO_POINTER(number));
  add_event(lakes, VT_WAVE_BIRTH, pixel);
  return number;
}

/* Each pixel joins its label with those around that came before it. */
static void
find_events(VtWave *wave)
{
  const guint32 none = 0;
  Lakes lakes = { wave, g_hash_table_new(NULL, NULL), g_array_new(FALSE, FALSE, sizeof(guint32)), wave->events };
  g_array_append_val(lakes.parents, none);
  for (guint32 i = 0; i < wave->first[wave->n_ticks]; i++) {
    const guint32 pixel = wave->order[i];
    Around around;
    if (get_label(wave, pixel) == 0)
      continue;
    const guint32 number = get_number(&lakes, pixel);
    get_around(wave, pixel, &around);
    for (guint k = 0; k < around.n; k++) {
      const guint32 other = around.at[k], tick = wave->ticks[other];
      const gboolean came = tick < wave->ticks[pixel] || (tick == wave->ticks[pixel] && other < pixel);
      if (!came || get_label(wave, other) == 0 || get_label(wave, other) == get_label(wave, pixel))
        continue;
      const guint32 a = find_root(&lakes, number), b = find_root(&lakes, get_number(&lakes, other));
      if (a == b)
        continue;
      ((guint32 *)(gpointer)lakes.parents->data)[MAX(a, b)] = MIN(a, b);
      add_event(&lakes, VT_WAVE_MEETING, pixel);
    }
  }
  g_hash_table_unref(lakes.numbers);
  g_array_unref(lakes.parents);
}

/* --- making one --- */

VtWave *
vt_wave_new(const VitrailWave *told, const VitrailInput *image, GError **error)
{
  g_autoptr(VtWave) wave = g_atomic_rc_box_new0(VtWave);
  wave->kind = told->kind;
  wave->stage = told->stage;
  wave->stages = told->stages;
  const char **texts[] = { &wave->node, &wave->unit, &wave->tick_unit };
  const char *theirs[] = { told->node, told->unit, told->tick_unit };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    *texts[i] = g_intern_string(g_utf8_validate(theirs[i], -1, NULL) ? theirs[i] : "?");
  wave->connectivity = told->connectivity;
  wave->width = told->width;
  wave->height = told->height;
  wave->n_ticks = told->n_ticks;
  wave->tick_scale = told->tick_scale;
  wave->events = g_array_new(FALSE, FALSE, sizeof(VtWaveEvent));
  if (!(wave->end = new_raster(told, image, told->end, error))
      || (told->begin && !(wave->begin = new_raster(told, image, told->begin, error))))
    return NULL;
  wave->n_different = count_different(wave->end, told->made);
  if (!copy_ticks(wave, told))
    return vt_error_set_null(error, VITRAIL_OUT_OF_MEMORY, "There is not enough memory for the replay.");
  if (told->kind == VITRAIL_WAVE_WATERSHED || told->kind == VITRAIL_WAVE_ZONES)
    find_events(wave);
  return g_steal_pointer(&wave);
}

guint32
vt_wave_count(const VtWave *wave, guint32 tick)
{
  return wave->first[tick + 1] - wave->first[tick];
}

guint32
vt_wave_get_plateau_step(const VtWave *wave, guint32 tick)
{
  guint32 from = tick;
  while (wave->levels && from > 0 && wave->levels[from - 1] == wave->levels[tick])
    from--;
  return tick - from;
}

gint64
vt_wave_find_pixel(const VtWave *wave, double x_l0, double y_l0)
{
  const double x = floor(x_l0 / wave->end->downsample) - (double)wave->end->x;
  const double y = floor(y_l0 / wave->end->downsample) - (double)wave->end->y;
  const gboolean inside = x >= 0 && y >= 0 && x < (double)wave->width && y < (double)wave->height;
  return inside ? (gint64)y * wave->width + (gint64)x : -1;
}

void
vt_wave_get_place(const VtWave *wave, guint32 pixel, double *x_l0, double *y_l0)
{
  *x_l0 = ((double)(wave->end->x + pixel % wave->width) + 0.5) * wave->end->downsample;
  *y_l0 = ((double)(wave->end->y + pixel / wave->width) + 0.5) * wave->end->downsample;
}

/* --- ways --- */

static double
get_raw(const VtWave *wave, const VtRaster *raster, guint32 pixel)
{
  return vt_raster_get_raw(raster, pixel % wave->width, pixel / wave->width);
}

/* A wave that was turned round falls. */
static gboolean
is_falling(const VtWave *wave)
{
  if (wave->first[1] == wave->first[wave->n_ticks])
    return FALSE;
  const guint32 pixel = wave->order[wave->first[1]];
  return get_raw(wave, wave->end, pixel) < get_raw(wave, wave->begin, pixel);
}

static gboolean
is_as_high(double value, double least, gboolean falls)
{
  return falls ? value <= least : value >= least;
}

/* Layer by layer round the pixel; `before`: from which it was seen first, row by row. */
static GArray *
find_marker(const VtWave *wave, guint32 pixel)
{
  const double height = get_raw(wave, wave->end, pixel);
  const gboolean falls = is_falling(wave);
  g_autoptr(GHashTable) before = g_hash_table_new(NULL, NULL); /* pixel + 1 -> pixel + 1 */
  g_autoptr(GArray) layer = g_array_new(FALSE, FALSE, sizeof(guint32));
  gint64 found = -1;
  g_array_append_val(layer, pixel);
  g_hash_table_insert(before, GUINT_TO_POINTER(pixel + 1), GUINT_TO_POINTER(pixel + 1));
  while (layer->len > 0 && found < 0) {
    g_autoptr(GArray) next = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < layer->len; i++) {
      const guint32 at = g_array_index(layer, guint32, i);
      if (is_as_high(get_raw(wave, wave->begin, at), height, falls) && (found < 0 || at < found))
        found = at;
    }
    for (guint i = 0; i < layer->len && found < 0; i++) {
      const guint32 at = g_array_index(layer, guint32, i);
      Around around;
      get_around(wave, at, &around);
      for (guint k = 0; k < around.n; k++) {
        gpointer key = GUINT_TO_POINTER(around.at[k] + 1);
        if (g_hash_table_contains(before, key) || !is_as_high(get_raw(wave, wave->end, around.at[k]), height, falls))
          continue;
        g_hash_table_insert(before, key, GUINT_TO_POINTER(at + 1));
        g_array_append_val(next, around.at[k]);
      }
    }
    g_array_unref(layer);
    layer = g_steal_pointer(&next);
  }
  if (found < 0)
    return NULL;
  GArray *way = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint32 at = (guint32)found;; at = GPOINTER_TO_UINT(g_hash_table_lookup(before, GUINT_TO_POINTER(at + 1))) - 1) {
    g_array_prepend_val(way, at);
    if (at == pixel)
      return way;
  }
}

static GArray *
find_background(const VtWave *wave, guint32 pixel)
{
  const gint64 x = pixel % wave->width, y = pixel / wave->width, reach = wave->ticks[pixel];
  gint64 best = G_MAXINT64;
  guint32 nearest = pixel;
  for (gint64 v = MAX(0, y - reach); v <= MIN(wave->height - 1, y + reach); v++)
    for (gint64 u = MAX(0, x - reach); u <= MIN(wave->width - 1, x + reach); u++) {
      const gint64 squared = (u - x) * (u - x) + (v - y) * (v - y);
      if (squared >= best || wave->ticks[v * wave->width + u] != 0)
        continue;
      best = squared;
      nearest = (guint32)(v * wave->width + u);
    }
  const double told = get_raw(wave, wave->end, pixel);
  const double edge = wave->tick_scale > 0   ? wave->tick_scale
                      : wave->end->mpp_x > 0 ? wave->end->mpp_x * wave->end->downsample
                                             : wave->end->downsample;
  if (best == G_MAXINT64 || fabs(sqrt((double)best) * edge - told) > 1e-4 * MAX(told, 1e-9))
    return NULL; /* pixels are not square, the distance is capped, or it is one of those that are not exact */
  GArray *way = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_val(way, pixel);
  g_array_append_val(way, nearest);
  return way;
}

static GArray *
find_seed(const VtWave *wave, guint32 pixel)
{
  GArray *way = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint32 next = pixel, at = G_MAXUINT32; next != at;) {
    Around around;
    at = next;
    g_array_append_val(way, at);
    get_around(wave, at, &around);
    for (guint k = 0; k < around.n; k++)
      if (get_label(wave, around.at[k]) == get_label(wave, at) && wave->ticks[around.at[k]] < wave->ticks[next])
        next = around.at[k];
  }
  return way;
}

GArray *
vt_wave_find_way(const VtWave *wave, guint32 pixel)
{
  if (wave->ticks[pixel] == NEVER)
    return NULL;
  switch (wave->kind) {
  case VITRAIL_WAVE_RECONSTRUCTION: return find_marker(wave, pixel);
  case VITRAIL_WAVE_DISTANCE: return find_background(wave, pixel);
  default: return get_label(wave, pixel) != 0 ? find_seed(wave, pixel) : NULL;
  }
}
