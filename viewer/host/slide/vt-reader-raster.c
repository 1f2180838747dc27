/* SPDX-License-Identifier: MIT
 *
 * Plain images by a reader process, each by one of its own. */
#include <errno.h>
#include <glib/gstdio.h>

#include "base/vt-arena.h"
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
  if (file < 0)
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "Scratch files in %s cannot be written: %s.", folder,
                g_strerror(errno));
  else
    g_unlink(path);
  return file;
}

/* Takes the scratch file. */
static VtRaster *
take_raster(VtReaderMessage *message, GVariant *facts, int scratch, guint *n_pages, guint *orientation)
{
  VtRaster head = { 0 };
  gboolean is_in_scratch = FALSE;
  VtRaster *raster = NULL;
  g_autoptr(GVariant) packed = NULL;
  g_variant_get(facts, "(@(uxxxxdddddbdd)uub)", &packed, n_pages, orientation, &is_in_scratch);
  const gboolean is_sane = vt_raster_unpack(packed, &head) && *orientation >= 1 && *orientation <= 8;
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
read_apart(VtReaderProcess *process, const char *path, const VtRasterRoom *room, int scratch, guint *n_pages,
           guint *orientation, GError **error)
{
  const VtReaderRequest request = { .kind = VT_READER_RASTER,
                                    .room = room ? (gint64)MIN(room->bytes, G_MAXINT64) : -1 };
  VtReaderMessage message;
  VtRaster *raster = NULL;
  const VtReaderOutcome outcome =
    vt_reader_process_ask(process, &request, path, &scratch, scratch >= 0 ? 1 : 0, &message, error);
  if (outcome == VT_READER_GONE)
    vt_reader_set_gone(path, process, error);
  if (outcome == VT_READER_ANSWERED) {
    vt_reader_process_end(process); /* it must not change the scratch file any more */
    g_autoptr(GVariant) facts = vt_reader_get_facts(&message, G_VARIANT_TYPE(VT_READER_RASTER_FACTS));
    if (facts)
      raster = take_raster(&message, facts, g_steal_fd(&scratch), n_pages, orientation);
    if (!raster)
      vt_reader_set_nonsense(path, error);
    vt_reader_message_clear(&message);
  }
  if (scratch >= 0)
    g_close(scratch, NULL);
  return raster;
}

static VtRaster *
read_here(const char *path, const VtRasterRoom *room, guint *n_pages, guint *orientation, GError **error)
{
  VtRaster *raster = vt_raster_read_within(path, room, error);
  *n_pages = raster ? vt_raster_count_pages(path) : 1;
  *orientation = raster ? vt_raster_read_orientation(path) : 1;
  return raster;
}

VtRaster *
vt_reader_read_raster(const char *path, const VtRasterRoom *room, guint *n_pages, guint *orientation, GError **error)
{
  int scratch = -1;
  g_autofree char *why_not = NULL;
  g_autoptr(VtReaderProcess) process = vt_reader_take_process(path, &why_not);
  if (!process)
    return read_here(path, room, n_pages, orientation, error);
  if (room && (scratch = scratch_new(room->dir, error)) < 0)
    return NULL;
  return read_apart(process, path, room, scratch, n_pages, orientation, error);
}
