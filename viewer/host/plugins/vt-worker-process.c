/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-helper.h"
#include "base/vt-define.h"
#include "base/vt-packet.h"
#include "plugins/vt-plugin-probe.h"
#include "plugins/vt-worker-private.h"

#define GLANCE_MS 10                             /* how often a run that waits looks for a cancel */
#define PATIENCE_US ((gint64)2 * G_USEC_PER_SEC) /* after a cancel */
#define MOST_ANSWER ((gsize)1 << 30)

static guint patience_still_s = 600;

void
vt_worker_process_set_patience(guint still_s)
{
  patience_still_s = still_s;
}

struct VtWorkerProcess {
  gatomicrefcount ref_count; /* the owner's, and one for each channel's thread */
  GSubprocess *subprocess;
  VtWorkerChannel control;
  gint *flag;       /* atomic; shared with the process */
  guint n_channels; /* besides `control` */
  GMutex lock;      /* guards what follows */
  GCond is_out;
  const VitrailHost *host; /* of the run; NULL: none is on */
  guint n_inside;          /* threads of channels that are in a callback */
  const char *end;         /* why it was ended; NULL: it ended by itself, or lives */
};

static void
process_unref(VtWorkerProcess *self)
{
  if (!g_atomic_ref_count_dec(&self->ref_count))
    return;
  vt_worker_channel_clear(&self->control);
  if (self->flag)
    munmap(self->flag, VT_WORKER_FLAG_BYTES);
  g_object_unref(self->subprocess);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->is_out);
  g_free(self);
}

/* FALSE. The first reason counts. */
static gboolean
give_up(VtWorkerProcess *self, const char *why)
{
  g_mutex_lock(&self->lock);
  if (!self->end)
    self->end = why;
  g_mutex_unlock(&self->lock);
  g_subprocess_force_exit(self->subprocess);
  return FALSE;
}

char *
vt_worker_process_dup_end(VtWorkerProcess *self)
{
  g_subprocess_force_exit(
    self->subprocess); /* nothing if it has ended; of one that has closed its socket alone the end */
  g_subprocess_wait(self->subprocess, NULL, NULL);
  g_mutex_lock(&self->lock);
  const char *end = self->end;
  g_mutex_unlock(&self->lock);
  if (end)
    return g_strdup(end);
  if (g_subprocess_get_if_signaled(self->subprocess))
    return g_strdup(g_strsignal(g_subprocess_get_term_sig(self->subprocess)));
  return g_strdup_printf("exit status %d", g_subprocess_get_exit_status(self->subprocess));
}

void
vt_worker_process_end(VtWorkerProcess *self)
{
  if (self->control.socket >= 0)
    shutdown(self->control.socket, SHUT_RDWR);
  g_subprocess_force_exit(self->subprocess);
  process_unref(self);
}

gboolean
vt_worker_process_is_alive(VtWorkerProcess *self)
{
  GPollFD poll = { .fd = self->control.socket, .events = G_IO_IN };
  return g_poll(&poll, 1, 0) == 0 && g_subprocess_get_identifier(self->subprocess);
}

/* --- start --- */

/* In which the program says that a run is cancelled: no question for each glance of the plugin's. */
static gboolean
share_flag(VtWorkerProcess *self)
{
  const VtWorkerHead head = { .kind = VT_WORKER_FLAG };
  const int file = vt_packet_memory_new(VT_WORKER_FLAG_BYTES);
  gsize n = 0;
  if (file < 0)
    return FALSE;
  self->flag = (gint *)(gpointer)vt_packet_memory_map(file, VT_WORKER_FLAG_BYTES, &n);
  const gboolean sent = self->flag && vt_worker_channel_send(&self->control, &head, file);
  close(file);
  return sent;
}

VtWorkerProcess *
vt_worker_process_new(const char *program, GError **error)
{
  int control = -1;
  GSubprocess *subprocess = vt_helper_spawn(program, FALSE, FALSE, &control, error);
  if (!subprocess)
    return NULL;
  VtWorkerProcess *self = g_new0(VtWorkerProcess, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->subprocess = subprocess;
  vt_worker_channel_init(&self->control, control);
  g_mutex_init(&self->lock);
  g_cond_init(&self->is_out);
  if (share_flag(self))
    return self;
  g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY, "there is no memory to share, or it ended at once");
  vt_worker_process_end(self);
  return NULL;
}

/* --- waiting --- */

/* Until there is something to receive, or the time is over. A child of the process may hold its sockets open. */
static gboolean
glance(VtWorkerProcess *self, int milliseconds)
{
  GPollFD poll = { .fd = self->control.socket, .events = G_IO_IN };
  const int n = g_poll(&poll, 1, milliseconds);
  if (n < 0 && errno != EINTR)
    give_up(self, "it cannot be waited for");
  return n > 0;
}

static gboolean
has_ended(VtWorkerProcess *self)
{
  return !g_subprocess_get_identifier(self->subprocess);
}

static gboolean
receive(VtWorkerProcess *self, VtWorkerHead *head)
{
  return vt_worker_channel_receive(&self->control, head, NULL)
         || (head->magic != 0 && give_up(self, "it said something that makes no sense"));
}

static gboolean
take_answer(VtWorkerProcess *self, guint32 kind, const VtWorkerHead *head, guint8 **answer)
{
  *answer = head->kind == kind ? vt_worker_channel_dup_body(&self->control, head, MOST_ANSWER) : NULL;
  return *answer || give_up(self, "it said something that makes no sense");
}

static gboolean
send_question(VtWorkerProcess *self, VtWorkerHead *head, gconstpointer body, gsize n)
{
  if (!vt_worker_channel_put(&self->control, head, body, n))
    return give_up(self, "there is no memory for the question");
  return vt_worker_channel_send(&self->control, head, -1);
}

gboolean
vt_worker_process_ask(VtWorkerProcess *self, VtWorkerHead *head, gconstpointer body, gsize n, guint8 **answer)
{
  const guint32 kind = head->kind;
  const gint64 since = g_get_monotonic_time();
  if (!send_question(self, head, body, n))
    return FALSE;
  while (!glance(self, GLANCE_MS * 10)) {
    if (has_ended(self) && !glance(self, 0))
      return FALSE;
    if (g_get_monotonic_time() - since > VT_PLUGIN_PROBE_S * G_USEC_PER_SEC)
      return give_up(self, "it gave no answer");
  }
  return receive(self, head) && take_answer(self, kind, head, answer);
}

/* --- channels for the other threads of a run --- */

typedef struct {
  VtWorkerProcess *process; /* a reference */
  VtWorkerChannel channel;
} Other;

static gboolean
answer_other(VtWorkerProcess *self, VtWorkerChannel *channel, const VtWorkerHead *head)
{
  g_mutex_lock(&self->lock);
  const VitrailHost *host = self->host;
  self->n_inside += host != NULL;
  g_mutex_unlock(&self->lock);
  const gboolean fine = host && vt_worker_answer(channel, head, host, FALSE);
  g_mutex_lock(&self->lock);
  self->n_inside -= host != NULL;
  g_cond_broadcast(&self->is_out);
  g_mutex_unlock(&self->lock);
  if (!fine && !host)
    give_up(self, "it used a run that was over");
  return fine;
}

static gpointer
serve_other(gpointer data)
{
  Other *other = data;
  VtWorkerHead head = { 0 };
  gboolean fine = TRUE;
  while (fine) {
    fine = vt_worker_channel_receive(&other->channel, &head, NULL);
    const gboolean is_gone = !fine && head.magic == 0;
    fine = fine && answer_other(other->process, &other->channel, &head);
    if (!fine && !is_gone)
      give_up(other->process, "it said something that makes no sense");
  }
  vt_worker_channel_clear(&other->channel);
  process_unref(other->process);
  g_free(other);
  return NULL;
}

static gboolean
add_channel(VtWorkerProcess *self)
{
  const VtWorkerHead head = { .kind = VT_WORKER_CHANNEL };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return FALSE;
  Other *other = g_new(Other, 1);
  g_atomic_ref_count_inc(&self->ref_count);
  other->process = self;
  vt_worker_channel_init(&other->channel, ends[0]);
  const gboolean sent = vt_worker_channel_send(&self->control, &head, ends[1]);
  close(ends[1]);
  GThread *thread = sent ? g_thread_try_new("plugin", serve_other, other, NULL) : NULL;
  if (thread) {
    g_thread_unref(thread);
    self->n_channels++;
    return TRUE;
  }
  vt_worker_channel_clear(&other->channel);
  process_unref(self);
  g_free(other);
  return FALSE;
}

/* One at least: who calls back from a thread of its own must not wait for ever. Fewer than wished: its threads take turns. */
static gboolean
add_channels(VtWorkerProcess *self, guint n_threads)
{
  const guint n = MIN(MAX(n_threads, 2), VT_WORKER_MOST_THREADS) - 1;
  while (self->n_channels < n && add_channel(self))
    ;
  return self->n_channels > 0;
}

/* --- a run --- */

static void
set_host(VtWorkerProcess *self, const VitrailHost *host)
{
  VT_LOCK(&self->lock);
  self->host = host;
  while (!host && self->n_inside > 0)
    g_cond_wait(&self->is_out, &self->lock);
}

/* FALSE: the process has had its time. */
static gboolean
pass_cancel(VtWorkerProcess *self, const VitrailHost *host, gint64 *since)
{
  if (!host->is_cancelled(host->user))
    return TRUE;
  if (*since == 0) {
    *since = g_get_monotonic_time();
    g_atomic_int_set(self->flag, 1);
  }
  return g_get_monotonic_time() - *since < PATIENCE_US;
}

/* Called after each glance that saw nothing. Glances are counted, not time: this process may have been stopped, and the other with it. */
typedef struct {
  double cpu_s;
  guint n_glances;
} Stillness;

static gboolean
stands_still(VtWorkerProcess *self, Stillness *still)
{
  if (++still->n_glances % (1000 / GLANCE_MS) != 0)
    return FALSE;
  const double cpu_s = vt_helper_get_cpu_seconds(self->subprocess);
  g_mutex_lock(&self->lock);
  const gboolean is_served = self->n_inside > 0;
  g_mutex_unlock(&self->lock);
  if (is_served || cpu_s != still->cpu_s)
    *still = (Stillness){ .cpu_s = cpu_s };
  return still->n_glances * GLANCE_MS >= patience_still_s * 1000;
}

static gboolean
answer_all(VtWorkerProcess *self, VtWorkerHead *head, const VitrailHost *host)
{
  Stillness still = { 0 };
  gint64 cancelled_since = 0;
  for (;;) {
    if (!pass_cancel(self, host, &cancelled_since))
      return give_up(self, "it did not stop when it was cancelled");
    if (!glance(self, GLANCE_MS)) {
      if (has_ended(self) && !glance(self, 0))
        return FALSE;
      if (stands_still(self, &still))
        return give_up(self, "it stood still: it used no processor time and asked for nothing");
      continue;
    }
    still.n_glances = 0;
    if (!receive(self, head))
      return FALSE;
    if (head->kind == VT_WORKER_RUN)
      return TRUE;
    if (!vt_worker_answer(&self->control, head, host, TRUE)) {
      if (vt_worker_process_is_alive(self))
        give_up(self, "it said something that makes no sense");
      return FALSE;
    }
  }
}

gboolean
vt_worker_process_run(VtWorkerProcess *self, VtWorkerHead *head, gconstpointer body, gsize n, const VitrailHost *host,
                      guint8 **answer)
{
  g_atomic_int_set(self->flag, 0);
  if (!add_channels(self, host->n_threads))
    return FALSE;
  set_host(self, host);
  gboolean fine = send_question(self, head, body, n) && answer_all(self, head, host);
  set_host(self, NULL);
  fine = fine && take_answer(self, VT_WORKER_RUN, head, answer);
  vt_worker_channel_trim(&self->control);
  return fine;
}
