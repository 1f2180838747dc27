/* SPDX-License-Identifier: MIT
 *
 * What the program and the process of a plugin say to each other: a head of fixed size in a packet, and what is large in memory that both have
 * mapped. Neither side believes the other.
 *
 * Over the *control* channel the program asks one thing after the other, and gets an answer of the same kind. Between VT_WORKER_RUN and its answer the
 * process asks: the callbacks of VitrailHost. Its other threads do so over channels of their own, which the program has made before. */
#pragma once
#include <gio/gio.h>

#include "vitrail-plugin.h"

#define VT_WORKER_MAGIC 0x56545731u /* "VTW" and the version */
#define VT_WORKER_FLAG_BYTES 4096   /* of the memory in which the program says that a run is cancelled */

typedef enum {
  /* What the program asks. "struct": as vt_abi_pack() writes it. */
  VT_WORKER_LOAD = 1, /* body: path. Answer: VitrailPlugin, which functions it has in `n`; or a sentence */
  VT_WORKER_FLAG,     /* a file: the memory of the flag. No answer */
  VT_WORKER_CHANNEL,  /* a file: the process's end of a channel for another thread. No answer */
  VT_WORKER_OPEN,     /* a session. Answer: VtAbiBackends */
  VT_WORKER_FORGET,
  VT_WORKER_ADD_RECIPE,   /* body: VitrailRecipe. Answer: VitrailOp; or VitrailRecipeProblem as it is */
  VT_WORKER_CHECK_RECIPE, /* the same, without a session or an op */
  VT_WORKER_RUN,          /* n: threads; v: rank, ranks; body: VitrailRequest. Answer: the message */
  /* What the process asks while a run lasts. */
  VT_WORKER_READ, /* n: handle; v: downsample, x, y, width, height; room for the pixels in the body. Answer: they are there */
  VT_WORKER_TILE, /* body: VitrailTile as it is, and its rows from VT_WORKER_PIXELS on, packed, unless it makes no sense */
  VT_WORKER_PROGRESS, /* n: stage; d */
  VT_WORKER_LOG,      /* n: level; body: text */
  /* Over the control channel alone: */
  VT_WORKER_OBJECTS, /* body: for each its length (guint32), then VitrailObject. Status: of the first that was refused */
  VT_WORKER_ROW,     /* body: VitrailRow */
  VT_WORKER_VERDICT, /* body: VitrailVerdict */
  VT_WORKER_WAVE, /* v: bytes of VitrailWave; body: it, and from the next multiple of 16 on its arrays that are there, each from such a place */
  VT_WORKER_STAGE_DONE, /* n: stage; d: ms */
  VT_WORKER_RECORD,     /* n: whether there is a text; d; body: key, and text, each with its zero */
  VT_WORKER_EXCHANGE, /* n: which of the four are there (bits); v: bytes of each; body: to above, to below. Answer: from above, from below */
  VT_WORKER_AGREE,    /* n: mine. Answer: the largest */
  VT_WORKER_LENGTHS,  /* body: VitrailRunLengths */
  VT_WORKER_OVERLAPS, /* body: VitrailOverlaps */
} VtWorkerKind;

enum { VT_WORKER_PIXELS = 128, VT_WORKER_MOST_THREADS = 256 };
enum { VT_WORKER_HAS_FORGET = 1, VT_WORKER_HAS_CHECK = 2, VT_WORKER_HAS_ADD = 4 };

typedef struct {
  guint32 magic, kind;
  gint32 status; /* VitrailStatus of an answer; a plugin's may be any number */
  guint32 n;
  guint64 n_body; /* bytes of the channel's memory */
  gint64 v[5];
  double d;
} VtWorkerHead;

/* One end. Its memory is a file of either side, and grows. One thread at a time. */
typedef struct {
  int socket;     /* owned; -1: none */
  guint8 *memory; /* mapped; NULL: none yet */
  gsize size;
  int fresh; /* the file of memory that the other side has not seen; -1: it has */
} VtWorkerChannel;

/* Takes the socket. */
void vt_worker_channel_init(VtWorkerChannel *channel, int socket);
void vt_worker_channel_clear(VtWorkerChannel *channel);
/* Room for a body of n bytes; what was there is lost if it must grow. FALSE: there is no memory. */
gboolean vt_worker_channel_reserve(VtWorkerChannel *channel, gsize n);
/* Gives memory back that is larger than a picture of a window. */
void vt_worker_channel_trim(VtWorkerChannel *channel);
/* Puts a body there. FALSE: there is no memory. */
gboolean vt_worker_channel_put(VtWorkerChannel *channel, VtWorkerHead *head, gconstpointer body, gsize n);
/* file: -1, or one to go with it. FALSE: the other side is gone. */
gboolean vt_worker_channel_send(VtWorkerChannel *channel, const VtWorkerHead *head, int file);
/* Blocking. *file: one that came and is no memory, the caller's to close; -1: none. NULL: one is not expected. FALSE: the other side is gone
 * (head->magic is 0), or says something that makes no sense. */
gboolean vt_worker_channel_receive(VtWorkerChannel *channel, VtWorkerHead *head, int *file);
/* The body as it is now, in private memory: the other side may still write into its own. NULL: it is longer than `most`. Owned; a zero behind it. */
guint8 *vt_worker_channel_dup_body(const VtWorkerChannel *channel, const VtWorkerHead *head, gsize most);
