/* SPDX-License-Identifier: MIT
 *
 * All plugin files are tried at once, each by a thread that waits for its process, so that one that hangs holds up no other. */
#pragma once
#include "plugins/vt-worker.h"

typedef struct VtPluginTrials VtPluginTrials;

typedef struct {
  char *path;
  gboolean is_own;            /* the program's own module: always waited for */
  gboolean is_apart;          /* runs in a process of its own */
  VtWorker *worker;           /* with what the file offers; NULL: it is unusable, or not apart */
  GError *error;              /* why it must not be used; NULL: it may */
  gboolean is_tried, is_late; /* guarded by the lock of the trials */
  VtPluginTrials *trials;
} VtPluginTrial;

VtPluginTrials *vt_plugin_trials_new(void);
/* Before the start. Takes the path. A file that is there under another name is nothing. */
void vt_plugin_trials_add(VtPluginTrials *self, char *path, gboolean is_own, gboolean is_apart);
guint vt_plugin_trials_get_n(const VtPluginTrials *self);
VtPluginTrial *vt_plugin_trials_get(VtPluginTrials *self, guint i);
/* Tries all files. `probe`: the program that tries them (NULL: none does), which each has so many seconds to answer. */
void vt_plugin_trials_start(VtPluginTrials *self, const char *probe, guint seconds);
/* Returns when all are tried, or, if `waits` says so when two seconds are over, when those of the program are. `waits` (or NULL: wait) is told the
 * names of the files. What is tried later is handed to `late` on the main thread. */
void vt_plugin_trials_wait(VtPluginTrials *self, gboolean (*waits)(const char *names),
                           void (*late)(VtPluginTrial *trial));
