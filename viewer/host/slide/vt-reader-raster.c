/* SPDX-License-Identifier: MIT
 *
 * Plain images by a reader process, each by one of its own. */
#include <errno.h>
#include <glib/gstdio.h>

#include "base/vt-define.h"
#include "base/vt-arena.h"
#include "base/vt-file-private.h"
#include "raster/vt-raster-private.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-reader.h"

/* An empty file that is gone when it is closed, in the folder or, as long as that is not made, above it. -1 and a sentence. */
static int
scratch_new(const char *dir, GError **error)
{
  g_autofree char *folder = g_canonicalize_filename(dir, NULL);
  while (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
    char *above = g_path_get_dirname(folder);
    g_free(folder);
    folder = above;
  }
  g_autofree char *path = g_build_filename(folder, ".vitrail-XXXXXX", NULL);
  const int file = g_mkstemp(path);
  const int number = errno;
  g_autofree char *shown = vt_error_dup_path(folder);
  if (file < 0)
    vt_error_set(error, VITRAIL_READ_FAILED, "Scratch files in %s cannot be written: %s.", shown, g_strerror(number));
  else
    g_unlink(path);
  return file;
}

/* Takes the scratch file. */
static VtRaster *
take_raster(VtReaderMessage *message, GVariant *packed_facts, int scratch, VtRasterFacts *facts)
{
  VtRaster head = { 0 };
  gboolean is_in_scratch = FALSE;
  VtRaster *raster = NULL;
  g_autoptr(GVariant) packed = NULL, said = NULL;
  g_variant_get(packed_facts, "(@(uxxxxdddddbdd)@" VT_RASTER_FACTS "b)", &packed, &said, &is_in_scratch);
  const gboolean is_sane = vt_raster_unpack(packed, &head) && vt_raster_facts_unpack(said, facts);
  const guint64 bytes = is_sane ? (guint64)head.stride * (guint64)head.height : 0;
  if (is_sane && is_in_scratch && scratch >= 0) {
    gpointer data = NULL;
    VtArena *arena = vt_arena_new_written(scratch, bytes, &data);
    return arena ? vt_raster_new_in_arena(&head, arena, data) : NULL;
  }
  GMappedFile *mapping =
    is_sane && !is_in_scratch && message->n_files > 1 ? vt_reader_file_map(message->files[1], bytes) : NULL;
  if (mapping)
    raster = vt_raster_new_mapped(&head, mapping);
  if (scratch >= 0)
    g_close(scratch, NULL);
  return raster;
}

static VtRaster *
read_apart(VtReaderProcess *process, const char *path, const VtRasterRoom *room, const VtReadContext *context,
           int scratch, VtRasterFacts *facts, GError **error)
{
  const VtReaderRequest request = { .kind = VT_READER_RASTER,
                                    .room = room ? (gint64)MIN(room->bytes, G_MAXINT64) : -1 };
  VtReaderMessage message;
  VtRaster *raster = NULL;
  const VtReaderOutcome outcome =
    vt_reader_process_ask(process, &request, path, &scratch, scratch >= 0 ? 1 : 0, context, &message, error);
  if (outcome == VT_READER_GONE)
    vt_reader_set_gone(path, process, error);
  if (outcome == VT_READER_ANSWERED) {
    vt_reader_process_end(process); /* it must not change the scratch file any more */
    g_autoptr(GVariant) packed = vt_reader_get_facts(&message, G_VARIANT_TYPE(VT_READER_RASTER_FACTS));
    if (packed)
      raster = take_raster(&message, packed, g_steal_fd(&scratch), facts);
    if (!raster)
      vt_reader_set_nonsense(path, error);
    vt_reader_message_clear(&message);
  }
  if (scratch >= 0)
    g_close(scratch, NULL);
  return raster;
}

VtRaster *
vt_reader_read_raster(const char *path, const VtRasterRoom *room, const VtReadContext *context, VtRasterFacts *facts,
                      GError **error)
{
  int scratch = -1;
  g_autofree char *why_not = NULL;
  if (!vt_file_check(path, error))
    return NULL;
  g_autoptr(VtReaderProcess) process = vt_reader_take_process(path, &why_not);
  if (!process) {
    vt_raster_read_facts(path, facts);
    return vt_raster_read_within(path, room, error);
  }
  if (room && (scratch = scratch_new(room->dir, error)) < 0)
    return NULL;
  return read_apart(process, path, room, context, scratch, facts, error);
}

/* --- block by block --- */

struct VtReaderRows {
  char *path;
  VtReaderProcess *process;
  VtTiffRows *here; /* NULL: the process reads it */
  VtRaster *raster; /* without pixels */
  VtRasterFacts facts;
  gint64 block_rows;
  VtRaster *block; /* from row block_y on; NULL: none yet */
  gint64 block_y;
};

VT_DEFINE_TYPE_FREE(vt_reader_rows_free, VtReaderRows,
                    VT_FREES(vt_raster_unref, block, raster) VT_FREES(vt_tiff_rows_free, here)
                      VT_FREES(vt_reader_process_unref, process) VT_FREES(g_free, path))

/* Whether the facts can be. */
static gboolean
take_rows(VtReaderRows *self, const VtReaderMessage *message)
{
  VtRaster head = { 0 };
  g_autoptr(GVariant) packed = NULL, said = NULL;
  g_autoptr(GVariant) all = vt_reader_get_facts(message, G_VARIANT_TYPE(VT_READER_ROWS_FACTS));
  if (!all)
    return FALSE;
  g_variant_get(all, "(@(uxxxxdddddbdd)@" VT_RASTER_FACTS "x)", &packed, &said, &self->block_rows);
  if (!vt_raster_unpack(packed, &head) || !vt_raster_facts_unpack(said, &self->facts) || self->block_rows < 1)
    return FALSE;
  self->raster = vt_raster_new_empty(head.type, head.width, head.height);
  return TRUE;
}

static gboolean
begin_apart(VtReaderRows *self, const VtRasterRoom *room, GError **error)
{
  const VtReaderRequest request = { .kind = VT_READER_ROWS, .room = room ? (gint64)MIN(room->bytes, G_MAXINT64) : -1 };
  VtReaderMessage message;
  const VtReaderOutcome outcome =
    vt_reader_process_ask(self->process, &request, self->path, NULL, 0, NULL, &message, error);
  if (outcome == VT_READER_GONE)
    vt_reader_set_gone(self->path, self->process, error);
  if (outcome != VT_READER_ANSWERED)
    return FALSE;
  if (message.n_files > 0 && !take_rows(self, &message))
    vt_reader_set_nonsense(self->path, error);
  vt_reader_message_clear(&message);
  return self->raster != NULL;
}

static gboolean
begin_here(VtReaderRows *self, const VtRasterRoom *room, GError **error)
{
  self->here = vt_tiff_rows_new(self->path, room, error);
  if (!self->here)
    return FALSE;
  self->raster = vt_raster_ref(vt_tiff_rows_get_raster(self->here));
  vt_raster_read_facts(self->path, &self->facts);
  return TRUE;
}

VtReaderRows *
vt_reader_rows_new(const char *path, const VtRasterRoom *room, GError **error)
{
  g_autofree char *why_not = NULL;
  g_autoptr(VtReaderRows) self = g_new0(VtReaderRows, 1);
  self->path = g_strdup(path);
  self->process = vt_reader_take_process(path, &why_not);
  if (!(self->process ? begin_apart(self, room, error) : begin_here(self, room, error)))
    return NULL;
  if (self->facts.is_placed)
    vt_raster_set_place(self->raster, &self->facts.place);
  return g_steal_pointer(&self);
}

VT_GETTER(VtRaster *, vt_reader_rows_get_raster, VtReaderRows, raster)

const VtRasterFacts *
vt_reader_rows_get_facts(const VtReaderRows *self)
{
  return &self->facts;
}

static VtRaster *
read_block(VtReaderRows *self, gint64 y, GError **error)
{
  const VtReaderRequest request = { .kind = VT_READER_BLOCK, .row = y };
  VtReaderMessage message;
  VtRaster head = *self->raster, *block = NULL;
  const VtReaderOutcome outcome = vt_reader_process_ask(self->process, &request, NULL, NULL, 0, NULL, &message, error);
  if (outcome == VT_READER_GONE)
    vt_reader_set_gone(self->path, self->process, error);
  if (outcome != VT_READER_ANSWERED)
    return NULL;
  head.height = MIN(self->block_rows, head.height - y);
  GMappedFile *mapping =
    message.n_files == 1 ? vt_reader_file_map(message.files[0], (guint64)head.stride * (guint64)head.height) : NULL;
  if (mapping)
    block = vt_raster_new_mapped(&head, mapping);
  else
    vt_reader_set_nonsense(self->path, error);
  vt_reader_message_clear(&message);
  return block;
}

const guint8 *
vt_reader_rows_get(VtReaderRows *self, gint64 y, GError **error)
{
  if (self->here)
    return vt_tiff_rows_get(self->here, y, error);
  const gint64 block_y = y - y % self->block_rows;
  if (!self->block || block_y != self->block_y) {
    g_clear_pointer(&self->block, vt_raster_unref);
    self->block_y = block_y;
    self->block = read_block(self, block_y, error);
  }
  return self->block ? self->block->data + (gsize)(y - block_y) * self->block->stride : NULL;
}
