/* SPDX-License-Identifier: MIT */
#include "base/vt-arena.h"

#include "base/vt-define.h"
#include "base/vt-error.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES ((gsize)16 << 20)

typedef struct {
  guint8 *base;
  gsize size;
} Chunk;

struct VtArena {
  int file; /* -1: it was given away */
  char *dir;
  gsize file_size;
  GArray *chunks; /* Chunk */
  gsize used;     /* of the last one */
};

static void
set_error(GError **error, const char *dir, int number)
{
  g_autofree char *shown = vt_error_dup_path(dir);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "Scratch files in %s cannot be written: %s.",
              shown, g_strerror(number));
}

VtArena *
vt_arena_new_in_file(int file, const char *dir)
{
  VtArena *arena = g_new0(VtArena, 1);
  arena->file = file;
  arena->dir = g_strdup(dir);
  arena->chunks = g_array_new(FALSE, FALSE, sizeof(Chunk));
  return arena;
}

VtArena *
vt_arena_new_written(int file, gsize bytes, gpointer *data)
{
  struct stat info;
  VtArena *arena = vt_arena_new_in_file(file, "");
  const gboolean is_whole = fstat(file, &info) == 0 && (guint64)info.st_size >= bytes;
  *data = is_whole ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (*data == MAP_FAILED) {
    vt_arena_free(arena);
    return NULL;
  }
  const Chunk chunk = { *data, bytes };
  g_array_append_val(arena->chunks, chunk);
  arena->used = bytes;
  return arena;
}

VtArena *
vt_arena_new(const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename(dir, "objects-XXXXXX", NULL);
  const int file = g_mkstemp(path);
  if (file < 0) {
    set_error(error, dir, errno);
    return NULL;
  }
  g_unlink(path);
  return vt_arena_new_in_file(file, dir);
}

int
vt_arena_free_to_file(VtArena *arena)
{
  const int file = arena->file;
  arena->file = -1;
  vt_arena_free(arena);
  return file;
}

void
vt_arena_free(VtArena *arena)
{
  if (!arena)
    return;
  VT_EACH_IN (const Chunk, chunk, arena->chunks)
    munmap(chunk->base, chunk->size);
  g_array_unref(arena->chunks);
  if (arena->file >= 0)
    close(arena->file);
  g_free(arena->dir);
  g_free(arena);
}

static void
rest(const Chunk *chunk)
{
  madvise(chunk->base, chunk->size, MADV_DONTNEED); /* of a shared mapping: the file keeps what was written */
}

/* A full disk is an error here; when a page is written it would be the end of the process. */
static int
take_room(const VtArena *arena, gsize size)
{
#if defined _POSIX_ADVISORY_INFO && _POSIX_ADVISORY_INFO > 0
  return posix_fallocate(arena->file, (off_t)arena->file_size, (off_t)size);
#else
  return ftruncate(arena->file, (off_t)(arena->file_size + size)) == 0 ? 0 : errno;
#endif
}

static gboolean
add_chunk(VtArena *arena, gsize size, GError **error)
{
  int number = take_room(arena, size);
  void *base = MAP_FAILED;
  if (number == 0) {
    base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, arena->file, (off_t)arena->file_size);
    number = base == MAP_FAILED ? errno : 0;
  }
  if (number != 0) {
    set_error(error, arena->dir, number);
    return FALSE;
  }
  const Chunk chunk = { base, size };
  if (arena->chunks->len > 0)
    rest(&g_array_index(arena->chunks, Chunk, arena->chunks->len - 1));
  g_array_append_val(arena->chunks, chunk);
  arena->file_size += size;
  arena->used = 0;
  return TRUE;
}

gpointer
vt_arena_take(VtArena *arena, gsize bytes, GError **error)
{
  const gsize size = (bytes + 7) & ~(gsize)7;
  const Chunk *last = arena->chunks->len > 0 ? &g_array_index(arena->chunks, Chunk, arena->chunks->len - 1) : NULL;
  if (!last || last->size - arena->used < size) {
    const gsize pages = (size + 65535) & ~(gsize)65535; /* of any machine's size */
    if (!add_chunk(arena, MAX(pages, CHUNK_BYTES), error))
      return NULL;
    last = &g_array_index(arena->chunks, Chunk, arena->chunks->len - 1);
  }
  gpointer taken = last->base + arena->used;
  arena->used += size;
  return taken;
}

void
vt_arena_rest(VtArena *arena)
{
  for (guint i = 0; i < arena->chunks->len; i++)
    rest(&g_array_index(arena->chunks, Chunk, i));
}
