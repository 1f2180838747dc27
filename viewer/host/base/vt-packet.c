/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/vt-packet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

gboolean
vt_packet_send(int socket, const void *head, gsize n_head, const void *text, gsize n_text, const int *files,
               guint n_files)
{
  struct iovec parts[2] = { { (void *)head, n_head }, { (void *)text, n_text } };
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * VT_PACKET_MAX_FILES)];
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

/* Takes all files that came, also too many of them: each must be closed. */
static gboolean
take_files(struct msghdr *header, int *files, guint *n_files)
{
  gboolean fits = (header->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    const gsize n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (gsize i = 0; i < n; i++) {
      int file;
      memcpy(&file, CMSG_DATA(c) + i * sizeof(int), sizeof file);
      if (*n_files < VT_PACKET_MAX_FILES) {
        files[(*n_files)++] = file;
      } else {
        close(file);
        fits = FALSE;
      }
    }
  }
  return fits;
}

gboolean
vt_packet_receive(int socket, void *head, gsize n_head, void *text, gsize room, gsize *n_text, int *files,
                  guint *n_files)
{
  struct iovec parts[2] = { { head, n_head }, { text, room } };
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * VT_PACKET_MAX_FILES)];
  } control = { 0 };
  struct msghdr header = {
    .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control
  };
  memset(head, 0, n_head);
  *n_files = 0;
  gssize got;
  do
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  *n_text = got > (gssize)n_head ? (gsize)got - n_head : 0;
  return take_files(&header, files, n_files) && got >= (gssize)n_head;
}

int
vt_packet_memory_new(gsize n)
{
  const int file = memfd_create("vitrail-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && ftruncate(file, (off_t)n) == 0 && fcntl(file, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0)
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

guint8 *
vt_packet_memory_map(int file, gsize most, gsize *n)
{
  struct stat info;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &info) != 0 || info.st_size <= 0
      || (gsize)info.st_size > most)
    return NULL;
  void *memory = mmap(NULL, (gsize)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  *n = (gsize)info.st_size;
  return memory == MAP_FAILED ? NULL : memory;
}
