/* SPDX-License-Identifier: MIT */
#pragma once
#include <gio/gio.h>

/* A program of ours that others of ours start: beside the running one, one folder up (as in a build), or in libexec. NULL: it is
 * not there. Owned. */
char *vt_helper_find(const char *name);

/* The same of a module of ours that is loaded when it is needed. Owned. */
char *vt_helper_find_module(const char *name);

#define VT_HELPER_SOCKET 3 /* of such a program: to the one that started it */

/* Starts it. binds_now: all symbols while nobody waits for it; what it loads then must lack none. shares_heap: all its threads, so that large pages can hold it,
 * where the system has such. *control: this side's end of its socket
 * (SOCK_SEQPACKET), the caller's to close. NULL and a sentence. */
GSubprocess *vt_helper_spawn(const char *program, gboolean binds_now, gboolean shares_heap, int *control,
                             GError **error);
/* In such a program, at its start: takes the locale, and leaves the signals of a terminal to the program that started it. FALSE, and the
 * sentence on stderr: nobody started it as a helper. */
gboolean vt_helper_begin(const char *sentence);
/* In such a program: ends it with the one that started it, whatever hangs in it by then. A thread: what limits this process comes before. */
void vt_helper_end_with_starter(void);
/* In such a program: where memory runs out, this process goes first. */
void vt_helper_volunteer(void);
/* Processor seconds of all its threads, to the nanosecond; 0: it has ended. */
double vt_helper_get_cpu_seconds(GSubprocess *subprocess);
/* "crashed: Floating point exception": how it ended by itself, or because nobody listens to it any more. Ends it, and waits for that. Owned. */
char *vt_helper_dup_end(GSubprocess *subprocess);
