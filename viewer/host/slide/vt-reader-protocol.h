/* SPDX-License-Identifier: MIT
 *
 * What the program and a reader process say to each other, over SOCK_SEQPACKET sockets: one message a packet. A message is a head of fixed
 * size, a text, and at most two files. Whatever is large is in a file in memory (memfd). Neither side believes the other:
 * heads are checked, files that the reader made must be sealed before they are looked at.
 *
 * Over the *control* socket, one after the other: the reader's hello, then OPEN or OPEN_IMAGE (once), CHANNEL, NAMES, PICTURE.
 * Before the reply to OPEN, OPEN_IMAGE or RASTER any number of PROGRESS may come.
 * Over each *channel*: TILE. Its pixels come in the channel's own memory, which the program made. */
#pragma once
#include <gio/gio.h>

#include "base/vt-packet.h"

#define VT_READER_MAGIC 0x56545233u /* "VTR" and the version */
#define VT_READER_MAX_TEXT 8192
#define VT_READER_MAX_FILES VT_PACKET_MAX_FILES

typedef enum {
  VT_READER_HELLO,
  VT_READER_OPEN,       /* text: path. Files: facts (VT_READER_FACTS), and pixels if it is a plain image or `flat` */
  VT_READER_OPEN_IMAGE, /* the same by vt_slide_open_image() */
  VT_READER_CHANNEL, /* files: the reader's end of the channel, and the memory for its tiles. No reply. Before OPEN (once): then the tile of
                           vt_reader_find_first(), if there is one, follows the facts over this channel, unasked */
  VT_READER_NAMES,   /* of associated images. File: "as" */
  VT_READER_PICTURE, /* text: name. File: premultiplied pixels, width * height * 4 bytes */
  VT_READER_RASTER, /* text: path. `room`: bytes that pixels may take in memory, or -1; file: takes larger ones. Files: VT_READER_RASTER_FACTS,
                           and the pixels unless they are in that file. The process is of no use for anything else */
  VT_READER_ROWS, /* text: path. `room`: bytes that a block may take, or -1. File: VT_READER_ROWS_FACTS; none: this one can only be read as a whole.
                           Once, and then only VT_READER_BLOCK */
  VT_READER_BLOCK,    /* `row`: the block's first. File: its pixels */
  VT_READER_TILE,     /* a stored level's tile as opaque B G R A, packed rows */
  VT_READER_PROGRESS, /* a reply alone, a sign of life: `width` steps are done, more than the last time, of `height`, as far as is known by now */
} VtReaderKind;

/* vt_slide_dup_facts(): vendor, names and values of properties in turns, each with a zero behind it, background, ... */
#define VT_READER_FACTS "(say(yyy)ddda(ixxd)iaybddb(uxxxxdddddbdd))"
/* A raster without pixels, VtRasterFacts, whether the pixels are in the file that was given. */
#define VT_READER_RASTER_FACTS "((uxxxxdddddbdd)" VT_RASTER_FACTS "b)"
/* The same, and the rows of each block but the last one. */
#define VT_READER_ROWS_FACTS "((uxxxxdddddbdd)" VT_RASTER_FACTS "x)"
/* Pages, unread channels, cut bits, orientation, whether there is a place, and that. */
#define VT_RASTER_FACTS "(uuuub(ddddddd))"

typedef struct {
  guint32 magic, kind;
  gint32 level;
  guint32 n_text;
  gint64 col, row;
  gint32 width, height; /* of the tile */
  gint64 room;
} VtReaderRequest;

typedef struct {
  guint32 magic, kind; /* of the request */
  guint32 status;      /* VitrailStatus; other than VITRAIL_OK: the text is a sentence */
  guint32 n_text;
  gint64 width, height; /* of a picture; or VT_READER_PROGRESS */
} VtReaderReply;

typedef struct {
  union {
    VtReaderRequest request;
    VtReaderReply reply;
  } head;
  char text[VT_READER_MAX_TEXT + 1]; /* with a zero behind it */
  gsize n_text;
  int files[VT_READER_MAX_FILES]; /* owned: vt_reader_message_clear() closes them; -1: none */
  guint n_files;
} VtReaderMessage;

/* FALSE: the other side is gone, or the message is too long. */
gboolean vt_reader_send(int socket, const VtReaderRequest *request, const char *text, const int *files, guint n_files);
/* A longer text is cut. */
gboolean vt_reader_reply(int socket, const VtReaderReply *reply, const char *text, const int *files, guint n_files);
/* Blocking. FALSE: the other side is gone, or has sent something that is no message. `message` is to be cleared in any case. */
gboolean vt_reader_receive_request(int socket, VtReaderMessage *message);
gboolean vt_reader_receive_reply(int socket, VtReaderMessage *message);
void vt_reader_message_clear(VtReaderMessage *message);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(VtReaderMessage, vt_reader_message_clear)

/* A file in memory that can never change again, with these bytes. -1: there is no memory. */
int vt_reader_file_new(const void *data, gsize n);
/* From now on nobody can change this file, which nobody has mapped to write. FALSE: it can't be so. */
gboolean vt_reader_file_seal(int file);
/* The bytes of such a file, mapped; NULL if it could still change or has another size. n 0: any size. Does not take the file. */
GMappedFile *vt_reader_file_map(int file, guint64 n);
