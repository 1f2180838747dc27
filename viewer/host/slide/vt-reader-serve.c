/* SPDX-License-Identifier: MIT
 *
 * The reader process's side. What is asked is checked as if a stranger asked. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "raster/vt-raster-private.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-shared-file.h"

#define TILE_BYTES ((gsize)VT_TILE_PX * VT_TILE_PX * 4)
#define TELL_US 200000

typedef struct {
  VtSlide *slide; /* borrowed; it stays until the process ends */
  int socket;
  guint8 *tile;
} Channel;

typedef struct {
  VtSlide *slide;   /* NULL: none is open */
  Channel *first;   /* until then: over which its first picture goes */
  VtTiffRows *rows; /* NULL: no image is read block by block */
} Server;

static gboolean
refuse(int socket, guint32 kind, const GError *error)
{
  const guint32 status = error->domain == VT_ERROR && error->code > 0 ? (guint32)error->code : VITRAIL_READ_FAILED;
  const VtReaderReply reply = { .kind = kind, .status = status };
  return vt_reader_reply(socket, &reply, error->message, NULL, 0);
}

/* Takes the files. */
static gboolean
answer(int socket, const VtReaderReply *reply, int *files, guint n_files)
{
  gboolean sent = TRUE, has_all = TRUE;
  for (guint i = 0; i < n_files; i++)
    has_all &= files[i] >= 0;
  if (has_all) {
    sent = vt_reader_reply(socket, reply, NULL, files, n_files);
  } else {
    g_autoptr(GError) error =
      g_error_new_literal(VT_ERROR, VITRAIL_OUT_OF_MEMORY, "There is no memory for the answer.");
    sent = refuse(socket, reply->kind, error);
  }
  for (guint i = 0; i < n_files; i++)
    if (files[i] >= 0)
      close(files[i]);
  return sent;
}

static int
pack(GVariant *variant)
{
  g_autoptr(GVariant) normal = g_variant_get_normal_form(variant);
  return vt_reader_file_new(g_variant_get_data(normal), g_variant_get_size(normal));
}

/* --- a thread for each channel --- */

static gboolean
serve_tile(const Channel *channel, const VtReaderRequest *request)
{
  const VtReaderReply reply = { .kind = VT_READER_TILE };
  int width = 0, height = 0;
  GError *error = NULL;
  if (request->level >= channel->slide->n_stored
      || !vt_slide_get_tile_size(channel->slide, request->level, request->col, request->row, &width, &height)
      || request->width != width || request->height != height)
    return FALSE;
  const gboolean is_read = vt_slide_decode_tile(channel->slide, request->level, request->col, request->row, width,
                                                height, channel->tile, &error);
  if (vt_slide_is_stale(
        channel
          ->slide)) /* another process opens what lies there now, and whether it is the same slide is asked of it */
    _exit(EXIT_SUCCESS);
  if (is_read)
    return vt_reader_reply(channel->socket, &reply, NULL, NULL, 0);
  const gboolean sent = refuse(channel->socket, reply.kind, error);
  g_error_free(error);
  return sent;
}

static gpointer
serve_channel(gpointer data)
{
  Channel *channel = data;
  gboolean goes_on = TRUE;
  while (goes_on) {
    g_auto(VtReaderMessage) message;
    goes_on = vt_reader_receive_request(channel->socket, &message) && message.head.request.kind == VT_READER_TILE
              && serve_tile(channel, &message.head.request);
  }
  munmap(channel->tile, TILE_BYTES);
  close(channel->socket);
  g_free(channel);
  vt_shared_file_forget_all(); /* as after ten seconds without a read: the slide's drive may be taken away */
  return NULL;
}

static gboolean
start_channel(Channel *channel, VtSlide *slide)
{
  channel->slide = slide;
  GThread *thread = g_thread_try_new("channel", serve_channel, channel, NULL);
  if (thread)
    g_thread_unref(thread);
  return thread != NULL;
}

static gboolean
add_channel(Server *self, VtReaderMessage *message)
{
  struct stat info;
  if (self->first || message->n_files != 2 || fstat(message->files[1], &info) != 0 || info.st_size != (off_t)TILE_BYTES)
    return FALSE;
  void *tile = mmap(NULL, TILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, message->files[1], 0);
  if (tile == MAP_FAILED)
    return FALSE;
  Channel *channel = g_new(Channel, 1);
  *channel = (Channel){ NULL, message->files[0], tile };
  close(message->files[1]);
  message->n_files = 0;
  if (self->slide)
    return start_channel(channel, self->slide);
  self->first = channel;
  vt_reader_warm_up(); /* nobody waits for this process yet */
  return TRUE;
}

/* The first picture is sent before anybody asks for it. The slide's facts have gone: whatever happens here, it is open. */
static gboolean
serve_first(Server *self, const VtReaderRequest *request)
{
  Channel *channel = g_steal_pointer(&self->first);
  if (!channel)
    return TRUE;
  channel->slide = self->slide;
  return (request->width == 0 || serve_tile(channel, request)) && start_channel(channel, self->slide);
}

/* --- the control socket --- */

/* Its pixels are sent, and nobody here looks at them again. */
static int
give_away(VtRaster **flat)
{
  const int file = vt_raster_free_to_file(g_steal_pointer(flat));
  if (file >= 0 && vt_reader_file_seal(file))
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

static gboolean
serve_raster(int socket, const VtReaderMessage *message)
{
  const VtReaderReply reply = { .kind = VT_READER_RASTER };
  const gint64 bytes = message->head.request.room;
  const VtRasterRoom room = { bytes >= 0 ? (guint64)bytes : 0, "their folder", &message->files[0] };
  g_autoptr(GError) error = NULL;
  if (bytes >= 0 && message->n_files != 1)
    return FALSE;
  VtRaster *raster = vt_raster_read_within(message->text, bytes >= 0 ? &room : NULL, &error);
  if (!raster)
    return refuse(socket, reply.kind, error);
  const gboolean is_in_file = bytes >= 0 && raster->stride * (gsize)raster->height > room.bytes;
  VtRasterFacts said;
  vt_raster_read_facts(message->text, &said);
  g_autoptr(GVariant) facts = g_variant_ref_sink(g_variant_new(
    "(@(uxxxxdddddbdd)@" VT_RASTER_FACTS "b)", vt_raster_pack(raster), vt_raster_facts_pack(&said), is_in_file));
  int files[2] = { pack(facts), -1 };
  if (!is_in_file)
    files[1] = give_away(&raster);
  return answer(socket, &reply, files, is_in_file ? 1 : 2);
}

static gboolean
serve_rows(int socket, const VtReaderMessage *message, Server *self)
{
  const VtReaderReply reply = { .kind = VT_READER_ROWS };
  const gint64 bytes = message->head.request.room;
  const VtRasterRoom room = { .bytes = bytes >= 0 ? (guint64)bytes : 0 };
  g_autoptr(GError) error = NULL;
  self->rows = vt_tiff_rows_new(message->text, bytes >= 0 ? &room : NULL, &error);
  if (error)
    return refuse(socket, reply.kind, error);
  if (!self->rows)
    return vt_reader_reply(socket, &reply, NULL, NULL, 0);
  VtRasterFacts said;
  vt_raster_read_facts(message->text, &said);
  g_autoptr(GVariant) facts = g_variant_ref_sink(
    g_variant_new("(@(uxxxxdddddbdd)@" VT_RASTER_FACTS "x)", vt_raster_pack(vt_tiff_rows_get_raster(self->rows)),
                  vt_raster_facts_pack(&said), vt_tiff_rows_get_block_rows(self->rows)));
  int file = pack(facts);
  return answer(socket, &reply, &file, 1);
}

static gboolean
serve_block(int socket, VtTiffRows *rows, gint64 y)
{
  const VtReaderReply reply = { .kind = VT_READER_BLOCK };
  g_autoptr(GError) error = NULL;
  if (y < 0 || y >= vt_tiff_rows_get_raster(rows)->height || y % vt_tiff_rows_get_block_rows(rows) != 0)
    return FALSE;
  VtRaster *block = vt_tiff_rows_read(rows, y, &error);
  if (!block)
    return refuse(socket, reply.kind, error);
  int file = give_away(&block);
  return answer(socket, &reply, &file, 1);
}

static gboolean
serve_open(int socket, const VtReaderMessage *message, Server *self)
{
  const VtReaderReply reply = { .kind = message->head.request.kind };
  VtReaderRequest first;
  g_autoptr(GError) error = NULL;
  if (self->slide || message->n_text == 0)
    return FALSE;
  VtSlide *slide =
    reply.kind == VT_READER_OPEN ? vt_slide_open(message->text, &error) : vt_slide_open_image(message->text, &error);
  if (!slide)
    return refuse(socket, reply.kind, error);
  self->slide = slide;
  g_autoptr(GVariant) facts = vt_slide_dup_facts(slide);
  int files[2] = { pack(facts), -1 };
  const gboolean has_flat = slide->flat != NULL;
  vt_reader_find_first(slide, &first);
  if (has_flat)
    files[1] = give_away(&slide->flat);
  return answer(socket, &reply, files, has_flat ? 2 : 1) && serve_first(self, &first);
}

static gboolean
serve_names(int socket, VtSlide *slide)
{
  const VtReaderReply reply = { .kind = VT_READER_NAMES };
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) names = vt_slide_dup_associated_names(slide, &error);
  if (!names)
    return refuse(socket, reply.kind, error);
  g_autoptr(GVariant) list = g_variant_ref_sink(g_variant_new_strv((const char *const *)names, -1));
  int file = pack(list);
  return answer(socket, &reply, &file, 1);
}

static gboolean
serve_picture(int socket, VtSlide *slide, const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtTilePixels) pixels = vt_slide_read_associated(slide, name, &error);
  if (!pixels)
    return refuse(socket, VT_READER_PICTURE, error);
  const VtReaderReply reply = { .kind = VT_READER_PICTURE, .width = pixels->width, .height = pixels->height };
  gsize n = 0;
  const void *data = g_bytes_get_data(pixels->bytes, &n);
  int file = vt_reader_file_new(data, n);
  return answer(socket, &reply, &file, 1);
}

/* Who is told of signs of life, and when that was last. */
typedef struct {
  int control;
  gint64 told_us;
  gint64 before, last; /* steps of decoders that gave up before this one; and of this one */
} Teller;

static void
tell(gint64 done, gint64 of, gpointer user)
{
  Teller *teller = user;
  const gint64 now = g_get_monotonic_time();
  if (done < teller->last) /* the image is read in another way now */
    teller->before += teller->last;
  teller->last = done;
  if (now - teller->told_us < TELL_US)
    return;
  const VtReaderReply reply = { .kind = VT_READER_PROGRESS,
                                .width = teller->before + done,
                                .height = teller->before + MIN(of, G_MAXINT64 - teller->before) };
  teller->told_us = now;
  vt_reader_reply(teller->control, &reply, NULL, NULL, 0);
}

/* Of an image that is decoded whole, or a slide that is such. */
static gboolean
serve_telling(int control, VtReaderMessage *message, Server *self)
{
  Teller teller = { control, g_get_monotonic_time(), 0, 0 };
  vt_raster_set_told(tell, &teller);
  const gboolean goes_on = message->head.request.kind != VT_READER_RASTER
                             ? serve_open(control, message, self)
                             : !self->slide && serve_raster(control, message);
  vt_raster_set_told(NULL, NULL);
  return goes_on;
}

static gboolean
serve(int control, VtReaderMessage *message, Server *self)
{
  VtSlide *slide = self->slide;
  switch (message->head.request.kind) {
  case VT_READER_OPEN:
  case VT_READER_OPEN_IMAGE:
  case VT_READER_RASTER: return serve_telling(control, message, self);
  case VT_READER_ROWS: return !slide && !self->rows && serve_rows(control, message, self);
  case VT_READER_BLOCK: return self->rows && serve_block(control, self->rows, message->head.request.row);
  case VT_READER_CHANNEL: return add_channel(self, message);
  case VT_READER_NAMES: return slide && serve_names(control, slide);
  case VT_READER_PICTURE: return slide && serve_picture(control, slide, message->text);
  default: return FALSE;
  }
}

void
vt_reader_serve(int control)
{
  vt_raster_use_memory_files();
  const VtReaderReply hello = { .kind = VT_READER_HELLO };
  Server server = { NULL, NULL, NULL }; /* its channels may be at work until the process ends */
  gboolean goes_on = vt_reader_reply(control, &hello, NULL, NULL, 0);
  while (goes_on) {
    g_auto(VtReaderMessage) message;
    goes_on = vt_reader_receive_request(control, &message) && serve(control, &message, &server);
  }
  g_clear_pointer(&server.rows, vt_tiff_rows_free);
}
