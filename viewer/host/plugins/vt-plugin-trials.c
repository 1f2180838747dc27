/* SPDX-License-Identifier: MIT */
#include "plugins/vt-plugin-trials.h"

#include "plugins/vt-plugin-private.h"
#include "plugins/vt-plugin-probe.h"

enum {
  MOST_THREADS = 16, /* each waits for one process, which loads one file */
  PATIENCE_S = 2,    /* of a start; a file that has been tried before answers in hundredths of a second */
};

struct VtPluginTrials {
  GPtrArray *files; /* VtPluginTrial, which live as long as the program */
  const char *probe;
  guint seconds;
  gint next; /* atomic: the first file that no thread has taken */
  void (*late)(VtPluginTrial *trial);
  GMutex lock;
  GCond is_tried;
};

VtPluginTrials *
vt_plugin_trials_new(void)
{
  VtPluginTrials *self = g_new0(VtPluginTrials, 1);
  self->files = g_ptr_array_new();
  g_mutex_init(&self->lock);
  g_cond_init(&self->is_tried);
  return self;
}

guint
vt_plugin_trials_get_n(const VtPluginTrials *self)
{
  return self->files->len;
}

VtPluginTrial *
vt_plugin_trials_get(VtPluginTrials *self, guint i)
{
  return g_ptr_array_index(self->files, i);
}

void
vt_plugin_trials_add(VtPluginTrials *self, char *path, gboolean is_own, gboolean is_apart)
{
  for (guint i = 0; i < self->files->len; i++) {
    if (vt_plugin_is_same_file(path, vt_plugin_trials_get(self, i)->path)) {
      g_free(path);
      return;
    }
  }
  VtPluginTrial *trial = g_new0(VtPluginTrial, 1);
  *trial = (VtPluginTrial){ .path = path, .is_own = is_own, .is_apart = is_apart, .trials = self };
  g_ptr_array_add(self->files, trial);
}

/* --- the threads --- */

static gboolean
hand_over_late(gpointer data)
{
  VtPluginTrial *trial = data;
  trial->trials->late(trial);
  return G_SOURCE_REMOVE;
}

static void
try_one(VtPluginTrials *self, VtPluginTrial *trial)
{
  if ((!self->probe || vt_plugin_probe(self->probe, trial->path, self->seconds, &trial->error)) && trial->is_apart)
    trial->worker = self->probe ? vt_worker_find(trial->path, &trial->error)
                                : vt_worker_new(trial->path, &trial->error); /* no verdict, nothing kept */
  g_mutex_lock(&self->lock);
  trial->is_tried = TRUE;
  if (trial->is_late)
    g_idle_add(hand_over_late, trial);
  g_cond_broadcast(&self->is_tried);
  g_mutex_unlock(&self->lock);
}

static gpointer
try_some(gpointer data)
{
  VtPluginTrials *self = data;
  for (guint i = 0; (i = (guint)g_atomic_int_add(&self->next, 1)) < self->files->len;)
    try_one(self, vt_plugin_trials_get(self, i));
  return NULL;
}

void
vt_plugin_trials_start(VtPluginTrials *self, const char *probe, guint seconds)
{
  const guint n_wanted = MIN(self->files->len, MOST_THREADS);
  guint n = 0;
  self->probe = probe;
  self->seconds = seconds;
  for (; n < n_wanted; n++) {
    GThread *thread = g_thread_try_new("plugin-trial", try_some, self, NULL);
    if (!thread)
      break;
    g_thread_unref(thread);
  }
  if (n == 0)
    try_some(self); /* no thread can be had */
}

/* --- waiting --- */

/* With the lock held. Owned; NULL: all are tried. */
static char *
dup_untried(VtPluginTrials *self, gboolean all)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < self->files->len; i++) {
    const VtPluginTrial *trial = g_ptr_array_index(self->files, i);
    g_autofree char *name = vt_error_dup_name(trial->path);
    if (!trial->is_tried && (all || trial->is_own))
      g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", name);
  }
  return names->len > 0 ? g_string_free(g_steal_pointer(&names), FALSE) : NULL;
}

/* With the lock held. Names of files that are not tried by then; NULL: none. */
static char *
wait_until(VtPluginTrials *self, gboolean all, gint64 time)
{
  for (;;) {
    g_autofree char *names = dup_untried(self, all);
    if (!names || !g_cond_wait_until(&self->is_tried, &self->lock, time))
      return g_steal_pointer(&names);
  }
}

void
vt_plugin_trials_wait(VtPluginTrials *self, gboolean (*waits)(const char *names), void (*late)(VtPluginTrial *trial))
{
  self->late = late;
  g_mutex_lock(&self->lock);
  g_autofree char *names = wait_until(self, TRUE, g_get_monotonic_time() + PATIENCE_S * G_TIME_SPAN_SECOND);
  const gboolean all = names && (!waits || waits(names));
  g_autofree char *none = wait_until(self, all, G_MAXINT64);
  for (guint i = 0; i < self->files->len; i++) {
    VtPluginTrial *trial = vt_plugin_trials_get(self, i);
    trial->is_late = !trial->is_tried;
  }
  g_mutex_unlock(&self->lock);
}
