/* SPDX-License-Identifier: MIT
 *
 * In the program: what the process of a plugin asks while a run lasts. The callbacks themselves check what they are given. */
#include <string.h>

#include "plugins/vt-abi-pack.h"
#include "plugins/vt-tile-check.h"
#include "plugins/vt-worker-private.h"
#include "raster/vt-raster.h"

#define MOST_WAVE_BYTES ((gsize)1 << 33)
#define MOST_BYTES ((gsize)1 << 30) /* of objects that come together, of a row, of a text */

typedef struct {
  VtWorkerChannel *channel;
  const VtWorkerHead *head;
  const VitrailHost *host;
  VtWorkerHead reply;
} Question;

/* Rows that are as long as the body bears: what does not fit the callback refuses. */
static gboolean
answer_read(Question *q)
{
  const gint64 *v = q->head->v;
  const gsize stride = v[4] > 0 ? q->head->n_body / (guint64)v[4] : 0;
  if (v[0] < 0 || v[0] > G_MAXUINT32)
    return FALSE;
  q->reply.status = q->host->read_region(q->host->user, q->head->n, (guint32)v[0], v[1], v[2], v[3], v[4],
                                         stride > 0 ? q->channel->memory : NULL, stride);
  return TRUE;
}

/* The pixels stay where they are: no number of theirs decides where anything is read or written. */
static gboolean
answer_tile(Question *q)
{
  VitrailTile tile;
  if (q->head->n_body > 0 && q->head->n_body < sizeof tile)
    return FALSE;
  if (q->head->n_body > 0) {
    memcpy(&tile, q->channel->memory, sizeof tile);
    tile.size = MIN(tile.size, (guint32)sizeof tile);
    memset(tile.reserved, 0, sizeof tile.reserved);
    tile.data = q->head->n_body > VT_WORKER_PIXELS ? q->channel->memory + VT_WORKER_PIXELS : NULL;
    if (tile.data) {
      tile.stride = tile.width > 0 && tile.width <= G_MAXINT32 ? (gsize)tile.width * vt_pixel_size(tile.type) : 0;
      if (!vt_tile_is_sound(&tile) || q->head->n_body != VT_WORKER_PIXELS + tile.stride * (gsize)tile.height)
        return FALSE;
    }
  }
  q->reply.status = q->host->emit_tile(q->host->user, q->head->n_body > 0 ? &tile : NULL);
  return TRUE;
}

/* A struct of the body; NULL with *fine: there is none, and the callback is to refuse that. */
static gpointer
take_struct(const VtAbiShape *shape, const guint8 *data, gsize n, GPtrArray *memory, gboolean *fine)
{
  gpointer whole = n > 0 ? vt_abi_unpack(shape, data, n, memory) : NULL;
  *fine = whole || n == 0;
  return whole;
}

static gboolean
answer_objects(Question *q)
{
  g_autofree guint8 *body = vt_worker_channel_dup_body(q->channel, q->head, MOST_BYTES);
  gboolean fine = body != NULL;
  q->reply.status = VITRAIL_OK;
  for (gsize at = 0; fine && at < q->head->n_body && q->reply.status == VITRAIL_OK;) {
    g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
    guint32 n = 0;
    if (q->head->n_body - at < sizeof n)
      return FALSE;
    memcpy(&n, body + at, sizeof n);
    at += sizeof n;
    if (n > q->head->n_body - at)
      return FALSE;
    const VitrailObject *object = take_struct(&vt_abi_object, body + at, n, memory, &fine);
    at += n;
    if (fine)
      q->reply.status = q->host->emit_object(q->host->user, object);
  }
  return fine;
}

static gboolean
answer_struct(Question *q)
{
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
  g_autofree guint8 *body = vt_worker_channel_dup_body(q->channel, q->head, MOST_BYTES);
  gboolean fine = body != NULL;
  if (fine && q->head->kind == VT_WORKER_ROW) {
    const VitrailRow *row = take_struct(&vt_abi_row, body, q->head->n_body, memory, &fine);
    q->reply.status = fine ? q->host->emit_row(q->host->user, row) : VITRAIL_INTERNAL;
  } else if (fine && q->head->kind == VT_WORKER_LENGTHS) {
    const VitrailRunLengths *lengths = take_struct(&vt_abi_lengths, body, q->head->n_body, memory, &fine);
    q->reply.status = fine ? q->host->emit_run_lengths(q->host->user, lengths) : VITRAIL_INTERNAL;
  } else if (fine && q->head->kind == VT_WORKER_OVERLAPS) {
    const VitrailOverlaps *overlaps = take_struct(&vt_abi_overlaps, body, q->head->n_body, memory, &fine);
    q->reply.status = fine ? q->host->emit_overlaps(q->host->user, overlaps) : VITRAIL_INTERNAL;
  } else if (fine) {
    const VitrailVerdict *verdict = take_struct(&vt_abi_verdict, body, q->head->n_body, memory, &fine);
    q->reply.status = fine ? q->host->emit_verdict(q->host->user, verdict) : VITRAIL_INTERNAL;
  }
  return fine;
}

/* The arrays are where the sizes that it states put them: the body must be just as long. */
static gboolean
answer_wave(Question *q)
{
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
  g_autofree guint8 *body = vt_worker_channel_dup_body(q->channel, q->head, MOST_WAVE_BYTES);
  const gint64 n = q->head->v[0];
  VtWorkerPart parts[VT_WORKER_WAVE_PARTS];
  if (!body || n < 0 || (guint64)n > q->head->n_body)
    return FALSE;
  VitrailWave *wave = n > 0 ? vt_abi_unpack(&vt_abi_wave, body, (gsize)n, memory) : NULL;
  if (n > 0 && !wave)
    return FALSE;
  if (wave) {
    if (vt_worker_wave_place(wave, (gsize)n, parts) != q->head->n_body)
      return FALSE;
    for (guint i = 0; i < VT_WORKER_WAVE_PARTS; i++)
      if (parts[i].bytes > 0)
        *parts[i].data = body + parts[i].at;
  }
  q->reply.status = q->host->emit_wave(q->host->user, wave);
  return TRUE;
}

static gboolean
answer_text(Question *q)
{
  g_autofree char *body = (char *)vt_worker_channel_dup_body(q->channel, q->head, MOST_BYTES);
  if (!body)
    return FALSE;
  if (q->head->kind == VT_WORKER_LOG) {
    q->host->log(q->host->user, (VitrailLogLevel)q->head->n, body);
    return TRUE;
  }
  const gsize n_key = strlen(body) + 1;
  if (q->head->n && n_key >= q->head->n_body)
    return FALSE;
  q->host->record(q->host->user, body, q->head->n ? body + n_key : NULL, q->head->d);
  return TRUE;
}

static gboolean
answer_exchange(Question *q)
{
  const guint64 bytes = q->head->v[0] >= 0 ? (guint64)q->head->v[0] : G_MAXUINT64;
  guint8 *slots[4] = { NULL };
  if (!q->host->exchange || bytes > q->head->n_body || q->head->n_body != 4 * bytes)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(slots); i++)
    if (q->head->n >> i & 1)
      slots[i] = q->channel->memory + i * bytes;
  q->reply.status = q->host->exchange(q->host->user, slots[0], slots[1], slots[2], slots[3], bytes);
  return TRUE;
}

static gboolean
answer_agree(Question *q)
{
  gint32 largest = 0;
  if (!q->host->agree)
    return FALSE;
  q->reply.status = q->host->agree(q->host->user, (gint32)q->head->n, &largest);
  q->reply.n = (guint32)largest;
  return TRUE;
}

/* Those that are for the running thread alone. */
static gboolean
answer_main(Question *q)
{
  switch (q->head->kind) {
  case VT_WORKER_OBJECTS: return answer_objects(q);
  case VT_WORKER_ROW:
  case VT_WORKER_LENGTHS:
  case VT_WORKER_OVERLAPS:
  case VT_WORKER_VERDICT: return answer_struct(q);
  case VT_WORKER_WAVE: return answer_wave(q);
  case VT_WORKER_STAGE_DONE: q->host->stage_done(q->host->user, q->head->n, q->head->d); return TRUE;
  case VT_WORKER_RECORD: return answer_text(q);
  case VT_WORKER_EXCHANGE: return answer_exchange(q);
  case VT_WORKER_AGREE: return answer_agree(q);
  default: return FALSE;
  }
}

gboolean
vt_worker_answer(VtWorkerChannel *channel, const VtWorkerHead *head, const VitrailHost *host, gboolean is_main)
{
  Question q = { channel, head, host, { .kind = head->kind } };
  gboolean fine;
  switch (head->kind) {
  case VT_WORKER_READ: fine = answer_read(&q); break;
  case VT_WORKER_TILE: fine = answer_tile(&q); break;
  case VT_WORKER_LOG: fine = answer_text(&q); break;
  case VT_WORKER_PROGRESS:
    host->progress(host->user, head->n, head->d);
    fine = TRUE;
    break;
  default: fine = is_main && answer_main(&q);
  }
  fine = fine && vt_worker_channel_send(channel, &q.reply, -1);
  vt_worker_channel_trim(channel);
  return fine;
}
