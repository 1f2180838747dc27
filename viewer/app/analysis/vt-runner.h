/* SPDX-License-Identifier: MIT
 *
 * Runs ops one after the other, each on one of the threads that all runners share; the newest request wins. A request made stale by
 * a newer one, or by vt_runner_cancel(), is cancelled, and dropped on arrival even if it came to its end: its answer is never
 * delivered. One that maps its rasters gets a scratch folder in the person's cache.
 * Main thread only; the callbacks come there, too. */
#pragma once
#include "run/vt-run.h"

typedef struct _VtRunner VtRunner;

typedef struct {
  void (*progress)(guint stage, double fraction, gpointer user); /* may be NULL */
  void (*done)(guint64 generation, VtResult *result, GError *error,
               gpointer user);                          /* borrowed; one of the two is NULL */
  void (*cancelled)(guint64 generation, gpointer user); /* may be NULL */
  /* A result is there, borrowed. TRUE: it counts as running until vt_runner_hand_over() is called; FALSE, or NULL: it is handed over at once. */
  gboolean (*came)(VtResult *result, gpointer user);
} VtRunnerCallbacks;

VtRunner *vt_runner_new(const VtRunnerCallbacks *callbacks, gpointer user);
/* Cancels what runs; no callback comes after it. */
void vt_runner_free(VtRunner *runner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRunner, vt_runner_free)
/* Takes the request; returns its generation number. */
guint64 vt_runner_start(VtRunner *runner, VtRunRequest *request);
/* As vt_runner_start(), as soon as another runner has nothing to do, such as that of the picture, which goes first. That one must outlive the wait. */
void vt_runner_start_after(VtRunner *runner, VtRunRequest *request, VtRunner *first);
/* Also of what has not begun yet. */
void vt_runner_cancel(VtRunner *runner);
/* Calls `done` with a result that came; nothing if none waits. */
void vt_runner_hand_over(VtRunner *runner);
/* Waits so long for what runs. TRUE: it came to its end, and `done` (or `came`) has been called. */
gboolean vt_runner_wait(VtRunner *runner, double ms);
/* What starts from now on hands over results with these corrections (VtCorrection); kept; NULL: none. */
void vt_runner_set_corrections(VtRunner *runner, GPtrArray *corrections);
gboolean vt_runner_is_running(VtRunner *runner);
