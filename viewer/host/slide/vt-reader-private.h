/* SPDX-License-Identifier: MIT */
#pragma once
#include "slide/vt-reader-protocol.h"
#include "slide/vt-slide-private.h"

/* --- vt-reader-process.c: one reader process --- */

typedef struct VtReaderProcess VtReaderProcess;

typedef enum {
  VT_READER_ANSWERED, /* and the reply's status is VITRAIL_OK */
  VT_READER_REFUSED,  /* with a sentence in `error`, or cancelled */
  VT_READER_GONE,     /* the process has crashed, hung or lied: vt_reader_process_dup_end() says how */
} VtReaderOutcome;

/* Started, and its hello received. NULL and a sentence if no such process can be had. */
VtReaderProcess *vt_reader_process_new(const char *program, GError **error);
/* Of a process that nobody else has yet: it makes all that its first tile needs before a slide is asked for, and sends the slide's first picture
 * without being asked. */
void vt_reader_process_prepare(VtReaderProcess *self);
/* Gives the memory back by which tiles come, also the reader's side of it; the next tile makes it again. */
void vt_reader_process_rest(VtReaderProcess *self);
/* It has opened that slide. */
void vt_reader_process_set_opened(VtReaderProcess *self, const VtSlide *slide);
VtReaderProcess *vt_reader_process_ref(VtReaderProcess *self);
void vt_reader_process_unref(VtReaderProcess *self); /* the last one ends it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtReaderProcess, vt_reader_process_unref)
/* FALSE: it has ended, though nobody asked it anything. */
gboolean vt_reader_process_is_alive(VtReaderProcess *self);
/* Over the control socket, one after the other. Blocking; any thread. `message` is to be cleared after VT_READER_ANSWERED. context: or NULL; a process
 * whose answer was cancelled is of no more use. */
VtReaderOutcome vt_reader_process_ask(VtReaderProcess *self, const VtReaderRequest *request, const char *text,
                                      const int *files, guint n_files, const VtReadContext *context,
                                      VtReaderMessage *message, GError **error);
/* Ends it, and waits for that. */
void vt_reader_process_end(VtReaderProcess *self);
/* Many at once. */
VtReaderOutcome vt_reader_process_read_tile(VtReaderProcess *self, const VtReaderRequest *request, guint8 *bgra,
                                            GCancellable *cancellable, GError **error);
/* Of a process that is gone: "crashed: Floating point exception". Owned. */
char *vt_reader_process_dup_end(VtReaderProcess *self);
/* Seconds of processor time for one answer or sign of life, and seconds without one, after which a process hangs. For tests, before the first. */
void vt_reader_process_set_patience(guint busy_s, guint still_s);

/* --- vt-reader.c: the reader of one slide --- */

typedef struct VtReader VtReader;

/* NULL program: none. For tests; vt_reader_enable() finds it. */
void vt_reader_set_program(const char *program);
/* Ends the processes of slides of which nothing was read for idle_us; the next read starts another. After rest_us they give the memory back by which
 * tiles come. How many are left. */
guint vt_reader_trim(gint64 idle_us, gint64 rest_us);
/* A process for the file, if files are read by such. NULL: none can be had; read it here. *why_not: owned; NULL: nobody asked for processes. */
VtReaderProcess *vt_reader_take_process(const char *path, char **why_not);
/* FALSE: no process can be had (*why_not as above); else *slide is the slide, or NULL with a sentence that names the file. */
gboolean vt_reader_open_slide(const char *path, VtReaderKind kind, const VtReadContext *context, VtSlide **slide,
                              char **why_not, GError **error);
/* Sentences for a process that is gone, and for one that lies. */
void vt_reader_set_gone(const char *path, VtReaderProcess *process, GError **error);
void vt_reader_set_nonsense(const char *path, GError **error);
/* The first file of an answer. NULL: it can't be one. Owned; it may still be of other than normal form. */
GVariant *vt_reader_get_facts(const VtReaderMessage *message, const GVariantType *type);
void vt_reader_free(VtReader *self);
gboolean vt_reader_read_tile(VtSlide *slide, int level, gint64 col, gint64 row, int width, int height, guint8 *bgra,
                             GCancellable *cancellable, GError **error);
char **vt_reader_dup_names(VtSlide *slide, GError **error);
VtTilePixels *vt_reader_read_picture(VtSlide *slide, const char *name, GError **error);

/* The tile that is a slide's first picture: its coarsest level, if one tile holds it and OpenSlide reads it. FALSE: none, and its width is 0. */
gboolean vt_reader_find_first(const VtSlide *slide, VtReaderRequest *first);

/* --- vt-reader-serve.c: in the reader process --- */

/* Answers on the control socket until the other side closes it. */
void vt_reader_serve(int control);

/* --- vt-reader-warm.c: there, too --- */

/* What the C library gives back to the system after each tile comes again as pages of zeros, one by one, for the next. From now on it keeps some. Before any
 * thread. */
void vt_reader_keep_memory(void);

/* Reads a slide of its own, so that the first one that is asked for is as quick as a later one. */
void vt_reader_warm_up(void);
