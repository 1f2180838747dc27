/* SPDX-License-Identifier: MIT
 *
 * OpenSlide 3 opens a TIFF anew for each read of libtiff: fopen(), fstat(), lseek(), read(), close(). To open one NDPI of seven directories takes a thousand calls of
 * the system, most of them for some of the same forty pages. Here an open takes no call, and a small read takes one for each block that is not at hand. */
#define _GNU_SOURCE
#include "slide/vt-shared-file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_FILES 8
#define N_BLOCKS 64
#define BLOCK_BYTES 16384
/* Of a stream. glibc's streams of this kind ask for as much at once also where a program reads more. */
#define ROOM_BYTES 4096
#define FRESH_US 100000

typedef struct {
  gatomicrefcount ref_count; /* the table's, and one of each stream */
  char *path;
  int descriptor;
  /* The rest under `lock`. */
  struct stat facts;
  guint64 id;               /* of its blocks: another one, and they are forgotten */
  gint64 named_us, read_us; /* when the path led to this file, and when the file was still as its facts say */
} File;

typedef struct {
  File *file;
  off_t at;
  char room[ROOM_BYTES];
} Stream;

typedef struct {
  guint64 id;
  off_t start;
  gsize n; /* fewer than BLOCK_BYTES: the file ended there */
  guint8 *bytes;
} Block;

static GMutex lock;
static File *files[N_FILES]; /* the last used first */
static Block blocks[N_BLOCKS];
static guint64 last_id;

/* Without a call of the system, also where g_get_monotonic_time() needs one. */
static gint64
get_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void
file_unref(File *self)
{
  if (!g_atomic_ref_count_dec(&self->ref_count))
    return;
  close(self->descriptor);
  g_free(self->path);
  g_free(self);
}

/* The device's number may be another one after a drive was away. */
static gboolean
is_same(const struct stat *a, const struct stat *b)
{
  return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec
         && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec
         && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* --- the table --- */

/* Under `lock`. Moves files[i] to the front. */
static void
use(guint i)
{
  File *file = files[i];
  for (; i > 0; i--)
    files[i] = files[i - 1];
  files[0] = file;
}

/* NULL: it is not in the table. The caller's reference. *is_fresh: the path led there a moment ago. */
static File *
find(const char *path, gboolean *is_fresh)
{
  File *found = NULL;
  g_mutex_lock(&lock);
  for (guint i = 0; i < N_FILES && files[i] && !found; i++) {
    if (strcmp(files[i]->path, path) != 0)
      continue;
    found = files[i];
    g_atomic_ref_count_inc(&found->ref_count);
    *is_fresh = get_time() - found->named_us < FRESH_US;
    use(i);
  }
  g_mutex_unlock(&lock);
  return found;
}

static void
forget(const File *file)
{
  File *gone = NULL;
  g_mutex_lock(&lock);
  for (guint i = 0; i < N_FILES && !gone; i++) {
    if (files[i] != file)
      continue;
    gone = files[i];
    for (; i < N_FILES - 1; i++)
      files[i] = files[i + 1];
    files[N_FILES - 1] = NULL;
  }
  g_mutex_unlock(&lock);
  if (gone)
    file_unref(gone);
}

static void
keep(File *file)
{
  g_mutex_lock(&lock);
  File *last = files[N_FILES - 1];
  file->id = ++last_id;
  g_atomic_ref_count_inc(&file->ref_count);
  files[N_FILES - 1] = file;
  use(N_FILES - 1);
  g_mutex_unlock(&lock);
  if (last)
    file_unref(last);
}

/* These are of the file as it was. */
static gboolean
is_known(const File *file, const struct stat *facts)
{
  g_mutex_lock(&lock);
  const gboolean is = is_same(facts, &file->facts);
  g_mutex_unlock(&lock);
  return is;
}

/* As find(), once the path was looked at. */
static File *
find_fresh(const char *path)
{
  struct stat facts;
  gboolean is_fresh = FALSE;
  const gint64 now = get_time();
  File *file = find(path, &is_fresh);
  if (!file || is_fresh)
    return file;
  if (stat(path, &facts) != 0 || !is_known(file, &facts)) {
    forget(file);
    file_unref(file);
    return NULL;
  }
  g_mutex_lock(&lock);
  file->named_us = file->read_us = now;
  g_mutex_unlock(&lock);
  return file;
}

/* --- reading --- */

/* A drive that was away and is back gives errors for the descriptors from before. */
static gboolean
open_anew(File *file)
{
  struct stat facts;
  const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
  const gboolean is_back = descriptor >= 0 && fstat(descriptor, &facts) == 0 && is_known(file, &facts)
                           && dup3(descriptor, file->descriptor, O_CLOEXEC) >= 0;
  if (descriptor >= 0)
    close(descriptor);
  return is_back;
}

static ssize_t
read_file(File *file, void *data, gsize n, off_t at)
{
  ssize_t got = pread(file->descriptor, data, n, at);
  if (got >= 0 || errno == EINTR)
    return got;
  const int why = errno;
  if (open_anew(file))
    return pread(file->descriptor, data, n, at);
  forget(file);
  errno = why;
  return -1;
}

/* Now and then looks whether the file is as it was: if not, its blocks are forgotten. */
static void
look(File *file)
{
  struct stat facts;
  const gint64 now = get_time();
  g_mutex_lock(&lock);
  const gboolean is_fresh = now - file->read_us < FRESH_US;
  g_mutex_unlock(&lock);
  if (is_fresh)
    return;
  const gboolean is_there = fstat(file->descriptor, &facts) == 0;
  g_mutex_lock(&lock);
  if (!is_there || !is_same(&facts, &file->facts))
    file->id = ++last_id;
  if (is_there) {
    file->facts = facts;
    file->read_us = now;
  }
  g_mutex_unlock(&lock);
}

/* 0: they are not at hand, or the file ended before them. */
static gsize
copy_from_block(const File *file, guint8 *data, gsize n, off_t at, guint64 *id)
{
  const off_t start = at - at % BLOCK_BYTES;
  const gsize skipped = (gsize)(at - start);
  g_mutex_lock(&lock);
  const Block *block = &blocks[(guint64)(start / BLOCK_BYTES) % N_BLOCKS];
  gsize copied = 0;
  *id = file->id;
  if (block->bytes && block->id == file->id && block->start == start && block->n > skipped) {
    copied = MIN(n, block->n - skipped);
    memcpy(data, block->bytes + skipped, copied);
  }
  g_mutex_unlock(&lock);
  return copied;
}

/* id: of the file before it was read; if that has changed, nobody finds the block. */
static gssize
read_block(File *file, guint8 *data, gsize n, off_t at, guint64 id)
{
  const off_t start = at - at % BLOCK_BYTES;
  const gsize skipped = (gsize)(at - start);
  guint8 *bytes = g_try_malloc(BLOCK_BYTES);
  const gssize got = bytes ? read_file(file, bytes, BLOCK_BYTES, start) : 0;
  if (got <= (gssize)skipped) { /* also of a read that was cut short; the file itself says whether it ends here */
    g_free(bytes);
    return got < 0 ? -1 : read_file(file, data, n, at);
  }
  const gsize copied = MIN(n, (gsize)got - skipped);
  memcpy(data, bytes + skipped, copied);
  g_mutex_lock(&lock);
  Block *block = &blocks[(guint64)(start / BLOCK_BYTES) % N_BLOCKS];
  guint8 *before = block->bytes;
  *block = (Block){ id, start, (gsize)got, bytes };
  g_mutex_unlock(&lock);
  g_free(before);
  return (gssize)copied;
}

/* --- the stream --- */

/* May be fewer than n: stdio asks for the rest. */
static ssize_t
read_stream(void *cookie, char *data, size_t n)
{
  Stream *self = cookie;
  guint64 id = 0;
  look(self->file);
  ssize_t got = (ssize_t)copy_from_block(self->file, (guint8 *)data, n, self->at, &id);
  if (got == 0)
    got = read_block(self->file, (guint8 *)data, n, self->at, id);
  if (got > 0)
    self->at += got;
  return got;
}

static int
seek_stream(void *cookie, off64_t *offset, int whence)
{
  Stream *self = cookie;
  off64_t from = whence == SEEK_CUR ? self->at : 0;
  if (whence == SEEK_END) {
    look(self->file);
    g_mutex_lock(&lock);
    from = self->file->facts.st_size;
    g_mutex_unlock(&lock);
  }
  if (__builtin_add_overflow(from, *offset, &from)) {
    errno = EOVERFLOW;
    return -1;
  }
  if (from < 0) {
    errno = EINVAL;
    return -1;
  }
  *offset = self->at = from;
  return 0;
}

static int
close_stream(void *cookie)
{
  Stream *self = cookie;
  file_unref(self->file);
  g_free(self);
  return 0;
}

/* Takes the file. */
static FILE *
stream_new(File *file)
{
  const cookie_io_functions_t calls = { read_stream, NULL, seek_stream, close_stream };
  Stream *self = g_new(Stream, 1);
  self->file = file;
  self->at = 0;
  FILE *stream = fopencookie(self, "r", calls);
  if (stream)
    setvbuf(stream, self->room, _IOFBF, sizeof self->room);
  else
    close_stream(self);
  return stream;
}

FILE *
vt_shared_file_open(const char *path)
{
  struct stat facts;
  const gint64 now = get_time();
  File *file = find_fresh(path);
  if (file)
    return stream_new(file);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return NULL;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) {
    FILE *stream = fdopen(descriptor, "r");
    if (!stream)
      close(descriptor);
    return stream;
  }
  file = g_new(File, 1);
  *file = (File){ .path = g_strdup(path), .descriptor = descriptor, .facts = facts, .named_us = now, .read_us = now };
  g_atomic_ref_count_init(&file->ref_count);
  keep(file);
  return stream_new(file);
}

void
vt_shared_file_forget_all(void)
{
  File *gone[N_FILES];
  g_mutex_lock(&lock);
  memcpy(gone, files, sizeof files);
  memset(files, 0, sizeof files);
  for (guint i = 0; i < N_BLOCKS; i++) {
    g_free(blocks[i].bytes);
    blocks[i] = (Block){ 0 };
  }
  g_mutex_unlock(&lock);
  for (guint i = 0; i < N_FILES; i++)
    if (gone[i])
      file_unref(gone[i]);
}
