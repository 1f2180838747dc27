/* SPDX-License-Identifier: MIT
 *
 * What the files of vt-worker share: on the program's side, and in the process of a plugin. */
#pragma once
#include "plugins/vt-plugin-private.h"
#include "plugins/vt-worker-channel.h"

/* --- vt-worker-answer.c: in the program --- */

/* Answers a callback. is_main: it came over the control channel. FALSE: it makes no sense, or the process is gone. */
gboolean vt_worker_answer(VtWorkerChannel *channel, const VtWorkerHead *head, const VitrailHost *host,
                          gboolean is_main);

/* vt-worker-wave.c: where the arrays of a wave lie in a body, behind as many bytes of the packed struct. */
typedef struct {
  const void **data; /* the field of the struct */
  gsize at, bytes;   /* 0: there is none */
} VtWorkerPart;
enum { VT_WORKER_WAVE_PARTS = 5 };
/* The bytes of the whole body; 0: the wave has no size that makes sense. */
gsize vt_worker_wave_place(VitrailWave *wave, gsize n_packed, VtWorkerPart parts[VT_WORKER_WAVE_PARTS]);

/* vt-worker-process.c: the process of a plugin, as the program sees it. One thread at a time. */
typedef struct VtWorkerProcess VtWorkerProcess;

/* Started. NULL and a sentence. */
VtWorkerProcess *vt_worker_process_new(const char *program, GError **error);
void vt_worker_process_end(VtWorkerProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtWorkerProcess, vt_worker_process_end)
/* FALSE: it has ended, though nobody asked it anything. */
gboolean vt_worker_process_is_alive(VtWorkerProcess *self);
/* A process that runs, and for so long neither used processor time nor asked for anything, is ended: its threads wait for each other. (600 s) */
void vt_worker_process_set_patience(guint still_s);
/* One question, and its answer in *head. body: owned, with a zero behind it. FALSE: it is gone, which vt_worker_process_dup_end() describes. */
gboolean vt_worker_process_ask(VtWorkerProcess *self, VtWorkerHead *head, gconstpointer body, gsize n, guint8 **answer);
/* The same for VT_WORKER_RUN, whose callbacks it answers with those of `host`. A process that goes on for too long after a cancel is ended. */
gboolean vt_worker_process_run(VtWorkerProcess *self, VtWorkerHead *head, gconstpointer body, gsize n,
                               const VitrailHost *host, guint8 **answer);
/* Of a process that is gone: "Segmentation fault", "exit status 0". Owned. */
char *vt_worker_process_dup_end(VtWorkerProcess *self);

/* --- in the process --- */

/* vt-worker-serve.c: answers until the other side closes its end. Takes the socket. */
void vt_worker_serve(int socket);

typedef struct VtWorkerPort VtWorkerPort;
/* vt-worker-callbacks.c: the channels over which callbacks go. control: borrowed; for the thread that runs. */
VtWorkerPort *vt_worker_port_new(VtWorkerChannel *control);
void vt_worker_port_free(VtWorkerPort *port);
/* Takes the socket of a channel for another thread. */
void vt_worker_port_add(VtWorkerPort *port, int socket);
/* The memory in which the program says that a run is cancelled. Takes the file. FALSE: it is no such. */
void vt_worker_port_add_op(VtWorkerPort *port, const VitrailOp *op); /* of a recipe that a session has */
gboolean vt_worker_port_set_flag(VtWorkerPort *port, int file);
/* Runs on the calling thread, which is the one that serves `control`. request: unpacked. */
VitrailStatus vt_worker_port_run(VtWorkerPort *port, const VitrailPlugin *plugin, VitrailSession *session,
                                 const VitrailRequest *request, const VtWorkerHead *head, char *message,
                                 gsize message_size);
