/* SPDX-License-Identifier: MIT */
#include "slide/vt-reader.h"

#include <glib/gstdio.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "base/vt-helper.h"
#include "slide/vt-reader-private.h"

#define IDLE_S 120
#define REST_S 10    /* its channels take a megabyte each, and as much again in the reader */
#define SPARE_MS 150 /* after an opening: the first pixels come first */
#define LOOK_S 15    /* how often for readers that have nothing to do */

struct VtReader {
  VtReaderKind kind;
  GVariant *facts;
  GList link; /* in `readers` */
  GMutex lock;
  VtReaderProcess *process; /* guarded by `lock`; NULL: the next read starts one */
  gint64 used_us;           /* guarded by `lock` */
};

static GMutex mutex; /* guards what follows */
static GCond prepared;
static char *program = NULL, *reason = NULL, *failure = NULL;
static VtReaderProcess *spare = NULL;
static gboolean keeps_spare = FALSE, prepares = FALSE;
static GQueue readers = G_QUEUE_INIT; /* VtReader */

/* --- whether, and the one that is held ready --- */

void
vt_reader_set_program(const char *path)
{
  VT_LOCK(&mutex);
  g_free(program);
  program = g_strdup(path);
  g_clear_pointer(&reason, g_free);
  g_clear_pointer(&spare, vt_reader_process_unref);
}

guint
vt_reader_trim(gint64 idle_us, gint64 rest_us)
{
  const gint64 now = g_get_monotonic_time();
  guint n_left = 0;
  g_mutex_lock(&mutex);
  for (GList *l = readers.head; l; l = l->next) {
    VtReader *self = l->data;
    if (!g_mutex_trylock(&self->lock)) { /* it is being opened, by somebody who may wait for `mutex` */
      n_left++;
      continue;
    }
    if (self->process && now - self->used_us >= idle_us) /* who reads right now keeps it for so long */
      g_clear_pointer(&self->process, vt_reader_process_unref);
    else if (self->process && now - self->used_us >= rest_us)
      vt_reader_process_rest(self->process);
    n_left += self->process != NULL;
    g_mutex_unlock(&self->lock);
  }
  g_mutex_unlock(&mutex);
  return n_left;
}

static gboolean
trim(gpointer unused)
{
  vt_reader_trim((gint64)IDLE_S * G_USEC_PER_SEC, (gint64)REST_S * G_USEC_PER_SEC);
  return G_SOURCE_CONTINUE;
}

void
vt_reader_enable(gboolean keeps_one)
{
  const gboolean is_wanted = g_strcmp0(g_getenv("VITRAIL_READER"), "no") != 0;
  g_autofree char *found = is_wanted ? vt_helper_find("vitrail-reader") : NULL;
  vt_reader_set_program(found);
  VT_LOCK(&mutex);
  keeps_spare = keeps_one;
  if (keeps_one && found)
    g_timeout_add_seconds(LOOK_S, trim, NULL);
  if (!found)
    reason = g_strdup(is_wanted ? "Slides are read in this process: the program vitrail-reader is not there."
                                : "Slides are read in this process, as VITRAIL_READER=no asks.");
}

char *
vt_reader_dup_reason(void)
{
  VT_LOCK(&mutex);
  return g_strdup(reason);
}

char *
vt_reader_take_failure(void)
{
  VT_LOCK(&mutex);
  return g_steal_pointer(&failure);
}

static gpointer
prepare(gpointer data)
{
  g_autofree char *path = data;
  g_autoptr(VtReaderProcess) process = vt_reader_process_new(path, NULL);
  if (process)
    vt_reader_process_prepare(process);
  VT_LOCK(&mutex);
  if (!spare && g_strcmp0(program, path) == 0)
    spare = g_steal_pointer(&process);
  prepares = FALSE;
  g_cond_broadcast(&prepared);
  return NULL;
}

void
vt_reader_prepare(void)
{
  g_mutex_lock(&mutex);
  if (program && !spare && !prepares) {
    g_autofree char *path = g_strdup(program);
    g_autoptr(GThread) thread = g_thread_try_new("prepare", prepare, path, NULL);
    prepares = thread != NULL; /* without one, the process is made when it is asked for */
    if (thread)
      path = NULL;
  }
  g_mutex_unlock(&mutex);
}

/* The one that is held ready, or a new one. NULL: none can be had. */
static VtReaderProcess *
take_process(GError **error)
{
  g_mutex_lock(&mutex);
  while (prepares)
    g_cond_wait(&prepared, &mutex);
  VtReaderProcess *process = g_steal_pointer(&spare);
  g_autofree char *path = g_strdup(program);
  g_mutex_unlock(&mutex);
  if (process && !vt_reader_process_is_alive(process))
    g_clear_pointer(&process, vt_reader_process_unref);
  if (!process && path)
    process = vt_reader_process_new(path, error);
  else if (!process)
    g_set_error_literal(error, VT_ERROR, VITRAIL_INTERNAL, "no program is set");
  return process;
}

/* --- opening --- */

/* The next one tries again: what keeps a process from starting may be over by then. */
VtReaderProcess *
vt_reader_take_process(const char *path, char **why_not)
{
  g_autoptr(GError) trouble = NULL;
  g_autofree char *name = vt_error_dup_name(path);
  VtReaderProcess *process = take_process(&trouble);
  *why_not = NULL;
  if (process)
    return process;
  VT_LOCK(&mutex);
  if (program) {
    g_free(failure);
    failure = g_strdup_printf("%s is read in the program itself: no process that reads it could be started (%s).", name,
                              trouble->message);
  }
  *why_not = g_strdup(program ? failure : reason);
  return NULL;
}

void
vt_reader_set_gone(const char *path, VtReaderProcess *process, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path), *end = vt_reader_process_dup_end(process);
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s cannot be read: the process that opened it %s.", name, end);
}

GVariant *
vt_reader_get_facts(const VtReaderMessage *message, const GVariantType *type)
{
  GMappedFile *mapping = message->n_files > 0 ? vt_reader_file_map(message->files[0], 0) : NULL;
  if (!mapping)
    return NULL;
  g_autoptr(GBytes) bytes = g_mapped_file_get_bytes(mapping);
  g_mapped_file_unref(mapping);
  return g_variant_ref_sink(g_variant_new_from_bytes(type, bytes, FALSE));
}

void
vt_reader_set_nonsense(const char *path, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED,
              "%s cannot be read: the process that reads it gave an answer that makes no sense.", name);
}

/* What the process says of the file: facts, and pixels (-1: none; owned). NULL and a sentence. */
static GVariant *
ask_to_open(VtReaderProcess *process, VtReaderKind kind, const char *path, const VtReadContext *context, int *flat,
            GError **error)
{
  const VtReaderRequest request = { .kind = kind };
  VtReaderMessage message;
  const VtReaderOutcome outcome = vt_reader_process_ask(process, &request, path, NULL, 0, context, &message, error);
  *flat = -1;
  if (outcome == VT_READER_GONE)
    vt_reader_set_gone(path, process, error);
  if (outcome != VT_READER_ANSWERED)
    return NULL;
  GVariant *facts = vt_reader_get_facts(&message, G_VARIANT_TYPE(VT_READER_FACTS));
  if (!facts)
    vt_reader_set_nonsense(path, error);
  if (message.n_files > 1) {
    *flat = message.files[1];
    message.n_files = 1;
  }
  vt_reader_message_clear(&message);
  return facts;
}

static VtReader *
reader_new(VtReaderKind kind, GVariant *facts, VtReaderProcess *process)
{
  VtReader *self = g_new0(VtReader, 1);
  self->kind = kind;
  self->facts = g_variant_ref(facts);
  self->process = process;
  self->used_us = g_get_monotonic_time();
  self->link.data = self;
  g_mutex_init(&self->lock);
  VT_LOCK(&mutex);
  g_queue_push_tail_link(&readers, &self->link);
  return self;
}

void
vt_reader_free(VtReader *self)
{
  g_mutex_lock(&mutex);
  g_queue_unlink(&readers, &self->link);
  g_mutex_unlock(&mutex);
  g_clear_pointer(&self->process, vt_reader_process_unref);
  g_variant_unref(self->facts);
  g_mutex_clear(&self->lock);
  g_free(self);
}

static VtSlide *
slide_new(VtReaderProcess *process, VtReaderKind kind, const char *path, const VtReadContext *context, GError **error)
{
  int flat = -1;
  g_autoptr(GVariant) facts = ask_to_open(process, kind, path, context, &flat, error);
  VtSlide *slide = facts ? vt_slide_new_from_facts(path, facts, flat) : NULL;
  if (facts && !slide)
    vt_reader_set_nonsense(path, error);
  if (flat >= 0)
    g_close(flat, NULL);
  if (slide)
    vt_reader_process_set_opened(process, slide);
  if (slide && !slide->plain) /* of a plain image everything is here */
    slide->reader = reader_new(kind, facts, vt_reader_process_ref(process));
  return slide;
}

static gboolean
prepare_later(gpointer unused)
{
  vt_reader_prepare();
  return G_SOURCE_REMOVE;
}

gboolean
vt_reader_open_slide(const char *path, VtReaderKind kind, const VtReadContext *context, VtSlide **slide, char **why_not,
                     GError **error)
{
  *slide = NULL;
  if (!vt_file_check(path, error))
    return TRUE;
  g_autoptr(VtReaderProcess) process = vt_reader_take_process(path, why_not);
  if (!process)
    return FALSE;
  *slide = slide_new(process, kind, path, context, error);
  if (keeps_spare)
    g_timeout_add(SPARE_MS, prepare_later, NULL);
  return TRUE;
}

/* --- reading --- */

/* Opens the slide once more. The file may be another one by now: then nothing that is known of it holds. */
static VtReaderProcess *
reopen(VtSlide *slide, GError **error)
{
  int flat = -1;
  g_autoptr(GError) trouble = NULL;
  g_autoptr(VtReaderProcess) process = take_process(&trouble);
  if (!process)
    return vt_error_set_null(error, VITRAIL_READ_FAILED,
                             "%s cannot be read: no process that reads it could be started (%s).", slide->name,
                             trouble->message);
  g_autoptr(GVariant) facts = ask_to_open(process, slide->reader->kind, slide->path, NULL, &flat, error);
  if (flat >= 0)
    g_close(flat, NULL);
  if (!facts)
    return NULL;
  if (!g_variant_equal(facts, slide->reader->facts)) {
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s has changed since it was opened; open it again.",
                slide->name);
    return NULL;
  }
  vt_reader_process_set_opened(process, slide);
  return g_steal_pointer(&process);
}

static VtReaderProcess *
acquire(VtSlide *slide, GError **error)
{
  VtReader *self = slide->reader;
  VT_LOCK(&self->lock);
  if (!self->process)
    self->process = reopen(slide, error);
  VtReaderProcess *process = self->process ? vt_reader_process_ref(self->process) : NULL;
  self->used_us = g_get_monotonic_time();
  return process;
}

/* Others shall not use this one, which is gone. */
static void
retire(VtReader *self, VtReaderProcess *process)
{
  VT_LOCK(&self->lock);
  if (self->process == process)
    g_clear_pointer(&self->process, vt_reader_process_unref);
}

/* It has just read a tile that another did not survive. */
static void
adopt(VtReader *self, VtReaderProcess *process)
{
  VT_LOCK(&self->lock);
  if (!self->process)
    self->process = vt_reader_process_ref(process);
}

gboolean
vt_reader_read_tile(VtSlide *slide, int level, gint64 col, gint64 row, int width, int height, guint8 *bgra,
                    GCancellable *cancellable, GError **error)
{
  const VtReaderRequest request = {
    .kind = VT_READER_TILE, .level = level, .col = col, .row = row, .width = width, .height = height
  };
  g_autofree char *end = NULL;
  /* Twice: another thread's tile may have ended the process; one that reads nothing else tells. */
  for (int attempt = 0; attempt < 2; attempt++) {
    g_autoptr(VtReaderProcess) process = attempt == 0 ? acquire(slide, error) : reopen(slide, error);
    if (!process)
      return FALSE;
    const VtReaderOutcome outcome = vt_reader_process_read_tile(process, &request, bgra, cancellable, error);
    if (outcome == VT_READER_ANSWERED && attempt > 0)
      adopt(slide->reader, process);
    if (outcome != VT_READER_GONE)
      return outcome == VT_READER_ANSWERED;
    retire(slide->reader, process);
    g_free(end);
    end = vt_reader_process_dup_end(process);
  }
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED,
              "%s: level %d, tile column %" G_GINT64_FORMAT ", row %" G_GINT64_FORMAT
              " cannot be read (the process that reads it %s).",
              slide->name, level, col, row, end);
  return FALSE;
}

/* By a process of its own: these are small and rarely asked for, and a bad one must not disturb the tiles. */
static gboolean
ask_apart(VtSlide *slide, VtReaderKind kind, const char *text, VtReaderMessage *message, GError **error)
{
  g_autoptr(VtReaderProcess) process = reopen(slide, error);
  const VtReaderRequest request = { .kind = kind };
  const VtReaderOutcome outcome =
    process ? vt_reader_process_ask(process, &request, text, NULL, 0, NULL, message, error) : VT_READER_REFUSED;
  if (outcome == VT_READER_GONE) {
    g_autofree char *end = vt_reader_process_dup_end(process);
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s: %s%s%s cannot be read (the process that reads it %s).",
                slide->name, text ? "the image \"" : "its images", text ? text : "", text ? "\"" : "", end);
  }
  return outcome == VT_READER_ANSWERED;
}

char **
vt_reader_dup_names(VtSlide *slide, GError **error)
{
  VtReaderMessage message;
  if (!ask_apart(slide, VT_READER_NAMES, NULL, &message, error))
    return NULL;
  g_autoptr(GVariant) names = vt_reader_get_facts(&message, G_VARIANT_TYPE_STRING_ARRAY);
  vt_reader_message_clear(&message);
  if (!names) /* an empty list is an empty file, which can't be mapped */
    return g_new0(char *, 1);
  return g_variant_dup_strv(names, NULL);
}

VtTilePixels *
vt_reader_read_picture(VtSlide *slide, const char *name, GError **error)
{
  VtReaderMessage message;
  if (!ask_apart(slide, VT_READER_PICTURE, name, &message, error))
    return NULL;
  const gint64 width = message.head.reply.width, height = message.head.reply.height;
  const gboolean is_sane = width > 0 && height > 0 && width <= VT_ASSOCIATED_MAX_PIXELS / height;
  GMappedFile *mapping =
    is_sane && message.n_files > 0 ? vt_reader_file_map(message.files[0], (guint64)(width * height * 4)) : NULL;
  vt_reader_message_clear(&message);
  if (!mapping) {
    vt_reader_set_nonsense(slide->path, error);
    return NULL;
  }
  GBytes *bytes = g_mapped_file_get_bytes(mapping);
  g_mapped_file_unref(mapping);
  return vt_tile_pixels_new(bytes, (int)width, (int)height, (int)width * 4);
}
