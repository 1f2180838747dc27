/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "slide/vt-reader-protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
send_message(int socket, const void *head, gsize n_head, const char *text, gsize n_text, const int *files,
             guint n_files)
{
  struct iovec parts[2] = { { (void *)head, n_head }, { (void *)text, n_text } };
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * VT_READER_MAX_FILES)];
  } control = { 0 };
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
  if (n_files > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * n_files);
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int) * n_files);
    memcpy(CMSG_DATA(first), files, sizeof(int) * n_files);
  }
  gssize sent;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (gssize)(n_head + n_text);
}

gboolean
vt_reader_send(int socket, const VtReaderRequest *request, const char *text, const int *files, guint n_files)
{
  VtReaderRequest head = *request;
  const gsize n_text = text ? strlen(text) : 0;
  head.magic = VT_READER_MAGIC;
  head.n_text = (guint32)n_text;
  return n_text <= VT_READER_MAX_TEXT && send_message(socket, &head, sizeof head, text, n_text, files, n_files);
}

gboolean
vt_reader_reply(int socket, const VtReaderReply *reply, const char *text, const int *files, guint n_files)
{
  VtReaderReply head = *reply;
  const gsize n_text = text ? MIN(strlen(text), VT_READER_MAX_TEXT) : 0;
  head.magic = VT_READER_MAGIC;
  head.n_text = (guint32)n_text;
  return send_message(socket, &head, sizeof head, text, n_text, files, n_files);
}

/* Takes all files that came, also too many of them: each must be closed. */
static gboolean
take_files(struct msghdr *header, VtReaderMessage *message)
{
  gboolean fits = (header->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    const gsize n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (gsize i = 0; i < n; i++) {
      int file;
      memcpy(&file, CMSG_DATA(c) + i * sizeof(int), sizeof file);
      if (message->n_files < VT_READER_MAX_FILES) {
        message->files[message->n_files++] = file;
      } else {
        close(file);
        fits = FALSE;
      }
    }
  }
  return fits;
}

static gboolean
receive(int socket, gsize n_head, VtReaderMessage *message)
{
  struct iovec parts[2] = { { &message->head, n_head }, { message->text, VT_READER_MAX_TEXT } };
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * VT_READER_MAX_FILES)];
  } control = { 0 };
  struct msghdr header = {
    .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control
  };
  memset(&message->head, 0, sizeof message->head);
  message->n_files = 0;
  for (guint i = 0; i < VT_READER_MAX_FILES; i++)
    message->files[i] = -1;
  gssize got;
  do
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  message->n_text = got > (gssize)n_head ? (gsize)got - n_head : 0;
  message->text[message->n_text] = '\0';
  return take_files(&header, message) && got >= (gssize)n_head;
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
