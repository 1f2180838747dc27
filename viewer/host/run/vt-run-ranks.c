/* SPDX-License-Identifier: MIT
 *
 * What the processes of one run hand over to the first. While the run lasts, tiles and objects go to a file, since the first
 * process has work of its own. When all are through, it gets them from there. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "run/vt-run-private.h"

enum { BLOCK = 1 << 20, MOST_NAMES = 1 << 16 };
typedef enum { SPOOL_TILE = 1, SPOOL_OBJECT } SpoolKind;

struct VtSpool {
  FILE *file;
  GMutex lock;
};

static VtSpool *
spool_new(const VtRunState *state)
{
  g_autofree char *path = g_build_filename(state->request->scratch_dir, "emitted", NULL);
  FILE *file = g_fopen(path, "w+b");
  if (!file)
    return NULL;
  g_unlink(path);
  VtSpool *spool = g_new0(VtSpool, 1);
  g_mutex_init(&spool->lock);
  spool->file = file;
  return spool;
}

void
vt_spool_free(VtSpool *spool)
{
  if (!spool)
    return;
  fclose(spool->file);
  g_mutex_clear(&spool->lock);
  g_free(spool);
}

static gboolean
put(FILE *file, gconstpointer data, gsize n)
{
  return fwrite(data, 1, n, file) == n;
}

/* All ranks run the same program on the same kind of machine: structs travel as they are. */
static gboolean
put_tile(FILE *file, const VitrailTile *tile)
{
  const guint32 kind = SPOOL_TILE;
  const gsize row = (gsize)tile->width * vt_pixel_size(tile->type);
  gboolean done = put(file, &kind, sizeof kind) && put(file, tile, sizeof *tile);
  for (gint64 y = 0; done && y < tile->height; y++)
    done = put(file, (const guint8 *)tile->data + (gsize)y * tile->stride, row);
  return done;
}

static gboolean
put_object(FILE *file, const VitrailObject *object)
{
  const guint32 kind = SPOOL_OBJECT;
  gsize n_points = 0;
  for (guint32 i = 0; i < object->n_rings; i++)
    n_points += object->ring_sizes[i];
  gboolean done = put(file, &kind, sizeof kind) && put(file, object, sizeof *object)
                  && put(file, object->ring_sizes, object->n_rings * sizeof *object->ring_sizes)
                  && put(file, object->points, 2 * n_points * sizeof *object->points)
                  && put(file, object->measurements, object->n_measurements * sizeof *object->measurements);
  for (guint32 i = 0; done && i < object->n_measurements; i++) {
    const char *name = object->measurement_names[i] ? object->measurement_names[i] : "";
    const guint32 size = (guint32)MIN(strlen(name) + 1, (gsize)MOST_NAMES);
    done = put(file, &size, sizeof size) && put(file, name, size);
  }
  return done;
}

gboolean
vt_run_spool(VtRunState *state, const VitrailTile *tile, const VitrailObject *object)
{
  g_mutex_lock(&state->lock);
  if (!state->spool)
    state->spool = spool_new(state);
  VtSpool *spool = state->spool;
  g_mutex_unlock(&state->lock);
  if (!spool)
    return FALSE;
  g_mutex_lock(&spool->lock);
  const gboolean done = tile ? put_tile(spool->file, tile) : put_object(spool->file, object);
  g_mutex_unlock(&spool->lock);
  return done;
}

static gboolean
send_all(VtRunState *state)
{
  const VtRunRanks *ranks = state->request->ranks;
  g_autofree guint8 *block = g_malloc(BLOCK);
  FILE *file = state->spool ? state->spool->file : NULL;
  gboolean done = !file || fseek(file, 0, SEEK_SET) == 0;
  for (gsize n; done && file && (n = fread(block, 1, BLOCK, file)) > 0;)
    done = ranks->send(ranks->user, block, n);
  return done && (!file || !ferror(file)) && ranks->send(ranks->user, block, 0);
}

/* --- on the first process --- */

typedef struct {
  const VtRunRanks *ranks;
  guint rank;
  guint8 *block;
  gsize n, at; /* bytes of block; how many were taken */
  gboolean is_end, is_broken;
} Stream;

/* FALSE: there are none left, or the talk broke. */
static gboolean
get(Stream *s, gpointer data, gsize n)
{
  for (guint8 *to = data; n > 0;) {
    if (s->at == s->n) {
      s->at = s->n = 0;
      if (s->is_end)
        return FALSE;
      s->is_broken = !s->ranks->receive(s->ranks->user, s->rank, s->block, BLOCK, &s->n);
      s->is_end = s->is_broken || s->n == 0;
      continue;
    }
    const gsize part = MIN(n, s->n - s->at);
    memcpy(to, s->block + s->at, part);
    s->at += part;
    to += part;
    n -= part;
  }
  return TRUE;
}

static gpointer
get_new(Stream *s, gsize n)
{
  g_autofree guint8 *data = g_try_malloc(n + 1);
  return data && get(s, data, n) ? g_steal_pointer(&data) : NULL;
}

static VitrailStatus
take_tile(VtRunState *state, Stream *s)
{
  VitrailTile tile = { 0 };
  if (!get(s, &tile, sizeof tile))
    return VITRAIL_INTERNAL;
  tile.stride = (gsize)tile.width * vt_pixel_size(tile.type);
  g_autofree guint8 *data = get_new(s, tile.stride * (gsize)tile.height);
  tile.data = data;
  return data ? vt_run_take_tile(state, &tile) : VITRAIL_INTERNAL;
}

static VitrailStatus
take_object(VtRunState *state, Stream *s)
{
  VitrailObject object = { 0 };
  if (!get(s, &object, sizeof object))
    return VITRAIL_INTERNAL;
  g_autofree guint32 *sizes = get_new(s, object.n_rings * sizeof *sizes);
  gsize n_points = 0;
  for (guint32 i = 0; sizes && i < object.n_rings; i++)
    n_points += sizes[i];
  g_autofree double *points = get_new(s, 2 * n_points * sizeof *points);
  g_autofree double *values = get_new(s, object.n_measurements * sizeof *values);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (guint32 i = 0; i < object.n_measurements; i++) {
    guint32 size = 0;
    char *name = get(s, &size, sizeof size) && size <= MOST_NAMES ? get_new(s, size) : NULL;
    if (!name)
      return VITRAIL_INTERNAL;
    name[size] = '\0';
    g_ptr_array_add(names, name);
  }
  object.ring_sizes = sizes;
  object.points = points;
  object.measurements = values;
  object.measurement_names = (const char *const *)names->pdata;
  return sizes && points && values ? vt_run_take_object(state, &object) : VITRAIL_INTERNAL;
}

gboolean
vt_run_gather(VtRunState *state, GError **error)
{
  const VtRunRanks *ranks = state->request->ranks;
  gboolean fine = ranks->rank == 0 || send_all(state);
  g_autofree guint8 *block = g_malloc(BLOCK);
  for (guint rank = 1; ranks->rank == 0 && rank < ranks->n_ranks && fine; rank++) {
    Stream s = { .ranks = ranks, .rank = rank, .block = block };
    for (guint32 kind; fine && get(&s, &kind, sizeof kind);)
      fine = (kind == SPOOL_TILE ? take_tile(state, &s) : take_object(state, &s)) == VITRAIL_OK;
    fine = fine && !s.is_broken;
  }
  if (state->failure)
    g_propagate_error(error, g_error_copy(state->failure));
  else if (!fine)
    g_set_error_literal(error, VT_ERROR, VITRAIL_INTERNAL, "The processes of this run lost each other.");
  return fine;
}
