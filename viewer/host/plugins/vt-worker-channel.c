/* SPDX-License-Identifier: MIT */
#include "plugins/vt-worker-channel.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-packet.h"

#define LEAST_BYTES ((gsize)1 << 16)
#define KEPT_BYTES ((gsize)64 << 20)
#define MOST_BYTES ((gsize)1 << 40)

void
vt_worker_channel_init(VtWorkerChannel *channel, int socket)
{
  *channel = (VtWorkerChannel){ .socket = socket, .fresh = -1 };
}

static void
drop_memory(VtWorkerChannel *channel)
{
  if (channel->memory)
    munmap(channel->memory, channel->size);
  if (channel->fresh >= 0)
    close(channel->fresh);
  channel->memory = NULL;
  channel->size = 0;
  channel->fresh = -1;
}

void
vt_worker_channel_clear(VtWorkerChannel *channel)
{
  drop_memory(channel);
  if (channel->socket >= 0)
    close(channel->socket);
  channel->socket = -1;
}

gboolean
vt_worker_channel_reserve(VtWorkerChannel *channel, gsize n)
{
  if (n <= channel->size)
    return TRUE;
  gsize size = MAX(LEAST_BYTES, channel->size);
  while (size < n && size < MOST_BYTES)
    size *= 2;
  drop_memory(channel);
  channel->fresh = size >= n ? vt_packet_memory_new(size) : -1;
  if (channel->fresh >= 0)
    channel->memory = vt_packet_memory_map(channel->fresh, MOST_BYTES, &channel->size);
  if (!channel->memory)
    drop_memory(channel);
  return channel->memory != NULL;
}

void
vt_worker_channel_trim(VtWorkerChannel *channel)
{
  if (channel->size > KEPT_BYTES)
    drop_memory(channel);
}

gboolean
vt_worker_channel_put(VtWorkerChannel *channel, VtWorkerHead *head, gconstpointer body, gsize n)
{
  if (!vt_worker_channel_reserve(channel, n))
    return FALSE;
  if (n > 0)
    memcpy(channel->memory, body, n);
  head->n_body = n;
  return TRUE;
}

gboolean
vt_worker_channel_send(VtWorkerChannel *channel, const VtWorkerHead *head, int file)
{
  VtWorkerHead ours = *head;
  int files[2] = { channel->fresh, file };
  ours.magic = VT_WORKER_MAGIC;
  const gboolean sent = channel->fresh >= 0
                          ? vt_packet_send(channel->socket, &ours, sizeof ours, "m", 1, files, file >= 0 ? 2 : 1)
                          : vt_packet_send(channel->socket, &ours, sizeof ours, NULL, 0, &file, file >= 0 ? 1 : 0);
  if (channel->fresh >= 0)
    close(channel->fresh);
  channel->fresh = -1;
  return sent;
}

gboolean
vt_worker_channel_receive(VtWorkerChannel *channel, VtWorkerHead *head, int *file)
{
  char mark = 0;
  gsize n_marks = 0;
  guint n_files = 0, n_taken = 0;
  int files[VT_PACKET_MAX_FILES];
  gboolean fine = vt_packet_receive(channel->socket, head, sizeof *head, &mark, 1, &n_marks, files, &n_files);
  if (file)
    *file = -1;
  if (fine && n_marks > 0 && n_files > 0) { /* its memory has grown */
    drop_memory(channel);
    channel->memory = vt_packet_memory_map(files[n_taken++], MOST_BYTES, &channel->size);
    fine = channel->memory != NULL;
    close(files[0]);
  }
  if (fine && n_taken < n_files && file)
    *file = files[n_taken++];
  fine = fine && n_taken == n_files && head->magic == VT_WORKER_MAGIC && head->n_body <= channel->size;
  for (; n_taken < n_files; n_taken++)
    close(files[n_taken]);
  if (!fine && file && *file >= 0) {
    close(*file);
    *file = -1;
  }
  return fine;
}

guint8 *
vt_worker_channel_dup_body(const VtWorkerChannel *channel, const VtWorkerHead *head, gsize most)
{
  guint8 *body = head->n_body <= MIN(most, channel->size) ? g_try_malloc(head->n_body + 1) : NULL;
  if (!body)
    return NULL;
  if (head->n_body > 0)
    memcpy(body, channel->memory, head->n_body);
  body[head->n_body] = '\0';
  return body;
}
