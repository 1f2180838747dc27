/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-helper.h"
#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "slide/vt-reader-private.h"

#define TILE_BYTES ((gsize)VT_TILE_PX * VT_TILE_PX * 4)
#define MOST_BYTES ((guint64)VT_ASSOCIATED_MAX_PIXELS * 4) /* of what comes of a slide at once */
#define GLANCE_MS 500                                      /* how often somebody who waits looks up */

/* A socket to a thread of the process, and the memory into which that writes a tile. */
typedef struct {
  int socket;
  guint8 *tile;
} Channel;

struct VtReaderProcess {
  gatomicrefcount ref_count;
  GSubprocess *subprocess;
  int control;
  GMutex control_lock; /* one question at a time over `control` */
  GMutex lock;         /* guards what follows */
  GQueue idle;         /* Channel*; the last used first */
  Channel *first;      /* over which the first picture comes unasked; NULL: none, or it was taken */
  VtReaderRequest first_request;
  guint n_busy;
  char *end; /* NULL: it lives */
};

/* A decoder is at work on one tile for milliseconds; a network drive may be silent for long, at no processor time. */
static guint patience_busy_s = 30, patience_still_s = 600;

void
vt_reader_process_set_patience(guint busy_s, guint still_s)
{
  patience_busy_s = busy_s;
  patience_still_s = still_s;
}

/* --- the end of a process --- */

static void
channel_free(Channel *channel)
{
  munmap(channel->tile, TILE_BYTES);
  close(channel->socket);
  g_free(channel);
}

/* end: NULL: by itself. The first reason counts. */
static VtReaderOutcome
give_up(VtReaderProcess *self, const char *end)
{
  char *reason = end ? g_strdup(end) : vt_helper_dup_end(self->subprocess);
  g_subprocess_force_exit(self->subprocess);
  g_mutex_lock(&self->lock);
  if (!self->end)
    self->end = g_steal_pointer(&reason);
  g_mutex_unlock(&self->lock);
  g_free(reason);
  return VT_READER_GONE;
}

char *
vt_reader_process_dup_end(VtReaderProcess *self)
{
  VT_LOCK(&self->lock);
  return g_strdup(self->end);
}

/* --- waiting --- */

/* The time of all threads is known, not that of each: others may have used it. */
static gboolean
hangs(VtReaderProcess *self, double cpu_before, gint64 since)
{
  g_mutex_lock(&self->lock);
  const guint n = MAX(self->n_busy, 1);
  g_mutex_unlock(&self->lock);
  return vt_helper_get_cpu_seconds(self->subprocess) - cpu_before > (double)patience_busy_s * n
         || g_get_monotonic_time() - since > (gint64)patience_still_s * G_USEC_PER_SEC;
}

/* Until there is something to receive. VT_READER_REFUSED: cancelled. */
static VtReaderOutcome
wait_for_answer(VtReaderProcess *self, int socket, GCancellable *cancellable, GError **error)
{
  const double cpu_before = vt_helper_get_cpu_seconds(self->subprocess);
  const gint64 since = g_get_monotonic_time();
  for (;;) {
    GPollFD poll = { .fd = socket, .events = G_IO_IN };
    const int n = g_poll(&poll, 1, GLANCE_MS);
    if (n > 0)
      return VT_READER_ANSWERED;
    if (n < 0 && errno != EINTR)
      return give_up(self, "cannot be waited for");
    if (g_cancellable_set_error_if_cancelled(cancellable, error))
      return VT_READER_REFUSED;
    if (hangs(self, cpu_before, since))
      return give_up(self, "gave no answer, and was ended");
  }
}

/* One packet, of that kind or a sign of life. `message` is cleared unless it is an answer. */
static VtReaderOutcome
receive_one(VtReaderProcess *self, int socket, VtReaderKind kind, VtReaderMessage *message, GCancellable *cancellable,
            GError **error)
{
  const VtReaderReply *reply = &message->head.reply;
  VtReaderOutcome outcome = wait_for_answer(self, socket, cancellable, error);
  if (outcome != VT_READER_ANSWERED)
    return outcome;
  if (!vt_reader_receive_reply(socket, message))
    outcome = give_up(self, message->n_text > 0 || reply->magic != 0 ? "gave an answer that makes no sense" : NULL);
  else if ((reply->kind != (guint32)kind && reply->kind != VT_READER_PROGRESS)
           || !g_utf8_validate(message->text, (gssize)message->n_text, NULL))
    outcome = give_up(self, "gave an answer that makes no sense");
  else if (reply->status != VITRAIL_OK) {
    g_autofree char *line = vt_error_dup_line(message->text);
    g_set_error_literal(error, VT_ERROR, (int)MIN(reply->status, (guint32)VITRAIL_INTERNAL), line);
    outcome = VT_READER_REFUSED;
  }
  if (outcome != VT_READER_ANSWERED)
    vt_reader_message_clear(message);
  return outcome;
}

static gboolean
tells_progress(VtReaderKind kind)
{
  return kind == VT_READER_OPEN || kind == VT_READER_OPEN_IMAGE || kind == VT_READER_RASTER;
}

/* `message` is cleared unless it is an answer. What the reader has used by then counts no more after each sign of life. */
static VtReaderOutcome
receive(VtReaderProcess *self, int socket, VtReaderKind kind, VtReaderMessage *message, const VtReadContext *context,
        GError **error)
{
  gint64 n_done = 0;
  for (;;) {
    const VtReaderOutcome outcome =
      receive_one(self, socket, kind, message, context ? context->cancellable : NULL, error);
    if (outcome != VT_READER_ANSWERED || message->head.reply.kind != VT_READER_PROGRESS)
      return outcome;
    const gint64 done = message->head.reply.width, of = message->head.reply.height;
    const gboolean is_sane = tells_progress(kind) && done > n_done && of >= done && message->n_files == 0;
    vt_reader_message_clear(message);
    if (!is_sane)
      return give_up(self, "gave an answer that makes no sense");
    n_done = done;
    if (context && context->progress)
      context->progress((double)done / (double)of, context->user);
    if (context && g_cancellable_set_error_if_cancelled(context->cancellable, error)) /* they may come all the time */
      return VT_READER_REFUSED;
  }
}

/* --- a process --- */

/* Memory that processes share counts as a file. */
static gboolean
check_limit(GError **error)
{
  const guint64 most = vt_file_get_most_bytes();
  return most >= MOST_BYTES
         || vt_error_set(error, VITRAIL_INTERNAL,
                         "files may have at most %" G_GUINT64_FORMAT
                         " bytes here, as ulimit -f says, and memory that processes share counts as a file",
                         most);
}

VtReaderProcess *
vt_reader_process_new(const char *program, GError **error)
{
  int control = -1;
  VtReaderMessage hello;
  GSubprocess *subprocess = check_limit(error) ? vt_helper_spawn(program, TRUE, TRUE, &control, error) : NULL;
  if (!subprocess)
    return NULL;
  VtReaderProcess *self = g_new0(VtReaderProcess, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->subprocess = subprocess;
  self->control = control;
  g_mutex_init(&self->control_lock);
  g_mutex_init(&self->lock);
  g_queue_init(&self->idle);
  const VtReaderOutcome outcome = receive(self, control, VT_READER_HELLO, &hello, NULL, error);
  if (outcome == VT_READER_ANSWERED) {
    vt_reader_message_clear(&hello);
    return self;
  }
  if (outcome == VT_READER_GONE)
    g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "%s %s", program, self->end);
  vt_reader_process_unref(self);
  return NULL;
}

VtReaderProcess *
vt_reader_process_ref(VtReaderProcess *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
vt_reader_process_unref(VtReaderProcess *self)
{
  if (!g_atomic_ref_count_dec(&self->ref_count))
    return;
  g_queue_clear_full(&self->idle, (GDestroyNotify)channel_free);
  g_clear_pointer(&self->first, channel_free);
  close(self->control);
  g_subprocess_force_exit(self->subprocess);
  g_object_unref(self->subprocess);
  g_mutex_clear(&self->control_lock);
  g_mutex_clear(&self->lock);
  g_free(self->end);
  g_free(self);
}

gboolean
vt_reader_process_is_alive(VtReaderProcess *self)
{
  GPollFD poll = { .fd = self->control, .events = G_IO_IN };
  return g_poll(&poll, 1, 0) == 0;
}

VtReaderOutcome
vt_reader_process_ask(VtReaderProcess *self, const VtReaderRequest *request, const char *text, const int *files,
                      guint n_files, const VtReadContext *context, VtReaderMessage *message, GError **error)
{
  VT_LOCK(&self->control_lock);
  return vt_reader_send(self->control, request, text, files, n_files)
           ? receive(self, self->control, (VtReaderKind)request->kind, message, context, error)
           : give_up(self, NULL);
}

void
vt_reader_process_end(VtReaderProcess *self)
{
  g_subprocess_force_exit(self->subprocess);
  g_subprocess_wait(self->subprocess, NULL, NULL);
}

/* --- channels --- */

/* NULL: there are no files or no memory for it, or the process is gone. */
static Channel *
channel_new(VtReaderProcess *self)
{
  const VtReaderRequest request = { .kind = VT_READER_CHANNEL };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return NULL;
  const int files[2] = { ends[1], vt_packet_memory_new(TILE_BYTES) };
  void *tile = files[1] >= 0 ? mmap(NULL, TILE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, files[1], 0) : MAP_FAILED;
  Channel *channel = NULL;
  if (tile != MAP_FAILED && vt_reader_send(self->control, &request, NULL, files, 2)) {
    channel = g_new(Channel, 1);
    *channel = (Channel){ ends[0], tile };
  } else {
    if (tile != MAP_FAILED)
      munmap(tile, TILE_BYTES);
    close(ends[0]);
  }
  close(ends[1]);
  if (files[1] >= 0)
    close(files[1]);
  return channel;
}

/* *is_asked: the answer comes without a question. */
static Channel *
channel_take(VtReaderProcess *self, const VtReaderRequest *request, gboolean *is_asked)
{
  const VtReaderRequest *first = &self->first_request;
  g_mutex_lock(&self->lock);
  *is_asked = self->first && request->level == first->level && request->col == first->col && request->row == first->row
              && request->width == first->width && request->height == first->height;
  Channel *channel = *is_asked ? g_steal_pointer(&self->first) : g_queue_pop_head(&self->idle);
  self->n_busy++;
  g_mutex_unlock(&self->lock);
  return channel ? channel : channel_new(self);
}

/* Takes the channel; one on which an answer may still come is no use to others, and closing it tells the other side. */
static void
channel_give(VtReaderProcess *self, Channel *channel, gboolean is_clean)
{
  g_mutex_lock(&self->lock);
  self->n_busy--;
  if (channel && is_clean)
    g_queue_push_head(&self->idle, g_steal_pointer(&channel));
  g_mutex_unlock(&self->lock);
  if (channel)
    channel_free(channel);
}

void
vt_reader_process_rest(VtReaderProcess *self)
{
  g_mutex_lock(&self->lock);
  GQueue idle = self->idle;
  g_queue_init(&self->idle);
  if (self->first) /* the picture that came unasked, and that nobody has asked for since */
    g_queue_push_head(&idle, g_steal_pointer(&self->first));
  g_mutex_unlock(&self->lock);
  g_queue_clear_full(&idle, (GDestroyNotify)channel_free);
}

void
vt_reader_process_prepare(VtReaderProcess *self)
{
  self->first = channel_new(self);
}

void
vt_reader_process_set_opened(VtReaderProcess *self, const VtSlide *slide)
{
  VT_LOCK(&self->lock);
  if (!vt_reader_find_first(slide, &self->first_request) && self->first)
    g_queue_push_head(&self->idle, g_steal_pointer(&self->first));
}

VtReaderOutcome
vt_reader_process_read_tile(VtReaderProcess *self, const VtReaderRequest *request, guint8 *bgra,
                            GCancellable *cancellable, GError **error)
{
  VtReaderMessage message;
  GError *refusal = NULL;
  gboolean is_asked = FALSE;
  Channel *channel = channel_take(self, request, &is_asked);
  VtReaderOutcome outcome = VT_READER_GONE;
  if (!channel || (!is_asked && !vt_reader_send(channel->socket, request, NULL, NULL, 0)))
    give_up(self, NULL);
  else
    outcome = receive(self, channel->socket, VT_READER_TILE, &message, &(VtReadContext){ .cancellable = cancellable },
                      &refusal);
  if (outcome == VT_READER_ANSWERED) {
    memcpy(bgra, channel->tile, (gsize)request->width * (gsize)request->height * 4);
    vt_reader_message_clear(&message);
  }
  const gboolean is_cancelled = g_error_matches(refusal, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  channel_give(self, channel, outcome != VT_READER_GONE && !is_cancelled);
  if (refusal)
    g_propagate_error(error, refusal);
  return outcome;
}
