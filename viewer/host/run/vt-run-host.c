/* SPDX-License-Identifier: MIT
 *
 * The callbacks a plugin is given. All that comes through them is checked: a broken plugin ends its run, not the
 * program. */
#include <math.h>
#include <string.h>

#include "base/vt-pool.h"
#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "raster/vt-raster-private.h"
#include "run/vt-run-private.h"

/* With the lock held. The first counts. */
static void
set_bug(VtRunState *state, const char *bug)
{
  if (!state->bug)
    state->bug = g_strdup(bug);
}

VitrailStatus
vt_run_note_bug(VtRunState *state, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *bug = g_strdup_vprintf(format, arguments);
  g_mutex_lock(&state->lock);
  set_bug(state, bug);
  g_mutex_unlock(&state->lock);
  va_end(arguments);
  return VITRAIL_BAD_ARGUMENT;
}

VitrailStatus
vt_run_note_failure(VtRunState *state, GError *error)
{
  const gboolean is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const VitrailStatus status = is_cancelled                ? VITRAIL_CANCELLED
                               : error->domain == VT_ERROR ? error->code
                                                           : VITRAIL_READ_FAILED;
  g_mutex_lock(&state->lock);
  if (!state->failure && !is_cancelled)
    state->failure = g_steal_pointer(&error);
  g_mutex_unlock(&state->lock);
  g_clear_error(&error);
  return status;
}

static VitrailStatus
host_read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
                 void *dst, size_t stride)
{
  VtRunState *state = user;
  GError *error = NULL;
  if (handle >= state->n_inputs)
    return vt_run_note_bug(state, "it reads an input that it was not given");
  const VtRunInput *input = &state->inputs[handle];
  if (!dst || width < 1 || height < 1 || width > G_MAXINT32 || downsample < 1
      || stride < (gsize)width * vt_pixel_size(input->abi.type))
    return vt_run_note_bug(state, "it reads a region of no size, or into rows that are too short");
  const VtRect rect = { x, y, width, height };
  if ((input->labels || input->truth)
      && !vt_rect_is_on_grid(&rect, input->abi.width_l0, input->abi.height_l0, downsample))
    return vt_run_note_bug(state, "it reads outside of the input “%s”", input->abi.id);
  if (input->labels) {
    vt_placed_labels_read(input->labels, downsample, x, y, width, height, dst, stride);
    return VITRAIL_OK;
  }
  if (input->truth) {
    input->truth->read(input->truth->user, downsample, x, y, width, height, dst, stride);
    return VITRAIL_OK;
  }
  const gboolean done =
    input->raster
      ? vt_raster_read_region(input->raster, downsample, x, y, width, height, dst, stride, &error)
      : vt_slide_read_region(input->slide, downsample, x, y, width, height, dst, stride, state->cancellable, &error);
  if (done)
    return VITRAIL_OK;
  if (g_error_matches(error, VT_ERROR, VITRAIL_BAD_ARGUMENT)) {
    g_clear_error(&error);
    return vt_run_note_bug(state, "it reads outside of the input “%s”", input->abi.id);
  }
  return vt_run_note_failure(state, error);
}

char *
vt_run_dup_sink_path(const VtRunState *state, guint stage)
{
  g_autofree char *name =
    vt_result_dup_picture_name(state->op, stage, state->request->region_number, state->request->ome_tiff);
  return g_build_filename(state->request->scratch_dir, name, NULL);
}

gint64
vt_run_get_number(const VtRunState *state, const char *key)
{
  JsonNode *node = json_object_get_member(state->facts, key);
  return node ? (gint64)json_node_get_double(node) : 0;
}

/* A raster of the tile, without pixels of its own. */
static VtRaster
describe(const VtRunState *state, const VitrailTile *tile)
{
  return (VtRaster){ .type = tile->type,
                     .x = tile->x,
                     .y = tile->y,
                     .width = tile->width,
                     .height = tile->height,
                     .stride = tile->stride,
                     .downsample = tile->downsample,
                     .origin_x_l0 = tile->origin_x_l0,
                     .origin_y_l0 = tile->origin_y_l0,
                     .scale = tile->scale,
                     .offset = tile->offset,
                     .zero_is_empty = (state->op->stages[tile->stage]->flags & VITRAIL_STAGE_ZERO_EMPTY) != 0,
                     .mpp_x = state->inputs[state->primary].abi.mpp_x,
                     .mpp_y = state->inputs[state->primary].abi.mpp_y };
}

enum { RANGE_ROWS = 64 };

typedef struct {
  VtRunState *state;
  const VitrailTile *tile;
} Range;

static void
note_rows(void *user, guint32 index)
{
  const Range *range = user;
  VtRunState *state = range->state;
  VtRaster rows = describe(state, range->tile);
  const gint64 first = (gint64)index * RANGE_ROWS;
  double min = 0, max = 0;
  rows.data = (guint8 *)range->tile->data + (gsize)first * rows.stride;
  rows.height = MIN(RANGE_ROWS, rows.height - first);
  if (!vt_raster_get_range(&rows, &min, &max))
    return;
  VT_LOCK(&state->lock);
  double *all = state->ranges[range->tile->stage];
  all[0] = MIN(all[0], min);
  all[1] = MAX(all[1], max);
}

/* The overlay's colours go from the least to the greatest value where the stage has no range of its own. */
static void
note_range(VtRunState *state, const VitrailTile *tile)
{
  const VitrailStage *stage = state->op->stages[tile->stage];
  Range range = { state, tile };
  if (stage->kind == VITRAIL_STAGE_SCALAR && stage->display_max <= stage->display_min)
    vt_parallel_for(state->n_threads, (guint)((tile->height + RANGE_ROWS - 1) / RANGE_ROWS), note_rows, &range);
}

/* Only one stage is shown in the overlay: of all pictures so far the best stays. */
static void
drop_pictures(VtRunState *state)
{
  int best = -1;
  for (guint i = 0; i < state->op->n_stages; i++)
    if (state->sinks[i] && vt_overlay_rank(state->op->stages[i]) >= best)
      best = vt_overlay_rank(state->op->stages[i]);
  gboolean is_taken = FALSE;
  for (guint i = state->op->n_stages; i-- > 0;) {
    if (!state->sinks[i])
      continue;
    if (is_taken || vt_overlay_rank(state->op->stages[i]) < best)
      vt_sink_drop_picture(state->sinks[i]);
    else
      is_taken = TRUE;
  }
}

/* A fact about where a stage's raster lies: its own, if the plugin tells that it has a grid of its own, or the run's. */
static gint64
get_place(const VtRunState *state, guint stage, const char *what)
{
  g_autofree char *own = g_strconcat(state->op->stages[stage]->id, "-", what, NULL);
  g_autofree char *grid = g_strconcat("grid-", what, NULL);
  return vt_run_get_number(state, json_object_has_member(state->facts, own) ? own : grid);
}

/* Place and kind of a streamed raster. */
static VtRaster
get_layout(const VtRunState *state, const VitrailTile *tile)
{
  VtRaster layout = describe(state, tile);
  layout.x = get_place(state, tile->stage, "x");
  layout.y = get_place(state, tile->stage, "y");
  layout.width = get_place(state, tile->stage, "width");
  layout.height = get_place(state, tile->stage, "height");
  return layout;
}

/* The one raster of a stage in which all its tiles are put together. */
static VtRaster *
get_mapped(VtRunState *state, const VitrailTile *tile, GError **error)
{
  GPtrArray *tiles = state->tiles[tile->stage];
  if (tiles->len > 0)
    return g_ptr_array_index(tiles, 0);
  const VtRaster layout = get_layout(state, tile);
  if (layout.width < 1 || layout.height < 1)
    return NULL;
  VtRaster *raster = vt_raster_new_in(state->request->scratch_dir, tile->type, layout.width, layout.height, error);
  if (!raster)
    return NULL;
  vt_raster_take_layout(raster, &layout);
  g_ptr_array_add(tiles, raster);
  return raster;
}

static VitrailStatus
map_tile(VtRunState *state, const VitrailTile *tile)
{
  GError *error = NULL;
  g_mutex_lock(&state->lock);
  const VtRaster *raster = get_mapped(state, tile, &error);
  g_mutex_unlock(&state->lock);
  if (error)
    return vt_run_note_failure(state, error);
  const gint64 x = raster ? tile->x - raster->x : 0, y = raster ? tile->y - raster->y : 0;
  if (!raster || tile->type != raster->type || tile->downsample != raster->downsample || x < 0 || y < 0
      || tile->width > raster->width - x || tile->height > raster->height - y)
    return vt_run_note_bug(state, "it hands back a tile that does not fit its raster");
  const gsize size = vt_pixel_size(tile->type);
  for (gint64 row = 0; row < tile->height; row++)
    memcpy(raster->data + (gsize)(y + row) * raster->stride + (gsize)x * size,
           (const guint8 *)tile->data + (gsize)row * tile->stride, (gsize)tile->width * size);
  return VITRAIL_OK;
}

VitrailStatus
vt_run_take_tile(VtRunState *state, const VitrailTile *tile)
{
  GError *error = NULL;
  VtSink **sink = &state->sinks[tile->stage];
  if (state->request->map_rasters)
    return map_tile(state, tile);
  g_mutex_lock(&state->lock);
  if (!*sink) {
    const VtRaster layout = get_layout(state, tile);
    const VtOverlayGrid grid =
      vt_overlay_choose_grid(state->x_l0, state->y_l0, state->width_l0, state->height_l0, tile->downsample);
    g_autofree char *path = vt_run_dup_sink_path(state, tile->stage);
    const char *channel = state->request->ome_tiff ? state->op->stages[tile->stage]->title : NULL;
    const VtTiffOptions options = {
      .channel = channel,
      .compression = state->request->compression,
      .n_threads = state->n_threads,
      .is_on_disk = vt_run_is_streamed(state),
      .cancellable = state->cancellable,
    };
    *sink = vt_sink_new(path, &layout, &grid, &options, &error);
    drop_pictures(state);
  }
  g_mutex_unlock(&state->lock);
  note_range(state, tile);
  if (*sink && vt_sink_write(*sink, tile, &error))
    return VITRAIL_OK;
  if (!g_error_matches(error, VT_ERROR, VITRAIL_BAD_ARGUMENT))
    return vt_run_note_failure(state, error);
  vt_run_note_bug(state, "%s", error->message);
  g_clear_error(&error);
  return VITRAIL_BAD_ARGUMENT;
}

gboolean
vt_run_is_streamed(const VtRunState *state)
{
  return json_object_has_member(state->facts, "streamed") && state->request->scratch_dir;
}

/* A raster in one piece, which can go to its file at once: no copy has to wait for the end of the run. */
static gboolean
is_whole(const VtRunState *state, const VitrailTile *tile)
{
  const VtRaster layout = get_layout(state, tile);
  return state->request->scratch_dir && !state->request->map_rasters && tile->x == layout.x && tile->y == layout.y
         && tile->width == layout.width && tile->height == layout.height;
}

enum { COPY_ROWS = 128 };

typedef struct {
  const VitrailTile *tile;
  const VtRaster *raster;
  GCancellable *cancellable;
} Copy;

/* New pages are cleared where they are first written, so that all threads take part. */
static void
copy_rows(void *user, guint32 index)
{
  const Copy *copy = user;
  const VitrailTile *tile = copy->tile;
  const VtRaster *raster = copy->raster;
  const gint64 first = (gint64)index * COPY_ROWS, end = MIN(first + COPY_ROWS, tile->height);
  for (gint64 row = first; row < end && !g_cancellable_is_cancelled(copy->cancellable); row++)
    memcpy(raster->data + (gsize)row * raster->stride, (const guint8 *)tile->data + (gsize)row * tile->stride,
           raster->stride);
}

/* The tile of one pixel of it, that of the request. FALSE: it is of another one. */
static gboolean
crop_to_pixel(const VtRunRequest *request, VitrailTile *tile)
{
  const double column = floor(((double)request->why_x_l0 + 0.5 - tile->origin_x_l0) / tile->downsample);
  const double row = floor(((double)request->why_y_l0 + 0.5 - tile->origin_y_l0) / tile->downsample);
  const double x = column - (double)tile->x, y = row - (double)tile->y;
  if (x < 0 || y < 0 || x >= (double)tile->width || y >= (double)tile->height)
    return FALSE;
  tile->data = (const guint8 *)tile->data + (gsize)y * tile->stride + (gsize)x * vt_pixel_size(tile->type);
  tile->x += (gint64)x;
  tile->y += (gint64)y;
  tile->width = tile->height = 1;
  return TRUE;
}

static VitrailStatus
keep_tile(VtRunState *state, const VitrailTile *tile)
{
  GError *error = NULL;
  VtRaster *raster = vt_raster_new(tile->type, tile->width, tile->height, &error);
  if (!raster)
    return vt_run_note_failure(state, error);
  const VtRaster layout = describe(state, tile);
  vt_raster_take_layout(raster, &layout);
  Copy copy = { tile, raster, state->cancellable };
  vt_parallel_for(state->n_threads, (guint)((tile->height + COPY_ROWS - 1) / COPY_ROWS), copy_rows, &copy);
  g_mutex_lock(&state->lock);
  g_ptr_array_add(state->tiles[tile->stage], raster);
  g_mutex_unlock(&state->lock);
  return g_cancellable_is_cancelled(state->cancellable) ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_emit_tile(void *user, const VitrailTile *tile)
{
  VtRunState *state = user;
  const char *doubt = vt_run_doubt_tile(state, tile);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  if (g_cancellable_is_cancelled(state->cancellable))
    return VITRAIL_CANCELLED;
  if (state->request->ranks && state->request->ranks->rank > 0)
    return vt_run_spool(state, tile, NULL) ? VITRAIL_OK : VITRAIL_READ_FAILED;
  VitrailTile pixel = *tile;
  if (state->request->keeps_pixel)
    return crop_to_pixel(state->request, &pixel) ? keep_tile(state, &pixel) : VITRAIL_OK;
  return vt_run_is_streamed(state) || is_whole(state, tile) ? vt_run_take_tile(state, tile) : keep_tile(state, tile);
}

static VitrailStatus
host_emit_object(void *user, const VitrailObject *object)
{
  return vt_run_take_object(user, object);
}

static VitrailStatus
host_emit_row(void *user, const VitrailRow *row)
{
  VtRunState *state = user;
  const char *doubt = vt_run_doubt_row(state, row);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  VtRow *copy = g_new0(VtRow, 1);
  copy->label = g_utf8_make_valid(row->label ? row->label : "", -1);
  copy->n_values = row->n_values;
  copy->values = g_memdup2(row->values, row->n_values * sizeof(double));
  g_ptr_array_add(state->rows, copy);
  return VITRAIL_OK;
}

static VitrailStatus
host_emit_verdict(void *user, const VitrailVerdict *verdict)
{
  VtRunState *state = user;
  const char *doubt = vt_run_doubt_verdict(state, verdict);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  VitrailVerdict copy = *verdict;
  const char **texts[] = { &copy.node, &copy.of, &copy.unit };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    *texts[i] = g_intern_string(g_utf8_validate(*texts[i], -1, NULL) ? *texts[i] : "?");
  g_array_append_val(state->verdicts, copy);
  return VITRAIL_OK;
}

static VitrailStatus
host_emit_wave(void *user, const VitrailWave *wave)
{
  VtRunState *state = user;
  GError *error = NULL;
  const char *doubt = vt_run_doubt_wave(state, wave);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  state->wave = vt_wave_new(wave, &state->inputs[state->primary].abi, &error);
  return state->wave ? VITRAIL_OK : vt_run_note_failure(state, error);
}

static VitrailStatus
host_emit_run_lengths(void *user, const VitrailRunLengths *lengths)
{
  VtRunState *state = user;
  const char *doubt = vt_run_doubt_lengths(state, lengths);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  VtRow *row = g_ptr_array_index(state->rows, state->rows->len - 1);
  row->lengths = vt_run_lengths_new(lengths);
  return row->lengths
           ? VITRAIL_OK
           : vt_run_note_failure(state, g_error_new_literal(VT_ERROR, VITRAIL_OUT_OF_MEMORY,
                                                            "There is not enough memory for a run length matrix."));
}

static VitrailStatus
host_emit_overlaps(void *user, const VitrailOverlaps *overlaps)
{
  VtRunState *state = user;
  const char *doubt = vt_run_doubt_overlaps(state, overlaps);
  if (doubt)
    return vt_run_note_bug(state, "%s", doubt);
  state->overlaps = vt_overlaps_new(overlaps, state->request->truth->number);
  return VITRAIL_OK;
}

static void
host_parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  VtRunState *state = user;
  vt_parallel_for(state->n_threads, n, job, job_user);
}

static void
host_progress(void *user, uint32_t stage, double fraction)
{
  VtRunState *state = user;
  if (state->progress && stage < state->op->n_stages && isfinite(fraction))
    state->progress(stage, CLAMP(fraction, 0, 1), state->user);
}

static void
host_stage_done(void *user, uint32_t stage, double milliseconds)
{
  VtRunState *state = user;
  if (stage < state->op->n_stages && milliseconds >= 0 && isfinite(milliseconds))
    state->stage_ms[stage] = milliseconds;
}

static void
host_record(void *user, const char *key, const char *text, double number)
{
  VtRunState *state = user;
  if (!key || !g_utf8_validate(key, -1, NULL))
    return;
  g_mutex_lock(&state->lock);
  const char *doubt = vt_run_doubt_words(state);
  if (doubt) {
    set_bug(state, doubt);
  } else if (text) {
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    json_object_set_string_member(state->facts, key, valid);
  } else {
    json_object_set_double_member(state->facts, key, number);
  }
  g_mutex_unlock(&state->lock);
}

static bool
host_is_cancelled(void *user)
{
  VtRunState *state = user;
  return g_cancellable_is_cancelled(state->cancellable);
}

static void
host_log(void *user, VitrailLogLevel level, const char *sentence)
{
  VtRunState *state = user;
  if (!sentence)
    return;
  g_autofree char *valid = g_utf8_make_valid(sentence, -1);
  g_debug("%s: %s", state->request->plugin->id, valid);
  if (level < VITRAIL_LOG_WARNING)
    return;
  VT_LOCK(&state->lock);
  const char *doubt = vt_run_doubt_words(state);
  if (doubt)
    set_bug(state, doubt);
  else if (!g_ptr_array_find_with_equal_func(state->warnings, valid, g_str_equal, NULL))
    g_ptr_array_add(state->warnings, g_steal_pointer(&valid));
}

static VitrailStatus
host_exchange(void *user, const void *to_above, void *from_above, const void *to_below, void *from_below, size_t bytes)
{
  const VtRunRanks *ranks = ((VtRunState *)user)->request->ranks;
  return ranks->exchange(ranks->user, to_above, from_above, to_below, from_below, bytes) ? VITRAIL_OK
                                                                                         : VITRAIL_INTERNAL;
}

static VitrailStatus
host_agree(void *user, int32_t mine, int32_t *largest)
{
  const VtRunRanks *ranks = ((VtRunState *)user)->request->ranks;
  return ranks->agree(ranks->user, mine, largest) ? VITRAIL_OK : VITRAIL_INTERNAL;
}

VitrailHost
vt_run_make_host(VtRunState *state)
{
  const VtRunRanks *ranks = state->request->ranks;
  return (VitrailHost){
    .size = sizeof(VitrailHost),
    .n_threads = state->n_threads,
    .user = state,
    .read_region = host_read_region,
    .emit_tile = host_emit_tile,
    .emit_object = host_emit_object,
    .emit_row = host_emit_row,
    .parallel_for = host_parallel_for,
    .progress = host_progress,
    .stage_done = host_stage_done,
    .record = host_record,
    .is_cancelled = host_is_cancelled,
    .log = host_log,
    .rank = ranks ? ranks->rank : 0,
    .n_ranks = ranks ? ranks->n_ranks : 0,
    .exchange = ranks ? host_exchange : NULL,
    .agree = ranks ? host_agree : NULL,
    .emit_verdict = host_emit_verdict,
    .emit_wave = host_emit_wave,
    .emit_run_lengths = host_emit_run_lengths,
    .emit_overlaps = host_emit_overlaps,
  };
}

void
vt_run_check_end(VtRunState *state)
{
  const char *doubt = vt_run_doubt_tiles(state);
  if (doubt)
    vt_run_note_bug(state, "%s", doubt);
}

VtRaster *
vt_run_assemble(VtRunState *state, guint stage, GError **error)
{
  GPtrArray *tiles = state->tiles[stage];
  if (tiles->len <= 1)
    return tiles->len == 1 ? vt_raster_ref(g_ptr_array_index(tiles, 0)) : NULL;
  const VtRaster *first = g_ptr_array_index(tiles, 0);
  gint64 x0 = first->x, y0 = first->y, x1 = first->x + first->width, y1 = first->y + first->height;
  for (guint i = 1; i < tiles->len; i++) {
    const VtRaster *tile = g_ptr_array_index(tiles, i);
    x0 = MIN(x0, tile->x);
    y0 = MIN(y0, tile->y);
    x1 = MAX(x1, tile->x + tile->width);
    y1 = MAX(y1, tile->y + tile->height);
  }
  VtRaster *raster = vt_raster_new(first->type, x1 - x0, y1 - y0, error);
  if (!raster)
    return NULL;
  vt_raster_take_layout(raster, first);
  raster->x = x0;
  raster->y = y0;
  const gsize pixel_size = vt_pixel_size(raster->type);
  VT_EACH_OF (const VtRaster, tile, tiles) {
    for (gint64 row = 0; row < tile->height; row++)
      memcpy(raster->data + (gsize)(tile->y - y0 + row) * raster->stride + (gsize)(tile->x - x0) * pixel_size,
             tile->data + (gsize)row * tile->stride, tile->stride);
  }
  return raster;
}
