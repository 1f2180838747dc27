/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "slide/vt-reader-protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean
vt_reader_send(int socket, const VtReaderRequest *request, const char *text, const int *files, guint n_files)
{
  VtReaderRequest head = *request;
  const gsize n_text = text ? strlen(text) : 0;
  head.magic = VT_READER_MAGIC;
  head.n_text = (guint32)n_text;
  return n_text <= VT_READER_MAX_TEXT && vt_packet_send(socket, &head, sizeof head, text, n_text, files, n_files);
}

gboolean
vt_reader_reply(int socket, const VtReaderReply *reply, const char *text, const int *files, guint n_files)
{
  VtReaderReply head = *reply;
  const gsize n_text = text ? MIN(strlen(text), VT_READER_MAX_TEXT) : 0;
  head.magic = VT_READER_MAGIC;
  head.n_text = (guint32)n_text;
  return vt_packet_send(socket, &head, sizeof head, text, n_text, files, n_files);
}

static gboolean
receive(int socket, gsize n_head, VtReaderMessage *message)
{
  for (guint i = 0; i < VT_READER_MAX_FILES; i++)
    message->files[i] = -1;
  memset(&message->head, 0, sizeof message->head);
  const gboolean fits = vt_packet_receive(socket, &message->head, n_head, message->text, VT_READER_MAX_TEXT,
                                          &message->n_text, message->files, &message->n_files);
  message->text[message->n_text] = '\0';
  return fits;
}

gboolean
vt_reader_receive_request(int socket, VtReaderMessage *message)
{
  const VtReaderRequest *head = &message->head.request;
  return receive(socket, sizeof *head, message) && head->magic == VT_READER_MAGIC && head->n_text == message->n_text;
}

gboolean
vt_reader_receive_reply(int socket, VtReaderMessage *message)
{
  const VtReaderReply *head = &message->head.reply;
  return receive(socket, sizeof *head, message) && head->magic == VT_READER_MAGIC && head->n_text == message->n_text;
}

void
vt_reader_message_clear(VtReaderMessage *message)
{
  for (guint i = 0; i < message->n_files; i++)
    close(message->files[i]);
  message->n_files = 0;
}

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

gboolean
vt_reader_file_seal(int file)
{
  return fcntl(file, F_ADD_SEALS, SEALS) == 0;
}

int
vt_reader_file_new(const void *data, gsize n)
{
  const int file = memfd_create("vitrail-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  gsize done = 0;
  while (file >= 0 && done < n) {
    const gssize wrote = write(file, (const char *)data + done, MIN(n - done, (gsize)1 << 30));
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      break;
    done += (gsize)wrote;
  }
  if (file >= 0 && done == n && vt_reader_file_seal(file))
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

GMappedFile *
vt_reader_file_map(int file, guint64 n)
{
  struct stat info;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &info) != 0 || info.st_size <= 0
      || (n > 0 && (guint64)info.st_size != n))
    return NULL;
  return g_mapped_file_new_from_fd(file, FALSE, NULL);
}
