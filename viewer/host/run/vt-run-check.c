/* SPDX-License-Identifier: MIT
 *
 * What a plugin hands back, against what it was asked for: stage, type, place, overlap, numbers, counts. Wherever it runs. */
#include <math.h>

#include "plugins/vt-tile-check.h"
#include "base/vt-define.h"
#include "run/vt-run-private.h"

#define MOST_ROWS (1u << 22)
#define MOST_FACTS 4096u
#define MOST_WARNINGS 1000u
#define MOST_VERDICTS (1u << 16)
#define LEAST_POINTS ((guint64)1 << 20) /* that any run may have */

typedef struct {
  gint64 x, y, width, height;
} Rect;

struct VtRunPlaces {
  VitrailTile first; /* its grid is that of all */
  GArray *rects;     /* Rect */
  double area;       /* of all of them, in pixels */
};

VT_DEFINE_TYPE_FREE(vt_run_places_free, VtRunPlaces, VT_FREES(g_array_unref, rects))

static gboolean
has_type_of(const VitrailStage *stage, VitrailPixelType type)
{
  switch (stage->kind) {
  case VITRAIL_STAGE_MASK: return type == VITRAIL_U8;
  case VITRAIL_STAGE_LABELS: return type == VITRAIL_U8 || type == VITRAIL_U16 || type == VITRAIL_I32;
  case VITRAIL_STAGE_COLOUR: return type == VITRAIL_RGBA8;
  default: return type != VITRAIL_RGBA8;
  }
}

/* A grid that is laid over the image may reach beyond its edge by less than a pixel of its own. */
static gboolean
is_inside(const VitrailTile *tile, const VitrailInput *image)
{
  const double d = tile->downsample;
  const double x = tile->origin_x_l0 + (double)tile->x * d, y = tile->origin_y_l0 + (double)tile->y * d;
  return x > -d && y > -d && x + (double)tile->width * d < (double)image->width_l0 + d
         && y + (double)tile->height * d < (double)image->height_l0 + d;
}

static gboolean
same_grid(const VitrailTile *a, const VitrailTile *b)
{
  return a->type == b->type && a->downsample == b->downsample && a->origin_x_l0 == b->origin_x_l0
         && a->origin_y_l0 == b->origin_y_l0 && a->scale == b->scale && a->offset == b->offset;
}

static const char *
doubt_place(VtRunState *state, const VitrailTile *tile)
{
  const VitrailInput *image = &state->inputs[state->primary].abi;
  VtRunPlaces *places = state->places[tile->stage];
  const Rect rect = { tile->x, tile->y, tile->width, tile->height };
  if (!places) {
    places = state->places[tile->stage] = g_new0(VtRunPlaces, 1);
    places->first = *tile;
    places->rects = g_array_new(FALSE, FALSE, sizeof(Rect));
  }
  if (!same_grid(&places->first, tile))
    return "it hands back tiles of one stage on different grids";
  places->area += (double)tile->width * (double)tile->height;
  const double d = tile->downsample;
  if (places->area > ((double)image->width_l0 / d + 2) * ((double)image->height_l0 / d + 2))
    return "it hands back more pixels than the image has";
  g_array_append_val(places->rects, rect);
  return NULL;
}

const char *
vt_run_doubt_tile(VtRunState *state, const VitrailTile *tile)
{
  if (!tile || tile->size < G_STRUCT_OFFSET(VitrailTile, reserved) || tile->stage >= state->op->n_stages
      || !vt_stage_has_raster(state->op->stages[tile->stage]) || !vt_tile_is_sound(tile))
    return "it hands back a tile that makes no sense";
  if (!has_type_of(state->op->stages[tile->stage], tile->type))
    return "it hands back a tile of a type that its stage cannot have";
  if (tile->downsample < 1 || !is_inside(tile, &state->inputs[state->primary].abi))
    return "it hands back a tile that lies outside of the image";
  VT_LOCK(&state->lock);
  return doubt_place(state, tile);
}

static int
compare_tops(gconstpointer a, gconstpointer b)
{
  const gint64 top = ((const Rect *)a)->y, other = ((const Rect *)b)->y;
  return (top > other) - (top < other);
}

/* From the topmost on, each against those that begin before it ends. */
const char *
vt_run_doubt_tiles(VtRunState *state)
{
  for (guint stage = 0; stage < state->op->n_stages; stage++) {
    GArray *rects = state->places[stage] ? state->places[stage]->rects : NULL;
    if (rects)
      g_array_sort(rects, compare_tops);
    for (guint i = 0; rects && i < rects->len; i++) {
      const Rect *a = &g_array_index(rects, Rect, i);
      for (guint j = i + 1; j < rects->len; j++) {
        const Rect *b = &g_array_index(rects, Rect, j);
        if (b->y >= a->y + a->height)
          break;
        if (b->x < a->x + a->width && a->x < b->x + b->width)
          return "it hands back tiles that overlap";
      }
    }
  }
  return NULL;
}

/* Total number of points; 0 when the rings make no sense. */
static guint64
count_points(const VitrailObject *object)
{
  guint64 n = 0;
  if (object->n_rings == 0 || object->n_rings > 1u << 24 || !object->ring_sizes || !object->points)
    return 0;
  for (guint32 i = 0; i < object->n_rings; i++) {
    if (object->ring_sizes[i] < 3)
      return 0;
    n += object->ring_sizes[i];
  }
  if (n > G_MAXUINT32 / 4)
    return 0;
  for (guint64 i = 0; i < 2 * n; i++)
    if (!isfinite(object->points[i]))
      return 0;
  return n;
}

/* NaN: undefined. */
static gboolean
has_measurements(const VitrailObject *object)
{
  if (object->n_measurements > 65536
      || (object->n_measurements > 0 && (!object->measurement_names || !object->measurements)))
    return FALSE;
  for (guint32 i = 0; i < object->n_measurements; i++)
    if (isinf(object->measurements[i]))
      return FALSE;
  return TRUE;
}

const char *
vt_run_doubt_object(VtRunState *state, const VitrailObject *object, gint64 last_id, guint64 *n_points)
{
  if (!object || object->size < G_STRUCT_OFFSET(VitrailObject, reserved) || object->stage >= state->op->n_stages
      || state->op->stages[object->stage]->kind != VITRAIL_STAGE_OBJECTS)
    return "it hands back an object of a stage that has none";
  *n_points = count_points(object);
  if (*n_points == 0 || object->id < 1 || object->id <= last_id || !isfinite(object->centroid_x_l0)
      || !isfinite(object->centroid_y_l0) || !has_measurements(object))
    return "it hands back an object that makes no sense";
  /* Four corners a pixel, in each of two outlines that share it; outlines of a file are as fine as they are. */
  state->n_points += *n_points;
  if (!state->request->params->objects
      && (double)state->n_points > 8 * (double)state->width_l0 * (double)state->height_l0 + (double)LEAST_POINTS)
    return "it hands back more outlines than the region has pixels";
  return NULL;
}

const char *
vt_run_doubt_row(const VtRunState *state, const VitrailRow *row)
{
  if (!row || row->size < G_STRUCT_OFFSET(VitrailRow, reserved) || row->stage >= state->op->n_stages
      || state->op->stages[row->stage]->kind != VITRAIL_STAGE_ROWS || row->n_values + 1 != state->op->n_columns
      || (row->n_values > 0 && !row->values))
    return "it hands back a row that does not fit its columns";
  return state->rows->len < MOST_ROWS ? NULL : "it hands back too many rows";
}

const char *
vt_run_doubt_verdict(const VtRunState *state, const VitrailVerdict *verdict)
{
  const VitrailOp *op = state->op;
  if (!verdict || verdict->size < G_STRUCT_OFFSET(VitrailVerdict, saddle_x_l0) || !state->request->asks_why
      || verdict->test < VITRAIL_TEST_ABOVE || verdict->test > VITRAIL_TEST_CHOSEN
      || verdict->tested < VITRAIL_TESTED_PIXEL || verdict->tested > VITRAIL_TESTED_DEPTH || verdict->stage < -1
      || verdict->stage >= (gint64)op->n_stages || verdict->param < -1 || verdict->param >= (gint64)op->n_params
      || !verdict->node || !verdict->of || !verdict->unit
      || (verdict->tested == VITRAIL_TESTED_DEPTH
          && !(isfinite(verdict->saddle_x_l0) && isfinite(verdict->saddle_y_l0)))
      || (verdict->flags & VITRAIL_VERDICT_FLIPS && (verdict->param < 0 || !isfinite(verdict->critical))))
    return "it hands back a verdict that makes no sense";
  return state->verdicts->len < MOST_VERDICTS ? NULL : "it hands back too many verdicts";
}

const char *
vt_run_doubt_wave(const VtRunState *state, const VitrailWave *wave)
{
  const VitrailInput *image = &state->inputs[state->primary].abi;
  const gint64 d = wave && wave->size >= G_STRUCT_OFFSET(VitrailWave, reserved) ? wave->downsample : 0;
  if (d < 1 || !state->request->plays_wave || state->wave || !vt_wave_is_sound(wave)
      || wave->stage >= state->op->n_stages)
    return "it hands back a wave that makes no sense";
  if (wave->x + wave->width > (image->width_l0 + d - 1) / d || wave->y + wave->height > (image->height_l0 + d - 1) / d)
    return "it hands back a wave that lies outside of the image";
  for (gint64 i = 0; i < wave->width * wave->height; i++)
    if (wave->ticks[i] >= wave->n_ticks && wave->ticks[i] != VITRAIL_WAVE_NEVER)
      return "it hands back a wave with pixels beyond its end";
  for (guint32 i = 0; wave->levels && i < wave->n_ticks; i++)
    if (isnan(wave->levels[i]) || (i > 0 && wave->levels[i] > wave->levels[i - 1]))
      return "it hands back a wave whose levels do not fall";
  return NULL;
}

const char *
vt_run_doubt_lengths(const VtRunState *state, const VitrailRunLengths *lengths)
{
  const VitrailInput *image = &state->inputs[state->primary].abi;
  const VtRow *row = state->rows->len > 0 ? g_ptr_array_index(state->rows, state->rows->len - 1) : NULL;
  const gint64 d = lengths && lengths->size >= G_STRUCT_OFFSET(VitrailRunLengths, reserved) ? lengths->downsample : 0;
  if (d < 1 || !state->request->tells_lengths || !row || row->lengths)
    return "it hands back run lengths of no row";
  const char *doubt = vt_run_lengths_doubt(lengths);
  if (!doubt
      && (lengths->x + lengths->width > (image->width_l0 + d - 1) / d
          || lengths->y + lengths->height > (image->height_l0 + d - 1) / d))
    doubt = "it hands back run lengths that lie outside of the image";
  return doubt;
}

const char *
vt_run_doubt_overlaps(const VtRunState *state, const VitrailOverlaps *overlaps)
{
  const GPtrArray *objects = state->objects;
  if (!overlaps || overlaps->size < G_STRUCT_OFFSET(VitrailOverlaps, reserved) || !state->request->truth
      || state->overlaps || overlaps->stage >= state->op->n_stages
      || state->op->stages[overlaps->stage]->kind != VITRAIL_STAGE_OBJECTS)
    return "it hands back overlaps that nobody asked for";
  return vt_overlaps_doubt(overlaps, objects->len > 0 ? ((const VtObject *)objects->pdata[objects->len - 1])->id : 0);
}

const char *
vt_run_doubt_words(const VtRunState *state)
{
  return state->warnings->len < MOST_WARNINGS && json_object_get_size(state->facts) < MOST_FACTS
           ? NULL
           : "it hands back too many facts or warnings";
}
