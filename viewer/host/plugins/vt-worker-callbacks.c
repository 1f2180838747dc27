/* SPDX-License-Identifier: MIT
 *
 * In the process of a plugin: the callbacks that it is given. Each is a question to the program, over the control channel from the thread that runs,
 * over one of the others from elsewhere. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vt-packet.h"
#include "base/vt-define.h"
#include "base/vt-pool.h"
#include "plugins/vt-abi-pack.h"
#include "plugins/vt-tile-check.h"
#include "plugins/vt-worker-private.h"
#include "raster/vt-raster.h"

#define BATCH_BYTES (256u << 10) /* of objects: a question for each would cost more than to make it */
#define READ_BYTES ((gsize)32 << 20)

struct VtWorkerPort {
  VtWorkerChannel *control;
  GMutex lock;       /* guards what follows */
  GCond is_idle;     /* a channel is */
  GQueue idle;       /* VtWorkerChannel*; the last used first */
  const char *stray; /* a callback that another thread than the running one must not call, and did */

  gint *flag; /* atomic; shared with the program; NULL: none */
  GThread *runner;
  guint n_threads, n_columns; /* of the op */
  const VitrailRequest *request;
  GPtrArray *added;    /* ops of recipes */
  GByteArray *objects; /* that wait to be sent */
  VitrailStatus objects_status;
};

static void
channel_free(gpointer data)
{
  vt_worker_channel_clear(data);
  g_free(data);
}

VtWorkerPort *
vt_worker_port_new(VtWorkerChannel *control)
{
  VtWorkerPort *port = g_new0(VtWorkerPort, 1);
  port->control = control;
  g_mutex_init(&port->lock);
  g_cond_init(&port->is_idle);
  g_queue_init(&port->idle);
  port->added = g_ptr_array_new();
  port->objects = g_byte_array_new();
  return port;
}

void
vt_worker_port_free(VtWorkerPort *port)
{
  g_queue_clear_full(&port->idle, channel_free);
  if (port->flag)
    munmap(port->flag, VT_WORKER_FLAG_BYTES);
  g_ptr_array_unref(port->added);
  g_byte_array_unref(port->objects);
  g_mutex_clear(&port->lock);
  g_cond_clear(&port->is_idle);
  g_free(port);
}

void
vt_worker_port_add(VtWorkerPort *port, int socket)
{
  VtWorkerChannel *channel = g_new(VtWorkerChannel, 1);
  vt_worker_channel_init(channel, socket);
  VT_LOCK(&port->lock);
  g_queue_push_tail(&port->idle, channel);
}

gboolean
vt_worker_port_set_flag(VtWorkerPort *port, int file)
{
  gsize n = 0;
  guint8 *memory = port->flag ? NULL : vt_packet_memory_map(file, VT_WORKER_FLAG_BYTES, &n);
  close(file);
  if (memory && n != VT_WORKER_FLAG_BYTES) {
    munmap(memory, n);
    memory = NULL;
  }
  if (memory)
    port->flag = (gint *)(gpointer)memory;
  return memory != NULL;
}

/* --- questions --- */

static VtWorkerChannel *
take_channel(VtWorkerPort *port)
{
  VtWorkerChannel *channel = NULL;
  if (g_thread_self() == port->runner)
    return port->control;
  VT_LOCK(&port->lock);
  while (!(channel = g_queue_pop_head(&port->idle)))
    g_cond_wait(&port->is_idle, &port->lock);
  return channel;
}

static void
give_channel(VtWorkerPort *port, VtWorkerChannel *channel)
{
  vt_worker_channel_trim(channel);
  if (channel == port->control)
    return;
  VT_LOCK(&port->lock);
  g_queue_push_head(&port->idle, channel);
  g_cond_signal(&port->is_idle);
}

/* The head becomes the answer. Without the program there is nothing left to do. */
static VitrailStatus
ask(VtWorkerChannel *channel, VtWorkerHead *head)
{
  const guint32 kind = head->kind;
  if (!vt_worker_channel_send(channel, head, -1) || !vt_worker_channel_receive(channel, head, NULL)
      || head->kind != kind)
    _exit(1);
  return head->status;
}

/* --- for any thread --- */

static gsize
get_pixel_size(const VtWorkerPort *port, guint32 handle)
{
  const VitrailRequest *request = port->request;
  for (guint32 i = 0; i < request->n_inputs; i++)
    if (request->inputs[i]->handle == handle)
      return vt_pixel_size(request->inputs[i]->type);
  return 0;
}

/* Of a region that makes no sense the program is told without room for it, so that it says so. */
static VitrailStatus
read_rows(VtWorkerChannel *channel, VtWorkerHead head, gsize row, guint8 *dst, gsize stride)
{
  const gint64 n_rows = head.v[4];
  head.n_body = dst ? row * (gsize)n_rows : 0;
  if (!vt_worker_channel_reserve(channel, head.n_body))
    return VITRAIL_OUT_OF_MEMORY;
  const VitrailStatus status = ask(channel, &head);
  for (gint64 y = 0; status == VITRAIL_OK && dst && y < n_rows; y++)
    memcpy(dst + (gsize)y * stride, channel->memory + (gsize)y * row, row);
  return status;
}

static VitrailStatus
worker_read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width,
                   int64_t height, void *dst, size_t stride)
{
  VtWorkerPort *port = user;
  const gsize row = width > 0 && width <= G_MAXINT32 ? (gsize)width * get_pixel_size(port, handle) : 0;
  const gboolean is_sane = dst && row > 0 && height > 0 && height <= G_MAXINT32 && stride >= row;
  const gint64 most = is_sane ? MAX(1, (gint64)(READ_BYTES / row)) : height;
  VtWorkerChannel *channel = take_channel(port);
  VitrailStatus status = VITRAIL_OK;
  gint64 done = 0;
  do {
    const gint64 n = MIN(most, height - done);
    const VtWorkerHead head = { .kind = VT_WORKER_READ, .n = handle, .v = { downsample, x, y + done, width, n } };
    status = read_rows(channel, head, row, is_sane ? (guint8 *)dst + (gsize)done * stride : NULL, stride);
    done += n;
  } while (is_sane && status == VITRAIL_OK && done < height);
  give_channel(port, channel);
  return status;
}

/* The struct, then rows without gaps. */
static gboolean
put_tile(VtWorkerChannel *channel, VtWorkerHead *head, const VitrailTile *tile)
{
  const gboolean is_sound = vt_tile_is_sound(tile);
  const gsize row = is_sound ? (gsize)tile->width * vt_pixel_size(tile->type) : 0;
  head->n_body = is_sound ? VT_WORKER_PIXELS + row * (gsize)tile->height : sizeof *tile;
  if (!vt_worker_channel_reserve(channel, head->n_body))
    return FALSE;
  VitrailTile bare = *tile;
  bare.data = NULL;
  memcpy(channel->memory, &bare, sizeof bare);
  guint8 *to = channel->memory + VT_WORKER_PIXELS;
  if (is_sound && tile->stride == row)
    memcpy(to, tile->data, row * (gsize)tile->height);
  else
    for (gint64 y = 0; is_sound && y < tile->height; y++)
      memcpy(to + (gsize)y * row, (const guint8 *)tile->data + (gsize)y * tile->stride, row);
  return TRUE;
}

static VitrailStatus
worker_emit_tile(void *user, const VitrailTile *theirs)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_TILE };
  VitrailTile tile = { 0 };
  if (theirs)
    memcpy(&tile, theirs, MIN((gsize)theirs->size, sizeof tile));
  VtWorkerChannel *channel = take_channel(port);
  const gboolean is_put = !theirs || put_tile(channel, &head, &tile);
  const VitrailStatus status = is_put ? ask(channel, &head) : VITRAIL_OUT_OF_MEMORY;
  give_channel(port, channel);
  return status;
}

static void
worker_parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  vt_parallel_for(((const VtWorkerPort *)user)->n_threads, n, job, job_user);
}

static void
worker_progress(void *user, uint32_t stage, double fraction)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_PROGRESS, .n = stage, .d = fraction };
  VtWorkerChannel *channel = take_channel(port);
  ask(channel, &head);
  give_channel(port, channel);
}

static bool
worker_is_cancelled(void *user)
{
  const VtWorkerPort *port = user;
  return port->flag && g_atomic_int_get(port->flag) != 0;
}

static void
worker_log(void *user, VitrailLogLevel level, const char *sentence)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_LOG, .n = (guint32)level };
  if (!sentence)
    return;
  VtWorkerChannel *channel = take_channel(port);
  if (vt_worker_channel_put(channel, &head, sentence, strlen(sentence)))
    ask(channel, &head);
  give_channel(port, channel);
}

/* --- for the running thread alone, in order --- */

static VitrailStatus
flush(VtWorkerPort *port)
{
  VtWorkerHead head = { .kind = VT_WORKER_OBJECTS };
  if (port->objects->len == 0)
    return port->objects_status;
  if (!vt_worker_channel_put(port->control, &head, port->objects->data, port->objects->len))
    port->objects_status = VITRAIL_OUT_OF_MEMORY;
  else
    port->objects_status = ask(port->control, &head);
  g_byte_array_set_size(port->objects, 0);
  return port->objects_status;
}

/* NULL: this is another thread. */
static VtWorkerChannel *
take_control(VtWorkerPort *port, const char *callback)
{
  if (g_thread_self() == port->runner)
    return port->control;
  VT_LOCK(&port->lock);
  port->stray = callback;
  return NULL;
}

/* In its place among the others. */
static VitrailStatus
ask_in_order(VtWorkerPort *port, VtWorkerHead *head, gconstpointer body, gsize n)
{
  flush(port);
  if (!vt_worker_channel_put(port->control, head, body, n))
    return VITRAIL_OUT_OF_MEMORY;
  const VitrailStatus status = ask(port->control, head);
  vt_worker_channel_trim(port->control);
  return status;
}

static VitrailStatus
worker_emit_object(void *user, const VitrailObject *object)
{
  VtWorkerPort *port = user;
  GByteArray *all = port->objects;
  guint32 n = 0;
  if (!take_control(port, "emit_object"))
    return VITRAIL_BAD_ARGUMENT;
  if (port->objects_status != VITRAIL_OK)
    return port->objects_status;
  const guint at = all->len;
  g_byte_array_append(all, (const guint8 *)&n, sizeof n);
  if (object && vt_abi_pack(all, &vt_abi_object, object))
    n = all->len - at - (guint32)sizeof n;
  memcpy(all->data + at, &n, sizeof n);
  return all->len >= BATCH_BYTES ? flush(port) : VITRAIL_OK;
}

static VitrailStatus
ask_with_struct(VtWorkerPort *port, VtWorkerKind kind, const VtAbiShape *shape, gconstpointer theirs)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  VtWorkerHead head = { .kind = kind };
  if (theirs)
    (void)vt_abi_pack(bytes, shape, theirs); /* of none, or of one that can't be packed, the program says so */
  return ask_in_order(port, &head, bytes->data, bytes->len);
}

/* Of a row of another length nobody knows how many values there are: the program is told of none, and says so. */
static VitrailStatus
worker_emit_row(void *user, const VitrailRow *row)
{
  VtWorkerPort *port = user;
  const gboolean fits = row && row->size >= G_STRUCT_OFFSET(VitrailRow, reserved) && row->n_values < port->n_columns;
  if (!take_control(port, "emit_row"))
    return VITRAIL_BAD_ARGUMENT;
  return ask_with_struct(port, VT_WORKER_ROW, &vt_abi_row, fits ? row : NULL);
}

static VitrailStatus
worker_emit_verdict(void *user, const VitrailVerdict *verdict)
{
  VtWorkerPort *port = user;
  return take_control(port, "emit_verdict") ? ask_with_struct(port, VT_WORKER_VERDICT, &vt_abi_verdict, verdict)
                                            : VITRAIL_BAD_ARGUMENT;
}

/* Lists are as long as they say, which is all that is known of them here. */
static VitrailStatus
worker_emit_run_lengths(void *user, const VitrailRunLengths *lengths)
{
  VtWorkerPort *port = user;
  const gboolean fits = lengths && lengths->size >= G_STRUCT_OFFSET(VitrailRunLengths, reserved);
  return take_control(port, "emit_run_lengths")
           ? ask_with_struct(port, VT_WORKER_LENGTHS, &vt_abi_lengths, fits ? lengths : NULL)
           : VITRAIL_BAD_ARGUMENT;
}

static VitrailStatus
worker_emit_overlaps(void *user, const VitrailOverlaps *overlaps)
{
  VtWorkerPort *port = user;
  const gboolean fits = overlaps && overlaps->size >= G_STRUCT_OFFSET(VitrailOverlaps, reserved);
  return take_control(port, "emit_overlaps")
           ? ask_with_struct(port, VT_WORKER_OVERLAPS, &vt_abi_overlaps, fits ? overlaps : NULL)
           : VITRAIL_BAD_ARGUMENT;
}

/* A wave that makes no sense goes without its arrays, and the program says so. */
static VitrailStatus
worker_emit_wave(void *user, const VitrailWave *theirs)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_WAVE };
  VitrailWave wave = { 0 };
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  VtWorkerPart parts[VT_WORKER_WAVE_PARTS];
  if (!take_control(port, "emit_wave"))
    return VITRAIL_BAD_ARGUMENT;
  if (theirs)
    memcpy(&wave, theirs, MIN((gsize)theirs->size, sizeof wave));
  if (!vt_wave_is_sound(&wave) || !vt_abi_pack(bytes, &vt_abi_wave, theirs))
    return ask_in_order(port, &head, NULL, 0);
  head.v[0] = bytes->len;
  head.n_body = vt_worker_wave_place(&wave, bytes->len, parts);
  flush(port);
  if (!vt_worker_channel_reserve(port->control, head.n_body))
    return VITRAIL_OUT_OF_MEMORY;
  memcpy(port->control->memory, bytes->data, bytes->len);
  for (guint i = 0; i < VT_WORKER_WAVE_PARTS; i++)
    if (parts[i].bytes > 0)
      memcpy(port->control->memory + parts[i].at, *parts[i].data, parts[i].bytes);
  const VitrailStatus status = ask(port->control, &head);
  vt_worker_channel_trim(port->control);
  return status;
}

static void
worker_stage_done(void *user, uint32_t stage, double milliseconds)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_STAGE_DONE, .n = stage, .d = milliseconds };
  if (take_control(port, "stage_done"))
    ask_in_order(port, &head, NULL, 0);
}

static void
worker_record(void *user, const char *key, const char *text, double number)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_RECORD, .n = text != NULL, .d = number };
  if (!key || !take_control(port, "record"))
    return;
  g_autoptr(GByteArray) body = g_byte_array_new();
  g_byte_array_append(body, (const guint8 *)key, (guint)strlen(key) + 1);
  if (text)
    g_byte_array_append(body, (const guint8 *)text, (guint)strlen(text) + 1);
  ask_in_order(port, &head, body->data, body->len);
}

static VitrailStatus
worker_exchange(void *user, const void *to_above, void *from_above, const void *to_below, void *from_below,
                size_t bytes)
{
  VtWorkerPort *port = user;
  const void *const to[] = { to_above, NULL, to_below, NULL };
  void *const from[] = { NULL, from_above, NULL, from_below };
  VtWorkerHead head = { .kind = VT_WORKER_EXCHANGE, .n_body = 4 * bytes, .v = { (gint64)bytes } };
  VtWorkerChannel *channel = take_control(port, "exchange");
  flush(port);
  if (!channel || bytes > G_MAXSIZE / 8 || !vt_worker_channel_reserve(channel, 4 * bytes))
    return channel ? VITRAIL_OUT_OF_MEMORY : VITRAIL_BAD_ARGUMENT;
  for (guint i = 0; i < 4; i++) {
    head.n |= (to[i] || from[i] ? 1u : 0u) << i;
    if (to[i] && bytes > 0)
      memcpy(channel->memory + i * bytes, to[i], bytes);
  }
  const VitrailStatus status = ask(channel, &head);
  for (guint i = 0; i < 4; i++)
    if (from[i] && bytes > 0 && status == VITRAIL_OK)
      memcpy(from[i], channel->memory + i * bytes, bytes);
  vt_worker_channel_trim(channel);
  return status;
}

static VitrailStatus
worker_agree(void *user, int32_t mine, int32_t *largest)
{
  VtWorkerPort *port = user;
  VtWorkerHead head = { .kind = VT_WORKER_AGREE, .n = (guint32)mine };
  if (!take_control(port, "agree"))
    return VITRAIL_BAD_ARGUMENT;
  const VitrailStatus status = ask_in_order(port, &head, NULL, 0);
  *largest = (int32_t)head.n;
  return status;
}

/* --- a run --- */

static VitrailHost
make_host(VtWorkerPort *port, const VtWorkerHead *head)
{
  const gboolean is_shared = head->v[1] > 1;
  return (VitrailHost){
    .size = sizeof(VitrailHost),
    .n_threads = port->n_threads,
    .user = port,
    .read_region = worker_read_region,
    .emit_tile = worker_emit_tile,
    .emit_object = worker_emit_object,
    .emit_row = worker_emit_row,
    .parallel_for = worker_parallel_for,
    .progress = worker_progress,
    .stage_done = worker_stage_done,
    .record = worker_record,
    .is_cancelled = worker_is_cancelled,
    .log = worker_log,
    .rank = (uint32_t)head->v[0],
    .n_ranks = (uint32_t)head->v[1],
    .exchange = is_shared ? worker_exchange : NULL,
    .agree = is_shared ? worker_agree : NULL,
    .emit_verdict = worker_emit_verdict,
    .emit_wave = worker_emit_wave,
    .emit_run_lengths = worker_emit_run_lengths,
    .emit_overlaps = worker_emit_overlaps,
  };
}

void
vt_worker_port_add_op(VtWorkerPort *port, const VitrailOp *op)
{
  g_ptr_array_add(port->added, (gpointer)op);
}

static guint
count_columns(const VtWorkerPort *port, const VitrailPlugin *plugin, const char *op_id)
{
  for (guint i = 0; op_id && i < port->added->len; i++) {
    const VitrailOp *op = g_ptr_array_index(port->added, i);
    if (g_str_equal(op->id, op_id))
      return op->n_columns;
  }
  for (guint i = 0; op_id && i < plugin->n_ops; i++)
    if (g_str_equal(plugin->ops[i]->id, op_id))
      return plugin->ops[i]->n_columns;
  return 0;
}

VitrailStatus
vt_worker_port_run(VtWorkerPort *port, const VitrailPlugin *plugin, VitrailSession *session,
                   const VitrailRequest *request, const VtWorkerHead *head, char *message, gsize message_size)
{
  port->runner = g_thread_self();
  port->n_threads = CLAMP(head->n, 1, VT_WORKER_MOST_THREADS);
  port->n_columns = count_columns(port, plugin, request->op_id);
  port->request = request;
  port->stray = NULL;
  port->objects_status = VITRAIL_OK;
  g_byte_array_set_size(port->objects, 0);
  const VitrailHost host = make_host(port, head);
  VitrailStatus status = plugin->run(session, request, &host, message, message_size);
  flush(port);
  g_mutex_lock(&port->lock);
  const char *stray = port->stray;
  g_mutex_unlock(&port->lock);
  if (stray && status != VITRAIL_CANCELLED) {
    g_snprintf(message, (gulong)message_size, "The plugin “%s” is broken: it calls %s beside the thread that runs.",
               plugin->id, stray);
    status = VITRAIL_INTERNAL;
  }
  return status;
}
