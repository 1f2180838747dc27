/* SPDX-License-Identifier: MIT
 *
 * What processes of ours say to each other: packets over SOCK_SEQPACKET sockets, with files, and memory that both sides have mapped. */
#pragma once
#include <glib.h>

#define VT_PACKET_MAX_FILES 2

/* One packet: a head, and n_text bytes after it, which may be NULL. The files stay the caller's. FALSE: the other side is gone, or the packet is
 * too long. [any] */
gboolean vt_packet_send(int socket, const void *head, gsize n_head, const void *text, gsize n_text, const int *files,
                        guint n_files);
/* Blocking. Of n_head bytes and at most `room` after them, how many is in *n_text; files[VT_PACKET_MAX_FILES] are the caller's to close, also
 * after FALSE: the other side is gone, or this is no such packet. */
gboolean vt_packet_receive(int socket, void *head, gsize n_head, void *text, gsize room, gsize *n_text, int *files,
                           guint *n_files);

/* A file in memory of n bytes, zeros, that keeps its size, whatever the other side does: a shorter one would end who looks at it. -1: there is no
 * memory. */
int vt_packet_memory_new(gsize n);
/* Such a file of the other side's, mapped to read and to write: munmap(). *n: its bytes. NULL: it is no such file, or larger than `most`. Does not
 * take the file. */
guint8 *vt_packet_memory_map(int file, gsize most, gsize *n);
